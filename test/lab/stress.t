#!/bin/bash
# test/lab/stress.t VERSION SECONDS
#
# TAP: the module on two processors, with the tiers that this machine's processor can run, in the user-mode Linux VERSION
# (7.2) with KASAN, lockdep, UBSAN and kmemleak. First comes ESP as specified in GM/T 0022. Then programs, volumes and packets
# use the module at once for SECONDS. Last, it is loaded and unloaded repeatedly for as long. These are suites of
# test/vm/guest. (test/vm/stress.t also takes CPUs offline, and has real interrupts.)
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: stress.t VERSION SECONDS"

if outside; then
    "$repository/test/need" bats cryptsetup-bin fio iproute2 iputils-ping libgcrypt20-dev perl tcpdump >&2
    prepare "$1"
    install_modules
    build_programs by-reference many-programs
    command_line+=' brd.rd_nr=2 brd.rd_size=32768'
    boot+=(--processors 2 --seconds $((1800 + 4 * $2)))
    run_inside
fi

cd "$repository/test/vm/guest"
# shellcheck source=test/vm/guest/parts.bash
source ./parts.bash

# The kernel's message while its self-tests are enabled
expected_report='^alg: full crypto tests enabled'
# From now on, modprobe finds the modules, and the shell the programs.
mount --bind "$modules/lib/modules" /lib/modules
PATH=$modules/bin:$PATH
export SECONDS_EACH=$2 SWITCH_CPUS=''
mkdir /dev/shm
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
esp cbc-sm3
suite 'all at once' --filter-tags '!cpus' stress.bats
suite 'loading and unloading' reload.bats
end_without_reports
