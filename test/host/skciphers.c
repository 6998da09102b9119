// SPDX-License-Identifier: GPL-2.0
/*
 * Every driver of the modes without authentication, through the crypto API:
 * known answers, and what libgcrypt and OpenSSL say, for messages of any length
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
	1024, 4064, 4080, 4095, 4096, 4097, 4112, 8191, 8192, 8208, 12288,
	16400, 32768, 65535, 65536, 69999, 70000,
};

/* A message with the right answer */
static u8 plaintext[MESSAGE_BYTES_MAX], ciphertext[MESSAGE_BYTES_MAX];

/* Both directions of a message, in all placements */
static void check_message(struct crypto_skcipher *tfm, const u8 *iv,
			  size_t bytes)
{
	size_t i;
	int decrypt;

	for (i = 0; i < PLACEMENTS; i++) {
		for (decrypt = 0; decrypt <= 1; decrypt++) {
			const u8 *in = decrypt ? ciphertext : plaintext;
			const u8 *out = decrypt ? plaintext : ciphertext;
			u8 request_iv[BLOCK];

			memcpy(request_iv, iv, BLOCK);
			describe("%s of %zu bytes, %s",
				 decrypt ? "decryption" : "encryption", bytes,
				 placements[i].name);
			check_equal(skcipher_crypt(tfm, decrypt, &placements[i],
						   request_iv, in, out, bytes),
				    0);
		}
	}
}

static void set_key(struct crypto_skcipher *tfm,
		    const struct skcipher_mode *mode, const u8 *key)
{
	describe("setkey");
	check_equal(crypto_skcipher_setkey(tfm,
					   guarded_key(key, mode->key_bytes),
					   mode->key_bytes), 0);
}

/* A random message of that length, if it is legal, with a key of its own */
static void check_random_message(struct crypto_skcipher *tfm,
				 const struct skcipher_mode *mode,
				 const struct reference *reference,
				 size_t bytes)
{
	u8 key[32], iv[BLOCK];

	if (!is_legal_length(mode, bytes))
		return;
	random_fill(key, sizeof(key));
	random_iv(iv);
	random_fill(plaintext, bytes);
	reference->skcipher(mode, key, iv, ciphertext, plaintext, bytes);
	set_key(tfm, mode, key);
	check_message(tfm, iv, bytes);
}

