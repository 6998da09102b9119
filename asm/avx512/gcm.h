/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GCM (asm/gcm.h) on 64-byte vectors: full passes for bulk. The keystream of a part is made in
 * registers, if words hold it and the mask of the tag, or for bulk through the buffer.
 */
#ifndef SM4_AVX512_GCM_ASM_H
#define SM4_AVX512_GCM_ASM_H

#include "passes.h"

/* Words of counters but the mask's, before LAST_BYTES; all words in decryption, or none */
#define GCM_WORDS		%k1
#define GCM_DECRYPTION		%k2

/*
 * The stack: the buffer or the state of bulk; words 0 to 2 of the counter, mapped for bulk and
 * for words; word 3, in the CPU's byte order; the part; BYTES during GHASH; how many bytes of the
 * buffer are to be wiped.
 */
#define GCM_READY		(BULK_READY+VL)
#define GCM_COUNTER		(GCM_READY+3*VL)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

#include "../gcm.h"		/* which uses these */

/* In a part, instead of OFFSET */
.set GCM_SPARE,			%r10		/* temporary where TMP is in use */
.set GCM_SPARE_32,		%r10d
.set GCM_BLOCK_32,		%r10d		/* for words, a counter in the CPU's byte order */

/* Encrypt or decrypt a vector of text, with the ciphertext to GCM_END */
.macro sm4_gcm_crypt_row keystream
	vmovdqu32	(SRC), T1
	vpxord		\keystream, T1, T0		# P ^ E(counter), or C ^ E(counter)
	vmovdqu32	T0, (DST)
	vmovdqa32	T1, T0{GCM_DECRYPTION}		# C
	vmovdqu32	T0, (GCM_END)
	add		$VL, GCM_END
	add		$VL, SRC
	add		$VL, DST
.endm

/*
 * The keystream of a part in \groups groups of words: the text of groups B to D. That of A is
 * behind it, and the last block of A is the mask, or nothing. All words of WORD_3, and
 * GCM_BLOCK_32, have the counter GROUP_BLOCKS(1) before the text's first one.
 */
.macro sm4_gcm_words	groups, prefix
.if \groups > 1
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY
.endif
	add		$GROUP_BLOCKS(\groups), GCM_BLOCK_32
	vpbroadcastd	GCM_BLOCK_32, WORD_3{GCM_WORDS}
	sm4_counter_words A, 0, \prefix, GCM_READY
	call		\prefix\()_words_\groups
	test		GCM_MASK, GCM_MASK
	jz		.Lno_mask_\@
	vextracti32x4	$3, A3, GCM_STATE_MASK(STATE)	# E(J0)
.Lno_mask_\@:
	sm4_gcm_count
	xor		GCM_MASK_32, GCM_MASK_32	# there is none in the buffer
	mov		%rsp, GCM_END
.endm

.macro sm4_gcm_begin
	bt		$GCM_DECRYPTS_BIT, PART_32
	sbb		TMP_32, TMP_32
	kmovd		TMP_32, GCM_DECRYPTION
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$BULK_READY, TMP_32
	cmp		$BULK_LEAST_COUNTED-16, BYTES	# with the mask
	jae		.Llong_\@
	lea		VL+31(BYTES), TMP		# with the mask and the lengths
	and		$-VL, TMP
	jmp		.Lshort_\@
.Llong_\@:
	sm4_slices_counter_ready GCM_STATE_COUNTER, STATE
.Lshort_\@:
	mov		TMP, GCM_USED(%rsp)
.endm

/* Vector registers: as in passes.h; T2, 14, is WORD_3 before the rounds, and T3, 15, is free. */
.macro sm4_gcm_slices_pass prefix, full
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		$BULK_PASS_BYTES, OFFSET_32
.Lpass_leave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_register	SLICES, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register	SLICES, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lpass_leave_\@
.endm

.macro sm4_gcm_passes	prefix, full, hash
	sm4_gcm_full_passes BULK_PASS_BYTES, sm4_gcm_slices_pass, \prefix, \full, \hash
.endm

.macro sm4_gcm_part_bytes
	mov		$BULK_PASS_BYTES, GCM_TEXT_32
.if SLICES_ALONE
	/* Less than two groups are one and, as parts of their own, words. */
	mov		$BULK_GROUP_BYTES, TMP_32
	lea		(BYTES,GCM_MASK), GCM_SPARE
	cmp		$BULK_LEAST_OF_2, GCM_SPARE
	cmovb		TMP, GCM_TEXT
.endif
	/*
	 * If the text is whole passes, this part is the mask alone. With text in it, the last pass
	 * would be one block short, and need one more part.
	 */
	test		$BULK_PASS_BYTES-1, BYTES_32
	cmovz		GCM_MASK, GCM_TEXT
.endm

/*
 * Vector registers: as in passes.h, and:
 *
 *	12	T0		a row of keystream, then of ciphertext
 *	13	T1		a row of text
 *	14	T2		before the rounds, WORD_3
 *	15	T3		free
 *	20-23	E0-E3		after mixed rounds, rows of the group of words
 *	k1	GCM_WORDS	for words; LAST_BYTES at the end of a part; CARRIED in the rounds
 *	k2	GCM_DECRYPTION	throughout
 */
