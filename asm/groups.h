/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Groups of blocks in vectors of any width, and their rows in memory
 *
 * A group is four vector registers, each of VL bytes (16, 32 or 64), which hold VL / 4 blocks.
 */
#ifndef SM4_GROUPS_ASM_H
#define SM4_GROUPS_ASM_H

#include "registers.h"

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
 * The offset of a row of a group in memory from row 0 of group 0. (A space would end an
 * argument of an assembler macro.)
 */
#define ROW(index, row)		((index)*4+(row))*VL

/*
 * Do "\do register, place" for each of these registers, with consecutive vectors from \at on. The
 * second macro does "\do number, register, place", with the register's number in the list.
 */
.macro sm4_each_register registers, do, at:vararg
	.set		number, 0
.irp	register, \registers
	\do		\register, number*VL+\at
	.set		number, number+1
.endr
.endm

.macro sm4_each_numbered registers, do, at:vararg
	.set		number, 0
.irp	register, \registers
	\do		number, \register, number*VL+\at
	.set		number, number+1
.endr
.endm

/*
 * A row in memory. Instructions on 64 bytes have other names. \place is vararg, as it may have
 * commas.
 */
.macro sm4_load_row	register, place:vararg
.if VL == 64
	vmovdqu32	\place, \register
.else
	vmovdqu		\place, \register
.endif
.endm

.macro sm4_store_row	register, place:vararg
.if VL == 64
	vmovdqu32	\register, \place
.else
	vmovdqu		\register, \place
.endif
.endm

.macro sm4_xor_row	register, place:vararg
.if VL == 64
	vpxord		\place, \register, \register
.else
	vpxor		\place, \register, \register
.endif
.endm

/* The row that begins one block before SRC, with the IV as its first block, into T0 */
.macro sm4_previous_row
	vmovdqu		(IV), T0_XMM
.if VL == 32
	vinserti128	$1, (SRC), T0, T0
.elseif VL == 64
	vinserti32x4	$1, (SRC), T0, T0
	vinserti64x4	$1, 16(SRC), T0, T0
.endif
.endm

#endif
