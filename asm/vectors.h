/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of registers, groups of registers, and constants that files share, for assembly with
 * vectors of any width. This file emits nothing by itself.
 *
 * A group is four vector registers, each of VL bytes (16, 32 or 64), which hold VL / 4 blocks.
 */
#ifndef SM4_VECTORS_ASM_H
#define SM4_VECTORS_ASM_H

#include "tier.h"

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
 * Those of the modes: an offset or a number of bytes, such as where a group begins behind the
 * text of its pass and behind its state on the stack; and a temporary value
 */
.set OFFSET,		%r10
.set OFFSET_32,		%r10d
.set TMP,		%rax
.set TMP_32,		%eax

/*
 * Name the vector registers, as xmm, ymm or zmm: groups A, B and C, and T0 to T3, temporary: a
 * macro may clobber them all, unless it says which. Files in asm/avx512 name more registers.
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

/* Transpose the 4 x 4 words of every 128 bits: rows into words and back. Clobbers T0-T3. */
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

/* Unpack four pairs of vectors: their lower halves to t, b, d, f, the upper ones to a, c, e, g. */
.macro sm4_unpack	size, a, b, c, d, e, f, g, h, t
	vpunpckl\size	\b, \a, \t
	vpunpckh\size	\b, \a, \a
	vpunpckl\size	\d, \c, \b
	vpunpckh\size	\d, \c, \c
	vpunpckl\size	\f, \e, \d
	vpunpckh\size	\f, \e, \e
	vpunpckl\size	\h, \g, \f
	vpunpckh\size	\h, \g, \g
.endm

/* Nothing of key or data may stay in a register. */
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

/*
 * Rows in memory, by sm4_load_row, sm4_store_row and sm4_xor_row of asm/skeleton.h or
 * asm/avx512/skeleton.h
 *
 * The offset of a row of a group in memory from row 0 of group 0. (A space would end an
 * argument of an assembler macro.)
 */
#define ROW(index, row)		((index)*4+(row))*VL

/* The last row of a text that words load or store, as an offset */
.set LAST_ROW,		%r11
.set LAST_ROW_32,		%r11d

/*
 * Do "\do register, place" with the row in memory \offset bytes behind \at. Only the first \whole
 * groups of a pass are certain to be there. A later row that would end behind the text is replaced
 * by the last VL bytes of the text, LAST_ROW behind \at; that clobbers TMP. So several rows may
 * have the same block: they compute and store the same bytes in the same place.
 */
#define WHOLE(groups)		((groups)-1)

.macro sm4_row		do, register, offset, at, whole
.if \offset < GROUP_BYTES(\whole) || \offset == 0
	\do		\register, \offset(\at)
.else
	mov		$\offset, TMP_32
	cmp		LAST_ROW, TMP
	cmova		LAST_ROW, TMP
	\do		\register, (\at,TMP)
.endif
.endm

/* The same for the rows of a group. Row 0 comes last: see sm4_cbc_xor. */
.macro sm4_rows		do, g, index, at, whole
	sm4_row		\do, \g\()3, ROW(\index,3), \at, \whole
	sm4_row		\do, \g\()2, ROW(\index,2), \at, \whole
	sm4_row		\do, \g\()1, ROW(\index,1), \at, \whole
	sm4_row		\do, \g\()0, ROW(\index,0), \at, \whole
.endm

.macro sm4_load		g, index, from, whole=GROUPS
	sm4_rows	sm4_load_row, \g, \index, \from, \whole
.endm

.macro sm4_store	g, index, to, whole=GROUPS
	sm4_rows	sm4_store_row, \g, \index, \to, \whole
.endm

.macro sm4_xor		g, index, with, whole=GROUPS
	sm4_rows	sm4_xor_row, \g, \index, \with, \whole
.endm

/*
 * Do "\do register, place" for each of these registers, with consecutive vectors from \at
 * on. The symbol number tells \do the register's index in the list.
 */
.macro sm4_each_register	registers, do, at:vararg
	.set		number, 0
.irp	register, \registers
	\do		\register, number*VL+\at
	.set		number, number+1
.endr
.endm

/*
 * Do "\pass n, arguments" with the fewest groups n that hold \bytes, at most \full.
 * Leaves the bytes of n groups in OFFSET.
 */
.macro sm4_fewest_groups pass, full, bytes, arguments:vararg
.irp	n, 1, 2, 3
.if \n < \full
	cmp		$GROUP_BYTES(\n), \bytes
	jbe		.Lfewer_\@_\n
.endif
.endr
	\pass		\full, \arguments
	mov		$GROUP_BYTES(\full), OFFSET_32
.irp	n, 1, 2, 3
.if \n < \full
	jmp		.Lend_\@
.Lfewer_\@_\n:
	\pass		\n, \arguments
	mov		$GROUP_BYTES(\n), OFFSET_32
.endif
.endr
.Lend_\@:
.endm

/* The bytes of \groups groups, at most BYTES, into TMP */
.macro sm4_pass_bytes	groups
	mov		$GROUP_BYTES(\groups), TMP_32
	cmp		TMP, BYTES
	cmovb		BYTES, TMP
.endm

/* For sm4_bulk_passes: "\mode_bulk_step", if \steps names it */
.macro sm4_bulk_step	step, mode, steps:vararg
.irp	one, \steps
.ifc \one, \step
	\mode\()_bulk_\step
.endif
.endr
.endm

/*
 * Before a loop: otherwise, its speed depends by up to 6 % on where in the module it happens to be,
 * as a core fetches decoded instructions in units of 64 bytes of code.
 */
.macro sm4_align_loop
	.p2align	6
.endm

/* Begin a function that has a frame, in which vectors are aligned */
.macro sm4_begin_frame	bytes
	push		%rbp
	mov		%rsp, %rbp
	sub		$\bytes, %rsp
	and		$-64, %rsp
.endm

.macro sm4_enter_mode	frame
	sm4_begin_frame	\frame
	sm4_load_constants
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

/* Constants of GHASH, of which XTS by GB/T 17964 uses some; once for a file */
.macro sm4_reflection_constants
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
