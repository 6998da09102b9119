// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Requests, most of them bad: tests each driver of sm4-fast with keys, tags, IVs, lengths and lists
 * that it must refuse, or that are unusual and must not be refused. They are those of
 * test/requests, whose engine makes, submits and checks them; here the right answers are those
 * of mainline's C code for the same algorithm, which is itself asked whether it accepts
 * or refuses the same. If mainline's answer differs, mainlines_answer() tells why.
 *
 * The same is tried with random requests, legal or not; in half of them SIMD is not usable, or it
 * comes and goes while a request is processed; and with texts that are too long for user space.
 *
 * With no_memory=1, in addition, each allocation that a request needs fails in turn, from the
 * transform on. Then ours answers ENOMEM, or gives the right answer.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include "backend.h"
#include "drivers.h"
#include "simd.h"

static unsigned int random = 100;
module_param(random, uint, 0);
MODULE_PARM_DESC(random, "number of additional random requests to each driver");

static unsigned int longest = SZ_1M;
module_param(longest, uint, 0);
MODULE_PARM_DESC(longest, "leave out what has more bytes of text than that");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "let allocations of memory fail, too");

/* The names of mainline's GHASH and SM3 in C */
#if IS_ENABLED(CONFIG_CRYPTO_GHASH)
#define GHASH_GENERIC	"ghash-generic"
#else
#define GHASH_GENERIC	"ghash-lib"
#endif
#if IS_ENABLED(CONFIG_CRYPTO_SM3_GENERIC)
#define SM3_GENERIC	"sm3-generic"
#else
#define SM3_GENERIC	"sm3-lib"
#endif

#include "../requests/ask.h"
#include "../requests/modes.h"

/* Lengths that take too long in user space. The first driver of each algorithm is enough. */
static const struct rule long_rules[] = {
	{ "the longest text for three bytes of CCM", BIT(AEAD), TEXT, 0xffffff, 0xffffff, 1, SEAL,
	  .set = { [FIRST] = 2 } },
	{ "a text one byte too long for three", BIT(AEAD), TEXT, 0x1000000, 0x1000000, 1, SEAL,
	  .set = { [FIRST] = 2 } },
	{ "a text too long for three bytes", BIT(AEAD), TEXT, 0x1000001, 0x1000002, 1,
	  .set = { [FIRST] = 2 } },

	/* too long for a signed int */
	{ "2 GiB of whole blocks", WITH_IV, TEXT, 0x80000000U, 0x80000000U, 1, SEAL },
	{ "2 GiB and some bytes", WITH_IV, TEXT, 0x80000001U, 0x80000001U, 1, SEAL },
	{ "2 GiB to decrypt", BIT(SKCIPHER), TEXT, 0x80000000U, 0x80000001U, 1, OPEN },
	{ "2 GiB that nobody has sealed", BIT(AEAD), TEXT, 0x80000001U, 0x80000001U, 1, OPEN },
};

/* The driver under test, its mode, and the driver of the C tier for the same mode */
static const char *driver;
static const struct mode *mode;
static char c_tier[CRYPTO_MAX_ALG_NAME];

static struct contents contents;
static unsigned int requests, without_memory;

/* ---- the calls of a driver ---- */

/*
 * With no_memory, the number of the allocation in the calls for a request that fails, or 0; and
 * how many there are still before it, which is 0 after it has failed.
 */
static unsigned int failing, left;

/* From now on, the allocation with this number fails in this thread; 0 for none. */
static void fail_allocation(unsigned int number)
{
#ifdef CONFIG_FAULT_INJECTION
	current->fail_nth = number;
#endif
}

static void allow_allocations(void)
{
#ifdef CONFIG_FAULT_INJECTION
	left = current->fail_nth;
	current->fail_nth = 0;
#endif
}

/* Whether it has failed. A kernel without fault injection lets none fail. */
static bool allocation_has_failed(void)
{
	return failing && !left;
}

bool has_lacked_memory(int err)
{
	return err == -ENOMEM && allocation_has_failed();
}

