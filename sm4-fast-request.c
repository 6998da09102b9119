// SPDX-License-Identifier: GPL-2.0
/*
 * What modes do alike: the only loops that take the vector unit piece by piece, for a text
 * and for a chain of blocks; and of a request with authentication, its bytes in one piece,
 * its lengths and its tag.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <crypto/scatterwalk.h>
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"

void sm4_crypt_section(struct sm4_work *work, const struct sm4_tier *working,
		       u8 *dst, const u8 *src, unsigned int bytes)
{
	if (work->tweak_keys) {
		sm4_encrypt_block(working, work->tweak_keys, work->iv);
		work->tweak_keys = NULL;
	}
	working->crypt[work->operation](work->keys, dst, src, work->iv, bytes);
}

void sm4_crypt(struct sm4_work *work, u8 *dst, const u8 *src,
	       unsigned int bytes)
{
	while (bytes) {
		unsigned int n = min(bytes, sm4_section_size(work));
		const struct sm4_tier *working = sm4_begin(work->tier);

		sm4_crypt_section(work, working, dst, src, n);
		sm4_end(working);
		dst += n;
		src += n;
		bytes -= n;
	}
}

/*
 * @block_size: in bytes
 * @section: most blocks in one FPU section
 * @kept: how many bytes of a message, at least, its last block has
 */
static const struct {
	unsigned int block_size, section, kept;
} sm4_chain_types[] = {
	[SM4_CHAIN_CBC_MAC] = {
		SM4_BLOCK_SIZE, SM4_CHAIN_SECTION_SIZE / SM4_BLOCK_SIZE, 1,
	},
	[SM4_CHAIN_GHASH] = {
		GHASH_BLOCK_SIZE, SM4_SECTION_SIZE / GHASH_BLOCK_SIZE, 1,
	},
	[SM4_CHAIN_SM3] = {
		SM3_BLOCK_SIZE, SM3_SECTION_SIZE / SM3_BLOCK_SIZE, 0,
	},
};

static void sm4_chain_section(const struct sm4_chain *chain,
			      const struct sm4_tier *working, const u8 *src,
			      size_t blocks)
{
	switch (chain->type) {
	case SM4_CHAIN_CBC_MAC:
		working->cbc_mac(chain->key, chain->state, src, blocks);
		break;
	case SM4_CHAIN_GHASH:
		working->ghash(chain->key, chain->state, src, blocks);
		break;
	case SM4_CHAIN_SM3:
		working->sm3_blocks(chain->state, src, blocks);
		break;
	}
}

void sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t blocks,
		    const u8 *last, size_t last_blocks)
{
	const size_t section = sm4_chain_types[chain->type].section;

	while (blocks || last_blocks) {
		size_t n = min(blocks, section);
		const struct sm4_tier *working = sm4_begin(chain->tier);

		/* with no blocks, @src may be NULL, to which C adds nothing */
		if (n) {
			sm4_chain_section(chain, working, src, n);
			src += n * sm4_chain_types[chain->type].block_size;
			blocks -= n;
		}
		if (last_blocks && n + last_blocks <= section) {
			sm4_chain_section(chain, working, last, last_blocks);
			last_blocks = 0;
		}
		sm4_end(working);
	}
}

size_t sm4_chain_append(const struct sm4_chain *chain, unsigned int *used,
			const u8 **src, size_t bytes)
{
	const size_t block_size = sm4_chain_types[chain->type].block_size;
	const size_t kept = sm4_chain_types[chain->type].kept;
	size_t n, blocks;

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
	blocks = (bytes - kept) / block_size;
	*used = bytes - blocks * block_size;
	memcpy(chain->partial, *src + blocks * block_size, *used);
	return blocks;
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
	unsigned int tag_size = crypto_aead_authsize(crypto_aead_reqtfm(req));
	unsigned int end = req->assoclen + req->cryptlen;
	u8 received[SM4_AEAD_TAG_MAX];

	if (!decrypt) {
		sm4_copy(tag, req->dst, end, tag_size, true);
		return 0;
	}
	sm4_copy(received, req->src, end - tag_size, tag_size, false);
	return crypto_memneq(received, tag, tag_size) ? -EBADMSG : 0;
}

unsigned int sm4_text_size(struct aead_request *req, bool decrypt)
{
	if (!decrypt)
		return req->cryptlen;
	return req->cryptlen - crypto_aead_authsize(crypto_aead_reqtfm(req));
}
