#!/bin/bash
# test/vm/data-disk.t KERNEL
#
# TAP: a whole Debian, of the suite that has KERNEL (6.1 or later), opens a data disk by the recipe of docs/disk.md. It boots
# three times: first it formats the disk and runs the commands of the recipe; then it has the disk; and at last, with the key
# file gone, it comes up without the disk, and says what the page says.
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

# The commands of the section's block $1, for the disk /dev/vdb. The system has the packages that it installs.
block() {
    awk -v number="$1" '/^```$/ { inside = 0 } inside && !/^apt-get install /; /^```sh$/ { inside = ++count == number }' \
        <<<"$section" | sed 's|DEVICE|/dev/vdb|'
}
block 1 >"$system/root/recipe"
block 2 >"$system/root/by-hand"

# The commands of the page get the passphrase by the standard input.
printf passphrase >"$system/root/passphrase"
set_up_report <<'END'
cd /root
if ! grep --quiet /dev/mapper/data /etc/fstab; then
    {
        cryptsetup luksFormat --batch-mode --cipher sm4-xts-plain64 --key-size 256 --keyslot-cipher aes-xts-plain64 \
            --keyslot-key-size 512 --key-file passphrase /dev/vdb &&
            cryptsetup open --key-file passphrase /dev/vdb data && mkfs.ext4 -q /dev/mapper/data && cryptsetup close data &&
            sh -ex recipe <passphrase && echo done
    } 2>&1 | sed 's/^/REPORT recipe: /'
    exit
fi
where_it_is() {
    findmnt --noheadings --output SOURCE /srv/data || echo nowhere
}
echo "REPORT $(systemctl is-system-running --wait) $(systemctl list-units --failed --plain --no-legend)"
journalctl --boot --unit systemd-cryptsetup@data --output cat | sed 's/^/REPORT journal: /'
echo "REPORT /srv/data is on $(where_it_is)"
[ -e /dev/mapper/data ] || sh -e by-hand <passphrase
echo "REPORT in the end, /srv/data is on $(where_it_is), with $(cryptsetup status data | sed -n 's/^ *cipher: *//p')"
rm -f /etc/keys/data.key
END
check 'the initramfs is made' in_system update-initramfs -c -k "$release"
truncate --size=2G "$work/root.img"
mkfs.ext4 -q -d "$system" "$work/root.img"
truncate --size=40M "$work/data.img"

mkdir -p "$cache/log"
qemu_options=()
# Boots the system: boots NAME-OF-THE-BOOT
boots() {
    console=$cache/log/data-disk-$kernel-$1.log
    check "$1: a machine boots, and powers off" boot_from_disks "$release" "$system/boot/initrd.img-$release" "$console" \
        "$work"/{root,data}.img
}

# Whether systemd says of the failure what the page does
fails_as_told() {
    says "degraded $(grep --only-matching --max-count=1 'systemd-cryptsetup@data\.service' <<<"$section")" &&
        says "journal: $(sed --quiet 's/^    \(Failed\)/\1/p' <<<"$section")"
}

boots recipe
check 'the commands of docs/disk.md work' says 'recipe: done'

boots key
check 'key: all of the system is well' says running
check 'key: the disk is open and mounted' says '/srv/data is on /dev/mapper/data'
check 'key: its cipher' says 'in the end, .* sm4-xts-plain64'

boots no-key
check 'no-key: to a login' grep 'login:' "$console"
check 'no-key: the disk is not mounted' says '/srv/data is on nowhere'
check 'no-key: systemd says what docs/disk.md does' fails_as_told
check 'no-key: the passphrase opens it, by the commands of docs/disk.md' \
    says 'in the end, /srv/data is on /dev/mapper/data, with sm4-xts-plain64'
end
