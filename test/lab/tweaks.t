#!/bin/bash
# test/lab/tweaks.t VERSION ROUNDS
#
# TAP: consecutive sectors by XTS on two processors, in the user-mode Linux VERSION (7.2) with the kernel's checks of memory,
# locks and arithmetic: ROUNDS runs of sectors on each processor while keys change, compared with mainline's code (see
# test/lab/guest/sm4-tweaks.c).
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: tweaks.t VERSION ROUNDS"

prepare "$1" "$lab/guest/Kbuild" "$lab"/guest/{sm4-tweaks.c,threads.h}
"$lab/boot" --processors 2 --seconds 7200 --append 'loglevel=0 log_buf_len=4M cryptomgr.notests=1' "$kernel" \
    "$lab/guest/tweaks" "$kernel" "$modules" "$2"
