// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The modes without authentication: ecb, cbc, cts(cbc), ctr, xts in two forms. They walk the
 * request's scatterlists and pass each piece to a function of the tier. This file contains no
 * cipher arithmetic and nothing specific to a CPU.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>
#include "../core/sm4-fast-modes.h"
#include "../core/sm4-fast-requests.h"

struct sm4_xts_ctx {
	struct sm4_key data;
	struct sm4_tweak_key tweak;
};

static int sm4_skcipher_set_key(struct crypto_skcipher *tfm, const u8 *key,
				unsigned int keylen)
{
	/* The API has checked the length against min and max_keysize. */
	sm4_set_key(sm4_skcipher_driver(tfm)->tier, crypto_skcipher_ctx(tfm), key);
	return 0;
}

static int sm4_xts_set_key(struct crypto_skcipher *tfm, const u8 *key,
			   unsigned int keylen)
{
	struct sm4_xts_ctx *ctx = crypto_skcipher_ctx(tfm);
	const struct sm4_tier *tier = sm4_skcipher_driver(tfm)->tier;
	int err;

	err = xts_verify_key(tfm, key, keylen);
	if (err)
		return err;
	sm4_set_key(tier, &ctx->data, key);
	sm4_set_tweak_key(tier, &ctx->tweak, key + SM4_KEY_SIZE);
	return 0;
}

static void sm4_xts_exit(struct crypto_skcipher *tfm)
{
	const struct sm4_xts_ctx *ctx = crypto_skcipher_ctx(tfm);

	sm4_wipe_tweaks(&ctx->tweak);
}

/* Walk over the text. Not inlined, so that only such texts need stack for the walk */
static noinline int sm4_skcipher_pieces(struct skcipher_request *req,
					struct sm4_work *work)
{
	struct sm4_walk walk;
	int err;

	for (err = sm4_walk_skcipher(&walk, req); walk.bytes;
	     err = sm4_walk_next(&walk))
		sm4_process_in_sections(work, walk.dst, walk.src, walk.bytes);
	return err;
}

/*
 * Process the text of a request. From here down, each function cuts what the one above gives it:
 * sm4_skcipher_pieces() the text into pieces, by a walk; sm4_process_in_sections() a piece into
 * sections; sm4_process_section() is one section, and sm4_tier_crypt() one call of a tier, which
 * may leave the end to a narrower one. A text of more than a section is walked over, even if it is
 * contiguous: the walk lets other tasks run.
 */
static int sm4_skcipher_text(struct skcipher_request *req, struct sm4_work *work)
{
	const u8 *src = sm4_flat(req->src, 0, req->cryptlen);
	u8 *dst = sm4_flat(req->dst, 0, req->cryptlen);

	if (!src || !dst || req->cryptlen > SM4_SECTION_SIZE)
		return sm4_skcipher_pieces(req, work);
	sm4_process_in_sections(work, dst, src, req->cryptlen);
	return 0;
}

static struct sm4_work sm4_one_key_work(struct skcipher_request *req,
					bool decrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct sm4_driver *driver = sm4_skcipher_driver(tfm);
	enum sm4_operation operation = driver->mode.operation;
	const struct sm4_key *key = crypto_skcipher_ctx(tfm);

	if (decrypt && operation == SM4_CBC_ENCRYPT)
		operation = SM4_CBC_DECRYPT;
	return (struct sm4_work) {
		.tier = sm4_tier_for(driver->tier, operation),
		.operation = operation,
		.keys = decrypt ? &key->dec : &key->enc,
		.iv = req->iv,
	};
}

static int sm4_ecb_cbc_crypt(struct skcipher_request *req, bool decrypt)
{
	struct sm4_work work = sm4_one_key_work(req, decrypt);

	if (req->cryptlen % SM4_BLOCK_SIZE)
		return -EINVAL;
	return sm4_skcipher_text(req, &work);
}

static int sm4_ecb_cbc_encrypt(struct skcipher_request *req)
{
	return sm4_ecb_cbc_crypt(req, false);
}

static int sm4_ecb_cbc_decrypt(struct skcipher_request *req)
{
	return sm4_ecb_cbc_crypt(req, true);
}

static int sm4_ctr_crypt(struct skcipher_request *req)
{
	struct sm4_work work = sm4_one_key_work(req, false);

	return sm4_skcipher_text(req, &work);
}

/*
 * Ciphertext stealing: the last whole block and the partial block after it, of @tail bytes,
 * change places. @section processes the whole request if it is short and contiguous. Otherwise,
 * a second request processes all but the last two blocks, and @section these two, in a buffer.
 */
