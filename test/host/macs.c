// SPDX-License-Identifier: GPL-2.0
/*
 * Every driver of the MACs and of the bare cipher, through the crypto API:
 * known answers, and what libgcrypt and OpenSSL say; messages given in pieces,
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

/* ---- MACs ---- */

static void check_random_message(struct crypto_shash *tfm,
				 const struct mac_mode *mode,
				 const struct reference *reference,
				 size_t bytes)
{
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 key[BLOCK], mac[BLOCK], expected[BLOCK];
	u8 *p = message + random_below(BLOCK);

	random_fill(key, sizeof(key));
	random_fill(p, bytes);
	reference->mac(mode, key, p, bytes, expected);
	describe("%zu bytes", bytes);
	check_equal(crypto_shash_setkey(tfm, guarded_key(key, BLOCK), BLOCK),
		    0);
	check_equal(crypto_shash_digest(desc, p, bytes, mac), 0);
	check_bytes(mac, expected, BLOCK, "MAC at once");
	check_nothing_left(desc);
	mac_in_pieces(tfm, p, bytes, mac);
	check_bytes(mac, expected, BLOCK, "MAC in pieces");
	free(desc);
}

static void check_mac_lengths(const struct driver *driver,
			      const struct reference *reference)
{
	const struct mac_mode *mode = find_mac_mode(driver->name);
	struct crypto_shash *tfm;
	size_t i;

	start_driver(driver);
	tfm = crypto_alloc_shash(driver->driver_name, 0, 0);
	check_equal(crypto_shash_digestsize(tfm), BLOCK);
	for (i = 0; i <= SHORT_BYTES; i++)
		check_random_message(tfm, mode, reference, i);
	for (i = 0; i < ARRAY_SIZE(long_lengths); i++)
		check_random_message(tfm, mode, reference, long_lengths[i]);
	crypto_free_shash(tfm);
	finish_driver(driver);
}

static void test_mac_lengths(const void *argument)
{
	check_mac_lengths(argument, &libgcrypt);
}

static bool is_in_openssl(const char *name)
{
	return !is_hash(name) && find_mac_mode(name)->openssl;
}

static void test_mac_against_openssl(const void *argument)
{
	check_mac_lengths(argument, &openssl);
}

