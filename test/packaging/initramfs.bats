#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/initramfs.bats
#
# Our hook with the initramfs-tools of the suite that has KERNEL, in a layer above that suite's root tree: the
# module is in the initramfs, by make install and by DKMS, and there is a warning if and only if the kernel has no module.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    mount_above_kernel
    updates=$tree/lib/modules/$release/updates
    export updates
    # udev is not needed, either; a root tree has only parts of it.
    rm -rf "$tree/usr/share/initramfs-tools/hooks/udev"
    # A small initramfs, with only the modules that are needed
    echo MODULES=list >"$tree/etc/initramfs-tools/conf.d/modules"
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    fresh_clone "$tree/srv/clone"
    in_tree make --silent --directory=/srv/clone KDIR="/lib/modules/$release/build" install
}

teardown_file() {
    unmount_above
}

# Runs mkinitramfs. Its messages are in output, and the names of the initramfs's files in the file list.
make_initramfs() {
    in_tree depmod "$release"
    run -0 in_tree mkinitramfs -o /tmp/initramfs "$release"
    in_tree lsinitramfs /tmp/initramfs >"$BATS_TEST_TMPDIR/list"
}

has_it_and_says_nothing() {
    make_initramfs
    # Older versions unpack it.
    grep '/updates/sm4-fast\.ko' "$BATS_TEST_TMPDIR/list"
    grep '/dm-integrity\.ko' "$BATS_TEST_TMPDIR/list"
    [[ $output != *sm4* ]]
}

@test "$KERNEL: the initramfs has the module, and there is no warning" {
    has_it_and_says_nothing
}

@test "$KERNEL: there is no warning for a compressed module" {
    xz --check=crc32 "$updates/sm4-fast.ko"
    has_it_and_says_nothing
}

@test "$KERNEL: make install regenerates the initramfs that the kernel starts with" {
    image=$tree/boot/initrd.img-$release
    touch "$image"
    in_tree make --silent --directory=/srv/clone KDIR="/lib/modules/$release/build" install
    in_tree lsinitramfs "${image#"$tree"}" | grep '/updates/sm4-fast\.ko'
    rm "$image"
}

@test "$KERNEL: nothing is said about a kernel that gets its initramfs later, and something about one that we cannot regenerate" {
    run -0 in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    [[ -z $output ]]
    install -D /dev/null "$tree/boot/machine/$release/initrd"
    run -0 in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    [[ $output == *"if /boot/machine/$release/initrd is for kernel $release, regenerate it"* ]]
    rm -r "$tree/boot/machine"
}

@test "$KERNEL: there is a warning for a kernel without the module, a strong one if SM4 is needed" {
    rm -r "$updates"
    make_initramfs
    [[ $(<"$BATS_TEST_TMPDIR/list") != *sm4-fast.ko* ]]
    [[ $output == *"W: sm4-fast: Kernel $release has no module sm4-fast"* ]]
    [[ $output == *'W: sm4-fast: THIS MACHINE HAS SUCH DEVICES'*'secret sm4-xts-plain64'*"make KDIR=/lib/modules/$release/build install"* ]]
}

@test "$KERNEL: DKMS puts the module into an existing initramfs, even if the headers came after the kernel" {
    image=/boot/initrd.img-$release
    mv "$tree/lib/modules/$release/build" "$tree/srv/build"
    in_tree make --silent --directory=/srv/clone install-dkms-sources
    run -0 in_tree "/usr/src/sm4-fast-$version/install-by-dkms"
    [[ $output == *"W: sm4-fast: kernel $release has no module, because its headers are not installed"* ]]
    run -0 in_tree update-initramfs -c -k "$release"
    [[ $output == *"    /usr/src/sm4-fast-$version/install-by-dkms"* ]]
    run ! grep sm4-fast.ko <(in_tree lsinitramfs "$image")
    mv "$tree/srv/build" "$tree/lib/modules/$release/build"
    # The hook that the package with the headers runs
    run -0 in_tree /etc/kernel/header_postinst.d/dkms "$release"
    [[ $output != *'W: sm4-fast'* ]]
    in_tree lsinitramfs "$image" | grep '/updates/dkms/sm4-fast\.ko'
}

