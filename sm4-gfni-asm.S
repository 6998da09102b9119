/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with the Galois field instructions: the tier gfni-avx2 (32-byte vectors).
 *
 * This file chooses widths and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"

#define W0	.Lw0(%rip)
#define W1	.Lw1(%rip)
#define W3	.Lw3(%rip)

#include "asm/gfni.h"
#include "asm/key-schedule.h"
#include "asm/pairs/modes.h"
#include "asm/pairs/lanes.h"
#include "asm/columns.h"
#include "asm/cbc-sm3.h"

.set WIDEST, 32
.set VPCLMULQDQ, 1

.section .rodata
.p2align 5
sm4_gfni_constants
sm4_constant columns, SM4_COLUMNS
sm4_constant block_0, SM4_BLOCK_0
sm4_constant key_constant, SM4_AES_KEY_CONSTANT
sm4_key_schedule_constants
sm4_tweak_constants
sm4_reflection_constants
sm3_round_constants

.text

.macro sm4_load_constants
.endm

/* One or two groups: u1 has its own instruction. This order is the fastest on a Zen 4. */
.set SHORT_GROUPS, 2

.macro sm4_load_short_constants
.endm

.macro sm4_short_substitute x
	sm4_invert_3	\x, T3
	sm4_invert_1	\x, T2
	sm4_invert_0	\x, T1
.endm

/*
 * Pairs: there are two constants, so there are registers for the newest words of all groups.
 *
 * Vector registers of the tier, in the rounds of pairs:
 *
 *	12	T0		matrix W0
 *	13	T1		matrix W3
 *	15	WAITING_0	u_E, then v_E
 */
.macro sm4_load_pair_constants
	vmovdqa		.Lw0(%rip), T0
	vmovdqa		.Lw3(%rip), T1
.endm

.macro sm4_pair_prepare	x, x_xmm
.endm

.macro sm4_pair_substitute
	vgf2p8affineinvqb $0, T1, X_O, W_O				# v_O
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, T0, X_E, WAITING_0	# u_E
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, T0, X_O, W_E		# u_O
	vpxor		WAITING_0, W_O, W_O				# w_O = u_E ^ v_O
	vgf2p8affineinvqb $0, T1, X_E, WAITING_0			# v_E
.endm

.macro sm4_pair_sums
	vpshufd		$0xb1, W_E, W_E				# swap(u_O)
	vpxor		WAITING_0, W_E, W_E			# w_E = swap(u_O) ^ v_E
.endm

.set CHAIN_U0_LAST, 0

.macro sm4_chain_substitute
	sm4_invert_1	T0, T2
	sm4_invert_3	T0, T3
	sm4_invert_0	T0, T1
.endm

.macro sm4_chain_rotate	blocks, n, from, to
	sm4_rotate_columns \n, \from, \to
.endm

.macro sm4_rotate	n, from, to
	sm4_rotate_by_memory \n, \from, \to
.endm

.macro sm4_sbox		reg
	sm4_map_in	\reg
	vpxor		.Lkey_constant(%rip), \reg, \reg
	vgf2p8affineinvqb $SM4_GFNI_SBOX_CONSTANT, .Lsbox(%rip), \reg, \reg
.endm

.set VL, 16
sm4_name_registers
sm4_key_schedule_function sm4_gfni_key_schedule
sm4_chain_functions sm4_gfni
sm4_cbc_encrypt_sm3_function sm4_gfni_cbc_encrypt_sm3

.set VL, 32
sm4_name_pairs ymm, 4
sm4_pair_constants
sm4_begin_tier sm4_gfni_avx2, 3, sm4_ghash_vpclmul_avx2
sm4_lane_functions sm4_gfni_avx2
