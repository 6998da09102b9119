/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rounds of SM4 on vectors of any width, for all SIMD tiers.
 *
 * The state
 *
 * A group is four vector registers, each of VL bytes. As rows, they hold
 * VL / 4 blocks as these lie in memory. As words, register i holds word i of
 * every block, so that a round is the same operation on whole registers.
 * Transposing 4 x 4 words in every 128-bit lane leads from one to the other.
 *
 * Up to three groups, A, B and C, go through the rounds together: a round is a
 * chain of some 15 cycles that one group alone would spend mostly waiting.
 *
 * The basis
 *
 * Bytes are held as M x (see tools/generate-constants), so that SM4's S-box is
 * an inversion in AES's field, then a linear map, and that map is one with
 * those of L. With the bytes b0 ... b3 of a word, b0 first in memory, byte i of
 * L(b) is
 *
 *	E0 b[i] ^ R b[i+1] ^ R b[i+2] ^ E3 b[i+3],	R = E0 ^ E3
 *
 * (indices modulo 4), so two maps and three rotations by whole bytes make up
 * all of S-box and L: u0 = W0 y, u3 = W3 y, u1 = u0 ^ u3, and then
 *
 *	u0 ^ rotate1(u1) ^ rotate2(u1) ^ rotate3(u3).
 *
 * What a tier defines before it includes this file
 *
 *	VL	bytes of a vector register: 16
 *	sm4_map_in reg, sm4_map_out reg
 *		M and its inverse on every byte of a register; may clobber T0
 *		and T1
 *	sm4_substitute
 *		from x in T0 to u0 in T2 and u3 in T3; may clobber T0 and T1.
 *		Bytes may change places.
 *	sm4_rotate n, from, to
 *		byte i + n of every word of register from into place i of
 *		register to, what sm4_substitute did to places undone
 */
#ifndef SM4_ROUNDS_ASM_H
#define SM4_ROUNDS_ASM_H

/* offsetof(struct sm4_round_keys, mapped) */
#define SM4_MAPPED		128

/* Arguments of every operation: sm4_crypt_function in sm4-fast.h */
.set KEYS,		%rdi
.set DST,		%rsi
.set SRC,		%rdx
.set IV,		%rcx
.set BYTES,		%r8

/* The rounds' own */
.set ROUND_KEY,		%rax
.set ROUNDS_LEFT,	%r10d

/*
 * Name the vector registers of a width, xmm or ymm: groups A, B and C, and four
 * registers T0 ... T3 that are for every macro to clobber.
 */
.macro sm4_name_registers	width
	.set A0,	%\width\()0
	.set A1,	%\width\()1
	.set A2,	%\width\()2
	.set A3,	%\width\()3
	.set B0,	%\width\()4
	.set B1,	%\width\()5
	.set B2,	%\width\()6
	.set B3,	%\width\()7
	.set C0,	%\width\()8
	.set C1,	%\width\()9
	.set C2,	%\width\()10
	.set C3,	%\width\()11
	.set T0,	%\width\()12
	.set T1,	%\width\()13
	.set T2,	%\width\()14
	.set T3,	%\width\()15
.endm

/* The first 16 bytes of T0 and T3 */
.set T0_XMM,		%xmm12
.set T3_XMM,		%xmm15

/* Blocks and bytes that so many groups hold */
#define GROUP_BLOCKS(groups)	((groups)*VL/4)
#define GROUP_BYTES(groups)	((groups)*VL*4)

/* Do "macro group, index, arguments" for each of so many groups. */
.macro sm4_for_groups	groups, macro, arguments:vararg
	\macro	A, 0, \arguments
.if \groups > 1
	\macro	B, 1, \arguments
.endif
.if \groups > 2
	\macro	C, 2, \arguments
.endif
.endm

/*
 * Transpose the 4 x 4 words of every lane: rows into words and back. Clobbers
 * T0-T3.
 */
.macro sm4_transpose	in0, in1, in2, in3, out0, out1, out2, out3
	vpunpckldq	\in1, \in0, T0
	vpunpckhdq	\in1, \in0, T1
	vpunpckldq	\in3, \in2, T2
	vpunpckhdq	\in3, \in2, T3
	vpunpcklqdq	T2, T0, \out0
	vpunpckhqdq	T2, T0, \out1
	vpunpcklqdq	T3, T1, \out2
	vpunpckhqdq	T3, T1, \out3
.endm

/* A group's way in: rows of blocks into words in the basis. */
.macro sm4_enter	g, index
	sm4_transpose	\g\()0, \g\()1, \g\()2, \g\()3, \
			\g\()0, \g\()1, \g\()2, \g\()3
	sm4_map_in	\g\()0
	sm4_map_in	\g\()1
	sm4_map_in	\g\()2
	sm4_map_in	\g\()3
.endm

/* and out: SM4 ends by reversing the order of the four words. */
.macro sm4_leave	g, index
	sm4_map_out	\g\()0
	sm4_map_out	\g\()1
	sm4_map_out	\g\()2
	sm4_map_out	\g\()3
	sm4_transpose	\g\()3, \g\()2, \g\()1, \g\()0, \
			\g\()0, \g\()1, \g\()2, \g\()3
.endm

/*
 * One round of a group, with the round key at ROUND_KEY + offset:
 *
 *	s0 ^= L(S(s1 ^ s2 ^ s3 ^ round key))
 *
 * s3 is what the round before has made, so it comes in last, and what is ready
 * last goes out through the fewest additions.
 */
.macro sm4_round	g, index, s0, s1, s2, s3, offset
	vbroadcastss	\offset(ROUND_KEY), T0
	vpxor		\g\s1, T0, T0
	vpxor		\g\s2, T0, T0
	vpxor		\g\s3, T0, T0
	sm4_substitute
	vpxor		T2, T3, T1
	sm4_rotate	0, T2, T2
	sm4_rotate	3, T3, T3
	vpxor		T2, \g\s0, \g\s0
	vpxor		T3, \g\s0, \g\s0
	sm4_rotate	1, T1, T2
	sm4_rotate	2, T1, T1
	vpxor		T2, T1, T1
	vpxor		T1, \g\s0, \g\s0
.endm

/*
 * Two functions for each number of groups, which all modes of a tier share:
 *
 *	sm4_words_N	words in the basis in, rows out: 32 rounds, way out
 *	sm4_rows_N	rows in, rows out: the way in, then the other
 *
 * They take KEYS, leave all other arguments alone, and clobber ROUND_KEY,
 * ROUNDS_LEFT, T0-T3 and the flags. Four rounds a loop turn: then the words are
 * back in their places, and the code stays within the op cache.
 */
.macro sm4_crypt_functions	groups
SYM_FUNC_START_LOCAL(sm4_words_\groups)
	lea		SM4_MAPPED(KEYS), ROUND_KEY
	mov		$32 / 4, ROUNDS_LEFT
.Lfour_rounds_\groups:
	sm4_for_groups	\groups, sm4_round, 0, 1, 2, 3, 0
	sm4_for_groups	\groups, sm4_round, 1, 2, 3, 0, 4
	sm4_for_groups	\groups, sm4_round, 2, 3, 0, 1, 8
	sm4_for_groups	\groups, sm4_round, 3, 0, 1, 2, 12
	add		$16, ROUND_KEY
	dec		ROUNDS_LEFT
	jnz		.Lfour_rounds_\groups
	sm4_for_groups	\groups, sm4_leave
	RET
SYM_FUNC_END(sm4_words_\groups)

SYM_FUNC_START_LOCAL(sm4_rows_\groups)
	sm4_for_groups	\groups, sm4_enter
	jmp		sm4_words_\groups
SYM_FUNC_END(sm4_rows_\groups)
.endm

#endif
