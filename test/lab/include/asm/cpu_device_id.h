/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Tables of CPUs, as on x86, for modules on user-mode Linux (ARCH=um): found before the kernel's
 * own header, which it includes. An entry may require a vendor, a family, a model and a feature.
 */
#ifndef UM_X86_CPU_DEVICE_ID_H
#define UM_X86_CPU_DEVICE_ID_H

#include_next <asm/cpu_device_id.h>
#include <asm/cpufeature.h>

static inline const struct x86_cpu_id *
um_match_cpu(const struct x86_cpu_id *table)
{
	struct um_cpu cpu = um_boot_cpu();

	for (; table->flags & X86_CPU_ID_FLAG_ENTRY_VALID; table++)
		if ((table->vendor == X86_VENDOR_ANY ||
		     table->vendor == cpu.x86_vendor) &&
		    (table->family == X86_FAMILY_ANY ||
		     table->family == cpu.x86) &&
		    (table->model == X86_MODEL_ANY ||
		     table->model == cpu.x86_model) &&
		    (table->feature == X86_FEATURE_ANY ||
		     boot_cpu_has(table->feature)))
			return table;
	return NULL;
}

#define x86_match_cpu	um_match_cpu

#endif
