#!/bin/bash
# test/vm/hygon.t KERNEL|ROOT-TREE|other
#
# TAP: one of Debian's kernels (5.10, 6.1, 6.12, 7.2, 7.3), or that of a root tree of another distribution, on a processor of
# Hygon. QEMU's processor lacks the SM4 instructions of Hygon's newer ones: the module has to detect that, and to work without
# them. In the first case, nothing announces them. In the second, the module is built as for a kernel that has a name for them
# and reports them: the module tries them, and the processor refuses. The kernel's messages go to log/KERNEL-hygon.log in the
# cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: hygon.t 5.10|6.1|6.12|7.2|7.3|ROOT-TREE|other"
prepare_tree "$1"
folder=$tree/lib/modules/$booted/updates
# The name is defined as a feature that all processors have.
KCFLAGS=-DX86_FEATURE_HYGON_SM4=X86_FEATURE_XMM2 "$repository/test/vm/build" "$tree" "$booted" | comment
# depmod must not find it.
mv "$folder/sm4-fast.ko" "$folder/sm4-fast.announced"
"$repository/test/vm/build" "$tree" "$booted" | comment
result 'a module builds that takes the instructions for announced' \
    "$(! cmp --quiet "$folder/sm4-fast.ko" "$folder/sm4-fast.announced" || echo 'it is the same as the other one')"
trees_to_boot=(--cpu vendor=HygonGenuine "${trees_to_boot[@]}")
run_tests 300 "$(basename "$1")-hygon" test/vm/guest/hygon
rm "$folder/sm4-fast.announced"
end
