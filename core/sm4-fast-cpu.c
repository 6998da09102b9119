// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * CPU features that not every kernel reports: which registers the kernel saves, and whether the
 * CPU has Hygon's SM4 instructions. Tests replace the functions of this file.
 */
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "../sm4-fast.h"
#include "sm4-fast-cpu.h"

u64 sm4_xcr0(void)
{
	u32 low, high;

	if (!boot_cpu_has(X86_FEATURE_OSXSAVE))
		return 0;
	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (u64)high << 32 | low;
}

/* Hygon's leaf of CPUID. It exists if its EAX is at least its number. */
#define HYGON_LEAF	0x8c860000

/* Whether the processor may have Hygon's SM4 instructions */
static bool sm4_cis_is_announced(void)
{
	if (X86_FEATURE_HYGON_SM4)
		return boot_cpu_has(X86_FEATURE_HYGON_SM4);
	return !strcmp(boot_cpu_data.x86_vendor_id, "HygonGenuine") &&
	       cpuid_eax(HYGON_LEAF) >= HYGON_LEAF;
}

asmlinkage bool sm4_cis_is_known(void);

/* The leaf's bit for them is not published, so they are tried, only on a Hygon. */
static bool sm4_cpu_has_cis(void)
{
	bool has;

	if (!sm4_cis_is_announced())
		return false;
	kernel_fpu_begin();
	has = sm4_cis_is_known();
	kernel_fpu_end();
	return has;
}

bool sm4_cpu_has(unsigned int feature)
{
	return feature == SM4_FEATURE_CIS ? sm4_cpu_has_cis() :
					    boot_cpu_has(feature);
}
