#!/bin/bash
# test/lab/failures.t VERSION RANDOM [TIERS]
#
# TAP: each memory allocation of a request fails in turn, in the user-mode Linux VERSION (6.12 or 7.2) with the
# kernel's checks of memory, locks and arithmetic. The requests are those of bad-requests.t, RANDOM random ones among them.
# With TIERS, only that number of the fastest tiers is loaded. (test/host/loading.c tests failing allocations during loading.)
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 || $# -eq 3 ]] || fail "usage: failures.t VERSION RANDOM [TIERS]"

if outside; then
    prepare "$1" suites
    tiers_of_this_cpu | tail --lines="${3:-+1}" >"$modules/tiers"
    run_inside
fi

failslab=/sys/kernel/debug/failslab

# Every kmalloc() may fail, without a message.
mount -t debugfs debugfs /sys/kernel/debug
echo N >$failslab/ignore-gfp-wait
echo 0 >$failslab/verbose
for cache in /sys/kernel/slab/kmalloc-*; do
    echo 1 >"$cache/failslab"
done
echo Y >$failslab/cache-filter

load_modules tiers="$(paste --serial --delimiters=, "$modules/tiers")"
await_selftests
run_suite requests random="$2" longest=20000 no_memory=1
result 'every driver has been tested' "$(diff <(drivers | sort) <(tested_drivers test_rules))"
end_without_reports
