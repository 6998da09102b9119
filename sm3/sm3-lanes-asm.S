/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 of several messages at once: 8 with AVX2, 16 with AVX-512. One message is a chain that
 * cannot be vectorized. Here each message has an element of every vector, a lane, and all of
 * a round, the expansion of the block included, is done in vectors.
 *
 * The words of the state are A0 to A3 and B0 to B3. Every macro may clobber C0 to C3 and T0
 * to T3, except for ROTATE_8. The stack has 16 words of the blocks, each in the place of the
 * one that comes 16 before it.
 */
#include "../sm4-compat.h"
#include "sm3-asm.h"
#include "../asm/constants.h"
#include "../asm/layout.h"
#include "../asm/transpose.h"

.set WIDEST, 64

.section .rodata
.p2align 6
sm4_constant swap_bytes, 0x0c0d0e0f08090a0b0405060700010203
sm4_constant rotate_8, 0x0e0d0c0f0a09080b0605040702010003
sm3_round_constants

.text

/* The arguments of sm3_lanes in struct sm4_tier (sm4-fast.h) */
.set LANES,		%rdi
.set BLOCKS,		%rsi

/* How far the sources have been read; where one is; T_j of the 16 rounds at hand; more of these */
.set DONE,		%rcx
.set DONE_32,		%ecx
.set LANE_SRC,		%rax
.set CONSTANTS,		%rdx
.set SIXTEENS_LEFT,	%eax

/* The first 16 bytes of C0 to C3 */
.set C0_XMM,		%xmm8
.set C1_XMM,		%xmm9
.set C2_XMM,		%xmm10
.set C3_XMM,		%xmm11

/* AVX2 has no rotation; one by 8 bits is a shuffle. */
.set ROTATE_8,		%ymm15

#define W(j)			VL*((j)&15)(%rsp)
#define FRAME_SIZE		(16*VL)

/* Instructions that have other names for vectors of 64 bytes */
.macro _vpxor		a, b, to
.if VL == 64
	vpxord		\a, \b, \to
.else
	vpxor		\a, \b, \to
.endif
.endm

.macro _vmovdqu		from, to
.if VL == 64
	vmovdqu32	\from, \to
.else
	vmovdqu		\from, \to
.endif
.endm

.macro _vmovdqa		from, to
.if VL == 64
	vmovdqa32	\from, \to
.else
	vmovdqa		\from, \to
.endif
.endm

.macro sm3_lanes_rotate	n, from, to, spare
.if VL == 64
	vprold		$\n, \from, \to
.else
	vpslld		$\n, \from, \spare
	vpsrld		$32-\n, \from, \to
	vpxor		\spare, \to, \to
.endif
.endm

.macro sm3_lanes_rotate_8	from, to
.if VL == 64
	vprold		$8, \from, \to
.else
	vpshufb		ROTATE_8, \from, \to
.endif
.endm

/* to ^= a ^ b */
.macro sm3_lanes_xor	a, b, to
.if VL == 64
	vpternlogd	$0x96, \a, \b, \to
.else
	vpxor		\a, \to, \to
	vpxor		\b, \to, \to
.endif
.endm

/* P0 is x ^ (x <<< 9) ^ (x <<< 17), P1 is x ^ (x <<< 15) ^ (x <<< 23). */
.macro sm3_lanes_permute	n, x, spare0, spare1
	sm3_lanes_rotate \n, \x, \spare0, \spare1
	sm3_lanes_rotate_8 \spare0, \spare1
	sm3_lanes_xor	\spare0, \spare1, \x
.endm

/* FF and GG to \to. For GG, it may be any register but \f and \g. */
.macro sm3_lanes_parity	a, b, c, to
.if VL == 64
	vmovdqa32	\a, \to
	vpternlogd	$0x96, \b, \c, \to
.else
	vpxor		\a, \b, \to
	vpxor		\c, \to, \to
.endif
.endm

.macro sm3_lanes_majority	a, b, c, to
.if VL == 64
	vmovdqa32	\a, \to
	vpternlogd	$0xe8, \b, \c, \to
