// SPDX-License-Identifier: GPL-2.0
/*
 * The modes with authentication: gcm, rfc4106(gcm), ccm, rfc4309(ccm).
 *
 * GCM and CCM have the same skeleton: the text goes through counter mode, the
 * additional authenticated data (AAD) and the text through a MAC over blocks
 * (GHASH of the ciphertext, or CBC-MAC of the plaintext), and the MAC is masked
 * with the keystream block of the first counter. What differs between the modes
 * is the MAC, their first counter and their first and last MAC blocks. There is
 * no cipher arithmetic here and no processor.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <crypto/gcm.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include "sm4-fast.h"

#define SM4_TAG_SIZE		16
#define GCM_IV_SIZE		12
#define CCM_IV_SIZE		16
#define RFC4106_NONCE_SIZE	4
#define RFC4309_NONCE_SIZE	3
#define RFC_IV_SIZE		8

/* An algorithm as registered: the row of a mode, and the tier it runs on */
struct sm4_aead {
	struct aead_alg alg;
	const struct sm4_tier *tier;
};

struct sm4_aead_context {
	struct sm4_key key;
	struct sm4_ghash_key ghash;	/* GCM only */
	u8 nonce[4];		/* the RFCs' only: the end of the key */
};

/*
 * A message on its way through the MAC
 *
 * @gcm: whether the MAC is GHASH, over the ciphertext, or else CBC-MAC, over the
 *	 plaintext
 * @partial: a block that is not complete yet, of @used bytes
 * @mask: what @state is masked with in the end
 */
struct sm4_aead_mac {
	const struct sm4_tier *tier;
	const struct sm4_aead_context *context;
	bool gcm;
	unsigned int used;
	u8 state[SM4_BLOCK_SIZE];
	u8 partial[SM4_BLOCK_SIZE];
	u8 mask[SM4_BLOCK_SIZE];
};

static const struct sm4_tier *sm4_aead_tier(struct crypto_aead *tfm)
{
	return container_of(crypto_aead_alg(tfm), struct sm4_aead, alg)->tier;
}

/* Take whole blocks into the MAC. */
static void sm4_aead_mac_blocks(struct sm4_aead_mac *mac, const u8 *src,
				size_t blocks)
{
	const struct sm4_tier *tier =
		mac->gcm ? mac->tier : sm4_tier_for_mac(mac->tier);

	while (blocks) {
		size_t n = min_t(size_t, blocks,
				 SM4_SECTION_SIZE / SM4_BLOCK_SIZE);
		const struct sm4_tier *working = sm4_begin(tier);

		if (mac->gcm)
			working->ghash(&mac->context->ghash, mac->state, src,
				       n);
		else
			working->cbc_mac(&mac->context->key.enc, mac->state,
					 src, n);
		sm4_end(working);
		src += n * SM4_BLOCK_SIZE;
		blocks -= n;
	}
}

/* Take any number of bytes into the MAC. */
static void sm4_aead_mac_update(struct sm4_aead_mac *mac, const u8 *src,
				unsigned int bytes)
{
	if (mac->used) {
		unsigned int n = min_t(unsigned int, bytes,
				       SM4_BLOCK_SIZE - mac->used);

		memcpy(mac->partial + mac->used, src, n);
		mac->used += n;
		src += n;
		bytes -= n;
		if (mac->used < SM4_BLOCK_SIZE)
			return;
		sm4_aead_mac_blocks(mac, mac->partial, 1);
	}
	sm4_aead_mac_blocks(mac, src, bytes / SM4_BLOCK_SIZE);
	mac->used = bytes % SM4_BLOCK_SIZE;
	memcpy(mac->partial, src + bytes - mac->used, mac->used);
}

/* Fill an incomplete block up with zeros. */
static void sm4_aead_mac_pad(struct sm4_aead_mac *mac)
{
	if (!mac->used)
		return;
	memset(mac->partial + mac->used, 0, SM4_BLOCK_SIZE - mac->used);
	sm4_aead_mac_blocks(mac, mac->partial, 1);
	mac->used = 0;
}

