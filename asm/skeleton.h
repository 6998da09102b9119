/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that all modes of SM4 on vectors share: load and store rows of blocks, cut a text
 * into passes, and process the end of a text.
 *
 * A mode first does passes for bulk (asm/pairs.h, asm/bytes.h), if the text is long
 * enough, and then passes of words. The end goes through the fewest groups of words that
 * hold it: no block is left to scalar code. Branches depend on the number of bytes alone,
 * and in CTR on the counter, which is no secret.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC
 * go on with the text, and BYTES are left. The others have several names, one for each thing
 * that they hold in turn, with the suffix _32 for the lower half:
 *
 *	%rax			ROUND_KEY in the rounds; free between them
 *	%r9			free, in a mode's hands
 *	%r10			ROUNDS_LEFT in the rounds; OFFSET of a group for bulk
 *	%r11			kept by the rounds
 *	vectors 0 to 11		groups A, B and C; the rows of a group of pairs are in A and B
 *	vectors 12 to 15	T0 to T3
 *	vectors 16 to 31	of 64 bytes: group D, and constants
 *
 * Symbols that most macros depend on, and who sets them:
 *
 *	VL			bytes of a vector; a tier's file, before the functions of each width
 *	WIDEST			the largest VL of a file, which its constants fill; the file
 *	VAES			whether VAESENCLAST takes 32 bytes; sm4-aesni-asm.S
 *	BULK			whether there are rounds for bulk; asm/pairs.h, asm/blocks.h
 *	GROUPS			groups of words in a pass; sm4_begin_tier, from \full
 *	NARROWER_BYTES		as in struct sm4_tier; sm4_begin_tier, from \narrower
 *	XTS_GB			which form of XTS; sm4_xts_function, from \gb
 */
#ifndef SM4_SKELETON_ASM_H
#define SM4_SKELETON_ASM_H

#include "vectors.h"

/*
 * BULK is 1 in a tier that has special rounds for long texts (asm/pairs.h, asm/bytes.h),
 * and 0 with SM4 instructions (asm/blocks.h). A pass for bulk is two to BULK_GROUPS groups of
 * BULK_GROUP_BYTES. OFFSET is where a group begins: its text behind that of the pass, and
 * its state behind BULK_STATE on the stack. BULK_STATE_USED has the number of its bytes to
 * wipe. The rounds keep more before BULK_STATE, or up to BULK_STATE_END.
 */
.set OFFSET,			%r10
.set OFFSET_32,			%r10d
/* 1 if the rounds for bulk are on bytes, with 64-byte vectors; 0 if they are on pairs */
#define BYTE_SLICED		(VL/64)
#define BULK_GROUPS		(4-2*BYTE_SLICED)
#define BULK_GROUP_BYTES	((8*VL)<<BYTE_SLICED)
#define BULK_PASS_BYTES	(BULK_GROUPS*BULK_GROUP_BYTES)
#define MIXED_BYTES		(BULK_GROUP_BYTES+GROUP_BYTES(1))
#define BULK_STATE			(8*VL*(1-BYTE_SLICED))
#define BULK_STATE_USED		(BULK_STATE+BULK_PASS_BYTES)
#define BULK_STATE_END		(BULK_STATE_USED+VL+BYTE_SLICED*VL)

/* The offset of a row from the first one, to be compared with LAST_ROW or PASS */
.set ROW_OFFSET,		%rax
.set ROW_OFFSET_32,		%eax
/* Bytes of text in a pass of words */
.set PASS_TEXT,		%rax
.set PASS_TEXT_32,		%eax
/* Where a counter's words 0 to 2 are ready, for prefix_counter_rounds */
.set READY_WORDS,		%rax
/* sm4_wipe_stack: bytes to wipe, and those left */
.set WIPE_BYTES,		%r10
.set WIPE_BYTES_32,		%r10d
.set WIPE_LEFT,			%rax
/* The place of a single block, which is done in the frame */
.set SINGLE_DST,		%r9
/* The bytes of the groups that a pass of words has done */
.set PASS_DONE,		%r10
.set PASS_DONE_32,		%r10d
/* The last row of a text that words load or store, as an offset */
.set LAST_ROW,			%r11
.set LAST_ROW_32,		%r11d
/* The bytes of a pass for bulk */
.set PASS,			%r11
.set PASS_32,			%r11d
/* Which bytes of the last vector are text (a macro, as clang takes no symbol in braces) */
#define LAST_BYTES		%k1

#define PASS_BLOCKS		GROUP_BLOCKS(GROUPS)
#define PASS_BYTES		GROUP_BYTES(GROUPS)

/*
 * The offset of a row of a group in memory from row 0 of group 0. (A space would end an
 * argument of an assembler macro.)
 */
