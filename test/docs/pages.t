#!/bin/bash
# test/docs/pages.t PAGE...
#
# TAP: whether the pages of docs are correct. On Debian 13 with our package, and strongSwan with our plugin as installed by
# docs/ike.md, test/docs/play runs the commands of each PAGE in a virtual machine.
#
# Environment:
#   KERNEL  selects the Debian release by its kernel (default: 6.12; Debian 12 has 6.1)
set -euo pipefail
# shellcheck source=test/vm/common.sh
source "$(dirname "$0")/../vm/common.sh"

[[ $# -gt 0 ]] || fail "usage: pages.t PAGE..."

# Mounts of this script end with it.
if [[ -z ${OWN_MOUNTS-} ]]; then
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

"$repository/test/need" "${machine_packages[@]}" make >&2
kernel=${KERNEL:-6.12}
clean=$("$repository/test/vm/root-tree" "$kernel")
make_or_skip "$repository/test/docs/kcapi"
kcapi=$made

# The package is installed into a layer above the tree, which is not changed.
work=$(mktemp --directory "$trees/documentation.XXXXXX")
trap 'umount --lazy "$tree" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
tree=$work/tree
mkdir "$work"/{above,work,tree}
exec 8>"$clean.in-use"
flock --shared 8
mount -t overlay overlay -o "lowerdir=$clean,upperdir=$work/above,workdir=$work/work" "$tree"

# Remove modules that other tests have installed in the tree.
rm -rf "$tree"/lib/modules/*/updates

clone=$tree/root/clone
mkdir "$clone"
git -C "$repository" ls-files -z --cached --others --exclude-standard |
    (cd "$repository" && xargs --null cp --parents --target-directory="$clone")
git -C "$clone" init --quiet
git -C "$clone" add --all

# Runs the commands of docs/ike.md for the first installation, except the start of the daemon. The root tree gets the archive of
# security updates, too, if this machine uses it.
install_ike() {
    local commands

    choose_suites "$kernel"
    security_source "${suites[0]}" >"$tree/etc/apt/sources.list.d/security.list"
    in_tree apt-get update
    commands=$(sed -n '/^## Installation$/,/systemctl restart/s/^    \(sudo \|\)\(apt-get.*\|make .*\)/\2/p' "$repository/docs/ike.md")
    [[ $commands == apt-get*'make ike-deb'*'apt-get install ./strongswan-sm4-fast_*_amd64.deb' ]] || return
    # The gateway is the machine that makes the package.
    commands=${commands/ .\/strongswan/ .\/dist\/strongswan}
    echo 'APT::Get::Assume-Yes "true";' >"$tree/etc/apt/apt.conf.d/yes"
    in_tree env DEBIAN_FRONTEND=noninteractive sh -euxc "cd /root/clone; $commands" || return
    # Real machines already have AppArmor.
    in_tree apt-get install apparmor
}

# Whether "make ike-deb" failed because the archive lacks the source
lacks_strongswan() {
    local status=0
    in_tree /root/clone/integration/ike/get-source /root/strongswan >/dev/null 2>&1 || status=$?
    [[ $status -eq $not_in_archive ]]
}

if log=$({
    make -C "$clone" deb &&
        in_tree sh -c 'dpkg --install /root/clone/dist/sm4-fast*.deb' &&
        install_ike
} 2>&1); then
    echo '# the package and strongSwan are installed'
elif lacks_strongswan; then
    skip_all "the source of strongSwan cannot be fetched: $(first_error - <<<"$log")"
else
    result 'the package and strongSwan are installed' "$(tail --lines=30 <<<"$log")"
    end
fi
install --mode=755 "$kcapi" "$tree/usr/local/bin/kcapi"

mkdir -p "$cache/log"
"$repository/test/vm/boot" --seconds 7200 --log "$cache/log/pages.log" "$tree" test/vm/guest/pages "$@"
