// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Requests with consecutive IVs to each driver of xts(sm4) from a thread on each CPU, with the same
 * transforms, each of them used by one thread at a time, with softirqs on or off. Each answer is
 * compared with that of mainline's code. Now and then, a thread sets a transform's key or frees
 * it, while the other CPU may still keep tweaks of it. The second test repeats this while the
 * vector unit comes and goes, also between the tweaks that are kept and the sector that needs them.
 */
#include <crypto/skcipher.h>
#include <linux/bottom_half.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include "drivers.h"
#include "simd.h"
#include "threads.h"

static unsigned int rounds = 1000;
module_param(rounds, uint, 0);
MODULE_PARM_DESC(rounds, "how often each CPU uses a transform");

#define VOLUMES		4
#define TWEAK_KEY_BYTES	32
#define IV_BYTES	16
#define TEXT_BYTES	512

struct side {
	struct crypto_sync_skcipher *tfm;
	u8 text[TEXT_BYTES];
};

struct volume {
	struct side tested, right;
	u64 sector;
	unsigned long busy;
};

/* What a test is about, and the volumes that its threads share */
struct tweaks_test {
	const char *driver;
	struct volume volumes[VOLUMES];
	atomic_t request_count;
	struct threads threads;
};

static int new_key(struct volume *volume)
{
	u8 key[TWEAK_KEY_BYTES];

	get_random_bytes(key, sizeof(key));
	return crypto_sync_skcipher_setkey(volume->tested.tfm, key, sizeof(key)) ?:
	       crypto_sync_skcipher_setkey(volume->right.tfm, key, sizeof(key));
}

static int open_volume(struct volume *volume, const char *driver)
{
	volume->tested.tfm = crypto_alloc_sync_skcipher(driver, 0, 0);
	volume->right.tfm = crypto_alloc_sync_skcipher("xts(ecb(sm4-generic))", 0, 0);
	return PTR_ERR_OR_ZERO(volume->tested.tfm) ?: PTR_ERR_OR_ZERO(volume->right.tfm) ?:
	       new_key(volume);
}

static void close_volume(struct volume *volume)
{
	crypto_free_sync_skcipher(volume->tested.tfm);
	crypto_free_sync_skcipher(volume->right.tfm);
}

static int encrypt(struct side *side, u64 sector)
{
	SYNC_SKCIPHER_REQUEST_ON_STACK(req, side->tfm);
	__le64 iv[IV_BYTES / sizeof(__le64)] = { cpu_to_le64(sector) };
	struct scatterlist sg;

	sg_init_one(&sg, side->text, TEXT_BYTES);
	skcipher_request_set_sync_tfm(req, side->tfm);
	skcipher_request_set_callback(req, 0, NULL, NULL);
	skcipher_request_set_crypt(req, &sg, &sg, TEXT_BYTES, iv);
	return crypto_skcipher_encrypt(req);
}

/* With softirqs off, the C tier processes the request. */
static void try_sector(struct tweaks_test *state, struct volume *volume, u64 sector)
{
	bool off = !random_number(16);
	int err;

	memset(volume->tested.text, sector, TEXT_BYTES);
	memset(volume->right.text, sector, TEXT_BYTES);
	if (off)
		local_bh_disable();
	err = encrypt(&volume->tested, sector);
	if (off)
		local_bh_enable();
	err = err ?: encrypt(&volume->right, sector);
	if (err)
		complain(&state->threads, "error %d", err);
	else if (memcmp(volume->tested.text, volume->right.text, TEXT_BYTES))
		complain(&state->threads, "wrong bytes in sector %llu", sector);
	atomic_inc(&state->request_count);
}

/* A new key for one of 20 sectors, which are consecutive nevertheless */
static void change_key(struct tweaks_test *state, struct volume *volume)
{
	int err = 0;

	switch (random_number(40)) {
	case 0:
		err = new_key(volume);
		break;
	case 1:
		close_volume(volume);
		err = open_volume(volume, state->driver);
		break;
	}
	if (err)
		complain(&state->threads, "error %d of a new key", err);
}

static void use(struct tweaks_test *state, struct volume *volume)
{
	unsigned int count = random_number(40), step = 1 + random_number(8);

	while (count--) {
		change_key(state, volume);
		volume->sector += step;
		try_sector(state, volume, volume->sector);
	}
}

static void run(void *data, unsigned int cpu)
{
	struct tweaks_test *state = data;
	unsigned int i;

	for (i = 0; i < rounds && !atomic_read(&state->threads.complaint_count); i++) {
		struct volume *volume = &state->volumes[random_number(VOLUMES)];

		if (!test_and_set_bit_lock(0, &volume->busy)) {
			use(state, volume);
			clear_bit_unlock(0, &volume->busy);
		}
		cond_resched();
	}
}

static void use_from_all_cpus(struct kunit *test)
{
	const struct driver *tested = test->param_value;
	struct tweaks_test *state = test->priv;
	int err = 0, i;

	state->driver = tested->name;
	init_threads(&state->threads);
	for (i = 0; i < VOLUMES; i++)
		err = err ?: open_volume(&state->volumes[i], state->driver);
	err = err ?: start_threads(&state->threads, run, state);
	await_threads(&state->threads);
	for (i = 0; i < VOLUMES; i++)
		close_volume(&state->volumes[i]);
	report_complaints(test, &state->threads);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&state->request_count), 0);
	kunit_info(test, "%d requests", atomic_read(&state->request_count));
}

static void test_consecutive_sectors(struct kunit *test)
{
	use_from_all_cpus(test);
}

static void test_switched_simd(struct kunit *test)
{
	start_switching_simd(test);
	use_from_all_cpus(test);
}

static int prepare(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct tweaks_test), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void release(struct kunit *test)
{
	stop_switching_simd();
}

static bool is_xts(const struct driver *any)
{
	return !strcmp(any->algorithm, "xts(sm4)");
}

static const void *each_xts(TEST_ARGUMENT const void *previous, char *description)
{
	return next_driver(previous, description, is_xts);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_consecutive_sectors, each_xts, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_switched_simd, each_xts, SLOW),
	{}
};

static struct kunit_suite suite = {
	.name = "sm4_tweaks",
	.suite_init = find_drivers,
	.init = prepare,
	.exit = release,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("XTS of consecutive sectors on all CPUs while keys change, compared with mainline's code");
MODULE_LICENSE("GPL");
