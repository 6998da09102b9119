// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Bursts of requests (batches.h) to each driver of authenc() for several requests at once, which
 * sm4_fast.batch=1 registers: as they are; while the vector unit comes and goes; and while keys
 * change at any time.
 */
#include "batches.h"
#include "drivers.h"
#include "simd.h"

static unsigned int bursts = 100;
module_param(bursts, uint, 0);
MODULE_PARM_DESC(bursts, "how many for each CPU");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "allocations of memory fail at times, and either may say so");

/* The driver for single requests has the same name without "batch". */
static void name_drivers(const struct driver *batch)
{
	static char single[CRYPTO_MAX_ALG_NAME];
	const char *word = strstr(batch->name, "-batch-");

	snprintf(single, sizeof(single), "%.*s%s", (int)(word - batch->name), batch->name,
		 word + strlen("-batch"));
	plan.driver = batch->name;
	plan.single = single;
}

static void try_bursts(struct kunit *test, bool rekey)
{
	name_drivers(test->param_value);
	plan.bursts = bursts;
	plan.no_memory = no_memory;
	plan.rekey = rekey;
	KUNIT_EXPECT_EQ(test, try_plan(), 0);
	report_complaints(test);
	KUNIT_EXPECT_GT(test, atomic_read(&later_count), 0);
	kunit_info(test, "%d requests, %d of them completed later", atomic_read(&request_count),
		   atomic_read(&later_count));
}

static void test_bursts(struct kunit *test)
{
	try_bursts(test, false);
}

static void test_switched_simd(struct kunit *test)
{
	start_switching_simd(test);
	try_bursts(test, false);
}

static void test_keys_at_any_time(struct kunit *test)
{
	try_bursts(test, true);
}

static void release(struct kunit *test)
{
	stop_switching_simd();
}

static bool is_for_batches(const struct driver *driver)
{
	return strstr(driver->name, "-batch-");
}

/* The first one of each algorithm: one tier is enough where keys change or memory lacks. */
static bool is_first_for_batches(const struct driver *driver)
{
	const struct driver *earlier;

	for (earlier = drivers; earlier < driver; earlier++)
		if (is_for_batches(earlier) && !strcmp(earlier->algorithm, driver->algorithm))
			return false;
	return is_for_batches(driver);
}

static const void *each_batch(TEST_ARGUMENT const void *previous, char *description)
{
	return next_driver(previous, description,
			   no_memory ? is_first_for_batches : is_for_batches);
}

static const void *first_batch(TEST_ARGUMENT const void *previous, char *description)
{
	return next_driver(previous, description, is_first_for_batches);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_bursts, each_batch, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_switched_simd, each_batch, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_keys_at_any_time, first_batch, SLOW),
	{}
};

static struct kunit_suite suite = {
	.name = "sm4_batches",
	.suite_init = find_drivers,
	.exit = release,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Several requests of ESP at once, compared with the same one by one");
MODULE_LICENSE("GPL");
