/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Words: the form of blocks in registers for short texts and the ends of longer ones, on vectors
 * of any width. asm/rounds.h and asm/rounds-avx512.h have the rounds of this form.
 *
 * A group is four vector registers of VL bytes, VL / 4 blocks. As rows, they hold the
 * blocks as these are in memory. As words, register i holds word i of every block: then a
 * round is the same operation on whole registers. Transposing 4 x 4 words in every 128
 * bits turns one into the other. Up to four groups, A to D, go through the rounds together, as
 * a single one would spend most of a round waiting.
 *
 * Bytes are held as M x, which docs/arithmetic.md explains under "Maps that cancel". Then S-box
 * and L are, with the inverses y, u0 = W0 y, u3 = W3 y and u1 = u0 ^ u3,
 *
 *	u0 ^ rotate1(u1) ^ rotate2(u1) ^ rotate3(u3),
 *
 * where rotations are by whole bytes.
 */
#ifndef SM4_WORDS_ASM_H
#define SM4_WORDS_ASM_H

#include "groups.h"
#include "layout.h"
#include "tier.h"
#include "transpose.h"

/* The rounds' own */
.set ROUND_KEY,		%rax
.set ROUNDS_LEFT,	%r10d

/* Rows of blocks into words in the basis */
.macro sm4_enter	g, index
	sm4_transpose	\g\()0, \g\()1, \g\()2, \g\()3, \
			\g\()0, \g\()1, \g\()2, \g\()3
	sm4_map_in	\g\()0
	sm4_map_in	\g\()1
	sm4_map_in	\g\()2
	sm4_map_in	\g\()3
.endm

/* Words into rows. SM4 ends by reversing the order of the four words. */
.macro sm4_leave	g, index
	sm4_map_out	\g\()0
	sm4_map_out	\g\()1
	sm4_map_out	\g\()2
	sm4_map_out	\g\()3
	sm4_transpose	\g\()3, \g\()2, \g\()1, \g\()0, \
			\g\()0, \g\()1, \g\()2, \g\()3
.endm

/*
 * Registers of short rounds, of one or two groups: X is the round's input x; KNOWN is x without the
 * newest word, which is computed from the two.
 */
.macro sm4_name_short_rounds groups
	.set X_0,	C0
	.set X_1,	C1
	.set KNOWN_0,	C2
	.set KNOWN_1,	C3
	.set U0_LAST,	\groups == 2			# asm/rounds-avx512.h
.endm

/*
 * Two functions for each number of groups, which all modes of a tier share:
 *
 *	words_N	32 rounds, from words in the basis to rows
 *	rows_N	32 rounds, from rows to rows
 *
 * They take KEYS, and clobber ROUND_KEY, ROUNDS_LEFT, T0-T3, the flags and, for one or two
 * groups, group C. An iteration has four rounds: then the words are back in their places,
 * and the code stays within the op cache.
 *
 * Vector registers of the rounds. In short rounds, of N <= SHORT_GROUPS, word 3 is not yet in its
 * register when an iteration begins: it is X ^ KNOWN.
 *
 *	0-3	A0-A3		words 0 to 3 of group A
 *	4-7	B0-B3		of group B; free if N = 1
 *	8-11	C0-C3		of group C; if N < 3, the tier's, or in short rounds:
 *	8-9	X_0, X_1	x of groups A and B; X_1 is the tier's if N = 1
 *	10-11	KNOWN_0, _1	KNOWN of groups A and B; KNOWN_1 is the tier's if N = 1
 *	12	T0		x, then temporary; in short rounds, temporary
 *	13	T1		u1; in short rounds, u0
 *	14	T2		u0; in short rounds, u1
 *	15	T3		u3
 *	16-19	D0-D3		of group D; free if N < 4
 *	20-31			the tier's
 *
 * Before the rounds in rows_N, and after them in both, a group's registers have its rows. T0 to T3
 * are temporary in sm4_enter and sm4_leave.
 */
.macro sm4_words_function	prefix, groups
	sm4_require	TIER_WORDS
SYM_FUNC_START_LOCAL(\prefix\()_words_\groups)
	lea		SM4_MAPPED(KEYS), ROUND_KEY
	mov		$32 / 4, ROUNDS_LEFT
.if \groups <= SHORT_GROUPS
	sm4_name_short_rounds \groups
	sm4_load_short_constants
	sm4_for_groups	\groups, sm4_short_begin
.L\prefix\()_four_rounds_\groups:
	sm4_for_groups	\groups, sm4_short_round, 0, 2, 3, 4
	sm4_for_groups	\groups, sm4_short_round, 1, 3, 0, 8
	sm4_for_groups	\groups, sm4_short_round, 2, 0, 1, 12
	sm4_for_groups	\groups, sm4_short_round, 3, 1, 2, 16	# in the end, any key will do
	add		$16, ROUND_KEY
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_\groups
	sm4_for_groups	\groups, sm4_short_end
.else
.L\prefix\()_four_rounds_\groups:
	sm4_for_groups	\groups, sm4_round, 0, 1, 2, 3, 0
	sm4_for_groups	\groups, sm4_round, 1, 2, 3, 0, 4
	sm4_for_groups	\groups, sm4_round, 2, 3, 0, 1, 8
	sm4_for_groups	\groups, sm4_round, 3, 0, 1, 2, 12
	add		$16, ROUND_KEY
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_\groups
.endif
	sm4_for_groups	\groups, sm4_leave
	RET
SYM_FUNC_END(\prefix\()_words_\groups)
.endm

.macro sm4_rows_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_rows_\groups)
	sm4_for_groups	\groups, sm4_enter
	jmp		\prefix\()_words_\groups
SYM_FUNC_END(\prefix\()_rows_\groups)
.endm

/*
 * Counters as words, for CTR
 *
 * sm4_counter_ready: map words 0 to 2 of the counter at \counter(\base) to \ready on the
 * stack, each in all elements of a vector. Clobbers T0-T2. It reads words, as the caller may
 * just have written them one by one.
 *
 * sm4_counter_words: the words of a group of counters. Every element of T2 is word 3 of the
 * first block, in the CPU's byte order. Clobbers T0 and T1.
 */
.macro sm4_counter_ready	counter, base, ready
.irp	word, 0, 1, 2
	vbroadcastss	\counter+4*\word(\base), T2
	sm4_map_in	T2
	sm4_store_row	T2, \ready+VL*\word(%rsp)
.endr
.endm

.macro sm4_counter_words	g, index, prefix, ready
	vpaddd		.L\prefix\()_block_numbers+VL*\index(%rip), T2, \g\()3
	vpshufb		.Lswap_words(%rip), \g\()3, \g\()3
	sm4_map_in	\g\()3
	sm4_load_row	\g\()0, \ready(%rsp)
	sm4_load_row	\g\()1, \ready+VL(%rsp)
	sm4_load_row	\g\()2, \ready+VL*2(%rsp)
.endm

/* The number of the block that each element of word 3 belongs to, group by group */
.macro sm4_counter_constants	prefix, groups
.pushsection .rodata
.p2align 6
.L\prefix\()_block_numbers:
.set	i, 0
.rept	\groups
.set	quarter, 0
.rept	VL / 16
	.long	i+quarter, i+quarter+VL/16, i+quarter+2*VL/16, i+quarter+3*VL/16
	.set	quarter, quarter+1
.endr
	.set	i, i+VL/4
.endr
.popsection
.endm

#endif
