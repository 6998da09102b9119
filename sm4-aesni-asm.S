/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM4 with the AES instructions: the tier aesni-avx, and the key schedule of
 * all tiers that have these instructions.
 *
 * AESENCLAST with a zero round key is AES's S-box after ShiftRows: an inversion
 * in AES's field, followed by an affine map. That map and all that SM4 wants
 * after the inversion are one linear map, W0 or W3, which two shuffles look up
 * by nibbles; ShiftRows is undone by the shuffles that rotate words.
 *
 * This file chooses a width and an inverter. It must not write a mode.
 */
#include <linux/linkage.h>
#include <linux/cfi_types.h>
#include "sm4-basis.h"

.set VL, 16
#include "sm4-rounds-asm.h"
#include "sm4-modes-asm.h"

.section .rodata
.p2align 4
.Lmap_in_low:		.octa SM4_MAP_IN_LOW
.Lmap_in_high:		.octa SM4_MAP_IN_HIGH
.Lmap_out_low:		.octa SM4_MAP_OUT_LOW
.Lmap_out_high:		.octa SM4_MAP_OUT_HIGH
.Lw0_low:		.octa SM4_AES_W0_LOW
.Lw0_high:		.octa SM4_AES_W0_HIGH
.Lw3_low:		.octa SM4_AES_W3_LOW
.Lw3_high:		.octa SM4_AES_W3_HIGH
.Lsbox_low:		.octa SM4_AES_SBOX_LOW
.Lsbox_high:		.octa SM4_AES_SBOX_HIGH
.Lrotate_0:		.octa SM4_AES_ROTATE_0
.Lrotate_1:		.octa SM4_AES_ROTATE_1
.Lrotate_2:		.octa SM4_AES_ROTATE_2
.Lrotate_3:		.octa SM4_AES_ROTATE_3
.Lkey_constant:		.octa SM4_KEY_CONSTANT
.Lnibbles:		.octa 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
.Lzero:			.octa 0

/* The key schedule's constants (GB/T 32907-2016, section 7.3) */
.Lfk:			.long 0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc
.Lck:
.set i, 0
.rept 32
	.byte	(4 * i + 3) * 7 & 0xff, (4 * i + 2) * 7 & 0xff
	.byte	(4 * i + 1) * 7 & 0xff, 4 * i * 7 & 0xff
	.set	i, i + 1
.endr

.text

/* Split the bytes of T0 into low nibbles in T0 and high nibbles in T1. */
.macro sm4_split_nibbles
	vpsrld		$4, T0, T1
	vpand		.Lnibbles(%rip), T0, T0
	vpand		.Lnibbles(%rip), T1, T1
.endm

/* A linear map by its two tables: \to = \low[T0] ^ \high[T1]. Clobbers \tmp. */
.macro sm4_look_up	low, high, to, tmp
	vmovdqa		\low(%rip), \to
	vpshufb		T0, \to, \to
	vmovdqa		\high(%rip), \tmp
	vpshufb		T1, \tmp, \tmp
	vpxor		\tmp, \to, \to
.endm

.macro sm4_map	low, high, reg
	vmovdqa		\reg, T0
	sm4_split_nibbles
	sm4_look_up	\low, \high, \reg, T0
.endm

.macro sm4_map_in	reg
	sm4_map		.Lmap_in_low, .Lmap_in_high, \reg
.endm

.macro sm4_map_out	reg
	sm4_map		.Lmap_out_low, .Lmap_out_high, \reg
.endm

.macro sm4_substitute
	vaesenclast	.Lzero(%rip), T0, T0
	sm4_split_nibbles
	sm4_look_up	.Lw0_low, .Lw0_high, T2, T3
	sm4_look_up	.Lw3_low, .Lw3_high, T3, T0
.endm

.macro sm4_rotate	n, from, to
	vpshufb		.Lrotate_\n(%rip), \from, \to
.endm

sm4_name_registers xmm
sm4_mode_functions sm4_aesni_avx

/*
 * One round of the key schedule. A word stands in all four columns of its
 * register, where ShiftRows does nothing, and in the CPU's byte order, which
 * the S-box does not mind; so the rotations of L' are shifts.
 */
.macro sm4_key_round	k0, k1, k2, k3, offset
	vbroadcastss	\offset(%rax), T2
	vpxor		\k1, T2, T2
	vpxor		\k2, T2, T2
	vpxor		\k3, T2, T2
	sm4_map_in	T2
	vpxor		.Lkey_constant(%rip), T2, T2
	vaesenclast	.Lzero(%rip), T2, T2
	sm4_map		.Lsbox_low, .Lsbox_high, T2
	vpslld		$13, T2, T0
	vpsrld		$32 - 13, T2, T1
	vpxor		T2, \k0, \k0
	vpxor		T0, \k0, \k0
	vpxor		T1, \k0, \k0
	vpslld		$23, T2, T0
	vpsrld		$32 - 23, T2, T1
	vpxor		T0, \k0, \k0
	vpxor		T1, \k0, \k0
	vmovd		\k0, \offset(%rdi)
.endm

/*
 * void sm4_aesni_avx_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
 *
 * As struct sm4_tier says (sm4-fast.h). Clobbers %rax, %ecx.
 */
SYM_TYPED_FUNC_START(sm4_aesni_avx_key_schedule)
	vmovdqu		(%rsi), T2
	vpshufb		.Lswap_words(%rip), T2, T2
	vpxor		.Lfk(%rip), T2, T2
	vpshufd		$0x00, T2, A0
	vpshufd		$0x55, T2, A1
	vpshufd		$0xaa, T2, A2
	vpshufd		$0xff, T2, A3
	lea		.Lck(%rip), %rax
	mov		$32 / 4, %ecx
.Lfour_key_rounds:
	sm4_key_round	A0, A1, A2, A3, 0
	sm4_key_round	A1, A2, A3, A0, 4
	sm4_key_round	A2, A3, A0, A1, 8
	sm4_key_round	A3, A0, A1, A2, 12
	add		$16, %rax
	add		$16, %rdi
	dec		%ecx
	jnz		.Lfour_key_rounds
	vzeroall
	RET
SYM_FUNC_END(sm4_aesni_avx_key_schedule)