/* Take the first @bytes of a scatterlist, the AAD, into the MAC, and pad. */
static void sm4_aead_mac_aad(struct sm4_aead_mac *mac, struct scatterlist *sg,
			     unsigned int bytes)
{
	while (bytes) {
		unsigned int n = min(bytes, sg->length);

		/* x86-64 has all memory mapped, so no entry needs a kmap. */
		sm4_aead_mac_update(mac, sg_virt(sg), n);
		bytes -= n;
		sg = sg_next(sg);
	}
	sm4_aead_mac_pad(mac);
}

/*
 * Make the mask from the first counter, then encrypt or decrypt the text with
 * the counters after it, and take the ciphertext or plaintext into the MAC.
 */
static int sm4_aead_text(struct aead_request *req, struct sm4_aead_mac *mac,
			 u8 *counter, bool decrypt)
{
	bool mac_first = mac->gcm == decrypt;
	const struct sm4_round_keys *keys = &mac->context->key.enc;
	const struct sm4_tier *working = sm4_begin(mac->tier);
	struct skcipher_walk walk;
	int err;

	memset(mac->mask, 0, SM4_BLOCK_SIZE);
	working->crypt[SM4_CTR](keys, mac->mask, mac->mask, counter,
				SM4_BLOCK_SIZE);
	sm4_end(working);

	err = decrypt ? skcipher_walk_aead_decrypt(&walk, req, false) :
			skcipher_walk_aead_encrypt(&walk, req, false);
	while (walk.nbytes) {
		const u8 *src = walk.src.virt.addr;
		u8 *dst = walk.dst.virt.addr;
		unsigned int bytes = walk.nbytes;

		/* Only the last step may end within a block. */
		if (bytes < walk.total)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		if (mac_first)
			sm4_aead_mac_update(mac, src, bytes);
		working = sm4_begin(mac->tier);
		working->crypt[SM4_CTR](keys, dst, src, counter, bytes);
		sm4_end(working);
		if (!mac_first)
			sm4_aead_mac_update(mac, dst, bytes);
		err = skcipher_walk_done(&walk, walk.nbytes - bytes);
	}
	sm4_aead_mac_pad(mac);
	return err;
}

/* Write the tag after the ciphertext, or compare it with the one there. */
static int sm4_aead_tag(struct aead_request *req, struct sm4_aead_mac *mac,
			bool decrypt)
{
	unsigned int tag_size = crypto_aead_authsize(crypto_aead_reqtfm(req));
	unsigned int end = req->assoclen + req->cryptlen;
	u8 received[SM4_TAG_SIZE];

	crypto_xor(mac->state, mac->mask, SM4_BLOCK_SIZE);
	if (!decrypt) {
		scatterwalk_map_and_copy(mac->state, req->dst, end, tag_size,
					 1);
		return 0;
	}
	scatterwalk_map_and_copy(received, req->src, end - tag_size, tag_size,
				 0);
	return crypto_memneq(received, mac->state, tag_size) ? -EBADMSG : 0;
}

/* Bytes of text in a request */
static unsigned int sm4_text_size(struct aead_request *req, bool decrypt)
{
	if (!decrypt)
		return req->cryptlen;
	return req->cryptlen - crypto_aead_authsize(crypto_aead_reqtfm(req));
}

/*
 * GCM, SP 800-38D section 7: @counter is the first one, J0; the AAD is the
 * first @aad bytes of the request's associated data.
 */
static int sm4_gcm_crypt(struct aead_request *req, u8 *counter,
			 unsigned int aad, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	struct sm4_aead_mac mac = {
		.tier = sm4_aead_tier(tfm),
		.context = crypto_aead_ctx(tfm),
		.gcm = true,
	};
	u8 lengths[SM4_BLOCK_SIZE];
	int err;

	sm4_aead_mac_aad(&mac, req->src, aad);
	err = sm4_aead_text(req, &mac, counter, decrypt);
	if (!err) {
		put_unaligned_be64((u64)aad * 8, lengths);
		put_unaligned_be64((u64)sm4_text_size(req, decrypt) * 8,
				   lengths + 8);
		sm4_aead_mac_update(&mac, lengths, sizeof(lengths));
		err = sm4_aead_tag(req, &mac, decrypt);
	}
	memzero_explicit(&mac, sizeof(mac));
	return err;
}

