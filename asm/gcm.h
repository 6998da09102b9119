/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GCM (SP 800-38D, section 7) on vectors, for all SIMD tiers: a function of the type
 * sm4_gcm_function (sm4-fast.h).
 *
 * The text goes through counter mode in full batches. A batch is hashed before its rounds
 * in decryption and after them in encryption, not beside them: rounds for bulk leave no
 * port free for it.
 *
 * The beginning and the end of a message go through a buffer on the stack: the first block
 * of keystream is the mask of the tag, and the end needs padding and the block of lengths
 * behind it. A short message is both at once, with one pass of the rounds and one reduction
 * of GHASH. Branches depend on the number of bytes alone.
 *
 * Only word 3 of the counter counts, so it may overflow. Registers besides those of
 * asm/skeleton.h:
 *
 *	%rcx			STATE
 *	%r9			part at first; bytes of text that go through the buffer;
 *				HASHED in GHASH
 *	%r10			start of what is to be hashed in the buffer
 *	%r11			bytes of mask before that text, 0 or 16; POWERS in GHASH
 *	%rax			end of what is to be hashed in the buffer
 */
#ifndef SM4_GCM_ASM_H
#define SM4_GCM_ASM_H

#include "ctr.h"
#include "ghash.h"

/* struct sm4_gcm_key */
#define GCM_HASH_KEY		1536

/* struct sm4_gcm_state, at STATE */
#define GCM_STATE_HASH		0
#define GCM_STATE_COUNTER	16
#define GCM_STATE_MASK		32
#define GCM_STATE_LENGTHS	48
.set STATE,		%rcx

/* enum sm4_gcm_part */
#define GCM_FIRST		1
#define GCM_LAST		2
#define GCM_DECRYPTS		4

/*
 * The stack: the buffer, a batch or the state of bulk, and one more block; a partial block;
 * words 0 to 2 of the counter, mapped for words and for bulk; word 3, in the CPU's byte
 * order; the part; BYTES during GHASH; how many bytes of the buffer are to be wiped. Words
 * leave there whole groups, or whole vectors of 64 bytes.
 */
#define GCM_SHORT_UNIT		(GROUP_BYTES(1)>>(2*BYTE_SLICED))
#define GCM_BUFFER_BYTES	(BATCH_BYTES+BULK*(BULK_BATCH_BYTES-BATCH_BYTES))
#define GCM_PARTIAL		(BUFFER+GCM_BUFFER_BYTES+VL)
#define GCM_READY		(GCM_PARTIAL+VL)
#define GCM_BULK_READY		(GCM_READY+3*VL)
#define GCM_COUNTER		(GCM_BULK_READY+64*BULK)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

/* Count the blocks of mask and text. Clobbers %rax. */
.macro sm4_gcm_count
	lea		15(%r9,%r11), %rax
	shr		$4, %rax
	add		%eax, GCM_COUNTER(%rsp)
.endm

/* The keystream of so many groups, as rows. Clobbers %rax, %r10, T0-T3. */
.macro sm4_gcm_keystream prefix, groups
	vbroadcastss	GCM_COUNTER(%rsp), T2		# word 3, in all lanes
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY	# counter + i
	call		\prefix\()_words_\groups	# E(counter + i)
.endm

/*
 * Take the %r10 blocks at HASHED into the hash, by the function \hash_blocks of
 * ghash-clmul.S. Clobbers %rax, %r9 to %r11, vector registers 0 to 7.
 */
.macro sm4_hash_blocks	hash
	mov		BYTES, GCM_BYTES(%rsp)
	lea		GCM_HASH_KEY(KEYS), %rax	# powers of H
	vmovdqu		GCM_STATE_HASH(STATE), %xmm0	# Y
	vpshufb		.Lreverse_block(%rip), %xmm0, %xmm0
	call		\hash\()_blocks			# Y = (...((Y ^ C_1) * H ^ C_2) * H ...) * H
	vpshufb		.Lreverse_block(%rip), %xmm0, %xmm0
	vmovdqu		%xmm0, GCM_STATE_HASH(STATE)
	mov		GCM_BYTES(%rsp), BYTES
.endm

/*
 * Take a batch of so many bytes at \at into the hash, but only in decryption (\skip is jz
 * and \at SRC) or only in encryption (jnz and DST).
 */
.macro sm4_gcm_hash_batch skip, at, bytes, hash
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	\skip		.Lnot_this_\@
	mov		\at, HASHED
	mov		$(\bytes)/16, %r10d
	sm4_hash_blocks	\hash
.Lnot_this_\@:
.endm

