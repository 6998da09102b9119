#!/bin/bash
# test/vm/data-disk.t KERNEL
#
# TAP: a whole Debian, of the suite that has KERNEL (6.1 or later), opens a data disk by the recipe of docs/disk.md, which a
# virtual machine applies to two disks. The system boots twice. First it opens both; then it applies the recipe to a third one,
# "now", which is open as in README.md, and opens that at once; in the end, it removes the key file of the second one, "lost".
# Then it comes up without that disk, and says what the page says.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"
# shellcheck source=test/vm/system.sh
source "$(dirname "$0")/system.sh"

[[ $# -eq 1 ]] || fail "usage: data-disk.t KERNEL, 6.1 or later"
section=$(sed --quiet '/^### A data disk$/,/^##/p' "$repository/docs/disk.md")

"$repository/test/need" --root e2fsprogs >&2
get_tree "$1"
make_system
set_up_root /dev/vda

# The commands of the section's block $1 for the volume $2 on the disk $3. The system has the packages that they install.
block() {
    awk -v number="$1" '/^```$/ { inside = 0 } inside && !/^apt-get install /; /^```sh$/ { inside = ++count == number }' \
        <<<"$section" | sed "s|DEVICE|$3|; s/\<data\>/$2/g"
}

# The commands of the page get the passphrase by the standard input.
printf passphrase >"$system/root/passphrase"
recipe() {
    echo "cryptsetup luksFormat --batch-mode --cipher sm4-xts-plain64 --key-size 256 --keyslot-cipher aes-xts-plain64 \
        --keyslot-key-size 512 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file /root/passphrase $2"
    echo "cryptsetup open --key-file /root/passphrase $2 secret; mkfs.ext4 -q /dev/mapper/secret"
    echo "$3"
    echo '{'
    block 1 "$1" "$2"
    echo '} </root/passphrase'
}
{
    recipe data /dev/vdb 'cryptsetup close secret'
    recipe lost /dev/vdc 'cryptsetup close secret'
} >"$system/root/recipe"
{
    recipe now /dev/vdd 'mount /dev/mapper/secret /mnt'
    block 2 now /dev/vdd
} >"$system/root/now"
block 3 lost /dev/vdc >"$system/root/by-hand"
set_up_report <<'END'
where_are_they() {
    for name in data lost now; do
        echo "REPORT $1, $name is on $(findmnt --noheadings --output SOURCE /srv/$name || echo nowhere)"
    done
}
state=$(systemctl is-system-running --wait)
echo "REPORT $state" $(systemctl list-units --failed --plain --no-legend | cut --delimiter=' ' --fields=1)
journalctl --boot --unit systemd-cryptsetup@lost --output cat | sed 's/^/REPORT journal: /'
where_are_they 'after the boot'
echo "REPORT data is $(cryptsetup status data | sed -n 's/^ *cipher: *//p')"
[ -e /srv/now ] || sh -e /root/now
[ -e /dev/mapper/lost ] || sh -e /root/by-hand </root/passphrase
where_are_they 'in the end'
rm -f /etc/keys/lost.key
END
check 'the initramfs is made' in_system update-initramfs -c -k "$release"
truncate --size=2G "$work/root.img"
mkfs.ext4 -q -d "$system" "$work/root.img"
truncate --size=40M "$work"/{data,lost,now}.img
check 'the commands of docs/disk.md work' "$repository/test/vm/boot" --log "$work/recipe.log" \
    --disk "$work/root.img" --disk "$work/data.img" --disk "$work/lost.img" "$tree" \
    sh -euxc 'modprobe --all virtio_blk ext4 dm-mod; mount /dev/vda /mnt; mount --rbind /dev /mnt/dev;'\
' mount --rbind /proc /mnt/proc; mount --rbind /sys /mnt/sys;'\
' DM_DISABLE_UDEV=1 chroot /mnt sh -eux /root/recipe; umount --recursive /mnt'

mkdir -p "$cache/log"
qemu_options=()
# Boots the system: boots NAME-OF-THE-BOOT
boots() {
    console=$cache/log/data-disk-$kernel-$1.log
    check "$1: a machine boots, and powers off" boot_from_disks "$release" "$system/boot/initrd.img-$release" "$console" \
        "$work"/{root,data,lost,now}.img
    check "$1: to a login" grep 'login:' "$console"
    check "$1: the disk is mounted" says 'after the boot, data is on /dev/mapper/data'
    check "$1: its cipher" says 'data is sm4-xts-plain64'
}

# Whether systemd says of the failure what the page does, and of no other
fails_as_told() {
    local unit
    unit=$(grep --only-matching --max-count=1 'systemd-cryptsetup@data\.service' <<<"$section")
    says "degraded ${unit/data/lost}\$" &&
        says "journal: $(sed --quiet 's/^    \(Failed\)/\1/p' <<<"${section//data/lost}")"
}

boots keys
check 'keys: all of the system is well' says running
check 'keys: the other disk is mounted' says 'after the boot, lost is on /dev/mapper/lost'
check 'keys: the third one is mounted at once, by the commands of docs/disk.md' says 'in the end, now is on /dev/mapper/now'

boots no-key
check 'no-key: the other disk is not mounted' says 'after the boot, lost is on nowhere'
check 'no-key: the third one is' says 'after the boot, now is on /dev/mapper/now'
check 'no-key: systemd says what docs/disk.md does, and all else is well' fails_as_told
check 'no-key: the passphrase opens it, by the commands of docs/disk.md' says 'in the end, lost is on /dev/mapper/lost'
end
