// SPDX-License-Identifier: GPL-2.0
/*
 * What GM/T 0022 has for ESP: authenc(hmac(sm3),cbc(sm4)), and authencesn() of
 * the same, for sequence numbers of 64 bits.
 *
 * The text goes through CBC; the associated data (AAD) and the ciphertext go
 * through HMAC-SM3 (RFC 2104, GB/T 15852.2). The kernel's templates make the same
 * of a hash and a cipher, and what this file answers is what they answer: see
 * crypto/authenc.c and crypto/authencesn.c there. But for two things, on purpose:
 * the AAD is not copied to where the text goes, and the request's IV stays as it
 * was, which ends as the last block there. There is no cipher arithmetic here and
 * no processor.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <crypto/authenc.h>
#include "sm4-authenc.h"

/* The template of authencesn puts the upper half where the tag will be. */
#define ESN_TAG_LEAST		4

/* What the key is mixed with in HMAC (RFC 2104, section 2) */
#define HMAC_INNER_PAD		0x36
#define HMAC_OUTER_PAD		0x5c

/*
 * A request on its way
 *
 * @cipher: who encrypts or decrypts, and how; its tier can hash and encrypt @at_once, or
 *	cannot
 * @iv: of the next block
 * @mac: HMAC so far
 * @lag: what is to go into the MAC next and has not yet, up to @end: where the next
 *	block is encrypted to
 */
struct sm4_authenc_work {
	struct sm4_work cipher;
	const struct sm4_tier *hash_tier;
	bool at_once;
	u8 iv[SM4_BLOCK_SIZE];
	struct sm3_message mac;
	const u8 *lag;
	u8 *end;
};

/* SM3 after a block of the key and a pad */
static void sm4_authenc_set_pad(const struct sm4_tier *tier,
				u32 state[SM3_WORDS],
				const u8 key[SM3_BLOCK_SIZE], u8 pad)
{
	struct sm3_message message;
	u8 block[SM3_BLOCK_SIZE];
	int i;

	for (i = 0; i < SM3_BLOCK_SIZE; i++)
		block[i] = key[i] ^ pad;
	sm3_message_begin(&message);
	sm3_message_add(tier, &message, block, SM3_BLOCK_SIZE);
	memcpy(state, message.state, sizeof(message.state));
	memzero_explicit(&message, sizeof(message));
	memzero_explicit(block, sizeof(block));
}

/* A key of any length: one that is longer than a block is hashed. */
static void sm4_authenc_set_mac_key(const struct sm4_tier *tier,
				    struct sm4_authenc_context *context,
				    const u8 *key, unsigned int length)
{
	u8 block[SM3_BLOCK_SIZE] = {};
	struct sm3_message message;

	if (length > SM3_BLOCK_SIZE) {
		sm3_message_begin(&message);
		sm3_message_end(tier, &message, key, length, block);
	} else {
		memcpy(block, key, length);
	}
	sm4_authenc_set_pad(tier, context->inner, block, HMAC_INNER_PAD);
	sm4_authenc_set_pad(tier, context->outer, block, HMAC_OUTER_PAD);
	memzero_explicit(block, sizeof(block));
}

/*
 * The key is an attribute with the length of SM4's key, then HMAC's, then SM4's. The
 * kernel's function that parses it is in the module authenc: using it would make this
 * module depend on that one, which disks do not need.
 */
int sm4_authenc_set_key(struct crypto_aead *tfm, const u8 *key,
			unsigned int length)
{
	struct sm4_authenc_context *context = crypto_aead_ctx(tfm);
	const struct sm4_driver *driver = sm4_aead_driver(tfm);
	struct {
		struct rtattr attribute;
		struct crypto_authenc_key_param param;
	} head;

	if (length < sizeof(head) + SM4_KEY_SIZE)
		return -EINVAL;
	memcpy(&head, key, sizeof(head));
	if (head.attribute.rta_len != sizeof(head) ||
	    head.attribute.rta_type != CRYPTO_AUTHENC_KEYA_PARAM ||
	    head.param.enckeylen != cpu_to_be32(SM4_KEY_SIZE))
		return -EINVAL;
	key += sizeof(head);
	length -= sizeof(head) + SM4_KEY_SIZE;
	sm4_authenc_set_mac_key(driver->hash_tier, context, key, length);
	sm4_set_key(driver->tier, &context->cipher, key + length);
	return 0;
}

