/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Bytes inverted in nibbles with AVX-512, on vectors of any width: what a tier without GFNI has in
 * place of asm/gfni.h. sm4-avx2-asm.S says how it works. All tables of the rounds are in registers.
 */
#ifndef SM4_NIBBLES_ASM_H
#define SM4_NIBBLES_ASM_H

/*
 * Name the tables, temporary registers besides T0 to T3, and the registers of sm4_map_slice, which
 * keeps T0 to T3 in vectors of 64 bytes. In shorter vectors, secrets are only in registers that
 * sm4_clear_registers clears.
 *
 * Vector registers of the tier, with vectors of 64 bytes:
 *
 *	20	NIBBLES		0x0f in each byte
 *	21	ONE_OVER	table: 1/i
 *	22	A_OVER		table: a/i
 *	23	W0_IO		table: W0 of io
 *	24	MAP_LOW		temporary of sm4_map_slice
 *	28	T4, MAP_HIGH	temporary
 *	29	W0_JO		table: W0 of jo
 *	30-31	W3_IO, W3_JO	tables: W3 of io and of jo
 *
 * With shorter ones:
 *
 *	9	T4		temporary
 *	11	T5		temporary
 *	20-22, 30-31		as above
 *	23, 29			free
 *	24-25	W1_IO, W1_JO	tables: W1 of io and of jo
 */
.macro sm4_name_nibbles	width
	.set NIBBLES,	%\width\()20
	.set ONE_OVER,	%\width\()21
	.set A_OVER,	%\width\()22
	.set W0_IO,	%\width\()23
	.set W0_JO,	%\width\()29
	.set W3_IO,	%\width\()30
	.set W3_JO,	%\width\()31
.if VL == 64
	.set T4,	%\width\()28
	.set MAP_LOW,	F0			# asm/avx512/byte-sliced.h
	.set MAP_HIGH,	T4
.else
	.set W1_IO,	%\width\()24
	.set W1_JO,	%\width\()25
	.set T4,	C1
	.set T5,	C3
	.set MAP_LOW,	T0
	.set MAP_HIGH,	T1
.endif
.endm

.macro sm4_load_nibbles
	vmovdqa32	.Lnibbles(%rip), NIBBLES
	vmovdqa32	.Lone_over(%rip), ONE_OVER
	vmovdqa32	.La_over(%rip), A_OVER
	vmovdqa32	.Lw3_io(%rip), W3_IO
	vmovdqa32	.Lw3_jo(%rip), W3_JO
.endm

/* Split the bytes of a register into nibbles. */
.macro sm4_split_nibbles from, low, high
	vpsrld		$4, \from, \high
	vpandd		NIBBLES, \from, \low
	vpandd		NIBBLES, \high, \high
.endm

/* A linear map of nibbles by two tables in memory. Clobbers spare. */
.macro sm4_look_up	table0, table1, low, high, to, spare
	vmovdqa32	\table0(%rip), \to
	vpshufb		\low, \to, \to
	vmovdqa32	\table1(%rip), \spare
	vpshufb		\high, \spare, \spare
	vpxord		\spare, \to, \to
.endm

.macro sm4_map_slice	map, from, to
	sm4_split_nibbles \from, MAP_LOW, MAP_HIGH
	sm4_look_up	.L\map\()_low, .L\map\()_high, MAP_LOW, MAP_HIGH, \to, MAP_LOW
.endm

.macro sm4_map_in	reg
	sm4_map_slice	in, \reg, \reg
.endm

.macro sm4_map_out	reg
	sm4_map_slice	out, \reg, \reg
.endm

/* From bytes, split into k in T3, i in T2 and j in T4, to io in T0 and jo in T1 */
.macro sm4_invert_nibbles
	vpshufb		T3, A_OVER, T3			# a/k
	vpshufb		T2, ONE_OVER, T0
	vpshufb		T4, ONE_OVER, T1
	vpxord		T3, T0, T0
	vpxord		T3, T1, T1
	vpshufb		T0, ONE_OVER, T0
	vpshufb		T1, ONE_OVER, T1
	vpxord		T4, T0, T0
	vpxord		T2, T1, T1
.endm

/* From bytes in T0 to io there and jo in T1. Clobbers T2, T3 and T4. */
.macro sm4_nested_inverses
	sm4_split_nibbles T0, T3, T2
	vpxord		T2, T3, T4
	sm4_invert_nibbles
.endm

/* From x, which it keeps. j is there one cycle earlier, at the cost of an instruction. */
.macro sm4_short_inverses x
	vmovdqa		\x, T4
	vpsrld		$4, \x, T2
	vpandd		NIBBLES, \x, T3
	vpternlogd	$0x28, NIBBLES, T2, T4		# (x ^ x >> 4) & 0x0f...
	vpandd		NIBBLES, T2, T2
	sm4_invert_nibbles
.endm

.macro sm4_rotate	n, from, to
	vprold		$32-8*\n, \from, \to
.endm

#endif
