// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A library made of tiers: the module's own drivers on each tier, in user space, called as the
 * crypto API calls them, with one entry in each scatterlist. HMAC is that of authenc, with the
 * message as associated data. Several messages at once are what sm4-fast-lanes.c makes of
 * requests that come together.
 */
#include <stdarg.h>
#include <crypto/authenc.h>
#include "case.h"
#include "authenc/sm4-authenc.h"
#include "core/sm4-fast-modes.h"
#include "seam.h"
#include "shim/control.h"

/* A mode: the beginning of its drivers' names, and the function of a tier that it is made of */
static const struct seam_mode {
	const char *driver;
	enum sm4_mode_type type;
	enum sm4_operation operation;
	bool decrypts;
} seam_modes[MODES] = {
	[ECB_ENCRYPT] = { "ecb-sm4-", SM4_SKCIPHER, SM4_ECB },
	[CBC_ENCRYPT] = { "cbc-sm4-", SM4_SKCIPHER, SM4_CBC_ENCRYPT },
	[CBC_DECRYPT] = { "cbc-sm4-", SM4_SKCIPHER, SM4_CBC_DECRYPT, true },
	[CTR_ENCRYPT] = { "ctr-sm4-", SM4_SKCIPHER, SM4_CTR },
	[XTS_ENCRYPT] = { "xts-sm4-", SM4_SKCIPHER, SM4_XTS },
	[XTS_DECRYPT] = { "xts-sm4-", SM4_SKCIPHER, SM4_XTS, true },
	[XTS_GB_ENCRYPT] = { "gbt17964-xts-sm4-", SM4_SKCIPHER, SM4_XTS_GB },
	[XTS_GB_DECRYPT] = { "gbt17964-xts-sm4-", SM4_SKCIPHER, SM4_XTS_GB, true },
	[GCM_SEAL] = { "gcm-sm4-", SM4_AEAD, SM4_CTR },
	[GCM_OPEN] = { "gcm-sm4-", SM4_AEAD, SM4_CTR, true },
	[CCM_SEAL] = { "ccm-sm4-", SM4_AEAD, SM4_CTR },
	[CCM_OPEN] = { "ccm-sm4-", SM4_AEAD, SM4_CTR, true },
	[SM3_HASH] = { "", SM4_HASH },
	[SM3_HMAC] = { "authenc-hmac-sm3-cbc-sm4-", SM4_AEAD, SM4_CBC_ENCRYPT },
	[AUTHENC_SEAL] = { "authenc-hmac-sm3-cbc-sm4-", SM4_AEAD, SM4_CBC_ENCRYPT },
	[AUTHENC_OPEN] = { "authenc-hmac-sm3-cbc-sm4-", SM4_AEAD, SM4_CBC_DECRYPT, true },
};

static const struct sm4_tier *tier;
static const struct sm3_tier *sm3_tier;
static enum mode mode;
static void *transforms[MODES];

static bool hashes(enum mode mode)
{
	return mode == SM3_HASH || mode == SM3_HMAC || mode == AUTHENC_SEAL ||
	       mode == AUTHENC_OPEN;
}

static void must(int err)
{
	if (err)
		die("%s: error %d", tier->base.name, err);
}

/* ---- several messages at once ---- */

static void authenc_burst(const u8 *iv, struct packet *packets,
			  size_t bytes, unsigned int count)
{
	struct sm4_authenc_request requests[BURST], *all[BURST];
	struct scatterlist lists[BURST];
	struct aead_request reqs[BURST];
	static struct sm4_lanes_work *work;
	u8 ivs[BURST][BLOCK_SIZE];
	unsigned int i;

	if (!work)
		work = kzalloc(sm4_lanes_work_size, GFP_KERNEL);
	for (i = 0; i < count; i++) {
		memcpy(ivs[i], iv, BLOCK_SIZE);
		sg_init_one(&lists[i], packets[i].bytes, bytes + AUTHENC_TAG_SIZE);
		aead_request_set_tfm(&reqs[i], transforms[AUTHENC_SEAL]);
		aead_request_set_callback(&reqs[i], 0, NULL, NULL);
		aead_request_set_crypt(&reqs[i], &lists[i], &lists[i], bytes,
				       ivs[i]);
		aead_request_set_ad(&reqs[i], 0);
		if (sm4_authenc_begin(&requests[i], &reqs[i], false))
			die("%s: a request is refused", tier->base.name);
		all[i] = &requests[i];
	}
	sm4_lanes_crypt(work, all, count);
	for (i = 0; i < count; i++)
		if (requests[i].err)
			die("%s: error %d", tier->base.name, requests[i].err);
}

