#!/bin/bash
# test/lab/cfi.t VERSION
#
# That every function of the assembly has the type by which it is called, as TAP: in a virtual machine with a kernel for
# x86-64 of VERSION (6.12) that clang has built, and that checks the type in each call through a pointer (kCFI). User-mode
# Linux cannot have that. The emulated processor has no VPCLMULQDQ, GFNI, AVX-512 and SM4 instructions: functions that
# need these are skipped. What is tried is in test/lab/guest/cfi. What the kernel says goes to log/cfi-VERSION.log in the
# cache folder.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: cfi.t VERSION"

# shellcheck disable=SC2034  # for prepare
architecture=x86_64 configurations=(cfi.config)
prepare "$1"
# Too many for the kernel's command line; the machine has this folder.
mkdir --parents "$modules/lib/modules"
nm --defined-only "$modules"/sm4-fast/{sm4-*-asm,ghash-clmul}.o | sed -n 's/.* __cfi_//p' >"$modules/lib/modules/functions"
# The tests at the boot are of others' algorithms; those of ours come later.
run_in_machine "cfi-$1" 'cryptomgr.fuzz_iterations=0' test/lab/guest/cfi /lib/modules/functions
