/* SPDX-License-Identifier: GPL-2.0 */
/*
 * XTS, by IEEE 1619 and by GB/T 17964
 *
 * Each tweak is x times the one before: one long chain. The tweaks of a pass are made
 * before the rounds, and kept on the stack: those of words, and one row more, at XTS_TWEAKS,
 * those of bulk at XTS_BULK_TWEAKS. The first ones of the next pass are at XTS_NEXT. The
 * buffer for a single block is before XTS_TWEAKS.
 *
 * The two forms differ only in the order of the bits that are multiplied by x. XTS_GB is 0
 * for that of IEEE 1619: a block is a little-endian number. It is 1 for that of GB/T 17964:
 * a block is a big-endian number, and reflected, so that a multiplication shifts it to the
 * right.
 */
#ifndef SM4_XTS_ASM_H
#define SM4_XTS_ASM_H

#include "ghash.h"
#include "skeleton.h"

#define XTS_TWEAKS_BYTES	(PASS_BYTES+VL)
#define XTS_TWEAKS		(BULK*BULK_STATE+VL)
#define XTS_TWEAKS_END		(XTS_TWEAKS+XTS_TWEAKS_BYTES)
#define XTS_NEXT		(XTS_TWEAKS_END+BULK*(BULK_STATE_END-XTS_TWEAKS_END))
/* Of bytes, the first group's, in the place on the stack that the second one does not need */
#define XTS_BULK_TWEAKS		(XTS_NEXT+VL-BYTE_SLICED*(XTS_NEXT+VL-BULK_GROUP_BYTES))
#define XTS_BULK_TWEAKS_BYTES	(BULK_PASS_BYTES>>BYTE_SLICED)
#define XTS_FRAME		(XTS_NEXT+VL+BULK*(1-BYTE_SLICED)*XTS_BULK_TWEAKS_BYTES)

/* The tweaks in memory; the groups or rows still to make; the bytes of the groups of the text */
.set TWEAKS,			%r10
.set TWEAKS_LEFT,		%eax
.set TWEAKS_MADE,		%r9
/* Blocks of the second group of bytes, and 64 less these; bytes of text enough for another pass */
.set SECOND_BLOCKS,		%rax
.set SECOND_BLOCKS_32,		%eax
.set SECOND_REST,		%rax
.set SECOND_REST_32,		%eax
.set ENOUGH_TEXT,		%rax

/*
 * GB/T 17964: multiply tweaks by x^\count, 1 or 2, that is, shift each half by \count bits.
 * The bits that leave the first half become the upper bits of the second one. Those that
 * leave the second half become x^7 + x^2 + x + 1 times themselves, at the upper end of the
 * first one. A shuffle looks up both. Clobbers \bits_left and \table.
 */
.macro sm4_shift_tweaks	count, from, to, bits_left, table
	vpshufb		.Lgb_tweak_ends(%rip), \from, \bits_left	# bytes 15 and 7
	vpand		.Lgb_tweak_bits_\count(%rip), \bits_left, \bits_left	# bits that leave
	vpor		.Lgb_tweak_columns_\count(%rip), \bits_left, \bits_left	# table of each
	vmovdqa		.Lgb_tweak_carries(%rip), \table
	vpshufb		\bits_left, \table, \bits_left	# their products
	vpshufb		.Lreverse_block(%rip), \from, \to	# big-endian halves as numbers
	vpsrlq		$\count, \to, \to		# * x^\count, but for carries
	vpshufb		.Lreverse_block(%rip), \to, \to
	vpxor		\bits_left, \to, \to		# and these
.endm

/*
 * Multiply the tweak in a register of 16 bytes by x. IEEE 1619: the bit that leaves the
 * lower half enters the upper one; the bit that leaves the upper half becomes
 * x^7 + x^2 + x + 1. Clobbers T0, T2.
 */
.macro sm4_double_tweak	from, to
.if XTS_GB
	sm4_shift_tweaks 1, \from, \to, T0_XMM, T2_XMM
