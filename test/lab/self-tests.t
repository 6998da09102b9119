#!/bin/bash
# test/lab/self-tests.t VERSION ROUNDS
#
# TAP: the kernel's own tests of every driver in their long form, in user-mode Linux VERSION (6.12 or 7.2) with the kernel's
# checks of memory, locks and arithmetic. In each of ROUNDS, every driver, and HMAC over every SM3, gets
# 2000 random requests, which are compared with mainline's C code; and, with each test vector and in each
# direction, 250 random memory layouts; in many of them SIMD is not usable.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: self-tests.t VERSION ROUNDS"

prepare "$1"
mapfile -t tiers < <(tiers_of_this_cpu)
"$lab/boot" --seconds 14400 --append 'loglevel=0 log_buf_len=4M' "$kernel" \
    "$lab/guest/self-tests" "$kernel" "$modules/sm4-fast/sm4-fast.ko" "$2" "${tiers[@]}"
