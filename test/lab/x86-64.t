#!/bin/bash
# test/lab/x86-64.t VERSION PACKETS
#
# TAP: tests that user-mode Linux does not support, of wrong use of the vector unit and of softirqs that interrupt it: in a VM
# with a kernel for x86-64 of VERSION (6.1 or 6.12), which has checks of memory, locks, arithmetic and the
# vector unit. test/lab/guest/x86-64 and test/vm/guest/interrupted contain the tests. The kernel's messages
# go to log/x86-64-VERSION.log in the cache folder.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: x86-64.t VERSION PACKETS"

# shellcheck disable=SC2034  # for prepare
architecture=x86_64
prepare "$1"
# The tests at boot are for other algorithms; those of ours come later.
run_in_machine "x86-64-$1" 'cryptomgr.fuzz_iterations=0' test/lab/guest/x86-64 "$2"
