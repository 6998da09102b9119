// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The modes with authentication: gcm, rfc4106(gcm), ccm, rfc4309(ccm).
 *
 * Counter mode encrypts the text. A MAC of the additional authenticated data (AAD) and the
 * text is encrypted with the first counter. In GCM, the MAC is GHASH of the ciphertext. In CCM, it
 * is CBC-MAC of the plaintext, a serial chain. In both, the tier processes MAC and text together,
 * and a short message takes one FPU section. This file contains no cipher arithmetic and nothing
 * specific to a CPU.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <crypto/gcm.h>
#include "../core/sm4-fast-modes.h"
#include "../core/sm4-fast-requests.h"

#define SM4_TAG_SIZE		16
#define GCM_IV_SIZE		12
#define CCM_IV_SIZE		16
#define RFC4106_NONCE_SIZE	4
#define RFC4309_NONCE_SIZE	3
#define RFC_IV_SIZE		8

/*
 * @nonce: for rfc4106 and rfc4309, the first bytes of the IV of GCM or CCM: in both the end of
 *	the key, in CCM preceded by L - 1
 * @key: without @key.hash in CCM
 */
struct sm4_aead_ctx {
	u8 nonce[4];
	struct sm4_gcm_key key;
};

#define CCM_CTX_SIZE	offsetof(struct sm4_aead_ctx, key.hash)

/* Only rfc4106 and rfc4309 have IVs of RFC_IV_SIZE bytes. */
static bool sm4_aead_of_rfc(struct crypto_aead *tfm)
{
	return crypto_aead_ivsize(tfm) == RFC_IV_SIZE;
}

/*
 * GCM or CCM of a request. The AAD is the first @assoclen bytes of its associated data. @iv is as
 * in a request of gcm or ccm.
 */
typedef int sm4_aead_function(struct aead_request *req, const u8 *iv,
			      unsigned int assoclen, bool decrypt);

/*
 * In rfc4106 and rfc4309, the IV of GCM or CCM is the nonce and the request's IV; the counter of
 * CCM follows. The associated data ends with the request's IV, which is not authenticated there
 * (RFC 4106, sections 4 and 5; RFC 4309, section 4).
 */
static __always_inline int sm4_aead_crypt(struct aead_request *req, bool decrypt,
					  sm4_aead_function crypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	const struct sm4_aead_ctx *ctx = crypto_aead_ctx(tfm);
	u8 iv[SM4_BLOCK_SIZE] = {};
	int err;

	if (!sm4_aead_of_rfc(tfm))
		return crypt(req, req->iv, req->assoclen, decrypt);
	err = crypto_ipsec_check_assoclen(req->assoclen);
	if (err)
		return err;
	memcpy(iv, ctx->nonce, sizeof(ctx->nonce));
	memcpy(iv + sizeof(ctx->nonce), req->iv, RFC_IV_SIZE);
	err = crypt(req, iv, req->assoclen - RFC_IV_SIZE, decrypt);
	memzero_explicit(iv, sizeof(iv));
	return err;
}

/*
 * Add the AAD, the first @bytes of a scatterlist, to a MAC with @used bytes in
 * chain->partial. The last block stays there, padded with zeros.
 */
static void sm4_aead_mac_aad(const struct sm4_chain *chain, unsigned int used,
			     struct scatterlist *sg, unsigned int bytes)
{
	while (bytes) {
		unsigned int n = min(bytes, sg->length);
		/* x86-64 has all memory mapped, so no entry needs a kmap. */
		const u8 *src = sg_virt(sg);
		size_t nblocks = sm4_chain_append(chain, &used, &src, n);

		sm4_chain_take(chain, src, nblocks, NULL, 0);
		bytes -= n;
		if (bytes)
			sg = sg_next(sg);
	}
	memset(chain->partial + used, 0, SM4_BLOCK_SIZE - used);
}

/*
 * A message in GCM
 *
 * @part: enum sm4_gcm_part of the next text, without SM4_GCM_LAST
 * @aad: a short AAD, padded, or the last block of a long one. It is hashed in the first section
 *	of the text.
 */
struct sm4_gcm_message {
	const struct sm4_tier *tier;
	const struct sm4_gcm_key *key;
	struct sm4_gcm_state state;
	unsigned int part;
	unsigned int aad_blocks;
	u8 aad[2 * GHASH_BLOCK_SIZE];
};

