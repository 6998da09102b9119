# Sourced by the tests in this folder: the tree of their gateways. It has a copy of this folder in root/clone.
# shellcheck shell=bash

# shellcheck source=test/lab/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../test/lab/common.sh"
here=integration/ike/test

# Mounts of the program end with it.
if [[ -z ${OWN_MOUNTS-} ]]; then
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

# Sets tree, the root tree of a gateway with Debian $1 (tree), until the script ends: a layer above the tree in
# the cache, with the tracked files of $2... in root/clone. The script has its own mounts.
mount_gateway() {
    local below

    make_or_skip "$repository/$here/tree" "$1"
    below=$made
    exec 8>"$below.in-use"
    flock --shared 8
    layers=$(mktemp --directory)
    trap 'umount --recursive --lazy "$layers" || true; rmdir "$layers"; rm -rf "${modules-}"' EXIT
    # In memory: `make ike` copies thousands of files, which a busy disk takes minutes to write and to remove.
    mount -t tmpfs tmpfs "$layers"
    tree=$layers/tree
    mkdir "$layers"/{above,work,tree}
    mount -t overlay overlay -o "lowerdir=$below,upperdir=$layers/above,workdir=$layers/work" "$tree"
    mkdir "$tree/root/clone"
    git -C "$repository" ls-files -z --cached --others --exclude-standard "${@:2}" |
        (cd "$repository" && xargs --null cp --parents --target-directory="$tree/root/clone")
}

# Runs a command in that tree, which builds what is to be tested. If it fails, so does the test.
build() {
    local log

    log=$(in_tree "$@" 2>&1) && return
    result "$*" "${log:-it failed}"
    end
}

# Installs the plugin there, as on a gateway without a compiler: by the package of `make ike-deb`.
install_plugin() {
    build make --directory=/root/clone ike-deb SOURCE=/usr/src/strongswan
    # The gateways' kernel has the module, without its package: an empty one of that name, as dpkg runs no trigger of a
    # package that lacks another.
    build sh -ec 'mkdir -p /run/sm4-fast-ipsec/DEBIAN
        printf "%s\n" "Package: sm4-fast-ipsec" "Version: 0" "Architecture: all" "Maintainer: nobody" "Description: none" \
            >/run/sm4-fast-ipsec/DEBIAN/control
        dpkg-deb --build /run/sm4-fast-ipsec /run
        dpkg --install /run/sm4-fast-ipsec_*.deb /root/clone/dist/strongswan-sm4-fast_*_amd64.deb'
}
