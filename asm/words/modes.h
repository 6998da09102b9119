/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The modes of SM4 on tiers without bulk, on vectors of 16 and 32 bytes, as asm/pairs/modes.h has
 * them.
 *
 * Include this behind a file that has rows_N, words_N and counters as words: asm/blocks.h, or one
 * with the rounds of words.
 */
#ifndef SM4_WORDS_MODES_ASM_H
#define SM4_WORDS_MODES_ASM_H

#include "../begin-tier.h"
#include "ctr.h"
#include "ecb-cbc.h"
#include "gcm.h"
#include "xts.h"

/* There is no bulk. */
.macro sm4_bulk_functions prefix
.endm

#endif