/* Begin with the AAD, the first @bytes of @sg. */
static void sm4_gcm_aad(struct sm4_gcm_message *message,
			struct scatterlist *sg, unsigned int bytes)
{
	if (bytes <= sizeof(message->aad)) {
		sm4_copy(message->aad, sg, 0, bytes, false);
		message->aad_blocks = DIV_ROUND_UP(bytes, GHASH_BLOCK_SIZE);
		return;
	}
	sm4_aead_mac_aad(&(struct sm4_chain){
		.type = SM4_CHAIN_GHASH,
		.tier = &message->tier->base,
		.key = &message->key->hash,
		.state = message->state.hash,
		.partial = message->aad,
	}, 0, sg, bytes);
	message->aad_blocks = 1;
}

/* Process at most SM4_SECTION_SIZE bytes of text. */
static void sm4_gcm_section(struct sm4_gcm_message *message, u8 *dst,
			    const u8 *src, unsigned int bytes, bool last)
{
	const struct sm4_tier *working = sm4_begin(message->tier);

	if (message->aad_blocks)
		working->ghash(&message->key->hash, message->state.hash,
			       message->aad, message->aad_blocks);
	message->aad_blocks = 0;
	sm4_tier_gcm(working, message->key, dst, src, &message->state, bytes,
		     message->part | (last ? SM4_GCM_LAST : 0));
	message->part &= ~SM4_GCM_FIRST;
	sm4_end(working);
}

/* Not inlined, so that only texts that are walked over need stack for the walk */
static noinline int sm4_gcm_pieces(struct sm4_gcm_message *message,
				   struct aead_request *req)
{
	const bool decrypt = message->part & SM4_GCM_DECRYPTS;
	struct sm4_walk walk;
	int err;

	for (err = sm4_walk_aead(&walk, req, decrypt, SM4_SECTION_SIZE);
	     walk.bytes; err = sm4_walk_next(&walk))
		sm4_gcm_section(message, walk.dst, walk.src, walk.bytes,
				walk.last);
	return err;
}

/* SP 800-38D, section 7 */
static int sm4_gcm_crypt(struct aead_request *req, const u8 *iv,
			 unsigned int assoclen, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	const struct sm4_aead_ctx *ctx = crypto_aead_ctx(tfm);
	unsigned int cryptlen = sm4_aead_cryptlen(req, decrypt);
	const u8 *src = sm4_flat(req->src, req->assoclen, cryptlen);
	u8 *dst = sm4_flat(req->dst, req->assoclen, cryptlen);
	struct sm4_gcm_message message = {
		.tier = sm4_aead_driver(tfm)->tier,
		.key = &ctx->key,
		.part = SM4_GCM_FIRST | (decrypt ? SM4_GCM_DECRYPTS : 0),
	};
	int err = 0;

	memcpy(message.state.counter, iv, GCM_IV_SIZE);
	put_unaligned_be32(1, message.state.counter + GCM_IV_SIZE);
	put_unaligned_be64((u64)assoclen * 8, message.state.lengths);
	put_unaligned_be64((u64)cryptlen * 8, message.state.lengths + 8);
	sm4_gcm_aad(&message, req->src, assoclen);
	if (!cryptlen || (src && dst && cryptlen <= SM4_SECTION_SIZE))
		sm4_gcm_section(&message, dst, src, cryptlen, true);
	else
		err = sm4_gcm_pieces(&message, req);
	if (!err)
		err = sm4_aead_tag(req, message.state.hash, decrypt);
	memzero_explicit(&message, sizeof(message));
	return err;
}

static int sm4_gcm_encrypt(struct aead_request *req)
{
	return sm4_aead_crypt(req, false, sm4_gcm_crypt);
}

static int sm4_gcm_decrypt(struct aead_request *req)
{
	return sm4_aead_crypt(req, true, sm4_gcm_crypt);
}

/* Maximum blocks before the text, and maximum bytes of text, in one FPU section */
#define CCM_START_BLOCKS	4
#define CCM_SECTION_SIZE						\
	(SM4_CHAIN_SECTION_SIZE - CCM_START_BLOCKS * SM4_BLOCK_SIZE)

