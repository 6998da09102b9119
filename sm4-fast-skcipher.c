// SPDX-License-Identifier: GPL-2.0
/*
 * The modes without authentication: ecb, cbc, cts(cbc), ctr, xts in two forms.
 *
 * They walk a request's scatterlists and give each piece to the tier's
 * function; a mode is one row of the table below. There is no cipher arithmetic
 * here and no processor.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>
#include "sm4-fast.h"

/* An algorithm as registered: the row of a mode, and the tier it runs on */
struct sm4_skcipher {
	struct skcipher_alg alg;
	const struct sm4_tier *tier;
};

struct sm4_xts_context {
	struct sm4_key data;
	struct sm4_key tweak;
};

static const struct sm4_tier *sm4_skcipher_tier(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct sm4_skcipher,
			    alg)->tier;
}

static int sm4_skcipher_set_key(struct crypto_skcipher *tfm, const u8 *key,
				unsigned int length)
{
	/* The API has checked the length against min and max_keysize. */
	sm4_set_key(sm4_skcipher_tier(tfm), crypto_skcipher_ctx(tfm), key);
	return 0;
}

static int sm4_xts_set_key(struct crypto_skcipher *tfm, const u8 *key,
			   unsigned int length)
{
	struct sm4_xts_context *context = crypto_skcipher_ctx(tfm);
	const struct sm4_tier *tier = sm4_skcipher_tier(tfm);
	int err;

	err = xts_verify_key(tfm, key, length);
	if (err)
		return err;
	sm4_set_key(tier, &context->data, key);
	sm4_set_key(tier, &context->tweak, key + SM4_KEY_SIZE);
	return 0;
}

/*
 * Do an operation on a whole request: at once if it is short and in one piece,
 * or else a step of the walk at a time. @iv is the IV to use and to update; NULL
 * means that of the request.
 */
static int sm4_walk(struct skcipher_request *req,
		    const struct sm4_round_keys *keys, u8 *iv,
		    enum sm4_operation operation)
{
	const struct sm4_tier *tier =
		sm4_skcipher_tier(crypto_skcipher_reqtfm(req));
	const u8 *src = sm4_flat(req->src, 0, req->cryptlen);
	u8 *dst = sm4_flat(req->dst, 0, req->cryptlen);
	const struct sm4_tier *working;
	struct skcipher_walk walk;
	int err;

	if (!req->cryptlen)
		return 0;
	tier = sm4_tier_for(tier, operation);
	if (src && dst && req->cryptlen <= SM4_SECTION_SIZE) {
		working = sm4_begin(tier);
		working->crypt[operation](keys, dst, src, iv ?: req->iv,
					  req->cryptlen);
		sm4_end(working);
		return 0;
	}

	err = skcipher_walk_virt(&walk, req, false);
	while (walk.nbytes) {
		unsigned int bytes = walk.nbytes;

		/* Only the last step may end within a block. */
		if (bytes < walk.total)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		working = sm4_begin(tier);
		working->crypt[operation](keys, walk.dst.virt.addr,
					  walk.src.virt.addr, iv ?: walk.iv,
					  bytes);
		sm4_end(working);
		err = skcipher_walk_done(&walk, walk.nbytes - bytes);
	}
	return err;
}

/* A request of whole blocks under the key's one or other direction */
static int sm4_walk_blocks(struct skcipher_request *req, bool decrypt,
			   enum sm4_operation operation)
{
	const struct sm4_key *key =
		crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));

	if (req->cryptlen % SM4_BLOCK_SIZE)
		return -EINVAL;
	return sm4_walk(req, decrypt ? &key->dec : &key->enc, NULL, operation);
}

static int sm4_ecb_encrypt(struct skcipher_request *req)
{
	return sm4_walk_blocks(req, false, SM4_ECB);
}

static int sm4_ecb_decrypt(struct skcipher_request *req)
{
	return sm4_walk_blocks(req, true, SM4_ECB);
}

static int sm4_cbc_encrypt(struct skcipher_request *req)
{
	return sm4_walk_blocks(req, false, SM4_CBC_ENCRYPT);
}