.else
	vpshufd		$0x13, \from, T0_XMM		# the words with bits 127 and 63
	vpsrad		$31, T0_XMM, T0_XMM		# all ones where these are set
	vpand		.Ltweak_carries(%rip), T0_XMM, T0_XMM	# 0x87 below, 1 above
	vpaddq		\from, \from, \to		# * x, but for carries
	vpxor		T0_XMM, \to, \to		# and these
.endif
.endm

/*
 * 64-byte vectors: multiply tweaks by x^\count; \rest is 64 - count. Both are constants from
 * 1 to 63, or, if \v is v, one for each half, up to 64. (Bochs shifts by a constant of 64 as by
 * 0.) In the form of GB/T 17964, tweaks are big-endian halves as numbers. Clobbers T0, T1.
 */
.macro sm4_shift_and_carry count, rest, from, to, v
.if XTS_GB
	vpsll\v\()q	\rest, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x00, .Lpolynomial(%rip), T0, T1	# lower ones * (x^7+x^2+x+1)
	vpshufd		$0x4e, T0, T0			# those of the upper half, to the lower one
	vpsrl\v\()q	\count, \from, \to		# * x^\count, but for carries
.else
	vpsrl\v\()q	\rest, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x01, .Ltweak_polynomial(%rip), T0, T1	# upper ones * (x^7+x^2+x+1)
	vpslldq		$8, T0, T0			# those of the lower half, to the upper one
	vpsll\v\()q	\count, \from, \to		# * x^\count, but for carries
.endif
	vpternlogd	$0x96, T0, T1, \to		# and these
.endm

.macro sm4_multiply_tweaks count, from, to
	sm4_shift_and_carry $\count, $64-\count, \from, \to
.endm

/* Between halves as numbers and blocks, which differ in the form of GB/T 17964 */
.macro sm4_reverse_tweaks from, to
.if XTS_GB
	vpshufb		.Lreverse_block(%rip), \from, \to
.endif
.endm

/* The first VL / 16 tweaks into T3. Clobbers T0-T2. */
.macro sm4_first_tweaks
.if VL == 64
	vbroadcasti32x4	(IV), T3			# T
	sm4_reverse_tweaks T3, T3
	sm4_shift_and_carry .Ltweak_lanes(%rip), .Ltweak_lanes+64(%rip), T3, T3, v
	sm4_reverse_tweaks T3, T3			# T * x^i in 128 bits number i
.else
	vmovdqu		(IV), T3_XMM			# T
.if VL == 32
	sm4_double_tweak T3_XMM, T1_XMM			# T * x
	vinserti128	$1, T1_XMM, T3_YMM, T3_YMM
.endif
.endif
.endm

/*
 * Vectors of 16 or 32 bytes: multiply the VL / 16 tweaks in T3 by x^(VL / 16), for the next
 * ones. AVX2 has no carry-less multiplication of 32 bytes: a shuffle looks up the products of
 * the two bits that leave each half. Clobbers T0-T2.
 */
.macro sm4_next_tweaks
.if VL == 16
	sm4_double_tweak T3, T3
.elseif XTS_GB
	sm4_shift_tweaks 2, T3, T3, T0, T2
.else
	vpsrlq		$62, T3, T0			# the two bits that leave each half
	vmovdqa		.Ltweak_carries_2(%rip), T1
	vpshufb		.Ltweak_swap(%rip), T0, T0	# into the other half
	vpor		.Ltweak_columns(%rip), T0, T0	# the table of each
	vpshufb		T0, T1, T0			# their products
	vpsllq		$2, T3, T3			# * x^2, but for carries
	vpxor		T0, T3, T3			# and these
.endif
.endm

/*
 * 64-byte vectors: the tweaks of a row of blocks, from those of the first one in T3: as
 * above, of every fourth one. A chain of all rows would be long.
 */
.macro sm4_tweak_row	register, place:vararg
	vmovdqa32	T3, \register
