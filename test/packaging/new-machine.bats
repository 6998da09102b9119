#!/usr/bin/env bats
# SUITE=bookworm|trixie|... bats --formatter tap test/packaging/new-machine.bats
#
# The commands of a new user, on a new machine: a Debian SUITE with git, make and ca-certificates, and the packages that apt
# itself needs. The repository is cloned there. The first test runs the commands of README.md, up to a mounted volume;
# each of the others is a target of make, for root, which has to install the packages that it needs. Requires the network, and
# downloads everything each time.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${SUITE:?is not set: it is trixie, for example}"
    "$repository/test/need" --root "${machine_packages[@]}" git
    mkdir -p "$trees"
    need_space "$trees" 5000 "a new machine of $SUITE"
    work=$(mktemp --directory "$trees/new-machine.XXXXXX")
    tree=$work/tree
    export work tree
    # apt's configuration of the archive is this machine's, and so are the trusted certificates.
    mmdebstrap --variant=apt --mode=root --include=git,make,ca-certificates "$SUITE" "$tree" "$(debian_mirror)"
    apt-config dump | grep '^Acquire::https\?::' >"$tree/etc/apt/apt.conf.d/machine" || true
    cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs"
    fresh_clone "$tree/root/clone"
    # A clone of it has all of its files.
    git -C "$tree/root/clone" add --all
    git -C "$tree/root/clone" -c user.name=test -c user.email=test commit --quiet --allow-empty --message='as it is'
}

teardown_file() {
    rm -rf --one-file-system "$work"
}

teardown() {
    if mountpoint --quiet "$tree"; then unmount_above; fi
}

# Runs a command in the clone, with the mounts of a machine, first of all its root; these end with the command.
on_new_machine() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --pid --fork bash -euc '
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        cp --dereference /etc/resolv.conf "$1/etc/resolv.conf"
        exec chroot "$1" env --ignore-environment --chdir=/root/clone HOME=/root PIP_CERT="${PIP_CERT-}" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "${@:2}"
    ' bash "$tree" "$@"
}

# Prints block number $2 of commands in the section $1 of README.md.
commands_of() {
    sed --quiet "/^## $1\$/,/^## /p" "$repository/README.md" |
        awk -v number="$2" '/^    / { block += !inside; inside = 1; if (block == number) print; next } { inside = 0 }'
}

@test "$SUITE: from a clone to a mounted volume, by the commands of README.md" {
    mount_above "$tree"
    # Programs of a real machine: a kernel, mount, sudo, cryptsetup, mkfs. The virtual one makes its own initramfs of busybox.
    on_new_machine apt-get update
    on_new_machine env INITRD=No apt-get install --yes --no-install-recommends linux-image-amd64 mount sudo cryptsetup \
        e2fsprogs busybox-static
    echo 'APT::Get::Assume-Yes "true";' >"$tree/etc/apt/apt.conf.d/yes"
    began=$SECONDS
    {
        # On an overlay, a hard link to a file of the layer below is another file, which git refuses.
        echo "uname() { echo $(bootable_release "$tree"); }"
        commands_of Installation 1 | sed 's|clone URL|clone --no-hardlinks /root/clone|'
    } >"$tree/root/installation"
    on_new_machine sh -eux /root/installation
    echo "# $SUITE: installed after $((SECONDS - began)) s" >&3
    {
        commands_of Usage 1 | sed 's|DEVICE|/dev/vda|'
        echo 'cryptsetup status secret | grep "cipher: *sm4-xts-plain64"'
        echo 'mountpoint /mnt'
    } >"$tree/root/usage"
    for _ in 1 2; do echo 'correct horse battery staple'; done >"$tree/root/passphrases"
    truncate --size=64M "$work/disk.img"
    "$repository/test/vm/boot" --seconds 600 --disk "$work/disk.img" "$tree" \
        sh -euxc 'modprobe virtio_blk; . /root/usage </root/passphrases'
    echo "# $SUITE: mounted after $((SECONDS - began)) s, in an emulated machine" >&3
}

@test "$SUITE: make check" {
    on_new_machine make check
}

@test "$SUITE: make demo" {
    on_new_machine make demo
}

@test "$SUITE: make clean-cache" {
    on_new_machine make clean-cache
    [[ ! -e $tree/root/.cache/sm4-fast ]]
}