.else
	vpxor		\a, \b, \to
	vpand		\a, \b, T1
	vpand		\c, \to, \to
	vpxor		T1, \to, \to
.endif
.endm

.macro sm3_lanes_choice	e, f, g, to
.if VL == 64
	vmovdqa32	\e, \to
	vpternlogd	$0xca, \g, \f, \to
.else
	vpxor		\f, \g, \to
	vpand		\e, \to, \to
	vpxor		\g, \to, \to
.endif
.endm

/* to = from + T_j */
.macro sm3_lanes_add_constant	j, from, to
.if VL == 64
	vpaddd		4*((\j)&15)(CONSTANTS){1to16}, \from, \to
.else
	vpbroadcastd	4*((\j)&15)(CONSTANTS), \to
	vpaddd		\from, \to, \to
.endif
.endm

/*
 * W_(j+16) = P1(W_j ^ W_(j+7) ^ (W_(j+13) <<< 15)) ^ (W_(j+3) <<< 7) ^ W_(j+10), in
 * the place of W_j, which is in C2
 */
.macro sm3_lanes_expand	j
	_vmovdqa	W(\j+13), C0
	_vmovdqa	W(\j+3), C1
	sm3_lanes_rotate 15, C0, C0, C3
	sm3_lanes_rotate 7, C1, C1, C3
	sm3_lanes_xor	W(\j+7), C2, C0
	sm3_lanes_permute 15, C0, C2, C3
	sm3_lanes_xor	W(\j+10), C1, C0
	_vmovdqa	C0, W(\j)
.endm

/*
 * Round \j: \d becomes A and \h becomes E; the caller renames the others.
 */
.macro sm3_lanes_round	j, ff, gg, a, b, c, d, e, f, g, h
	sm3_lanes_rotate 12, \a, C0, C3
	sm3_lanes_add_constant \j, C0, C1
	vpaddd		\e, C1, C1
	sm3_lanes_rotate 7, C1, C1, C3			# SS1
	_vmovdqa	W(\j), C2
	_vpxor		W(\j+4), C2, C3
	vpaddd		C2, \h, \h
	vpaddd		C3, \d, \d
	_vpxor		C1, C0, C0			# SS2
	\gg		\e, \f, \g, C3
	\ff		\a, \b, \c, T0
	vpaddd		C3, \h, \h
	vpaddd		T0, \d, \d
	vpaddd		C1, \h, \h			# TT2
	vpaddd		C0, \d, \d			# TT1
	sm3_lanes_rotate 9, \b, \b, C3
	sm3_lanes_rotate 19, \f, \f, C3
	sm3_lanes_permute 9, \h, C0, C3			# P0
.if (\j) < 52
	sm3_lanes_expand \j
.endif
.endm

/* Four rounds, after which all words have their own names again; then 16 */
.macro sm3_lanes_four_rounds	j, ff, gg
	sm3_lanes_round	(\j)+0, \ff, \gg, A0, A1, A2, A3, B0, B1, B2, B3
	sm3_lanes_round	(\j)+1, \ff, \gg, A3, A0, A1, A2, B3, B0, B1, B2
	sm3_lanes_round	(\j)+2, \ff, \gg, A2, A3, A0, A1, B2, B3, B0, B1
	sm3_lanes_round	(\j)+3, \ff, \gg, A1, A2, A3, A0, B1, B2, B3, B0
.endm

.macro sm3_lanes_rounds	j, ff, gg
.irp	four, 0, 4, 8, 12
	sm3_lanes_four_rounds \j+\four, \ff, \gg
.endr
	add		$64, CONSTANTS
.endm

/* 16 bytes of a lane's block to a part of a register */
.macro sm3_lanes_insert	part, row, lane, offset
	mov		SM3_LANES_SRC+8*(\lane)(LANES), LANE_SRC
.if \part == 0
	vmovdqu		\offset(LANE_SRC,DONE), \row\()_XMM
.elseif VL == 32
	vinserti128	$\part, \offset(LANE_SRC,DONE), \row, \row
.else
	vinserti32x4	$\part, \offset(LANE_SRC,DONE), \row, \row
