/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The parts that all modes share on tiers with pairs, on vectors of 16 and 32 bytes: cut a text
 * into passes for bulk.
 *
 * A mode first does passes for bulk, if the text is long enough, and then passes of words. Branches
 * depend only on the number of bytes, in GCM also on the part, and in CTR also on the counter: no
 * secrets.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC go
 * on with the text, and BYTES are left. Of the others, the rounds clobber TMP (%rax) and OFFSET
 * (%r10), and keep %r9 and %r11. OFFSET is where a group begins: its text behind SRC and DST,
 * and its state behind BULK_STATE on the stack. A row is a vector of VL bytes; the rows of a group
 * of pairs are in groups A and B (A0 to B3).
 *
 * Besides what is here, modes use these; the files have their contracts:
 *
 *	sm4_enter_mode frame		begin a function, with \frame bytes of stack
 *					(asm/stack-frame.h)
 *	sm4_return			end it: clear all registers, return BYTES
 *					(asm/stack-frame.h)
 *	sm4_wipe_stack offset		wipe OFFSET bytes of the stack from \offset on; then T0 is
 *					zero (asm/stack-frame.h)
 *	sm4_each_register registers, do, at
 *					\do sm4_load_row, sm4_xor_row or sm4_store_row, for rows
 *					one after the other in memory from \at on (asm/groups.h)
 *	sm4_pairs_enter			rows in PAIRS_IN into the state of a group (rounds.h)
 *	sm4_pairs_leave			the state of a group into rows in PAIRS (rounds.h)
 *	prefix_rounds			a function: encrypt the groups below OFFSET (rounds.h)
 *	prefix_counter_rounds		make counters in their place, then the same (rounds.h)
 *	sm4_pass_done			go on by PASS in DST, SRC and BYTES (asm/word-passes.h)
 *	sm4_word_passes pass, prefix, full
 *					do the rest of the text, by "\pass n, prefix" for n groups
 *					of words at a time (asm/word-passes.h)
 *	sm4_for_groups n, do, at, WHOLE(n)
 *					\do sm4_load, sm4_xor or sm4_store, for the rows of n groups
 *					of words (asm/word-passes.h)
 *	sm4_pass_bytes n		the bytes of n groups, at most BYTES, into TMP
 *					(asm/word-passes.h)
 *	prefix_rows_N			a function: encrypt N groups of words (asm/words.h)
 */
#ifndef SM4_PAIRS_PASSES_ASM_H
#define SM4_PAIRS_PASSES_ASM_H

#include "../word-passes.h"

/*
 * A pass for bulk is two to BULK_GROUPS groups of BULK_GROUP_BYTES. Offsets on the stack: from 0 on
 * the sums of the rounds, which wipe them; the state of the groups at BULK_STATE; how many bytes
 * of it are to be wiped at BULK_STATE_USED. From BULK_STATE_END on, the stack is the mode's.
 */
#define BULK_GROUPS		4
#define BULK_GROUP_BYTES	(8*VL)
#define BULK_PASS_BYTES		(BULK_GROUPS*BULK_GROUP_BYTES)
#define BULK_STATE		(8*VL)
#define BULK_STATE_USED		(BULK_STATE+BULK_PASS_BYTES)
#define BULK_STATE_END		(BULK_STATE_USED+VL)

/*
 * The rows of a group before sm4_pairs_transpose, and where that and sm4_pairs_leave leave them
 *
 * Vector registers of passes for bulk, before and after the rounds (rounds.h):
 *
 *	0-7	A0-B3		rows of a group, as PAIRS_IN says; transposed, as PAIRS says
 *	8-11	C0-C3		the tier's
 *	12-13	T0, T1		temporary
 *	14	T2		temporary; transposed, a row in the place of B0
 *	15	T3		the mode's, or free
 */
#define PAIRS_IN	"A0,A1,A2,A3,B0,B1,B2,B3"
#define PAIRS		"B2,B1,B3,T2,A2,A3,A1,A0"

/* The frame of a mode that keeps nothing else there: a block, and the state of bulk */
#define BLOCKS_FRAME		(VL+BULK_STATE_END)

/* The least text for bulk. Words are faster below. */
#define BULK_LEAST		(2*BULK_GROUP_BYTES)
/* In CTR, where groups need not be whole: more than a pass of words */
#define BULK_LEAST_COUNTED	(WORD_PASS_BYTES+1)

/*
 * For CTR and GCM: the bytes of the next pass, when \text bytes are left. A few blocks alone take
 * half as long as a pass. So a text that is a little longer than a pass is done in two
 * passes, the first of three groups.
 */
.macro sm4_pass_for	to, text:vararg
	lea		-BULK_PASS_BYTES-1(\text), \to
	cmp		$BULK_GROUP_BYTES, \to
	mov		$BULK_PASS_BYTES, \to\()_32
	jae		.Lpass_\@
	mov		$BULK_PASS_BYTES-BULK_GROUP_BYTES, \to\()_32
.Lpass_\@:
.endm

/* The bytes of the next pass, of whole groups. In CTR, \counted, a partial one counts as whole. */
.macro sm4_next_pass	to, counted=0
.if \counted
	sm4_pass_for	\to, BYTES
.else
	mov		$BULK_PASS_BYTES, \to\()_32
.endif
	cmp		\to, BYTES
	cmovb		BYTES, \to
.if \counted
	add		$BULK_GROUP_BYTES-1, \to
.endif
	and		$-BULK_GROUP_BYTES, \to
.endm

/* Wipe the state of bulk. Clobbers OFFSET and TMP; leaves T0 at zero. */
.macro sm4_wipe_bulk_state
	mov		BULK_STATE_USED(%rsp), OFFSET
	sm4_wipe_stack	BULK_STATE
.endm

#endif
