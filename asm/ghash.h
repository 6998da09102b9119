/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GHASH (SP 800-38D, section 6.4) by carry-less multiplication, on vectors of any width:
 * the macros of which ghash-clmul.S makes its functions. This file must not know SM4.
 *
 * A block is a polynomial with the coefficient of x^0 first. Read as a big-endian number of
 * 128 bits, it is reflected. The key has the powers of H times x^-1: then the carry-less
 * product of a block and a power is a reflected number of 256 bits, without any shift
 * (ghash-generic.c derives this).
 *
 * A group of blocks b[0] ... b[n-1], of which there are at most as many as powers in the
 * key, is done together:
 *
 *	hash = hash H^n ^ b[0] H^n ^ b[1] H^(n-1) ^ ... ^ b[n-1] H
 *
 * The 256-bit products are added up in each lane of the vectors, and reduced only once.
 * Each product is three multiplications by Karatsuba's method. Their sums, low, middle and
 * high, are put together in the end:
 *
 *	ghash_products ghash_set	sums = hash H^n
 *	ghash_step			sums += the next vector of blocks, times their powers
 *	ghash_reduce			the hash from the sums
 *
 * Vectors are given as xmm, ymm or zmm and a number. The sums are the registers SUM_low,
 * SUM_middle and SUM_high, of the widest vectors used. All is constant time.
 */
#ifndef GHASH_ASM_H
#define GHASH_ASM_H

#include "vectors.h"

/* struct sm4_ghash_key: H^64 ... H^1, then the middle factors in the same way */
#define GHASH_POWERS		64
#define GHASH_MIDDLE		(GHASH_POWERS*16)

/* The next blocks, and the distance from these to their powers, which stays the same */
.set HASHED,		%r9
.set POWERS,		%r11

/* Bytes of a vector */
.set BYTES_xmm,		16
.set BYTES_ymm,		32
.set BYTES_zmm,		64

/* What \do does with a product, in the register of that width and number */
.macro ghash_add	part, width, product
	_vpxor		%\width\product, SUM_\part, SUM_\part, BYTES_\width
.endm

.macro ghash_set	part, width, product
	_vmovdqu	%\width\product, SUM_\part, BYTES_\width
.endm

/*
 * Give the three products of the blocks in a register with their powers to the macro \do,
 * as vectors as wide as \sums. Clobbers \product.
 */
.macro ghash_products	do, sums, width, block, product
	vpclmulqdq	$0x00, (HASHED,POWERS), %\width\block, %\width\product
	\do		low, \sums, \product
	vpclmulqdq	$0x11, (HASHED,POWERS), %\width\block, %\width\product
	\do		high, \sums, \product
	vpshufd		$0x4e, %\width\block, %\width\product
	_vpxor		%\width\block, %\width\product, %\width\product, BYTES_\width
	vpclmulqdq	$0x00, GHASH_MIDDLE(HASHED,POWERS), %\width\product, %\width\product
	\do		middle, \sums, \product
.endm

/* The same with the blocks at HASHED, which is advanced. Clobbers \block, too. */
.macro ghash_step	do, sums, width, block, product
	_vmovdqu	(HASHED), %\width\block, BYTES_\width
	vpshufb		.Lreverse_block(%rip), %\width\block, %\width\block
	ghash_products	\do, \sums, \width, \block, \product
	add		$BYTES_\width, HASHED
.endm

/*
 * The hash, in the xmm register numbered \high, from the sums in three registers.
 * Clobbers all.
 *
 * The halves of the middle sum belong to the low and to the high one. Then each of the two
 * quadwords of the low sum in turn is added two quadwords higher, times
 * x^128 = 1 + x + x^2 + x^7.
 */
.macro ghash_reduce	width, low, middle, high, spare
	_vpxor		%\width\low, %\width\middle, %\width\middle, BYTES_\width
	_vpxor		%\width\high, %\width\middle, %\width\middle, BYTES_\width
	vpslldq		$8, %\width\middle, %\width\spare
	_vpxor		%\width\spare, %\width\low, %\width\low, BYTES_\width
	vpsrldq		$8, %\width\middle, %\width\middle
	_vpxor		%\width\middle, %\width\high, %\width\high, BYTES_\width
.rept 2
	vpclmulqdq	$0x00, .Lpolynomial(%rip), %\width\low, %\width\spare
	vpshufd		$0x4e, %\width\low, %\width\low
	_vpxor		%\width\spare, %\width\low, %\width\low, BYTES_\width
.endr
	_vpxor		%\width\low, %\width\high, %\width\high, BYTES_\width
.ifc \width, ymm
	vextracti128	$1, %ymm\high, %xmm\spare
	vpxor		%xmm\spare, %xmm\high, %xmm\high
.endif
.ifc \width, zmm
	vextracti64x4	$1, %zmm\high, %ymm\spare
	vpxord		%ymm\spare, %ymm\high, %ymm\high
	vextracti32x4	$1, %ymm\high, %xmm\spare
	vpxord		%xmm\spare, %xmm\high, %xmm\high
.endif
.endm

/* Constants, once for a file */
.macro ghash_constants
.pushsection .rodata
.p2align 6
.Lreverse_block:
.rept 4
	.octa	0x000102030405060708090a0b0c0d0e0f
.endr
	/* x^128 = 1 + x + x^2 + x^7, reflected, without the 1 */
.Lpolynomial:
.rept 4
	.octa	0xc200000000000000
.endr
.popsection
.endm

#endif
