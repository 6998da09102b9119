/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* The header with cpuid_eax() since 6.16 on x86, for user-mode Linux (ARCH=um) */
#include <asm/cpufeature.h>
