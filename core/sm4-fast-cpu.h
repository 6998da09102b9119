/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Features of this CPU, whatever the kernel reports: the functions of sm4-fast-cpu.c. They know no
 * tier.
 */
#ifndef SM4_FAST_CPU_H
#define SM4_FAST_CPU_H

#include <linux/types.h>

/**
 * sm4_xcr0() - which registers the kernel saves and restores
 *
 * Return: XFEATURE_MASK_* of all of them
 */
u64 sm4_xcr0(void);

/**
 * sm4_cpu_has() - whether this CPU has a feature
 * @feature: X86_FEATURE_*, as for boot_cpu_has(), or SM4_FEATURE_CIS
 *
 * Context: process context, outside FPU sections
 * Return: whether the CPU has it; for SM4_FEATURE_CIS, whether it executes these instructions
 */
bool sm4_cpu_has(unsigned int feature);

#endif
