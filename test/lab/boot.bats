#!/usr/bin/env bats
# bats --formatter tap test/lab/boot.bats
#
# What test/lab/boot says of the end of its kernel, with a script in the kernel's place that ends as user-mode Linux does:
# by abort().

bats_require_minimum_version 1.5.0

setup() {
    boot=$BATS_TEST_DIRNAME/boot
    cd "$BATS_TEST_TMPDIR" || exit
}

# Makes "linux", which runs the commands $1: in them, $work is the folder that the kernel's init writes to.
kernel_that() {
    # shellcheck disable=SC2016  # for the kernel's shell
    printf '#!/bin/bash\nwork=${!#}\n%s\nkill -ABRT $$\n' "$1" >linux
    chmod +x linux
}

@test "the end of the kernel is not told, once the command has ended" {
    # shellcheck disable=SC2016  # for the kernel's shell
    kernel_that 'echo output; echo 3 >"$work/status"'
    run -3 --separate-stderr "$boot" . true
    # shellcheck disable=SC2154  # bats sets it
    [[ $output == output && -z $stderr ]]
}

@test "it is told if the command has not ended, with what the kernel said" {
    kernel_that 'echo output; echo "a message" >&2'
    run -125 --separate-stderr "$boot" . true
    [[ $output == output && $stderr == *'before the command did'*'a message'*Aborted* ]]
}

@test "machines of one processor are on a CPU each" {
    [[ $(nproc) -gt 1 ]] || skip 'this machine has one CPU'
    # Not among the machines of other tests
    export XDG_CACHE_HOME=$PWD
    # shellcheck disable=SC2016  # for the kernel's shell
    kernel_that 'sed -n "s/^Cpus_allowed_list:\s*//p" /proc/self/status; [[ ! -e second ]] || touch other
        until [[ -e other ]]; do sleep 0.1; done; echo 0 >"$work/status"'
    "$boot" --seconds 30 . true >first &
    until [[ -s first ]]; do sleep 0.1; done
    # The first goes on until the second has its CPU.
    touch second
    run -0 "$boot" --seconds 30 . true
    wait $!
    [[ $(<first) =~ ^[0-9]+$ && $output != "$(<first)" ]]
}

@test "one of two processors is on all CPUs, and its kernel knows" {
    # shellcheck disable=SC2016  # for the kernel's shell
    kernel_that 'echo "$*"; sed -n "s/^Cpus_allowed_list:\s*//p" /proc/self/status; echo 0 >"$work/status"'
    run -0 "$boot" --processors 2 . true
    [[ ${lines[0]} == *' ncpus=2 seccomp=on '* ]]
    [[ ${lines[1]} == "$(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status)" ]]
}

@test "a kernel that does not end by SIGTERM was stopped, too" {
    kernel_that 'trap "" TERM; while :; do sleep 1; done'
    run -124 --separate-stderr "$boot" --seconds 1 . true
    [[ $stderr == *'was stopped after 1 seconds'* ]]
}
