#!/bin/bash
# test/vm/fips.t KERNEL|ROOT-TREE
#
# TAP: one of Debian's kernels (6.1 or later), or that of a ROOT-TREE (see kernel.t), in FIPS mode. The module refuses to load
# there, also when a user without privileges requests an algorithm. A kernel that checks signatures, as Debian's do, panics when
# a module without a signature registers an algorithm in that mode. The kernel's messages go to log/KERNEL-fips.log in the cache
# folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 ]] || fail "usage: fips.t KERNEL|ROOT-TREE"
prepare_tree "$1"
trees_to_boot=(--append fips=1 "${trees_to_boot[@]}")
run_tests 300 "$(basename "$1")-fips" test/vm/guest/fips
end
