/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The macros that frame functions in the kernel's assembly sources: <linux/linkage.h> and
 * <linux/cfi_types.h>, without their mitigations, <asm/frame.h>, and <asm/asm.h>.
 */
#ifndef SHIM_ASSEMBLY_H
#define SHIM_ASSEMBLY_H

#define RET	ret

#define SYM_ENTRY(name)		.p2align 4; name:
#define SYM_FUNC_START_LOCAL(name)	SYM_ENTRY(name)
#define SYM_FUNC_START(name)	.globl name; SYM_ENTRY(name)
#define SYM_TYPED_FUNC_START(name)	SYM_FUNC_START(name) endbr64;
#define SYM_FUNC_END(name)	.type name, @function; .size name, . - name

#ifdef CONFIG_FRAME_POINTER
#define FRAME_BEGIN		push %rbp; mov %rsp, %rbp
#define FRAME_END		pop %rbp
#else
#define FRAME_BEGIN
#define FRAME_END
#endif

/* Where to continue if the CPU refuses an instruction: see kernel.c */
#define _ASM_EXTABLE(from, to)					\
	.pushsection shim_extable, "a";				\
	.balign 4;						\
	.long (from) - ., (to) - .;					\
	.popsection

	/* For the linker of user space: the stack is not executable. */
	.section .note.GNU-stack, "", @progbits
	.text

#endif
