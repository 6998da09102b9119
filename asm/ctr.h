/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counter mode. Registers besides those of asm/skeleton.h, as no row needs these here:
 *
 *	%r9, %r11		COUNTER_HIGH and COUNTER_LOW, the halves of the next block's
 *				counter, in the CPU's byte order
 *	%rax			the keystream in the buffer for the text that is left
 */
#ifndef SM4_CTR_ASM_H
#define SM4_CTR_ASM_H

#include "skeleton.h"

.set COUNTER_HIGH,		%r9
.set COUNTER_LOW,		%r11
.set COUNTER_LOW_32,		%r11d

/*
 * The counter has 128 bits, big-endian. Its words 0 to 2 are the same in all blocks of a
 * batch, unless word 3 overflows on the way. So these three are mapped once for a batch of
 * words, or for all batches for bulk, and kept on the stack. Only word 3 is computed for
 * each block. That takes no load and no transposition. The batch in which word 3 overflows
 * is rare. It counts block by block, which takes longer. So the time depends on the
 * counter, which is public, as the IV and the position in the text are.
 *
 * The stack: the buffer of a batch, or the state of bulk; the words that sm4_counter_ready
 * (three vectors) or sm4_bulk_counter_ready (64 bytes) keeps; the counter; the bytes of a
 * batch for bulk.
 */
#define CTR_READY		(BATCH_BYTES+BULK*(BULK_STATE_END-BATCH_BYTES))
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_PIECE		(CTR_COUNTER+16)
#define CTR_FRAME		(CTR_PIECE+16)

/* The counter as in memory. Clobbers %rax. */
.macro sm4_store_counter	to:vararg
	mov		COUNTER_HIGH, %rax
	bswap		%rax
	mov		%rax, 0+\to
	mov		COUNTER_LOW, %rax
	bswap		%rax
	mov		%rax, 8+\to
.endm

/*
 * Fill the first %r10 bytes of the buffer with counters, block by block and backwards.
 * Clobbers %rax and %r10.
 */
.macro sm4_count_blocks
	mov		%r10, %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.Lcount_one_\@:
	sub		$1, COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sm4_store_counter BUFFER-16(%rsp,%r10)
	sub		$16, %r10
	jnz		.Lcount_one_\@
.endm

/* Make words 0 to 2 of the counter ready. Clobbers %rax, T0-T2. */
.macro sm4_ctr_ready
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.endm

/* OFFSET bytes of text, in whole groups, are done. Clobbers %rax. */
.macro sm4_ctr_advance
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	mov		OFFSET, %rax
	shr		$4, %eax			# bytes to blocks
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.endm

/*
 * A batch of words in which word 3 does not overflow. If the text fills its groups, it
 * goes from SRC to DST. If not, this is the end of the text, and the keystream goes to the
 * buffer.
 */
.macro sm4_ctr_batch	prefix, groups
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), T2		# word 3, in all lanes
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.L\prefix\()_ctr_add_\groups:
	mov		$GROUP_BYTES(\groups), %r10d
	cmp		OFFSET, BYTES
	jb		.Lto_buffer_\@
	sm4_for_groups	\groups, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\groups, sm4_store, DST
	sm4_ctr_advance
	jmp		.L\prefix\()_ctr_next
.Lto_buffer_\@:
	lea		BUFFER(%rsp), %rax
	sm4_for_groups	\groups, sm4_store, %rax
.endm

/*
 * Batches for bulk, if there is enough text. The keystream for a partial group, the last
 * one, goes to the buffer, and so does that of words beside a group of bytes. The batch in
 * which word 3 overflows is left to words.
 */
.macro sm4_ctr_bulk	prefix
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.L\prefix\()_ctr_words
	sm4_next_piece	OFFSET, %r10d, 1
	mov		OFFSET, BULK_STATE_USED(%rsp)
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_bulk_counter_ready CTR_COUNTER, %rsp, CTR_READY
.Lpiece_\@:
	sm4_next_piece	OFFSET, %r10d, 1
	mov		OFFSET, CTR_PIECE(%rsp)
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		%r10d, %eax
	shr		$4, %eax			# blocks of the batch
	add		COUNTER_LOW_32, %eax		# does word 3 overflow?
	jc		.Lwipe_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2		# word 3, in all lanes
	lea		CTR_READY(%rsp), %rax
