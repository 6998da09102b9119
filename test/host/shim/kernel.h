/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The parts of the Linux kernel that the sources of sm4-fast use, for user space.
 *
 * Every kernel header that they include is, in the tests, a file of one line that includes this one
 * (see test/host/Makefile, which makes them). Names and behaviour are those of kernel 6.12. This
 * has only the parts that the module uses, and no functions for tests: those are in control.h.
 */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 12, 0)
#define KERNEL_VERSION(major, minor, patch) \
	((major) << 16 | (minor) << 8 | (patch))

#ifdef __ASSEMBLER__
#include "assembly.h"
#else
#include "linux.h"
#include "x86.h"
#include "crypto.h"
#endif

#endif
