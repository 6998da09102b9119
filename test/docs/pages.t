#!/bin/bash
# test/docs/pages.t PAGE...
#
# Whether the pages of docs say what is so, as TAP: on Debian 13 with our package installed, and the kernel's table of
# algorithms for IPsec as docs/ipsec.md has it, test/docs/play does in a virtual machine what each PAGE tells its reader
# to do.
set -euo pipefail
# shellcheck source=test/vm/common.sh
source "$(dirname "$0")/../vm/common.sh"

[[ $# -gt 0 ]] || fail "usage: pages.t PAGE..."

# What is mounted here is gone when this script ends.
if [[ -z ${OWN_MOUNTS-} ]]; then
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

"$repository/test/need" "${machine_packages[@]}" make >&2
clean=$("$repository/test/vm/root-tree" 6.12)
kcapi=$("$repository/test/docs/kcapi")

# The package is installed into a layer above the tree, which stays as it is.
work=$(mktemp --directory "$trees/documentation.XXXXXX")
trap 'umount --lazy "$tree" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
tree=$work/tree
mkdir "$work"/{above,work,tree}
exec 8>"$clean.in-use"
flock --shared 8
mount -t overlay overlay -o "lowerdir=$clean,upperdir=$work/above,workdir=$work/work" "$tree"

# What other tests have installed in the tree is not there.
rm -rf "$tree"/lib/modules/*/updates

clone=$tree/root/clone
mkdir "$clone"
git -C "$repository" ls-files -z --cached --others --exclude-standard |
    (cd "$repository" && xargs --null cp --parents --target-directory="$clone")
git -C "$clone" init --quiet
git -C "$clone" add --all

# The kernel's table by each of the ways that there are, from one to the next: the last of them stays.
release=$(bootable_release "$tree")
install_xfrm() {
    local target
    for target in xfrm-install xfrm-uninstall xfrm-dkms xfrm-dkms xfrm-dkms-uninstall xfrm-dkms; do
        in_tree make -C /root/clone "KDIR=/lib/modules/$release/build" $target || return
        # The stock one has no version.
        [[ $target == *uninstall ]] ||
            [[ $(in_tree modinfo --set-version="$release" --field=version xfrm_algo) ]] || return
    done
}

if log=$({
    make -C "$clone" deb &&
        in_tree sh -c 'dpkg --install /root/clone/dist/sm4-fast-dkms_*.deb' &&
        install_xfrm
} 2>&1); then
    echo '# the package and xfrm_algo are installed'
else
    echo 'not ok 1 - the package and xfrm_algo are installed'
    tail --lines=30 <<<"$log" | sed 's/^/# /'
    echo 1..1
    exit
fi
install --mode=755 "$kcapi" "$tree/usr/local/bin/kcapi"

# In the machine there is no udev, and nothing that loads modules when a file is mounted.
mkdir -p "$cache/log"
"$repository/test/vm/boot" --seconds 1800 --log "$cache/log/pages.log" "$tree" env DM_DISABLE_UDEV=1 \
    sh -c "ip link set lo up; modprobe --all loop dm-mod; test/docs/play ${*@Q}"
