/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files have in common that do ESP's authenc(hmac(sm3),cbc(sm4)) and
 * authencesn(): sm4-fast-authenc.c, which takes requests one by one, -lanes.c, which
 * takes several at once, and -batch.c, which collects them.
 */
#ifndef SM4_AUTHENC_H
#define SM4_AUTHENC_H

#include "../sm3/sm3-fast.h"
#include "../sm4-fast-core.h"

/*
 * In the AAD of authencesn: SPI, upper and lower half of the sequence number,
 * which the MAC takes in another order. There may be more behind them.
 */
#define ESN_UPPER_HALF		4
#define ESN_LOWER_HALF		8
#define ESN_AAD_LEAST		8

/* @inner and @outer are SM3 after the block that each pad has made of the key. */
struct sm4_authenc_context {
	struct sm4_key cipher;
	u32 inner[SM3_WORDS];
	u32 outer[SM3_WORDS];
};

/* What all rows have alike */
#define SM4_AUTHENC_COMMON						\
	.type = SM4_AEAD,						\
	.composite = true,						\
	.aead.base.cra_blocksize = SM4_BLOCK_SIZE,				\
	.aead.ivsize = SM4_BLOCK_SIZE,					\
	.aead.chunksize = SM4_BLOCK_SIZE,					\
	.aead.maxauthsize = SM3_DIGEST_SIZE,					\
	.aead.setkey = sm4_authenc_set_key

/*
 * Above the kernel's template over our own drivers: a request that names such a pair of
 * drivers instantiates the template, and the instance stays.
 */
int sm4_authenc_priority(const struct sm4_tier *tier);

int sm4_authenc_set_key(struct crypto_aead *tfm, const u8 *key,
			unsigned int length);
int sm4_authencesn_set_tag_size(struct crypto_aead *tfm, unsigned int size);

/* -EINVAL for a request whose lengths cannot be, or 0 */
int sm4_authenc_check(struct aead_request *req, bool esn, bool decrypt);

/* Do a request, which this includes. Returns its error. */
int sm4_authenc_crypt(struct aead_request *req, bool esn, bool decrypt);

/**
 * struct sm4_lane_request - one of several requests that are done at once
 * @err: what became of it
 */
struct sm4_lane_request {
	struct aead_request *req;
	bool esn;
	bool decrypt;
	int err;
};

/* Memory to do this in, zeros at first; nothing that is secret stays there */
struct sm4_lane_work;
extern const size_t sm4_lane_work_size;

/*
 * Do @count requests, at most SM4_LANES, all of which sm4_authenc_check() has accepted, of
 * one direction and one tier, which has lanes. Does not sleep. Changes the order of
 * @requests.
 */
void sm4_lanes_crypt(struct sm4_lane_work *work,
		     struct sm4_lane_request **requests, unsigned int count);

#endif
