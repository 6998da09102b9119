// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A program for valgrind: every function of every tier that valgrind can execute, and every driver
 * of these tiers, with keys and data that valgrind treats as undefined. Valgrind follows them, and
 * reports each branch and each address that depends on them. There must be none. In the C tier,
 * which looks up tables by secrets, there must be some, or the test does not work.
 *
 * Lengths, counters, nonces, IVs, and whether a tag was right are public.
 */
#include <valgrind/memcheck.h>
#include "case.h"
#include "requests.h"
#include "shim/control.h"
#include "tier-calls.h"

/* Every number of blocks up to this is tried, and that of a full section. */
#define SHORT_BYTES	(70 * BLOCK)

/* A test case, and whether it has to leak */
struct subject {
	void (*test)(const struct subject *subject);
	bool leaks;

	/* a function of a tier, or, if row is NULL, setting its keys */
	const struct sm4_tier_base *tier;
	const struct tier_row *row;

	/* or a driver, in one direction */
	char name[CRYPTO_MAX_ALG_NAME];
	char driver_name[CRYPTO_MAX_ALG_NAME];
	bool decrypts;
};

static void make_secret(void *p, size_t bytes)
{
	random_fill(p, bytes);
	VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
}

/* Valgrind must still treat the result as secret, or it has not followed the data. */
static void check_secret(void *p, size_t bytes)
{
	static u8 undefined[sizeof(struct tier_data)];
	size_t i;

	check_equal(VALGRIND_GET_VBITS(p, undefined, bytes), 1);
	for (i = 0; i < bytes; i++) {
		if (!undefined[i])
			fail_case("byte %zu of %zu does not depend on secrets",
				  i, bytes);
	}
}

static void run_subject(const void *argument)
{
	const struct subject *subject = argument;
	unsigned int errors, found;

	if (!subject->tier)
		check_equal(shim_load_module(), 0);
	errors = VALGRIND_COUNT_ERRORS;
	subject->test(subject);
	found = VALGRIND_COUNT_ERRORS - errors;
	if (found && !subject->leaks)
		fail_case("%u times a branch or an address depended on secrets: see valgrind's log",
			  found);
	if (!found && subject->leaks)
		fail_case("no branch or address depended on secrets, but tables are looked up");
}

/* ---- the functions of the tiers ---- */

/* The current subject */
static const void *called;

static void test_key(const struct subject *subject)
{
	struct sm4_gcm_key *gcm_key = &tier_data.key;
	struct sm4_key key;
	u8 raw[SM4_KEY_SIZE];

	make_secret(raw, sizeof(raw));
	sm4_set_key(to_sm4_tier(subject->tier), &key, raw);
	sm4_gcm_set_key(to_sm4_tier(subject->tier), gcm_key, raw);
	check_secret(key.enc.plain, sizeof(key.enc.plain));
	check_secret(key.dec.plain, sizeof(key.dec.plain));
	check_secret(gcm_key->enc.plain, sizeof(gcm_key->enc.plain));
	if (to_sm4_tier(subject->tier)->basis) {
		check_secret(&key, sizeof(key));
		check_secret(&gcm_key->enc, sizeof(gcm_key->enc));
	}
}

/* All of it is secret before a call, and has to be secret after it. */
static void for_all_secrets(void use(void *p, size_t bytes))
{
	use(&tier_data, offsetof(struct tier_data, ccm));
	use(tier_data.ccm.mac, BLOCK);
	use(tier_data.ccm.counter, SALT_BYTES);
	use(tier_data.ccm.text, BLOCK);
	use(tier_data.gcm.hash, BLOCK);
	use(tier_data.gcm.counter, SALT_BYTES);
	use(tier_hashing.state, sizeof(tier_hashing.state));
	use(tier_sm3_lanes.state, sizeof(tier_sm3_lanes.state));
}

static void call_function(const struct tier_row *row, const u64 arguments[6])
{
	u64 (*function)(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) = called;

	renew_tier_data(0);
	for_all_secrets(make_secret);
	/* Valgrind treats values from a table as public, such as an encrypted counter. */
	make_secret(tier_data.gcm.mask, BLOCK);
	function(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		 arguments[5]);
	for_all_secrets(check_secret);
}

static void test_function(const struct subject *subject)
{
	called = tier_row_function(subject->tier, subject->row);
	for (size_t bytes = BLOCK; bytes <= SHORT_BYTES; bytes += BLOCK)
		for_tier_calls(subject->row, bytes, call_function);
	for_tier_calls(subject->row, SM4_SECTION_SIZE, call_function);
}

/* ---- drivers: requests as of test/host, without their right answers ---- */

/* The kernel's own is constant time. Whether tags differ is not secret. */
int __wrap_crypto_memneq(const void *a, const void *b, size_t bytes);

int __wrap_crypto_memneq(const void *a, const void *b, size_t bytes)
{
	const u8 *p = a, *q = b;
	int differ = 0;

	while (bytes--)
		differ |= *p++ ^ *q++;
	VALGRIND_MAKE_MEM_DEFINED(&differ, sizeof(differ));
	return differ;
}

typeof(check_bytes) __wrap_check_bytes;

/* To compare a result would be a branch that depends on secrets. */
void __wrap_check_bytes(const void *actual, const void *expected, size_t bytes, const char *what)
{
	if (!strcmp(what, "output") || !strncmp(what, "digest", strlen("digest")))
		check_secret((void *)actual, bytes);
}

