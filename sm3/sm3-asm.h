/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Macros of several functions of SM3. First, rounds in general registers, in pieces:
 * sm3-avx-asm.S and asm/cbc-sm3.h interleave different work with them and need the pieces in
 * different orders. Then, macros of functions that keep the words of a block in vectors.
 *
 * Names are as in GB/T 32905-2016, section 5.3; registers have H_ in front. The pieces
 * need BMI1 and BMI2.
 */
#ifndef SM3_ASM_H
#define SM3_ASM_H

#include "../generated/sm3-constants.h"

/*
 * The words of the state, by their names before the first of four rounds, and registers that
 * every piece may clobber. The including file defines H_A to H_D, one of them as %ebx. %rbp is
 * not used, so that stacks can be unwound.
 */
.set H_E,		%r8d
.set H_F,		%r9d
.set H_G,		%r10d
.set H_H,		%r11d
.set H_T0,		%r12d
.set H_T1,		%r13d
.set H_T2,		%r14d
.set H_T3,		%r15d

/* Save the caller's registers, and make a frame. */
.macro sm3_enter	frame_size
.irp	saved, %rbx, %r12, %r13, %r14, %r15
	push		\saved
.endr
	sub		$\frame_size, %rsp
.endm

.macro sm3_leave	frame_size
	add		$\frame_size, %rsp
.irp	saved, %r15, %r14, %r13, %r12, %rbx
	pop		\saved
.endr
.endm

/* Call \macro with each word and its place in memory. */
.macro sm3_each_word	macro, state
	\macro		H_A, 0(\state)
	\macro		H_B, 4(\state)
	\macro		H_C, 8(\state)
	\macro		H_D, 12(\state)
	\macro		H_E, 16(\state)
	\macro		H_F, 20(\state)
	\macro		H_G, 24(\state)
	\macro		H_H, 28(\state)
.endm

.macro sm3_load_word	word, place
	mov		\place, \word
.endm

/* The new state is the result of the rounds, exclusive or the old state. */
.macro sm3_add_word	word, place
	xor		\place, \word
	mov		\word, \place
.endm

/* t = T_j <<< j, the constant of round \j */
.macro sm3_round_constant	j
.if \j < 16
	.set	t, SM3_T_EARLY
.else
	.set	t, SM3_T_LATE
.endif
	.set	t, (t << (\j % 32) | t >> (32 - \j % 32)) & 0xffffffff
.endm

/* The constants of all rounds (section 4.2); once for a file */
.macro sm3_round_constants
.pushsection .rodata
.p2align 6
.Lsm3_constants:
.set	j, 0
.rept	64
	sm3_round_constant (j)
	.long		t
.set	j, j+1
.endr
.popsection
.endm

/* FF and GG of rounds 0 to 15, added to \d and to \h */
.macro sm3_ff_early	a, b, c, d
	mov		\a, H_T2
	xor		\b, H_T2
	xor		\c, H_T2
	add		H_T2, \d
.endm

.macro sm3_gg_early	e, f, g, h
	mov		\f, H_T3
	xor		\g, H_T3
	xor		\e, H_T3
	add		H_T3, \h
.endm

/*
 * FF and GG of rounds 16 to 63, added likewise: majority, (a & b) + ((a ^ b) & c), and choice,
 * (~e & g) + (e & f). No bit is set in both terms of a sum.
 */
.macro sm3_ff_late_first	a, b, d
	mov		\a, H_T2
	and		\b, H_T2
	add		H_T2, \d
.endm

.macro sm3_ff_late_second	a, b, c, d
	mov		\a, H_T2
	xor		\b, H_T2
	and		\c, H_T2
	add		H_T2, \d
.endm

.macro sm3_gg_late_first	e, g, h
	andn		\g, \e, H_T3
	add		H_T3, \h
.endm

.macro sm3_gg_late_second	e, f, h
	mov		\e, H_T3
	and		\f, H_T3
	add		H_T3, \h
.endm

/* P0(x) = x ^ (x <<< 9) ^ (x <<< 17), which makes E of TT2 */
.macro sm3_p0	x
	rorx		$32-9, \x, H_T2
	rorx		$32-17, \x, H_T3
	xor		H_T2, \x
	xor		H_T3, \x
.endm

/*
 * Load the words of a block at SRC into X0 to X3, four in each; SWAP puts their bytes into the
 * CPU's order. Then 64 rounds by the file's sm3_four_rounds, whose arguments are the round and
 * the numbers of the vectors with the next 16 words. It uses the words of the first vector and
 * replaces them by those that come 16 later.
 */
.set X0,		%xmm0
.set X1,		%xmm1
.set X2,		%xmm2
.set X3,		%xmm3

.macro sm3_load_block
.irp	i, 0, 1, 2, 3
	vmovdqu		16*\i(SRC), X\i
	vpshufb		SWAP, X\i, X\i
.endr
.endm

.macro sm3_rounds
.irp	j, 0, 16, 32, 48
	sm3_four_rounds	\j+0, 0, 1, 2, 3
	sm3_four_rounds	\j+4, 1, 2, 3, 0
	sm3_four_rounds	\j+8, 2, 3, 0, 1
	sm3_four_rounds	\j+12, 3, 0, 1, 2
.endr
.endm

/* The value of SWAP; once for a file */
.macro sm3_swap_constant
.pushsection .rodata
.p2align 4
.Lswap_bytes:
	.octa		0x0c0d0e0f08090a0b0405060700010203
.popsection
.endm

#endif
