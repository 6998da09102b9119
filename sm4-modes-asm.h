/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ecb, cbc decryption, ctr and
 * xts, each a function of the type sm4_crypt_function (sm4-fast.h); and cbc
 * encryption and CBC-MAC, for those that are fast on single blocks.
 *
 * A mode takes a batch of all groups at a time. What is left in the end, its
 * tail, goes through one or two groups where these are enough, so that no block
 * is left to scalar code. It is the number of bytes alone that decides a branch,
 * and in CTR the counter, which is no secret.
 *
 * Included after sm4-rounds-asm.h, or what does the same for a tier (functions
 * rows_N and words_N, counters as words); sm4_mode_functions instantiates
 * everything for the width VL.
 */
#ifndef SM4_MODES_ASM_H
#define SM4_MODES_ASM_H

#define BATCH_BLOCKS		GROUP_BLOCKS(GROUPS)
#define BATCH_BYTES		GROUP_BYTES(GROUPS)

/*
 * Where row number row of a group is in memory, from the first one's place. (No
 * spaces: they would end an argument of an assembler macro.)
 */
#define ROW(index, row)		((index)*4+(row))*VL

.set COUNTER_HIGH,		%r9
.set COUNTER_LOW,		%r11
.set COUNTER_LOW_32,		%r11d

/*
 * Do "\do register, place" for a row in memory, \offset behind \at. Of a tail,
 * only so many groups as \whole says are there for certain. Beyond these, the
 * last VL bytes of the tail, which begin LAST_ROW behind \at, take the place of
 * every row that would end behind them: so blocks may be in several rows, and the
 * same becomes of them in each. That clobbers %rax.
 */
.set LAST_ROW,			%r11
#define TAIL_WHOLE(groups)	((groups)-1-(groups)/4)

.macro sm4_row		do, register, offset, at, whole
.if \offset < GROUP_BYTES(\whole) || \offset == 0
	\do		\register, \offset(\at)
.else
	mov		$\offset, %eax
	cmp		LAST_ROW, %rax
	cmova		LAST_ROW, %rax
	add		\at, %rax
	\do		\register, (%rax)
.endif
.endm

/* The same for the rows of a group, row 0 last: sm4_cbc_xor says why. */
.macro sm4_rows		do, g, index, at, whole
	sm4_row		\do, \g\()3, ROW(\index,3), \at, \whole
	sm4_row		\do, \g\()2, ROW(\index,2), \at, \whole
	sm4_row		\do, \g\()1, ROW(\index,1), \at, \whole
	sm4_row		\do, \g\()0, ROW(\index,0), \at, \whole
.endm

.macro sm4_load_row	register, place
	_vmovdqu	\place, \register
.endm

.macro sm4_store_row	register, place
	_vmovdqu	\register, \place
.endm

.macro sm4_xor_row	register, place
	_vpxor		\place, \register, \register
.endm

.macro sm4_load		g, index, from, whole=GROUPS
	sm4_rows	sm4_load_row, \g, \index, \from, \whole
.endm

.macro sm4_store	g, index, to, whole=GROUPS
	sm4_rows	sm4_store_row, \g, \index, \to, \whole
.endm

.macro sm4_xor		g, index, with, whole=GROUPS
	sm4_rows	sm4_xor_row, \g, \index, \with, \whole
.endm

/*
 * Copy a partial block of 1 to 15 bytes: its first 8, 4, 2 or 1 bytes and its
 * last ones, which may be some of the same. Clobbers T0, T1.
 */
.macro sm4_copy_ends	size, letter, from, to, bytes, done
	cmp		$\size, \bytes
	jb		.Lless_\@
	vpinsr\letter	$0, (\from), T0_XMM, T0_XMM
	vpinsr\letter	$0, -\size(\from,\bytes), T1_XMM, T1_XMM
	vpextr\letter	$0, T0_XMM, (\to)
	vpextr\letter	$0, T1_XMM, -\size(\to,\bytes)
	jmp		\done
.Lless_\@:
.endm

.macro sm4_copy_partial	from, to, bytes
	sm4_copy_ends	8, q, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	4, d, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	2, w, \from, \to, \bytes, .Lcopied_\@
	sm4_copy_ends	1, b, \from, \to, \bytes, .Lcopied_\@
