#!/bin/bash
# test/lab/failures.t VERSION RANDOM [TIERS]
#
# TAP: each memory allocation of a request fails in turn, in the user-mode Linux VERSION (6.12 or 7.2) with the
# kernel's checks of memory, locks and arithmetic. The requests are those of bad-requests.t, RANDOM random ones among them.
# With TIERS, only that number of the fastest tiers is loaded. (test/host/loading.c tests failing allocations during loading.)
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 || $# -eq 3 ]] || fail "usage: failures.t VERSION RANDOM [TIERS]"

prepare "$1" "$lab/guest/Kbuild" "$lab/guest/sm4-requests.c" "$repository"/test/requests/*.h
mapfile -t tiers < <(tiers_of_this_cpu | tail --lines="${3:-+1}")
"$lab/boot" --seconds 14400 --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1' "$kernel" \
    "$lab/guest/failures" "$kernel" "$modules" "$2" "${tiers[@]}"
