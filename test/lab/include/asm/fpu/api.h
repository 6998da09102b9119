/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The FPU, as on x86, for modules on user-mode Linux (ARCH=um): found before the
 * kernel's own header, which it includes. A section is atomic, so that sleeping
 * in it is detected. Nothing is saved, because the registers are those of a process.
 */
#ifndef UM_X86_FPU_API_H
#define UM_X86_FPU_API_H

#include_next <asm/fpu/api.h>
#include <linux/preempt.h>
#include <asm/cpufeature.h>

#undef kernel_fpu_begin
#undef kernel_fpu_end
#define kernel_fpu_begin()	preempt_disable()
#define kernel_fpu_end()	preempt_enable()

/* State components, with their numbers in XCR0 */
#define XFEATURE_MASK_SSE		BIT_ULL(1)
#define XFEATURE_MASK_YMM		BIT_ULL(2)
#define XFEATURE_MASK_OPMASK		BIT_ULL(5)
#define XFEATURE_MASK_ZMM_Hi256		BIT_ULL(6)
#define XFEATURE_MASK_Hi16_ZMM		BIT_ULL(7)
#define XFEATURE_MASK_AVX512		(XFEATURE_MASK_OPMASK | \
					 XFEATURE_MASK_ZMM_Hi256 | \
					 XFEATURE_MASK_Hi16_ZMM)

/* For mainline's modules, which bench/kernel builds: ours read XCR0 themselves. */
static inline int cpu_has_xfeatures(u64 needed, const char **name)
{
	u32 low, high;

	if (!boot_cpu_has(X86_FEATURE_OSXSAVE))
		return 0;
	asm volatile("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (((u64)high << 32 | low) & needed) == needed;
}

#endif