/*
 * A message in CCM
 *
 * @tier: of the algorithm, or the C tier if that has no chain
 * @first: the counter A0, which encrypts the MAC
 * @start: input of the MAC before the text: B0, the AAD's length, and AAD
 * @mask: the encrypted @first
 * @last: zeros, until the text ends with a partial block
 */
struct sm4_ccm_message {
	const struct sm4_tier *tier;
	const struct sm4_round_keys *keys;
	struct sm4_ccm_state state;
	u8 first[SM4_BLOCK_SIZE];
	unsigned int start_blocks;
	u8 start[CCM_START_BLOCKS * SM4_BLOCK_SIZE];
	u8 mask[SM4_BLOCK_SIZE];
	u8 last[SM4_BLOCK_SIZE];
	bool decrypt;
};

/* The longest text that is copied to the stack to be one piece, if it is not contiguous */
#define CCM_SHORT_TEXT		(14 * SM4_BLOCK_SIZE)

/* Add the AAD, the first @bytes of @sg, after B0. Of a long AAD, @start keeps the last block. */
static void sm4_ccm_aad(struct sm4_ccm_message *message,
			struct scatterlist *sg, unsigned int bytes)
{
	u8 *start = message->start;
	const struct sm4_chain chain = {
		.type = SM4_CHAIN_CBC_MAC,
		.tier = &message->tier->base,
		.key = message->keys,
		.state = message->state.mac,
		.partial = start,
	};
	unsigned int used = SM4_BLOCK_SIZE;

	if (bytes >= 0xff00) {
		put_unaligned_be16(0xfffe, start + used);
		put_unaligned_be32(bytes, start + used + 2);
		used += 6;
	} else if (bytes) {
		put_unaligned_be16(bytes, start + used);
		used += 2;
	}
	if (bytes <= sizeof(message->start) - used) {
		sm4_copy(start + used, sg, 0, bytes, false);
		message->start_blocks = DIV_ROUND_UP(used + bytes,
						     SM4_BLOCK_SIZE);
		return;
	}
	sm4_chain_take(&chain, start, 1, NULL, 0);
	used -= SM4_BLOCK_SIZE;
	memcpy(start, start + SM4_BLOCK_SIZE, used);
	sm4_aead_mac_aad(&chain, used, sg, bytes);
	message->start_blocks = 1;
}

/*
 * Process one section: in the first one @start, then at most CCM_SECTION_SIZE bytes of text, and
 * at the @end the mask and the last block of the MAC.
 */
static void sm4_ccm_section(struct sm4_ccm_message *message, u8 *dst,
			    const u8 *src, unsigned int bytes, bool end)
{
	const struct sm4_tier *working = sm4_begin(message->tier);
	const struct sm4_round_keys *keys = message->keys;
	struct sm4_ccm_state *state = &message->state;
	unsigned int partial = bytes % SM4_BLOCK_SIZE;
	unsigned int whole = bytes - partial;
	u8 *last = message->last;

	if (message->start_blocks) {
		unsigned int before = message->start_blocks - 1;

		working->cbc_mac(keys, state->mac, message->start, before);
		memcpy(state->text, message->start + before * SM4_BLOCK_SIZE,
		       SM4_BLOCK_SIZE);
		message->start_blocks = 0;
	}
	working->ccm_crypt(keys, dst, src, state, whole / SM4_BLOCK_SIZE,
			   message->decrypt);
	if (partial) {
		memcpy(last, src + whole, partial);
		working->ccm_crypt(keys, last, last, state, 1,
				   message->decrypt);
		memcpy(dst + whole, last, partial);
		/* The MAC's input is padded with zeros, not with keystream. */
		memset(state->text + partial, 0, SM4_BLOCK_SIZE - partial);
	}
	if (end) {
		memcpy(state->counter, message->first, SM4_BLOCK_SIZE);
		working->ccm_crypt(keys, message->mask, message->mask, state, 1,
				   false);
	}
	sm4_end(working);
}

/* Process the text of a request, @cryptlen bytes, and its tag. */
static int sm4_ccm_text(struct sm4_ccm_message *message,
			struct aead_request *req, unsigned int cryptlen)
{
	const u8 *src = sm4_flat(req->src, req->assoclen, cryptlen);
	u8 *dst = sm4_flat(req->dst, req->assoclen, cryptlen);
	u8 text[CCM_SHORT_TEXT];
	struct sm4_walk walk;
	int err = 0;

