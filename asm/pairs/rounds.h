/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The rounds of SM4 on pairs, for bulk on vectors of 16 or 32 bytes. They take fewer
 * instructions for each block than the rounds of asm/rounds.h, and do more blocks at a time.
 *
 * A group of pairs is eight rows of VL bytes, VL / 2 blocks. Each word w is in two vectors, w_E and
 * w_O. A quadword of w_E has the bytes 0 of four blocks and then their bytes 2; one of w_O has the
 * bytes 1 and 3. Swapping the halves of quadwords rotates a word by two bytes,
 *
 *	rotate2(w)_E = swap(w_E),	rotate2(w)_O = swap(w_O),
 *
 * and a rotation by one byte takes no more, as E and O change their names:
 *
 *	rotate1(w)_E = w_O,		rotate1(w)_O = swap(w_E).
 *
 * Of x = s1 ^ s2 ^ s3 ^ key, the inverter makes u = u0 and v = u3 (asm/words.h). With these
 * rotations, and with w_E = swap(u_O) ^ v_E and w_O = u_E ^ v_O, a round adds
 *
 *	E:	w_O ^ swap(q)
 *	O:	w_E ^ swap(q),		q = w_E ^ w_O.
 *
 * Two to four groups go through the rounds together. Their state is at BULK_STATE on the
 * stack, group by group. The newest word, which the next round waits for, is in registers as
 * well, for the first two groups, or for all of them if a tier has few constants. The sum s2 ^ s3
 * is s1 ^ s2 of the next round: it is kept before BULK_STATE until then, which is a twelfth
 * faster on a Zen 4.
 *
 * A round of a group is a chain of some 16 cycles. While a core waits for it, it executes what
 * comes next, but only as far as its scheduler reaches: on a Zen 3, 64 operations, which is less
 * than two rounds of a group. So the round of each group begins within the one before, of another
 * group: its input, and what sm4_pair_prepare makes of it, are between the lookups of that group,
 * which take long, and the sums of what they give.
 */
#ifndef SM4_PAIRS_ROUNDS_ASM_H
#define SM4_PAIRS_ROUNDS_ASM_H

#include "../constants.h"
#include "../rounds.h"
#include "../transpose.h"
#include "passes.h"

/* The offset of half 0 (E) or 1 (O) of a word in the state: sm4_pairs_transpose's order */
#define HALF(word, half)	(((word)&1)+2*(half)+4*((word)>>1))*VL

/*
 * Rows of blocks in A0 to B3, with their bytes in the order of SM4_PAIRS_IN, into halves of
 * words; or halves of words, in the order of SM4_PAIRS_OUT, into rows. Clobbers T2.
 */
.macro sm4_pairs_transpose	size0, size1, size2
	sm4_unpack	\size0, A0, A1, A2, A3, B0, B1, B2, B3, T2
	sm4_unpack	\size1, T2, A1, A0, A2, A3, B1, B0, B2, B3
	sm4_unpack	\size2, B3, A2, A1, B1, T2, A3, A0, B0, B2
.endm

/* Rows in A0 to B3 into halves, where sm4_each_register PAIRS, finds them. Clobbers T2. */
.macro sm4_pairs_halve
.irp	row, A0, A1, A2, A3, B0, B1, B2, B3
	vpshufb		.Lpairs_in(%rip), \row, \row
.endr
	sm4_pairs_transpose bw, bw, qdq
.endm

.macro sm4_store_mapped	register, place:vararg
	sm4_map_in	\register
	sm4_store_row	\register, \place
.endm

/* Rows into the state of a group, and back. Clobbers all of A, B, T0-T2. */
.macro sm4_pairs_enter
	sm4_pairs_halve
	sm4_each_register PAIRS, sm4_store_mapped, BULK_STATE(%rsp,OFFSET)
.endm

/* Word 3 - word of the state, as SM4 ends by reversing the order of words */
.macro sm4_leave_half	word, half, register
	sm4_load_row	\register, BULK_STATE+HALF(3-\word,\half)(%rsp,OFFSET)
	sm4_map_out	\register
	vpshufb		.Lpairs_out(%rip), \register, \register
