/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUID, as on x86, for modules on user-mode Linux (ARCH=um): found before the kernel's
 * own header, in whose place it is.
 */
#ifndef UM_X86_CPUID_API_H
#define UM_X86_CPUID_API_H

#include <asm/cpufeature.h>

static inline u32 cpuid_eax(u32 leaf)
{
	return um_cpuid(leaf, 0, UM_EAX);
}

#endif
