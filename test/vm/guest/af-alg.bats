# AF_ALG of 7.3 and later by default, with a list of algorithms for programs: checks the messages and commands of
# docs/trouble.md, docs/compatibility.md and docs/af-alg.md. At the end, disables the list by their command, for later tests.

bats_require_minimum_version 1.5.0
load common

readonly image=/dev/shm/volume.img passphrase=/dev/shm/passphrase volume=/dev/mapper/volume
readonly list=/proc/sys/crypto/af_alg_restrict
readonly quick=(--batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file "$passphrase")
readonly xts=(--type luks2 --cipher sm4-xts-plain64 --key-size 256)
readonly aes_slots=(--keyslot-cipher aes-xts-plain64 --keyslot-key-size 512)
readonly sm4_slots=(--keyslot-cipher sm4-xts-plain64 --keyslot-key-size 256)

setup_file() {
    # Without udev, cryptsetup makes the device nodes itself.
    export DM_DISABLE_UDEV=1
    modprobe --all loop dm-mod sm4_fast af_alg
    truncate --size=56M $image
    echo -n 'correct horse battery staple' >$passphrase
    export restricted
    restricted=$(<$list)
}

teardown() {
    if [[ -e $volume ]]; then cryptsetup close volume; fi
}

teardown_file() {
    rm --force $image $passphrase
    modprobe --remove sm4_fast
}

docs=$BATS_TEST_DIRNAME/../../../docs

# Checks that the command fails with this message, and that the page has the message.
#
#     fails_as_told PAGE MESSAGE COMMAND...
fails_as_told() {
    grep --fixed-strings -e "$2" "$docs/$1"
    run "${@:3}"
    [[ $status -ne 0 && $output == *"$2"* ]]
}

slots_are_encrypted_with() {
    [[ $(cryptsetup luksDump $image | awk '$1 == "Cipher:" { print $2 }') == "$1" ]]
}

ask_by_python() {
    python3 -c 'import socket; socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).bind(("skcipher", "ctr(sm4)"))'
}

@test "programs get an error: there is no SM4" {
    fails_as_told af-alg.md 'No such file or directory' ask_by_python
    fails_as_told trouble.md 'libkcapi - Error: AF_ALG: bind failed (errno: -2)' \
        kcapi-dgst --cipher 'cmac(sm4)' --hex --keyfd 3 --infile $passphrase 3< <(printf 0123456789abcdef)
    # SM4 is missing there, not AF_ALG.
    python3 -c 'import socket; socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).bind(("skcipher", "cbc(aes)"))'
}

@test "cryptsetup benchmark has none" {
    fails_as_told trouble.md 'Cipher sm4-xts-plain64 (with 256 bits key) is not available.' \
        cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256
}

@test "cryptsetup cannot create a volume with SM4 in its key slots" {
    fails_as_told trouble.md 'Cannot use sm4-xts-plain64 cipher for keyslot encryption.' \
        cryptsetup luksFormat "${xts[@]}" "${quick[@]}" $image
}

@test "it cannot create a volume with GCM at all" {
    fails_as_told compatibility.md 'Cipher sm4-gcm-random (key size 128 bits) is not available.' \
        cryptsetup luksFormat --type luks2 --cipher sm4-gcm-random --key-size 128 --integrity aead "${quick[@]}" $image
}

@test "it can create and open a volume with AES in its key slots" {
    cryptsetup luksFormat "${xts[@]}" "${aes_slots[@]}" "${quick[@]}" $image
    slots_are_encrypted_with aes-xts-plain64
    cryptsetup open --key-file $passphrase $image volume
    cryptsetup status volume | grep 'cipher: *sm4-xts-plain64'
}

@test "ESP can use SM4 nevertheless" {
    ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x101 mode transport \
        enc 'cbc(sm4)' 0x0123456789abcdeffedcba9876543210 \
        auth-trunc 'hmac(sm3)' 0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 128
    ip xfrm state deleteall
}

@test "after the command of docs/af-alg.md, programs can use SM4" {
    eval "$(grep --before-context=1 '^sysctl ' "$docs/af-alg.md" | tee /dev/stderr)"
    ask_by_python
    cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256
    cryptsetup luksConvertKey "${sm4_slots[@]}" "${quick[@]}" $image
    cryptsetup open --key-file $passphrase $image volume
}

@test "with the list, that volume cannot be opened" {
    slots_are_encrypted_with sm4-xts-plain64
    echo "$restricted" >$list
    fails_as_told compatibility.md 'No usable keyslot is available.' \
        cryptsetup open --key-file $passphrase $image volume
    echo 0 >$list
}