.endm

.macro sm4_pairs_leave
	sm4_leave_half	0, 0, A0
	sm4_leave_half	0, 1, A1
	sm4_leave_half	1, 0, A2
	sm4_leave_half	1, 1, A3
	sm4_leave_half	2, 0, B0
	sm4_leave_half	2, 1, B1
	sm4_leave_half	3, 0, B2
	sm4_leave_half	3, 1, B3
	sm4_pairs_transpose bw, dq, qdq
.endm

/*
 * Registers of the rounds: the halves of the newest word of two or four groups, by index; the
 * input x, which sm4_pair_substitute takes; w, in which the sums are made; two values of x_E that
 * wait for sm4_pair_sums; and a spare one.
 *
 * Vector registers of the rounds. With newest words of two groups:
 *
 *	0-3	NEWEST_0_0 ...	halves of the newest words of groups 0 and 1
 *	4-5	WAITING_0, _1	the tier's, from sm4_pair_substitute to sm4_pair_sums
 *	6	SPARE		temporary; swap(q)
 *	7	FIFTH_CONSTANT	the tier's
 *	8-9	X_E, X_O	x of a group; from sm4_pair_substitute on, of the next group
 *	10-11	W_E, W_O	u or v, then w, of a group
 *	12-15	T0-T3		the tier's constants
 *
 * With newest words of four groups:
 *
 *	0-7	NEWEST_0_0 ...	halves of the newest words of groups 0 to 3; 4 and 5 are free in
 *				a pass of two groups, 6 and 7 in one of less than four
 *	8-11			as above
 *	12-13	T0, T1		the tier's constants
 *	14	SPARE		temporary; swap(q)
 *	15	WAITING_0	the tier's, from sm4_pair_substitute to sm4_pair_sums
 */
.macro sm4_name_pairs	width, groups
	.set NEWEST_GROUPS,	\groups
	.set NEWEST_0_0,	%\width\()0
	.set NEWEST_0_1,	%\width\()1
	.set NEWEST_1_0,	%\width\()2
	.set NEWEST_1_1,	%\width\()3
	.set X_E,		%\width\()8
	.set X_O,		%\width\()9
	.set W_E,		%\width\()10
	.set W_O,		%\width\()11
.if NEWEST_GROUPS > 2
	.set NEWEST_2_0,	%\width\()4
	.set NEWEST_2_1,	%\width\()5
	.set NEWEST_3_0,	%\width\()6
	.set NEWEST_3_1,	%\width\()7
	.set SPARE,		%\width\()14		# T2
	.set WAITING_0,		%\width\()15		# T3
.else
	.set WAITING_0,		%\width\()4
	.set WAITING_1,		%\width\()5
	.set SPARE,		%\width\()6
	.set FIFTH_CONSTANT,	%\width\()7
.endif
.endm
.set X_E_XMM,			%xmm8
.set X_O_XMM,			%xmm9
.set SPARE_XMM,			%xmm6

/* In a function, the return address is below the mode's frame. */
#define HALF_ON_STACK(index, word, half) \
	8+BULK_STATE+(index)*BULK_GROUP_BYTES+HALF(word,half)(%rsp)
#define SUM_ON_STACK(index, half)	8+(2*(index)+(half))*VL(%rsp)

/* A quadword in all of a register. AVX has no vpbroadcastq. */
.macro sm4_broadcast	from, to
.if VL == 16
	vmovddup	\from, \to
.else
	vpbroadcastq	\from, \to
.endif
.endm

/*
 * One half of the round key of the round that changes word s0; ROUND_KEY has the keys of four
 * rounds. It is the same for all blocks. If lane_keys is 1 (lanes.h), each block has its own:
 * the keys are then laid out as the words of the state are.
 */
.macro sm4_pair_key	index, half, s0, lane_keys, to
.if \lane_keys
	vmovdqa		(\index)*BULK_GROUP_BYTES+HALF(\s0,\half)(ROUND_KEY), \to
