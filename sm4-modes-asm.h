/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ecb, cbc decryption, ctr and
 * xts, each a function of the type sm4_crypt_function (sm4-fast.h).
 *
 * A mode takes a batch of three groups at a time. What is left in the end goes
 * through a buffer on the stack, and through one group where that is enough, or
 * else through three, so that no block is left to scalar code. It is the number
 * of bytes alone that decides a branch.
 *
 * Included after sm4-rounds-asm.h; sm4_mode_functions instantiates everything.
 */
#ifndef SM4_MODES_ASM_H
#define SM4_MODES_ASM_H

#define BATCH_BLOCKS		GROUP_BLOCKS(3)
#define BATCH_BYTES		GROUP_BYTES(3)

/*
 * Where row number row of a group is in memory, from the first one's place. (No
 * spaces: they would end an argument of an assembler macro.)
 */
#define ROW(index, row)		(((index)*4+(row))*VL)

.set COUNTER_HIGH,		%r9
.set COUNTER_LOW,		%r11
.set COUNTER_LOW_32,		%r11d

.macro sm4_load		g, index, from
	vmovdqu		ROW(\index, 0)(\from), \g\()0
	vmovdqu		ROW(\index, 1)(\from), \g\()1
	vmovdqu		ROW(\index, 2)(\from), \g\()2
	vmovdqu		ROW(\index, 3)(\from), \g\()3
.endm

.macro sm4_store	g, index, to
	vmovdqu		\g\()0, ROW(\index, 0)(\to)
	vmovdqu		\g\()1, ROW(\index, 1)(\to)
	vmovdqu		\g\()2, ROW(\index, 2)(\to)
	vmovdqu		\g\()3, ROW(\index, 3)(\to)
.endm

.macro sm4_xor		g, index, with
	vpxor		ROW(\index, 0)(\with), \g\()0, \g\()0
	vpxor		ROW(\index, 1)(\with), \g\()1, \g\()1
	vpxor		ROW(\index, 2)(\with), \g\()2, \g\()2
	vpxor		ROW(\index, 3)(\with), \g\()3, \g\()3
.endm

/*
 * Copy BYTES bytes, whole blocks and at least one, 16 at a time. Clobbers %r11
 * and T0.
 */
.macro sm4_copy		from, to
	xor		%r11d, %r11d
.Lcopy_\@:
	vmovdqu		(\from, %r11), T0_XMM
	vmovdqu		T0_XMM, (\to, %r11)
	add		$16, %r11
	cmp		%r11, BYTES
	ja		.Lcopy_\@
.endm

/* Forget the first bytes of the stack, a multiple of VL. Clobbers T0, %rax. */
.macro sm4_wipe_stack	bytes
	vpxor		T0, T0, T0
	mov		$\bytes, %eax
.Lwipe_\@:
	vmovdqu		T0, -VL(%rsp, %rax)
	sub		$VL, %eax
	jnz		.Lwipe_\@
.endm

/*
 * The skeleton of a mode of whole blocks: do "\batch 3" for every full batch at
 * SRC and DST; copy what is left into the buffer at the start of the stack and
 * do it there, by "\batch 1" or "\batch 3". The batch may clobber everything
 * but KEYS, SRC, DST, IV, BYTES and %r9.
 */
.macro sm4_whole_blocks	batch
	cmp		$BATCH_BYTES, BYTES
	jb		.Ltail_\@
.Lbatch_\@:
	\batch		3
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
	cmp		$BATCH_BYTES, BYTES
	jae		.Lbatch_\@
.Ltail_\@:
	test		BYTES, BYTES
	jz		.Ldone_\@
	sm4_copy	SRC, %rsp
	mov		DST, %r9
	mov		%rsp, SRC
	mov		%rsp, DST
	cmp		$GROUP_BYTES(1), BYTES
	ja		.Lthree_groups_\@
	\batch		1
	jmp		.Lcopy_back_\@
.Lthree_groups_\@:
	\batch		3
.Lcopy_back_\@:
	sm4_copy	%rsp, %r9
	sm4_wipe_stack	BATCH_BYTES
.Ldone_\@:
.endm

/* ECB */
.macro sm4_ecb_batch	groups
	sm4_for_groups	\groups, sm4_load, SRC
	call		sm4_rows_\groups
	sm4_for_groups	\groups, sm4_store, DST
.endm

.macro sm4_ecb_function	name
SYM_TYPED_FUNC_START(\name)
	sub		$BATCH_BYTES, %rsp
	sm4_whole_blocks sm4_ecb_batch
	add		$BATCH_BYTES, %rsp
	vzeroall
	RET
SYM_FUNC_END(\name)
.endm

/*
 * CBC decryption: each block is combined with the ciphertext block before it,
 * which is in memory, except for the first one's, the IV. All of a batch is
 * combined before anything is stored, as DST may be SRC.
 */
.macro sm4_cbc_xor	g, index
.if \index == 0
	vpxor		(IV), \g\()0, \g\()0
