# The module's parameters: tiers, fallback_only and fpu_fallbacks. Leaves the module loaded as it is by default.

bats_require_minimum_version 1.5.0
load common

parameters=/sys/module/sm4_fast/parameters

teardown_file() {
    load common
    reload
}

@test "tiers= with one name registers that tier alone" {
    reload tiers=all
    for tier in $(tiers); do
        reload tiers="$tier"
        tiers
        [[ $(tiers) == "$tier" ]]
        [[ $(<$parameters/tiers) == "$tier" ]]
    done
}

@test "tiers= with two names registers both" {
    reload tiers=all
    mapfile -t two < <(tiers | sort | head --lines=2)
    [[ ${#two[@]} -eq 2 ]] || skip "this processor has one tier only"
    reload tiers="${two[0]},${two[1]}"
    tiers
    [[ $(tiers | sort) == "${two[0]}"$'\n'"${two[1]}" ]]
}

@test "tiers= with an unknown name leaves that out, with a warning" {
    mark_log
    reload tiers=ttable,no-such-tier
    tiers
    [[ $(tiers) == ttable ]]
    log_since_mark | grep 'tier "no-such-tier" is left out'
}

@test "tiers=all registers each tier that the processor can run" {
    modprobe --remove sm4_fast
    mark_log
    run ! modprobe sm4_fast tiers=no-such-tier
    # What the message lists, but for "(not for this CPU)"
    known=$(log_since_mark | sed -n 's/.*sm4_fast:   \([^ ]*\)$/\1/p' | sort)
    reload tiers=all
    { tiers; drivers | sed -n 's/^\(sm3-.*\)-fast$/\1/p'; } | sort | diff - <(echo "$known")
}

@test "tiers= of SM4 leaves SM3 as usual, and the other way round" {
    reload
    all=$(drivers | grep '^sm3-')
    reload tiers=ttable
    drivers
    [[ $(drivers | grep '^sm3-') == "$all" ]]
    reload tiers=sm3-generic
    drivers
    [[ $(drivers | grep '^sm3-') == sm3-generic-fast ]]
    tiers | grep --line-regexp ttable
}

@test "tiers= with no known name is refused, and the message lists the known ones" {
    reload tiers=all
    known=$(tiers)
    modprobe --remove sm4_fast
    mark_log
    run ! modprobe sm4_fast tiers=no-such-tier
    run ! grep --word-regexp sm4_fast /proc/modules
    [[ -z $(drivers) ]]
    message=$(log_since_mark)
    echo "$message"
    [[ $message == *no-such-tier* ]]
    for tier in $known; do
        [[ $message == *$tier* ]]
    done
}

@test "fallback_only can be read" {
    reload fallback_only=1
    [[ $(<$parameters/fallback_only) == Y ]]
    reload
    [[ $(<$parameters/fallback_only) == N ]]
}

@test "fpu_fallbacks counts what a vector tier left to the C code" {
    reload fallback_only=1
    [[ $(tiers | grep --count --invert-match ttable) -gt 0 ]] || skip "this processor has no vector tier"
    cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256
    [[ $(<$parameters/fpu_fallbacks) -gt 0 ]]
}
