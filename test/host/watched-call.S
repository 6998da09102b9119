/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call that shows what the called function leaves behind (watched-call.h).
 * All registers and the watched part of the stack are zeros before the call.
 */
#include <linux/linkage.h>
#include "watched-call.h"

#define CALL	%rbx

SYM_FUNC_START(watched_call)
	push		CALL
	mov		%rdi, CALL

	xor		%eax, %eax
	lea		-WATCHED_STACK_BYTES(%rsp), %rdi
	mov		$WATCHED_STACK_BYTES / 8, %ecx
	rep stosq
	vzeroall
	cmpq		$0, 56(CALL)
	je		.Lcall
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxorq		%zmm\i, %zmm\i, %zmm\i
.endr

.Lcall:
	mov		(CALL), %rdi
	mov		8(CALL), %rsi
	mov		16(CALL), %rdx
	mov		24(CALL), %rcx
	mov		32(CALL), %r8
	mov		40(CALL), %r9
	call		*48(CALL)

	cmpq		$0, 56(CALL)
	jne		.Lsave_zmm
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu		%ymm\i, WATCHED_REGISTERS + 64 * \i(CALL)
.endr
	jmp		.Lsave_stack
.Lsave_zmm:
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64	%zmm\i, WATCHED_REGISTERS + 64 * \i(CALL)
.endr
.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovdqu64	%zmm\i, WATCHED_REGISTERS + 64 * \i(CALL)
.endr
.Lsave_stack:
	lea		-WATCHED_STACK_BYTES(%rsp), %rsi
	lea		WATCHED_STACK(CALL), %rdi
	mov		$WATCHED_STACK_BYTES / 8, %ecx
	rep movsq
	vzeroupper
	pop		CALL
	RET
SYM_FUNC_END(watched_call)
