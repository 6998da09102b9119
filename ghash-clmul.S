/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * GHASH by carry-less multiplication, as functions: on vectors of 16 bytes
 * (PCLMULQDQ), and of 32 and 64 (VPCLMULQDQ). asm/ghash.h explains the arithmetic.
 *
 * Constant time. This file must not know SM4.
 */
#include "sm4-compat.h"
#include "asm/ghash.h"

sm4_reflection_constants

.text

/*
 * name_blocks, for assembly: hash = (hash ^ block) * H for each of BLOCKS_LEFT blocks, at
 * least 1, at HASHED. The hash is in HASH_XMM, with its bytes reversed. Clobbers HASHED,
 * POWERS, BLOCKS_LEFT, PASS_LEFT, the flags, and vector registers 0 to 7, in which it
 * leaves secrets.
 *
 * void name(const struct sm4_ghash_key *key, u8 *hash, const u8 *src,
 *	     size_t nblocks)
 *
 * As struct sm4_tier says (sm4-fast.h).
 *
 * Vector registers: as in asm/ghash.h; between passes, the hash alone, in 2.
 */
.macro ghash_functions	name, width, vector_blocks
SYM_FUNC_START(\name\()_blocks)
.L\name\()_pass:
	mov		$GHASH_POWERS, PASS_LEFT_32
	cmp		PASS_LEFT, BLOCKS_LEFT
	cmovb		BLOCKS_LEFT, PASS_LEFT
	sub		PASS_LEFT, BLOCKS_LEFT
	/* the powers that end in H */
	mov		PASS_LEFT, POWERS
	shl		$4, POWERS
	neg		POWERS
	lea		GHASH_MIDDLE(BLOCKS_KEY,POWERS), POWERS
	sub		HASHED, POWERS
	vpxor		LOW_xmm, LOW_xmm, LOW_xmm
	vpxor		MIDDLE_xmm, MIDDLE_xmm, MIDDLE_xmm
	vpxor		HIGH_xmm, HIGH_xmm, HIGH_xmm
	sub		$\vector_blocks, PASS_LEFT
.if \vector_blocks > 1
	jae		.L\name\()_first_vector
	ghash_begin	\width, xmm
	add		$\vector_blocks-1, PASS_LEFT
	jnz		.L\name\()_last_block
	jmp		.L\name\()_reduce
.L\name\()_first_vector:
.endif
	ghash_begin	\width, \width
	sub		$\vector_blocks, PASS_LEFT
	jb		.L\name\()_last_blocks
	sm4_align_loop
.L\name\()_vector:
	ghash_step	\width, \width
	sub		$\vector_blocks, PASS_LEFT
	jae		.L\name\()_vector
.L\name\()_last_blocks:
.if \vector_blocks > 1
	add		$\vector_blocks, PASS_LEFT
	jz		.L\name\()_reduce
.L\name\()_last_block:
	ghash_step	\width, xmm
	dec		PASS_LEFT
	jnz		.L\name\()_last_block
.L\name\()_reduce:
.endif
	ghash_add_first	\width
	ghash_reduce	\width
	vmovdqa		HIGH_xmm, HASH_XMM
	test		BLOCKS_LEFT, BLOCKS_LEFT
	jnz		.L\name\()_pass
	RET
SYM_FUNC_END(\name\()_blocks)

	.set KEY,		%rdi
	.set HASH,		%rsi
	.set SRC,		%rdx
	.set NBLOCKS,		%rcx
SYM_TYPED_FUNC_START(\name)
	test		NBLOCKS, NBLOCKS
	jz		.L\name\()_done
	FRAME_BEGIN
	vmovdqu		(HASH), HASH_XMM
	vpshufb		.Lreverse_block(%rip), HASH_XMM, HASH_XMM
	mov		KEY, BLOCKS_KEY
	mov		SRC, HASHED
	mov		NBLOCKS, BLOCKS_LEFT
	call		\name\()_blocks
	vpshufb		.Lreverse_block(%rip), HASH_XMM, HASH_XMM
	vmovdqu		HASH_XMM, (HASH)
	vzeroall
	FRAME_END
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