.Lcopied_\@:
.endm

/* A vector to the stack, at an offset and %rax. */
.macro sm4_store_stack	from, offset
.if VL == 64
	vmovdqu32	\from, \offset(%rsp, %rax)
.else
	vmovdqu		\from, \offset(%rsp, %rax)
.endif
.endm

/* Forget the %r10 bytes of the stack from an offset on. Clobbers T0, %rax. */
.macro sm4_wipe_stack	offset
	_vpxor		T0, T0, T0
	mov		%r10, %rax
.Lwipe_\@:
	sm4_store_stack	T0, \offset-VL
	sub		$VL, %rax
	jnz		.Lwipe_\@
.endm

/*
 * Do "\batch \prefix, n" with the fewest groups n that hold the bytes of a tail,
 * of 1, 2 and \full. Leaves in %r10 the bytes of these groups.
 */
.macro sm4_tail		batch, prefix, full, bytes=BYTES
	cmp		$GROUP_BYTES(1), \bytes
	jbe		.Lone_group_\@
.if \full > 2
	cmp		$GROUP_BYTES(2), \bytes
	jbe		.Ltwo_groups_\@
	\batch		\prefix, \full
	mov		$BATCH_BYTES, %r10d
	jmp		.Lend_\@
.Ltwo_groups_\@:
.endif
	\batch		\prefix, 2
	mov		$GROUP_BYTES(2), %r10d
	jmp		.Lend_\@
.Lone_group_\@:
	\batch		\prefix, 1
	mov		$GROUP_BYTES(1), %r10d
.Lend_\@:
.endm

/*
 * A tier may hand over what is short to another tier, \narrower, of half the
 * width and with the same round keys: the wider the vectors, the longer the wait
 * for them. Short is what fits there into one group or, from 64-byte vectors,
 * two: these are slow for a single group.
 *
 * sm4_enter_mode: begin a function, or go to the narrower tier's at once.
 * sm4_if_short: go to \done if there is nothing left, or only that much.
 * sm4_return: leave a function, or go on in the narrower tier's function for
 * the same mode with what is left.
 * Their frame is so many bytes of the stack, below the frame pointer that kernels
 * want which unwind by it (CONFIG_FRAME_POINTER).
 */
#define NARROWER_BYTES		(GROUP_BYTES(1)/2*(1+VL/64))

.macro sm4_enter_mode	frame, mode, narrower
.ifnb \narrower
	cmp		$NARROWER_BYTES, BYTES
	jbe		\narrower\()_\mode
.endif
	FRAME_BEGIN
	sub		$\frame, %rsp
	sm4_load_constants
.endm

.macro sm4_if_short	done, narrower
.ifb \narrower
	test		BYTES, BYTES
	jz		\done
.else
	cmp		$NARROWER_BYTES, BYTES
	jbe		\done
.endif
.endm

.macro sm4_return	frame, mode, narrower
	add		$\frame, %rsp
	FRAME_END
	sm4_clear_registers
.ifnb \narrower
	test		BYTES, BYTES
	jnz		\narrower\()_\mode
.endif
	RET
.endm

/*
 * The skeleton of a mode of whole blocks, in two parts. The mode has two macros
 * with the arguments prefix and number of groups, which do what is at SRC and
 * goes to DST: \mode_batch what fills these groups, \mode_tail what does not. They
 * may clobber everything but KEYS, SRC, DST, IV, BYTES and %r9.
 *
 * sm4_full_batches: do batches of all groups as long as that many bytes are left.
 */
.macro sm4_full_batches	mode, prefix, full
	cmp		$BATCH_BYTES, BYTES
	jb		.Lno_batch_\@
.Lbatch_\@:
	\mode\()_batch	\prefix, \full
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
	cmp		$BATCH_BYTES, BYTES
	jae		.Lbatch_\@
.Lno_batch_\@:
.endm

/*
 * sm4_last_blocks: do what is left where it is. Only a block alone, where nobody
 * narrower takes it, is doubled to a vector in a buffer at the start of the stack:
 * an aligned one, as a vector across the end of a page takes a hundred cycles. In
 * the end BYTES is what is left for the narrower tier, which that of 64-byte
 * vectors always has.
 */
