/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all modes of SM4 on vectors are made of: rows of blocks from and to memory, the
 * batches that a text is cut into, and its end.
 *
 * A mode takes a batch of all groups at a time: of those for bulk (asm/pairs.h,
 * asm/bytes.h) where there are enough, and then of words. What is left in the end goes
 * through the fewest groups of words that are enough, so that no block is left to scalar
 * code. It is the number of bytes alone that decides a branch, and in CTR the counter,
 * which is no secret.
 *
 * The registers, of which all but the first five are clobbered:
 *
 *	%rdi, %rsi, %rdx	KEYS, DST, SRC; the last two go on with the text
 *	%rcx			IV; in GCM, STATE
 *	%r8			BYTES that are left
 *	%rax			ROUND_KEY in the rounds; between them, any
 *	%r9			DST of a block alone
 *	%r10			ROUNDS_LEFT in the rounds of words; OFFSET of a group for bulk;
 *				between them, what a mode sets: PREVIOUS, TWEAKS
 *	%r11			PIECE, the bytes of a batch for bulk; LAST_ROW of a batch of words
 *	vectors 0 to 11		groups A, B and C; of pairs, A and B have a group's rows
 *	vectors 12 to 15	T0 to T3
 *	vectors 16 to 31	with 64-byte vectors only: D, which ends a group of bytes, and
 *				constants
 */
#ifndef SM4_SKELETON_ASM_H
#define SM4_SKELETON_ASM_H

#include "vectors.h"

/*
 * The bytes at the end of a text, at most, that a function leaves to the narrower tier of
 * struct sm4_tier, where there is one
 */
.set NARROWER_BYTES,		0

#define BATCH_BLOCKS		GROUP_BLOCKS(GROUPS)
#define BATCH_BYTES		GROUP_BYTES(GROUPS)

/*
 * Where row number row of a group is in memory, from the first one's place. (No
 * spaces: they would end an argument of an assembler macro.)
 */
#define ROW(index, row)		((index)*4+(row))*VL

/* The buffer for a batch: where bulk has its home, a tier without that begins. */
#define BUFFER			(BULK*HOME)

/*
 * Do "\do register, place" for a row in memory, \offset behind \at. Of a batch,
 * only so many groups as \whole says are there for certain. Beyond these, the
 * last VL bytes of the text, which begin LAST_ROW behind \at, take the place of
 * every row that would end behind them. So a block may be in several rows: each computes
 * the same for it and stores that in the same place. That clobbers %rax.
 */
.set LAST_ROW,			%r11
#define WHOLE(groups)		((groups)-1)

.macro sm4_row		do, register, offset, at, whole
.if \offset < GROUP_BYTES(\whole) || \offset == 0
	\do		\register, \offset(\at)
.else
	mov		$\offset, %eax
	cmp		LAST_ROW, %rax
	cmova		LAST_ROW, %rax
	\do		\register, (\at,%rax)
.endif
.endm

/* The same for the rows of a group, row 0 last: sm4_cbc_xor says why. */
.macro sm4_rows		do, g, index, at, whole
	sm4_row		\do, \g\()3, ROW(\index,3), \at, \whole
	sm4_row		\do, \g\()2, ROW(\index,2), \at, \whole
	sm4_row		\do, \g\()1, ROW(\index,1), \at, \whole
	sm4_row		\do, \g\()0, ROW(\index,0), \at, \whole
.endm

/* Places may have commas. */
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
 * "\do register, place" for each of these registers, with one vector after the other from
 * \at on. Where PARTIAL is 1, only those before PIECE, by fours; that clobbers %rax.
 */
.set PARTIAL, 0

.macro sm4_each_row	registers, do, at:vararg
	.set		row, 0
.irp	register, \registers
.if PARTIAL && row && !(row & 3)
	lea		row*VL(OFFSET), %rax
	cmp		PIECE, %rax
	jae		9f
.endif
	\do		\register, row*VL+\at
	.set		row, row+1
