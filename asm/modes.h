/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ecb, cbc decryption, ctr and xts, each a
 * function of the type sm4_crypt_function (sm4-fast.h).
 *
 * Included after asm/pairs.h, or by asm/blocks.h, which does the same (functions rows_N
 * and words_N, counters as words); sm4_mode_functions instantiates everything for the
 * width VL.
 */
#ifndef SM4_MODES_ASM_H
#define SM4_MODES_ASM_H

#include "ctr.h"
#include "ecb-cbc.h"
#include "xts.h"

/* What a tier defines for so many groups, with rows and with words to begin */
.macro sm4_crypt_functions	prefix, groups
	sm4_words_function \prefix, \groups
	sm4_rows_function \prefix, \groups
.endm

/*
 * All functions of a tier, of the width VL, with batches of so many groups, 2 to 4: as
 * many as there are registers for, beside the tier's constants. They hand over to a
 * narrower tier if one is named.
 */
.macro sm4_mode_functions	prefix, full, narrower
	.set GROUPS, \full
	sm4_counter_constants \prefix
	sm4_name_registers
.if BULK
	sm4_rounds_functions \prefix
.endif
	sm4_crypt_functions \prefix, 1
	sm4_crypt_functions \prefix, 2
.if \full > 3
	sm4_crypt_functions \prefix, 3
.endif
.if \full > 2
	sm4_crypt_functions \prefix, \full
.endif
	sm4_ecb_function \prefix, \full, \narrower
	sm4_cbc_decrypt_function \prefix, \full, \narrower
	sm4_ctr_function \prefix, \full, \narrower
	.set XTS_GB, 0
	sm4_xts_function \prefix, xts, \full, \narrower
	.set XTS_GB, 1
	sm4_xts_function \prefix, xts_gb, \full, \narrower
.endm

#endif