void begin_call(const struct trial *r)
{
	if (r->traits[NO_SIMD]) {
		preempt_disable();
		set_simd_usable(false);
	}
	fail_allocation(left);
}

void end_call(const struct trial *r)
{
	allow_allocations();
	if (r->traits[NO_SIMD]) {
		set_simd_usable(true);
		preempt_enable();
	}
}

/* ---- transforms: one is in use at a time, also after a failure ---- */

static void *tfm_in_use;

static void free_tfm(void)
{
	if (IS_ERR_OR_NULL(tfm_in_use))
		return;
	switch (mode->kind) {
	case CIPHER:
		crypto_free_cipher(tfm_in_use);
		break;
	case SKCIPHER:
		crypto_free_skcipher(tfm_in_use);
		break;
	case AEAD:
		crypto_free_aead(tfm_in_use);
		break;
	default:
		crypto_free_shash(tfm_in_use);
	}
	tfm_in_use = NULL;
}

static void *allocate_tfm(const char *name)
{
	switch (mode->kind) {
	case CIPHER:
		return crypto_alloc_cipher(name, 0, 0);
	case SKCIPHER:
		return crypto_alloc_skcipher(name, 0, 0);
	case AEAD:
		return crypto_alloc_aead(name, 0, 0);
	default:
		return crypto_alloc_shash(name, 0, 0);
	}
}

/* A new transform; returns an error, or 0. */
static int begin_tfm(const char *name)
{
	fail_allocation(left);
	tfm_in_use = allocate_tfm(name);
	allow_allocations();
	return PTR_ERR_OR_ZERO(tfm_in_use);
}

/* ---- the reference ---- */

static size_t in_bytes(const struct trial *r, const struct contents *c)
{
	return c->message.text_bytes + (r->open ? c->message.tag_bytes : 0);
}

static size_t out_bytes(const struct trial *r, const struct contents *c)
{
	if (mode->kind == MAC)
		return mode->digest_bytes;
	return c->message.text_bytes + (r->open ? 0 : c->message.tag_bytes);
}

/* In place, in one piece, with lists that have an end: mainline's templates need that. */
static int submit_plainly(const struct trial *r, const struct contents *c, const u8 *in, u8 *out)
{
	static const struct placement plain = { .in_place = true, .has_ends = true };
	static struct request_memory memory;
	const size_t aad_bytes = c->message.aad_bytes;
	u8 iv[BLOCK];
	int err;

	memcpy(iv, c->message.iv, BLOCK);
	if (r->traits[NO_LIST])
		return submit_request(r, tfm_in_use, NULL, NULL, iv);
	request_place(&memory, &plain, aad_bytes + in_bytes(r, c), aad_bytes + out_bytes(r, c));
	scatter_write(&memory.source, 0, c->aad, aad_bytes);
	scatter_write(&memory.source, aad_bytes, in, in_bytes(r, c));
	err = submit_request(r, tfm_in_use, memory.src, memory.dst, iv);
	memcpy(out, memory.source.regions[0].start + aad_bytes, out_bytes(r, c));
	if (!err)
		check_left_iv(mode, iv, r->open ? in : out, c->message.text_bytes);
	return err;
}

static int cipher_plainly(const struct trial *r, const struct contents *c, const u8 *in, u8 *out)
{
	size_t at;

	for (at = 0; at < c->message.text_bytes; at += BLOCK)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm_in_use, out + at, in + at);
	return 0;
}

/* The answer of a driver of mainline, and its output; a key of authenc is aligned for it. */
static int ask_plainly(const char *name, const struct trial *r, const struct contents *c, u8 *out)
{
	const u8 *in = r->open ? c->sealed : c->text;
	struct trial plain = *r;
	int err = begin_tfm(name);

	plain.traits[KEY_ALIGN] = -r->traits[KEY] % 4;
	plain.traits[NO_SIMD] = 0;
	err = err ?: set_keys(&plain, c, tfm_in_use);
	if (!err && mode->kind == CIPHER)
		err = cipher_plainly(r, c, in, out);
	else if (!err && mode->kind == MAC)
		err = crypto_shash_tfm_digest(tfm_in_use, in, in_bytes(r, c), out);
	else if (!err)
		err = submit_plainly(&plain, c, in, out);
	free_tfm();
	return err;
}

