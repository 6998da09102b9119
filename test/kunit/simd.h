/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Whether the vector unit is usable, for drivers that ask crypto_simd_usable(): a test decides
 * this for a CPU, or lets a timer decide anew every few microseconds, at any place of a request.
 * A driver then continues a text with other functions than it has begun it with.
 *
 * A kernel that does not test its own crypto in this way lacks the variable for it; then the unit
 * stays usable, and tests that need this are skipped.
 */
#ifndef TEST_KUNIT_SIMD_H
#define TEST_KUNIT_SIMD_H

#include <linux/types.h>

struct kunit;

/* On this CPU, from which the caller must not move before it is usable again */
void set_simd_usable(bool is_usable);

/* From now on, the unit comes and goes on each CPU. Skips the test if the kernel cannot do this. */
void start_switching_simd(struct kunit *test);

/* It is usable from now on. Does nothing if that has not begun. */
void stop_switching_simd(void);

#endif
