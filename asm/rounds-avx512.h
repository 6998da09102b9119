/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The rounds of SM4 on words (asm/words.h) with AVX-512: VPTERNLOGD adds three values, VPROLD
 * rotates, and a round key is an operand in memory, which TO_ALL, {1to8} or {1to16}, repeats in
 * all of a vector. asm/avx512/byte-sliced.h has the rounds for bulk, in the same basis.
 */
#ifndef SM4_ROUNDS_AVX512_ASM_H
#define SM4_ROUNDS_AVX512_ASM_H

#include "words.h"

/* One round of a group, as in asm/rounds.h */
.macro sm4_round	g, index, s0, s1, s2, s3, offset, rotate=sm4_rotate
	vpxord		\offset(ROUND_KEY)TO_ALL, \g\s1, T0
	vpternlogd	$0x96, \g\s2, \g\s3, T0
	sm4_substitute
	vpxord		T2, T3, T1
	\rotate		3, T3, T3
	vpternlogd	$0x96, T2, T3, \g\s0
	\rotate		1, T1, T2
	\rotate		2, T1, T1
	vpternlogd	$0x96, T2, T1, \g\s0
.endm

/*
 * A round of one or two groups, as in asm/rounds.h. U0_LAST, if two: they wait less than one, and
 * on a Zen 4 they are 4 % faster if u0 is added last.
 */
.macro sm4_short_begin	g, index
	vpxord		(ROUND_KEY)TO_ALL, \g\()1, KNOWN_\index
	vpxord		\g\()2, KNOWN_\index, KNOWN_\index
	vpxord		\g\()3, KNOWN_\index, X_\index
.endm

.macro sm4_short_round	g, index, s0, s2, s3, next
	sm4_short_substitute X_\index
	vpxord		KNOWN_\index, X_\index, \g\s3	# the newest word
	vmovdqa32	\g\s2, KNOWN_\index
	vpternlogd	$0x96, \next(ROUND_KEY)TO_ALL, \g\s3, KNOWN_\index
.if U0_LAST
	vpxord		KNOWN_\index, \g\s0, X_\index
.endif
	vprold		$24, T2, T0			# rotate1(u1)
	vprold		$8, T3, T3			# rotate3(u3)
	sm4_rotate	2, T2, T2			# rotate2(u1)
.if U0_LAST
	vpternlogd	$0x96, T1, T3, X_\index
	vpternlogd	$0x96, T0, T2, X_\index
.else
	vpternlogd	$0x96, KNOWN_\index, T1, \g\s0
	vpternlogd	$0x96, T0, T2, T3
	vpxord		T3, \g\s0, X_\index
.endif
.endm

.macro sm4_short_end	g, index
	vpxord		KNOWN_\index, X_\index, \g\()3
.endm

#endif
