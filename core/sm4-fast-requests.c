// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Services for requests: the loops that cut a text or a message into pieces and FPU sections; and
 * for requests with authentication, copies, lengths and tags.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <crypto/scatterwalk.h>
#include "sm4-fast-requests.h"

void sm4_process_section(struct sm4_work *work, const struct sm4_tier *working,
			 u8 *dst, const u8 *src, unsigned int bytes)
{
	if (work->tweak_key) {
		sm4_encrypt_tweak(working, work->tweak_key, work->iv);
		work->tweak_key = NULL;
	}
	sm4_tier_crypt(working, work->operation, work->keys, dst, src, work->iv,
		       bytes);
}

void sm4_process_in_sections(struct sm4_work *work, u8 *dst, const u8 *src,
			     unsigned int bytes)
{
	while (bytes) {
		unsigned int n = min(bytes, sm4_section_size(work));
		const struct sm4_tier *working = sm4_begin(work->tier);

		sm4_process_section(work, working, dst, src, n);
		sm4_end(working);
		dst += n;
		src += n;
		bytes -= n;
	}
}

/*
 * What differs between types
 *
 * @portable: the tier where the vector unit cannot be used
 * @section: maximum blocks in one FPU section
 * @kept: minimum bytes of a message that sm4_chain_append() keeps
 */
static const struct {
	const struct sm4_tier_base *portable;
	unsigned int block_size, section, kept;
} sm4_chain_types[] = {
	[SM4_CHAIN_CBC_MAC] = {
		&sm4_ttable.base, SM4_BLOCK_SIZE, SM4_CHAIN_SECTION_SIZE / SM4_BLOCK_SIZE, 1,
	},
	[SM4_CHAIN_GHASH] = {
		&sm4_ttable.base, GHASH_BLOCK_SIZE, SM4_SECTION_SIZE / GHASH_BLOCK_SIZE, 1,
	},
	[SM4_CHAIN_SM3] = {
		&sm3_generic.base, SM3_BLOCK_SIZE, SM3_SECTION_SIZE / SM3_BLOCK_SIZE, 0,
	},
};

/* Inline, because a call would take 1 % of the time of HMAC of a short message. */
static __always_inline void
sm4_chain_section(const struct sm4_chain *chain, const struct sm4_tier_base *working,
		  const u8 *src, size_t nblocks)
{
	switch (chain->type) {
	case SM4_CHAIN_CBC_MAC:
		to_sm4_tier(working)->cbc_mac(chain->key, chain->state, src, nblocks);
		break;
	case SM4_CHAIN_GHASH:
		to_sm4_tier(working)->ghash(chain->key, chain->state, src, nblocks);
		break;
	case SM4_CHAIN_SM3:
		to_sm3_tier(working)->blocks(chain->state, src, nblocks);
		break;
	}
}

void sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t nblocks,
		    const u8 *last, size_t last_blocks)
{
	const size_t section = sm4_chain_types[chain->type].section;

	while (nblocks || last_blocks) {
		size_t n = min(nblocks, section);
		const struct sm4_tier_base *working =
			sm4_begin_section(chain->tier, sm4_chain_types[chain->type].portable);

		/* Without blocks, @src may be NULL, to which C may add nothing. */
		if (n) {
			sm4_chain_section(chain, working, src, n);
			src += n * sm4_chain_types[chain->type].block_size;
			nblocks -= n;
		}
		if (last_blocks && n + last_blocks <= section) {
			sm4_chain_section(chain, working, last, last_blocks);
			last_blocks = 0;
		}
		sm4_end_section(working);
	}
}

size_t sm4_chain_append(const struct sm4_chain *chain, unsigned int *used,
			const u8 **src, size_t bytes)
{
	const size_t block_size = sm4_chain_types[chain->type].block_size;
	const size_t kept = sm4_chain_types[chain->type].kept;
	size_t n, nblocks;

	if (!bytes)
		return 0;
	if (*used) {
		n = min(bytes, block_size - *used);
		memcpy(chain->partial + *used, *src, n);
		*used += n;
		*src += n;
		bytes -= n;
		if (*used < block_size || bytes < kept)
			return 0;
		sm4_chain_take(chain, chain->partial, 1, NULL, 0);
	}
	nblocks = (bytes - kept) / block_size;
	*used = bytes - nblocks * block_size;
	memcpy(chain->partial, *src + nblocks * block_size, *used);
	return nblocks;
}

/* Set the piece, after a function of the kernel's walk has returned @err. Returns @err. */
static int sm4_walk_piece(struct sm4_walk *walk, int err)
{
	walk->dst = walk->steps.dst.virt.addr;
	walk->src = walk->steps.src.virt.addr;
	walk->bytes = min(walk->steps.nbytes, walk->most);
	walk->last = walk->bytes == walk->steps.total;
	if (!walk->last)
		walk->bytes = round_down(walk->bytes, SM4_BLOCK_SIZE);
	return err;
}

int sm4_walk_skcipher(struct sm4_walk *walk, struct skcipher_request *req)
{
	walk->most = UINT_MAX;
	return sm4_walk_piece(walk, skcipher_walk_virt(&walk->steps, req, false));
}

int sm4_walk_aead(struct sm4_walk *walk, struct aead_request *req, bool decrypt,
		  unsigned int most)
{
	walk->most = most;
	return sm4_walk_piece(walk, decrypt ?
			      skcipher_walk_aead_decrypt(&walk->steps, req, false) :
			      skcipher_walk_aead_encrypt(&walk->steps, req, false));
}

int sm4_walk_next(struct sm4_walk *walk)
{
	return sm4_walk_piece(walk, skcipher_walk_done(&walk->steps,
						       walk->steps.nbytes - walk->bytes));
}

void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out)
{
	u8 *flat = sm4_flat(sg, offset, bytes);

	if (!flat)
		scatterwalk_map_and_copy(buffer, sg, offset, bytes, out);
	else if (out)
		memcpy(flat, buffer, bytes);
	else
		memcpy(buffer, flat, bytes);
}

int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt)
{
	unsigned int authsize = crypto_aead_authsize(crypto_aead_reqtfm(req));
	unsigned int end = req->assoclen + req->cryptlen;
	u8 received[SM4_AEAD_TAG_MAX];

	if (!decrypt) {
		sm4_copy(tag, req->dst, end, authsize, true);
		return 0;
	}
	sm4_copy(received, req->src, end - authsize, authsize, false);
	return crypto_memneq(received, tag, authsize) ? -EBADMSG : 0;
}

unsigned int sm4_aead_cryptlen(struct aead_request *req, bool decrypt)
{
	if (!decrypt)
		return req->cryptlen;
	return req->cryptlen - crypto_aead_authsize(crypto_aead_reqtfm(req));
}
