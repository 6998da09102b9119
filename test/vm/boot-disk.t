#!/bin/bash
# test/vm/boot-disk.t KERNEL
#
# A whole Debian on encrypted disks, with one of its kernels (6.1, 6.12, 7.2, 7.3), as TAP: its root is on sm4-xts, and a
# file system on gcm(sm4) is needed early as well: the initramfs opens both. One on ccm(sm4) is opened by systemd. All
# three are in /etc/crypttab. The disks are made in a virtual machine, since the machine's own kernel may know no SM4;
# then another one boots from them with nothing else than kernel and initramfs. The system says on its console what it
# has, and powers off. What initramfs-tools and dracut put into an initramfs is looked at, too.
set -euo pipefail
# shellcheck source=test/vm/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: boot-disk.t 6.1|6.12|7.2|7.3"
kernel=$1
count=0

comment() {
    sed 's/^/# /'
}

# The result of a command, and what it has to say
check() {
    local name=$1 output
    shift
    count=$((count + 1))
    if output=$("$@" 2>&1); then
        echo "ok - kernel $kernel: $name"
    else
        echo "not ok - kernel $kernel: $name"
    fi
    [[ -z $output ]] || comment <<<"$output"
}

status=0
tree=$("$repository/test/vm/root-tree" "$kernel") || status=$?
if [[ $status -eq $suite_gone ]]; then
    echo '1..0 # SKIP the archive no longer has the suite of this kernel'
    exit
fi
[[ $status -eq 0 ]]
original=$("$repository/test/vm/system-tree" "$tree")
# One user of a tree at a time: the module is installed in it.
exec 8>"$tree.in-use"
flock 8
release=$(bootable_release "$tree")
"$repository/test/vm/build" "$tree" "$release"

work=$(mktemp --directory)
trap 'rm -rf --one-file-system "$work"' EXIT
system=$work/system
cp --archive "$original" "$system"
mkdir --parents "$system/lib/modules"
cp --archive "$tree/lib/modules/$release" "$system/lib/modules"
cp --archive "$tree"/boot/*-"$release" "$system/boot"

in_system() {
    unshare --mount --pid --fork --mount-proc="$system/proc" chroot "$system" "$@"
}

# ---- The system, as its administrator would set it up ----

make --silent --directory="$repository" DESTDIR="$system" install-files

# A small initramfs: no module that is not asked for
echo 'MODULES=list' >"$system/etc/initramfs-tools/conf.d/modules"
printf '%s\n' virtio_pci virtio_blk ext4 >"$system/etc/initramfs-tools/modules"
# The keys of what the initramfs opens are in it.
echo 'UMASK=0077' >"$system/etc/initramfs-tools/conf.d/umask"
echo 'KEYFILE_PATTERN=/etc/keys/*.key' >>"$system/etc/cryptsetup-initramfs/conf-hook"
mkdir --mode=700 "$system/etc/keys"
for name in root gcm ccm; do
    (umask 377 && head --bytes=32 /dev/urandom >"$system/etc/keys/$name.key")
    options=luks,initramfs
    if [[ $name == ccm ]]; then options=luks; fi
    echo "$name UUID=$(</proc/sys/kernel/random/uuid) /etc/keys/$name.key $options"
done >"$system/etc/crypttab"
cat >"$system/etc/fstab" <<'END'
/dev/mapper/root /        ext4 errors=remount-ro 0 1
/dev/mapper/gcm  /srv/gcm ext4 defaults          0 2
/dev/mapper/ccm  /srv/ccm ext4 defaults          0 2
END
mkdir --parents "$system"/srv/{gcm,ccm}

cat >"$system/usr/local/bin/report" <<'END'
#!/bin/sh
for name in root gcm ccm; do
    echo "REPORT $name is $(cryptsetup status "$name" | sed -n 's/^ *cipher: *//p')"
done
echo "REPORT / is on $(findmnt --noheadings --output SOURCE /)"
for folder in /srv/gcm /srv/ccm; do
    date >"$folder/date" && echo "REPORT $folder is on $(findmnt --noheadings --output SOURCE "$folder")"
done
/usr/libexec/sm4-fast/warn-users removal | sed 's/^    /REPORT removal: /'
echo "REPORT $(systemctl is-system-running) $(systemctl list-units --failed --plain --no-legend)"
systemctl poweroff
END
chmod 755 "$system/usr/local/bin/report"
cat >"$system/etc/systemd/system/report.service" <<'END'
[Service]
Type=idle
ExecStart=/usr/local/bin/report
StandardOutput=tty
TTYPath=/dev/ttyS0
[Install]
WantedBy=multi-user.target
END
in_system systemctl --quiet enable report.service

