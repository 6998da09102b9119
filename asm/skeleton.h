/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that all modes of SM4 on vectors share: load and store rows of blocks, cut a text
 * into passes, and process the end of a text.
 *
 * A mode first does passes for bulk (asm/pairs.h), if the text is long enough, and then passes
 * of words. The end goes through the fewest groups of words that hold it: no block is left to
 * scalar code. Branches depend only on the number of bytes, in GCM also on the part, and in CTR
 * also on the counter: no secrets.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC go
 * on with the text, and BYTES are left. Of the others, the rounds clobber TMP (%rax) and OFFSET
 * (%r10), and keep %r9 and %r11. The rows of a group of pairs are in groups A and B.
 */
#ifndef SM4_SKELETON_ASM_H
#define SM4_SKELETON_ASM_H

#include "vectors.h"

/*
 * A tier with BULK has special rounds for long texts (asm/pairs.h). A pass for bulk is two to
 * BULK_GROUPS groups of BULK_GROUP_BYTES. OFFSET is where a group begins: its text behind that of
 * the pass, and its state behind BULK_STATE on the stack. BULK_STATE_USED has the number of its
 * bytes to wipe. The rounds keep more before BULK_STATE, or up to BULK_STATE_END.
 */
#if BULK
#define BULK_GROUPS		4
#define BULK_GROUP_BYTES	(8*VL)
#define BULK_PASS_BYTES	(BULK_GROUPS*BULK_GROUP_BYTES)
#define BULK_STATE		(8*VL)
#define BULK_STATE_USED		(BULK_STATE+BULK_PASS_BYTES)
#define BULK_STATE_END		(BULK_STATE_USED+VL)
#endif

/* A group before sm4_pairs_transpose, and where that and sm4_pairs_leave leave it */
#define PAIRS_IN	"A0,A1,A2,A3,B0,B1,B2,B3"
#define PAIRS		"B2,B1,B3,T2,A2,A3,A1,A0"

/* For sm4_word_passes: the place of a single block, which is done in the frame */
.set SINGLE_DST,		%r9
/* The bytes of a pass for bulk */
.set PASS,			%r11
.set PASS_32,			%r11d

#define WORD_PASS_BLOCKS	GROUP_BLOCKS(GROUPS)
#define WORD_PASS_BYTES		GROUP_BYTES(GROUPS)

/* The buffer for a pass, in the place of the state of bulk */
#if BULK
#define BUFFER			BULK_STATE
#else
#define BUFFER			0
#endif

/* The first row of the blocks before those at SRC, of which the IV has the first, into T0 */
.macro sm4_previous_row
	vmovdqu		(IV), T0_XMM
.if VL == 32
	vinserti128	$1, (SRC), T0, T0
.endif
.endm

/* \place is vararg, as it may have commas. */
.macro sm4_load_row	register, place:vararg
	vmovdqu		\place, \register
.endm

.macro sm4_store_row	register, place:vararg
	vmovdqu		\register, \place
.endm

.macro sm4_xor_row	register, place:vararg
	vpxor		\place, \register, \register
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
 * Wipe OFFSET bytes of the stack from \offset on, four rows at a time: OFFSET is a multiple of
 * these. Leaves T0 at zero. Clobbers TMP.
 */
#define WIPED_AT_ONCE		(4*VL)

.macro sm4_wipe_stack	offset
	vpxor		T0, T0, T0
	mov		OFFSET, TMP
	sm4_align_loop
.Lwipe_\@:
.irp	row, 0, 1, 2, 3
	sm4_store_row	T0, \offset-WIPED_AT_ONCE+VL*\row(%rsp,TMP)
.endr
	sub		$WIPED_AT_ONCE, TMP
	jnz		.Lwipe_\@
.endm

/* Likewise, the state of bulk. Clobbers OFFSET, too. */
.macro sm4_wipe_bulk_state
	mov		BULK_STATE_USED(%rsp), OFFSET
	sm4_wipe_stack	BULK_STATE
.endm

/* End a function. It returns BYTES, which are left to the narrower tier. */
.macro sm4_return
	mov		BYTES, TMP			# the result
	leave
	sm4_clear_registers
	RET
.endm

/*
 * The skeleton of a mode of whole blocks is sm4_bulk_passes, and sm4_word_passes for the rest.
 *
 * sm4_bulk_passes: do passes for bulk as long as there is enough text. Store groups last
 * to first, so that in-place CBC decryption can still read the preceding ciphertext. A mode
 * adds its steps by macros, of which \steps names those that it has. They may clobber %rax
 * and T0 to T2, `in` also C if the tier has no constants there, `out` only T0 and T1:
 *
 *	\mode_bulk_begin	there is enough text; nothing has been done
 *	\mode_bulk_in		a group has been loaded, as PAIRS_IN; T3 may be clobbered, too
 *	\mode_bulk_between	the rounds are done; OFFSET is the end of the pass; T3 may be set
 *	\mode_bulk_out		a group is about to be stored, as PAIRS. T3 is kept until the next.
 *	\mode_bulk_end		a pass has been stored
 *	\mode_bulk_wipe		all passes are done; OFFSET may be clobbered, too
 */

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
	and		$-BULK_GROUP_BYTES, \to
.else
	and		$-BULK_GROUP_BYTES, \to
.endif
.endm

/* The bytes of the groups that hold PASS, into OFFSET */
.macro sm4_whole_groups
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

/* "\do register, place" for the rows that a mode stores, as sm4_each_register */
.macro sm4_for_stored_rows do, at:vararg
	sm4_each_register PAIRS, \do, \at
.endm

.macro sm4_bulk_passes	mode, prefix, steps:vararg
.if BULK
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
	sm4_bulk_step	begin, \mode, \steps
	sm4_next_pass	PASS
	sm4_whole_groups
	mov		OFFSET, BULK_STATE_USED(%rsp)
.Lpass_\@:
	xor		OFFSET_32, OFFSET_32
	sm4_align_loop
.Lenter_\@:
	sm4_each_register PAIRS_IN, sm4_load_row, 0(SRC,OFFSET)
	sm4_bulk_step	in, \mode, \steps
	sm4_pairs_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds
	mov		PASS, OFFSET
	sm4_bulk_step	between, \mode, \steps
	sm4_whole_groups
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_bulk_step	out, \mode, \steps
	sm4_for_stored_rows sm4_store_row, 0(DST,OFFSET)
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
 * takes a hundred cycles.
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
	sm4_fewest_groups \mode\()_pass, \full, BYTES, \prefix
.if VL == 32 && !NARROWER_BYTES
	cmp		DST, SINGLE_DST
	je		.Lin_place_\@
	vmovdqa		(DST), T0_XMM
	vmovdqu		T0_XMM, (SINGLE_DST)
	vpxor		T0, T0, T0
	vmovdqa		T0, (DST)
.Lin_place_\@:
.endif
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	ja		.Lpass_\@
	xor		BYTES_32, BYTES_32
.Ldone_\@:
.endm

/* The frame of a mode that keeps nothing else there: a block, and the state of bulk */
#if BULK
#define BLOCKS_FRAME		(VL+BULK_STATE_END)
#else
#define BLOCKS_FRAME		VL
#endif

#endif