#define ROW(index, row)		((index)*4+(row))*VL

/* The buffer for a pass, in the place of the state of bulk */
#define BUFFER			(BULK*BULK_STATE)

/*
 * Do "\do register, place" with the row in memory \offset bytes behind \at. Only the
 * first \whole groups of a pass are certain to be there. A later row that would end
 * behind the text is replaced by the last VL bytes of the text, LAST_ROW behind \at; that
 * clobbers ROW_OFFSET. So several rows may have the same block: they compute and store the
 * same bytes in the same place.
 */
#define WHOLE(groups)		((groups)-1)

.macro sm4_row		do, register, offset, at, whole
.if \offset < GROUP_BYTES(\whole) || \offset == 0
	\do		\register, \offset(\at)
.else
	mov		$\offset, ROW_OFFSET_32
	cmp		LAST_ROW, ROW_OFFSET
	cmova		LAST_ROW, ROW_OFFSET
	\do		\register, (\at,ROW_OFFSET)
.endif
.endm

/* The same for the rows of a group. Row 0 comes last: see sm4_cbc_xor. */
.macro sm4_rows		do, g, index, at, whole
	sm4_row		\do, \g\()3, ROW(\index,3), \at, \whole
	sm4_row		\do, \g\()2, ROW(\index,2), \at, \whole
	sm4_row		\do, \g\()1, ROW(\index,1), \at, \whole
	sm4_row		\do, \g\()0, ROW(\index,0), \at, \whole
.endm

/* \place is vararg, as it may have commas. */
.macro sm4_load_row	register, place:vararg
	_vmovdqu	"\place", \register
.endm

.macro sm4_store_row	register, place:vararg
	_vmovdqu	\register, "\place"
.endm

.macro sm4_xor_row	register, place:vararg
	_vpxor		"\place", \register, \register
.endm

/*
 * Do "\do register, place" for each of these registers, with consecutive vectors from \at
 * on. \do may jump to label 9 to leave out the rest.
 */
.macro sm4_each_row	registers, do, at:vararg
	.set		row, 0
.irp	register, \registers
	\do		\register, row*VL+\at
	.set		row, row+1
.endr
9:
.endm

/*
 * For sm4_each_row: of bytes, leave out the rows from PASS on, which is a multiple of four
 * vectors. Clobbers ROW_OFFSET.
 */
.macro sm4_stop_behind_pass
.if BYTE_SLICED && row && !(row & 3)
	lea		row*VL(OFFSET), ROW_OFFSET
	cmp		PASS, ROW_OFFSET
	jae		9f
.endif
.endm

.macro sm4_load_pass_row register, place:vararg
	sm4_stop_behind_pass
	sm4_load_row	\register, \place
.endm

.macro sm4_store_pass_row register, place:vararg
	sm4_stop_behind_pass
	sm4_store_row	\register, \place
.endm

.macro sm4_load		g, index, from, whole=GROUPS
	sm4_rows	sm4_load_row, \g, \index, \from, \whole
.endm

.macro sm4_store	g, index, to, whole=GROUPS
	sm4_rows	sm4_store_row, \g, \index, \to, \whole
.endm

.macro sm4_xor		g, index, with, whole=GROUPS
	sm4_rows	sm4_xor_row, \g, \index, \with, \whole
.endm

/*
 * Copy a partial block of 1 to 15 bytes: its first 8, 4, 2 or 1 bytes and as many last
 * ones, which may overlap. Clobbers T0, T1.
 */
.macro sm4_copy_ends	size, letter, from, to, bytes, done
	cmp		$\size, \bytes
	jb		.Lless_\@
	vpinsr\letter	$0, (\from), T0_XMM, T0_XMM
	vpinsr\letter	$0, -\size(\from,\bytes), T1_XMM, T1_XMM
	vpextr\letter	$0, T0_XMM, (\to)
	vpextr\letter	$0, T1_XMM, -\size(\to,\bytes)
	jmp		\done
.Lless_\@:
.endm

.macro sm4_copy_partial	from, to, bytes
	sm4_copy_ends	8, q, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	4, d, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	2, w, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	1, b, \from, \to, \bytes, .Lcopied_\@
.Lcopied_\@:
.endm

/*
 * 64-byte vectors: turn \bytes, which are 64 less, into those of the last vector, 1 to 64,
 * and set as many bits of LAST_BYTES. Clobbers \ones.
 */
.macro sm4_mask_last	bytes, ones
	dec		\bytes
	xor		\ones, \ones
	bts		\bytes, \ones			# modulo 64
	lea		-1(\ones,\ones), \ones
	kmovq		\ones, LAST_BYTES
	add		$VL+1, \bytes
.endm