/* So many bytes of text are done. Afterwards jae jumps if there are as many again. */
.macro sm4_gcm_advance	bytes
	addl		$(\bytes)/16, GCM_COUNTER(%rsp)
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, BYTES
	cmp		$\bytes, BYTES
.endm

/* All full batches of words */
.macro sm4_gcm_batches	prefix, full, hash
	cmp		$BATCH_BYTES, BYTES
	jb		.Lno_batch_\@
.Lbatch_\@:
	sm4_gcm_hash_batch jz, SRC, BATCH_BYTES, \hash
	sm4_gcm_keystream \prefix, \full
	sm4_for_groups	\full, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\full, sm4_store, DST
	sm4_gcm_hash_batch jnz, DST, BATCH_BYTES, \hash
	sm4_gcm_advance	BATCH_BYTES
	jae		.Lbatch_\@
.Lno_batch_\@:
.endm

/*
 * Bulk: the keystream of the groups below OFFSET; and all full batches, except for one with
 * only a little behind it (sm4_batch_for).
 */
.macro sm4_gcm_bulk_keystream prefix
	vbroadcastss	GCM_COUNTER(%rsp), T2
	lea		GCM_BULK_READY(%rsp), %rax
	call		\prefix\()_counter_rounds
.endm

.macro sm4_gcm_bulk_batches prefix, hash
	cmp		$BULK_BATCH_BYTES, BYTES
	jb		.Lno_bulk_\@
.Lpiece_\@:
	sm4_batch_for	%rax, %eax, BYTES
	cmp		$BULK_BATCH_BYTES, %eax
	jb		.Lno_bulk_\@
	sm4_gcm_hash_batch jz, SRC, BULK_BATCH_BYTES, \hash
	mov		$BULK_BATCH_BYTES, %r10d
	sm4_gcm_bulk_keystream \prefix
	mov		$BULK_BATCH_BYTES, %r10d
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix
	sm4_bulk_for_rows sm4_xor_row, 0(SRC,OFFSET)	# P_i ^ E(counter + i)
	sm4_bulk_for_rows sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_gcm_hash_batch jnz, DST, BULK_BATCH_BYTES, \hash
	sm4_gcm_advance	BULK_BATCH_BYTES
	jae		.Lpiece_\@
.Lno_bulk_\@:
.endm

/* The bytes of the groups that hold %r9 + %r11 bytes, into OFFSET */
.macro sm4_gcm_bulk_groups
	lea		BULK_GROUP_BYTES-1(%r9,%r11), OFFSET
	and		$-BULK_GROUP_BYTES, OFFSET
.endm

.macro sm4_gcm_fill_bulk prefix
.if VL == 64
	cmp		$MIXED_BYTES, %rax
	jbe		.Lmixed_\@
.endif
	sm4_gcm_bulk_groups
	sm4_gcm_bulk_keystream \prefix
	sm4_gcm_bulk_groups