.if row & 3
	sm4_multiply_tweaks 4*(row&3), \register, \register
.endif
	sm4_reverse_tweaks \register, \register
.if 3 == (row & 3)
	sm4_multiply_tweaks 16, T3, T3
.endif
.endm

.macro sm4_xts_pass	prefix, groups
	_vmovdqu	XTS_NEXT(%rsp), T3
	lea		XTS_TWEAKS(%rsp), TWEAKS
.if VL == 64
	sm4_reverse_tweaks T3, T3
	mov		$\groups, TWEAKS_LEFT
.Lgroup_\@:
	sm4_each_row	"A0,A1,A2,A3", sm4_tweak_row, 0
	sm4_each_row	"A0,A1,A2,A3", sm4_store_row, 0(TWEAKS)
	add		$4*VL, TWEAKS
	dec		TWEAKS_LEFT
	jnz		.Lgroup_\@
	sm4_reverse_tweaks T3, T3
.else
	mov		$4*\groups, TWEAKS_LEFT
.Lrow_\@:
	_vmovdqu	T3, (TWEAKS)			# T_i
	sm4_next_tweaks					# T_(i+VL/16) = T_i * x^(VL/16)
	add		$VL, TWEAKS
	dec		TWEAKS_LEFT
	jnz		.Lrow_\@
.endif
	_vmovdqu	T3, (TWEAKS)			# one more, for the IV
	_vmovdqu	T3, XTS_NEXT(%rsp)
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)	# P
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# P ^ T
	call		\prefix\()_rows_\groups		# E(P ^ T)
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# C = E(P ^ T) ^ T
	sm4_pass_bytes	\groups
	vmovdqu		(TWEAKS,PASS_TEXT), T0_XMM	# the tweak behind the last block
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/* Pairs: the tweaks of a group are at XTS_BULK_TWEAKS until it leaves. */
.macro sm4_xts_add_tweak row, place:vararg
	_vpxor		T3, \row, \row			# P ^ T
	sm4_store_row	T3, \place
	sm4_next_tweaks
.endm

.macro sm4_xts_bulk_in
	_vmovdqu	XTS_NEXT(%rsp), T3
	sm4_pairs_for_rows_in sm4_xts_add_tweak, XTS_BULK_TWEAKS(%rsp,OFFSET)
	_vmovdqu	T3, XTS_NEXT(%rsp)
.endm

.macro sm4_xts_bulk_out						# C = E(P ^ T) ^ T
	sm4_pairs_for_rows sm4_xor_row, XTS_BULK_TWEAKS(%rsp,OFFSET)
.endm

/*
 * Bytes: the tweaks of a group are transposed as its blocks are, once for a text. Then row j
 * has byte j of all tweaks, and rows are multiplied by x^8 by renaming: row j becomes row
 * j + 1. A byte that leaves the last row is multiplied by x^7 + x^2 + x + 1. The product has
 * 15 bits, by two affine maps: TWEAK_LOW for one row, TWEAK_HIGH for the next.
 * So x^64 and x^128 take 16 and 32 maps for 64 tweaks. GB/T 17964 has other maps.
 *
 * XTS_BULK_TWEAKS has the tweaks of the first group. Those of the second one, x^64 times
 * these, are made where they are added, as the stack has no room for them.
 */
.set TWEAK_LOW,		%zmm26
.set TWEAK_HIGH,	%zmm27

#define XTS_TWEAK_ROW(row)	XTS_BULK_TWEAKS+(row)*VL(%rsp)

/* Takes the tweaks of the first row in T3. */
.macro sm4_first_bulk_tweaks prefix
	cmp		$BULK_LEAST, BYTES
	jb		.Lno_bulk_\@
	sm4_reverse_tweaks T3, T3
	sm4_bytes_for_rows_in sm4_tweak_row, 0
	call		\prefix\()_transpose
	sm4_bytes_for_rows sm4_store_row, XTS_BULK_TWEAKS(%rsp)
