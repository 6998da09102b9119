#!/bin/bash
# test/lab/batches.t VERSION BURSTS
#
# The drivers that do several packets of ESP at once on two processors, as TAP, in the user-mode Linux VERSION (7.2) with all
# that notices memory, locks and arithmetic going wrong: BURSTS bursts of random requests with softirqs off on each of them,
# beside the drivers that do them one by one (test/lab/guest/sm4-batches.c says how), while keys change, and when there is no
# memory at times; and ESP between two network namespaces whose states change, and the module is unloaded, under load.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: batches.t VERSION BURSTS"

"$repository/test/need" iproute2 iputils-ping >&2
prepare "$1" "$lab/guest/Kbuild" "$lab"/guest/{sm4-batches.c,packets.h}
"$lab/boot" --processors 2 --seconds 7200 --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1' "$kernel" \
    "$lab/guest/batches" "$kernel" "$modules" "$2"
