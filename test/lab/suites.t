#!/bin/bash
# test/lab/suites.t VERSION
#
# Suites of test/vm/guest on the tiers of this machine's processor, as TAP, in the user-mode Linux VERSION (6.12 or 7.2)
# with all that notices memory, locks and arithmetic going wrong: the module's parameters, and ESP as GM/T 0022 has it.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: suites.t VERSION"

"$repository/test/need" bats cryptsetup-bin iproute2 iputils-ping libgcrypt20-dev libkcapi-dev perl tcpdump >&2
prepare "$1"
install_modules
build_programs decrypt-esp
"$lab/boot" --seconds 1800 --append 'loglevel=0 cryptomgr.notests=1' "$kernel" "$lab/guest/suites" "$modules"
