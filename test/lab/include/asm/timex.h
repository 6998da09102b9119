/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A counter of cycles, as on x86, for modules on user-mode Linux (ARCH=um),
 * which has none: found before the kernel's own header, which it includes.
 */
#ifndef UM_X86_TIMEX_H
#define UM_X86_TIMEX_H

#include_next <asm/timex.h>

static inline cycles_t um_get_cycles(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
}

#define get_cycles	um_get_cycles

#endif
