# Loaded by the tests of test/packaging: paths, a clone to make packages in, and a layer above a root tree.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$BATS_TEST_DIRNAME/../vm/common.sh"

# Variables of a make that runs this test must not reach the make that is tested.
unset MAKEFLAGS MAKELEVEL MFLAGS

# The version, from the only place that defines it
# shellcheck disable=SC2034  # not every test asks for it
version=$(sed -n 's/^MODULE_VERSION("\(.*\)");$/\1/p' "$repository/sm4-fast-glue.c")

# Mounts a layer above the root tree $1, which is not changed, and which nobody may replace meanwhile. Sets tree, and work,
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

# The same above the root tree of KERNEL, without the modules and files that other tests have installed there. Sets release, its
# kernel's.
# shellcheck disable=SC2153  # the environment says which
mount_above_kernel() {
    mount_above "$("$repository/test/vm/root-tree" "$KERNEL")"
    release=$(bootable_release "$tree")
    export release
    rm -rf "$tree/lib/modules/$release/updates" "$tree"/usr/src/sm4-fast-*
}

# Makes programs in the root tree believe that its kernel, $release, is the running one.
pretend_to_run_its_kernel() {
    [[ -e $tree/usr/bin/uname.all ]] || mv "$tree/usr/bin/uname" "$tree/usr/bin/uname.all"
    # shellcheck disable=SC2016  # the script expands it
    printf '#!/bin/sh\ncase $1 in -r | --kernel-release) echo %s ;; *) uname.all "$@" ;; esac\n' "$release" \
        >"$tree/usr/bin/uname"
    chmod 755 "$tree/usr/bin/uname"
}

# Adds another kernel $1 to the root tree, with the headers and some of the modules of the existing one.
add_kernel() {
    mkdir --parents "$tree/lib/modules/$1/kernel"
    cp --recursive --no-dereference "$tree/lib/modules/$release"/{build,modules.builtin*,modules.order} "$tree/lib/modules/$1"
    cp --recursive "$tree/lib/modules/$release/kernel/lib" "$tree/lib/modules/$1/kernel"
    in_tree depmod "$1"
}

# Makes headers of a kernel of release $1 and version $2, with only the files that are checked before a build.
make_headers() {
    local include=$tree/lib/modules/$1/build/include
    mkdir --parents "$include"/{generated/uapi/linux,config}
    awk -F . '{ print "#define LINUX_VERSION_MAJOR", $1 "\n#define LINUX_VERSION_PATCHLEVEL", $2
                print "#define LINUX_VERSION_SUBLEVEL", $3 }' <<<"$2" >"$include/generated/uapi/linux/version.h"
}

# Whether DKMS has installed sm4-fast for the kernel $1 of the root tree: the package's version $2, whose module has the version $3,
# or the same
has_version() {
    in_tree dkms status -m sm4-fast | grep "sm4-fast/$2, $1, x86_64: installed"
    [[ $(modinfo --basedir "$tree" --set-version "$1" --field version sm4-fast) == "${3-$2}" ]]
}

# Has dpkg, with these options, configure what it has unpacked. A package that it was unpacking when it was killed has to be installed
# again: dpkg refuses to configure it. What depmod was writing is left behind.
configure_after_kill() {
    rm --force "$tree"/lib/modules/*/modules.*.[0-9]*.[0-9]*.[0-9]*
    # shellcheck disable=SC2016  # dpkg-query expands it
    in_tree dpkg "$@" --configure --pending ||
        [[ $(in_tree dpkg-query --show --showformat '${db:Status-Eflag} ' 'sm4-fast*') == *reinstreq* ]]
}

# Makes an RPM package without files, and puts it into the folder $work/repository: make_rpm NAME VERSION RELEASE [LINE...]
make_rpm() {
    printf '%s\n' "Name: $1" "Version: $2" "Release: $3" 'Summary: A stand-in' 'License: None' "${@:4}" \
        %description 'A stand-in.' %files >"$work/$1.spec"
    rpmbuild --quiet -bb --define "_topdir $work/rpmbuild" --define "_rpmdir $work/repository" "$work/$1.spec"
}

# Undoes mount_above; for teardown_file.
unmount_above() {
    umount "$tree"
    rm -rf --one-file-system "$work"
}