/* Wipe WIPE_BYTES of the stack from an offset on. Clobbers T0, WIPE_LEFT. */
.macro sm4_wipe_stack	offset
	_vpxor		T0, T0, T0
	mov		WIPE_BYTES, WIPE_LEFT
.Lwipe_\@:
	sm4_store_row	T0, \offset-VL(%rsp,WIPE_LEFT)
	sub		$VL, WIPE_LEFT
	jnz		.Lwipe_\@
.endm

/* Likewise, the state of bulk; of bytes, the first group's and ADDED. Clobbers WIPE_BYTES, too. */
.macro sm4_wipe_bulk_state
.if BYTE_SLICED
	mov		$BULK_GROUP_BYTES, WIPE_BYTES_32
	sm4_wipe_stack	BULK_STATE
	sm4_store_row	T0, BULK_STATE_USED+VL(%rsp)
.else
	mov		BULK_STATE_USED(%rsp), WIPE_BYTES
	add		$BULK_STATE_END-BULK_STATE_USED, WIPE_BYTES
	sm4_wipe_stack	BULK_STATE
.endif
.endm

/*
 * Do "\pass \prefix, n" with the fewest groups n that hold \bytes, at most \full.
 * Leaves the bytes of n groups in PASS_DONE.
 */
.macro sm4_fewest_groups pass, prefix, full, bytes=BYTES
.irp	n, 1, 2, 3
.if \n < \full
	cmp		$GROUP_BYTES(\n), \bytes
	jbe		.Lfewer_\@_\n
.endif
.endr
	\pass		\prefix, \full
	mov		$PASS_BYTES, PASS_DONE_32
.irp	n, 1, 2, 3
.if \n < \full
	jmp		.Lend_\@
.Lfewer_\@_\n:
	\pass		\prefix, \n
	mov		$GROUP_BYTES(\n), PASS_DONE_32
.endif
.endr
.Lend_\@:
.endm

/*
 * Begin and end a function. Vectors are aligned in its frame. The largest frame, with all
 * that is called, has 2544 bytes: GCM's with 64-byte vectors. The function returns BYTES,
 * which are left to the narrower tier.
 */

.macro sm4_begin_frame	bytes
	push		%rbp
	mov		%rsp, %rbp
	sub		$\bytes, %rsp
	and		$-64, %rsp
.endm

.macro sm4_enter_mode	frame
	sm4_begin_frame	\frame
	sm4_load_constants
.endm

.macro sm4_return
	mov		BYTES, RESULT
	leave
	sm4_clear_registers
	RET
.endm

/*
 * The skeleton of a mode of whole blocks has two parts: sm4_bulk_passes, and
 * sm4_word_passes for the rest.
 *
 * sm4_bulk_passes: do passes for bulk as long as there is enough text. Store groups last
 * to first, so that in-place CBC decryption can still read the preceding ciphertext. A mode
 * adds its part by macros, of which \steps names those that it has. They may clobber %rax
 * and T0 to T2:
 *
 *	\mode_bulk_in		a group has been loaded, in the rows of sm4_bulk_for_rows_in; T3 may
 *				be clobbered, too
 *	\mode_bulk_bytes_in	of bytes: it has been transposed, in those of sm4_bulk_for_rows
 *	\mode_bulk_between	the rounds are done; OFFSET is the end of the pass
 *	\mode_bulk_bytes_out	of bytes: a group has left the rounds, in those of
 *				sm4_bulk_for_rows_in
 *	\mode_bulk_out		a group is about to be stored, in those of sm4_bulk_for_rows: T2 may
 *				be one of its rows. T3 is kept until the next group.
 *	\mode_bulk_end		a pass has been stored
 *	\mode_bulk_wipe		all passes are done
 */

/* The least text for bulk: two groups, or one and a half of bytes. Words are faster below. */
#define BULK_LEAST		(2*BULK_GROUP_BYTES-BYTE_SLICED*8*VL)
/* In CTR, where groups need not be whole: more than a pass of words */
#define BULK_LEAST_COUNTED	(PASS_BYTES+1)

/*
 * The bytes of the next pass for bulk, when \text bytes are left. A few blocks alone take
 * half as long as a pass. So a text that is a little longer than a pass is done in two
 * passes, the first of three groups. With 64-byte vectors, the narrower tier does the few
 * blocks.
 */
.macro sm4_pass_for	to, text:vararg
.if VL < 64
	lea		-BULK_PASS_BYTES-1(\text), \to
	cmp		$BULK_GROUP_BYTES, \to
	mov		$BULK_PASS_BYTES, \to\()_32
	jae		.Lpass_\@
	mov		$BULK_PASS_BYTES-BULK_GROUP_BYTES, \to\()_32
