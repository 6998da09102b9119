#!/usr/bin/env bats
# bats --formatter tap test/vm/cache.bats
#
# What new users read about the cache folder and about what is missing: progress, a disk that is full, root and packages, and
# make clean-cache. Works in a cache folder of its own; fetches nothing.

bats_require_minimum_version 1.5.0

setup() {
    repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$repository" || exit
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR
    cache=$BATS_TEST_TMPDIR/sm4-fast
    # Of a make that has begun this: with -C, the one in here would say where it goes, too.
    unset MAKEFLAGS MAKELEVEL
}

# A small disk in the place of the cache, for a command in a mount namespace of its own
on_small_disk() {
    mkdir -p "$cache"
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount bash -euc 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"' bash "$1" "$cache" "${@:2}"
}

# A command of a user other than root, who may read nevertheless: root's home is closed to others on most systems, and the
# repository may be in there.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search "$@"
}

# A command of test/vm/common.sh
common() {
    # shellcheck disable=SC2016  # for the inner shell
    bash -euc 'source test/vm/common.sh; "$@"' common "$@"
}

@test "a command that takes long tells how it is getting on, and in the end nothing more" {
    mkdir -p "$cache"
    run --separate-stderr common with_progress "$cache" "$cache/log" \
        bash -c "echo 'I: fetching'; truncate --size=0 $cache/file; fallocate --length=3M $cache/file; sleep 11"
    [[ $status -eq 0 && -z $output ]]
    # shellcheck disable=SC2154  # bats sets it
    [[ $stderr =~ ^' '*1[0-2]' s, '[34]' MB: fetching'$ ]]
}

@test "a command that fails on a full disk: the end of its output, and that the disk is full" {
    # shellcheck disable=SC2016  # for the inner shell
    run -1 on_small_disk 20M bash -euc 'source test/vm/common.sh
        with_progress "$cache" "$cache/log" bash -c "echo so far; dd if=/dev/zero of=$cache/file bs=1M; exit 1"'
    [[ $output == *'so far'*"disk of $cache is full: 0 MB are free"* ]]
}

@test "a root tree does not begin to be made where it has no room" {
    run -1 on_small_disk 100M test/vm/root-tree 6.1
    [[ $output == *"needs 1800 MB in $cache/root"*'has 100 MB free'*XDG_CACHE_HOME* ]]
}

@test "make demo reports at once that root is required, and all that is missing" {
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

@test "make clean-cache: nothing is there" {
    run -0 make clean-cache
    [[ $output == "There is no $cache." ]]
}

@test "make clean-cache keeps what is locked, and names the holder of the lock" {
    mkdir -p "$cache/root"
    exec 7>"$cache/root/6.1.in-use"
    run -2 make clean-cache 7>&-
    exec 7>&-
    [[ $output == *"$cache is in use"*bats* && -e $cache/root/6.1.in-use ]]
}

@test "make clean-cache leaves what runs from there" {
    mkdir -p "$cache/lab"
    cp /bin/sleep "$cache/lab/linux"
    "$cache/lab/linux" 60 &
    run -2 make clean-cache
    kill %1
    [[ $output == *"$cache is in use"*"$cache/lab/linux 60"* && -e $cache/lab/linux ]]
}

@test "make clean-cache leaves what is mounted" {
    mkdir -p "$cache/root/tree"
    # shellcheck disable=SC2016  # for the inner shell
    run -2 unshare --mount sh -c 'mount -t tmpfs tmpfs "$1" && touch "$1/file" && make clean-cache' sh "$cache/root/tree"
    [[ $output == *mounted*"$cache/root/tree"* && -d $cache/root/tree ]]
}

@test "make clean-cache removes all of it, and says how much" {
    mkdir -p "$cache/root/tree"
    fallocate --length=5M "$cache/root/tree/file"
    touch "$BATS_TEST_TMPDIR/other"
    run -0 make clean-cache
    [[ $output == "Removed $cache: 5"*M ]]
    [[ $(ls "$BATS_TEST_TMPDIR") == other ]]
}

@test "a file of tests that has to be told a kernel or a suite says so before it writes anything" {
    mapfile -t files < <(grep --files-with-matches --extended-regexp '^# (KERNEL|SUITE)=' test/packaging/*.bats)
    [[ ${#files[@]} -gt 5 ]]
    for file in "${files[@]}"; do
        run -1 env --ignore-environment PATH="$PATH" HOME="$BATS_TEST_TMPDIR" bats --formatter tap "$file"
        [[ $output == *"Say what to test it with: "[A-Z]*" bats $file"* ]]
    done
    [[ -z $(find "$BATS_TEST_TMPDIR" -path '*sm4-fast*') ]]
}