void reference_seal(const struct trial *r, struct contents *c)
{
	const char *name = mode->mainline_differs ? c_tier : mode->mainline;
	struct trial usual = *r;
	int err;

	usual.traits[BAD_KEY] = 0;
	err = ask_plainly(name, &usual, c, c->sealed);
	if (err)
		fail_case("%s answers %d", name, err);
}

/* Mainline has no MAC of a partial block's text without the cipher that refuses it. */
bool reference_tag(const struct trial *r, struct contents *c)
{
	return false;
}

/* Mainline's answer: the right one, with two exceptions */
static int mainlines_answer(const struct trial *r)
{
	const unsigned int *t = r->traits;
	const int right = right_answer(r);

	/* These are lskciphers, for which the API drops the previous key when one is refused. */
	if (t[BAD_KEY] && (!strcmp(mode->name, "ecb(sm4)") || !strcmp(mode->name, "cbc(sm4)")))
		return -ENOKEY;
	/* CCM accepts one byte too many, as length 0. Texts of that length are not encrypted. */
	if (right == -EOVERFLOW && t[TEXT] == 1 << 8 * (t[FIRST] + 1))
		return r->open ? -EBADMSG : 0;
	return right;
}

/* Mainline, too, gives the right answer, and what it has sealed it opens. */
static void check_mainline(const struct trial *r, const struct contents *c)
{
	static u8 *out;
	int err;

	/* It has made the answer. */
	if (r->is_sealed && !r->open && !r->traits[BAD_KEY] && !mode->mainline_differs)
		return;
	if (!out)
		out = memory_allocate(LONGEST_TEXT + 2 * TAG_MAX);
	err = ask_plainly(mode->mainline, r, c, out);
	if (err != mainlines_answer(r))
		fail_case("%s answers %d, not %d", mode->mainline, err, mainlines_answer(r));
	if (!err && !right_answer(r) && !mode->mainline_differs)
		check_bytes(out, r->open ? c->text : c->sealed, out_bytes(r, c),
			    "mainline's output");
}

/* ---- requests ---- */

/* Submit a request, in a random place unless the trial says it, and check its answer. */
static void ask_ours(const struct trial *r, const char *what)
{
	const struct placement *placement = &placements[random_below(PLACEMENTS)];
	struct placement laid_out;
	char text[256];
	int err;

	placement = placement_of(r, &laid_out, placement);
	print_trial(r, text, sizeof(text));
	describe("%s: %s, %s, no_memory=%u", what, text, placement->name, failing);
	left = failing;
	err = begin_tfm(driver) ?: set_keys(r, &contents, tfm_in_use) ?:
	      ask(r, &contents, tfm_in_use, placement);
	free_tfm();
	if (has_lacked_memory(err))
		without_memory++;
	else if (err != right_answer(r))
		fail_case("the answer is %d, not %d", err, right_answer(r));
	requests++;
}

/*
 * Submit a request to ours and mainline. With no_memory, repeat ours until no allocation fails
 * any more: the first one, the second and so on; after many, some are skipped.
 */
static void try_trial(struct trial *r, const char *what)
{
	if (r->traits[TEXT] > longest)
		return;
	describe("%s", what);
	prepare_trial(r, &contents);
	check_mainline(r, &contents);
	failing = no_memory;
	do {
		ask_ours(r, what);
		cond_resched();
		if (!allocation_has_failed())
			break;
		failing += 1 + failing / 40;
	} while (true);
	failing = 0;
	left = 0;
}

static unsigned int some_bytes(unsigned int bytes)
{
	return bytes > 20000 ? 16384 + bytes % BLOCK : bytes;
}

/* A random request, not too long for a kernel that checks each access to memory */
static void random_request(struct trial *r)
{
	unsigned int *t = r->traits;

	random_trial(r, mode);
	t[TEXT] = some_bytes(t[TEXT]);
	t[AAD] = some_bytes(t[AAD]);
	random_layout(r);
}

