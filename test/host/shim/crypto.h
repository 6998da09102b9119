/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The parts of the kernel's crypto API that sm4-fast uses to offer algorithms, and those that the
 * tests use to call them. An algorithm is found only by its driver name: there are no templates,
 * priorities or self-tests here, but an algorithm counts as being tested until it is requested.
 */
#ifndef SHIM_CRYPTO_H
#define SHIM_CRYPTO_H

#include "linux.h"

#define CRYPTO_MAX_ALG_NAME	128

#define CRYPTO_ALG_TYPE_MASK	0x0000000f
#define CRYPTO_ALG_TYPE_CIPHER	0x00000001
#define CRYPTO_ALG_TYPE_AEAD	0x00000003
#define CRYPTO_ALG_TYPE_SKCIPHER	0x00000005
#define CRYPTO_ALG_TYPE_SHASH	0x0000000e

#define CRYPTO_ALG_ASYNC		0x00000080
#define CRYPTO_NOLOAD			0x00008000
#define CRYPTO_ALG_ALLOCATES_MEMORY	0x00010000

#define CRYPTO_TFM_NEED_KEY			0x00000001
#define CRYPTO_TFM_REQ_FORBID_WEAK_KEYS		0x00000100
#define CRYPTO_TFM_REQ_MAY_SLEEP		0x00000200
#define CRYPTO_TFM_REQ_MAY_BACKLOG		0x00000400

/* ---- common parts of all types of algorithm ---- */

struct crypto_tfm;

struct cipher_alg {
	unsigned int cia_min_keysize;
	unsigned int cia_max_keysize;
	int (*cia_setkey)(struct crypto_tfm *tfm, const u8 *key,
			  unsigned int keylen);
	void (*cia_encrypt)(struct crypto_tfm *tfm, u8 *dst, const u8 *src);
	void (*cia_decrypt)(struct crypto_tfm *tfm, u8 *dst, const u8 *src);
};

struct crypto_alg {
	u32 cra_flags;
	unsigned int cra_blocksize;
	unsigned int cra_ctxsize;
	unsigned int cra_alignmask;
	int cra_priority;
	char cra_name[CRYPTO_MAX_ALG_NAME];
	char cra_driver_name[CRYPTO_MAX_ALG_NAME];
	union {
		struct cipher_alg cipher;
	} cra_u;
	struct module *cra_module;
	refcount_t cra_refcnt;
	bool shim_has_instances;
	struct list_head shim_removed;
};

#define cra_cipher	cra_u.cipher

struct crypto_tfm {
	u32 crt_flags;
	struct crypto_alg *__crt_alg;
	void *__crt_ctx[];
};

static inline void *crypto_tfm_ctx(struct crypto_tfm *tfm)
{
	return tfm->__crt_ctx;
}

typedef void (*crypto_completion_t)(void *data, int err);

struct crypto_async_request {
	crypto_completion_t complete;
	void *data;
	struct crypto_tfm *tfm;
	u32 flags;
};

int crypto_has_alg(const char *name, u32 type, u32 mask);

int crypto_register_alg(struct crypto_alg *alg);
void crypto_unregister_alg(struct crypto_alg *alg);
void crypto_remove_spawns(struct crypto_alg *alg, struct list_head *instances,
			  struct crypto_alg *but_for);
void crypto_remove_final(struct list_head *instances);

/* ---- the single block cipher ---- */

struct crypto_cipher {
	struct crypto_tfm base;
};

int crypto_cipher_setkey(struct crypto_cipher *tfm, const u8 *key,
			 unsigned int keylen);
void crypto_cipher_encrypt_one(struct crypto_cipher *tfm, u8 *dst,
			       const u8 *src);
void crypto_cipher_decrypt_one(struct crypto_cipher *tfm, u8 *dst,
			       const u8 *src);

/* ---- symmetric key ciphers ---- */

struct crypto_skcipher {
	struct crypto_tfm base;
};

struct skcipher_request {
	unsigned int cryptlen;
	u8 *iv;
	struct scatterlist *src;
	struct scatterlist *dst;
	struct crypto_async_request base;
};

struct skcipher_alg {
	void (*exit)(struct crypto_skcipher *tfm);
	int (*setkey)(struct crypto_skcipher *tfm, const u8 *key,
		      unsigned int keylen);
	int (*encrypt)(struct skcipher_request *req);
	int (*decrypt)(struct skcipher_request *req);
	unsigned int min_keysize;
	unsigned int max_keysize;
	unsigned int ivsize;
	unsigned int chunksize;
	unsigned int walksize;
	struct crypto_alg base;
};

/* ---- authenticated encryption with associated data ---- */

struct crypto_aead {
	unsigned int authsize;
	unsigned int reqsize;
	struct crypto_tfm base;
};

