/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM3 with AVX and BMI2: the tier sm3-avx. A message is one chain of additions and
 * rotations, which no vector can do several of. So the rounds are in general
 * registers, with RORX, which rotates into another register; and beside them, in
 * the vector unit, goes what depends on no round, the expansion of the block.
 *
 * Names are those of GB/T 32905-2016, section 5.3. Words of the block are used in
 * fours, X0 ... X3 being 16 of them in a row; four rounds use X0, while the vector
 * unit makes the four words that come 16 later, in its place.
 */
#include "sm4-compat.h"
#include "sm3-constants.h"

.section .rodata
.p2align 4
.Lswap_bytes:
	.octa		0x0c0d0e0f08090a0b0405060700010203

.text

/* Arguments: sm3_blocks_function in sm3-fast.h */
.set STATE,		%rdi
.set SRC,		%rsi
.set BLOCKS,		%rdx

/*
 * The eight words of the rounds, by their names before the first of four rounds,
 * and what is for every macro to clobber. No %rbp, so that stacks can be unwound.
 */
.set A,			%eax
.set B,			%ebx
.set C,			%ecx
.set D,			%edx
.set E,			%r8d
.set F,			%r9d
.set G,			%r10d
.set H,			%r11d
.set T0,		%r12d
.set T1,		%r13d
.set T2,		%r14d
.set T3,		%r15d
.set T0_WHOLE,		%r12

.set X0,		%xmm0
.set X1,		%xmm1
.set X2,		%xmm2
.set X3,		%xmm3
.set V0,		%xmm4
.set V1,		%xmm5
.set V2,		%xmm6
.set V3,		%xmm7
.set SWAP,		%xmm8

/*
 * The frame: W_j and W'_j = W_j ^ W_(j+4) for four rounds and for the four after
 * these; how many blocks there are to come
 */
#define FRAME_WORDS(j)		(4 * ((j) & 7))
#define FRAME_PAIRS(j)		(32 + 4 * ((j) & 7))
#define FRAME_BLOCKS		64
#define FRAME_SIZE		72

/* The words \x0 and \x1 are those of the rounds from \j on, and the four after. */
.macro sm3_store_words	j, x0, x1
	vmovdqu		\x0, FRAME_WORDS(\j)(%rsp)
	vpxor		\x0, \x1, V0
	vmovdqu		V0, FRAME_PAIRS(\j)(%rsp)
.endm

/*
 * W_(j+16) = P1(W_j ^ W_(j+7) ^ (W_(j+13) <<< 15)) ^ (W_(j+3) <<< 7) ^ W_(j+10)
 *
 * in four steps, for four words. The fourth of these has the first one as its
 * W_(j+13), which is not there before: it is made without, and put right in the
 * end, as P1 is linear. Steps hand on V0.
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

/* FF and GG of the rounds 0 to 15, added to \d and to \h; */
.macro sm3_ff_early	a, b, c, d
	mov		\a, T2
	xor		\b, T2
	xor		\c, T2
	add		T2, \d
.endm

.macro sm3_gg_early	e, f, g, h
	mov		\f, T3
	xor		\g, T3
	xor		\e, T3
	add		T3, \h
.endm

/*
 * those of the others: majority, (a & b) + ((a ^ b) & c), and choice,
 * (~e & g) + (e & f). Of either, no bit is set in both terms.
 */
.macro sm3_ff_late	a, b, c, d
	mov		\a, T2
	and		\b, T2
	add		T2, \d
	mov		\a, T2
	xor		\b, T2
	and		\c, T2
	add		T2, \d
.endm

.macro sm3_gg_late	e, f, g, h
	andn		\g, \e, T3
	add		T3, \h
	mov		\e, T3
	and		\f, T3
	add		T3, \h
.endm

/* constant = T_j <<< j, as a signed number */
.macro sm3_round_constant	j
.if \j < 16
	.set	t, SM3_T_EARLY
.else
	.set	t, SM3_T_LATE
.endif
	.set	t, (t << (\j % 32) | t >> (32 - \j % 32)) & 0xffffffff
	.set	constant, (t ^ 0x80000000) - 0x80000000
.endm

/*
 * Round \j, and a \step of the expansion beside it. \d becomes A and \h becomes E;
 * the others but change their names, which is for the caller to do. Every next
 * round waits for E, through GG or SS1 and then P0; what has time comes where it
 * was fastest on a Zen 4.
 */
