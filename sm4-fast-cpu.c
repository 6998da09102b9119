// SPDX-License-Identifier: GPL-2.0
/*
 * What can be known of the CPU without asking the kernel. Called by sm4-fast-core.c
 * and in a file of its own, so that tests can take its place.
 */
#include "sm4-fast-core.h"

u64 sm4_xcr0(void)
{
	u32 low, high;

	if (!boot_cpu_has(X86_FEATURE_OSXSAVE))
		return 0;
	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (u64)high << 32 | low;
}
