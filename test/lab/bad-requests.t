#!/bin/bash
# test/lab/bad-requests.t VERSION RANDOM LONGEST
#
# TAP: the suite sm4_requests of test/kunit, bad requests to every driver and RANDOM random ones, in the user-mode Linux VERSION
# (6.12 or 7.2) with the kernel's checks of memory, locks and arithmetic. The first driver of each algorithm gets requests of up
# to LONGEST bytes, the others of 100000: longer requests are not different for the tiers.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 3 ]] || fail "usage: bad-requests.t VERSION RANDOM LONGEST"

if outside; then
    prepare "$1" suites
    # For the longest requests, mainline's C code needs more than the 26 seconds that RCU would wait in a kernel which,
    # like this one, is not preemptible.
    command_line+=' rcupdate.rcu_cpu_stall_timeout=300'
    run_inside
fi

load_modules tiers=all
run_suite requests random="$2" longest="$3"
result 'every driver has been tested' "$(diff <(drivers | sort) <(tested_drivers test_rules))"
end_without_reports