.Lno_bulk_\@:
.endm

/*
 * Add x^64 times a row: the products of rows 8 to 15 become rows 0 to 7, and that of row 15
 * reaches row 8, too. T1 goes on from row to row.
 */
.macro sm4_xts_add_second register, place:vararg
.if row < 8
	vmovdqa32	XTS_TWEAK_ROW(row+8), T0
	vgf2p8affineqb	$0, TWEAK_LOW, T0, T2
	vpternlogd	$0x96, T1, T2, \register
	vgf2p8affineqb	$0, TWEAK_HIGH, T0, T1
.elseif row == 8
	vpternlogd	$0x96, XTS_TWEAK_ROW(row-8), T1, \register
.else
	vpxord		XTS_TWEAK_ROW(row-8), \register, \register
.endif
.endm

/* Every row has bytes of all blocks, however few there are. */
.macro sm4_xts_add_bytes for_rows
	test		OFFSET, OFFSET
	jz		.Lfirst_group_\@
	vmovdqa32	.Ltweak_low+XTS_GB*2*VL(%rip), TWEAK_LOW
	vmovdqa32	.Ltweak_high+XTS_GB*2*VL(%rip), TWEAK_HIGH
	vpxord		T1, T1, T1
	\for_rows	sm4_xts_add_second, 0
	jmp		.Ladded_\@
.Lfirst_group_\@:
	\for_rows	sm4_xor_row, XTS_BULK_TWEAKS(%rsp)
.Ladded_\@:
.endm

.macro sm4_xts_bulk_bytes_in					# P ^ T
	sm4_xts_add_bytes sm4_bytes_for_rows
.endm

.macro sm4_xts_bulk_bytes_out					# C = E(P ^ T) ^ T
	sm4_xts_add_bytes sm4_bytes_for_rows_in
.endm

/*
 * x^128 times the tweaks: all rows leave at the end. The upper part of row 15's product would be
 * row 16, and leaves with row 0. T2 goes on from row to row. The vector that is read behind the
 * last row is not used. The maps are still there: the second group has left the rounds with them.
 */
.macro sm4_next_bulk_tweaks
	vmovdqa32	XTS_TWEAK_ROW(15), T0
	vgf2p8affineqb	$0, TWEAK_HIGH, T0, T0
	vpxord		XTS_TWEAK_ROW(0), T0, T0
	vpxord		T2, T2, T2
.irp	next, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	vgf2p8affineqb	$0, TWEAK_LOW, T0, T1
	vpxord		T2, T1, T1
	vgf2p8affineqb	$0, TWEAK_HIGH, T0, T2
	vmovdqa32	XTS_TWEAK_ROW(\next), T0
	vmovdqa32	T1, XTS_TWEAK_ROW(\next-1)
.endr
.endm

/*
 * Advance XTS_NEXT by the blocks of the pass: a whole group, and those of the second one. If
 * there will be another pass, advance the tweaks, too.
 */
.macro sm4_xts_bulk_end
	lea		-BULK_GROUP_BYTES(PASS), SECOND_BLOCKS_32
	shr		$4, SECOND_BLOCKS_32		# bytes to blocks
	vpbroadcastq	SECOND_BLOCKS, T2
	sub		$64, SECOND_REST_32
	neg		SECOND_REST_32
	vpbroadcastq	SECOND_REST, A0
	_vmovdqu	XTS_NEXT(%rsp), T3
	sm4_reverse_tweaks T3, T3
	sm4_multiply_tweaks BULK_GROUP_BYTES/32, T3, T3
	sm4_multiply_tweaks BULK_GROUP_BYTES/32, T3, T3
	sm4_shift_and_carry T2, A0, T3, T3, v
	sm4_reverse_tweaks T3, T3
	_vmovdqu	T3, XTS_NEXT(%rsp)
	lea		BULK_LEAST(PASS), ENOUGH_TEXT
	cmp		ENOUGH_TEXT, BYTES
	jb		.Lno_pass_\@
	sm4_next_bulk_tweaks
