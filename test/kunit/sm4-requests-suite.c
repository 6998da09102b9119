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
#include <kunit/test-bug.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include "backend.h"
#include "drivers.h"
#include "simd.h"
#include "../requests/ask.h"
#include "../requests/flows.h"
#include "../requests/modes.h"
#include "../requests/vectors.h"
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#include <kunit/run-in-irq-context.h>
#endif

static unsigned int random = 100;
module_param(random, uint, 0);
MODULE_PARM_DESC(random, "number of additional random requests to each driver");

static unsigned int longest = SZ_1M;
module_param(longest, uint, 0);
MODULE_PARM_DESC(longest, "leave out what has more bytes of text than that");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "let allocations of memory fail, too");

static bool benchmark;
module_param(benchmark, bool, 0);
MODULE_PARM_DESC(benchmark, "measure the speed of each driver, too");

static char *only_driver;
module_param_named(driver, only_driver, charp, 0);
MODULE_PARM_DESC(driver, "test this driver only, such as gcm-sm4-gfni-avx2-fast");

static int only_text = -1;
module_param_named(text, only_text, int, 0);
MODULE_PARM_DESC(text, "test texts of this length only");

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

/**
 * struct requests_test - the test of a driver
 * @backend: random numbers and messages
 * @driver, @mode: the driver and its mode
 * @c_tier: the driver of the C tier for the same mode
 * @tfm, @reference_tfm: transforms that are in use, also after a failure
 * @contents: of the request that is tried
 * @requests: number of requests
 * @without_memory: how many of them have lacked memory
 * @failing: with no_memory, which allocation fails in the calls for a request, from 1 on, or 0
 * @left: how many there are still until it, which is 0 after it has failed
 */
struct requests_test {
	struct backend backend;
	const char *driver;
	const struct mode *mode;
	char c_tier[CRYPTO_MAX_ALG_NAME];
	void *tfm, *reference_tfm;
	struct contents contents;
	unsigned int requests, without_memory;
	unsigned int failing, left;
};

/* The running test: the engine's functions have no argument for it. */
static struct requests_test *this_test(void)
{
	return kunit_get_current_test()->priv;
}

/* ---- the calls of a driver ---- */

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
	this_test()->left = current->fail_nth;
	current->fail_nth = 0;
#endif
}

/* Whether it has failed. A kernel without fault injection lets none fail. */
static bool allocation_has_failed(void)
{
	return this_test()->failing && !this_test()->left;
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
	fail_allocation(this_test()->left);
}

void end_call(const struct trial *r)
{
	allow_allocations();
	if (r->traits[NO_SIMD]) {
		set_simd_usable(true);
		preempt_enable();
	}
}

/* ---- transforms ---- */

static void free_tfm(void **tfm)
{
	if (IS_ERR_OR_NULL(*tfm))
		return;
	switch (this_test()->mode->kind) {
	case CIPHER:
		crypto_free_cipher(*tfm);
		break;
	case SKCIPHER:
		crypto_free_skcipher(*tfm);
		break;
	case AEAD:
		crypto_free_aead(*tfm);
		break;
	default:
		crypto_free_shash(*tfm);
	}
	*tfm = NULL;
}

