/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 with AVX and BMI2: the tier sm3-avx. A message is one chain of additions and
 * rotations, which cannot be vectorized. So the rounds are in general registers, with
 * RORX, which rotates into another register. The expansion of the block, which depends
 * on no round, executes in the vector unit at the same time.
 *
 * Words of the block are used in fours, x0 ... x3 being 16 of them in a row; four
 * rounds use x0, while the vector unit makes the four words that come 16 later, in
 * its place.
 */
#include "../sm4-compat.h"
#include "sm3-asm.h"

sm3_swap_constant

.text

/* Arguments: sm3_blocks_function in sm3-fast.h */
.set STATE,		%rdi
.set SRC,		%rsi
.set BLOCKS,		%rdx

.set H_A,		%eax
.set H_B,		%ebx
.set H_C,		%ecx
.set H_D,		%edx
.set H_T0_WHOLE,	%r12

.set V0,		%xmm4
.set V1,		%xmm5
.set V2,		%xmm6
.set V3,		%xmm7
.set SWAP,		%xmm8
/* after vzeroall */
.set ZERO,		%ymm0

/*
 * The frame: W_j and W'_j = W_j ^ W_(j+4) for four rounds and for the four after
 * these; how many blocks there are to come
 */
#define FRAME_WORDS(j)		(4 * ((j) & 7))
#define FRAME_PAIRS(j)		(32 + 4 * ((j) & 7))
#define FRAME_BLOCKS		64
#define FRAME_SIZE		72

/* \x0 and \x1 have the words of the rounds from \j on, and of the four after. */
.macro sm3_store_words	j, x0, x1
	vmovdqu		\x0, FRAME_WORDS(\j)(%rsp)
	vpxor		\x0, \x1, V0
	vmovdqu		V0, FRAME_PAIRS(\j)(%rsp)
.endm

/*
 * W_(j+16) = P1(W_j ^ W_(j+7) ^ (W_(j+13) <<< 15)) ^ (W_(j+3) <<< 7) ^ W_(j+10)
 *
 * in four steps, for four words. The fourth word depends on the first one as its
 * W_(j+13): it is computed without it and corrected last, as P1 is linear. Steps hand
 * on V0.
 */
.macro sm3_expand_0	x0, x1, x2, x3
	vpalignr	$12, \x1, \x2, V0
	vpsrldq		$4, \x3, V1
	vpslld		$15, V1, V2
	vpsrld		$17, V1, V1
	vpxor		\x0, V0, V0
	vpxor		V2, V1, V1
	vpxor		V1, V0, V0
.endm

/* P1(x) = x ^ (x <<< 15) ^ (x <<< 23) */
.macro sm3_expand_1
	vpslld		$15, V0, V1
	vpsrld		$17, V0, V2
	vpxor		V1, V2, V1
	vpslld		$23, V0, V2
	vpsrld		$9, V0, V3
	vpxor		V2, V3, V2
	vpxor		V1, V0, V0
	vpxor		V2, V0, V0
.endm

.macro sm3_expand_2	x0, x1, x2, x3
	vpalignr	$12, \x0, \x1, V1
	vpalignr	$8, \x2, \x3, V2
	vpslld		$7, V1, V3
	vpsrld		$25, V1, V1
	vpxor		V2, V0, V0
	vpxor		V3, V1, V1
	vpxor		V1, V0, V0
.endm

/*
 * P1(w <<< 15) = (w <<< 15) ^ (w <<< 30) ^ (w <<< 6) of the first word, to be added
 * to the fourth: twice in 64 bits, w is rotated by a shift.
 */
.macro sm3_expand_3	x0, x1, x2, x3
	vpshufd		$0, V0, V1
	vpsrlq		$32-15, V1, V2
	vpsrlq		$32-30, V1, V3
	vpsrlq		$32-6, V1, V1
	vpxor		V2, V3, V2
	vpxor		V2, V1, V1
	vpslldq		$12, V1, V1
	vpxor		V1, V0, \x0
.endm

/*
 * Round \j, and a \step of the expansion beside it. The last rounds leave the step out: no
 * round uses a word behind W_67. \d becomes A and \h becomes E; the caller renames the
 * others. Each round waits for the previous one's E, through GG or SS1 and then P0.
 * Instructions off the critical path are placed where Zen 4 was fastest.
 */
.macro sm3_round	j, a, b, c, d, e, f, g, h, step:vararg
	sm3_round_constant	(\j)
	.set		constant, (t ^ 0x80000000) - 0x80000000	/* signed */
	rorx		$32-12, \a, H_T0
	add		FRAME_PAIRS(\j)(%rsp), \d
	add		FRAME_WORDS(\j)(%rsp), \h
	lea		constant(H_T0_WHOLE), H_T1
	add		\e, H_T1
	rorx		$32-7, H_T1, H_T1		/* SS1 */
.if \j < 16
	sm3_gg_early	\e, \f, \g, \h
	xor		H_T1, H_T0			/* SS2 */
	sm3_ff_early	\a, \b, \c, \d
.else
	sm3_gg_late_first	\e, \g, \h
	sm3_gg_late_second	\e, \f, \h
	xor		H_T1, H_T0
	sm3_ff_late_first	\a, \b, \d
	sm3_ff_late_second	\a, \b, \c, \d
.endif
	add		H_T1, \h			/* TT2 */
	rol		$19, \f
	sm3_p0		\h
	add		H_T0, \d			/* TT1 */
	rol		$9, \b
.if \j < 52
	\step
.endif
.endm

/* Four rounds from \j on, after which all words have their own names again */
.macro sm3_four_rounds	j, x0, x1, x2, x3
.if \j < 60
	sm3_store_words	(\j)+4, X\x1, X\x2
.endif
	sm3_round	(\j)+0, H_A, H_B, H_C, H_D, H_E, H_F, H_G, H_H, \
			sm3_expand_0 X\x0, X\x1, X\x2, X\x3
	sm3_round	(\j)+1, H_D, H_A, H_B, H_C, H_H, H_E, H_F, H_G, \
			sm3_expand_1
	sm3_round	(\j)+2, H_C, H_D, H_A, H_B, H_G, H_H, H_E, H_F, \
			sm3_expand_2 X\x0, X\x1, X\x2, X\x3
	sm3_round	(\j)+3, H_B, H_C, H_D, H_A, H_F, H_G, H_H, H_E, \
			sm3_expand_3 X\x0, X\x1, X\x2, X\x3
.endm

/*
 * void sm3_avx_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
 *
 * As sm3-fast.h says.
 */
SYM_TYPED_FUNC_START(sm3_avx_blocks)
	test		BLOCKS, BLOCKS
	jz		.Lreturn
	sm3_enter	FRAME_SIZE
	mov		BLOCKS, FRAME_BLOCKS(%rsp)
	vmovdqa		.Lswap_bytes(%rip), SWAP
	sm3_each_word	sm3_load_word, STATE

.p2align 4
.Lblock:
	sm3_load_block
	add		$64, SRC
	sm3_store_words	0, X0, X1
	sm3_rounds
	sm3_each_word	sm3_add_word, STATE
	decq		FRAME_BLOCKS(%rsp)
	jnz		.Lblock

	vzeroall
	vmovdqu		ZERO, (%rsp)
	vmovdqu		ZERO, 32(%rsp)
	vzeroupper
	/* Wipe the words in registers that the caller does not save. */
.irp	word, H_A, H_C, H_D, H_E, H_F, H_G, H_H
	xor		\word, \word
.endr
	sm3_leave	FRAME_SIZE
.Lreturn:
	RET
SYM_FUNC_END(sm3_avx_blocks)
