/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * ECB and CBC decryption, on vectors of any width: the functions, and a pass of words. CBC
 * encryption is a serial chain (chains.h).
 *
 * A tier defines BLOCKS_FRAME, the bytes of the stack that it takes for these, and sm4_ecb_bulk and
 * sm4_cbc_bulk, which leave less text than they could process. Their groups leave from the last to
 * the first, so that the ciphertext before a group is still there if DST is SRC.
 */
#ifndef SM4_ECB_CBC_ASM_H
#define SM4_ECB_CBC_ASM_H

#include "word-passes.h"

/* ECB, for sm4_word_passes */
.macro sm4_ecb_pass	groups, prefix
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)
	call		\prefix\()_rows_\groups		# C = E(P)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/*
 * CBC decryption: P_i = D(C_i) ^ C_(i-1). All C_(i-1) of a pass are read before anything
 * is stored, as DST may be SRC. They are in memory, except for C_0, the IV.
 *
 * In a pass of VL bytes or less, all rows are the same blocks. Only row 0 is combined
 * with the IV, so row 0 is stored last. The other rows would take C_0 from before SRC, where
 * memory may be unreadable: PREVIOUS gives them a valid address.
 */
.macro sm4_cbc_xor	g, index, whole
.if \index == 0
	lea		-16(SRC), PREVIOUS
.if \whole == 0
	test		LAST_ROW, LAST_ROW
	cmovz		SRC, PREVIOUS
.endif
	sm4_previous_row				# C_0, C_1 ...
	sm4_xor_row	\g\()0, T0
.else
	sm4_row		sm4_xor_row, \g\()0, ROW(\index,0), PREVIOUS, \whole
.endif
	sm4_row		sm4_xor_row, \g\()1, ROW(\index,1), PREVIOUS, \whole
	sm4_row		sm4_xor_row, \g\()2, ROW(\index,2), PREVIOUS, \whole
	sm4_row		sm4_xor_row, \g\()3, ROW(\index,3), PREVIOUS, \whole
.endm

/* For bulk, the next IV, until a pass has used its own */
.set BULK_IV_XMM,		T3_XMM

/* C_(i-1) of row 0 of the group for bulk at OFFSET, into T0 */
.macro sm4_cbc_previous_row
	test		OFFSET, OFFSET
	jz		.Lfirst_group_\@
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.Lloaded_\@
.Lfirst_group_\@:
	sm4_previous_row
.Lloaded_\@:
.endm

/* Row 0 of a group for bulk with C_(i-1) in T0, the others with what is in memory */
.macro sm4_cbc_xor_row	number, register, place:vararg
.if \number
	sm4_xor_row	\register, \place
.else
	sm4_xor_row	\register, T0
.endif
.endm

/* For sm4_word_passes */
.macro sm4_cbc_pass	groups, prefix
	.set PREVIOUS,		%r10			/* C_(i-1) of the pass, in memory */
	.set NEXT_IV_XMM,	T0_XMM
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)	# C_1, C_2, ...
	call		\prefix\()_rows_\groups		# D(C_i)
	sm4_for_groups	\groups, sm4_cbc_xor, WHOLE(\groups)	# P_i = D(C_i) ^ C_(i-1)
	sm4_pass_bytes	\groups
	vmovdqu		-16(SRC,TMP), NEXT_IV_XMM	# the next C_0
	vmovdqu		NEXT_IV_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/*
 * KEYS, DST, SRC, IV and BYTES are arguments and live throughout. In passes for bulk, OFFSET (%r10)
 * is where a group begins, and PASS (%r11) how many bytes the pass has. In passes of words, %r11 is
 * LAST_ROW, %r10 OFFSET or PREVIOUS, and %r9 SINGLE_DST. TMP (%rax) is free between any two calls.
 *
 * Vector registers: as in word-passes.h, for bulk as in passes.h of pairs or avx512, and:
 *
 *	12	T0		in CBC, C_(i-1) of row 0, and NEXT_IV_XMM; a copy of a single block
 *	13-14	T1, T2		free in passes of words
 *	15	T3		for bulk in CBC, BULK_IV_XMM; else free
 */
.macro sm4_blocks_function name, prefix, full, bulk, pass
	.set PASS,		%r11		/* bytes of a pass for bulk */
	.set PASS_32,		%r11d
	.set LAST_ROW,		%r11		/* of a pass of words */
	.set LAST_ROW_32,	%r11d
	.set SINGLE_DST,	%r9
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	\bulk		\prefix
	sm4_word_passes \pass, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

/* \hash is for GCM alone. */
.macro sm4_ecb_function	name, prefix, full, hash
	sm4_blocks_function \name, \prefix, \full, sm4_ecb_bulk, sm4_ecb_pass
.endm

.macro sm4_cbc_decrypt_function name, prefix, full, hash
	sm4_blocks_function \name, \prefix, \full, sm4_cbc_bulk, sm4_cbc_pass
.endm

#endif
