# dm-verity with SM3: a hash tree that veritysetup makes in user space, and by which the kernel checks each block.

bats_require_minimum_version 1.5.0
load common

readonly data=/dev/shm/data.img hashes=/dev/shm/hashes.img root_hash=/dev/shm/root.hash checked=/dev/mapper/checked

setup_file() {
    # Without udev, cryptsetup makes the device nodes itself.
    export DM_DISABLE_UDEV=1
    modprobe --all loop dm-mod dm-verity sm4_fast
    head --bytes=1M /dev/urandom >$data
}

teardown() {
    if [[ -e $checked ]]; then veritysetup close checked; fi
}

teardown_file() {
    rm --force $data $hashes $root_hash
}

# Makes a tree with a random salt of $1 bytes, and opens it.
open_with_salt() {
    local salt
    salt=$(head --bytes="$1" /dev/urandom | od --address-radix=n --format=x1 --output-duplicates | tr --delete ' \n')
    veritysetup format --hash sm3 --salt "${salt:--}" --root-hash-file $root_hash $data $hashes
    veritysetup open --root-hash-file $root_hash $data checked $hashes
}

# SM3 takes blocks of 64 bytes, and the last one has room for 55.
@test "salts of any length" {
    for bytes in 0 1 7 32 55 56 63 64 65 127 255 256; do
        open_with_salt $bytes
        drivers_in_use </proc/crypto | grep --quiet '^sm3-.*-fast$'
        cmp $data $checked
        veritysetup close checked
    done
}

@test "a changed block cannot be read" {
    open_with_salt 33
    veritysetup close checked
    head --bytes=4096 /dev/urandom | dd of=$data bs=4096 seek=100 conv=notrunc status=none
    veritysetup open --root-hash-file $root_hash $data checked $hashes
    dd if=$checked of=/dev/null bs=4096 iflag=direct count=100 status=none
    run ! dd if=$checked of=/dev/null bs=4096 iflag=direct skip=100 count=1 status=none
}
