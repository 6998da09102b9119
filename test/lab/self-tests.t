#!/bin/bash
# test/lab/self-tests.t VERSION ITERATIONS
#
# The kernel's own tests of every driver in their long form, as TAP, in user-mode Linux VERSION (6.12 or 7.2) with all
# that notices memory, locks and arithmetic going wrong. Every driver is asked for 8 * ITERATIONS random requests that
# mainline's C code is asked for, too, and, with each test vector and in each direction, for ITERATIONS random
# arrangements of memory; in many of them SIMD is not usable.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: self-tests.t VERSION ITERATIONS"
version=$1
iterations=$2

prepare "$version"
mapfile -t tiers < <(tiers_of_this_cpu)
"$lab/boot" --seconds 3600 --append "loglevel=0 log_buf_len=4M cryptomgr.fuzz_iterations=$iterations" "$kernel" \
    "$lab/guest/self-tests" "$kernel" "$modules/sm4-fast/sm4-fast.ko" "$iterations" "${tiers[@]}"
