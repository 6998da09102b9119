// SPDX-License-Identifier: GPL-2.0
/*
 * Every driver of the modes without authentication, through the crypto API:
 * known answers, and what libgcrypt says, for messages of any length
 * anywhere in memory; IVs that are handed on; requests that are refused.
 */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "sections.h"
#include "sm4-fast-core.h"
#include "vectors.h"

/* Every length up to this one is tried. */
#define SHORT_BYTES	600

static const size_t long_lengths[] = {
	1024, 1040, 1279, 1280, 1536, 1553, 1808, 2047, 2048, 3840, 4064, 4080,
	4095, 4096, 4097, 4112, 8191, 8192, 8208, 12288, 16400, 32768, 65535,
	65536, 69999, 70000,
};

/* A message with the right answer */
static u8 plaintext[MESSAGE_BYTES_MAX], ciphertext[MESSAGE_BYTES_MAX];
static u8 key[2 * BLOCK], iv[BLOCK];

static void set_key(const struct driver *driver, size_t bytes)
{
	describe("setkey");
	check_equal(crypto_skcipher_setkey(driver->skcipher,
					   guarded_key(key, bytes), bytes), 0);
}

/* A random message of that length, and where it is legal its ciphertext */
static void make_message(const struct driver *driver, size_t bytes)
{
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);

	random_fill(key, sizeof(key));
	random_iv(iv);
	random_fill(plaintext, bytes);
	if (is_legal_length(mode, bytes))
		gcrypt_skcipher(mode, key, iv, ciphertext, plaintext, bytes);
	set_key(driver, mode->key_bytes);
}

/* One request for the bytes at @start, by an IV that is updated */
static int crypt(const struct driver *driver, bool decrypt,
		 const struct placement *placement, u8 *request_iv,
		 size_t start, size_t bytes)
{
	describe("%s of %zu bytes from byte %zu, %s",
		 decrypt ? "decryption" : "encryption", bytes, start,
		 placement->name);
	return skcipher_crypt(driver->skcipher, decrypt, placement, request_iv,
			      (decrypt ? ciphertext : plaintext) + start,
			      (decrypt ? plaintext : ciphertext) + start, bytes);
}

/* Both directions of a message, in all placements */
static void check_message(const struct driver *driver, size_t bytes, int err)
{
	u8 request_iv[BLOCK];

	for (size_t i = 0; i < 2 * PLACEMENTS; i++) {
		memcpy(request_iv, iv, BLOCK);
		check_equal(crypt(driver, i % 2, &placements[i / 2], request_iv,
				  0, bytes), err);
	}
}

static void check_random_message(const struct driver *driver, size_t bytes)
{
	if (!is_legal_length(find_skcipher_mode(driver->name), bytes))
		return;
	make_message(driver, bytes);
	check_message(driver, bytes, 0);
}

static void test_lengths(const struct driver *driver)
{
	for (size_t i = 0; i <= SHORT_BYTES; i++)
		check_random_message(driver, i);
	for (size_t i = 0; i < ARRAY_SIZE(long_lengths); i++)
		check_random_message(driver, long_lengths[i]);
}

static bool hands_iv_on(const char *name)
{
	return find_skcipher_mode(name)->chains;
}

/* One message as several requests, each with the IV that the last one left */
static void test_chaining(const struct driver *driver)
{
	size_t done, bytes;
	u8 chain[BLOCK];

	for (int i = 0; i < 200; i++) {
		size_t total = BLOCK * (1 + random_below(600));

		make_message(driver, total);
		memcpy(chain, iv, BLOCK);
		for (done = 0; done < total; done += bytes) {
			bytes = BLOCK * (1 + random_below(80));
			bytes = min(bytes, total - done);
			check_equal(crypt(driver, i % 2,
					  &placements[i / 2 % PLACEMENTS],
					  chain, done, bytes), 0);
		}
	}
}

static void test_known_answers(const struct driver *driver)
{
	for (size_t i = 0; i < skcipher_vector_count; i++) {
		const struct skcipher_vector *vector = &skcipher_vectors[i];
		size_t bytes;

		if (strcmp(vector->name, driver->name))
			continue;
		set_key(driver, from_hex(key, vector->key));
		from_hex(iv, vector->iv);
		bytes = from_hex(plaintext, vector->plaintext);
		check_equal(from_hex(ciphertext, vector->ciphertext), bytes);
		check_message(driver, bytes, 0);
	}
}

/* ---- what is refused ---- */

