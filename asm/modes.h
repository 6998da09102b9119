/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modes of SM4 on vectors, for all SIMD tiers: ecb, cbc decryption, ctr and
 * xts, each a function of the type sm4_crypt_function (sm4-fast.h); and cbc
 * encryption and CBC-MAC, for those that are fast on single blocks.
 *
 * A mode takes a batch of all groups at a time: of pairs where there are enough
 * groups, and then of words. What is left in the end, its tail, goes through one or
 * two groups of words where these are enough, so that no block is left to scalar
 * code. It is the number of bytes alone that decides a branch, and in CTR the
 * counter, which is no secret.
 *
 * Included after asm/pairs.h, or what does the same for a tier (functions
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

/* Places may have commas. */
.macro sm4_load_row	register, place:vararg
.if VL == 64
	vmovdqu32	\place, \register
.else
	vmovdqu		\place, \register
.endif
.endm

.macro sm4_store_row	register, place:vararg
.if VL == 64
	vmovdqu32	\register, \place
.else
	vmovdqu		\register, \place
.endif
.endm

.macro sm4_xor_row	register, place:vararg
.if VL == 64
	vpxord		\place, \register, \register
.else
	vpxor		\place, \register, \register
.endif
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

/* Forget the %r10 bytes of the stack from an offset on. Clobbers T0, %rax. */
.macro sm4_wipe_stack	offset
	_vpxor		T0, T0, T0
	mov		%r10, %rax
.Lwipe_\@:
	sm4_store_row	T0, \offset-VL(%rsp,%rax)
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
 * Their frame is so many bytes of the stack, for vectors to be aligned in: 2672 with
 * all that is called, where it is largest, in GCM with 64-byte vectors.
 */
#define NARROWER_BYTES		(GROUP_BYTES(1)/2*(1+VL/64))

.macro sm4_begin_frame	bytes
	push		%rbp
	mov		%rsp, %rbp
	sub		$\bytes, %rsp
	and		$-64, %rsp
.endm

.macro sm4_enter_mode	frame, mode, narrower
.ifnb \narrower
	cmp		$NARROWER_BYTES, BYTES
	jbe		\narrower\()_\mode
.endif
	sm4_begin_frame	\frame
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

.macro sm4_return	mode, narrower
	leave
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
 * sm4_pair_batches: before that, in a tier with pairs, do batches of these as
 * long as there are enough groups. Groups leave the rounds last one first: so what
 * CBC wants of the ciphertext before a group is still there when that goes to the
 * same place. What a mode does beside are macros that may clobber %rax and T0-T2:
 *
 *	\mode_pairs_begin	before all; T3, too
 *	\mode_pairs_in		with the rows of a group in A0 to B3; T3, too
 *	\mode_pairs_between	with OFFSET at the end of the batch
 *	\mode_pairs_out		with the rows that leave, as sm4_for_rows has them:
 *				T2 is one of these, and may not be clobbered.
 *				From one to the next, T3 is kept.
 *	\mode_pairs_end		in the end of a batch
 *	\mode_pairs_wipe	in the end
 */
#define PAIRS_LEAST		(PAIR_GROUPS_LEAST*PAIR_BYTES)
/*
 * in CTR, where they need not be whole: more than all groups of words, and than one
 * more where these are two. (On a Cascade Lake, that makes avx2 1.22 times as fast for
 * 384 bytes.) There, and without pairs, words go in batches, too.
 */
#define PAIRS_LEAST_COUNTED	(BATCH_BYTES+TWO_GROUPS*GROUP_BYTES(1)+1)
#define BATCHES_OF_WORDS	(!PAIRS || TWO_GROUPS)
.set PIECE,			%r11

/*
 * The bytes of a batch for so many bytes of text. What is a little more than a batch
 * is better done in two pieces, three groups first: a few blocks alone take half as
 * long as a batch. With 64-byte vectors, the narrower tier has these.
 */
.macro sm4_batch_for	to, to32, text:vararg
.if VL < 64
	lea		-PAIR_BATCH_BYTES-1(\text), \to
	cmp		$PAIR_BYTES, \to
	mov		$PAIR_BATCH_BYTES, \to32
	jae		.Lbatch_\@
	mov		$PAIR_BATCH_BYTES-PAIR_BYTES, \to32
.Lbatch_\@:
.else
	mov		$PAIR_BATCH_BYTES, \to32
.endif
.endm

/*
 * The bytes of the next batch. \counted as in CTR, a group that is not whole is one
 * more.
 */
.macro sm4_next_piece	to, to32, counted=0
.if \counted
	sm4_batch_for	\to, \to32, BYTES
.else
	mov		$PAIR_BATCH_BYTES, \to32
.endif
	cmp		\to, BYTES
	cmovb		BYTES, \to
.if \counted
	add		$PAIR_BYTES-1, \to
.endif
	and		$-PAIR_BYTES, \to
.endm

.macro sm4_load_rows	at:vararg
.irp	row, 0, 1, 2, 3
	sm4_load_row	A\row, VL*\row+\at
.endr
.irp	row, 0, 1, 2, 3
	sm4_load_row	B\row, VL*(4+\row)+\at
.endr
.endm

.macro sm4_pair_batches	mode, prefix
.if PAIRS
	cmp		$PAIRS_LEAST, BYTES
	jb		.Lno_pairs_\@
	sm4_next_piece	PIECE, %r11d
	mov		PIECE, HOME_USED(%rsp)
	\mode\()_pairs_begin
.Lpairs_\@:
	xor		%r10d, %r10d
.Lenter_\@:
	sm4_load_rows	0(SRC,OFFSET)
	\mode\()_pairs_in
	sm4_pairs_enter
	add		$PAIR_BYTES, OFFSET
	cmp		PIECE, OFFSET
	jb		.Lenter_\@
	call		\prefix\()_rounds
	mov		PIECE, OFFSET
	\mode\()_pairs_between
.Lleave_\@:
	sub		$PAIR_BYTES, OFFSET
	sm4_pairs_leave
	\mode\()_pairs_out
	sm4_for_rows	sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	\mode\()_pairs_end
	add		PIECE, SRC
	add		PIECE, DST
	sub		PIECE, BYTES
	sm4_next_piece	PIECE, %r11d
	cmp		$PAIRS_LEAST, PIECE
	jae		.Lpairs_\@
	\mode\()_pairs_wipe
	mov		HOME_USED(%rsp), %r10
	sm4_wipe_stack	HOME
.Lno_pairs_\@:
.endif
.endm

/*
 * sm4_last_blocks: do what is left where it is. Only a block alone, where nobody
 * narrower takes it, is doubled to a vector at the start of the stack: an aligned
 * one, as a vector across the end of a page takes a hundred cycles. In the end BYTES
 * is what is left for the narrower tier, which that of 64-byte vectors always has.
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
	mov		%rsp, SRC
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

/* The stack of a mode that has nothing else there */
#define BLOCKS_FRAME		(VL+PAIRS*HOME_END)

/* ECB */
.macro sm4_ecb_batch	prefix, groups, whole=GROUPS
	sm4_for_groups	\groups, sm4_load, SRC, \whole
	call		\prefix\()_rows_\groups
	sm4_for_groups	\groups, sm4_store, DST, \whole
.endm

.macro sm4_ecb_tail	prefix, groups
	sm4_ecb_batch	\prefix, \groups, TAIL_WHOLE(\groups)
.endm

.macro sm4_ecb_pairs_begin
.endm
.macro sm4_ecb_pairs_in
.endm
.macro sm4_ecb_pairs_between
.endm
.macro sm4_ecb_pairs_out
.endm
.macro sm4_ecb_pairs_end
.endm
.macro sm4_ecb_pairs_wipe
.endm

.macro sm4_ecb_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_ecb)
	sm4_enter_mode	BLOCKS_FRAME, ecb, \narrower
	sm4_pair_batches sm4_ecb, \prefix
	sm4_full_batches sm4_ecb, \prefix, \full
	sm4_last_blocks	sm4_ecb, \prefix, \full, \narrower
	sm4_return	ecb, \narrower
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

