#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/initramfs.bats
#
# Our hook with the initramfs-tools of the suite that has KERNEL, in a layer above that suite's root tree: the module is in the
# initramfs, by make install and by DKMS, and one that devices need is not replaced by one without.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    mount_above_kernel
    updates=$tree/lib/modules/$release/updates image=$tree/boot/initrd.img-$release
    export updates image
    # udev is not needed, either; a root tree has only parts of it.
    rm -rf "$tree/usr/share/initramfs-tools/hooks/udev"
    # A small initramfs, with only the modules that are needed
    echo MODULES=list >"$tree/etc/initramfs-tools/conf.d/modules"
    needs_sm4
    fresh_clone "$tree/srv/clone"
    in_tree make --silent --directory=/srv/clone KDIR="/lib/modules/$release/build" install
}

teardown_file() {
    unmount_above
}

needs_sm4() {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
}

# Makes the initramfs, and requires that it has the file $1, and that nothing is said of the module.
has_it_and_says_nothing() {
    in_tree depmod "$release"
    rm -f "$image"
    run -0 in_tree update-initramfs -c -k "$release"
    [[ $output != *sm4* ]]
    in_tree lsinitramfs "${image#"$tree"}" >"$BATS_TEST_TMPDIR/list"
    # Older versions unpack it.
    grep "/updates/$1" "$BATS_TEST_TMPDIR/list"
    grep '/dm-integrity\.ko' "$BATS_TEST_TMPDIR/list"
}

@test "$KERNEL: the initramfs has the module, compressed or not" {
    has_it_and_says_nothing 'sm4-fast\.ko'
    xz --check=crc32 "$updates/sm4-fast.ko"
    has_it_and_says_nothing 'sm4-fast\.ko'
}

@test "$KERNEL: make install regenerates the initramfs, if there is one, once" {
    touch --date='1 year ago' "$image"
    in_tree make --silent --directory=/srv/clone KDIR="/lib/modules/$release/build" install
    in_tree lsinitramfs "${image#"$tree"}" | grep '/updates/sm4-fast\.ko'
    run -0 in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    [[ -z $output ]]
    rm "$image"
    run -0 in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    [[ -z $output && ! -e $image ]]
}

@test "$KERNEL: while devices need it, a kernel without the module, or with a part of it, gets no initramfs, and keeps the present one" {
    has_it_and_says_nothing 'sm4-fast\.ko'
    cp "$image" "$BATS_TEST_TMPDIR/image"
    truncate --size=100000 "$updates/sm4-fast.ko"
    # A part of it, then none
    for _ in 1 2; do
        run ! in_tree update-initramfs -u -k "$release"
        [[ $output == *"E: sm4-fast: kernel $release has no module sm4-fast for these devices:"*'    secret sm4-xts-plain64'* ]]
        cmp "$image" "$BATS_TEST_TMPDIR/image"
        rm -rf "$updates"
        in_tree depmod "$release"
    done
    rm "$image"
    run ! in_tree update-initramfs -c -k "$release"
    [[ ! -e $image ]]
    # Of a device that is not attached, nobody knows.
    echo 'backup UUID=0000 none luks,noauto' >"$tree/etc/crypttab"
    run ! in_tree update-initramfs -c -k "$release"
    [[ $output == *'backup unknown, in /etc/crypttab'* ]]
    # No device needs it.
    rm "$tree/etc/crypttab"
    run -0 in_tree update-initramfs -c -k "$release"
    [[ $output != *sm4* ]]
    needs_sm4
}

@test "$KERNEL: DKMS puts the module into an existing initramfs, if the headers come after the kernel" {
    local headers
    headers=$(in_tree realpath "/lib/modules/$release/build")
    mv "$tree/lib/modules/$release/build" "$tree/srv/build"
    in_tree make --silent --directory=/srv/clone KDIR="$headers" dkms
    run ! grep sm4-fast.ko <(in_tree lsinitramfs "${image#"$tree"}")
    touch --date='1 year ago' "$image"
    mv "$tree/srv/build" "$tree/lib/modules/$release/build"
    # The hook that the package with the headers runs
    run -0 in_tree /etc/kernel/header_postinst.d/dkms "$release"
    [[ $output != *'W: sm4-fast'* ]]
    in_tree lsinitramfs "${image#"$tree"}" | grep '/updates/dkms/sm4-fast\.ko'
}
