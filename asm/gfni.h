/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * What all tiers with GFNI share: GF2P8AFFINEINVQB inverts bytes in AES's field and then
 * applies any affine map, one instruction each for W0 and W3. W0 and W3 are operands, in
 * memory or registers, that a tier's file names. (W1 is the sum of the two.)
 */
#ifndef SM4_GFNI_ASM_H
#define SM4_GFNI_ASM_H

.macro sm4_map_in	reg
	vgf2p8affineqb	$0, .Lin(%rip), \reg, \reg
.endm

.macro sm4_map_out	reg
	vgf2p8affineqb	$0, .Lout(%rip), \reg, \reg
.endm

/* The three values of y from x in a register */
.macro sm4_invert_0	from, to
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, W0, \from, \to		# u0
.endm

.macro sm4_invert_1	from, to
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, W1, \from, \to		# u1
.endm

.macro sm4_invert_3	from, to
	vgf2p8affineinvqb $0, W3, \from, \to				# u3
.endm

.macro sm4_substitute
	sm4_invert_0	T0, T2
	sm4_invert_3	T0, T3
.endm

/* sm4_substitute has moved no byte, so there is nothing to do for n = 0. */
.macro sm4_rotate_by_memory n, from, to
.if \n
	vpshufb		.Lrotate_\n(%rip), \from, \to
.endif
.endm

/* The constants of these macros and of asm/words.h, once for a file */
.macro sm4_gfni_constants
sm4_gfni_maps
sm4_constant rotate_1, SM4_ROTATE_1
sm4_constant rotate_2, SM4_ROTATE_2
sm4_constant rotate_3, SM4_ROTATE_3
sm4_constant swap_words, SM4_SWAP_WORDS
.endm

#endif
