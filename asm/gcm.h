/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GCM (SP 800-38D, section 7) on vectors, for all SIMD tiers: a function of the type
 * sm4_gcm_function (sm4-fast.h).
 *
 * The text goes through counter mode in full passes. A pass is hashed before its rounds
 * in decryption and after them in encryption, not at the same time: rounds for bulk leave
 * little room for it (docs/arithmetic.md).
 *
 * The beginning and the end of a message go through a buffer on the stack: the first block
 * of keystream is the mask of the tag, and the end needs padding and the block of lengths
 * behind it. A short message is both at once, with one pass of the rounds and one reduction
 * of GHASH. Branches depend on the number of bytes and on the part alone.
 *
 * Only word 3 of the counter counts, so it may overflow.
 */
#ifndef SM4_GCM_ASM_H
#define SM4_GCM_ASM_H

#include "ctr.h"

/* In sm4_gcm_function, when GCM_MASK has been used: where a partial block is */
.set GCM_PARTIAL_BLOCK,		%r11

/*
 * The stack: the buffer, a pass or the state of bulk, and one more block; a partial block;
 * words 0 to 2 of the counter, mapped for words and for bulk; word 3, in the CPU's byte
 * order; the part; BYTES during GHASH; how many bytes of the buffer are to be wiped.
 */
#if BULK
#define GCM_BUFFER_BYTES	BULK_PASS_BYTES
#else
#define GCM_BUFFER_BYTES	WORD_PASS_BYTES
#endif
#define GCM_PARTIAL		(BUFFER+GCM_BUFFER_BYTES+VL)
#define GCM_READY		(GCM_PARTIAL+VL)
#define GCM_BULK_READY		(GCM_READY+3*VL)
#if BULK
#define GCM_COUNTER		(GCM_BULK_READY+64)
#else
#define GCM_COUNTER		GCM_BULK_READY
#endif
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

/* GCM_USED of a long text: the buffer and the partial block, and some of what is wiped anyway */
#define GCM_MOST_USED		((GCM_READY-BUFFER+WIPED_AT_ONCE-1)/WIPED_AT_ONCE*WIPED_AT_ONCE)

#include "gcm-hash.h"		/* which uses these */

/* The keystream of \groups groups, as rows. Clobbers ROUND_KEY, ROUNDS_LEFT, T0-T3. */
.macro sm4_gcm_keystream prefix, groups
	vbroadcastss	GCM_COUNTER(%rsp), T2		# word 3, in every 128 bits
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

/* All full passes of words */
.macro sm4_gcm_passes	prefix, full, hash
	cmp		$WORD_PASS_BYTES, BYTES
	jb		.Lno_pass_\@
.Lpass_\@:
	sm4_gcm_hash_pass jz, SRC, WORD_PASS_BYTES, \hash
	sm4_gcm_keystream \prefix, \full
	sm4_for_groups	\full, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\full, sm4_store, DST
	sm4_gcm_hash_pass jnz, DST, WORD_PASS_BYTES, \hash
	sm4_gcm_advance	WORD_PASS_BYTES
	jae		.Lpass_\@
.Lno_pass_\@:
.endm

/*
 * Bulk: the keystream of the groups below OFFSET; and all full passes, except for one with
 * only a little behind it (sm4_pass_for).
 */
.macro sm4_gcm_bulk_keystream prefix
	vbroadcastss	GCM_COUNTER(%rsp), T2
	lea		GCM_BULK_READY(%rsp), TMP
	call		\prefix\()_counter_rounds
.endm

.macro sm4_gcm_bulk_passes prefix, hash
	cmp		$BULK_PASS_BYTES, BYTES
	jb		.Lno_bulk_\@
.Lpass_\@:
	sm4_pass_for	TMP, BYTES
	cmp		$BULK_PASS_BYTES, TMP_32
	jb		.Lno_bulk_\@
	sm4_gcm_hash_pass jz, SRC, BULK_PASS_BYTES, \hash
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_gcm_bulk_keystream \prefix
	mov		$BULK_PASS_BYTES, OFFSET_32
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_each_register PAIRS, sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_gcm_hash_pass jnz, DST, BULK_PASS_BYTES, \hash
	sm4_gcm_advance	BULK_PASS_BYTES
	jae		.Lpass_\@
