#!/bin/bash
# test/lab/tweaks.t VERSION ROUNDS
#
# TAP: consecutive sectors by each driver of XTS on two processors, in the user-mode Linux VERSION (7.2) with the kernel's
# checks of memory, locks and arithmetic: ROUNDS runs of sectors on each processor while keys change, compared with
# mainline's code, by the suite sm4_tweaks of test/kunit.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: tweaks.t VERSION ROUNDS"

if outside; then
    prepare "$1" suites
    boot+=(--processors 2)
    run_inside
fi

load_modules tiers=all
run_suite tweaks rounds="$2"
result 'every driver of XTS has been tested' \
    "$(diff <(algorithms | sed -n 's/^xts(sm4) \([^ ]*\).*/\1/p' | sort) <(tested_drivers test_consecutive_sectors))"
end_without_reports
