#!/bin/bash
# test/lab/flood.t VERSION ROUNDS
#
# TAP: more packets of ESP than the next queue can hold, from two processors into one SA, in the user-mode Linux VERSION (7.2)
# at native speed: effects of the drivers for several packets at once on the machine. The checks are in
# test/lab/guest/sm4-flood.c.
#
# Meanwhile, other programs of this machine cannot use these CPUs (chrt): if one of two processors is stopped, the other may
# wait for a lock that it holds. A flood ends before Linux lets other programs run, after 0.95 seconds of each second.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: flood.t VERSION ROUNDS"

# shellcheck disable=SC2034  # for prepare
configurations=(netfilter.config)
prepare "$1" "$lab/guest/Kbuild" "$lab"/guest/{sm4-flood.c,packets.h,threads.h}
chrt --fifo 1 "$lab/boot" --processors 2 --seconds $((120 + 20 * $2)) --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$lab/guest/flood" "$kernel" "$modules" "$2"