/* Make secret what libgcrypt has processed. The salt after a key is part of the nonce. */
static void make_contents_secret(const struct mode *mode, struct contents *contents)
{
	const struct aead_message *message = &contents->message;
	const size_t head = is_authenc(mode) ? KEY_HEAD : 0;

	if (has_key(mode))
		VALGRIND_MAKE_MEM_UNDEFINED(message->key + head, message->key_bytes - head -
					    mode->salt_bytes);
	VALGRIND_MAKE_MEM_UNDEFINED(contents->aad, message->aad_bytes);
	VALGRIND_MAKE_MEM_UNDEFINED(contents->text, message->text_bytes);
	VALGRIND_MAKE_MEM_UNDEFINED(contents->sealed, message->text_bytes + message->tag_bytes);
}

static void test_driver(const struct subject *subject)
{
	static const size_t lengths[] = {
		16, 17, 31, 48, 255, 256, 1029, SM4_SECTION_SIZE - 2 * BLOCK,
	};
	const struct mode *mode = find_mode(subject->name);
	void *tfm = shim_allocate_transform(subject->driver_name);
	static struct contents contents;
	static u8 key[MAX_KEY];
	struct trial r;

	random_key(mode, &contents.message, MAC_KEY_MAX);
	memcpy(key, contents.message.key, sizeof(key));
	contents.key = key;
	make_contents_secret(mode, &contents);
	if (has_key(mode))
		check_equal(set_key(mode, tfm, contents.message.key, contents.message.key_bytes),
			    0);
	for (size_t i = 0; i < 2 * PLACEMENTS_WITHOUT_PARTS * ARRAY_SIZE(lengths); i++) {
		const size_t length = i / (2 * PLACEMENTS_WITHOUT_PARTS);

		usual_trial(&r, mode);
		r.open = subject->decrypts;
		r.traits[KEY] = contents.message.key_bytes;
		r.traits[TEXT] = lengths[length];
		r.traits[WRONG_TAG] = i % 2;
		if (mode->kind != CIPHER && !is_legal_text(mode, lengths[length]))
			continue;
		prepare_trial(&r, &contents);
		/* Consecutive IVs, for which XTS computes tweaks ahead */
		if (mode->kind == SKCIPHER)
			put_unaligned_le64(i, contents.message.iv);
		make_contents_secret(mode, &contents);
		check_equal(ask(&r, &contents, tfm, &placements[i / 2 % PLACEMENTS_WITHOUT_PARTS]),
			    right_answer(&r));
	}
	shim_free_transform(tfm);
}

/* ---- all of it ---- */

static void test_unusable(const void *argument)
{
	skip_case("valgrind lacks instructions of this tier; assembly reads them all");
}

static void add(struct subject subject, const char *of, const char *name)
{
	struct subject *kept = malloc(sizeof(*kept));

	*kept = subject;
	add_case(run_subject, kept, "/constant-time/%s/%s%s", of, name,
		 subject.leaks ? ", which leaks" : "");
}

/* Tiers without vectors look up tables, except for hashes. */
static void add_tier(const struct sm4_tier_base *tier)
{
	static const size_t hashes[] = { SM4_MEMBER(ghash), SM4_MEMBER(ghash_set_key) };

	if (!sm4_tier_usable(tier)) {
		add_case(test_unusable, NULL, "/constant-time/%s/all", tier->name);
		return;
	}
	if (!is_of_sm3(tier))
		add((struct subject){
			.test = test_key, .tier = tier, .leaks = !tier->features[0],
		}, tier->name, "key");
	for (size_t i = 0; i < TIER_ROWS; i++) {
		const struct tier_row *row = &tier_rows[i];
		struct subject subject = {
			.test = test_function, .tier = tier, .row = row,
			.leaks = !tier->features[0] && !is_of_sm3(tier),
		};

		for (size_t j = 0; j < ARRAY_SIZE(hashes); j++)
			subject.leaks &= row->member != hashes[j];
		if (tier_row_function(tier, row))
			add(subject, tier->name, row->name);
	}
}

/*
 * Drivers that use tables leak: those of the tier for all CPUs, and the serial chains of a tier
 * without functions for them. No tier of SM3 uses tables, and batches are for tiers with lanes.
 */
static bool is_to_leak(const char *driver_name, bool decrypts)
{
	const bool is_chain = strstr(driver_name, "ccm-") ||
			      (strstr(driver_name, "cbc-") && !decrypts);
	char end[64];

	for (unsigned int i = 0; any_tier(i); i++) {
		snprintf(end, sizeof(end), "sm4-%s-fast", any_tier(i)->name);
		if (!is_of_sm3(any_tier(i)) && strstr(driver_name, end))
			return !any_tier(i)->features[0] ||
			       (is_chain && !to_sm4_tier(any_tier(i))->cbc_mac);
	}
	return false;
}

static void add_driver(const struct crypto_alg *alg, bool decrypts)
{
	struct subject subject = {
		.test = test_driver,
		.leaks = is_to_leak(alg->cra_driver_name, decrypts),
		.decrypts = decrypts,
	};

	strscpy(subject.name, alg->cra_name, sizeof(subject.name));
	strscpy(subject.driver_name, alg->cra_driver_name,
		sizeof(subject.driver_name));
	add(subject, subject.driver_name, decrypts ? "decryption" : "encryption");
	if (!decrypts && find_mode(subject.name)->kind != MAC)
		add_driver(alg, true);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (!RUNNING_ON_VALGRIND) {
		puts("Bail out! To be run by valgrind, which knows what is secret");
		return 1;
	}
	start_cases(&argc, &argv);
	for (i = 0; any_tier(i); i++)
		add_tier(any_tier(i));
	check_equal(shim_load_module(), 0);
	for (i = 0; i < shim_algorithm_count(); i++)
		add_driver(shim_algorithm(i), false);
	shim_unload_module();
	return run_cases();
}