.else
	sm4_broadcast	16*\s0+8*\half(ROUND_KEY), \to
.endif
.endm

/* Add the newest word, which is s3, of one half. */
.macro sm4_add_newest	index, half, s3, to
.if \index < NEWEST_GROUPS
	vpxor		NEWEST_\index\()_\half, \to, \to
.else
	vpxor		HALF_ON_STACK(\index,\s3,\half), \to, \to
.endif
.endm

/*
 * x = s1 ^ s2 ^ s3 ^ key, of one half. Two rounds share s2 ^ s3. In the first of them, s1
 * is an odd word.
 */
.macro sm4_pair_input	index, half, s0, s1, s2, s3, x, lane_keys
	sm4_pair_key	\index, \half, \s0, \lane_keys, \x
.if \s1 & 1
	vmovdqa		HALF_ON_STACK(\index,\s2,\half), SPARE
	vpxor		HALF_ON_STACK(\index,\s1,\half), \x, \x
	sm4_add_newest	\index, \half, \s3, SPARE
	vpxor		SPARE, \x, \x
	vmovdqa		SPARE, SUM_ON_STACK(\index,\half)
.else
	vpxor		SUM_ON_STACK(\index,\half), \x, \x
	sm4_add_newest	\index, \half, \s3, \x
.endif
.endm

/* Begin a round of a group. O comes first, as what follows its lookups takes longer. */
.macro sm4_pair_begin	index, s0, s1, s2, s3, lane_keys
	sm4_pair_input	\index, 1, \s0, \s1, \s2, \s3, X_O, \lane_keys
	sm4_pair_prepare X_O, X_O_XMM
	sm4_pair_input	\index, 0, \s0, \s1, \s2, \s3, X_E, \lane_keys
	sm4_pair_prepare X_E, X_E_XMM
.endm

/* s0 ^= L(S(x)), of one half. \w is w of the other half; SPARE is swap(q). Clobbers \w. */
.macro sm4_pair_output	index, half, s0, w
	vpxor		HALF_ON_STACK(\index,\s0,\half), \w, \w
.if \index < NEWEST_GROUPS
	vpxor		SPARE, \w, NEWEST_\index\()_\half
	vmovdqa		NEWEST_\index\()_\half, HALF_ON_STACK(\index,\s0,\half)
.else
	vpxor		SPARE, \w, \w
	vmovdqa		\w, HALF_ON_STACK(\index,\s0,\half)
.endif
.endm

/*
 * The rest of a round of a group; in the middle of it, begin the round of the next group. Behind
 * the last group comes the first one, in its next round: there, the words have changed their
 * places. After four rounds, its key is the first of the next four. After the last round, this
 * begins one too many, for which any key will do that can be read.
 */
.macro sm4_pair_round	index, next, groups, s0, s1, s2, s3, lane_keys
	sm4_pair_substitute
.if \next < \groups
	sm4_pair_begin	\next, \s0, \s1, \s2, \s3, \lane_keys
.else
.if \s0 == 3
	add		$64+\lane_keys*(2*BULK_GROUP_BYTES-64), ROUND_KEY
	dec		ROUNDS_LEFT			# ZF until the end of the loop
	cmovz		KEYS, ROUND_KEY
.endif
	sm4_pair_begin	0, \s1, \s2, \s3, \s0, \lane_keys
.endif
	sm4_pair_sums
	vpxor		W_E, W_O, SPARE			# q
	vpshufd		$0xb1, SPARE, SPARE		# swap(q)
	sm4_pair_output	\index, 0, \s0, W_O		# s0_E ^= w_O ^ swap(q)
	sm4_pair_output	\index, 1, \s0, W_E		# s0_O ^= w_E ^ swap(q)
.endm

.macro sm4_pair_round_of_groups groups, arguments:vararg
	sm4_pair_round	0, 1, \groups, \arguments
	sm4_pair_round	1, 2, \groups, \arguments
.if \groups > 2
	sm4_pair_round	2, 3, \groups, \arguments