static void test_lengths(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	size_t i;

	start_driver(driver);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	for (i = 0; i <= SHORT_BYTES; i++)
		check_random_message(tfm, mode, &libgcrypt, i);
	for (i = 0; i < ARRAY_SIZE(long_lengths); i++)
		check_random_message(tfm, mode, &libgcrypt, long_lengths[i]);
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

static bool is_in_openssl(const char *name)
{
	return find_skcipher_mode(name)->openssl;
}

static void test_against_openssl(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	size_t i;

	need_openssl(mode->openssl);
	start_driver(driver);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	for (i = 16; i <= SHORT_BYTES; i++)
		check_random_message(tfm, mode, &openssl, i);
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

static bool hands_iv_on(const char *name)
{
	return find_skcipher_mode(name)->chains;
}

/* One message as several requests, each with the IV that the last one left */
static void test_chaining(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32], iv[BLOCK], chain[BLOCK];
	size_t done, bytes;
	int decrypt, i;

	start_driver(driver);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	for (i = 0; i < 100; i++) {
		const struct placement *placement = &placements[i % PLACEMENTS];
		size_t total = BLOCK * (1 + random_below(600));

		random_fill(key, sizeof(key));
		random_iv(iv);
		random_fill(plaintext, total);
		libgcrypt.skcipher(mode, key, iv, ciphertext, plaintext, total);
		set_key(tfm, mode, key);
		for (decrypt = 0; decrypt <= 1; decrypt++) {
			const u8 *in = decrypt ? ciphertext : plaintext;
			const u8 *out = decrypt ? plaintext : ciphertext;

			memcpy(chain, iv, BLOCK);
			for (done = 0; done < total; done += bytes) {
				bytes = BLOCK * (1 + random_below(80));
				bytes = min(bytes, total - done);
				describe("%s of bytes %zu to %zu of %zu",
					 decrypt ? "decryption" : "encryption",
					 done, done + bytes, total);
				check_equal(skcipher_crypt(tfm, decrypt,
							   placement, chain,
							   in + done,
							   out + done, bytes),
					    0);
			}
		}
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

static void check_known_answer(struct crypto_skcipher *tfm,
			       const struct skcipher_vector *vector)
{
	u8 key[32], iv[BLOCK] = { 0 };
	size_t bytes;

	describe("%s", vector->source);
	check_equal(crypto_skcipher_setkey(tfm, key,
					   from_hex(key, vector->key)), 0);
	from_hex(iv, vector->iv);
	bytes = from_hex(plaintext, vector->plaintext);
	check_equal(from_hex(ciphertext, vector->ciphertext), bytes);
	check_message(tfm, iv, bytes);
}

static bool has_known_answer(const char *name)
{
	size_t i;

	for (i = 0; i < skcipher_vector_count; i++) {
		if (!strcmp(skcipher_vectors[i].name, name))
			return true;
	}
	return false;
}

static void test_known_answers(const void *argument)
{
	const struct driver *driver = argument;
	struct crypto_skcipher *tfm;
	size_t i;

	start_driver(driver);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	for (i = 0; i < skcipher_vector_count; i++) {
		if (!strcmp(skcipher_vectors[i].name, driver->name))
			check_known_answer(tfm, &skcipher_vectors[i]);
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

/* ---- what is refused ---- */

static void test_key_errors(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[65], iv[BLOCK];
	unsigned int bytes;
	int decrypt;

	start_driver(driver);
	random_fill(key, sizeof(key));
	random_fill(iv, sizeof(iv));
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	for (bytes = 0; bytes <= sizeof(key); bytes++) {
		if (bytes == mode->key_bytes)
			continue;
		describe("a key of %u bytes", bytes);
		check_equal(crypto_skcipher_setkey(tfm, guarded_key(key, bytes),
						   bytes), -EINVAL);
	}
	for (decrypt = 0; decrypt <= 1; decrypt++) {
		describe("a request without a key");
		check_equal(skcipher_crypt(tfm, decrypt, &placements[0], iv,
					   plaintext, ciphertext, 64),
			    -ENOKEY);
	}
	set_key(tfm, mode, key);
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

static bool refuses_lengths(const char *name)
{
	const struct skcipher_mode *mode = find_skcipher_mode(name);

	return mode->smallest || mode->granule > 1;
}

static void test_length_errors(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32], iv[BLOCK];
	size_t bytes, i;
	int decrypt;

	start_driver(driver);
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	set_key(tfm, mode, key);
	for (bytes = 0; bytes <= SHORT_BYTES; bytes++) {
		if (is_legal_length(mode, bytes))
			continue;
		for (i = 0; i < PLACEMENTS; i++) {
			for (decrypt = 0; decrypt <= 1; decrypt++) {
				random_fill(iv, sizeof(iv));
				random_fill(plaintext, bytes);
				describe("%zu bytes", bytes);
				check_equal(skcipher_crypt(tfm, decrypt,
							   &placements[i], iv,
							   plaintext,
							   ciphertext, bytes),
					    -EINVAL);
			}
		}
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

static bool has_two_keys(const char *name)
{
	return find_skcipher_mode(name)->key_bytes == 2 * BLOCK;
}

/* ---- what is wiped ---- */

static bool steals(const char *name)
{
	return find_skcipher_mode(name)->smallest;
}

/* A request in place, in two pieces that part within a block */
static int crypt_in_pieces(struct crypto_skcipher *tfm, bool decrypt, u8 *p,
			   unsigned int bytes, u8 *iv)
{
	const unsigned int first = BLOCK + BLOCK / 2;
	struct skcipher_request request = { 0 };
	struct scatterlist sg[2];

	sg_init_table(sg, ARRAY_SIZE(sg));
	sg_set_buf(&sg[0], p, first);
	sg_set_buf(&sg[1], p + first, bytes - first);
	skcipher_request_set_tfm(&request, tfm);
	skcipher_request_set_crypt(&request, sg, sg, bytes, iv);
	return decrypt ? crypto_skcipher_decrypt(&request) :
			 crypto_skcipher_encrypt(&request);
}

/* The bytes behind the block that they steal from, 0 if nothing is stolen */
static size_t stealing_bytes(const struct skcipher_mode *mode, size_t bytes)
{
	return strcmp(mode->name, "cts(cbc(sm4))") ? bytes % BLOCK :
						     (bytes - 1) % BLOCK + 1;
}

/*
 * Of the message in @plaintext, what ciphertext stealing puts together in a
 * buffer of its own: when encrypting, the last bytes, and what fills up a block;
 * when decrypting, the ciphertext block from which that was taken, or where cts
 * has nothing to fill up, the last block of plaintext.
 */
static void find_buffered_block(const struct skcipher_mode *mode,
				const u8 *key, const u8 *iv, size_t bytes,
				bool decrypt, u8 block[BLOCK])
{
	size_t tail = stealing_bytes(mode, bytes);
	bool cts = !has_two_keys(mode->name);
	u8 before[4 * BLOCK], *stolen = before + bytes - tail - BLOCK;

	libgcrypt.skcipher(cts ? find_skcipher_mode("cbc(sm4)") : mode, key, iv,
			   before, plaintext, bytes - tail);
	if (cts && !decrypt)
		memset(block, 0, BLOCK);
	else
		memcpy(block, stolen, BLOCK);
	if (!decrypt || tail == BLOCK)
		memcpy(block, plaintext + bytes - tail, tail);
}

/*
 * The tweak that a request of XTS ends with: the next one, and when encrypting a
 * partial block one more. When decrypting one, the last two trade places.
 */
static void check_tweaks_wiped(const char *name, const u8 *key, const u8 *iv,
			       size_t bytes, bool decrypt)
{
	void (*next_tweak)(u8 *tweak) = strcmp(name, "xts(sm4)") ?
		sm4_xts_gb_next_tweak : sm4_xts_next_tweak;
	size_t i, partial = bytes % BLOCK ? 1 : 0;
	u8 tweak[BLOCK];

	libgcrypt.skcipher(find_skcipher_mode("ecb(sm4)"), key + BLOCK, NULL,
			   tweak, iv, BLOCK);
	for (i = 1; i < bytes / BLOCK; i++)
		next_tweak(tweak);
	if (decrypt && partial)
		check(shim_wiped(tweak, BLOCK));
	for (i = 0; i < (decrypt ? 1 : 1 + partial); i++)
		next_tweak(tweak);
	check(shim_wiped(tweak, BLOCK));
}

static void test_wiping(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32], iv[BLOCK], request_iv[BLOCK], block[BLOCK];
	u8 message[4 * BLOCK];
	size_t bytes, tail;
	int decrypt;

	start_driver(driver);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	random_fill(key, sizeof(key));
	set_key(tfm, mode, key);
	for (bytes = 2 * BLOCK; bytes <= 4 * BLOCK; bytes++) {
		tail = stealing_bytes(mode, bytes);
		random_fill(iv, BLOCK);
		random_fill(plaintext, bytes);
		libgcrypt.skcipher(mode, key, iv, ciphertext, plaintext, bytes);
		for (decrypt = 0; decrypt <= 1; decrypt++) {
			const u8 *in = decrypt ? ciphertext : plaintext;
			const u8 *out = decrypt ? plaintext : ciphertext;

			describe("%s of %zu bytes",
				 decrypt ? "decryption" : "encryption", bytes);
			memcpy(request_iv, iv, BLOCK);
			shim_forget_wiped();
			check_equal(skcipher_crypt(tfm, decrypt, &placements[0],
						   request_iv, in, out, bytes),
				    0);
			if (has_two_keys(driver->name))
				check_tweaks_wiped(driver->name, key, iv, bytes,
						   decrypt);
			if (!tail)
				continue;
			find_buffered_block(mode, key, iv, bytes, decrypt,
					    block);
			check(shim_wiped(block, BLOCK));

			memcpy(request_iv, iv, BLOCK);
			memcpy(message, in, bytes);
			shim_forget_wiped();
			check_equal(crypt_in_pieces(tfm, decrypt, message,
						    bytes, request_iv), 0);
			check(shim_wiped(out + bytes - tail - BLOCK,
					 BLOCK + tail));
		}
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

/* A step in the middle of a request fails, for want of memory. */
static void test_failing_steps(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32], iv[BLOCK];
	unsigned int bytes;
	int decrypt;

	start_driver(driver);
	shim_fail_copies();
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	set_key(tfm, mode, key);
	for (bytes = 4 * BLOCK; bytes <= 6 * BLOCK; bytes++) {
		for (decrypt = 0; decrypt <= 1; decrypt++) {
			if (!is_legal_length(mode, bytes))
				continue;
			describe("%u bytes", bytes);
			check_equal(crypt_in_pieces(tfm, decrypt, plaintext,
						    bytes, iv), -ENOMEM);
		}
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

/*
 * A request in one piece that fits into a section is done in one; and if it is of
 * whole blocks to be decrypted, after the tweak of XTS, by one call.
 */
static void test_sections(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32], iv[BLOCK];
	unsigned long sections, calls;
	size_t bytes;
	int decrypt;

	start_driver(driver);
	random_fill(key, sizeof(key));
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	set_key(tfm, mode, key);
	for (bytes = BLOCK; bytes <= SM4_CHAIN_SECTION_SIZE; bytes++) {
		for (decrypt = 0; decrypt <= 1; decrypt++) {
			struct skcipher_request request = { 0 };
			struct scatterlist sg;

			if (!is_legal_length(mode, bytes))
				continue;
			describe("%s of %zu bytes",
				 decrypt ? "decryption" : "encryption", bytes);
			random_fill(iv, sizeof(iv));
			sg_init_one(&sg, plaintext, bytes);
			skcipher_request_set_tfm(&request, tfm);
			skcipher_request_set_crypt(&request, &sg, &sg, bytes,
						   iv);
			sections = shim_fpu_sections();
			calls = tier_calls();
			check_equal(decrypt ?
				    crypto_skcipher_decrypt(&request) :
				    crypto_skcipher_encrypt(&request), 0);
			check(shim_fpu_sections() - sections <= 1);
			if (decrypt && bytes % BLOCK == 0)
				check_equal(tier_calls() - calls,
					    has_two_keys(driver->name) ? 2 : 1);
		}
	}
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

/* XTS keys whose halves are equal: only if the user forbids weak keys */
static void test_weak_keys(const void *argument)
{
	const struct driver *driver = argument;
	const struct skcipher_mode *mode = find_skcipher_mode(driver->name);
	struct crypto_skcipher *tfm;
	u8 key[32];

	start_driver(driver);
	random_fill(key, BLOCK);
	memcpy(key + BLOCK, key, BLOCK);
	tfm = crypto_alloc_skcipher(driver->driver_name, 0, 0);
	set_key(tfm, mode, key);
	crypto_skcipher_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	describe("equal halves where weak keys are forbidden");
	check_equal(crypto_skcipher_setkey(tfm, key, sizeof(key)), -EINVAL);
	key[31] ^= 1;
	describe("halves that differ in one bit, where weak keys are forbidden");
	check_equal(crypto_skcipher_setkey(tfm, key, sizeof(key)), 0);
	crypto_free_skcipher(tfm);
	finish_driver(driver);
}

#define ALL	CRYPTO_ALG_TYPE_SKCIPHER

static const struct driver_test tests[] = {
	{ "known answers", test_known_answers, ALL, false, has_known_answer },
	{ "all lengths", test_lengths, ALL, true },
	{ "against OpenSSL", test_against_openssl, ALL, false, is_in_openssl },
	{ "IV handed on", test_chaining, ALL, true, hands_iv_on },
	{ "keys refused", test_key_errors, ALL },
	{ "lengths refused", test_length_errors, ALL, false, refuses_lengths },
	{ "secrets wiped", test_wiping, ALL, false, steals },
	{ "a step fails", test_failing_steps, ALL },
	{ "one section", test_sections, ALL },
	{ "weak keys", test_weak_keys, ALL, false, has_two_keys },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
