/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Counter mode on vectors of 16 and 32 bytes: a pass of words, and the end of a text
 *
 * A mode defines CTR_READY, the place on the stack of the words that sm4_counter_ready (three
 * vectors) keeps, and CTR_COUNTER, that of a counter. A function names registers: those of
 * counter.h; WORD_3, which is T2; and for the last row, after which no key is needed, CTR_END and
 * CTR_KEYSTREAM.
 */
#ifndef SM4_CTR_END_ASM_H
#define SM4_CTR_END_ASM_H

#include "counter.h"
#include "partial.h"

/* The keystream of \groups groups, as rows, if word 3 does not overflow */
.macro sm4_ctr_keystream groups, prefix
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	vbroadcastss	CTR_COUNTER(%rsp), WORD_3
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

/*
 * The end of a text, from OFFSET on, by rows of keystream in \registers: all but the last row, of
 * less than VL bytes. Hands its keystream, in T0, on to sm4_ctr_last_row, and BYTES, less by VL,
 * and CTR_END. sm4_ctr_last_row clobbers these and T1, KEYS, SRC and DST. It uses two vectors of
 * the stack behind CTR_READY, where its caller may have pushed two registers.
 */
.macro sm4_ctr_rows	registers
	sub		OFFSET, BYTES
	lea		15(BYTES), TMP
	shr		$4, TMP				# the last may be partial
	sm4_add_blocks
	lea		(BYTES,OFFSET), CTR_END
	.set		number, 0
.irp	register, \registers
	vmovdqa		\register, T0
	sub		$VL, BYTES
	jb		.Llast_\@
	vpxor		number*VL(SRC,OFFSET), T0, T0	# P_i ^ E(counter + i)
	vmovdqu		T0, number*VL(DST,OFFSET)
	.set		number, number+1
.endr
.Llast_\@:
.endm

.macro sm4_ctr_rows_of	groups
.if \groups == 1
	sm4_ctr_rows	"A0,A1,A2,A3"
.elseif \groups == 2
	sm4_ctr_rows	"A0,A1,A2,A3,B0,B1,B2,B3"
.else
	sm4_ctr_rows	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3"
.endif
.endm

#define CTR_SCRATCH		(CTR_READY+16)

.macro sm4_ctr_last_row
	add		$VL, BYTES
	jz		.Lwhole_\@
	sub		BYTES, CTR_END
	lea		CTR_SCRATCH(%rsp), CTR_KEYSTREAM
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
	lea		CTR_SCRATCH+VL(%rsp), TMP
	sm4_copy_partial SRC, TMP, BYTES
	vmovdqu		(TMP), T0_XMM
	vpxor		(CTR_KEYSTREAM), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (TMP)
	sm4_copy_partial TMP, DST, BYTES
	vpxor		T0_XMM, T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (TMP)
.Lwipe_\@:
	vpxor		T0, T0, T0
	vmovdqu		T0, CTR_SCRATCH(%rsp)
.Lwhole_\@:
.endm

#endif