.macro sm4_last_blocks	mode, prefix, full, narrower
	sm4_if_short	.Ldone_\@, \narrower
	cmp		$GROUP_BYTES(1), BYTES
	jne		.Lnot_one_group_\@
	\mode\()_batch	\prefix, 1
	jmp		.Lall_done_\@
.Lnot_one_group_\@:
.if \full > 2
	cmp		$GROUP_BYTES(2), BYTES
	jne		.Lnot_two_groups_\@
	\mode\()_batch	\prefix, 2
	jmp		.Lall_done_\@
.Lnot_two_groups_\@:
.endif
	mov		BYTES, LAST_ROW
	sub		$VL, LAST_ROW
.if VL == 32
.ifb \narrower
	mov		DST, %r9
	jae		.Lmore_blocks_\@
	xor		%r11d, %r11d
	vbroadcasti128	(SRC), T0
	lea		VL-1(%rsp), SRC
	and		$-VL, SRC
	vmovdqa		T0, (SRC)
	mov		SRC, DST
.Lmore_blocks_\@:
.endif
.endif
	sm4_tail	\mode\()_tail, \prefix, \full
.if VL == 32
.ifb \narrower
	cmp		DST, %r9
	je		.Lall_done_\@
	vmovdqa		(DST), T0_XMM
	vmovdqu		T0_XMM, (%r9)
	vpxor		T0, T0, T0
	vmovdqa		T0, (DST)
.endif
.endif
.Lall_done_\@:
	xor		%r8d, %r8d
.Ldone_\@:
.endm

/* That buffer and what aligns it, for a mode that has nothing else on the stack */
#define BLOCKS_FRAME		(2*VL)

/* ECB */
.macro sm4_ecb_batch	prefix, groups, whole=GROUPS
	sm4_for_groups	\groups, sm4_load, SRC, \whole
	call		\prefix\()_rows_\groups
	sm4_for_groups	\groups, sm4_store, DST, \whole
.endm

.macro sm4_ecb_tail	prefix, groups
	sm4_ecb_batch	\prefix, \groups, TAIL_WHOLE(\groups)
.endm

.macro sm4_ecb_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_ecb)
	sm4_enter_mode	BLOCKS_FRAME, ecb, \narrower
	sm4_full_batches sm4_ecb, \prefix, \full
	sm4_last_blocks	sm4_ecb, \prefix, \full, \narrower
	sm4_return	BLOCKS_FRAME, ecb, \narrower
SYM_FUNC_END(\prefix\()_ecb)
.endm

/*
 * CBC decryption: each block is combined with the ciphertext block before it,
 * which is in memory, except for the first one's, the IV. All of a batch is
 * combined before anything is stored, as DST may be SRC.
 *
 * Of a tail of VL bytes or less, all rows are the same blocks, but only row 0 is
 * combined with the IV: so that one is stored last. The others must not look for
 * it before SRC and take what is there.
 */
.set PREVIOUS,		%r10

.macro sm4_cbc_xor	g, index, whole
.if \index == 0
	lea		-16(SRC), PREVIOUS
.if \whole == 0
	test		LAST_ROW, LAST_ROW
	cmovz		SRC, PREVIOUS
.endif
	vmovdqu		(IV), T0_XMM
.if VL == 32
	vinserti128	$1, (SRC), T0, T0
.elseif VL == 64
	vinserti32x4	$1, (SRC), T0, T0
	vinserti64x4	$1, 16(SRC), T0, T0
.endif
	_vpxor		T0, \g\()0, \g\()0
.else
	sm4_row		sm4_xor_row, \g\()0, ROW(\index,0), PREVIOUS, \whole
.endif
	sm4_row		sm4_xor_row, \g\()1, ROW(\index,1), PREVIOUS, \whole
	sm4_row		sm4_xor_row, \g\()2, ROW(\index,2), PREVIOUS, \whole
	sm4_row		sm4_xor_row, \g\()3, ROW(\index,3), PREVIOUS, \whole
.endm

.macro sm4_cbc_batch	prefix, groups, whole=GROUPS
	sm4_for_groups	\groups, sm4_load, SRC, \whole
	call		\prefix\()_rows_\groups
	sm4_for_groups	\groups, sm4_cbc_xor, \whole
