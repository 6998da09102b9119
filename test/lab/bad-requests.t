#!/bin/bash
# test/lab/bad-requests.t VERSION RANDOM LONGEST
#
# TAP: bad requests to every driver, and RANDOM random ones, in the user-mode Linux VERSION (6.12 or 7.2)
# with the kernel's checks of memory, locks and arithmetic. One driver of each algorithm gets requests of up to
# LONGEST bytes, the others of 100000. test/requests/trials.h defines the requests and the right answers.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 3 ]] || fail "usage: bad-requests.t VERSION RANDOM LONGEST"

prepare "$1" "$lab/guest/Kbuild" "$lab/guest/sm4-requests.c" "$repository"/test/requests/*.h
# For the longest requests, mainline's C code needs more than the 26 seconds that RCU would wait in a kernel which, like this
# one, is not preemptible.
"$lab/boot" --seconds 14400 \
    --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1 rcupdate.rcu_cpu_stall_timeout=300' "$kernel" \
    "$lab/guest/bad-requests" "$kernel" "$modules" "$2" "$3"