.macro sm4_gcm_part	prefix, full
	test		TMP, TMP
	jz		.Lin_buffer_\@		# nothing but the lengths
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, TMP
	je		.Lalone_\@
.endif
	lea		16(GCM_TEXT), TMP		# group A has a place for the mask
	cmp		$WORD_PASS_BYTES, TMP
	jbe		.Lwords_\@

	/* for bulk: the keystream into the buffer, of two groups, or of one and a group of words */
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
.if SLICES_MIXED
	cmp		$MIXED_BYTES, TMP
	jbe		.Lmixed_\@
.endif
	call		\prefix\()_counter_rounds
	mov		$BULK_PASS_BYTES, OFFSET_32
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_register	SLICES, sm4_store_row, 0(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_gcm_count
	test		GCM_MASK, GCM_MASK
	jz		.Lin_buffer_\@
	vmovdqu		(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)

	/* the keystream of the text, if any, is behind the mask: whole rows of it */
.Lin_buffer_\@:
	lea		(%rsp,GCM_MASK), GCM_END
	sub		$VL, GCM_TEXT
	jbe		.Llast_in_buffer_\@
	sm4_align_loop
.Lrow_\@:
	sm4_gcm_crypt_row (GCM_END)
	sub		$VL, GCM_TEXT
	ja		.Lrow_\@
.Llast_in_buffer_\@:
	vmovdqu32	(GCM_END), T0
	cmp		$-VL, GCM_TEXT
	jne		.Llast_\@
	jmp		.Lpadded_\@		# no text at all

.if SLICES_MIXED
.Lmixed_\@:
	call		\prefix\()_mixed_counter_rounds
	sm4_each_register	"E0,E1,E2,E3", sm4_store_row, BULK_GROUP_BYTES(%rsp)
	mov		$BULK_GROUP_BYTES, OFFSET_32
	jmp		.Lleave_\@
.endif

.if SLICES_ALONE
.Lalone_\@:
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	call		\prefix\()_alone_counter_rounds
	mov		$BULK_GROUP_BYTES, OFFSET_32
	jmp		.Lleave_\@
.endif

	/* for words: the keystream in registers */
.Lwords_\@:
	mov		$0x7fff, GCM_SPARE_32
	kmovd		GCM_SPARE_32, GCM_WORDS
	mov		GCM_MASK_32, GCM_BLOCK_32
	shr		$4, GCM_BLOCK_32
	add		GCM_COUNTER(%rsp), GCM_BLOCK_32	# of the text's first block
	sub		$GROUP_BLOCKS(1), GCM_BLOCK_32
	vpbroadcastd	GCM_BLOCK_32, WORD_3
.irp	groups, 1, 2, 3
	cmp		$GROUP_BYTES(\groups), TMP
	jbe		.Lwords_\@_\groups
.endr
.irp	groups, 4, 3, 2, 1
.Lwords_\@_\groups:
	sm4_gcm_words	\groups, \prefix
	test		GCM_TEXT, GCM_TEXT
	jz		.Lpadded_\@
	/* all rows but the last, whose keystream stays in T0; the code for rows of A is shared */
	.set		rows_left, 4*(\groups-1)
.irp	row, B0, B1, B2, B3, C0, C1, C2, C3, D0, D1, D2, D3
.if rows_left
	vmovdqa32	\row, T0
	sub		$VL, GCM_TEXT
	jbe		.Llast_\@
	sm4_gcm_crypt_row T0
	.set		rows_left, rows_left-1
.endif
.endr
.if \groups > 1
	jmp		.Lrows_of_a_\@
.endif
.endr
.Lrows_of_a_\@:
.irp	row, A0, A1, A2, A3			# always jumps: at most 4 rows are left
	vmovdqa32	\row, T0
	sub		$VL, GCM_TEXT
	jbe		.Llast_\@
	sm4_gcm_crypt_row T0
.endr

	/* the last row of a part, and zeros behind it */
.Llast_\@:
	sm4_mask_last	GCM_TEXT, GCM_SPARE
	vmovdqu8	(SRC), T1{LAST_BYTES}{z}
	vpxord		T1, T0, T0
	vmovdqu8	T0, (DST){LAST_BYTES}
	vmovdqa32	T1, T0{GCM_DECRYPTION}
	vmovdqu8	T0, T0{LAST_BYTES}{z}
	vmovdqu32	T0, (GCM_END)
	add		GCM_TEXT, SRC
	add		GCM_TEXT, DST
	add		$15, GCM_TEXT
	and		$-16, GCM_TEXT
	add		GCM_TEXT, GCM_END

	/* the lengths, and GHASH of what is in the buffer */
.Lpadded_\@:
	lea		(%rsp,GCM_MASK), GCM_START
.endm

.macro sm4_gcm_end
	mov		GCM_USED(%rsp), OFFSET
	sm4_wipe_rows	0
	/* the counter, which in rfc4106 begins with the salt, a part of the key */
	mov		$GCM_COUNTER-BULK_READY, OFFSET_32
	sm4_wipe_rows	BULK_READY
.endm

#endif
