// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * SM3 of messages in pieces of any length, and the hash "sm3" of the crypto API. hmac(sm3) is the
 * kernel's template over it. This file contains no arithmetic of the hash.
 */
#include <linux/module.h>
#include <linux/string.h>
#include "../core/sm4-fast-modes.h"
#include "../core/sm4-fast-requests.h"
#include "sm3-message.h"
#include "../generated/sm3-constants.h"

/* Bytes of the message's length in bits, which ends the padding */
#define SM3_LENGTH_SIZE		8

void sm3_compress(const struct sm3_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t nblocks, const u8 *last,
		  size_t last_blocks)
{
	sm4_chain_take(&(struct sm4_chain){
		.type = SM4_CHAIN_SM3,
		.tier = &tier->base,
		.state = state,
	}, src, nblocks, last, last_blocks);
}

void sm3_message_begin(struct sm3_message *message)
{
	static const u32 iv[SM3_WORDS] = SM3_IV;

	memcpy(message->state, iv, sizeof(iv));
	message->bytes = 0;
}

static struct sm4_chain sm3_chain(const struct sm3_tier *tier, struct sm3_message *message)
{
	return (struct sm4_chain) {
		.type = SM4_CHAIN_SM3,
		.tier = &tier->base,
		.state = message->state,
		.partial = message->partial,
	};
}

/* Append @bytes to the message: see sm4_chain_append(). */
static size_t sm3_append(const struct sm4_chain *chain, struct sm3_message *message,
			 const u8 **src, size_t bytes)
{
	unsigned int used = message->bytes % SM3_BLOCK_SIZE;

	message->bytes += bytes;
	return sm4_chain_append(chain, &used, src, bytes);
}

void sm3_message_add(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes)
{
	const struct sm4_chain chain = sm3_chain(tier, message);
	size_t nblocks = sm3_append(&chain, message, &src, bytes);

	sm4_chain_take(&chain, src, nblocks, NULL, 0);
}

/* GB/T 32905, section 5.2: the padding is 10...0 and the length. */
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes)
{
	size_t padded = used + 1 + SM3_LENGTH_SIZE > SM3_BLOCK_SIZE ?
			2 * SM3_BLOCK_SIZE : SM3_BLOCK_SIZE;

	last[used] = 0x80;
	memset(last + used + 1, 0, padded - used - 1);
	put_unaligned_be64(bytes * 8, last + padded - SM3_LENGTH_SIZE);
	return padded / SM3_BLOCK_SIZE;
}

void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest)
{
	int i;

	for (i = 0; i < SM3_WORDS; i++)
		put_unaligned_be32(state[i], digest + 4 * i);
}

void sm3_message_end(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest)
{
	const struct sm4_chain chain = sm3_chain(tier, message);
	size_t nblocks = sm3_append(&chain, message, &src, bytes);
	size_t used = message->bytes % SM3_BLOCK_SIZE;
	u8 last[2 * SM3_BLOCK_SIZE];

	memcpy(last, message->partial, used);
	sm4_chain_take(&chain, src, nblocks, last, sm3_pad(last, used, message->bytes));
	sm3_put_digest(message->state, digest);
	memzero_explicit(last, sizeof(last));
	memzero_explicit(message, sizeof(*message));
}

static const struct sm3_tier *sm3_hash_tier(struct shash_desc *desc)
{
	return sm4_hash_driver(desc->tfm)->hash_tier;
}

static int sm3_hash_init(struct shash_desc *desc)
{
	sm3_message_begin(shash_desc_ctx(desc));
	return 0;
}

static int sm3_hash_update(struct shash_desc *desc, const u8 *src,
			   unsigned int bytes)
{
	sm3_message_add(sm3_hash_tier(desc), shash_desc_ctx(desc), src, bytes);
	return 0;
}

static int sm3_hash_finup(struct shash_desc *desc, const u8 *src,
			  unsigned int bytes, u8 *digest)
{
	sm3_message_end(sm3_hash_tier(desc), shash_desc_ctx(desc), src, bytes,
			digest);
	return 0;
}

static int sm3_hash_final(struct shash_desc *desc, u8 *digest)
{
	return sm3_hash_finup(desc, NULL, 0, digest);
}

static int sm3_hash_export(struct shash_desc *desc, void *out)
{
	memcpy(out, shash_desc_ctx(desc), sizeof(struct sm3_message));
	return 0;
}

/* A struct sm3_message may have any contents: there is nothing to check. */
static int sm3_hash_import(struct shash_desc *desc, const void *in)
{
	memcpy(shash_desc_ctx(desc), in, sizeof(struct sm3_message));
	return 0;
}

const struct sm4_mode sm3_modes[] = {
	{
		.type = SM4_HASH,
		.hash.base.cra_name = "sm3",
		.hash.base.cra_blocksize = SM3_BLOCK_SIZE,
		.hash.digestsize = SM3_DIGEST_SIZE,
		.hash.descsize = sizeof(struct sm3_message),
		.hash.statesize = sizeof(struct sm3_message),
		.hash.export = sm3_hash_export,
		.hash.import = sm3_hash_import,
		SM3_CORE_STATE_FUNCTIONS(sm3_hash_export, sm3_hash_import)
		.hash.init = sm3_hash_init,
		.hash.update = sm3_hash_update,
		.hash.final = sm3_hash_final,
		.hash.finup = sm3_hash_finup,
	},
	{}
};

MODULE_ALIAS_CRYPTO("sm3");
MODULE_ALIAS_CRYPTO("sm3-*-fast");
