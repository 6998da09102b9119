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

/*
 * Returns the address of @bytes of a scatterlist at @offset, or NULL if they are not contiguous.
 * x86-64 has all memory mapped, so no entry needs a kmap.
 *
 * For 0 bytes it returns NULL and does not look at @sg: a list of 0 bytes may be none. AF_ALG
 * leaves one of zeros without an end, so that a walk would take for entries what lies behind.
 * For the same reason, nothing may look at the entry behind the last byte of a request.
 */
u8 *sm4_flat(struct scatterlist *sg, unsigned int offset, unsigned int bytes);

/**
 * struct sm4_work - the processing of a text
 * @tier: for sm4_begin()
 * @keys: the schedule of one direction
 * @iv: of @operation, which updates it
 * @decrypt: for XTS, whether @keys are those of decryption
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

static inline unsigned int sm4_section_size(const struct sm4_work *work)
{
	return work->operation == SM4_CBC_ENCRYPT ? SM4_CHAIN_SECTION_SIZE :
						    SM4_SECTION_SIZE;
}

/* Process the next bytes, inside an open section: one call of the tier for all of them. */
void sm4_process_section(struct sm4_work *work, const struct sm4_tier *working,
			 u8 *dst, const u8 *src, unsigned int bytes);

/*
 * Process the next bytes, any number, cut into sections of its own: none may be open. Buffers as
 * for sm4_crypt_function.
 */
void sm4_process_in_sections(struct sm4_work *work, u8 *dst, const u8 *src,
			     unsigned int bytes);

/**
 * struct sm4_chain - a MAC or hash that processes blocks one after the other
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

/*
 * Process the blocks at @src, then those at @last, at most two: all in one section if they fit.
 * No section may be open.
 */
void sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t nblocks,
		    const u8 *last, size_t last_blocks);

/*
 * Append @bytes at *@src to a message, of which *@used bytes are in @partial. Processes
 * @partial once it is a whole block. Returns the number of whole blocks at the new *@src that
 * remain to be processed. The bytes after them have been copied to @partial. A MAC keeps a last
 * whole block there, SM3 does not.
 */
size_t sm4_chain_append(const struct sm4_chain *chain, unsigned int *used,
			const u8 **src, size_t bytes);

/**
 * struct sm4_walk - a walk over the text of a request, piece by piece
 * @dst, @src, @bytes: the piece: whole blocks, unless it is the last one. @bytes is 0 after the
 *	last one, and after an error.
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

/*
 * Begin a walk at the first piece, and go on to the next one. Return 0 or an error. No section may
 * be open. No IV is copied, because no algorithm here requires an alignment.
 */
int sm4_walk_skcipher(struct sm4_walk *walk, struct skcipher_request *req);
int sm4_walk_aead(struct sm4_walk *walk, struct aead_request *req, bool decrypt,
		  unsigned int most);
int sm4_walk_next(struct sm4_walk *walk);

/*
 * As scatterwalk_map_and_copy(), but faster where the bytes are contiguous. For 0 bytes, neither
 * looks at @sg.
 */
void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out);

/* The longest tag of an AEAD: HMAC-SM3's */
#define SM4_AEAD_TAG_MAX	32

/* Returns the bytes of text in a request: to @decrypt, its cryptlen also counts the tag. */
unsigned int sm4_aead_cryptlen(struct aead_request *req, bool decrypt);

/*
 * Write the tag of a request, which is the first bytes of @tag, or compare it with the received
 * tag in constant time. Returns -EBADMSG if they differ.
 */
int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt);

#endif
