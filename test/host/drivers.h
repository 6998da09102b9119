/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Test cases for every driver that the module registers,
 * each in all circumstances: with the vector unit usable and not.
 */
#ifndef TEST_HOST_DRIVERS_H
#define TEST_HOST_DRIVERS_H

#include "case.h"
#include "reference.h"
#include "shim/control.h"
#include "core/sm4-fast-core.h"

struct driver_test;

/* A driver while a test runs: with a transform of its type */
struct driver {
	char name[CRYPTO_MAX_ALG_NAME];		/* cra_name */
	char driver_name[CRYPTO_MAX_ALG_NAME];
	const struct circumstance *circumstance;
	const struct driver_test *test;
	union {
		void *tfm;
		struct crypto_cipher *cipher;
		struct crypto_skcipher *skcipher;
		struct crypto_aead *aead;
		struct crypto_shash *shash;
	};
};

/**
 * struct driver_test - a test for every driver of a type
 * @title: of the test cases
 * @function: the test. The module is loaded before it and unloaded after it; this also
 *	      checks whether the right FPU sections were entered.
 * @type: CRYPTO_ALG_TYPE_*, or 0 for all
 * @all_circumstances: whether to test also without SIMD
 * @applies: whether to test this cra_name; NULL: all except hashes
 */
struct driver_test {
	const char *title;
	void (*function)(const struct driver *driver);
	u32 type;
	bool all_circumstances;
	bool (*applies)(const char *cra_name);
};

/* Whether it is a hash, which has no key: SM3 */
bool is_hash(const char *cra_name);

void add_driver_cases(const struct driver_test *tests, size_t count);

/* Add a case for a tier that is not usable; it is skipped, with the reason @why_untried. */
extern const char why_untried[];
void add_untried(const struct sm4_tier_base *tier);

/* All tiers, by number: those of SM4, then those of SM3; NULL after the last one */
const struct sm4_tier_base *any_tier(unsigned int number);
bool is_of_sm3(const struct sm4_tier_base *tier);

/* Unregister what a test has registered without loading the module. */
void unregister_tiers(void);

#endif
