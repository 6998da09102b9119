/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Counter mode on vectors of any width: the function, its passes of words, and the counter in
 * general registers. It has 128 bits, big-endian. Its words 0 to 2 are the same in all blocks of
 * a pass, unless word 3 overflows on the way. So they are mapped once for a pass of words, or for
 * all passes for bulk, and kept on the stack. The pass in which word 3 overflows is rare. It counts
 * block by block, which takes longer. So the time depends on the counter, which is public, as the
 * IV and the position in the text are.
 *
 * A tier defines places on the stack: CTR_READY for the words that sm4_counter_ready keeps, three
 * vectors, and CTR_COUNTER for a counter. The buffer of a pass is at the start of CTR_FRAME. A tier
 * also defines sm4_ctr_bulk, which leaves less text than it could process, or a pass in which word
 * 3 overflows, and sm4_ctr_last_words, for a text that ends within the groups of words.
 */
#ifndef SM4_CTR_ASM_H
#define SM4_CTR_ASM_H

#include "word-passes.h"

.macro sm4_load_counter
	mov		(IV), COUNTER_HIGH
	bswap		COUNTER_HIGH
	mov		8(IV), COUNTER_LOW
	bswap		COUNTER_LOW
.endm

/* The counter as in memory. Clobbers TMP. */
.macro sm4_store_counter	to:vararg
	mov		COUNTER_HIGH, TMP
	bswap		TMP
	mov		TMP, 0+\to
	mov		COUNTER_LOW, TMP
	bswap		TMP
	mov		TMP, 8+\to
.endm

/* Add TMP to the counter. */
.macro sm4_add_blocks
	add		TMP, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.endm

/*
 * Fill the first OFFSET bytes of \buffer(%rsp) with counters, block by block and backwards.
 * Clobbers OFFSET and TMP.
 */
.macro sm4_count_blocks	buffer
	mov		OFFSET, TMP
	shr		$4, TMP
	sm4_add_blocks
.Lcount_one_\@:
	sub		$1, COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sm4_store_counter \buffer-16(%rsp,OFFSET)
	sub		$16, OFFSET
	jnz		.Lcount_one_\@
.endm

/* OFFSET bytes of text, in whole groups, are done. Clobbers TMP. */
.macro sm4_ctr_advance
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	mov		OFFSET, TMP
	shr		$4, TMP_32			# bytes to blocks
	sm4_add_blocks
.endm

/* The keystream of \groups groups, as rows, if word 3 does not overflow */
.macro sm4_ctr_keystream groups, prefix
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

/*
 * KEYS, DST, SRC, IV and BYTES are arguments and live throughout, and so does the counter. OFFSET
 * (%r10) is where a group begins, or how many bytes are done. TMP (%rax) is free between any two
 * calls.
 * The last row, after which no key is needed, takes %rax and %rdi as well. \hash is for GCM alone.
 *
 * Vector registers: as in word-passes.h, for bulk as in passes.h of pairs or avx512, and:
 *
 *	12	T0		temporary; at the end, the last row of keystream, then of text
 *	13	T1		temporary
 *	14	T2		WORD_3, to make the counters of a pass
 *	15	T3		free
 */
.macro sm4_ctr_function	name, prefix, full, hash
	.set COUNTER_HIGH,	%r9		/* of the next block, in the CPU's byte order */
	.set COUNTER_LOW,	%r11
	.set COUNTER_LOW_32,	%r11d
	.set WORD_3,		T2		/* of the counter, in every 128 bits */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	CTR_FRAME
	sm4_load_counter

.L\name\()_next:
	sm4_ctr_bulk	\prefix

	/* passes of words; the one in which word 3 overflows counts block by block */
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\name\()_done
	mov		COUNTER_LOW_32, TMP_32
	add		$WORD_PASS_BLOCKS, TMP_32	# may word 3 overflow?
	jnc		.L\name\()_pass
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_count_blocks 0
	mov		%rsp, TMP
	sm4_for_groups	\full, sm4_load, TMP		# counter + i, as rows
	call		\prefix\()_rows_\full		# E(counter + i)
	jmp		.L\name\()_add_\full
.L\name\()_pass:
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.irp	groups, 1, 2, 3
.if \groups < \full
	cmp		$GROUP_BYTES(\groups), BYTES
	jbe		.L\name\()_pass_of_\groups
.endif
.endr
.irp	groups, 4, 3, 2, 1
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
	sm4_ctr_last_words \full
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
