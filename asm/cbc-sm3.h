/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * CBC encryption of SM4 interleaved with SM3, for tiers with asm/single-blocks.h. Both
 * are chains that leave the CPU mostly waiting, SM4 in the vector unit and SM3 in the
 * general registers. Together they take little longer than SM4 alone.
 *
 * A pass encrypts four blocks and hashes another block of 64 bytes, which an earlier pass may
 * have encrypted. A block of CBC goes with 16 rounds of SM3, in turns: two rounds of SM4, then one
 * of SM3. Interleaving 8:4 is 16 % slower on Cascade Lake, equal on Zen 5. SM3's message
 * expansion gains nothing from vectors, as there is time for it in general registers.
 *
 * The function needs BMI1 and BMI2.
 */
#ifndef SM4_SM3_ASM_H
#define SM4_SM3_ASM_H

#include "single-blocks.h"
#include "../sm3/sm3-asm.h"

/* The frame: 16 words W, each at its index modulo 16; the arguments */
#define FRAME_W(j)		4*((j)&15)(%rsp)
#define FRAME_DST		64
#define FRAME_SRC		72
#define FRAME_IV		80
#define FRAME_PASSES		88
#define FRAME_HASHING		96
#define FRAME_HASHED		104
#define FRAME_SIZE		112

/*
 * H_T2 = W_n = P1(W_(n-16) ^ W_(n-9) ^ (W_(n-3) <<< 15)) ^ (W_(n-13) <<< 7) ^
 * W_(n-6), where P1(x) = x ^ (x <<< 15) ^ (x <<< 23)
 */
.macro sm4_sm3_expand	n
	rorx		$32-15, FRAME_W(\n-3), H_T2
	xor		FRAME_W(\n), H_T2
	xor		FRAME_W(\n-9), H_T2
	rorx		$32-15, H_T2, H_T3
	xor		H_T2, H_T3
	rorx		$32-23, H_T2, H_T2
	xor		H_T3, H_T2
	rorx		$32-7, FRAME_W(\n-13), H_T3
	xor		H_T3, H_T2
	xor		FRAME_W(\n-6), H_T2
	mov		H_T2, FRAME_W(\n)
.endm

.macro sm4_sm3_booleans_early	a, b, c, d, e, f, g, h
	sm3_ff_early	\a, \b, \c, \d
	sm3_gg_early	\e, \f, \g, \h
.endm

.macro sm4_sm3_booleans_late	a, b, c, d, e, f, g, h
	sm3_gg_late_first	\e, \g, \h
	sm3_ff_late_first	\a, \b, \d
	sm3_gg_late_second	\e, \f, \h
	sm3_ff_late_second	\a, \b, \c, \d
.endm

/*
 * A round: \d becomes A and \h becomes E; the caller renames all others. W_0 to W_15 are the words
 * of the block. A later word is computed in the first round that needs it, as W_(j+4).
 */
.macro sm4_sm3_round	j, booleans, late, a, b, c, d, e, f, g, h
	rorx		$32-12, \a, H_T0
	mov		4*(\j)(H_CONSTANTS), H_T1
	add		H_T0, H_T1
	add		\e, H_T1
	rorx		$32-7, H_T1, H_T1		/* SS1 */
	xor		H_T1, H_T0			/* SS2 */
	add		FRAME_W(\j), \h
.if \late || (\j) >= 12
	sm4_sm3_expand	\j+4
.else
	mov		FRAME_W(\j+4), H_T2
.endif
	xor		FRAME_W(\j), H_T2
	add		H_T2, \d
	\booleans	\a, \b, \c, \d, \e, \f, \g, \h
	add		H_T1, \h			/* TT2 */
	add		H_T0, \d			/* TT1 */
	rol		$9, \b
	rol		$19, \f
	sm3_p0		\h
.endm

/*
 * Eight rounds of SM4 from round \i on, and four of SM3 from round \j on: then all words
 * have their own names again. After the last round of SM4, any key will do.
 */
.macro sm4_sm3_rounds	i, j, booleans, late
	sm4_chain_round	A0, A1, A2, A3, 4*(\i)+4
	sm4_chain_round	A1, A2, A3, A0, 4*(\i)+8
	sm4_sm3_round	\j, \booleans, \late, H_A, H_B, H_C, H_D, H_E, H_F, H_G, H_H
	sm4_chain_round	A2, A3, A0, A1, 4*(\i)+12
	sm4_chain_round	A3, A0, A1, A2, 4*(\i)+16
	sm4_sm3_round	\j+1, \booleans, \late, H_D, H_A, H_B, H_C, H_H, H_E, H_F, H_G
	sm4_chain_round	A0, A1, A2, A3, 4*(\i)+20
	sm4_chain_round	A1, A2, A3, A0, 4*(\i)+24
	sm4_sm3_round	\j+2, \booleans, \late, H_C, H_D, H_A, H_B, H_G, H_H, H_E, H_F
	sm4_chain_round	A2, A3, A0, A1, 4*(\i)+28
	sm4_chain_round	A3, A0, A1, A2, (4*(\i)+32)%128
	sm4_sm3_round	\j+3, \booleans, \late, H_B, H_C, H_D, H_A, H_F, H_G, H_H, H_E
