# Loaded by the tests of how integration uses others' sources: paths, and what must be refused. Each test has a folder $work.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

setup() {
    repository=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
    # shellcheck disable=SC2034  # for the tests
    integration=$repository/integration
    work=$BATS_TEST_TMPDIR
    # Variables of a make that runs this test must not reach the make that is tested.
    unset MAKEFLAGS MAKELEVEL MFLAGS
    cd "$work" || exit
}

# A command has to fail, with this text in its message: fails TEXT COMMAND...
fails() {
    run ! "${@:2}"
    # shellcheck disable=SC2154  # set by run
    [[ $output == *"$1"* ]]
}

# get-source of tls or ike has to refuse a source with this text in its message, and to leave what is there.
#
#     refuses tls|ike TEXT SOURCE
refuses() {
    mkdir "$work/folder"
    touch "$work/folder/before"
    fails "$2" "$integration/$1/get-source" "$work/folder" "$3"
    [[ $(echo folder*/*) == folder/before ]]
    rm -r "$work/folder"
}

# An archive of Debian that has nothing
without_archive() {
    printf 'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\n' >"$work/apt.conf"
    env APT_CONFIG="$work/apt.conf" XDG_CACHE_HOME="$work/cache" "$@"
}

# A copy of the repository with these files and those of make: copy_for_make FILE...
copy_for_make() {
    mkdir "$work/clone"
    (cd "$repository" && cp --parents --target-directory="$work/clone" Makefile {packaging,integration}/*.mk "$@")
}
