/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The drivers of sm4-fast that are registered, as parameters of tests: KUnit runs a test for each
 * driver that it wants, and names the result after it. A test that has no driver is skipped.
 */
#ifndef TEST_KUNIT_DRIVERS_H
#define TEST_KUNIT_DRIVERS_H

#include <kunit/test.h>
#include <linux/crypto.h>
#include <linux/version.h>

/* The kernel's list, which crypto/internal.h declares for its own folder */
extern struct list_head crypto_alg_list;
extern struct rw_semaphore crypto_alg_sem;

/**
 * struct driver - a driver of sm4-fast
 * @name: for example xts-sm4-ttable-fast
 * @algorithm: what it computes, such as xts(sm4)
 * @is_first: whether none is before it of the same algorithm, for several requests at once or not
 */
struct driver {
	char name[CRYPTO_MAX_ALG_NAME], algorithm[CRYPTO_MAX_ALG_NAME];
	bool is_first;
};

struct threads;

/* For struct kunit_suite: finds the drivers once, before the tests. */
int find_drivers(struct kunit_suite *suite);

bool driver_is_registered(const char *name);

/* Whether it is for several requests at once */
bool is_for_batches(const struct driver *driver);

/* The first driver after @previous, or of all if that is NULL, that a test wants */
const struct driver *next_driver(const struct driver *previous, char *description,
				 bool is_wanted(const struct driver *driver));

/* The test fails if there are complaints. */
void report_complaints(struct kunit *test, struct threads *threads);

/* A test that may take minutes where the kernel checks each access to memory */
#define SLOW	((struct kunit_attributes){ .speed = KUNIT_SPEED_VERY_SLOW })

/* A function that KUnit asks for the parameter after @previous has this argument before it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define TEST_ARGUMENT
#else
#define TEST_ARGUMENT	struct kunit *test,
#endif

#endif
