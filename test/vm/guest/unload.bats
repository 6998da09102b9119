# The end: nothing of the module is left, and the kernel has logged no complaint in all this time.

bats_require_minimum_version 1.5.0
load common

@test "unloading leaves no algorithm behind" {
    modprobe --remove sm4_fast
    run ! left_behind
}

@test "the kernel's log has no failed self-test, warning or bug" {
    dmesg | grep --quiet 'Linux version'
    bad=$(complaints_of_kernel)
    echo "$bad"
    [[ -z $bad ]]
}
