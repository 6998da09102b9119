#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# A tier's file that lacks a symbol or a constant of asm/tier.h does not assemble, and the error names it. Takes the headers
# of test/host's build.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
}

# Assembles a tier's file behind a line of assembly, in which a name means another one.
#
#     assemble FILE [NAME]
assemble() {
    local rename=${2-}

    cc -E -P -isystem test/host/build/include -I test/host/shim -DKBUILD_MODNAME= "$1" >"$BATS_TEST_TMPDIR/whole.s"
    # where it is defined, but not where it is required or used
    sed -E -e "${rename:+s/^(\.set +)$rename,/\1other,/; s/^$rename:/other_$RANDOM:/; s/^(\s*sm4_constant )${rename#.L}([ ,])/\1other_$RANDOM\2/}" \
        "$BATS_TEST_TMPDIR/whole.s" >"$BATS_TEST_TMPDIR/part.s"
    cc -c -o "$BATS_TEST_TMPDIR/part.o" "$BATS_TEST_TMPDIR/part.s"
}

@test "the file of every tier is complete" {
    for file in sm4-*-asm.S; do
        echo "$file"
        assemble "$file"
    done
}

# One file that a name of each list of the contract belongs to
@test "without a name of the contract, a file does not assemble, and the error says which" {
    while read -r list file name; do
        echo "$list $file $name"
        grep -qE "^#define $list.*[ 	]${name/./\\.}(,|$)" asm/tier.h
        run ! assemble "$file" "$name"
        [[ $output == *"a tier's file must define $name"* ]]
    done <<'LIST'
TIER_MODES sm4-avx2-asm.S .Lswap_words
TIER_MODES sm4-gfni-avx512-asm.S .Lreverse_block
TIER_AVX2 sm4-avx2-asm.S .Lgb_tweak_carries
TIER_AVX512 sm4-gfni-avx512-asm.S .Lslice_numbers
TIER_WORDS sm4-avx2-asm.S SHORT_GROUPS
TIER_PAIRS sm4-avx2-asm.S .Lpairs_ready
TIER_KEYS sm4-cis-asm.S .Lck
TIER_CHAINS sm4-gfni-avx512vl-asm.S .Lblock_0
TIER_COLUMNS sm4-aesni-asm.S CHAIN_U0_LAST
TIER_SM3 sm4-gfni-asm.S .Lsm3_constants
LIST
}
