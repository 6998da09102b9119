/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The rounds of asm/avx512/byte-sliced.h, by nibbles
 *
 * A round of a group takes 36 shuffles, four shifts and 46 other operations. They occupy the two
 * ports of an Intel core for 43 cycles, and the next group's do not depend on them: so the groups
 * take turns.
 *
 * Vector registers of the rounds, with the table of byte-sliced.h; nibbles.h has the constants, 20
 * to 23 and 29 to 31:
 *
 *	12	T0		x, then io; at last the sum of all w
 *	13	T1		jo; temporary
 *	14	T2		i; temporary
 *	15	T3		k; temporary
 *	28	T4		j
 */
#ifndef SM4_AVX512_NIBBLE_SLICES_ASM_H
#define SM4_AVX512_NIBBLE_SLICES_ASM_H

#define SLICES_MIXED	0
#define SLICES_ALONE	1

#include "byte-sliced.h"
#include "../nibbles.h"

/* A byte of x = s1 ^ s2 ^ s3 into T0: of the second group; of the first one, by number of word */
.macro sm4_nibbles_input	j, s1, s2, s3
	vmovdqa32	\s1\j, T0
	vpternlogd	$0x96, \s2\j, \s3\j, T0
.endm

.macro sm4_nibbles_stack_input	j, s1, s2, s3
	vmovdqa32	SLICE_ON_STACK(\s1,\j), T0
	vmovdqa32	SLICE_ON_STACK(\s2,\j), T1
	vpternlogd	$0x96, SLICE_ON_STACK(\s3,\j), T1, T0
.endm

/* A byte of s0 ^= w ^ the sum of all w, in T0 */
.macro sm4_nibbles_output j, s0
	vpternlogd	$0x96, F\j, T0, \s0\j
.endm

.macro sm4_nibbles_stack_output	j, s0
	vpternlogd	$0x96, SLICE_ON_STACK(\s0,\j), T0, F\j
	vmovdqa32	F\j, SLICE_ON_STACK(\s0,\j)
.endm

/* u or v from io and jo: the first one of a w, with the key's term; and the second one */
.macro sm4_nibbles_set	w, map, key
	vpshufb		T0, \map\()_IO, \w
	vpshufb		T1, \map\()_JO, T2
	vpternlogd	$0x96, SM4_BYTES+\key(KEYS){1to16}, T2, \w
.endm

.macro sm4_nibbles_add	w, map
	vpshufb		T0, \map\()_IO, T2
	vpshufb		T1, \map\()_JO, T3
	vpternlogd	$0x96, T2, T3, \w
.endm

/*
 * One round of a group, by the macros for it that are above. The four bytes that are added to s0,
 * as byte-sliced.h has them, are w_0 to w_3, each with the sum of all four.
 */
.macro sm4_group_round	input, output, s0, s1, s2, s3, key
	\input 3, \s1, \s2, \s3
	sm4_nested_inverses
	sm4_nibbles_set	F3, W3, \key+12
	sm4_nibbles_set	F0, W0, \key
	\input 0, \s1, \s2, \s3
	sm4_nested_inverses
	sm4_nibbles_add	F0, W3
	sm4_nibbles_set	F1, W0, \key+4
	\input 1, \s1, \s2, \s3
	sm4_nested_inverses
	sm4_nibbles_add	F1, W3
	sm4_nibbles_set	F2, W0, \key+8
	\input 2, \s1, \s2, \s3
	sm4_nested_inverses
	sm4_nibbles_add	F2, W3
	sm4_nibbles_add	F3, W0
	vpxord		F0, F1, T0
	vpternlogd	$0x96, F2, F3, T0
.irp	j, 3, 0, 1, 2
	\output \j, \s0
.endr
.endm

.macro sm4_slices_first_input
.irp	j, 0, 1, 2, 3
	vpbroadcastd	ADDED(3,\j), T0
	vpxord		SLICE_ON_STACK(3,\j), T0, T0
	vmovdqa32	T0, SLICE_ON_STACK(3,\j)
.endr
.endm

.macro sm4_slices_round	s0, s1, s2, s3, word0, word1, word2, word3, key
	sm4_group_round	sm4_nibbles_input, sm4_nibbles_output, \s0, \s1, \s2, \s3, \key
	sm4_group_round	sm4_nibbles_stack_input, sm4_nibbles_stack_output, \
			\word0, \word1, \word2, \word3, \key
.endm

/*
 * The first group alone goes through the rounds in the registers of the second one.
 *
 * Vector registers: as with two groups, and for counters as in byte-sliced.h.
 */
.macro sm4_alone_functions prefix
SYM_FUNC_START_LOCAL(\prefix\()_alone_counter_rounds)
	sm4_slice_counters
	sm4_slice_counter 0
	sm4_each_register	SLICES_IN, sm4_store_row, SLICE_ON_STACK(0,0)
	jmp		\prefix\()_alone_rounds
SYM_FUNC_END(\prefix\()_alone_counter_rounds)

SYM_FUNC_START_LOCAL(\prefix\()_alone_rounds)
	sm4_each_register	SLICES_IN, sm4_load_row, SLICE_ON_STACK(0,0)
	sm4_slices_begin
.p2align 6
.L\prefix\()_four_rounds_of_1_slices:
	sm4_group_round	sm4_nibbles_input, sm4_nibbles_output, A, B, C, D, 0
	sm4_group_round	sm4_nibbles_input, sm4_nibbles_output, B, C, D, A, 16
	sm4_group_round	sm4_nibbles_input, sm4_nibbles_output, C, D, A, B, 32
	sm4_group_round	sm4_nibbles_input, sm4_nibbles_output, D, A, B, C, 48
	add		$64, KEYS
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_of_1_slices
	sub		$512, KEYS
	sm4_each_register	SLICES_IN, sm4_store_row, SLICE_ON_STACK(0,0)
	RET
SYM_FUNC_END(\prefix\()_alone_rounds)
.endm

/* For XTS, as in gfni-slices.h, but by shifts and shuffles. Clobbers F0, F2 and F3. */
#define TWEAKS_BY_CLMUL	0

.macro sm4_load_tweak_maps
.endm

.macro sm4_map_tweak	from, low, high
	sm4_split_nibbles \from, F2, F3
	sm4_look_up	.Ltweak_low_low+XTS_GB*4*VL, .Ltweak_low_high+XTS_GB*4*VL, \
			F2, F3, \low, F0
	sm4_look_up	.Ltweak_high_low+XTS_GB*4*VL, .Ltweak_high_high+XTS_GB*4*VL, \
			F2, F3, \high, F0
.endm

#endif