/* Take bytes of a scatterlist into the MAC. */
static void sm4_authenc_add(struct sm4_authenc_work *work,
			    struct scatterlist *sg, unsigned int offset,
			    unsigned int bytes)
{
	for (; bytes; sg = sg_next(sg)) {
		unsigned int skipped = min(offset, sg->length);
		unsigned int n = min(bytes, sg->length - skipped);

		/* x86-64 has all memory mapped, so no entry needs a kmap. */
		sm3_message_add(work->hash_tier, &work->mac,
				(u8 *)sg_virt(sg) + skipped, n);
		offset -= skipped;
		bytes -= n;
	}
}

/* The same with what lags */
static void sm4_authenc_add_lag(struct sm4_authenc_work *work)
{
	sm3_message_add(work->hash_tier, &work->mac, work->lag,
			work->end - work->lag);
	work->lag = work->end;
}

/*
 * Start the MAC. Returns where in the request it goes on: what is there goes in as
 * it stands, up to the end of the ciphertext.
 */
static unsigned int sm4_authenc_begin(struct sm4_authenc_work *work,
				      struct aead_request *req, bool esn)
{
	const struct sm4_authenc_context *context =
		crypto_aead_ctx(crypto_aead_reqtfm(req));

	memcpy(work->mac.state, context->inner, sizeof(context->inner));
	work->mac.bytes = SM3_BLOCK_SIZE;
	if (!esn)
		return 0;
	sm4_authenc_add(work, req->src, 0, ESN_UPPER_HALF);
	return ESN_LOWER_HALF;
}

/* The end of the MAC: write the tag, or compare it. */
static int sm4_authenc_tag(struct sm4_authenc_work *work,
			   struct aead_request *req, bool esn, bool decrypt)
{
	const struct sm4_authenc_context *context =
		crypto_aead_ctx(crypto_aead_reqtfm(req));
	u8 digest[SM3_DIGEST_SIZE], tag[SM3_DIGEST_SIZE];
	int err;

	if (esn) {
		sm4_authenc_add_lag(work);
		sm4_authenc_add(work, req->src, ESN_UPPER_HALF,
				ESN_LOWER_HALF - ESN_UPPER_HALF);
	}
	sm3_message_end(work->hash_tier, &work->mac, work->lag,
			work->end - work->lag, digest);
	memcpy(work->mac.state, context->outer, sizeof(context->outer));
	work->mac.bytes = SM3_BLOCK_SIZE;
	sm3_message_end(work->hash_tier, &work->mac, digest, sizeof(digest),
			tag);
	err = sm4_aead_tag(req, tag, decrypt);
	memzero_explicit(digest, sizeof(digest));
	memzero_explicit(tag, sizeof(tag));
	return err;
}

/* Encrypt so many bytes, in whole blocks. */
static void sm4_authenc_encrypt_alone(struct sm4_authenc_work *work,
				      const struct sm4_tier *working,
				      const u8 *src, unsigned int bytes)
{
	sm4_tier_crypt(working, SM4_CBC_ENCRYPT, work->cipher.keys, work->end,
		       src, work->iv, bytes);
	work->end += bytes;
}

/*
 * Encrypt so many times 64 bytes, and hash as many of what lags. That is at least
 * 64 bytes, as the caller sees to: so each pass finds what it hashes. A block that
 * the MAC has the beginning of comes first, by a pass of its own.
 */