.else
	vpxor		ROW(\index, 0) - 16(SRC), \g\()0, \g\()0
.endif
	vpxor		ROW(\index, 1) - 16(SRC), \g\()1, \g\()1
	vpxor		ROW(\index, 2) - 16(SRC), \g\()2, \g\()2
	vpxor		ROW(\index, 3) - 16(SRC), \g\()3, \g\()3
.endm

.macro sm4_cbc_batch	groups
	sm4_for_groups	\groups, sm4_load, SRC
	call		sm4_rows_\groups
	sm4_for_groups	\groups, sm4_cbc_xor
	/* the last block there is, of the batch or of the tail, if shorter */
	mov		$GROUP_BYTES(\groups), %r11d
	cmp		%r11, BYTES
	cmovb		BYTES, %r11
	vmovdqu		-16(SRC, %r11), T0_XMM
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST
.endm

.macro sm4_cbc_decrypt_function	name
SYM_TYPED_FUNC_START(\name)
	sub		$BATCH_BYTES, %rsp
	sm4_whole_blocks sm4_cbc_batch
	add		$BATCH_BYTES, %rsp
	vzeroall
	RET
SYM_FUNC_END(\name)
.endm

/*
 * XTS: the tweaks of a batch are made on the way in, in T3, and kept on the
 * stack for the way out, after the buffer; the tweak after those is the last
 * that is kept there.
 */
#define XTS_TWEAKS		BATCH_BYTES
#define XTS_FRAME		(XTS_TWEAKS+BATCH_BYTES+VL)

/* The first tweak, and from one to the next: times x. Clobbers T0. */
.macro sm4_first_tweak
	vmovdqu		(IV), T3
.endm

.macro sm4_next_tweak
	vpshufd		$0x13, T3, T0
	vpsrad		$31, T0, T0
	vpand		.Ltweak_carries(%rip), T0, T0
	vpaddq		T3, T3, T3
	vpxor		T0, T3, T3
.endm

.macro sm4_xts_row	reg, offset
	vmovdqu		T3, XTS_TWEAKS + \offset(%rsp)
	vpxor		\offset(SRC), T3, \reg
	sm4_next_tweak
.endm

.macro sm4_xts_load	g, index
	sm4_xts_row	\g\()0, ROW(\index, 0)
	sm4_xts_row	\g\()1, ROW(\index, 1)
	sm4_xts_row	\g\()2, ROW(\index, 2)
	sm4_xts_row	\g\()3, ROW(\index, 3)
.endm

.macro sm4_xts_batch	groups
	sm4_first_tweak
	sm4_for_groups	\groups, sm4_xts_load
	vmovdqu		T3, XTS_TWEAKS + GROUP_BYTES(\groups)(%rsp)
	call		sm4_rows_\groups
	lea		XTS_TWEAKS(%rsp), %r11
	sm4_for_groups	\groups, sm4_xor, %r11
	sm4_for_groups	\groups, sm4_store, DST
	/* the tweak after the last block there is */
	mov		$GROUP_BYTES(\groups), %r11d
	cmp		%r11, BYTES
	cmovb		BYTES, %r11
	vmovdqu		XTS_TWEAKS(%rsp, %r11), T0_XMM
	vmovdqu		T0_XMM, (IV)
.endm

.macro sm4_xts_function	name
SYM_TYPED_FUNC_START(\name)
	sub		$XTS_FRAME, %rsp
	sm4_whole_blocks sm4_xts_batch
	sm4_wipe_stack	XTS_FRAME
	add		$XTS_FRAME, %rsp
	vzeroall
	RET
SYM_FUNC_END(\name)
.endm

/*
 * CTR
 *
 * The counter is 128 bits, big-endian: its words 0 to 2 are the same in all
 * blocks of a batch, unless word 3 overflows on the way. So these three are
 * mapped into the basis once and kept on the stack, and word 3 of all blocks is
 * made where it is needed: no load, no transposition. The batch in which word 3
 * overflows is rare and counts block by block.
 *
 * The stack: a buffer of a batch, the three mapped words, the counter.
 */
#define CTR_WORDS		BATCH_BYTES
#define CTR_COUNTER		(CTR_WORDS + 3 * VL)
#define CTR_FRAME		(CTR_COUNTER + VL)

/* Map words 0 to 2 of the counter. Clobbers %rax, T0-T2. */
.macro sm4_ctr_map_words
	mov		COUNTER_HIGH, %rax
	bswap		%rax
	mov		%rax, CTR_COUNTER(%rsp)
	mov		COUNTER_LOW, %rax
	bswap		%rax
	mov		%rax, CTR_COUNTER + 8(%rsp)
.irp	word, 0, 1, 2
	vbroadcastss	CTR_COUNTER + 4 * \word(%rsp), T2
	sm4_map_in	T2
	vmovdqu		T2, CTR_WORDS + VL * \word(%rsp)
.endr
.endm

