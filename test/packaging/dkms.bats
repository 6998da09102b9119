#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/dkms.bats
#
# What DKMS makes of our two packages when a kernel is installed: of the one that it can build them for, and of those that
# it cannot, which must not stop that installation. It is the DKMS of the suite that has KERNEL, in a layer above that
# suite's root tree, called as the kernel's package calls it.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    wants KERNEL 6.12
    mount_above_kernel
    fresh_clone "$work/clone"
    make --directory="$work/clone" DESTDIR="$tree" install-dkms-sources install-xfrm-sources
    # It unpacks a kernel's source, so how often it is asked matters.
    sed --in-place "2i echo \"\$1\" >>/tmp/asked" "$tree/usr/src/sm4-fast-xfrm-$version/get-source"
}

teardown_file() {
    unmount_above
}

# The hook by which DKMS learns that the kernel $1 is installed
kernel_is_installed() {
    rm --force "$tree/tmp/asked"
    in_tree /etc/kernel/postinst.d/dkms "$1"
}

# The releases of kernels that DKMS has installed the package $1 for
installed_for() {
    in_tree dkms status -m "$1" | sed --quiet 's|^[^,]*, \([^,]*\), x86_64: installed.*|\1|p'
}

@test "$KERNEL: a kernel whose source is here gets xfrm_algo" {
    in_tree dkms add "sm4-fast-xfrm/$version"
    kernel_is_installed "$release"
    [[ $(installed_for sm4-fast-xfrm) == "$release" ]]
    [[ $(grep --count -e --check "$tree/tmp/asked") -eq 1 ]]
}

# It has to look at the kernel that is being installed, not at the one that has the module.
@test "$KERNEL: a kernel whose source is missing is installed without xfrm_algo, and that is said" {
    make_headers "$KERNEL.0-999-amd64" "$KERNEL.9999"
    # Another kernel has the module as well, which DKMS 3.0 reads the configuration for once more.
    cp --recursive "$tree/var/lib/dkms/sm4-fast-xfrm/$version"/{"$release","$KERNEL.0-998-amd64"}
    run -0 kernel_is_installed "$KERNEL.0-999-amd64"
    [[ $output == *"apt-get install linux-source-$KERNEL"* ]]
    [[ $output == *"WARNING: kernel $KERNEL.0-999-amd64 gets no ESP with SM4"* ]]
    [[ $(grep --count -e WARNING <<<"$output") -eq 1 && $(<"$tree/tmp/asked") == --check ]]
    rm -r "$tree/var/lib/dkms/sm4-fast-xfrm/$version/$KERNEL.0-998-amd64"
    [[ $(installed_for sm4-fast-xfrm) == "$release" ]]
}

@test "$KERNEL: dkms install fails for a kernel whose source is missing" {
    run in_tree dkms install "sm4-fast-xfrm/$version" -k "$KERNEL.0-999-amd64"
    [[ $status -ne 0 ]]
    # DKMS 3.2 says where to read what ours says, 3.0 passes it on.
    log=$tree/var/lib/dkms/sm4-fast-xfrm/$version/build/make.log
    grep "apt-get install linux-source-$KERNEL" <(echo "$output") "$log"
}

@test "$KERNEL: a supported kernel gets sm4-fast" {
    in_tree dkms add "sm4-fast/$version"
    kernel_is_installed "$release"
    [[ $(installed_for sm4-fast) == "$release" ]]
}

@test "$KERNEL: an unsupported kernel is installed without sm4-fast" {
    make_headers 5.9.0-999-amd64 5.9.9999
    run -0 kernel_is_installed 5.9.0-999-amd64
    [[ $output == *"kernel 5.9.0-999-amd64 is not supported"* ]]
    [[ $(installed_for sm4-fast) == "$release" ]]
}

@test "$KERNEL: neither is built for another processor" {
    for package in "sm4-fast/$version" "sm4-fast-xfrm/$version"; do
        run -77 in_tree dkms build "$package" -k "$release" -a aarch64
    done
}
