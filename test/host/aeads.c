// SPDX-License-Identifier: GPL-2.0
/*
 * Every driver of authenticated encryption, through the crypto API: known
 * answers, and what libgcrypt says, for texts and associated data of
 * any length anywhere in memory and tags of every length; messages that were
 * changed; requests that are refused.
 */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "vectors.h"

/* Every length of text and of associated data up to these is tried. */
#define SHORT_TEXT	600
#define SHORT_AAD	300

static const size_t long_lengths[] = {
	1009, 1024, 1264, 1536, 2032, 2048, 4080, 4095, 4096, 4097, 8191, 8192,
	12289, 32768, 65535, 65536, 70000,
};

/* The two ends of CCM's short encoding of the length are among these. */
static const size_t long_aad_lengths[] = {
	301, 512, 4096, 4097, 65279, 65280, 65281, 70000,
};

/*
 * The message in work. @sealed is its ciphertext with the tag, and what a
 * changed message has instead.
 */
static u8 aad[70000], text[MESSAGE_BYTES_MAX], sealed[MESSAGE_BYTES_MAX];
static struct aead_message message = { .aad = aad, .text = text };

/* Fill key, IV, text and associated data. */
static void random_message(const struct driver *driver, size_t aad_bytes,
			   size_t text_bytes)
{
	random_fill(aad, aad_bytes);
	random_fill(text, text_bytes);
	message.aad_bytes = aad_bytes;
	message.text_bytes = text_bytes;
	random_aead_parameters(find_aead_mode(driver->name), &message);
}

/* Associated data as long as that, or as near as the mode allows */
static size_t legal_aad_bytes(const struct aead_mode *mode, size_t bytes)
{
	if (mode->is_ipsec)
		return bytes % 2 ? 20 : 16;
	while (!is_legal_aad(mode, bytes))
		bytes++;
	return bytes;
}

/* The same with a text */
static size_t legal_text_bytes(const struct aead_mode *mode, size_t bytes)
{
	while (!is_legal_text(mode, bytes))
		bytes--;
	return bytes;
}

/* A legal one, as near as the mode allows */
static void random_legal_message(const struct driver *driver, size_t aad_bytes,
				 size_t text_bytes)
{
	const struct aead_mode *mode = find_aead_mode(driver->name);

	random_message(driver, legal_aad_bytes(mode, aad_bytes),
		       legal_text_bytes(mode, text_bytes));
}

static int try_key(const struct driver *driver, const u8 *key, size_t bytes)
{
	return crypto_aead_setkey(driver->aead, guarded_key(key, bytes), bytes);
}

static void set_key(const struct driver *driver)
{
	describe("setkey, setauthsize");
	check_equal(try_key(driver, message.key, message.key_bytes), 0);
	check_equal(crypto_aead_setauthsize(driver->aead, message.tag_bytes), 0);
}

/* Set the key, and have libgcrypt's answer. */
static void seal(const struct driver *driver)
{
	set_key(driver);
	gcrypt_aead(find_aead_mode(driver->name), &message, sealed);
}

static int crypt(const struct driver *driver, bool decrypt,
		 const struct placement *placement)
{
	return aead_crypt(driver->aead, decrypt, placement, &message, sealed);
}

static int crypt_apart(const struct driver *driver, bool decrypt)
{
	return crypt(driver, decrypt, &placements[0]);
}

/* Both directions of the message, in all placements */
static void check_message(const struct driver *driver, int err)
{
	for (size_t i = 0; i < 2 * PLACEMENTS; i++) {
		describe("%s of %zu bytes, associated data %zu, tag %zu, IV from %02x, %s",
			 i % 2 ? "decryption" : "encryption",
			 message.text_bytes, message.aad_bytes,
			 message.tag_bytes, message.iv[0],
			 placements[i / 2].name);
		check_equal(crypt(driver, i % 2, &placements[i / 2]), err);
	}
}

