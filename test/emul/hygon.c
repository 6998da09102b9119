// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Makes test/host's programs about loading run as on a CPU with Hygon's SM4
 * instructions: the emulator has them, and the shim reports them by the kernel's name.
 */
#include "shim/control.h"

bool shim_has_hygon_sm4(void)
{
	return true;
}
