# The end: nothing of the module is left, and the kernel had nothing to complain about in all this time.

bats_require_minimum_version 1.5.0
load common

@test "unloading leaves no algorithm behind" {
    modprobe --remove sm4_fast
    run ! grep sm4 /proc/crypto
}

@test "the kernel's log has no failed self-test, warning or bug" {
    dmesg | grep --quiet 'Linux version'
    bad=$(dmesg | grep --invert-match 'virtme-ng-init:' | grep --extended-regexp \
        'alg: .*(fail|mismatch|wrong)|WARNING:|BUG:|Oops|Call Trace|general protection|refcount_t') || true
    echo "$bad"
    [[ -z $bad ]]
}
