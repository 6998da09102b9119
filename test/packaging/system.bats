#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/system.bats
#
# The module on a clean Debian with the kernel KERNEL (test/vm/root-tree --clean), from installing its package to
# purging it, with a boot of the old kernel and one of the new; then the other ways to install it. Each test continues where
# the previous one has stopped. Nothing is downloaded: the packages are in the tree's cache.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    local status=0 clean
    clean=$("$repository/test/vm/root-tree" --clean "$KERNEL") || status=$?
    if [[ $status -eq $not_in_archive ]]; then
        skip "the archive no longer has the suite of kernel $KERNEL"
    fi
    [[ $status -eq 0 ]]
    mount_above "$clean"
    releases=("$tree"/lib/modules/*)
    export old=${releases[0]##*/}

    fresh_clone "$tree/srv/clone"
    make --directory="$tree/srv/clone" deb
}

teardown_file() {
    unmount_above
}

# Runs apt in the tree, without a network. INITRD=No: the virtual machine has its own initramfs.
apt_in_tree() {
    in_tree unshare --net env INITRD=No DEBIAN_FRONTEND=noninteractive apt-get --yes --no-install-recommends \
        --option Dpkg::Options::=--force-unsafe-io "$@"
}

# The kernel releases for which DKMS has installed the version $1
dkms_installed() {
    in_tree dkms status | sed --quiet "s|^sm4-fast/$1, \([^,]*\), x86_64: installed$|\1|p"
}

# The file of the module that modprobe finds for the kernel release $1
module_info() {
    in_tree modinfo --set-version="$1" --field="$2" sm4-fast
}

boots_with() {
    "$repository/test/vm/boot" --seconds 300 "$tree" test/vm/guest/installed "$1"
}

newest_release() {
    in_tree linux-version list | in_tree linux-version sort | tail --lines=1
}

# Runs make for the tree's newest kernel: the running one is not the tree's.
make_in_tree() {
    in_tree make --directory=/srv/clone KDIR="/lib/modules/$(newest_release)/build" "$@"
}

nothing_is_left() {
    find "$tree/usr" "$tree/etc" "$tree/lib/modules" "$tree/var/lib" -name '*sm4[-_]fast*' >"$BATS_TEST_TMPDIR/left"
    grep --recursive --files-with-matches sm4_fast "$tree"/lib/modules/*/modules.* >>"$BATS_TEST_TMPDIR/left" || true
    cat "$BATS_TEST_TMPDIR/left"
    [[ ! -s $BATS_TEST_TMPDIR/left ]]
}

@test "$KERNEL: a clean system has no files of it" {
    nothing_is_left
    [[ $(newest_release) == "$old" ]]
}

@test "$KERNEL: apt installs the package, and DKMS builds the module" {
    apt_in_tree install "/srv/clone/dist/sm4-fast-dkms_${version}_all.deb"
    in_tree dkms status
    [[ $(dkms_installed "$version") == "$old" ]]
    [[ $(module_info "$old" version) == "$version" ]]
    [[ $(module_info "$old" signer) == 'DKMS module signing key' ]]
}

@test "$KERNEL: make install and make dkms keep the files that the package has installed" {
    for target in install uninstall dkms dkms-uninstall; do
        run make_in_tree $target
        [[ $status -ne 0 && $output == *"installed as a package"* ]]
    done
    [[ $(dkms_installed "$version") == "$old" && -x $tree/usr/bin/sm4-fast-info ]]
}

@test "$KERNEL: it works after a boot" {
    boots_with "$version"
}

@test "$KERNEL: a new kernel gets the module when it is installed" {
    apt_in_tree install linux-image-amd64 linux-headers-amd64
    new=$(newest_release)
    [[ $new != "$old" ]]
    in_tree dkms status
    [[ $(dkms_installed "$version" | sort) == $(printf '%s\n' "$old" "$new" | sort) ]]
    [[ $(module_info "$new" version) == "$version" ]]
}

@test "$KERNEL: the module is removed together with the old kernel" {
    apt_in_tree purge "linux-image-$old" "linux-headers-$old"
    [[ $(dkms_installed "$version") == "$(newest_release)" ]]
    [[ -z $(find "$tree/lib/modules/$old" -name 'sm4-fast*') ]]
}

@test "$KERNEL: it works after a boot of the new kernel" {
    boots_with "$version"
}

@test "$KERNEL: apt purges the package, and nothing is left" {
    apt_in_tree purge sm4-fast-dkms
    nothing_is_left
}

@test "$KERNEL: make install and make uninstall" {
    make_in_tree install
    [[ $(module_info "$(newest_release)" version) == "$version" ]]
    make_in_tree uninstall
    nothing_is_left
}

@test "$KERNEL: make dkms, also of a later version that cannot be built at first, and make dkms-uninstall" {
    make_in_tree dkms
    # Again: it replaces itself.
    make_in_tree dkms
    [[ $(dkms_installed "$version") == "$(newest_release)" ]]
    [[ $(module_info "$(newest_release)" version) == "$version" ]]
    # A later version that cannot be built, and then can
    make_later "$tree/srv/clone"
    echo '#error' >>"$tree/srv/clone/sm4-fast-core.h"
    run ! make_in_tree dkms
    [[ $output == *"kernel $(newest_release) keeps version $version, because THE BUILD FAILED"* ]]
    [[ $(module_info "$(newest_release)" version) == "$version" ]]
    sed --in-place '$d' "$tree/srv/clone/sm4-fast-core.h"
    # While the headers are not there, the kernel keeps its version, and DKMS needs that version's sources.
    mv "$tree/lib/modules/$(newest_release)/build" "$tree/tmp"
    make_in_tree dkms KDIR="/usr/src/linux-headers-$(newest_release)"
    mv "$tree/tmp/build" "$tree/lib/modules/$(newest_release)"
    [[ $(dkms_installed "$version") == "$(newest_release)" ]]
    in_tree test -e "/var/lib/dkms/sm4-fast/$version/source/dkms.conf"
    make_in_tree dkms
    [[ $(dkms_installed "$version.1") == "$(newest_release)" ]]
    [[ $(module_info "$(newest_release)" version) == "$version.1" ]]
    [[ $(echo "$tree"/usr/src/sm4-fast-*) == "$tree/usr/src/sm4-fast-$version.1" ]]
    # Also if the installed sources have lost the script
    rm "$tree/usr/src/sm4-fast-$version.1/install-by-dkms"
    run -0 make_in_tree dkms-uninstall
    # There is no initramfs.
    [[ $output != *'regenerate it'* ]]
    nothing_is_left
}
