// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The block cipher "sm4", for templates such as xctr. Vectors make single blocks no faster, so
 * only the C tier has it.
 */
#include <linux/module.h>
#include "../core/sm4-fast-modes.h"

/*
 * Below the kernel's sm4-generic (100): our tables of 2 KiB leak more through the cache than
 * its table of 256 bytes.
 */
#define SM4_CIPHER_PRIORITY	90

/* The kernel has checked the length. */
static int sm4_cipher_set_key(struct crypto_tfm *tfm, const u8 *key,
			      unsigned int keylen)
{
	sm4_set_key(&sm4_ttable, crypto_tfm_ctx(tfm), key);
	return 0;
}

static void sm4_cipher_encrypt(struct crypto_tfm *tfm, u8 *dst, const u8 *src)
{
	const struct sm4_key *key = crypto_tfm_ctx(tfm);

	sm4_ttable.crypt[SM4_ECB](&key->enc, dst, src, NULL, SM4_BLOCK_SIZE);
}

static void sm4_cipher_decrypt(struct crypto_tfm *tfm, u8 *dst, const u8 *src)
{
	const struct sm4_key *key = crypto_tfm_ctx(tfm);

	sm4_ttable.crypt[SM4_ECB](&key->dec, dst, src, NULL, SM4_BLOCK_SIZE);
}

static bool sm4_cipher_offers(const struct sm4_tier *tier)
{
	return tier == &sm4_ttable;
}

static int sm4_cipher_priority(const struct sm4_tier *tier)
{
	return SM4_CIPHER_PRIORITY;
}

const struct sm4_mode sm4_cipher_modes[] = {
	{
		.type = SM4_CIPHER,
		.offers = sm4_cipher_offers,
		.priority = sm4_cipher_priority,
		.cipher.cra_name = "sm4",
		.cipher.cra_driver_name = "sm4",
		.cipher.cra_flags = CRYPTO_ALG_TYPE_CIPHER,
		.cipher.cra_blocksize = SM4_BLOCK_SIZE,
		.cipher.cra_ctxsize = sizeof(struct sm4_key),
		.cipher.cra_cipher = {
			.cia_min_keysize = SM4_KEY_SIZE,
			.cia_max_keysize = SM4_KEY_SIZE,
			.cia_setkey = sm4_cipher_set_key,
			.cia_encrypt = sm4_cipher_encrypt,
			.cia_decrypt = sm4_cipher_decrypt,
		},
	},
	{}
};

MODULE_ALIAS_CRYPTO("sm4");
MODULE_ALIAS_CRYPTO("sm4-*-fast");
