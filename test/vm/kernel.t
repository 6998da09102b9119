#!/bin/bash
# test/vm/kernel.t KERNEL [all]
#
# What is tested of the module on one of Debian's kernels (6.1, 6.12, 7.2, 7.3), as TAP: the root tree is made or taken
# from the cache, the module is built in it without a warning, and the tests of test/vm/guest run in a virtual machine
# that boots it, with "all" those for every tier. What its kernel says goes to log/KERNEL.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 || ($# -eq 2 && $2 == all) ]] || fail "usage: kernel.t 6.1|6.12|7.2|7.3 [all]"
prepare_tree "$1"
run_tests 3600 "$1" test/vm/guest/tests "${@:2}"
end
