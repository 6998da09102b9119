/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with AVX-512VL alone, for processors without GFNI: the serial chains of the tier avx512, on
 * 16-byte vectors, and its narrower tier, on 32-byte vectors, for up to one group of words.
 *
 * This file chooses widths and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"

#define TO_ALL	{1to8}

#include "asm/nibbles.h"
#include "asm/rounds-avx512.h"
#include "asm/in-order.h"
#include "asm/words/modes.h"
#include "asm/cbc-sm3.h"

.set WIDEST, 32

.section .rodata
.p2align 5
sm4_nibbles_maps
sm4_nibbles_short_maps
sm4_constant rotate_2, SM4_ROTATE_2
sm4_constant nibbles, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
sm4_constant block_0, 0xffffffff
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_tweak_constants
sm4_reflection_constants
sm3_round_constants

.text

.macro sm4_load_constants
	sm4_load_nibbles
	vmovdqa32	.Lw1_io(%rip), W1_IO
	vmovdqa32	.Lw1_jo(%rip), W1_JO
.endm

.set SHORT_GROUPS, 1

.macro sm4_load_short_constants
.endm

.macro sm4_short_substitute x
	sm4_short_inverses \x
	vpshufb		T0, W3_IO, T3
	vpshufb		T1, W3_JO, T4
	vpshufb		T0, W1_IO, T2
	vpshufb		T1, W1_JO, T5
	vpxor		T4, T3, T3			# u3
	vpxor		T5, T2, T2			# u1
	vpxor		T2, T3, T1			# u0
.endm

.macro sm4_chain_substitute
	sm4_short_substitute T0
.endm

.set VL, 16
sm4_name_registers
sm4_name_nibbles xmm
sm4_chain_functions sm4_avx512
sm4_cbc_encrypt_sm3_function sm4_avx512_cbc_encrypt_sm3

.set VL, 32
sm4_name_registers
sm4_name_nibbles ymm
sm4_begin_tier sm4_avx512vl, 1, sm4_ghash_clmul_avx
