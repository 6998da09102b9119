/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * ECB and CBC decryption of a tier that has no bulk
 *
 * In both functions, KEYS, DST, SRC, IV and BYTES are arguments and live throughout; %r11 is
 * LAST_ROW, %r10 OFFSET or PREVIOUS, and %r9 SINGLE_DST. TMP (%rax) is free between any two calls.
 * The frame has a single block.
 */
#ifndef SM4_WORDS_ECB_CBC_ASM_H
#define SM4_WORDS_ECB_CBC_ASM_H

#include "../ecb-cbc-pass.h"

.macro sm4_ecb_function	name, prefix, full, hash
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	VL
	sm4_word_passes sm4_ecb_pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

.macro sm4_cbc_decrypt_function name, prefix, full, hash
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	VL
	sm4_word_passes sm4_cbc_pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
