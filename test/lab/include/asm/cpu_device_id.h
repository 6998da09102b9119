/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of CPUs, as on x86, for modules on user-mode Linux (ARCH=um): found
 * before the kernel's own header, which it includes. Here a table is one row
 * that asks for a feature.
 */
#ifndef UM_X86_CPU_DEVICE_ID_H
#define UM_X86_CPU_DEVICE_ID_H

#include_next <asm/cpu_device_id.h>
#include <asm/cpufeature.h>

static inline const struct x86_cpu_id *
um_match_cpu(const struct x86_cpu_id *table)
{
	return boot_cpu_has(table->feature) ? table : NULL;
}

#define x86_match_cpu	um_match_cpu

#endif
