/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running a piece of code on registers that are given (execute.h).
 */
#include "execute.h"

.macro for_narrow_registers	macro
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\macro		ymm, \i
.endr
.endm

.macro for_wide_registers	macro
.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, \
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\macro		zmm, \i
.endr
.endm

/* From and to the struct at %rdi */
.macro load	width, i
.ifc \width, zmm
	vmovdqa64	REGISTERS_VECTOR + 64 * \i(%rdi), %zmm\i
.else
	vmovdqa		REGISTERS_VECTOR + 64 * \i(%rdi), %ymm\i
.endif
.endm

.macro store	width, i
.ifc \width, zmm
	vmovdqa64	%zmm\i, REGISTERS_VECTOR + 64 * \i(%rdi)
.else
	vmovdqa		%ymm\i, REGISTERS_VECTOR + 64 * \i(%rdi)
.endif
.endm

	.text
	.globl execute
	.type execute, @function
execute:
	push		%rbx
	push		%rbp
	push		%r12
	push		%r13
	push		%r14
	push		%r15
	mov		%rdi, struct_registers(%rip)
	mov		%esi, are_wide(%rip)
	mov		%rsp, stack_pointer(%rip)
	mov		REGISTERS_INSTRUCTION(%rdi), %rax
	mov		%rax, code(%rip)

	test		%esi, %esi
	jz		.Lload_narrow
	for_wide_registers load
	jmp		.Lload_general
.Lload_narrow:
	for_narrow_registers load
.Lload_general:
	mov		(%rdi), %rax
	mov		8(%rdi), %rcx
	mov		16(%rdi), %rdx
	mov		24(%rdi), %rbx
	mov		32(%rdi), %rsp
	mov		40(%rdi), %rbp
	mov		48(%rdi), %rsi
	mov		64(%rdi), %r8
	mov		72(%rdi), %r9
	mov		80(%rdi), %r10
	mov		88(%rdi), %r11
	mov		96(%rdi), %r12
	mov		104(%rdi), %r13
	mov		112(%rdi), %r14
	mov		120(%rdi), %r15
	mov		56(%rdi), %rdi
	jmp		*code(%rip)

	.globl executed
executed:
	mov		%rdi, register_7(%rip)
	mov		struct_registers(%rip), %rdi
	mov		%rax, (%rdi)
	mov		%rcx, 8(%rdi)
	mov		%rdx, 16(%rdi)
	mov		%rbx, 24(%rdi)
	mov		%rsp, 32(%rdi)
	mov		%rbp, 40(%rdi)
	mov		%rsi, 48(%rdi)
	mov		%r8, 64(%rdi)
	mov		%r9, 72(%rdi)
	mov		%r10, 80(%rdi)
	mov		%r11, 88(%rdi)
	mov		%r12, 96(%rdi)
	mov		%r13, 104(%rdi)
	mov		%r14, 112(%rdi)
	mov		%r15, 120(%rdi)
	mov		register_7(%rip), %rax
	mov		%rax, 56(%rdi)
	cmpl		$0, are_wide(%rip)
	je		.Lstore_narrow
	for_wide_registers store
	jmp		.Lstored
.Lstore_narrow:
	for_narrow_registers store
.Lstored:
	vzeroupper
	mov		stack_pointer(%rip), %rsp
	pop		%r15
	pop		%r14
	pop		%r13
	pop		%r12
	pop		%rbp
	pop		%rbx
	ret
	.size execute, . - execute

	.local struct_registers, stack_pointer, code, register_7, are_wide
	.comm struct_registers, 8
	.comm stack_pointer, 8
	.comm code, 8
	.comm register_7, 8
	.comm are_wide, 4

	.section .note.GNU-stack, "", @progbits