/* The IV and the first blocks of ciphertext into T0 */
.macro sm4_cbc_first_row
	vmovdqu		(IV), T0_XMM
.if VL == 32
	vinserti128	$1, (SRC), T0, T0
.elseif VL == 64
	vinserti32x4	$1, (SRC), T0, T0
	vinserti64x4	$1, 16(SRC), T0, T0
.endif
.endm

.macro sm4_cbc_xor	g, index, whole
.if \index == 0
	lea		-16(SRC), PREVIOUS
.if \whole == 0
	test		LAST_ROW, LAST_ROW
	cmovz		SRC, PREVIOUS
.endif
	sm4_cbc_first_row
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

/* The next IV waits in T3, as that of this batch is wanted last. */
.macro sm4_cbc_pairs_between
	vmovdqu		-16(SRC,OFFSET), T3_XMM
.endm

.macro sm4_cbc_pairs_out
	test		OFFSET, OFFSET
	jz		.Lfirst_\@
	sm4_load_row	T0, -16(SRC,OFFSET)
	jmp		.Lall_\@
.Lfirst_\@:
	sm4_cbc_first_row
.Lall_\@:
	_vpxor		T0, B2, B2
	sm4_xor_row	B1, VL-16(SRC,OFFSET)
	sm4_xor_row	B3, 2*VL-16(SRC,OFFSET)
	sm4_xor_row	T2, 3*VL-16(SRC,OFFSET)
	sm4_xor_row	A2, 4*VL-16(SRC,OFFSET)
	sm4_xor_row	A3, 5*VL-16(SRC,OFFSET)
	sm4_xor_row	A1, 6*VL-16(SRC,OFFSET)
	sm4_xor_row	A0, 7*VL-16(SRC,OFFSET)
