/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 with the SM3 instructions, which do two rounds at once, and most of the expansion
 * for four words of the block: the tier sm3-ni.
 *
 * binutils before 2.42 does not know the instructions: they are put together as
 * bytes. Nor does objtool of kernels before 6.10, which do without this tier. Names are
 * as in GB/T 32905-2016, section 5.3, and in sm3-asm.h.
 */
#include "../sm4-compat.h"
#ifdef SM4_HAS_SM4NI
#include "sm3-asm.h"

sm3_swap_constant

.section .rodata
.p2align 4
/* How far H, G, D and C are rotated, and the rest of 32 */
.Lrotations:
	.long		19, 19, 9, 9
.Lrotations_back:
	.long		32-19, 32-19, 32-9, 32-9

.text

/* Arguments: sm3_blocks_function in sm3-fast.h */
.set STATE,		%rdi
.set SRC,		%rsi
.set BLOCKS,		%rdx

/*
 * Numbers of registers, after X0 to X3: words F, E, B, A of the state, the lowest first,
 * and H, G, D, C; and those that every macro may clobber. Then all by names.
 */
#define FEBA		4
#define HGDC		5
#define T0		6
#define T1		7
.set XMM_FEBA,		%xmm4
.set XMM_HGDC,		%xmm5
.set XMM_T0,		%xmm6
.set XMM_T1,		%xmm7
.set XMM_T2,		%xmm8
.set SWAP,		%xmm9
.set FEBA_BEFORE,	%xmm10
.set HGDC_BEFORE,	%xmm11

/*
 * An instruction of three operands, VEX.128, by its map, prefix and \opcode; the
 * registers are given by number, \a and \b any and \to below 8.
 */
.macro sm3_instruction	map, prefix, opcode, b, a, to
	.byte		0xc4
	.byte		0xc0 | (~(\b) & 8) << 2 | \map
	.byte		(~(\a) & 15) << 3 | \prefix
	.byte		\opcode
	.byte		0xc0 | (\to) << 3 | ((\b) & 7)
.endm

/*
 * VSM3RNDS2: rounds \j and \j + 1. \words has W_j, W_(j+1), W_(j+4) and W_(j+5). \hgdc,
 * the other four words as they were two rounds ago, except for their rotation, becomes
 * the new \feba.
 */
.macro sm3_two_rounds	j, words, feba, hgdc
	sm3_instruction	3, 1, 0xde, \words, \feba, \hgdc
	.byte		\j
.endm

/* VSM3MSG1: \x0 = P1(\x0 ^ \x7 ^ (\x13 <<< 15)), where the last W_(j+16) may still be missing */
.macro sm3_message_1	x7, x13, x0
	sm3_instruction	2, 0, 0xda, \x7, \x13, \x0
.endm

/* VSM3MSG2: \x0 ^ (\x3 <<< 7) ^ \x10, and the term with the last W_(j+16) */
.macro sm3_message_2	x10, x3, x0
	sm3_instruction	2, 1, 0xda, \x10, \x3, \x0
.endm

/* Four rounds. Then the words that come 16 later replace \x0, if any round uses them. */
.macro sm3_four_rounds	j, x0, x1, x2, x3
	vpunpcklqdq	X\x1, X\x0, XMM_T0
	vpunpckhqdq	X\x1, X\x0, XMM_T1
	sm3_two_rounds	(\j), T0, FEBA, HGDC
	sm3_two_rounds	(\j)+2, T1, HGDC, FEBA
.if \j < 52
	vpalignr	$12, X\x0, X\x1, XMM_T2
	vpalignr	$12, X\x1, X\x2, XMM_T0
	vpsrldq		$4, X\x3, XMM_T1
	sm3_message_1	T0, T1, \x0
	vpalignr	$8, X\x2, X\x3, XMM_T0
	sm3_message_2	T0, 8, \x0
.endif
.endm

/*
 * void sm3_ni_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
 *
 * As sm3-fast.h says. Rotated back, H, G, D and C are as the rounds need them, also
 * from block to block, as the state is an exclusive or of them.
 */
SYM_TYPED_FUNC_START(sm3_ni_blocks)
	test		BLOCKS, BLOCKS
	jz		.Lreturn
	vmovdqa		.Lswap_bytes(%rip), SWAP
	vpshufd		$0x1b, (STATE), XMM_T0
	vpshufd		$0x1b, 16(STATE), XMM_T1
	vpunpckhqdq	XMM_T0, XMM_T1, XMM_FEBA
	vpunpcklqdq	XMM_T0, XMM_T1, XMM_HGDC
	vpsrlvd		.Lrotations(%rip), XMM_HGDC, XMM_T0
	vpsllvd		.Lrotations_back(%rip), XMM_HGDC, XMM_HGDC
	vpor		XMM_T0, XMM_HGDC, XMM_HGDC

.p2align 4
.Lblock:
	sm3_load_block
	vmovdqa		XMM_FEBA, FEBA_BEFORE
	vmovdqa		XMM_HGDC, HGDC_BEFORE
	sm3_rounds
	vpxor		FEBA_BEFORE, XMM_FEBA, XMM_FEBA
	vpxor		HGDC_BEFORE, XMM_HGDC, XMM_HGDC
	add		$64, SRC
	dec		BLOCKS
	jnz		.Lblock

	vpsllvd		.Lrotations(%rip), XMM_HGDC, XMM_T0
	vpsrlvd		.Lrotations_back(%rip), XMM_HGDC, XMM_HGDC
	vpor		XMM_T0, XMM_HGDC, XMM_HGDC
	vpunpckhqdq	XMM_FEBA, XMM_HGDC, XMM_T0
	vpunpcklqdq	XMM_FEBA, XMM_HGDC, XMM_T1
	vpshufd		$0x1b, XMM_T0, XMM_T0
	vpshufd		$0x1b, XMM_T1, XMM_T1
	vmovdqu		XMM_T0, (STATE)
	vmovdqu		XMM_T1, 16(STATE)
	vzeroall
.Lreturn:
	RET
SYM_FUNC_END(sm3_ni_blocks)
#endif
