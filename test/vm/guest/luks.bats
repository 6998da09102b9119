# A LUKS2 volume: made, filled with real files, closed, opened again, read with and without the kernel. Environment: CIPHER,
# KEY_BITS, SECTOR_SIZE, and INTEGRITY (aead, or empty).

bats_require_minimum_version 1.5.0
load common

readonly image=/dev/shm/volume.img passphrase=/dev/shm/passphrase key=/dev/shm/key
# This text is in many of the sample files.
readonly known_text='SPDX-License-Identifier'
readonly volume=/dev/mapper/volume mount_point=/tmp/volume

setup_file() {
    # Without udev, cryptsetup makes the device nodes itself.
    export DM_DISABLE_UDEV=1
    grep --quiet --text "$known_text" /srv/sample/files.tar
    modprobe --all loop dm-mod
    modprobe sm4_fast
    truncate --size=56M $image
    echo -n 'correct horse battery staple' >$passphrase
    mkdir --parents $mount_point
}

teardown() {
    if mountpoint --quiet $mount_point; then umount $mount_point; fi
    if [[ -e $volume ]]; then cryptsetup close volume; fi
}

teardown_file() {
    rm --force $image $passphrase $key
}

open_volume() {
    cryptsetup open --key-file $passphrase $image volume
}

mount_volume() {
    open_volume
    mount $volume $mount_point
}

# The offset of the volume's data in the image, in bytes.
data_offset() {
    cryptsetup luksDump $image | sed -n 's/^\toffset: \([0-9]*\) \[bytes\]$/\1/p'
}

@test "luksFormat and open" {
    cryptsetup luksFormat --batch-mode --type luks2 --cipher "$CIPHER" --key-size "$KEY_BITS" --sector-size "$SECTOR_SIZE" \
        ${INTEGRITY:+--integrity "$INTEGRITY"} --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file $passphrase $image
    open_volume
    cryptsetup status volume
    cryptsetup status volume | grep --quiet --fixed-strings " $CIPHER"
    cryptsetup status volume | grep --quiet "sector size: *$SECTOR_SIZE"
}

@test "a file system with thousands of files" {
    open_volume
    mkfs.ext4 -q $volume
    mount $volume $mount_point
    tar --extract --file /srv/sample/files.tar --directory $mount_point
    [[ $(find $mount_point -type f | wc --lines) -gt 2000 ]]
}

@test "opened again, every file is as it was" {
    mount_volume
    (cd $mount_point && sha256sum --check --quiet /srv/sample/SHA256SUMS)
}

@test "the module cannot be unloaded while the volume is open" {
    open_volume
    run ! rmmod sm4_fast
    [[ $output == *'in use'* ]]
}

@test "the raw sectors are the data that the kernel reads, encrypted by libgcrypt" {
    # cryptsetup 2.0 has only this older option, and writes no key of LUKS2 to a file, so this parses its output.
    cryptsetup luksDump --batch-mode --dump-master-key --key-file $passphrase $image |
        sed -n '/^MK dump:/,$ { s/^MK dump://; p }' | perl -0pe 's/\s//g; $_ = pack "H*", $_' >$key
    open_volume
    # Sectors from the beginning, with the superblock, and from the first text of the files on
    text=$(grep --byte-offset --only-matching --text --max-count=1 "$known_text" $volume | cut --delimiter=: --fields=1)
    for first in 0 $((text / SECTOR_SIZE)); do
        "$BATS_TEST_DIRNAME/check-sectors" "$CIPHER" $key $volume $image "$(data_offset)" "$SECTOR_SIZE" "$first" 64
    done
}

@test "the raw image does not contain the files' text" {
    run ! grep --quiet --text "$known_text" $image
}
