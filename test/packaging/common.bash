# Loaded by the tests of test/packaging: where things lie, a clone to make packages in, and a layer above a root tree.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$BATS_TEST_DIRNAME/../vm/common.sh"

# What the make was told that runs this test is not meant for those that are tested.
unset MAKEFLAGS MAKELEVEL MFLAGS

# The version, from the one place that has it
# shellcheck disable=SC2034  # not every test asks for it
version=$(sed -n 's/^MODULE_VERSION("\(.*\)");$/\1/p' "$repository/sm4-fast-glue.c")

# A fresh clone in the folder $1, with what is not committed yet
fresh_clone() {
    git clone --quiet "$repository" "$1"
    git -C "$repository" ls-files -z --modified --others --exclude-standard |
        (cd "$repository" && xargs --null --no-run-if-empty cp --parents --target-directory="$1")
}

# Mounts a layer above the root tree $1, which stays as it is, and which nobody may replace meanwhile. Sets tree, and work,
# a folder for more; for setup_file.
mount_above() {
    exec {lock}>"$1.in-use"
    flock --shared "$lock"
    work=$(mktemp --directory)
    tree=$work/tree
    export work tree
    mkdir "$work/changes" "$work/overlay" "$tree"
    mount --types overlay --options "lowerdir=$1,upperdir=$work/changes,workdir=$work/overlay" overlay "$tree"
}

# The same above the root tree of KERNEL, without what other tests have built and installed there. Sets release, its
# kernel's.
# shellcheck disable=SC2153  # the environment says which
mount_above_kernel() {
    mount_above "$("$repository/test/vm/root-tree" "$KERNEL")"
    release=$(bootable_release "$tree")
    export release
    rm -rf "$tree/lib/modules/$release/updates" "$tree"/usr/src/sm4-fast-*
}

# Removes what mount_above has made; for teardown_file.
unmount_above() {
    umount "$tree"
    rm -rf --one-file-system "$work"
}
