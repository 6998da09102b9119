/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * XTS on 64-byte vectors, by IEEE 1619 and by GB/T 17964 (asm/xts.h says how these differ)
 *
 * The tweaks of a pass of words are made before the rounds, and kept at XTS_TWEAKS, with one row
 * more; the tweaks of bulk are at XTS_BULK_TWEAKS for a whole text. The first tweaks of the next
 * pass are at XTS_NEXT.
 */
#ifndef SM4_AVX512_XTS_ASM_H
#define SM4_AVX512_XTS_ASM_H

#include "passes.h"

/* The stack: the first group's state, and tweaks in place of the second's; then tweaks of words */
#define XTS_TWEAKS		0
#define XTS_BULK_TWEAKS		BULK_GROUP_BYTES
#define XTS_NEXT		BULK_STATE_END
#define XTS_FRAME		(XTS_NEXT+VL)

#include "../xts.h"		/* which uses these */

.set TWEAKS_MADE,		%r9		/* bytes of tweaks of words, to be wiped */

/* The half that the products belong to, of each tweak, without VPCLMULQDQ */
#define TWEAK_PRODUCTS		%k3

/* For sm4_shift_and_carry, by \in and \out, the shifts into a half and out of it */
.macro sm4_carry_by_shifts out, in, count, rest, from, to, v
	\out\v\()q	\rest, \from, T0		# the bits that leave each half
	vpshufd		$0x4e, T0, T0			# to the other half
	\in\v\()q	\count, \from, \to		# * x^\count, but for carries
	\in\()q	$1, T0, T1{TWEAK_PRODUCTS}{z}
	vpternlogd	$0x96, T0, T1, \to		# and these * (x + 1)
	\in\()q	$2, T0, T1{TWEAK_PRODUCTS}{z}
	\in\()q	$7, T0, T0{TWEAK_PRODUCTS}{z}
	vpternlogd	$0x96, T0, T1, \to		# * (x^7 + x^2)
.endm

/*
 * Multiply tweaks by x^\count; \rest is 64 - count. Both are constants from 1 to 57, or, if \v is
 * v, one for each half, 0 to 57. (Bochs shifts by a constant of 64 as by 0.) In the form of GB/T
 * 17964, tweaks are big-endian halves as numbers. Clobbers T0, T1.
 */
.macro sm4_shift_and_carry count, rest, from, to, v
.if TWEAKS_BY_CLMUL && XTS_GB
	vpsll\v\()q	\rest, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x00, .Lpolynomial(%rip), T0, T1	# lower ones * (x^7+x^2+x+1)
	vpshufd		$0x4e, T0, T0			# upper half's bits to the lower one
	vpsrl\v\()q	\count, \from, \to		# * x^\count, but for carries
	vpternlogd	$0x96, T0, T1, \to		# and these
.elseif TWEAKS_BY_CLMUL
	vpsrl\v\()q	\rest, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x01, .Ltweak_polynomial(%rip), T0, T1	# upper ones * (x^7+x^2+x+1)
	vpslldq		$8, T0, T0			# lower half's bits to the upper one
	vpsll\v\()q	\count, \from, \to		# * x^\count, but for carries
	vpternlogd	$0x96, T0, T1, \to		# and these
.elseif XTS_GB
	sm4_carry_by_shifts vpsll, vpsrl, \count, \rest, \from, \to, \v
.else
	sm4_carry_by_shifts vpsrl, vpsll, \count, \rest, \from, \to, \v
.endif
.endm

.macro sm4_multiply_tweaks count, from, to
	sm4_shift_and_carry $\count, $64-\count, \from, \to
.endm

/* Convert between halves as numbers and blocks, which differ in the form of GB/T 17964. */
.macro sm4_reverse_tweaks from, to
.if XTS_GB
	vpshufb		.Lreverse_block(%rip), \from, \to
.endif
.endm

/*
 * The tweaks of a row of blocks, from the tweaks of the first of four rows, in T3. A chain of all
 * rows would be long.
 */
.macro sm4_tweak_row	number, register, place:vararg
	vmovdqa32	T3, \register
.if \number & 3
	sm4_multiply_tweaks 4*(\number&3), \register, \register
.endif
	sm4_reverse_tweaks \register, \register
.if 3 == (\number & 3)
	sm4_multiply_tweaks 16, T3, T3
.endif
.endm