.macro sm3_round	j, a, b, c, d, e, f, g, h, step:vararg
	sm3_round_constant	(\j)
	rorx		$32-12, \a, T0
	add		FRAME_PAIRS(\j)(%rsp), \d
	add		FRAME_WORDS(\j)(%rsp), \h
	lea		constant(T0_WHOLE), T1
	add		\e, T1
	rorx		$32-7, T1, T1			/* SS1 */
.if \j < 16
	sm3_gg_early	\e, \f, \g, \h
	xor		T1, T0				/* SS2 */
	sm3_ff_early	\a, \b, \c, \d
.else
	sm3_gg_late	\e, \f, \g, \h
	xor		T1, T0
	sm3_ff_late	\a, \b, \c, \d
.endif
	add		T1, \h				/* TT2 */
	rol		$19, \f
	rorx		$32-9, \h, T2
	rorx		$32-17, \h, T3
	xor		T2, \h
	xor		T3, \h				/* P0(TT2) */
	add		T0, \d				/* TT1 */
	rol		$9, \b
	\step
.endm

/*
 * Four rounds from \j on, after which all words have their own names again. The last
 * word of a block that is used is W_67.
 */
.macro sm3_four_rounds	j, x0, x1, x2, x3
.if \j < 60
	sm3_store_words	(\j)+4, \x1, \x2
.endif
.if \j < 52
	sm3_round	(\j)+0, A, B, C, D, E, F, G, H, \
			sm3_expand_0 \x0, \x1, \x2, \x3
	sm3_round	(\j)+1, D, A, B, C, H, E, F, G, \
			sm3_expand_1
	sm3_round	(\j)+2, C, D, A, B, G, H, E, F, \
			sm3_expand_2 \x0, \x1, \x2, \x3
	sm3_round	(\j)+3, B, C, D, A, F, G, H, E, \
			sm3_expand_3 \x0, \x1, \x2, \x3
.else
	sm3_round	(\j)+0, A, B, C, D, E, F, G, H
	sm3_round	(\j)+1, D, A, B, C, H, E, F, G
	sm3_round	(\j)+2, C, D, A, B, G, H, E, F
	sm3_round	(\j)+3, B, C, D, A, F, G, H, E
.endif
.endm

.macro sm3_each_word	macro, state
	\macro		A, 0(\state)
	\macro		B, 4(\state)
	\macro		C, 8(\state)
	\macro		D, 12(\state)
	\macro		E, 16(\state)
	\macro		F, 20(\state)
	\macro		G, 24(\state)
	\macro		H, 28(\state)
.endm

.macro sm3_load_word	word, place
	mov		\place, \word
.endm

/* The state is what the rounds make of it, exclusive or what it was. */
.macro sm3_add_word	word, place
	xor		\place, \word
	mov		\word, \place
.endm

/*
 * void sm3_avx_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
 *
 * As sm3-fast.h says.
 */
SYM_TYPED_FUNC_START(sm3_avx_blocks)
	test		BLOCKS, BLOCKS
	jz		.Lreturn
	push		%rbx
	push		%r12
	push		%r13
	push		%r14
	push		%r15
	sub		$FRAME_SIZE, %rsp
	mov		BLOCKS, FRAME_BLOCKS(%rsp)
	vmovdqa		.Lswap_bytes(%rip), SWAP
	sm3_each_word	sm3_load_word, STATE

.p2align 4
.Lblock:
.irp	i, 0, 1, 2, 3
	vmovdqu		16*\i(SRC), X\i
	vpshufb		SWAP, X\i, X\i
.endr
	add		$64, SRC
	sm3_store_words	0, X0, X1
.irp	j, 0, 16, 32, 48
	sm3_four_rounds	\j+0, X0, X1, X2, X3
	sm3_four_rounds	\j+4, X1, X2, X3, X0
	sm3_four_rounds	\j+8, X2, X3, X0, X1
	sm3_four_rounds	\j+12, X3, X0, X1, X2
.endr
	sm3_each_word	sm3_add_word, STATE
	decq		FRAME_BLOCKS(%rsp)
	jnz		.Lblock

	vzeroall
	vmovdqu		%ymm0, (%rsp)
	vmovdqu		%ymm0, 32(%rsp)
	vzeroupper
	/* The words whose registers the caller does not get back as they were */
.irp	word, A, C, D, E, F, G, H
	xor		\word, \word
.endr
	add		$FRAME_SIZE, %rsp
	pop		%r15
	pop		%r14
	pop		%r13
	pop		%r12
	pop		%rbx
.Lreturn:
	RET
SYM_FUNC_END(sm3_avx_blocks)
