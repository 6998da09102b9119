/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rounds of SM4 on words, on vectors of any width: for short texts and the ends of
 * longer ones. asm/pairs.h and asm/bytes.h have the rounds for bulk, in the same basis.
 *
 * The state
 *
 * A group is four vector registers of VL bytes, VL / 4 blocks. As rows, they hold the
 * blocks as these are in memory. As words, register i holds word i of every block: then a
 * round is the same operation on whole registers. Transposing 4 x 4 words in every 128
 * bits turns one into the other.
 *
 * Two to four groups, A to D, go through the rounds together. A round is a chain of some 15
 * cycles, most of which a single group would spend waiting.
 *
 * The basis
 *
 * Bytes are held as M x (see tools/generate-constants). In that basis, SM4's S-box is an
 * inversion in AES's field and then a linear map, which is combined with those of L. With
 * the bytes b0 ... b3 of a word, b0 first in memory, byte i of L(b) is
 *
 *	E0 b[i] ^ R b[i+1] ^ R b[i+2] ^ E3 b[i+3],	R = E0 ^ E3
 *
 * (indices modulo 4), so two maps and three rotations by whole bytes make up
 * all of S-box and L: u0 = W0 y, u3 = W3 y, u1 = u0 ^ u3, and then
 *
 *	u0 ^ rotate1(u1) ^ rotate2(u1) ^ rotate3(u3).
 *
 * A tier's file defines, for each width VL:
 *
 *	VL	bytes of a vector register: 16, 32 or 64
 *	sm4_load_constants
 *		load constants into registers other than T0-T3 and those of its groups
 *	sm4_map_in reg, sm4_map_out reg
 *		M and its inverse on every byte of a register
 *	sm4_substitute
 *		from x in T0 to u0 in T2 and u3 in T3. It may move bytes.
 *	sm4_rotate n, from, to
 *		byte i + n of every word of register from into place i of
 *		register to; undo the moves of sm4_substitute
 *	sm4_rotate_by_memory n, from, to
 *		for asm/bytes.h: the same without the registers for constants
 *	EVEX	whether the instructions of AVX-512VL may be used
 *	SHORT_GROUPS
 *		the number of groups up to which short rounds are faster, or 0
 *	sm4_load_short_constants, sm4_short_substitute reg
 *		for these: from x in the register to u0 in T1, u1 in T2 and u3 in
 *		T3, by constants that the first one loads. It may move bytes.
 *	sm4_sbox reg
 *		SM4's S-box on every byte of a register that holds the same word
 *		four times
 *	sm4_chain_substitute
 *		for chains: from x in T0 to u0 in T1, u1 in T2 and u3 in T3
 *	sm4_chain_rotate blocks, n, from, to
 *		as sm4_rotate, after sm4_chain_substitute, for 1 or 2 blocks in columns
 *	CHAIN_U0_LAST
 *		for chains: whether u0 comes last from sm4_chain_substitute
 *
 * All of these may clobber T0 and T1; sm4_sbox T3, too; sm4_chain_substitute all of
 * group C. Short rounds of vectors of less than 64 bytes keep more values in group C.
 */
#ifndef SM4_ROUNDS_ASM_H
#define SM4_ROUNDS_ASM_H

#include "layout.h"
#include "vectors.h"

/* The rounds' own */
.set ROUND_KEY,		%rax
.set ROUNDS_LEFT,	%r10d

/* to ^= a ^ b; without AVX-512 it clobbers b. */
.macro sm4_xor_both	a, b, to
.if VL == 64
	vpternlogd	$0x96, \a, \b, \to
.else
	vpxor		\a, \b, \b
	vpxor		\b, \to, \to
.endif
.endm

/* Rows of blocks into words in the basis */
.macro sm4_enter	g, index
	sm4_transpose	\g\()0, \g\()1, \g\()2, \g\()3, \
			\g\()0, \g\()1, \g\()2, \g\()3
	sm4_map_in	\g\()0
	sm4_map_in	\g\()1
	sm4_map_in	\g\()2
	sm4_map_in	\g\()3
