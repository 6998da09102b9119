#!/bin/bash
# test/lab/batches.t VERSION BURSTS
#
# TAP: the drivers for several packets of ESP at once, on two processors, in the user-mode Linux VERSION (7.2) with the kernel's
# checks of memory, locks and arithmetic: BURSTS bursts of random requests with softirqs off on each processor, compared with
# the drivers for single requests (see test/lab/guest/sm4-batches.c), while keys change, and when some allocations
# fail; and ESP between two network namespaces, while states change and the module is unloaded.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: batches.t VERSION BURSTS"

"$repository/test/need" iproute2 iputils-ping >&2
prepare "$1" "$lab/guest/Kbuild" "$lab"/guest/{sm4-batches.c,packets.h,threads.h}
"$lab/boot" --processors 2 --seconds 7200 --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1' "$kernel" \
    "$lab/guest/batches" "$kernel" "$modules" "$2"