.Lleave_\@:
	sub		$BULK_GROUP_BYTES, OFFSET
	sm4_bulk_leave	\prefix
	sm4_bulk_for_rows sm4_store_row, BULK_STATE(%rsp,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
.if VL == 64
	jmp		.Lfilled_\@
.Lmixed_\@:
	sm4_gcm_bulk_keystream \prefix\()_mixed
	sm4_each_row	"E0,E1,E2,E3", sm4_store_row, BULK_STATE+BULK_GROUP_BYTES(%rsp)
	mov		$BULK_GROUP_BYTES, %r10d
	jmp		.Lleave_\@
.Lfilled_\@:
.endif
.endm

/* Keystream into the buffer */
.macro sm4_gcm_fill	prefix, groups
	sm4_gcm_keystream \prefix, \groups
	lea		BUFFER(%rsp), %r10
	sm4_for_groups	\groups, sm4_store, %r10
.endm

/*
 * 64-byte vectors, a part that words hold: the keystream stays in registers. The mask, or
 * nothing, is the last block of group A, which has the end of the text: %r10d is the number
 * of the block GROUP_BLOCKS before the text, and %k1 all words but the mask's. The buffer gets
 * the ciphertext. %k2 is all ones in decryption.
 */
.macro sm4_gcm_rows	g, index, prefix
.if \index
.irp	row, 0, 1, 2, 3
	vmovdqa32	\g\row, T0
	sub		$VL, %r9
	jbe		.L\prefix\()_gcm_last
	vmovdqu32	(SRC), T1
	vpxord		T1, T0, T0			# P ^ E(counter), or C ^ E(counter)
	vmovdqu32	T0, (DST)
	vmovdqa32	T1, T0{%k2}			# C
	vmovdqu32	T0, (%rax)
	add		$VL, %rax
	add		$VL, SRC
	add		$VL, DST
.endr
.endif
.endm

.macro sm4_gcm_words	prefix, groups
.if \groups > 1
	sm4_for_groups	\groups, sm4_counter_words, \prefix, GCM_READY
.endif
	add		$GROUP_BLOCKS(\groups), %r10d
	vpbroadcastd	%r10d, T2{%k1}
	sm4_counter_words A, 0, \prefix, GCM_READY
	call		\prefix\()_words_\groups
	test		%r11, %r11
	jz		.Lno_mask_\@
	vextracti32x4	$3, A3, GCM_STATE_MASK(STATE)	# E(J0)
.Lno_mask_\@:
	sm4_gcm_count
	xor		%r11d, %r11d
	lea		BUFFER(%rsp), %rax
	test		%r9, %r9
	jz		.L\prefix\()_gcm_filled
	sm4_for_groups	\groups, sm4_gcm_rows, \prefix	# all but A
.endm

/*
 * Encrypt or decrypt 16 bytes or a vector. The ciphertext replaces the keystream at %rax,
 * for GHASH. Clobbers \t0 and \t1.
 */
.macro sm4_gcm_crypt_vector t0, t1, from=SRC, to=DST
	_vmovdqu	(\from), \t0
	_vpxor		(%rax), \t0, \t1		# P ^ E(counter), or C ^ E(counter)
	_vmovdqu	\t1, (\to)
	testl		$GCM_DECRYPTS, GCM_PART(%rsp)
	jnz		.Lciphertext_\@
	_vmovdqa	\t1, \t0
.Lciphertext_\@:
	_vmovdqu	\t0, (%rax)			# C
.endm

/* Encrypt or decrypt as many times \bytes as %r9 has, and leave the rest in %r9. */
.macro sm4_gcm_crypt_vectors bytes, t0, t1
	sub		$\bytes, %r9
	jb		.Lno_vector_\@
.Lvector_\@:
	sm4_gcm_crypt_vector \t0, \t1
	add		$\bytes, %rax
	add		$\bytes, SRC
	add		$\bytes, DST
	sub		$\bytes, %r9
	jae		.Lvector_\@
.Lno_vector_\@:
	add		$\bytes, %r9
.endm

/* \hash is a function of ghash-clmul.S. asm/modes.h describes the other arguments. */
.macro sm4_gcm_function	name, prefix, full, hash
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	GCM_FRAME
	mov		%r9, GCM_PART(%rsp)
.if VL == 64
	bt		$2, %r9d			# GCM_DECRYPTS
	sbb		%eax, %eax
	kmovd		%eax, %k2
.endif
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$GCM_READY-BUFFER, %r10d
.if BULK
	cmp		$BATCH_BYTES-16, BYTES
	ja		.L\prefix\()_gcm_long
	lea		GCM_SHORT_UNIT+31(BYTES), %r10	# with the mask and the lengths
	and		$-GCM_SHORT_UNIT, %r10
	jmp		.L\prefix\()_gcm_short
.L\prefix\()_gcm_long:
	sm4_bulk_counter_ready GCM_STATE_COUNTER, STATE, GCM_BULK_READY
.L\prefix\()_gcm_short:
.endif
	mov		%r10, GCM_USED(%rsp)
	mov		GCM_STATE_COUNTER+12(STATE), %eax
	bswap		%eax				# word 3, in the byte order of the CPU
	mov		%eax, GCM_COUNTER(%rsp)
	test		$GCM_FIRST, %r9d
	jnz		.L\prefix\()_gcm_part

.L\prefix\()_gcm_batches:
.if BULK
	sm4_gcm_bulk_batches \prefix, \hash
.else
	sm4_gcm_batches	\prefix, \full, \hash
.endif
	cmp		$NARROWER_BYTES, BYTES
	ja		.L\prefix\()_gcm_part
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_done
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_done

	/* as much as fits: %r11 bytes of mask and %r9 bytes of text */
.L\prefix\()_gcm_part:
	mov		GCM_PART(%rsp), %r11d
	and		$GCM_FIRST, %r11d
	shl		$4, %r11d			# 16 bytes of mask, or 0
.if BULK
	sm4_batch_for	%r9, %r9d, BYTES,%r11
.else
	mov		$BATCH_BYTES, %r9d
.endif
	sub		%r11, %r9
	cmp		BYTES, %r9
	cmova		BYTES, %r9			# the text of this part
	sub		%r9, BYTES
	lea		(%r9,%r11), %rax		# mask and text
	test		%rax, %rax
	jz		.L\prefix\()_gcm_filled
.if BULK
.if VL == 64
	lea		16(%r9), %rax			# words have a mask or nothing
.endif
	cmp		$BATCH_BYTES, %rax
	jbe		.L\prefix\()_gcm_fill_words
	sm4_gcm_fill_bulk \prefix
	jmp		.L\prefix\()_gcm_count
.L\prefix\()_gcm_fill_words:
.endif
.if VL == 64
	mov		$0x7fff, %r10d
	kmovd		%r10d, %k1
	mov		%r11d, %r10d
	shr		$4, %r10d
	add		GCM_COUNTER(%rsp), %r10d	# of the text's first block
	sub		$GROUP_BLOCKS(1), %r10d
	vpbroadcastd	%r10d, T2
	sm4_fewest_groups sm4_gcm_words, \prefix, \full, %rax
	sm4_gcm_rows	A, \full, \prefix
.else
	sm4_fewest_groups sm4_gcm_fill, \prefix, \full, %rax
.endif
.L\prefix\()_gcm_count:
	sm4_gcm_count
	test		%r11, %r11
	jz		.L\prefix\()_gcm_filled
	vmovdqu		BUFFER(%rsp), T0_XMM
	vmovdqu		T0_XMM, GCM_STATE_MASK(STATE)	# E(J0)

	/* the keystream for the text is at %r10; up to %rax it has been used */
.L\prefix\()_gcm_filled:
	lea		BUFFER(%rsp,%r11), %r10
	mov		%r10, %rax
	sm4_gcm_crypt_vectors VL, T0, T1
.if VL == 32
	sm4_gcm_crypt_vectors 16, T0_XMM, T1_XMM
.endif
	test		%r9, %r9
	jz		.L\prefix\()_gcm_padded
.if VL == 64
	vmovdqu32	(%rax), T0
	sub		$VL, %r9

	/* the rest of a vector, and zeros behind it */
.L\prefix\()_gcm_last:
	sm4_mask_last	%r9, %r10
	vmovdqu8	(SRC), T1{%k1}{z}
	vpxord		T1, T0, T0
	vmovdqu8	T0, (DST){%k1}
	vmovdqa32	T1, T0{%k2}
	vmovdqu8	T0, T0{%k1}{z}
	vmovdqu32	T0, (%rax)
	add		%r9, SRC
	add		%r9, DST
	add		$15, %r9
	and		$-16, %r9
	add		%r9, %rax
	lea		BUFFER(%rsp,%r11), %r10
.else

	/* a partial block, and zeros behind it */
	lea		GCM_PARTIAL(%rsp), %r11
	sm4_copy_partial SRC, %r11, %r9
	sm4_gcm_crypt_vector T0_XMM, T1_XMM, %r11, %r11
	vpxor		T2_XMM, T2_XMM, T2_XMM
	vmovdqu		T2_XMM, (%rax,%r9)
	sm4_copy_partial %r11, DST, %r9
	vmovdqu		T2_XMM, (%r11)
	add		$16, %rax
.endif

.L\prefix\()_gcm_padded:
	andl		$~GCM_FIRST, GCM_PART(%rsp)
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_hash
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_hash
	vmovdqu		GCM_STATE_LENGTHS(STATE), T0_XMM
	vmovdqu		T0_XMM, (%rax)			# len(A) || len(C)
	add		$16, %rax
.L\prefix\()_gcm_hash:
	mov		%r10, HASHED
	mov		%rax, %r10
	sub		HASHED, %r10
	shr		$4, %r10
	jz		.L\prefix\()_gcm_hashed
	sm4_hash_blocks	\hash
.L\prefix\()_gcm_hashed:
	test		BYTES, BYTES
	jnz		.L\prefix\()_gcm_batches
	testl		$GCM_LAST, GCM_PART(%rsp)
	jz		.L\prefix\()_gcm_done
	vpxor		GCM_STATE_MASK(STATE), %xmm0, %xmm0	# tag = E(J0) ^ Y
	vmovdqu		%xmm0, GCM_STATE_HASH(STATE)

.L\prefix\()_gcm_done:
	mov		GCM_COUNTER(%rsp), %eax
	bswap		%eax
	mov		%eax, GCM_STATE_COUNTER+12(STATE)
	mov		GCM_USED(%rsp), %r10
	sm4_wipe_stack	BUFFER
	/* the counter, which in rfc4106 begins with the salt, a part of the key */
	mov		$GCM_COUNTER-GCM_READY, %r10d
	sm4_wipe_stack	GCM_READY
	sm4_return
SYM_FUNC_END(\name)
.endm

#endif
