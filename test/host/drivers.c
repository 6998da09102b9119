// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Test cases for every registered driver in all circumstances (drivers.h). */
#include "core/sm4-fast-check.h"
#include "core/sm4-fast-cpu.h"
#include "core/sm4-fast-modes.h"
#include "drivers.h"
#include "requests.h"

static const struct circumstance {
	const char *name;
	enum simd_policy simd_policy;
	bool fallback_only;
} circumstances[] = {
	{ "SIMD usable", SIMD_ALWAYS },
	{ "SIMD usable at random", SIMD_RANDOM },
	{ "SIMD never usable", SIMD_NEVER },
	{ "fallback_only", SIMD_ALWAYS, .fallback_only = true },
};

/*
 * The module is loaded for each case. The programs about loading test its self-tests
 * of tiers; all others are linked with --wrap, and skip these.
 */
typeof(sm4_selftest_tier) __wrap_sm4_selftest_tier;

const char *__wrap_sm4_selftest_tier(const struct sm4_tier_base *tier, bool of_sm3)
{
	return NULL;
}

/*
 * Try Hygon's instructions once, before a case takes the vector unit away. The module does
 * that when it is loaded; a case can come at any time.
 */
__attribute__((weak)) typeof(sm4_cpu_has) __real_sm4_cpu_has;
typeof(sm4_cpu_has) __wrap_sm4_cpu_has;

bool __wrap_sm4_cpu_has(unsigned int feature)
{
	static bool tried, has;

	if (feature != SM4_FEATURE_CIS)
		return __real_sm4_cpu_has(feature);
	if (!tried)
		has = __real_sm4_cpu_has(feature);
	tried = true;
	return has;
}

bool is_hash(const char *cra_name)
{
	return !strcmp(cra_name, "sm3");
}

static void run_test(const void *argument)
{
	struct driver *driver = (struct driver *)argument;
	const struct circumstance *circumstance = driver->circumstance;
	const struct driver_test *test = driver->test;
	bool may_use_simd;

	if (circumstance->fallback_only)
		shim_set_parameter("fallback_only", "Y");
	shim_set_simd_policy(circumstance->simd_policy);
	shim_set_parameter("tiers", "all");
	check_equal(shim_load_module(), 0);
	driver->tfm = shim_allocate_transform(driver->driver_name);
	test->function(driver);
	shim_free_transform(driver->tfm);
	may_use_simd = circumstance->simd_policy != SIMD_NEVER &&
		       (circumstance->simd_policy != SIMD_RANDOM ||
			shim_simd_was_usable()) &&
		       !circumstance->fallback_only &&
		       !strstr(driver->driver_name, "-ttable-") &&
		       !strstr(driver->driver_name, "-generic-");
	check_equal(shim_fpu_sections() > 0, may_use_simd);
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
}

static void add_cases(const struct driver_test *test,
		      const struct crypto_alg *alg)
{
	size_t count = test->all_circumstances ? ARRAY_SIZE(circumstances) : 1;
	size_t i;

	for (i = 0; i < count; i++) {
		struct driver *driver = malloc(sizeof(*driver));

		strscpy(driver->name, alg->cra_name, sizeof(driver->name));
		strscpy(driver->driver_name, alg->cra_driver_name,
			sizeof(driver->driver_name));
		driver->circumstance = &circumstances[i];
		driver->test = test;
		add_case(run_test, driver, "/%s/%s%s%s", driver->driver_name,
			 test->title, count > 1 ? ", " : "",
			 count > 1 ? circumstances[i].name : "");
	}
}

static bool applies(const struct driver_test *test, const char *cra_name)
{
	return test->applies ? test->applies(cra_name) : !is_hash(cra_name);
}

void add_driver_cases(const struct driver_test *tests, size_t count)
{
	unsigned int i;
	size_t test;

	shim_set_parameter("tiers", "all");
	if (shim_load_module()) {
		fprintf(stderr, "The module does not load: %s\n",
			shim_messages());
		exit(1);
	}
	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);
		u32 type = alg->cra_flags & CRYPTO_ALG_TYPE_MASK;

		for (test = 0; test < count; test++) {
			if ((!tests[test].type || tests[test].type == type) &&
			    applies(&tests[test], alg->cra_name))
				add_cases(&tests[test], alg);
		}
	}
	shim_unload_module();
	shim_reset();
}

__attribute__((weak)) const char why_untried[] = "this CPU lacks a feature that it needs";

static void skip_tier(const void *argument)
{
	skip_case(why_untried);
}

void add_untried(const struct sm4_tier_base *tier)
{
	add_case(skip_tier, NULL, "/tiers/%s/all", tier->name);
}

const struct sm4_tier_base *any_tier(unsigned int number)
{
	for (struct sm4_tier_set *set = sm4_tier_sets; set->tiers; set++)
		for (size_t i = 0; set->tiers[i]; i++)
			if (!number--)
				return set->tiers[i];
	return NULL;
}

bool is_of_sm3(const struct sm4_tier_base *tier)
{
	return !strncmp(tier->name, "sm3-", 4);
}

void unregister_tiers(void)
{
	sm4_unregister_all();
	check_equal(shim_algorithm_count(), 0);
}
