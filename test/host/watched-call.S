/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * void watched_call(struct watched_call *call)
 *
 * Call a function and record its leftovers. Before the call, all general registers except the
 * arguments are zeros, even callee-saved ones, which the function may save on the stack.
 * Masks and vectors are those of @call; in the watched part of the stack, all bits are
 * set. Needs AVX, and AVX-512 if @call says so.
 */
#include <linux/linkage.h>
#include "watched-call.h"

#define CALL	%rbx

SYM_FUNC_START(watched_call)
.irp	kept, %rbp, %r12, %r13, %r14, %r15, CALL
	push		\kept
.endr
	/* functions of C need the stack aligned like this */
	sub		$8, %rsp
	mov		%rdi, CALL

	mov		$-1, %rax
	lea		-WATCHED_STACK_BYTES(%rsp), %rdi
	mov		$WATCHED_STACK_BYTES / 8, %ecx
	rep stosq
	cmpq		$0, WATCHED_HAS_AVX512(CALL)
	jne		.Lload_zmm
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu		WATCHED_VECTORS + 64 * \i(CALL), %ymm\i
.endr
	jmp		.Lcall
.Lload_zmm:
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq		WATCHED_MASKS + 8 * \i(CALL), %k\i
.endr
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64	WATCHED_VECTORS + 64 * \i(CALL), %zmm\i
.endr
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64	WATCHED_VECTORS + 64 * \i(CALL), %zmm\i
.endr

.Lcall:
.irp	other, %eax, %ebp, %r10d, %r11d, %r12d, %r13d, %r14d, %r15d
	xor		\other, \other
.endr
	mov		(CALL), %rdi
	mov		8(CALL), %rsi
	mov		16(CALL), %rdx
	mov		24(CALL), %rcx
	mov		32(CALL), %r8
	mov		40(CALL), %r9
	call		*WATCHED_FUNCTION(CALL)

.set	place, WATCHED_GENERAL
.irp	scratch, %rax, %rcx, %rdx, %rsi, %rdi, %r8, %r9, %r10, %r11
	mov		\scratch, place(CALL)
.set	place, place + 8
.endr

	cmpq		$0, WATCHED_HAS_AVX512(CALL)
	jne		.Lsave_zmm
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu		%ymm\i, WATCHED_VECTORS + 64 * \i(CALL)
.endr
	jmp		.Lsave_stack
.Lsave_zmm:
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq		%k\i, WATCHED_MASKS + 8 * \i(CALL)
.endr
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64	%zmm\i, WATCHED_VECTORS + 64 * \i(CALL)
.endr
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64	%zmm\i, WATCHED_VECTORS + 64 * \i(CALL)
.endr
.Lsave_stack:
	lea		-WATCHED_STACK_BYTES(%rsp), %rsi
	lea		WATCHED_STACK(CALL), %rdi
	mov		$WATCHED_STACK_BYTES / 8, %ecx
	rep movsq
	vzeroupper
	add		$8, %rsp
.irp	kept, CALL, %r15, %r14, %r13, %r12, %rbp
	pop		\kept
.endr
	RET
SYM_FUNC_END(watched_call)