/* ---- one message ---- */

static bool is_of_module(const struct sm4_tier *tier)
{
	unsigned int i;

	for (i = 0; sm4_tiers[i]; i++)
		if (&tier->base == sm4_tiers[i])
			return true;
	return false;
}

/* If a tier of the module has no CBC-MAC, use the C tier's. */
static bool has_ccm(const struct sm4_tier *tier)
{
	return is_of_module(tier) || tier->cbc_mac;
}

static bool has_mode(enum mode mode)
{
	if (hashes(mode) && !sm3_tier)
		return false;
	if (mode == GCM_SEAL || mode == GCM_OPEN)
		return sm4_tier_has_gcm(tier);
	if (mode == CCM_SEAL || mode == CCM_OPEN)
		return has_ccm(tier);
	return mode == SM3_HASH || mode == SM3_HMAC ||
	       tier->crypt[seam_modes[mode].operation];
}

static void set_authenc_key(struct crypto_aead *tfm, const u8 *key)
{
	struct {
		struct rtattr head;
		__be32 cipher_key_bytes;
		u8 keys[MAC_KEY_SIZE + KEY_SIZE];
	} both = {
		.head = {
			.rta_len = offsetof(typeof(both), keys),
			.rta_type = CRYPTO_AUTHENC_KEYA_PARAM,
		},
		.cipher_key_bytes = cpu_to_be32(KEY_SIZE),
	};

	memcpy(both.keys, key, MAC_KEY_SIZE);
	if (mode != SM3_HMAC)
		memcpy(both.keys + MAC_KEY_SIZE, key + MAC_KEY_SIZE, KEY_SIZE);
	must(crypto_aead_setkey(tfm, (u8 *)&both, sizeof(both)));
	must(crypto_aead_setauthsize(tfm, mode == SM3_HMAC ? DIGEST_SIZE :
							      AUTHENC_TAG_SIZE));
}

static void crypt_skcipher(const u8 *iv, struct scatterlist *src,
			   struct scatterlist *dst, size_t bytes)
{
	u8 next_iv[BLOCK_SIZE];
	struct skcipher_request req;

	memcpy(next_iv, iv, sizeof(next_iv));
	skcipher_request_set_tfm(&req, transforms[mode]);
	skcipher_request_set_callback(&req, 0, NULL, NULL);
	skcipher_request_set_crypt(&req, src, dst, bytes, next_iv);
	must(seam_modes[mode].decrypts ? crypto_skcipher_decrypt(&req) :
					  crypto_skcipher_encrypt(&req));
}

/* The IV of CCM begins with the size of the length, less one. */
static void crypt_aead(const u8 *iv, struct scatterlist *src,
		       struct scatterlist *dst, size_t aad_bytes, size_t bytes)
{
	bool is_ccm = mode == CCM_SEAL || mode == CCM_OPEN;
	u8 own_iv[BLOCK_SIZE] = { BLOCK_SIZE - 2 - CCM_NONCE_SIZE };
	struct aead_request req;

	memcpy(own_iv + is_ccm, iv, hashes(mode) ? BLOCK_SIZE : GCM_IV_SIZE);
	aead_request_set_tfm(&req, transforms[mode]);
	aead_request_set_callback(&req, 0, NULL, NULL);
	aead_request_set_crypt(&req, src, dst, bytes, own_iv);
	aead_request_set_ad(&req, aad_bytes);
	must(seam_modes[mode].decrypts ? crypto_aead_decrypt(&req) :
					  crypto_aead_encrypt(&req));
}

static void hash_hmac(u8 *dst, const u8 *src, size_t bytes)
{
	struct scatterlist text, copy[2];
	u8 iv[BLOCK_SIZE] = {}, mac[DIGEST_SIZE];

	sg_init_one(&text, src, bytes);
	sg_init_table(copy, ARRAY_SIZE(copy));
	sg_set_buf(&copy[0], dst, bytes);
	sg_set_buf(&copy[1], mac, sizeof(mac));
	crypt_aead(iv, &text, copy, bytes, 0);
	memcpy(dst, mac, sizeof(mac));
}

