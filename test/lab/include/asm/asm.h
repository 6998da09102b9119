/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The exception table of assembly, as on x86, for modules on user-mode Linux (ARCH=um),
 * whose own table has another format and is not used when the CPU refuses an instruction: there is
 * none. Found before the kernel's own header, which it includes.
 */
#ifndef UM_X86_ASM_H
#define UM_X86_ASM_H

#include_next <asm/asm.h>

#ifdef __ASSEMBLER__
#undef _ASM_EXTABLE
#define _ASM_EXTABLE(...)
#endif

#endif
