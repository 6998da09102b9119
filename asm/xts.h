/* SPDX-License-Identifier: GPL-2.0 */
/*
 * XTS, by IEEE 1619 and by GB/T 17964
 *
 * Each tweak is x times the one before: one long chain. The tweaks of a batch are made
 * before the rounds, and kept on the stack: those of words, and one row more, at XTS_TWEAKS,
 * those of bulk at XTS_BULK_TWEAKS. The first ones of the next batch are at XTS_NEXT. The
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

#define XTS_TWEAKS_BYTES	(BATCH_BYTES+VL)
#define XTS_TWEAKS		(BULK*BULK_STATE+VL)
#define XTS_TWEAKS_END		(XTS_TWEAKS+XTS_TWEAKS_BYTES)
#define XTS_NEXT		(XTS_TWEAKS_END+BULK*(BULK_STATE_END-XTS_TWEAKS_END))
#define XTS_BULK_TWEAKS		(XTS_NEXT+VL)
#define XTS_BULK_TWEAKS_BYTES	(BULK_BATCH_BYTES>>(4*BYTE_SLICED))
#define XTS_FRAME		(XTS_BULK_TWEAKS+BULK*XTS_BULK_TWEAKS_BYTES)
.set TWEAKS,		%r10

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
	vpshufb		\bits_left, \table, \bits_left	# what they become
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

/* The first VL / 16 tweaks into T3. Clobbers T0-T2. */
.macro sm4_first_tweaks
	vmovdqu		(IV), T3_XMM			# T
.if VL >= 32
	sm4_double_tweak T3_XMM, T1_XMM			# T * x
	vinserti128	$1, T1_XMM, T3_YMM, T3_YMM
.endif
.if VL == 64
	sm4_double_tweak T1_XMM, T1_XMM			# T * x^2
	vinserti32x4	$2, T1_XMM, T3, T3
	sm4_double_tweak T1_XMM, T1_XMM			# T * x^3
	vinserti32x4	$3, T1_XMM, T3, T3
.endif
.endm

/*
 * 64-byte vectors: multiply tweaks by x^\count, at most 32. In the form of GB/T 17964
 * they are big-endian halves as numbers. Clobbers T0, T1.
 */
.macro sm4_multiply_tweaks count, from, to
.if XTS_GB
	vpsllq		$64-\count, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x00, .Lpolynomial(%rip), T0, T1	# lower ones * (x^7+x^2+x+1)
	vpshufd		$0x4e, T0, T0			# those of the upper half, to the lower one
	vpsrlq		$\count, \from, \to		# * x^\count, but for carries
.else
	vpsrlq		$64-\count, \from, T0		# the bits that leave each half
	vpclmulqdq	$0x01, .Ltweak_polynomial(%rip), T0, T1	# upper ones * (x^7+x^2+x+1)
	vpslldq		$8, T0, T0			# those of the lower half, to the upper one
	vpsllq		$\count, \from, \to		# * x^\count, but for carries
.endif
	vpternlogd	$0x96, T0, T1, \to		# and these
.endm

/* Between halves as numbers and blocks, which differ in the form of GB/T 17964 */
.macro sm4_reverse_tweaks from, to
.if XTS_GB
	vpshufb		.Lreverse_block(%rip), \from, \to
.endif
.endm

/*
 * Multiply the VL / 16 tweaks in T3 by x^(VL / 16), for the next ones. AVX2 has no
 * carry-less multiplication of 32 bytes: a shuffle looks up what the two bits that leave
 * each half become in the other one. Clobbers T0-T2.
 */
.macro sm4_next_tweaks
.if VL == 16
	sm4_double_tweak T3, T3
.elseif VL == 32 && XTS_GB
	sm4_shift_tweaks 2, T3, T3, T0, T2
.elseif VL == 32
	vpsrlq		$62, T3, T0			# the two bits that leave each half
	vmovdqa		.Ltweak_carries_2(%rip), T1
	vpshufb		.Ltweak_swap(%rip), T0, T0	# into the other half
	vpor		.Ltweak_columns(%rip), T0, T0	# the table of each
	vpshufb		T0, T1, T0			# what they become
	vpsllq		$2, T3, T3			# * x^2, but for carries
	vpxor		T0, T3, T3			# and these
.else
	sm4_reverse_tweaks T3, T3
	sm4_multiply_tweaks 4, T3, T3
	sm4_reverse_tweaks T3, T3
.endif
.endm

.macro sm4_xts_batch	prefix, groups
	_vmovdqu	XTS_NEXT(%rsp), T3
	lea		XTS_TWEAKS(%rsp), TWEAKS
	mov		$4*\groups, %eax
