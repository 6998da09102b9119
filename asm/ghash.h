/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GHASH (SP 800-38D, section 6.4) by carry-less multiplication, on vectors of
 * any width: what ghash-clmul.S makes its functions of. It must not know SM4.
 *
 * A block is a polynomial with the coefficient of x^0 first: read as a
 * big-endian number of 128 bits it stands there reflected. The powers of H in
 * the key are kept times x^-1, so that the carry-less product of the two is a
 * reflected number of 256 bits without any shift (ghash-generic.c derives this).
 *
 * A group of blocks b[0] ... b[n-1], n being at most the number of powers in the
 * key, is taken together:
 *
 *	hash = hash H^n ^ b[0] H^n ^ b[1] H^(n-1) ^ ... ^ b[n-1] H,
 *
 * whose 256-bit products add up, lane by lane of the vectors, so that one
 * reduction serves them all. Each product is three multiplications by
 * Karatsuba's method; the three sums, low, middle and high, are put together
 * only in the end:
 *
 *	ghash_begin	sums = hash H^n
 *	ghash_step	sums += the next vector of blocks, times their powers
 *	ghash_end	the hash from the sums
 *
 * Vectors are given as xmm, ymm or zmm and a number. The sums are the registers
 * SUM_low, SUM_middle and SUM_high, of the widest vectors used; all of it is constant
 * time.
 */
#ifndef GHASH_ASM_H
#define GHASH_ASM_H

/* struct sm4_ghash_key: H^64 ... H^1, then the middle factors in the same way */
#define GHASH_POWERS		64
#define GHASH_MIDDLE		(GHASH_POWERS*16)

/*
 * The next blocks, and how far their powers are from them: both go on by the
 * same number of bytes.
 */
.set HASHED,		%r9
.set POWERS,		%r11

/* Instructions that AVX-512 spells in another way */
.macro ghash_xor	width, a, b, to
.ifc \width, zmm
	vpxord		\a, \b, \to
.else
	vpxor		\a, \b, \to
.endif
.endm

.macro ghash_load	width, from, to
.ifc \width, zmm
	vmovdqu32	\from, \to
.else
	vmovdqu		\from, \to
.endif
.endm

/*
 * What to do with a product: "macro part, width, number" with the register of
 * that width and number.
 */
.macro ghash_add	part, width, product
	ghash_xor	\width, %\width\product, SUM_\part, SUM_\part
.endm

.macro ghash_set	part, width, product
	ghash_load	\width, %\width\product, SUM_\part
.endm

/*
 * The three products of the blocks in a register and the powers that belong to
 * HASHED, to the macro \do, as wide as \sums. Clobbers \product.
 */
.macro ghash_products	do, sums, width, block, product
	vpclmulqdq	$0x00, (HASHED,POWERS), %\width\block, %\width\product
	\do		low, \sums, \product
	vpclmulqdq	$0x11, (HASHED,POWERS), %\width\block, %\width\product
	\do		high, \sums, \product
	vpshufd		$0x4e, %\width\block, %\width\product
	ghash_xor	\width, %\width\block, %\width\product, %\width\product
	vpclmulqdq	$0x00, GHASH_MIDDLE(HASHED,POWERS), %\width\product, %\width\product
	\do		middle, \sums, \product
.endm

/* The same for the blocks at HASHED, which goes on. Clobbers \block, too. */
.macro ghash_step	do, sums, width, block, product
	ghash_load	\width, (HASHED), %\width\block
	vpshufb		.Lreverse_block(%rip), %\width\block, %\width\block
	ghash_products	\do, \sums, \width, \block, \product
.ifc \width, xmm
	add		$16, HASHED
.endif
.ifc \width, ymm
	add		$32, HASHED
.endif
.ifc \width, zmm
	add		$64, HASHED
.endif
.endm

/*
 * The hash, in the xmm register numbered \high, from the sums in three registers.
 * Clobbers all.
 *
 * The middle part belongs half to the one and half to the other end. Then each
 * of the two words of the low end in turn is added, times
 * x^128 = 1 + x + x^2 + x^7, two words higher up.
 */
.macro ghash_reduce	width, low, middle, high, spare
	ghash_xor	\width, %\width\low, %\width\middle, %\width\middle
	ghash_xor	\width, %\width\high, %\width\middle, %\width\middle
	vpslldq		$8, %\width\middle, %\width\spare
	ghash_xor	\width, %\width\spare, %\width\low, %\width\low
	vpsrldq		$8, %\width\middle, %\width\middle
	ghash_xor	\width, %\width\middle, %\width\high, %\width\high
.rept 2
	vpclmulqdq	$0x00, .Lpolynomial(%rip), %\width\low, %\width\spare
	vpshufd		$0x4e, %\width\low, %\width\low
	ghash_xor	\width, %\width\spare, %\width\low, %\width\low
.endr
	ghash_xor	\width, %\width\low, %\width\high, %\width\high
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
