/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Single blocks with their words in columns: byte i of a word of block n is byte n of the i-th four
 * bytes of the vector. So a rotation moves four bytes at a time, for which a Zen 4 takes one cycle;
 * for single bytes it takes two. Of each four, as many bytes are used as there are blocks.
 */
#ifndef SM4_COLUMNS_ASM_H
#define SM4_COLUMNS_ASM_H

#include "single-blocks.h"

/* Bytes i + n of words in columns into place i */
.macro sm4_rotate_columns	n, from, to
.if \n
	vpshufd		$(0xe4>>(2*\n)|0xe4<<(8-2*\n))&0xff, \from, \to
.endif
.endm

/* A round key in columns, the same for all blocks */
.macro sm4_chain_key	offset, to
	sm4_require	TIER_COLUMNS
	vbroadcastss	\offset(ROUND_KEY), \to
	vpshufb		.Lcolumns(%rip), \to, \to
.endm

/* offset: of the next round's key; blocks: 1 or 2 */
.macro sm4_chain_round	s0, s1, s2, s3, offset, blocks=1
	vmovdqa		T0, INPUT
	sm4_chain_substitute
	sm4_chain_key	\offset, NEXT_KNOWN
	vpxor		\s2, NEXT_KNOWN, NEXT_KNOWN
	vpxor		KNOWN, \s0, \s0
	vpxor		NEXT_KNOWN, \s0, \s0
	vpxor		INPUT, \s0, \s0		# s0 ^ s2 ^ s3 ^ key
	vpxor		INPUT, KNOWN, \s3
	vpxor		\s3, NEXT_KNOWN, KNOWN	# s2 ^ s3 ^ key
	sm4_chain_rotate \blocks, 1, T2, ROTATED
	sm4_chain_rotate \blocks, 3, T3, T3
	sm4_chain_rotate \blocks, 2, T2, T2
	sm4_chain_rotate \blocks, 0, T1, T1
.if CHAIN_U0_LAST
	vpxor		ROTATED, \s0, \s0	# and rotate1(u1)
	vpxor		T1, T3, T3		# u0 ^ rotate3(u3)
.else
	vpxor		T1, \s0, \s0		# and u0
	vpxor		ROTATED, T3, T3		# rotate1(u1) ^ rotate3(u3)
.endif
	vpxor		T2, \s0, \s0		# and rotate2(u1)
	vpxor		T3, \s0, T0
.endm

/* Two blocks in the basis, from rows to words in columns: \even is block 0, and 2 */
.macro sm4_chain_words	even, odd, to0, to1, to2, to3
	sm4_chain_unpack bw, wd, \even, \odd, \to0, \to1, \to2, \to3
.endm

/* Halves of both blocks, in B0 and B2 */
.macro sm4_chain_halves
	vpshufb		.Lcolumns(%rip), A3, B0
	vpshufb		.Lcolumns(%rip), A2, B1
	vpshufb		.Lcolumns(%rip), A1, B2
	vpshufb		.Lcolumns(%rip), A0, B3
	vpunpckldq	B1, B0, B0
	vpunpckldq	B3, B2, B2
.endm

/* Add block 1 to block 0, in a word. Clobbers T0. */
.macro sm4_chain_add_second word
	vpsrld		$8, \word, T0
	vpxor		T0, \word, \word
.endm

#endif
