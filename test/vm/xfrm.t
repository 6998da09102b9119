#!/bin/bash
# test/vm/xfrm.t KERNEL|ROOT-TREE|other
#
# TAP: ESP with SM4 on one of Debian's kernels or on that of a ROOT-TREE (see kernel.t). First checks that the patches in
# integration/xfrm, for users who build a kernel, apply to its source, if the package linux-source-* is in the tree. Then the
# tests of test/vm/guest/esp run in a virtual machine that boots the kernel, with its own table of algorithms. The kernel's
# messages go to log/KERNEL-xfrm.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: xfrm.t KERNEL|ROOT-TREE|other"
prepare_tree "$1"

# Prints the messages of patch, in a folder with only the kernel's table of algorithms.
apply_patches() {
    local archive work=$1
    archive=$(compgen -G "$tree/usr/src/linux*source-*.tar.*" | sort --version-sort | tail --lines=1)
    tar --extract --file "$archive" --directory "$work" --strip-components=1 --occurrence=1 \
        --wildcards --no-wildcards-match-slash '*/net/xfrm/xfrm_algo.c'
    make --silent --directory="$repository" xfrm-patch SOURCE="$work"
}

if compgen -G "$tree/usr/src/linux*source-*.tar.*" >/dev/null; then
    folder=$(mktemp --directory)
    check 'the patches for its source apply' apply_patches "$folder"
    rm -r "$folder"
fi
run_tests 3000 "$(basename "$1")-xfrm" test/vm/guest/esp
end