	if (src && dst && cryptlen <= CCM_SECTION_SIZE) {
		sm4_ccm_section(message, dst, src, cryptlen, true);
	} else if (cryptlen <= sizeof(text)) {
		sm4_copy(text, req->src, req->assoclen, cryptlen, false);
		sm4_ccm_section(message, text, text, cryptlen, true);
		sm4_copy(text, req->dst, req->assoclen, cryptlen, true);
		memzero_explicit(text, cryptlen);
	} else {
		for (err = sm4_walk_aead(&walk, req, message->decrypt,
					 CCM_SECTION_SIZE);
		     walk.bytes; err = sm4_walk_next(&walk))
			sm4_ccm_section(message, walk.dst, walk.src, walk.bytes,
					walk.last);
	}
	if (err)
		return err;
	crypto_xor(message->state.mac, message->mask, SM4_BLOCK_SIZE);
	return sm4_aead_tag(req, message->state.mac, message->decrypt);
}

/* RFC 3610. @iv is the first counter, A0. Its byte 0 is L - 1; its last L bytes are incremented. */
static int sm4_ccm_crypt(struct aead_request *req, const u8 *iv,
			 unsigned int assoclen, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	unsigned int authsize = crypto_aead_authsize(tfm);
	unsigned int cryptlen = sm4_aead_cryptlen(req, decrypt);
	unsigned int length_size = iv[0] + 1;
	const struct sm4_aead_ctx *ctx = crypto_aead_ctx(tfm);
	struct sm4_ccm_message message = {
		/* A tier has all serial chains or none. */
		.tier = sm4_tier_for(sm4_aead_driver(tfm)->tier,
				     SM4_CBC_ENCRYPT),
		.keys = &ctx->key.enc,
		.decrypt = decrypt,
	};
	unsigned int i;
	int err;

	if (length_size < 2 || length_size > 8)
		return -EINVAL;
	/* The generic template lets 65536 bytes pass as 0 where L is 2. */
	if (length_size < 4 && cryptlen >> 8 * length_size)
		return -EOVERFLOW;
	memcpy(message.first, iv, SM4_BLOCK_SIZE - length_size);
	memcpy(message.state.counter, message.first, SM4_BLOCK_SIZE);
	message.state.counter[SM4_BLOCK_SIZE - 1] = 1;

	/* B0: flags, nonce, length of the text (section 2.2) */
	memcpy(message.start, message.first, SM4_BLOCK_SIZE);
	message.start[0] |= (authsize - 2) / 2 << 3 | (assoclen ? 0x40 : 0);
	for (i = 0; i < min_t(unsigned int, length_size, sizeof(u32)); i++)
		message.start[SM4_BLOCK_SIZE - 1 - i] = cryptlen >> 8 * i;

	sm4_ccm_aad(&message, req->src, assoclen);
	err = sm4_ccm_text(&message, req, cryptlen);
	memzero_explicit(&message, sizeof(message));
	return err;
}

static int sm4_ccm_encrypt(struct aead_request *req)
{
	return sm4_aead_crypt(req, false, sm4_ccm_crypt);
}

static int sm4_ccm_decrypt(struct aead_request *req)
{
	return sm4_aead_crypt(req, true, sm4_ccm_crypt);
}

static int sm4_gcm_set_aead_key(struct crypto_aead *tfm, const u8 *key,
				unsigned int keylen)
{
	struct sm4_aead_ctx *ctx = crypto_aead_ctx(tfm);
	unsigned int nonce = sm4_aead_of_rfc(tfm) ? RFC4106_NONCE_SIZE : 0;

	if (keylen != SM4_KEY_SIZE + nonce)
		return -EINVAL;
	sm4_gcm_set_key(sm4_aead_driver(tfm)->tier, &ctx->key, key);
	memcpy(ctx->nonce, key + SM4_KEY_SIZE, nonce);
	return 0;
}

