/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Single blocks with AVX-512VL: element n of a vector is a word of block n, as VPROLD rotates whole
 * words, and a round key is an operand in memory.
 */
#ifndef SM4_IN_ORDER_ASM_H
#define SM4_IN_ORDER_ASM_H

#include "single-blocks.h"

/* A round key, the same for all blocks */
.macro sm4_chain_key	offset, to
	vbroadcastss	\offset(ROUND_KEY), \to
.endm

/* offset: of the next round's key; blocks: 1 or 2 */
.macro sm4_chain_round	s0, s1, s2, s3, offset, blocks=1
	vmovdqa		T0, INPUT
	sm4_chain_substitute
	vpxor		INPUT, KNOWN, \s3
	vmovdqa		\s2, KNOWN
	vpternlogd	$0x96, \offset(ROUND_KEY){1to4}, \s3, KNOWN	# s2 ^ s3 ^ key
	vprold		$24, T2, ROTATED
	vprold		$8, T3, T3
	vpshufb		.Lrotate_2(%rip), T2, T2
	vpternlogd	$0x96, KNOWN, T1, \s0
	vpternlogd	$0x96, ROTATED, T2, T3
	vpxor		T3, \s0, T0
.endm

/* Two blocks in the basis, from rows to words: \even is block 0, and 2 */
.macro sm4_chain_words	even, odd, to0, to1, to2, to3
	sm4_chain_unpack dq, qdq, \even, \odd, \to0, \to1, \to2, \to3
.endm

/* Halves of both blocks, in B0 and B2 */
.macro sm4_chain_halves
	vpunpckldq	A2, A3, B0
	vpunpckldq	A0, A1, B2
.endm

/* Add block 1 to block 0, in a word. Clobbers T0. */
.macro sm4_chain_add_second word
	vpsrldq		$4, \word, T0
	vpxor		T0, \word, \word
.endm

#endif
