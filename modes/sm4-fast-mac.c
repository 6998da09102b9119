// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The MACs that are one chain of blocks: cmac, xcbc, cbcmac. They differ in the value that they
 * combine the last block with. This file contains no cipher arithmetic and nothing specific to a
 * CPU.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include "../core/sm4-fast-modes.h"
#include "../core/sm4-fast-requests.h"

/*
 * A last block is combined with @whole if it is complete. Otherwise it is padded with @pad and
 * zeros, and combined with @padded. For cbcmac, @pad is 0, and nothing is combined.
 */
struct sm4_mac_ctx {
	struct sm4_round_keys key;
	u8 whole[SM4_BLOCK_SIZE];
	u8 padded[SM4_BLOCK_SIZE];
	u8 pad;
};

/* @last: @used bytes. A whole block stays here until more bytes follow it. */
struct sm4_mac_state {
	u8 mac[SM4_BLOCK_SIZE];
	u8 last[SM4_BLOCK_SIZE];
	unsigned int used;
};

static void sm4_mac_encrypt_block(struct crypto_shash *tfm, u8 *block)
{
	const struct sm4_mac_ctx *ctx = crypto_shash_ctx(tfm);
	const struct sm4_tier *working = sm4_begin(sm4_hash_driver(tfm)->tier);

	sm4_encrypt_block(working, &ctx->key, block);
	sm4_end(working);
}

/* The kernel has initialized the context with zeros, so @pad is 0. */
static int sm4_cbcmac_set_key(struct crypto_shash *tfm, const u8 *key,
			      unsigned int keylen)
{
	struct sm4_mac_ctx *ctx = crypto_shash_ctx(tfm);

	if (keylen != SM4_KEY_SIZE)
		return -EINVAL;
	sm4_set_encryption_key(sm4_hash_driver(tfm)->tier, &ctx->key, key);
	return 0;
}

/* Multiply by x (SP 800-38B, section 5.3). */
static void sm4_cmac_double(u8 *dst, const u8 *src)
{
	u64 high = get_unaligned_be64(src);
	u64 low = get_unaligned_be64(src + 8);
	u64 carry = -(high >> 63);

	put_unaligned_be64(high << 1 | low >> 63, dst);
	put_unaligned_be64(low << 1 ^ (carry & 0x87), dst + 8);
}

/* SP 800-38B, section 6.1 */
static int sm4_cmac_set_key(struct crypto_shash *tfm, const u8 *key,
			    unsigned int keylen)
{
	struct sm4_mac_ctx *ctx = crypto_shash_ctx(tfm);
	int err;

	err = sm4_cbcmac_set_key(tfm, key, keylen);
	if (err)
		return err;
	ctx->pad = 0x80;
	memset(ctx->whole, 0, SM4_BLOCK_SIZE);
	sm4_mac_encrypt_block(tfm, ctx->whole);
	sm4_cmac_double(ctx->whole, ctx->whole);
	sm4_cmac_double(ctx->padded, ctx->whole);
	return 0;
}

/* RFC 3566, section 4: K1 is the key of the chain, K2 or K3 is combined with the last block. */
static int sm4_xcbc_set_key(struct crypto_shash *tfm, const u8 *key,
			    unsigned int keylen)
{
	struct sm4_mac_ctx *ctx = crypto_shash_ctx(tfm);
	u8 k1[SM4_BLOCK_SIZE];
	int err;

	err = sm4_cbcmac_set_key(tfm, key, keylen);
	if (err)
		return err;
	ctx->pad = 0x80;
	memset(k1, 1, SM4_BLOCK_SIZE);
	memset(ctx->whole, 2, SM4_BLOCK_SIZE);
	memset(ctx->padded, 3, SM4_BLOCK_SIZE);
	sm4_mac_encrypt_block(tfm, k1);
	sm4_mac_encrypt_block(tfm, ctx->whole);
	sm4_mac_encrypt_block(tfm, ctx->padded);
	sm4_set_encryption_key(sm4_hash_driver(tfm)->tier, &ctx->key, k1);
	memzero_explicit(k1, sizeof(k1));
	return 0;
}

static int sm4_mac_init(struct shash_desc *desc)
{
	memset(shash_desc_ctx(desc), 0, sizeof(struct sm4_mac_state));
	return 0;
}

static struct sm4_chain sm4_mac_chain(struct shash_desc *desc)
{
	const struct sm4_mac_ctx *ctx = crypto_shash_ctx(desc->tfm);
	struct sm4_mac_state *state = shash_desc_ctx(desc);

	return (struct sm4_chain) {
		.type = SM4_CHAIN_CBC_MAC,
		.tier = &sm4_hash_driver(desc->tfm)->tier->base,
		.key = &ctx->key,
		.state = state->mac,
		.partial = state->last,
	};
}

