#!/bin/bash
# test/vm/xfrm.t KERNEL
#
# ESP with SM4 in GCM and CCM mode on one of Debian's kernels (5.10, 6.1, 6.12, 7.2, 7.3), as TAP: xfrm_algo is built from
# the suite's own source package, without a warning, and the tests of test/vm/guest/esp run in a virtual machine that boots
# the kernel with it in place of the stock one. What the kernel says goes to log/KERNEL-xfrm.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: xfrm.t 5.10|6.1|6.12|7.2|7.3"
prepare_tree "$1"
case $booted in
"$kernel".*) ;;
*)
    result ok "ESP with GCM and CCM # SKIP the archive has no kernel $kernel to boot, and the source of no other"
    end
    ;;
esac
prepare_xfrm
run_tests 3000 "$kernel-xfrm" test/vm/guest/esp
remove_xfrm
end