.endm

/* Words into rows. SM4 ends by reversing the order of the four words. */
.macro sm4_leave	g, index
	sm4_map_out	\g\()0
	sm4_map_out	\g\()1
	sm4_map_out	\g\()2
	sm4_map_out	\g\()3
	sm4_transpose	\g\()3, \g\()2, \g\()1, \g\()0, \
			\g\()0, \g\()1, \g\()2, \g\()3
.endm

/*
 * One round of a group, with the round key at ROUND_KEY + offset:
 *
 *	s0 ^= L(S(s1 ^ s2 ^ s3 ^ round key))
 *
 * s3 comes from the round before, so it is added last; and the values that are ready last
 * go through the fewest additions.
 */
.macro sm4_round	g, index, s0, s1, s2, s3, offset, rotate=sm4_rotate
.if VL == 64
	vpxord		\offset(ROUND_KEY){1to16}, \g\s1, T0
	vpternlogd	$0x96, \g\s2, \g\s3, T0
.else
	vbroadcastss	\offset(ROUND_KEY), T0
	vpxor		\g\s1, T0, T0
	vpxor		\g\s2, T0, T0
	vpxor		\g\s3, T0, T0
.endif
	sm4_substitute
	_vpxor		T2, T3, T1
	\rotate		0, T2, T2
	\rotate		3, T3, T3
	sm4_xor_both	T2, T3, \g\s0
	\rotate		1, T1, T2
	\rotate		2, T1, T1
	sm4_xor_both	T2, T1, \g\s0
.endm

/*
 * A round of one or two groups, whose time is mostly waiting. As in asm/columns.h, the next
 * round's x is made from this one's, and all that is known earlier has been added up before. X is
 * x; KNOWN is x without the newest word, which is computed from the two.
 *
 * u0, which needs no rotation, is added first to what is known: on an Intel core, an operation
 * takes two cycles more if one of its operands comes from the inversion. U0_LAST: two groups of
 * 64-byte vectors leave no such gap to fill, and on a Zen 4 they are 4 % faster the other way.
 */
.macro sm4_name_short	width, x0, x1, known0, known1
	.set X_0,	%\width\()\x0
	.set X_1,	%\width\()\x1
	.set KNOWN_0,	%\width\()\known0
	.set KNOWN_1,	%\width\()\known1
.endm

.macro sm4_name_short_rounds
.if VL == 64
	sm4_name_short	zmm, 26, 27, 28, 29
.elseif VL == 32
	sm4_name_short	ymm, 8, 9, 10, 11
.else
	sm4_name_short	xmm, 8, 9, 10, 11
.endif
.endm

.macro sm4_short_begin	g, index
.if VL == 64
	vpxord		(ROUND_KEY){1to16}, \g\()1, KNOWN_\index
.else
	vbroadcastss	(ROUND_KEY), KNOWN_\index
	vpxor		\g\()1, KNOWN_\index, KNOWN_\index
.endif
	_vpxor		\g\()2, KNOWN_\index, KNOWN_\index
	_vpxor		\g\()3, KNOWN_\index, X_\index
.endm

.macro sm4_short_round	g, index, s0, s2, s3, next
	sm4_short_substitute X_\index
	_vpxor		KNOWN_\index, X_\index, \g\s3	# the newest word
.if EVEX
	_vmovdqa	\g\s2, KNOWN_\index
.if VL == 64
	vpternlogd	$0x96, \next(ROUND_KEY){1to16}, \g\s3, KNOWN_\index
.else
	vpternlogd	$0x96, \next(ROUND_KEY){1to8}, \g\s3, KNOWN_\index
.endif
.if U0_LAST
	_vpxor		KNOWN_\index, \g\s0, X_\index
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
	_vpxor		T3, \g\s0, X_\index
.endif
.else
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
.endif
.endm

.macro sm4_short_end	g, index
	_vpxor		KNOWN_\index, X_\index, \g\()3
.endm