static int sm4_steal(struct skcipher_request *req, struct sm4_work *work,
		     unsigned int tail,
		     void section(struct sm4_work *work,
				  const struct sm4_tier *working, u8 *dst,
				  const u8 *src, unsigned int bytes))
{
	const u8 *src = sm4_flat(req->src, 0, req->cryptlen);
	u8 *dst = sm4_flat(req->dst, 0, req->cryptlen);
	unsigned int bytes = SM4_BLOCK_SIZE + tail;
	u8 blocks[2 * SM4_BLOCK_SIZE];
	const struct sm4_tier *working;
	struct skcipher_request head;
	int err;

	if (src && dst && req->cryptlen <= sm4_section_size(work)) {
		working = sm4_begin(work->tier);
		section(work, working, dst, src, req->cryptlen);
		sm4_end(working);
		return 0;
	}

	skcipher_request_set_tfm(&head, crypto_skcipher_reqtfm(req));
	skcipher_request_set_callback(&head, skcipher_request_flags(req), NULL,
				      NULL);
	skcipher_request_set_crypt(&head, req->src, req->dst,
				   req->cryptlen - bytes, req->iv);
	err = sm4_skcipher_text(&head, work);
	if (err)
		return err;

	scatterwalk_map_and_copy(blocks, req->src, head.cryptlen, bytes, 0);
	working = sm4_begin(work->tier);
	section(work, working, blocks, blocks, bytes);
	sm4_end(working);
	scatterwalk_map_and_copy(blocks, req->dst, head.cryptlen, bytes, 1);
	memzero_explicit(blocks, sizeof(blocks));
	return 0;
}

/*
 * cts is CBC with the last two blocks of ciphertext swapped. After that, the last block is
 * truncated to the length of the message: "CS3" (SP 800-38A, addendum). Returns its length, 1 to
 * 16.
 */
static unsigned int sm4_cts_tail(unsigned int bytes)
{
	return (bytes - 1) % SM4_BLOCK_SIZE + 1;
}

static void sm4_cts_encrypt_section(struct sm4_work *work,
				    const struct sm4_tier *working, u8 *dst,
				    const u8 *src, unsigned int bytes)
{
	unsigned int tail = sm4_cts_tail(bytes);
	unsigned int before = bytes - tail;
	u8 last[SM4_BLOCK_SIZE] = {};

	memcpy(last, src + before, tail);
	sm4_process_section(work, working, dst, src, before);
	dst += before;
	memcpy(dst, dst - SM4_BLOCK_SIZE, tail);
	sm4_process_section(work, working, dst - SM4_BLOCK_SIZE, last,
			    SM4_BLOCK_SIZE);
	memzero_explicit(last, sizeof(last));
}

/*
 * The ciphertext ends with the blocks B X Y, of which Y may be partial. X belongs to the last
 * block of plaintext and Y to the one before. If Y is partial, D(X) contains the rest of Y. So
 * the last two blocks of plaintext are
 *
 *	D(Y) ^ B	D(X) ^ Y
 *
 * One call of plain CBC, which computes D(X) ^ B and D(Y) ^ X, does most of this. The IV that is
 * left is X, as after encryption (crypto/cts.c): AF_ALG continues with it.
 */
static void sm4_cts_decrypt_section(struct sm4_work *work,
				    const struct sm4_tier *working, u8 *dst,
				    const u8 *src, unsigned int bytes)
{
	unsigned int tail = sm4_cts_tail(bytes);
	unsigned int before = bytes - tail - SM4_BLOCK_SIZE;
	u8 b[SM4_BLOCK_SIZE], x[SM4_BLOCK_SIZE], y[SM4_BLOCK_SIZE];

	memcpy(b, before ? src + before - SM4_BLOCK_SIZE : work->iv,
	       SM4_BLOCK_SIZE);
	memcpy(x, src + before, SM4_BLOCK_SIZE);
	memcpy(y, src + before + SM4_BLOCK_SIZE, tail);
	sm4_process_section(work, working, dst, src,
			    round_down(bytes, SM4_BLOCK_SIZE));

	dst += before;
	crypto_xor(dst, b, SM4_BLOCK_SIZE);
	if (tail < SM4_BLOCK_SIZE) {
		memcpy(y + tail, dst + tail, SM4_BLOCK_SIZE - tail);
		crypto_xor_cpy(dst + SM4_BLOCK_SIZE, dst, y, tail);
		memcpy(work->iv, b, SM4_BLOCK_SIZE);
		sm4_process_section(work, working, dst, y, SM4_BLOCK_SIZE);
	} else {
		crypto_xor(y, dst, SM4_BLOCK_SIZE);
		crypto_xor(b, x, SM4_BLOCK_SIZE);
		crypto_xor_cpy(dst, dst + SM4_BLOCK_SIZE, b, SM4_BLOCK_SIZE);
		memcpy(dst + SM4_BLOCK_SIZE, y, SM4_BLOCK_SIZE);
	}
	memcpy(work->iv, x, SM4_BLOCK_SIZE);
	memzero_explicit(y, sizeof(y));
}

