/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GHASH (SP 800-38D, section 6.4) by carry-less multiplication, on vectors of any width:
 * the macros of which ghash-clmul.S makes its functions. This file must not know SM4.
 *
 * A block is a polynomial with the coefficient of x^0 first. Read as a big-endian number of
 * 128 bits, it is reflected. The key has the powers of H times x^-1: then the carry-less
 * product of a block and a power is a reflected number of 256 bits, without any shift
 * (ghash-generic.c derives this).
 *
 * A pass is the blocks b[0] ... b[n-1], at most one for each power in the key:
 *
 *	hash = (hash ^ b[0]) H^n ^ b[1] H^(n-1) ^ ... ^ b[n-1] H
 *
 * The 256-bit products are added up in each 128 bits of the vectors, and reduced only once.
 * Each product is three multiplications by Karatsuba's method. Their sums, low, middle and
 * high, are put together in the end:
 *
 *	ghash_begin	FIRST = the first vector of blocks, the hash added, times their powers
 *	ghash_step	sums += the next vector of blocks, times their powers
 *	ghash_reduce	the hash from the sums
 *
 * FIRST is added last: so only the first products wait for the reduction of the pass before.
 *
 * A width of vectors is given as xmm, ymm or zmm. The sums are as wide as the widest ones
 * used. All is constant time.
 *
 * Vector registers of a pass:
 *
 *	0	BLOCK		blocks
 *	1	PRODUCT		their product with powers, or a factor of it
 *	2	HASH		the hash, until it is added to the first vector; then FIRST_LOW
 *	3	FIRST_MIDDLE	product of the first vector
 *	4	LOW		sum of the low products
 *	5	MIDDLE		sum of the middle ones
 *	6	HIGH		sum of the high ones; after ghash_reduce, the hash
 *	7	FIRST_HIGH	product of the first vector; in ghash_reduce, SPARE
 *	8-31			free
 */
#ifndef GHASH_ASM_H
#define GHASH_ASM_H

#include "constants.h"
#include "layout.h"
#include "stack-frame.h"

/* The next blocks, and the distance from these to their powers, which stays the same */
.set HASHED,		%r9
.set POWERS,		%r11
.set POWERS_32,		%r11d

/* In name_blocks of ghash-clmul.S: the key, how many blocks are left, and how many of the pass */
.set BLOCKS_KEY,	%rax
.set BLOCKS_LEFT,	%r10
.set BLOCKS_LEFT_32,	%r10d
.set PASS_LEFT,	%r8
.set PASS_LEFT_32,	%r8d

/*
 * Vectors by their width: the blocks, to which the hash is added first; a product; the first
 * products; the sums; a spare one
 */
.set HASH_XMM,		%xmm2
.irp	width, xmm, ymm, zmm
.set BLOCK_\width,	%\width\()0
.set HASH_\width,	%\width\()2
.set FIRST_LOW_\width,	%\width\()2
.set FIRST_MIDDLE_\width,	%\width\()3
.set FIRST_HIGH_\width,	%\width\()7
.set PRODUCT_\width,	%\width\()1
.set LOW_\width,	%\width\()4
.set MIDDLE_\width,	%\width\()5
.set HIGH_\width,	%\width\()6
.set SPARE_\width,	%\width\()7
.endr

/* Bytes of a vector */
.set BYTES_xmm,		16
.set BYTES_ymm,		32
.set BYTES_zmm,		64

/* Instructions that have other names for vectors of 64 bytes */
.macro ghash_xor	a, b, to, width
.ifc \width, zmm
	vpxord		\a, \b, \to
.else
	vpxor		\a, \b, \to
.endif
.endm

.macro ghash_move	from, to, width
.ifc \width, zmm
	vmovdqu32	\from, \to
.else
	vmovdqu		\from, \to
.endif
.endm

/* \do: add a product to a sum, or begin the sum with it */
.macro ghash_add	part, width
	ghash_xor	PRODUCT_\width, \part\()_\width, \part\()_\width, \width