.endif
.if \groups > 3
	sm4_pair_round	3, 4, \groups, \arguments
.endif
.endm

/* Load the newest word of a group before the first round. */
.macro sm4_pair_load_newest g, index
.if \index < NEWEST_GROUPS
	vmovdqa		HALF_ON_STACK(\index,3,0), NEWEST_\index\()_0
	vmovdqa		HALF_ON_STACK(\index,3,1), NEWEST_\index\()_1
.endif
.endm

/* Wipe the sums of a group after the last one. */
.macro sm4_pair_wipe_sums g, index
	vmovdqa		SPARE, SUM_ON_STACK(\index,0)
	vmovdqa		SPARE, SUM_ON_STACK(\index,1)
.endm

.macro sm4_pair_rounds	prefix, groups, lane_keys=0
	sm4_for_groups	\groups, sm4_pair_load_newest
	mov		$32 / 4, ROUNDS_LEFT
	sm4_pair_begin	0, 0, 1, 2, 3, \lane_keys
	sm4_align_loop
.L\prefix\()_four_rounds_of_\groups\()_pairs:
	sm4_pair_round_of_groups \groups, 0, 1, 2, 3, \lane_keys
	sm4_pair_round_of_groups \groups, 1, 2, 3, 0, \lane_keys
	sm4_pair_round_of_groups \groups, 2, 3, 0, 1, \lane_keys
	sm4_pair_round_of_groups \groups, 3, 0, 1, 2, \lane_keys
	jnz		.L\prefix\()_four_rounds_of_\groups\()_pairs
	vpxor		SPARE, SPARE, SPARE
	sm4_for_groups	\groups, sm4_pair_wipe_sums
	sm4_load_constants
	RET
.endm

/*
 * As sm4_counter_ready in asm/words.h: map words 0 to 2 of a counter in memory to \ready
 * on the stack, a quadword for each half. Clobbers T0-T2.
 */
.macro sm4_pairs_counter_ready	counter, base, ready
.set	i, 0
.rept	64 / VL
.if VL == 32
	vbroadcasti128	\counter(\base), T2
.else
	vmovdqu		\counter(\base), T2
.endif
	vpshufb		.Lpairs_ready+VL*i(%rip), T2, T2
	sm4_map_in	T2
	vmovdqu		T2, \ready+VL*i(%rsp)
	.set		i, i+1
.endr
.endm

/* Part of prefix_counter_rounds: make the state of the groups below OFFSET. */
.macro sm4_pair_counters prefix
	vpaddd		.L\prefix\()_pair_numbers(%rip), T2, B2
	vpaddd		.L\prefix\()_pair_numbers+VL(%rip), T2, B3
	sm4_broadcast	(TMP), A0
	sm4_broadcast	8(TMP), A1
	sm4_broadcast	16(TMP), A2
	sm4_broadcast	24(TMP), A3
	sm4_broadcast	32(TMP), B0
	sm4_broadcast	40(TMP), B1
	xor		TMP_32, TMP_32
.Lgroup_\@:
	/* in each 128 bits, bytes 0 and 2 of four words, then their bytes 1 and 3 */
	vpshufb		.Lpairs_of_words(%rip), B2, T2
	vpshufb		.Lpairs_of_words(%rip), B3, T3
	vpunpckhqdq	T3, T2, C3
	vpunpcklqdq	T3, T2, T2
	sm4_map_in	C3
	sm4_map_in	T2
	sm4_store_row	A0, 8+BULK_STATE+HALF(0,0)(%rsp,TMP)
	sm4_store_row	A1, 8+BULK_STATE+HALF(0,1)(%rsp,TMP)
	sm4_store_row	A2, 8+BULK_STATE+HALF(1,0)(%rsp,TMP)
	sm4_store_row	A3, 8+BULK_STATE+HALF(1,1)(%rsp,TMP)
	sm4_store_row	B0, 8+BULK_STATE+HALF(2,0)(%rsp,TMP)
	sm4_store_row	B1, 8+BULK_STATE+HALF(2,1)(%rsp,TMP)
	sm4_store_row	T2, 8+BULK_STATE+HALF(3,0)(%rsp,TMP)
	sm4_store_row	C3, 8+BULK_STATE+HALF(3,1)(%rsp,TMP)
	vpaddd		.L\prefix\()_pair_blocks(%rip), B2, B2
	vpaddd		.L\prefix\()_pair_blocks(%rip), B3, B3
	add		$BULK_GROUP_BYTES, TMP_32
	cmp		OFFSET, TMP
	jb		.Lgroup_\@