.Ltweaks_\@:
	_vmovdqu	T3, (TWEAKS)			# T_i
	sm4_next_tweaks					# T_(i+VL/16) = T_i * x^(VL/16)
	add		$VL, TWEAKS
	dec		%eax
	jnz		.Ltweaks_\@
	_vmovdqu	T3, (TWEAKS)			# one more, for the IV
	_vmovdqu	T3, XTS_NEXT(%rsp)
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_load, SRC, WHOLE(\groups)	# P
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# P ^ T
	call		\prefix\()_rows_\groups		# E(P ^ T)
	lea		XTS_TWEAKS(%rsp), TWEAKS
	sm4_for_groups	\groups, sm4_xor, TWEAKS, WHOLE(\groups)	# C = E(P ^ T) ^ T
	sm4_batch_bytes	\groups
	vmovdqu		(TWEAKS,%rax), T0_XMM		# the tweak behind the last block
	vmovdqu		T0_XMM, (IV)
	sm4_for_groups	\groups, sm4_store, DST, WHOLE(\groups)
.endm

/* Pairs: the tweaks of a group are at XTS_BULK_TWEAKS until it leaves. */
.macro sm4_xts_add_tweak row, place:vararg
	_vpxor		T3, \row, \row			# P ^ T
	sm4_store_row	T3, \place
	sm4_next_tweaks
.endm

/*
 * Bytes: a chain of sixteen rows of tweaks would be long. So there are four chains, in T3
 * and TWEAKS_1 to TWEAKS_3, each of which advances by four rows, x^16. All rows would be too
 * much for the stack: XTS_BULK_TWEAKS has only the first row of each group, and the others
 * are made twice.
 */
.set TWEAKS_0,		%zmm15
.set TWEAKS_1,		%zmm26
.set TWEAKS_2,		%zmm27
.set TWEAKS_3,		%zmm28

.macro sm4_xts_add_next	register, place:vararg
.irp	chain, 0, 1, 2, 3
.if \chain == (row & 3)
.if XTS_GB
	sm4_reverse_tweaks TWEAKS_\chain, T0
	vpxord		T0, \register, \register
.else
	vpxord		TWEAKS_\chain, \register, \register
.endif
	/* T3 goes on from row 12 to the next group */
.if row <= 12
	sm4_multiply_tweaks 16, TWEAKS_\chain, TWEAKS_\chain
.endif
.endif
.endr
.endm

/* Do "\for_rows sm4_xts_add_next". T3 has the tweaks of row 0, then of the next group's. */
.macro sm4_xts_add_chains for_rows
	sm4_reverse_tweaks T3, T3
	sm4_multiply_tweaks 4, T3, TWEAKS_1
	sm4_multiply_tweaks 8, T3, TWEAKS_2
	sm4_multiply_tweaks 12, T3, TWEAKS_3
	\for_rows	sm4_xts_add_next, 0
	sm4_reverse_tweaks T3, T3
.endm

.macro sm4_xts_bulk_in
	_vmovdqu	XTS_NEXT(%rsp), T3
.if VL == 64
	mov		OFFSET, %rax
	shr		$4, %rax
	sm4_store_row	T3, XTS_BULK_TWEAKS(%rsp,%rax)
	sm4_xts_add_chains sm4_for_rows_in		# P ^ T
.else
	sm4_for_rows_in	sm4_xts_add_tweak, XTS_BULK_TWEAKS(%rsp,OFFSET)
.endif
	_vmovdqu	T3, XTS_NEXT(%rsp)
.endm

.macro sm4_xts_bulk_out						# C = E(P ^ T) ^ T
.if VL == 64
	mov		OFFSET, %rax
	shr		$4, %rax
	sm4_load_row	T3, XTS_BULK_TWEAKS(%rsp,%rax)
	sm4_xts_add_chains sm4_for_rows
.else
	sm4_for_rows	sm4_xor_row, XTS_BULK_TWEAKS(%rsp,OFFSET)
.endif
.endm

.macro sm4_xts_bulk_wipe
	vmovdqu		XTS_NEXT(%rsp), T0_XMM
	vmovdqu		T0_XMM, (IV)
	mov		BULK_STATE_USED(%rsp), %r10
.if VL == 64
	shr		$4, %r10
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
	sm4_bulk_batches sm4_xts, \prefix, in, out, wipe
	sm4_word_batches sm4_xts, \prefix, \full
	mov		$XTS_TWEAKS_BYTES, %r10d
	sm4_wipe_stack	XTS_TWEAKS
	_vmovdqu	T0, XTS_NEXT(%rsp)
	sm4_return
SYM_FUNC_END(\name)
.endm

/* Constants, once for a file, whatever widths it instantiates */
.macro sm4_tweak_constants
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

#endif
