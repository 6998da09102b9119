// SPDX-License-Identifier: GPL-2.0
/*
 * A program for valgrind: every function of every tier that valgrind can execute,
 * and every driver of these tiers, with keys and data that valgrind treats as
 * undefined. Valgrind follows them, and reports each branch and each address that
 * depends on them. There must be none. In the C tier, which looks up tables
 * by secrets, there must be some, or the test does not work.
 *
 * Lengths, counters, nonces, IVs, and whether a tag was right are public.
 */
#include <errno.h>
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

static u8 data[SM4_SECTION_SIZE + BLOCK];

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
	struct sm4_gcm_key *key = &tier_data.key;
	u8 raw[SM4_KEY_SIZE];

	make_secret(raw, sizeof(raw));
	sm4_gcm_set_key(to_sm4_tier(subject->tier), key, raw);
	check_secret(key->cipher.enc.plain, sizeof(key->cipher.enc.plain));
	check_secret(key->cipher.dec.plain, sizeof(key->cipher.dec.plain));
	if (to_sm4_tier(subject->tier)->basis)
		check_secret(&key->cipher, sizeof(key->cipher));
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

/* ---- drivers, on memory in one piece and in two ---- */

static const size_t driver_lengths[] = {
	16, 17, 31, 48, 255, 256, 1029, SM4_SECTION_SIZE - 2 * BLOCK,
};

#define AAD_BYTES	20

static void in_pieces(struct scatterlist sg[2], u8 *p, size_t bytes,
		      bool in_two)
{
	size_t first = in_two ? bytes / 2 : bytes;

	sg_init_table(sg, 1 + in_two);
	sg_set_buf(&sg[0], p, first);
	if (in_two)
		sg_set_buf(&sg[1], p + first, bytes - first);
}

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

static void test_skcipher(const struct subject *subject)
{
	const struct mode *mode = find_mode(subject->name);
	struct crypto_skcipher *tfm = shim_allocate_transform(subject->driver_name);
	struct skcipher_request request = { 0 };
	struct scatterlist sg[2];
	u8 raw[2 * SM4_KEY_SIZE];
	size_t i;

	make_secret(raw, sizeof(raw));
	check_equal(crypto_skcipher_setkey(tfm, raw, mode->key_bytes), 0);
	skcipher_request_set_tfm(&request, tfm);
	for (i = 0; i < 2 * ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i / 2];
		/* Consecutive IVs, for which XTS computes tweaks ahead */
		u8 iv[BLOCK] = { i };

		if (!is_legal_text(mode, bytes))
			continue;
		make_secret(data, bytes);
		in_pieces(sg, data, bytes, i % 2);
		skcipher_request_set_crypt(&request, sg, sg, bytes, iv);
		check_equal(subject->decrypts ?
			    crypto_skcipher_decrypt(&request) :
			    crypto_skcipher_encrypt(&request), 0);
		check_secret(data, bytes);
	}
	shim_free_transform(tfm);
}

static void test_aead(const struct subject *subject)
{
	const struct mode *mode = find_mode(subject->name);
	struct crypto_aead *tfm = shim_allocate_transform(subject->driver_name);
	const size_t head = is_authenc(mode) ? AUTHENC_KEY_HEAD : 0;
	struct aead_request request = { 0 };
	struct scatterlist sg[2];
	struct aead_message message;
	u8 iv[BLOCK] = { 3 };
	size_t i;

	/* The salt after a key is part of the nonce. */
	random_key(mode, &message, MAC_KEY_MAX);
	VALGRIND_MAKE_MEM_UNDEFINED(message.key + head, message.key_bytes -
				    head - mode->salt_bytes);
	check_equal(crypto_aead_setkey(tfm, message.key, message.key_bytes), 0);
	check_equal(crypto_aead_setauthsize(tfm, BLOCK), 0);
	aead_request_set_tfm(&request, tfm);
	aead_request_set_ad(&request, AAD_BYTES);
	for (i = 0; i < 2 * ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i / 2];
		u8 *text = data + AAD_BYTES;

		if (!is_legal_text(mode, bytes))
			continue;
		make_secret(data, AAD_BYTES + bytes);
		in_pieces(sg, data, AAD_BYTES + bytes + BLOCK, i % 2);
		aead_request_set_crypt(&request, sg, sg, bytes, iv);
		check_equal(crypto_aead_encrypt(&request), 0);
		check_secret(text, bytes + BLOCK);
		aead_request_set_crypt(&request, sg, sg, bytes + BLOCK, iv);
		check_equal(crypto_aead_decrypt(&request), 0);
		check_secret(text, bytes);
		check_equal(crypto_aead_decrypt(&request), -EBADMSG);
	}
	shim_free_transform(tfm);
}

static void test_shash(const struct subject *subject)
{
	struct crypto_shash *tfm = shim_allocate_transform(subject->driver_name);
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 raw[SM4_KEY_SIZE], mac[HASH_MAX_DIGESTSIZE];
	size_t i;

	make_secret(raw, sizeof(raw));
	/* A hash has no key. */
	if (crypto_shash_alg(tfm)->setkey)
		check_equal(crypto_shash_setkey(tfm, raw, sizeof(raw)), 0);
	for (i = 0; i < ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i], first = bytes / 3;

		make_secret(data, bytes);
		check_equal(crypto_shash_init(desc), 0);
		check_equal(crypto_shash_update(desc, data, first), 0);
		check_equal(crypto_shash_finup(desc, data + first,
					       bytes - first, mac), 0);
		check_secret(mac, crypto_shash_digestsize(tfm));
	}
	free(desc);
	shim_free_transform(tfm);
}

static void test_cipher(const struct subject *subject)
{
	struct crypto_cipher *tfm = shim_allocate_transform(subject->driver_name);
	u8 raw[SM4_KEY_SIZE];

	make_secret(raw, sizeof(raw));
	make_secret(data, BLOCK);
	check_equal(crypto_cipher_setkey(tfm, raw, sizeof(raw)), 0);
	crypto_cipher_encrypt_one(tfm, data, data);
	crypto_cipher_decrypt_one(tfm, data, data);
	check_secret(data, BLOCK);
	shim_free_transform(tfm);
}

/* ---- all of it ---- */

static void test_unusable(const void *argument)
{
	skip_case("valgrind lacks instructions of this tier; assembly.t reads them all");
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
 * Drivers that use tables leak: those of the tier for all CPUs, and the serial
 * chains of a tier without functions for them.
 */
static bool is_to_leak(const char *driver_name, bool decrypts)
{
	if (strstr(driver_name, "-ttable-"))
		return true;
	if (!strstr(driver_name, "-sm4-avx2-"))
		return false;
	return strstr(driver_name, "ccm-") ||
	       (strstr(driver_name, "cbc-") && !decrypts);
}

static void add_driver(const struct crypto_alg *alg, bool decrypts)
{
	struct subject subject = {
		.leaks = is_to_leak(alg->cra_driver_name, decrypts),
		.decrypts = decrypts,
	};

	strscpy(subject.name, alg->cra_name, sizeof(subject.name));
	strscpy(subject.driver_name, alg->cra_driver_name,
		sizeof(subject.driver_name));
	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		subject.test = test_skcipher;
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		subject.test = test_aead;
		break;
	case CRYPTO_ALG_TYPE_SHASH:
		subject.test = test_shash;
		break;
	default:
		subject.test = test_cipher;
	}
	if (subject.test != test_skcipher) {
		add(subject, subject.driver_name, "all");
		return;
	}
	add(subject, subject.driver_name,
	    decrypts ? "decryption" : "encryption");
	if (!decrypts)
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