static int sm4_mac_update(struct shash_desc *desc, const u8 *src,
			  unsigned int bytes)
{
	const struct sm4_chain chain = sm4_mac_chain(desc);
	struct sm4_mac_state *state = shash_desc_ctx(desc);
	size_t nblocks = sm4_chain_append(&chain, &state->used, &src, bytes);

	sm4_chain_take(&chain, src, nblocks, NULL, 0);
	return 0;
}

/*
 * An empty message is a partial block, except for cbcmac, which gives 0 for it. The descriptor is
 * wiped, because users may free it without doing so.
 */
static int sm4_mac_finup(struct shash_desc *desc, const u8 *src,
			 unsigned int bytes, u8 *mac)
{
	const struct sm4_mac_ctx *ctx = crypto_shash_ctx(desc->tfm);
	const struct sm4_chain chain = sm4_mac_chain(desc);
	struct sm4_mac_state *state = shash_desc_ctx(desc);
	size_t nblocks = sm4_chain_append(&chain, &state->used, &src, bytes);
	const u8 *mask = ctx->whole;

	if (state->used < SM4_BLOCK_SIZE) {
		memset(state->last + state->used, 0,
		       SM4_BLOCK_SIZE - state->used);
		state->last[state->used] = ctx->pad;
		mask = ctx->padded;
	}
	if (ctx->pad)
		crypto_xor(state->last, mask, SM4_BLOCK_SIZE);
	sm4_chain_take(&chain, src, nblocks, state->last,
		       state->used || ctx->pad);
	memcpy(mac, state->mac, SM4_BLOCK_SIZE);
	memzero_explicit(state, sizeof(*state));
	return 0;
}

static int sm4_mac_final(struct shash_desc *desc, u8 *mac)
{
	return sm4_mac_finup(desc, NULL, 0, mac);
}

static int sm4_mac_export(struct shash_desc *desc, void *out)
{
	memcpy(out, shash_desc_ctx(desc), sizeof(struct sm4_mac_state));
	return 0;
}

/* The state may come from anywhere: @used must not exceed a block. */
static int sm4_mac_import(struct shash_desc *desc, const void *in)
{
	struct sm4_mac_state *state = shash_desc_ctx(desc);

	memcpy(state, in, sizeof(*state));
	if (state->used <= SM4_BLOCK_SIZE)
		return 0;
	memzero_explicit(state, sizeof(*state));
	return -EINVAL;
}

static bool sm4_mac_offers(const struct sm4_tier *tier)
{
	return tier->cbc_mac;
}

/* The common members of all entries */
#define SM4_MAC_COMMON						\
	.type = SM4_HASH,					\
	.offers = sm4_mac_offers,				\
	.hash.base.cra_ctxsize = sizeof(struct sm4_mac_ctx),	\
	.hash.digestsize = SM4_BLOCK_SIZE,				\
	.hash.descsize = sizeof(struct sm4_mac_state),		\
	.hash.statesize = sizeof(struct sm4_mac_state),		\
	.hash.init = sm4_mac_init,					\
	.hash.update = sm4_mac_update,				\
	.hash.finup = sm4_mac_finup,				\
	.hash.final = sm4_mac_final,				\
	.hash.export = sm4_mac_export,				\
	.hash.import = sm4_mac_import

const struct sm4_mode sm4_mac_modes[] = {
	{
		SM4_MAC_COMMON,
		.hash.base.cra_name = "cmac(sm4)",
		.hash.base.cra_driver_name = "cmac-sm4",
		.hash.base.cra_blocksize = SM4_BLOCK_SIZE,
		.hash.setkey = sm4_cmac_set_key,
	}, {
		SM4_MAC_COMMON,
		.hash.base.cra_name = "xcbc(sm4)",
		.hash.base.cra_driver_name = "xcbc-sm4",
		.hash.base.cra_blocksize = SM4_BLOCK_SIZE,
		.hash.setkey = sm4_xcbc_set_key,
	}, {
		SM4_MAC_COMMON,
		.hash.base.cra_name = "cbcmac(sm4)",
		.hash.base.cra_driver_name = "cbcmac-sm4",
		.hash.base.cra_blocksize = SM4_CBCMAC_BLOCK_SIZE,
		.hash.setkey = sm4_cbcmac_set_key,
	},
	{}
};

MODULE_ALIAS_CRYPTO("cmac(sm4)");
MODULE_ALIAS_CRYPTO("xcbc(sm4)");
MODULE_ALIAS_CRYPTO("cbcmac(sm4)");
MODULE_ALIAS_CRYPTO("cmac-sm4-*-fast");
MODULE_ALIAS_CRYPTO("xcbc-sm4-*-fast");
MODULE_ALIAS_CRYPTO("cbcmac-sm4-*-fast");