struct aead_request {
	struct crypto_async_request base;
	unsigned int assoclen;
	unsigned int cryptlen;
	u8 *iv;
	struct scatterlist *src;
	struct scatterlist *dst;
	void *__ctx[];
};

struct aead_alg {
	int (*setkey)(struct crypto_aead *tfm, const u8 *key,
		      unsigned int keylen);
	int (*setauthsize)(struct crypto_aead *tfm, unsigned int authsize);
	int (*encrypt)(struct aead_request *req);
	int (*decrypt)(struct aead_request *req);
	int (*init)(struct crypto_aead *tfm);
	void (*exit)(struct crypto_aead *tfm);
	unsigned int ivsize;
	unsigned int maxauthsize;
	unsigned int chunksize;
	struct crypto_alg base;
};

int crypto_aead_setauthsize(struct crypto_aead *tfm, unsigned int authsize);

static inline void aead_request_set_ad(struct aead_request *req,
				       unsigned int assoclen)
{
	req->assoclen = assoclen;
}

/* Functions that skciphers, AEADs and hashes all have */
#define DECLARE_TYPE(kind) \
static inline void *crypto_##kind##_ctx(struct crypto_##kind *tfm) \
{ \
	return crypto_tfm_ctx(&tfm->base); \
} \
\
static inline struct kind##_alg *crypto_##kind##_alg(struct crypto_##kind *tfm) \
{ \
	return container_of(tfm->base.__crt_alg, struct kind##_alg, base); \
} \
\
int crypto_register_##kind(struct kind##_alg *alg); \
void crypto_unregister_##kind(struct kind##_alg *alg); \
int crypto_##kind##_setkey(struct crypto_##kind *tfm, const u8 *key, \
			   unsigned int keylen)

/* and more functions of the types that have requests */
#define DECLARE_REQUEST_TYPE(kind) \
DECLARE_TYPE(kind); \
\
static inline unsigned int crypto_##kind##_ivsize(struct crypto_##kind *tfm) \
{ \
	return crypto_##kind##_alg(tfm)->ivsize; \
} \
\
static inline u32 crypto_##kind##_get_flags(struct crypto_##kind *tfm) \
{ \
	return tfm->base.crt_flags; \
} \
\
static inline void crypto_##kind##_set_flags(struct crypto_##kind *tfm, \
					     u32 flags) \
{ \
	tfm->base.crt_flags |= flags; \
} \
\
static inline struct crypto_##kind *crypto_##kind##_reqtfm( \
	struct kind##_request *req) \
{ \
	return container_of(req->base.tfm, struct crypto_##kind, base); \
} \
\
static inline u32 kind##_request_flags(struct kind##_request *req) \
{ \
	return req->base.flags; \
} \
\
static inline void kind##_request_set_tfm(struct kind##_request *req, \
					  struct crypto_##kind *tfm) \
{ \
	req->base.tfm = &tfm->base; \
} \
\
static inline void kind##_request_set_callback(struct kind##_request *req, \
					       u32 flags, \
					       crypto_completion_t complete, \
					       void *data) \
{ \
	req->base.complete = complete; \
	req->base.data = data; \
	req->base.flags = flags; \
} \
\
static inline void kind##_request_set_crypt(struct kind##_request *req, \
					    struct scatterlist *src, \
					    struct scatterlist *dst, \
					    unsigned int cryptlen, u8 *iv) \
{ \
	req->src = src; \
	req->dst = dst; \
	req->cryptlen = cryptlen; \
	req->iv = iv; \
} \
\
int crypto_##kind##_encrypt(struct kind##_request *req); \
int crypto_##kind##_decrypt(struct kind##_request *req)

DECLARE_REQUEST_TYPE(skcipher);
DECLARE_REQUEST_TYPE(aead);

static inline void crypto_aead_set_reqsize(struct crypto_aead *tfm,
					   unsigned int reqsize)
{
	tfm->reqsize = reqsize;
}

static inline unsigned int crypto_aead_reqsize(struct crypto_aead *tfm)
{
	return tfm->reqsize;
}

static inline void *aead_request_ctx(struct aead_request *req)
{
	return req->__ctx;
}

void aead_request_complete(struct aead_request *req, int err);

/* The driver's part of a request follows it. */
struct skcipher_request *skcipher_request_alloc(struct crypto_skcipher *tfm, gfp_t flags);
void skcipher_request_free(struct skcipher_request *req);
struct aead_request *aead_request_alloc(struct crypto_aead *tfm, gfp_t flags);
void aead_request_free(struct aead_request *req);

/* Until its length is set, the tag has the maximum length. */
static inline unsigned int crypto_aead_authsize(struct crypto_aead *tfm)
{
	return tfm->authsize ?: crypto_aead_alg(tfm)->maxauthsize;
}

