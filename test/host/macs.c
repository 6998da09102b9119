// SPDX-License-Identifier: GPL-2.0
/* What drivers of the MACs leave behind; modes.c has the rest. */
#include "drivers.h"
#include "watched-call.h"

static void renew_key(const uint64_t *arguments)
{
	random_fill((void *)arguments[1], arguments[2]);
}

/* Of a key that is derived from another one, such as xcbc's */
static void test_leftovers(const struct driver *driver)
{
	static u8 key[BLOCK];

	check_leaves_nothing(&(struct watched_function){
		crypto_shash_setkey, renew_key,
		{ (uintptr_t)driver->shash, (uintptr_t)key, BLOCK },
	});
}

#define MACS	CRYPTO_ALG_TYPE_SHASH

static const struct driver_test tests[] = {
	{ "leftovers", test_leftovers, MACS },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