.if \whole >= \groups
	vmovdqu		GROUP_BYTES(\groups)-16(SRC), T0_XMM
.else
	vmovdqu		-16(SRC, BYTES), T0_XMM
.endif
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, \whole
.endm

.macro sm4_cbc_tail	prefix, groups
	sm4_cbc_batch	\prefix, \groups, TAIL_WHOLE(\groups)
.endm

.macro sm4_cbc_decrypt_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_cbc_decrypt)
	sm4_enter_mode	BLOCKS_FRAME, cbc_decrypt, \narrower
	sm4_full_batches sm4_cbc, \prefix, \full
	sm4_last_blocks	sm4_cbc, \prefix, \full, \narrower
	sm4_return	BLOCKS_FRAME, cbc_decrypt, \narrower
SYM_FUNC_END(\prefix\()_cbc_decrypt)
.endm

/*
 * XTS
 *
 * Each tweak is x times the one before: one long chain. Of two full batches and
 * more, the tweaks of each are made beside the rounds of the one before, else
 * they are made before. They are kept on the stack, row by row and one row more,
 * at XTS_TWEAKS or, for every other full batch, at the start of the stack; there
 * a block alone has its buffer. With 64-byte vectors the frame takes 2176 bytes.
 *
 * There are two forms, which multiply by x in different orders of a block's bits
 * and share all else. XTS_GB says which one is being made: 0 for that of IEEE
 * 1619, where the block is a little-endian number, and 1 for that of GB/T 17964,
 * where it is a big-endian one, and reflected: a multiplication shifts it to the
 * right.
 */
#define XTS_TWEAKS		(BATCH_BYTES+VL)
#define XTS_FRAME		(2*XTS_TWEAKS)

/* The tweaks of a full batch, and where the next one's are made, row by row */
.set TWEAKS,		%r9
.set NEXT_TWEAKS,	%r11
.set TAIL_TWEAKS,	%r10

/*
 * GB/T 17964: multiply tweaks by x or by x^2, that is, shift them by that many
 * bits. A shuffle looks up what the bits that leave each half become: the upper
 * bits of the other half, or x^7 + x^2 + x + 1 times themselves at its upper
 * end. Clobbers \bits_left and \table.
 */
.macro sm4_shift_tweaks	count, from, to, bits_left, table
	vpshufb		.Lgb_tweak_ends(%rip), \from, \bits_left
	vpand		.Lgb_tweak_bits_\count(%rip), \bits_left, \bits_left
	vpor		.Lgb_tweak_columns_\count(%rip), \bits_left, \bits_left
	vmovdqa		.Lgb_tweak_carries(%rip), \table
	vpshufb		\bits_left, \table, \bits_left
	vpshufb		.Lreverse_block(%rip), \from, \to
	vpsrlq		$\count, \to, \to
	vpshufb		.Lreverse_block(%rip), \to, \to
	vpxor		\bits_left, \to, \to
.endm

/*
 * Multiply the tweak in a register of 16 bytes by x. In the form of IEEE 1619, the
 * bit that leaves the lower half comes into the upper one, and the one that leaves
 * that comes back as x^7 + x^2 + x + 1. Clobbers T0, T2.
 */
.macro sm4_double_tweak	from, to
.if XTS_GB
	sm4_shift_tweaks 1, \from, \to, T0_XMM, T2_XMM
.else
	vpshufd		$0x13, \from, T0_XMM
	vpsrad		$31, T0_XMM, T0_XMM
	vpand		.Ltweak_carries(%rip), T0_XMM, T0_XMM
	vpaddq		\from, \from, \to
	vpxor		T0_XMM, \to, \to
.endif
.endm

/* The first VL / 16 tweaks into T3. Clobbers T0-T2. */
.macro sm4_first_tweaks
	vmovdqu		(IV), T3_XMM
.if VL >= 32
	sm4_double_tweak T3_XMM, T1_XMM
	vinserti128	$1, T1_XMM, T3_YMM, T3_YMM