.endm

/* A block of CBC, from FRAME_SRC to FRAME_DST, and 16 rounds of SM3 */
.macro sm4_sm3_block	booleans, late
	mov		FRAME_SRC(%rsp), H_POINTER
	addq		$16, FRAME_SRC(%rsp)
	sm4_chain_load	(H_POINTER), B0, B1, B2, B3
	sm4_chain_add
	sm4_chain_enter
.irp	unit, 0, 1, 2, 3
	sm4_sm3_rounds	8*\unit, 4*\unit, \booleans, \late
.endr
	sm4_chain_leave
	sm4_chain_value
	mov		FRAME_DST(%rsp), H_POINTER
	addq		$16, FRAME_DST(%rsp)
	vmovdqu		CHAIN, (H_POINTER)
.endm

.macro sm4_sm3_load_block
	mov		FRAME_HASHED(%rsp), H_POINTER
	addq		$64, FRAME_HASHED(%rsp)
.irp	j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	mov		4*\j(H_POINTER), H_T2
	bswap		H_T2
	mov		H_T2, FRAME_W(\j)
.endr
.endm

/*
 * void name(const struct sm4_round_keys *keys, u8 *dst, const u8 *src, u8 *iv,
 *	     size_t passes, struct sm4_hashing *hashing)
 *
 * As struct sm4_tier says (sm4-fast.h). For VL 16. The late rounds are a loop of 16 rounds
 * with a block of CBC: as straight code they exceed the op cache of some CPUs.
 *
 * Vector registers: as in asm/single-blocks.h. SM3 takes none. At the end, A0 is zero, to wipe the
 * frame.
 */
.macro sm4_cbc_encrypt_sm3_function name
	.set PASSES,		%r8		/* arguments that CBC encryption does not have */
	.set HASHING,		%r9		/* struct sm4_hashing */
	/* %rax is ROUND_KEY. The macros of the chain may clobber H_T0 to H_T3, too. */
	.set H_A,		%ebx
	.set H_B,		%ecx
	.set H_C,		%edx
	.set H_D,		%esi
	.set H_POINTER,		%r15
	.set H_CONSTANTS,	%rdi		/* T_j of the next 16 rounds */
	sm4_require	TIER_SM3
SYM_TYPED_FUNC_START(\name)
	test		PASSES, PASSES
	jz		.L\name\()_done
	sm3_enter	FRAME_SIZE
	mov		DST, FRAME_DST(%rsp)
	mov		SRC, FRAME_SRC(%rsp)
	mov		IV, FRAME_IV(%rsp)
	mov		PASSES, FRAME_PASSES(%rsp)
	mov		HASHING, FRAME_HASHING(%rsp)
	mov		HASHING_SRC(HASHING), H_POINTER
	mov		H_POINTER, FRAME_HASHED(%rsp)
	lea		SM4_MAPPED(KEYS), ROUND_KEY
	sm4_chain_begin	(IV)
	mov		HASHING, H_POINTER
	sm3_each_word	sm3_load_word, H_POINTER

.L\name\()_pass:
	sm4_sm3_load_block
	lea		.Lsm3_constants(%rip), H_CONSTANTS
	sm4_sm3_block	sm4_sm3_booleans_early, 0
.L\name\()_late:
	add		$64, H_CONSTANTS
	sm4_sm3_block	sm4_sm3_booleans_late, 1
	lea		.Lsm3_constants+3*64(%rip), H_POINTER
	cmp		H_POINTER, H_CONSTANTS
	jne		.L\name\()_late

	mov		FRAME_HASHING(%rsp), H_POINTER
	sm3_each_word	sm3_add_word, H_POINTER
	decq		FRAME_PASSES(%rsp)
	jnz		.L\name\()_pass

	mov		FRAME_IV(%rsp), H_POINTER
	vmovdqu		CHAIN, (H_POINTER)
	sm4_clear_registers
.irp	i, 0, 16, 32, 48
	vmovdqu		A0, \i(%rsp)
.endr
	/* words in registers that the caller does not save */
.irp	word, H_B, H_C, H_D, H_E, H_F, H_G, H_H
	xor		\word, \word
.endr
	sm3_leave	FRAME_SIZE
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

#endif