static void check_random_message(const struct driver *driver, size_t aad_bytes,
				 size_t text_bytes)
{
	random_legal_message(driver, aad_bytes, text_bytes);
	gcrypt_aead(find_aead_mode(driver->name), &message, sealed);
	set_key(driver);
	check_message(driver, 0);
}

static void test_lengths(const struct driver *driver)
{
	for (size_t i = 0; i <= SHORT_TEXT; i++)
		check_random_message(driver, random_below(SHORT_AAD + 1), i);
	for (size_t i = 0; i <= SHORT_AAD; i++)
		check_random_message(driver, i, random_below(SHORT_TEXT + 1));
	for (size_t i = 0; i < ARRAY_SIZE(long_lengths); i++)
		check_random_message(driver, random_below(SHORT_AAD + 1),
				     long_lengths[i]);
}

static bool takes_any_aad(const char *name)
{
	return !find_aead_mode(name)->is_ipsec;
}

static bool masks_tags(const char *name)
{
	return !is_authenc(find_aead_mode(name));
}

static bool has_mac_key(const char *name)
{
	return is_authenc(find_aead_mode(name));
}

static void test_long_associated_data(const struct driver *driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(long_aad_lengths); i++)
		check_random_message(driver, long_aad_lengths[i],
				     random_below(SHORT_TEXT + 1));
}

static void test_known_answers(const struct driver *driver)
{
	const struct aead_mode *mode = find_aead_mode(driver->name);

	for (size_t i = 0; i < aead_vector_count; i++) {
		const struct aead_vector *vector = &aead_vectors[i];

		if (strcmp(vector->name, driver->name))
			continue;
		describe("%s", vector->source);
		message.key_bytes = from_hex(message.key, vector->key);
		if (!is_authenc(mode))
			check_equal(message.key_bytes, mode->key_bytes);
		check_equal(from_hex(message.iv, vector->iv), mode->iv_bytes);
		message.aad_bytes = from_hex(aad, vector->aad);
		message.text_bytes = from_hex(text, vector->plaintext);
		check_equal(from_hex(sealed, vector->ciphertext),
			    message.text_bytes);
		message.tag_bytes = from_hex(sealed + message.text_bytes,
					     vector->tag);
		set_key(driver);
		check_message(driver, 0);
	}
}

/* ---- what is refused ---- */

/* A shorter tag may well be that of a changed message, too. */
#define TELLING_TAG	4

/*
 * Messages with one bit changed: in the tag (every bit), in the ciphertext, in
 * what is authenticated of the associated data, in the nonce. The IV of authenc is
 * authenticated only where a user has a copy of it in the associated data.
 */
static void test_changed_messages(const struct driver *driver)
{
	const struct aead_mode *mode = find_aead_mode(driver->name);
	const size_t text_bytes = legal_text_bytes(mode, 100);
	unsigned int tag_bytes, bit, i = 0;

	for (tag_bytes = 1; tag_bytes <= TAG_MAX; tag_bytes++) {
		const bool telling = tag_bytes >= TELLING_TAG;
		struct {
			const char *name;
			u8 *bytes;
			size_t count;
		} parts[] = {
			{ "tag", sealed + text_bytes, tag_bytes },
			{ "ciphertext", sealed, telling ? text_bytes : 0 },
			{ "associated data", aad, mode->is_ipsec ? 12 :
			  telling ? 20 : 0 },
			{ "nonce", message.iv + has_counter_length(mode),
			  is_authenc(mode) ? 0 : 7 },
		};
		size_t part;

		if (!(mode->tag_sizes >> tag_bytes & 1))
			continue;
		random_message(driver, 20, text_bytes);
		message.tag_bytes = tag_bytes;
		seal(driver);
		for (part = 0; part < ARRAY_SIZE(parts); part++) {
			for (bit = 0; bit < 8 * parts[part].count; bit++) {
				u8 *byte = &parts[part].bytes[bit / 8];

				describe("bit %u of the %s changed, tag of %u bytes",
					 bit, parts[part].name, tag_bytes);
				*byte ^= 1 << bit % 8;
				check_equal(crypt(driver, true,
						  &placements[i++ % PLACEMENTS]),
					    -EBADMSG);
				*byte ^= 1 << bit % 8;
			}
		}
		check_message(driver, 0);
	}
}

