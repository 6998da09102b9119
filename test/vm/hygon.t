#!/bin/bash
# test/vm/hygon.t KERNEL|ROOT-TREE|other
#
# One of Debian's kernels (5.10, 6.1, 6.12, 7.2, 7.3), or that of a root tree of another distribution, on a processor of
# Hygon, as TAP. QEMU's has none of the SM4 instructions that Hygon's newer ones have: the module has to find that out, and
# to do without. First, that is because nothing announces them; then with a module that is built as for a kernel which
# names them, and says that they are there, so that it tries them, and the processor refuses. What the kernel says goes to
# log/KERNEL-hygon.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: hygon.t 5.10|6.1|6.12|7.2|7.3|ROOT-TREE|other"
prepare_tree "$1"
folder=$tree/lib/modules/$booted/updates
# The name is that of a feature which all processors have.
KCFLAGS=-DX86_FEATURE_HYGON_SM4=X86_FEATURE_XMM2 "$repository/test/vm/build" "$tree" "$booted" | comment
# depmod is not to see it.
mv "$folder/sm4-fast.ko" "$folder/sm4-fast.announced"
"$repository/test/vm/build" "$tree" "$booted" | comment
if cmp --quiet "$folder/sm4-fast.ko" "$folder/sm4-fast.announced"; then
    result 'not ok' 'a module builds that takes the instructions for announced'
else
    result ok 'a module builds that takes the instructions for announced'
fi
trees_to_boot=(--cpu vendor=HygonGenuine "${trees_to_boot[@]}")
run_tests 300 "$(basename "$1")-hygon" test/vm/guest/hygon
rm "$folder/sm4-fast.announced"
end
