#!/bin/bash
# test/lab/stress.t VERSION SECONDS
#
# TAP: the module on two processors, with the tiers that this machine's processor can run, in the user-mode Linux VERSION
# (7.2) with KASAN, lockdep, UBSAN and kmemleak. First come the module parameters, and ESP as specified in GM/T 0022. Then
# programs, volumes and packets use the module at once for SECONDS. Last, it is loaded and unloaded repeatedly for as long.
# (test/vm/stress.t also takes CPUs offline, and has real interrupts.)
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: stress.t VERSION SECONDS"

"$repository/test/need" bats cryptsetup-bin fio iproute2 iputils-ping libgcrypt20-dev libkcapi-dev perl tcpdump >&2
prepare "$1"
install_modules
build_programs decrypt-esp known-answers
"$lab/boot" --processors 2 --seconds $((1800 + 4 * $2)) \
    --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1 brd.rd_nr=2 brd.rd_size=32768' "$kernel" \
    "$lab/guest/stress" "$modules" "$2"
