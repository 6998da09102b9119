// SPDX-License-Identifier: GPL-2.0
/* What drivers of authenticated encryption leave behind; modes.c has the rest. */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"
#include "generated/sm3-constants.h"

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
	random_aead_key(find_mode(driver->name), &message, 32);
	random_fill(message.iv, sizeof(message.iv));
	message.iv[0] = 3;
	message.tag_bytes = 16;
}

/* Associated data as long as that, or as near as the mode allows */
static size_t legal_aad_bytes(const struct mode *mode, size_t bytes)
{
	if (mode->is_ipsec)
		return bytes % 2 ? 20 : 16;
	while (!is_legal_aad(mode, bytes))
		bytes++;
	return bytes;
}

/* The same with a text */
static size_t legal_text_bytes(const struct mode *mode, size_t bytes)
{
	while (!is_legal_text(mode, bytes))
		bytes--;
	return bytes;
}

/* A legal one, as near as the mode allows */
static void random_legal_message(const struct driver *driver, size_t aad_bytes,
				 size_t text_bytes)
{
	const struct mode *mode = find_mode(driver->name);

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
	gcrypt_aead(find_mode(driver->name), &message, sealed);
}

static int crypt(const struct driver *driver, bool decrypt,
		 const struct placement *placement)
{
	static struct aead_try try;
	struct aead_request request;
	int err;

	try.placement = placement;
	try.message = &message;
	try.sealed = sealed;
	try.decrypt = decrypt;
	aead_place(&try, &request, driver->aead, message.iv);
	err = decrypt ? crypto_aead_decrypt(&request) : crypto_aead_encrypt(&request);
	aead_check(&try, find_mode(driver->name), err);
	return err;
}

static int crypt_apart(const struct driver *driver, bool decrypt)
{
	return crypt(driver, decrypt, &placements[0]);
}

static bool takes_any_aad(const char *name)
{
	return !find_mode(name)->is_ipsec;
}

static bool masks_tags(const char *name)
{
	return !is_authenc(find_mode(name));
}

static bool has_mac_key(const char *name)
{
	return is_authenc(find_mode(name));
}

/*
 * What a request leaves in buffers of its own: the mask of the tag, the whole tag,
 * the end of the text in CCM, and beside the state of a MAC the end of associated
 * data that is long. And the nonce, where it begins with a salt, which belongs to
 * the key; GCM's counter has it once more, CCM's first one and next one, and the
 * first block of its MAC.
 */
static void test_wiping(const struct driver *driver)
{
	const struct mode *mode = find_mode(driver->name);
	const size_t last = BLOCK - 1, bytes = 5 * BLOCK + last;
	/* behind its length, in CCM */
	const size_t aad_bytes = bytes - (is_ccm(mode) ? sizeof(u16) : 0);
	u8 mask[BLOCK], nonce[BLOCK];

	random_legal_message(driver, aad_bytes, bytes);
	memcpy(nonce, message.key + BLOCK, mode->salt_bytes);
	memcpy(nonce + mode->salt_bytes, message.iv, mode->iv_bytes);
	aead_mask(mode, &message, mask);
	seal(driver);
	for (int decrypt = 0; decrypt <= 1; decrypt++) {
		shim_forget_wiped();
		describe("%s", decrypt ? "decryption" : "encryption");
		check_equal(crypt_apart(driver, decrypt), 0);
		check(shim_wiped(mask, BLOCK));
		check(shim_wiped(sealed + bytes, message.tag_bytes));
		/*
		 * in the buffer of the text, and in that of the partial block,
		 * where keystream follows it
		 */
		if (is_ccm(mode))
			check_equal(shim_wiped((decrypt ? text : sealed) +
					       bytes - last, last), 2);
		if (takes_any_aad(mode->name))
			check(shim_wiped(aad + aad_bytes - last, last));
		if (mode->salt_bytes)
			check_equal(shim_wiped(nonce, mode->salt_bytes +
					       mode->iv_bytes),
				    is_ccm(mode) ? 4 : 2);
	}
}

static bool pad_is_wiped(const u8 block[HASH_BLOCK], u8 pad)
{
	u8 padded[HASH_BLOCK];
	size_t i;

	for (i = 0; i < HASH_BLOCK; i++)
		padded[i] = block[i] ^ pad;
	return shim_wiped(padded, sizeof(padded));
}