.endr
9:
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
 * Copy a partial block of 1 to 15 bytes: its first 8, 4, 2 or 1 bytes and its
 * last ones, which may be some of the same. Clobbers T0, T1.
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

/* Forget the %r10 bytes of the stack from an offset on. Clobbers T0, %rax. */
.macro sm4_wipe_stack	offset
	_vpxor		T0, T0, T0
	mov		%r10, %rax
.Lwipe_\@:
	sm4_store_row	T0, \offset-VL(%rsp,%rax)
	sub		$VL, %rax
	jnz		.Lwipe_\@
.endm

/* Forget the groups at home. Clobbers T0, %rax, %r10. */
.macro sm4_wipe_home
	mov		HOME_USED(%rsp), %r10
	add		$HOME_END-HOME_USED, %r10
	sm4_wipe_stack	HOME
.endm

/*
 * Do "\batch \prefix, n" with the fewest groups n, up to \full, that hold so many bytes,
 * or else with \full. Leaves in %r10 the bytes of these groups.
 */
.macro sm4_fewest_groups batch, prefix, full, bytes=BYTES
.irp	n, 1, 2, 3
.if \n < \full
	cmp		$GROUP_BYTES(\n), \bytes
	jbe		.Lfewer_\@_\n
.endif
.endr
	\batch		\prefix, \full
	mov		$BATCH_BYTES, %r10d
.irp	n, 1, 2, 3
.if \n < \full
	jmp		.Lend_\@
.Lfewer_\@_\n:
	\batch		\prefix, \n
	mov		$GROUP_BYTES(\n), %r10d
.endif
.endr
.Lend_\@:
.endm

/*
 * Begin and end a function. Its frame is so many bytes of the stack, in which vectors are
 * aligned: with all that is called 2544 where it is largest, in GCM with 64-byte vectors.
 * It returns how many bytes of the text are left for a narrower tier.
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
	mov		BYTES, %rax
	leave
	sm4_clear_registers
	RET
.endm

/*
 * The skeleton of a mode of whole blocks, in two parts: bulk, and what is left.
 *
 * sm4_bulk_batches: in a tier with rounds for bulk, do batches of these as long as there
 * are enough groups. Groups leave the rounds last one first: so what CBC needs of the
 * ciphertext before a group is still there when that goes to the same place. What a
 * mode does beside are macros, those that \steps names, which may clobber %rax and
 * T0-T2:
 *
 *	\mode_bulk_in		with the rows of a group, as sm4_for_rows_in has them; T3, too
 *	\mode_bulk_between	with OFFSET at the end of the batch
 *	\mode_bulk_out		with the rows that leave, as sm4_for_rows has them:
 *				T2 may be one of these, and may not be clobbered.
 *				From one to the next, T3 is kept.
 *	\mode_bulk_end		in the end of a batch
 *	\mode_bulk_wipe		in the end
 */
/* Two groups; of bytes one and a half, below which words are faster */
#define BULK_LEAST		(2*BULK_GROUP_BYTES-BYTE_SLICED*8*VL)
/* in CTR, where they need not be whole: more than all groups of words */
#define BULK_LEAST_COUNTED	(BATCH_BYTES+1)
.set PIECE,			%r11

/*
 * The bytes of a batch for so many bytes of text. What is a little more than a batch
 * is better done in two pieces, three groups first: a few blocks alone take half as
 * long as a batch. With 64-byte vectors, the narrower tier has these.
 */
.macro sm4_batch_for	to, to32, text:vararg
.if VL < 64
	lea		-BULK_BATCH_BYTES-1(\text), \to
	cmp		$BULK_GROUP_BYTES, \to
	mov		$BULK_BATCH_BYTES, \to32
	jae		.Lbatch_\@
	mov		$BULK_BATCH_BYTES-BULK_GROUP_BYTES, \to32
.Lbatch_\@:
.else
	mov		$BULK_BATCH_BYTES, \to32
.endif
.endm

/*
 * The bytes of the next batch: of whole groups, or four rows of bytes. \counted as in
 * CTR, a group that is not whole is one more.
 */
