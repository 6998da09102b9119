/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * XTS (asm/xts.h): bulk in pairs. At the end of a text, NARROWER_BYTES or less (64 where
 * sm4-aesni-asm.S makes vaes-avx2 and aesni-avx2, 0 in aesni-avx) are not touched: the function
 * returns their number, and sm4_tier_crypt() (sm4-fast.h) calls the narrower tier for them. Only
 * whole blocks: modes/sm4-fast-skcipher.c processes the last two of a text that ends with a partial
 * one. The IV is a tweak, which core/sm4-fast-tweaks.c has encrypted.
 *
 * The tweaks of a pass are made before the rounds, and kept on the stack: for bulk at
 * XTS_BULK_TWEAKS; for words, with one row more, at XTS_TWEAKS, over the state of bulk, which is
 * done by then. The first tweaks of the next pass are at XTS_NEXT.
 *
 * With VPCLMULQDQ, bulk has four chains: a row of tweaks is x^8 times the fourth row before it.
 * Then no row waits for the one before, and x^8, a shift by a byte, takes fewer instructions.
 */
#ifndef SM4_PAIRS_XTS_ASM_H
#define SM4_PAIRS_XTS_ASM_H

#include "passes.h"

#define XTS_TWEAKS		(BULK_STATE+VL)
#define XTS_NEXT		BULK_STATE_END
#define XTS_BULK_TWEAKS		(XTS_NEXT+4*VL)
#define XTS_FRAME		(XTS_BULK_TWEAKS+BULK_PASS_BYTES)

#include "../xts-tweaks.h"	/* which uses these */

/*
 * Multiply two tweaks by x^8: shift their bytes, and add the product of the last one, which
 * leaves, and x^7 + x^2 + x + 1. In the form of GB/T 17964, the product is a big-endian number.
 * Clobbers T0.
 */
.macro sm4_tweaks_x8	tweaks
	vpsrldq		$15, \tweaks, T0
	vpslldq		$1, \tweaks, \tweaks
.if XTS_GB
	vpclmulqdq	$0x00, .Lgb_tweak_polynomial(%rip), T0, T0
	vpshufb		.Lgb_tweak_swap(%rip), T0, T0
.else
	vpclmulqdq	$0x00, .Ltweak_polynomial(%rip), T0, T0
.endif
	vpxor		T0, \tweaks, \tweaks
.endm

/* Row \row of the group, and its tweaks, which are at XTS_BULK_TWEAKS until it leaves */
.macro sm4_xts_add_tweaks register, row, tweaks
	vpxor		\tweaks, \register, \register	# P ^ T
	sm4_store_row	\tweaks, XTS_BULK_TWEAKS+VL*\row(%rsp,OFFSET)
.endm

/*
 * Add the tweaks of a group, from XTS_NEXT on, to A and B; then XTS_NEXT has the tweaks of the next
 * group. Clobbers T0 to T3; with VPCLMULQDQ, T0 and C, so that such a tier has no constants there.
 */
.macro sm4_xts_add_group
.if VPCLMULQDQ
.if VL != 32
	.error "four rows of tweaks are not x^8"
.endif
.if GROUPS < 3
	.error "group C may have constants"
.endif
.irp	row, 0, 1, 2, 3
	vmovdqu		XTS_NEXT+VL*\row(%rsp), C\row
.endr
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweaks A\row, \row, C\row
	sm4_tweaks_x8	C\row
.endr
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweaks B\row, (4+\row), C\row
	sm4_tweaks_x8	C\row
	vmovdqu		C\row, XTS_NEXT+VL*\row(%rsp)
.endr
.else
	vmovdqu		XTS_NEXT(%rsp), T3
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweaks A\row, \row, T3
	sm4_next_tweaks
.endr
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweaks B\row, (4+\row), T3
	sm4_next_tweaks
.endr
	vmovdqu		T3, XTS_NEXT(%rsp)
.endif
.endm

/*
 * Vector registers: as in passes.h. When the tweaks of a group are added:
 *
 *	8-11	C0-C3		with VPCLMULQDQ, four rows of tweaks, from four chains
 *	12	T0		temporary
 *	13-14	T1, T2		without VPCLMULQDQ, temporary; else free
 *	15	T3		without VPCLMULQDQ, a row of tweaks; else free behind the first rows
 */
.macro sm4_xts_bulk	prefix
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
.if VPCLMULQDQ
	/* the first rows of the other chains */
.irp	row, 1, 2, 3
	sm4_next_tweaks
	vmovdqu		ROW_TWEAKS, XTS_NEXT+VL*\row(%rsp)
.endr
.endif
	sm4_next_pass	PASS
	mov		PASS, BULK_STATE_USED(%rsp)
.Lpass_\@:
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.Lenter_\@:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
	sm4_xts_add_group				# P ^ T
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds		# E(P ^ T)
	mov		PASS, OFFSET
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_xor_row, XTS_BULK_TWEAKS(%rsp,OFFSET)	# C = E(P ^ T) ^ T
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_pass_done
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.Lpass_\@

	/* Keep the next tweak; sm4_xts_text wipes the first row of XTS_NEXT, the rest goes here. */
	vmovdqu		XTS_NEXT(%rsp), T0_XMM
	vmovdqu		T0_XMM, (IV)
	mov		BULK_STATE_USED(%rsp), OFFSET
	sm4_wipe_stack	XTS_BULK_TWEAKS
.if VPCLMULQDQ
.irp	row, 1, 2, 3
	vmovdqu		T0, XTS_NEXT+VL*\row(%rsp)
.endr
.endif
	sm4_wipe_bulk_state
.Lno_bulk_\@:
.endm

#endif