static void test_key_errors(const struct driver *driver)
{
	u8 key[65];

	random_fill(key, sizeof(key));
	random_legal_message(driver, 20, 64);
	check_message(driver, -ENOKEY);
	for (size_t bytes = 0; bytes <= sizeof(key); bytes++) {
		if (bytes == message.key_bytes)
			continue;
		set_key(driver);
		describe("a key of %zu bytes", bytes);
		check_equal(try_key(driver, key, bytes), -EINVAL);
		check_equal(crypt_apart(driver, false), -ENOKEY);
	}
}

/*
 * Keys of authenc that are refused: too short for what they say, or with a head
 * that is not as it has to be; and those next to them, which are taken
 */
static void test_authenc_key_errors(const struct driver *driver)
{
	static const struct {
		const char *what;
		size_t bytes;		/* of the key of HMAC, and of SM4 */
		u8 head[AUTHENC_KEY_HEAD];
		int err;
	} keys[] = {
		{ "no key of HMAC", 16, { 8, 0, 1, 0, 0, 0, 0, 16 }, 0 },
		{ "less than SM4's", 15, { 8, 0, 1, 0, 0, 0, 0, 16 }, -EINVAL },
		{ "no key at all", 0, { 8, 0, 1, 0, 0, 0, 0, 0 }, -EINVAL },
		{ "15 bytes of SM4", 40, { 8, 0, 1, 0, 0, 0, 0, 15 }, -EINVAL },
		{ "17 bytes of SM4", 40, { 8, 0, 1, 0, 0, 0, 0, 17 }, -EINVAL },
		{ "more of SM4 than there is", 40, { 8, 0, 1, 0, 0, 0, 0, 41 },
		  -EINVAL },
		{ "a length in the wrong order", 40, { 8, 0, 1, 0, 16, 0, 0, 0 },
		  -EINVAL },
		{ "another type", 40, { 8, 0, 0, 0, 0, 0, 0, 16 }, -EINVAL },
		{ "one more type", 40, { 8, 0, 2, 0, 0, 0, 0, 16 }, -EINVAL },
		{ "an attribute of 7 bytes", 40, { 7, 0, 1, 0, 0, 0, 0, 16 },
		  -EINVAL },
		{ "an attribute of 9 bytes", 40, { 9, 0, 1, 0, 0, 0, 0, 16 },
		  -EINVAL },
		{ "an attribute of 12 bytes", 40, { 12, 0, 1, 0, 0, 0, 0, 16 },
		  -EINVAL },
		{ "an attribute of 264 bytes", 40, { 8, 1, 1, 0, 0, 0, 0, 16 },
		  -EINVAL },
	};
	const struct aead_mode *mode = find_aead_mode(driver->name);

	random_message(driver, 24, 64);
	check_message(driver, -ENOKEY);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		random_message(driver, 24, 64);
		set_key(driver);
		memcpy(message.key, keys[i].head, AUTHENC_KEY_HEAD);
		message.key_bytes = AUTHENC_KEY_HEAD + keys[i].bytes;
		describe("%s", keys[i].what);
		check_equal(try_key(driver, message.key, message.key_bytes),
			    keys[i].err);
		if (!keys[i].err)
			gcrypt_aead(mode, &message, sealed);
		check_equal(crypt_apart(driver, false),
			    keys[i].err ? -ENOKEY : 0);
	}
	for (size_t bytes = 0; bytes < AUTHENC_KEY_HEAD; bytes++) {
		describe("%zu bytes of a head", bytes);
		check_equal(try_key(driver, message.key, bytes), -EINVAL);
	}
	for (size_t bytes = 0; bytes <= MAC_KEY_MAX; bytes++) {
		random_message(driver, 24, 64);
		random_aead_key(mode, &message, bytes);
		seal(driver);
		describe("a key of HMAC of %zu bytes", bytes);
		check_equal(crypt_apart(driver, false), 0);
	}
}