.Lpass_\@:
.else
	mov		$BULK_PASS_BYTES, \to\()_32
.endif
.endm

/*
 * The bytes of the next pass: of whole groups, or of whole four rows of bytes. In CTR,
 * \counted, a partial group counts as a whole one.
 */
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
	and		$-BULK_GROUP_BYTES, \to
.else
	and		$-(BULK_GROUP_BYTES>>(2*BYTE_SLICED)), \to
.endif
.endm

/* The bytes of the groups that hold PASS, into OFFSET */
.macro sm4_whole_groups
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

/*
 * The rounds for bulk, by which modes do not differ: sm4_bytes_NAME (asm/bytes.h) with
 * 64-byte vectors, otherwise sm4_pairs_NAME (asm/pairs.h)
 */
.irp	name, for_rows_in, for_rows, enter, leave, counter_ready, functions
.macro sm4_bulk_\name	arguments:vararg
.if BYTE_SLICED
	sm4_bytes_\name	\arguments
.else
	sm4_pairs_\name	\arguments
.endif
.endm
.endr

.macro sm4_bulk_step	step, mode, steps:vararg
.irp	one, \steps
.ifc \one, \step
	\mode\()_bulk_\step
.endif
.endr
.endm

.macro sm4_bulk_passes	mode, prefix, steps:vararg
.if BULK
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
	sm4_next_pass	PASS
	sm4_whole_groups
	mov		OFFSET, BULK_STATE_USED(%rsp)
.Lpass_\@:
	xor		OFFSET_32, OFFSET_32
.Lenter_\@:
	sm4_bulk_for_rows_in sm4_load_pass_row, 0(SRC,OFFSET)
	sm4_bulk_step	in, \mode, \steps
	sm4_bulk_enter	\prefix, \mode, \steps
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds
	mov		PASS, OFFSET
	sm4_bulk_step	between, \mode, \steps
	sm4_whole_groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix, \mode, \steps
	sm4_bulk_step	out, \mode, \steps
	sm4_bulk_for_rows sm4_store_pass_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_bulk_step	end, \mode, \steps
	add		PASS, SRC
	add		PASS, DST
	sub		PASS, BYTES
	sm4_next_pass	PASS
	cmp		$BULK_LEAST, PASS
	jae		.Lpass_\@
	sm4_bulk_step	wipe, \mode, \steps
	sm4_wipe_bulk_state
.Lno_bulk_\@:
.endif
.endm

/*
 * sm4_word_passes: do the rest in passes of words. The mode's macro "\mode_pass prefix,
 * groups" does sm4_pass_bytes from SRC to DST. It may clobber everything but KEYS, SRC,
 * DST, IV, BYTES and SINGLE_DST. In the end, BYTES are left to the narrower tier.
 *
 * A single block is less than a vector of 32 bytes. If no narrower tier takes it, it is
 * doubled at the start of the stack, in an aligned vector: one across the end of a page
 * takes a hundred cycles. 64-byte vectors always have a narrower tier.
 */
.macro sm4_word_passes	mode, prefix, full
.Lpass_\@:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
.if VL == 32 && !NARROWER_BYTES
	mov		DST, SINGLE_DST
.endif
	mov		BYTES, LAST_ROW
	sub		$VL, LAST_ROW
.if VL == 32 && !NARROWER_BYTES
	jae		.Lmore_blocks_\@
	xor		LAST_ROW_32, LAST_ROW_32
	vbroadcasti128	(SRC), T0
	mov		%rsp, SRC
	vmovdqa		T0, (SRC)
	mov		SRC, DST
.Lmore_blocks_\@:
.endif
	sm4_fewest_groups \mode\()_pass, \prefix, \full
.if VL == 32 && !NARROWER_BYTES
	cmp		DST, SINGLE_DST
	je		.Lin_place_\@
	vmovdqa		(DST), T0_XMM
	vmovdqu		T0_XMM, (SINGLE_DST)
	vpxor		T0, T0, T0
	vmovdqa		T0, (DST)
.Lin_place_\@:
.endif
	add		PASS_DONE, SRC
	add		PASS_DONE, DST
	sub		PASS_DONE, BYTES
	ja		.Lpass_\@
	xor		BYTES_32, BYTES_32
.Ldone_\@:
.endm

/* The bytes of \groups groups, at most BYTES, into PASS_TEXT */
.macro sm4_pass_bytes	groups
	mov		$GROUP_BYTES(\groups), PASS_TEXT_32
	cmp		PASS_TEXT, BYTES
	cmovb		BYTES, PASS_TEXT
.endm

/* The frame of a mode that keeps nothing else there */
#define BLOCKS_FRAME		(VL+BULK*BULK_STATE_END)

#endif
