/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Counter mode on 64-byte vectors */
#ifndef SM4_AVX512_CTR_ASM_H
#define SM4_AVX512_CTR_ASM_H

#include "passes.h"

/* The stack: the buffer or the state of bulk; ready words for bulk, and for words; the counter */
#define CTR_READY		(BULK_READY+VL)
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_FRAME		(CTR_COUNTER+16)

#include "../ctr.h"		/* which uses these */

.set CTR_LEFT,			%rdi		/* at the end, bytes of text from the next row on */

/*
 * The end of a text, from OFFSET on, by rows of keystream in \registers, which hold all of it.
 * Clobbers TMP, T0, T1, CTR_LEFT, LAST_BYTES.
 */
.macro sm4_ctr_end	registers
	mov		BYTES, CTR_LEFT
	sub		OFFSET, CTR_LEFT
	lea		15(CTR_LEFT), TMP
	shr		$4, TMP				# the last block may be partial
	sm4_add_blocks
	.set		number, 0
.irp	register, \registers
	vmovdqa32	\register, T0
	sub		$VL, CTR_LEFT
	jbe		.Llast_\@
	vpxord		number*VL(SRC,OFFSET), T0, T0	# P_i ^ E(counter + i)
	vmovdqu32	T0, number*VL(DST,OFFSET)
	.set		number, number+1
.endr
.Llast_\@:
	sm4_mask_last	CTR_LEFT, TMP
	mov		BYTES, TMP
	sub		CTR_LEFT, TMP			# where the row is
	vmovdqu8	(SRC,TMP), T1{LAST_BYTES}{z}
	vpxord		T1, T0, T0
	vmovdqu8	T0, (DST,TMP){LAST_BYTES}
.endm

.macro sm4_ctr_last_words groups
	sm4_ctr_end	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3,D0,D1,D2,D3"
.endm

/*
 * Passes of two groups, of which the second one may be partial
 *
 * Vector registers: as in passes.h, and:
 *
 *	12	T0		a row of the end of a text
 *	13	T1		the last row of text
 *	14	T2		before the rounds, WORD_3
 *	15	T3		free
 *	20-23	E0-E3		after mixed rounds, rows of the group of words
 */
.macro sm4_ctr_bulk	prefix
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.Lno_bulk_\@
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_slices_counter_ready CTR_COUNTER, %rsp
.Lbulk_pass_\@:
	mov		COUNTER_LOW_32, TMP_32
	add		$BULK_PASS_BYTES/16, TMP_32	# does it overflow?
	jc		.Lbulk_done_\@
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
.if SLICES_MIXED
	cmp		$MIXED_BYTES, BYTES
	jbe		.Lmixed_\@
.endif
.if SLICES_ALONE
	cmp		$BULK_LEAST_OF_2, BYTES
	jb		.Lalone_\@
.endif
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		$BULK_GROUP_BYTES, OFFSET_32
	call		\prefix\()_leave
	call		\prefix\()_transpose
	cmp		$BULK_PASS_BYTES, BYTES
	jb		.Lpartial_\@
	sm4_each_register	SLICES, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register	SLICES, sm4_store_row, 0(DST,OFFSET)
.Lfirst_group_\@:
	xor		OFFSET_32, OFFSET_32
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_register	SLICES, sm4_xor_row, 0(SRC)
	sm4_each_register	SLICES, sm4_store_row, 0(DST)
	mov		$BULK_PASS_BYTES, OFFSET_32
	mov		$BULK_GROUP_BYTES, TMP_32
	cmp		OFFSET, BYTES
	cmovb		TMP, OFFSET			# without the second group
	sm4_ctr_advance
	cmp		$BULK_LEAST_COUNTED, BYTES
	jae		.Lbulk_pass_\@
.Lbulk_done_\@:
	sm4_wipe_slices
	jmp		.Lno_bulk_\@

.if SLICES_ALONE
.Lalone_\@:
	call		\prefix\()_alone_counter_rounds
	jmp		.Lfirst_group_\@
.endif

	/* the end of the text: a byte-sliced group and up to one of words, or a partial group */
.if SLICES_MIXED
.Lmixed_\@:
	call		\prefix\()_mixed_counter_rounds
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_ctr_end	"E0,E1,E2,E3"
	mov		OFFSET, BYTES			# what is before this group
	jmp		.Lfirst_group_\@
.endif
.Lpartial_\@:
	sm4_ctr_end	SLICES
	mov		OFFSET, BYTES			# what is before this group
	jmp		.Lfirst_group_\@
.Lno_bulk_\@:
.endm

#endif