static int sm4_cbc_decrypt(struct skcipher_request *req)
{
	return sm4_walk_blocks(req, true, SM4_CBC_DECRYPT);
}

static int sm4_ctr_crypt(struct skcipher_request *req)
{
	const struct sm4_key *key =
		crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));

	return sm4_walk(req, &key->enc, NULL, SM4_CTR);
}

/*
 * Ciphertext stealing: the last whole block and the partial one after it (of
 * @tail bytes) trade places and borrow from each other. These two are done in
 * a buffer of their own, all before them as a request of its own.
 */
struct sm4_stolen {
	u8 blocks[2 * SM4_BLOCK_SIZE];
	unsigned int tail;
	struct skcipher_request head;	/* what comes before */
};

/* Split off the last SM4_BLOCK_SIZE + @tail bytes of @req. */
static void sm4_split(struct sm4_stolen *stolen, struct skcipher_request *req,
		      unsigned int tail)
{
	unsigned int bytes = SM4_BLOCK_SIZE + tail;
	struct skcipher_request *head = &stolen->head;

	skcipher_request_set_tfm(head, crypto_skcipher_reqtfm(req));
	skcipher_request_set_callback(head, skcipher_request_flags(req), NULL,
				      NULL);
	skcipher_request_set_crypt(head, req->src, req->dst,
				   req->cryptlen - bytes, req->iv);
	stolen->tail = tail;
	memset(stolen->blocks, 0, sizeof(stolen->blocks));
	scatterwalk_map_and_copy(stolen->blocks, req->src, head->cryptlen,
				 bytes, 0);
}

/* Put the split off bytes into their place. */
static void sm4_join(struct sm4_stolen *stolen, struct skcipher_request *req)
{
	scatterwalk_map_and_copy(stolen->blocks, req->dst,
				 stolen->head.cryptlen,
				 SM4_BLOCK_SIZE + stolen->tail, 1);
}

static void sm4_swap_bytes(u8 *a, u8 *b, unsigned int bytes)
{
	while (bytes--)
		swap(a[bytes], b[bytes]);
}

/* CBC with the last two blocks swapped, "CS3" (SP 800-38A, addendum). */
static int sm4_cts_cbc_crypt(struct skcipher_request *req, bool decrypt)
{
	const struct sm4_tier *tier =
		sm4_skcipher_tier(crypto_skcipher_reqtfm(req));
	const struct sm4_key *key =
		crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	enum sm4_operation operation = decrypt ? SM4_CBC_DECRYPT :
						 SM4_CBC_ENCRYPT;
	const struct sm4_round_keys *keys = decrypt ? &key->dec : &key->enc;
	const struct sm4_tier *working;
	struct sm4_stolen stolen;
	u8 *first = stolen.blocks;
	u8 *last = stolen.blocks + SM4_BLOCK_SIZE;
	int err;

	if (req->cryptlen < SM4_BLOCK_SIZE)
		return -EINVAL;
	if (req->cryptlen == SM4_BLOCK_SIZE)
		return sm4_walk(req, keys, NULL, operation);

	sm4_split(&stolen, req, (req->cryptlen - 1) % SM4_BLOCK_SIZE + 1);
	err = sm4_walk(&stolen.head, keys, NULL, operation);
	if (err)
		goto out;

	working = sm4_begin(sm4_tier_for(tier, operation));
	if (decrypt) {
		/*
		 * The whole block holds the partial plaintext xor the partial
		 * ciphertext, and after that what was stolen from the latter.
		 */
		working->crypt[SM4_ECB](keys, first, first, NULL,
					SM4_BLOCK_SIZE);
		sm4_swap_bytes(first, last, stolen.tail);
		crypto_xor(last, first, stolen.tail);
		working->crypt[SM4_CBC_DECRYPT](keys, first, first, req->iv,
						SM4_BLOCK_SIZE);
	} else {
		working->crypt[SM4_CBC_ENCRYPT](keys, first, first, req->iv,
						sizeof(stolen.blocks));
		sm4_swap_bytes(first, last, SM4_BLOCK_SIZE);
	}
	sm4_end(working);
	sm4_join(&stolen, req);
out:
	memzero_explicit(&stolen, sizeof(stolen));
	return err;
}

