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
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/version.h>

/* The kernel's list, which crypto/internal.h declares for its own folder */
extern struct list_head crypto_alg_list;
extern struct rw_semaphore crypto_alg_sem;

/* More than all tiers have together */
#define MAX_DRIVERS	400

/**
 * struct driver - a driver of sm4-fast
 * @name: for example xts-sm4-ttable-fast
 * @algorithm: what it computes, such as xts(sm4)
 * @is_first: whether no driver of the same algorithm is before it
 */
struct driver {
	char name[CRYPTO_MAX_ALG_NAME], algorithm[CRYPTO_MAX_ALG_NAME];
	bool is_first;
};

static struct driver drivers[MAX_DRIVERS];
static unsigned int driver_count;

/* Not a template over a driver of ours, and registered for good */
static bool is_ours(const struct crypto_alg *alg)
{
	const char *end = strrchr(alg->cra_driver_name, '-');

	return end && !strcmp(end, "-fast") && !strchr(alg->cra_driver_name, '(') &&
	       !(alg->cra_flags & (CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING));
}

static bool has_driver(const char *algorithm)
{
	unsigned int i;

	for (i = 0; i < driver_count; i++)
		if (!strcmp(drivers[i].algorithm, algorithm))
			return true;
	return false;
}

/* For struct kunit_suite: finds the drivers once, before the tests. */
static int find_drivers(struct kunit_suite *suite)
{
	const struct crypto_alg *alg;
	int err = 0;

	driver_count = 0;
	down_read(&crypto_alg_sem);
	list_for_each_entry(alg, &crypto_alg_list, cra_list) {
		struct driver *driver = &drivers[driver_count];

		if (!is_ours(alg))
			continue;
		if (driver_count == MAX_DRIVERS) {
			err = -E2BIG;
			break;
		}
		strscpy(driver->name, alg->cra_driver_name, sizeof(driver->name));
		strscpy(driver->algorithm, alg->cra_name, sizeof(driver->algorithm));
		driver->is_first = !has_driver(alg->cra_name);
		driver_count++;
	}
	up_read(&crypto_alg_sem);
	return err;
}

/* The first driver after @previous, or of all if that is NULL, that a test wants */
static const struct driver *next_driver(const struct driver *previous, char *description,
					bool is_wanted(const struct driver *driver))
{
	const struct driver *driver = previous ? previous + 1 : drivers;

	for (; driver < drivers + driver_count; driver++) {
		if (!is_wanted(driver))
			continue;
		strscpy(description, driver->name, KUNIT_PARAM_DESC_SIZE);
		return driver;
	}
	return NULL;
}

/* A test that may take minutes where the kernel checks each access to memory */
#define SLOW	((struct kunit_attributes){ .speed = KUNIT_SPEED_VERY_SLOW })

/* A function that KUnit asks for the parameter after @previous has this argument before it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define TEST_ARGUMENT
#else
#define TEST_ARGUMENT	struct kunit *test,
#endif

#endif
