/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of registers, groups of registers, and constants, for assembly with vectors of
 * any width. This file emits nothing by itself, and must not know a mode or how a tier
 * does the rounds.
 *
 * A group is four vector registers, each of VL bytes (16, 32 or 64), which hold
 * VL / 4 blocks.
 */
#ifndef SM4_VECTORS_ASM_H
#define SM4_VECTORS_ASM_H

/* Arguments of every operation: sm4_crypt_function in sm4-fast.h */
.set KEYS,		%rdi
.set DST,		%rsi
.set SRC,		%rdx
.set IV,		%rcx
.set BYTES,		%r8
.set BYTES_32,		%r8d
/* and the result */
.set RESULT,		%rax
.set RESULT_32,		%eax

/*
 * Name the vector registers of VL bytes: groups A, B and C, and T0 to T3, which every
 * macro may clobber. AVX-512 has 16 more registers, for group D and for constants.
 */
.macro sm4_name_registers
.if VL == 16
	sm4_name_as	xmm
.elseif VL == 32
	sm4_name_as	ymm
.else
	sm4_name_as	zmm
	.set D0,	%zmm16
	.set D1,	%zmm17
	.set D2,	%zmm18
	.set D3,	%zmm19
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

/* Instructions that have other names in AVX-512, for vectors of \bytes */
.macro _vpxor		a, b, to, bytes=VL
.if \bytes == 64
	vpxord		\a, \b, \to
.else
	vpxor		\a, \b, \to
.endif
.endm

.macro _vmovdqu		from, to, bytes=VL
.if \bytes == 64
	vmovdqu32	\from, \to
.else
	vmovdqu		\from, \to
.endif
.endm

.macro _vmovdqa		from, to
.if VL == 64
	vmovdqa32	\from, \to
.else
	vmovdqa		\from, \to
.endif
.endm

/*
 * Transpose the 4 x 4 words of every 128 bits: rows into words and back. Clobbers
 * T0-T3.
 */
.macro sm4_transpose	in0, in1, in2, in3, out0, out1, out2, out3
	vpunpckldq	\in1, \in0, T0
	vpunpckhdq	\in1, \in0, T1
	vpunpckldq	\in3, \in2, T2
	vpunpckhdq	\in3, \in2, T3
	vpunpcklqdq	T2, T0, \out0
	vpunpckhqdq	T2, T0, \out1
	vpunpcklqdq	T3, T1, \out2
	vpunpckhqdq	T3, T1, \out3
.endm

/* Nothing of key or data may stay in a register. */
.macro sm4_clear_registers
	vzeroall
.if VL == 64
.irp	register, %xmm16, %xmm17, %xmm18, %xmm19, %xmm20, %xmm21, %xmm22, %xmm23, \
		%xmm24, %xmm25, %xmm26, %xmm27, %xmm28, %xmm29, %xmm30, %xmm31
	vpxord		\register, \register, \register
.endr
.endif
.endm

/* The number of blocks and bytes in groups */
#define GROUP_BLOCKS(groups)	((groups)*VL/4)
#define GROUP_BYTES(groups)	((groups)*VL*4)

/*
 * Do "macro group, index, arguments" for each of \groups groups. Without arguments, clang
 * does not accept the comma before them.
 */
.macro sm4_for_groups	groups, macro, arguments:vararg
	sm4_for_group	A, 0, \macro, \arguments
.if \groups > 1
	sm4_for_group	B, 1, \macro, \arguments
.endif
.if \groups > 2
	sm4_for_group	C, 2, \macro, \arguments
.endif
.if \groups > 3
	sm4_for_group	D, 3, \macro, \arguments
.endif
.endm

.macro sm4_for_group	group, index, macro, arguments:vararg
.ifb \arguments
	\macro	\group, \index
.else
	\macro	\group, \index, \arguments
.endif
.endm

/* .Lname: a constant of 16 bytes, repeated to fill the widest vectors of the file */
.macro sm4_constant	name, value
.L\name:
.rept WIDEST / 16
	.octa		\value
.endr
.endm

/* The arguments of a key schedule; CK of its next rounds; how many fours of rounds are left */
.set PLAIN_KEYS,	%rdi
.set USER_KEY,		%rsi
.set CK,		%rax
.set FOURS_LEFT,	%ecx

/* FK and CK (GB/T 32907-2016, section 7.3) */
.macro sm4_key_schedule_constants
.pushsection .rodata
.p2align 4
.Lfk:
	.long		SM4_FK
.Lck:
.set i, 0
.rept 32
	.byte		(4 * i + 3) * 7 & 0xff, (4 * i + 2) * 7 & 0xff
	.byte		(4 * i + 1) * 7 & 0xff, 4 * i * 7 & 0xff
	.set i, i + 1
.endr
.popsection
.endm

#endif
