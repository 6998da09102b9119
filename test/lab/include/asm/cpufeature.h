/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The CPU's model and features, as on x86, for modules on user-mode Linux (ARCH=um): found before
 * the kernel's own header, which it includes. Features are those of CPUID, not those that user-mode
 * Linux derives from the host's /proc/cpuinfo; those that the kernel numbers itself are all absent.
 */
#ifndef UM_X86_CPUFEATURE_H
#define UM_X86_CPUFEATURE_H

#include_next <asm/cpufeature.h>
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/types.h>

enum um_cpuid_register { UM_EAX, UM_EBX, UM_ECX, UM_EDX, UM_CPUID_REGISTERS };

static inline u32 um_cpuid(u32 leaf, u32 subleaf, enum um_cpuid_register which)
{
	u32 registers[UM_CPUID_REGISTERS];

	asm volatile("cpuid"
		     : "=a" (registers[UM_EAX]), "=b" (registers[UM_EBX]),
		       "=c" (registers[UM_ECX]), "=d" (registers[UM_EDX])
		     : "a" (leaf), "c" (subleaf));
	return registers[which];
}

static inline u32 cpuid_eax(u32 leaf)
{
	return um_cpuid(leaf, 0, UM_EAX);
}

/* The word of x86_capability that has this feature */
static inline u32 um_capability_word(unsigned int feature)
{
	bool leaf7 = um_cpuid(0, 0, UM_EAX) >= 7;

	switch (feature / 32) {
	case X86_FEATURE_FPU / 32:
		return um_cpuid(1, 0, UM_EDX);
	case X86_FEATURE_AVX / 32:
		return um_cpuid(1, 0, UM_ECX);
	case X86_FEATURE_AVX2 / 32:
		return leaf7 ? um_cpuid(7, 0, UM_EBX) : 0;
	case X86_FEATURE_GFNI / 32:
		return leaf7 ? um_cpuid(7, 0, UM_ECX) : 0;
	case X86_FEATURE_AVX_VNNI / 32:
		return leaf7 && um_cpuid(7, 0, UM_EAX) >= 1 ?
		       um_cpuid(7, 1, UM_EAX) : 0;
	default:
		return 0;
	}
}

static inline bool um_cpu_has(unsigned int feature)
{
	return um_capability_word(feature) & BIT(feature % 32);
}

#undef boot_cpu_has
#define boot_cpu_has		um_cpu_has

#define X86_VENDOR_INTEL	0
#define X86_VENDOR_UNKNOWN	0xff

struct um_cpu {
	u8 x86_vendor;
	u8 x86;		/* the family */
	u8 x86_model;
	char x86_vendor_id[16];
};

static inline struct um_cpu um_boot_cpu(void)
{
	u32 signature = um_cpuid(1, 0, UM_EAX);
	u32 vendor_id[3] = {
		um_cpuid(0, 0, UM_EBX), um_cpuid(0, 0, UM_EDX),
		um_cpuid(0, 0, UM_ECX),
	};
	struct um_cpu cpu = {
		.x86_vendor = X86_VENDOR_UNKNOWN,
		.x86 = (signature >> 8 & 15) + (signature >> 20 & 255),
		.x86_model = (signature >> 4 & 15) | (signature >> 12 & 0xf0),
	};

	memcpy(cpu.x86_vendor_id, vendor_id, sizeof(vendor_id));
	if (!strcmp(cpu.x86_vendor_id, "GenuineIntel"))
		cpu.x86_vendor = X86_VENDOR_INTEL;
	return cpu;
}

#define boot_cpu_data		um_boot_cpu()

#endif