static void sm4_authenc_encrypt_passes(struct sm4_authenc_work *work,
				       const struct sm4_tier *working,
				       const u8 *src, unsigned int passes)
{
	struct sm3_message *mac = &work->mac;
	struct sm4_hashing hashing;

	while (passes) {
		unsigned int used = mac->bytes % SM3_BLOCK_SIZE;
		unsigned int n = used ? 1 : passes;
		unsigned int bytes = n * SM4_PASS_SIZE;

		memcpy(hashing.state, mac->state, sizeof(hashing.state));
		hashing.src = work->lag;
		work->lag += bytes - used;
		mac->bytes += bytes - used;
		if (used) {
			memcpy(mac->partial + used, hashing.src,
			       SM3_BLOCK_SIZE - used);
			hashing.src = mac->partial;
		}
		working->cbc_encrypt_sm3(work->cipher.keys, work->end, src, work->iv,
					 n, &hashing);
		memcpy(mac->state, hashing.state, sizeof(hashing.state));
		work->end += bytes;
		src += bytes;
		passes -= n;
	}
	memzero_explicit(&hashing, sizeof(hashing));
}

/*
 * Encrypt a section. Before there can be passes, there has to be what they hash,
 * which is encrypted by itself; and so is what is no whole pass in the end.
 */
static void sm4_authenc_encrypt_section(struct sm4_authenc_work *work,
					const u8 *src, unsigned int bytes)
{
	const struct sm4_tier *working = sm4_begin(work->cipher.tier);
	unsigned int before = bytes, passes;

	if (work->at_once && working->cbc_encrypt_sm3)
		before = work->end - work->lag < SM4_PASS_SIZE ?
			 min_t(unsigned int, bytes, SM4_PASS_SIZE) : 0;
	sm4_authenc_encrypt_alone(work, working, src, before);
	src += before;
	bytes -= before;
	passes = bytes / SM4_PASS_SIZE;
	sm4_authenc_encrypt_passes(work, working, src, passes);
	src += passes * SM4_PASS_SIZE;
	sm4_authenc_encrypt_alone(work, working, src, bytes % SM4_PASS_SIZE);
	sm4_end(working);
}

/* Encrypt so many bytes in one piece, with what lags in front of them. */
static void sm4_authenc_encrypt_flat(struct sm4_authenc_work *work,
				     const u8 *src, unsigned int bytes)
{
	unsigned int done, n;

	for (done = 0; done < bytes; done += n) {
		n = min_t(unsigned int, bytes - done, SM4_CHAIN_SECTION_SIZE);
		sm4_authenc_encrypt_section(work, src + done, n);
	}
}

/* A piece of the text, which will not be there any longer */
static void sm4_authenc_encrypt_piece(void *context, u8 *dst, const u8 *src,
				      unsigned int bytes, bool last)
{
	struct sm4_authenc_work *work = context;

	work->lag = dst;
	work->end = dst;
	sm4_authenc_encrypt_flat(work, src, bytes);
	sm4_authenc_add_lag(work);
}

static void sm4_authenc_decrypt_piece(void *context, u8 *dst, const u8 *src,
				      unsigned int bytes, bool last)
{
	struct sm4_authenc_work *work = context;

	sm4_crypt(&work->cipher, dst, src, bytes);
}

/* Nothing is decrypted whose tag is wrong. */
static int sm4_authenc_open(struct sm4_authenc_work *work,
			    struct aead_request *req, bool esn)
{
	unsigned int size = sm4_text_size(req, true);
	unsigned int from = sm4_authenc_begin(work, req, esn);
	unsigned int bytes = req->assoclen - from + size;
	int err;

	work->end = sm4_flat(req->src, from, bytes);
	work->lag = work->end;
	if (work->lag)
		work->end += bytes;
	else
		sm4_authenc_add(work, req->src, from, bytes);
	err = sm4_authenc_tag(work, req, esn, true);
	if (err)
		return err;
	/* as the templates, which find the length wrong when they decrypt */
	if (size % SM4_BLOCK_SIZE)
		return -EINVAL;
	return sm4_aead_walk(req, size, true, SM4_SECTION_SIZE,
			     sm4_authenc_decrypt_piece, work);
}

/* What is in one piece with its AAD goes into the MAC as one piece, too. */
static int sm4_authenc_seal(struct sm4_authenc_work *work,
			    struct aead_request *req, bool esn)
{
	unsigned int from = sm4_authenc_begin(work, req, esn);
	unsigned int aad = req->assoclen - from;
	u8 *all = NULL;
	int err = 0;