.endif
.if VL == 64
	sm4_double_tweak T1_XMM, T1_XMM
	vinserti32x4	$2, T1_XMM, T3, T3
	sm4_double_tweak T1_XMM, T1_XMM
	vinserti32x4	$3, T1_XMM, T3, T3
.endif
.endm

/*
 * From VL / 16 tweaks in T3 to the next ones, times x^(VL / 16). Clobbers T0-T2.
 * AVX2 has no carry-less multiplication on wide vectors: a shuffle looks up what
 * the two bits that leave each half become, in the other half.
 */
.macro sm4_next_tweaks
.if VL == 16
	sm4_double_tweak T3, T3
.elseif VL == 32 && XTS_GB
	sm4_shift_tweaks 2, T3, T3, T0, T2
.elseif VL == 32
	vpsrlq		$62, T3, T0
	vmovdqa		.Ltweak_carries_2(%rip), T1
	vpshufb		.Ltweak_swap(%rip), T0, T0
	vpor		.Ltweak_columns(%rip), T0, T0
	vpshufb		T0, T1, T0
	vpsllq		$2, T3, T3
	vpxor		T0, T3, T3
.elseif XTS_GB
	vpshufb		.Lreverse_block(%rip), T3, T3
	vpsllq		$60, T3, T0
	vpclmulqdq	$0x00, .Lpolynomial(%rip), T0, T1
	vpshufd		$0x4e, T0, T0
	vpsrlq		$4, T3, T3
	vpternlogd	$0x96, T0, T1, T3
	vpshufb		.Lreverse_block(%rip), T3, T3
.else
	vpsrlq		$60, T3, T0
	vpclmulqdq	$0x01, .Ltweak_polynomial(%rip), T0, T1
	vpslldq		$8, T0, T0
	vpsllq		$4, T3, T3
	vpternlogd	$0x96, T0, T1, T3
.endif
.endm

/* The next row of tweaks, from that at NEXT_TWEAKS. Clobbers T0-T3. */
.macro sm4_make_tweaks
	_vmovdqu	(NEXT_TWEAKS), T3
	sm4_next_tweaks
	add		$VL, NEXT_TWEAKS
	_vmovdqu	T3, (NEXT_TWEAKS)
.endm

/* One full batch with its tweaks at TWEAKS */
.macro sm4_xts_full_batch	prefix, full, suffix
	sm4_for_groups	\full, sm4_load, SRC
	sm4_for_groups	\full, sm4_xor, TWEAKS
	call		\prefix\()_rows_\full\suffix
	sm4_for_groups	\full, sm4_xor, TWEAKS
	sm4_for_groups	\full, sm4_store, DST
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
.endm

/* Two full batches and more, with two places for tweaks that take turns */
.macro sm4_xts_full_batches	prefix, mode, full
	cmp		$2*BATCH_BYTES, BYTES
	jb		.Lno_batches_\@
	mov		%rsp, TWEAKS
	lea		XTS_TWEAKS(%rsp), NEXT_TWEAKS
	sm4_first_tweaks
	_vmovdqu	T3, (NEXT_TWEAKS)
.rept \full * 4
	sm4_next_tweaks
	add		$VL, NEXT_TWEAKS
	_vmovdqu	T3, (NEXT_TWEAKS)
.endr
.Lbatch_\@:
	sub		$BATCH_BYTES, NEXT_TWEAKS
	xchg		TWEAKS, NEXT_TWEAKS
	_vmovdqu	BATCH_BYTES(TWEAKS), T3
	_vmovdqu	T3, (NEXT_TWEAKS)
	sm4_xts_full_batch \prefix, \full, _beside_\mode
	cmp		$2*BATCH_BYTES, BYTES
	jae		.Lbatch_\@
	lea		-BATCH_BYTES(NEXT_TWEAKS), TWEAKS
	sm4_xts_full_batch \prefix, \full
	vmovdqu		BATCH_BYTES(TWEAKS), T0_XMM
	vmovdqu		T0_XMM, (IV)
	mov		$XTS_FRAME, %r10d
	sm4_wipe_stack	0
.Lno_batches_\@:
.endm

/* One batch, or the tail */
.macro sm4_xts_batch	prefix, groups, whole=GROUPS
	sm4_first_tweaks
	.set		i, XTS_TWEAKS
