#!/bin/bash
# test/vm/stress.t KERNEL|ROOT-TREE SECONDS
#
# TAP: the module under load on one of Debian's kernels (6.1 or later), or on that of a ROOT-TREE (see kernel.t). For SECONDS,
# programs, a volume and packets use it at once while CPUs go offline and come back; then it is loaded and unloaded again and
# again for as long. test/vm/guest/stress contains the tests. The kernel's messages go to log/KERNEL-stress.log in the cache
# folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 2 ]] || fail "usage: stress.t KERNEL|ROOT-TREE SECONDS"
prepare_tree "$1"
# This test is for errors that only occur when two processors run at the same time.
trees_to_boot=(--parallel "${trees_to_boot[@]}")
run_tests $((600 + 4 * $2)) "$(basename "$1")-stress" test/vm/guest/stress "$2"
end