static int sm4_gcm_any(struct aead_request *req, bool decrypt)
{
	u8 counter[SM4_BLOCK_SIZE];

	memcpy(counter, req->iv, GCM_IV_SIZE);
	put_unaligned_be32(1, counter + GCM_IV_SIZE);
	return sm4_gcm_crypt(req, counter, req->assoclen, decrypt);
}

static int sm4_gcm_encrypt(struct aead_request *req)
{
	return sm4_gcm_any(req, false);
}

static int sm4_gcm_decrypt(struct aead_request *req)
{
	return sm4_gcm_any(req, true);
}

/* RFC 4106: the associated data ends with the IV, which is not authenticated */
static int sm4_rfc4106_any(struct aead_request *req, bool decrypt)
{
	const struct sm4_aead_context *context =
		crypto_aead_ctx(crypto_aead_reqtfm(req));
	u8 counter[SM4_BLOCK_SIZE];
	int err;

	err = crypto_ipsec_check_assoclen(req->assoclen);
	if (err)
		return err;
	memcpy(counter, context->nonce, RFC4106_NONCE_SIZE);
	memcpy(counter + RFC4106_NONCE_SIZE, req->iv, RFC_IV_SIZE);
	put_unaligned_be32(1, counter + GCM_IV_SIZE);
	return sm4_gcm_crypt(req, counter, req->assoclen - RFC_IV_SIZE,
			     decrypt);
}

static int sm4_rfc4106_encrypt(struct aead_request *req)
{
	return sm4_rfc4106_any(req, false);
}

static int sm4_rfc4106_decrypt(struct aead_request *req)
{
	return sm4_rfc4106_any(req, true);
}

/*
 * CCM, RFC 3610: @counter is the first one, A0, whose byte 0 is L - 1, L being
 * the number of bytes at its end that count; the AAD is as for GCM.
 */
static int sm4_ccm_crypt(struct aead_request *req, u8 *counter,
			 unsigned int aad, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	unsigned int tag_size = crypto_aead_authsize(tfm);
	unsigned int text_size = sm4_text_size(req, decrypt);
	unsigned int length_size = counter[0] + 1;
	struct sm4_aead_mac mac = {
		.tier = sm4_aead_tier(tfm),
		.context = crypto_aead_ctx(tfm),
	};
	u8 block[SM4_BLOCK_SIZE];
	unsigned int i;
	int err;

	if (length_size < 2 || length_size > 8)
		return -EINVAL;
	/* The generic template lets 65536 bytes pass as 0 where L is 2. */
	if (length_size < 4 && text_size >> 8 * length_size)
		return -EOVERFLOW;
	memset(counter + SM4_BLOCK_SIZE - length_size, 0, length_size);

	/* B0: flags, nonce, length of the text (section 2.2) */
	memcpy(block, counter, SM4_BLOCK_SIZE);
	block[0] |= (tag_size - 2) / 2 << 3 | (aad ? 0x40 : 0);
	for (i = 0; i < min_t(unsigned int, length_size, sizeof(u32)); i++)
		block[SM4_BLOCK_SIZE - 1 - i] = text_size >> 8 * i;
	sm4_aead_mac_update(&mac, block, sizeof(block));

	if (aad >= 0xff00) {
		put_unaligned_be16(0xfffe, block);
		put_unaligned_be32(aad, block + 2);
		sm4_aead_mac_update(&mac, block, 6);
	} else if (aad) {
		put_unaligned_be16(aad, block);
		sm4_aead_mac_update(&mac, block, 2);
	}
	sm4_aead_mac_aad(&mac, req->src, aad);

	err = sm4_aead_text(req, &mac, counter, decrypt);
	if (!err)
		err = sm4_aead_tag(req, &mac, decrypt);
	memzero_explicit(&mac, sizeof(mac));
	return err;
}