/*
 * Two functions for each number of groups, which all modes of a tier share:
 *
 *	words_N	32 rounds, from words in the basis to rows
 *	rows_N	32 rounds, from rows to rows
 *
 * They take KEYS, and clobber ROUND_KEY, ROUNDS_LEFT, T0-T3, the flags and, for one or two
 * groups of less than 64 bytes, group C. A turn of the
 * loop has four rounds: then the words are back in their places, and the code stays
 * within the op cache.
 */
.macro sm4_words_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_words_\groups)
	lea		SM4_MAPPED(KEYS), ROUND_KEY
	mov		$32 / 4, ROUNDS_LEFT
.if \groups <= SHORT_GROUPS
	.set U0_LAST, VL == 64 && \groups == 2
	sm4_name_short_rounds
	sm4_load_short_constants
	sm4_for_groups	\groups, sm4_short_begin
.L\prefix\()_four_rounds_\groups:
	sm4_for_groups	\groups, sm4_short_round, 0, 2, 3, 4
	sm4_for_groups	\groups, sm4_short_round, 1, 3, 0, 8
	sm4_for_groups	\groups, sm4_short_round, 2, 0, 1, 12
	sm4_for_groups	\groups, sm4_short_round, 3, 1, 2, 16	# in the end, any key will do
	add		$16, ROUND_KEY
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_\groups
	sm4_for_groups	\groups, sm4_short_end
.else
.L\prefix\()_four_rounds_\groups:
	sm4_for_groups	\groups, sm4_round, 0, 1, 2, 3, 0
	sm4_for_groups	\groups, sm4_round, 1, 2, 3, 0, 4
	sm4_for_groups	\groups, sm4_round, 2, 3, 0, 1, 8
	sm4_for_groups	\groups, sm4_round, 3, 0, 1, 2, 12
	add		$16, ROUND_KEY
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_\groups
.endif
	sm4_for_groups	\groups, sm4_leave
	RET
SYM_FUNC_END(\prefix\()_words_\groups)
.endm

.macro sm4_rows_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_rows_\groups)
	sm4_for_groups	\groups, sm4_enter
	jmp		\prefix\()_words_\groups
SYM_FUNC_END(\prefix\()_rows_\groups)
.endm

/*
 * Counters as words, for CTR
 *
 * sm4_counter_ready: map words 0 to 2 of the counter at \counter(\base) to \ready on the
 * stack, each in all elements of a vector. Clobbers T0-T2. It reads words, as the caller may
 * just have written them one by one.
 *
 * sm4_counter_words: the words of a group of counters. Every element of T2 is word 3 of the
 * first block, in the CPU's byte order. Clobbers T0 and T1.
 */
.macro sm4_counter_ready	counter, base, ready
.irp	word, 0, 1, 2
	vbroadcastss	\counter+4*\word(\base), T2
	sm4_map_in	T2
	_vmovdqu	T2, \ready+VL*\word(%rsp)
.endr
.endm

.macro sm4_counter_words	g, index, prefix, ready
	vpaddd		.L\prefix\()_block_numbers+VL*\index(%rip), T2, \g\()3
	vpshufb		.Lswap_words(%rip), \g\()3, \g\()3
	sm4_map_in	\g\()3
	_vmovdqu	\ready(%rsp), \g\()0
	_vmovdqu	\ready+VL(%rsp), \g\()1
	_vmovdqu	\ready+VL*2(%rsp), \g\()2
.endm

/* The number of the block that each element of word 3 belongs to, group by group */
.macro sm4_counter_constants	prefix
.pushsection .rodata
.p2align 6
.L\prefix\()_block_numbers:
.set	i, 0
.rept	GROUPS+VL/64
.set	quarter, 0
.rept	VL / 16
	.long	i+quarter, i+quarter+VL/16, i+quarter+2*VL/16, i+quarter+3*VL/16
	.set	quarter, quarter+1
.endr
	.set	i, i+VL/4
.endr
.popsection
.endm

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
 */
.macro sm4_key_schedule_function	name
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
