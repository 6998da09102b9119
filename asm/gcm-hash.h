/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The registers of GCM, on vectors of any width, its counter, and GHASH of its text. A mode
 * defines GCM_COUNTER, GCM_PART and GCM_BYTES, the places on the stack of word 3 of the
 * counter, in the CPU's byte order, of the part, and of BYTES during GHASH. Its function names the
 * registers STATE, GCM_TEXT, GCM_MASK, GCM_START and GCM_END.
 */
#ifndef SM4_GCM_HASH_ASM_H
#define SM4_GCM_HASH_ASM_H

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

#endif