static int sm4_cts_cbc_crypt(struct skcipher_request *req, bool decrypt)
{
	struct sm4_work work = sm4_one_key_work(req, decrypt);

	if (req->cryptlen < SM4_BLOCK_SIZE)
		return -EINVAL;
	if (req->cryptlen == SM4_BLOCK_SIZE)
		return sm4_skcipher_text(req, &work);
	return sm4_steal(req, &work, sm4_cts_tail(req->cryptlen),
			 decrypt ? sm4_cts_decrypt_section :
				   sm4_cts_encrypt_section);
}

static int sm4_cts_cbc_encrypt(struct skcipher_request *req)
{
	return sm4_cts_cbc_crypt(req, false);
}

static int sm4_cts_cbc_decrypt(struct skcipher_request *req)
{
	return sm4_cts_cbc_crypt(req, true);
}

static void sm4_next_tweak(const struct sm4_work *work)
{
	if (work->operation == SM4_XTS)
		sm4_xts_next_tweak(work->iv);
	else
		sm4_xts_gb_next_tweak(work->iv);
}

/*
 * XTS with a partial block at the end. First, the last whole block is processed. Its beginning is
 * the partial block of the output. Its rest completes the partial block of the input, which is
 * processed with the next tweak and takes the place of the whole block. In decryption, the two
 * tweaks are swapped.
 */
static void sm4_xts_section(struct sm4_work *work,
			    const struct sm4_tier *working, u8 *dst,
			    const u8 *src, unsigned int bytes)
{
	unsigned int tail = bytes % SM4_BLOCK_SIZE;
	unsigned int before = bytes - tail - SM4_BLOCK_SIZE;
	u8 tweak[SM4_BLOCK_SIZE], last[SM4_BLOCK_SIZE];

	if (work->decrypt) {
		sm4_process_section(work, working, dst, src, before);
		memcpy(tweak, work->iv, SM4_BLOCK_SIZE);
		sm4_next_tweak(work);
		sm4_process_section(work, working, dst + before, src + before,
				    SM4_BLOCK_SIZE);
		memcpy(work->iv, tweak, SM4_BLOCK_SIZE);
		memzero_explicit(tweak, sizeof(tweak));
	} else {
		sm4_process_section(work, working, dst, src, before + SM4_BLOCK_SIZE);
	}

	dst += before;
	src += before;
	memcpy(last, src + SM4_BLOCK_SIZE, tail);
	memcpy(last + tail, dst + tail, SM4_BLOCK_SIZE - tail);
	memcpy(dst + SM4_BLOCK_SIZE, dst, tail);
	sm4_process_section(work, working, dst, last, SM4_BLOCK_SIZE);
	memzero_explicit(last, sizeof(last));
}

/* IEEE 1619-2018, sections 5.3 and 5.4; for SM4_XTS_GB, GB/T 17964-2021 */
static int sm4_xts_crypt(struct skcipher_request *req, bool decrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	const struct sm4_driver *driver = sm4_skcipher_driver(tfm);
	struct sm4_xts_ctx *ctx = crypto_skcipher_ctx(tfm);
	unsigned int tail = req->cryptlen % SM4_BLOCK_SIZE;
	u8 tweak[SM4_BLOCK_SIZE];
	struct sm4_work work = {
		.tier = driver->tier,
		.operation = driver->mode.operation,
		.keys = decrypt ? &ctx->data.dec : &ctx->data.enc,
		.iv = tweak,
		.decrypt = decrypt,
		.tweak_key = &ctx->tweak,
	};
	int err;

	if (req->cryptlen < SM4_BLOCK_SIZE)
		return -EINVAL;
	memcpy(tweak, req->iv, sizeof(tweak));
	err = tail ? sm4_steal(req, &work, tail, sm4_xts_section) :
		     sm4_skcipher_text(req, &work);
	memzero_explicit(tweak, sizeof(tweak));
	return err;
}

static int sm4_xts_encrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, false);
}

static int sm4_xts_decrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, true);
}

