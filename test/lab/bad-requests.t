#!/bin/bash
# test/lab/bad-requests.t VERSION RANDOM LONGEST
#
# Bad requests for every driver, and besides RANDOM random ones, as TAP, in the user-mode Linux VERSION (6.12 or 7.2)
# with all that notices memory, locks and arithmetic going wrong. One driver of each algorithm has requests of up to
# LONGEST bytes, the others of 100000. What is tried and which answer is right is in test/requests/trials.h.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 3 ]] || fail "usage: bad-requests.t VERSION RANDOM LONGEST"

prepare "$1" "$lab/guest/Kbuild" "$lab/guest/sm4-requests.c" "$repository"/test/requests/*.h
# The longest requests take mainline's C code more than the 26 seconds that RCU would wait in a kernel which, as this one,
# preempts nothing.
"$lab/boot" --seconds 14400 \
    --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1 rcupdate.rcu_cpu_stall_timeout=300' "$kernel" \
    "$lab/guest/bad-requests" "$kernel" "$modules" "$2" "$3"