.endm

.macro ghash_set	part, width
	ghash_move	PRODUCT_\width, \part\()_\width, \width
.endm

/*
 * Give the three products of the blocks in BLOCK with their powers to the macro \do, for the
 * sums whose names begin with \which, vectors as wide as \sums. Clobbers PRODUCT.
 */
.macro ghash_products	do, sums, width, which
	vpclmulqdq	$0x00, (HASHED,POWERS), BLOCK_\width, PRODUCT_\width
	\do		\which\()LOW, \sums
	vpclmulqdq	$0x11, (HASHED,POWERS), BLOCK_\width, PRODUCT_\width
	\do		\which\()HIGH, \sums
	vpshufd		$0x4e, BLOCK_\width, PRODUCT_\width
	ghash_xor	BLOCK_\width, PRODUCT_\width, PRODUCT_\width, \width
	vpclmulqdq	$0x00, GHASH_MIDDLE(HASHED,POWERS), PRODUCT_\width, PRODUCT_\width
	\do		\which\()MIDDLE, \sums
.endm

/* These macros take the blocks at HASHED, which is advanced. They clobber BLOCK and PRODUCT. */
.macro ghash_load	width
	ghash_move	(HASHED), BLOCK_\width, \width
	vpshufb		.Lreverse_block(%rip), BLOCK_\width, BLOCK_\width
.endm

.macro ghash_begin	sums, width
	ghash_load	\width
	ghash_xor	HASH_\width, BLOCK_\width, BLOCK_\width, \width
	ghash_products	ghash_set, \sums, \width, FIRST_
	add		$BYTES_\width, HASHED
.endm

.macro ghash_step	sums, width
	ghash_load	\width
	ghash_products	ghash_add, \sums, \width
	add		$BYTES_\width, HASHED
.endm

/* Add FIRST to the sums. */
.macro ghash_add_first	width
	ghash_xor	FIRST_LOW_\width, LOW_\width, LOW_\width, \width
	ghash_xor	FIRST_MIDDLE_\width, MIDDLE_\width, MIDDLE_\width, \width
	ghash_xor	FIRST_HIGH_\width, HIGH_\width, HIGH_\width, \width
.endm

/*
 * The hash, in HIGH_xmm, from the sums. Clobbers these and SPARE.
 *
 * The halves of the middle sum belong to the low and to the high one. Then each of the two
 * quadwords of the low sum in turn is added two quadwords higher, times x^128 = 1 + x + x^2 + x^7.
 */
.macro ghash_reduce	width
	ghash_xor	LOW_\width, MIDDLE_\width, MIDDLE_\width, \width
	ghash_xor	HIGH_\width, MIDDLE_\width, MIDDLE_\width, \width
	vpslldq		$8, MIDDLE_\width, SPARE_\width
	ghash_xor	SPARE_\width, LOW_\width, LOW_\width, \width
	vpsrldq		$8, MIDDLE_\width, MIDDLE_\width
	ghash_xor	MIDDLE_\width, HIGH_\width, HIGH_\width, \width
.rept 2
	vpclmulqdq	$0x00, .Lpolynomial(%rip), LOW_\width, SPARE_\width
	vpshufd		$0x4e, LOW_\width, LOW_\width
	ghash_xor	SPARE_\width, LOW_\width, LOW_\width, \width
.endr
	ghash_xor	LOW_\width, HIGH_\width, HIGH_\width, \width
.ifc \width, ymm
	vextracti128	$1, HIGH_ymm, SPARE_xmm
	vpxor		SPARE_xmm, HIGH_xmm, HIGH_xmm
.endif
.ifc \width, zmm
	vextracti64x4	$1, HIGH_zmm, SPARE_ymm
	vpxord		SPARE_ymm, HIGH_ymm, HIGH_ymm
	vextracti32x4	$1, HIGH_ymm, SPARE_xmm
	vpxord		SPARE_xmm, HIGH_xmm, HIGH_xmm
.endif
.endm

#endif
