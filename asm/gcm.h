/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GCM (SP 800-38D, section 7) on vectors of any width: a function of the type sm4_gcm_function
 * (sm4-fast.h), its counter, and GHASH of its text
 *
 * The text goes through counter mode in full passes. A pass is hashed before its rounds in
 * decryption and after them in encryption.
 *
 * The beginning and the end of a message are parts, which go through a buffer on the stack: the
 * first block of keystream is the mask of the tag, and the end needs padding and the block of
 * lengths behind it. A short message is both at once, with one pass of the rounds and one reduction
 * of GHASH. A part has up to a pass of mask and text, so a text a little longer than a pass has no
 * full one: with pairs and vectors of 32 bytes, 1009 bytes are parts of 752 and 257. Branches
 * depend on the number of bytes and on the part alone.
 *
 * Only word 3 of the counter counts, so it may overflow.
 *
 * A tier defines places on the stack: GCM_COUNTER for word 3 of the counter, in the CPU's byte
 * order; GCM_PART for the part; GCM_BYTES for BYTES during GHASH. And these macros:
 *
 *	sm4_gcm_begin		keep words 0 to 2 of the counter, for the rounds
 *	sm4_gcm_passes prefix, full, hash	full passes; they may leave one for a part
 *	sm4_gcm_part_bytes	how many bytes of mask and text fit in a part, into GCM_TEXT
 *	sm4_gcm_part prefix, full	a part of GCM_MASK bytes of mask and GCM_TEXT bytes of text,
 *				in sum TMP. It stores the mask in the state and the text at DST,
 *				and leaves the padded ciphertext from GCM_START to GCM_END.
 *	sm4_gcm_end		wipe the stack
 */
#ifndef SM4_GCM_ASM_H
#define SM4_GCM_ASM_H

#include "ghash.h"

/* Count the blocks of mask and text. Clobbers TMP. */
.macro sm4_gcm_count
	lea		15(GCM_TEXT,GCM_MASK), TMP
	shr		$4, TMP
	add		TMP_32, GCM_COUNTER(%rsp)
.endm

/*
 * Take BLOCKS_LEFT blocks at HASHED into the hash, by the function \hash_blocks of
 * ghash-clmul.S, which says what it clobbers: GCM_TEXT, GCM_MASK, GCM_START and GCM_END, too.
 */
.macro sm4_hash_blocks	hash
	mov		BYTES, GCM_BYTES(%rsp)
	lea		GCM_HASH_KEY(KEYS), BLOCKS_KEY	# powers of H
	vmovdqu		GCM_STATE_HASH(STATE), HASH_XMM	# Y
	vpshufb		.Lreverse_block(%rip), HASH_XMM, HASH_XMM
	call		\hash\()_blocks			# Y = (...((Y ^ C_1) * H ^ C_2) * H ...) * H
	vpshufb		.Lreverse_block(%rip), HASH_XMM, HASH_XMM
	vmovdqu		HASH_XMM, GCM_STATE_HASH(STATE)
	mov		GCM_BYTES(%rsp), BYTES
.endm

/* Take a pass of \bytes at \at into the hash. */
.macro sm4_gcm_hash_pass at, bytes, hash
	mov		\at, HASHED
	mov		$(\bytes)/16, BLOCKS_LEFT_32
	sm4_hash_blocks	\hash
.endm

/* \bytes of text are done. Afterwards, jae jumps if the text has as many left. */
.macro sm4_gcm_advance	bytes
	addl		$(\bytes)/16, GCM_COUNTER(%rsp)
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, BYTES
	cmp		$\bytes, BYTES
.endm

/*
 * Full passes of \bytes: "\crypt prefix, full" does one. With \enough, that macro has to find more
 * text each time: afterwards, jb jumps if it does not.
 */
.macro sm4_gcm_full_passes bytes, crypt, prefix, full, hash, enough
	cmp		$\bytes, BYTES
	jb		.Lno_pass_\@
.Lpass_\@:
.ifnb \enough
	\enough
	jb		.Lno_pass_\@
.endif
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jz		.Lkeystream_\@
	sm4_gcm_hash_pass SRC, \bytes, \hash
.Lkeystream_\@:
	\crypt		\prefix, \full
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jnz		.Lhashed_\@
	sm4_gcm_hash_pass DST, \bytes, \hash
