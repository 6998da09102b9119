#!/bin/bash
# test/vm/xfrm.t KERNEL
#
# ESP with SM4 in GCM and CCM mode on one of Debian's kernels (6.1, 6.12, 7.2, 7.3), as TAP: xfrm_algo is built from the
# suite's own source package, without a warning, and the tests of test/vm/guest/esp run in a virtual machine that boots
# the kernel with it in place of the stock one. What the kernel says goes to log/KERNEL-xfrm.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: xfrm.t 6.1|6.12|7.2|7.3"
prepare_tree "$1"
case $booted in
"$kernel".*) ;;
*)
    result ok "ESP with GCM and CCM # SKIP the archive has no kernel $kernel to boot, and the source of no other"
    end
    ;;
esac
if messages=$("$repository/test/vm/build-xfrm" "$tree" "$booted" 2>&1) && [[ -z $messages ]]; then
    result ok "xfrm_algo builds for $booted without a warning"
else
    result 'not ok' "xfrm_algo builds for $booted without a warning"
    comment <<<"$messages"
    end
fi
run_tests 3000 "$kernel-xfrm" test/vm/guest/esp
rm "$tree/lib/modules/$booted/updates/xfrm_algo.ko"
in_tree depmod "$booted"
end
