// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * GM/T 0022's modes for ESP: authenc(hmac(sm3),cbc(sm4)), and authencesn() of the same, for
 * sequence numbers of 64 bits.
 *
 * CBC encrypts the text; HMAC-SM3 (RFC 2104, GB/T 15852.2) authenticates the associated data
 * (AAD) and the ciphertext. The results are the same as of the kernel's templates of these names,
 * with two deliberate exceptions: the AAD is not copied to the destination, and the request's IV is
 * not overwritten. This file contains no cipher arithmetic and nothing specific to a CPU.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <crypto/authenc.h>
#include "sm4-authenc.h"

/* HMAC's pads (RFC 2104, section 2) */
#define HMAC_INNER_PAD		0x36
#define HMAC_OUTER_PAD		0x5c

/*
 * The processing of a request
 *
 * @iv: of the next block
 * @mac: the inner hash; in the end its @state is the state of the outer hash
 * @deferred: the next bytes to hash, up to @deferred_end. They are deferred until the bytes that
 *	follow them in memory are there, too, because one call for all is faster.
 * @hashing: for passes, @mac's state and whole blocks. Not used at the same time as @last.
 * @last: the inner digest, which is then padded to the blocks of the outer hash
 */
struct sm4_authenc_work {
	const struct sm4_authenc_request *request;
	u8 iv[SM4_BLOCK_SIZE];
	struct sm3_message mac;
	const u8 *deferred;
	const u8 *deferred_end;
	union {
		struct sm4_hashing hashing;
		u8 last[2 * SM3_BLOCK_SIZE];
	};
};

