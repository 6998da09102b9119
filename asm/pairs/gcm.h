/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GCM (SP 800-38D, section 7) with bulk in pairs: a function of the type sm4_gcm_function
 * (sm4-fast.h)
 *
 * The text goes through counter mode in full passes. A pass is hashed before its rounds
 * in decryption and after them in encryption, not at the same time: rounds for bulk leave
 * little room for it (docs/arithmetic.md).
 *
 * The beginning and the end of a message are parts, which go through a buffer on the stack: the
 * first block of keystream is the mask of the tag, and the end needs padding and the block of
 * lengths behind it. A short message is both at once, with one pass of the rounds and one reduction
 * of GHASH. Branches depend on the number of bytes and on the part alone.
 *
 * Only word 3 of the counter counts, so it may overflow.
 */
#ifndef SM4_PAIRS_GCM_ASM_H
#define SM4_PAIRS_GCM_ASM_H

#include "passes.h"

/*
 * The stack: the buffer, in the place of the state of bulk, and one more block; a partial block;
 * words 0 to 2 of the counter, mapped for words and for bulk; word 3, in the CPU's byte
 * order; the part; BYTES during GHASH; how many bytes of the buffer are to be wiped.
 */
#define GCM_BUFFER		BULK_STATE
#define GCM_PARTIAL		(GCM_BUFFER+BULK_PASS_BYTES+VL)
#define GCM_READY		(GCM_PARTIAL+VL)
#define GCM_BULK_READY		(GCM_READY+3*VL)
#define GCM_COUNTER		(GCM_BULK_READY+64)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

#include "../gcm-part.h"	/* which uses these */

/* The keystream of the groups below OFFSET */
.macro sm4_gcm_bulk_keystream prefix
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	lea		GCM_BULK_READY(%rsp), TMP
	call		\prefix\()_counter_rounds
.endm

/* The bytes of the groups that hold mask and text, into OFFSET */
.macro sm4_gcm_bulk_groups
	lea		BULK_GROUP_BYTES-1(GCM_TEXT,GCM_MASK), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

/* Keystream of a part into the buffer */
.macro sm4_gcm_fill_bulk prefix
	sm4_gcm_bulk_groups
	sm4_gcm_bulk_keystream \prefix
	sm4_gcm_bulk_groups
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, GCM_BUFFER(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
.endm

/*
 * \hash is a function of ghash-clmul.S. modes.h describes the other arguments.
 *
 * KEYS, DST, SRC and STATE live throughout; DST and SRC go on with the text. BYTES are those behind
 * the passes done and this part; sm4_hash_blocks saves them in GCM_BYTES. %rax is TMP, but GCM_END
 * from the keystream of a part to sm4_hash_blocks. %r10 is OFFSET, but GCM_START from `filled` on.
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
	.set WORD_3,		T2		/* of the counter, in every 128 bits */
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	GCM_FRAME
	mov		PART, GCM_PART(%rsp)
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$GCM_MOST_USED, OFFSET_32
	cmp		$WORD_PASS_BYTES-16, BYTES
	ja		.L\name\()_long
	lea		GROUP_BYTES(1)+31(BYTES), OFFSET	# with the mask and the lengths
	and		$-GROUP_BYTES(1), OFFSET
	jmp		.L\name\()_short
.L\name\()_long:
	sm4_pairs_counter_ready GCM_STATE_COUNTER, STATE, GCM_BULK_READY
.L\name\()_short:
	mov		OFFSET, GCM_USED(%rsp)
	sm4_gcm_load_counter
	test		$GCM_FIRST, PART_32
	jnz		.L\name\()_part

	/* full passes for bulk, except for one with only a little behind it (sm4_pass_for) */
.L\name\()_passes:
	cmp		$BULK_PASS_BYTES, BYTES
	jb		.L\name\()_no_pass
.L\name\()_pass:
	sm4_pass_for	TMP, BYTES
	cmp		$BULK_PASS_BYTES, TMP_32
	jb		.L\name\()_no_pass
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jz		.L\name\()_keystream
	sm4_gcm_hash_pass SRC, BULK_PASS_BYTES, \hash
.L\name\()_keystream:
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_gcm_bulk_keystream \prefix
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_align_loop
.L\name\()_leave:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.L\name\()_leave
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

	/* mask and text, as much as fits */
.L\name\()_part:
	mov		GCM_PART(%rsp), GCM_MASK_32
	and		$GCM_FIRST, GCM_MASK_32
	shl		$4, GCM_MASK_32			# 16 bytes, or 0
	sm4_pass_for	GCM_TEXT, BYTES,GCM_MASK
.if SHORT_GROUPS > 1
	/*
	 * Only full passes: the mask alone. With it, the last block would be a part of its own.
	 * With AES-NI, a text of one or two passes would take 4 % longer so.
	 */
	test		$BULK_PASS_BYTES-1, BYTES_32
	cmovz		GCM_MASK, GCM_TEXT
.endif
	sub		GCM_MASK, GCM_TEXT
	cmp		BYTES, GCM_TEXT
	cmova		BYTES, GCM_TEXT			# of this part
	sub		GCM_TEXT, BYTES
	lea		(GCM_TEXT,GCM_MASK), TMP
	test		TMP, TMP
	jz		.L\name\()_filled		# nothing but the lengths
	cmp		$WORD_PASS_BYTES, TMP
	jbe		.L\name\()_fill_words
	sm4_gcm_fill_bulk \prefix
	jmp		.L\name\()_count
.L\name\()_fill_words:
	sm4_fewest_groups sm4_gcm_fill, \full, TMP, \prefix
.L\name\()_count:
	sm4_gcm_count
	test		GCM_MASK, GCM_MASK
	jz		.L\name\()_filled
	vmovdqu		GCM_BUFFER(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)

	/* the keystream for the text is at GCM_START; up to GCM_END it has been used */
.L\name\()_filled:
	lea		GCM_BUFFER(%rsp,GCM_MASK), GCM_START
	sm4_gcm_crypt_part
	sm4_gcm_hash_part \hash
	test		BYTES, BYTES
	jnz		.L\name\()_passes
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\name\()_done
	sm4_gcm_tag

.L\name\()_done:
	sm4_gcm_end
SYM_FUNC_END(\name)
.endm

#endif
