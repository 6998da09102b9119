#!/bin/bash
# test/lab/x86-64.t VERSION PACKETS
#
# What user-mode Linux cannot see, as TAP: the vector unit used wrongly, and softirqs that interrupt its use, in a virtual
# machine with a kernel for x86-64 of VERSION (6.1 or 6.12) that has all that notices memory, locks, arithmetic and the
# vector unit going wrong. What is tried is in test/lab/guest/x86-64 and test/vm/guest/interrupted. What the kernel says
# goes to log/x86-64-VERSION.log in the cache folder.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: x86-64.t VERSION PACKETS"

# shellcheck disable=SC2034  # for prepare
architecture=x86_64
prepare "$1"
# The tests at the boot are of others' algorithms; those of ours come later.
run_in_machine "x86-64-$1" 'cryptomgr.fuzz_iterations=0' test/lab/guest/x86-64 "$2"
