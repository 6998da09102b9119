/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between the kernels that sm4-fast builds for (6.1 to 7.3),
 * and nothing else. Only this file may ask for a kernel version or for the
 * presence of a header or macro. It also includes what all sources need.
 */
#ifndef SM4_COMPAT_H
#define SM4_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>
#include <linux/cpufeature.h>

/* 6.12 moved the header */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* 6.13 named this bit of CPUID.(7,1).EAX; all kernels have that word. */
#ifndef X86_FEATURE_SM4
#define X86_FEATURE_SM4		(12 * 32 + 2)
#endif

#endif
