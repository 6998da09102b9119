// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The drivers of sm4-fast that are registered, and what KUnit is told about them (drivers.h). */
#include <linux/rwsem.h>
#include <linux/string.h>
#include "drivers.h"
#include "threads.h"

/* More than all tiers have together */
#define MAX_DRIVERS	400

static struct driver drivers[MAX_DRIVERS];
static unsigned int driver_count;

/* Not a template over a driver of ours, and registered for good */
static bool is_ours(const struct crypto_alg *alg)
{
	const char *end = strrchr(alg->cra_driver_name, '-');

	return end && !strcmp(end, "-fast") && !strchr(alg->cra_driver_name, '(') &&
	       !(alg->cra_flags & (CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING));
}

bool is_for_batches(const struct driver *driver)
{
	return strstr(driver->name, "-batch-");
}

static bool is_first(const struct driver *driver)
{
	const struct driver *earlier;

	for (earlier = drivers; earlier < driver; earlier++)
		if (!strcmp(earlier->algorithm, driver->algorithm) &&
		    is_for_batches(earlier) == is_for_batches(driver))
			return false;
	return true;
}

int find_drivers(struct kunit_suite *suite)
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
		driver->is_first = is_first(driver);
		driver_count++;
	}
	up_read(&crypto_alg_sem);
	return err;
}

const struct driver *next_driver(const struct driver *previous, char *description,
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

bool driver_is_registered(const char *name)
{
	unsigned int i;

	for (i = 0; i < driver_count; i++)
		if (!strcmp(drivers[i].name, name))
			return true;
	return false;
}

void report_complaints(struct kunit *test, struct threads *threads)
{
	int all = atomic_read(&threads->complaint_count), nth;

	for (nth = 0; nth < min(all, MAX_COMPLAINTS); nth++)
		KUNIT_FAIL(test, "%s\n", threads->complaints[nth]);
	if (all > nth)
		KUNIT_FAIL(test, "and %d more\n", all - nth);
}
