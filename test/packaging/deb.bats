#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/deb.bats
#
# The Debian packages as dpkg installs and upgrades them on a machine with several kernels, by the DKMS of the suite that
# has KERNEL, in a layer above that suite's root tree; and what DKMS makes of them when one more kernel is installed. Leaves
# the machine's own packages alone.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    wants KERNEL 6.12
    "$repository/test/need" make git kmod
    mount_above_kernel
    # One that is kept to fall back on, and one that is newer, whose headers are of no use to a compiler
    export older=$KERNEL.0-1-amd64 newer=$KERNEL.999-amd64
    add_kernel "$older"
    pretend_to_run_its_kernel
    fresh_clone "$work/clone"
    cd "$work/clone" || exit
    make deb
    sed --in-place "s/^MODULE_VERSION(.*/MODULE_VERSION(\"$version.1\");/" sm4-fast-glue.c
    sed --in-place "1s/($version)/($version.1)/" debian/changelog
    make deb
    cp dist/*.deb "$tree/srv"
}

teardown_file() {
    unmount_above
}

# dpkg --install of the package $1 of version $2; the tree has a kernel's source without the package that names the newest.
dpkg_install() {
    in_tree dpkg --install --ignore-depends=linux-source "/srv/$1_$2_all.deb"
}

# The hook by which DKMS learns that the kernel $1 is installed: what fails there stops that installation.
kernel_is_installed() {
    in_tree /etc/kernel/postinst.d/dkms "$1"
}

# The releases of kernels that DKMS has installed the package $1 for
installed_for() {
    in_tree dkms status -m "$1" | sed --quiet 's/.*, \([^,]*\), x86_64: installed.*/\1/p' | sort
}

is_configured() {
    # shellcheck disable=SC2016  # dpkg-query expands it
    [[ $(in_tree dpkg-query --show --showformat='${db:Status-Status} ${Version}' "$1") == "installed $2" ]]
}

@test "$KERNEL: the module is built for every kernel with headers, and one without is named" {
    mkdir --parents "$tree/lib/modules/$newer/kernel"
    run -0 dpkg_install sm4-fast-dkms "$version"
    [[ $output == *"W: sm4-fast: kernel $newer has no module, because its headers are not installed: linux-headers-$newer"* ]]
    is_configured sm4-fast-dkms "$version"
    has_version "$release" "$version"
    has_version "$older" "$version"
    rm -r "$tree/lib/modules/$newer"
}

@test "$KERNEL: where DKMS is told to build nothing, each kernel keeps the earlier version, and is named" {
    touch "$tree/etc/dkms/no-autoinstall"
    run -0 dpkg_install sm4-fast-dkms "$version.1"
    for kernel in "$release" "$older"; do
        [[ $output == *"W: sm4-fast: kernel $kernel keeps version $version, because nothing is built while"* ]]
        has_version "$kernel" "$version"
    done
    rm "$tree/etc/dkms/no-autoinstall"
}

@test "$KERNEL: a later version takes the place of the earlier one for each kernel" {
    dpkg_install sm4-fast-dkms "$version.1"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
}

@test "$KERNEL: a build that fails is an error, and does not keep the other kernels from theirs" {
    make_headers "$newer" "$KERNEL.9999"
    run ! dpkg_install sm4-fast-dkms "$version"
    [[ $output == *"W: sm4-fast: kernel $newer has no module, because THE BUILD FAILED"* ]]
    has_version "$release" "$version"
    has_version "$older" "$version"
    # After a fix
    rm -r "$tree/lib/modules/$newer"
    in_tree dpkg --configure sm4-fast-dkms
    is_configured sm4-fast-dkms "$version"
}

@test "$KERNEL: a kernel whose build fails keeps the earlier version until that is fixed, and is named" {
    mv "$tree/lib/modules/$older/build" "$work/build"
    make_headers "$older" "$KERNEL.9999"
    run ! dpkg_install sm4-fast-dkms "$version.1"
    [[ $output == *"W: sm4-fast: kernel $older keeps version $version, because THE BUILD FAILED"* ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version"
    rm -r "$tree/lib/modules/$older/build"
    mv "$work/build" "$tree/lib/modules/$older"
    in_tree dpkg --configure sm4-fast-dkms
    has_version "$older" "$version.1"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
}

@test "$KERNEL: the same version once more is there without a build, and is built anew from another source" {
    chmod -x "$tree"/usr/bin/gcc-*
    dpkg_install sm4-fast-dkms "$version.1"
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
    chmod +x "$tree"/usr/bin/gcc-*
    echo '/* another one */' >>"$tree/usr/src/sm4-fast-$version.1/sm4-compat.h"
    run -0 dpkg_install sm4-fast-dkms "$version.1"
    [[ $output == *'Deleting module sm4-fast'*'completely'* ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
}

@test "$KERNEL: an unsupported kernel is installed without the module, which is not built for another processor" {
    run -77 in_tree dkms build "sm4-fast/$version.1" -k "$release" -a aarch64
    make_headers 4.17.0-999-amd64 4.17.9999
    run -0 kernel_is_installed 4.17.0-999-amd64
    [[ $output == *"kernel 4.17.0-999-amd64 is not supported"* ]]
    rm -r "$tree/lib/modules/4.17.0-999-amd64"
}

# As when a new kernel waits for a restart, and the source is that of the other one
@test "$KERNEL: where a kernel's source is missing, the package for ESP is installed, says so, and is built for the others" {
    make_headers "$newer" "$KERNEL.9999"
    run -0 dpkg_install sm4-fast-xfrm-dkms "$version"
    [[ $output == *"apt-get install linux-source-$KERNEL"*"Ubuntu has it in linux-source-$KERNEL.0"* ]]
    [[ $output == *"WARNING: kernel $newer gets no ESP with SM4 in GCM and CCM mode"*'older than Linux 5.17 none with SM4-CBC'* ]]
    is_configured sm4-fast-xfrm-dkms "$version"
    [[ $(installed_for sm4-fast-xfrm) == $(printf '%s\n' "$older" "$release" | sort) ]]
}

@test "$KERNEL: a kernel whose source is here gets it later, another is installed without it, and dkms install fails there" {
    # This one would be built for all.
    in_tree dpkg --purge sm4-fast-dkms
    in_tree dkms remove "sm4-fast-xfrm/$version" -k "$older"
    kernel_is_installed "$older"
    # DKMS 3.0 reads the configuration once more for each kernel that has the module.
    run -0 kernel_is_installed "$newer"
    [[ $(grep --count -e WARNING <<<"$output") -eq 1 && $output == *"WARNING: kernel $newer gets no ESP with SM4"* ]]
    [[ $(installed_for sm4-fast-xfrm) == $(printf '%s\n' "$older" "$release" | sort) ]]
    run ! in_tree dkms install "sm4-fast-xfrm/$version" -k "$newer"
    # DKMS 3.2 says where to read what ours says, 3.0 passes it on.
    grep "apt-get install linux-source-$KERNEL" <(echo "$output") "$tree/var/lib/dkms/sm4-fast-xfrm/$version/build/make.log"
}

@test "$KERNEL: dpkg purges both, and nothing is left" {
    in_tree dpkg --purge sm4-fast-xfrm-dkms
    run -0 find "$tree"/{usr,etc,var/lib/dkms,lib/modules} -name '*sm4[-_]fast*'
    [[ -z $output && -z $(find "$tree"/lib/modules/*/updates -name 'xfrm_algo*' 2>/dev/null) ]]
}
