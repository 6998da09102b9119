/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Passes of words (words.h), on vectors of any width: rows of a text that need not fill its groups,
 * and the loop over passes of ECB, CBC decryption and XTS
 *
 * A pass goes through the fewest groups that hold what is left: no block is left to scalar code. At
 * most NARROWER_BYTES are left to the narrower tier.
 *
 * Vector registers of passes of words, before and after the rounds (words.h, blocks.h). A mode says
 * what it has in T0 to T3.
 *
 *	0-3	A0-A3		rows of group A, or the words of its counters
 *	4-7	B0-B3		of group B; free in a tier with one group
 *	8-11	C0-C3		of group C; the tier's if it has less than three groups
 *	16-19	D0-D3		of group D; free in a tier with less than four groups
 *	20-31			the tier's
 */
#ifndef SM4_WORD_PASSES_ASM_H
#define SM4_WORD_PASSES_ASM_H

#include "groups.h"
#include "stack-frame.h"

#define WORD_PASS_BLOCKS	GROUP_BLOCKS(GROUPS)
#define WORD_PASS_BYTES		GROUP_BYTES(GROUPS)

/*
 * A function names registers for these macros: LAST_ROW and LAST_ROW_32, the last row of a text
 * that words load or store, as an offset; on 32 bytes, SINGLE_DST; and for bulk PASS and PASS_32,
 * the bytes of a pass.
 *
 * Do "\do register, place" with the row in memory \offset bytes behind \at. Only the first \whole
 * groups of a pass are certain to be there. A later row that would end behind the text is replaced
 * by the last VL bytes of the text, LAST_ROW behind \at; that clobbers TMP. So several rows may
 * have the same block: they compute and store the same bytes in the same place.
 */
#define WHOLE(groups)		((groups)-1)

.macro sm4_row		do, register, offset, at, whole
.if \offset < GROUP_BYTES(\whole) || \offset == 0
	\do		\register, \offset(\at)
.else
	mov		$\offset, TMP_32
	cmp		LAST_ROW, TMP
	cmova		LAST_ROW, TMP
	\do		\register, (\at,TMP)
.endif
.endm

/* The same for the rows of a group. Row 0 comes last: see sm4_cbc_xor. */
.macro sm4_rows		do, g, index, at, whole
	sm4_row		\do, \g\()3, ROW(\index,3), \at, \whole
	sm4_row		\do, \g\()2, ROW(\index,2), \at, \whole
	sm4_row		\do, \g\()1, ROW(\index,1), \at, \whole
	sm4_row		\do, \g\()0, ROW(\index,0), \at, \whole
.endm

.macro sm4_load		g, index, from, whole=GROUPS
	sm4_rows	sm4_load_row, \g, \index, \from, \whole
.endm

.macro sm4_store	g, index, to, whole=GROUPS
	sm4_rows	sm4_store_row, \g, \index, \to, \whole
.endm

.macro sm4_xor		g, index, with, whole=GROUPS
	sm4_rows	sm4_xor_row, \g, \index, \with, \whole
.endm

/*
 * Do "\pass n, arguments" with the fewest groups n that hold \bytes, at most \full.
 * Leaves the bytes of n groups in OFFSET.
 */
.macro sm4_fewest_groups pass, full, bytes, arguments:vararg
.irp	n, 1, 2, 3
.if \n < \full
	cmp		$GROUP_BYTES(\n), \bytes
	jbe		.Lfewer_\@_\n
.endif
.endr
	\pass		\full, \arguments
	mov		$GROUP_BYTES(\full), OFFSET_32
.irp	n, 1, 2, 3
.if \n < \full
	jmp		.Lend_\@
.Lfewer_\@_\n:
	\pass		\n, \arguments
	mov		$GROUP_BYTES(\n), OFFSET_32
.endif
.endr
.Lend_\@:
.endm

/* The bytes of \groups groups, at most BYTES, into TMP */
.macro sm4_pass_bytes	groups
	mov		$GROUP_BYTES(\groups), TMP_32
	cmp		TMP, BYTES
	cmovb		BYTES, TMP
.endm

/* A pass for bulk is done. */
.macro sm4_pass_done
	add		PASS, SRC
	add		PASS, DST
	sub		PASS, BYTES
.endm

/*
 * Do the rest of a text in passes of words. The macro "\pass groups, prefix" does sm4_pass_bytes
 * from SRC to DST. It may clobber everything but KEYS, SRC, DST, IV, BYTES and %r9, which is
 * SINGLE_DST, the place of a single block, or the mode's own. In the end, BYTES are left to the
 * narrower tier.
 *
 * A single block is less than a vector of 32 bytes. If no narrower tier takes it, it is
 * doubled at the start of the stack, in an aligned vector: one across the end of a page
 * takes a hundred cycles.
 */
.macro sm4_word_passes	pass, prefix, full
.Lpass_\@:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
.if VL == 32 && !NARROWER_BYTES
	mov		DST, SINGLE_DST
.endif
	mov		BYTES, LAST_ROW
	sub		$VL, LAST_ROW
.if VL == 32 && !NARROWER_BYTES
	jae		.Lmore_blocks_\@
	xor		LAST_ROW_32, LAST_ROW_32
	vbroadcasti128	(SRC), T0
	mov		%rsp, SRC
	vmovdqa		T0, (SRC)
	mov		SRC, DST
.Lmore_blocks_\@:
.endif
	sm4_fewest_groups \pass, \full, BYTES, \prefix
.if VL == 32 && !NARROWER_BYTES
	cmp		DST, SINGLE_DST
	je		.Lin_place_\@
	vmovdqa		(DST), T0_XMM
	vmovdqu		T0_XMM, (SINGLE_DST)
	vpxor		T0, T0, T0
	vmovdqa		T0, (DST)
.Lin_place_\@:
.endif
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	ja		.Lpass_\@
	xor		BYTES_32, BYTES_32
.Ldone_\@:
.endm

#endif
