/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with AVX2 alone, and still in constant time: the tier avx2 (32-byte
 * vectors). aesni-avx2 and vaes-avx2 are in sm4-aesni-asm.S.
 *
 * Bytes are inverted in nibbles, by shuffles that look up 16 entries (Hamburg,
 * "Accelerating AES with vector permute instructions", CHES 2009): with the
 * nibbles i and k of a byte and j = i + k, the two values
 *
 *	io = 1 / (1/i + a/k) + j,	jo = 1 / (1/j + a/k) + i
 *
 * are such that anything linear in the byte's inverse is one lookup by io plus
 * one by jo. tools/generate-constants derives this. A division by 0 gives 0x80,
 * which a shuffle looks up as 0; so no constant can be in the tables of io and
 * jo, and the mapped round keys carry it.
 *
 * This file chooses a width and an inverter. It must not write a mode. asm/tier.h is its contract.
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"
#include "asm/key-schedule.h"
#include "asm/pairs/modes.h"
#include "asm/pairs/lanes.h"

.set WIDEST, 32
.set VPCLMULQDQ, 0

.section .rodata
.p2align 5
sm4_nibbles_maps
sm4_constant rotate_1, SM4_ROTATE_1
sm4_constant rotate_2, SM4_ROTATE_2
sm4_constant rotate_3, SM4_ROTATE_3
sm4_constant key_constant, SM4_NIBBLES_KEY_CONSTANT
sm4_constant sbox_constant, SM4_SBOX_CONSTANT
sm4_constant nibbles, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_key_schedule_constants
sm4_tweak_constants
sm4_reflection_constants

.text

/*
 * There are two groups. Vector registers of the tier, in the place of the third one:
 *
 *	8	ONE_OVER	table: 1/i
 *	9	A_OVER		table: a/i
 *	10	NIBBLES		0x0f in each byte
 *	11	T4		temporary; jo
 *
 * In the rounds of pairs:
 *
 *	4-5	IO, JO		io and jo of x_O, then of x_E, which wait for their lookups
 *	7	W3_JO		table
 *	12	PAIR_ONE_OVER	table: 1/i
 *	13	PAIR_A_OVER	table: a/i
 *	14	PAIR_NIBBLES	0x0f in each byte
 *	15	W3_IO		table
 */
#define ONE_OVER	C0
#define A_OVER		C1
#define NIBBLES		C2
#define T4		C3

.set SHORT_GROUPS, 0

.macro sm4_load_constants
	vmovdqa		.Lone_over(%rip), ONE_OVER
	vmovdqa		.La_over(%rip), A_OVER
	vmovdqa		.Lnibbles(%rip), NIBBLES
.endm

/* Split the bytes of T0 into low nibbles in T0 and high nibbles in T1. */
.macro sm4_avx2_nibbles
	vpsrld		$4, T0, T1
	vpand		NIBBLES, T0, T0
	vpand		NIBBLES, T1, T1
.endm

/* Two lookups added up: to = low[by0] ^ high[by1]. Clobbers spare. */
.macro sm4_avx2_look_up	low, by0, high, by1, to, spare
	vmovdqa		.L\low(%rip), \to
	vpshufb		\by0, \to, \to
	vmovdqa		.L\high(%rip), \spare
	vpshufb		\by1, \spare, \spare
	vpxor		\spare, \to, \to
.endm

.macro sm4_map_in	reg
	vmovdqa		\reg, T0
	sm4_avx2_nibbles
	sm4_avx2_look_up	in_low, T0, in_high, T1, \reg, T0
.endm

.macro sm4_map_out	reg
	vmovdqa		\reg, T0
	sm4_avx2_nibbles
	sm4_avx2_look_up	out_low, T0, out_high, T1, \reg, T0
.endm

/* From bytes in T0 to io in T3 and jo in T4. Clobbers T1 and T2. */
.macro sm4_avx2_inverses
	sm4_avx2_nibbles
	vpshufb		T0, A_OVER, T2
	vpxor		T1, T0, T0
	vpshufb		T1, ONE_OVER, T3
	vpshufb		T0, ONE_OVER, T4
	vpxor		T2, T3, T3
	vpxor		T2, T4, T4
	vpshufb		T3, ONE_OVER, T3
	vpshufb		T4, ONE_OVER, T4
	vpxor		T0, T3, T3
	vpxor		T1, T4, T4