.endm

.macro sm4_cbc_pairs_end
	vmovdqu		T3_XMM, (IV)
.endm
.macro sm4_cbc_pairs_begin
.endm
.macro sm4_cbc_pairs_in
.endm
.macro sm4_cbc_pairs_wipe
.endm

.macro sm4_cbc_decrypt_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_cbc_decrypt)
	sm4_enter_mode	BLOCKS_FRAME, cbc_decrypt, \narrower
	sm4_pair_batches sm4_cbc, \prefix
	sm4_full_batches sm4_cbc, \prefix, \full
	sm4_last_blocks	sm4_cbc, \prefix, \full, \narrower
	sm4_return	cbc_decrypt, \narrower
SYM_FUNC_END(\prefix\()_cbc_decrypt)
.endm

/*
 * XTS
 *
 * Each tweak is x times the one before: one long chain. They are made before the
 * rounds and kept on the stack, row by row and one row more, at XTS_TWEAKS: for
 * pairs, those of a batch behind their home. With the SM4 instructions, of two full
 * batches and more the tweaks of each are made beside the rounds of the one before;
 * they take turns with a second place at the start of the stack. There a block alone
 * has its buffer.
 *
 * There are two forms, which multiply by x in different orders of a block's bits
 * and share all else. XTS_GB says which one is being made: 0 for that of IEEE
 * 1619, where the block is a little-endian number, and 1 for that of GB/T 17964,
 * where it is a big-endian one, and reflected: a multiplication shifts it to the
 * right.
 */