.macro sm4_pass_tweaks	groups
	vmovdqu32	XTS_NEXT(%rsp), T3
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_reverse_tweaks T3, T3
	mov		$\groups, TMP_32
.Lgroup_\@:
	sm4_each_numbered	"A0,A1,A2,A3", sm4_tweak_row, 0
	sm4_each_register	"A0,A1,A2,A3", sm4_store_row, 0(TWEAKS)
	add		$4*VL, TWEAKS
	dec		TMP_32
	jnz		.Lgroup_\@
	sm4_reverse_tweaks T3, T3
	vmovdqu32	T3, (TWEAKS)			# one more, for the IV
	vmovdqu32	T3, XTS_NEXT(%rsp)
.endm

/*
 * Bulk: the tweaks of a group are transposed as its blocks are, once for a text. Then slice j has
 * byte j of all tweaks, and a multiplication by x^8 renames slices: j becomes j + 1. A byte that
 * leaves slice 15 is multiplied by x^7 + x^2 + x + 1. The product has 15 bits, by two linear maps:
 * the lower ones for one slice, the higher ones for the next. So x^64 and x^128 take 16 and 32 maps
 * for 64 tweaks. GB/T 17964 has other maps.
 *
 * XTS_BULK_TWEAKS has the tweaks of the first group. The second group's, x^64 times these, are made
 * where they are added, as the stack has no room for them.
 */
#define TWEAK_SLICE(j)		XTS_BULK_TWEAKS+(j)*VL(%rsp)

/*
 * Add x^64 times a slice: the products of slices 8 to 15 become 0 to 7, and the product of slice 15
 * reaches slice 8, too. T1 goes on from one to the next.
 */
.macro sm4_xts_add_second number, register, place:vararg
.if \number < 8
	vmovdqa32	TWEAK_SLICE(\number+8), T0
	sm4_map_tweak	T0, T2, T0
	vpternlogd	$0x96, T1, T2, \register
	vmovdqa32	T0, T1
.elseif \number == 8
	vpternlogd	$0x96, TWEAK_SLICE(\number-8), T1, \register
.else
	vpxord		TWEAK_SLICE(\number-8), \register, \register
.endif
.endm

/* Every slice has bytes of all blocks, however few there are. */
.macro sm4_xts_add_slices slices
	test		OFFSET, OFFSET
	jz		.Lfirst_group_\@
	sm4_load_tweak_maps
	vpxord		T1, T1, T1
	sm4_each_numbered	"\slices", sm4_xts_add_second, 0
	jmp		.Ladded_\@
.Lfirst_group_\@:
	sm4_each_register	"\slices", sm4_xor_row, XTS_BULK_TWEAKS(%rsp)
.Ladded_\@:
.endm

/*
 * x^128 times the tweaks: all slices leave at the end. The upper part of slice 15's product would
 * be slice 16, and leaves with slice 0. T2 goes on from one to the next. The vector that is read
 * behind slice 15 is not used. The maps are still there: the second group has left with them.
 */
.macro sm4_next_bulk_tweaks
	vmovdqa32	TWEAK_SLICE(15), T0
	sm4_map_tweak	T0, T1, T0
	vpxord		TWEAK_SLICE(0), T0, T0
	vpxord		T2, T2, T2
.irp	next, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	sm4_map_tweak	T0, T1, T0
	vpxord		T2, T1, T1
	vmovdqa32	T0, T2
	vmovdqa32	TWEAK_SLICE(\next), T0
	vmovdqa32	T1, TWEAK_SLICE(\next-1)
.endr
.endm

/* Advance XTS_NEXT by the blocks of the pass: a whole group, and what the second one has. */
.macro sm4_xts_advance
	lea		-BULK_GROUP_BYTES(PASS), TMP_32
	shr		$5, TMP_32		# bytes to half the blocks
	vpbroadcastq	TMP, T2
	sub		$64, TMP_32
	neg		TMP_32
	vpbroadcastq	TMP, A0
	vmovdqu32	XTS_NEXT(%rsp), T3
	sm4_reverse_tweaks T3, T3
.rept 2
	sm4_multiply_tweaks BULK_GROUP_BYTES/32, T3, T3
	sm4_shift_and_carry T2, A0, T3, T3, v
.endr
	sm4_reverse_tweaks T3, T3
	vmovdqu32	T3, XTS_NEXT(%rsp)
