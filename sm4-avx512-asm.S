/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with AVX-512 alone, for processors without GFNI: the tier avx512 (64-byte vectors).
 * sm4-avx512vl-asm.S has its serial chains and its narrower tier.
 *
 * This file chooses a width and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"

#define TO_ALL	{1to16}

#include "asm/avx512/nibble-slices.h"
#include "asm/avx512/modes.h"

.set WIDEST, 64

.section .rodata
.p2align 6
sm4_nibbles_maps
sm4_nibbles_tweak_maps
sm4_constant nibbles, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_slices_constants
sm4_tweaks_64_constants
sm4_reflection_constants

.text

.macro sm4_load_constants
	sm4_load_nibbles
	vmovdqa32	.Lw0_io(%rip), W0_IO
	vmovdqa32	.Lw0_jo(%rip), W0_JO
.endm

.set SHORT_GROUPS, 0

.macro sm4_substitute
	sm4_nested_inverses
	vpshufb		T0, W0_IO, T2
	vpshufb		T1, W0_JO, T3
	vpxord		T3, T2, T2			# u0
	vpshufb		T0, W3_IO, T3
	vpshufb		T1, W3_JO, T1
	vpxord		T1, T3, T3			# u3
.endm

.set VL, 64
sm4_name_as	zmm
sm4_name_nibbles zmm
sm4_begin_tier sm4_avx512, 4, sm4_ghash_clmul_avx
