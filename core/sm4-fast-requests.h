/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Services for requests, sm4-fast-requests.c: the walk that cuts a text into pieces, the loops that
 * cut a piece or a message into FPU sections, and for requests with authentication, copies, lengths
 * and tags. Nothing here depends on a driver.
 */
#ifndef SM4_FAST_REQUESTS_H
#define SM4_FAST_REQUESTS_H

#include <linux/scatterlist.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/skcipher.h>
#include "sm4-fast-core.h"
#include "sm4-fast-tweaks.h"

/**
 * sm4_flat() - the address of contiguous bytes of a scatterlist
 * @sg: the scatterlist
 * @offset: where the bytes begin in it
 * @bytes: their number
 *
 * x86-64 has all memory mapped, so no entry needs a kmap. Inline: two calls are 1 to 2 % of a
 * request of 16 bytes.
 *
 * For 0 bytes, @sg is not looked at: a list of 0 bytes may be none. AF_ALG leaves one of zeros
 * without an end, so that a walk would take for entries what lies behind. For the same reason,
 * nothing may look at the entry behind the last byte of a request.
 *
 * Return: the address, or NULL if the bytes are not contiguous or there are none
 */
static inline u8 *sm4_flat(struct scatterlist *sg, unsigned int offset, unsigned int bytes)
{
	if (!bytes)
		return NULL;
	for (; sg && offset >= sg->length; sg = sg_next(sg))
		offset -= sg->length;
	if (!sg || sg->length - offset < bytes)
		return NULL;
	return sg_virt(sg) + offset;
}

/**
 * struct sm4_work - the processing of a text
 * @tier: for sm4_begin()
 * @operation: what the tier is to do
 * @keys: the schedule of one direction
 * @iv: of @operation, which updates it
 * @decrypt: for XTS, whether @keys are the schedule of decryption
 * @tweak_key: for XTS, the key that encrypts @iv in the first section; NULL from then on
 */
struct sm4_work {
	const struct sm4_tier *tier;
	enum sm4_operation operation;
	const struct sm4_round_keys *keys;
	u8 *iv;
	bool decrypt;
	struct sm4_tweak_key *tweak_key;
};

/**
 * sm4_section_size() - the maximum bytes of a section
 * @work: the processing of a text
 *
 * Return: the maximum
 */
static inline unsigned int sm4_section_size(const struct sm4_work *work)
{
	return work->operation == SM4_CBC_ENCRYPT ? SM4_CHAIN_SECTION_SIZE :
						    SM4_SECTION_SIZE;
}

/**
 * sm4_process_section() - process the next bytes of a text, inside an open section
 * @work: the processing of the text
 * @working: the tier that sm4_begin() has returned
 * @dst: where the result goes
 * @src: the bytes; buffers as for sm4_crypt_function
 * @bytes: their number, at most sm4_section_size()
 */
void sm4_process_section(struct sm4_work *work, const struct sm4_tier *working,
			 u8 *dst, const u8 *src, unsigned int bytes);

/**
 * sm4_process_in_sections() - process the next bytes of a text, cut into sections
 * @work: the processing of the text
 * @dst: where the result goes
 * @src: the bytes; buffers as for sm4_crypt_function
 * @bytes: their number, which may be any
 *
 * No section may be open.
 */
void sm4_process_in_sections(struct sm4_work *work, u8 *dst, const u8 *src,
			     unsigned int bytes);

/**
 * struct sm4_chain - a MAC or hash that processes blocks one after the other
 * @type: which one
 * @tier: for sm4_begin_section(): of SM3 for it, else of SM4
 * @key: a struct sm4_round_keys or, for GHASH, a struct sm4_ghash_key; none for SM3
 * @state: a block, or SM3_WORDS words
 * @partial: a block, for sm4_chain_append()
 */
struct sm4_chain {
	enum sm4_chain_type {
		SM4_CHAIN_CBC_MAC,
		SM4_CHAIN_GHASH,
		SM4_CHAIN_SM3,
	} type;
	const struct sm4_tier_base *tier;
	const void *key;
	void *state;
	u8 *partial;
};

/**
 * sm4_chain_take() - process blocks of a message, all in one section if they fit
 * @chain: the MAC or hash
 * @src: the first blocks; may be NULL if there are none
 * @nblocks: their number
 * @last: the blocks behind them, elsewhere in memory
 * @last_blocks: their number, at most two
 *
 * No section may be open.
 */
void sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t nblocks,
		    const u8 *last, size_t last_blocks);

/**
 * sm4_chain_append() - append bytes to a message
 * @chain: the MAC or hash. Its @partial is processed once it is a whole block, and then has the
 *	bytes behind the whole blocks that remain. A MAC keeps a last whole block there, SM3 does
 *	not.
 * @used: how many bytes of the message are in @partial; is updated
 * @src: the bytes; becomes the address of the blocks that remain
 * @bytes: their number
 *
 * No section may be open.
 *
 * Return: the number of whole blocks at the new @src that remain to be processed
 */
size_t sm4_chain_append(const struct sm4_chain *chain, unsigned int *used,
			const u8 **src, size_t bytes);

/**
 * struct sm4_walk - a walk over the text of a request, piece by piece
 * @dst: the destination of the piece
 * @src: the piece
 * @bytes: its length: whole blocks, unless it is the last one. 0 after the last one, and after an
 *	error.
 * @last: whether this is the last one
 * @most: maximum bytes of a piece
 * @steps: the kernel's walk. A step of it is one or more pieces.
 */
struct sm4_walk {
	u8 *dst;
	const u8 *src;
	unsigned int bytes;
	bool last;
	unsigned int most;
	struct skcipher_walk steps;
};

/**
 * sm4_walk_skcipher() - begin a walk at the first piece
 * @walk: the walk
 * @req: the request. Its IV is not copied, because no algorithm here requires an alignment.
 *
 * No section may be open.
 *
 * Return: 0 or an error
 */
int sm4_walk_skcipher(struct sm4_walk *walk, struct skcipher_request *req);

/**
 * sm4_walk_aead() - begin a walk over the text behind the associated data
 * @walk: the walk
 * @req: the request
 * @decrypt: whether a tag follows the text
 * @most: maximum bytes of a piece
 *
 * No section may be open.
 *
 * Return: 0 or an error
 */
int sm4_walk_aead(struct sm4_walk *walk, struct aead_request *req, bool decrypt,
		  unsigned int most);

/**
 * sm4_walk_next() - go on to the next piece
 * @walk: the walk
 *
 * No section may be open.
 *
 * Return: 0 or an error
 */
int sm4_walk_next(struct sm4_walk *walk);

/**
 * sm4_copy() - scatterwalk_map_and_copy(), but faster where the bytes are contiguous
 * @buffer: the flat copy
 * @sg: the scatterlist, which is not looked at for 0 bytes
 * @offset: where the bytes begin in it
 * @bytes: their number
 * @out: whether to copy to @sg
 */
void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out);

/* The longest tag of an AEAD: HMAC-SM3's */
#define SM4_AEAD_TAG_MAX	32

/**
 * sm4_aead_cryptlen() - the length of the text of a request
 * @req: the request
 * @decrypt: whether its own cryptlen also counts the tag
 *
 * Return: the bytes of text
 */
unsigned int sm4_aead_cryptlen(struct aead_request *req, bool decrypt);

/**
 * sm4_aead_tag() - write the tag of a request, or compare it with the received one
 * @req: the request
 * @tag: the tag, of which the first bytes count
 * @decrypt: whether to compare, in constant time
 *
 * Return: -EBADMSG if they differ, or 0
 */
int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt);

#endif
