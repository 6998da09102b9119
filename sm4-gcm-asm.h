/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GCM (SP 800-38D, section 7) on vectors, for all SIMD tiers: two functions of
 * the type sm4_gcm_function (sm4-fast.h).
 *
 * The text goes through counter mode a batch of all groups at a time, with
 * GHASH of a batch of ciphertext done beside the rounds: that of the batch
 * before when encrypting, that of the same batch when decrypting. The rounds
 * leave the CPU waiting for most of what it could do meanwhile.
 *
 * What is not a full batch goes through a buffer on the stack: the beginning of
 * a message, as its very first keystream block is the mask of the tag, and the
 * end, as it needs padding and the block of lengths behind it. A short message
 * is both at once: one pass of the rounds, and one reduction of GHASH. With the
 * mask, a text of some whole batches has a block more than these hold: where
 * there are registers for a fifth group, that one joins the first pass. It is the
 * number of bytes alone that decides a branch.
 *
 * Included after sm4-modes-asm.h, with the same names for registers; the 32 bits
 * of the counter that count are the word that counters as words have in all
 * lanes anyway.
 */
#ifndef SM4_GCM_ASM_H
#define SM4_GCM_ASM_H

#include "ghash-asm.h"

/* struct sm4_gcm_key */
#define GCM_HASH_KEY		512

/* struct sm4_gcm_state, at STATE */
#define GCM_STATE_HASH		0
#define GCM_STATE_COUNTER	16
#define GCM_STATE_MASK		32
#define GCM_STATE_LENGTHS	48
.set STATE,		%rcx

/* enum sm4_gcm_part */
#define GCM_FIRST		1
#define GCM_LAST		2

/*
 * The stack: a batch of text and one more block; the sums of GHASH, unless they
 * are in registers; words 0 to 2 of the counter, made ready; its word 3, in the
 * CPU's byte order; two more variables.
 */
#define GCM_SUMS		(BATCH_BYTES+VL)
#define GCM_READY		(GCM_SUMS+3*VL)
#define GCM_COUNTER		(GCM_READY+3*VL)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_FRAME		(GCM_BYTES+8)

/*
 * A message so short is for the narrower tier: with the mask, a group of 16-byte
 * vectors, or two groups of 32-byte ones and a block.
 */
#define GCM_NARROWER_BYTES	(NARROWER_BYTES-16+VL/64*16)

/* What of it is secret, from its start on */
#define GCM_SECRETS		GCM_READY

/*
 * The sums of GHASH in memory, or in registers where there are enough: what to
 * do with a product (ghash-asm.h), within so many bytes of calls.
 */
.macro sm4_set_product	part, width, product
.if VL == 64
	ghash_set	\part, \width, \product
.else
	vmovdqu		%\width\product, GCM_SUM_\part(%rsp)
.endif
.endm

.macro sm4_add_product	part, width, product
.if VL == 64
	ghash_add	\part, \width, \product
.else
	vpxor		GCM_SUM_\part+8(%rsp), %\width\product, %\width\product
	vmovdqu		%\width\product, GCM_SUM_\part+8(%rsp)
.endif
.endm

/* Beside the rounds, a call away from the stack: VL bytes into the sums. */
.macro sm4_hash_beside	width
	ghash_step	sm4_add_product, \width, \width, 12, 13
.ifc \width, xmm
.if VL == 32
	ghash_step	sm4_add_product, \width, \width, 12, 13
.endif
.endif
.endm

/* Begin the sums for the batch of blocks at HASHED. Clobbers T0 and T1. */
.macro sm4_hash_begin	width
	lea		GCM_HASH_KEY+GHASH_MIDDLE-BATCH_BYTES(KEYS), POWERS
	sub		HASHED, POWERS
	vmovdqu		GCM_STATE_HASH(STATE), T0_XMM
	vpshufb		.Lreverse_block(%rip), T0_XMM, T0_XMM
	ghash_products	sm4_set_product, \width, xmm, 12, 13
