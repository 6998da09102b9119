#!/usr/bin/env bats
# bats --formatter tap test/vm/cache.bats
#
# Messages for new users about the cache folder and about missing things: progress, a full disk, root and packages, and
# make clean-cache. Uses its own cache folder; downloads nothing.

bats_require_minimum_version 1.5.0

setup() {
    repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$repository" || exit
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR
    cache=$BATS_TEST_TMPDIR/sm4-fast
    # Variables of a make that runs this test: because of them, a make in here would print its folders.
    unset MAKEFLAGS MAKELEVEL
}

# Runs a command in its own mount namespace, with a small disk as the cache.
on_small_disk() {
    mkdir -p "$cache"
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount bash -euc 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"' bash "$1" "$cache" "${@:2}"
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

@test "a long command reports its progress, and prints nothing more at its end" {
    mkdir -p "$cache"
    run --separate-stderr common with_progress "$cache" "$cache/log" \
        bash -c "echo 'I: fetching'; truncate --size=0 $cache/file; fallocate --length=3M $cache/file; sleep 15"
    [[ $status -eq 0 && -z $output ]]
    # shellcheck disable=SC2154  # bats sets it
    [[ $stderr =~ ^' '*1[0-4]' s, '[34]' MB: fetching'$ ]]
}

@test "a command that fails on a full disk: the end of its output and the reason are printed" {
    # shellcheck disable=SC2016  # for the inner shell
    run -1 on_small_disk 20M bash -euc 'source test/vm/common.sh
        with_progress "$cache" "$cache/log" bash -c "echo so far; dd if=/dev/zero of=$cache/file bs=1M; exit 1"'
    [[ $output == *'so far'*"disk of $cache is full: 0 MB are free"* ]]
}

@test "a root tree is not begun where it has no room" {
    run -1 on_small_disk 100M test/vm/root-tree 6.1
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

@test "a test file that needs a kernel or a suite says so before it writes anything" {
    mapfile -t files < <(grep --files-with-matches --extended-regexp '^# (KERNEL|SUITE)=' test/packaging/*.bats)
    [[ ${#files[@]} -gt 5 ]]
    for file in "${files[@]}"; do
        run -1 env --ignore-environment PATH="$PATH" HOME="$BATS_TEST_TMPDIR" bats --formatter tap "$file"
        [[ $output == *"Say what to test it with: "[A-Z]*" bats $file"* ]]
    done
    [[ -z $(find "$BATS_TEST_TMPDIR" -path '*sm4-fast*') ]]
}