.rept \groups * 4
	_vmovdqu	T3, i(%rsp)
	sm4_next_tweaks
	.set		i, i+VL
.endr
	_vmovdqu	T3, i(%rsp)
	lea		XTS_TWEAKS(%rsp), TAIL_TWEAKS
	sm4_for_groups	\groups, sm4_load, SRC, \whole
	sm4_for_groups	\groups, sm4_xor, TAIL_TWEAKS, \whole
	call		\prefix\()_rows_\groups
	lea		XTS_TWEAKS(%rsp), TAIL_TWEAKS
	sm4_for_groups	\groups, sm4_xor, TAIL_TWEAKS, \whole
.if \whole >= \groups
	vmovdqu		GROUP_BYTES(\groups)(TAIL_TWEAKS), T0_XMM
.else
	vmovdqu		(TAIL_TWEAKS, BYTES), T0_XMM
.endif
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, \whole
.endm

.macro sm4_xts_tail	prefix, groups
	sm4_xts_batch	\prefix, \groups, TAIL_WHOLE(\groups)
.endm

/* \mode is the name of the form that XTS_GB says. */
.macro sm4_xts_function	prefix, mode, full, narrower
	sm4_crypt_functions \prefix, \full, _beside_\mode, sm4_make_tweaks
SYM_TYPED_FUNC_START(\prefix\()_\mode)
	sm4_enter_mode	XTS_FRAME, \mode, \narrower
	sm4_xts_full_batches \prefix, \mode, \full
	sm4_full_batches sm4_xts, \prefix, \full
	sm4_last_blocks	sm4_xts, \prefix, \full, \narrower
	mov		$XTS_TWEAKS, %r10d
	sm4_wipe_stack	XTS_TWEAKS
	sm4_return	XTS_FRAME, \mode, \narrower
SYM_FUNC_END(\prefix\()_\mode)
.endm

/*
 * CTR
 *
 * The counter is 128 bits, big-endian: its words 0 to 2 are the same in all
 * blocks of a batch, unless word 3 overflows on the way. So these three are
 * made ready once and kept on the stack, and word 3 of all blocks is made where
 * it is needed: no load, no transposition. The batch in which word 3 overflows
 * is rare and counts block by block, which takes some 100 cycles more: a fifth of
 * the time of 1024 bytes on gfni-avx512. So time depends on the counter. That is
 * public, as the IV and the position in the text are.
 *
 * The stack: a buffer of a batch; what sm4_counter_ready keeps, three vectors;
 * the counter.
 */
#define CTR_READY		BATCH_BYTES
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_FRAME		(CTR_COUNTER+VL)

/* Make words 0 to 2 of the counter ready. Clobbers %rax, T0-T2. */
.macro sm4_ctr_ready
	mov		COUNTER_HIGH, %rax
	bswap		%rax
	mov		%rax, CTR_COUNTER(%rsp)
	mov		COUNTER_LOW, %rax
	bswap		%rax
	mov		%rax, CTR_COUNTER + 8(%rsp)
	sm4_counter_ready CTR_COUNTER, %rsp, CTR_READY
.endm

/*
 * The keystream of so many groups as rows. Clobbers %rax, %r10, T0-T3 and the
 * buffer, not the counter.
 */
.macro sm4_ctr_keystream prefix, groups
	mov		COUNTER_LOW_32, %eax
	mov		%eax, CTR_COUNTER(%rsp)
	add		$GROUP_BLOCKS(\groups), %eax
	jc		.Lcount_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2
	sm4_for_groups	\groups, sm4_counter_words, \prefix, CTR_READY
	call		\prefix\()_words_\groups
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
	call		\prefix\()_rows_\groups
.Lready_\@:
.endm

.macro sm4_ctr_batch	prefix, groups
	sm4_ctr_keystream \prefix, \groups
	sm4_for_groups	\groups, sm4_xor, SRC
	sm4_for_groups	\groups, sm4_store, DST
.endm

/*
 * A tail that fills its groups (but not all there are, or it would be a batch)
 * ends like a batch; for any other the keystream goes to the buffer.
 */
