/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * A part of a message in GCM, on vectors of 16 and 32 bytes. The keystream is written to a buffer
 * on the stack. The text is encrypted or decrypted with it, and the ciphertext takes its place in
 * the buffer, for GHASH.
 *
 * Besides what asm/gcm.h needs, a tier defines places on the stack: GCM_BUFFER; GCM_PARTIAL,
 * for a partial block; GCM_READY, for what sm4_counter_ready makes, up to GCM_COUNTER; and
 * GCM_USED, for how many bytes of the buffer sm4_gcm_end is to wipe.
 */
#ifndef SM4_GCM_PART_ASM_H
#define SM4_GCM_PART_ASM_H

#include "gcm.h"
#include "partial.h"

/* GCM_USED of a long text: the buffer and the partial block, and some of what is wiped anyway */
#define GCM_MOST_USED		((GCM_READY-GCM_BUFFER+WIPED_AT_ONCE-1)/WIPED_AT_ONCE*WIPED_AT_ONCE)

/* The keystream of \groups groups, as rows. Clobbers ROUND_KEY, ROUNDS_LEFT, T0-T3. */
.macro sm4_gcm_keystream prefix, groups
	vbroadcastss	GCM_COUNTER(%rsp), WORD_3
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

/* Keystream into the buffer */
.macro sm4_gcm_fill	groups, prefix
	sm4_gcm_keystream \prefix, \groups
	lea		GCM_BUFFER(%rsp), OFFSET
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

/* The mask, from the start of the buffer, if this part has it */
.macro sm4_gcm_store_mask
	test		GCM_MASK, GCM_MASK
	jz		.Lno_mask_\@
	vmovdqu		GCM_BUFFER(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)
.Lno_mask_\@:
.endm

/*
 * The text of a part, from the keystream at GCM_START on, in whole vectors and blocks and a partial
 * block. GCM_END goes on with it, to the end of the padding.
 */
.macro sm4_gcm_crypt_part
	.set GCM_PARTIAL_BLOCK,	%r11			/* when GCM_MASK has been used */
	lea		GCM_BUFFER(%rsp,GCM_MASK), GCM_START
	mov		GCM_START, GCM_END
	sm4_gcm_crypt_vectors VL, T0, T1
.if VL == 32
	sm4_gcm_crypt_vectors 16, T0_XMM, T1_XMM
.endif
	test		GCM_TEXT, GCM_TEXT
	jz		.Lpadded_\@

	/* a partial block, and zeros behind it */
	lea		GCM_PARTIAL(%rsp), GCM_PARTIAL_BLOCK
	sm4_copy_partial SRC, GCM_PARTIAL_BLOCK, GCM_TEXT
	sm4_gcm_crypt_vector T0_XMM, T1_XMM, GCM_PARTIAL_BLOCK, GCM_PARTIAL_BLOCK
	vpxor		T2_XMM, T2_XMM, T2_XMM
	vmovdqu		T2_XMM, (GCM_END,GCM_TEXT)
	sm4_copy_partial GCM_PARTIAL_BLOCK, DST, GCM_TEXT
	vmovdqu		T2_XMM, (GCM_PARTIAL_BLOCK)
	add		$16, GCM_END
.Lpadded_\@:
.endm

.macro sm4_gcm_end
.if GCM_BUFFER+GCM_MOST_USED > GCM_COUNTER
	.error "what is wiped of the buffer reaches the counter"
.endif
	mov		GCM_USED(%rsp), OFFSET
	sm4_wipe_stack	GCM_BUFFER
	/* the counter, which in rfc4106 begins with the salt, a part of the key */
	.set		wiped, GCM_READY
.rept	(GCM_COUNTER-GCM_READY)/VL
	sm4_store_row	T0, wiped(%rsp)
	.set		wiped, wiped+VL
.endr
.endm

#endif
