// SPDX-License-Identifier: GPL-2.0
/*
 * Every driver of the MACs and of the bare cipher, through the crypto API:
 * known answers, and what libgcrypt says; messages given in pieces,
 * states exported and imported; keys that are refused.
 */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "vectors.h"

#define SHORT_BYTES	600

static const size_t long_lengths[] = {
	1024, 4095, 4096, 4097, 8192, 16400, 65536, 70000,
};

static u8 message[MESSAGE_BYTES_MAX];

static int try_mac_key(const struct driver *driver, const u8 *key, size_t bytes)
{
	return crypto_shash_setkey(driver->shash, guarded_key(key, bytes),
				   bytes);
}

static int try_cipher_key(const struct driver *driver, const u8 *key,
			  size_t bytes)
{
	return crypto_cipher_setkey(driver->cipher, guarded_key(key, bytes),
				    bytes);
}

/* ---- MACs ---- */

static void check_random_message(const struct driver *driver, size_t bytes)
{
	u8 key[BLOCK], expected[BLOCK];
	u8 *p = message + random_below(BLOCK);

	random_fill(key, sizeof(key));
	random_fill(p, bytes);
	gcrypt_mac(find_mac_mode(driver->name), key, p, bytes, expected);
	check_equal(try_mac_key(driver, key, BLOCK), 0);
	check_digest(driver->shash, p, bytes, expected);
}

static void test_mac_lengths(const struct driver *driver)
{
	size_t i;

	check_equal(crypto_shash_digestsize(driver->shash), BLOCK);
	for (i = 0; i <= SHORT_BYTES; i++)
		check_random_message(driver, i);
	for (i = 0; i < ARRAY_SIZE(long_lengths); i++)
		check_random_message(driver, long_lengths[i]);
}

static void test_mac_errors(const struct driver *driver)
{
	struct shash_desc *desc = allocate_descriptor(driver->shash);
	u8 key[65], mac[BLOCK];
	unsigned int bytes;

	random_fill(key, sizeof(key));
	describe("no key");
	check_equal(crypto_shash_init(desc), -ENOKEY);
	check_equal(crypto_shash_digest(desc, message, 20, mac), -ENOKEY);
	for (bytes = 0; bytes <= sizeof(key); bytes++) {
		describe("a key of %u bytes", bytes);
		check_equal(try_mac_key(driver, key, bytes),
			    bytes == BLOCK ? 0 : -EINVAL);
		check_equal(crypto_shash_digest(desc, message, 20, mac),
			    bytes == BLOCK ? 0 : -ENOKEY);
	}
	free(desc);
}

/* Where a state tells how many bytes it holds: it changes if a zero is added. */
static size_t find_used(struct shash_desc *desc)
{
	size_t bytes = crypto_shash_statesize(desc->tfm), place = 0;
	u8 *before = malloc(bytes), *after = malloc(bytes);
	const u8 zero = 0;

	check_equal(crypto_shash_init(desc), 0);
	check_equal(crypto_shash_export(desc, before), 0);
	check_equal(crypto_shash_update(desc, &zero, 1), 0);
	check_equal(crypto_shash_export(desc, after), 0);
	while (before[place] == after[place])
		place++;
	check_equal(before[place], 0);
	check_equal(after[place], 1);
	free(before);
	free(after);
	return place;
}

/* A state that holds more than a block is none. */
static void test_imported_states(const struct driver *driver)
{
	struct shash_desc *desc = allocate_descriptor(driver->shash);
	size_t bytes = crypto_shash_statesize(driver->shash), place;
	u8 key[BLOCK], mac[BLOCK], *exported = malloc(bytes);
	unsigned int used;

	random_fill(key, sizeof(key));
	check_equal(try_mac_key(driver, key, BLOCK), 0);
	place = find_used(desc);
	for (used = 0; used <= 255; used++) {
		describe("a state that holds %u bytes", used);
		random_fill(exported, bytes);
		memset(exported + place, 0, sizeof(used));
		exported[place] = used;
		check_equal(crypto_shash_import(desc, exported),
			    used <= BLOCK ? 0 : -EINVAL);
		if (used <= BLOCK)
			check_equal(crypto_shash_finup(desc, message, 40, mac),
				    0);
		exported[place] = 1;
		exported[place + sizeof(used) - 1] = used | 1;
		check_equal(crypto_shash_import(desc, exported), -EINVAL);
	}
	free(exported);
	free(desc);
}

/* ---- the bare cipher ---- */

/* So many times both ways, in place */
static void check_block(const struct driver *driver, const u8 *plaintext,
			const u8 *ciphertext, unsigned int repetitions)
{
	u8 *block = message + random_below(BLOCK);
	unsigned int i;

	memcpy(block, plaintext, BLOCK);
	for (i = 0; i < repetitions; i++)
		crypto_cipher_encrypt_one(driver->cipher, block, block);
	check_bytes(block, ciphertext, BLOCK, "ciphertext, in place");
	for (i = 0; i < repetitions; i++)
		crypto_cipher_decrypt_one(driver->cipher, block, block);
	check_bytes(block, plaintext, BLOCK, "plaintext, in place");
}

static void test_cipher_known_answers(const struct driver *driver)
{
	u8 key[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
	size_t i;

	for (i = 0; i < cipher_vector_count; i++) {
		const struct cipher_vector *vector = &cipher_vectors[i];

		describe("%s", vector->source);
		from_hex(plaintext, vector->plaintext);
		from_hex(ciphertext, vector->ciphertext);
		check_equal(try_cipher_key(driver, key,
					   from_hex(key, vector->key)), 0);
		check_block(driver, plaintext, ciphertext, vector->repetitions);
	}
}

static void test_cipher_blocks(const struct driver *driver)
{
	for (int i = 0; i < 1000; i++) {
		u8 key[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
		u8 *block = message + random_below(BLOCK);

		random_fill(key, BLOCK);
		random_fill(plaintext, BLOCK);
		encrypt_block(key, ciphertext, plaintext);
		check_equal(try_cipher_key(driver, key, BLOCK), 0);
		crypto_cipher_encrypt_one(driver->cipher, block, plaintext);
		check_bytes(block, ciphertext, BLOCK, "ciphertext");
		random_fill(block, BLOCK);
		crypto_cipher_decrypt_one(driver->cipher, block, ciphertext);
		check_bytes(block, plaintext, BLOCK, "plaintext");
		check_block(driver, plaintext, ciphertext, 1);
	}
}

static void test_cipher_errors(const struct driver *driver)
{
	u8 key[65];
	unsigned int bytes;

	random_fill(key, sizeof(key));
	for (bytes = 0; bytes <= sizeof(key); bytes++) {
		describe("a key of %u bytes", bytes);
		check_equal(try_cipher_key(driver, key, bytes),
			    bytes == BLOCK ? 0 : -EINVAL);
	}
}

#define CIPHERS	CRYPTO_ALG_TYPE_CIPHER
#define MACS	CRYPTO_ALG_TYPE_SHASH

static const struct driver_test tests[] = {
	{ "known answers", test_cipher_known_answers, CIPHERS },
	{ "blocks", test_cipher_blocks, CIPHERS, true },
	{ "keys refused", test_cipher_errors, CIPHERS },
	{ "all lengths", test_mac_lengths, MACS, true },
	{ "keys refused", test_mac_errors, MACS },
	{ "states refused", test_imported_states, MACS },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
