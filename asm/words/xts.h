/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* XTS, by IEEE 1619 and by GB/T 17964, of a tier that has no bulk */
#ifndef SM4_WORDS_XTS_ASM_H
#define SM4_WORDS_XTS_ASM_H

/* The stack: a single block, the tweaks of a pass, the first tweaks of the next one */
#define XTS_TWEAKS		VL
#define XTS_NEXT		(XTS_TWEAKS+XTS_TWEAKS_BYTES)
#define XTS_FRAME		(XTS_NEXT+VL)

#include "../xts-tweaks.h"	/* which uses these */

.macro sm4_xts_bulk	prefix
.endm

#endif