static int sm4_ccm_any(struct aead_request *req, bool decrypt)
{
	u8 counter[SM4_BLOCK_SIZE];

	memcpy(counter, req->iv, CCM_IV_SIZE);
	return sm4_ccm_crypt(req, counter, req->assoclen, decrypt);
}

static int sm4_ccm_encrypt(struct aead_request *req)
{
	return sm4_ccm_any(req, false);
}

static int sm4_ccm_decrypt(struct aead_request *req)
{
	return sm4_ccm_any(req, true);
}

/* RFC 4309: L is 4; the associated data is as in RFC 4106 */
static int sm4_rfc4309_any(struct aead_request *req, bool decrypt)
{
	const struct sm4_aead_context *context =
		crypto_aead_ctx(crypto_aead_reqtfm(req));
	u8 counter[SM4_BLOCK_SIZE] = { 4 - 1 };
	int err;

	err = crypto_ipsec_check_assoclen(req->assoclen);
	if (err)
		return err;
	memcpy(counter + 1, context->nonce, RFC4309_NONCE_SIZE);
	memcpy(counter + 1 + RFC4309_NONCE_SIZE, req->iv, RFC_IV_SIZE);
	return sm4_ccm_crypt(req, counter, req->assoclen - RFC_IV_SIZE,
			     decrypt);
}

static int sm4_rfc4309_encrypt(struct aead_request *req)
{
	return sm4_rfc4309_any(req, false);
}

static int sm4_rfc4309_decrypt(struct aead_request *req)
{
	return sm4_rfc4309_any(req, true);
}

/* Set SM4's key and the nonce of @nonce_size bytes that follows it. */
static int sm4_aead_set_key(struct crypto_aead *tfm, const u8 *key,
			    unsigned int length, unsigned int nonce_size)
{
	struct sm4_aead_context *context = crypto_aead_ctx(tfm);

	if (length != SM4_KEY_SIZE + nonce_size)
		return -EINVAL;
	sm4_set_key(sm4_aead_tier(tfm), &context->key, key);
	memcpy(context->nonce, key + SM4_KEY_SIZE, nonce_size);
	return 0;
}

/* and GCM's hash key beside it, H = E(0) */
static int sm4_aead_set_hash_key(struct crypto_aead *tfm, const u8 *key,
				 unsigned int length, unsigned int nonce_size)
{
	struct sm4_aead_context *context = crypto_aead_ctx(tfm);
	const struct sm4_tier *working;
	u8 h[SM4_BLOCK_SIZE] = {};
	int err;

	err = sm4_aead_set_key(tfm, key, length, nonce_size);
	if (err)
		return err;
	working = sm4_begin(sm4_aead_tier(tfm));
	working->crypt[SM4_ECB](&context->key.enc, h, h, NULL, sizeof(h));
	sm4_end(working);
	sm4_ghash_set_key(&context->ghash, h);
	memzero_explicit(h, sizeof(h));
	return 0;
}

static int sm4_gcm_set_key(struct crypto_aead *tfm, const u8 *key,
			   unsigned int length)
{
	return sm4_aead_set_hash_key(tfm, key, length, 0);
}

static int sm4_rfc4106_set_key(struct crypto_aead *tfm, const u8 *key,
			       unsigned int length)
{
	return sm4_aead_set_hash_key(tfm, key, length, RFC4106_NONCE_SIZE);
}

static int sm4_ccm_set_key(struct crypto_aead *tfm, const u8 *key,
			   unsigned int length)
{
	return sm4_aead_set_key(tfm, key, length, 0);
}

static int sm4_rfc4309_set_key(struct crypto_aead *tfm, const u8 *key,
			       unsigned int length)
{
	return sm4_aead_set_key(tfm, key, length, RFC4309_NONCE_SIZE);
}

