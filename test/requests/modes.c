// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* All modes (modes.h). An entry contains everything that is needed to try a mode. */
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <gcrypt.h>
#include <string.h>
#endif
#include "modes.h"

/* libgcrypt's name of a mode, which is not used in the kernel */
#ifdef __KERNEL__
#define GCRYPT(...)		.gcrypt_mode = 0
#define GCRYPT_CTS		GCRYPT()
#if IS_ENABLED(CONFIG_CRYPTO_GHASH)
#define GHASH_GENERIC		"ghash-generic"
#else
#define GHASH_GENERIC		"ghash-lib"
#endif
#if IS_ENABLED(CONFIG_CRYPTO_SM3_GENERIC)
#define SM3_GENERIC		"sm3-generic"
#else
#define SM3_GENERIC		"sm3-lib"
#endif
#else
#define GCRYPT(mode)		.gcrypt_mode = GCRY_CIPHER_MODE_##mode
#define GCRYPT_CTS		GCRYPT(CBC), .gcrypt_flags = GCRY_CIPHER_CBC_CTS
/* The names of mainline's GHASH and SM3 in C, which user space does not use */
#define GHASH_GENERIC		""
#define SM3_GENERIC		""
#endif

#define GCM_GENERIC	"gcm_base(ctr(sm4-generic)," GHASH_GENERIC ")"
#define CCM_GENERIC	"ccm_base(ctr(sm4-generic),cbcmac(sm4-generic))"
#define CBC_AND_HMAC	"(hmac(" SM3_GENERIC "),cbc(sm4-generic))"

#define TAG(bytes)	(1ULL << (bytes))
#define GCM_TAGS	(TAG(4) | TAG(8) | TAG(12) | TAG(13) | TAG(14) | TAG(15) | TAG(16))
#define CCM_TAGS	(TAG(4) | TAG(6) | TAG(8) | TAG(10) | TAG(12) | TAG(14) | TAG(16))
#define IPSEC_TAGS	(TAG(8) | TAG(12) | TAG(16))
#define AUTHENC_TAGS	(TAG(33) - TAG(1))
#define AUTHENCESN_TAGS	(TAG(33) - TAG(4))

const struct mode modes[] = {
	{ "sm4", "sm4-generic", CIPHER, 16, .granule = 16, .where = C_TIER, .block_bytes = 16,
	  GCRYPT(ECB) },
	{ "ecb(sm4)", "ecb(sm4-generic)", SKCIPHER, 16, .granule = 16, .block_bytes = 16,
	  GCRYPT(ECB) },
	{ "cbc(sm4)", "cbc(sm4-generic)", SKCIPHER, 16, .iv_bytes = 16, .granule = 16,
	  .left_iv = LAST_BLOCK, .block_bytes = 16, GCRYPT(CBC) },
	{ "cts(cbc(sm4))", "cts(cbc(sm4-generic))", SKCIPHER, 16, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, .left_iv = WHOLE_BLOCK, .block_bytes = 16, GCRYPT_CTS },
	{ "ctr(sm4)", "ctr(sm4-generic)", SKCIPHER, 16, .iv_bytes = 16, .granule = 1,
	  .left_iv = COUNTER, .block_bytes = 1, GCRYPT(CTR) },
	{ "xts(sm4)", "xts(ecb(sm4-generic))", SKCIPHER, 32, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, .block_bytes = 16, GCRYPT(XTS) },
	{ "gbt17964(xts(sm4))", "xts(ecb(sm4-generic))", SKCIPHER, 32, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, .mainline_differs = true, .block_bytes = 16,
	  .untested = true, GCRYPT(NONE) },
	{ "gcm(sm4)", GCM_GENERIC, AEAD, 16, .iv_bytes = 12, .granule = 1,
	  .tag_sizes = GCM_TAGS, .where = WITH_GCM, .block_bytes = 1, GCRYPT(GCM) },
	{ "rfc4106(gcm(sm4))", "rfc4106(" GCM_GENERIC ")", AEAD, 20, 4, 8, .granule = 1,
	  .tag_sizes = IPSEC_TAGS, .is_ipsec = true, .where = WITH_GCM, .block_bytes = 1,
	  .untested = true, GCRYPT(GCM) },
	{ "ccm(sm4)", CCM_GENERIC, AEAD, 16, .iv_bytes = 16, .granule = 1,
	  .tag_sizes = CCM_TAGS, .block_bytes = 1, GCRYPT(CCM) },
	{ "rfc4309(ccm(sm4))", "rfc4309(" CCM_GENERIC ")", AEAD, 19, 3, 8, .granule = 1,
	  .tag_sizes = IPSEC_TAGS, .is_ipsec = true, .block_bytes = 1, .untested = true,
	  GCRYPT(CCM) },
	{ "authenc(hmac(sm3),cbc(sm4))", "authenc" CBC_AND_HMAC, AEAD, .iv_bytes = 16,
	  .granule = 16, .tag_sizes = AUTHENC_TAGS, .block_bytes = 16, .untested = true,
	  GCRYPT(CBC) },
	{ "authencesn(hmac(sm3),cbc(sm4))", "authencesn" CBC_AND_HMAC, AEAD, .iv_bytes = 16,
	  .granule = 16, .tag_sizes = AUTHENCESN_TAGS, .is_esn = true, .block_bytes = 16,
	  .untested = true, GCRYPT(CBC) },
	{ "cmac(sm4)", "cmac(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1,
	  .where = WITH_CHAINS, .block_bytes = 16 },
	{ "xcbc(sm4)", "xcbc(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1,
	  .where = WITH_CHAINS, .block_bytes = 16 },
	/* From Linux 6.16 on, a block of it has 16 bytes. */
	{ "cbcmac(sm4)", "cbcmac(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1,
	  .where = WITH_CHAINS, .block_bytes = 1 },
	{ "sm3", SM3_GENERIC, MAC, .digest_bytes = 32, .granule = 1, .where = BY_SM3,
	  .block_bytes = 64 },
};

const unsigned int mode_count = sizeof(modes) / sizeof(modes[0]);

const struct mode *mode_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < mode_count; i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}