.endm

/*
 * Vector registers of bulk: as in passes.h, and:
 *
 *	0	A0		in sm4_xts_advance, 64 less the shift
 *	12-13	T0, T1		products of slices of tweaks; temporary
 *	14	T2		likewise; in sm4_xts_advance, the shift
 *	15	T3		ROW_TWEAKS: in sm4_xts_advance, and before the loop
 *	24	F0		temporary of sm4_map_tweak, by nibbles
 *	26-27	TWEAK_LOW ...	with GFNI, the maps of tweaks; else temporary of sm4_map_tweak
 *	k3	TWEAK_PRODUCTS	without VPCLMULQDQ, throughout
 */
.macro sm4_xts_text	prefix, full
.if !TWEAKS_BY_CLMUL
	mov		$0x55<<XTS_GB, TMP_32
	kmovd		TMP_32, TWEAK_PRODUCTS
.endif
	vbroadcasti32x4	(IV), ROW_TWEAKS		# T
	sm4_reverse_tweaks ROW_TWEAKS, ROW_TWEAKS
	sm4_shift_and_carry .Ltweak_shifts(%rip), .Ltweak_shifts+64(%rip), ROW_TWEAKS, \
			ROW_TWEAKS, v
	sm4_reverse_tweaks ROW_TWEAKS, ROW_TWEAKS	# T * x^i in 128 bits number i
	vmovdqu32	ROW_TWEAKS, XTS_NEXT(%rsp)
	cmp		$BULK_LEAST, BYTES
	jb		.Lwords_\@
	sm4_reverse_tweaks ROW_TWEAKS, ROW_TWEAKS
	sm4_each_numbered SLICES_IN, sm4_tweak_row, 0	# of the first group
	call		\prefix\()_transpose
	sm4_each_register SLICES, sm4_store_row, XTS_BULK_TWEAKS(%rsp)
.Lpass_\@:
	sm4_next_slices_pass
	xor		OFFSET_32, OFFSET_32
.Lenter_\@:
	sm4_each_pass_row SLICES_IN, sm4_load_numbered, 0(SRC,OFFSET)
	call		\prefix\()_transpose
	sm4_xts_add_slices SLICES			# P ^ T
	call		\prefix\()_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.Lalone_\@
.endif
	call		\prefix\()_rounds		# E(P ^ T)
.Lrounds_done_\@:
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	sm4_xts_add_slices SLICES_IN			# C = E(P ^ T) ^ T
	call		\prefix\()_transpose
	sm4_each_pass_row SLICES, sm4_store_numbered, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_xts_advance
	lea		BULK_LEAST(PASS), TMP
	cmp		TMP, BYTES			# will there be another pass?
	jb		.Lpass_done_\@
	sm4_next_bulk_tweaks
.Lpass_done_\@:
	sm4_pass_done
	cmp		$BULK_LEAST, BYTES
	jae		.Lpass_\@

	/* the next tweak; nothing else stays */
	vmovdqu		XTS_NEXT(%rsp), T0_XMM
	vmovdqu		T0_XMM, (IV)
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_wipe_rows	XTS_BULK_TWEAKS
	sm4_wipe_slices
.if SLICES_ALONE
	jmp		.Lwords_\@
.Lalone_\@:
	call		\prefix\()_alone_rounds
	jmp		.Lrounds_done_\@
.endif

.Lwords_\@:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
	lea		GROUP_BYTES(1)-1(BYTES), TWEAKS_MADE
	and		$-GROUP_BYTES(1), TWEAKS_MADE	# or more
	sm4_word_passes sm4_xts_pass, \prefix, \full
	lea		VL(TWEAKS_MADE), OFFSET
	sm4_wipe_rows	XTS_TWEAKS
.Ldone_\@:
	vpxord		T0, T0, T0
	vmovdqu32	T0, XTS_NEXT(%rsp)
.endm

/* Constants, once for a file */
.macro sm4_tweaks_64_constants
.pushsection .rodata
.p2align 6
	/* x^7 + x^2 + x + 1 */
sm4_constant tweak_polynomial, 0x87
	/* the number of bits by which the four tweaks of 64 bytes differ, and 64 less these */
.Ltweak_shifts:
	.quad		0, 0, 1, 1, 2, 2, 3, 3
	.quad		64, 64, 63, 63, 62, 62, 61, 61
.popsection
.endm

#endif
