/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GCM (SP 800-38D, section 7) on 64-byte vectors: a function of the type sm4_gcm_function
 * (sm4-fast.h).
 *
 * Full passes for bulk go through counter mode, and are hashed before the rounds in decryption
 * and after them in encryption. What is shorter, and the beginning and the end of a message, is a
 * part: its ciphertext gets into the buffer, where GHASH finds the padding and the lengths
 * behind it. The keystream of a part is made in registers, if words hold it and the mask of the
 * tag, or for bulk through the buffer. Branches depend on the number of bytes and the part alone.
 *
 * Only word 3 of the counter counts, so it may overflow. Counters as words, and prefix_words_N, are
 * those of asm/words.h.
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

#include "../gcm-hash.h"	/* which uses these */

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

/*
 * \hash is a function of ghash-clmul.S.
 *
 * KEYS, DST, SRC and STATE live throughout; DST and SRC go on with the text. BYTES are those behind
 * the passes done and this part; sm4_hash_blocks saves them in GCM_BYTES, and clobbers all other
 * general registers. %rax is TMP, but GCM_END from the keystream of a part to sm4_hash_blocks. %r10
 * is OFFSET, but GCM_START from `padded` on, and in a part GCM_SPARE or GCM_BLOCK_32. Of masks, %k1
 * is GCM_WORDS, LAST_BYTES and CARRIED, and %k2 GCM_DECRYPTION.
 */
.macro sm4_gcm_function	name, prefix, full, hash
	.set STATE,		%rcx		/* struct sm4_gcm_state */
	.set PART,		%r9		/* enum sm4_gcm_part; then it is GCM_TEXT */
	.set PART_32,		%r9d
	.set GCM_TEXT,		%r9		/* bytes of this part's text still to do */
	.set GCM_TEXT_32,	%r9d
	.set GCM_MASK,		%r11		/* bytes of the mask before it, 0 or 16 */
	.set GCM_MASK_32,	%r11d
	.set GCM_START,		%r10		/* in the buffer: the ciphertext to hash */
	.set GCM_END,		%rax		/* and its end, up to which it is done */
	.set GCM_SPARE,		%r10		/* temporary where TMP is in use */
	.set GCM_SPARE_32,	%r10d
	.set GCM_BLOCK_32,	%r10d		/* for words, a counter in the CPU's byte order */
	.set WORD_3,		T2		/* of the counter, in every 128 bits */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	GCM_FRAME
	mov		PART, GCM_PART(%rsp)
	bt		$GCM_DECRYPTS_BIT, PART_32
	sbb		TMP_32, TMP_32
	kmovd		TMP_32, GCM_DECRYPTION
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$BULK_READY, TMP_32
	cmp		$BULK_LEAST_COUNTED-16, BYTES	# with the mask
	jae		.L\name\()_long
	lea		VL+31(BYTES), TMP		# with the mask and the lengths
	and		$-VL, TMP
	jmp		.L\name\()_short
.L\name\()_long:
	sm4_slices_counter_ready GCM_STATE_COUNTER, STATE
.L\name\()_short:
	mov		TMP, GCM_USED(%rsp)
	sm4_gcm_load_counter
	test		$GCM_FIRST, PART_32
	jnz		.L\name\()_part

	/* full passes for bulk */
.L\name\()_passes:
	cmp		$BULK_PASS_BYTES, BYTES
	jb		.L\name\()_no_pass
.L\name\()_pass:
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jz		.L\name\()_keystream
	sm4_gcm_hash_pass SRC, BULK_PASS_BYTES, \hash
.L\name\()_keystream:
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	call		\prefix\()_counter_rounds	# E(counter + i)
	mov		$BULK_PASS_BYTES, OFFSET_32
.L\name\()_pass_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_register	SLICES, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register	SLICES, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_pass_leave
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jnz		.L\name\()_hashed
	sm4_gcm_hash_pass DST, BULK_PASS_BYTES, \hash
.L\name\()_hashed:
	sm4_gcm_advance	BULK_PASS_BYTES
	jae		.L\name\()_pass
.L\name\()_no_pass:
	cmp		$NARROWER_BYTES, BYTES
	ja		.L\name\()_part
	test		BYTES, BYTES
	jnz		.L\name\()_done
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\name\()_done

	/* a part: mask and text, as much as fits */
.L\name\()_part:
	mov		GCM_PART(%rsp), GCM_MASK_32
	and		$GCM_FIRST, GCM_MASK_32
	shl		$4, GCM_MASK_32			# 16 bytes, or 0
	mov		$BULK_PASS_BYTES, GCM_TEXT_32
.if SLICES_ALONE
	/* Less than two groups are one and, as parts of their own, words. */
	mov		$BULK_GROUP_BYTES, TMP_32
	lea		(BYTES,GCM_MASK), GCM_SPARE
	cmp		$BULK_LEAST_OF_2, GCM_SPARE
	cmovb		TMP, GCM_TEXT
