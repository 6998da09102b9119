#!/bin/bash
# test/lab/batches.t VERSION BURSTS
#
# TAP: the drivers for several packets of ESP at once, on two processors, in the user-mode Linux VERSION (7.2) with the kernel's
# checks of memory, locks and arithmetic: BURSTS bursts of random requests with softirqs off on each processor, compared with
# the drivers for single requests (the suite sm4_batches of test/kunit); the same while keys change, and while one in five
# allocations that may not wait fails; and ESP between two network namespaces, with states that both processors use, and with
# others that come and go, until the module is unloaded.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: batches.t VERSION BURSTS"

if outside; then
    "$repository/test/need" iproute2 iputils-ping >&2
    prepare "$1" suites
    boot+=(--processors 2)
    run_inside
fi

# shellcheck source=test/vm/guest/networks.bash
source "$repository/test/vm/guest/networks.bash"
bursts=$2
failslab=/sys/kernel/debug/failslab
parameters=/sys/module/sm4_fast/parameters

# Pings from both processors at once, with one state in each direction. A processor that this machine delays is overtaken by
# the other, so all packets fit into the window.
ping_from_both() {
    local cpu
    add_states 1 0x10 cbc-sm3 replay-window 512
    for cpu in 0 1; do
        taskset --cpu-list $cpu ip netns exec west ping -q -f -c 200 -s 1400 "$(address east 1)" >"/run/ping$cpu" 2>&1 &
    done
    wait
    lost=$(await_answers west 400 || true)
    remove_states
}

# Packets continue, with new states, and at times without any, until the module is unloaded meanwhile.
change_states_under_load() {
    local spi
    ip netns exec west ping -q -f -w 20 -s 1400 "$(address east 1)" >/run/ping 2>&1 &
    for ((spi = 0x100; spi < 0x120; spi += 2)); do
        add_states 1 $spi cbc-sm3 replay-window 32
        sleep 0.3
        remove_states
    done
    for _ in {1..100}; do
        ! rmmod sm4_fast 2>/run/rmmod || break
        sleep 0.1
    done
    cp /run/rmmod /run/unloading
    unprotect
    wait
}

mount -t debugfs debugfs /sys/kernel/debug
echo 0 >$failslab/verbose
load_modules tiers=all batch=1
run_suite batches bursts="$bursts"
result 'every driver for several packets has been tested' \
    "$(diff <(drivers | grep --regexp=-batch- | sort) <(tested_drivers test_bursts))"
result 'keys have changed at any time, with both algorithms' \
    "$([[ $(tested_drivers test_keys_at_any_time | wc --lines) -eq 2 ]] || cat /run/ktap)"
echo 20 >$failslab/probability
echo -1 >$failslab/times
run_suite batches bursts="$((bursts / 4 + 1))" no_memory=1
echo 0 >$failslab/probability

for module in xfrm/xfrm_algo xfrm/xfrm_user ipv4/esp4; do insmod "$kernel/objects/net/$module.ko"; done
make_networks 0 1
require_esp 1
before=$(<$parameters/batched)
ping_from_both
result 'packets arrive' "${lost:+$lost$'\n'$(cat /run/ping*)}"
result 'they came in batches' "$([[ $(<$parameters/batched) -gt $((before + 400)) ]] || echo "only $(($(<$parameters/batched) - before))")"
change_states_under_load
result 'the module can be unloaded with packets on their way' "$(if grep --quiet ^sm4_fast /proc/modules; then cat /run/unloading; fi)"
insmod "$modules/sm4-fast/sm4-fast.ko" batch=1
remove_networks
end_without_reports