/* Set @state to SM3's state after one block, the key combined with @pad. */
static void sm4_authenc_set_pad(const struct sm3_tier *tier,
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

/* RFC 2104, section 2: a key longer than a block is hashed. */
static void sm4_authenc_set_mac_key(const struct sm3_tier *tier,
				    struct sm4_authenc_ctx *ctx,
				    const u8 *key, unsigned int keylen)
{
	u8 block[SM3_BLOCK_SIZE] = {};
	struct sm3_message message;

	if (keylen > SM3_BLOCK_SIZE) {
		sm3_message_begin(&message);
		sm3_message_end(tier, &message, key, keylen, block);
	} else {
		memcpy(block, key, keylen);
	}
	sm4_authenc_set_pad(tier, ctx->inner, block, HMAC_INNER_PAD);
	sm4_authenc_set_pad(tier, ctx->outer, block, HMAC_OUTER_PAD);
	memzero_explicit(block, sizeof(block));
}

/*
 * The key is an attribute with the length of SM4's key, then HMAC's key, then SM4's key. We do not
 * use the kernel's parser, because then this module would depend on the module authenc.
 */
int sm4_authenc_set_key(struct crypto_aead *tfm, const u8 *key,
			unsigned int keylen)
{
	struct sm4_authenc_ctx *ctx = crypto_aead_ctx(tfm);
	const struct sm4_driver *driver = sm4_aead_driver(tfm);
	struct {
		struct rtattr attribute;
		struct crypto_authenc_key_param param;
	} head;

	if (keylen < sizeof(head) + SM4_KEY_SIZE)
		return -EINVAL;
	memcpy(&head, key, sizeof(head));
	if (head.attribute.rta_len != sizeof(head) ||
	    head.attribute.rta_type != CRYPTO_AUTHENC_KEYA_PARAM ||
	    head.param.enckeylen != cpu_to_be32(SM4_KEY_SIZE))
		return -EINVAL;
	key += sizeof(head);
	keylen -= sizeof(head) + SM4_KEY_SIZE;
	sm4_authenc_set_mac_key(driver->hash_tier, ctx, key, keylen);
	sm4_set_key(driver->tier, &ctx->cipher, key + keylen);
	return 0;
}

/* Hash the deferred bytes, then defer @bytes at @src. */
static void sm4_authenc_add(struct sm4_authenc_work *work, const u8 *src,
			    unsigned int bytes)
{
	sm3_message_add(work->request->driver->hash_tier, &work->mac, work->deferred,
			work->deferred_end - work->deferred);
	work->deferred = src;
	work->deferred_end = bytes ? src + bytes : src;
}

static void sm4_authenc_add_part(struct sm4_authenc_work *work,
				 struct sm4_authenc_part part)
{
	struct scatterlist *sg = work->request->req->src;

	while (part.bytes) {
		unsigned int skipped = min(part.offset, sg->length);
		unsigned int n = min(part.bytes, sg->length - skipped);

		/* x86-64 has all memory mapped, so no entry needs a kmap. */
		sm4_authenc_add(work, sg_virt(sg) + skipped, n);
		part.offset -= skipped;
		part.bytes -= n;
		if (part.bytes)
			sg = sg_next(sg);
	}
}

/*
 * Encrypt up to @passes times 64 bytes, and hash as many. At least 64 bytes have to be deferred. If
 * they complete a partial block, this call does only one pass. Returns the number of bytes
 * encrypted.
 */
static unsigned int sm4_authenc_encrypt_passes(struct sm4_authenc_work *work,
					       const struct sm4_tier *working,
					       u8 *dst, const u8 *src,
					       unsigned int passes)
{
	struct sm4_hashing *hashing = &work->hashing;
	struct sm3_message *mac = &work->mac;
	unsigned int used = mac->bytes % SM3_BLOCK_SIZE;
	unsigned int n = used ? 1 : passes;
	unsigned int bytes = n * SM4_PASS_SIZE;

	hashing->src = work->deferred;
	memcpy(hashing->state, mac->state, sizeof(hashing->state));
	work->deferred += bytes - used;
	mac->bytes += bytes - used;
	if (used) {
		memcpy(mac->partial + used, hashing->src,
		       SM3_BLOCK_SIZE - used);
		hashing->src = mac->partial;
	}
	working->cbc_encrypt_sm3(&work->request->ctx->cipher.enc, dst, src,
				 work->iv, n, hashing);
	memcpy(mac->state, hashing->state, sizeof(hashing->state));
	return bytes;
}

/*
 * Encrypt a section to @dst, which is where the deferred bytes end, and defer hashing its
 * ciphertext, too. Meanwhile hash others, if the tier can.
 */
static void sm4_authenc_encrypt_section(struct sm4_authenc_work *work, u8 *dst,
					const u8 *src, unsigned int bytes)
{
	const struct sm4_driver *driver = work->request->driver;
	const struct sm4_tier *working =
		sm4_begin(sm4_tier_for(driver->tier, SM4_CBC_ENCRYPT));
	bool at_once = driver->at_once && working->cbc_encrypt_sm3;
	unsigned int n;

	for (; bytes; bytes -= n) {
		if (at_once && bytes >= SM4_PASS_SIZE &&
		    work->deferred_end - work->deferred >= SM4_PASS_SIZE) {
			n = sm4_authenc_encrypt_passes(work, working, dst, src,
						       bytes / SM4_PASS_SIZE);
		} else {
			n = at_once ? min_t(unsigned int, bytes, SM4_PASS_SIZE) :
				      bytes;
			sm4_tier_crypt(working, SM4_CBC_ENCRYPT,
				       &work->request->ctx->cipher.enc,
				       dst, src, work->iv, n);
		}
		work->deferred_end += n;
		dst += n;
		src += n;
	}
	sm4_end(working);
}

/* Encrypt @bytes bytes; defer hashing their ciphertext. */
static void sm4_authenc_encrypt_bytes(struct sm4_authenc_work *work, u8 *dst,
				      const u8 *src, unsigned int bytes)
{
	unsigned int n;

	if (work->deferred_end != dst)
		sm4_authenc_add(work, dst, 0);
	for (; bytes; bytes -= n) {
		n = min_t(unsigned int, bytes, SM4_CHAIN_SECTION_SIZE);
		sm4_authenc_encrypt_section(work, dst, src, n);
		dst += n;
		src += n;
	}
}

static int sm4_authenc_encrypt_text(struct sm4_authenc_work *work)
{
	struct aead_request *req = work->request->req;
	unsigned int cryptlen = work->request->cryptlen;
	const u8 *src = sm4_flat(req->src, req->assoclen, cryptlen);
	u8 *dst = sm4_flat(req->dst, req->assoclen, cryptlen);
	struct sm4_walk walk;
	int err;

	if (src && dst) {
		sm4_authenc_encrypt_bytes(work, dst, src, cryptlen);
		return 0;
	}
	for (err = sm4_walk_aead(&walk, req, false, UINT_MAX); walk.bytes;
	     err = sm4_walk_next(&walk)) {
		sm4_authenc_encrypt_bytes(work, walk.dst, walk.src, walk.bytes);
		/* No bytes may stay deferred: the piece is unmapped after this step of the walk. */
		sm4_authenc_add(work, NULL, 0);
	}
	return err;
}

static int sm4_authenc_decrypt_text(const struct sm4_authenc_request *request,
				    u8 *copy)
{
	struct aead_request *req = request->req;
	unsigned int cryptlen = request->cryptlen;
	const u8 *src = copy ?: sm4_flat(req->src, req->assoclen, cryptlen);
	u8 *dst = copy ?: sm4_flat(req->dst, req->assoclen, cryptlen);
	u8 iv[SM4_BLOCK_SIZE];
	struct sm4_work work = {
		.tier = request->driver->tier,
		.operation = SM4_CBC_DECRYPT,
		.keys = &request->ctx->cipher.dec,
		.iv = iv,
	};
	struct sm4_walk walk;
	int err;

	memcpy(iv, req->iv, sizeof(iv));
	if (src && dst) {
		sm4_process_in_sections(&work, dst, src, cryptlen);
		return 0;
	}
	for (err = sm4_walk_aead(&walk, req, true, UINT_MAX); walk.bytes;
	     err = sm4_walk_next(&walk))
		sm4_process_in_sections(&work, walk.dst, walk.src, walk.bytes);
	return err;
}

int sm4_authenc_begin(struct sm4_authenc_request *request,
		      struct aead_request *req, bool decrypt)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);

	request->req = req;
	request->driver = sm4_aead_driver(tfm);
	request->ctx = crypto_aead_ctx(tfm);
	request->decrypt = decrypt;
	request->cryptlen = sm4_aead_cryptlen(req, decrypt);
	if (request->driver->mode.esn && req->assoclen < 2 * ESN_HALF)
		return -EINVAL;
	return !decrypt && request->cryptlen % SM4_BLOCK_SIZE ? -EINVAL : 0;
}

