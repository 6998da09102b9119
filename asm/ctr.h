/* SPDX-License-Identifier: GPL-2.0 */
/* Counter mode */
#ifndef SM4_CTR_ASM_H
#define SM4_CTR_ASM_H

#include "skeleton.h"

/* The halves of the next block's counter, in the CPU's byte order */
.set COUNTER_HIGH,		%r9
.set COUNTER_LOW,		%r11
.set COUNTER_LOW_32,		%r11d
/* One of them, as in memory; a number of blocks; word 3 plus that */
.set CTR_HALF,			%rax
.set CTR_BLOCKS,		%rax
.set CTR_BLOCKS_32,		%eax
.set CTR_WORD_3,		%eax
/* Blocks of the buffer that still get a counter, in bytes; and where they all are */
.set CTR_UNCOUNTED,		%r10
.set CTR_UNCOUNTED_32,		%r10d
.set CTR_COUNTERS,		%rax
/* The end of a group; of the text, and then the start of its last row */
.set CTR_GROUP_END,		%rax
.set CTR_END,			%rax
/* Of the last row: for sm4_mask_last; its keystream and its partial block, on the stack */
.set CTR_ONES,			%rdi
.set CTR_KEYSTREAM,		%rdi
.set CTR_PARTIAL,		%rax

/*
 * The counter has 128 bits, big-endian. Its words 0 to 2 are the same in all blocks of a
 * pass, unless word 3 overflows on the way. So these three are mapped once for a pass of
 * words, or for all passes for bulk, and kept on the stack. Only word 3 is computed for
 * each block. That takes no load and no transposition. The pass in which word 3 overflows
 * is rare. It counts block by block, which takes longer. So the time depends on the
 * counter, which is public, as the IV and the position in the text are.
 *
 * The stack: the buffer of a pass, or the state of bulk; the words that sm4_counter_ready
 * (three vectors) or sm4_bulk_counter_ready (64 bytes) keeps; the counter; the bytes of a
 * pass for bulk.
 */
#define CTR_READY		(PASS_BYTES+BULK*(BULK_STATE_END-PASS_BYTES))
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_PASS		(CTR_COUNTER+16)
#define CTR_FRAME		(CTR_PASS+16)

/* The counter as in memory. Clobbers CTR_HALF. */
.macro sm4_store_counter	to:vararg
	mov		COUNTER_HIGH, CTR_HALF
	bswap		CTR_HALF
	mov		CTR_HALF, 0+\to
	mov		COUNTER_LOW, CTR_HALF
	bswap		CTR_HALF
	mov		CTR_HALF, 8+\to
.endm

/*
 * Fill the first CTR_UNCOUNTED bytes of the buffer with counters, block by block and
 * backwards. Clobbers CTR_UNCOUNTED and CTR_BLOCKS.
 */
.macro sm4_count_blocks
	mov		CTR_UNCOUNTED, CTR_BLOCKS
	shr		$4, CTR_BLOCKS
	add		CTR_BLOCKS, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.Lcount_one_\@:
	sub		$1, COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sm4_store_counter BUFFER-16(%rsp,CTR_UNCOUNTED)
	sub		$16, CTR_UNCOUNTED
	jnz		.Lcount_one_\@
.endm

/* Make words 0 to 2 of the counter ready. Clobbers CTR_HALF, T0-T2. */
.macro sm4_ctr_ready
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.endm

/* OFFSET bytes of text, in whole groups, are done. Clobbers CTR_BLOCKS. */
.macro sm4_ctr_advance
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	mov		OFFSET, CTR_BLOCKS
	shr		$4, CTR_BLOCKS_32		# bytes to blocks
	add		CTR_BLOCKS, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.endm

/*
 * The end of a text, from OFFSET on, by rows of keystream in registers: sm4_ctr_end_begin;
 * sm4_ctr_end_row for each, until it jumps to label 9 with less than a row, or of 64 bytes
 * at most one; sm4_ctr_end_last there. They hand on CTR_END, and clobber %rax, T0, T1, BYTES,
 * KEYS, LAST_BYTES, SRC, DST.
 */
.macro sm4_ctr_end_begin
	sub		OFFSET, BYTES
	lea		15(BYTES), CTR_BLOCKS
	shr		$4, CTR_BLOCKS			# the last may be partial
	add		CTR_BLOCKS, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	lea		(BYTES,OFFSET), CTR_END
.endm

.macro sm4_ctr_end_row	register, offset
	_vmovdqa	\register, T0
	sub		$VL, BYTES
.if VL == 64
	jbe		9f
.else
	jb		9f
.endif
	_vpxor		"\offset(SRC,OFFSET)", T0, T0	# P_i ^ E(counter + i)
	_vmovdqu	T0, "\offset(DST,OFFSET)"