	if (req->src == req->dst && req->cryptlen <= SM4_SECTION_SIZE)
		all = sm4_flat(req->dst, from, aad + req->cryptlen);
	if (all) {
		work->lag = all;
		work->end = all + aad;
		sm4_authenc_encrypt_flat(work, work->end, req->cryptlen);
	} else {
		sm4_authenc_add(work, req->src, from, aad);
		err = sm4_aead_walk(req, req->cryptlen, false, SM4_SECTION_SIZE,
				    sm4_authenc_encrypt_piece, work);
	}
	return err ?: sm4_authenc_tag(work, req, esn, false);
}

int sm4_authenc_check(struct aead_request *req, bool esn, bool decrypt)
{
	if (esn && req->assoclen < ESN_AAD_LEAST)
		return -EINVAL;
	return !decrypt && req->cryptlen % SM4_BLOCK_SIZE ? -EINVAL : 0;
}

int sm4_authenc_crypt(struct aead_request *req, bool esn, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);
	const struct sm4_authenc_context *context = crypto_aead_ctx(tfm);
	const struct sm4_driver *driver = sm4_aead_driver(tfm);
	const enum sm4_operation operation =
		decrypt ? SM4_CBC_DECRYPT : SM4_CBC_ENCRYPT;
	struct sm4_authenc_work work = {
		.cipher = {
			.tier = sm4_tier_for(driver->tier, operation),
			.operation = operation,
			.keys = decrypt ? &context->cipher.dec :
					  &context->cipher.enc,
			.iv = work.iv,
		},
		.hash_tier = driver->hash_tier,
		.at_once = driver->at_once,
	};
	int err = sm4_authenc_check(req, esn, decrypt);

	if (err)
		return err;
	memcpy(work.iv, req->iv, SM4_BLOCK_SIZE);
	err = decrypt ? sm4_authenc_open(&work, req, esn) :
			sm4_authenc_seal(&work, req, esn);
	memzero_explicit(&work, sizeof(work));
	return err;
}

static int sm4_authenc_encrypt(struct aead_request *req)
{
	return sm4_authenc_crypt(req, false, false);
}

static int sm4_authenc_decrypt(struct aead_request *req)
{
	return sm4_authenc_crypt(req, false, true);
}

static int sm4_authencesn_encrypt(struct aead_request *req)
{
	return sm4_authenc_crypt(req, true, false);
}

static int sm4_authencesn_decrypt(struct aead_request *req)
{
	return sm4_authenc_crypt(req, true, true);
}

int sm4_authencesn_set_tag_size(struct crypto_aead *tfm, unsigned int size)
{
	return size < ESN_TAG_LEAST ? -EINVAL : 0;
}

int sm4_authenc_priority(const struct sm4_tier *tier)
{
	return 10 * sm4_tier_priority(tier) + sm3_best_tier()->priority + 1;
}

const struct sm4_mode sm4_authenc_modes[] = {
	{
		SM4_AUTHENC_COMMON,
		.priority = sm4_authenc_priority,
		.aead.base.cra_ctxsize = sizeof(struct sm4_authenc_context),
		.aead.base.cra_name = "authenc(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authenc-hmac-sm3-cbc-sm4",
		.aead.encrypt = sm4_authenc_encrypt,
		.aead.decrypt = sm4_authenc_decrypt,
	}, {
		SM4_AUTHENC_COMMON,
		.priority = sm4_authenc_priority,
		.aead.base.cra_ctxsize = sizeof(struct sm4_authenc_context),
		.aead.base.cra_name = "authencesn(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authencesn-hmac-sm3-cbc-sm4",
		.aead.setauthsize = sm4_authencesn_set_tag_size,
		.aead.encrypt = sm4_authencesn_encrypt,
		.aead.decrypt = sm4_authencesn_decrypt,
	},
	{}
};

MODULE_ALIAS_CRYPTO("authenc(hmac(sm3),cbc(sm4))");
MODULE_ALIAS_CRYPTO("authencesn(hmac(sm3),cbc(sm4))");
MODULE_ALIAS_CRYPTO("authenc-hmac-sm3-cbc-sm4-*-fast");
MODULE_ALIAS_CRYPTO("authencesn-hmac-sm3-cbc-sm4-*-fast");
