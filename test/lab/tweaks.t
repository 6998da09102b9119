#!/bin/bash
# test/lab/tweaks.t VERSION ROUNDS
#
# TAP: consecutive sectors by each driver of XTS on two processors, in the user-mode Linux VERSION (7.2) with the kernel's
# checks of memory, locks and arithmetic: ROUNDS runs of sectors on each processor while keys change, compared with
# mainline's code (see test/lab/guest/sm4-tweaks.c).
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: tweaks.t VERSION ROUNDS"

if outside; then
    prepare "$1" "$lab"/guest/{sm4-tweaks.c,threads.h}
    boot+=(--processors 2)
    run_inside
fi

load_modules tiers=all
mapfile -t drivers < <(algorithms | awk '$1 == "xts(sm4)" { print $2 }')
for driver in "${drivers[@]}"; do
    try_module sm4-tweaks "$driver" '[1-9][0-9]* requests' reference='xts(ecb(sm4-generic))' rounds="$2"
done
end_without_reports
