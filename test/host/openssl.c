// SPDX-License-Identifier: GPL-2.0
/* The right answers (reference.h), by OpenSSL. */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include "case.h"
#include "reference.h"
#include "shim/linux.h"

static void openssl_must(int success)
{
	if (success <= 0)
		fail_case("OpenSSL refused what the test asked for");
}

void need_openssl(const char *name)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);

	if (!cipher)
		skip_case("OpenSSL %s has no %s (3.2 and later have)",
			  OpenSSL_version(OPENSSL_FULL_VERSION_STRING), name);
	EVP_CIPHER_free(cipher);
}

static void openssl_skcipher(const struct skcipher_mode *mode, const u8 *key,
			     const u8 *iv, u8 *dst, const u8 *src, size_t bytes)
{
	OSSL_PARAM xts[] = {
		OSSL_PARAM_construct_utf8_string("xts_standard",
						 (char *)mode->xts_standard, 0),
		OSSL_PARAM_construct_end(),
	};
	OSSL_PARAM none[] = { OSSL_PARAM_construct_end() };
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, mode->openssl, NULL);
	EVP_CIPHER_CTX *context;
	int written;

	context = EVP_CIPHER_CTX_new();
	openssl_must(EVP_EncryptInit_ex2(context, cipher, key, iv,
					 mode->xts_standard ? xts : none));
	openssl_must(EVP_CIPHER_CTX_set_padding(context, 0));
	if (bytes)
		openssl_must(EVP_EncryptUpdate(context, dst, &written, src,
					       bytes));
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

static void openssl_authenc(const struct aead_mode *mode,
			    const struct aead_message *message, u8 *dst)
{
	struct authenc_parts parts = authenc_parts(mode, message, dst);
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
						 (char *)"SM3", 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
	u8 tag[TAG_MAX];
	size_t i, written;

	openssl_skcipher(find_skcipher_mode("cbc(sm4)"), parts.key, message->iv,
			 dst, message->text, message->text_bytes);
	openssl_must(EVP_MAC_init(context, parts.mac_key, parts.mac_key_bytes,
				  parameters));
	for (i = 0; i < ARRAY_SIZE(parts.part); i++)
		openssl_must(EVP_MAC_update(context, parts.part[i].start,
					    parts.part[i].bytes));
	openssl_must(EVP_MAC_final(context, tag, &written, sizeof(tag)));
	memcpy(dst + message->text_bytes, tag, message->tag_bytes);
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(hmac);
}

static void openssl_masked_aead(const struct aead_mode *mode,
				const struct aead_message *message, u8 *dst)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, mode->openssl, NULL);
	u8 nonce[BLOCK];
	size_t nonce_bytes = aead_nonce(mode, message, nonce);
	EVP_CIPHER_CTX *context;
	int written;

	context = EVP_CIPHER_CTX_new();
	openssl_must(EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL));
	openssl_must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN,
					 nonce_bytes, NULL));
	if (is_ccm(mode))
		openssl_must(EVP_CIPHER_CTX_ctrl(context,
						 EVP_CTRL_AEAD_SET_TAG,
						 message->tag_bytes, NULL));
	openssl_must(EVP_EncryptInit_ex2(context, NULL, message->key, nonce,
					 NULL));
	if (is_ccm(mode))
		openssl_must(EVP_EncryptUpdate(context, NULL, &written, NULL,
					       message->text_bytes));
	if (authenticated_bytes(mode, message))
		openssl_must(EVP_EncryptUpdate(context, NULL, &written,
					       message->aad,
					       authenticated_bytes(mode,
								   message)));
	openssl_must(EVP_EncryptUpdate(context, dst, &written, message->text,
				       message->text_bytes));
	openssl_must(EVP_EncryptFinal_ex(context, dst + message->text_bytes,
					 &written));
	openssl_must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG,
					 message->tag_bytes,
					 dst + message->text_bytes));
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

static void openssl_aead(const struct aead_mode *mode,
			 const struct aead_message *message, u8 *dst)
{
	if (is_authenc(mode))
		openssl_authenc(mode, message, dst);
	else
		openssl_masked_aead(mode, message, dst);
}

static void openssl_mac(const struct mac_mode *mode, const u8 *key,
			const u8 *message, size_t bytes, u8 *mac)
{
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER,
						 (char *)mode->openssl, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *cmac = EVP_MAC_fetch(NULL, "CMAC", NULL);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(cmac);
	size_t written;

	openssl_must(EVP_MAC_init(context, key, BLOCK, parameters));
	openssl_must(EVP_MAC_update(context, message, bytes));
	openssl_must(EVP_MAC_final(context, mac, &written, BLOCK));
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(cmac);
}

static void openssl_hash(const u8 *message, size_t bytes, u8 *digest)
{
	openssl_must(EVP_Digest(message, bytes, digest, NULL, EVP_sm3(), NULL));
}

const struct reference openssl = {
	openssl_skcipher, openssl_aead, openssl_mac, openssl_hash,
};
