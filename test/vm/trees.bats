#!/usr/bin/env bats
# bats --formatter tap test/vm/trees.bats
#
# Root trees, before anything is built or booted: messages about what is missing, the kernel that a user's tree boots, and
# make clean-cache. Uses its own cache folder; downloads nothing.

bats_require_minimum_version 1.5.0

setup() {
    repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$repository" || exit
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR
    cache=$BATS_TEST_TMPDIR/sm4-fast
    # Variables of a make that runs this test: because of them, a make in here would print its folders.
    unset MAKEFLAGS MAKELEVEL
    tree=$BATS_TEST_TMPDIR/tree
}

# Files in the tree, whose contents are not read
has() {
    local file
    for file in "$@"; do
        mkdir --parents "$(dirname "$tree/$file")"
        touch "$tree/$file"
    done
}

# Runs a command as a user other than root, who may nevertheless read all files: on most systems, others cannot read root's
# home, and the repository may be there.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@"
}

# Runs a function of test/vm/common.sh.
common() {
    # shellcheck disable=SC2016  # for the inner shell
    bash -euc 'source test/vm/common.sh; "$@"' common "$@"
}

@test "a root tree is not begun where it has no room" {
    mkdir "$cache"
    # shellcheck disable=SC2016  # for the inner shell
    run -1 unshare --mount sh -c 'mount -t tmpfs -o size=100M tmpfs "$1" && test/vm/root-tree 6.1' sh "$cache"
    [[ $output == *"needs 1800 MB in $cache/root"*'has 100 MB free'*XDG_CACHE_HOME* ]]
}

@test "make demo reports immediately that root is required, and all missing packages" {
    run -1 as_nobody test/need --root no-such-package another-package bash
    [[ $output == *'takes root'*'not installed: no-such-package another-package'* ]]
    run -1 as_nobody test/need --root bash
    [[ $output == *'takes root'* && $output != *'not installed'* ]]
    run -1 as_nobody demo/run
    [[ $output == *'takes root'* && $output != *'1/4'* ]]
    run -2 as_nobody make test
    [[ $output == *'takes root'* ]]
    [[ ! -e $cache ]]
}

@test "make clean-cache: there is no cache" {
    run -0 make clean-cache
    [[ $output == "There is no $cache." ]]
}

@test "make clean-cache keeps locked folders, and names the holder of the lock" {
    mkdir -p "$cache/root"
    exec 7>"$cache/root/6.1.in-use"
    run -2 make clean-cache 7>&-
    exec 7>&-
    [[ $output == *"$cache is in use"*bats* && -e $cache/root/6.1.in-use ]]
}

@test "make clean-cache keeps running programs" {
    mkdir -p "$cache/lab"
    cp /bin/sleep "$cache/lab/linux"
    "$cache/lab/linux" 60 &
    run -2 make clean-cache
    kill %1
    [[ $output == *"$cache is in use"*"$cache/lab/linux 60"* && -e $cache/lab/linux ]]
}

@test "make clean-cache keeps mounted folders" {
    mkdir -p "$cache/root/tree"
    # shellcheck disable=SC2016  # for the inner shell
    run -2 unshare --mount sh -c 'mount -t tmpfs tmpfs "$1" && touch "$1/file" && make clean-cache' sh "$cache/root/tree"
    [[ $output == *mounted*"$cache/root/tree"* && -d $cache/root/tree ]]
}

@test "make clean-cache removes the whole cache, and prints its size" {
    mkdir -p "$cache/root/tree"
    fallocate --length=5M "$cache/root/tree/file"
    touch "$BATS_TEST_TMPDIR/other"
    run -0 make clean-cache
    [[ $output == "Removed $cache: 5"*M ]]
    [[ $(ls "$BATS_TEST_TMPDIR") == other ]]
}

# Prints the commands of make test-deep.
deep_suites() {
    make --silent --eval 'suites:; @test/run-tests --list --level deep' "$@" suites
}

@test "without users' root trees, their tests are skipped by name" {
    run -0 test/vm/kernel.t other all
    [[ $output == '1..0 # SKIP ROOT_TREES names no '*'docs/kernels.md'* ]]
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
    run -0 test/vm/kernel.t "$tree"
    [[ $output == *'not ok - '*': a root tree'*"no kernel in $tree: docs/kernels.md"* ]]
    has boot/vmlinuz-5.15.0-9-generic boot/vmlinuz-5.15.0-119-generic lib/modules/5.15.0-200-generic/modules.dep
    [[ $(common bootable_release "$tree") == 5.15.0-119-generic ]]
    [[ $(common kernel_image "$tree") == "$tree/boot/vmlinuz-5.15.0-119-generic" ]]
    has lib/modules/6.6.0-72.oe2403.x86_64/vmlinuz
    [[ $(common bootable_release "$tree") == 6.6.0-72.oe2403.x86_64 ]]
    [[ $(common kernel_image "$tree") == "$tree/lib/modules/6.6.0-72.oe2403.x86_64/vmlinuz" ]]
}

@test "^C ends a command in a tree" {
    "$repository/test/need" busybox-static
    mkdir --parents "$tree/proc"
    install -D "$(command -v busybox)" "$tree/bin/sh"
    # shellcheck disable=SC2016  # for the inner shell
    run -124 timeout --signal=INT --kill-after=30 5 env --default-signal=INT tree="$tree" bash -euc '
        source test/vm/common.sh; in_tree sh -c "exec sleep 60"'
}