.macro sm4_ctr_tail	prefix, groups
.if \groups < GROUPS
	cmp		$GROUP_BYTES(\groups), BYTES
	jne		.Lto_buffer_\@
	sm4_ctr_batch	\prefix, \groups
	add		$GROUP_BLOCKS(\groups), COUNTER_LOW
	adc		$0, COUNTER_HIGH
	xor		%r8d, %r8d
	jmp		.L\prefix\()_ctr_done
.Lto_buffer_\@:
.endif
	sm4_ctr_keystream \prefix, \groups
	sm4_for_groups	\groups, sm4_store, %rsp
.endm

.macro sm4_ctr_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_ctr)
	sm4_enter_mode	CTR_FRAME, ctr, \narrower
	mov		(IV), COUNTER_HIGH
	bswap		COUNTER_HIGH
	mov		8(IV), COUNTER_LOW
	bswap		COUNTER_LOW
	sm4_ctr_ready
	cmp		$BATCH_BYTES, BYTES
	jb		.L\prefix\()_ctr_tail

.L\prefix\()_ctr_batch:
	sm4_ctr_batch	\prefix, \full
	add		$BATCH_BYTES, SRC
	add		$BATCH_BYTES, DST
	sub		$BATCH_BYTES, BYTES
	add		$BATCH_BLOCKS, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	cmp		$BATCH_BLOCKS, COUNTER_LOW_32
	jae		.L\prefix\()_ctr_ready
	sm4_ctr_ready
.L\prefix\()_ctr_ready:
	cmp		$BATCH_BYTES, BYTES
	jae		.L\prefix\()_ctr_batch

.L\prefix\()_ctr_tail:
	sm4_if_short	.L\prefix\()_ctr_done, \narrower
	sm4_tail	sm4_ctr_tail, \prefix, \full
	lea		15(BYTES), %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH

	/* the buffer is at %rax */
	mov		%rsp, %rax
	sub		$VL, BYTES
	jb		.L\prefix\()_ctr_blocks
.L\prefix\()_ctr_vector:
	_vmovdqu	(SRC), T0
	_vpxor		(%rax), T0, T0
	_vmovdqu	T0, (DST)
	add		$VL, %rax
	add		$VL, SRC
	add		$VL, DST
	sub		$VL, BYTES
	jae		.L\prefix\()_ctr_vector
.L\prefix\()_ctr_blocks:
	add		$VL-16, BYTES
	jnc		.L\prefix\()_ctr_partial_block
.L\prefix\()_ctr_block:
	vmovdqu		(SRC), T0_XMM
	vpxor		(%rax), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (DST)
	add		$16, %rax
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jae		.L\prefix\()_ctr_block
.L\prefix\()_ctr_partial_block:
	add		$16, BYTES
	jz		.L\prefix\()_ctr_wipe
	lea		CTR_READY(%rsp), KEYS
	sm4_copy_partial SRC, KEYS, BYTES
	vmovdqu		(KEYS), T0_XMM
	vpxor		(%rax), T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (KEYS)
	sm4_copy_partial KEYS, DST, BYTES
	vpxor		T0_XMM, T0_XMM, T0_XMM
	vmovdqu		T0_XMM, (KEYS)
	xor		%r8d, %r8d
.L\prefix\()_ctr_wipe:
	sm4_wipe_stack	0

.L\prefix\()_ctr_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	sm4_return	CTR_FRAME, ctr, \narrower
SYM_FUNC_END(\prefix\()_ctr)
.endm

/*
 * The serial chains, CBC encryption and CBC-MAC, of a tier that is fast enough on
 * single blocks. It defines these, which may clobber everything but the
 * arguments of the functions below:
 *
 *	sm4_chain_begin from	the chain, a block, from memory
 *	sm4_chain_block		chain = E(chain ^ the block at SRC)
 *	sm4_chain_value		the chain into the register CHAIN
 *
 * The functions are \prefix_cbc_encrypt, an sm4_crypt_function, and
 *
 *	void \prefix_cbc_mac(const struct sm4_round_keys *keys, u8 *mac,
 *			     const u8 *src, size_t blocks)
 *
 * as struct sm4_tier says (sm4-fast.h).
 */
.set MAC,		%rsi
.set BLOCKS,		%rcx
.set CHAIN,		%xmm4

