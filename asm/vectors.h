/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all assembly of SM4 has alike, whatever its vectors and instructions:
 * names of registers, groups of registers, constants. It emits nothing unless
 * asked, and must not know a mode or how a tier does the rounds.
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

/*
 * Name the vector registers of the width that VL gives: groups A, B and C, and
 * four registers T0 ... T3 that are for every macro to clobber. AVX-512 has 16
 * more, for a fourth group, D, and for constants.
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

/* The first 16 or 32 bytes of some of these */
.set T0_XMM,		%xmm12
.set T1_XMM,		%xmm13
.set T2_XMM,		%xmm14
.set T3_XMM,		%xmm15
.set T3_YMM,		%ymm15

/* Instructions that AVX-512 spells in another way */
.macro _vpxor		a, b, to
.if VL == 64
	vpxord		\a, \b, \to
.else
	vpxor		\a, \b, \to
.endif
.endm

.macro _vmovdqu		from, to
.if VL == 64
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

/* Nothing of key or data may stay in a register. */
.macro sm4_clear_registers
	vzeroall
.if VL == 64
.irp	i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxord		%xmm\i, %xmm\i, %xmm\i
.endr
.endif
.endm

/* Blocks and bytes that so many groups hold */
#define GROUP_BLOCKS(groups)	((groups)*VL/4)
#define GROUP_BYTES(groups)	((groups)*VL*4)

/*
 * Where BULK is 1, for all but the SM4 instructions, bulk goes through other rounds
 * than the rest (asm/pairs.h, asm/bytes.h): a batch is BULK_GROUPS groups of
 * BULK_GROUP_BYTES each, or less; but not less than two. OFFSET is that of a group, of
 * its text from that of the batch, and of its state from HOME on the stack. Behind that
 * is how much of it has been used and is to be wiped, and before it or behind it what the
 * rounds need beside.
 */
.set OFFSET,			%r10
/* 1 where that is bytes, with 64-byte vectors, and 0 where it is pairs */
#define BYTE_SLICED		(VL/64)
#define BULK_GROUPS		(4-2*BYTE_SLICED)
#define BULK_GROUP_BYTES	((8*VL)<<BYTE_SLICED)
#define BULK_BATCH_BYTES	(BULK_GROUPS*BULK_GROUP_BYTES)
#define MIXED_BYTES		(BULK_GROUP_BYTES+GROUP_BYTES(1))
#define HOME			(8*VL*(1-BYTE_SLICED))
#define HOME_USED		(HOME+BULK_BATCH_BYTES)
#define HOME_END		(HOME_USED+VL+BYTE_SLICED*VL)

/*
 * Do "macro group, index, arguments" for each of so many groups. Where there are
 * no arguments, clang takes no comma before them.
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

/*
 * A constant of 16 bytes, repeated to fill the widest vectors of the file:
 * .Lname
 */
.macro sm4_constant	name, value
.L\name:
.rept WIDEST / 16
	.octa		\value
.endr
.endm

/* FK and CK (GB/T 32907-2016, section 7.3) */
.macro sm4_key_schedule_constants
.pushsection .rodata
.p2align 4
.Lfk:
	.long		0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc
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
