#!/bin/bash
# test/lab/flood.t VERSION ROUNDS
#
# TAP: more packets of ESP than the next queue can hold, from two processors into one SA, in the user-mode Linux VERSION (7.2)
# at native speed: effects of the drivers for several packets at once on the machine. Floods go outwards and inwards, ROUNDS
# times: from senders that wait while enough packets are in flight, and from others that do not wait, with slow completions. The
# checks are in the suite sm4_flood of test/kunit.
#
# Meanwhile, other programs of this machine cannot use these CPUs (chrt): if one of two processors is stopped, the other may
# wait for a lock that it holds. A flood ends before Linux lets other programs run, after 0.95 seconds of each second.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: flood.t VERSION ROUNDS"

if outside; then
    configurations=(netfilter.config)
    prepare "$1" suites
    boot=(chrt --fifo 1 "${boot[@]}" --processors 2)
    run_inside
fi

load_modules batch=1
for ((round = 0; round < $2; round++)); do
    run_suite flood
done
unload
result 'the kernel has nothing to report' "$(reports)"
end