.endm

/* End them. Clobbers T0-T3. */
.macro sm4_hash_end	width
.if VL == 64
	ghash_reduce	zmm, 25, 26, 27, 12
	vmovdqa32	%xmm27, T3_XMM
.else
	vmovdqu		GCM_SUM_low(%rsp), %\width\()13
	vmovdqu		GCM_SUM_middle(%rsp), %\width\()14
	vmovdqu		GCM_SUM_high(%rsp), %\width\()15
	ghash_reduce	\width, 13, 14, 15, 12
.endif
	vpshufb		.Lreverse_block(%rip), T3_XMM, T3_XMM
	vmovdqu		T3_XMM, GCM_STATE_HASH(STATE)
.endm

/*
 * The keystream of so many groups, as rows. Clobbers %rax, %r10, T0-T3, and
 * whatever the rounds have beside them.
 */
.macro sm4_gcm_keystream prefix, groups, suffix
	vbroadcastss	GCM_COUNTER(%rsp), T2
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY
	call		\prefix\()_words_\groups\suffix
.endm

.macro sm4_gcm_batch	prefix, full, suffix
	sm4_gcm_keystream \prefix, \full, \suffix
	sm4_for_groups	\full, sm4_xor, SRC
	sm4_for_groups	\full, sm4_store, DST
	addl		$BATCH_BLOCKS, GCM_COUNTER(%rsp)
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
.endm

/*
 * All full batches that there are. When a batch is hashed, HASHED has come to
 * its end, where the next one begins.
 */
.macro sm4_gcm_encrypt_batches prefix, full, width, hash
	cmp		$BATCH_BYTES, BYTES
	jb		.Lno_batch_\@
	sm4_gcm_batch	\prefix, \full
	lea		-BATCH_BYTES(DST), HASHED
	cmp		$BATCH_BYTES, BYTES
	jb		.Lhash_batch_\@
.Lbatch_\@:
	sm4_hash_begin	\width
	sm4_gcm_batch	\prefix, \full, _hashing
	sm4_hash_end	\width
	cmp		$BATCH_BYTES, BYTES
	jae		.Lbatch_\@
.Lhash_batch_\@:
	mov		$BATCH_BLOCKS, %r10d
	sm4_hash_blocks	\hash
.Lno_batch_\@:
.endm

.macro sm4_gcm_decrypt_batches prefix, full, width, hash
	cmp		$BATCH_BYTES, BYTES
	jb		.Lno_batch_\@
.Lbatch_\@:
	mov		SRC, HASHED
	sm4_hash_begin	\width
	sm4_gcm_batch	\prefix, \full, _hashing
	sm4_hash_end	\width
	cmp		$BATCH_BYTES, BYTES
	jae		.Lbatch_\@
.Lno_batch_\@:
.endm

/*
 * GHASH of the %r10 blocks at HASHED by the function \hash_blocks of
 * ghash-clmul.S. Clobbers %rax, %r9 to %r11, vector registers 0 to 7.
 */
.macro sm4_hash_blocks	hash
	mov		BYTES, GCM_BYTES(%rsp)
	lea		GCM_HASH_KEY(KEYS), %rax
	vmovdqu		GCM_STATE_HASH(STATE), %xmm0
	vpshufb		.Lreverse_block(%rip), %xmm0, %xmm0
	call		\hash\()_blocks
	vpshufb		.Lreverse_block(%rip), %xmm0, %xmm0
	vmovdqu		%xmm0, GCM_STATE_HASH(STATE)
	mov		GCM_BYTES(%rsp), BYTES
.endm

/* A part of keystream into the buffer */
.macro sm4_gcm_fill	prefix, groups
	sm4_gcm_keystream \prefix, \groups
	sm4_for_groups	\groups, sm4_store, %rsp
.endm

/* and a batch with one block more, of which the buffer takes a vector */
.macro sm4_gcm_fill_more prefix
	sm4_gcm_keystream \prefix, 5
	sm4_for_groups	4, sm4_store, %rsp
	_vmovdqu	E0, ROW(4,0)(%rsp)
