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

/* 6.12 moved the header */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif
