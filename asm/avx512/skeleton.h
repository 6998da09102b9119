/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that all modes share on 64-byte vectors: load and store rows of blocks, cut a text
 * into passes, and mask its end. asm/skeleton.h has those for 16 and 32 bytes.
 *
 * A mode first does passes for bulk (asm/avx512/byte-sliced.h), if the text is long enough, and
 * then passes of words. At most NARROWER_BYTES are left to the narrower tier. Branches depend only
 * on the number of bytes, in GCM also on the part, and in CTR also on the counter: no secrets.
 *
 * KEYS, DST, SRC, IV (in GCM, STATE) and BYTES keep their registers throughout. DST and SRC go
 * on with the text, and BYTES are left. Of the others, the rounds clobber TMP (%rax) and OFFSET
 * (%r10), and keep %r9 and %r11.
 */
#ifndef SM4_AVX512_SKELETON_ASM_H
#define SM4_AVX512_SKELETON_ASM_H

#include "../layout.h"
#include "../vectors.h"

/* Groups A to D are vectors 0 to 11 and 16 to 19; T0 to T3 are 12 to 15. */
.set D0,			%zmm16
.set D1,			%zmm17
.set D2,			%zmm18
.set D3,			%zmm19

/*
 * A pass of words has up to four groups. One for bulk has two byte-sliced groups. Their
 * state and what the rounds add are at the start of the frame; so is the buffer of a pass.
 */
#define WORD_PASS_BLOCKS	GROUP_BLOCKS(4)
#define WORD_PASS_BYTES		GROUP_BYTES(4)
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

/* The bytes of a pass for bulk */
.set PASS,			%r11
.set PASS_32,			%r11d
/* Which bytes of the last vector are text (a macro, as clang takes no symbol in braces) */
#define LAST_BYTES		%k1

/* The first row of the blocks before those at SRC, of which the IV has the first, into T0 */
.macro sm4_previous_row
	vmovdqu		(IV), T0_XMM
	vinserti32x4	$1, (SRC), T0, T0
	vinserti64x4	$1, 16(SRC), T0, T0
.endm

/* \place is vararg, as it may have commas. */
.macro sm4_load_row	register, place:vararg
	vmovdqu32	\place, \register
.endm

.macro sm4_store_row	register, place:vararg
	vmovdqu32	\register, \place
.endm

.macro sm4_xor_row	register, place:vararg
	vpxord		\place, \register, \register
.endm

/* A group before prefix_transpose, as rows or slices, and in the registers where that leaves it */
#define SLICES_IN	"A0,A1,A2,A3,B0,B1,B2,B3,C0,C1,C2,C3,D0,D1,D2,D3"
#define SLICES	"A3,B3,A2,D3,B0,B1,B2,F1,C0,C1,C2,C3,D0,D1,D2,A0"

/*
 * sm4_each_register for the rows of a group, without those from PASS on, which is a multiple of
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
	\do		\register, number*VL+\at
	.set		number, number+1
.endr
.Lbehind_\@:
.endm

/* "\do register, place" for the rows that a mode stores */
.macro sm4_for_stored_rows do, at:vararg
	sm4_each_pass_row SLICES, \do, \at
.endm

/*
 * Turn \bytes, which are 64 less, into those of the last vector, 1 to 64, and set as many bits
 * of LAST_BYTES. Clobbers \ones.
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
.macro sm4_wipe_stack	offset
	vpxord		T0, T0, T0
	mov		OFFSET, TMP
.Lwipe_\@:
	sm4_store_row	T0, \offset-VL(%rsp,TMP)
	sub		$VL, TMP
	jnz		.Lwipe_\@
.endm

/* Likewise, the state of bulk, of which that of the second group is in registers */
.macro sm4_wipe_bulk_state
	mov		$BULK_GROUP_BYTES, OFFSET_32
	sm4_wipe_stack	0
	sm4_store_row	T0, BULK_ADDED(%rsp)
.endm

/* End a function. It returns BYTES, which are left to the narrower tier. */
.macro sm4_return
	mov		BYTES, TMP			# the result
	leave
	sm4_clear_all_registers
	RET
.endm

/*
 * A mode of whole blocks is sm4_bulk_passes, and sm4_word_passes for the rest.
 *
 * sm4_bulk_passes: do passes for bulk as long as there is enough text. Store groups last
 * to first, so that in-place CBC decryption can still read the preceding ciphertext. A mode
 * adds its steps by macros, of which \steps names those that it has. They may clobber %rax,
 * T0 to T2, F2 and F3; `end` and `wipe` also T3, OFFSET and group A:
 *
 *	\mode_bulk_in		a group has become SLICES; T3 may be clobbered, too
 *	\mode_bulk_between	the rounds are done; OFFSET is the end of the pass; T3 may be set
 *	\mode_bulk_left		a group has left the rounds, as SLICES_IN
 *	\mode_bulk_out		a group is about to be stored, as SLICES. T3 is kept until the next.
 *	\mode_bulk_end		a pass has been stored
 *	\mode_bulk_wipe		all passes are done
 */

/* The bytes of the next pass, in whole fours of rows, or a group alone. Clobbers TMP. */
.macro sm4_next_pass
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

.macro sm4_bulk_passes	mode, prefix, steps:vararg
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
.Lpass_\@:
	sm4_next_pass
	xor		OFFSET_32, OFFSET_32
.Lenter_\@:
	sm4_each_pass_row SLICES_IN, sm4_load_row, 0(SRC,OFFSET)
	call		\prefix\()_transpose
	sm4_bulk_step	in, \mode, \steps
	call		\prefix\()_enter
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PASS, OFFSET
	jb		.Lenter_\@
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, PASS
	jbe		.Lalone_\@
.endif
	call		\prefix\()_rounds
.Lrounds_\@:
	mov		PASS, OFFSET
	sm4_bulk_step	between, \mode, \steps
	lea		BULK_GROUP_BYTES-1(PASS), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET	# to whole groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	sm4_bulk_step	left, \mode, \steps
	call		\prefix\()_transpose
	sm4_bulk_step	out, \mode, \steps
	sm4_for_stored_rows sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_bulk_step	end, \mode, \steps
	add		PASS, SRC
	add		PASS, DST
	sub		PASS, BYTES
	cmp		$BULK_LEAST, BYTES
	jae		.Lpass_\@
	sm4_bulk_step	wipe, \mode, \steps
	sm4_wipe_bulk_state
.if SLICES_ALONE
	jmp		.Lno_bulk_\@
.Lalone_\@:
	call		\prefix\()_alone_rounds
	jmp		.Lrounds_\@
.endif
.Lno_bulk_\@:
.endm

/*
 * sm4_word_passes: do the rest in passes of words. The mode's macro "\mode_pass groups,
 * prefix" does sm4_pass_bytes from SRC to DST. It may clobber everything but KEYS, SRC,
 * DST, IV, BYTES and, in XTS, TWEAKS_MADE (%r9). In the end, BYTES are left to the narrower tier.
 */
.macro sm4_word_passes	mode, prefix, full
.Lpass_\@:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
	mov		BYTES, LAST_ROW
	sub		$VL, LAST_ROW
	sm4_fewest_groups \mode\()_pass, \full, BYTES, \prefix
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	ja		.Lpass_\@
	xor		BYTES_32, BYTES_32
.Ldone_\@:
.endm

/* The frame of a mode that keeps nothing else there */
#define BLOCKS_FRAME		BULK_STATE_END

#endif
