/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Made by tools/generate-constants, which says how; do not edit.
 *
 * SM3: the initial state, and the constants of the rounds 0 to 15 and 16 to 63 before
 * they are rotated (GB/T 32905-2016, sections 4.1 and 4.2).
 */
#ifndef SM3_CONSTANTS_H
#define SM3_CONSTANTS_H

#define SM3_T_EARLY	0x79cc4519
#define SM3_T_LATE	0x7a879d8a

#define SM3_IV { 0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, \
		 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e, }

#endif
