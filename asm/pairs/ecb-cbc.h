/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* ECB and CBC decryption (asm/ecb-cbc.h): bulk in pairs */
#ifndef SM4_PAIRS_ECB_CBC_ASM_H
#define SM4_PAIRS_ECB_CBC_ASM_H

#include "passes.h"		/* which defines BLOCKS_FRAME */
#include "../ecb-cbc.h"

/* A pass from its text to the state behind the rounds, and OFFSET behind its last group */
.macro sm4_blocks_rounds prefix
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.Lenter_\@:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds		# E(P_i), or D(C_i)
	mov		PASS, OFFSET
.endm

/* Vector registers: as in passes.h, and T3, 15, is free. */
.macro sm4_ecb_bulk	prefix
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
	sm4_next_pass	PASS
	mov		PASS, BULK_STATE_USED(%rsp)
.Lpass_\@:
	sm4_blocks_rounds \prefix
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)	# C_i = E(P_i)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_pass_done
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.Lpass_\@
	sm4_wipe_bulk_state
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
	sm4_next_pass	PASS
	mov		PASS, BULK_STATE_USED(%rsp)
.Lpass_\@:
	sm4_blocks_rounds \prefix
	vmovdqu		-16(SRC,OFFSET), BULK_IV_XMM
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_cbc_previous_row
	sm4_each_numbered PAIRS, sm4_cbc_xor_row, -16(SRC,OFFSET)	# P_i = D(C_i) ^ C_(i-1)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	vmovdqu		BULK_IV_XMM, (IV)
	sm4_pass_done
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.Lpass_\@
	sm4_wipe_bulk_state
.Lno_bulk_\@:
.endm

#endif
