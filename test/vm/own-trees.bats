#!/usr/bin/env bats
# bats --formatter tap test/vm/own-trees.bats
#
# Messages of test/vm/kernel.t about users' root trees of other distributions, before anything is built or booted: a list of
# everything that a tree lacks, and the kernel that it boots. Does not change the machine.

bats_require_minimum_version 1.5.0

setup_file() {
    "$BATS_TEST_DIRNAME/../need" busybox-static kmod
}

setup() {
    repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$repository" || exit
    tree=$BATS_TEST_TMPDIR/tree
    mkdir "$tree"
}

# Files in the tree, whose contents are not read
has() {
    local file
    for file in "$@"; do
        mkdir --parents "$(dirname "$tree/$file")"
        touch "$tree/$file"
    done
}

# Runs a function of test/vm/common.sh.
common() {
    # shellcheck disable=SC2016  # for the inner shell
    bash -euc 'source test/vm/common.sh; "$@"' common "$@"
}

# Prints the commands of make test-deep.
deep_suites() {
    make --silent --eval 'suites:; @test/run-tests --list --level deep' "$@" suites
}

@test "without a tree, the tests are skipped by name" {
    run -0 test/vm/kernel.t other all
    [[ $output == 'ok - kernel of Ubuntu, openEuler, Anolis OS: all tests # SKIP ROOT_TREES '*'docs/kernels.md'* ]]
    run -0 deep_suites
    [[ $output == *'test/vm/kernel.t other all'* ]]
}

@test "make test-deep includes each tree of ROOT_TREES" {
    run -0 deep_suites ROOT_TREES='/srv/a /srv/b'
    [[ $output == *'test/vm/kernel.t /srv/a all'*'test/vm/kernel.t /srv/b all'* && $output != *'kernel.t other'* ]]
    [[ $output == *'test/vm/xfrm.t /srv/a'*'test/vm/xfrm.t /srv/b'* ]]
}

@test "the newest kernel with an image boots, in any folder, and no rescue image" {
    has boot/vmlinuz-0-rescue-4ee1
    [[ -z $(common bootable_release "$tree") ]]
    has boot/vmlinuz-5.15.0-9-generic boot/vmlinuz-5.15.0-119-generic lib/modules/5.15.0-200-generic/modules.dep
    [[ $(common bootable_release "$tree") == 5.15.0-119-generic ]]
    [[ $(common kernel_image "$tree") == "$tree/boot/vmlinuz-5.15.0-119-generic" ]]
    has lib/modules/6.6.0-72.oe2403.x86_64/vmlinuz
    [[ $(common bootable_release "$tree") == 6.6.0-72.oe2403.x86_64 ]]
    [[ $(common kernel_image "$tree") == "$tree/lib/modules/6.6.0-72.oe2403.x86_64/vmlinuz" ]]
}

@test "an empty tree: a list of everything that is missing, and the commands of RPM" {
    run -0 test/vm/kernel.t "$tree"
    [[ $output == *'a kernel: neither'*'a shell'*"dnf --installroot=$tree install kernel kernel-devel gcc"* ]]
    [[ $output == *"docs/kernels.md"*'not ok - '*': a root tree'* ]]
}

@test "a tree of Ubuntu with only a kernel: programs, headers and modules are missing; Ubuntu's commands" {
    has boot/vmlinuz-5.15.0-119-generic lib/modules/5.15.0-119-generic/modules.builtin etc/debian_version
    echo 'PRETTY_NAME="Ubuntu 22.04.5 LTS"' >"$tree/etc/os-release"
    install -D "$(command -v busybox)" "$tree/bin/sh"
    run -1 test/vm/check-tree "$tree"
    [[ $output == *"$tree (Ubuntu 22.04.5 LTS) lacks"*'programs: '*gcc*'headers: lib/modules/5.15.0-119-generic/build'* ]]
    [[ $output == *'modules of its kernel 5.15.0-119-generic: '*dm-crypt*'9pnet_virtio and 9p, or virtiofs'* ]]
    [[ $output == *"chroot $tree apt-get install linux-image-generic linux-headers-generic gcc"* ]]
}

@test "a folder that does not exist" {
    run -0 test/vm/kernel.t "$tree/nothing"
    [[ $output == *"there is no folder $tree/nothing"*'not ok - '* ]]
}

@test "a vendor's source: a list of everything that is missing" {
    has source/.config tree/etc/fstab
    run -1 test/vm/vendor-tree "$tree/source" "$tree/config" "$tree/tree"
    [[ $output == *"$tree/source is none"*'make mrproper'*"no file $tree/config"*"$tree/tree is there already"* ]]
}

@test "^C ends a command in a tree" {
    mkdir "$tree/proc"
    install -D "$(command -v busybox)" "$tree/bin/sh"
    # shellcheck disable=SC2016  # for the inner shell
    run -124 timeout --signal=INT --kill-after=30 5 env --default-signal=INT tree="$tree" bash -euc '
        source test/vm/common.sh; in_tree sh -c "exec sleep 60"'
}