static int sm4_cts_cbc_encrypt(struct skcipher_request *req)
{
	return sm4_cts_cbc_crypt(req, false);
}

static int sm4_cts_cbc_decrypt(struct skcipher_request *req)
{
	return sm4_cts_cbc_crypt(req, true);
}

/*
 * IEEE 1619-2018, sections 5.3 and 5.4; by the other operation and @next_tweak,
 * GB/T 17964-2021.
 */
static int sm4_xts_crypt(struct skcipher_request *req, bool decrypt,
			 enum sm4_operation operation,
			 void next_tweak(u8 *tweak))
{
	const struct sm4_tier *tier =
		sm4_skcipher_tier(crypto_skcipher_reqtfm(req));
	const struct sm4_xts_context *context =
		crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	const struct sm4_round_keys *keys = decrypt ? &context->data.dec :
						      &context->data.enc;
	unsigned int tail = req->cryptlen % SM4_BLOCK_SIZE;
	u8 tweak[SM4_BLOCK_SIZE], later_tweak[SM4_BLOCK_SIZE];
	const struct sm4_tier *working;
	struct sm4_stolen stolen;
	int err;

	if (req->cryptlen < SM4_BLOCK_SIZE)
		return -EINVAL;

	working = sm4_begin(tier);
	working->crypt[SM4_ECB](&context->tweak.enc, tweak, req->iv, NULL,
				SM4_BLOCK_SIZE);
	sm4_end(working);
	if (!tail) {
		err = sm4_walk(req, keys, tweak, operation);
		goto out;
	}

	sm4_split(&stolen, req, tail);
	err = sm4_walk(&stolen.head, keys, tweak, operation);
	if (!err) {
		/* The block that is whole now takes the later tweak. */
		memcpy(later_tweak, tweak, SM4_BLOCK_SIZE);
		next_tweak(later_tweak);
		if (decrypt)
			sm4_swap_bytes(tweak, later_tweak, SM4_BLOCK_SIZE);
		working = sm4_begin(tier);
		working->crypt[operation](keys, stolen.blocks, stolen.blocks,
					  tweak, SM4_BLOCK_SIZE);
		sm4_swap_bytes(stolen.blocks, stolen.blocks + SM4_BLOCK_SIZE,
			       tail);
		working->crypt[operation](keys, stolen.blocks, stolen.blocks,
					  later_tweak, SM4_BLOCK_SIZE);
		sm4_end(working);
		sm4_join(&stolen, req);
		memzero_explicit(later_tweak, sizeof(later_tweak));
	}
	memzero_explicit(&stolen, sizeof(stolen));
out:
	memzero_explicit(tweak, sizeof(tweak));
	return err;
}

static int sm4_xts_encrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, false, SM4_XTS, sm4_xts_next_tweak);
}

static int sm4_xts_decrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, true, SM4_XTS, sm4_xts_next_tweak);
}

static int sm4_xts_gb_encrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, false, SM4_XTS_GB, sm4_xts_gb_next_tweak);
}

static int sm4_xts_gb_decrypt(struct skcipher_request *req)
{
	return sm4_xts_crypt(req, true, SM4_XTS_GB, sm4_xts_gb_next_tweak);
}

