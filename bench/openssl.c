// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * OpenSSL, by its public interface. It has one implementation for x86-64 CPUs
 * without SM4 instructions. Its XTS needs a parameter for the form of tweaks. CCM
 * needs all lengths before the text, and to decrypt, the tag first.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include "library.h"

static const struct {
	const char *name;
	bool decrypts;
	const char *xts_standard;
} modes[MODES] = {
	[ECB_ENCRYPT] = { "SM4-ECB", false },
	[CBC_ENCRYPT] = { "SM4-CBC", false },
	[CBC_DECRYPT] = { "SM4-CBC", true },
	[CTR_ENCRYPT] = { "SM4-CTR", false },
	[XTS_ENCRYPT] = { "SM4-XTS", false, "IEEE" },
	[XTS_DECRYPT] = { "SM4-XTS", true, "IEEE" },
	[XTS_GB_ENCRYPT] = { "SM4-XTS", false, "GB" },
	[XTS_GB_DECRYPT] = { "SM4-XTS", true, "GB" },
	[GCM_SEAL] = { "SM4-GCM", false },
	[GCM_OPEN] = { "SM4-GCM", true },
	[CCM_SEAL] = { "SM4-CCM", false },
	[CCM_OPEN] = { "SM4-CCM", true },
};

static EVP_CIPHER_CTX *context;
static bool is_gcm, is_ccm, decrypts;
static EVP_MD_CTX *hash;
static EVP_MAC_CTX *mac;

static void check(int success)
{
	if (success <= 0)
		die("%s", ERR_error_string(ERR_get_error(), NULL));
}

static const char *tier_name(unsigned int i)
{
	return i ? NULL : "generic";
}

static enum instructions tier_instructions(unsigned int i)
{
	(void)i;
	return BASELINE;
}

static bool tier_usable(unsigned int i)
{
	(void)i;
	return true;
}

static void start(unsigned int i)
{
	(void)i;
	context = EVP_CIPHER_CTX_new();
	check(!!context);
}

static void set_mac_key(const uint8_t *key)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	OSSL_PARAM digest[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
						 (char *)"SM3", 0),
		OSSL_PARAM_construct_end(),
	};

	check(!!hmac);
	mac = EVP_MAC_CTX_new(hmac);
	check(mac && EVP_MAC_init(mac, key, MAC_KEY_SIZE, digest));
	EVP_MAC_free(hmac);
}

static bool set_key(enum mode index, const uint8_t *key)
{
	EVP_CIPHER *cipher;
	const char *standard = modes[index].xts_standard;
	OSSL_PARAM xts[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_XTS_STANDARD,
						 (char *)standard, 0),
		OSSL_PARAM_construct_end(),
	};

	EVP_MD_CTX_free(hash);
	hash = NULL;
	EVP_MAC_CTX_free(mac);
	mac = NULL;
	if (index == SM3_HASH) {
		hash = EVP_MD_CTX_new();
		check(hash && EVP_DigestInit_ex2(hash, EVP_sm3(), NULL));
		return true;
	}
	if (index == SM3_HMAC) {
		set_mac_key(key);
		return true;
	}
	if (!modes[index].name)
		return false;
	cipher = EVP_CIPHER_fetch(NULL, modes[index].name, NULL);
	if (!cipher)
		return false;
	is_gcm = index == GCM_SEAL || index == GCM_OPEN;
	is_ccm = index == CCM_SEAL || index == CCM_OPEN;
	decrypts = modes[index].decrypts;
	check(EVP_CipherInit_ex2(context, cipher, NULL, NULL, !decrypts,
				 standard ? xts : NULL));
	if (is_ccm) {
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN,
					  CCM_NONCE_SIZE, NULL));
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG,
					  CCM_TAG_SIZE, NULL));
	}
	check(EVP_CipherInit_ex2(context, NULL, key, NULL, -1, NULL));
	EVP_CIPHER_CTX_set_padding(context, 0);
	EVP_CIPHER_free(cipher);
	return true;
}

static void crypt(const uint8_t *iv, uint8_t *dst, const uint8_t *src,
		  size_t bytes)
{
	size_t mac_size;
	int done;

	if (mac) {
		check(EVP_MAC_init(mac, NULL, 0, NULL));
		check(EVP_MAC_update(mac, src, bytes));
		check(EVP_MAC_final(mac, dst, &mac_size, DIGEST_SIZE));
		return;
	}
	if (hash) {
		check(EVP_DigestInit_ex2(hash, NULL, NULL));
		check(EVP_DigestUpdate(hash, src, bytes));
		check(EVP_DigestFinal_ex(hash, dst, NULL));
		return;
	}
	check(EVP_CipherInit_ex2(context, NULL, NULL, iv, -1, NULL));
	if (is_ccm && decrypts)
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG,
					  CCM_TAG_SIZE, (void *)(src + bytes)));
	if (is_ccm)
		check(EVP_CipherUpdate(context, NULL, &done, NULL, bytes));
	check(EVP_CipherUpdate(context, dst, &done, src, bytes));
	if (is_ccm && !decrypts)
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG,
					  CCM_TAG_SIZE, dst + bytes));
	if (!is_gcm)
		return;
	if (decrypts)
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG,
					  GCM_TAG_SIZE, (void *)(src + bytes)));
	check(EVP_CipherFinal_ex(context, dst + bytes, &done));
	if (!decrypts)
		check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG,
					  GCM_TAG_SIZE, dst + bytes));
}

const struct library library = {
	.name = "openssl",
	.tier_name = tier_name,
	.instructions = tier_instructions,
	.usable = tier_usable,
	.start = start,
	.set_key = set_key,
	.crypt = crypt,
};
