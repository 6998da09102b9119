// SPDX-License-Identifier: GPL-2.0
/* What drivers of the modes without authentication leave behind; modes.c has the rest. */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "watched-call.h"

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
	const struct mode *mode = find_mode(driver->name);

	random_fill(key, sizeof(key));
	random_fill(iv, BLOCK);
	random_fill(plaintext, bytes);
	if (is_legal_text(mode, bytes))
		gcrypt_skcipher(mode, key, iv, ciphertext, plaintext, bytes);
	set_key(driver, mode->key_bytes);
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
 * For crypt_pieces(): another key, and where it encrypts another plaintext. Neither a
 * ciphertext nor an IV is secret.
 */
static void renew_message(const uint64_t *arguments)
{
	const struct driver *driver = (const void *)arguments[0];
	const bool decrypt = arguments[1];
	const size_t bytes = arguments[3];

	random_fill(key, sizeof(key));
	set_key(driver, find_mode(driver->name)->key_bytes);
	if (decrypt)
		memset(plaintext, 0, bytes);
	else
		random_fill(plaintext, bytes);
}

static void renew_key(const uint64_t *arguments)
{
	random_fill((void *)arguments[1], arguments[2]);
}

static void test_leftovers(const struct driver *driver)
{
	const struct mode *mode = find_mode(driver->name);
	const size_t first_pieces[] = { FIRST_PIECE, MESSAGE_BYTES_MAX };

	check_leaves_nothing(&(struct watched_function){
		crypto_skcipher_setkey, renew_key,
		{ (uintptr_t)driver->skcipher, (uintptr_t)key, mode->key_bytes },
	});
	for (size_t i = 8 * BLOCK; i < 16 * BLOCK; i++) {
		const size_t bytes = i / 4;

		if (!is_legal_text(mode, bytes))
			continue;
		check_leaves_nothing(&(struct watched_function){
			crypt_pieces, renew_message,
			{ (uintptr_t)driver, i & 1, (uintptr_t)plaintext, bytes,
			  min(first_pieces[i / 2 % 2], bytes) },
		});
	}
}

/* A step in the middle of a request fails, for want of memory. */
static void test_failing_steps(const struct driver *driver)
{
	make_message(driver, 6 * BLOCK);
	shim_fail_copies();
	for (size_t i = 8 * BLOCK; i <= 12 * BLOCK + 1; i++) {
		if (is_legal_text(find_mode(driver->name), i / 2))
			check_equal(crypt_pieces(driver, i % 2, plaintext,
						 i / 2, FIRST_PIECE), -ENOMEM);
	}
}

#define ALL	CRYPTO_ALG_TYPE_SKCIPHER

static const struct driver_test tests[] = {
	{ "leftovers", test_leftovers, ALL },
	{ "a step fails", test_failing_steps, ALL },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
