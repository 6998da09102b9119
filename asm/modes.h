/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ECB, CBC decryption, CTR and XTS, each a
 * function of the type sm4_crypt_function (sm4-fast.h), and GCM.
 *
 * Include this through asm/blocks.h, or behind asm/pairs.h or a file with the rounds of words.
 * These define rows_N, words_N and counters as words, the first two also BULK.
 */
#ifndef SM4_MODES_ASM_H
#define SM4_MODES_ASM_H

#ifndef BULK
#error "a tier's file must define BULK: see asm/tier.h"
#endif

#include "ctr.h"
#include "ecb-cbc.h"
#include "gcm.h"
#include "xts.h"

/*
 * Begin a tier of the width VL with these functions. Its passes have \full groups, 1 to 3:
 * as many as fit into the registers with the tier's constants. The names of shared functions
 * and constants begin with \prefix. \hash is a function of ghash-clmul.S, for GCM. \narrower is
 * narrower_bytes of struct sm4_tier (sm4-fast.h), or 0.
 */
.macro sm4_begin_tier	prefix, full, narrower, hash, ecb, cbc_decrypt, ctr, xts, xts_gb, gcm
	sm4_require	TIER_MODES, TIER_AVX2
	.set GROUPS, \full
	.set NARROWER_BYTES, \narrower
.if NARROWER_BYTES*2 > GROUP_BYTES(1)
	.error "more than one group of the narrower tier, whose bulk has other keys"
.endif
	sm4_counter_constants \prefix, \full
	sm4_name_registers
.if BULK
	sm4_pairs_functions \prefix
.endif
.irp	groups, 1, 2, 3
.if \groups <= \full
	sm4_words_function \prefix, \groups
	sm4_rows_function \prefix, \groups
.endif
.endr
	sm4_blocks_function \ecb, sm4_ecb, \prefix, \full
	sm4_blocks_function \cbc_decrypt, sm4_cbc, \prefix, \full, between, out, end
	sm4_ctr_function \ctr, \prefix, \full
	sm4_xts_function \xts, \prefix, \full, 0
	sm4_xts_function \xts_gb, \prefix, \full, 1
	sm4_gcm_function \gcm, \prefix, \full, \hash
.endm

#endif