@test "$KERNEL: there is a warning for an incomplete module, even if only its signature is missing" {
    module=$(echo "$updates"/dkms/sm4-fast.ko*)
    image=$tree/boot/initrd.img-$release
    cp "$module" "$BATS_TEST_TMPDIR/whole"
    mv "$image" "$BATS_TEST_TMPDIR/image"
    for missing in 1 100000 "$(stat --format=%s "$module")"; do
        truncate --size=-"$missing" "$module"
        make_initramfs
        [[ $output == *"W: sm4-fast: Kernel $release has only a part of the module"*'secret sm4-xts-plain64'* ]]
    done
    mv "$BATS_TEST_TMPDIR/image" "$image"
    # What is only shorter is another build.
    cp "$tree/lib/modules/$release"/kernel/lib/crc7.ko* "$module"
    make_initramfs
    [[ $output != *sm4* ]]
    cp "$BATS_TEST_TMPDIR/whole" "$module"
    make_initramfs
    [[ $output != *sm4* ]]
}

@test "$KERNEL: while the kernel has no module, or a part of it, what opens the devices of this machine stays in the initramfs" {
    image=$tree/boot/initrd.img-$release
    cp "$image" "$BATS_TEST_TMPDIR/image"
    cp --archive "$updates/dkms" "$BATS_TEST_TMPDIR"
    truncate --size=-1 "$updates"/dkms/sm4-fast.ko*
    run ! in_tree update-initramfs -u -k "$release"
    rm "$updates"/dkms/sm4-fast.ko*
    in_tree depmod "$release"
    run ! in_tree update-initramfs -u -k "$release"
    [[ $output == *"W: sm4-fast: Kernel $release has no module"*"W: sm4-fast: ${image#"$tree"} has the module, and stays as it is."* ]]
    cmp "$image" "$BATS_TEST_TMPDIR/image"
    # No device needs it
    mv "$tree/etc/crypttab" "$BATS_TEST_TMPDIR"
    in_tree update-initramfs -u -k "$release"
    run ! grep sm4-fast.ko <(in_tree lsinitramfs "${image#"$tree"}")
    mv "$BATS_TEST_TMPDIR/crypttab" "$tree/etc"
    cp --archive "$BATS_TEST_TMPDIR"/dkms/* "$updates/dkms"
    in_tree depmod "$release"
    in_tree update-initramfs -u -k "$release"
    in_tree lsinitramfs "${image#"$tree"}" | grep sm4-fast.ko
}

@test "$KERNEL: the removal leaves what opens the devices of this machine, also for later initramfs; without such devices, nothing" {
    image=/boot/initrd.img-$release
    run -0 in_tree /usr/libexec/sm4-fast/leave-hooks
    [[ $output == 'W: sm4-fast: /etc/initramfs-tools/hooks/sm4-fast stays'* ]]
    run -0 in_tree "/usr/src/sm4-fast-$version/install-by-dkms" --remove
    [[ $output == *"W: sm4-fast: kernel $release keeps the module"* && -z $(in_tree dkms status -m sm4-fast) ]]
    # As the package manager does; dpkg then regenerates the initramfs.
    rm -r "$tree"/usr/{libexec/sm4-fast,share/initramfs-tools/hooks/sm4-fast}
    run -0 in_tree update-initramfs -u -k "$release"
    [[ $output != *sm4* ]]
    in_tree lsinitramfs "$image" >"$BATS_TEST_TMPDIR/list"
    grep '/updates/dkms/sm4-fast\.ko' "$BATS_TEST_TMPDIR/list"
    grep '/dm-integrity\.ko' "$BATS_TEST_TMPDIR/list"
    mv "$updates" "$BATS_TEST_TMPDIR"
    make_initramfs
    [[ $output == *"W: sm4-fast: Kernel $release has no module sm4-fast, which was removed while devices needed it"* ]]
    mv "$BATS_TEST_TMPDIR/updates" "$updates"
    # Once nothing needs it, an installation and another removal take away what was left.
    rm "$tree/etc/crypttab"
    in_tree make --silent --directory=/srv/clone install-files
    in_tree "/usr/src/sm4-fast-$version/install-by-dkms"
    [[ $(in_tree dkms status -m sm4-fast) == *installed* ]]
    run -0 in_tree /usr/libexec/sm4-fast/leave-hooks
    [[ -z $output ]]
    run -0 in_tree "/usr/src/sm4-fast-$version/install-by-dkms" --remove
    [[ $output != *'W: sm4-fast'* ]]
    run ! grep sm4-fast.ko <(in_tree lsinitramfs "$image")
    run -0 find "$tree"/{etc,lib/modules} -name 'sm4-fast*'
    [[ -z $output ]]
}