int sm4_authenc_end(const struct sm4_authenc_request *request,
		    const u32 state[SM3_WORDS], u8 *copy)
{
	u8 tag[SM3_DIGEST_SIZE];
	int err;

	sm3_put_digest(state, tag);
	err = sm4_aead_tag(request->req, tag, request->decrypt);
	memzero_explicit(tag, sizeof(tag));
	if (err || !request->decrypt)
		return err;
	/* As in the templates, a wrong tag takes precedence. */
	if (request->cryptlen % SM4_BLOCK_SIZE)
		return -EINVAL;
	return sm4_authenc_decrypt_text(request, copy);
}

/* Encrypt the text if the request encrypts, and compute the tag. */
static int sm4_authenc_mac(struct sm4_authenc_work *work)
{
	const struct sm4_authenc_request *request = work->request;
	const struct sm3_tier *hash_tier = request->driver->hash_tier;
	struct sm4_authenc_part parts[SM4_AUTHENC_PARTS];
	int err = 0;

	memcpy(work->mac.state, request->ctx->inner,
	       sizeof(work->mac.state));
	work->mac.bytes = SM3_BLOCK_SIZE;
	sm4_authenc_list_parts(request, parts);
	if (!request->decrypt)
		parts[1].bytes -= request->cryptlen;
	sm4_authenc_add_part(work, parts[0]);
	sm4_authenc_add_part(work, parts[1]);
	if (!request->decrypt)
		err = sm4_authenc_encrypt_text(work);
	if (err)
		return err;
	sm4_authenc_add_part(work, parts[2]);
	sm3_message_end(hash_tier, &work->mac, work->deferred,
			work->deferred_end - work->deferred, work->last);
	memcpy(work->mac.state, request->ctx->outer, sizeof(work->mac.state));
	sm3_compress(hash_tier, work->mac.state, NULL, 0, work->last,
		     sm3_pad(work->last, SM3_DIGEST_SIZE,
			     SM3_BLOCK_SIZE + SM3_DIGEST_SIZE));
	return 0;
}

int sm4_authenc_crypt(const struct sm4_authenc_request *request)
{
	struct sm4_authenc_work work = { .request = request };
	int err;

	memcpy(work.iv, request->req->iv, SM4_BLOCK_SIZE);
	err = sm4_authenc_mac(&work) ?:
	      sm4_authenc_end(request, work.mac.state, NULL);
	memzero_explicit(&work, sizeof(work));
	return err;
}

static int sm4_authenc_submit(struct aead_request *req, bool decrypt)
{
	struct sm4_authenc_request request;

	return sm4_authenc_begin(&request, req, decrypt) ?:
	       sm4_authenc_crypt(&request);
}

static int sm4_authenc_encrypt(struct aead_request *req)
{
	return sm4_authenc_submit(req, false);
}

static int sm4_authenc_decrypt(struct aead_request *req)
{
	return sm4_authenc_submit(req, true);
}

int sm4_authenc_set_authsize(struct crypto_aead *tfm, unsigned int authsize)
{
	return sm4_aead_driver(tfm)->mode.esn && authsize < ESN_HALF ? -EINVAL : 0;
}

int sm4_authenc_priority(const struct sm4_tier *tier)
{
	return 10 * sm4_tier_priority(&tier->base) +
	       sm3_best_tier()->base.priority + 1;
}

#define SM4_AUTHENC_ENTRY						\
	SM4_AUTHENC_COMMON,						\
	.priority = sm4_authenc_priority,				\
	.aead.encrypt = sm4_authenc_encrypt,				\
	.aead.decrypt = sm4_authenc_decrypt

const struct sm4_mode sm4_authenc_modes[] = {
	{
		SM4_AUTHENC_ENTRY,
		.aead.base.cra_name = "authenc(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authenc-hmac-sm3-cbc-sm4",
	}, {
		SM4_AUTHENC_ENTRY,
		.esn = true,
		.aead.base.cra_name = "authencesn(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authencesn-hmac-sm3-cbc-sm4",
	},
	{}
};

MODULE_ALIAS_CRYPTO("authenc(hmac(sm3),cbc(sm4))");
MODULE_ALIAS_CRYPTO("authencesn(hmac(sm3),cbc(sm4))");
MODULE_ALIAS_CRYPTO("authenc-hmac-sm3-cbc-sm4-*-fast");
MODULE_ALIAS_CRYPTO("authencesn-hmac-sm3-cbc-sm4-*-fast");