.endm

/*
 * Text in one piece, 16 bytes or a vector: T0 = that at SRC, T1 = that for DST.
 * The ciphertext takes the keystream's place at %rax, for GHASH.
 */
.macro sm4_gcm_crypt_vector operation, t0, t1
	_vmovdqu	(SRC), \t0
	_vpxor		(%rax), \t0, \t1
	_vmovdqu	\t1, (DST)
.ifc \operation, encrypt
	_vmovdqu	\t1, (%rax)
.else
	_vmovdqu	\t0, (%rax)
.endif
.endm

/* and so on as long as there is another of them, of \bytes in all left in %r9 */
.macro sm4_gcm_crypt_vectors operation, bytes, t0, t1
	sub		$\bytes, %r9
	jb		.Lno_vector_\@
.Lvector_\@:
	sm4_gcm_crypt_vector \operation, \t0, \t1
	add		$\bytes, %rax
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, %r9
	jae		.Lvector_\@
.Lno_vector_\@:
	add		$\bytes, %r9
.endm

.macro sm4_gcm_function	prefix, full, operation, width, hash, narrower
SYM_TYPED_FUNC_START(\prefix\()_gcm_\operation)
.ifnb \narrower
	cmp		$GCM_NARROWER_BYTES, BYTES
	jbe		\narrower\()_gcm_\operation
.endif
	FRAME_BEGIN
	sub		$GCM_FRAME, %rsp
	sm4_load_constants
	mov		%r9, GCM_PART(%rsp)
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		GCM_STATE_COUNTER+12(STATE), %eax
	bswap		%eax
	mov		%eax, GCM_COUNTER(%rsp)
	test		$GCM_FIRST, %r9d
	jnz		.L\prefix\()_gcm_\operation\()_part

.L\prefix\()_gcm_\operation\()_batches:
	sm4_gcm_\operation\()_batches \prefix, \full, \width, \hash
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_\operation\()_end
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_\operation\()_done
.L\prefix\()_gcm_\operation\()_end:
.ifnb \narrower
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\prefix\()_gcm_\operation\()_done
.endif

	/* %r11 bytes of mask and %r9 bytes of text: as much as fits */
.L\prefix\()_gcm_\operation\()_part:
	mov		GCM_PART(%rsp), %r11d
	and		$GCM_FIRST, %r11d
	shl		$4, %r11d
	mov		$BATCH_BYTES, %r9d
.if GROUPS == 4
	/* a batch of text beside the mask, if whole batches are what there is */
	lea		15(BYTES), %eax
	test		$BATCH_BYTES-16, %eax
	jz		.L\prefix\()_gcm_\operation\()_room
.endif
	sub		%r11, %r9
.L\prefix\()_gcm_\operation\()_room:
	cmp		BYTES, %r9
	cmova		BYTES, %r9
	sub		%r9, BYTES
	lea		(%r9,%r11), %rax
	test		%rax, %rax
	jz		.L\prefix\()_gcm_\operation\()_filled
.if GROUPS == 4
	cmp		$BATCH_BYTES, %rax
	jbe		.L\prefix\()_gcm_\operation\()_fill
	sm4_gcm_fill_more \prefix
	jmp		.L\prefix\()_gcm_\operation\()_count
.endif
.L\prefix\()_gcm_\operation\()_fill:
	sm4_tail	sm4_gcm_fill, \prefix, \full, %rax
.L\prefix\()_gcm_\operation\()_count:
	lea		15(%r9,%r11), %rax
	shr		$4, %rax
	add		%eax, GCM_COUNTER(%rsp)
	test		%r11, %r11
	jz		.L\prefix\()_gcm_\operation\()_filled
	vmovdqu		(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)

	/* the keystream for the text is at %r10, and up to %rax used */
