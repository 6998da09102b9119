/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with the Galois field instructions and AVX-512VL: the serial chains of the tier
 * gfni-avx512, on 16-byte vectors, and its narrower tier, on 32-byte vectors, for up to one
 * group of words.
 *
 * This file chooses widths and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"

#define TO_ALL	{1to8}
#define W0	.Lw0(%rip)
#define W1	.Lw1(%rip)
#define W3	.Lw3(%rip)

#include "asm/gfni.h"
#include "asm/rounds-avx512.h"
#include "asm/in-order.h"
#include "asm/words/modes.h"
#include "asm/cbc-sm3.h"

.set WIDEST, 32

.section .rodata
.p2align 5
sm4_gfni_constants
sm4_constant block_0, 0xffffffff
sm4_tweak_constants
sm4_reflection_constants
sm3_round_constants

.text

.macro sm4_load_constants
.endm

.set SHORT_GROUPS, 1

.macro sm4_load_short_constants
.endm

.macro sm4_short_substitute x
	sm4_invert_3	\x, T3
	sm4_invert_1	\x, T2
	sm4_invert_0	\x, T1
.endm

.macro sm4_chain_substitute
	sm4_invert_1	T0, T2
	sm4_invert_3	T0, T3
	sm4_invert_0	T0, T1
.endm

.macro sm4_rotate	n, from, to
	sm4_rotate_by_memory \n, \from, \to
.endm

.set VL, 16
sm4_name_registers
sm4_chain_functions sm4_gfni_avx512
sm4_cbc_encrypt_sm3_function sm4_gfni_avx512_cbc_encrypt_sm3

.set VL, 32
sm4_begin_tier sm4_gfni_avx512vl, 1, sm4_ghash_vpclmul_avx2
