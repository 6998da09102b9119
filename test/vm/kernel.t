#!/bin/bash
# test/vm/kernel.t KERNEL|ROOT-TREE|other [all]
#
# What is tested of the module on one kernel, as TAP: the module is built in a root tree without a warning, and the tests of
# test/vm/guest run in a virtual machine that boots the tree's kernel, with "all" those for every tier. KERNEL is one of
# Debian's, whose tree is made or taken from the cache. ROOT-TREE is the path of a tree that
# somebody has made of another distribution (docs/install.md), in which stays what is built for it. "other" stands for those
# where nobody has made any. What the kernel says goes to log/KERNEL.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 || ($# -eq 2 && $2 == all) ]] || fail "usage: kernel.t KERNEL|ROOT-TREE|other [all]"
prepare_tree "$1"
run_tests 3600 "$(basename "$1")" test/vm/guest/tests "${@:2}"
end
