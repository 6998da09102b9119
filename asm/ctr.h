/* SPDX-License-Identifier: GPL-2.0 */
/* Counter mode */
#ifndef SM4_CTR_ASM_H
#define SM4_CTR_ASM_H

#include "counter.h"
#include "skeleton.h"

/*
 * The stack: the buffer of a pass, or the state of bulk; the words that sm4_counter_ready (three
 * vectors) or sm4_pairs_counter_ready (64 bytes) keeps; the counter; the bytes of a pass for bulk.
 */
#if BULK
#define CTR_READY		BULK_STATE_END
#else
#define CTR_READY		WORD_PASS_BYTES
#endif
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_PASS		(CTR_COUNTER+16)
#define CTR_FRAME		(CTR_PASS+16)

/*
 * Registers of sm4_ctr_function. KEYS, DST, SRC, IV and BYTES are arguments and live throughout,
 * and so do COUNTER_HIGH (%r9) and COUNTER_LOW (%r11). OFFSET (%r10) is that of a group, and the
 * bytes that are done. TMP (%rax) is free between any two calls. In the last row, after which no
 * key is needed:
 */
.set CTR_END,			%rax			/* of the text; then the start of the row */
.set CTR_KEYSTREAM,		%rdi			/* for the row, on the stack */

/*
 * The end of a text, from OFFSET on, by rows of keystream in registers: sm4_ctr_end_begin;
 * sm4_ctr_end_row for each, until it jumps to \last with less than a row; there,
 * sm4_ctr_end_last. They hand on CTR_END, and clobber T0, T1, BYTES, KEYS, SRC, DST.
 */
.macro sm4_ctr_end_begin
	sub		OFFSET, BYTES
	lea		15(BYTES), TMP
	shr		$4, TMP				# the last may be partial
	sm4_add_blocks
	lea		(BYTES,OFFSET), CTR_END
.endm

.macro sm4_ctr_end_row	register, offset, last
	vmovdqa		\register, T0
	sub		$VL, BYTES
	jb		\last
	vpxor		\offset(SRC,OFFSET), T0, T0	# P_i ^ E(counter + i)
	vmovdqu		T0, \offset(DST,OFFSET)
.endm

.macro sm4_ctr_end_group g, index, last
.irp	row, 0, 1, 2, 3
	sm4_ctr_end_row	\g\row, ROW(\index,\row), \last
.endr
.endm

.macro sm4_ctr_end_last
	add		$VL, BYTES
	jz		.Lwhole_\@
	sub		BYTES, CTR_END
	lea		CTR_READY+16(%rsp), CTR_KEYSTREAM	# two registers may have been pushed
	vmovdqu		T0, (CTR_KEYSTREAM)
	add		CTR_END, SRC
	add		CTR_END, DST
.if VL == 32
	cmp		$16, BYTES
	jb		.Lpartial_block_\@
	vpxor		(SRC), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (DST)
	add		$16, CTR_KEYSTREAM
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jz		.Lwipe_\@
.Lpartial_block_\@:
.endif
	lea		CTR_READY+16+VL(%rsp), TMP
	sm4_copy_partial SRC, TMP, BYTES
	vmovdqu		(TMP), T0_XMM
	vpxor		(CTR_KEYSTREAM), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (TMP)
	sm4_copy_partial TMP, DST, BYTES
	vpxor		T0_XMM, T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (TMP)
.Lwipe_\@:
	vpxor		T0, T0, T0
	vmovdqu		T0, CTR_READY+16(%rsp)
.Lwhole_\@:
.endm

/*
 * A pass of words in which word 3 does not overflow. If the text fills its groups, it goes from
 * SRC to DST, and this jumps to \next. If not, it is the end of the text, but for sm4_ctr_end_last.
 * At .L\prefix_ctr_add_N, the keystream of N groups may also come from elsewhere.
 */
.macro sm4_ctr_pass	groups, prefix, next
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), T2		# word 3, in every 128 bits
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.L\prefix\()_ctr_add_\groups:
	mov		$GROUP_BYTES(\groups), OFFSET_32
	cmp		OFFSET, BYTES
	jb		.Lend_\@
	sm4_for_groups	\groups, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\groups, sm4_store, DST
	sm4_ctr_advance
	jmp		\next
.Lend_\@:
	xor		OFFSET_32, OFFSET_32
	sm4_ctr_end_begin
	sm4_for_groups	\groups, sm4_ctr_end_group, .Llast_\@
.Llast_\@:
.endm

/*
 * Passes for bulk, if there is enough text; then this jumps to \words, and so does a pass in which
 * word 3 overflows. Groups leave from the last to the first: if the last one is partial, the
 * text ends with it, and has then as many BYTES as are before it.
 */
.macro sm4_ctr_bulk	prefix, words
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		\words
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
	jc		.Lwipe_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2		# word 3, in every 128 bits
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
.Lwipe_\@:
	sm4_wipe_bulk_state
	jmp		\words
.Lpartial_group_\@:
	sm4_ctr_end_begin
	sm4_each_register PAIRS, sm4_ctr_end_row, 0, .Llast_\@
.Llast_\@:
	push		SRC
	push		DST
	sm4_ctr_end_last
	pop		DST
	pop		SRC
	mov		OFFSET, BYTES			# before this group
	mov		OFFSET, CTR_PASS(%rsp)
	jmp		.Lleave_\@
.endm

.macro sm4_ctr_function	name, prefix, full
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	CTR_FRAME
	sm4_load_counter

.L\prefix\()_ctr_next:
.if BULK
	sm4_ctr_bulk	\prefix, .L\prefix\()_ctr_words
.endif

.L\prefix\()_ctr_words:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\prefix\()_ctr_done
	mov		COUNTER_LOW_32, TMP_32
	add		$WORD_PASS_BLOCKS, TMP_32		# may word 3 overflow?
	jnc		.L\prefix\()_ctr_pass
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_count_blocks BUFFER
	lea		BUFFER(%rsp), TMP
	sm4_for_groups	\full, sm4_load, TMP		# counter + i, as rows
	call		\prefix\()_rows_\full		# E(counter + i)
	jmp		.L\prefix\()_ctr_add_\full
.L\prefix\()_ctr_pass:
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
	sm4_fewest_groups sm4_ctr_pass, \full, BYTES, \prefix, .L\prefix\()_ctr_next
	sm4_ctr_end_last
	xor		BYTES_32, BYTES_32

.L\prefix\()_ctr_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
