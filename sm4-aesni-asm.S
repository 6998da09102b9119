/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with the AES instructions: the tiers aesni-avx (16-byte vectors),
 * aesni-avx2 and vaes-avx2 (32-byte vectors).
 *
 * AESENCLAST with a zero round key is ShiftRows and AES's S-box: an inversion in AES's
 * field, then an affine map. That map and all that SM4 does after the inversion are one
 * linear map, W0 or W3, which two shuffles look up by nibbles. The shuffles that rotate
 * words undo ShiftRows.
 *
 * This file chooses widths and an inverter. It must not write a mode. asm/tier.h is its contract,
 * asm/functions.h has the names of the functions that sm4_begin_tier makes.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"
#include "asm/key-schedule.h"
#include "asm/pairs/modes.h"
#include "asm/pairs/lanes.h"
#include "asm/columns.h"
#include "asm/cbc-sm3.h"

.set WIDEST, 32

.section .rodata
.p2align 5
sm4_aes_maps
sm4_constant columns, SM4_COLUMNS
sm4_constant columns_0, SM4_AES_COLUMNS_0
sm4_constant columns_1, SM4_AES_COLUMNS_1
sm4_constant columns_2, SM4_AES_COLUMNS_2
sm4_constant columns_3, SM4_AES_COLUMNS_3
sm4_constant block_0, SM4_BLOCK_0
sm4_constant key_constant, SM4_AES_KEY_CONSTANT
sm4_constant nibbles, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
sm4_constant zero, 0
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_key_schedule_constants
sm4_tweak_constants
sm4_reflection_constants
sm3_round_constants

.text

/*
 * Vector registers of the tiers, in chains:
 *
 *	8	C0		temporary
 *
 * In the rounds of pairs:
 *
 *	4-5	LOW_E, HIGH_E	low and high nibbles of x_E, which wait for their lookups; before
 *				that, HIGH_E has the high nibbles of x_O
 *	7	NIBBLES		0x0f in each byte
 *	12-13	W3_LOW, W3_HIGH	tables
 *	14-15	W0_LOW, W0_HIGH	tables
 */
.macro sm4_load_constants
.endm

/* Split the bytes of T0 into low nibbles in T0 and high nibbles in T1. */
.macro sm4_aes_nibbles
	vpsrld		$4, T0, T1
	vpand		.Lnibbles(%rip), T0, T0
	vpand		.Lnibbles(%rip), T1, T1
.endm

/* A linear map by its two tables: to = low[T0] ^ high[T1]. Clobbers spare. */
.macro sm4_aes_look_up	table, to, spare
	vmovdqa		.L\table\()_low(%rip), \to
	vpshufb		T0, \to, \to
	vmovdqa		.L\table\()_high(%rip), \spare
	vpshufb		T1, \spare, \spare
	vpxor		\spare, \to, \to
.endm

.macro sm4_map		table, reg
	vmovdqa		\reg, T0
	sm4_aes_nibbles
	sm4_aes_look_up	\table, \reg, T0
.endm

.macro sm4_map_in	reg
	sm4_map		in, \reg
.endm

.macro sm4_map_out	reg
	sm4_map		out, \reg
.endm

/*
 * AESENCLAST with a zero round key. Without VAES (VAES = 0), the halves of 32 bytes go
 * through it one by one. Clobbers spare.
 */
.macro sm4_aesenclast	reg, reg_xmm, spare_xmm
.if VL == 32 && !VAES
	vextracti128	$1, \reg, \spare_xmm
	vaesenclast	.Lzero(%rip), \reg_xmm, \reg_xmm
	vaesenclast	.Lzero(%rip), \spare_xmm, \spare_xmm
	vinserti128	$1, \spare_xmm, \reg, \reg
.else
	vaesenclast	.Lzero(%rip), \reg, \reg
.endif
.endm

.macro sm4_substitute
	sm4_aesenclast	T0, T0_XMM, T1_XMM
	sm4_aes_nibbles
	sm4_aes_look_up	w0, T2, T3
	sm4_aes_look_up	w3, T3, T0
.endm

/* One group: two groups need not wait so long. */
.set SHORT_GROUPS, 1

.macro sm4_load_short_constants
.endm

.macro sm4_short_substitute x
	vmovdqa		\x, T0
	sm4_substitute
	vmovdqa		T2, T1				# u0
	vpxor		T3, T2, T2			# u1