static void hash_sm3(u8 *dst, const u8 *src, size_t bytes)
{
	union {
		struct shash_desc desc;
		u8 with_context[sizeof(struct shash_desc) + sizeof(struct sm3_message)];
	} of;

	of.desc.tfm = transforms[mode];
	if (crypto_shash_descsize(transforms[mode]) > sizeof(struct sm3_message))
		die("the state of SM3 has grown");
	must(crypto_shash_digest(&of.desc, src, bytes, dst));
}

const char *seam_tier_name(unsigned int i)
{
	return seam_tier(i) ? seam_tier(i)->base.name : NULL;
}

static bool needs(const struct sm4_tier *tier, u16 feature)
{
	int i;

	for (i = 0; i < SM4_TIER_FEATURES && tier->base.features[i]; i++)
		if (tier->base.features[i] == feature)
			return true;
	return false;
}

enum instructions seam_instructions(unsigned int i)
{
	const struct sm4_tier *tier = seam_tier(i);

	if (needs(tier, SM4_FEATURE_INTEL_SM4))
		return SM4_AVX2;
	if (needs(tier, X86_FEATURE_AVX512BW))
		return needs(tier, X86_FEATURE_GFNI) ? GFNI_AVX512 : AVX512;
	if (needs(tier, X86_FEATURE_GFNI))
		return GFNI_AVX2;
	if (needs(tier, X86_FEATURE_AVX2))
		return AVX2;
	return needs(tier, X86_FEATURE_AVX) ? AVX : BASELINE;
}

bool seam_usable(unsigned int i)
{
	return sm4_tier_usable(&seam_tier(i)->base);
}

static void register_modes(const struct sm4_mode *modes)
{
	must(sm4_register_modes(modes, tier, sm3_tier ?: &sm3_generic));
}

void seam_start(unsigned int i)
{
	tier = seam_tier(i);
	sm4_detect_tiers();
	sm3_tier = seam_sm3_tier(tier);
	shim_set_steps_cross_pages(true);
	register_modes(sm4_skcipher_modes);
	register_modes(sm4_aead_modes);
	register_modes(sm4_authenc_modes);
	if (sm3_tier)
		must(sm4_register_modes(sm3_modes, NULL, sm3_tier));
}

bool seam_set_key(enum mode index, const u8 *key)
{
	char name[CRYPTO_MAX_ALG_NAME];

	if (!has_mode(index))
		return false;
	mode = index;
	if (!transforms[mode]) {
		snprintf(name, sizeof(name), "%s%s-fast", seam_modes[mode].driver,
			 mode == SM3_HASH ? sm3_tier->base.name : tier->base.name);
		transforms[mode] = shim_allocate_transform(name);
	}
	if (mode == SM3_HASH)
		return true;
	if (hashes(mode)) {
		set_authenc_key(transforms[mode], key);
	} else if (seam_modes[mode].type == SM4_SKCIPHER) {
		bool is_xts = mode >= XTS_ENCRYPT && mode <= XTS_GB_DECRYPT;

		must(crypto_skcipher_setkey(transforms[mode], key,
					    is_xts ? 2 * KEY_SIZE : KEY_SIZE));
	} else {
		must(crypto_aead_setkey(transforms[mode], key, KEY_SIZE));
		must(crypto_aead_setauthsize(transforms[mode], GCM_TAG_SIZE));
	}
	return true;
}

void seam_crypt(const u8 *iv, u8 *dst, const u8 *src, size_t bytes)
{
	const bool decrypts = seam_modes[mode].decrypts;
	struct scatterlist in, out;

	if (mode == SM3_HASH) {
		hash_sm3(dst, src, bytes);
	} else if (mode == SM3_HMAC) {
		hash_hmac(dst, src, bytes);
	} else if (seam_modes[mode].type == SM4_SKCIPHER) {
		sg_init_one(&in, src, bytes);
		sg_init_one(&out, dst, bytes);
		crypt_skcipher(iv, &in, src == dst ? &in : &out, bytes);
	} else {
		size_t with_tag = bytes + GCM_TAG_SIZE;

		sg_init_one(&in, src, with_tag);
		sg_init_one(&out, dst, with_tag);
		crypt_aead(iv, &in, src == dst ? &in : &out, 0,
			   decrypts ? with_tag : bytes);
	}
}

bool seam_crypt_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count)
{
	if (mode != AUTHENC_SEAL || !tier->cbc_encrypt_lanes)
		return false;
	authenc_burst(iv, packets, bytes, count);
	return true;
}

/* Functions that the shim needs from its user */

void fail_case(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

unsigned int random_below(unsigned int limit)
{
	return limit - 1;
}