.L\prefix\()_gcm_\operation\()_filled:
	lea		(%rsp,%r11), %r10
	mov		%r10, %rax
	sm4_gcm_crypt_vectors \operation, VL, T0, T1
.if VL > 16
	sm4_gcm_crypt_vectors \operation, 16, T0_XMM, T1_XMM
.endif
	test		%r9, %r9
	jz		.L\prefix\()_gcm_\operation\()_padded

	/* a partial block by way of the sums, and zeros behind it */
	lea		GCM_SUMS(%rsp), %r11
	sm4_copy_partial SRC, %r11, %r9
	vmovdqu		(%r11), T0_XMM
	vpxor		(%rax), T0_XMM, T1_XMM
	vmovdqu		T1_XMM, (%r11)
.ifc \operation, encrypt
	vmovdqu		T1_XMM, (%rax)
.else
	vmovdqu		T0_XMM, (%rax)
.endif
	vpxor		T2_XMM, T2_XMM, T2_XMM
	vmovdqu		T2_XMM, (%rax,%r9)
	sm4_copy_partial %r11, DST, %r9
	add		$16, %rax

.L\prefix\()_gcm_\operation\()_padded:
	andl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_\operation\()_hash
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_\operation\()_hash
	vmovdqu		GCM_STATE_LENGTHS(STATE), T0_XMM
	vmovdqu		T0_XMM, (%rax)
	add		$16, %rax
.L\prefix\()_gcm_\operation\()_hash:
	mov		%r10, HASHED
	mov		%rax, %r10
	sub		HASHED, %r10
	shr		$4, %r10
	jz		.L\prefix\()_gcm_\operation\()_hashed
	sm4_hash_blocks	\hash
.L\prefix\()_gcm_\operation\()_hashed:
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_\operation\()_batches
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_\operation\()_done
	vpxor		GCM_STATE_MASK(STATE), %xmm0, %xmm0
	vmovdqu		%xmm0, GCM_STATE_HASH(STATE)
	movl		$0, GCM_PART(%rsp)

.L\prefix\()_gcm_\operation\()_done:
	mov		GCM_COUNTER(%rsp), %eax
	bswap		%eax
	mov		%eax, GCM_STATE_COUNTER+12(STATE)
	mov		GCM_PART(%rsp), %r9d
	mov		$GCM_SECRETS, %r10d
	sm4_wipe_stack	0
	add		$GCM_FRAME, %rsp
	FRAME_END
	sm4_clear_registers
.ifnb \narrower
	mov		%r9, %rax
	or		BYTES, %rax
	jnz		\narrower\()_gcm_\operation
.endif
	RET
SYM_FUNC_END(\prefix\()_gcm_\operation)
.endm

/*
 * Both functions of a tier, with GHASH in registers of \width and by \hash, the
 * name of a function of ghash-clmul.S; \narrower as for sm4_mode_functions.
 */
.macro sm4_gcm_functions	prefix, width, hash, narrower
	.set GCM_SUM_low,	GCM_SUMS
	.set GCM_SUM_middle,	GCM_SUMS+VL
	.set GCM_SUM_high,	GCM_SUMS+2*VL
.if VL == 64
	.set SUM_low,		%zmm25
	.set SUM_middle,	%zmm26
	.set SUM_high,		%zmm27
.endif
.if GROUPS == 2
	sm4_gcm_functions_for_groups \prefix, 2, \width, \hash, \narrower
.elseif GROUPS == 3
	sm4_gcm_functions_for_groups \prefix, 3, \width, \hash, \narrower
.else
	sm4_words_function \prefix, 5
	sm4_gcm_functions_for_groups \prefix, 4, \width, \hash, \narrower
.endif
.endm

.macro sm4_gcm_functions_for_groups prefix, full, width, hash, narrower
	sm4_words_function \prefix, \full, _hashing, sm4_hash_beside \width
	sm4_gcm_function \prefix, \full, encrypt, \width, \hash, \narrower
	sm4_gcm_function \prefix, \full, decrypt, \width, \hash, \narrower
.endm

#endif
