/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ecb, cbc decryption, ctr and xts, each a
 * function of the type sm4_crypt_function (sm4-fast.h).
 *
 * Included after asm/pairs.h, or by asm/blocks.h, which does the same (functions rows_N
 * and words_N, counters as words).
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
 * What a tier of the width VL has before its modes: batches of so many groups, 2 to 4, as many
 * as there are registers for beside the tier's constants.
 *
 * Each mode is then a function with a name of its own, which its file says: sm4_ecb_function,
 * sm4_cbc_decrypt_function, sm4_ctr_function, sm4_xts_function, sm4_xts_gb_function and
 * sm4_gcm_function (asm/gcm.h). Their arguments are that name, the prefix and the number
 * of groups given here.
 */
.macro sm4_begin_tier	prefix, full
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
.endm

#endif