/* The state of HMAC's inner hash after the key and so many blocks of the message, at most 2 */
static void hmac_inner_state(const struct mode *mode, size_t blocks,
			     u8 inner[TAG_MAX])
{
	u32 state[SM3_WORDS] = SM3_IV;
	u8 block[HASH_BLOCK], hashed[2 * HASH_BLOCK];
	size_t i;

	hmac_block(mode, &message, block);
	for (i = 0; i < HASH_BLOCK; i++)
		block[i] ^= 0x36;
	sm3_generic_blocks(state, block, 1);
	for (i = 0; i < blocks * HASH_BLOCK; i++)
		hashed[i] = i < message.aad_bytes ? aad[i] :
						    sealed[i - message.aad_bytes];
	sm3_generic_blocks(state, hashed, blocks);
	memcpy(inner, state, sizeof(state));
}

/*
 * What authenc leaves: of setting the key that of HMAC, hashed first if it is
 * long, and a block of it with each pad; of a request both digests of HMAC, of which
 * the outer one is the tag; and where SM3 goes on beside CBC, its state in the end of
 * that.
 */
static void test_authenc_wiping(const struct driver *driver)
{
	static const size_t mac_key_lengths[] = { HASH_BLOCK - 1, 100 };
	const struct mode *mode = find_mode(driver->name);
	u8 inner[TAG_MAX], block[HASH_BLOCK], state[TAG_MAX];

	for (size_t i = 0; i < 2 * ARRAY_SIZE(mac_key_lengths); i++) {
		random_message(driver, 24, 12 * BLOCK);
		random_aead_key(mode, &message, mac_key_lengths[i / 2]);
		message.tag_bytes = TAG_MAX;
		hmac_block(mode, &message, block);
		shim_forget_wiped();
		seal(driver);
		describe("a key of %zu bytes for the MAC, %s",
			 mac_key_lengths[i / 2],
			 i % 2 ? "decryption" : "encryption");
		check(shim_wiped(block, sizeof(block)));
		check(pad_is_wiped(block, 0x36));
		check(pad_is_wiped(block, 0x5c));

		hmac_inner_digest(mode, &message, sealed, inner);
		hmac_inner_state(mode, 2, state);
		shim_forget_wiped();
		check_equal(crypt_apart(driver, i % 2), 0);
		/* in the message of the outer hash, twice, too */
		check_equal(shim_wiped(inner, sizeof(inner)), 3);
		check(shim_wiped(sealed + message.text_bytes, TAG_MAX));
		if (i % 2 == 0 && sm4_aead_driver(driver->aead)->at_once &&
		    !strncmp(mode->name, "authenc(", 8))
			check(shim_wiped(state, sizeof(state)));
	}
}

/*
 * A step in the middle of a request's text fails, for want of memory. GCM then has
 * the mask of the tag, CCM the block that its MAC was to take in next, and authenc
 * what it has hashed, which is less than a block behind the key; but in decryption
 * it is done with that.
 */
static void test_failing_steps(const struct driver *driver)
{
	const struct mode *mode = find_mode(driver->name);
	/* too long for a buffer on the stack, which needs no steps */
	const size_t first = BLOCK + BLOCK / 2, bytes = 40 * BLOCK;
	u8 secret[TAG_MAX];

	shim_fail_copies();
	random_legal_message(driver, 20, bytes);
	if (is_authenc(mode))
		hmac_inner_state(mode, 0, secret);
	else if (is_ccm(mode))
		memcpy(secret, text, BLOCK);
	else
		aead_mask(mode, &message, secret);
	seal(driver);
	for (int decrypt = 0; decrypt <= 1; decrypt++) {
		struct aead_request request = { 0 };
		struct scatterlist sg[3];

		describe("%s", decrypt ? "decryption" : "encryption");
		if (decrypt)
			memcpy(text, sealed, bytes + message.tag_bytes);
		sg_init_table(sg, ARRAY_SIZE(sg));
		sg_set_buf(&sg[0], aad, message.aad_bytes);
		sg_set_buf(&sg[1], text, first);
		sg_set_buf(&sg[2], text + first,
			   bytes + message.tag_bytes - first);
		aead_request_set_tfm(&request, driver->aead);
		aead_request_set_crypt(&request, sg, sg,
				       bytes + (decrypt ? message.tag_bytes : 0),
				       message.iv);
		aead_request_set_ad(&request, message.aad_bytes);
		shim_forget_wiped();
		check_equal(decrypt ? crypto_aead_decrypt(&request) :
				      crypto_aead_encrypt(&request), -ENOMEM);
		check((is_authenc(mode) && decrypt) ||
		      shim_wiped(secret, is_authenc(mode) ? TAG_MAX : BLOCK));
	}
}

#define ALL	CRYPTO_ALG_TYPE_AEAD

static const struct driver_test tests[] = {
	{ "secrets wiped", test_wiping, ALL, false, masks_tags },
	{ "secrets of authenc wiped", test_authenc_wiping, ALL, false,
	  has_mac_key },
	{ "a step fails", test_failing_steps, ALL },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