/* The head of authenc()'s key */
struct rtattr {
	unsigned short rta_len;
	unsigned short rta_type;
};

enum { CRYPTO_AUTHENC_KEYA_PARAM = 1 };

struct crypto_authenc_key_param {
	__be32 enckeylen;
};

/* ---- synchronous hashes ---- */

#define HASH_MAX_DIGESTSIZE	64

struct crypto_shash {
	struct crypto_tfm base;
};

struct shash_desc {
	struct crypto_shash *tfm;
	void *__ctx[];
};

struct shash_alg {
	int (*init)(struct shash_desc *desc);
	int (*update)(struct shash_desc *desc, const u8 *data,
		      unsigned int len);
	int (*final)(struct shash_desc *desc, u8 *out);
	int (*finup)(struct shash_desc *desc, const u8 *data, unsigned int len,
		     u8 *out);
	int (*export)(struct shash_desc *desc, void *out);
	int (*import)(struct shash_desc *desc, const void *in);
	int (*setkey)(struct crypto_shash *tfm, const u8 *key,
		      unsigned int keylen);
	unsigned int descsize;
	unsigned int digestsize;
	unsigned int statesize;
	struct crypto_alg base;
};

DECLARE_TYPE(shash);

static inline unsigned int crypto_shash_descsize(struct crypto_shash *tfm)
{
	return crypto_shash_alg(tfm)->descsize;
}

static inline unsigned int crypto_shash_digestsize(struct crypto_shash *tfm)
{
	return crypto_shash_alg(tfm)->digestsize;
}

static inline unsigned int crypto_shash_statesize(struct crypto_shash *tfm)
{
	return crypto_shash_alg(tfm)->statesize;
}

static inline void *shash_desc_ctx(struct shash_desc *desc)
{
	return desc->__ctx;
}

int crypto_shash_init(struct shash_desc *desc);
int crypto_shash_update(struct shash_desc *desc, const u8 *data,
			unsigned int len);
int crypto_shash_final(struct shash_desc *desc, u8 *out);
int crypto_shash_finup(struct shash_desc *desc, const u8 *data,
		       unsigned int len, u8 *out);
int crypto_shash_digest(struct shash_desc *desc, const u8 *data,
			unsigned int len, u8 *out);
int crypto_shash_export(struct shash_desc *desc, void *out);
int crypto_shash_import(struct shash_desc *desc, const void *in);

/* ---- walking over scatterlists ---- */

struct scatter_walk {
	struct scatterlist *sg;
	unsigned int offset;
};

/* Since 7.2, a step's addresses are const, and so is the source's memory. */
struct skcipher_walk {
	union {
		struct {
			const void *const addr;
		} virt;
		u8 *address;
	} src;
	union {
		struct {
			void *const addr;
		} virt;
		u8 *address;
	} dst;
	struct scatter_walk in;
	struct scatter_walk out;
	unsigned int nbytes;
	unsigned int total;
	u8 *bounce;
	u8 *iv;
	unsigned int blocksize;
	unsigned int stride;
};

int skcipher_walk_virt(struct skcipher_walk *walk, struct skcipher_request *req,
		       bool atomic);
int skcipher_walk_aead_encrypt(struct skcipher_walk *walk,
			       struct aead_request *req, bool atomic);
int skcipher_walk_aead_decrypt(struct skcipher_walk *walk,
			       struct aead_request *req, bool atomic);
int skcipher_walk_done(struct skcipher_walk *walk, int err);

void scatterwalk_map_and_copy(void *p, struct scatterlist *sg,
			      unsigned int start, unsigned int bytes, int out);

/* ---- small helpers ---- */

void crypto_inc(u8 *counter, unsigned int bytes);
int crypto_memneq(const void *a, const void *b, size_t bytes);

/* Inline and in words, like the kernel's, because the benchmark times their users */
static inline void crypto_xor_cpy(u8 *dst, const u8 *a, const u8 *b,
				  unsigned int bytes)
{
	for (; bytes >= sizeof(u64); bytes -= sizeof(u64)) {
		put_unaligned_le64(get_unaligned_le64(a) ^
				   get_unaligned_le64(b), dst);
		a += sizeof(u64);
		b += sizeof(u64);
		dst += sizeof(u64);
	}
	while (bytes--)
		*dst++ = *a++ ^ *b++;
}

static inline void crypto_xor(u8 *dst, const u8 *src, unsigned int bytes)
{
	crypto_xor_cpy(dst, dst, src, bytes);
}

int crypto_gcm_check_authsize(unsigned int authsize);
int crypto_rfc4106_check_authsize(unsigned int authsize);
int crypto_ipsec_check_assoclen(unsigned int assoclen);
int xts_verify_key(struct crypto_skcipher *tfm, const u8 *key,
		   unsigned int keylen);

#endif