#define XTS_TWEAKS_BYTES	(BATCH_BYTES+VL)
#define XTS_TWEAKS		(XTS_TWEAKS_BYTES+PAIRS*(HOME+VL-XTS_TWEAKS_BYTES))
#define XTS_NEXT		HOME_END
#define XTS_PAIR_TWEAKS		(XTS_NEXT+VL)
#define XTS_PAIR_TWEAKS_BYTES	(PAIR_BATCH_BYTES>>(VL/64*3))
#define XTS_FRAME		(2*XTS_TWEAKS_BYTES+PAIRS*(XTS_PAIR_TWEAKS+XTS_PAIR_TWEAKS_BYTES \
				-2*XTS_TWEAKS_BYTES))
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
 * From VL / 16 tweaks in T3 to the next ones, times x^(VL / 16). Clobbers T0-T2;
 * with 64-byte vectors T0 and T1 alone, as sm4_xts_pairs_out has a row in T2. AVX2
 * has no carry-less multiplication on wide vectors: a shuffle looks up what the two
 * bits that leave each half become, in the other half.
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
	lea		XTS_TWEAKS_BYTES(%rsp), NEXT_TWEAKS
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

/*
 * Pairs: the next tweaks are at XTS_NEXT, and those of a group at XTS_PAIR_TWEAKS
 * until it leaves. With 64-byte vectors they would be too many for the stack: only
 * the first ones are kept, and the others, which are soon made, are made twice.
 */
.macro sm4_xts_pairs_begin
	sm4_first_tweaks
	_vmovdqa	T3, XTS_NEXT(%rsp)
.endm

.macro sm4_xts_add_tweak row, place
	_vpxor		T3, \row, \row
.if VL < 64
	sm4_store_row	T3, XTS_PAIR_TWEAKS+VL*(\place)(%rsp,OFFSET)
.endif
	sm4_next_tweaks
.endm

.macro sm4_xts_pairs_in
	_vmovdqa	XTS_NEXT(%rsp), T3
.if VL == 64
	mov		OFFSET, %rax
	shr		$3, %rax
	sm4_store_row	T3, XTS_PAIR_TWEAKS(%rsp,%rax)
.endif
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweak A\row, \row
.endr
.irp	row, 0, 1, 2, 3
	sm4_xts_add_tweak B\row, 4+\row
.endr
	_vmovdqa	T3, XTS_NEXT(%rsp)
.endm
.macro sm4_xts_pairs_between
.endm

.macro sm4_xts_add_tweak_again row, place:vararg
	_vpxor		T3, \row, \row
	sm4_next_tweaks
.endm

.macro sm4_xts_pairs_out
.if VL == 64
	mov		OFFSET, %rax
	shr		$3, %rax
	sm4_load_row	T3, XTS_PAIR_TWEAKS(%rsp,%rax)
	sm4_for_rows	sm4_xts_add_tweak_again, 0
.else
	sm4_for_rows	sm4_xor_row, XTS_PAIR_TWEAKS(%rsp,OFFSET)
.endif
.endm
.macro sm4_xts_pairs_end
.endm

.macro sm4_xts_pairs_wipe
	vmovdqa		XTS_NEXT(%rsp), T0_XMM
	vmovdqu		T0_XMM, (IV)
	mov		HOME_USED(%rsp), %r10
.if VL == 64
	shr		$3, %r10
.endif
	add		$VL, %r10
	sm4_wipe_stack	XTS_NEXT
.endm

.macro sm4_xts_tail	prefix, groups
	sm4_xts_batch	\prefix, \groups, TAIL_WHOLE(\groups)
.endm

/* \mode is the name of the form that XTS_GB says. */
.macro sm4_xts_function	prefix, mode, full, narrower
.if !PAIRS
	sm4_words_function \prefix, \full, _beside_\mode, sm4_make_tweaks
	sm4_rows_function \prefix, \full, _beside_\mode
.endif
SYM_TYPED_FUNC_START(\prefix\()_\mode)
	sm4_enter_mode	XTS_FRAME, \mode, \narrower
.if PAIRS
	sm4_pair_batches sm4_xts, \prefix
.else
	sm4_xts_full_batches \prefix, \mode, \full