.Lhashed_\@:
	sm4_gcm_advance	\bytes
	jae		.Lpass_\@
.Lno_pass_\@:
.endm

/*
 * A part is done, and its ciphertext is from GCM_START to GCM_END, padded: take it into the hash,
 * and in the end the lengths, for which there is room behind it. Leaves the hash in HASH_XMM.
 */
.macro sm4_gcm_hash_part hash
	andl		$~GCM_FIRST, GCM_PART(%rsp)
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.Lno_lengths_\@
	test		BYTES, BYTES
	jnz		.Lno_lengths_\@
	vmovdqu		GCM_STATE_LENGTHS(STATE), T0_XMM
	vmovdqu		T0_XMM, (GCM_END)		# len(A) || len(C)
	add		$16, GCM_END
.Lno_lengths_\@:
	mov		GCM_START, HASHED
	mov		GCM_END, BLOCKS_LEFT
	sub		HASHED, BLOCKS_LEFT
	shr		$4, BLOCKS_LEFT
	jz		.Lhashed_\@
	sm4_hash_blocks	\hash
.Lhashed_\@:
.endm

/* The hash in HASH_XMM into the tag */
.macro sm4_gcm_tag
	vpxor		GCM_STATE_MASK(STATE), HASH_XMM, HASH_XMM	# tag = E(J0) ^ Y
	vmovdqu		HASH_XMM, GCM_STATE_HASH(STATE)
.endm

/* Word 3 of the counter between the state and the stack. Clobbers TMP. */
.macro sm4_gcm_load_counter
	mov		GCM_STATE_COUNTER+12(STATE), TMP_32
	bswap		TMP_32				# in the byte order of the CPU
	mov		TMP_32, GCM_COUNTER(%rsp)
.endm

.macro sm4_gcm_store_counter
	mov		GCM_COUNTER(%rsp), TMP_32
	bswap		TMP_32
	mov		TMP_32, GCM_STATE_COUNTER+12(STATE)
.endm

/*
 * asm/begin-tier.h describes the arguments, but for the name.
 *
 * KEYS, DST, SRC and STATE live throughout; DST and SRC go on with the text. BYTES counts the text
 * behind the passes done and this part; sm4_hash_blocks saves it in GCM_BYTES, and clobbers all
 * other general registers. %rax is TMP, but GCM_END from the keystream of a part to
 * sm4_hash_blocks. %r10 is OFFSET, but GCM_START when the ciphertext of a part is complete.
 *
 * Vector registers: as in word-passes.h, for bulk as in passes.h of pairs or avx512, during GHASH
 * as in ghash.h, and:
 *
 *	2	HASH_XMM	the hash, from GHASH of the last part to the tag
 *	12	T0		text, then ciphertext; temporary
 *	13	T1		text; temporary
 *	14	T2		WORD_3, to make the counters of a pass; zero, for padding
 *	15	T3		free
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
	sm4_gcm_begin
	sm4_gcm_load_counter
	test		$GCM_FIRST, PART_32
	jnz		.L\name\()_part

.L\name\()_passes:
	sm4_gcm_passes	\prefix, \full, \hash
	cmp		$NARROWER_BYTES, BYTES
	ja		.L\name\()_part
	test		BYTES, BYTES
	jnz		.L\name\()_done
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\name\()_done

	/* a part: mask and text, as much as fits, or nothing but the lengths */
.L\name\()_part:
	mov		GCM_PART(%rsp), GCM_MASK_32
	and		$GCM_FIRST, GCM_MASK_32
	shl		$4-GCM_FIRST_BIT, GCM_MASK_32	# 16 bytes, or 0
	sm4_gcm_part_bytes
	sub		GCM_MASK, GCM_TEXT
	cmp		BYTES, GCM_TEXT
	cmova		BYTES, GCM_TEXT
	sub		GCM_TEXT, BYTES
	lea		(GCM_TEXT,GCM_MASK), TMP
	sm4_gcm_part	\prefix, \full
	sm4_gcm_hash_part \hash
	test		BYTES, BYTES
	jnz		.L\name\()_passes
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\name\()_done
	sm4_gcm_tag

.L\name\()_done:
	sm4_gcm_store_counter
	sm4_gcm_end
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