/* Words of a group of counters, word 3 of the first one being in all of T2 */
.macro sm4_ctr_words	g, index
	vpaddd		.Lctr_block_numbers + VL * \index(%rip), T2, \g\()3
	vpshufb		.Lswap_words(%rip), \g\()3, \g\()3
	sm4_map_in	\g\()3
	vmovdqu		CTR_WORDS(%rsp), \g\()0
	vmovdqu		CTR_WORDS + VL(%rsp), \g\()1
	vmovdqu		CTR_WORDS + VL * 2(%rsp), \g\()2
.endm

/*
 * The keystream of so many groups as rows. Clobbers %rax, %r10, T0-T3 and the
 * buffer, not the counter.
 */
.macro sm4_ctr_keystream groups
	mov		COUNTER_LOW_32, %eax
	mov		%eax, CTR_COUNTER(%rsp)
	add		$GROUP_BLOCKS(\groups), %eax
	jc		.Lcount_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2
	sm4_for_groups	\groups, sm4_ctr_words
	call		sm4_words_\groups
	jmp		.Lready_\@
.Lcount_\@:
	xor		%r10d, %r10d
.Lcount_one_\@:
	mov		COUNTER_HIGH, %rax
	bswap		%rax
	mov		%rax, (%rsp, %r10)
	mov		COUNTER_LOW, %rax
	bswap		%rax
	mov		%rax, 8(%rsp, %r10)
	add		$1, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	add		$16, %r10d
	cmp		$GROUP_BYTES(\groups), %r10d
	jb		.Lcount_one_\@
	sub		$GROUP_BLOCKS(\groups), COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sm4_for_groups	\groups, sm4_load, %rsp
	call		sm4_rows_\groups
.Lready_\@:
.endm

.macro sm4_ctr_function	name
SYM_TYPED_FUNC_START(\name)
	sub		$CTR_FRAME, %rsp
	mov		(IV), COUNTER_HIGH
	bswap		COUNTER_HIGH
	mov		8(IV), COUNTER_LOW
	bswap		COUNTER_LOW
	sm4_ctr_map_words
	cmp		$BATCH_BYTES, BYTES
	jb		.L\name\()_tail

.L\name\()_batch:
	sm4_ctr_keystream 3
	sm4_for_groups	3, sm4_xor, SRC
	sm4_for_groups	3, sm4_store, DST
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
	add		$BATCH_BLOCKS, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	cmp		$BATCH_BLOCKS, COUNTER_LOW_32
	jae		.L\name\()_same_words
	sm4_ctr_map_words
.L\name\()_same_words:
	cmp		$BATCH_BYTES, BYTES
	jae		.L\name\()_batch

.L\name\()_tail:
	test		BYTES, BYTES
	jz		.L\name\()_done
	cmp		$GROUP_BYTES(1), BYTES
	ja		.L\name\()_three_groups
	sm4_ctr_keystream 1
	sm4_for_groups	1, sm4_store, %rsp
	jmp		.L\name\()_count_tail
.L\name\()_three_groups:
	sm4_ctr_keystream 3
	sm4_for_groups	3, sm4_store, %rsp
.L\name\()_count_tail:
	lea		15(BYTES), %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH

	mov		%rsp, %rax
	sub		$16, BYTES
	jb		.L\name\()_partial_block
.L\name\()_block:
	vmovdqu		(SRC), T0_XMM
	vpxor		(%rax), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (DST)
	add		$16, %rax
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jae		.L\name\()_block
.L\name\()_partial_block:
	add		$16, BYTES
	jz		.L\name\()_wipe
.L\name\()_byte:
	mov		-1(SRC, BYTES), %r10b
	xor		-1(%rax, BYTES), %r10b
	mov		%r10b, -1(DST, BYTES)
	dec		BYTES
	jnz		.L\name\()_byte
.L\name\()_wipe:
	sm4_wipe_stack	BATCH_BYTES

.L\name\()_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	add		$CTR_FRAME, %rsp
	vzeroall
	RET
SYM_FUNC_END(\name)
.endm

/* All functions of the tier that the file is for, and their constants */
.macro sm4_mode_functions	prefix
.pushsection .rodata
.p2align 4
	/* which blocks a group has in its words, for each of three groups */
.Lctr_block_numbers:
	.long	0, 1, 2, 3
	.long	4, 5, 6, 7
	.long	8, 9, 10, 11
	/* big-endian words from little-endian ones */
.Lswap_words:
	.octa	0x0c0d0e0f08090a0b0405060700010203
	/* what a bit shifted out of the one and other half of a tweak adds */
.Ltweak_carries:
	.octa	0x00000000000000010000000000000087
.popsection

	sm4_crypt_functions 1
	sm4_crypt_functions 3
	sm4_ecb_function \prefix\()_ecb
	sm4_cbc_decrypt_function \prefix\()_cbc_decrypt
	sm4_ctr_function \prefix\()_ctr
	sm4_xts_function \prefix\()_xts
.endm

#endif