static void *allocate_tfm(const char *name)
{
	switch (this_test()->mode->kind) {
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
static int begin_tfm(void **tfm, const char *name)
{
	fail_allocation(this_test()->left);
	*tfm = allocate_tfm(name);
	allow_allocations();
	return PTR_ERR_OR_ZERO(*tfm);
}

/* ---- the reference ---- */

static size_t in_bytes(const struct trial *r, const struct contents *c)
{
	return c->message.text_bytes + (r->open ? c->message.tag_bytes : 0);
}

static size_t out_bytes(const struct trial *r, const struct contents *c)
{
	if (r->mode->kind == MAC)
		return r->mode->digest_bytes;
	return c->message.text_bytes + (r->open ? 0 : c->message.tag_bytes);
}

/* In place, in one piece, with lists that have an end: mainline's templates need that. */
static int submit_plainly(const struct trial *r, const struct contents *c, const u8 *in, u8 *out)
{
	static const struct placement plain = { .in_place = true, .has_ends = true };
	static struct request_memory memory;
	const size_t aad_bytes = c->message.aad_bytes;
	void *tfm = this_test()->reference_tfm;
	struct contents answer = *c;
	u8 iv[BLOCK];
	int err;

	memcpy(iv, c->message.iv, BLOCK);
	if (r->traits[NO_LIST])
		return submit_request(r, tfm, NULL, NULL, iv);
	request_place(&memory, &plain, aad_bytes + in_bytes(r, c), aad_bytes + out_bytes(r, c));
	scatter_write(&memory.source, 0, c->aad, aad_bytes);
	scatter_write(&memory.source, aad_bytes, in, in_bytes(r, c));
	err = submit_request(r, tfm, memory.src, memory.dst, iv);
	memcpy(out, memory.source.regions[0].start + aad_bytes, out_bytes(r, c));
	/* It leaves the same IV as ours. */
	if (!r->open)
		answer.sealed = out;
	if (!err && r->mode->kind == SKCIPHER)
		check_left_iv(r, &answer, iv, err);
	return err;
}

static int cipher_plainly(const struct trial *r, const struct contents *c, const u8 *in, u8 *out)
{
	struct crypto_cipher *tfm = this_test()->reference_tfm;
	size_t at;

	for (at = 0; at < c->message.text_bytes; at += BLOCK)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm, out + at, in + at);
	return 0;
}

/* One request of any mode */
static int submit_any(const struct trial *r, const struct contents *c, const u8 *in, u8 *out)
{
	switch (r->mode->kind) {
	case CIPHER:
		return cipher_plainly(r, c, in, out);
	case MAC:
		return crypto_shash_tfm_digest(this_test()->reference_tfm, in, in_bytes(r, c), out);
	default:
		return submit_plainly(r, c, in, out);
	}
}

/* The answer of a driver of mainline, and its output; a key of authenc is aligned for it. */
static int ask_plainly(const char *name, const struct trial *r, const struct contents *c, u8 *out)
{
	void **tfm = &this_test()->reference_tfm;
	struct trial plain = *r;
	int err = begin_tfm(tfm, name);

	plain.traits[KEY_ALIGN] = -r->traits[KEY] % 4;
	plain.traits[NO_SIMD] = 0;
	err = err ?: set_keys(&plain, c, *tfm) ?:
	      submit_any(&plain, c, r->open ? c->sealed : c->text, out);
	free_tfm(tfm);
	return err;
}

void reference_seal(const struct trial *r, struct contents *c)
{
	const char *name = r->mode->mainline_differs ? this_test()->c_tier : r->mode->mainline;
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
	if (t[BAD_KEY] &&
	    (!strcmp(r->mode->name, "ecb(sm4)") || !strcmp(r->mode->name, "cbc(sm4)")))
		return -ENOKEY;
	/* CCM accepts one byte too many, as length 0. Texts of that length are not encrypted. */
	if (right == -EOVERFLOW && t[TEXT] == 1 << 8 * (t[FIRST] + 1))
		return r->open ? -EBADMSG : 0;
	return right;
}

/* Mainline, too, gives the right answer, and what it has sealed it opens. */
static void check_mainline(const struct trial *r, const struct contents *c)
{
	const struct mode *mode = r->mode;
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
	struct requests_test *test = this_test();
	struct placement laid_out;
	char text[256];
	int err;

	placement = placement_of(r, &laid_out, placement);
	print_trial(r, text, sizeof(text));
	describe("%s: %s, %s, no_memory=%u", what, text, placement->name, test->failing);
	test->left = test->failing;
	err = begin_tfm(&test->tfm, test->driver) ?: set_keys(r, &test->contents, test->tfm) ?:
	      ask(r, &test->contents, test->tfm, placement);
	free_tfm(&test->tfm);
	if (has_lacked_memory(err))
		test->without_memory++;
	else if (err != right_answer(r))
		fail_case("the answer is %d, not %d", err, right_answer(r));
	test->requests++;
}

/*
 * Submit a request to ours and mainline. With no_memory, repeat ours until no allocation fails
 * any more: the first one, the second and so on; after many, some are skipped.
 */
static void try_trial(struct trial *r, const char *what)
{
	struct requests_test *test = this_test();

	if (r->traits[TEXT] > longest)
		return;
	describe("%s", what);
	prepare_trial(r, &test->contents);
	check_mainline(r, &test->contents);
	test->failing = no_memory;
	do {
		ask_ours(r, what);
		cond_resched();
		if (!allocation_has_failed())
			break;
		test->failing += 1 + test->failing / 40;
	} while (true);
	test->failing = 0;
	test->left = 0;
}

static unsigned int some_bytes(unsigned int bytes)
{
	return bytes > 20000 ? 16384 + bytes % BLOCK : bytes;
}

/* A random request, not too long for a kernel that checks each access to memory */
static void random_request(struct trial *r)
{
	unsigned int *t = r->traits;

	random_trial(r, this_test()->mode);
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
	const struct requests_test *test = this_test();
	const struct mode *mode = test->mode;

	return is_authenc(mode) || strstr(mode->name, "xts(sm4)") ||
	       strstr(mode->name, "gcm(sm4)") ? test->c_tier : mode->mainline;
}

/* Submit it in one piece each, in memory that has been filled with these bytes. */
static void submit_long(struct long_request *request, const char *name, const struct trial *r,
			const u8 *filling)
{
	static const struct placement apart = { .position = AT_START, .has_ends = true };
	struct request_memory *memory = &request->memory;
	struct requests_test *test = this_test();
	u64 aad = aad_bytes(r);
	u8 iv[BLOCK];

	memcpy(iv, test->contents.message.iv, BLOCK);
	request_place(memory, &apart, aad + given_bytes(r), aad + written_bytes(r));
	memcpy(memory->source.regions[0].memory.start, filling,
	       memory->source.regions[0].memory.bytes);
	memcpy(memory->output->regions[0].memory.start, filling,
	       memory->output->regions[0].memory.bytes);
	request->err = begin_tfm(&test->tfm, name) ?: set_keys(r, &test->contents, test->tfm) ?:
		       submit_request(r, test->tfm, memory->src, memory->dst, iv);
	free_tfm(&test->tfm);
	check_bytes(memory->source.regions[0].memory.start, filling,
		    memory->source.regions[0].memory.bytes, "source");
	request_check_around(memory);
}

static void try_long(struct trial *r, const char *what)
{
	static struct long_request ours, reference;
	const struct region *region = ours.memory.destination.regions;
	const char *name = reference_of_long_texts();
	struct requests_test *test = this_test();
	struct contents *contents = &test->contents;
	static u8 *filling;
	char text[256];

	print_trial(r, text, sizeof(text));
	describe("%s: %s", what, text);
	if (!filling)
		filling = memory_allocate(MEMORY_BYTES);
	random_fill(filling, MEMORY_BYTES);
	make_key_and_iv(r, contents->message.key, contents->message.iv);
	contents->message.key_bytes = r->traits[KEY];
	r->traits[KEY_ALIGN] = -r->traits[KEY] % 4;
	submit_long(&reference, name, r, filling);
	submit_long(&ours, test->driver, r, filling);
	if (reference.err != mainlines_answer(r))
		fail_case("%s answers %d, not %d", name, reference.err, mainlines_answer(r));
	check_equal(ours.err, right_answer(r));
	if (leaves_alone(r->mode, ours.err))
		check_bytes(region->memory.start, filling, region->memory.bytes,
			    "destination of a refused request");
	else
		check_bytes(region->memory.start,
			    reference.memory.destination.regions[0].memory.start,
			    region->memory.bytes, "output");
	test->requests++;
}

/*
 * The driver of the C tier for the same mode: the name of the tier is the last part of a name.
 * Without it, a driver is its own reference.
 */
static void name_c_tier(struct requests_test *state)
{
	const char *cipher = state->driver, *last = cipher;

	while ((cipher = strstr(cipher, "sm4-")))
		last = cipher += strlen("sm4-");
	snprintf(state->c_tier, sizeof(state->c_tier), "%.*sttable-fast",
		 (int)(last - state->driver), state->driver);
	if (!driver_is_registered(state->c_tier))
		strscpy(state->c_tier, state->driver, sizeof(state->c_tier));
}

/* Begin the test of a driver. */
static struct requests_test *begin(struct kunit *test, const struct driver *tested)
{
	struct requests_test *state = test->priv;

	state->mode = mode_named(tested->algorithm);
	KUNIT_ASSERT_NOT_NULL_MSG(test, state->mode, "%s is not in test/requests/modes.c",
				  tested->algorithm);
	state->driver = tested->name;
	name_c_tier(state);
	return state;
}

static void end(struct kunit *test)
{
	const struct requests_test *state = test->priv;

	KUNIT_EXPECT_GT(test, state->requests, 0);
	if (no_memory)
		KUNIT_EXPECT_GT_MSG(test, state->without_memory, 0,
				    "no allocation of memory failed");
	kunit_info(test, "%u requests, no memory for %u of them, compared with %s", state->requests,
		   state->without_memory, state->mode->mainline);
}

/* ---- the tests ---- */

static void test_rules(struct kunit *test)
{
	const struct requests_test *state = begin(test, test->param_value);
	size_t i;

	for (i = 0; i < rule_count; i++)
		try_rule(&rules[i], state->mode, try_trial);
	end(test);
}

/* The examples of standards, for which no reference is needed */
static void test_examples(struct kunit *test)
{
	struct requests_test *state = begin(test, test->param_value);
	struct trial r;
	size_t i;

	for (i = 0; i < mode_vector_count; i++) {
		if (strcmp(mode_vectors[i].name, state->mode->name))
			continue;
		prepare_example(&mode_vectors[i], state->mode, &r, &state->contents);
		ask_ours(&r, mode_vectors[i].source);
		r.open = true;
		ask_ours(&r, mode_vectors[i].source);
	}
	end(test);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define HAS_IRQ_TEST	false
static void kunit_run_irq_test(struct kunit *test, bool (*function)(void *state), int count,
			       void *state)
{
}
#else
#define HAS_IRQ_TEST	true
#endif

static bool has_right_digest(void *data)
{
	const struct requests_test *state = data;
	const struct contents *c = &state->contents;
	u8 digest[HASH_MAX_DIGESTSIZE];

	return !crypto_shash_tfm_digest(state->tfm, c->text, c->message.text_bytes, digest) &&
	       !memcmp(digest, c->sealed, state->mode->digest_bytes);
}

/* MACs and SM3 by tasks, softirqs and interrupts, which interrupt each other */
static void test_interrupts(struct kunit *test)
{
	struct requests_test *state = begin(test, test->param_value);
	struct trial r;

	usual_trial(&r, state->mode);
	r.traits[TEXT] = 1009;
	prepare_trial(&r, &state->contents);
	check_equal(begin_tfm(&state->tfm, state->driver), 0);
	check_equal(set_keys(&r, &state->contents, state->tfm), 0);
	kunit_run_irq_test(test, has_right_digest, 10000, state);
	free_tfm(&state->tfm);
}

static int process_again(const struct requests_test *state, const struct trial *r,
			 const struct request_memory *memory, u8 *iv)
{
	u8 digest[HASH_MAX_DIGESTSIZE];

	if (r->mode->kind == MAC)
		return crypto_shash_tfm_digest(state->tfm, state->contents.text, r->traits[TEXT],
					       digest);
	return submit_request(r, state->tfm, memory->src, memory->dst, iv);
}

/* How many megabytes a driver encrypts or hashes each second, in place and in one piece */
static void test_speed(struct kunit *test)
{
	static const unsigned int lengths[] = { 16, 64, 256, 1024, 4096, 16384, 65536 };
	static const struct placement plain = { .in_place = true, .has_ends = true };
	struct requests_test *state = begin(test, test->param_value);
	static struct request_memory memory;
	struct trial r;
	size_t i;

	usual_trial(&r, state->mode);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u64 start, nanoseconds, bytes = 0;
		u8 iv[BLOCK];

		r.traits[TEXT] = lengths[i];
		prepare_trial(&r, &state->contents);
		memcpy(iv, state->contents.message.iv, BLOCK);
		request_place(&memory, &plain, aad_bytes(&r) + given_bytes(&r),
			      aad_bytes(&r) + written_bytes(&r));
		check_equal(begin_tfm(&state->tfm, state->driver), 0);
		check_equal(set_keys(&r, &state->contents, state->tfm), 0);
		start = ktime_get_ns();
		do {
			check_equal(process_again(state, &r, &memory, iv), 0);
			bytes += lengths[i];
			nanoseconds = ktime_get_ns() - start;
		} while (nanoseconds < 100 * NSEC_PER_MSEC);
		kunit_info(test, "%u bytes: %llu MB/s", lengths[i],
			   div64_u64(bytes * 1000, nanoseconds));
		free_tfm(&state->tfm);
	}
}

/* With text=: in each place in memory */
static void test_one_length(struct kunit *test)
{
	const struct requests_test *state = begin(test, test->param_value);
	const struct rule rule = {
		"the length that is asked for", ALL, TEXT, only_text, only_text, 1,
	};
	unsigned int i;

	for (i = 0; i < 4 * PLACEMENTS; i++)
		try_rule(&rule, state->mode, try_trial);
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

/* Requests with one key, right and wrong; mainline's transforms are new for each. */
static void test_series(struct kunit *test)
{
	struct requests_test *state = begin(test, test->param_value);
	struct trial r;

	usual_trial(&r, state->mode);
	prepare_trial(&r, &state->contents);
	check_equal(begin_tfm(&state->tfm, state->driver), 0);
	check_equal(set_keys(&r, &state->contents, state->tfm), 0);
	try_series(&r, &state->contents, 1 + random / 4, ask_anywhere, state->tfm);
	free_tfm(&state->tfm);
}

/* Each request continues where the last one has ended, for ours and for mainline's code. */
static void test_flows(struct kunit *test)
{
	struct requests_test *state = begin(test, test->param_value);
	static struct flow flow;
	unsigned int i;

	for (i = 0; i < 1 + random / 20; i++) {
		make_flow(&flow, state->mode, true);
		check_equal(begin_tfm(&state->tfm, state->driver), 0);
		check_equal(set_key(state->mode, state->tfm, flow.contents.message.key,
				    flow.contents.message.key_bytes), 0);
		run_flow(&flow, state->tfm);
		free_tfm(&state->tfm);
		cond_resched();
	}
}

/* Requests of several FPU sections, in each of which the vector unit is usable or not */
static void test_switched_simd(struct kunit *test)
{
	const struct requests_test *state = begin(test, test->param_value);
	struct trial r;
	unsigned int i;

	start_switching_simd(test);
	for (i = 0; i < random; i++) {
		random_request(&r);
		r.traits[NO_SIMD] = 0;
		r.traits[TEXT] = round_down(SZ_16K + r.traits[TEXT] % BLOCK, state->mode->granule);
		try_trial(&r, "a request while SIMD comes and goes");
	}
	stop_switching_simd();
	end(test);
}

static bool is_tested(const struct driver *driver)
{
	return !only_driver || !strcmp(driver->name, only_driver);
}

static bool is_cipher(const struct driver *driver)
{
	const struct mode *mode = mode_named(driver->algorithm);

	return is_tested(driver) && mode && mode->kind == SKCIPHER;
}

static bool is_mac(const struct driver *driver)
{
	const struct mode *mode = mode_named(driver->algorithm);

	return is_tested(driver) && mode && mode->kind == MAC;
}

static bool has_speed(const struct driver *driver)
{
	const struct mode *mode = mode_named(driver->algorithm);

	return is_tested(driver) && mode && mode->kind != CIPHER;
}

static bool has_example(const struct driver *driver)
{
	size_t i;

	for (i = 0; i < mode_vector_count; i++)
		if (!strcmp(mode_vectors[i].name, driver->algorithm))
			return is_tested(driver);
	return false;
}

/* With text=, only one test has something to try; with random=0, some have nothing. */
static const void *each_driver(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 ? next_driver(previous, description, is_tested) : NULL;
}

static const void *each_driver_at_random(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 && random ? next_driver(previous, description, is_tested) : NULL;
}

static const void *each_cipher(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 ? next_driver(previous, description, is_cipher) : NULL;
}

/* Texts of examples are short and contiguous, so that most drivers allocate nothing for them. */
static const void *each_with_example(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 && !no_memory ? next_driver(previous, description, has_example) : NULL;
}

static const void *each_in_interrupts(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 && HAS_IRQ_TEST ? next_driver(previous, description, is_mac) : NULL;
}

static const void *each_for_speed(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text < 0 && benchmark ? next_driver(previous, description, has_speed) : NULL;
}

static const void *each_for_one_length(TEST_ARGUMENT const void *previous, char *description)
{
	return only_text >= 0 ? next_driver(previous, description, is_tested) : NULL;
}

/* A long rule for a driver. Each has a result of its own: KUnit waits for five minutes. */
struct long_trial {
	const struct driver *driver;
	const struct rule *rule;
};

static void test_long_texts(struct kunit *test)
{
	const struct long_trial *trial = test->param_value;
	const struct requests_test *state = begin(test, trial->driver);

	try_rule(trial->rule, state->mode, try_long);
	end(test);
}

static bool is_first_tested(const struct driver *driver)
{
	return driver->is_first && is_tested(driver) && mode_named(driver->algorithm);
}

/* Each rule for each driver */
static const void *each_long_trial(TEST_ARGUMENT const void *previous, char *description)
{
	static struct long_trial trial;
	char name[KUNIT_PARAM_DESC_SIZE];

	if (only_text >= 0)
		return NULL;
	if (!previous)
		trial = (struct long_trial){ next_driver(NULL, name, is_first_tested), long_rules };
	else
		trial.rule++;
	while (trial.driver) {
		for (; trial.rule < long_rules + ARRAY_SIZE(long_rules); trial.rule++) {
			if (trial.rule->first > longest ||
			    !(trial.rule->kinds & BIT(mode_named(trial.driver->algorithm)->kind)))
				continue;
			snprintf(description, KUNIT_PARAM_DESC_SIZE, "%.64s: %.60s",
				 trial.driver->name, trial.rule->what);
			return &trial;
		}
		trial.driver = next_driver(trial.driver, name, is_first_tested);
		trial.rule = long_rules;
	}
	return NULL;
}

/* ---- the suite ---- */

static int prepare(struct kunit *test)
{
	struct requests_test *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	test->priv = state;
	backend_begin(&state->backend);
	return 0;
}

static void release(struct kunit *test)
{
	struct requests_test *state = test->priv;

	stop_switching_simd();
	free_tfm(&state->tfm);
	free_tfm(&state->reference_tfm);
	memory_free(state->contents.aad);
	memory_free(state->contents.text);
	memory_free(state->contents.sealed);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(test_examples, each_with_example),
	KUNIT_CASE_PARAM(test_interrupts, each_in_interrupts),
	KUNIT_CASE_PARAM_ATTR(test_one_length, each_for_one_length, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_flows, each_cipher, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_series, each_driver, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_rules, each_driver, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_random, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_switched_simd, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_long_texts, each_long_trial, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_speed, each_for_speed, SLOW),
	{}
};

static int find_tested_drivers(struct kunit_suite *suite)
{
	char description[KUNIT_PARAM_DESC_SIZE];
	int err = find_drivers(suite);

	if (err || next_driver(NULL, description, is_tested))
		return err;
	pr_err("driver=%s: not registered, perhaps without sm4_fast.tiers=all\n", only_driver);
	return -ENOENT;
}

static struct kunit_suite suite = {
	.name = "sm4_requests",
	.suite_init = find_tested_drivers,
	.init = prepare,
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
