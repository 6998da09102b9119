#!/bin/bash
# test/lab/self-tests.t VERSION ROUNDS
#
# The kernel's own tests of every driver in their long form, as TAP, in user-mode Linux VERSION (6.12 or 7.2) with all
# that notices memory, locks and arithmetic going wrong. In each of ROUNDS, every driver, and HMAC over every SM3, is
# asked for 2000 random requests that mainline's C code is asked for, too; and, with each test vector and in each
# direction, for 250 random arrangements of memory; in many of them SIMD is not usable.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: self-tests.t VERSION ROUNDS"

prepare "$1"
mapfile -t tiers < <(tiers_of_this_cpu)
"$lab/boot" --seconds 14400 --append 'loglevel=0 log_buf_len=4M' "$kernel" \
    "$lab/guest/self-tests" "$kernel" "$modules/sm4-fast/sm4-fast.ko" "$2" "${tiers[@]}"
