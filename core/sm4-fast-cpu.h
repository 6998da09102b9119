/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Features of this CPU, whatever the kernel reports: the functions of sm4-fast-cpu.c. They know no
 * tier.
 */
#ifndef SM4_FAST_CPU_H
#define SM4_FAST_CPU_H

#include <linux/types.h>

/* XFEATURE_MASK_* of all registers that the kernel saves and restores */
u64 sm4_xcr0(void);

/*
 * boot_cpu_has(); for SM4_FEATURE_CIS, whether the CPU executes these instructions. Process
 * context, outside FPU sections.
 */
bool sm4_cpu_has(unsigned int feature);

#endif
