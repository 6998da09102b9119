#!/bin/bash
# test/lab/flood.t VERSION ROUNDS
#
# More packets of ESP than their way out takes, from two processors into one SA, as TAP, in the user-mode Linux VERSION (7.2)
# as fast as it is: what the drivers that do several packets at once do to the machine. What is looked at is in
# test/lab/guest/sm4-flood.c.
#
# Other programs of this machine are kept from its CPUs meanwhile (chrt): where a processor of two stands still, the other may
# wait for a lock that it has. A flood ends before Linux, after 0.95 seconds of each, lets the others have their turn.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: flood.t VERSION ROUNDS"

# shellcheck disable=SC2034  # for prepare
configurations=()
prepare "$1" "$lab/guest/Kbuild" "$lab"/guest/{sm4-flood.c,packets.h}
chrt --fifo 1 "$lab/boot" --processors 2 --seconds $((120 + 20 * $2)) --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$lab/guest/flood" "$kernel" "$modules" "$2"