/* The common members of entries with one key, then of entries with a second key for tweaks */
#define SM4_ONE_KEY						\
	.type = SM4_SKCIPHER,					\
	.skcipher.base.cra_ctxsize = sizeof(struct sm4_key),		\
	.skcipher.min_keysize = SM4_KEY_SIZE,				\
	.skcipher.max_keysize = SM4_KEY_SIZE,				\
	.skcipher.setkey = sm4_skcipher_set_key

#define SM4_TWO_KEYS						\
	.type = SM4_SKCIPHER,					\
	.skcipher.base.cra_blocksize = SM4_BLOCK_SIZE,			\
	.skcipher.base.cra_ctxsize = sizeof(struct sm4_xts_ctx),	\
	.skcipher.min_keysize = 2 * SM4_KEY_SIZE,			\
	.skcipher.max_keysize = 2 * SM4_KEY_SIZE,			\
	.skcipher.ivsize = SM4_BLOCK_SIZE,				\
	.skcipher.setkey = sm4_xts_set_key,				\
	.skcipher.exit = sm4_xts_exit,					\
	.skcipher.encrypt = sm4_xts_encrypt,				\
	.skcipher.decrypt = sm4_xts_decrypt

const struct sm4_mode sm4_skcipher_modes[] = {
	{
		SM4_ONE_KEY,
		.operation = SM4_ECB,
		.skcipher.base.cra_name = "ecb(sm4)",
		.skcipher.base.cra_driver_name = "ecb-sm4",
		.skcipher.base.cra_blocksize = SM4_BLOCK_SIZE,
		.skcipher.encrypt = sm4_ecb_cbc_encrypt,
		.skcipher.decrypt = sm4_ecb_cbc_decrypt,
	}, {
		SM4_ONE_KEY,
		.operation = SM4_CBC_ENCRYPT,
		.skcipher.base.cra_name = "cbc(sm4)",
		.skcipher.base.cra_driver_name = "cbc-sm4",
		.skcipher.base.cra_blocksize = SM4_BLOCK_SIZE,
		.skcipher.ivsize = SM4_BLOCK_SIZE,
		.skcipher.encrypt = sm4_ecb_cbc_encrypt,
		.skcipher.decrypt = sm4_ecb_cbc_decrypt,
	}, {
		SM4_ONE_KEY,
		.operation = SM4_CBC_ENCRYPT,
		.skcipher.base.cra_name = "cts(cbc(sm4))",
		.skcipher.base.cra_driver_name = "cts-cbc-sm4",
		.skcipher.base.cra_blocksize = SM4_BLOCK_SIZE,
		.skcipher.ivsize = SM4_BLOCK_SIZE,
		.skcipher.encrypt = sm4_cts_cbc_encrypt,
		.skcipher.decrypt = sm4_cts_cbc_decrypt,
	}, {
		SM4_ONE_KEY,
		.operation = SM4_CTR,
		.skcipher.base.cra_name = "ctr(sm4)",
		.skcipher.base.cra_driver_name = "ctr-sm4",
		.skcipher.base.cra_blocksize = 1,
		.skcipher.ivsize = SM4_BLOCK_SIZE,
		.skcipher.chunksize = SM4_BLOCK_SIZE,
		.skcipher.encrypt = sm4_ctr_crypt,
		.skcipher.decrypt = sm4_ctr_crypt,
	}, {
		SM4_TWO_KEYS,
		.operation = SM4_XTS,
		.skcipher.base.cra_name = "xts(sm4)",
		.skcipher.base.cra_driver_name = "xts-sm4",
	}, {
		SM4_TWO_KEYS,
		.operation = SM4_XTS_GB,
		.skcipher.base.cra_name = "gbt17964(xts(sm4))",
		.skcipher.base.cra_driver_name = "gbt17964-xts-sm4",
	},
	{}
};

MODULE_ALIAS_CRYPTO("ecb(sm4)");
MODULE_ALIAS_CRYPTO("cbc(sm4)");
MODULE_ALIAS_CRYPTO("cts(cbc(sm4))");
MODULE_ALIAS_CRYPTO("ctr(sm4)");
MODULE_ALIAS_CRYPTO("xts(sm4)");
MODULE_ALIAS_CRYPTO("gbt17964(xts(sm4))");
MODULE_ALIAS_CRYPTO("ecb-sm4-*-fast");
MODULE_ALIAS_CRYPTO("cbc-sm4-*-fast");
MODULE_ALIAS_CRYPTO("cts-cbc-sm4-*-fast");
MODULE_ALIAS_CRYPTO("ctr-sm4-*-fast");
MODULE_ALIAS_CRYPTO("xts-sm4-*-fast");
MODULE_ALIAS_CRYPTO("gbt17964-xts-sm4-*-fast");
