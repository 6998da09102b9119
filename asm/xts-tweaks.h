/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * XTS on vectors of 16 and 32 bytes: the tweaks, and the text behind bulk
 *
 * A tier defines sm4_xts_bulk, which leaves less text than it could process.
 */
#ifndef SM4_XTS_TWEAKS_ASM_H
#define SM4_XTS_TWEAKS_ASM_H

#include "xts.h"

/*
 * GB/T 17964: multiply tweaks by x^\count, 1 or 2, that is, shift each half by \count bits.
 * The bits that leave the first half become the upper bits of the second one. The bits that
 * leave the second half are multiplied by x^7 + x^2 + x + 1, and added at the upper end of the
 * first one. A shuffle looks up both. Clobbers \bits_left and \table.
 */
.macro sm4_shift_tweaks	count, from, to, bits_left, table
	vpshufb		.Lgb_tweak_ends(%rip), \from, \bits_left	# bytes 15 and 7
	vpand		.Lgb_tweak_bits_\count(%rip), \bits_left, \bits_left	# bits that leave
	vpor		.Lgb_tweak_columns_\count(%rip), \bits_left, \bits_left	# table of each
	vmovdqa		.Lgb_tweak_carries(%rip), \table
	vpshufb		\bits_left, \table, \bits_left	# their products
	vpshufb		.Lreverse_block(%rip), \from, \to	# big-endian halves as numbers
	vpsrlq		$\count, \to, \to		# * x^\count, but for carries
	vpshufb		.Lreverse_block(%rip), \to, \to
	vpxor		\bits_left, \to, \to		# and these
.endm

/*
 * Multiply the tweak in a register of 16 bytes by x. IEEE 1619: the bit that leaves the
 * lower half enters the upper one; the bit that leaves the upper half becomes
 * x^7 + x^2 + x + 1. Clobbers T0, T2.
 */
.macro sm4_double_tweak	from, to
.if XTS_GB
	sm4_shift_tweaks 1, \from, \to, T0_XMM, T2_XMM
.else
	vpshufd		$0x13, \from, T0_XMM		# the words with bits 127 and 63
	vpsrad		$31, T0_XMM, T0_XMM		# all ones where these are set
	vpand		.Ltweak_carries(%rip), T0_XMM, T0_XMM	# 0x87 below, 1 above
	vpaddq		\from, \from, \to		# * x, but for carries
	vpxor		T0_XMM, \to, \to		# and these
.endif
.endm

/* The first VL / 16 tweaks into T3. Clobbers T0-T2. */
.macro sm4_first_tweaks
	vmovdqu		(IV), T3_XMM			# T
.if VL == 32
	sm4_double_tweak T3_XMM, T1_XMM			# T * x
	vinserti128	$1, T1_XMM, T3_YMM, T3_YMM
.endif
.endm

/*
 * Multiply the VL / 16 tweaks in T3 by x^(VL / 16), for the next ones. AVX2 alone has no carry-less
 * multiplication of 32 bytes: a shuffle looks up the products of the two bits that leave each half.
 * Tiers with VPCLMULQDQ use this for the first tweaks only. Clobbers T0-T2.
 */
.macro sm4_next_tweaks
.if VL == 16
	sm4_double_tweak T3, T3
.elseif XTS_GB
	sm4_shift_tweaks 2, T3, T3, T0, T2
.else
	vpsrlq		$62, T3, T0			# the two bits that leave each half
	vmovdqa		.Ltweak_carries_2(%rip), T1
	vpshufb		.Ltweak_swap(%rip), T0, T0	# into the other half
	vpor		.Ltweak_columns(%rip), T0, T0	# the table of each
	vpshufb		T0, T1, T0			# their products
	vpsllq		$2, T3, T3			# * x^2, but for carries
	vpxor		T0, T3, T3			# and these
.endif
.endm

.macro sm4_pass_tweaks	groups
	vmovdqu		XTS_NEXT(%rsp), T3
	lea		XTS_TWEAKS(%rsp), TWEAKS
	mov		$4*\groups, TMP_32
	sm4_align_loop
.Lrow_\@:
	vmovdqu		T3, (TWEAKS)			# T_i
	sm4_next_tweaks					# T_(i+VL/16) = T_i * x^(VL/16)
	add		$VL, TWEAKS
	dec		TMP_32
	jnz		.Lrow_\@
	vmovdqu		T3, (TWEAKS)			# one more, for the IV
	vmovdqu		T3, XTS_NEXT(%rsp)
.endm

.macro sm4_xts_text	prefix, full
	sm4_first_tweaks
	vmovdqu		ROW_TWEAKS, XTS_NEXT(%rsp)
	sm4_xts_bulk	\prefix
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
	sm4_word_passes sm4_xts_pass, \prefix, \full
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_wipe_stack	XTS_TWEAKS
	vmovdqu		T0, XTS_TWEAKS+WORD_PASS_BYTES(%rsp)
.Ldone_\@:
	vpxor		T0, T0, T0
	vmovdqu		T0, XTS_NEXT(%rsp)
.endm

/* Constants, once for a file */
.macro sm4_tweak_constants
.pushsection .rodata
.p2align 6
	/* the product of a bit that leaves the upper half of a tweak; of the lower half */
sm4_constant tweak_carries, 0x00000000000000010000000000000087
	/*
	 * the products of two bits: of the upper half, in bytes 0 and 1, to be looked up
	 * in columns 0 and 1 of a table; of the lower half, in byte 8 and column 2
	 */
sm4_constant tweak_swap, 0x80808080808080008080808080800808
sm4_constant tweak_columns, 0x00000000000000080000000000000400
sm4_constant tweak_carries_2, 0x000000000302010001010000890e8700
	/* x^7 + x^2 + x + 1 */
sm4_constant tweak_polynomial, 0x87
	/*
	 * the same for GB/T 17964, such that its product with byte 15 has the coefficient of x^0 in
	 * bit 15; and to swap the bytes of the product
	 */
sm4_constant gb_tweak_polynomial, 0x1c2
sm4_constant gb_tweak_swap, 0x80808080808080808080808080800001
	/*
	 * GB/T 17964: the products of the bits that leave byte 15 are in bytes 0 and 1, and of the
	 * bits that leave byte 7 in byte 8. Two bits are looked up in columns 0, 1 and 2, one bit
	 * in the halves of column 3. With one bit, byte 1 gets 0 (0x80).
	 */
sm4_constant gb_tweak_ends, 0x80808080808080078080808080800f0f
sm4_constant gb_tweak_bits_1, 0x01010101010101010101010101010101
sm4_constant gb_tweak_columns_1, 0x000000000000000e000000000000800c
sm4_constant gb_tweak_bits_2, 0x03030303030303030303030303030303
sm4_constant gb_tweak_columns_2, 0x00000000000000080000000000000400
sm4_constant gb_tweak_carries, 0x8000e100c08040008000800091e17000
.popsection
.endm

#endif