.endif
	sm4_full_batches sm4_xts, \prefix, \full
	sm4_last_blocks	sm4_xts, \prefix, \full, \narrower
	mov		$XTS_TWEAKS_BYTES, %r10d
	sm4_wipe_stack	XTS_TWEAKS
	sm4_return	\mode, \narrower
SYM_FUNC_END(\prefix\()_\mode)
.endm

/*
 * CTR
 *
 * The counter is 128 bits, big-endian: its words 0 to 2 are the same in all
 * blocks of a batch, unless word 3 overflows on the way. So these three are
 * made ready once and kept on the stack, and word 3 of all blocks is made where
 * it is needed: no load, no transposition. The batch in which word 3 overflows
 * is rare and counts block by block, which takes longer. So time depends on the
 * counter. That is public, as the IV and the position in the text are.
 *
 * The stack: a buffer of a batch, which is where pairs have their home; what
 * sm4_counter_ready keeps, three vectors, or sm4_pair_counter_ready, 64 bytes; the
 * counter.
 */
#define CTR_READY		(BATCH_BYTES+PAIRS*(HOME_END-BATCH_BYTES))
#define CTR_COUNTER		(CTR_READY+3*VL)
#define CTR_FRAME		(CTR_COUNTER+VL)

/* The counter as in memory. Clobbers %rax. */
.macro sm4_store_counter	to:vararg
	mov		COUNTER_HIGH, %rax
	bswap		%rax
	mov		%rax, 0+\to
	mov		COUNTER_LOW, %rax
	bswap		%rax
	mov		%rax, 8+\to
.endm

/*
 * The counters of the first %r10 bytes of the buffer: block by block, from the last
 * one on, as word 3 overflows. Clobbers %rax and %r10.
 */
.macro sm4_count_blocks
	mov		%r10, %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.Lcount_one_\@:
	sub		$1, COUNTER_LOW
	sbb		$0, COUNTER_HIGH
	sub		$16, %r10
	sm4_store_counter BUFFER(%rsp,%r10)
	jnz		.Lcount_one_\@
.endm

/* Make words 0 to 2 of the counter ready. Clobbers %rax, T0-T2. */
.macro sm4_ctr_ready
	sm4_store_counter CTR_COUNTER(%rsp)
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
	mov		$GROUP_BYTES(\groups), %r10d
	sm4_count_blocks
	lea		BUFFER(%rsp), %r10
	sm4_for_groups	\groups, sm4_load, %r10
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
.if \groups < GROUPS || !BATCHES_OF_WORDS
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
	lea		BUFFER(%rsp), %r10
	sm4_for_groups	\groups, sm4_store, %r10
.endm

/* OFFSET bytes of text, of whole groups, are done; their blocks into %rax. */
.macro sm4_ctr_advance
	add		OFFSET, SRC
	add		OFFSET, DST
	sub		OFFSET, BYTES
	mov		OFFSET, %rax
	shr		$4, %eax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
.endm

/*
 * Where there is enough: batches of pairs. The keystream of a group that is not
 * whole, the last one, goes to the buffer, for all that is left.
 */
.macro sm4_ctr_pairs	prefix
	cmp		$PAIRS_LEAST_COUNTED, BYTES
	jb		.L\prefix\()_ctr_words
	sm4_next_piece	OFFSET, %r10d, 1
	mov		OFFSET, HOME_USED(%rsp)
.Lready_\@:
	sm4_store_counter CTR_COUNTER(%rsp)
	sm4_pair_counter_ready CTR_COUNTER, %rsp, CTR_READY
.Lpairs_\@:
	sm4_next_piece	OFFSET, %r10d, 1
	mov		COUNTER_LOW_32, CTR_COUNTER(%rsp)
	mov		%r10d, %eax
	shr		$4, %eax
	add		COUNTER_LOW_32, %eax
	jc		.Lcount_\@
	vbroadcastss	CTR_COUNTER(%rsp), T2
	sm4_pair_counters \prefix, CTR_READY
