#!/bin/bash
# test/lab/built-in.t VERSION
#
# The module as a part of Linux VERSION (6.12) for x86-64, into whose source tools/into-kernel has put it, as TAP, in
# virtual machines: its drivers are registered before the first program runs, with the parameters of the kernel's command line. The kernels' logs
# are built-in-NUMBER.log in the cache folder's log.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: built-in.t VERSION"

# shellcheck disable=SC2034  # for install_modules
architecture=x86_64
make_or_skip "$lab/kernel" "$1" "$architecture" "$lab/plain.config" "$lab/built-in.config"
kernel=$made
# known-answers comes with the tree of run_in_machine.
make_or_skip "$repository/test/vm/root-tree" 6.1
(
    exec 8>"$made.in-use"
    flock 8
    "$repository/test/vm/build-programs" "$made" | comment
)

# The kernel's command line; the tier that answers, which is the fastest that an emulated processor has; what the kernel says
number=0
while IFS=, read -r parameters tier message; do
    number=$((number + 1))
    modules=$(mktemp --directory)
    run_in_machine "built-in-$number" "$parameters" test/lab/guest/built-in "$parameters" "$tier" "$message"
    rm -rf "$modules"
done <<'END' | awk '/^(not )?ok / { count++ } { print; fflush() } END { print "1.." count + 0 }'
,vaes-avx2,
sm4_fast.tiers=ttable sm4_fast.batch=1,ttable,batch=1
sm4_fast.tiers=no-such-tier,vaes-avx2,none of the tiers "no-such-tier"
END