static void test_mac_errors(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_shash *tfm;
	struct shash_desc *desc;
	u8 key[65], mac[BLOCK];
	unsigned int bytes;

	start_driver(driver);
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_shash(driver->driver_name, 0, 0);
	desc = allocate_descriptor(tfm);
	describe("no key");
	check_equal(crypto_shash_init(desc), -ENOKEY);
	check_equal(crypto_shash_digest(desc, message, 20, mac), -ENOKEY);
	for (bytes = 0; bytes <= sizeof(key); bytes++) {
		describe("a key of %u bytes", bytes);
		check_equal(crypto_shash_setkey(tfm, guarded_key(key, bytes),
						bytes),
			    bytes == BLOCK ? 0 : -EINVAL);
		check_equal(crypto_shash_digest(desc, message, 20, mac),
			    bytes == BLOCK ? 0 : -ENOKEY);
	}
	free(desc);
	crypto_free_shash(tfm);
	finish_driver(driver);
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
static void test_imported_states(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_shash *tfm;
	struct shash_desc *desc;
	u8 key[BLOCK], mac[BLOCK], *exported;
	unsigned int used;
	size_t place;

	start_driver(driver);
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_shash(driver->driver_name, 0, 0);
	check_equal(crypto_shash_setkey(tfm, key, BLOCK), 0);
	desc = allocate_descriptor(tfm);
	exported = malloc(crypto_shash_statesize(tfm));
	place = find_used(desc);
	for (used = 0; used <= 255; used++) {
		describe("a state that holds %u bytes", used);
		random_fill(exported, crypto_shash_statesize(tfm));
		memset(exported + place, 0, sizeof(used));
		exported[place] = used;
		check_equal(crypto_shash_import(desc, exported),
			    used <= BLOCK ? 0 : -EINVAL);
		if (used > BLOCK)
			check_nothing_left(desc);
		else
			check_equal(crypto_shash_finup(desc, message, 40, mac),
				    0);
		exported[place] = 1;
		exported[place + sizeof(used) - 1] = used | 1;
		check_equal(crypto_shash_import(desc, exported), -EINVAL);
	}
	free(exported);
	free(desc);
	crypto_free_shash(tfm);
	finish_driver(driver);
}

static bool derives_its_key(const char *name)
{
	return !strcmp(name, "xcbc(sm4)");
}

/* K1 of xcbc, by which the chain is encrypted (RFC 3566, section 4) */
static void test_mac_wiping(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_shash *tfm;
	u8 key[BLOCK], k1[BLOCK];

	start_driver(driver);
	random_fill(key, sizeof(key));
	memset(k1, 1, BLOCK);
	libgcrypt.skcipher(find_skcipher_mode("ecb(sm4)"), key, NULL, k1, k1,
			   BLOCK);
	tfm = crypto_alloc_shash(driver->driver_name, 0, 0);
	shim_forget_wiped();
	check_equal(crypto_shash_setkey(tfm, key, BLOCK), 0);
	check(shim_wiped(k1, BLOCK));
	crypto_free_shash(tfm);
	finish_driver(driver);
}

/* ---- the bare cipher ---- */

static void test_cipher_known_answers(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_cipher *tfm;
	unsigned int repetition;
	size_t i;

	start_driver(driver);
	tfm = crypto_alloc_cipher(driver->driver_name, 0, 0);
	for (i = 0; i < cipher_vector_count; i++) {
		const struct cipher_vector *vector = &cipher_vectors[i];
		u8 key[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
		u8 block[BLOCK];

		describe("%s", vector->source);
		from_hex(key, vector->key);
		from_hex(plaintext, vector->plaintext);
		from_hex(ciphertext, vector->ciphertext);
		check_equal(crypto_cipher_setkey(tfm, key, BLOCK), 0);

		memcpy(block, plaintext, BLOCK);
		for (repetition = 0; repetition < vector->repetitions;
		     repetition++)
			crypto_cipher_encrypt_one(tfm, block, block);
		check_bytes(block, ciphertext, BLOCK, "ciphertext");
		for (repetition = 0; repetition < vector->repetitions;
		     repetition++)
			crypto_cipher_decrypt_one(tfm, block, block);
		check_bytes(block, plaintext, BLOCK, "plaintext");
	}
	crypto_free_cipher(tfm);
	finish_driver(driver);
}

static void test_cipher_blocks(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *ecb = find_skcipher_mode("ecb(sm4)");
	struct crypto_cipher *tfm;
	int i;

	start_driver(driver);
	tfm = crypto_alloc_cipher(driver->driver_name, 0, 0);
	for (i = 0; i < 1000; i++) {
		u8 key[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
		u8 *block = message + random_below(BLOCK);

		random_fill(key, BLOCK);
		random_fill(plaintext, BLOCK);
		libgcrypt.skcipher(ecb, key, NULL, ciphertext, plaintext,
				   BLOCK);
		check_equal(crypto_cipher_setkey(tfm, guarded_key(key, BLOCK),
						 BLOCK), 0);
		crypto_cipher_encrypt_one(tfm, block, plaintext);
		check_bytes(block, ciphertext, BLOCK, "ciphertext");
		random_fill(block, BLOCK);
		crypto_cipher_decrypt_one(tfm, block, ciphertext);
		check_bytes(block, plaintext, BLOCK, "plaintext");
		crypto_cipher_encrypt_one(tfm, block, block);
		crypto_cipher_decrypt_one(tfm, block, block);
		check_bytes(block, plaintext, BLOCK, "plaintext, in place");
	}
	crypto_free_cipher(tfm);
	finish_driver(driver);
}

static void test_cipher_errors(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_cipher *tfm;
	u8 key[65];
	unsigned int bytes;

	start_driver(driver);
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_cipher(driver->driver_name, 0, 0);
	for (bytes = 0; bytes <= sizeof(key); bytes++) {
		describe("a key of %u bytes", bytes);
		check_equal(crypto_cipher_setkey(tfm, guarded_key(key, bytes),
						 bytes),
			    bytes == BLOCK ? 0 : -EINVAL);
	}
	crypto_free_cipher(tfm);
	finish_driver(driver);
}

#define CIPHERS	CRYPTO_ALG_TYPE_CIPHER
#define MACS	CRYPTO_ALG_TYPE_SHASH

static const struct driver_test tests[] = {
	{ "known answers", test_cipher_known_answers, CIPHERS },
	{ "blocks", test_cipher_blocks, CIPHERS, true },
	{ "keys refused", test_cipher_errors, CIPHERS },
	{ "all lengths", test_mac_lengths, MACS, true },
	{ "against OpenSSL", test_mac_against_openssl, MACS, false,
	  is_in_openssl },
	{ "keys refused", test_mac_errors, MACS },
	{ "states refused", test_imported_states, MACS },
	{ "secrets wiped", test_mac_wiping, MACS, false, derives_its_key },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
