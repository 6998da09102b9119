/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that all modes share on tiers with pairs, on vectors of 16 and 32 bytes: cut a text
 * into passes for bulk.
 *
 * A mode first does passes for bulk (rounds.h), if the text is long enough, and then passes of
 * words (asm/word-passes.h). Branches depend only on the number of bytes, in GCM also on the part,
 * and in CTR also on the counter: no secrets.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC go
 * on with the text, and BYTES are left. Of the others, the rounds clobber TMP (%rax) and OFFSET
 * (%r10), and keep %r9 and %r11. OFFSET is where a group begins: its text behind that of the pass,
 * and its state behind BULK_STATE on the stack. The rows of a group of pairs are in groups A and B.
 */
#ifndef SM4_PAIRS_PASSES_ASM_H
#define SM4_PAIRS_PASSES_ASM_H

#include "../word-passes.h"
#include "rounds.h"

/* The frame of a mode that keeps nothing else there: a block, and the state of bulk */
#define BLOCKS_FRAME		(VL+BULK_STATE_END)

/* The least text for bulk. Words are faster below. */
#define BULK_LEAST		(2*BULK_GROUP_BYTES)
/* In CTR, where groups need not be whole: more than a pass of words */
#define BULK_LEAST_COUNTED	(WORD_PASS_BYTES+1)

/*
 * The bytes of the next pass for bulk, when \text bytes are left. A few blocks alone take
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
