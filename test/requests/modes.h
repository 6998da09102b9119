/* SPDX-License-Identifier: GPL-2.0 */
/* All modes. An entry contains everything that is needed to try a mode. */
#ifndef TEST_REQUESTS_MODES_H
#define TEST_REQUESTS_MODES_H

#include "mode.h"

/* libgcrypt's name of a mode, which is not used in the kernel */
#ifdef __KERNEL__
#define GCRYPT(...)		.gcrypt_mode = 0
#define GCRYPT_CTS		GCRYPT()
#else
#define GCRYPT(mode)		.gcrypt_mode = GCRY_CIPHER_MODE_##mode
#define GCRYPT_CTS		GCRYPT(CBC), .gcrypt_flags = GCRY_CIPHER_CBC_CTS
/* Names of mainline's code, which the kernel's module defines; user space does not use them. */
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

static const struct mode modes[] = {
	{ "sm4", "sm4-generic", CIPHER, 16, .granule = 16, GCRYPT(ECB) },
	{ "ecb(sm4)", "ecb(sm4-generic)", SKCIPHER, 16, .granule = 16, GCRYPT(ECB) },
	{ "cbc(sm4)", "cbc(sm4-generic)", SKCIPHER, 16, .iv_bytes = 16, .granule = 16,
	  .chains = true, GCRYPT(CBC) },
	{ "cts(cbc(sm4))", "cts(cbc(sm4-generic))", SKCIPHER, 16, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, GCRYPT_CTS },
	{ "ctr(sm4)", "ctr(sm4-generic)", SKCIPHER, 16, .iv_bytes = 16, .granule = 1,
	  .chains = true, GCRYPT(CTR) },
	{ "xts(sm4)", "xts(ecb(sm4-generic))", SKCIPHER, 32, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, GCRYPT(XTS) },
	/* Mainline lacks it: its XTS refuses the same requests, but gives other results. */
	{ "gbt17964(xts(sm4))", "xts(ecb(sm4-generic))", SKCIPHER, 32, .iv_bytes = 16,
	  .smallest = 16, .granule = 1, GCRYPT(NONE) },
	{ "gcm(sm4)", GCM_GENERIC, AEAD, 16, .iv_bytes = 12, .granule = 1,
	  .tag_sizes = GCM_TAGS, GCRYPT(GCM) },
	{ "rfc4106(gcm(sm4))", "rfc4106(" GCM_GENERIC ")", AEAD, 20, 4, 8, .granule = 1,
	  .tag_sizes = IPSEC_TAGS, .is_ipsec = true, GCRYPT(GCM) },
	{ "ccm(sm4)", CCM_GENERIC, AEAD, 16, .iv_bytes = 16, .granule = 1,
	  .tag_sizes = CCM_TAGS, GCRYPT(CCM) },
	{ "rfc4309(ccm(sm4))", "rfc4309(" CCM_GENERIC ")", AEAD, 19, 3, 8, .granule = 1,
	  .tag_sizes = IPSEC_TAGS, .is_ipsec = true, GCRYPT(CCM) },
	{ "authenc(hmac(sm3),cbc(sm4))", "authenc" CBC_AND_HMAC, AEAD, .iv_bytes = 16,
	  .granule = 16, .tag_sizes = AUTHENC_TAGS, GCRYPT(CBC) },
	{ "authencesn(hmac(sm3),cbc(sm4))", "authencesn" CBC_AND_HMAC, AEAD, .iv_bytes = 16,
	  .granule = 16, .tag_sizes = AUTHENCESN_TAGS, .is_esn = true, GCRYPT(CBC) },
	{ "cmac(sm4)", "cmac(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1 },
	{ "xcbc(sm4)", "xcbc(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1 },
	{ "cbcmac(sm4)", "cbcmac(sm4-generic)", MAC, 16, .digest_bytes = 16, .granule = 1 },
	{ "sm3", SM3_GENERIC, MAC, .digest_bytes = 32, .granule = 1 },
};

#endif
