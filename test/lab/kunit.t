#!/bin/bash
# test/lab/kunit.t VERSION
#
# TAP: the commands of docs/kernels.md that run our KUnit suites in a kernel of one's own, with the source of Linux VERSION (6.12
# or 7.2): tools/into-kernel, and the kernel's own kunit.py, which builds it for x86-64 in the cache folder, and runs it in QEMU.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: kunit.t VERSION"

# Mounts of this script end with it.
if [[ -z ${OWN_MOUNTS-} ]]; then
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

"$repository/test/need" bc bison flex gcc libc6-dev libelf-dev make perl python3 "${machine_packages[@]}" >&2
# kunit.py of 7.2 has QEMU use /dev/kvm if it is there. QEMU emulates if it is of no use.
make_or_skip "$repository/test/vm/root-tree" 6.12
if [[ -e /dev/kvm && $("$repository/test/vm/accelerator" "$made") == tcg ]]; then
    mount --bind /dev/null /dev/kvm
fi
make_or_skip "$lab/source" "$1"
need_space "$cache/lab" 2500 "Linux $1 with KUnit"
work=$(mktemp --directory "$cache/lab/kunit.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Links are enough: what is changed is written anew.
cp --archive --link "$made" "$work/linux"
ln --symbolic "$repository" "$work/sm4-fast"
cd "$repository"
HOME=$work test/docs/play docs/kernels.md
