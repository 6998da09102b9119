/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* The engine of test/requests in a kernel: memory, random numbers, and results of KUnit. */
#ifndef TEST_KUNIT_BACKEND_H
#define TEST_KUNIT_BACKEND_H

#include <linux/prandom.h>

/* What test->priv begins with */
struct backend {
	char description[512];
	struct rnd_state rng;
};

/* Begins a test: each has the same random numbers. */
void backend_begin(struct backend *backend);

/* Before the module is unloaded: frees all memory. */
void backend_end(void);

#endif
