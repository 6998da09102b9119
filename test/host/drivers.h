/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases for every driver that the module registers, whichever they are,
 * each in all circumstances: with the vector unit usable and not.
 */
#ifndef TEST_HOST_DRIVERS_H
#define TEST_HOST_DRIVERS_H

#include "case.h"
#include "shim/control.h"

struct sm4_tier;

struct circumstance {
	const char *name;
	enum simd_policy simd_policy;
	bool fallback_only;
};

struct driver {
	char name[CRYPTO_MAX_ALG_NAME];		/* cra_name */
	char driver_name[CRYPTO_MAX_ALG_NAME];
	const struct circumstance *circumstance;
};

/* What to try with every driver of the CRYPTO_ALG_TYPE_* @type */
struct driver_test {
	const char *title;
	case_function *function;	/* gets a struct driver */
	u32 type;
	bool all_circumstances;		/* not only with SIMD usable */
	bool (*applies)(const char *cra_name);	/* NULL: to all but hashes */
};

/* Whether it is a hash, which takes no key: SM3 */
bool is_hash(const char *cra_name);

void add_driver_cases(const struct driver_test *tests, size_t count);

/* All that a tier offers, whether this CPU can run it or not, and all of all tiers */
void register_tier(const struct sm4_tier *tier);
void unregister_tiers(void);

/*
 * What such a case begins and ends with: loading the module, and unloading it
 * after a look at whether the right FPU sections were entered
 */
void start_driver(const struct driver *driver);
void finish_driver(const struct driver *driver);

#endif