ghash_functions	sm4_ghash_clmul_avx, xmm, 1
ghash_functions	sm4_ghash_vpclmul_avx2, ymm, 2
ghash_functions	sm4_ghash_vpclmul_avx512, zmm, 4

/* Store a power and its middle factor at NEXT. */
.macro ghash_keep_power	power
	.set MIDDLE_FACTOR,	%xmm1
	vmovdqu		\power, (NEXT)
	vpshufd		$0x4e, \power, MIDDLE_FACTOR
	vpxor		\power, MIDDLE_FACTOR, MIDDLE_FACTOR
	vmovdqu		MIDDLE_FACTOR, GHASH_MIDDLE(NEXT)
.endm

/*
 * void sm4_ghash_clmul_set_key(struct sm4_ghash_key *key, const u8 *h,
 *				unsigned int powers)
 *
 * As struct sm4_tier says (sm4-fast.h). The key has powers times x^-1, and a product is that
 * of one factor and x times the other (asm/ghash.h). So the product of H^i x^-1 and
 * H^j x^-1 is H^(i+j) x^-1. From s powers come s more, each times H^s, none of which waits
 * for another.
 *
 * Vector registers:
 *
 *	0	BLOCK		H, then H times x^-1; in the loop, the other factor
 *	1	CARRY_OUT	at first; in the loop, PRODUCT, then MIDDLE_FACTOR
 *	2	CARRY		at first; in the loop, free
 *	3			free
 *	4-6	LOW to HIGH	the products, which are no sums; HIGH becomes the power
 *	7	SPARE		temporary
 *	8-15			free
 */
SYM_TYPED_FUNC_START(sm4_ghash_clmul_set_key)
	.set KEY,		%rdi
	.set RAW,		%rsi
	.set POWERS_LEFT,	%edx
	.set FIRST,		%rax		/* where H^1 is */
	/* H^s, at HASHED with POWERS = 0 for ghash_products; the power that it multiplies */
	.set FACTOR,		%r9
	.set OTHER_FACTOR,	%rcx
	.set NEXT,		%r8		/* the next power */
	/* the carries of H times x^-1, out of it and from its lower half */
	.set CARRY_OUT,		%xmm1
	.set CARRY,		%xmm2
	lea		GHASH_MIDDLE-16(KEY), FIRST
	xor		POWERS_32, POWERS_32
	vmovdqu		(RAW), BLOCK_xmm
	vpshufb		.Lreverse_block(%rip), BLOCK_xmm, BLOCK_xmm
	vpshufd		$0xff, BLOCK_xmm, CARRY_OUT
	vpsrad		$31, CARRY_OUT, CARRY_OUT
	vpand		.Linverse_of_x(%rip), CARRY_OUT, CARRY_OUT
	vpsrlq		$63, BLOCK_xmm, CARRY
	vpslldq		$8, CARRY, CARRY
	vpaddq		BLOCK_xmm, BLOCK_xmm, BLOCK_xmm
	vpxor		CARRY_OUT, BLOCK_xmm, BLOCK_xmm
	vpxor		CARRY, BLOCK_xmm, BLOCK_xmm
	mov		FIRST, NEXT
	ghash_keep_power BLOCK_xmm

.Ldouble_powers:
	mov		NEXT, FACTOR
	mov		FIRST, OTHER_FACTOR
.Lnext_power:
	dec		POWERS_LEFT
	jz		.Lall_powers
	sub		$16, NEXT
	vmovdqu		(OTHER_FACTOR), BLOCK_xmm
	ghash_products	ghash_set, xmm, xmm
	ghash_reduce	xmm
	ghash_keep_power HIGH_xmm
	cmp		FACTOR, OTHER_FACTOR
	je		.Ldouble_powers
	sub		$16, OTHER_FACTOR
	jmp		.Lnext_power
.Lall_powers:
	vzeroall
	RET
SYM_FUNC_END(sm4_ghash_clmul_set_key)

.section .rodata
.p2align 4
	/* x^-1 = x^127 + x^6 + x + 1, reflected */
.Linverse_of_x:
	.octa		0xc2000000000000000000000000000001
