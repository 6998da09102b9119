/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ECB, and CBC decryption, on vectors of any width: include this after asm/skeleton.h or
 * asm/avx512/skeleton.h. CBC encryption is a serial chain (asm/chains.h).
 */
#ifndef SM4_ECB_CBC_ASM_H
#define SM4_ECB_CBC_ASM_H

/* ECB */
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
 * with the IV, so row 0 is stored last. The other rows would take C_0 from before SRC, a
 * place that may not be read: PREVIOUS gives them a valid one.
 */
.set PREVIOUS,		%r10				/* in sm4_cbc_pass */

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

.macro sm4_cbc_pass	groups, prefix
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)	# C_1, C_2, ...
	call		\prefix\()_rows_\groups		# D(C_i)
	sm4_for_groups	\groups, sm4_cbc_xor, WHOLE(\groups)	# P_i = D(C_i) ^ C_(i-1)
	sm4_pass_bytes	\groups
	vmovdqu		-16(SRC,TMP), T0_XMM		# the next C_0
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/* The next IV waits in T3 until this pass has used its own. */
.macro sm4_cbc_bulk_between
	vmovdqu		-16(SRC,OFFSET), T3_XMM
.endm

/* Row 0 with T0, the others with what is in memory */
.macro sm4_cbc_xor_row	register, place:vararg
.if number
	sm4_xor_row	\register, \place
.else
	sm4_xor_row	\register, T0
.endif
.endm

.macro sm4_cbc_bulk_out
	test		OFFSET, OFFSET
	jz		.Lfirst_\@
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.Lall_\@
.Lfirst_\@:
	sm4_previous_row
.Lall_\@:
	sm4_for_stored_rows sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
.endm

.macro sm4_cbc_bulk_end
	vmovdqu		T3_XMM, (IV)
.endm

/*
 * A function of one of these modes, with the \steps that it has (sm4_bulk_passes). KEYS, DST, SRC,
 * IV and BYTES are arguments and live throughout. In passes for bulk, OFFSET (%r10) is that of a
 * group, and PASS (%r11) the bytes of the pass. In passes of words, %r11 is LAST_ROW, %r10 is
 * PREVIOUS, and %r9 SINGLE_DST. TMP (%rax) is free between any two calls.
 */
.macro sm4_blocks_function name, mode, prefix, full, steps:vararg
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	sm4_bulk_passes \mode, \prefix, \steps
	sm4_word_passes \mode, \prefix, \full
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