static const struct skcipher_alg sm4_skcipher_modes[] = {
	{
		.base.cra_name = "ecb(sm4)",
		.base.cra_driver_name = "ecb-sm4",
		.base.cra_blocksize = SM4_BLOCK_SIZE,
		.base.cra_ctxsize = sizeof(struct sm4_key),
		.min_keysize = SM4_KEY_SIZE,
		.max_keysize = SM4_KEY_SIZE,
		.setkey = sm4_skcipher_set_key,
		.encrypt = sm4_ecb_encrypt,
		.decrypt = sm4_ecb_decrypt,
	}, {
		.base.cra_name = "cbc(sm4)",
		.base.cra_driver_name = "cbc-sm4",
		.base.cra_blocksize = SM4_BLOCK_SIZE,
		.base.cra_ctxsize = sizeof(struct sm4_key),
		.min_keysize = SM4_KEY_SIZE,
		.max_keysize = SM4_KEY_SIZE,
		.ivsize = SM4_BLOCK_SIZE,
		.setkey = sm4_skcipher_set_key,
		.encrypt = sm4_cbc_encrypt,
		.decrypt = sm4_cbc_decrypt,
	}, {
		.base.cra_name = "cts(cbc(sm4))",
		.base.cra_driver_name = "cts-cbc-sm4",
		.base.cra_blocksize = SM4_BLOCK_SIZE,
		.base.cra_ctxsize = sizeof(struct sm4_key),
		.min_keysize = SM4_KEY_SIZE,
		.max_keysize = SM4_KEY_SIZE,
		.ivsize = SM4_BLOCK_SIZE,
		.setkey = sm4_skcipher_set_key,
		.encrypt = sm4_cts_cbc_encrypt,
		.decrypt = sm4_cts_cbc_decrypt,
	}, {
		.base.cra_name = "ctr(sm4)",
		.base.cra_driver_name = "ctr-sm4",
		.base.cra_blocksize = 1,
		.base.cra_ctxsize = sizeof(struct sm4_key),
		.min_keysize = SM4_KEY_SIZE,
		.max_keysize = SM4_KEY_SIZE,
		.ivsize = SM4_BLOCK_SIZE,
		.chunksize = SM4_BLOCK_SIZE,
		.setkey = sm4_skcipher_set_key,
		.encrypt = sm4_ctr_crypt,
		.decrypt = sm4_ctr_crypt,
	}, {
		.base.cra_name = "xts(sm4)",
		.base.cra_driver_name = "xts-sm4",
		.base.cra_blocksize = SM4_BLOCK_SIZE,
		.base.cra_ctxsize = sizeof(struct sm4_xts_context),
		.min_keysize = 2 * SM4_KEY_SIZE,
		.max_keysize = 2 * SM4_KEY_SIZE,
		.ivsize = SM4_BLOCK_SIZE,
		.setkey = sm4_xts_set_key,
		.encrypt = sm4_xts_encrypt,
		.decrypt = sm4_xts_decrypt,
	}, {
		.base.cra_name = "gbt17964(xts(sm4))",
		.base.cra_driver_name = "gbt17964-xts-sm4",
		.base.cra_blocksize = SM4_BLOCK_SIZE,
		.base.cra_ctxsize = sizeof(struct sm4_xts_context),
		.min_keysize = 2 * SM4_KEY_SIZE,
		.max_keysize = 2 * SM4_KEY_SIZE,
		.ivsize = SM4_BLOCK_SIZE,
		.setkey = sm4_xts_set_key,
		.encrypt = sm4_xts_gb_encrypt,
		.decrypt = sm4_xts_gb_decrypt,
	},
};

static struct sm4_skcipher
sm4_skciphers[SM4_TIERS_MAX * ARRAY_SIZE(sm4_skcipher_modes)];
static int sm4_skcipher_count;

int sm4_register_skciphers(const struct sm4_tier *tier)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(sm4_skcipher_modes); i++) {
		struct sm4_skcipher *skcipher =
			&sm4_skciphers[sm4_skcipher_count];

		skcipher->alg = sm4_skcipher_modes[i];
		skcipher->tier = tier;
		sm4_describe(&skcipher->alg.base, tier);
		err = crypto_register_skcipher(&skcipher->alg);
		if (err)
			return err;
		sm4_skcipher_count++;
	}
	return 0;
}

void sm4_unregister_skciphers(void)
{
	while (sm4_skcipher_count) {
		struct skcipher_alg *alg = &sm4_skciphers[--sm4_skcipher_count].alg;

		sm4_await_tests(&alg->base);
		crypto_unregister_skcipher(alg);
	}
}

MODULE_ALIAS_CRYPTO("ecb(sm4)");
MODULE_ALIAS_CRYPTO("cbc(sm4)");
MODULE_ALIAS_CRYPTO("cts(cbc(sm4))");
MODULE_ALIAS_CRYPTO("ctr(sm4)");
MODULE_ALIAS_CRYPTO("xts(sm4)");
MODULE_ALIAS_CRYPTO("gbt17964(xts(sm4))");
