#!/bin/bash
# test/vm/kernel.t KERNEL|ROOT-TREE|other [all]
#
# TAP: tests the module on one kernel. The module is built in a root tree without a warning, and the tests of test/vm/guest run
# in a virtual machine that boots the tree's kernel; with "all", they test every tier. KERNEL is one of Debian's, whose tree is
# made or taken from the cache. ROOT-TREE is the path of a tree that a user has made of another distribution (docs/kernels.md);
# the module and the programs that are built for it stay there. "other" stands for such trees if there are none. The kernel's
# messages go to log/KERNEL.log in the cache folder.
#
# With "all" and hardware virtualization, the tiers run in a real kernel on this machine's processor. Then it prints a row for the
# last table of docs/security.md.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

[[ $# -eq 1 || ($# -eq 2 && $2 == all) ]] || fail "usage: kernel.t KERNEL|ROOT-TREE|other [all]"
prepare_tree "$1"
run_tests 7200 "$(basename "$1")" test/vm/guest/tests "${@:2}"
if [[ $# -eq 2 && $("$repository/test/vm/accelerator" "$tree") == kvm ]]; then
    mapfile -t facts < <(sed -n 's/^\(cpu family\|model\|model name\)\t*: //p' /proc/cpuinfo | head --lines=3)
    tiers=$(usable_tiers "$tree/lib/modules/$booted/updates/sm4-fast.ko" | paste --serial --delimiters=' ')
    comment <<<"| ${facts[2]} (family ${facts[0]}, model ${facts[1]}) | Linux $booted | ${tiers} | $(
        git -C "$repository" describe --always --dirty --exclude='*') | $(date +%F) |"
fi
end
