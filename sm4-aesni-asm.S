/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM4 with the AES instructions: the tiers aesni-avx (16-byte vectors),
 * aesni-avx2 and vaes-avx2 (32-byte vectors).
 *
 * AESENCLAST with a zero round key is AES's S-box after ShiftRows: an inversion
 * in AES's field, followed by an affine map. That map and all that SM4 wants
 * after the inversion are one linear map, W0 or W3, which two shuffles look up
 * by nibbles; ShiftRows is undone by the shuffles that rotate words.
 *
 * This file chooses widths and an inverter. It must not write a mode.
 */
#include "sm4-compat.h"
#include "sm4-basis.h"
#include "sm4-rounds-asm.h"
#include "sm4-modes-asm.h"
#include "sm4-gcm-asm.h"

.set WIDEST, 32

.section .rodata
.p2align 5
sm4_constant in_low, SM4_AES_IN_LOW
sm4_constant in_high, SM4_AES_IN_HIGH
sm4_constant out_low, SM4_AES_OUT_LOW
sm4_constant out_high, SM4_AES_OUT_HIGH
sm4_constant w0_low, SM4_AES_W0_LOW
sm4_constant w0_high, SM4_AES_W0_HIGH
sm4_constant w1_low, SM4_AES_W1_LOW
sm4_constant w1_high, SM4_AES_W1_HIGH
sm4_constant w3_low, SM4_AES_W3_LOW
sm4_constant w3_high, SM4_AES_W3_HIGH
sm4_constant sbox_low, SM4_AES_SBOX_LOW
sm4_constant sbox_high, SM4_AES_SBOX_HIGH
sm4_constant rotate_0, SM4_AES_ROTATE_0
sm4_constant rotate_1, SM4_AES_ROTATE_1
sm4_constant rotate_2, SM4_AES_ROTATE_2
sm4_constant rotate_3, SM4_AES_ROTATE_3
sm4_constant key_constant, SM4_AES_KEY_CONSTANT
sm4_constant nibbles, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
sm4_constant zero, 0
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_key_schedule_constants
sm4_mode_constants
ghash_constants

.text

.macro sm4_load_constants
.endm

/* Split the bytes of T0 into low nibbles in T0 and high nibbles in T1. */
.macro sm4_split_nibbles
	vpsrld		$4, T0, T1
	vpand		.Lnibbles(%rip), T0, T0
	vpand		.Lnibbles(%rip), T1, T1
.endm

/* A linear map by its two tables: to = low[T0] ^ high[T1]. Clobbers spare. */
.macro sm4_look_up	table, to, spare
	vmovdqa		.L\table\()_low(%rip), \to
	vpshufb		T0, \to, \to
	vmovdqa		.L\table\()_high(%rip), \spare
	vpshufb		T1, \spare, \spare
	vpxor		\spare, \to, \to
.endm

.macro sm4_map		table, reg
	vmovdqa		\reg, T0
	sm4_split_nibbles
	sm4_look_up	\table, \reg, T0
.endm

.macro sm4_map_in	reg
	sm4_map		in, \reg
.endm

.macro sm4_map_out	reg
	sm4_map		out, \reg
.endm

/*
 * AESENCLAST on T0. Without VAES (VAES = 0) the halves of 32 bytes take it one
 * by one. Clobbers T1.
 */
.macro sm4_aesenclast
.if VL == 32 && !VAES
	vextracti128	$1, T0, T1_XMM
	vaesenclast	.Lzero(%rip), T0_XMM, T0_XMM
	vaesenclast	.Lzero(%rip), T1_XMM, T1_XMM
	vinserti128	$1, T1_XMM, T0, T0
.else
	vaesenclast	.Lzero(%rip), T0, T0
.endif
.endm

.macro sm4_substitute
	sm4_aesenclast
	sm4_split_nibbles
	sm4_look_up	w0, T2, T3
	sm4_look_up	w3, T3, T0
.endm

.macro sm4_chain_substitute
	vaesenclast	.Lzero(%rip), T0, T0
	sm4_split_nibbles
	sm4_look_up	w1, T2, C0
	sm4_look_up	w3, T3, C0
	sm4_look_up	w0, C1, C0
	vmovdqa		C1, T1
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

.set VAES, 0
.set VL, 16
sm4_mode_functions sm4_aesni_avx
sm4_gcm_functions sm4_aesni_avx, xmm, sm4_ghash_clmul_avx
sm4_key_schedule_function sm4_aesni_key_schedule
sm4_chain_functions sm4_aesni

.set VL, 32
sm4_mode_functions sm4_aesni_avx2, sm4_aesni_avx
sm4_gcm_functions sm4_aesni_avx2, xmm, sm4_ghash_clmul_avx, sm4_aesni_avx

.set VAES, 1
sm4_mode_functions sm4_vaes_avx2, sm4_aesni_avx
sm4_gcm_functions sm4_vaes_avx2, ymm, sm4_ghash_vpclmul_avx2, sm4_aesni_avx