static int sm4_gcm_set_tag_size(struct crypto_aead *tfm, unsigned int size)
{
	return crypto_gcm_check_authsize(size);
}

static int sm4_rfc4106_set_tag_size(struct crypto_aead *tfm, unsigned int size)
{
	return crypto_rfc4106_check_authsize(size);
}

static int sm4_ccm_set_tag_size(struct crypto_aead *tfm, unsigned int size)
{
	return size < 4 || size > SM4_TAG_SIZE || size % 2 ? -EINVAL : 0;
}

static int sm4_rfc4309_set_tag_size(struct crypto_aead *tfm, unsigned int size)
{
	return size != 8 && size != 12 && size != 16 ? -EINVAL : 0;
}

/* What all rows have alike */
#define SM4_AEAD_COMMON						\
	.base.cra_blocksize = 1,				\
	.base.cra_ctxsize = sizeof(struct sm4_aead_context),	\
	.chunksize = SM4_BLOCK_SIZE,				\
	.maxauthsize = SM4_TAG_SIZE

static const struct aead_alg sm4_aead_modes[] = {
	{
		SM4_AEAD_COMMON,
		.base.cra_name = "gcm(sm4)",
		.base.cra_driver_name = "gcm-sm4",
		.ivsize = GCM_IV_SIZE,
		.setkey = sm4_gcm_set_key,
		.setauthsize = sm4_gcm_set_tag_size,
		.encrypt = sm4_gcm_encrypt,
		.decrypt = sm4_gcm_decrypt,
	}, {
		SM4_AEAD_COMMON,
		.base.cra_name = "rfc4106(gcm(sm4))",
		.base.cra_driver_name = "rfc4106-gcm-sm4",
		.ivsize = RFC_IV_SIZE,
		.setkey = sm4_rfc4106_set_key,
		.setauthsize = sm4_rfc4106_set_tag_size,
		.encrypt = sm4_rfc4106_encrypt,
		.decrypt = sm4_rfc4106_decrypt,
	}, {
		SM4_AEAD_COMMON,
		.base.cra_name = "ccm(sm4)",
		.base.cra_driver_name = "ccm-sm4",
		.ivsize = CCM_IV_SIZE,
		.setkey = sm4_ccm_set_key,
		.setauthsize = sm4_ccm_set_tag_size,
		.encrypt = sm4_ccm_encrypt,
		.decrypt = sm4_ccm_decrypt,
	}, {
		SM4_AEAD_COMMON,
		.base.cra_name = "rfc4309(ccm(sm4))",
		.base.cra_driver_name = "rfc4309-ccm-sm4",
		.ivsize = RFC_IV_SIZE,
		.setkey = sm4_rfc4309_set_key,
		.setauthsize = sm4_rfc4309_set_tag_size,
		.encrypt = sm4_rfc4309_encrypt,
		.decrypt = sm4_rfc4309_decrypt,
	},
};

static struct sm4_aead sm4_aeads[SM4_TIERS_MAX * ARRAY_SIZE(sm4_aead_modes)];
static int sm4_aead_count;

int sm4_register_aeads(const struct sm4_tier *tier)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(sm4_aead_modes); i++) {
		struct sm4_aead *aead = &sm4_aeads[sm4_aead_count];

		aead->alg = sm4_aead_modes[i];
		aead->tier = tier;
		sm4_describe(&aead->alg.base, tier);
		err = crypto_register_aead(&aead->alg);
		if (err)
			return err;
		sm4_aead_count++;
	}
	return 0;
}

void sm4_unregister_aeads(void)
{
	while (sm4_aead_count)
		crypto_unregister_aead(&sm4_aeads[--sm4_aead_count].alg);
}

MODULE_ALIAS_CRYPTO("gcm(sm4)");
MODULE_ALIAS_CRYPTO("rfc4106(gcm(sm4))");
MODULE_ALIAS_CRYPTO("ccm(sm4)");
MODULE_ALIAS_CRYPTO("rfc4309(ccm(sm4))");
