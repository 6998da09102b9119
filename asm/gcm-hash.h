/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of GCM (asm/gcm.h, asm/avx512/gcm.h), its counter, and GHASH of its text. A
 * mode defines GCM_COUNTER, GCM_PART and GCM_BYTES, the places on the stack of word 3 of the
 * counter, in the CPU's byte order, of the part, and of BYTES during GHASH.
 */
#ifndef SM4_GCM_HASH_ASM_H
#define SM4_GCM_HASH_ASM_H

#include "ghash.h"

/*
 * Registers of sm4_gcm_function. KEYS, DST, SRC and STATE live throughout; DST and SRC go on with
 * the text. BYTES are those behind the passes done and this part; sm4_hash_blocks saves them in
 * GCM_BYTES. %rax is TMP, but GCM_END from the keystream of a part to sm4_hash_blocks. %r10 is
 * OFFSET, but GCM_START from `padded` on, in asm/gcm.h from `filled` on.
 */
.set STATE,			%rcx			/* struct sm4_gcm_state */
.set PART,			%r9			/* enum sm4_gcm_part; then it is GCM_TEXT */
.set PART_32,			%r9d
.set GCM_TEXT,			%r9			/* bytes of this part's text still to do */
.set GCM_TEXT_32,		%r9d
.set GCM_MASK,			%r11			/* bytes of the mask before it, 0 or 16 */
.set GCM_MASK_32,		%r11d
.set GCM_START,			%r10			/* in the buffer: the ciphertext to hash */
.set GCM_END,			%rax			/* and its end, up to which it is done */

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

/*
 * Take a pass of \bytes at \at into the hash, but only in decryption (\skip is jz
 * and \at SRC) or only in encryption (jnz and DST).
 */
.macro sm4_gcm_hash_pass skip, at, bytes, hash
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	\skip		.Lnot_this_\@
	mov		\at, HASHED
	mov		$(\bytes)/16, BLOCKS_LEFT_32
	sm4_hash_blocks	\hash
.Lnot_this_\@:
.endm

/* \bytes of text are done. Afterwards, jae jumps if the text has as many left. */
.macro sm4_gcm_advance	bytes
	addl		$(\bytes)/16, GCM_COUNTER(%rsp)
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, BYTES
	cmp		$\bytes, BYTES
.endm

#endif
