/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Counter mode on vectors of 16 and 32 bytes: the end of a text
 *
 * For the last row, after which no key is needed, registers are named here.
 */
#ifndef SM4_CTR_END_ASM_H
#define SM4_CTR_END_ASM_H

#include "ctr.h"
#include "partial.h"

.set CTR_END,			%rax		/* of the text; then the start of the last row */
.set CTR_KEYSTREAM,		%rdi		/* for that row, on the stack */

/*
 * The end of a text, from OFFSET on. sm4_ctr_rows encrypts whole rows with the keystream in
 * \registers, and leaves a last row of less than VL bytes to sm4_ctr_last_row: its keystream in T0,
 * its end in CTR_END, and its length minus VL in BYTES. sm4_ctr_last_row clobbers all of these, T1,
 * KEYS, SRC and DST, and two vectors of the stack behind CTR_READY, whether or not its caller has
 * pushed two registers.
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

.macro sm4_ctr_last_words groups
.if \groups == 1
	sm4_ctr_rows	"A0,A1,A2,A3"
.elseif \groups == 2
	sm4_ctr_rows	"A0,A1,A2,A3,B0,B1,B2,B3"
.else
	sm4_ctr_rows	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3"
.endif
	sm4_ctr_last_row
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
