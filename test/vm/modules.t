#!/bin/bash
# test/vm/modules.t KERNEL
#
# TAP: a whole Debian whose root and data disk are on sm4-xts, of the suite that has KERNEL (6.1 or later), gets the modules in
# packages: it has no compiler, no make, no DKMS and no headers. One command of apt installs them from the repository of "make
# release", whose modules another layer builds, the machine that builds; and the system boots. Then the archive has a newer kernel,
# for which the repository has no modules: apt keeps it back, and installs another update. Then the repository has its modules,
# too, apt installs both, and the system boots the newer kernel. In each boot, all units run, the data disk is mounted,
# sm4-fast-info finds no problem, and the commands of docs/ipsec.md make a tunnel. The kernels are those of Debian, from the cache
# of the tree (test/vm/system-tree --dkms); debhelper is fetched for the machine that builds.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"
# shellcheck source=test/vm/system.sh
source "$(dirname "$0")/system.sh"

[[ $# -eq 1 ]] || fail "usage: modules.t KERNEL, 6.1 or later"

"$repository/test/need" --root e2fsprogs git build-essential debhelper kmod rpm apt-utils createrepo-c >&2
get_tree "$1"
make_layers

# The version of an installed package
version_of() {
    # shellcheck disable=SC2016  # dpkg-query expands it
    in_system dpkg-query --show --showformat='${Version}' "$1"
}

# ---- The machine that builds ----

fresh_clone "$work/clone"
git -C "$work/clone" add --all
git -C "$work/clone" -c user.name=test -c user.email=test@localhost commit --quiet --allow-empty --message=test
mount_layer builder "$original"
old=$(bootable_release "$system")
old_version=$(version_of "linux-image-$old")
gets_debhelper() {
    in_system apt-get update && in_system apt-get --yes --no-install-recommends install build-essential debhelper
}
check 'the machine that builds gets what builds packages' gets_debhelper
# Its cache no longer has this package as it was for the older kernel.
make_deb "$system/srv" linux-headers-amd64 "$old_version" "Depends: linux-headers-$old" | comment
in_system dpkg --install "/srv/linux-headers-amd64_${old_version}_amd64.deb" 2>&1 | comment
make --silent --directory="$work/clone" package-sources
tar --extract --gzip --directory "$system/srv" --file "$(echo "$work"/clone/dist/sm4-fast-*.tar.gz)"
sources=/$(cd "$system" && echo srv/sm4-fast-*)

# Makes a release with the modules of the kernel $2 as well in the folder $work/$1.
make_release() {
    in_system make --silent --directory="$sources" modules-deb KDIR="/lib/modules/$2/build" &&
        make --silent --directory="$work/clone" release UNSIGNED=yes PACKAGES="$system$sources/dist/sm4-fast-modules-*.deb" &&
        cp --recursive "$work/clone/dist/release" "$work/$1"
}
check "a release has the modules of kernel $old" make_release first "$old"
check 'it gets the headers of a newer kernel' apt_in_system install linux-headers-amd64
new=$(find "$system/lib/modules" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort --version-sort | tail --lines=1)
check "the next release also has the modules of kernel $new" make_release second "$new"
umount "$system"
version=$(dpkg-deb --field "$work"/first/apt/sm4-fast_*.deb Version)

# ---- The system ----

mount_layer packaged "$original"
remove_from_system() {
    tree=$system remove_compiler
}
check 'it has no compiler, no make, no DKMS and no headers' remove_from_system
set_up_layer
in_system update-initramfs -c -k "$old" 2>&1 | comment

# The archive, and our repository, whose folders are named as docs/install.md does
archive=$system/tmp/archive
mkdir "$archive"
: >"$system/etc/apt/sources.list"
rm -f "$system"/etc/apt/sources.list.d/*
cat >"$system/etc/apt/sources.list.d/archive.sources" <<END
Types: deb
URIs: file:/tmp/archive
Suites: ./
Trusted: yes

Types: deb
URIs: file:/tmp/release/apt
Suites: ./
Trusted: yes
END

# Publishes what is in the archive, and the release $1.
publish() {
    rm -rf "$system/tmp/release"
    cp --recursive "$work/$1" "$system/tmp/release"
    (cd "$archive" && apt-ftparchive packages . >Packages)
    apt_in_system update --option APT::Update::Error-Mode=any
}

# The cache no longer has this package as it was for the older kernel.
make_deb "$archive" linux-image-amd64 "$old_version" "Depends: linux-image-$old" | comment
check 'the archive has the older kernel, and the repository its modules' publish first
check 'apt installs the package that brings new kernels' apt_in_system install linux-image-amd64
check 'one command of apt installs the modules' apt_in_system install sm4-fast-modules-amd64 sm4-fast-ipsec
check 'the kernel and its initramfs have them' each_has "$version" "$old"
make_disks
works installed "$old" "$version"

# ---- A newer kernel ----

cp "$original"/var/cache/apt/archives/linux-image-{amd64,"$new"}_*.deb "$archive"
make_deb "$archive" hostname 99 | comment
check 'the archive has a newer kernel, and another update' publish first

# Whether apt installs only the other update, and removes nothing
keeps_back() {
    apt_in_system "$@" && [[ $(bootable_release "$system") == "$old" && $(version_of hostname) == 99 ]] &&
        version_of sm4-fast-modules-amd64
}
check 'apt upgrade keeps it back, and installs the other' keeps_back upgrade --with-new-pkgs
check 'so does apt full-upgrade' keeps_back full-upgrade

check 'the repository has its modules' publish second
installs_both() {
    local output status=0
    output=$(apt_in_system upgrade --with-new-pkgs 2>&1) || status=$?
    echo "$output"
    [[ $status -eq 0 && $output != *'W: sm4-fast'* && $(bootable_release "$system") == "$new" ]]
}
check 'apt upgrade installs both, without a warning' installs_both
check 'each kernel and each initramfs has the modules' each_has "$version" "$old" "$new"
make_disks
works newer "$new" "$version"
end
