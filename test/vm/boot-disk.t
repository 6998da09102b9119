#!/bin/bash
# test/vm/boot-disk.t KERNEL NEWER
#
# TAP: a whole Debian on encrypted disks, with two kernels (6.1 or later). Its root is on sm4-xts, converted from LUKS1, and
# the initramfs also opens a file system on gcm(sm4). systemd opens one on ccm(sm4), and swap and /tmp, by the lines of
# docs/disk.md. All are in /etc/crypttab. The disks are made in a virtual machine, because the machine's own kernel may lack
# SM4. Then another one boots from them, with only kernel and initramfs: first NEWER, which has no module, and prints the
# messages of docs/disk.md; then KERNEL, which has the module, and adds a key in a TPM2 to the volume on ccm(sm4); and NEWER
# again, after a repair in a live system, by the commands of docs/disk.md with packages of the modules. The
# system reports on its console, and powers off. The test also checks the contents of initramfs of initramfs-tools and dracut.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"
# shellcheck source=test/vm/system.sh
source "$(dirname "$0")/system.sh"

[[ $# -eq 2 ]] || fail "usage: boot-disk.t KERNEL NEWER, both 6.1 or later"
page=$repository/docs/disk.md

"$repository/test/need" --root swtpm e2fsprogs git build-essential debhelper kmod >&2
get_tree "$2"
newer_tree=$tree
get_tree "$1"
make_system

# The newer kernel, without the module
newer_release=$(bootable_release "$newer_tree")
exec 7>"$newer_tree.in-use"
flock --shared 7
cp --archive "$newer_tree/lib/modules/$newer_release" "$system/lib/modules"
cp --archive "$newer_tree"/boot/*-"$newer_release" "$system/boot"
rm -rf "$system/lib/modules/$newer_release/updates"
in_system depmod "$newer_release"

# The packages of its modules, on a USB stick for the live system, made in a layer above its tree, for which apt fetches debhelper.
# Stand-ins are there for what they depend on.
fresh_clone "$work/clone"
make_packages() (
    set -e
    mkdir "$work"/builder{,.changes,.overlay}
    mount --types overlay --options "lowerdir=$newer_tree,upperdir=$work/builder.changes,workdir=$work/builder.overlay" \
        overlay "$work/builder"
    trap 'umount "$work/builder"' EXIT
    make --silent --directory="$work/clone" deb
    tar --extract --gzip --directory "$work/builder/srv" --file "$(echo "$work"/clone/dist/sm4-fast-*.tar.gz)"
    # shellcheck disable=SC2030  # the tree of this function only
    tree=$work/builder
    in_tree apt-get update
    in_tree apt-get --yes --no-install-recommends install debhelper
    in_tree sh -euc 'cd /srv/sm4-fast-* && make modules-deb KDIR="/lib/modules/$1/build"' sh "$newer_release"
    cp "$tree"/srv/sm4-fast-*/dist/sm4-fast-modules-"$newer_release"_*.deb "$work/clone/dist"
    make_deb "$system/tmp" "linux-image-$newer_release" 1
    make_deb "$system/tmp" python3 3 'Multi-Arch: allowed'
    in_system dpkg --install "/tmp/linux-image-${newer_release}_1_amd64.deb" /tmp/python3_3_amd64.deb
    mkfs.ext4 -q -d "$work/clone/dist" "$work/stick.img" 20M
)
check 'there are packages of the modules of the newer kernel' make_packages
exec 7>&-

# ---- The system, as its administrator would set it up ----

make --silent --directory="$repository" DESTDIR="$system" install-files

set_up_root /dev/mapper/root
add_volume root luks,initramfs
add_volume gcm luks,initramfs
add_volume ccm luks
cat >>"$system/etc/fstab" <<'END'
/dev/mapper/gcm  /srv/gcm ext4 defaults          0 2
/dev/mapper/ccm  /srv/ccm ext4 defaults          0 2
END
mkdir --parents "$system"/srv/{gcm,ccm}

# The page's lines for swap and /tmp, with the disks that the machine will have
for file in crypttab fstab; do
    sed --quiet "/^\`\`\`$file\$/,/^\`\`\`\$/ { /^\`\`\`/d; /^swap/s|DEVICE|/dev/vdd|; /^tmp/s|DEVICE|/dev/vde|; p }" \
        "$page" >"$work/lines"
    [[ $(wc --lines <"$work/lines") -eq 2 ]] || fail "docs/disk.md does not have two lines of $file"
    cat "$work/lines" >>"$system/etc/$file"
done

# The page's two commands for a key in a TPM2
enrol=$(sed --quiet 's|^\(systemd-cryptenroll --tpm2.*\) DEVICE$|\1 --unlock-key-file=/etc/keys/ccm.key /dev/vdc|p' "$page")
options=$(sed --quiet 's|^echo ".* none \(.*tpm2.*\)" >>/etc/crypttab$|\1|p' "$page")
[[ $(wc --lines <<<"$enrol$options") -eq 1 && -n $enrol && -n $options ]] || fail "docs/disk.md does not tell how to use a TPM2"
cat >"$system/usr/local/bin/use-tpm" <<END
#!/bin/sh -e
$enrol
rm /etc/keys/ccm.key
sed -i 's|^\(ccm .*\) /etc/keys.*|\1 none $options|' /etc/crypttab
END
chmod 755 "$system/usr/local/bin/use-tpm"

set_up_report <<'END'
for name in root gcm ccm swap tmp; do
    echo "REPORT $name is $(cryptsetup status "$name" | sed -n 's/^ *cipher: *//p')"
done
echo "REPORT / is on $(findmnt --noheadings --output SOURCE /)"
for folder in /srv/gcm /srv/ccm; do
    date >"$folder/date" && echo "REPORT $folder is on $(findmnt --noheadings --output SOURCE "$folder")"
done
echo "REPORT /tmp is on $(findmnt --noheadings --output SOURCE /tmp)"
for name in swap tmp; do
    echo "REPORT $name has the key $(dmsetup table --showkeys "$name" | cut --delimiter=' ' --fields=5 | sha256sum)"
done
echo "REPORT swap is used: $(swapon --noheadings --show=TYPE)"
/usr/libexec/sm4-fast/sm4-fast-devices | sed 's/^/REPORT device: /'
echo "REPORT $(systemctl is-system-running --wait) $(systemctl list-units --failed --plain --no-legend)"
if [ -e /etc/keys/ccm.key ]; then
    use-tpm && echo "REPORT in the TPM2: $(cryptsetup luksDump /dev/vdc | grep systemd-tpm2)"
fi
END

# ---- Its initramfs ----

# The module, and the modules for a volume with integrity
has_modules() {
    grep '/sm4[-_]fast\.ko' <<<"$1" && grep '/dm-integrity\.ko' <<<"$1"
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
# Only our module of dracut's, which takes a tenth of the time
check 'dracut makes an initramfs, without a warning' makes_without_warning dracut --quiet --no-hostonly \
    --modules sm4-fast --kver "$release" /tmp/dracut.img
check 'it has the modules' has_modules "$(in_system lsinitrd /tmp/dracut.img)"
mv "$system/boot/initrd.img-$release" "$work/initrd"

# The newer kernel, for which DKMS could not build the module, on a machine that needs it. Only one line shows this here,
# because the disks are not made yet.
{
    cat "$system/etc/crypttab"
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64'
} >"$system/tmp/crypttab"
refuses() {
    local output status=0
    output=$(in_system env TABFILE=/tmp/crypttab "$@" 2>&1) || status=$?
    echo "$output"
    [[ $status -ne 0 && $output == *"sm4-fast: kernel $newer_release has no module sm4-fast for these devices:"*'secret sm4-xts-plain64'* ]]
}
check 'initramfs-tools makes none for a newer kernel without the module' refuses update-initramfs -c -k "$newer_release"
check 'nor does dracut' refuses dracut --no-hostonly --modules sm4-fast --kver "$newer_release" /tmp/dracut-newer.img
keeps_the_module() {
    refuses dracut --force --no-hostonly --modules sm4-fast --kver "$newer_release" /tmp/dracut.img &&
        has_modules "$(in_system lsinitrd /tmp/dracut.img)"
}
check 'dracut does not replace an initramfs that has the module' keeps_the_module
# The administrator says that no device needs it.
touch "$system/run/sm4-fast-not-needed"
check 'told that none is needed, initramfs-tools makes one' in_system update-initramfs -c -k "$newer_release"
rm "$system/run/sm4-fast-not-needed"
cp "$system/boot/initrd.img-$newer_release" "$work/initrd-newer"

# ---- Its disks ----

# /boot is on its own disk, for the live system.
mkfs.ext4 -q -d "$system/boot" "$work/boot.img" 200M
pack_system
tar --append --file "$work/system.tar" --directory "$system" --exclude=build --exclude=source \
    "./usr/lib/modules/$newer_release"
truncate --size=1G "$work/root.img"
truncate --size=40M "$work/gcm.img" "$work/ccm.img"
check 'the disks are made' "$repository/test/vm/boot" --seconds 1800 --log "$work/making.log" --disk "$work/root.img" \
    --disk "$work/gcm.img" --disk "$work/ccm.img" --disk "$work/system.tar" "$tree" \
    test/vm/guest/encrypted-system luks2 gcm ccm

# ---- The boot from them ----

mkdir -p "$cache/log"
console=$cache/log/boot-disk-$kernel.log
newer_console=$cache/log/boot-disk-$kernel-newer.log
repaired_console=$cache/log/boot-disk-$kernel-repaired.log
truncate --size=32M "$work/swap.img" "$work/tmp.img"

# The TPM ends with QEMU; its state stays.
mkdir --parents "$work/tpm"
qemu_options=(-chardev "socket,id=tpm,path=$work/tpm.socket" -tpmdev "emulator,id=tpm,chardev=tpm"
              -device "tpm-crb,tpmdev=tpm")
boot() {
    swtpm socket --tpm2 --tpmstate "dir=$work/tpm" --ctrl "type=unixio,path=$work/tpm.socket" --terminate --daemon 8>&-
    boot_from_disks "$@" "$work"/{root,gcm,ccm,swap,tmp}.img
}

# Each line of the page's console messages of a kernel without the module
does_not_open() {
    local line told
    told=$(sed --quiet '/^If a kernel is booted whose/,/^### /s/^    //p' "$page")
    [[ $(wc --lines <<<"$told") -ge 3 ]] || return
    while IFS= read -r line; do
        tr --delete '\r' <"$newer_console" | grep --fixed-strings --max-count=1 -e "$line" || return
    done <<<"$told"
    ! grep 'login:' "$newer_console"
}

check 'a machine boots the newer kernel, and gives up' boot "$newer_release" "$work/initrd-newer" "$newer_console"
check 'it has opened nothing, and says so as docs/disk.md does' does_not_open

check 'it boots the kernel before, and powers off' boot "$release" "$work/initrd" "$console"
check 'to a login' grep --quiet 'login:' "$console"
check 'its root is on sm4-xts, opened in the initramfs' says '/ is on /dev/mapper/root'
check 'the cipher of its root' says 'root is sm4-xts-plain64'
check 'the cipher of what else the initramfs opens' says 'gcm is sm4-gcm-random'
check 'it can be written to' says '/srv/gcm is on /dev/mapper/gcm'
check 'the cipher of what systemd opens' says 'ccm is sm4-ccm-random'
check 'it can be written to' says '/srv/ccm is on /dev/mapper/ccm'
check 'the cipher of swap' says 'swap is sm4-xts-plain64'
check 'it is used' says 'swap is used: partition'
check 'the cipher of /tmp' says 'tmp is sm4-xts-plain64'
check 'it is mounted' says '/tmp is on /dev/mapper/tmp'
check 'sm4-fast-devices knows its root' says 'device: root sm4-xts-plain64'
check 'and what else is open' says 'device: gcm capi:gcm(sm4)-random'
check 'all of the system is well' says running
check 'the TPM2 gets a key of what systemd opens, by the words of docs/disk.md' says 'in the TPM2: *[0-9]: systemd-tpm2'

# Swap and /tmp, in the console of another boot from the same disks
has_anew() {
    local report name first second
    for report in 'swap is sm4-xts-plain64' 'swap is used: partition' 'tmp is sm4-xts-plain64' \
        '/tmp is on /dev/mapper/tmp'; do
        says "$report" "$1" || return
    done
    for name in swap tmp; do
        first=$(says "$name has the key [0-9a-f]\{64\}") && second=$(says "$name has the key [0-9a-f]\{64\}" "$1") || return
        printf '%s\n' "$first" "$second"
        [[ $first != "$second" ]] || return
    done
}

# ---- The repair in a live system, which is the root tree ----

check 'a live system repairs the newer kernel by the words of docs/disk.md' "$repository/test/vm/boot" --seconds 1200 \
    --log "$work/repair.log" --disk "$work/root.img" --disk "$work/boot.img" --disk "$work/stick.img" \
    --disk "$system/etc/keys/root.key" "$tree" test/vm/guest/live-system "$newer_release"
debugfs -R "dump /initrd.img-$newer_release $work/initrd-repaired" "$work/boot.img" 2>&1 | comment
check 'the newer kernel boots, and powers off' boot "$newer_release" "$work/initrd-repaired" "$repaired_console"
check 'its root is on sm4-xts' says 'root is sm4-xts-plain64' "$repaired_console"
check 'swap and /tmp have another key' has_anew "$repaired_console"
check 'the TPM2 opens what systemd does' says 'ccm is sm4-ccm-random' "$repaired_console"
check 'all of the system is well' says running "$repaired_console"
end
