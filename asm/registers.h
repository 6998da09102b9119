/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Names of the registers that all assembly with vectors shares: the arguments of a tier's
 * functions, and vectors of any width. This file emits nothing by itself.
 */
#ifndef SM4_REGISTERS_ASM_H
#define SM4_REGISTERS_ASM_H

/* Arguments of every operation: sm4_crypt_function in sm4-fast.h */
.set KEYS,		%rdi
.set DST,		%rsi
.set SRC,		%rdx
.set IV,		%rcx
.set BYTES,		%r8
.set BYTES_32,		%r8d
/* and the result */
.set RESULT_32,		%eax
/*
 * In the modes: an offset or a number of bytes, such as where a group begins in the text of its
 * pass and in the state on the stack; and a temporary value
 */
.set OFFSET,		%r10
.set OFFSET_32,		%r10d
.set TMP,		%rax
.set TMP_32,		%eax

/*
 * Name the vector registers, as xmm, ymm or zmm: groups A, B and C, and T0 to T3, temporary: a
 * macro may clobber them all, unless it says which. Files in asm/avx512 name more registers.
 *
 * Each function has a table of its vector registers, or names one and says what differs: a layout
 * that several functions share has its table where it is defined. A row has the numbers, the names,
 * and what these registers hold through the loop. A free one is not written, except to clear it.
 * Registers from 16 on exist with AVX-512 alone. Where a table says that a register is the tier's,
 * the tier's file says what it has there; if nothing, the register is free.
 */
.macro sm4_name_registers
.if VL == 16
	sm4_name_as	xmm
.else
	sm4_name_as	ymm
.endif
.endm

.macro sm4_name_as	width
	.set A0,	%\width\()0
	.set A1,	%\width\()1
	.set A2,	%\width\()2
	.set A3,	%\width\()3
	.set B0,	%\width\()4
	.set B1,	%\width\()5
	.set B2,	%\width\()6
	.set B3,	%\width\()7
	.set C0,	%\width\()8
	.set C1,	%\width\()9
	.set C2,	%\width\()10
	.set C3,	%\width\()11
	.set T0,	%\width\()12
	.set T1,	%\width\()13
	.set T2,	%\width\()14
	.set T3,	%\width\()15
.endm

/* The first 16 or 32 bytes of T0 to T3 */
.set T0_XMM,		%xmm12
.set T1_XMM,		%xmm13
.set T2_XMM,		%xmm14
.set T3_XMM,		%xmm15
.set T3_YMM,		%ymm15

/* Nothing of key or data may stay in a vector register. */
.macro sm4_clear_registers
	vzeroall
.endm

/* The same where vectors 16 to 31 of AVX-512 are used, too */
.macro sm4_clear_all_registers
	vzeroall
.irp	register, %xmm16, %xmm17, %xmm18, %xmm19, %xmm20, %xmm21, %xmm22, %xmm23, \
		%xmm24, %xmm25, %xmm26, %xmm27, %xmm28, %xmm29, %xmm30, %xmm31
	vpxord		\register, \register, \register
.endr
.endm

#endif
