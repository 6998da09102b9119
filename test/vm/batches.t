#!/bin/bash
# test/vm/batches.t KERNEL BURSTS
#
# The drivers that do several packets of ESP at once on two processors that run at the same time, as TAP, on one of
# Debian's kernels: BURSTS bursts of random requests on each of them, to transforms that they share,
# while one of the processors goes offline and comes back (test/lab/guest/sm4-batches.c says what is looked at). What the
# kernel says goes to log/KERNEL-batches.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 2 ]] || fail "usage: batches.t KERNEL BURSTS"
prepare_tree "$1"

prepare_batches
trees_to_boot=(--parallel "${trees_to_boot[@]}")
run_tests 3000 "$1-batches" test/vm/guest/batches "$2"
remove_batches
end
