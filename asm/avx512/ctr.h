/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Counter mode on 64-byte vectors */
#ifndef SM4_AVX512_CTR_ASM_H
#define SM4_AVX512_CTR_ASM_H

#include "../counter.h"
#include "passes.h"

/* The stack: the buffer or the state of bulk, its ready words; those of words; the counter */
#define CTR_READY		(BULK_READY+VL)
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_FRAME		(CTR_COUNTER+16)

/* The keystream of \groups groups of words, if word 3 does not overflow */
.macro sm4_ctr_words	groups, prefix
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

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

/*
 * KEYS, DST, SRC, IV and BYTES are arguments and live throughout, and so does the counter. OFFSET
 * (%r10) is that of a group, and the bytes that are done. TMP (%rax) is free between any two calls.
 */
.macro sm4_ctr_function	name, prefix, full, hash
	.set COUNTER_HIGH,	%r9		/* of the next block, in the CPU's byte order */
	.set COUNTER_LOW,	%r11
	.set COUNTER_LOW_32,	%r11d
	.set WORD_3,		T2		/* of the counter, in every 128 bits */
	.set CTR_LEFT,		%rdi		/* at the end, bytes of text from the next row on */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	CTR_FRAME
	sm4_load_counter
.L\name\()_next:
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.L\name\()_words

	/* passes for bulk, of two groups, of which the second one may be partial */
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_slices_counter_ready CTR_COUNTER, %rsp
.L\name\()_bulk_pass:
	mov		COUNTER_LOW_32, TMP_32
	add		$BULK_PASS_BYTES/16, TMP_32	# does it overflow?
	jc		.L\name\()_bulk_done
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
.if SLICES_MIXED
	cmp		$MIXED_BYTES, BYTES
	jbe		.L\name\()_mixed
.endif
.if SLICES_ALONE
	cmp		$BULK_LEAST_OF_2, BYTES
	jb		.L\name\()_alone
.endif
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		$BULK_GROUP_BYTES, OFFSET_32
	call		\prefix\()_leave
	call		\prefix\()_transpose
	cmp		$BULK_PASS_BYTES, BYTES
	jb		.L\name\()_partial
	sm4_each_register	SLICES, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register	SLICES, sm4_store_row, 0(DST,OFFSET)
.L\name\()_first_group:
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
	jae		.L\name\()_bulk_pass
.L\name\()_bulk_done:
	sm4_wipe_slices
	jmp		.L\name\()_words

.if SLICES_ALONE
.L\name\()_alone:
	call		\prefix\()_alone_counter_rounds
	jmp		.L\name\()_first_group
.endif

	/* the end of the text: a byte-sliced group and up to one of words, or a partial group */
.if SLICES_MIXED
.L\name\()_mixed:
	call		\prefix\()_mixed_counter_rounds
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_ctr_end	"E0,E1,E2,E3"
	mov		OFFSET, BYTES			# what is before this group
	jmp		.L\name\()_first_group
.endif
.L\name\()_partial:
	sm4_ctr_end	SLICES
	mov		OFFSET, BYTES			# what is before this group
	jmp		.L\name\()_first_group

	/* passes of words; the one in which word 3 overflows counts block by block */
.L\name\()_words:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\name\()_done
	mov		COUNTER_LOW_32, TMP_32
	add		$WORD_PASS_BLOCKS, TMP_32		# may it overflow?
	jnc		.L\name\()_pass
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_count_blocks 0
	mov		%rsp, TMP
	sm4_for_groups	4, sm4_load, TMP		# counter + i, as rows
	call		\prefix\()_rows_4		# E(counter + i)
	jmp		.L\name\()_add_4
.L\name\()_pass:
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.irp	groups, 1, 2, 3
	cmp		$GROUP_BYTES(\groups), BYTES
	jbe		.L\name\()_pass_of_\groups
.endr
.irp	groups, 4, 3, 2, 1
.L\name\()_pass_of_\groups:
	sm4_ctr_words	\groups, \prefix
.L\name\()_add_\groups:
	mov		$GROUP_BYTES(\groups), OFFSET_32
	cmp		OFFSET, BYTES
	jb		.L\name\()_end
	sm4_for_groups	\groups, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\groups, sm4_store, DST
	sm4_ctr_advance
	jmp		.L\name\()_next
.endr

	/* the text ends within the groups */
.L\name\()_end:
	xor		OFFSET_32, OFFSET_32
	sm4_ctr_end	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3,D0,D1,D2,D3"
	xor		BYTES_32, BYTES_32

.L\name\()_done:
	sm4_store_counter 0(IV)
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
