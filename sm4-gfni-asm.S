/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM4 with the Galois field instructions: the tiers gfni-avx2 (32-byte vectors)
 * and gfni-avx512 (64-byte vectors).
 *
 * GF2P8AFFINEINVQB inverts bytes in AES's field and then applies any affine
 * map: one instruction each for W0 and W3.
 *
 * This file chooses widths and an inverter. It must not write a mode.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"
#include "asm/bytes.h"
#include "asm/pairs.h"
#include "asm/modes.h"
#include "asm/lanes.h"
#include "asm/cbc-sm3.h"

.set WIDEST, 64

.section .rodata
.p2align 6
sm4_gfni_maps
sm4_constant rotate_1, SM4_ROTATE_1
sm4_constant rotate_2, SM4_ROTATE_2
sm4_constant rotate_3, SM4_ROTATE_3
sm4_constant columns, SM4_COLUMNS
sm4_constant row_0, SM4_ROW_0
sm4_constant word_0, 0xffffffff
sm4_constant key_constant, SM4_AES_KEY_CONSTANT
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_key_schedule_constants
sm4_tweak_constants
ghash_constants
sm3_round_constants

.text

/* AVX-512 has registers for the constants of the rounds. */
.set W0,	%zmm30
.set W3,	%zmm31
.set ROTATE_1,	%zmm22
.set ROTATE_2,	%zmm23
.set ROTATE_3,	%zmm24

.macro sm4_load_constants
.if VL == 64
	vmovdqa32	.Lw0(%rip), W0
	vmovdqa32	.Lw3(%rip), W3
	vmovdqa32	.Lrotate_1(%rip), ROTATE_1
	vmovdqa32	.Lrotate_2(%rip), ROTATE_2
	vmovdqa32	.Lrotate_3(%rip), ROTATE_3
.endif
.endm

.macro sm4_map_in	reg
	vgf2p8affineqb	$0, .Lin(%rip), \reg, \reg
.endm

.macro sm4_map_out	reg
	vgf2p8affineqb	$0, .Lout(%rip), \reg, \reg
.endm

.macro sm4_substitute
.if VL == 64
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, W0, T0, T2
	vgf2p8affineinvqb $0, W3, T0, T3
.else
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, .Lw0(%rip), T0, T2
	vgf2p8affineinvqb $0, .Lw3(%rip), T0, T3
.endif
.endm

/* One or two groups: u1 has its own instruction. These orders are the fastest on a Zen 4. */
.set SHORT_GROUPS, 2
.set W1,	%zmm25

.macro sm4_load_short_constants
.if VL == 64
	vmovdqa32	.Lw1(%rip), W1
.endif
.endm

.macro sm4_short_inverse constant, n, from, to
.if VL == 64
	vgf2p8affineinvqb $\constant, W\n, \from, \to
.else
	vgf2p8affineinvqb $\constant, .Lw\n(%rip), \from, \to
.endif
.endm

.macro sm4_short_substitute x
.if VL < 64 || U0_LAST
	sm4_short_inverse 0, 3, \x, T3				# u3
	sm4_short_inverse SM4_GFNI_W0_CONSTANT, 1, \x, T2	# u1
	sm4_short_inverse SM4_GFNI_W0_CONSTANT, 0, \x, T1	# u0
.else
	sm4_short_inverse SM4_GFNI_W0_CONSTANT, 1, \x, T2
	sm4_short_inverse SM4_GFNI_W0_CONSTANT, 0, \x, T1
	sm4_short_inverse 0, 3, \x, T3
.endif
.endm

/* Pairs: there are registers for the constants. */
.macro sm4_load_pair_constants
	vmovdqa		.Lw0(%rip), T0
	vmovdqa		.Lw3(%rip), T1
.endm

