// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Compares bytes (backend.h); a test of constant time replaces it. */
#include "backend.h"

void check_bytes(const void *actual, const void *expected, size_t bytes, const char *what)
{
	const uint8_t *a = actual, *e = expected;
	size_t i;

	if (!bytes || !memcmp(a, e, bytes))
		return;
	for (i = 0; a[i] == e[i]; i++)
		;
	fail_case("%s wrong at byte %zu of %zu: %02x, not %02x", what, i, bytes, a[i], e[i]);
}
