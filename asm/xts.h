/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * XTS, by IEEE 1619 and by GB/T 17964, on vectors of any width: the two functions, and a pass of
 * words
 *
 * Each tweak is x times the one before: one long chain. The two forms differ only in the order of
 * the bits that are multiplied by x. XTS_GB is 0 for IEEE 1619: a block is a little-endian number.
 * It is 1 for GB/T 17964: a block is a big-endian number, and reflected, so that a multiplication
 * shifts it to the right.
 *
 * A tier defines XTS_NEXT and XTS_TWEAKS, places on the stack, sm4_xts_text, which is a function
 * without its begin and end, and for passes of words sm4_pass_tweaks: from the first tweaks at
 * XTS_NEXT, it makes the tweaks of \groups groups, and one row more, at XTS_TWEAKS; XTS_NEXT then
 * has this row.
 */
#ifndef SM4_XTS_ASM_H
#define SM4_XTS_ASM_H

#include "word-passes.h"

/* The tweaks of a pass of words, and one row more */
#define XTS_TWEAKS_BYTES	(WORD_PASS_BYTES+VL)

/* For sm4_word_passes */
.macro sm4_xts_pass	groups, prefix
	sm4_pass_tweaks	\groups
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)	# P
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# P ^ T
	call		\prefix\()_rows_\groups		# E(P ^ T)
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# C = E(P ^ T) ^ T
	sm4_pass_bytes	\groups
	vmovdqu		(TWEAKS,TMP), T0_XMM		# the tweak behind the last block
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/*
 * KEYS, DST, SRC, IV and BYTES are arguments and live throughout. In passes for bulk, OFFSET (%r10)
 * is where a group begins, and PASS (%r11) how many bytes the pass has. In passes of words, %r11 is
 * LAST_ROW, %r10 OFFSET or TWEAKS, and %r9 SINGLE_DST or, with 64-byte vectors, TWEAKS_MADE. TMP
 * (%rax) is free between any two calls.
 *
 * Vector registers: as in word-passes.h, for bulk as in passes.h of pairs or avx512, and:
 *
 *	0-3	A0-A3		with 64-byte vectors, four rows of tweaks in the making
 *	12-14	T0-T2		temporary, for tweaks
 *	15	T3		ROW_TWEAKS: a row of tweaks, from which the next ones are made
 *
 * All tweaks of a pass are in memory before its rounds.
 */
.macro sm4_tweaked_function name, prefix, full, gb
	.set PASS,		%r11		/* bytes of a pass for bulk */
	.set PASS_32,		%r11d
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
	.set TWEAKS,		%r10		/* of a pass of words, in memory */
	.set ROW_TWEAKS,	T3		/* of a row */
	.set XTS_GB, \gb
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	XTS_FRAME
	sm4_xts_text	\prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

/* \hash is for GCM alone. */
.macro sm4_xts_function	name, prefix, full, hash
	sm4_tweaked_function \name, \prefix, \full, 0
.endm

.macro sm4_xts_gb_function name, prefix, full, hash
	sm4_tweaked_function \name, \prefix, \full, 1
.endm

#endif
