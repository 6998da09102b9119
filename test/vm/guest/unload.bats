# The end: nothing of the module is left, and the kernel had nothing to complain about in all this time.

bats_require_minimum_version 1.5.0
load common

@test "unloading leaves no algorithm behind" {
    modprobe --remove sm4_fast
    # Nor one that a template of the kernel has made of ours; kernels have drivers of their own.
    run ! grep --extended-regexp 'sm4(_|-.*-)fast' /proc/crypto
}

@test "the kernel's log has no failed self-test, warning or bug" {
    dmesg | grep --quiet 'Linux version'
    bad=$(complaints_of_kernel)
    echo "$bad"
    [[ -z $bad ]]
}
