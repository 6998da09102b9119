# Loaded by the tests that run inside the virtual machine: functions for the module, its algorithms and the kernel's log.
# shellcheck shell=bash

# shellcheck source=test/vm/guest/tap.bash
source "${BASH_SOURCE[0]%/*}/tap.bash"

# One line for each algorithm that the module has registered: name, driver, priority, selftest.
algorithms() {
    awk -F ' *: ' '
        $1 == "name" { name = $2 }
        $1 == "driver" { driver = $2 }
        $1 == "module" { module = $2 }
        $1 == "priority" { priority = $2 }
        $1 == "selftest" && module == "sm4_fast" { print name, driver, priority, $2 }
    ' /proc/crypto
}

drivers() {
    algorithms | awk '{ print $2 }'
}

# The drivers of any module that have a user, of /proc/crypto or a copy of it as standard input
drivers_in_use() {
    awk -F ' *: ' '$1 == "driver" { driver = $2 } $1 == "refcnt" && $2 > 1 { print driver }'
}

# Lists algorithms of the module, or of a kernel's template over it, that are still registered. Kernels also have their own
# drivers.
left_behind() {
    grep --extended-regexp 'sm4(_|-.*-)fast' /proc/crypto
}

# The registered tiers, the fastest first. Each has an ecb, and no other mode has a driver name with this prefix.
tiers() {
    algorithms | sort --key=3,3nr | sed -n 's/^[^ ]* ecb-sm4-\(.*\)-fast .*/\1/p'
}

# The CPU flags without which MODULE, a file or a name for modinfo, has no GCM in TIER
flags_of_gcm() {
    modinfo --field tier "$1" | sed -n "s/^$2 .* GCM (\([^)]*\)).*/\1/p" | tr --delete ,
}

# Where a mode has to be (list-modes) for a TIER of MODULE to have it
places_of_tier() {
    local flag
    if [[ $2 == sm3-* ]]; then
        echo by-sm3
        return
    fi
    echo every-tier
    if [[ $2 == ttable ]]; then echo c-tier; fi
    modinfo --field tier "$1" | grep --quiet "^$2 .* without chains$" || echo with-chains
    for flag in $(flags_of_gcm "$1" "$2"); do
        grep --quiet --max-count=1 --word-regexp "^flags.* $flag" /proc/cpuinfo || return 0
    done
    echo with-gcm
}

# The drivers that MODULE is to register for each TIER: one for each mode of test/requests/modes.c that the tier has. A driver's
# name is the mode's, then the tier's; one of SM3 has only the tier's.
#
#     expected_drivers MODULE TIER...
expected_drivers() {
    local tier
    for tier in "${@:2}"; do
        list-modes | grep --word-regexp --fixed-strings "$(places_of_tier "$1" "$tier")" |
            sed --regexp-extended "s/ .*//; s/[(),]+/-/g; s/-?$/-$tier-fast/; s/^sm3-sm3/sm3/"
    done | sort
}

# Waits until the kernel has tested what was registered; it may do so after the module is loaded.
await_selftests() {
    local _
    for _ in {1..150}; do
        algorithms | grep --quiet ' unknown$' || return 0
        sleep 0.2
    done
    echo "After half a minute, the kernel still has not tested these, or they have failed:"
    algorithms | grep ' unknown$'
    return 1
}

# Loads the module again, with these parameters. load.bats checks that the self-tests pass.
reload() {
    modprobe --remove sm4_fast
    modprobe sm4_fast "$@"
    await_selftests || true
}

# The parameters for the tiers that are tested one by one: all if EVERY_TIER is set, else the usual ones
# shellcheck disable=SC2034  # for those that load this
tested_tiers=(${EVERY_TIER:+tiers=all})

# mark_log marks the end of the kernel's log; log_since_mark prints the messages after it.
mark_log() {
    mark="sm4-fast test mark $RANDOM$RANDOM"
    echo "$mark" >/dev/kmsg
}

log_since_mark() {
    dmesg | sed "1,/$mark/d"
}

# Whether the kernel is older than VERSION, such as 5.17.
kernel_is_before() {
    [[ $(printf '%s\n' "$1" "$(uname --kernel-release)" | sort --version-sort | head --lines=1) != "$1" ]]
}

# Waits until every request of ping from this network namespace, COUNT or more of them, is answered: await_answers NAMESPACE
# COUNT. ping itself ends two round trips after its last request. On a busy machine, it then reports requests as lost that are
# still in flight. The kernel's counters include these.
await_answers() {
    local requests answers _
    for _ in {1..150}; do
        read -r requests answers < <(ip netns exec "$1" nstat --ignore --noupdate --zeros 'Icmp*Echo*' | awk '
            /OutEchos / { requests += $2 } /InEchoRep/ { answers += $2 } END { print requests + 0, answers + 0 }')
        if [[ $requests -ge $2 && $answers -eq $requests ]]; then return 0; fi
        sleep 0.2
    done
    echo "$answers of $requests requests were answered."
    return 1
}

# The kernel's complaints since it was booted: failed self-tests, warnings, bugs.
complaints_of_kernel() {
    dmesg | grep --invert-match 'virtme-ng-init:' | grep --extended-regexp \
        'alg: .*(fail|mismatch|wrong)|WARNING:|BUG:|Oops|Call Trace|general protection|refcount_t' || true
}

# Since 7.3, AF_ALG provides only algorithms that are on a list, which lacks sm4. The list exists when AF_ALG is loaded, or
# built in.
allow_af_alg() {
    kernel_is_before 7.3 || { modprobe --quiet af_alg || true; echo 0 >/proc/sys/crypto/af_alg_restrict; }
}
