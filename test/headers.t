#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# test/headers.t
#
# TAP: builds both modules for each kernel whose headers are installed here, by gcc and by clang, each in a copy of the sources,
# with the warnings of W=1, and for the newest one with other options of its configuration. A warning is a failure, and so is a
# module for another kernel or by another compiler. It loads nothing: test/vm boots such kernels.
#
# Environment:
#   CLANG  the program (default: clang-19); lld and the programs of LLVM have the same end of their names
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=test/vm/guest/tap.bash
source test/vm/guest/tap.bash

clang=${CLANG:-clang-19}
suffix=${clang#clang}

# Arguments of make for a kernel by gcc, as Debian's are: they describe clang instead. gcc's address spaces of per-CPU variables,
# which clang would have twice, are in the headers.
by_clang=(CC="$clang" LD="ld.lld$suffix" AR="llvm-ar$suffix" NM="llvm-nm$suffix" OBJCOPY="llvm-objcopy$suffix"
          OBJDUMP="llvm-objdump$suffix" READELF="llvm-readelf$suffix" STRIP="llvm-strip$suffix"
          KCFLAGS=-Wno-duplicate-decl-specifier CONFIG_CC_IS_GCC= CONFIG_GCC_VERSION=0 CONFIG_CC_IS_CLANG=y
          CONFIG_AS_IS_GNU= CONFIG_AS_IS_LLVM=y CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough
          CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_UBSAN_BOUNDS_STRICT=
          CONFIG_UBSAN_ARRAY_BOUNDS=y)
if version=$("$clang" -dumpversion 2>/dev/null); then
    by_clang+=(CONFIG_CLANG_VERSION="$(awk -F . '{ printf "%d%02d%02d", $1, $2, $3 }' <<<"$version")")
fi

# Builds in $copy, a new copy of the sources, for the headers $1 with the other arguments of make; prints what is wrong. BTF needs
# the kernel's vmlinux, which headers lack. gcc may have another patch version than the kernel's.
build() {
    local log
    tools/copy-sources "$copy"
    log=$(make --directory="$1" M="$copy" --jobs="$(nproc)" CONFIG_DEBUG_INFO_BTF_MODULES= "${@:2}" 2>&1) ||
        tail --lines=30 <<<"$log"
    grep --ignore-case warning <<<"$log" | grep --invert-match 'the compiler differs' || true
}

# Prints what is wrong with the modules for the headers $1 by the compiler $2, built with the other arguments.
complaints() {
    local headers=$1 compiler=$2 copy module release
    copy=$(mktemp --directory)
    build "$headers" W=1 "${@:3}" modules
    release=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$headers/include/generated/utsrelease.h")
    for module in sm4-fast sm4-fast-esp; do
        readelf --string-dump=.modinfo "$copy/$module.ko" 2>&1 | grep --quiet " vermagic=$release " ||
            echo "$module.ko is not for $release"
        readelf --string-dump=.comment "$copy/$module.ko" 2>&1 | grep --quiet "$compiler" ||
            echo "$module.ko is not built by $compiler"
    done
    rm -rf "$copy"
}

# Builds as for a kernel of $headers that has these options, too, and prints the build's complaints and those of FUNCTION, which
# inspects $copy: FUNCTION OPTION... [-- ARGUMENT OF MAKE...]
with_options() {
    local list=$1 copy flags='' options=()
    shift
    while [[ $# -gt 0 && $1 != -- ]]; do
        options+=("CONFIG_$1=y")
        flags+=" -DCONFIG_$1=1"
        shift
    done
    copy=$(mktemp --directory)
    build "$headers" "${options[@]}" KCPPFLAGS="$flags" "${@:2}"
    $list
    rm -rf "$copy"
}

lost_sections() {
    local section sections
    sections=$(readelf --wide --section-headers "$copy/sm4-fast.o")
    for section in .orc_unwind .return_sites; do
        grep --quiet --fixed-strings "$section" <<<"$sections" || echo "sm4-fast.o has no section $section"
    done
}

undefined_lookups() {
    local symbols
    symbols=$(nm --undefined-only "$copy/sm4-fast-esp.o" 2>&1) || echo "$symbols"
    grep -e xfrm -e ftrace_ <<<"$symbols" || true
}

folders=(/lib/modules/*/build)
[[ -d ${folders[0]} ]] || skip_all 'no headers of a kernel are here: install the Debian package linux-headers-amd64'
for headers in "${folders[@]}"; do
    release=$(basename "$(dirname "$headers")")
    result "$release by gcc" "$(complaints "$headers" GCC)"
    if [[ -n $version ]]; then
        result "$release by $clang" "$(complaints "$headers" clang "${by_clang[@]}")"
    else
        skipped "$release by $clang" "it is not here: install the Debian packages $clang lld$suffix llvm$suffix"
    fi
done

headers=$(printf '%s\n' "${folders[@]}" | sort --version-sort | tail --lines=1)
# If the kernel has IBT, objtool reads the module as a whole. If it gives up, the build goes on, without its annotations for returns
# and for the stack.
if grep --quiet X86_KERNEL_IBT "$headers"/scripts/Makefile*; then
    result 'objtool reads the module as a whole' "$(with_options lost_sections X86_KERNEL_IBT)"
else
    skipped 'objtool reads the module as a whole' "$headers is of a kernel without IBT"
fi
# A kernel that unwinds by frame pointers needs one in each function that calls others. objtool checks this there, and
# CONFIG_OBJTOOL_WERROR makes its warnings errors.
result 'objtool finds all frame pointers' \
    "$(with_options true FRAME_POINTER UNWINDER_FRAME_POINTER STACK_VALIDATION -- CONFIG_UNWINDER_ORC=)"
# With link-time optimization, ftrace may miss callers of the kernel's look-ups. Then sm4-fast-esp hooks none, so that it needs no
# symbol of the kernel but for a message.
result 'ESP hooks no function that may be inlined' "$(with_options undefined_lookups LTO XFRM_ALGO -- sm4-fast-esp.o)"
end
