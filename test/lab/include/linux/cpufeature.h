/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * On x86 this includes <asm/cpufeature.h>; for modules on user-mode Linux
 * (ARCH=um) it does, too. Found before the kernel's own header.
 */
#include_next <linux/cpufeature.h>
#include <asm/cpufeature.h>