static void test_tag_errors(const struct driver *driver)
{
	const struct aead_mode *mode = find_aead_mode(driver->name);
	unsigned int bytes;

	random_legal_message(driver, 20, 0);
	set_key(driver);
	for (bytes = 0; bytes <= 2 * TAG_MAX - 1; bytes++) {
		describe("a tag of %u bytes", bytes);
		check_equal(crypto_aead_setauthsize(driver->aead, bytes),
			    mode->tag_sizes >> bytes & 1 ? 0 : -EINVAL);
	}
	check_equal(crypto_aead_setauthsize(driver->aead, 8), 0);
	for (bytes = 0; bytes < 8; bytes++) {
		describe("decryption of %u bytes, with a tag of 8", bytes);
		message.tag_bytes = bytes;
		check_equal(crypt_apart(driver, true), -EINVAL);
	}
}

/* A message that has to be refused */
static void check_refused(const struct driver *driver, size_t aad_bytes,
			  size_t text_bytes)
{
	random_message(driver, aad_bytes, text_bytes);
	set_key(driver);
	check_message(driver, -EINVAL);
}

/* One of CCM, whose counter's length less one is in the IV */
static void check_counter_refused(const struct driver *driver, u8 length,
				  size_t text_bytes, int err)
{
	random_message(driver, 20, text_bytes);
	message.iv[0] = length;
	set_key(driver);
	check_message(driver, err);
}

static bool refuses_requests(const char *name)
{
	const struct aead_mode *mode = find_aead_mode(name);

	return mode->is_ipsec || mode->iv_bytes == BLOCK;
}

/*
 * authenc wants whole blocks. It notices when it decrypts: if the tag is right, which
 * it looks at first.
 */
static void check_partial_block_refused(const struct driver *driver,
					size_t bytes)
{
	random_message(driver, 24, bytes);
	message.tag_bytes = TAG_MAX;
	set_key(driver);
	authenc_tag(find_aead_mode(driver->name), &message, sealed);
	check_message(driver, -EINVAL);
	sealed[0] ^= 1;
	for (size_t i = 0; i < PLACEMENTS; i++)
		check_equal(crypt(driver, true, &placements[i]), -EBADMSG);
}

static void test_request_errors(const struct driver *driver)
{
	const struct aead_mode *mode = find_aead_mode(driver->name);
	size_t i;

	/* IPsec's has two lengths, and an ESN its two halves. */
	for (i = 0; i <= 40; i++) {
		if (!is_legal_aad(mode, i))
			check_refused(driver, i, 64);
	}
	for (i = 1; i <= 100; i++) {
		if (!is_legal_text(mode, i))
			check_partial_block_refused(driver, i);
	}
	if (!has_counter_length(mode))
		return;
	for (i = 0; i <= 255; i++) {
		if (i < 1 || i > 7)
			check_counter_refused(driver, i, 50, -EINVAL);
	}
	check_counter_refused(driver, 1, 70000, -EOVERFLOW);
}

#define ALL	CRYPTO_ALG_TYPE_AEAD

static const struct driver_test tests[] = {
	{ "known answers", test_known_answers, ALL, false, has_known_answer },
	{ "all lengths", test_lengths, ALL, true },
	{ "long associated data", test_long_associated_data, ALL, true,
	  takes_any_aad },
	{ "changed messages", test_changed_messages, ALL, true },
	{ "keys refused", test_key_errors, ALL, false, masks_tags },
	{ "keys of authenc", test_authenc_key_errors, ALL, false, has_mac_key },
	{ "tag lengths refused", test_tag_errors, ALL },
	{ "requests refused", test_request_errors, ALL, false,
	  refuses_requests },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