.macro sm4_pair_substitute
	vgf2p8affineinvqb $0, T1, X_O, V_O			# v_O
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, T0, X_O, X_O	# u_O
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, T0, X_E, U_E	# u_E
	vgf2p8affineinvqb $0, T1, X_E, X_E			# v_E
	vpshufd		$0xb1, X_O, X_O				# swap(u_O)
	vpxor		U_E, V_O, V_O				# w_O = u_E ^ v_O
	vpxor		X_E, X_O, X_O				# w_E = swap(u_O) ^ v_E
.endm

.set CHAIN_U0_LAST, 0

.macro sm4_chain_substitute
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, .Lw1(%rip), T0, T2
	vgf2p8affineinvqb $0, .Lw3(%rip), T0, T3
	vgf2p8affineinvqb $SM4_GFNI_W0_CONSTANT, .Lw0(%rip), T0, T1
.endm

.macro sm4_chain_rotate	blocks, n, from, to
	sm4_rotate_columns \n, \from, \to
.endm

/* sm4_substitute has moved no byte, so there is nothing to do for n = 0. */
.macro sm4_rotate	n, from, to
.if \n && VL == 64
	vpshufb		ROTATE_\n, \from, \to
.else
	sm4_rotate_by_memory \n, \from, \to
.endif
.endm

.macro sm4_rotate_by_memory n, from, to
.if \n
	vpshufb		.Lrotate_\n(%rip), \from, \to
.endif
.endm

.macro sm4_sbox		reg
	sm4_map_in	\reg
	vpxor		.Lkey_constant(%rip), \reg, \reg
	vgf2p8affineinvqb $SM4_GFNI_SBOX_CONSTANT, .Lsbox(%rip), \reg, \reg
.endm

.set VL, 16
sm4_name_registers
sm4_key_schedule_function sm4_gfni_key_schedule

.set EVEX, 0
sm4_chain_functions sm4_gfni_cbc_encrypt, sm4_gfni_cbc_mac, sm4_gfni_ccm_crypt
sm4_sm3_function sm4_gfni_cbc_encrypt_sm3
.set EVEX, 1
sm4_chain_functions sm4_gfni_avx512_cbc_encrypt, sm4_gfni_avx512_cbc_mac, sm4_gfni_avx512_ccm_crypt
sm4_sm3_function sm4_gfni_avx512_cbc_encrypt_sm3

.set EVEX, 0
.set VL, 32
sm4_name_pairs ymm
sm4_pair_constants
sm4_begin_tier sm4_gfni_avx2, 3, 0, sm4_ghash_vpclmul_avx2, sm4_gfni_avx2_ecb, \
	sm4_gfni_avx2_cbc_decrypt, sm4_gfni_avx2_ctr, sm4_gfni_avx2_xts, \
	sm4_gfni_avx2_xts_gb, sm4_gfni_avx2_gcm
sm4_lane_functions sm4_gfni_avx2_set_lane_keys, sm4_gfni_avx2_cbc_encrypt_lanes, sm4_gfni_avx2

/* The narrower tier of the next one: up to one group */
.set EVEX, 1
.set BULK, 0
sm4_begin_tier sm4_gfni_avx512vl, 1, 0, sm4_ghash_vpclmul_avx2, sm4_gfni_avx512vl_ecb, \
	sm4_gfni_avx512vl_cbc_decrypt, sm4_gfni_avx512vl_ctr, sm4_gfni_avx512vl_xts, \
	sm4_gfni_avx512vl_xts_gb, sm4_gfni_avx512vl_gcm
.set BULK, 1

.set VL, 64
sm4_bytes_constants
sm4_begin_tier sm4_gfni_avx512, 4, SM4_AVX512_NARROWER_BYTES, sm4_ghash_vpclmul_avx512, \
	sm4_gfni_avx512_ecb, sm4_gfni_avx512_cbc_decrypt, sm4_gfni_avx512_ctr, \
	sm4_gfni_avx512_xts, sm4_gfni_avx512_xts_gb, sm4_gfni_avx512_gcm