.if VL == 64
	cmp		$MIXED_BYTES, BYTES
	jbe		.Lmixed_\@
.endif
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		CTR_PIECE(%rsp), OFFSET
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix
	lea		BULK_GROUP_BYTES(OFFSET), %rax	# the end of this group
	cmp		%rax, BYTES
	jb		.Lpartial_group_\@
	sm4_for_rows	sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_for_rows	sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	mov		CTR_PIECE(%rsp), OFFSET
	cmp		OFFSET, BYTES
	jb		.Lend_\@
	sm4_ctr_advance
	cmp		$BULK_LEAST_COUNTED, BYTES
	jae		.Lpiece_\@
.Lwipe_\@:
	sm4_wipe_bulk_state
	jmp		.L\prefix\()_ctr_words
.Lpartial_group_\@:
	sm4_for_rows	sm4_store_row, BULK_STATE(%rsp,OFFSET)
	jmp		.Lleave_\@
.if VL == 64
.Lmixed_\@:
	call		\prefix\()_mixed_counter_rounds
	mov		$BULK_GROUP_BYTES, %r10d
	jmp		.Lleave_\@
.endif
.Lend_\@:
	sub		$BULK_GROUP_BYTES, OFFSET	# all but the partial group
	sm4_ctr_advance
	lea		15(BYTES), %rax
	shr		$4, %rax			# its blocks, of which one may be partial
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	lea		BULK_STATE(%rsp,OFFSET), %rax	# its keystream
	mov		BULK_STATE_USED(%rsp), %r10
	add		$BULK_STATE_END-BULK_STATE_USED, %r10
	jmp		.L\prefix\()_ctr_text
.endm

.macro sm4_ctr_function	name, prefix, full
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	CTR_FRAME
	mov		(IV), COUNTER_HIGH
	bswap		COUNTER_HIGH
	mov		8(IV), COUNTER_LOW
	bswap		COUNTER_LOW

.L\prefix\()_ctr_next:
.if BULK
	sm4_ctr_bulk	\prefix
.endif

.L\prefix\()_ctr_words:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\prefix\()_ctr_done
	mov		COUNTER_LOW_32, %eax
	add		$BATCH_BLOCKS, %eax		# may word 3 overflow?
	jnc		.L\prefix\()_ctr_batch
	mov		$BATCH_BYTES, %r10d
	sm4_count_blocks
	lea		BUFFER(%rsp), %rax
	sm4_for_groups	\full, sm4_load, %rax		# counter + i, as rows
	call		\prefix\()_rows_\full		# E(counter + i)
	jmp		.L\prefix\()_ctr_add_\full
.L\prefix\()_ctr_batch:
	sm4_ctr_ready
	sm4_fewest_groups sm4_ctr_batch, \prefix, \full
	lea		15(BYTES), %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH

	/* the end of the text, by the keystream at %rax */
	lea		BUFFER(%rsp), %rax
.L\prefix\()_ctr_text:
	sub		$VL, BYTES
	jb		.L\prefix\()_ctr_blocks
.L\prefix\()_ctr_vector:
	_vmovdqu	(SRC), T0
	_vpxor		(%rax), T0, T0
	_vmovdqu	T0, (DST)
	add		$VL, %rax
	add		$VL, SRC
	add		$VL, DST
	sub		$VL, BYTES
	jae		.L\prefix\()_ctr_vector
.L\prefix\()_ctr_blocks:
	add		$VL-16, BYTES
	jnc		.L\prefix\()_ctr_partial_block
.L\prefix\()_ctr_block:
	vmovdqu		(SRC), T0_XMM
	vpxor		(%rax), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (DST)
	add		$16, %rax
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jae		.L\prefix\()_ctr_block
.L\prefix\()_ctr_partial_block:
	add		$16, BYTES
	jz		.L\prefix\()_ctr_wipe
	lea		CTR_READY(%rsp), KEYS
	sm4_copy_partial SRC, KEYS, BYTES
	vmovdqu		(KEYS), T0_XMM
	vpxor		(%rax), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (KEYS)
	sm4_copy_partial KEYS, DST, BYTES
	vpxor		T0_XMM, T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (KEYS)
	xor		%r8d, %r8d
.L\prefix\()_ctr_wipe:
	sm4_wipe_stack	BUFFER

.L\prefix\()_ctr_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
