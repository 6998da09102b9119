#!/bin/bash
# test/lab/information.t VERSION
#
# What sm4-fast-info says, compared with what the kernel says, as TAP, in user-mode Linux VERSION (6.12 or 7.2).
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: information.t VERSION"

"$repository/test/need" jq >&2
prepare "$1"
"$lab/boot" --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$lab/guest/information" "$repository/tools/sm4-fast-info" "$modules/sm4-fast/sm4-fast.ko"
