#!/usr/bin/env bats
# SUITE=bookworm|trixie bats --formatter tap test/packaging/archive.bats
#
# What Debian does with a package before it takes it: piuparts installs, upgrades and purges the packages in a root tree of SUITE, and
# finds what is left; autopkgtest runs debian/tests there, except for what needs a machine. (test/packaging/packages.bats calls
# lintian and rpmlint.) The tree, without our packages, is made anew; apt fetches what they depend on.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${SUITE:?is not set: it is bookworm or trixie}"
    "$repository/test/need" --root git make build-essential debhelper mmdebstrap debian-archive-keyring piuparts autopkgtest apt-utils
    work=$(mktemp --directory)
    export work
    fresh_clone "$work/clone"
    cd "$work/clone" || exit
    mkdir "$work/earlier"
    make deb
    cp dist/*.deb "$work/earlier"
    (cd "$work/earlier" && apt-ftparchive packages . >Packages)
    make_later .
    make deb
    mmdebstrap --quiet "${tree_options[@]}" --include=ca-certificates "$SUITE" "$work/tree.tar.gz" "$(debian_mirror)"
}

teardown_file() {
    rm -rf --one-file-system "$work"
}

@test "$SUITE: piuparts finds nothing that an installation, an upgrade and a purge leave" {
    cd "$work/clone"
    # The earlier version comes from a repository, as if it were in the archive. What is ignored is apt's own.
    piuparts --basetgz="$work/tree.tar.gz" --distribution="$SUITE" --mirror="$(debian_mirror) main" --no-eatmydata \
        --bindmount="$work/earlier" --extra-repo="deb [trusted=yes] file:$work/earlier ./" --do-not-verify-signatures \
        --ignore-regex='/var/cache/debconf/tmp\.ci.*' dist/*"_$version.1_all.deb" >"$work/piuparts.log" 2>&1 ||
        { tail --lines=60 "$work/piuparts.log"; return 1; }
    # It has had the earlier version.
    grep "Setting up sm4-fast-dkms ($version) " "$work/piuparts.log"
    grep "Setting up sm4-fast-dkms ($version.1) " "$work/piuparts.log"
}

@test "$SUITE: autopkgtest builds the modules by DKMS" {
    mkdir "$work/tree"
    tar --extract --directory "$work/tree" --file "$work/tree.tar.gz"
    cd "$work/clone"
    # 2: a test was skipped, the one that needs a machine.
    run -2 autopkgtest --apt-upgrade --no-built-binaries dist/*"_$version.1_all.deb" . -- chroot "$work/tree"
    [[ $output == *'dkms                 PASS'* && $output == *'modprobe             SKIP'* ]]
}
