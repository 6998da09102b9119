/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * ECB and CBC decryption: bulk in pairs, and the rest in words (asm/ecb-cbc-pass.h)
 *
 * In both functions, KEYS, DST, SRC, IV and BYTES are arguments and live throughout. In passes for
 * bulk, OFFSET (%r10) is that of a group, and PASS (%r11) the bytes of the pass. In passes of
 * words, %r11 is LAST_ROW, %r10 is PREVIOUS, and %r9 SINGLE_DST. TMP (%rax) is free between any two
 * calls.
 */
#ifndef SM4_PAIRS_ECB_CBC_ASM_H
#define SM4_PAIRS_ECB_CBC_ASM_H

#include "../ecb-cbc-pass.h"
#include "passes.h"

.macro sm4_ecb_function	name, prefix, full, hash
	.set PASS,		%r11		/* bytes of a pass for bulk */
	.set PASS_32,		%r11d
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	cmp		$BULK_LEAST, BYTES
	jb		.L\name\()_words
	sm4_next_pass	PASS
	mov		PASS, BULK_STATE_USED(%rsp)
.L\name\()_pass:
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.L\name\()_enter:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.L\name\()_enter
	call		\prefix\()_rounds		# C = E(P)
	mov		PASS, OFFSET
	sm4_align_loop
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	sm4_pass_done
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.L\name\()_pass
	sm4_wipe_bulk_state
.L\name\()_words:
	sm4_word_passes sm4_ecb_pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

/*
 * Groups leave from the last to the first, so that the ciphertext before a group is still there if
 * DST is SRC.
 */
.macro sm4_cbc_decrypt_function name, prefix, full, hash
	.set PASS,		%r11		/* bytes of a pass for bulk */
	.set PASS_32,		%r11d
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
	.set NEXT_IV_XMM,	T3_XMM		/* until the pass has used its own */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	cmp		$BULK_LEAST, BYTES
	jb		.L\name\()_words
	sm4_next_pass	PASS
	mov		PASS, BULK_STATE_USED(%rsp)
.L\name\()_pass:
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.L\name\()_enter:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.L\name\()_enter
	call		\prefix\()_rounds		# D(C_i)
	mov		PASS, OFFSET
	vmovdqu		-16(SRC,OFFSET), NEXT_IV_XMM
	sm4_align_loop
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	test		OFFSET, OFFSET
	jz		.L\name\()_first_group
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.L\name\()_add
.L\name\()_first_group:
	sm4_previous_row
.L\name\()_add:
	sm4_each_numbered PAIRS, sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	vmovdqu		NEXT_IV_XMM, (IV)
	sm4_pass_done
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.L\name\()_pass
	sm4_wipe_bulk_state
.L\name\()_words:
	sm4_word_passes sm4_cbc_pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
