#!/bin/bash
# test/vm/upgrade.t KERNEL
#
# TAP: a whole Debian whose root and data disk are on sm4-xts, of the suite that has KERNEL (6.1 or later), with our packages
# for DKMS, is upgraded. First it gets a new kernel from apt: image and headers at once, the headers first, and the image
# first, which is refused until the headers are there. Each time, the initramfs of that kernel has the module. The last one is
# booted, and the commands of docs/ipsec.md make a tunnel. Then it gets a later version of our packages: it is booted as it is if
# the power fails after dpkg has unpacked them, and again after dpkg has configured them. In each boot, all units run, sm4-fast-info
# finds no problem, and there is the tunnel. Last, apt is not allowed to purge the packages, and
# both kernels still boot. (modules.t does without DKMS.) Nothing is downloaded: the packages are in the cache of the tree
# (test/vm/system-tree --dkms).
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"
# shellcheck source=test/vm/system.sh
source "$(dirname "$0")/system.sh"

[[ $# -eq 1 ]] || fail "usage: upgrade.t KERNEL, 6.1 or later"

"$repository/test/need" --root e2fsprogs git >&2
get_tree "$1"
make_layers

# ---- The system, as it is when the new kernel comes ----

fresh_clone "$work/clone"
check 'the packages are made' make --silent --directory="$work/clone" deb
version=$(dpkg-deb --field "$work"/clone/dist/sm4-fast-dkms_*.deb Version)
make_later "$work/clone"
check 'so are those of a later version' make --silent --directory="$work/clone" deb
packages=("/srv/sm4-fast"{,-dkms,-ipsec}"_${version}_all.deb")
later=("/srv/sm4-fast"{,-dkms,-ipsec}"_$version.1_all.deb")
mount_layer before "$original"
old=$(bootable_release "$system")
set_up_layer
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
# Its initramfs would lack the module: its configuration fails, and goes on when the headers are there.
is_refused() {
    local output status=0
    output=$(new_kernel linux-image-amd64 2>&1) || status=$?
    echo "$output"
    [[ $status -ne 0 && $output == *'E: sm4-fast: kernel '*' has no module sm4-fast for these devices:'* ]]
}
check 'a new kernel without headers is not configured' is_refused
headers_then_kernel() {
    new_kernel linux-headers-amd64 || in_system dpkg --configure --pending
}
check 'with its headers, it is' headers_then_kernel
check 'its initramfs has the module' has_module
new=$(bootable_release "$system")

make_disks
works new-kernel "$new" "$version"
umount "$system"

# ---- A later version of the package ----

mount_layer upgraded "$work/image-first" "$work/before" "$original"
check 'dpkg unpacks the later version, and the power fails' in_system dpkg --unpack "${later[@]}"
make_disks
works unpacked "$new" "$version"

check 'dpkg configures it' in_system dpkg --configure --pending
check 'each kernel and each initramfs has the later version' each_has "$version.1" "$old" "$new"
make_disks
works configured "$new" "$version.1"

# ---- The package cannot be purged, as the root needs it ----

purge_is_refused() {
    local output status=0
    output=$(apt_in_system purge sm4-fast-ipsec sm4-fast-dkms sm4-fast 2>&1) || status=$?
    echo "$output"
    [[ $status -ne 0 && $output == *'sm4-fast: NOT REMOVED'* ]]
}
check 'apt purge is refused' purge_is_refused
check 'each initramfs is regenerated' in_system update-initramfs -u -k all
check 'each kernel and each initramfs has the module' each_has "$version.1" "$old" "$new"
make_disks
boots refused "$new" "$version.1"
boots refused-older "$old" "$version.1"
end
