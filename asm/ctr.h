/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counter mode. Beside the registers of asm/skeleton.h, where nothing is read or written
 * row by row:
 *
 *	%r9, %r11		COUNTER_HIGH and COUNTER_LOW, the halves of the counter
 *				to come, in the CPU's byte order
 *	%rax			keystream in the buffer, from where text is left
 */
#ifndef SM4_CTR_ASM_H
#define SM4_CTR_ASM_H

#include "skeleton.h"

.set COUNTER_HIGH,		%r9
.set COUNTER_LOW,		%r11
.set COUNTER_LOW_32,		%r11d

/*
 * CTR
 *
 * The counter is 128 bits, big-endian: its words 0 to 2 are the same in all
 * blocks of a batch, unless word 3 overflows on the way. So these three are made
 * ready before a batch of words, or before all batches for bulk, and kept on the
 * stack, and word 3 of all blocks is made where it is needed: no load, no
 * transposition. The batch in which word 3 overflows is rare and counts block by
 * block, which takes longer. So time depends on the counter. That is public, as the
 * IV and the position in the text are.
 *
 * The stack: a buffer of a batch, which is where bulk has its home; what
 * sm4_counter_ready keeps, three vectors, or sm4_bulk_counter_ready, 64 bytes; the
 * counter; the bytes of a batch for bulk.
 */
#define CTR_READY		(BATCH_BYTES+BULK*(HOME_END-BATCH_BYTES))
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
 * The counters of the first %r10 bytes of the buffer: block by block, from the last
 * one on, as word 3 overflows. Clobbers %rax and %r10.
 */
.macro sm4_count_blocks
	mov		%r10, %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.Lcount_one_\@:
	sub		$1, COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sub		$16, %r10
	sm4_store_counter BUFFER(%rsp,%r10)
	jnz		.Lcount_one_\@
.endm

/* Make words 0 to 2 of the counter ready. Clobbers %rax, T0-T2. */
.macro sm4_ctr_ready
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.endm

/* OFFSET bytes of text, of whole groups, are done. Clobbers %rax. */
.macro sm4_ctr_advance
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	mov		OFFSET, %rax
	shr		$4, %eax			# bytes to blocks
	add		%rax, COUNTER_LOW		# the counter of the block to come
	adc		$0, COUNTER_HIGH
.endm

/*
 * A batch of words, in which word 3 does not overflow. What fills its groups goes from
 * SRC to DST; for what does not, the end of the text, the keystream goes to the buffer.
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
 * Where there is enough: batches for bulk. The keystream of a group that is not
 * whole, the last one, goes to the buffer, for all that is left; so does that of words
 * beside a group of bytes. The batch in which word 3 overflows begins with words.
 */
.macro sm4_ctr_bulk	prefix
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.L\prefix\()_ctr_words
	sm4_next_piece	OFFSET, %r10d, 1
	mov		OFFSET, HOME_USED(%rsp)
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_bulk_counter_ready CTR_COUNTER, %rsp, CTR_READY
.Lpiece_\@:
	sm4_next_piece	OFFSET, %r10d, 1
	mov		OFFSET, CTR_PIECE(%rsp)
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		%r10d, %eax
	shr		$4, %eax			# blocks of the batch
	add		COUNTER_LOW_32, %eax		# does word 3 overflow among them?
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
	sm4_wipe_home
	jmp		.L\prefix\()_ctr_words
.Lpartial_group_\@:
	sm4_for_rows	sm4_store_row, HOME(%rsp,OFFSET)
	jmp		.Lleave_\@
.if VL == 64
.Lmixed_\@:
	call		\prefix\()_mixed_counter_rounds
	mov		$BULK_GROUP_BYTES, %r10d
	jmp		.Lleave_\@
.endif
.Lend_\@:
	sub		$BULK_GROUP_BYTES, OFFSET	# all groups but the last one are whole
	sm4_ctr_advance
	lea		15(BYTES), %rax
	shr		$4, %rax			# blocks of the last one, a partial one, too
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	lea		HOME(%rsp,OFFSET), %rax		# where its keystream is
	mov		HOME_USED(%rsp), %r10
	add		$HOME_END-HOME_USED, %r10
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

	/* the keystream is at %rax */
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
