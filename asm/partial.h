/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Partial blocks, for vectors without masks */
#ifndef SM4_PARTIAL_ASM_H
#define SM4_PARTIAL_ASM_H

#include "registers.h"

/*
 * Copy a partial block of 1 to 15 bytes: its first 8, 4, 2 or 1 bytes and as many last
 * ones, which may overlap. Clobbers T0, T1.
 */
.macro sm4_copy_ends	size, letter, from, to, bytes
	vpinsr\letter	$0, (\from), T0_XMM, T0_XMM
	vpinsr\letter	$0, -\size(\from,\bytes), T1_XMM, T1_XMM
	vpextr\letter	$0, T0_XMM, (\to)
	vpextr\letter	$0, T1_XMM, -\size(\to,\bytes)
.endm

.macro sm4_copy_partial	from, to, bytes
	cmp		$8, \bytes
	jb		.Lless_than_8_\@
	sm4_copy_ends	8, q, \from, \to, \bytes
	jmp		.Lcopied_\@
.Lless_than_8_\@:
	cmp		$4, \bytes
	jb		.Lless_than_4_\@
	sm4_copy_ends	4, d, \from, \to, \bytes
	jmp		.Lcopied_\@
.Lless_than_4_\@:
	cmp		$2, \bytes
	jb		.Lless_than_2_\@
	sm4_copy_ends	2, w, \from, \to, \bytes
	jmp		.Lcopied_\@
.Lless_than_2_\@:
	cmp		$1, \bytes
	jb		.Lcopied_\@
	sm4_copy_ends	1, b, \from, \to, \bytes
	jmp		.Lcopied_\@
.Lcopied_\@:
.endm

#endif