static int sm4_ccm_set_key(struct crypto_aead *tfm, const u8 *key,
			   unsigned int keylen)
{
	struct sm4_aead_ctx *ctx = crypto_aead_ctx(tfm);
	unsigned int nonce = sm4_aead_of_rfc(tfm) ? RFC4309_NONCE_SIZE : 0;

	if (keylen != SM4_KEY_SIZE + nonce)
		return -EINVAL;
	sm4_set_encryption_key(sm4_aead_driver(tfm)->tier, &ctx->key.enc, key);
	/* In rfc4309, L is 4. */
	ctx->nonce[0] = 4 - 1;
	memcpy(ctx->nonce + 1, key + SM4_KEY_SIZE, nonce);
	return 0;
}

static int sm4_gcm_set_authsize(struct crypto_aead *tfm, unsigned int authsize)
{
	return sm4_aead_of_rfc(tfm) ? crypto_rfc4106_check_authsize(authsize) :
				      crypto_gcm_check_authsize(authsize);
}

/* RFC 3610, section 2; RFC 4309, section 3 */
static int sm4_ccm_set_authsize(struct crypto_aead *tfm, unsigned int authsize)
{
	if (sm4_aead_of_rfc(tfm))
		return authsize != 8 && authsize != 12 && authsize != 16 ? -EINVAL : 0;
	return authsize < 4 || authsize > SM4_TAG_SIZE || authsize % 2 ? -EINVAL : 0;
}

/* The common members of all entries, then of the entries for GCM and for CCM */
#define SM4_AEAD_COMMON						\
	.type = SM4_AEAD,					\
	.composite = true,					\
	.aead.base.cra_blocksize = 1,				\
	.aead.chunksize = SM4_BLOCK_SIZE,				\
	.aead.maxauthsize = SM4_TAG_SIZE

#define SM4_GCM_COMMON						\
	SM4_AEAD_COMMON,					\
	.offers = sm4_tier_has_gcm,				\
	.aead.base.cra_ctxsize = sizeof(struct sm4_aead_ctx),	\
	.aead.setkey = sm4_gcm_set_aead_key,				\
	.aead.setauthsize = sm4_gcm_set_authsize,			\
	.aead.encrypt = sm4_gcm_encrypt,				\
	.aead.decrypt = sm4_gcm_decrypt

#define SM4_CCM_COMMON						\
	SM4_AEAD_COMMON,					\
	.aead.base.cra_ctxsize = CCM_CTX_SIZE,			\
	.aead.setkey = sm4_ccm_set_key,				\
	.aead.setauthsize = sm4_ccm_set_authsize,			\
	.aead.encrypt = sm4_ccm_encrypt,				\
	.aead.decrypt = sm4_ccm_decrypt

const struct sm4_mode sm4_aead_modes[] = {
	{
		SM4_GCM_COMMON,
		.aead.base.cra_name = "gcm(sm4)",
		.aead.base.cra_driver_name = "gcm-sm4",
		.aead.ivsize = GCM_IV_SIZE,
	}, {
		SM4_GCM_COMMON,
		.aead.base.cra_name = "rfc4106(gcm(sm4))",
		.aead.base.cra_driver_name = "rfc4106-gcm-sm4",
		.aead.ivsize = RFC_IV_SIZE,
	}, {
		SM4_CCM_COMMON,
		.aead.base.cra_name = "ccm(sm4)",
		.aead.base.cra_driver_name = "ccm-sm4",
		.aead.ivsize = CCM_IV_SIZE,
	}, {
		SM4_CCM_COMMON,
		.aead.base.cra_name = "rfc4309(ccm(sm4))",
		.aead.base.cra_driver_name = "rfc4309-ccm-sm4",
		.aead.ivsize = RFC_IV_SIZE,
	},
	{}
};

MODULE_ALIAS_CRYPTO("gcm(sm4)");
MODULE_ALIAS_CRYPTO("rfc4106(gcm(sm4))");
MODULE_ALIAS_CRYPTO("ccm(sm4)");
MODULE_ALIAS_CRYPTO("rfc4309(ccm(sm4))");
MODULE_ALIAS_CRYPTO("gcm-sm4-*-fast");
MODULE_ALIAS_CRYPTO("rfc4106-gcm-sm4-*-fast");
MODULE_ALIAS_CRYPTO("ccm-sm4-*-fast");
MODULE_ALIAS_CRYPTO("rfc4309-ccm-sm4-*-fast");
