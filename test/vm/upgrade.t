#!/bin/bash
# test/vm/upgrade.t KERNEL
#
# TAP: a whole Debian whose root is on sm4-xts in LUKS1, of the suite that has KERNEL (6.1 or later), with our package, is
# upgraded. First it gets a new kernel from apt: image and headers at once, the headers first, and the image first. Each time,
# the initramfs of that kernel has the module. With the image first, the initramfs is made before DKMS builds the module; so
# this one is booted, and the commands of docs/ipsec.md make a tunnel. Then it gets a later version of our package: it is
# booted as it is if the power fails after dpkg has unpacked the package, and again after dpkg has configured it. In each boot,
# all units run, and there is the tunnel; only after the power cut does sm4-fast-info give advice. Last, apt purges the package,
# and both kernels still boot. Nothing is downloaded: the packages are in the cache of the tree (test/vm/system-tree --dkms).
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"
# shellcheck source=test/vm/system.sh
source "$(dirname "$0")/system.sh"

[[ $# -eq 1 ]] || fail "usage: upgrade.t KERNEL, 6.1 or later"

"$repository/test/need" --root e2fsprogs git >&2
get_tree "$1"
original=$("$repository/test/vm/system-tree" --dkms "$tree")
# Lock both trees: nobody may replace the one, or build the module in the other.
exec 7>"$original.in-use" 8>"$tree.in-use"
flock --shared 7
flock 8
"$repository/test/vm/build" "$tree" "$(bootable_release "$tree")"

work=$(mktemp --directory)
clean_up() {
    if mountpoint --quiet "$system"; then umount "$system"; fi
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
system=$work/system
mkdir "$system"

# Mounts the system as a layer above the named folders, of which the first is the uppermost. Changes are in the folder NAME:
#
#     mount_layer NAME FOLDER...
mount_layer() {
    local below
    below=$(IFS=:; echo "${*:2}")
    mkdir "$work/$1" "$work/$1.overlay"
    mount --types overlay --options "lowerdir=$below,upperdir=$work/$1,workdir=$work/$1.overlay" overlay "$system"
}

# apt in the system, without a network
apt_in_system() {
    in_system unshare --net env DEBIAN_FRONTEND=noninteractive apt-get --yes --option Dpkg::Options::=--force-unsafe-io "$@"
}

# ---- The system, as it is when the new kernel comes ----

fresh_clone "$work/clone"
check 'the packages are made' make --silent --directory="$work/clone" deb
version=$(dpkg-deb --field "$work"/clone/dist/sm4-fast-dkms_*.deb Version)
make_later "$work/clone"
check 'so are those of a later version' make --silent --directory="$work/clone" deb
packages=("/srv/sm4-fast"{,-dkms}"_${version}_all.deb")
later=("/srv/sm4-fast"{,-dkms}"_$version.1_all.deb")
mount_layer before "$original"
old=$(bootable_release "$system")
set_up_root /dev/mapper/root
add_volume root luks,initramfs
set_up_report <<'END'
echo "REPORT kernel $(uname --kernel-release)"
echo "REPORT root is $(cryptsetup status root | sed -n 's/^ *\(type\|cipher\): *//p' | paste --serial)"
echo "REPORT version $(cat /sys/module/sm4_fast/version)"
echo "REPORT $(systemctl is-system-running --wait) $(systemctl list-units --failed --plain --no-legend)"
information=$(sm4-fast-info --no-speed 2>&1) && echo 'REPORT sm4-fast-info advises nothing'
echo "$information" | sed 's/^/REPORT information: /'
/srv/play /srv/tunnel.md 2>&1 | sed 's/^/REPORT tunnel: /'
END
cp "$repository/test/docs/play" "$system/srv"
# The rest of the page unloads the module, which the root file system uses.
sed '/^## Algorithms$/,$d' "$repository/docs/ipsec.md" >"$system/srv/tunnel.md"
in_system update-initramfs -c -k "$old" 2>&1 | comment
cp "$work"/clone/dist/*.deb "$system/srv"
check 'apt installs them' apt_in_system install "${packages[@]}"
umount "$system"

# ---- The new kernel ----

# Checks that there is a new kernel, and that its initramfs has the module.
has_module() {
    new=$(bootable_release "$system")
    [[ $new != "$old" ]] && in_system lsinitramfs "/boot/initrd.img-$new" | grep '/sm4-fast\.ko'
}

# Runs apt for each argument, a list of packages.
new_kernel() {
    local list
    for list in "$@"; do
        # shellcheck disable=SC2086  # a list
        apt_in_system install $list || return
    done
}

mount_layer at-once "$work/before" "$original"
check 'a new kernel comes with its headers' new_kernel 'linux-image-amd64 linux-headers-amd64'
check 'its initramfs has the module' has_module
umount "$system"

mount_layer headers-first "$work/before" "$original"
check 'a new kernel comes after its headers' new_kernel linux-headers-amd64 linux-image-amd64
check 'its initramfs has the module' has_module
umount "$system"

mount_layer image-first "$work/before" "$original"
check 'a new kernel comes before its headers' new_kernel linux-image-amd64 linux-headers-amd64
check 'its initramfs has the module' has_module
new=$(bootable_release "$system")

mkdir -p "$cache/log"
qemu_options=()

tunnel_works() {
    says 'tunnel: 1\.\.[1-9]' && says 'tunnel: ok .* ping .*' && ! says 'tunnel: \(not ok\|#\).*'
}

# Makes the disk of the system.
make_disk() {
    pack_system
    # Of the drivers of devices, the initramfs has those that the machine needs, and the tunnel needs one.
    tar --append --file "$work/system.tar" --directory "$system" --exclude=drivers ./usr/lib/modules
    (cd "$system" && shopt -s nullglob &&
        tar --append --file "$work/system.tar" ./usr/src/sm4-fast-* "./usr/lib/modules/$new"/kernel/drivers/net/veth.ko*)
    rm -f "$work/root.img"
    truncate --size=1500M "$work/root.img"
    check "the disk is made" "$repository/test/vm/boot" --seconds 1800 --log "$work/making.log" \
        --disk "$work/root.img" --disk "$work/system.tar" "$tree" test/vm/guest/encrypted-system luks1
}

# Boots the kernel $2, which is to have the version $3 of the module in its initramfs; $1 is the boot's name.
boots() {
    console=$cache/log/upgrade-$kernel-$1.log
    check "$1: a machine boots" boot_from_disks "$2" "$system/boot/initrd.img-$2" "$console" "$work/root.img"
    check "$1: it is kernel $2" says "kernel $2"
    check "$1: its root is on sm4-xts in LUKS1" says 'root is LUKS1.*sm4-xts-plain64'
    check "$1: opened by version $3" says "version $3\$"
    check "$1: all of the system is well" says running
}

# Boots the new kernel of the system; sm4-fast-info advises $3.
works() {
    make_disk
    boots "$1" "$new" "$2"
    check "$1: sm4-fast-info advises $3" says "\(sm4-fast-info advises\|information: *>\) $3\$"
    check "$1: the tunnel of docs/ipsec.md works" tunnel_works
}

works new-kernel "$version" nothing
umount "$system"

# ---- A later version of the package ----

mount_layer upgraded "$work/image-first" "$work/before" "$original"
check 'dpkg unpacks the later version, and the power fails' in_system dpkg --unpack "${later[@]}"
works unpacked "$version" 'sudo dpkg --configure --pending'

# The version of the module in the initramfs of the kernel $1
version_in_initramfs() {
    rm -rf "$system/tmp/initramfs"
    in_system unmkinitramfs "/boot/initrd.img-$1" /tmp/initramfs
    find "$system/tmp/initramfs" -name 'sm4-fast.ko*' -exec modinfo --field version {} +
}
each_has_later() {
    local release
    for release in "$old" "$new"; do
        [[ $(in_system modinfo -k "$release" -F version sm4-fast) == "$version.1" ]] || return
        [[ $(version_in_initramfs "$release") == "$version.1" ]] || return
    done
}
check 'dpkg configures it' in_system dpkg --configure --pending
check 'each kernel and each initramfs has the later version' each_has_later
works configured "$version.1" nothing

# ---- The package is purged, although the root needs it ----

# The device of the root is not here: this line shows that one needs the module.
purges() {
    { cat "$system/etc/crypttab" && echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64'; } >"$system/tmp/crypttab"
    TABFILE=/tmp/crypttab apt_in_system purge sm4-fast-dkms sm4-fast
}
check 'apt purges the package, and dpkg regenerates the newest initramfs' purges
check 'each kernel and each initramfs has the module' each_has_later
check 'each initramfs is regenerated' in_system update-initramfs -u -k all
check 'each kernel and each initramfs has the module' each_has_later
make_disk
boots purged "$new" "$version.1"
boots purged-older "$old" "$version.1"
end
