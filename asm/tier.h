/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The contract of a tier's file: what it defines before it instantiates functions.
 *
 * Symbols, as numbers:
 *
 *	VL		bytes of a vector, set before the functions of each width: 16, 32 or 64
 *	WIDEST		the largest VL of the file, which constants fill
 *	VPCLMULQDQ	for pairs, each width: whether the tier has this instruction, for the
 *			tweaks of XTS. Then words have three groups, so that no constant is in C.
 *	SHORT_GROUPS	for words: the number of groups up to which short rounds are faster, or 0
 *	CHAIN_U0_LAST	for columns: whether u0 comes last from sm4_chain_substitute
 *
 * For asm/rounds-avx512.h, TO_ALL is a definition of the preprocessor. For asm/gfni.h, W0, W1 and
 * W3 are operands, by #define or .set. For asm/nibbles.h, sm4_name_nibbles names its registers
 * behind the others of each width, and sm4_load_constants begins with sm4_load_nibbles.
 *
 * Macros, which may clobber T0 and T1 except as said:
 *
 *	sm4_load_constants		into registers that neither groups nor T0-T3 have; for
 *					asm/avx512/gfni-slices.h, W0 and W3 into zmm30 and zmm31,
 *					for nibble-slices.h W0_IO and W0_JO
 *	sm4_map_in reg, sm4_map_out reg	M and its inverse on every byte (asm/words.h)
 *	sm4_substitute			from x in T0 to u0 in T2 and u3 in T3. It may move bytes.
 *	sm4_rotate n, from, to		byte i + n of every word into place i; undo these moves
 *	sm4_load_short_constants	for short rounds, which keep other values in group C
 *	sm4_short_substitute reg	from x there to u0 in T1, u1 in T2 and u3 in T3. It may
 *					move bytes. It may use U0_LAST, true for two groups.
 *	sm4_sbox reg			for a key schedule: SM4's S-box on every byte of a register
 *					that holds a word four times. Clobbers T3, too.
 *	sm4_chain_substitute		for chains: the same from x in T0. Clobbers C, too.
 *	sm4_chain_rotate blocks, n, from, to	as sm4_rotate, for 1 or 2 blocks in columns
 *
 *	sm4_load_pair_constants		for pairs: into the registers that sm4_name_pairs leaves
 *	sm4_pair_prepare x, x_xmm	what can be done early with x in X_E or X_O, which only the
 *					next macro takes. Clobbers SPARE.
 *	sm4_pair_substitute		from X_E and X_O to W_E, W_O, WAITING_0 and WAITING_1, which
 *					only the next macro takes. Clobbers X_E, X_O, SPARE.
 *	sm4_pair_sums			from these to w_E in W_E and w_O in W_O. Keeps X_E and X_O,
 *					clobbers the others.
 *
 * With SM4 instructions (asm/blocks.h), instead: registers are given by number, in a group as
 * index * 4 + row. The first macro may clobber T1-T3, the others %xmm6.
 *
 *	sm4_four_rounds groups		four rounds, with their round keys in each 128 bits of T0
 *	sm4_four_rounds_alone block, offset	four rounds of one block, with keys at offset(KEYS)
 *	sm4_four_key_steps words, offset	four steps of the key schedule, CK at offset(CK)
 *
 * Macros that a tier's file chooses, by including one of several files of asm:
 *
 *	sm4_begin_tier, sm4_bulk_functions
 *		by modes.h of pairs (bulk in pairs), words (no bulk) or avx512 (64-byte vectors)
 *	sm4_ecb_bulk, sm4_cbc_bulk, sm4_ctr_bulk, sm4_xts_bulk, sm4_gcm_begin, sm4_gcm_passes,
 *	sm4_gcm_part_bytes, sm4_gcm_part
 *		of ecb-cbc.h, ctr.h, xts.h and gcm.h, by the files of pairs, words or avx512
 *	sm4_ctr_last_words, sm4_xts_text, sm4_pass_tweaks, sm4_gcm_end
 *		of these files, by ctr-end.h, xts-tweaks.h and gcm-part.h, or by the files of avx512
 *	sm4_round, sm4_short_begin, sm4_short_round, sm4_short_end
 *		of words.h, by rounds.h or rounds-avx512.h
 *	sm4_words_function, sm4_rows_function, sm4_counter_constants, sm4_counter_ready,
 *	sm4_counter_words
 *		by words.h or, with SM4 instructions, blocks.h
 *	sm4_key_schedule_function
 *		by key-schedule.h or blocks.h
 *	sm4_chain_begin, sm4_chain_block, sm4_chain_value, sm4_ccm_block, sm4_ccm_add_keystream
 *		of chains.h, by single-blocks.h or blocks.h
 *	sm4_chain_key, sm4_chain_round, sm4_chain_words, sm4_chain_halves, sm4_chain_add_second
 *		of single-blocks.h, by columns.h or in-order.h
 *	sm4_slices_first_input, sm4_slices_round, sm4_map_slice, sm4_load_tweak_maps, sm4_map_tweak
 *		of avx512/byte-sliced.h, by avx512/gfni-slices.h or avx512/nibble-slices.h. These
 *		also say by SLICES_MIXED whether the end of a text may be a byte-sliced group and
 *		one of words, by SLICES_ALONE whether bulk may be one byte-sliced group, and by
 *		TWEAKS_BY_CLMUL whether there is VPCLMULQDQ for the tweaks of XTS.
 *
 * All other macros have one definition. sm4_map_in, sm4_map_out, sm4_substitute and sm4_rotate may
 * also come from such a file: gfni.h or nibbles.h.
 *
 * Constants: the labels below. Where one macro defines several, one of them stands for all.
 *
 * A missing symbol or listed label is an error, which names it. No directive can test for a macro
 * or for the name of a register. If one is missing, the assembler reports an unknown instruction,
 * or the linker an undefined symbol.
 */
#ifndef SM4_TIER_ASM_H
#define SM4_TIER_ASM_H

#include "functions.h"

.macro sm4_require	names:vararg
.irp	symbol, \names
.ifndef \symbol
	.error "a tier's file must define \symbol: see the contract of tiers"
.endif
.endr
.endm

/* NARROWER_BYTES, which a tier leaves to its narrower one, or 0 */
SM4_NARROWER_BYTES(SM4_SET_BYTES)

.macro sm4_set_narrower	prefix
	.set NARROWER_BYTES, 0
.ifdef NARROWER_BYTES_OF_\prefix
	.set NARROWER_BYTES, NARROWER_BYTES_OF_\prefix
.endif
.endm

#define TIER_MODES	VL, WIDEST, .Lswap_words, .Lreverse_block
#define TIER_AVX2	.Ltweak_carries, .Lgb_tweak_carries
#define TIER_AVX512	.Ltweak_polynomial, .Ltweak_shifts, .Lslice_numbers, .Lslices_ready
#define TIER_WORDS	SHORT_GROUPS
#define TIER_PAIRS	VPCLMULQDQ, .Lpairs_in, .Lpairs_out, .Lpairs_of_words, .Lpairs_ready
#define TIER_KEYS	.Lfk, .Lck, .Lswap_words
#define TIER_CHAINS	.Lblock_0
#define TIER_COLUMNS	CHAIN_U0_LAST, .Lcolumns
#define TIER_SM3	.Lsm3_constants

#endif
