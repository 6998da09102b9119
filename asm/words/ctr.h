/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Counter mode of a tier that has no bulk */
#ifndef SM4_WORDS_CTR_ASM_H
#define SM4_WORDS_CTR_ASM_H

#include "../word-passes.h"

/* The stack: the buffer of a pass, the words that sm4_counter_ready keeps, the counter */
#define CTR_READY		WORD_PASS_BYTES
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_FRAME		(CTR_COUNTER+16)

#include "../ctr-end.h"		/* which uses these */

.macro sm4_ctr_bulk	prefix
.endm

#endif
