/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * A round of SM4 on words with vectors of 16 and 32 bytes, from which asm/words.h makes functions.
 * asm/pairs/rounds.h has the rounds for bulk, in the same basis.
 */
#ifndef SM4_ROUNDS_ASM_H
#define SM4_ROUNDS_ASM_H

#include "words.h"

/*
 * One round of a group, with the round key at ROUND_KEY + offset:
 *
 *	s0 ^= L(S(s1 ^ s2 ^ s3 ^ round key))
 *
 * s3 comes from the round before, so it is added last; and the values that are ready last
 * go through the fewest additions.
 */
.macro sm4_round	g, index, s0, s1, s2, s3, offset
	vbroadcastss	\offset(ROUND_KEY), T0
	vpxor		\g\s1, T0, T0
	vpxor		\g\s2, T0, T0
	vpxor		\g\s3, T0, T0
	sm4_substitute
	vpxor		T2, T3, T1
	sm4_rotate	0, T2, T2
	sm4_rotate	3, T3, T3
	vpxor		T2, T3, T3
	vpxor		T3, \g\s0, \g\s0
	sm4_rotate	1, T1, T2
	sm4_rotate	2, T1, T1
	vpxor		T2, T1, T1
	vpxor		T1, \g\s0, \g\s0
.endm

/*
 * A round of one or two groups, whose time is mostly waiting. As in asm/columns.h, the next
 * round's x is made from this one's, and all that is known earlier has been added up before.
 *
 * u0, which needs no rotation, is added first to what is known: on an Intel core, an operation
 * takes two cycles more if one of its operands comes from the inversion.
 */
.macro sm4_short_begin	g, index
	vbroadcastss	(ROUND_KEY), KNOWN_\index
	vpxor		\g\()1, KNOWN_\index, KNOWN_\index
	vpxor		\g\()2, KNOWN_\index, KNOWN_\index
	vpxor		\g\()3, KNOWN_\index, X_\index
.endm

.macro sm4_short_round	g, index, s0, s2, s3, next
	sm4_short_substitute X_\index
	vpxor		KNOWN_\index, X_\index, \g\s3	# the newest word
	vbroadcastss	\next(ROUND_KEY), KNOWN_\index
	vpxor		\g\s2, KNOWN_\index, KNOWN_\index
	vpxor		\g\s3, KNOWN_\index, KNOWN_\index
	vpxor		KNOWN_\index, \g\s0, \g\s0
	sm4_rotate	0, T1, T1
	vpxor		T1, \g\s0, \g\s0
	sm4_rotate	1, T2, T0
	sm4_rotate	3, T3, T3
	sm4_rotate	2, T2, T2
	vpxor		T0, T3, T3
	vpxor		T2, \g\s0, \g\s0
	vpxor		T3, \g\s0, X_\index
.endm

.macro sm4_short_end	g, index
	vpxor		KNOWN_\index, X_\index, \g\()3
.endm

#endif