.endif
	/*
	 * If the text is whole passes, this part is the mask alone: with text beside it, the last
	 * pass would lack a block, which would be one more part.
	 */
	test		$BULK_PASS_BYTES-1, BYTES_32
	cmovz		GCM_MASK, GCM_TEXT
	sub		GCM_MASK, GCM_TEXT
	cmp		BYTES, GCM_TEXT
	cmova		BYTES, GCM_TEXT			# of this part
	sub		GCM_TEXT, BYTES
	lea		(GCM_TEXT,GCM_MASK), TMP
	test		TMP, TMP
	jz		.L\name\()_in_buffer		# nothing but the lengths
.if SLICES_ALONE
	cmp		$BULK_GROUP_BYTES, TMP
	je		.L\name\()_alone
.endif
	lea		16(GCM_TEXT), TMP		# group A has a place for the mask
	cmp		$WORD_PASS_BYTES, TMP
	jbe		.L\name\()_words

	/* for bulk: the keystream into the buffer, of two groups, or of one and a group of words */
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
.if SLICES_MIXED
	cmp		$MIXED_BYTES, TMP
	jbe		.L\name\()_mixed
.endif
	call		\prefix\()_counter_rounds
	mov		$BULK_PASS_BYTES, OFFSET_32
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	call		\prefix\()_leave
	call		\prefix\()_transpose
	sm4_each_register	SLICES, sm4_store_row, 0(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
	sm4_gcm_count
	test		GCM_MASK, GCM_MASK
	jz		.L\name\()_in_buffer
	vmovdqu		(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)

	/* the keystream of the text, if any, is behind that of the mask: whole rows of it */
.L\name\()_in_buffer:
	lea		(%rsp,GCM_MASK), GCM_END
	sub		$VL, GCM_TEXT
	jbe		.L\name\()_last_in_buffer
	sm4_align_loop
.L\name\()_row:
	sm4_gcm_crypt_row (GCM_END)
	sub		$VL, GCM_TEXT
	ja		.L\name\()_row
.L\name\()_last_in_buffer:
	vmovdqu32	(GCM_END), T0
	cmp		$-VL, GCM_TEXT
	jne		.L\name\()_last
	jmp		.L\name\()_padded		# no text at all

.if SLICES_MIXED
.L\name\()_mixed:
	call		\prefix\()_mixed_counter_rounds
	sm4_each_register	"E0,E1,E2,E3", sm4_store_row, BULK_GROUP_BYTES(%rsp)
	mov		$BULK_GROUP_BYTES, OFFSET_32
	jmp		.L\name\()_leave
.endif

.if SLICES_ALONE
.L\name\()_alone:
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	call		\prefix\()_alone_counter_rounds
	mov		$BULK_GROUP_BYTES, OFFSET_32
	jmp		.L\name\()_leave
.endif

	/* for words: the keystream in registers */
.L\name\()_words:
	mov		$0x7fff, GCM_SPARE_32
	kmovd		GCM_SPARE_32, GCM_WORDS
	mov		GCM_MASK_32, GCM_BLOCK_32
	shr		$4, GCM_BLOCK_32
	add		GCM_COUNTER(%rsp), GCM_BLOCK_32	# of the text's first block
	sub		$GROUP_BLOCKS(1), GCM_BLOCK_32
	vpbroadcastd	GCM_BLOCK_32, WORD_3
.irp	groups, 1, 2, 3
	cmp		$GROUP_BYTES(\groups), TMP
	jbe		.L\name\()_words_\groups
.endr
.irp	groups, 4, 3, 2, 1
.L\name\()_words_\groups:
	sm4_gcm_words	\groups, \prefix
	test		GCM_TEXT, GCM_TEXT
	jz		.L\name\()_padded
	/* all rows but the last, whose keystream stays in T0; those of A are shared */
	.set		rows_left, 4*(\groups-1)
.irp	row, B0, B1, B2, B3, C0, C1, C2, C3, D0, D1, D2, D3
.if rows_left
	vmovdqa32	\row, T0
	sub		$VL, GCM_TEXT
	jbe		.L\name\()_last
	sm4_gcm_crypt_row T0
	.set		rows_left, rows_left-1
.endif
.endr
.if \groups > 1
	jmp		.L\name\()_rows_of_a
.endif
.endr
.L\name\()_rows_of_a:
.irp	row, A0, A1, A2, A3			# always jumps: at most 4 rows are left
	vmovdqa32	\row, T0
	sub		$VL, GCM_TEXT
	jbe		.L\name\()_last
	sm4_gcm_crypt_row T0
.endr

	/* the last row of a part, and zeros behind it */
.L\name\()_last:
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
.L\name\()_padded:
	lea		(%rsp,GCM_MASK), GCM_START
	sm4_gcm_hash_part \hash
	test		BYTES, BYTES
	jnz		.L\name\()_passes
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\name\()_done
	sm4_gcm_tag

.L\name\()_done:
	sm4_gcm_store_counter
	mov		GCM_USED(%rsp), OFFSET
	sm4_wipe_rows	0
	/* the counter, which in rfc4106 begins with the salt, a part of the key */
	mov		$GCM_COUNTER-BULK_READY, OFFSET_32
	sm4_wipe_rows	BULK_READY
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
