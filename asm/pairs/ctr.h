/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Counter mode: bulk in pairs, and the rest in words */
#ifndef SM4_PAIRS_CTR_ASM_H
#define SM4_PAIRS_CTR_ASM_H

#include "passes.h"

/*
 * The stack: the buffer of a pass of words, or the state of bulk; the words that sm4_counter_ready
 * (three vectors) or sm4_pairs_counter_ready (64 bytes) keeps; the counter; the bytes of a pass for
 * bulk.
 */
#define CTR_READY		BULK_STATE_END
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_PASS		(CTR_COUNTER+16)
#define CTR_FRAME		(CTR_PASS+16)

#include "../ctr-end.h"		/* which uses these */

/*
 * Groups leave from the last to the first: if the last one is partial, the text ends with it, and
 * has then as many BYTES as are before it.
 *
 * Vector registers: as in passes.h, and:
 *
 *	12	T0		the last row of a partial group, of keystream and then of text
 *	13	T1		temporary
 *	14	T2		before the rounds, WORD_3
 *	15	T3		free
 */
.macro sm4_ctr_bulk	prefix
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.Lno_bulk_\@
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, BULK_STATE_USED(%rsp)
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_pairs_counter_ready CTR_COUNTER, %rsp, CTR_READY
.Lpass_\@:
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, CTR_PASS(%rsp)
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		OFFSET_32, TMP_32
	shr		$4, TMP_32			# blocks of the pass
	add		COUNTER_LOW_32, TMP_32		# does word 3 overflow?
	jc		.Lbulk_done_\@
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
	lea		CTR_READY(%rsp), TMP
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		CTR_PASS(%rsp), OFFSET
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	lea		BULK_GROUP_BYTES(OFFSET), TMP
	cmp		TMP, BYTES
	jb		.Lpartial_group_\@
	sm4_each_register PAIRS, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	mov		CTR_PASS(%rsp), OFFSET
	sm4_ctr_advance
	cmp		$BULK_LEAST_COUNTED, BYTES
	jae		.Lpass_\@
.Lbulk_done_\@:
	sm4_wipe_bulk_state
	jmp		.Lno_bulk_\@

.Lpartial_group_\@:
	sm4_ctr_rows	PAIRS
	push		SRC
	push		DST
	sm4_ctr_last_row
	pop		DST
	pop		SRC
	mov		OFFSET, BYTES			# before this group
	mov		OFFSET, CTR_PASS(%rsp)
	jmp		.Lleave_\@
.Lno_bulk_\@:
.endm

#endif
