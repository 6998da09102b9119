/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM4 with the SM4 instructions, which do four rounds or four steps of the key
 * schedule at once: the tier sm4ni-avx2.
 *
 * A group's registers hold two whole blocks each, so rows need no transposition
 * and no change of basis: this file has its own rows and words functions in
 * place of those of asm/rounds.h, for the same modes. "Words" are rows with
 * the four words of each block in the CPU's byte order, as the instructions
 * require; the round keys are the plain ones.
 *
 * binutils before 2.42 does not know the instructions: they are put together as
 * bytes. Nor does objtool of kernels before 6.10, which do without this tier (see
 * Kbuild).
 */
#include "sm4-compat.h"
#include "generated/sm4-basis.h"
#include "asm/chains.h"
#include "asm/gcm.h"
#include "asm/modes.h"

.set VL, 32
.set PAIRS, 0
.set WIDEST, 32

.section .rodata
.p2align 5
sm4_constant swap_words, SM4_SWAP_WORDS
sm4_constant word_3, 0xffffffff000000000000000000000000
sm4_key_schedule_constants
sm4_tweak_constants
ghash_constants

.text

.macro sm4_load_constants
.endm

/* The prefixes of VSM4RNDS4 and VSM4KEY4 */
#define RNDS4	3
#define KEY4	2

/*
 * VSM4RNDS4 on two blocks: \blocks = four rounds on, with the round keys in
 * \keys. Registers are given by number, 0 to 15.
 */
.macro sm4_four_rounds_of blocks, keys
	.byte		0xc4
	.byte		0x42 | (~(\blocks) & 8) << 4 | (~(\keys) & 8) << 2
	.byte		(~(\blocks) & 15) << 3 | 4 | RNDS4
	.byte		0xda
	.byte		0xc0 | ((\blocks) & 7) << 3 | ((\keys) & 7)
.endm

/*
 * VSM4RNDS4 or VSM4KEY4 on a single block or key: \state = four steps on, with
 * the round keys or constants CK in memory, at \offset, up to 127, from the
 * general register \base, by number, 0 to 7 but not 4.
 */
.macro sm4_four_steps	prefix, state, offset, base
	.byte		0xc4
	.byte		0x62 | (~(\state) & 8) << 4
	.byte		(~(\state) & 15) << 3 | \prefix
	.byte		0xda
	.byte		0x40 | ((\state) & 7) << 3 | \base
	.byte		\offset
.endm

/* As they are numbered: group registers index * 4 + row, then T0 ... T3. */
#define T0_NUMBER	12

.macro sm4_reorder_rows	g, index, order
	vpshufb		.L\order(%rip), \g\()0, \g\()0
	vpshufb		.L\order(%rip), \g\()1, \g\()1
	vpshufb		.L\order(%rip), \g\()2, \g\()2
	vpshufb		.L\order(%rip), \g\()3, \g\()3
.endm

.macro sm4_four_rounds	g, index
.irp	row, 0, 1, 2, 3
	sm4_four_rounds_of \index*4+\row, T0_NUMBER
.endr
.endm

/*
 * rows_N and words_N, as asm/rounds.h describes them. SM4 ends by reversing
 * the order of the words; with their bytes that reverses the whole block.
 */
.macro sm4_words_function	prefix, groups
SYM_FUNC_START_LOCAL(\prefix\()_words_\groups)
.irp	round, 0, 4, 8, 12, 16, 20, 24, 28
	vbroadcasti128	4*\round(KEYS), T0
	sm4_for_groups	\groups, sm4_four_rounds
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

/* Counters as words, as there: what is kept ready is a row without word 3. */
.macro sm4_counter_ready	counter, base, ready
	/* In halves, as the caller may just have written them one by one */
	vmovq		\counter(\base), T2_XMM
	vpinsrq		$1, 8+\counter(\base), T2_XMM, T2_XMM
	vinserti128	$1, T2_XMM, T2, T2
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

/* Which block each row is of, in word 3, group by group */
.macro sm4_counter_constants	prefix
.pushsection .rodata
.p2align 5
.L\prefix\()_block_numbers:
.set	i, 0
.rept	GROUP_BLOCKS(GROUPS)
	.long		0, 0, 0, i
	.set		i, i+1
.endr
.popsection
.endm

sm4_mode_functions sm4_sm4ni_avx2, 3
sm4_gcm_function sm4_sm4ni_avx2, 3, sm4_ghash_vpclmul_avx2

/* The serial chains: the chain is a block as in memory, in CHAIN. */
#define KEYS_NUMBER		7
#define CHAIN_NUMBER		4
#define KEYSTREAM_NUMBER	15

.macro sm4_chain_begin	from
	vmovdqu		\from, CHAIN
.endm

.macro sm4_chain_block
	vpxor		(SRC), CHAIN, CHAIN
	vpshufb		.Lswap_words(%rip), CHAIN, CHAIN
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	sm4_four_steps	RNDS4, CHAIN_NUMBER, 16*\i, KEYS_NUMBER
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
	sm4_four_steps	RNDS4, CHAIN_NUMBER, 16*\i, KEYS_NUMBER
	sm4_four_steps	RNDS4, KEYSTREAM_NUMBER, 16*\i, KEYS_NUMBER
.endr
	vpshufb		.Lreverse_block(%rip), CHAIN, CHAIN
	vpshufb		.Lreverse_block(%rip), KEYSTREAM, KEYSTREAM
.endm

.macro sm4_ccm_add_keystream
	vpxor		KEYSTREAM, CHAIN, CHAIN
.endm

sm4_chain_functions sm4_sm4ni_avx2

/*
 * void sm4_sm4ni_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
 *
 * As struct sm4_tier says (sm4-fast.h). %xmm0 holds the four words that the
 * next four round keys are made from. Clobbers %rax.
 */
SYM_TYPED_FUNC_START(sm4_sm4ni_key_schedule)
	vmovdqu		(%rsi), %xmm0
	vpshufb		.Lswap_words(%rip), %xmm0, %xmm0
	vpxor		.Lfk(%rip), %xmm0, %xmm0
	lea		.Lck(%rip), %rax
.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	sm4_four_steps	KEY4, 0, 16*\i, 0
	vmovdqu		%xmm0, 16*\i(%rdi)
.endr
	sm4_clear_registers
	RET
SYM_FUNC_END(sm4_sm4ni_key_schedule)
