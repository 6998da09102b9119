/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The frame of a mode's function on the stack, which it wipes, and the begin and the end of the
 * function
 */
#ifndef SM4_STACK_FRAME_ASM_H
#define SM4_STACK_FRAME_ASM_H

#include "groups.h"

/*
 * Before a loop: otherwise, its speed varies by up to 6 % with its place in the module, as a core
 * fetches decoded instructions in units of 64 bytes of code.
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

/*
 * Wipe OFFSET bytes of the stack from \offset on, four rows at a time: OFFSET is a multiple of
 * these. Leaves T0 at zero. Clobbers TMP.
 */
#define WIPED_AT_ONCE		(4*VL)

.macro sm4_wipe_stack	offset
	vpxor		T0, T0, T0
	mov		OFFSET, TMP
	sm4_align_loop
.Lwipe_\@:
.irp	row, 0, 1, 2, 3
	sm4_store_row	T0, \offset-WIPED_AT_ONCE+VL*\row(%rsp,TMP)
.endr
	sub		$WIPED_AT_ONCE, TMP
	jnz		.Lwipe_\@
.endm

/* End a function. It returns BYTES, which are left to the narrower tier. */
.macro sm4_return
	mov		BYTES, TMP			# the result
	leave
.if VL == 64
	sm4_clear_all_registers
.else
	sm4_clear_registers
.endif
	RET
.endm

#endif
