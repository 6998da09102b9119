// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Tweaks of XTS that a CPU computes ahead of the requests that need them: for which IVs it does
 * so, that nothing of them is left after their key, and what happens while keys change, on this CPU
 * and another. Answers are compared with those of the C tier, which computes none ahead.
 */
#define _GNU_SOURCE	/* memmem() */
#include "core/sm4-fast-core.h"
#include "core/sm4-fast-drivers.h"
#include "core/sm4-fast-modes.h"
#include "drivers.h"
#include "stand-in.h"

#define AHEAD		16
#define TEXT_BYTES	(SM4_SECTION_SIZE + 512)

/* A user of XTS: a transform, one of the C tier with the same key, and the last IV in two halves */
struct user {
	const char *driver_name;
	struct crypto_skcipher *tfm, *reference;
	struct sm4_key tweak_key;
	u64 low, high;
	bool is_big_endian;
};

static void set_new_key(struct user *user)
{
	u8 key[2 * SM4_KEY_SIZE];

	random_fill(key, sizeof(key));
	check_equal(crypto_skcipher_setkey(user->tfm, key, sizeof(key)), 0);
	check_equal(crypto_skcipher_setkey(user->reference, key, sizeof(key)), 0);
	sm4_set_key(&sm4_ttable, &user->tweak_key, key + SM4_KEY_SIZE);
}

static void open_user(struct user *user, const char *driver_name)
{
	const bool is_gb = strstr(driver_name, "gbt17964");

	user->driver_name = driver_name;
	user->is_big_endian = false;
	user->tfm = shim_allocate_transform(driver_name);
	user->reference = shim_allocate_transform(is_gb ? "gbt17964-xts-sm4-ttable-fast" :
							  "xts-sm4-ttable-fast");
	set_new_key(user);
}

static void close_user(struct user *user)
{
	shim_free_transform(user->tfm);
	shim_free_transform(user->reference);
}

static int crypt(const struct user *user, struct crypto_skcipher *tfm, u8 *text, size_t bytes,
		 bool decrypts)
{
	struct skcipher_request req = { 0 };
	struct scatterlist sg;
	u8 iv[BLOCK];

	if (user->is_big_endian) {
		put_unaligned_be64(user->high, iv);
		put_unaligned_be64(user->low, iv + 8);
	} else {
		put_unaligned_le64(user->low, iv);
		put_unaligned_le64(user->high, iv + 8);
	}
	sg_init_one(&sg, text, bytes);
	skcipher_request_set_tfm(&req, tfm);
	skcipher_request_set_crypt(&req, &sg, &sg, bytes, iv);
	return decrypts ? crypto_skcipher_decrypt(&req) : crypto_skcipher_encrypt(&req);
}

/* A request with the last IV. Returns whether it is right. */
static bool ask_again(const struct user *user, size_t bytes, bool decrypts)
{
	u8 text[TEXT_BYTES], expected[TEXT_BYTES];

	memset(text, bytes, bytes);
	memset(expected, bytes, bytes);
	return !crypt(user, user->tfm, text, bytes, decrypts) &&
	       !crypt(user, user->reference, expected, bytes, decrypts) &&
	       !memcmp(text, expected, bytes);
}

/* A request of one block, with the IV @step after the last one */
static bool ask(struct user *user, u64 step)
{
	user->low += step;
	return ask_again(user, BLOCK, false);
}

static void ask_often(struct user *user, unsigned int count, u64 step)
{
	while (count--)
		check(ask(user, step));
}

/* ---- a tier that counts how IVs are encrypted ---- */

static struct sm4_tier spy_tier;
static struct user users[3];

/* Encryptions of one IV, and of several; and what happens meanwhile, once, to the latter */
static unsigned int alone, together;
static void (*before_together)(void), (*after_together)(void);

static void run_once(void (**what)(void))
{
	void (*function)(void) = *what;

	if (!function)
		return;
	*what = NULL;
	function();
}