static void test_key_errors(const struct driver *driver)
{
	const unsigned int right = find_skcipher_mode(driver->name)->key_bytes;
	u8 long_key[65];

	random_fill(long_key, sizeof(long_key));
	for (unsigned int bytes = 0; bytes <= sizeof(long_key); bytes++) {
		describe("a key of %u bytes", bytes);
		if (bytes != right)
			check_equal(crypto_skcipher_setkey(driver->skcipher,
							   guarded_key(long_key,
								       bytes),
							   bytes), -EINVAL);
	}
	check_message(driver, 64, -ENOKEY);
	set_key(driver, right);
}

static bool refuses_lengths(const char *name)
{
	const struct skcipher_mode *mode = find_skcipher_mode(name);

	return mode->smallest || mode->granule > 1;
}

static void test_length_errors(const struct driver *driver)
{
	for (size_t bytes = 0; bytes <= SHORT_BYTES; bytes++) {
		if (is_legal_length(find_skcipher_mode(driver->name), bytes))
			continue;
		make_message(driver, bytes);
		check_message(driver, bytes, -EINVAL);
	}
}

static bool has_two_keys(const char *name)
{
	return find_skcipher_mode(name)->key_bytes == 2 * BLOCK;
}

/* ---- what is left behind ---- */

/* A request in place, in two pieces of which the first has so many bytes, or in one */
static int crypt_pieces(const struct driver *driver, bool decrypt, u8 *p,
			size_t bytes, size_t first)
{
	struct skcipher_request request = { 0 };
	struct scatterlist sg[2];
	static u8 request_iv[BLOCK];

	memcpy(request_iv, iv, BLOCK);
	sg_init_table(sg, first < bytes ? 2 : 1);
	sg_set_buf(&sg[0], p, first);
	sg_set_buf(&sg[1], p + first, bytes - first);
	describe("%s of %zu bytes, %zu of them in the first piece",
		 decrypt ? "decryption" : "encryption", bytes, first);
	skcipher_request_set_tfm(&request, driver->skcipher);
	skcipher_request_set_crypt(&request, sg, sg, bytes, request_iv);
	return decrypt ? crypto_skcipher_decrypt(&request) :
			 crypto_skcipher_encrypt(&request);
}

/* These part within a block. */
#define FIRST_PIECE	(BLOCK + BLOCK / 2)

/*
 * A request in one piece that fits into a section is done in one, though a walk would
 * part it at the end of a page; and if it is of whole blocks to be decrypted, after the
 * tweak of XTS, by one call.
 */
static void test_sections(const struct driver *driver)
{
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	u8 *end = (u8 *)round_up((uintptr_t)plaintext + BLOCK, PAGE_SIZE);

	make_message(driver, SM4_CHAIN_SECTION_SIZE);
	for (size_t i = 2 * BLOCK; i <= 2 * SM4_CHAIN_SECTION_SIZE + 1; i++) {
		unsigned long sections = shim_fpu_sections();
		unsigned long calls = tier_calls();
		bool decrypt = i % 2;
		size_t bytes = i / 2;

		if (!is_legal_length(mode, bytes))
			continue;
		check_equal(crypt_pieces(driver, decrypt, end - BLOCK / 2,
					 bytes, bytes), 0);
		check(shim_fpu_sections() - sections <= 1);
		if (decrypt && bytes % BLOCK == 0)
			check_equal(tier_calls() - calls,
				    has_two_keys(driver->name) ? 2 : 1);
	}
}

/* XTS keys whose halves are equal: only if the user forbids weak keys */
static void test_weak_keys(const struct driver *driver)
{
	random_fill(key, BLOCK);
	memcpy(key + BLOCK, key, BLOCK);
	set_key(driver, sizeof(key));
	crypto_skcipher_set_flags(driver->skcipher,
				  CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	describe("equal halves where weak keys are forbidden");
	check_equal(crypto_skcipher_setkey(driver->skcipher, key, sizeof(key)),
		    -EINVAL);
	key[31] ^= 1;
	set_key(driver, sizeof(key));
}

#define ALL	CRYPTO_ALG_TYPE_SKCIPHER

static const struct driver_test tests[] = {
	{ "known answers", test_known_answers, ALL, false, has_known_answer },
	{ "all lengths", test_lengths, ALL, true },
	{ "IV handed on", test_chaining, ALL, true, hands_iv_on },
	{ "keys refused", test_key_errors, ALL },
	{ "lengths refused", test_length_errors, ALL, false, refuses_lengths },
	{ "one section", test_sections, ALL },
	{ "weak keys", test_weak_keys, ALL, false, has_two_keys },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
