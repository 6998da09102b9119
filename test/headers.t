#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test/headers.t
#
# TAP: builds both modules for each kernel whose headers are installed here, by gcc and by clang, each in a copy of the sources,
# with the warnings of W=1. A warning is a failure, and so is a module for another kernel or by another compiler. It loads
# nothing: test/vm boots such kernels.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=test/vm/guest/tap.bash
source test/vm/guest/tap.bash

# The newest clang that is here with the other programs of its LLVM, by the end of their names: as in clang-19, or nothing
mapfile -t suffixes < <(compgen -c clang | sed -n 's/^clang\(\|-[0-9]*\)$/\1/p' | sort --version-sort --unique)
for suffix in "${suffixes[@]}"; do
    if type "clang$suffix" "ld.lld$suffix" "llvm-nm$suffix" >/dev/null 2>&1; then
        llvm=$suffix
    fi
done

# Arguments of make for a kernel by gcc, as Debian's are: they describe clang instead. CC is for headers that name their compiler.
# gcc's address spaces of per-CPU variables, which clang would have twice, are in the headers.
if [[ -n ${llvm+found} ]]; then
    version=$("clang$llvm" -dumpversion | awk -F . '{ printf "%d%02d%02d", $1, $2, $3 }')
    by_clang=(LLVM="${llvm:-1}" CC="clang$llvm" KCFLAGS=-Wno-duplicate-decl-specifier
              CONFIG_CC_IS_GCC= CONFIG_GCC_VERSION=0 CONFIG_CC_IS_CLANG=y CONFIG_CLANG_VERSION="$version"
              CONFIG_AS_IS_GNU= CONFIG_AS_IS_LLVM=y CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough
              CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= CONFIG_FTRACE_MCOUNT_USE_CC=)
fi

# Prints what is wrong with the modules for the headers $1 by the compiler $2, built with the other arguments. BTF needs the
# kernel's vmlinux, which headers lack. gcc may have another patch version than the kernel's.
complaints() {
    local headers=$1 compiler=$2 copy log module release
    copy=$(mktemp --directory)
    tools/copy-sources "$copy"
    log=$(make --directory="$headers" M="$copy" --jobs="$(nproc)" W=1 CONFIG_DEBUG_INFO_BTF_MODULES= "${@:3}" modules 2>&1) ||
        tail --lines=30 <<<"$log"
    grep --ignore-case warning <<<"$log" | grep --invert-match 'the compiler differs' || true
    release=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$headers/include/generated/utsrelease.h")
    for module in sm4-fast sm4-fast-esp; do
        readelf --string-dump=.modinfo "$copy/$module.ko" 2>&1 | grep --quiet " vermagic=$release " ||
            echo "$module.ko is not for $release"
        readelf --string-dump=.comment "$copy/$module.ko" 2>&1 | grep --quiet "$compiler" ||
            echo "$module.ko is not built by $compiler"
    done
    rm -rf "$copy"
}

folders=(/lib/modules/*/build)
[[ -d ${folders[0]} ]] || skip_all 'no headers of a kernel are here: install the Debian package linux-headers-amd64'
for headers in "${folders[@]}"; do
    release=$(basename "$(dirname "$headers")")
    result "$release by gcc" "$(complaints "$headers" GCC)"
    if [[ -n ${llvm+found} ]]; then
        result "$release by clang$llvm" "$(complaints "$headers" clang "${by_clang[@]}")"
    else
        skipped "$release by clang" 'clang, lld and llvm are not here'
    fi
done
end
