/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The rounds of asm/avx512/byte-sliced.h with GFNI, and mixed ones. The two groups are half a round
 * apart: while one is inverted, the other one is summed up. An Intel core has a single port for
 * GF2P8AFFINEINVQB of 64 bytes, whose results take five cycles to reach the sums; the 22
 * instructions of a round occupy its two ports for eleven cycles.
 */
#ifndef SM4_AVX512_GFNI_SLICES_ASM_H
#define SM4_AVX512_GFNI_SLICES_ASM_H

#define SLICES_MIXED	1
#define SLICES_ALONE	0

#include "byte-sliced.h"

/*
 * Vector registers of the rounds, with the table of byte-sliced.h:
 *
 *	12-15	T0-T3		x, then u, of the second group; in rounds of words, temporary
 *	20-23	E0-E3		x, then u, then the newest word, of the first group; in mixed
 *				rounds, words 0 to 3 of the group of words
 *	28	SUM_P		p; temporary
 *	29	SUM_Q		q
 *	30-31	W0, W3		the tier's matrices
 */
.set SUM_P,		%zmm28
.set SUM_Q,		%zmm29

.macro sm4_map_slice	matrix, from, to
	vgf2p8affineqb	$0, .L\matrix(%rip), \from, \to
.endm

/* Invert x: v into F, and u in the place of x */
.macro sm4_slices_invert	x
.irp	j, 3, 0, 1, 2
	vgf2p8affineinvqb $0, W3, \x\j, F\j
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, W0, \x\j, \x\j
.endr
.endm

/* w in the place of v; p and q */
.macro sm4_slices_w	u, key
	vpternlogd	$0x96, SM4_BYTES+\key(KEYS){1to16}, \u\()3, F0
	vpternlogd	$0x96, SM4_BYTES+\key+4(KEYS){1to16}, \u\()0, F1
	vpxord		F0, F1, SUM_P
	vpternlogd	$0x96, SM4_BYTES+\key+8(KEYS){1to16}, \u\()1, F2
	vpternlogd	$0x96, SM4_BYTES+\key+12(KEYS){1to16}, \u\()2, F3
	vpxord		F2, F3, SUM_Q
.endm

.macro sm4_slices_add	word
	vpternlogd	$0x96, F2, SUM_P, \word\()3
	vpternlogd	$0x96, F1, SUM_Q, \word\()0
	vpternlogd	$0x96, F0, SUM_Q, \word\()1
	vpternlogd	$0x96, F3, SUM_P, \word\()2
.endm

/* The second group: s0 ^= L(S(x)), and x = s1 ^ s2 ^ s3 */
.macro sm4_slices_output	s0, key
	sm4_slices_w	T, \key
	sm4_slices_add	\s0
.endm

.macro sm4_slices_input	s1, s2, s3
.irp	j, 3, 0, 1, 2
	vmovdqa32	\s1\j, T\j
	vpternlogd	$0x96, \s2\j, \s3\j, T\j
.endr
.endm

/* The first group. Words are given by number; the newest one is in E as well. */
.macro sm4_stack_output	s0, key
	sm4_slices_w	E, \key
.irp	j, 3, 0, 1, 2
	vmovdqa32	SLICE_ON_STACK(\s0,\j), E\j
.endr
	sm4_slices_add	E
.irp	j, 3, 0, 1, 2
	vmovdqa32	E\j, SLICE_ON_STACK(\s0,\j)
.endr
.endm

.macro sm4_stack_input	s1, s2
.irp	j, 3, 0, 1, 2
	vmovdqa32	SLICE_ON_STACK(\s1,\j), SUM_P
	vpternlogd	$0x96, SLICE_ON_STACK(\s2,\j), SUM_P, E\j
.endr
.endm

/* Half a round of the second group, and the first one's x */
.macro sm4_slices_first_input
	sm4_slices_input	B, C, D
	sm4_slices_invert T
.irp	j, 0, 1, 2, 3
	vpbroadcastd	ADDED(3,\j), E\j
	vpxord		SLICE_ON_STACK(3,\j), E\j, E\j
	vmovdqa32	E\j, SLICE_ON_STACK(3,\j)
.endr
	sm4_stack_input	1, 2
.endm

/* One round of both groups, from and to an inverted second one */
.macro sm4_slices_round	s0, s1, s2, s3, word0, word1, word2, word3, key
	sm4_slices_output \s0, \key
	sm4_slices_invert E
	sm4_slices_input	\s2, \s3, \s0
	sm4_stack_output	\word0, \key
	sm4_slices_invert T
	sm4_stack_input	\word2, \word3
.endm

/*
 * One round of a byte-sliced group in registers, and of a group of words in E. A single
 * byte-sliced group would spend a third of a round waiting, and that is as long as words take.
 */
.macro sm4_mixed_round	s0, s2, s3, e0, e1, e2, e3, key
	sm4_slices_output \s0, 4*\key
	sm4_round	E, 1, \e0, \e1, \e2, \e3, \key, sm4_rotate_by_memory
	sm4_slices_input	\s2, \s3, \s0
	sm4_slices_invert T
.endm

/* Vector registers: first as for counters (byte-sliced.h), then as above; E always has words. */
.macro sm4_mixed_function prefix
SYM_FUNC_START_LOCAL(\prefix\()_mixed_counter_rounds)
.irp	j, 0, 1, 2
	vbroadcasti32x4	8+BULK_READY+16*\j(%rsp), E\j
	vpshufb		.Lwords_of_slices(%rip), E\j, E\j
.endr
	vpaddd		.L\prefix\()_block_numbers+4*VL(%rip), T2, E3
	vpshufb		.Lswap_words(%rip), E3, E3
	sm4_map_in	E3
	sm4_slice_counters
	sm4_slice_counter 0
	sm4_slices_begin
	sm4_slices_input	B, C, D
	sm4_slices_invert T
	lea		SM4_MAPPED(KEYS), ROUND_KEY
.L\prefix\()_four_mixed_rounds:
	sm4_mixed_round	A, C, D, 0, 1, 2, 3, 0
	sm4_mixed_round	B, D, A, 1, 2, 3, 0, 4
	sm4_mixed_round	C, A, B, 2, 3, 0, 1, 8
	sm4_mixed_round	D, B, C, 3, 0, 1, 2, 12
	add		$16, ROUND_KEY
	add		$64, KEYS
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_mixed_rounds
	sm4_leave	E
	sub		$512, KEYS
	sm4_each_register	SLICES_IN, sm4_store_row, SLICE_ON_STACK(0,0)
	RET
SYM_FUNC_END(\prefix\()_mixed_counter_rounds)
.endm

/* For XTS: VPCLMULQDQ; and a byte of tweaks times x^7 + x^2 + x + 1, in two bytes */
#define TWEAKS_BY_CLMUL	1
.set TWEAK_LOW,		F2
.set TWEAK_HIGH,	F3

.macro sm4_load_tweak_maps
	vmovdqa32	.Ltweak_low+XTS_GB*2*VL(%rip), TWEAK_LOW
	vmovdqa32	.Ltweak_high+XTS_GB*2*VL(%rip), TWEAK_HIGH
.endm

.macro sm4_map_tweak	from, low, high
	vgf2p8affineqb	$0, TWEAK_LOW, \from, \low
	vgf2p8affineqb	$0, TWEAK_HIGH, \from, \high
.endm

#endif
