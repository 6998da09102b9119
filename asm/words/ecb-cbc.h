/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* ECB and CBC decryption (asm/ecb-cbc.h) of a tier that has no bulk; the frame is one block */
#ifndef SM4_WORDS_ECB_CBC_ASM_H
#define SM4_WORDS_ECB_CBC_ASM_H

#define BLOCKS_FRAME		VL

#include "../ecb-cbc.h"		/* which uses this */

.macro sm4_ecb_bulk	prefix
.endm

.macro sm4_cbc_bulk	prefix
.endm

#endif
