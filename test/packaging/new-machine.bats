#!/usr/bin/env bats
# SUITE=bookworm|trixie|... bats --formatter tap test/packaging/new-machine.bats
#
# What a newcomer types, on a machine that is as new: a Debian SUITE with git, make and ca-certificates, and whatever apt
# itself brings. The repository is cloned there, and each test is a target of make, for root, which has to install what
# it needs by itself. Takes the network, and fetches all of it each time.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    "$repository/test/need" --root "${machine_packages[@]}" git
    mkdir -p "$trees"
    need_space "$trees" 5000 "a new machine of $SUITE"
    work=$(mktemp --directory "$trees/new-machine.XXXXXX")
    tree=$work/tree
    export work tree
    # apt's own way to the archive is this machine's, and so are the certificates that it trusts.
    mmdebstrap --variant=apt --mode=root --include=git,make,ca-certificates "$SUITE" "$tree" "$(debian_mirror)"
    apt-config dump | grep '^Acquire::https\?::' >"$tree/etc/apt/apt.conf.d/machine" || true
    cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs"
    fresh_clone "$tree/root/clone"
}

teardown_file() {
    rm -rf --one-file-system "$work"
}

# make in the clone, with what a machine has mounted, its root first of all; all of it ends with the command.
make_on_new_machine() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --pid --fork bash -euc '
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        cp --dereference /etc/resolv.conf "$1/etc/resolv.conf"
        exec chroot "$1" env --ignore-environment HOME=/root PATH="$PATH" PIP_CERT="${PIP_CERT-}" make -C /root/clone "$2"
    ' bash "$tree" "$1"
}

@test "$SUITE: make check" {
    make_on_new_machine check
}

@test "$SUITE: make demo" {
    make_on_new_machine demo
}

@test "$SUITE: make clean-cache" {
    make_on_new_machine clean-cache
    [[ ! -e $tree/root/.cache/sm4-fast ]]
}
