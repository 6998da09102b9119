#!/bin/bash
# test/vm/xfrm.t KERNEL|ROOT-TREE|other
#
# ESP with SM4 in GCM and CCM mode on one of Debian's kernels or on that of a ROOT-TREE (see
# kernel.t), as TAP: xfrm_algo is built from the package linux-source of suite or tree, without a warning, and the tests of
# test/vm/guest/esp run in a virtual machine that boots the kernel with it in place of the stock one. What the kernel says
# goes to log/KERNEL-xfrm.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: xfrm.t KERNEL|ROOT-TREE|other"
prepare_tree "$1"
if ! is_own_tree "$1" && [[ $booted != "$kernel".* ]]; then
    result ok "ESP with GCM and CCM # SKIP the archive has no kernel $kernel to boot, and the source of no other"
    end
elif ! has_kernel_source; then
    result ok "ESP with GCM and CCM # SKIP there is no source of its kernel in the root tree (the package linux-source-*)"
    end
fi
prepare_xfrm
run_tests 3000 "$(basename "$1")-xfrm" test/vm/guest/esp
remove_xfrm
end
