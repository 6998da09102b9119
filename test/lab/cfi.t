#!/bin/bash
# test/lab/cfi.t VERSION
#
# TAP: every function of the assembly has the type with which it is called. It runs in a virtual machine with a kernel for
# x86-64 of VERSION (6.12), built by clang, that checks the type in each call through a pointer (kCFI). User-mode Linux does
# not support that. The emulated processor has no VPCLMULQDQ, GFNI, AVX-512 and SM4 instructions: functions that need these
# are skipped. test/lab/guest/cfi runs the tests. The kernel's messages go to log/cfi-VERSION.log in the cache folder.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: cfi.t VERSION"

# shellcheck disable=SC2034  # for prepare
architecture=x86_64 configurations=(cfi.config)
# The rows of tiers are read with its headers.
make --silent --directory="$repository" host-tests >&2
prepare "$1"
# The list is too long for the kernel's command line; the machine can read this folder.
mkdir --parents "$modules/lib/modules"
{
    nm --defined-only "$modules"/sm4-fast/{sm4-*-asm,ghash-clmul}.o | sed -n 's/.* __cfi_//p'
    PYTHONPATH=$repository/test/host python3 -c '
from assembly import SOURCES, tiers_of
for _, flags, functions in tiers_of(SOURCES / "sm4-fast-tiers.c"):
    for function in functions:
        print(function, *flags)'
} >"$modules/lib/modules/functions"
install_programs
# The tests at boot are for other algorithms; those of ours come later.
run_in_machine "cfi-$1" 'cryptomgr.fuzz_iterations=0' test/lab/guest/cfi /lib/modules/functions
