/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between the kernels that sm4-fast builds for (6.1 to 7.3),
 * and nothing else. Of the sources, only this file may ask for a kernel version
 * or for the presence of a macro (Kbuild does once, for objtool). It also
 * includes what all sources need.
 */
#ifndef SM4_COMPAT_H
#define SM4_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>
#include <linux/cpufeature.h>
#include <linux/module.h>

/* 6.12 moved the header */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/*
 * Whether objtool can read the SM4 instructions, so that there is a tier of them
 * (see Kbuild)
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define SM4_HAS_SM4NI
#endif

/* 6.13 named this bit of CPUID.(7,1).EAX; all kernels have that word. */
#ifndef X86_FEATURE_SM4
#define X86_FEATURE_SM4		(12 * 32 + 2)
#endif

/*
 * Zhaoxin's GMI: two bits of CPUID.(0xC0000001).EDX, that it is there and that it
 * is switched on. Only vendors' kernels name them; all kernels have that word, in
 * which nothing is set on other processors.
 */
#ifndef X86_FEATURE_CCS
#define X86_FEATURE_CCS		(5 * 32 + 4)
#endif
#ifndef X86_FEATURE_CCS_EN
#define X86_FEATURE_CCS_EN	(5 * 32 + 5)
#endif

/* The block size of the kernel's own cbcmac, which its tests compare with ours */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define SM4_CBCMAC_BLOCK_SIZE	16
#else
#define SM4_CBCMAC_BLOCK_SIZE	1
#endif

/*
 * Whether 64-byte vectors cost more than they give on this CPU, because it
 * lowers its clock for them. Older kernels do not say; of the CPUs with GFNI,
 * these are Intel's Ice Lake and Tiger Lake.
 */
static inline bool sm4_prefers_ymm(void)
{
#ifdef X86_FEATURE_PREFER_YMM
	return boot_cpu_has(X86_FEATURE_PREFER_YMM);
#else
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.x86 != 6)
		return false;
	switch (boot_cpu_data.x86_model) {
	case 0x6a: /* Ice Lake, servers */
	case 0x6c:
	case 0x7d: /* Ice Lake */
	case 0x7e:
	case 0x9d:
	case 0x8c: /* Tiger Lake */
	case 0x8d:
		return true;
	}
	return false;
#endif
}

#endif
