/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM4 by the CPU's own SM4 instructions, which do rounds of whole blocks: rows, words,
 * counters and the serial chains, in place of asm/words.h and asm/single-blocks.h, for the same
 * modes. For vectors of 16 and of 32 bytes.
 *
 * A register of a group holds one or two whole blocks. So rows need no transposition and no
 * change of basis. "Words" are rows with the four words of each block in the CPU's byte
 * order, as the instructions require. The round keys are the plain ones.
 */
#ifndef SM4_BLOCKS_ASM_H
#define SM4_BLOCKS_ASM_H

#include "chains.h"
#include "constants.h"
#include "groups.h"
#include "words/modes.h"

/* The numbers of T0 to T3 and of registers of asm/chains.h */
#define T0_NUMBER		12
#define T1_NUMBER		13
#define T2_NUMBER		14
#define T3_NUMBER		15
#define CHAIN_NUMBER		4
#define KEYSTREAM_NUMBER	15

/* All constants, once for a file */
.macro sm4_block_constants
.pushsection .rodata
.p2align 5
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_constant word_3, 0xffffffff000000000000000000000000
.popsection
sm4_key_schedule_constants
sm4_tweak_constants
sm4_reflection_constants
.endm

.macro sm4_load_constants
.endm

.macro sm4_reorder_rows	g, index, order
	vpshufb		.L\order(%rip), \g\()0, \g\()0
	vpshufb		.L\order(%rip), \g\()1, \g\()1
	vpshufb		.L\order(%rip), \g\()2, \g\()2
	vpshufb		.L\order(%rip), \g\()3, \g\()3
.endm

/*
 * rows_N and words_N, as asm/words.h describes them. SM4 ends by reversing
 * the order of the words; with their bytes that reverses the whole block.
 *
 * Vector registers of the rounds:
 *
 *	0-3	A0-A3		blocks of group A; at first in rows_N, and at last, its rows
 *	4-7	B0-B3		of group B; free if N = 1
 *	8-11	C0-C3		of group C; free if N < 3
 *	12	T0		four round keys, in each 128 bits
 *	13-15	T1-T3		the tier's
 */
.macro sm4_words_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_words_\groups)
.irp	round, 0, 4, 8, 12, 16, 20, 24, 28
.if VL == 32
	vbroadcasti128	4*\round(KEYS), T0
.else
	vmovdqu		4*\round(KEYS), T0
.endif
	sm4_four_rounds	\groups
.endr
	sm4_for_groups	\groups, sm4_reorder_rows, reverse_block
	RET
SYM_FUNC_END(\prefix\()_words_\groups)
.endm

.macro sm4_rows_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_rows_\groups)
	sm4_for_groups	\groups, sm4_reorder_rows, swap_words
	jmp		\prefix\()_words_\groups
SYM_FUNC_END(\prefix\()_rows_\groups)
.endm

/* Counters as words, as asm/words.h describes them. \ready has a row without word 3. */
.macro sm4_counter_ready	counter, base, ready
	/* in halves, as the caller may just have written them one by one */
	vmovq		\counter(\base), T2_XMM
	vpinsrq		$1, 8+\counter(\base), T2_XMM, T2_XMM
.if VL == 32
	vinserti128	$1, T2_XMM, T2, T2
.endif
	vpshufb		.Lswap_words(%rip), T2, T2
	vmovdqa		.Lword_3(%rip), T1
	vpandn		T2, T1, T2
	vmovdqu		T2, \ready(%rsp)
.endm

.macro sm4_counter_words	g, index, prefix, ready
	vpand		.Lword_3(%rip), T2, T0
	vpor		\ready(%rsp), T0, T0
.irp	row, 0, 1, 2, 3
	vpaddd		.L\prefix\()_block_numbers+ROW(\index,\row)(%rip), T0, \g\row
.endr
.endm

/* The number of each row's block, in word 3, group by group */
.macro sm4_counter_constants	prefix, groups
.pushsection .rodata
.p2align 5
.L\prefix\()_block_numbers:
.set	i, 0
.rept	GROUP_BLOCKS(\groups)
	.long		0, 0, 0, i
	.set		i, i+1
.endr
.popsection
.endm

/*
 * The serial chains: the chain is a block as in memory, in CHAIN.
 *
 * Vector registers, with the table of asm/chains.h:
 *
 *	0-3			free
 *	4	CHAIN		the chain; in the rounds, the block
 *	5			free
 *	6			the tier's
 *	7-12			free
 *	15	KEYSTREAM	in the rounds of CCM, the other block
 */
.macro sm4_chain_begin	from
	vmovdqu		\from, CHAIN
.endm

.macro sm4_chain_block
	vpxor		(SRC), CHAIN, CHAIN
	vpshufb		.Lswap_words(%rip), CHAIN, CHAIN
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	sm4_four_rounds_alone CHAIN_NUMBER, 16*\i
.endr
	vpshufb		.Lreverse_block(%rip), CHAIN, CHAIN
.endm

.macro sm4_chain_value
.endm

.macro sm4_ccm_block
	vpxor		TEXT, CHAIN, CHAIN
	vpshufb		.Lswap_words(%rip), CHAIN, CHAIN
	vpshufb		.Lswap_words(%rip), KEYSTREAM, KEYSTREAM
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	sm4_four_rounds_alone CHAIN_NUMBER, 16*\i
	sm4_four_rounds_alone KEYSTREAM_NUMBER, 16*\i
.endr
	vpshufb		.Lreverse_block(%rip), CHAIN, CHAIN
	vpshufb		.Lreverse_block(%rip), KEYSTREAM, KEYSTREAM
.endm

.macro sm4_ccm_add_keystream
	vpxor		KEYSTREAM, CHAIN, CHAIN
.endm

/*
 * void name(u32 plain[SM4_ROUNDS], const u8 *key)
 *
 * As struct sm4_tier says (sm4-fast.h). Clobbers CK.
 *
 * Vector registers:
 *
 *	0-3			free
 *	4	CHAIN		the four words from which the next four round keys are made
 *	5			free
 *	6			the tier's
 *	7-15			free
 */
.macro sm4_key_schedule_function	name
	.set PLAIN_KEYS,	%rdi
	.set USER_KEY,		%rsi
	.set CK,		%rax			/* of the next steps */
	sm4_require	TIER_KEYS
SYM_TYPED_FUNC_START(\name)
	vmovdqu		(USER_KEY), CHAIN
	vpshufb		.Lswap_words(%rip), CHAIN, CHAIN
	vpxor		.Lfk(%rip), CHAIN, CHAIN
	lea		.Lck(%rip), CK
.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	sm4_four_key_steps CHAIN_NUMBER, 16*\i
	vmovdqu		CHAIN, 16*\i(PLAIN_KEYS)
.endr
	sm4_clear_registers
	RET
SYM_FUNC_END(\name)
.endm

#endif
