/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 with the instructions of Hygon's processors, which do one round or one step of the
 * key schedule: the tier cis-avx. It has not been measured on such a processor, and does
 * as many blocks at once as fit into the registers.
 *
 * These are not Intel's instructions. No assembler knows them, so they are encoded as
 * bytes, without VEX.
 *
 * objtool does not know them either, and still has to decode what follows. It takes an
 * unknown opcode for a whole instruction, and ModRM for the next opcode. So the round keys
 * are in registers with which ModRM (c6, cd, d7, de, e6, ee, f6 or fe) is no jump, return,
 * trap or prefix. From there, objtool resumes at the next instruction, or at the 0x0f
 * within that, which takes a REX prefix in each. The last instruction has to be one after
 * which it resumes at once, as for rows 3, 7 and 11, CHAIN and KEYSTREAM.
 */
#include "sm4-compat.h"
#include <asm/asm.h>
#include "generated/sm4-basis.h"
#include "asm/blocks.h"

.set VL, 16
.set WIDEST, 16

sm4_block_constants

.text

/* The opcodes of SM4RND and SM4RK */
#define RND	0x8a
#define RK	0x8b

/*
 * SM4RND or SM4RK: one step of \state, with that word of the round keys or constants CK in
 * \keys. The words of \state move down by one. Both are numbers of registers.
 */
.macro sm4_step		opcode, state, keys, word
	.byte		0x66, 0x40 | (\state & 8) >> 1 | \keys >> 3
	.byte		0x0f, 0x3a, \opcode
	.byte		0xc0 | (\state & 7) << 3 | (\keys & 7)
	.byte		\word
.endm

/*
 * Vector registers of the tier:
 *
 *	6	FOUR_KEYS	for single blocks and the key schedule, four round keys or CK
 *	13-15	T1-T3		in passes, the round keys as in T0
 */

/* One round of a row, by number, with the round keys in T1, T3 or T2: see above. */
.macro sm4_round_of	row, word
.if (\row & 7) == 1
	sm4_step	RND, \row, T1_NUMBER, \word
.elseif (\row & 7) == 2
	sm4_step	RND, \row, T3_NUMBER, \word
.else
	sm4_step	RND, \row, T2_NUMBER, \word
.endif
.endm

.macro sm4_round_of_group g, index, word
.irp	row, 0, 1, 2, 3
	sm4_round_of	(\index*4+\row), \word
.endr
.endm

.macro sm4_four_rounds	groups
	vmovdqa		T0, T1
	vmovdqa		T0, T2
	vmovdqa		T0, T3
.irp	word, 0, 1, 2, 3
	sm4_for_groups	\groups, sm4_round_of_group, \word
.endr
.endm

/* Loaded into a register, as an operand in memory would have to be aligned */
#define KEYS_NUMBER	6
.set FOUR_KEYS,		%xmm6

.macro sm4_four_steps	opcode, state
.irp	word, 0, 1, 2, 3
	sm4_step	\opcode, \state, KEYS_NUMBER, \word
.endr
.endm

.macro sm4_four_rounds_alone block, offset
	vmovdqu		\offset(KEYS), FOUR_KEYS
	sm4_four_steps	RND, \block
.endm

.macro sm4_four_key_steps words, offset
	vmovdqa		\offset(CK), FOUR_KEYS
	sm4_four_steps	RK, \words
.endm

sm4_begin_tier sm4_cis_avx, 3, sm4_ghash_clmul_avx
sm4_chain_functions sm4_cis_avx
sm4_key_schedule_function sm4_cis_key_schedule

/*
 * bool sm4_cis_is_known(void)
 *
 * Whether the CPU executes the instructions, with REX for registers of either half.
 * core/sm4-fast-check.c compares their results. To be called in an FPU section.
 *
 * Vector registers, with whatever they hold:
 *
 *	3, 4, 11		states
 *	6, 14			keys
 */
SYM_FUNC_START(sm4_cis_is_known)
	xor		RESULT_32, RESULT_32
.Lrnd:
	sm4_step	RND, 3, KEYS_NUMBER, 0
.Lrnd_high:
	sm4_step	RND, 11, T2_NUMBER, 3
.Lrk:
	sm4_step	RK, CHAIN_NUMBER, KEYS_NUMBER, 0
	inc		RESULT_32
.Lunknown:
	RET
	_ASM_EXTABLE(.Lrnd, .Lunknown)
	_ASM_EXTABLE(.Lrnd_high, .Lunknown)
	_ASM_EXTABLE(.Lrk, .Lunknown)
SYM_FUNC_END(sm4_cis_is_known)
