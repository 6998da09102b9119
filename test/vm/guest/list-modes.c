// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * list-modes
 *
 * For scripts: prints a line for each mode of test/requests/modes.c, with its name, which tiers
 * have it, and whether the kernel tests it.
 */
#include <stdio.h>
#include "../../requests/modes.h"

int main(void)
{
	static const char *const where[] = {
		[EVERY_TIER] = "every-tier", [WITH_GCM] = "with-gcm",
		[WITH_CHAINS] = "with-chains", [C_TIER] = "c-tier", [BY_SM3] = "by-sm3",
	};
	const struct mode *mode;

	for (mode = modes; mode < modes + mode_count; mode++)
		printf("%s %s %s\n", mode->name, where[mode->where],
		       mode->untested ? "untested" : "tested");
	return 0;
}
