/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The rounds of SM4 on byte slices, for bulk on 64-byte vectors. They take fewer instructions for
 * each block than the rounds of asm/pairs/rounds.h, and no shuffle.
 *
 * A byte-sliced group is sixteen slices, of VL blocks: each vector has one byte of all these
 * blocks. So a word is rotated by renaming its vectors. From x_j, the inverter makes u_j = W0 y_j
 * and v_j = W3 y_j (asm/words.h). With w_j = u_(j+3) ^ v_j (indices modulo 4), p = w_0 ^ w_1 and
 * q = w_2 ^ w_3, the bytes of L(S(x)) are
 *
 *	w_1 ^ q,	w_0 ^ q,	w_3 ^ p,	w_2 ^ p.
 *
 * No key is added to x. Instead, the state has word(r) ^ d(r) in the place of word r, where
 *
 *	d(r+1) ^ d(r+2) ^ d(r+3) = key(r),	d(0) = d(1) = d(2) = d(35) = 0.
 *
 * So round r has to add d(r+4) ^ d(r), too. VPTERNLOGD adds it to w at no cost: struct
 * sm4_round_keys has a term for each byte of w, such that the sums of three bytes are right.
 * In the end, the last words still contain d(32) to d(34), each the sum of the terms of every
 * fourth round.
 *
 * The second group has its state in registers, the first one at the start of the frame.
 *
 * gfni-slices.h and nibble-slices.h, which include this file, invert bytes and have the rounds.
 */
#ifndef SM4_AVX512_BYTE_SLICED_ASM_H
#define SM4_AVX512_BYTE_SLICED_ASM_H

#include "../constants.h"
#include "../rounds-avx512.h"
#include "../transpose.h"
#include "passes.h"

/*
 * In functions: a byte of a word of the first group; and behind the place of both, d(32) to
 * d(34) and d(3)
 */
#define SLICE_ON_STACK(word, j)	8+(4*(word)+(j))*VL(%rsp)
#define ADDED(word, j)		8+BULK_ADDED+16*(word)+4*(j)(%rsp)

/*
 * Vector registers of the rounds. A name has the number of a byte: in the first round, A0 is byte 0
 * of word 0, and D3 is byte 3 of word 3. Then words change their places.
 *
 *	0-11	A0-C3		state of the second group
 *	12-15	T0-T3		x and u, or temporary: gfni-slices.h and nibble-slices.h say what
 *	16-19	D0-D3		state of the second group
 *	20-23	E0-E3		x and u of the first group, or the tier's
 *	24-27	F0-F3		v, then w, of either group
 *	28-31			gfni-slices.h, nibble-slices.h
 */
.irp	j, 0, 1, 2, 3
.set E\j,		%zmm2\j
.endr
.set F0,		%zmm24
.set F1,		%zmm25
.set F2,		%zmm26
.set F3,		%zmm27

/*
 * Transpose the 16 x 16 bytes of every 128 bits, rows into slices and back: \n times, unpack
 * vectors i and i + 8 to vectors 2 i and 2 i + 1.
 */
.macro sm4_unpack_slices n, r0, r1, r2, r3, r4, r5, r6, r7, \
			r8, r9, r10, r11, r12, r13, r14, r15, t
	sm4_unpack	bw, \r0, \r8, \r1, \r9, \r2, \r10, \r3, \r11, \t
	sm4_unpack	bw, \r4, \r12, \r5, \r13, \r6, \r14, \r7, \r15, \r11
.if \n > 1
	sm4_unpack_slices \n-1, \t, \r0, \r8, \r1, \r9, \r2, \r10, \r3, \
		\r11, \r4, \r12, \r5, \r13, \r6, \r14, \r7, \r15
.endif
.endm

/*
 * The second group, from SLICES to A to D, and from there to SLICES_IN. Word 3 leaves first, as
 * SM4 ends by reversing the order of words. Both clobber T0, the latter T1, too.
 */
.macro sm4_enter_registers
	sm4_map_slice	in, A0, T0
	sm4_map_slice	in, A3, A0
	sm4_map_slice	in, D3, A3
	sm4_map_slice	in, B3, A1
	sm4_map_slice	in, F1, B3
.irp	register, A2, B0, B1, B2, C0, C1, C2, C3, D0, D1, D2
	sm4_map_in	\register
.endr
	vmovdqa32	T0, D3
.endm