.Lrounds_\@:
	call		\prefix\()_rounds
	sm4_next_piece	OFFSET, %r10d, 1
.Lleave_\@:
	sub		$PAIR_BYTES, OFFSET
	sm4_pairs_leave
	lea		PAIR_BYTES(OFFSET), %rax
	cmp		%rax, BYTES
	jb		.Lpartial_group_\@
	sm4_for_rows	sm4_xor_row, 0(SRC,OFFSET)
	sm4_for_rows	sm4_store_row, 0(DST,OFFSET)
	test		OFFSET, OFFSET
	jnz		.Lleave_\@
	sm4_next_piece	OFFSET, %r10d, 1
	cmp		OFFSET, BYTES
	jb		.Lend_\@
	sm4_ctr_advance
	cmp		$PAIRS_LEAST_COUNTED, BYTES
	jb		.Lwhole_\@
	cmp		%eax, COUNTER_LOW_32
	jae		.Lpairs_\@
	jmp		.Lready_\@
.Lpartial_group_\@:
	sm4_for_rows	sm4_store_row, HOME(%rsp,OFFSET)
	jmp		.Lleave_\@
.Lcount_\@:
	sm4_count_blocks
.Lenter_\@:
	sm4_load_rows	HOME(%rsp,OFFSET)
	sm4_pairs_enter
	add		$PAIR_BYTES, OFFSET
	sm4_next_piece	%rax, %eax, 1
	cmp		%rax, OFFSET
	jb		.Lenter_\@
	jmp		.Lrounds_\@
.Lwhole_\@:
	mov		HOME_USED(%rsp), %r10
	sm4_wipe_stack	HOME
	jmp		.L\prefix\()_ctr_words
.Lend_\@:
	sub		$PAIR_BYTES, OFFSET
	sm4_ctr_advance
	lea		15(BYTES), %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH
	lea		HOME(%rsp,OFFSET), %rax
	mov		HOME_USED(%rsp), %r10
	jmp		.L\prefix\()_ctr_text
.endm

.macro sm4_ctr_function	prefix, full, narrower
SYM_TYPED_FUNC_START(\prefix\()_ctr)
	sm4_enter_mode	CTR_FRAME, ctr, \narrower
	mov		(IV), COUNTER_HIGH
	bswap		COUNTER_HIGH
	mov		8(IV), COUNTER_LOW
	bswap		COUNTER_LOW
.if PAIRS
	sm4_ctr_pairs	\prefix
.endif

.L\prefix\()_ctr_words:
	sm4_if_short	.L\prefix\()_ctr_done, \narrower
	sm4_ctr_ready
.if BATCHES_OF_WORDS
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
	sm4_if_short	.L\prefix\()_ctr_done, \narrower
.endif

.L\prefix\()_ctr_tail:
	sm4_tail	sm4_ctr_tail, \prefix, \full
	lea		15(BYTES), %rax
	shr		$4, %rax
	add		%rax, COUNTER_LOW
	adc		$0, COUNTER_HIGH

	/* the keystream is at %rax */
	lea		BUFFER(%rsp), %rax
.L\prefix\()_ctr_text:
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
	sm4_wipe_stack	BUFFER

.L\prefix\()_ctr_done:
	bswap		COUNTER_HIGH
	mov		COUNTER_HIGH, (IV)
	bswap		COUNTER_LOW
	mov		COUNTER_LOW, 8(IV)
	sm4_return	ctr, \narrower
SYM_FUNC_END(\prefix\()_ctr)
.endm

