/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GHASH (SP 800-38D, section 6.4) by carry-less multiplication.
 *
 * A block is a polynomial with the coefficient of x^0 first: read as a
 * big-endian number of 128 bits it stands there reflected. The powers of H in
 * the key are kept times x^-1, so that the carry-less product of the two is a
 * reflected number of 256 bits without any shift (sm4-ttable.c derives this).
 *
 * Up to eight blocks b[0] ... b[n-1] are taken together,
 *
 *	hash = (hash ^ b[0]) H^n ^ b[1] H^(n-1) ^ ... ^ b[n-1] H,
 *
 * whose 256-bit products add up, so that one reduction serves them all. Each
 * product is three multiplications by Karatsuba's method, and its middle part
 * is put together only once in the end as well.
 *
 * Constant time. This file must not know SM4.
 */
#include <linux/linkage.h>
#include <linux/cfi_types.h>

/* struct sm4_ghash_key */
#define GHASH_POWERS		8
#define GHASH_MIDDLE		(GHASH_POWERS * 16)

.section .rodata
.p2align 4
.Lreverse_bytes:
	.octa	0x000102030405060708090a0b0c0d0e0f
	/* x^128 = 1 + x + x^2 + x^7, reflected, without the 1 */
.Lpolynomial:
	.quad	0xc200000000000000

.text
.set KEY,		%rdi
.set HASH,		%rsi
.set SRC,		%rdx
.set BLOCKS,		%rcx
.set POWER,		%rax
.set MIDDLE,		%r8
.set LEFT,		%r9

.set STATE,		%xmm0
.set LOW,		%xmm1
.set MID,		%xmm2
.set HIGH,		%xmm3
.set T0,		%xmm4
.set T1,		%xmm5
.set T2,		%xmm6
.set POLYNOMIAL,	%xmm7

/*
 * void ghash_clmul_avx(const struct sm4_ghash_key *key, u8 *hash, const u8 *src,
 *			size_t blocks)
 *
 * As struct sm4_tier says (sm4-fast.h). Clobbers its arguments, %rax, %r8, %r9.
 */
SYM_TYPED_FUNC_START(ghash_clmul_avx)
	vmovdqu		(HASH), STATE
	vpshufb		.Lreverse_bytes(%rip), STATE, STATE
	vmovq		.Lpolynomial(%rip), POLYNOMIAL
	test		BLOCKS, BLOCKS
	jz		.Ldone

.Lgroup:
	/* as many blocks as there are powers, and the powers that end in H */
	mov		$GHASH_POWERS, %r9d
	cmp		LEFT, BLOCKS
	cmovb		BLOCKS, LEFT
	sub		LEFT, BLOCKS
	mov		$GHASH_POWERS, %r8d
	sub		LEFT, MIDDLE
	mov		MIDDLE, POWER
	shl		$4, POWER
	add		KEY, POWER
	lea		GHASH_MIDDLE(KEY, MIDDLE, 8), MIDDLE
	vpxor		LOW, LOW, LOW
	vpxor		MID, MID, MID
	vpxor		HIGH, HIGH, HIGH

.Lblock:
	vmovdqu		(SRC), T0
	vpshufb		.Lreverse_bytes(%rip), T0, T0
	vpxor		STATE, T0, T0
	vpxor		STATE, STATE, STATE
	vpshufd		$0x4e, T0, T1
	vpxor		T0, T1, T1
	vpclmulqdq	$0x00, (POWER), T0, T2
	vpxor		T2, LOW, LOW
	vpclmulqdq	$0x11, (POWER), T0, T2
	vpxor		T2, HIGH, HIGH
	vmovq		(MIDDLE), T2
	vpclmulqdq	$0x00, T2, T1, T2
	vpxor		T2, MID, MID
	add		$16, SRC
	add		$16, POWER
	add		$8, MIDDLE
	dec		LEFT
	jnz		.Lblock

	/* the middle part belongs half to the one and half to the other end */
	vpxor		LOW, MID, MID
	vpxor		HIGH, MID, MID
	vpslldq		$8, MID, T0
	vpxor		T0, LOW, LOW
	vpsrldq		$8, MID, T0
	vpxor		T0, HIGH, HIGH

	/*
	 * Reduce: each of the two words of LOW in turn is added, times
	 * x^128 = 1 + x + x^2 + x^7, two words higher up.
	 */
	vpclmulqdq	$0x00, POLYNOMIAL, LOW, T0
	vpshufd		$0x4e, LOW, LOW
	vpxor		T0, LOW, LOW
	vpclmulqdq	$0x00, POLYNOMIAL, LOW, T0
	vpshufd		$0x4e, LOW, LOW
	vpxor		T0, HIGH, HIGH
	vpxor		LOW, HIGH, STATE
	test		BLOCKS, BLOCKS
	jnz		.Lgroup

.Ldone:
	vpshufb		.Lreverse_bytes(%rip), STATE, STATE
	vmovdqu		STATE, (HASH)
	vzeroall
	RET
SYM_FUNC_END(ghash_clmul_avx)