/* ---- long texts: a list has the same memory several times ---- */

/* The memory of a driver's request, and what it has made of it */
struct long_request {
	struct request_memory memory;
	int err;
};

/*
 * For these modes, mainline's templates read their output again after they have written all of
 * it: by then, it has been overwritten. (Also, mainline's GCM has 32 bits for the
 * number of bits of the text.) So our own C tier gives the right result.
 */
static const char *reference_of_long_texts(void)
{
	return is_authenc(mode) || strstr(mode->name, "xts(sm4)") ||
	       strstr(mode->name, "gcm(sm4)") ? c_tier : mode->mainline;
}

/* Submit it in one piece each, in memory that has been filled with these bytes. */
static void submit_long(struct long_request *request, const char *name, const struct trial *r,
			const u8 *filling)
{
	static const struct placement apart = { .position = AT_START, .has_ends = true };
	struct request_memory *memory = &request->memory;
	u64 aad = aad_bytes(r);
	u8 iv[BLOCK];

	memcpy(iv, contents.message.iv, BLOCK);
	request_place(memory, &apart, aad + given_bytes(r), aad + written_bytes(r));
	memcpy(memory->source.regions[0].memory.start, filling,
	       memory->source.regions[0].memory.bytes);
	memcpy(memory->output->regions[0].memory.start, filling,
	       memory->output->regions[0].memory.bytes);
	request->err = begin_tfm(name) ?: set_keys(r, &contents, tfm_in_use) ?:
		       submit_request(r, tfm_in_use, memory->src, memory->dst, iv);
	free_tfm();
	check_bytes(memory->source.regions[0].memory.start, filling,
		    memory->source.regions[0].memory.bytes, "source");
	request_check_around(memory);
}

static void try_long(struct trial *r, const char *what)
{
	static struct long_request ours, reference;
	const struct region *region = ours.memory.destination.regions;
	const char *name = reference_of_long_texts();
	static u8 *filling;
	char text[256];

	print_trial(r, text, sizeof(text));
	describe("%s: %s", what, text);
	if (!filling)
		filling = memory_allocate(MEMORY_BYTES);
	random_fill(filling, MEMORY_BYTES);
	make_key_and_iv(r, contents.message.key, contents.message.iv);
	contents.message.key_bytes = r->traits[KEY];
	r->traits[KEY_ALIGN] = -r->traits[KEY] % 4;
	submit_long(&reference, name, r, filling);
	submit_long(&ours, driver, r, filling);
	if (reference.err != mainlines_answer(r))
		fail_case("%s answers %d, not %d", name, reference.err, mainlines_answer(r));
	check_equal(ours.err, right_answer(r));
	if (leaves_alone(mode, ours.err))
		check_bytes(region->memory.start, filling, region->memory.bytes,
			    "destination of a refused request");
	else
		check_bytes(region->memory.start,
			    reference.memory.destination.regions[0].memory.start,
			    region->memory.bytes, "output");
	requests++;
}

static const struct mode *find_mode(const char *algorithm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(algorithm, modes[i].name))
			return &modes[i];
	return NULL;
}

static bool is_registered(const char *name)
{
	unsigned int i;

	for (i = 0; i < driver_count; i++)
		if (!strcmp(drivers[i].name, name))
			return true;
	return false;
}

/*
 * The driver of the C tier for the same mode: the name of the tier is the last part of a name.
 * Without it, a driver is its own reference.
 */
static void name_c_tier(const char *name)
{
	const char *cipher = name, *last = name;

	while ((cipher = strstr(cipher, "sm4-")))
		last = cipher += strlen("sm4-");
	snprintf(c_tier, sizeof(c_tier), "%.*sttable-fast", (int)(last - name), name);
	if (!is_registered(c_tier))
		strscpy(c_tier, name, sizeof(c_tier));
}

/* Begin the test of a driver. */
static void begin(struct kunit *test, const struct driver *tested)
{
	mode = find_mode(tested->algorithm);
	KUNIT_ASSERT_NOT_NULL_MSG(test, mode, "%s is not in test/requests/modes.h",
				  tested->algorithm);
	driver = tested->name;
	name_c_tier(tested->name);
	backend_begin();
	requests = 0;
	without_memory = 0;
	failing = 0;
	left = 0;
}

