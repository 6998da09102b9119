#!/bin/bash
# test/lab/stress.t VERSION SECONDS
#
# The module on two processors, on the tiers of this machine's, as TAP, in the user-mode Linux VERSION (7.2) with all that
# notices memory, locks and arithmetic going wrong: its parameters, and ESP as GM/T 0022 has it; then for SECONDS, programs,
# volumes and packets use it at once; then it is loaded and unloaded again and again for as long. (What takes a CPU that
# goes, or a real interrupt, is in test/vm/stress.t.)
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
