/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The x86 part of the kernel that sm4-fast uses: CPU features, numbered as in the kernel (32 times
 * a word, plus a bit of a CPUID register), and the right to use vector registers.
 */
#ifndef SHIM_X86_H
#define SHIM_X86_H

#include "linux.h"

#define X86_FEATURE_PCLMULQDQ		(4 * 32 + 1)
#define X86_FEATURE_AES			(4 * 32 + 25)
#define X86_FEATURE_OSXSAVE		(4 * 32 + 27)
#define X86_FEATURE_AVX			(4 * 32 + 28)
#define X86_FEATURE_BMI1		(9 * 32 + 3)
#define X86_FEATURE_AVX2		(9 * 32 + 5)
#define X86_FEATURE_BMI2		(9 * 32 + 8)
#define X86_FEATURE_AVX512F		(9 * 32 + 16)
#define X86_FEATURE_AVX512BW		(9 * 32 + 30)
#define X86_FEATURE_AVX512VL		(9 * 32 + 31)
#define X86_FEATURE_GFNI		(16 * 32 + 8)
#define X86_FEATURE_VAES		(16 * 32 + 9)
#define X86_FEATURE_VPCLMULQDQ		(16 * 32 + 10)
/*
 * Hygon's instructions under the names of Intel's, as in vendors' kernels until 2025;
 * then under their own name, unless a test removes it
 */
#define SHIM_HYGON_SM4			(23 * 32 + 2)
#define X86_FEATURE_SM3			(23 * 32 + 1)
#define X86_FEATURE_SM4			SHIM_HYGON_SM4
#define X86_FEATURE_HYGON_SM4		shim_hygon_sm4()
/* the kernel's own, from a list of models */
#define X86_FEATURE_PREFER_YMM		(21 * 32 + 8)

#define XFEATURE_MASK_SSE	BIT(1)
#define XFEATURE_MASK_YMM	BIT(2)
#define XFEATURE_MASK_OPMASK	BIT(5)
#define XFEATURE_MASK_ZMM_Hi256	BIT(6)
#define XFEATURE_MASK_Hi16_ZMM	BIT(7)
#define XFEATURE_MASK_AVX512 \
	(XFEATURE_MASK_OPMASK | XFEATURE_MASK_ZMM_Hi256 | \
	 XFEATURE_MASK_Hi16_ZMM)

bool boot_cpu_has(unsigned int feature);
unsigned int shim_hygon_sm4(void);

struct cpuinfo_x86 {
	char x86_vendor_id[16];
};

extern struct cpuinfo_x86 boot_cpu_data;

u32 cpuid_eax(u32 leaf);

bool crypto_simd_usable(void);
void kernel_fpu_begin(void);
void kernel_fpu_end(void);

#endif
