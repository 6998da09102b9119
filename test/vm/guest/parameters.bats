# The module's parameters in modprobe and /sys: tiers, fallback_only and fpu_fallbacks. (test/host/loading.c tests values of
# tiers=.) Leaves the module loaded with default parameters.

bats_require_minimum_version 1.5.0
load common

parameters=/sys/module/sm4_fast/parameters

teardown_file() {
    load common
    reload
}

@test "tiers= with one name registers only that tier" {
    reload tiers=all
    for tier in $(tiers); do
        reload tiers="$tier"
        tiers
        [[ $(tiers) == "$tier" ]]
        [[ $(<$parameters/tiers) == "$tier" ]]
    done
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

# Any user can make the kernel load it, again and again if that fails.
@test "if a program requests SM4 and tiers= has no known name, there are the default tiers, and one message" {
    reload
    default=$(tiers)
    modprobe --remove sm4_fast
    mkdir --parents /run/modprobe.d
    echo 'options sm4_fast tiers=no-such-tier' >/run/modprobe.d/no-such-tier.conf
    mark_log
    for _ in 1 2 3; do cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256 || true; done
    rm /run/modprobe.d/no-such-tier.conf
    log_since_mark
    [[ $(tiers) == "$default" ]]
    [[ $(log_since_mark | grep --count 'none of the tiers "no-such-tier" is there') -eq 1 ]]
}

@test "fallback_only can be read" {
    reload fallback_only=1
    [[ $(<$parameters/fallback_only) == Y ]]
    reload
    [[ $(<$parameters/fallback_only) == N ]]
}

@test "fpu_fallbacks counts the work that a vector tier left to the C code" {
    reload fallback_only=1
    [[ $(tiers | grep --count --invert-match ttable) -gt 0 ]] || skip "this processor has no vector tier"
    cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256
    [[ $(<$parameters/fpu_fallbacks) -gt 0 ]]
}