.Lno_bulk_\@:
.endm

/* The bytes of the groups that hold mask and text, into OFFSET */
.macro sm4_gcm_bulk_groups
	lea		BULK_GROUP_BYTES-1(GCM_TEXT,GCM_MASK), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

.macro sm4_gcm_fill_bulk prefix
	sm4_gcm_bulk_groups
	sm4_gcm_bulk_keystream \prefix
	sm4_gcm_bulk_groups
	sm4_align_loop
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_pairs_leave
	sm4_each_register PAIRS, sm4_store_row, BULK_STATE(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
.endm

/* Keystream into the buffer */
.macro sm4_gcm_fill	groups, prefix
	sm4_gcm_keystream \prefix, \groups
	lea		BUFFER(%rsp), OFFSET
	sm4_for_groups	\groups, sm4_store, OFFSET
.endm

/*
 * Encrypt or decrypt 16 bytes or a vector. The ciphertext replaces the keystream at GCM_END,
 * for GHASH. Clobbers \t0 and \t1.
 */
.macro sm4_gcm_crypt_vector t0, t1, from=SRC, to=DST
	vmovdqu		(\from), \t0
	vpxor		(GCM_END), \t0, \t1		# P ^ E(counter), or C ^ E(counter)
	vmovdqu		\t1, (\to)
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jnz		.Lciphertext_\@
	vmovdqa		\t1, \t0
.Lciphertext_\@:
	vmovdqu		\t0, (GCM_END)			# C
.endm

/* Encrypt or decrypt whole vectors of \bytes, and leave the rest in GCM_TEXT. */
.macro sm4_gcm_crypt_vectors bytes, t0, t1
	sub		$\bytes, GCM_TEXT
	jb		.Lno_vector_\@
.Lvector_\@:
	sm4_gcm_crypt_vector \t0, \t1
	add		$\bytes, GCM_END
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, GCM_TEXT
	jae		.Lvector_\@
.Lno_vector_\@:
	add		$\bytes, GCM_TEXT
.endm

/* \hash is a function of ghash-clmul.S. asm/modes.h describes the other arguments. */
.macro sm4_gcm_function	name, prefix, full, hash
.if BUFFER+GCM_MOST_USED > GCM_COUNTER
	.error "what is wiped of the buffer reaches the counter"
.endif
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	GCM_FRAME
	mov		PART, GCM_PART(%rsp)
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$GCM_MOST_USED, OFFSET_32
.if BULK
	cmp		$WORD_PASS_BYTES-16, BYTES
	ja		.L\prefix\()_gcm_long
	lea		GROUP_BYTES(1)+31(BYTES), OFFSET	# with the mask and the lengths
	and		$-GROUP_BYTES(1), OFFSET
	jmp		.L\prefix\()_gcm_short
.L\prefix\()_gcm_long:
	sm4_pairs_counter_ready GCM_STATE_COUNTER, STATE, GCM_BULK_READY
.L\prefix\()_gcm_short:
.endif
	mov		OFFSET, GCM_USED(%rsp)
	mov		GCM_STATE_COUNTER+12(STATE), TMP_32
	bswap		TMP_32			# in the byte order of the CPU
	mov		TMP_32, GCM_COUNTER(%rsp)
	test		$GCM_FIRST, PART_32
	jnz		.L\prefix\()_gcm_part

.L\prefix\()_gcm_passes:
.if BULK
	sm4_gcm_bulk_passes \prefix, \hash
.else
	sm4_gcm_passes	\prefix, \full, \hash
.endif
	cmp		$NARROWER_BYTES, BYTES
	ja		.L\prefix\()_gcm_part
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_done
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_done

	/* mask and text, as much as fits */
.L\prefix\()_gcm_part:
	mov		GCM_PART(%rsp), GCM_MASK_32
	and		$GCM_FIRST, GCM_MASK_32
	shl		$4, GCM_MASK_32			# 16 bytes, or 0
.if BULK
	sm4_pass_for	GCM_TEXT, BYTES,GCM_MASK
.if SHORT_GROUPS > 1
	/*
	 * Only full passes: the mask alone. With it, the last block would be a part of its own.
	 * With AES-NI, a text of one or two passes would take 4 % longer so.
	 */
	test		$BULK_PASS_BYTES-1, BYTES_32
	cmovz		GCM_MASK, GCM_TEXT
.endif
.else
	mov		$WORD_PASS_BYTES, GCM_TEXT_32
.endif
	sub		GCM_MASK, GCM_TEXT
	cmp		BYTES, GCM_TEXT
	cmova		BYTES, GCM_TEXT			# of this part
	sub		GCM_TEXT, BYTES
	lea		(GCM_TEXT,GCM_MASK), TMP
	test		TMP, TMP
	jz		.L\prefix\()_gcm_filled
.if BULK
	cmp		$WORD_PASS_BYTES, TMP
	jbe		.L\prefix\()_gcm_fill_words
	sm4_gcm_fill_bulk \prefix
	jmp		.L\prefix\()_gcm_count
.L\prefix\()_gcm_fill_words:
.endif
	sm4_fewest_groups sm4_gcm_fill, \full, TMP, \prefix
.L\prefix\()_gcm_count:
	sm4_gcm_count
	test		GCM_MASK, GCM_MASK
	jz		.L\prefix\()_gcm_filled
	vmovdqu		BUFFER(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)

	/* the keystream for the text is at GCM_START; up to GCM_END it has been used */
.L\prefix\()_gcm_filled:
	lea		BUFFER(%rsp,GCM_MASK), GCM_START
	mov		GCM_START, GCM_END
	sm4_gcm_crypt_vectors VL, T0, T1
.if VL == 32
	sm4_gcm_crypt_vectors 16, T0_XMM, T1_XMM
.endif
	test		GCM_TEXT, GCM_TEXT
	jz		.L\prefix\()_gcm_padded

	/* a partial block, and zeros behind it */
	lea		GCM_PARTIAL(%rsp), GCM_PARTIAL_BLOCK
	sm4_copy_partial SRC, GCM_PARTIAL_BLOCK, GCM_TEXT
	sm4_gcm_crypt_vector T0_XMM, T1_XMM, GCM_PARTIAL_BLOCK, GCM_PARTIAL_BLOCK
	vpxor		T2_XMM, T2_XMM, T2_XMM
	vmovdqu		T2_XMM, (GCM_END,GCM_TEXT)
	sm4_copy_partial GCM_PARTIAL_BLOCK, DST, GCM_TEXT
	vmovdqu		T2_XMM, (GCM_PARTIAL_BLOCK)
	add		$16, GCM_END

.L\prefix\()_gcm_padded:
	andl		$~GCM_FIRST, GCM_PART(%rsp)
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_hash
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_hash
	vmovdqu		GCM_STATE_LENGTHS(STATE), T0_XMM
	vmovdqu		T0_XMM, (GCM_END)		# len(A) || len(C)
	add		$16, GCM_END
.L\prefix\()_gcm_hash:
	mov		GCM_START, HASHED
	mov		GCM_END, BLOCKS_LEFT
	sub		HASHED, BLOCKS_LEFT
	shr		$4, BLOCKS_LEFT
	jz		.L\prefix\()_gcm_hashed
	sm4_hash_blocks	\hash
.L\prefix\()_gcm_hashed:
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_passes
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_done
	vpxor		GCM_STATE_MASK(STATE), HASH_XMM, HASH_XMM	# tag = E(J0) ^ Y
	vmovdqu		HASH_XMM, GCM_STATE_HASH(STATE)

.L\prefix\()_gcm_done:
	mov		GCM_COUNTER(%rsp), TMP_32
	bswap		TMP_32
	mov		TMP_32, GCM_STATE_COUNTER+12(STATE)
	mov		GCM_USED(%rsp), OFFSET
	sm4_wipe_stack	BUFFER
	/* the counter, which in rfc4106 begins with the salt, a part of the key */
	.set		wiped, GCM_READY
.rept	(GCM_COUNTER-GCM_READY)/VL
	sm4_store_row	T0, wiped(%rsp)
	.set		wiped, wiped+VL
.endr
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
