/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with the Galois field instructions and AVX-512: the tier gfni-avx512 (64-byte vectors).
 * sm4-gfni-avx512vl-asm.S has its serial chains and its narrower tier.
 *
 * This file chooses a width and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"

#define TO_ALL	{1to16}

#include "asm/gfni.h"
#include "asm/avx512/gfni-slices.h"
#include "asm/avx512/modes.h"

.set WIDEST, 64

.section .rodata
.p2align 6
sm4_gfni_constants
sm4_slices_constants
sm4_tweaks_64_constants
sm4_reflection_constants

.text

/*
 * There are registers for the constants of the rounds. W0 and W3 keep theirs. Byte-sliced rounds
 * use the others, and load them again, but W1, which is loaded where it is needed.
 *
 * Vector registers of the tier:
 *
 *	22-24	ROTATE_1 to 3	shuffles, but in byte-sliced rounds
 *	25	W1		in short rounds, a matrix
 *	30-31	W0, W3		matrices
 */
.set W0,	%zmm30
.set W3,	%zmm31
.set ROTATE_1,	E2
.set ROTATE_2,	E3
.set ROTATE_3,	F0

.macro sm4_load_constants
	vmovdqa32	.Lw0(%rip), W0
	vmovdqa32	.Lw3(%rip), W3
	vmovdqa32	.Lrotate_1(%rip), ROTATE_1
	vmovdqa32	.Lrotate_2(%rip), ROTATE_2
	vmovdqa32	.Lrotate_3(%rip), ROTATE_3
.endm

/* One or two groups: u1 has its own instruction. These orders are the fastest on a Zen 4. */
.set SHORT_GROUPS, 2
.set W1,	F1

.macro sm4_load_short_constants
	vmovdqa32	.Lw1(%rip), W1
.endm

.macro sm4_short_substitute x
.if U0_LAST
	sm4_invert_3	\x, T3
	sm4_invert_1	\x, T2
	sm4_invert_0	\x, T1
.else
	sm4_invert_1	\x, T2
	sm4_invert_0	\x, T1
	sm4_invert_3	\x, T3
.endif
.endm

.macro sm4_rotate	n, from, to
	vpshufb		ROTATE_\n, \from, \to
.endm

.set VL, 64
sm4_name_as	zmm
sm4_begin_tier sm4_gfni_avx512, 4, sm4_ghash_vpclmul_avx512
