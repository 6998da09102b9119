/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * ECB and CBC decryption on 64-byte vectors: bulk in byte slices, and the rest in words
 * (asm/ecb-cbc-pass.h)
 *
 * In both functions, KEYS, DST, SRC, IV and BYTES are arguments and live throughout. In passes for
 * bulk, OFFSET (%r10) is that of a group, and PASS (%r11) the bytes of the pass. In passes of
 * words, %r11 is LAST_ROW, and %r10 is PREVIOUS. TMP (%rax) is free between any two calls.
 */
#ifndef SM4_AVX512_ECB_CBC_ASM_H
#define SM4_AVX512_ECB_CBC_ASM_H

#include "../ecb-cbc-pass.h"
#include "passes.h"

.macro sm4_ecb_function	name, prefix, full, hash
	.set PASS,		%r11		/* bytes of a pass for bulk */
	.set PASS_32,		%r11d
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	cmp		$BULK_LEAST, BYTES
	jb		.L\name\()_words
.L\name\()_pass:
	sm4_next_slices_pass
	xor		OFFSET_32, OFFSET_32
.L\name\()_enter:
	sm4_each_pass_row SLICES_IN, sm4_load_numbered, 0(SRC,OFFSET)
	call		\prefix\()_transpose
	call		\prefix\()_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.L\name\()_enter
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.L\name\()_alone
.endif
	call		\prefix\()_rounds		# C = E(P)
.L\name\()_rounds_done:
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_pass_row SLICES, sm4_store_numbered, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	sm4_pass_done
	cmp		$BULK_LEAST, BYTES
	jae		.L\name\()_pass
	sm4_wipe_slices
.if SLICES_ALONE
	jmp		.L\name\()_words
.L\name\()_alone:
	call		\prefix\()_alone_rounds
	jmp		.L\name\()_rounds_done
.endif
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
	.set NEXT_IV_XMM,	T3_XMM		/* until the pass has used its own */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	cmp		$BULK_LEAST, BYTES
	jb		.L\name\()_words
.L\name\()_pass:
	sm4_next_slices_pass
	xor		OFFSET_32, OFFSET_32
.L\name\()_enter:
	sm4_each_pass_row SLICES_IN, sm4_load_numbered, 0(SRC,OFFSET)
	call		\prefix\()_transpose
	call		\prefix\()_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.L\name\()_enter
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.L\name\()_alone
.endif
	call		\prefix\()_rounds		# D(C_i)
.L\name\()_rounds_done:
	mov		PASS, OFFSET
	vmovdqu		-16(SRC,OFFSET), NEXT_IV_XMM
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	test		OFFSET, OFFSET
	jz		.L\name\()_first_group
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.L\name\()_add
.L\name\()_first_group:
	sm4_previous_row
.L\name\()_add:
	sm4_each_pass_row SLICES, sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
	sm4_each_pass_row SLICES, sm4_store_numbered, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	vmovdqu		NEXT_IV_XMM, (IV)
	sm4_pass_done
	cmp		$BULK_LEAST, BYTES
	jae		.L\name\()_pass
	sm4_wipe_slices
.if SLICES_ALONE
	jmp		.L\name\()_words
.L\name\()_alone:
	call		\prefix\()_alone_rounds
	jmp		.L\name\()_rounds_done
.endif
.L\name\()_words:
	sm4_word_passes sm4_cbc_pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