.Lno_pass_\@:
.endm

.macro sm4_xts_bulk_wipe
	vmovdqu		XTS_NEXT(%rsp), T0_XMM
	vmovdqu		T0_XMM, (IV)
.if BYTE_SLICED
	mov		$XTS_BULK_TWEAKS_BYTES, WIPE_BYTES_32
.else
	mov		BULK_STATE_USED(%rsp), WIPE_BYTES
.endif
	sm4_wipe_stack	XTS_BULK_TWEAKS
.endm

/* In the form of GB/T 17964, if \gb is 1 */
.macro sm4_xts_function	name, prefix, full, gb
	.set XTS_GB, \gb
SYM_TYPED_FUNC_START(\name)
	sm4_enter_mode	XTS_FRAME
	sm4_first_tweaks
	_vmovdqu	T3, XTS_NEXT(%rsp)
.if BYTE_SLICED
	sm4_first_bulk_tweaks \prefix
	sm4_bulk_passes sm4_xts, \prefix, bytes_in, bytes_out, end, wipe
.else
	sm4_bulk_passes sm4_xts, \prefix, in, out, wipe
.endif
	cmp		$NARROWER_BYTES, BYTES
	jbe		.L\name\()_done
.if VL == 64
	lea		GROUP_BYTES(1)-1(BYTES), TWEAKS_MADE
	and		$-GROUP_BYTES(1), TWEAKS_MADE	# or more
	sm4_word_passes sm4_xts, \prefix, \full
	lea		VL(TWEAKS_MADE), WIPE_BYTES
.else
	sm4_word_passes sm4_xts, \prefix, \full
	mov		$XTS_TWEAKS_BYTES, WIPE_BYTES_32
.endif
	sm4_wipe_stack	XTS_TWEAKS
.L\name\()_done:
	_vpxor		T0, T0, T0
	_vmovdqu	T0, XTS_NEXT(%rsp)
	sm4_return
SYM_FUNC_END(\name)
.endm

/* Constants, once for a file, whatever widths it instantiates */
.macro sm4_tweak_constants
.pushsection .rodata
.p2align 6
	/* the product of a bit that leaves the upper half of a tweak; of the lower half */
sm4_constant tweak_carries, 0x00000000000000010000000000000087
	/*
	 * those of two bits: of the upper half, in bytes 0 and 1, to be looked up
	 * in columns 0 and 1 of a table; of the lower half, in byte 8 and column 2
	 */
sm4_constant tweak_swap, 0x80808080808080008080808080800808
sm4_constant tweak_columns, 0x00000000000000080000000000000400
sm4_constant tweak_carries_2, 0x000000000302010001010000890e8700
	/* x^7 + x^2 + x + 1 */
sm4_constant tweak_polynomial, 0x87
	/* the number of bits by which the four tweaks of 64 bytes differ, and 64 less these */
.Ltweak_lanes:
	.quad		0, 0, 1, 1, 2, 2, 3, 3
	.quad		64, 64, 63, 63, 62, 62, 61, 61
	/*
	 * GB/T 17964: the products are in bytes 0 and 1 for the bits that leave
	 * byte 15, and in byte 8 for those that leave byte 7. Two bits are looked
	 * up in columns 0, 1 and 2, one bit in the halves of column 3. With one
	 * bit, byte 1 gets 0 (0x80).
	 */
sm4_constant gb_tweak_ends, 0x80808080808080078080808080800f0f
sm4_constant gb_tweak_bits_1, 0x01010101010101010101010101010101
sm4_constant gb_tweak_columns_1, 0x000000000000000e000000000000800c
sm4_constant gb_tweak_bits_2, 0x03030303030303030303030303030303
sm4_constant gb_tweak_columns_2, 0x00000000000000080000000000000400
sm4_constant gb_tweak_carries, 0x8000e100c08040008000800091e17000
.popsection
.endm

#endif
