/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GCM (asm/gcm.h) with bulk in pairs. GHASH does not go on beside the rounds: for bulk, these leave
 * little room for it (docs/arithmetic.md).
 */
#ifndef SM4_PAIRS_GCM_ASM_H
#define SM4_PAIRS_GCM_ASM_H

#include "passes.h"

/*
 * The stack: the buffer, in the place of the state of bulk, and one more block; a partial block;
 * words 0 to 2 of the counter, mapped for words and for bulk; word 3, in the CPU's byte
 * order; the part; BYTES during GHASH; how many bytes of the buffer are to be wiped.
 */
#define GCM_BUFFER		BULK_STATE
#define GCM_PARTIAL		(GCM_BUFFER+BULK_PASS_BYTES+VL)
#define GCM_READY		(GCM_PARTIAL+VL)
#define GCM_BULK_READY		(GCM_READY+3*VL)
#define GCM_COUNTER		(GCM_BULK_READY+64)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

#include "../gcm-part.h"	/* which uses these */

/*
 * The keystream of the groups below OFFSET
 *
 * Vector registers of all bulk: as in passes.h, and:
 *
 *	14	T2		before the rounds, WORD_3
 *	15	T3		free
 */
.macro sm4_gcm_bulk_keystream prefix
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	lea		GCM_BULK_READY(%rsp), TMP
	call		\prefix\()_counter_rounds
.endm

/* The bytes of the groups that hold mask and text, into OFFSET */
.macro sm4_gcm_bulk_groups
	lea		BULK_GROUP_BYTES-1(GCM_TEXT,GCM_MASK), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

/* Keystream of a part into the buffer */
.macro sm4_gcm_fill_bulk prefix
	sm4_gcm_bulk_groups
	sm4_gcm_bulk_keystream \prefix
	sm4_gcm_bulk_groups
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, GCM_BUFFER(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
.endm

.macro sm4_gcm_begin
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$GCM_MOST_USED, OFFSET_32
	cmp		$WORD_PASS_BYTES-16, BYTES
	ja		.Llong_\@
	lea		GROUP_BYTES(1)+31(BYTES), OFFSET	# with the mask and the lengths
	and		$-GROUP_BYTES(1), OFFSET
	jmp		.Lshort_\@
.Llong_\@:
	sm4_pairs_counter_ready GCM_STATE_COUNTER, STATE, GCM_BULK_READY
.Lshort_\@:
	mov		OFFSET, GCM_USED(%rsp)
.endm

.macro sm4_gcm_pairs_pass prefix, full
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_gcm_bulk_keystream \prefix
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
.endm

/* Not a pass with only a little text behind it: see sm4_pass_for */
.macro sm4_gcm_enough
	sm4_pass_for	TMP, BYTES
	cmp		$BULK_PASS_BYTES, TMP_32
.endm

.macro sm4_gcm_passes	prefix, full, hash
	sm4_gcm_full_passes BULK_PASS_BYTES, sm4_gcm_pairs_pass, \prefix, \full, \hash, \
			sm4_gcm_enough
.endm

.macro sm4_gcm_part_bytes
	sm4_pass_for	GCM_TEXT, BYTES,GCM_MASK
.if SHORT_GROUPS > 1
	/*
	 * If the text is whole passes, this part is the mask alone. With text in it, the last pass
	 * would be one block short, and need one more part. With AES-NI, a part for the mask alone
	 * makes a text of one or two passes 4 % slower.
	 */
	test		$BULK_PASS_BYTES-1, BYTES_32
	cmovz		GCM_MASK, GCM_TEXT
.endif
.endm

.macro sm4_gcm_part	prefix, full
	test		TMP, TMP
	jz		.Lfilled_\@
	cmp		$WORD_PASS_BYTES, TMP
	jbe		.Lfill_words_\@
	sm4_gcm_fill_bulk \prefix
	jmp		.Lcount_\@
.Lfill_words_\@:
	sm4_fewest_groups sm4_gcm_fill, \full, TMP, \prefix
.Lcount_\@:
	sm4_gcm_count
	sm4_gcm_store_mask
.Lfilled_\@:
	sm4_gcm_crypt_part
.endm

#endif