.macro sm4_next_piece	to, to32, counted=0
.if \counted
	sm4_batch_for	\to, \to32, BYTES
.else
	mov		$BULK_BATCH_BYTES, \to32
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

/* Those of the groups that hold PIECE, into OFFSET */
.macro sm4_whole_groups
	lea		BULK_GROUP_BYTES-1(PIECE), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

.macro sm4_bulk_step	step, mode, steps:vararg
.irp	one, \steps
.ifc \one, \step
	\mode\()_bulk_\step
.endif
.endr
.endm

.macro sm4_bulk_batches	mode, prefix, steps:vararg
.if BULK
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
	sm4_next_piece	PIECE, %r11d
	sm4_whole_groups
	mov		OFFSET, HOME_USED(%rsp)
	.set		PARTIAL, BYTE_SLICED
.Lpiece_\@:
	xor		%r10d, %r10d
.Lenter_\@:
	sm4_for_rows_in	sm4_load_row, 0(SRC,OFFSET)
	sm4_bulk_step	in, \mode, \steps
	sm4_bulk_enter	\prefix
	add		$BULK_GROUP_BYTES, OFFSET
	cmp		PIECE, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds
	mov		PIECE, OFFSET
	sm4_bulk_step	between, \mode, \steps
	sm4_whole_groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix
	sm4_bulk_step	out, \mode, \steps
	sm4_for_rows	sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_bulk_step	end, \mode, \steps
	add		PIECE, SRC
	add		PIECE, DST
	sub		PIECE, BYTES
	sm4_next_piece	PIECE, %r11d
	cmp		$BULK_LEAST, PIECE
	jae		.Lpiece_\@
	.set		PARTIAL, 0
	sm4_bulk_step	wipe, \mode, \steps
	sm4_wipe_home
.Lno_bulk_\@:
.endif
.endm

/*
 * sm4_word_batches: do what is left in batches of words. The mode's macro \mode_batch,
 * with the arguments prefix and number of groups, does what is at SRC and goes to DST:
 * sm4_batch_bytes of it. It may clobber everything but KEYS, SRC, DST, IV, BYTES and
 * %r9. Only a block alone, where no narrower tier takes it, is doubled to a vector at
 * the start of the stack: an aligned one, as a vector across the end of a page takes a
 * hundred cycles. In the end BYTES is what is left for the narrower tier, which that of
 * 64-byte vectors always has.
 */
.macro sm4_word_batches	mode, prefix, full
.Lbatch_\@:
	cmp		$NARROWER_BYTES, BYTES
	jbe		.Ldone_\@
	mov		BYTES, LAST_ROW
	sub		$VL, LAST_ROW
.if VL == 32 && !NARROWER_BYTES
	mov		DST, %r9
	jae		.Lmore_blocks_\@
	xor		%r11d, %r11d
	vbroadcasti128	(SRC), T0
	mov		%rsp, SRC
	vmovdqa		T0, (SRC)
	mov		SRC, DST
.Lmore_blocks_\@:
.endif
	sm4_fewest_groups \mode\()_batch, \prefix, \full
.if VL == 32 && !NARROWER_BYTES
	cmp		DST, %r9
	je		.Lin_place_\@
	vmovdqa		(DST), T0_XMM
	vmovdqu		T0_XMM, (%r9)
	vpxor		T0, T0, T0
	vmovdqa		T0, (DST)
.Lin_place_\@:
.endif
	add		%r10, SRC
	add		%r10, DST
	sub		%r10, BYTES
	ja		.Lbatch_\@
	xor		%r8d, %r8d
.Ldone_\@:
.endm

/* How many bytes a batch of so many groups has, at most BYTES, into %rax */
.macro sm4_batch_bytes	groups
	mov		$GROUP_BYTES(\groups), %eax
	cmp		%rax, BYTES
	cmovb		BYTES, %rax
.endm

/* The stack of a mode that has nothing else there */
#define BLOCKS_FRAME		(VL+BULK*HOME_END)

#endif