.endif
.endm

/* Every fourth lane, to a register */
.macro sm3_lanes_row	row, lane, offset
	sm3_lanes_insert 0, \row, \lane, \offset
	sm3_lanes_insert 1, \row, \lane+4, \offset
.if VL == 64
	sm3_lanes_insert 2, \row, \lane+8, \offset
	sm3_lanes_insert 3, \row, \lane+12, \offset
.endif
.endm

/* Four words of all lanes, at \offset in their blocks */
.macro sm3_lanes_four_words	offset
	sm3_lanes_row	C0, 0, \offset
	sm3_lanes_row	C1, 1, \offset
	sm3_lanes_row	C2, 2, \offset
	sm3_lanes_row	C3, 3, \offset
.irp	row, C0, C1, C2, C3
	vpshufb		.Lswap_bytes(%rip), \row, \row
.endr
	sm4_transpose	C0, C1, C2, C3, C0, C1, C2, C3
	_vmovdqa	C0, W(\offset/4)
	_vmovdqa	C1, W(\offset/4+1)
	_vmovdqa	C2, W(\offset/4+2)
	_vmovdqa	C3, W(\offset/4+3)
.endm

/* \macro word, place: with each word of the state and where it is in memory */
.macro sm3_lanes_each_word	macro
	\macro		A0, 0*SM3_LANES_WORD(LANES)
	\macro		A1, 1*SM3_LANES_WORD(LANES)
	\macro		A2, 2*SM3_LANES_WORD(LANES)
	\macro		A3, 3*SM3_LANES_WORD(LANES)
	\macro		B0, 4*SM3_LANES_WORD(LANES)
	\macro		B1, 5*SM3_LANES_WORD(LANES)
	\macro		B2, 6*SM3_LANES_WORD(LANES)
	\macro		B3, 7*SM3_LANES_WORD(LANES)
.endm

.macro sm3_lanes_load	word, place
	_vmovdqu	\place, \word
.endm

.macro sm3_lanes_add	word, place
	_vpxor		\place, \word, \word
	_vmovdqu	\word, \place
.endm

/* void \name(struct sm3_lanes *lanes, size_t blocks), as struct sm4_tier says. */
.macro sm3_lanes_function	name, lanes
SYM_TYPED_FUNC_START(\name)
	test		BLOCKS, BLOCKS
	jz		.L\name\()_done
	push		%rbp
	mov		%rsp, %rbp
	sub		$FRAME_SIZE, %rsp
	and		$-64, %rsp
	xor		DONE_32, DONE_32
	sm3_lanes_each_word sm3_lanes_load

.L\name\()_block:
	lea		.Lsm3_constants(%rip), CONSTANTS
.irp	offset, 0, 16, 32, 48
	sm3_lanes_four_words \offset
.endr
.if VL == 32
	vmovdqa		.Lrotate_8(%rip), ROTATE_8
.endif
	sm3_lanes_rounds 0, sm3_lanes_parity, sm3_lanes_parity
	mov		$2, SIXTEENS_LEFT
.L\name\()_late:
	sm3_lanes_rounds 16, sm3_lanes_majority, sm3_lanes_choice
	dec		SIXTEENS_LEFT
	jnz		.L\name\()_late
	sm3_lanes_rounds 48, sm3_lanes_majority, sm3_lanes_choice
	sm3_lanes_each_word sm3_lanes_add
	add		$64, DONE
	dec		BLOCKS
	jnz		.L\name\()_block

.set	lane, 0
.rept	\lanes
	add		DONE, SM3_LANES_SRC+8*lane(LANES)
	.set		lane, lane+1
.endr
.if VL == 64
	sm4_clear_all_registers
.else
	sm4_clear_registers
.endif
.irp	j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	_vmovdqa	A0, W(\j)
.endr
	vzeroupper
	leave
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

.set VL, 32
sm4_name_registers
sm3_lanes_function sm3_lanes_avx2, SM3_LANES_AVX2

.set VL, 64
sm4_name_as	zmm
sm3_lanes_function sm3_lanes_avx512, SM3_LANES_MAX