.macro sm4_leave_registers
.irp	j, 0, 1, 2, 3
	vpxord		ADDED(0,\j){1to16}, A\j, T0
	vpxord		ADDED(1,\j){1to16}, B\j, T1
	vpxord		ADDED(2,\j){1to16}, C\j, C\j
	sm4_map_slice	out, D\j, A\j
	sm4_map_slice	out, C\j, B\j
	sm4_map_slice	out, T1, C\j
	sm4_map_slice	out, T0, D\j
.endr
.endm

/* The same for the first group, to the stack and from there */
.macro sm4_enter_slice	register, place:vararg
	sm4_map_in	\register
	vmovdqu32	\register, \place
.endm

.macro sm4_leave_slice	number, register, place:vararg
	vmovdqa32	SLICE_ON_STACK(3-(\number>>2),\number&3), \register
.if \number > 3
	vpxord		ADDED(3-(\number>>2),\number&3){1to16}, \register, \register
.endif
	sm4_map_out	\register
.endm

/* Before the rounds: add up all of their terms. */
.macro sm4_slices_begin
	vmovdqu32	SM4_BYTES(KEYS), T0
.irp	i, 1, 2, 3, 4, 5, 6, 7
	vpxord		SM4_BYTES+64*\i(KEYS), T0, T0
.endr
	vpshufd		$0x4e, T0, T1			# for each byte of a word,
	vpxord		T0, T1, T1			# the sum of the other three
	vpshufd		$0xb1, T1, T2
	vpternlogd	$0x96, T1, T2, T0
	vmovdqa32	T0, ADDED(0,0)
.irp	j, 0, 1, 2, 3
	vpxord		ADDED(3,\j){1to16}, D\j, D\j
.endr
	mov		$32 / 4, ROUNDS_LEFT
.endm


/*
 * Counters: words 0 to 2 are the same in all blocks. In word 3, byte 3 counts. Its other bytes come
 * from T2, or after a carry from T1, which is 256 blocks on. Which blocks have a carry depends on
 * the counter alone, which is no secret.
 */
.macro sm4_slices_counter_ready counter, base
	vbroadcasti32x4	\counter(\base), T2
	vpshufb		.Lslices_ready(%rip), T2, T2
	sm4_map_in	T2
	vmovdqu32	T2, BULK_READY(%rsp)
.endm

/* Words 0 to 2, T0 and T1, from BULK_READY and T2, in prefix_counter_rounds */
.macro sm4_slice_counters
	.set		byte, 0
.irp	register, A0, A1, A2, A3, B0, B1, B2, B3, C0, C1, C2, C3
	vpbroadcastd	8+BULK_READY+4*byte(%rsp), \register
	.set		byte, byte+1
.endr
	vpaddd		.Lslices_256(%rip), T2, T1
	vpshufb		.Lslices_of_counter(%rip), T2, T0
.endm

/* Word 3 of group 0 or 1 */
#define CARRIED		%k1

.macro sm4_slice_counter	index
	vpaddb		.Lslice_numbers+VL*\index(%rip), T0, D3
	vpcmpub		$1, T0, D3, CARRIED		# a carry has made it smaller
.irp	j, 2, 1, 0
	vpshufb		.Lslices_of_counter+64*(3-\j)(%rip), T2, D\j
	vpshufb		.Lslices_of_counter+64*(3-\j)(%rip), T1, D\j{CARRIED}
	sm4_map_in	D\j
.endr
	sm4_map_in	D3
.endm

