/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * ESP's authenc(hmac(sm3),cbc(sm4)) and authencesn(): sm4-fast-authenc.c processes requests one by
 * one, sm4-fast-lanes.c several at once, and sm4-fast-batch.c collects requests into batches.
 */
#ifndef SM4_AUTHENC_H
#define SM4_AUTHENC_H

#include "../sm3/sm3-message.h"
#include "../core/sm4-fast-modes.h"
#include "../core/sm4-fast-requests.h"

/*
 * The AAD of authencesn begins with the SPI, the upper and the lower half of the sequence
 * number, ESN_HALF bytes each. The upper half is the last input of the MAC. A tag has at least
 * ESN_HALF bytes, as in the kernel's template, which stores that half in the place of the tag.
 */
#define ESN_HALF		4

struct sm4_batch_flow;

/**
 * struct sm4_authenc_ctx - the ctx of a tfm
 * @cipher: the key of CBC
 * @inner: SM3's state after a block, which is the key of HMAC combined with the inner pad
 * @outer: likewise with the outer pad
 * @flow: used only by the drivers of sm4-fast-batch.c
 */
struct sm4_authenc_ctx {
	struct sm4_key cipher;
	u32 inner[SM3_WORDS];
	u32 outer[SM3_WORDS];
	struct sm4_batch_flow *flow;
};

/**
 * struct sm4_authenc_request - a request from its submission to its completion
 * @req: the crypto API's request
 * @driver: of its tfm
 * @ctx: of its tfm
 * @decrypt: whether to decrypt or to encrypt
 * @cryptlen: bytes of text
 * @err: the result, until the completion
 * @flags: flags of @req that are hidden from the tasklet. Only sm4-fast-batch.c uses this
 *	member and the following ones.
 * @in_queue: link in the list of a CPU
 * @in_flow: link in the list of the flow
 * @done: processed; to be completed after all earlier requests of its flow
 */
struct sm4_authenc_request {
	struct aead_request *req;
	const struct sm4_driver *driver;
	const struct sm4_authenc_ctx *ctx;
	bool decrypt;
	unsigned int cryptlen;
	int err;
	u32 flags;
	struct list_head in_queue;
	struct list_head in_flow;
	bool done;
};

/**
 * struct sm4_authenc_part - a part of the MAC's input
 * @offset: where it begins in AAD and text
 * @bytes: its length
 */
struct sm4_authenc_part {
	unsigned int offset;
	unsigned int bytes;
};

#define SM4_AUTHENC_PARTS	3

/* The common members of all entries */
#define SM4_AUTHENC_COMMON						\
	.type = SM4_AEAD,						\
	.composite = true,						\
	.aead.base.cra_blocksize = SM4_BLOCK_SIZE,			\
	.aead.base.cra_ctxsize = sizeof(struct sm4_authenc_ctx),	\
	.aead.ivsize = SM4_BLOCK_SIZE,					\
	.aead.chunksize = SM4_BLOCK_SIZE,				\
	.aead.maxauthsize = SM3_DIGEST_SIZE,				\
	.aead.setkey = sm4_authenc_set_key,				\
	.aead.setauthsize = sm4_authenc_set_authsize

/**
 * sm4_authenc_priority() - cra_priority of the drivers
 * @tier: their tier
 *
 * If a user requests a pair of our own drivers by name, the kernel instantiates its template over
 * them, and the instance stays.
 *
 * Return: a priority above the instance's
 */
int sm4_authenc_priority(const struct sm4_tier *tier);

/**
 * sm4_authenc_set_key() - crypto_aead's setkey
 * @tfm: the tfm
 * @key: both keys, as the templates take them
 * @keylen: the length of @key
 *
 * Return: 0, or -EINVAL if this is no such key
 */
int sm4_authenc_set_key(struct crypto_aead *tfm, const u8 *key,
			unsigned int keylen);

/**
 * sm4_authenc_set_authsize() - crypto_aead's setauthsize
 * @tfm: the tfm
 * @authsize: bytes of a tag
 *
 * Return: 0, or -EINVAL for authencesn if it is less than ESN_HALF
 */
int sm4_authenc_set_authsize(struct crypto_aead *tfm, unsigned int authsize);

/**
 * sm4_authenc_begin() - begin with a request
 * @request: what is filled in
 * @req: the crypto API's request
 * @decrypt: whether to decrypt or to encrypt
 *
 * Return: -EINVAL for invalid lengths, or 0
 */
int sm4_authenc_begin(struct sm4_authenc_request *request,
		      struct aead_request *req, bool decrypt);

/**
 * sm4_authenc_crypt() - process one request
 * @request: a request that sm4_authenc_begin() has accepted
 *
 * No section may be open.
 *
 * Return: its error, or 0
 */
int sm4_authenc_crypt(const struct sm4_authenc_request *request);

/**
 * sm4_authenc_list_parts() - list the parts of the MAC's input
 * @request: the request
 * @parts: the parts, in order. The text is the end of the second one.
 */
static inline void
sm4_authenc_list_parts(const struct sm4_authenc_request *request,
		       struct sm4_authenc_part parts[SM4_AUTHENC_PARTS])
{
	unsigned int half = request->driver->mode.esn ? ESN_HALF : 0;
	unsigned int bytes = request->req->assoclen + request->cryptlen;

	parts[0] = (struct sm4_authenc_part) { 0, half };
	parts[1] = (struct sm4_authenc_part) { 2 * half, bytes - 2 * half };
	parts[2] = (struct sm4_authenc_part) { half, half };
}

/**
 * sm4_authenc_end() - write the tag; or compare it and, if it is right, decrypt the text
 * @request: the request
 * @state: SM3's state, which is the tag
 * @copy: a copy of the text that is to be decrypted in place; NULL to decrypt from source to
 *	destination
 *
 * Return: the request's error, or 0
 */
int sm4_authenc_end(const struct sm4_authenc_request *request,
		    const u32 state[SM3_WORDS], u8 *copy);

/* Memory for sm4_lanes_crypt(), initially zero. No secrets stay there. */
struct sm4_lanes_work;
extern const size_t sm4_lanes_work_size;

/**
 * sm4_lanes_crypt() - process several requests at once, and set @err of each
 * @work: memory, which may not be in use elsewhere
 * @requests: requests that sm4_authenc_begin() has accepted, whose tiers have lanes of SM4 and of
 *	SM3. Their order changes.
 * @count: their number, at most SM4_LANES
 *
 * No section may be open. Does not sleep.
 */
void sm4_lanes_crypt(struct sm4_lanes_work *work,
		     struct sm4_authenc_request **requests, unsigned int count);

#endif
