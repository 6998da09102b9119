/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* As asm/pairs/modes.h, for tiers with 64-byte vectors */
#ifndef SM4_AVX512_MODES_ASM_H
#define SM4_AVX512_MODES_ASM_H

#include "byte-sliced.h"
#include "ctr.h"
#include "ecb-cbc.h"
#include "gcm.h"
#include "xts.h"

/* As in asm/begin-tier.h, but passes of words have four groups. */
.macro sm4_begin_tier	prefix, full, hash
	sm4_require	TIER_MODES, TIER_AVX512
	.set GROUPS, \full
	sm4_set_narrower \prefix
	sm4_counter_constants \prefix, 5	# with the group behind a byte-sliced one
	sm4_bulk_functions \prefix
.irp	groups, 1, 2, 3, 4
	sm4_words_function \prefix, \groups
	sm4_rows_function \prefix, \groups
.endr
	SM4_MODE_FUNCTIONS(SM4_MAKE, \prefix\()_, \prefix, \full, \hash)
.endm

#endif