.endm

/*
 * prefix_rounds: 32 rounds of the groups of the state below OFFSET, at least two. Takes
 * KEYS. Clobbers ROUND_KEY, ROUNDS_LEFT, which is OFFSET, the flags, and all vector
 * registers except the constants of sm4_load_constants; keeps the modes' other registers.
 *
 * prefix_counter_rounds: make the state of counters, then the same. Takes besides: in
 * TMP, the address that was \ready in sm4_pairs_counter_ready; in every element of
 * T2, word 3 of the first block in the CPU's byte order.
 *
 * Vector registers: the rounds have the table at sm4_name_pairs. Before them, for counters:
 *
 *	0-5	A0-B1		halves of words 0 to 2, the same for all blocks: E and O of each
 *	6-7	B2, B3		word 3 of each block of the group, in the CPU's byte order
 *	8-10	C0-C2		the tier's
 *	11	C3		O of word 3
 *	12-13	T0, T1		temporary of sm4_map_in, if it takes any
 *	14	T2		at first, word 3 of the first block; in the loop, E of word 3
 *	15	T3		temporary
 */
.macro sm4_bulk_functions prefix
	sm4_require	TIER_PAIRS
	sm4_pair_counter_constants \prefix
SYM_FUNC_START_LOCAL(\prefix\()_counter_rounds)
	sm4_pair_counters \prefix
	jmp		\prefix\()_rounds
SYM_FUNC_END(\prefix\()_counter_rounds)

SYM_FUNC_START_LOCAL(\prefix\()_rounds)
	lea		SM4_PAIRS(KEYS), ROUND_KEY
	sm4_load_pair_constants
	cmp		$3*BULK_GROUP_BYTES, OFFSET
	ja		.L\prefix\()_4_groups_of_pairs
	je		.L\prefix\()_3_groups_of_pairs
	sm4_pair_rounds	\prefix, 2
.L\prefix\()_3_groups_of_pairs:
	sm4_pair_rounds	\prefix, 3
.L\prefix\()_4_groups_of_pairs:
	sm4_pair_rounds	\prefix, 4
SYM_FUNC_END(\prefix\()_rounds)
.endm

/*
 * Constants, once for a file; and for each width, the number of the block that each counter belongs
 * to. 128 bits of a half has the bytes of rows 0, 2, 1 and 3, then of rows 4, 6, 5 and 7.
 */
.macro sm4_pair_constants
.pushsection .rodata
.p2align 6
sm4_constant pairs_in, SM4_PAIRS_IN
sm4_constant pairs_out, SM4_PAIRS_OUT
sm4_constant pairs_of_words, SM4_PAIRS_OF_WORDS
.Lpairs_ready:
.irp	word, 0, 4, 8, 12
	.fill		4, 1, \word
	.fill		4, 1, \word+2
	.fill		4, 1, \word+1
	.fill		4, 1, \word+3
.endr
.popsection
.endm

.macro sm4_pair_counter_constants prefix
.pushsection .rodata
.p2align 6
.L\prefix\()_pair_numbers:
.irp	row, 0, 4
.set	quarter, 0
.rept	VL / 16
	.long	\row*VL/16+quarter, (\row+2)*VL/16+quarter
	.long	(\row+1)*VL/16+quarter, (\row+3)*VL/16+quarter
	.set	quarter, quarter+1
.endr
.endr
.L\prefix\()_pair_blocks:
	.fill		VL / 4, 4, BULK_GROUP_BYTES / 16
.popsection
.endm

#endif