static void before(const struct tier_call *call)
{
	check(shim_in_fpu_section());
	if (call->member == SM4_MEMBER(cbc_mac)) {
		check_equal(call->bytes, BLOCK);
		alone++;
	} else if (call->member == SM4_MEMBER(crypt[SM4_ECB])) {
		check_equal(call->bytes, AHEAD * BLOCK);
		together++;
		run_once(&before_together);
	}
}

static void after(const struct tier_call *call)
{
	if (call->member == SM4_MEMBER(crypt[SM4_ECB]))
		run_once(&after_together);
}

static void check_encryptions(const char *what, unsigned int expected_alone,
			      unsigned int expected_together)
{
	describe("%s", what);
	check_equal(alone, expected_alone);
	check_equal(together, expected_together);
	alone = 0;
	together = 0;
}

static void run_spied(const void *argument)
{
	void (*const *test)(void) = argument;

	spy_tier = sm4_ttable;
	stand_in_for(&spy_tier);
	stand_in.before = before;
	stand_in.after = after;
	spy_tier.base.name = "spy";
	spy_tier.base.features[0] = X86_FEATURE_AVX;
	sm4_detect_tiers();
	check_equal(sm4_register_modes(sm4_skcipher_modes, &spy_tier, NULL), 0);
	check_equal(sm4_register_modes(sm4_skcipher_modes, &sm4_ttable, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		open_user(&users[i], "xts-sm4-spy-fast");
	alone = 0;
	together = 0;
	(*test)();
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		close_user(&users[i]);
	unregister_tiers();
}

/* ---- which IVs ---- */

static void start_at(struct user *user, u64 low)
{
	user->low = low;
	user->high = 0;
}

static void test_which(void)
{
	struct user *user = &users[0], *other = &users[1];
	u64 step;

	/* This key may be the first one of all. Tweaks that have been wiped are not its own. */
	start_at(other, 1000);
	ask_often(other, 2, 1);
	start_at(user, other->low);
	set_new_key(other);
	ask_often(user, 1, 1);
	check_encryptions("after other tweaks were wiped", 2, 1);

	for (step = 1; step <= 8; step++) {
		start_at(user, 1000 * step);
		ask_often(user, 2 * AHEAD + 1, step);
		check_encryptions("consecutive", 1, 2);
	}
	start_at(user, -10 * step);
	ask_often(user, 2 * AHEAD + 1, 8);
	check_encryptions("the first half overflows", 1, 2);

	start_at(user, 1 << 20);
	ask_often(user, 20, 9);
	check_encryptions("not consecutive", 20, 0);
	ask_often(user, 20, 0);
	check_encryptions("the same", 20, 0);
	ask_often(user, 20, -1);
	check_encryptions("backward", 20, 0);
	for (int i = 0; i < 20; i++) {
		user->high++;
		check(ask(user, 1));
	}
	check_encryptions("another second half", 20, 0);

	ask_often(user, 10, 1);
	ask_often(user, 5, 2);
	ask_often(user, 5, 1);
	check_encryptions("other steps", 0, 3);
	ask_often(user, 1, 100);
	ask_often(user, 1, 1);
	check_encryptions("a new place", 1, 1);

	shim_set_simd_policy(SIMD_NEVER);
	ask_often(user, 5, 1);
	check_encryptions("the C tier", 0, 0);
	shim_set_simd_policy(SIMD_ALWAYS);
	ask_often(user, 1, 1);
	check_encryptions("after the C tier", 0, 1);

	start_at(other, user->low);
	ask_often(other, 1, 1);
	check_encryptions("another key", 1, 0);
	ask_often(user, 1, 1);
	check_encryptions("the first key again", 1, 0);
	shim_enter(SHIM_FAR_CPU, false);
	ask_often(other, 2, 1);
	shim_enter(0, false);
	check_encryptions("another CPU", 1, 1);
	ask_often(user, 5, 1);
	check_encryptions("this CPU", 0, 1);
	set_new_key(user);
	ask_often(user, 2, 1);
	check_encryptions("a new key", 1, 1);
}

/* ---- what is left ---- */

/* The module's variables for each CPU (shim/kernel.c) */
extern u8 __start_per_cpu[], __stop_per_cpu[];

/* How many of the next tweaks of @user a CPU keeps */
static unsigned int count_kept(const struct user *user, unsigned int cpu)
{
	unsigned int kept = 0;
	u8 tweak[BLOCK];

	for (unsigned int i = 0; i < AHEAD; i++) {
		put_unaligned_le64(user->low + i, tweak);
		put_unaligned_le64(user->high, tweak + 8);
		sm4_encrypt_block(&sm4_ttable, &user->tweak_key.enc, tweak);
		kept += !!memmem(shim_per_cpu_address(__start_per_cpu, cpu),
				 __stop_per_cpu - __start_per_cpu, tweak, BLOCK);
	}
	return kept;
}

static void check_kept(const char *what, const struct user *user, unsigned int on_first,
		       unsigned int on_second)
{
	describe("%s", what);
	check_equal(count_kept(user, 0), on_first);
	check_equal(count_kept(user, SHIM_FAR_CPU), on_second);
}

/* Let both CPUs keep the same tweaks. */
static void let_keep(struct user *user)
{
	for (unsigned int cpu = 0; cpu <= SHIM_FAR_CPU; cpu += SHIM_FAR_CPU) {
		shim_enter(cpu, false);
		start_at(user, 1000);
		ask_often(user, 2, 1);
	}
	shim_enter(0, false);
	check_kept("after requests", user, AHEAD, AHEAD);
}

static void test_left(void)
{
	struct user *user = &users[0], *other = &users[1], copy;

	let_keep(user);
	set_new_key(other);
	check_kept("after another key is set", user, AHEAD, AHEAD);
	ask_often(other, 1, 1);
	check_kept("after a request with another key", user, 0, AHEAD);
	let_keep(user);
	copy = *user;
	set_new_key(user);
	check_kept("after a key is set", &copy, 0, 0);
	let_keep(user);
	copy = *user;
	close_user(user);
	check_kept("after a key is freed", &copy, 0, 0);
	open_user(user, copy.driver_name);
}

/* ---- a key that is set while a request uses the previous one, which no user should do ---- */

static void set_key_on_other_cpu(void)
{
	shim_enter(SHIM_FAR_CPU, false);
	set_new_key(&users[0]);
	shim_enter(0, false);
}

static void test_key_beside_request(void)
{
	void (**const moments[])(void) = { &before_together, &after_together };

	for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
		ask_often(&users[0], 1, 100);
		*moments[i] = set_key_on_other_cpu;
		ask(&users[0], 1);
		check(!*moments[i]);
		ask_often(&users[0], 2 * AHEAD, 1);
		ask_often(&users[0], 2 * AHEAD, 2);
	}
}

/* ---- tweaks that another CPU is just wiping ---- */

static void (*while_wiping)(void);

typeof(memzero_explicit) __real_memzero_explicit, __wrap_memzero_explicit;

void __wrap_memzero_explicit(void *p, size_t bytes)
{
	if (bytes == AHEAD * BLOCK)
		run_once(&while_wiping);
	__real_memzero_explicit(p, bytes);
}

static void ask_on_first_cpu(void)
{
	alone = 0;
	together = 0;
	shim_enter(0, false);
	ask_often(&users[1], 5, 1);
	shim_enter(SHIM_FAR_CPU, false);
	check_encryptions("while they are wiped", 5, 0);
}

static void test_while_wiping(void)
{
	let_keep(&users[0]);
	shim_enter(SHIM_FAR_CPU, false);
	while_wiping = ask_on_first_cpu;
	set_new_key(&users[0]);
	check(!while_wiping);
	shim_enter(0, false);
	ask_often(&users[1], 2, 1);
	check_encryptions("when they have been wiped", 1, 1);
	ask_often(&users[1], 2 * AHEAD, 1);
}

/* Another key's are being taken by a request, which wipes them, when that key is set. */
static void set_key_while_taken(void)
{
	struct user copy = users[0];

	shim_enter(SHIM_FAR_CPU, false);
	set_new_key(&users[0]);
	shim_enter(0, false);
	check_kept("after a key is set", &copy, AHEAD, 0);
}

static void test_while_taken(void)
{
	struct user copy;

	let_keep(&users[0]);
	copy = users[0];
	while_wiping = set_key_while_taken;
	ask_often(&users[1], 1, 1);
	check(!while_wiping);
	check_kept("after a request with another key", &copy, 0, 0);
	ask_often(&users[1], 2 * AHEAD, 1);
}

/* ---- everything at random; test/lab/tweaks.t has two CPUs at once ---- */

#define REQUESTS	120000

/* Some requests with IVs that one step leads from to the next: one of 1 to 8 is consecutive. */
struct series {
	unsigned int left;
	struct user *user;
	bool in_turn;		/* all users, instead of one */
	bool has_gaps;
	size_t bytes;
	u64 step;
};

/* Begin anywhere: on each CPU, with each kind of step, and where a half of the IV overflows. */
static void begin_series(struct series *series)
{
	static const size_t lengths[] = {
		16, 17, 31, 48, 64, 100, 512, 528, 1000, 4096, TEXT_BYTES
	};
	const u64 steps[] = {
		1, 1, 1 + random_below(9), 1 + random_below(40), 0, -random_below(9),
		(u64)random_below(INT_MAX) << 32,
	};
	struct user *user = &users[random_below(ARRAY_SIZE(users))];

	*series = (struct series){
		.left = 1 + random_below(60),
		.user = user,
		.in_turn = !random_below(8),
		.has_gaps = !random_below(8),
		.bytes = lengths[random_below(ARRAY_SIZE(lengths))],
		.step = steps[random_below(ARRAY_SIZE(steps))],
	};
	shim_enter(random_below(SHIM_CPUS), false);
	shim_set_simd_policy(random_below(10) ? SIMD_ALWAYS : SIMD_NEVER);
	user->is_big_endian = !random_below(10);
	if (!random_below(8))
		user->low = -random_below(30) * series->step;
	if (!random_below(8))
		random_fill(&user->high, sizeof(user->high));
}

static void test_at_random(const struct driver *driver)
{
	struct series series = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		open_user(&users[i], driver->driver_name);
	for (unsigned int i = 0; i < REQUESTS; i++) {
		struct user *user;

		if (!series.left--)
			begin_series(&series);
		user = series.in_turn ? &users[random_below(ARRAY_SIZE(users))] : series.user;
		user->low += series.step * (series.has_gaps ? random_below(3) : 1);
		if (!random_below(500))
			set_new_key(user);
		if (!random_below(700)) {
			close_user(user);
			open_user(user, user->driver_name);
		}
		describe("request %u, step %llu, %zu bytes", i, series.step, series.bytes);
		check(ask_again(user, series.bytes, random_below(2)));
	}
	shim_enter(0, false);
	shim_set_simd_policy(SIMD_ALWAYS);
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		close_user(&users[i]);
}

static bool is_xts(const char *cra_name)
{
	return strstr(cra_name, "xts(");
}

static const struct driver_test tests[] = {
	{ "at random", test_at_random, CRYPTO_ALG_TYPE_SKCIPHER, false, is_xts },
};

static const struct {
	const char *name;
	void (*test)(void);
} spied[] = {
	{ "which IVs", test_which },
	{ "what is left", test_left },
	{ "a key set beside a request", test_key_beside_request },
	{ "while they are wiped", test_while_wiping },
	{ "while they are taken", test_while_taken },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	for (size_t i = 0; i < ARRAY_SIZE(spied); i++)
		add_case(run_spied, &spied[i].test, "/tweaks/%s", spied[i].name);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
