/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The key schedule of SM4 on 16-byte vectors, for tiers that have an S-box. Tiers with SM4
 * instructions have another one (blocks.h).
 */
#ifndef SM4_KEY_SCHEDULE_ASM_H
#define SM4_KEY_SCHEDULE_ASM_H

#include "registers.h"
#include "tier.h"

/*
 * One round of the key schedule, with the constant at CK + offset. A register holds its
 * word four times. The word is in the CPU's byte order, for the rotations of L', which
 * are shifts; to the S-box, the order of bytes does not matter.
 */
.macro sm4_key_round	k0, k1, k2, k3, offset
	vbroadcastss	\offset(CK), T2
	vpxor		\k1, T2, T2
	vpxor		\k2, T2, T2
	vpxor		\k3, T2, T2
	sm4_sbox	T2
	vpslld		$13, T2, T0
	vpsrld		$32 - 13, T2, T1
	vpxor		T2, \k0, \k0
	vpxor		T0, \k0, \k0
	vpxor		T1, \k0, \k0
	vpslld		$23, T2, T0
	vpsrld		$32 - 23, T2, T1
	vpxor		T0, \k0, \k0
	vpxor		T1, \k0, \k0
	vmovd		\k0, \offset(PLAIN_KEYS)
.endm

/*
 * void name(u32 plain[SM4_ROUNDS], const u8 *key)
 *
 * The key schedule (GB/T 32907-2016, section 7.3) as struct sm4_tier says, in
 * constant time. For VL 16. Clobbers CK, FOURS_LEFT.
 *
 * Vector registers:
 *
 *	0-3	A0-A3		the last four words, each four times
 *	4-7			free
 *	8-11			the tier's
 *	12-13	T0, T1		temporary
 *	14	T2		input of the S-box, then its output; before the loop, the user's key
 *	15	T3		temporary of sm4_sbox, or free
 */
.macro sm4_key_schedule_function	name
	.set PLAIN_KEYS,	%rdi
	.set USER_KEY,		%rsi
	.set CK,		%rax			/* of the next rounds */
	.set FOURS_LEFT,	%ecx			/* how many fours of rounds are left */
	sm4_require	TIER_KEYS
SYM_TYPED_FUNC_START(\name)
	sm4_load_constants
	vmovdqu		(USER_KEY), T2
	vpshufb		.Lswap_words(%rip), T2, T2
	vpxor		.Lfk(%rip), T2, T2
	vpshufd		$0x00, T2, A0
	vpshufd		$0x55, T2, A1
	vpshufd		$0xaa, T2, A2
	vpshufd		$0xff, T2, A3
	lea		.Lck(%rip), CK
	mov		$32 / 4, FOURS_LEFT
.L\name\()_four_rounds:
	sm4_key_round	A0, A1, A2, A3, 0
	sm4_key_round	A1, A2, A3, A0, 4
	sm4_key_round	A2, A3, A0, A1, 8
	sm4_key_round	A3, A0, A1, A2, 12
	add		$16, CK
	add		$16, PLAIN_KEYS
	dec		FOURS_LEFT
	jnz		.L\name\()_four_rounds
	sm4_clear_registers
	RET
SYM_FUNC_END(\name)
.endm

#endif
