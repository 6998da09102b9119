/* SPDX-License-Identifier: GPL-2.0 */
/* ECB, and CBC decryption, on 64-byte vectors. CBC encryption is a serial chain (asm/chains.h). */
#ifndef SM4_AVX512_ECB_CBC_ASM_H
#define SM4_AVX512_ECB_CBC_ASM_H

#include "skeleton.h"

#define BLOCKS_FRAME		(BULK_STATE_END+VL)

.macro sm4_ecb_pass	groups, prefix
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)
	call		\prefix\()_rows_\groups		# C = E(P)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

.macro sm4_ecb_function	name, prefix
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	sm4_bulk_passes sm4_ecb, \prefix
	sm4_word_passes sm4_ecb, \prefix
	sm4_return
SYM_FUNC_END(\name)
.endm

/*
 * CBC decryption: P_i = D(C_i) ^ C_(i-1). All C_(i-1) of a pass are read before anything
 * is stored, as DST may be SRC. They are in memory, except for C_0, the IV.
 */
.set PREVIOUS,			%r10

/* C_0 and the next blocks of ciphertext into T0 */
.macro sm4_cbc_first_row
	vmovdqu		(IV), T0_XMM			# C_0
	vinserti32x4	$1, (SRC), T0, T0		# C_1
	vinserti64x4	$1, 16(SRC), T0, T0		# C_2, C_3
.endm

.macro sm4_cbc_xor	g, index, whole
.if \index == 0
	lea		-16(SRC), PREVIOUS
	sm4_cbc_first_row
	vpxord		T0, \g\()0, \g\()0
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
	vmovdqu		-16(SRC,PASS), T3_XMM
.endm

/* Row 0 with T0, the others with what is in memory */
.macro sm4_cbc_xor_row	register, place:vararg
.if row
	sm4_xor_row	\register, \place
.else
	vpxord		T0, \register, \register
.endif
.endm

.macro sm4_cbc_bulk_out
	test		OFFSET, OFFSET
	jz		.Lfirst_\@
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.Lall_\@
.Lfirst_\@:
	sm4_cbc_first_row
.Lall_\@:
	sm4_each_pass_row BYTES_ROWS, sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
.endm

.macro sm4_cbc_bulk_end
	vmovdqu		T3_XMM, (IV)
.endm

.macro sm4_cbc_decrypt_function name, prefix
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	BLOCKS_FRAME
	sm4_bulk_passes sm4_cbc, \prefix, between, out, end
	sm4_word_passes sm4_cbc, \prefix
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