static void end(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, requests, 0);
	if (no_memory)
		KUNIT_EXPECT_GT_MSG(test, without_memory, 0, "no allocation of memory failed");
	kunit_info(test, "%u requests, no memory for %u of them, compared with %s", requests,
		   without_memory, mode->mainline);
}

/* ---- the tests ---- */

static void test_rules(struct kunit *test)
{
	size_t i;

	begin(test, test->param_value);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		try_rule(&rules[i], mode, try_trial);
	end(test);
}

static void test_random(struct kunit *test)
{
	struct trial r;
	unsigned int i;

	begin(test, test->param_value);
	for (i = 0; i < random; i++) {
		random_request(&r);
		try_trial(&r, "a random request");
	}
	end(test);
}

/* Requests of several FPU sections, in each of which the vector unit is usable or not */
static void test_switched_simd(struct kunit *test)
{
	struct trial r;
	unsigned int i;

	begin(test, test->param_value);
	start_switching_simd(test);
	for (i = 0; i < random; i++) {
		random_request(&r);
		r.traits[NO_SIMD] = 0;
		r.traits[TEXT] = round_down(SZ_16K + r.traits[TEXT] % BLOCK, mode->granule);
		try_trial(&r, "a request while SIMD comes and goes");
	}
	stop_switching_simd();
	end(test);
}

static bool is_known(const struct driver *any)
{
	return true;
}

static const void *each_driver(TEST_ARGUMENT const void *previous, char *description)
{
	return next_driver(previous, description, is_known);
}

/* With random=0, there is nothing to try. */
static const void *each_driver_at_random(TEST_ARGUMENT const void *previous, char *description)
{
	return random ? next_driver(previous, description, is_known) : NULL;
}

/* A long rule for a driver. Each has a result of its own: KUnit waits for five minutes. */
struct long_trial {
	const struct driver *driver;
	const struct rule *rule;
};

static void test_long_texts(struct kunit *test)
{
	const struct long_trial *trial = test->param_value;

	begin(test, trial->driver);
	try_rule(trial->rule, mode, try_long);
	end(test);
}

static bool is_tried(const struct long_trial *trial)
{
	const struct mode *tried = find_mode(trial->driver->algorithm);

	return trial->driver->is_first && trial->rule->first <= longest && tried &&
	       trial->rule->kinds & BIT(tried->kind);
}

/* Each rule for each driver */
static const void *each_long_trial(TEST_ARGUMENT const void *previous, char *description)
{
	static struct long_trial trial;

	if (!driver_count)
		return NULL;
	if (!previous)
		trial = (struct long_trial){ drivers, long_rules };
	else
		trial.rule++;
	for (; trial.driver < drivers + driver_count; trial.driver++, trial.rule = long_rules) {
		for (; trial.rule < long_rules + ARRAY_SIZE(long_rules); trial.rule++) {
			if (!is_tried(&trial))
				continue;
			snprintf(description, KUNIT_PARAM_DESC_SIZE, "%.64s: %.60s",
				 trial.driver->name, trial.rule->what);
			return &trial;
		}
	}
	return NULL;
}

/* ---- the suite ---- */

static void release(struct kunit *test)
{
	stop_switching_simd();
	free_tfm();
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_rules, each_driver, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_random, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_switched_simd, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_long_texts, each_long_trial, SLOW),
	{}
};

static struct kunit_suite suite = {
	.name = "sm4_requests",
	.suite_init = find_drivers,
	.exit = release,
	.test_cases = cases,
};

kunit_test_suite(suite);

static void __exit free_memory(void)
{
	backend_end();
}
module_exit(free_memory);

/* Like MODULE_IMPORT_NS(), whose argument is a string only in newer kernels */
MODULE_INFO(import_ns, "CRYPTO_INTERNAL");
MODULE_DESCRIPTION("Requests to the drivers of sm4-fast, compared with mainline's code");
MODULE_LICENSE("GPL");
