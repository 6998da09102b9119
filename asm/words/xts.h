/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* XTS, by IEEE 1619 and by GB/T 17964, of a tier that has no bulk */
#ifndef SM4_WORDS_XTS_ASM_H
#define SM4_WORDS_XTS_ASM_H

/* The stack: a single block, the tweaks of a pass, those of the next one */
#define XTS_TWEAKS		VL
#define XTS_NEXT		(XTS_TWEAKS+XTS_TWEAKS_BYTES)
#define XTS_FRAME		(XTS_NEXT+VL)

#include "../xts-tweaks.h"	/* which uses these */

/*
 * In the form of GB/T 17964, if \gb is 1. KEYS, DST, SRC, IV and BYTES are arguments and live
 * throughout; %r11 is LAST_ROW, %r10 OFFSET or TWEAKS, and %r9 SINGLE_DST. TMP (%rax) is free
 * between any two calls.
 */
.macro sm4_words_xts_function name, prefix, full, gb
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
	.set TWEAKS,		%r10		/* of a pass of words, in memory */
	.set ROW_TWEAKS,	T3		/* of sm4_first_tweaks and sm4_next_tweaks */
	.set XTS_GB, \gb
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	XTS_FRAME
	sm4_first_tweaks
	vmovdqu		ROW_TWEAKS, XTS_NEXT(%rsp)
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\name\()_done
	sm4_word_passes sm4_xts_pass, \prefix, \full
	mov		$WORD_PASS_BYTES, OFFSET_32
	sm4_wipe_stack	XTS_TWEAKS
	vmovdqu		T0, XTS_TWEAKS+WORD_PASS_BYTES(%rsp)
.L\name\()_done:
	vpxor		T0, T0, T0
	vmovdqu		T0, XTS_NEXT(%rsp)
	sm4_return
SYM_FUNC_END(\name)
.endm

/* \hash is for GCM alone. */
.macro sm4_xts_function	name, prefix, full, hash
	sm4_words_xts_function \name, \prefix, \full, 0
.endm

.macro sm4_xts_gb_function name, prefix, full, hash
	sm4_words_xts_function \name, \prefix, \full, 1
.endm

#endif
