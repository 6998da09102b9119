/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The counter of CTR in general registers. It has 128 bits, big-endian. Its words 0 to 2 are the
 * same in all blocks of a pass, unless word 3 overflows on the way. So they are mapped once for a
 * pass of words, or for all passes for bulk, and kept on the stack. The pass in which word 3
 * overflows is rare. It counts block by block, which takes longer. So the time depends on the
 * counter, which is public, as the IV and the position in the text are.
 *
 * A function names COUNTER_HIGH, COUNTER_LOW and COUNTER_LOW_32, the halves of the next block's
 * counter, in the CPU's byte order.
 */
#ifndef SM4_COUNTER_ASM_H
#define SM4_COUNTER_ASM_H

#include "registers.h"

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

#endif
