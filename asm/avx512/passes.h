/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The parts that all modes share on 64-byte vectors: cut a text into passes, and mask its end.
 *
 * A mode first does passes for bulk (byte-sliced.h), if the text is long enough, and then passes of
 * words (asm/word-passes.h). At most NARROWER_BYTES are left to the narrower tier. Branches depend
 * only on the number of bytes, in GCM also on the part, and in CTR also on the counter: no secrets.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC go
 * on with the text, and BYTES are left. Of the others, the rounds clobber TMP (%rax) and OFFSET
 * (%r10), and keep %r9 and %r11.
 *
 * Besides what is here, modes use these; the files have their contracts:
 *
 *	sm4_enter_mode, sm4_return	begin and end a function (asm/stack-frame.h)
 *	sm4_each_register, sm4_each_numbered registers, do, at
 *					\do a macro for rows, one after the other in memory from \at
 *					on (asm/groups.h)
 *	prefix_transpose, _enter, _leave, _rounds, _counter_rounds
 *					functions: the byte-sliced groups (byte-sliced.h)
 *	prefix_words_N, prefix_rows_N	functions: N groups of words (asm/words.h)
 *	sm4_slices_counter_ready, sm4_counter_ready, sm4_counter_words
 *					counters of byte slices (byte-sliced.h) and of words
 *					(asm/words.h)
 *	sm4_pass_done, sm4_word_passes, sm4_pass_bytes, and sm4_for_groups with sm4_load, sm4_xor or
 *	sm4_store			passes of words (asm/word-passes.h)
 */
#ifndef SM4_AVX512_PASSES_ASM_H
#define SM4_AVX512_PASSES_ASM_H

#include "../layout.h"
#include "../word-passes.h"

/* Groups A to D are vectors 0 to 11 and 16 to 19; T0 to T3 are 12 to 15. */
.set D0,			%zmm16
.set D1,			%zmm17
.set D2,			%zmm18
.set D3,			%zmm19

/*
 * A pass of words has up to four groups. One for bulk has two byte-sliced groups. Their
 * state and what the rounds add are at the start of the frame; so is the buffer of a pass.
 */
#define BULK_GROUP_BYTES	(16*VL)
#define BULK_PASS_BYTES		(2*BULK_GROUP_BYTES)
#define BULK_ADDED		BULK_PASS_BYTES
#define BULK_STATE_END		(BULK_ADDED+VL)
/* Behind them, words 0 to 2 of a counter, for prefix_counter_rounds */
#define BULK_READY		BULK_STATE_END
/* A byte-sliced group and one of words, in CTR and GCM */
#define MIXED_BYTES		(BULK_GROUP_BYTES+GROUP_BYTES(1))
/* The least text for two groups; words, or a group alone and words, are faster below. */
#define BULK_LEAST_OF_2		(BULK_GROUP_BYTES+8*VL)
/* The least text for bulk: two groups, or, if SLICES_ALONE, a whole group */
#define BULK_LEAST		(BULK_LEAST_OF_2-SLICES_ALONE*8*VL)
/* In CTR, where groups need not be whole: more than a pass of words, or likewise a whole group */
#define BULK_LEAST_COUNTED	(WORD_PASS_BYTES+1-SLICES_ALONE)

/* Which bytes of the last vector are text (a macro, as clang takes no symbol in braces) */
#define LAST_BYTES		%k1

/*
 * A group before prefix_transpose, as rows or slices, and in the registers where that leaves it
 *
 * Vector registers of passes for bulk, before and after the rounds (byte-sliced.h):
 *
 *	0-11	A0-C3		rows or slices, as SLICES_IN says; transposed, as SLICES says
 *	12-14	T0-T2		temporary
 *	15	T3		the mode's, or free
 *	16-19	D0-D3		as 0 to 11
 *	20-23	E0-E3		the tier's
 *	24	F0		the tier's
 *	25	F1		the transposition's spare one, then in the place of A1
 *	26-31			the tier's
 *	k1	LAST_BYTES	at the end of a text
 */
#define SLICES_IN	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3,D0,D1,D2,D3"
#define SLICES	"A3,B3,A2,D3,B0,B1,B2,F1,C0,C1,C2,C3,D0,D1,D2,A0"

/*
 * As sm4_each_numbered, for the rows of a group, without those from PASS on, which is a multiple of
 * four vectors. Clobbers TMP.
 */
.macro sm4_each_pass_row registers, do, at:vararg
	.set		number, 0
.irp	register, \registers
.if number && !(number & 3)
	lea		number*VL(OFFSET), TMP
	cmp		PASS, TMP
	jae		.Lbehind_\@
.endif
	\do		number, \register, number*VL+\at
	.set		number, number+1
.endr
.Lbehind_\@:
.endm

.macro sm4_load_numbered number, register, place:vararg
	sm4_load_row	\register, \place
.endm

.macro sm4_store_numbered number, register, place:vararg
	sm4_store_row	\register, \place
.endm

/*
 * Turn \bytes, which are 64 less, into the number of bytes in the last vector, 1 to 64, and set as
 * many bits of LAST_BYTES. Clobbers \ones.
 */
.macro sm4_mask_last	bytes, ones
	dec		\bytes
	xor		\ones, \ones
	bts		\bytes, \ones			# modulo 64
	lea		-1(\ones,\ones), \ones
	kmovq		\ones, LAST_BYTES
	add		$VL+1, \bytes
.endm

/* Wipe OFFSET bytes of the stack from \offset on. Clobbers T0, TMP. */
.macro sm4_wipe_rows	offset
	vpxord		T0, T0, T0
	mov		OFFSET, TMP
	sm4_align_loop
.Lwipe_\@:
	sm4_store_row	T0, \offset-VL(%rsp,TMP)
	sub		$VL, TMP
	jnz		.Lwipe_\@
.endm

/* Likewise, the state of bulk: the first group, as the second one is in registers */
.macro sm4_wipe_slices
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_wipe_rows	0
	sm4_store_row	T0, BULK_ADDED(%rsp)
.endm

/* The bytes of the next pass, in whole fours of rows, or a group alone. Clobbers TMP. */
.macro sm4_next_slices_pass
	mov		$BULK_PASS_BYTES, PASS_32
	cmp		PASS, BYTES
	cmovb		BYTES, PASS
	and		$-(BULK_GROUP_BYTES/4), PASS
.if SLICES_ALONE
	mov		$BULK_GROUP_BYTES, TMP_32
	cmp		$BULK_LEAST_OF_2, PASS
	cmovb		TMP, PASS
.endif
.endm

/* The frame of a mode that keeps nothing else there */
#define BLOCKS_FRAME		BULK_STATE_END

#endif