.endm

.macro sm4_ctr_end_last
.if VL == 64
	sm4_mask_last	BYTES, CTR_ONES
	sub		BYTES, CTR_END			# where it is
	vmovdqu8	(SRC,CTR_END), T1{LAST_BYTES}{z}
	vpxord		T1, T0, T0
	vmovdqu8	T0, (DST,CTR_END){LAST_BYTES}
.else
	add		$VL, BYTES
	jz		.Lwhole_\@
	sub		BYTES, CTR_END
	lea		CTR_READY+16(%rsp), CTR_KEYSTREAM	# two registers may have been pushed
	_vmovdqu	T0, (CTR_KEYSTREAM)
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
	lea		CTR_READY+16+VL(%rsp), CTR_PARTIAL
	sm4_copy_partial SRC, CTR_PARTIAL, BYTES
	vmovdqu		(CTR_PARTIAL), T0_XMM
	vpxor		(CTR_KEYSTREAM), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (CTR_PARTIAL)
	sm4_copy_partial CTR_PARTIAL, DST, BYTES
	vpxor		T0_XMM, T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (CTR_PARTIAL)
.Lwipe_\@:
	_vpxor		T0, T0, T0
	_vmovdqu	T0, CTR_READY+16(%rsp)
.Lwhole_\@:
.endif
.endm

.macro sm4_ctr_end_group g, index
.irp	row, 0, 1, 2, 3
	sm4_ctr_end_row	\g\row, ROW(\index,\row)
.endr
.endm

/*
 * A pass of words in which word 3 does not overflow. If the text fills its groups, it
 * goes from SRC to DST. If not, this is the end of the text.
 */
.macro sm4_ctr_pass	prefix, groups
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
	jmp		.L\prefix\()_ctr_next
.Lend_\@:
	xor		OFFSET_32, OFFSET_32
	sm4_ctr_end_begin
	sm4_for_groups	\groups, sm4_ctr_end_group
9:
.endm

/*
 * Passes for bulk, if there is enough text. A partial group ends the text, and so does a
 * group of words after one of bytes. Words do the pass in which word 3 overflows.
 */
.macro sm4_ctr_bulk	prefix
	cmp		$BULK_LEAST_COUNTED, BYTES
	jb		.L\prefix\()_ctr_words
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, BULK_STATE_USED(%rsp)
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_bulk_counter_ready CTR_COUNTER, %rsp, CTR_READY
.Lpass_\@:
	sm4_next_pass	OFFSET, 1
	mov		OFFSET, CTR_PASS(%rsp)
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		OFFSET_32, CTR_BLOCKS_32
	shr		$4, CTR_BLOCKS_32		# of the pass
	add		COUNTER_LOW_32, CTR_WORD_3	# does it overflow?
	jc		.Lwipe_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2		# word 3, in every 128 bits
	lea		CTR_READY(%rsp), READY_WORDS
.if VL == 64
	cmp		$MIXED_BYTES, BYTES
	jbe		.Lmixed_\@
.endif
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		CTR_PASS(%rsp), OFFSET
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix
	lea		BULK_GROUP_BYTES(OFFSET), CTR_GROUP_END
	cmp		CTR_GROUP_END, BYTES
	jb		.Lpartial_group_\@
	sm4_bulk_for_rows sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_bulk_for_rows sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	mov		CTR_PASS(%rsp), OFFSET
	sm4_ctr_advance
	cmp		$BULK_LEAST_COUNTED, BYTES
	jae		.Lpass_\@
.Lwipe_\@:
	sm4_wipe_bulk_state
	jmp		.L\prefix\()_ctr_words
.if VL == 64
.Lmixed_\@:
	call		\prefix\()_mixed_counter_rounds
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_ctr_end_begin
	sm4_each_row	"E0,E1,E2,E3", sm4_ctr_end_row, 0
	jmp		.Llast_\@
.endif
.Lpartial_group_\@:
	sm4_ctr_end_begin
	sm4_bulk_for_rows sm4_ctr_end_row, 0
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
	mov		COUNTER_LOW_32, CTR_WORD_3
	add		$PASS_BLOCKS, CTR_WORD_3	# may it overflow?
	jnc		.L\prefix\()_ctr_pass
	mov		$PASS_BYTES, CTR_UNCOUNTED_32
	sm4_count_blocks
	lea		BUFFER(%rsp), CTR_COUNTERS
	sm4_for_groups	\full, sm4_load, CTR_COUNTERS	# counter + i, as rows
	call		\prefix\()_rows_\full		# E(counter + i)
	jmp		.L\prefix\()_ctr_add_\full
.L\prefix\()_ctr_pass:
	sm4_ctr_ready
	sm4_fewest_groups sm4_ctr_pass, \prefix, \full
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