.endm

.macro sm4_substitute
	sm4_avx2_inverses
	sm4_avx2_look_up	w0_io, T3, w0_jo, T4, T2, T0
	sm4_avx2_look_up	w3_io, T3, w3_jo, T4, T1, T0
	vmovdqa		T1, T3
.endm

/* Pairs: there are registers for the tables of w3, not for the tables of w0. */
#define PAIR_ONE_OVER	T0
#define PAIR_A_OVER	T1
#define PAIR_NIBBLES	T2
#define W3_IO		T3
#define W3_JO		FIFTH_CONSTANT
#define IO		WAITING_0
#define JO		WAITING_1

.macro sm4_load_pair_constants
	vmovdqa		.Lone_over(%rip), PAIR_ONE_OVER
	vmovdqa		.La_over(%rip), PAIR_A_OVER
	vmovdqa		.Lnibbles(%rip), PAIR_NIBBLES
	vmovdqa		.Lw3_io(%rip), W3_IO
	vmovdqa		.Lw3_jo(%rip), W3_JO
.endm

.macro sm4_pair_prepare	x, x_xmm
.endm

/* From bytes in x to IO and JO. Clobbers x, i and SPARE. */
.macro sm4_pair_inverses x, i
	vpsrld		$4, \x, \i
	vpand		PAIR_NIBBLES, \x, \x		# k
	vpand		PAIR_NIBBLES, \i, \i
	vpshufb		\x, PAIR_A_OVER, SPARE		# a/k
	vpxor		\i, \x, \x			# j
	vpshufb		\i, PAIR_ONE_OVER, IO
	vpshufb		\x, PAIR_ONE_OVER, JO
	vpxor		SPARE, IO, IO
	vpxor		SPARE, JO, JO
	vpshufb		IO, PAIR_ONE_OVER, IO
	vpshufb		JO, PAIR_ONE_OVER, JO
	vpxor		\x, IO, IO
	vpxor		\i, JO, JO
.endm

.macro sm4_pair_substitute
	sm4_pair_inverses X_O, W_E
	sm4_avx2_look_up	w0_io, IO, w0_jo, JO, W_E, SPARE	# u_O
	vpshufd		$0xb1, W_E, W_E				# swap(u_O)
	vpshufb		IO, W3_IO, W_O
	vpshufb		JO, W3_JO, SPARE
	vpxor		SPARE, W_O, W_O				# v_O
	sm4_pair_inverses X_E, X_O
.endm

.macro sm4_pair_sums
	vpshufb		IO, W3_IO, SPARE
	vpxor		SPARE, W_E, W_E
	vpshufb		JO, W3_JO, SPARE
	vpxor		SPARE, W_E, W_E			# w_E = swap(u_O) ^ v_E
	vmovdqa		.Lw0_io(%rip), SPARE
	vpshufb		IO, SPARE, IO
	vpxor		IO, W_O, W_O
	vmovdqa		.Lw0_jo(%rip), SPARE
	vpshufb		JO, SPARE, JO
	vpxor		JO, W_O, W_O			# w_O = u_E ^ v_O
.endm

/* sm4_substitute has moved no byte, so there is nothing to do for n = 0. */
.macro sm4_rotate	n, from, to
.if \n
	vpshufb		.Lrotate_\n(%rip), \from, \to
.endif
.endm

.macro sm4_sbox		reg
	sm4_map_in	\reg
	vpxor		.Lkey_constant(%rip), \reg, T0
	sm4_avx2_inverses
	sm4_avx2_look_up	sbox_io, T3, sbox_jo, T4, \reg, T0
	vpxor		.Lsbox_constant(%rip), \reg, \reg
.endm

.set VL, 16
sm4_name_registers
sm4_key_schedule_function sm4_avx2_key_schedule

.set VL, 32
sm4_name_pairs ymm, 2
sm4_pair_constants
sm4_begin_tier sm4_avx2, 2, sm4_ghash_clmul_avx
sm4_lane_functions sm4_avx2
