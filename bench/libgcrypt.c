// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * libgcrypt, by its public interface. It is told which hardware features not to
 * use, before anything else; this selects one of its implementations.
 */
#include <gcrypt.h>
#include <string.h>
#include "library.h"

static const struct {
	const char *name;
	enum instructions instructions;
	const char *without;
} tiers[] = {
	{ "generic", BASELINE, "all" },
	{ "aesni-avx", AVX, "intel-avx512,intel-gfni,intel-avx2" },
	{ "aesni-avx2", AVX2, "intel-avx512,intel-gfni" },
	{ "gfni-avx2", GFNI_AVX2, "intel-avx512" },
	{ "gfni-avx512", GFNI_AVX512, NULL },
};

static const struct {
	int mode;
	bool decrypts;
} modes[MODES] = {
	[ECB_ENCRYPT] = { GCRY_CIPHER_MODE_ECB, false },
	[CBC_ENCRYPT] = { GCRY_CIPHER_MODE_CBC, false },
	[CBC_DECRYPT] = { GCRY_CIPHER_MODE_CBC, true },
	[CTR_ENCRYPT] = { GCRY_CIPHER_MODE_CTR, false },
	[XTS_ENCRYPT] = { GCRY_CIPHER_MODE_XTS, false },
	[XTS_DECRYPT] = { GCRY_CIPHER_MODE_XTS, true },
	[XTS_GB_ENCRYPT] = { GCRY_CIPHER_MODE_NONE },
	[XTS_GB_DECRYPT] = { GCRY_CIPHER_MODE_NONE },
	[GCM_SEAL] = { GCRY_CIPHER_MODE_GCM, false },
	[GCM_OPEN] = { GCRY_CIPHER_MODE_GCM, true },
	[CCM_SEAL] = { GCRY_CIPHER_MODE_CCM, false },
	[CCM_OPEN] = { GCRY_CIPHER_MODE_CCM, true },
	[SM3_HASH] = { GCRY_CIPHER_MODE_NONE },
	[SM3_HMAC] = { GCRY_CIPHER_MODE_NONE },
	[AUTHENC_SEAL] = { GCRY_CIPHER_MODE_NONE },
	[AUTHENC_OPEN] = { GCRY_CIPHER_MODE_NONE },
};

static gcry_cipher_hd_t cipher;
static gcry_md_hd_t hash;
static int mode;
static bool decrypts;

static void check(gcry_error_t error)
{
	if (error)
		die("%s", gcry_strerror(error));
}

static const char *tier_name(unsigned int i)
{
	return i < sizeof(tiers) / sizeof(tiers[0]) ? tiers[i].name : NULL;
}

static enum instructions tier_instructions(unsigned int i)
{
	return tiers[i].instructions;
}

static bool tier_usable(unsigned int i)
{
	return cpu_has_instructions(tiers[i].instructions);
}

static void start(unsigned int i)
{
	if (tiers[i].without)
		check(gcry_control(GCRYCTL_DISABLE_HWF, tiers[i].without,
				   NULL));
	if (!gcry_check_version(GCRYPT_VERSION))
		die("the library is older than its header file");
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static bool set_key(enum mode index, const uint8_t *key)
{
	mode = modes[index].mode;
	decrypts = modes[index].decrypts;
	gcry_md_close(hash);
	hash = NULL;
	if (index == SM3_HASH) {
		check(gcry_md_open(&hash, GCRY_MD_SM3, 0));
		return true;
	}
	if (index == SM3_HMAC) {
		check(gcry_md_open(&hash, GCRY_MD_SM3, GCRY_MD_FLAG_HMAC));
		check(gcry_md_setkey(hash, key, MAC_KEY_SIZE));
		return true;
	}
	if (mode == GCRY_CIPHER_MODE_NONE)
		return false;
	gcry_cipher_close(cipher);
	check(gcry_cipher_open(&cipher, GCRY_CIPHER_SM4, mode, 0));
	check(gcry_cipher_setkey(cipher, key, mode == GCRY_CIPHER_MODE_XTS ?
				 2 * KEY_SIZE : KEY_SIZE));
	return true;
}

static void set_iv(const uint8_t *iv, size_t bytes)
{
	uint64_t ccm_lengths[] = { bytes, 0, CCM_TAG_SIZE };

	switch (mode) {
	case GCRY_CIPHER_MODE_ECB:
		break;
	case GCRY_CIPHER_MODE_CTR:
		check(gcry_cipher_setctr(cipher, iv, BLOCK_SIZE));
		break;
	case GCRY_CIPHER_MODE_GCM:
		check(gcry_cipher_setiv(cipher, iv, GCM_IV_SIZE));
		break;
	case GCRY_CIPHER_MODE_CCM:
		check(gcry_cipher_setiv(cipher, iv, CCM_NONCE_SIZE));
		check(gcry_cipher_ctl(cipher, GCRYCTL_SET_CCM_LENGTHS,
				      ccm_lengths, sizeof(ccm_lengths)));
		break;
	default:
		check(gcry_cipher_setiv(cipher, iv, BLOCK_SIZE));
	}
}

static void crypt(const uint8_t *iv, uint8_t *dst, const uint8_t *src,
		  size_t bytes)
{
	if (hash) {
		gcry_md_reset(hash);
		gcry_md_write(hash, src, bytes);
		memcpy(dst, gcry_md_read(hash, GCRY_MD_SM3), DIGEST_SIZE);
		return;
	}
	set_iv(iv, bytes);
	if (decrypts)
		check(gcry_cipher_decrypt(cipher, dst, bytes, src, bytes));
	else
		check(gcry_cipher_encrypt(cipher, dst, bytes, src, bytes));
	if (mode != GCRY_CIPHER_MODE_GCM && mode != GCRY_CIPHER_MODE_CCM)
		return;
	if (decrypts)
		check(gcry_cipher_checktag(cipher, src + bytes, GCM_TAG_SIZE));
	else
		check(gcry_cipher_gettag(cipher, dst + bytes, GCM_TAG_SIZE));
}

const struct library library = {
	.name = "libgcrypt",
	.tier_name = tier_name,
	.instructions = tier_instructions,
	.usable = tier_usable,
	.start = start,
	.set_key = set_key,
	.crypt = crypt,
};
