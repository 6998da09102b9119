#!/bin/bash
# test/vm/stress.t KERNEL|ROOT-TREE SECONDS
#
# The module on one of Debian's kernels (6.1 or later), or on that of a ROOT-TREE (see kernel.t), under load, as
# TAP: for SECONDS, programs, a volume and packets use it at once while CPUs go and come; then it is loaded and unloaded
# again and again for as long. What is done and looked at is in test/vm/guest/stress. What the kernel says goes to
# log/KERNEL-stress.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 2 ]] || fail "usage: stress.t KERNEL|ROOT-TREE SECONDS"
prepare_tree "$1"
# What goes wrong only when two processors do it at the same time is what this is for.
trees_to_boot=(--parallel "${trees_to_boot[@]}")
run_tests $((600 + 4 * $2)) "$(basename "$1")-stress" test/vm/guest/stress "$2"
end
