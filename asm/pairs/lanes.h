/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * CBC encryption of many messages at once, by the rounds of rounds.h. A single message is
 * a chain that leaves the CPU mostly waiting. Two groups of pairs hold a block each of
 * SM4_LANES messages.
 *
 * struct sm4_lanes (sm4-fast.h) has the first block of all lanes, then the second, and so
 * on. So a step of all chains is ECB of SM4_LANES blocks, and the ciphertext that it needs
 * directly precedes it. Each lane has its own round keys: they are transposed like blocks,
 * once for all steps, and a round adds a vector of keys instead of broadcasting one.
 */
#ifndef SM4_PAIRS_LANES_ASM_H
#define SM4_PAIRS_LANES_ASM_H

#include "passes.h"
#include "rounds.h"

#define LANES_FRAME		(BULK_STATE+LANES_STEP)

/*
 * void name(struct sm4_lanes *lanes)
 *
 * Vector registers: as in passes.h, but without a map, 8 to 13 and 15 are free.
 */
.macro sm4_set_lane_keys_function name, prefix
	.set LANES,		%rdi
	.set LANE_KEYS_END,	%rax
SYM_TYPED_FUNC_START(\name)
	lea		LANES_CHAIN(LANES), LANE_KEYS_END
.L\name\()_rows:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(LANES)
	sm4_pairs_halve
	sm4_each_register PAIRS, sm4_store_row, 0(LANES)
	add		$BULK_GROUP_BYTES, LANES
	cmp		LANE_KEYS_END, LANES
	jne		.L\name\()_rows
	sm4_clear_registers
	RET
SYM_FUNC_END(\name)
.endm

/* As prefix_rounds, for two groups, with the same vector registers */
.macro sm4_lane_rounds_function	prefix
	.set LANES,		%rdi
SYM_FUNC_START_LOCAL(\prefix\()_lane_rounds)
	mov		LANES, ROUND_KEY
	sm4_load_pair_constants
	sm4_pair_rounds	\prefix\()_lanes, 2, 1
SYM_FUNC_END(\prefix\()_lane_rounds)
.endm

/*
 * void name(struct sm4_lanes *lanes, size_t nblocks)
 *
 * Vector registers: as in passes.h, and:
 *
 *	12	T0		behind the loop, a row of ciphertext, then zero
 *	15	T3		free
 */
.macro sm4_cbc_encrypt_lanes_function name, prefix
	sm4_lane_rounds_function \prefix
	.set LANES,		%rdi
	.set NBLOCKS,		%rsi
SYM_TYPED_FUNC_START(\name)
	test		NBLOCKS, NBLOCKS
	jz		.L\name\()_done
	sm4_begin_frame	LANES_FRAME
	sm4_load_constants
	lea		LANES_TEXT(LANES), SRC
.L\name\()_step:
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.L\name\()_enter:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
.irp	row, 0, 1, 2, 3
	sm4_xor_row	A\row, VL*\row-LANES_STEP(SRC,OFFSET)
	sm4_xor_row	B\row, VL*(4+\row)-LANES_STEP(SRC,OFFSET)
.endr
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		$LANES_STEP, OFFSET
	jb		.L\name\()_enter
	call		\prefix\()_lane_rounds
	mov		$LANES_STEP, OFFSET_32
	sm4_align_loop
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, 0(SRC,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	add		$LANES_STEP, SRC
	dec		NBLOCKS
	jnz		.L\name\()_step

	/* the last ciphertext, which is no secret, for the next step */
.L\name\()_chain:
	sm4_load_row	T0, -LANES_STEP(SRC,OFFSET)
	sm4_store_row	T0, LANES_CHAIN(LANES,OFFSET)
	add		$VL, OFFSET
	cmp		$LANES_STEP, OFFSET
	jb		.L\name\()_chain
	sm4_wipe_stack	BULK_STATE
	leave
	sm4_clear_registers
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

/* All of this, for a tier with pairs of 32-byte vectors */
.macro sm4_lane_functions	prefix
.if LANES_STEP != 2*BULK_GROUP_BYTES
	.error "a block of all lanes is not two groups of pairs"
.endif
	SM4_LANE_FUNCTIONS(SM4_MAKE, \prefix\()_, \prefix)
.endm

#endif