.macro sm4_chain_functions	prefix
SYM_TYPED_FUNC_START(\prefix\()_cbc_encrypt)
	test		BYTES, BYTES
	jz		.L\prefix\()_cbc_done
	sm4_chain_begin	(IV)
.L\prefix\()_cbc_block:
	sm4_chain_block
	sm4_chain_value
	vmovdqu		CHAIN, (DST)
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jnz		.L\prefix\()_cbc_block
	vmovdqu		CHAIN, (IV)
	sm4_clear_registers
.L\prefix\()_cbc_done:
	RET
SYM_FUNC_END(\prefix\()_cbc_encrypt)

SYM_TYPED_FUNC_START(\prefix\()_cbc_mac)
	test		BLOCKS, BLOCKS
	jz		.L\prefix\()_mac_done
	sm4_chain_begin	(MAC)
.L\prefix\()_mac_block:
	sm4_chain_block
	add		$16, SRC
	dec		BLOCKS
	jnz		.L\prefix\()_mac_block
	sm4_chain_value
	vmovdqu		CHAIN, (MAC)
	sm4_clear_registers
.L\prefix\()_mac_done:
	RET
SYM_FUNC_END(\prefix\()_cbc_mac)
.endm

/* Constants, once for a file, whatever widths it instantiates */
.macro sm4_mode_constants
.pushsection .rodata
.p2align 6
	/* what a bit that leaves the one and other half of a tweak adds */
sm4_constant tweak_carries, 0x00000000000000010000000000000087
	/*
	 * and two bits: those of the upper half go to bytes 0 and 1, there to
	 * be looked up in columns 0 and 1 of a table, the others to byte 8 and
	 * column 2
	 */
sm4_constant tweak_swap, 0x80808080808080008080808080800808
sm4_constant tweak_columns, 0x00000000000000080000000000000400
sm4_constant tweak_carries_2, 0x000000000302010001010000890e8700
	/* x^7 + x^2 + x + 1 */
sm4_constant tweak_polynomial, 0x87
	/*
	 * GB/T 17964: what the bits that leave become is in bytes 0 and 1 for
	 * those of byte 15, and in byte 8 for those of byte 7. Two bits are
	 * looked up in columns 0, 1 and 2, one bit in the halves of column 3; by
	 * it, byte 1 gets nothing, as 0x80 says.
	 */
sm4_constant gb_tweak_ends, 0x80808080808080078080808080800f0f
sm4_constant gb_tweak_bits_1, 0x01010101010101010101010101010101
sm4_constant gb_tweak_columns_1, 0x000000000000000e000000000000800c
sm4_constant gb_tweak_bits_2, 0x03030303030303030303030303030303
sm4_constant gb_tweak_columns_2, 0x00000000000000080000000000000400
sm4_constant gb_tweak_carries, 0x8000e100c08040008000800091e17000
.popsection
.endm

/*
 * All functions of a tier, of the width VL, handing over to a narrower tier if
 * one is named
 */
.macro sm4_mode_functions	prefix, narrower
	sm4_counter_constants \prefix
	sm4_name_registers
.if GROUPS == 2
	sm4_functions_for_groups \prefix, 2, \narrower
.elseif GROUPS == 3
	sm4_functions_for_groups \prefix, 3, \narrower
.else
	sm4_functions_for_groups \prefix, 4, \narrower
.endif
.endm

/* What a tier defines for so many groups, with rows and with words to begin */
.macro sm4_crypt_functions	prefix, groups, suffix, beside:vararg
	sm4_words_function \prefix, \groups, \suffix, \beside
	sm4_rows_function \prefix, \groups, \suffix
.endm

.macro sm4_functions_for_groups	prefix, full, narrower
	sm4_crypt_functions \prefix, 1
	sm4_crypt_functions \prefix, 2
.if \full > 2
	sm4_crypt_functions \prefix, \full
.endif
	sm4_ecb_function \prefix, \full, \narrower
	sm4_cbc_decrypt_function \prefix, \full, \narrower
	sm4_ctr_function \prefix, \full, \narrower
	.set XTS_GB, 0
	sm4_xts_function \prefix, xts, \full, \narrower
	.set XTS_GB, 1
	sm4_xts_function \prefix, xts_gb, \full, \narrower
.endm

#endif