.endm

/* Pairs */
#define W3_LOW		T0
#define W3_HIGH		T1
#define W0_LOW		T2
#define W0_HIGH		T3
#define NIBBLES		FIFTH_CONSTANT
#define LOW_E		WAITING_0
#define HIGH_E		WAITING_1

.macro sm4_load_pair_constants
	vmovdqa		.Lw3_low(%rip), W3_LOW
	vmovdqa		.Lw3_high(%rip), W3_HIGH
	vmovdqa		.Lw0_low(%rip), W0_LOW
	vmovdqa		.Lw0_high(%rip), W0_HIGH
	vmovdqa		.Lnibbles(%rip), NIBBLES
.endm

.macro sm4_pair_prepare	x, x_xmm
	sm4_aesenclast	\x, \x_xmm, SPARE_XMM
.endm

.macro sm4_pair_nibbles	x, low, high
	vpshufb		.Lrotate_0(%rip), \x, \low
	vpsrld		$4, \low, \high
	vpand		NIBBLES, \low, \low
	vpand		NIBBLES, \high, \high
.endm

.macro sm4_pair_substitute
	sm4_pair_nibbles X_O, X_O, HIGH_E
	vpshufb		X_O, W0_LOW, W_E
	vpshufb		HIGH_E, W0_HIGH, SPARE
	vpshufb		X_O, W3_LOW, W_O
	vpshufb		HIGH_E, W3_HIGH, X_O
	sm4_pair_nibbles X_E, LOW_E, HIGH_E
	vpxor		SPARE, W_E, W_E			# u_O
	vpxor		X_O, W_O, W_O			# v_O
.endm

.macro sm4_pair_sums
	vpshufd		$0xb1, W_E, W_E			# swap(u_O)
	vpshufb		LOW_E, W3_LOW, SPARE
	vpxor		SPARE, W_E, W_E
	vpshufb		HIGH_E, W3_HIGH, SPARE
	vpshufb		LOW_E, W0_LOW, LOW_E
	vpshufb		HIGH_E, W0_HIGH, HIGH_E
	vpxor		LOW_E, W_O, W_O
	vpxor		SPARE, W_E, W_E			# w_E = swap(u_O) ^ v_E
	vpxor		HIGH_E, W_O, W_O		# w_O = u_E ^ v_O
.endm

.set CHAIN_U0_LAST, 1

.macro sm4_chain_substitute
	vaesenclast	.Lzero(%rip), T0, T0
	sm4_aes_nibbles
	sm4_aes_look_up	w1, T2, C0
	sm4_aes_look_up	w3, T3, C0
	vpxor		T2, T3, T1
.endm

/* With words in columns, ShiftRows leaves block 0 alone. */
.macro sm4_chain_rotate	blocks, n, from, to
.if \blocks == 1
	sm4_rotate_columns \n, \from, \to
.else
	vpshufb		.Lcolumns_\n(%rip), \from, \to
.endif
.endm

.macro sm4_rotate	n, from, to
	vpshufb		.Lrotate_\n(%rip), \from, \to
.endm

/* With all four columns alike, ShiftRows does nothing. */
.macro sm4_sbox		reg
	sm4_map_in	\reg
	vpxor		.Lkey_constant(%rip), \reg, \reg
	vaesenclast	.Lzero(%rip), \reg, \reg
	sm4_map		sbox, \reg
.endm

sm4_pair_constants

.set VAES, 0
.set VPCLMULQDQ, 0
.set VL, 16
sm4_name_pairs xmm, 2
sm4_begin_tier sm4_aesni_avx, 3, sm4_ghash_clmul_avx
sm4_key_schedule_function sm4_aesni_key_schedule
sm4_chain_functions sm4_aesni
sm4_cbc_encrypt_sm3_function sm4_aesni_cbc_encrypt_sm3

.set VL, 32
sm4_name_pairs ymm, 2
sm4_begin_tier sm4_aesni_avx2, 3, sm4_ghash_clmul_avx
sm4_lane_functions sm4_aesni_avx2

.set VAES, 1
.set VPCLMULQDQ, 1
sm4_begin_tier sm4_vaes_avx2, 3, sm4_ghash_vpclmul_avx2
sm4_lane_functions sm4_vaes_avx2
