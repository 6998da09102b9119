/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with Intel's SM4 instructions, which do four rounds or four steps of the key
 * schedule at once: the tier sm4ni-avx2.
 *
 * binutils before 2.42 does not know the instructions, so they are encoded as bytes.
 * objtool of kernels before 6.10 does not know them either: these kernels do without this
 * tier.
 */
#include "sm4-compat.h"
#ifdef SM4_HAS_SM4NI
#include "generated/sm4-basis.h"
#include "asm/blocks.h"

.set VL, 32
.set WIDEST, 32

sm4_block_constants

.text

/* The prefixes of VSM4RNDS4 and VSM4KEY4 */
#define RNDS4	3
#define KEY4	2

/* VSM4RNDS4: four rounds of two blocks, with the round keys in T0 */
.macro sm4_rnds4	blocks
	.byte		0xc4
	.byte		0x42 | (~(\blocks) & 8) << 4 | (~T0_NUMBER & 8) << 2
	.byte		(~(\blocks) & 15) << 3 | 4 | RNDS4
	.byte		0xda
	.byte		0xc0 | ((\blocks) & 7) << 3 | (T0_NUMBER & 7)
.endm

/*
 * VSM4RNDS4 or VSM4KEY4: four steps of a single block or key, with the round keys or
 * constants CK at \offset(\base). \offset is at most 127; \base is the number of a general
 * register, 0 to 7 but not 4.
 */
.macro sm4_four_steps_at	prefix, state, offset, base
	.byte		0xc4
	.byte		0x62 | (~(\state) & 8) << 4
	.byte		(~(\state) & 15) << 3 | \prefix
	.byte		0xda
	.byte		0x40 | ((\state) & 7) << 3 | \base
	.byte		\offset
.endm

.macro sm4_four_rounds_of	g, index
.irp	row, 0, 1, 2, 3
	sm4_rnds4	\index*4+\row
.endr
.endm

.macro sm4_four_rounds	groups
	sm4_for_groups	\groups, sm4_four_rounds_of
.endm

/* The numbers of KEYS and CK */
#define KEYS_NUMBER	7
#define CK_NUMBER	0

.macro sm4_four_rounds_alone block, offset
	sm4_four_steps_at	RNDS4, \block, \offset, KEYS_NUMBER
.endm

.macro sm4_four_key_steps words, offset
	sm4_four_steps_at	KEY4, \words, \offset, CK_NUMBER
.endm

sm4_begin_tier sm4_sm4ni_avx2, 3, sm4_ghash_vpclmul_avx2
sm4_chain_functions sm4_sm4ni_avx2
sm4_key_schedule_function sm4_sm4ni_key_schedule
#endif