/*
 * The serial chains, CBC encryption and CBC-MAC, of a tier that is fast enough on
 * single blocks. It defines these, which may clobber everything but the
 * arguments of the functions below, CCM_COUNT, and the last one TEXT:
 *
 *	sm4_chain_begin from	the chain, a block, from memory
 *	sm4_chain_block		chain = E(chain ^ the block at SRC)
 *	sm4_chain_value		the chain into the register CHAIN
 *	sm4_ccm_block		chain = E(chain ^ TEXT), and beside it, as the chain
 *				leaves the CPU waiting, KEYSTREAM = E(KEYSTREAM)
 *	sm4_ccm_add_keystream	chain ^= KEYSTREAM: then ciphertext as TEXT comes in
 *				as plaintext, which need not be waited for
 *
 * The functions are \prefix_cbc_encrypt, an sm4_crypt_function, \prefix_ccm_crypt,
 * an sm4_ccm_function, and
 *
 *	void \prefix_cbc_mac(const struct sm4_round_keys *keys, u8 *mac,
 *			     const u8 *src, size_t blocks)
 *
 * as struct sm4_tier says (sm4-fast.h).
 */
.set MAC,		%rsi
.set BLOCKS,		%rcx
.set CHAIN,		%xmm4

/* struct sm4_ccm_state, at CCM_STATE; the counter's last word in the CPU's order */
#define CCM_STATE_MAC		0
#define CCM_STATE_COUNTER	16
#define CCM_STATE_TEXT		32
.set CCM_STATE,		%rcx
.set CCM_BLOCKS,	%r8
.set CCM_DECRYPTS,	%r9b
.set CCM_COUNT,		%r11d
.set CCM_OUTPUT,	%xmm13
.set TEXT,		%xmm14
.set KEYSTREAM,		%xmm15

.set CHAIN_BLOCKS,	1

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

/*
 * CCM: the MAC takes in a block of text while the next one's keystream is made, so
 * that decryption has its plaintext in time.
 */
SYM_TYPED_FUNC_START(\prefix\()_ccm_crypt)
	test		CCM_BLOCKS, CCM_BLOCKS
	jz		.L\prefix\()_ccm_done
	sm4_chain_begin	CCM_STATE_MAC(CCM_STATE)
	vmovdqu		CCM_STATE_TEXT(CCM_STATE), TEXT
	mov		CCM_STATE_COUNTER+12(CCM_STATE), CCM_COUNT
	bswap		CCM_COUNT
.L\prefix\()_ccm_block:
	mov		CCM_COUNT, %eax
	inc		CCM_COUNT
	bswap		%eax
	vmovdqu		CCM_STATE_COUNTER(CCM_STATE), KEYSTREAM
	vpinsrd		$3, %eax, KEYSTREAM, KEYSTREAM
	sm4_ccm_block
	vmovdqu		(SRC), TEXT
	vpxor		TEXT, KEYSTREAM, CCM_OUTPUT
	vmovdqu		CCM_OUTPUT, (DST)
	add		$16, SRC
	add		$16, DST
	dec		CCM_BLOCKS
	jz		.L\prefix\()_ccm_end
	test		CCM_DECRYPTS, CCM_DECRYPTS
	jz		.L\prefix\()_ccm_block
	sm4_ccm_add_keystream
	jmp		.L\prefix\()_ccm_block

.L\prefix\()_ccm_end:
	test		CCM_DECRYPTS, CCM_DECRYPTS
	jz		.L\prefix\()_ccm_encrypted
	vmovdqa		CCM_OUTPUT, TEXT
.L\prefix\()_ccm_encrypted:
	vmovdqu		TEXT, CCM_STATE_TEXT(CCM_STATE)
	bswap		CCM_COUNT
	mov		CCM_COUNT, CCM_STATE_COUNTER+12(CCM_STATE)
	sm4_chain_value
	vmovdqu		CHAIN, CCM_STATE_MAC(CCM_STATE)
	sm4_clear_registers
.L\prefix\()_ccm_done:
	RET
SYM_FUNC_END(\prefix\()_ccm_crypt)
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
.macro sm4_crypt_functions	prefix, groups
	sm4_words_function \prefix, \groups
	sm4_rows_function \prefix, \groups
.endm

.macro sm4_functions_for_groups	prefix, full, narrower
.if PAIRS
	sm4_pair_counter_constants \prefix
	sm4_rounds_function \prefix
.endif
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
