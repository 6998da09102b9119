/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Constants that several files of asm need */
#ifndef SM4_CONSTANTS_ASM_H
#define SM4_CONSTANTS_ASM_H

/* .Lname: a constant of 16 bytes, repeated to fill the widest vectors of the file */
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
