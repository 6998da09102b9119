// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Bursts of requests (batches.h) to each driver of authenc() for several requests at once, which
 * sm4_fast.batch=1 registers: as they are; while the vector unit comes and goes; and while keys
 * change at any time.
 */
#include <linux/module.h>
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
static void try_bursts(struct kunit *test, bool rekey)
{
	const struct driver *tested = test->param_value;
	const char *word = strstr(tested->name, "-batch-");
	struct batch_plan *plan = test->priv;
	char single[CRYPTO_MAX_ALG_NAME];

	snprintf(single, sizeof(single), "%.*s%s", (int)(word - tested->name), tested->name,
		 word + strlen("-batch"));
	plan->driver = tested->name;
	plan->single = single;
	plan->bursts = bursts;
	plan->no_memory = no_memory;
	plan->rekey = rekey;
	KUNIT_EXPECT_EQ(test, try_batches(plan), 0);
	report_complaints(test, &plan->threads);
	KUNIT_EXPECT_GT(test, atomic_read(&plan->later_count), 0);
	kunit_info(test, "%d requests, %d of them completed later",
		   atomic_read(&plan->request_count), atomic_read(&plan->later_count));
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

static int prepare(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct batch_plan), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void release(struct kunit *test)
{
	stop_switching_simd();
}

/* The first one of each algorithm: one tier is enough where keys change or memory lacks. */
static bool is_first_for_batches(const struct driver *driver)
{
	return is_for_batches(driver) && driver->is_first;
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
	.init = prepare,
	.exit = release,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Several requests of ESP at once, compared with the same one by one");
MODULE_LICENSE("GPL");