# ---- Its initramfs ----

# The module, and what it takes for a volume with integrity
has_modules() {
    grep '/sm4-fast\.ko' <<<"$1" && grep '/dm-integrity\.ko' <<<"$1"
}

# For a kernel that has the module
makes_without_warning() {
    local output status=0
    output=$(in_system "$@" 2>&1) || status=$?
    echo "$output"
    [[ $status -eq 0 && $output != *'no module sm4-fast'* ]]
}

check 'initramfs-tools makes an initramfs, without a warning' makes_without_warning update-initramfs -c -k "$release"
check 'it has the modules' has_modules "$(in_system lsinitramfs "/boot/initrd.img-$release")"
# Of dracut's modules only ours, which takes a tenth of the time
check 'dracut makes an initramfs, without a warning' makes_without_warning dracut --quiet --no-hostonly \
    --modules sm4-fast --kver "$release" /tmp/dracut.img
check 'it has the modules' has_modules "$(in_system lsinitrd /tmp/dracut.img)"
mv "$system/boot/initrd.img-$release" "$work/initrd"

# A kernel that DKMS could not build the module for, on a machine that needs it
warns() {
    local output
    output=$(in_system env TABFILE=/tmp/crypttab "$@" 2>&1) || return
    grep "sm4-fast: Kernel $release has no module sm4-fast" <<<"$output" && grep 'secret sm4-xts-plain64' <<<"$output"
}
echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$system/tmp/crypttab"
mv "$system/lib/modules/$release/updates" "$work/updates"
in_system depmod "$release"
check 'initramfs-tools warns of a kernel without the module' warns update-initramfs -c -k "$release"
check 'so does dracut' warns dracut --force --no-hostonly --modules sm4-fast --kver "$release" /tmp/dracut.img
mv "$work/updates" "$system/lib/modules/$release/updates"
in_system depmod "$release"

# ---- Its disks ----

tar --create --file "$work/system.tar" --directory "$system" --exclude=./tmp/* --exclude=./usr/lib/modules/* .
truncate --size=700M "$work/root.img"
truncate --size=40M "$work/gcm.img" "$work/ccm.img"
check 'the disks are made' "$repository/test/vm/boot" --seconds 1800 --log "$work/making.log" --disk "$work/root.img" \
    --disk "$work/gcm.img" --disk "$work/ccm.img" --disk "$work/system.tar" "$tree" test/vm/guest/encrypted-system

# ---- The boot from them ----

mkdir -p "$cache/log"
console=$cache/log/boot-disk-$kernel.log
accelerator=$("$repository/test/vm/accelerator" "$tree")
processor=max
if [[ $accelerator == kvm ]]; then processor=host; fi
boot_from_disks() {
    timeout --kill-after=5 1800 qemu-system-x86_64 -accel "$accelerator" -cpu "$processor" -smp 2 -m 1G -nographic \
        -no-reboot -monitor none -nic none -kernel "$tree/boot/vmlinuz-$release" -initrd "$work/initrd" \
        -append 'root=/dev/mapper/root console=ttyS0 panic=1' \
        -drive "if=virtio,format=raw,file=$work/root.img" -drive "if=virtio,format=raw,file=$work/gcm.img" \
        -drive "if=virtio,format=raw,file=$work/ccm.img" </dev/null >"$console" 2>&1
}

says() {
    tr --delete '\r' <"$console" | grep --only-matching "REPORT $1"
}

check 'a machine boots from them, and powers off' boot_from_disks
check 'to a login' grep --quiet 'login:' "$console"
check 'its root is on sm4-xts, opened in the initramfs' says '/ is on /dev/mapper/root'
check 'the cipher of its root' says 'root is sm4-xts-plain64'
check 'the cipher of what else the initramfs opens' says 'gcm is sm4-gcm-random'
check 'it can be written to' says '/srv/gcm is on /dev/mapper/gcm'
check 'the cipher of what systemd opens' says 'ccm is sm4-ccm-random'
check 'it can be written to' says '/srv/ccm is on /dev/mapper/ccm'
check 'the warning of a removal knows its root' \
    says 'removal: root sm4-xts-plain64, which the root file system is on'
check 'and what else is open' says 'removal: gcm capi:gcm(sm4)-random'
check 'all of the system is well' says running
echo "1..$count"