/*
 * prefix_transpose: a group, from SLICES_IN to SLICES, with F1 in the place of A1
 *
 * prefix_enter, prefix_leave: the group at OFFSET, from SLICES to the state of the rounds, and
 * from there to SLICES_IN. The second one must leave first. Both clobber T0, the latter T1, too.
 *
 * prefix_rounds: 32 rounds of two groups. Takes KEYS. Clobbers ROUNDS_LEFT, which is OFFSET, the
 * flags, and all vector registers except the constants of sm4_load_constants; keeps the modes'
 * other registers. Until it leaves, the second group is in A to D.
 *
 * prefix_counter_rounds: make the state of counters, then the same. Clobbers CARRIED, too. Takes
 * besides: what sm4_slices_counter_ready has left; in every element of T2, word 3 of the first
 * block in the CPU's byte order.
 *
 * prefix_mixed_counter_rounds, if SLICES_MIXED: the same for the last MIXED_BYTES of a text. The
 * first group is byte-sliced, and E has the rows of the group of words. Clobbers ROUND_KEY (%rax),
 * too. What sm4_load_constants has in E and F is lost: no rounds follow.
 *
 * prefix_alone_rounds, prefix_alone_counter_rounds, if SLICES_ALONE: as prefix_rounds and
 * prefix_counter_rounds, for the first group only
 *
 * Vector registers: the rounds have the table at E0. Before and after them, as in passes.h, and in
 * prefix_enter, prefix_leave and, for counters, prefix_counter_rounds:
 *
 *	12	T0		a slice on its way; for counters, byte 3 of T2
 *	13	T1		in prefix_leave, the same; for counters, T2 256 blocks on
 *	14	T2		for counters, word 3 of the first block; else free
 *	15	T3		free
 *	24	F0		MAP_LOW, temporary of sm4_map_slice, by nibbles
 *	28			MAP_HIGH, likewise
 *	k1	CARRIED		for counters, the blocks with a carry in word 3
 */
.macro sm4_bulk_functions prefix
SYM_FUNC_START_LOCAL(\prefix\()_transpose)
	sm4_unpack_slices 4, A0, A1, A2, A3, B0, B1, B2, B3, \
		C0, C1, C2, C3, D0, D1, D2, D3, F1
	RET
SYM_FUNC_END(\prefix\()_transpose)

SYM_FUNC_START_LOCAL(\prefix\()_enter)
	test		OFFSET, OFFSET
	jnz		.L\prefix\()_enter_registers
	sm4_each_register	SLICES, sm4_enter_slice, SLICE_ON_STACK(0,0)
	RET
.L\prefix\()_enter_registers:
	sm4_enter_registers
	RET
SYM_FUNC_END(\prefix\()_enter)

SYM_FUNC_START_LOCAL(\prefix\()_leave)
	test		OFFSET, OFFSET
	jnz		.L\prefix\()_leave_registers
	sm4_each_numbered	SLICES_IN, sm4_leave_slice, 0
	RET
.L\prefix\()_leave_registers:
	sm4_leave_registers
	RET
SYM_FUNC_END(\prefix\()_leave)

SYM_FUNC_START_LOCAL(\prefix\()_counter_rounds)
	sm4_slice_counters
	sm4_slice_counter 0
	sm4_each_register	SLICES_IN, sm4_store_row, SLICE_ON_STACK(0,0)
	sm4_slice_counter 1
	jmp		\prefix\()_rounds
SYM_FUNC_END(\prefix\()_counter_rounds)

SYM_FUNC_START_LOCAL(\prefix\()_rounds)
	sm4_slices_begin
	sm4_slices_first_input
.p2align 6
.L\prefix\()_four_rounds_of_2_slices:
	sm4_slices_round	A, B, C, D, 0, 1, 2, 3, 0
	sm4_slices_round	B, C, D, A, 1, 2, 3, 0, 16
	sm4_slices_round	C, D, A, B, 2, 3, 0, 1, 32
	sm4_slices_round	D, A, B, C, 3, 0, 1, 2, 48
	add		$64, KEYS
	dec		ROUNDS_LEFT
	jnz		.L\prefix\()_four_rounds_of_2_slices
	sub		$512, KEYS
	sm4_load_constants
	RET
SYM_FUNC_END(\prefix\()_rounds)

.if SLICES_MIXED
	sm4_mixed_function \prefix
.endif
.if SLICES_ALONE
	sm4_alone_functions \prefix
.endif
.endm

/* Constants, once for a file */
.macro sm4_slices_constants
.pushsection .rodata
.p2align 6
	/* the block of each byte of a slice, whose place in 128 bits is its row of four blocks */
.Lslice_numbers:
.irp	block, 0, 1, 2, 3, 64, 65, 66, 67
.set	place, 0
.rept	16
	.byte		\block+4*place
	.set		place, place+1
.endr
.endr
	/* shuffles that repeat a byte of the counter, the last one first */
.Lslices_of_counter:
.irp	byte, 0, 1, 2, 3
	.fill		64, 1, \byte
.endr
.Lslices_256:
	.fill		16, 4, 256
	/* each byte four times, and back */
.Lslices_ready:
.irp	byte, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.fill		4, 1, \byte
.endr
.Lwords_of_slices:
.rept	16
	.byte		0, 4, 8, 12
.endr
.popsection
.endm

#endif
