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
 * Groups of bulk leave from the last to the first: if the last one is partial, the text ends with
 * it, and has then as many BYTES as are before it. A pass in which word 3 overflows is one of
 * words.
 *
 * KEYS, DST, SRC, IV and BYTES are arguments and live throughout, and so does the counter. OFFSET
 * (%r10) is that of a group, and the bytes that are done. TMP (%rax) is free between any two calls.
 */
.macro sm4_ctr_function	name, prefix, full, hash
	.set COUNTER_HIGH,	%r9		/* of the next block, in the CPU's byte order */
	.set COUNTER_LOW,	%r11
	.set COUNTER_LOW_32,	%r11d
	.set WORD_3,		T2		/* of the counter, in every 128 bits */
	.set CTR_END,		%rax		/* of the text; then the start of the last row */
	.set CTR_KEYSTREAM,	%rdi		/* for that row, on the stack */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	CTR_FRAME
	sm4_load_counter

	/* passes for bulk, if there is enough text */
.L\name\()_next:
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.L\name\()_words
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, BULK_STATE_USED(%rsp)
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_pairs_counter_ready CTR_COUNTER, %rsp, CTR_READY
.L\name\()_bulk_pass:
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, CTR_PASS(%rsp)
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		OFFSET_32, TMP_32
	shr		$4, TMP_32			# blocks of the pass
	add		COUNTER_LOW_32, TMP_32		# does word 3 overflow?
	jc		.L\name\()_bulk_done
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
	lea		CTR_READY(%rsp), TMP
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		CTR_PASS(%rsp), OFFSET
	sm4_align_loop
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	lea		BULK_GROUP_BYTES(OFFSET), TMP
	cmp		TMP, BYTES
	jb		.L\name\()_partial_group
	sm4_each_register PAIRS, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	mov		CTR_PASS(%rsp), OFFSET
	sm4_ctr_advance
	cmp		$BULK_LEAST_COUNTED, BYTES
	jae		.L\name\()_bulk_pass
.L\name\()_bulk_done:
	sm4_wipe_bulk_state
	jmp		.L\name\()_words

.L\name\()_partial_group:
	sm4_ctr_rows	PAIRS
	push		SRC
	push		DST
	sm4_ctr_last_row
	pop		DST
	pop		SRC
	mov		OFFSET, BYTES			# before this group
	mov		OFFSET, CTR_PASS(%rsp)
	jmp		.L\name\()_leave

	/* passes of words; the one in which word 3 overflows counts block by block */
.L\name\()_words:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\name\()_done
	mov		COUNTER_LOW_32, TMP_32
	add		$WORD_PASS_BLOCKS, TMP_32	# may word 3 overflow?
	jnc		.L\name\()_pass
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_count_blocks BULK_STATE
	lea		BULK_STATE(%rsp), TMP
	sm4_for_groups	\full, sm4_load, TMP		# counter + i, as rows
	call		\prefix\()_rows_\full		# E(counter + i)
	jmp		.L\name\()_add_\full
.L\name\()_pass:
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.irp	groups, 1, 2
.if \groups < \full
	cmp		$GROUP_BYTES(\groups), BYTES
	jbe		.L\name\()_pass_of_\groups
.endif
.endr
.irp	groups, 3, 2, 1
.if \groups <= \full
.L\name\()_pass_of_\groups:
	sm4_ctr_keystream \groups, \prefix
.L\name\()_add_\groups:
	mov		$GROUP_BYTES(\groups), OFFSET_32
	cmp		OFFSET, BYTES
	jb		.L\name\()_end
	sm4_for_groups	\groups, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\groups, sm4_store, DST
	sm4_ctr_advance
	jmp		.L\name\()_next
.endif
.endr

	/* the text ends within the groups */
.L\name\()_end:
	xor		OFFSET_32, OFFSET_32
	sm4_ctr_rows_of	\full
	sm4_ctr_last_row
	xor		BYTES_32, BYTES_32

.L\name\()_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
