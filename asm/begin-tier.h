/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Begin a tier on vectors of 16 and 32 bytes, with bulk in pairs or without bulk. */
#ifndef SM4_BEGIN_TIER_ASM_H
#define SM4_BEGIN_TIER_ASM_H

#include "groups.h"
#include "tier.h"

/*
 * Begin a tier of the width VL with SM4_MODE_FUNCTIONS (asm/functions.h). Its passes of words have
 * \full groups, 1 to 3: as many as fit into the registers with the tier's constants. The names of
 * its functions and constants begin with \prefix. \hash is a function of ghash-clmul.S, for GCM.
 */
.macro sm4_begin_tier	prefix, full, hash
	sm4_require	TIER_MODES, TIER_AVX2
	.set GROUPS, \full
	sm4_set_narrower \prefix
.if NARROWER_BYTES*2 > GROUP_BYTES(1)
	.error "more than one group of the narrower tier, whose bulk has other keys"
.endif
	sm4_counter_constants \prefix, \full
	sm4_name_registers
	sm4_bulk_functions \prefix
.irp	groups, 1, 2, 3
.if \groups <= \full
	sm4_words_function \prefix, \groups
	sm4_rows_function \prefix, \groups
.endif
.endr
	SM4_MODE_FUNCTIONS(SM4_MAKE, \prefix\()_, \prefix, \full, \hash)
.endm

#endif
