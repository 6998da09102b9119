/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* ECB and CBC decryption (asm/ecb-cbc.h) on 64-byte vectors: bulk in byte slices */
#ifndef SM4_AVX512_ECB_CBC_ASM_H
#define SM4_AVX512_ECB_CBC_ASM_H

#include "passes.h"		/* which defines BLOCKS_FRAME */
#include "../ecb-cbc.h"

/* A pass for bulk, from its text to the state before the rounds */
.macro sm4_blocks_enter	prefix
	sm4_next_slices_pass
	xor		OFFSET_32, OFFSET_32
.Lenter_\@:
	sm4_each_pass_row SLICES_IN, sm4_load_numbered, 0(SRC,OFFSET)
	call		\prefix\()_transpose
	call		\prefix\()_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
.endm

/* Vector registers: as in passes.h, and T3, 15, is free. */
.macro sm4_ecb_bulk	prefix
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
.Lpass_\@:
	sm4_blocks_enter \prefix
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.Lalone_\@
.endif
	call		\prefix\()_rounds		# C = E(P)
.Lrounds_done_\@:
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_pass_row SLICES, sm4_store_numbered, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_pass_done
	cmp		$BULK_LEAST, BYTES
	jae		.Lpass_\@
	sm4_wipe_slices
.if SLICES_ALONE
	jmp		.Lno_bulk_\@
.Lalone_\@:
	call		\prefix\()_alone_rounds
	jmp		.Lrounds_done_\@
.endif
.Lno_bulk_\@:
.endm

/*
 * Vector registers: as in passes.h, and:
 *
 *	12	T0		C_(i-1) of row 0
 *	15	BULK_IV_XMM	the next IV, while groups leave
 */
.macro sm4_cbc_bulk	prefix
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
.Lpass_\@:
	sm4_blocks_enter \prefix
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.Lalone_\@
.endif
	call		\prefix\()_rounds		# D(C_i)
.Lrounds_done_\@:
	mov		PASS, OFFSET
	vmovdqu		-16(SRC,OFFSET), BULK_IV_XMM
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_cbc_previous_row
	sm4_each_pass_row SLICES, sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
	sm4_each_pass_row SLICES, sm4_store_numbered, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	vmovdqu		BULK_IV_XMM, (IV)
	sm4_pass_done
	cmp		$BULK_LEAST, BYTES
	jae		.Lpass_\@
	sm4_wipe_slices
.if SLICES_ALONE
	jmp		.Lno_bulk_\@
.Lalone_\@:
	call		\prefix\()_alone_rounds
	jmp		.Lrounds_done_\@
.endif
.Lno_bulk_\@:
.endm

#endif
