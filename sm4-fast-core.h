/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The services of sm4-fast, which all that is above the tiers calls: what the CPU
 * can do, the vector unit, keys, requests and drivers. See sm4-fast-core.c,
 * sm4-fast-cpu.c and sm4-fast-request.c.
 */
#ifndef SM4_FAST_CORE_H
#define SM4_FAST_CORE_H

#include <linux/scatterlist.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include "sm4-fast.h"
#include "sm3/sm3-fast.h"

/* Whether this CPU has the features of @tier and the kernel saves its state */
bool sm4_tier_usable(const struct sm4_tier *tier);

/* Whether this CPU also has what GCM on @tier, a usable one, needs */
bool sm4_tier_has_gcm(const struct sm4_tier *tier);

/* Whether @tier, a usable one, has cbc_encrypt_sm3, and this CPU what that needs */
bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier);

/*
 * Whether this CPU has all features of a list that 0 ends or that is full, and the
 * kernel saves these parts of its state
 */
bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures);

/* sm4-fast-cpu.c: the XFEATURE_MASK_* of all that the kernel saves and restores */
u64 sm4_xcr0(void);

/*
 * Hygon's SM4 instructions, in lists of features: a number that the kernel has no feature
 * of
 */
#define SM4_FEATURE_CIS		(2047 * 32)

/*
 * boot_cpu_has(), and for SM4_FEATURE_CIS whether the CPU executes them, for which no FPU
 * section may be open. Process context.
 */
bool sm4_cpu_has(unsigned int feature);

/*
 * Start a piece of work of at most SM4_SECTION_SIZE bytes, or for a serial chain
 * SM4_CHAIN_SECTION_SIZE: returns @tier with the vector unit taken, or the C tier
 * where it cannot be had (or where the module parameter fallback_only forbids
 * it). Any context that the crypto API may be called in. Nothing between the two
 * may sleep.
 */
const struct sm4_tier *sm4_begin(const struct sm4_tier *tier);
void sm4_end(const struct sm4_tier *working);

/*
 * Set both directions' round keys, plain and mapped, from SM4_KEY_SIZE bytes.
 * The key may be unaligned. Same contexts as sm4_begin(), which it calls.
 */
void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw);

/* The same for GCM: the hash key, too, which is a block of zeros, encrypted */
void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw);

/*
 * The @bytes of a scatterlist behind @offset if they are in one piece, and NULL
 * otherwise; for requests that need no walk. x86-64 has all memory mapped, so no
 * entry needs a kmap.
 */
static inline u8 *sm4_flat(struct scatterlist *sg, unsigned int offset,
			   unsigned int bytes)
{
	for (; sg && offset >= sg->length; sg = sg_next(sg))
		offset -= sg->length;
	if (!sg || sg->length - offset < bytes)
		return NULL;
	return sg_virt(sg) + offset;
}

/* As scatterwalk_map_and_copy(), but at once where the bytes are in one piece */
void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out);

/**
 * struct sm4_work - what a text goes through
 * @tier: who does it, where the vector unit can be had
 * @operation: what is done
 * @keys: the schedule of the one or other direction
 * @iv: of the operation, which updates it
 * @decrypt: for XTS, whether the schedule is that for decryption
 * @tweak_keys: for XTS, the schedule by which @iv has yet to be encrypted. It is done in
 *	the section of the first bytes.
 */
struct sm4_work {
	const struct sm4_tier *tier;
	enum sm4_operation operation;
	const struct sm4_round_keys *keys;
	u8 *iv;
	bool decrypt;
	const struct sm4_round_keys *tweak_keys;
};

/* The most bytes of it in one FPU section */
static inline unsigned int sm4_section_size(const struct sm4_work *work)
{
	return work->operation == SM4_CBC_ENCRYPT ? SM4_CHAIN_SECTION_SIZE :
						    SM4_SECTION_SIZE;
}

/* Within a section, go on with the next bytes. */
void sm4_crypt_section(struct sm4_work *work, const struct sm4_tier *working,
		       u8 *dst, const u8 *src, unsigned int bytes);

/*
 * Go on with any number of bytes, in sections as needed: none may be open. Buffers as for
 * sm4_crypt_function.
 */
void sm4_crypt(struct sm4_work *work, u8 *dst, const u8 *src,
	       unsigned int bytes);

/* The same as an sm4_piece_function */
static inline void sm4_crypt_piece(void *work, u8 *dst, const u8 *src,
				   unsigned int bytes, bool last)
{
	sm4_crypt(work, dst, src, bytes);
}

/**
 * struct sm4_chain - what blocks are taken into, one after the other
 * @type: CBC-MAC, GHASH or SM3
 * @tier: who does it, where the vector unit can be had
 * @key: a struct sm4_round_keys or, for GHASH, a struct sm4_ghash_key; SM3 has none
 * @state: of one block, or SM3_WORDS words
 * @partial: memory for a block, the end of a message that sm4_chain_append() keeps
 */
struct sm4_chain {
	enum sm4_chain_type {
		SM4_CHAIN_CBC_MAC,
		SM4_CHAIN_GHASH,
		SM4_CHAIN_SM3,
	} type;
	const struct sm4_tier *tier;
	const void *key;
	void *state;
	u8 *partial;
};

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

static inline void
sm4_chain_section(const struct sm4_chain *chain, const struct sm4_tier *working,
		  const u8 *src, size_t blocks)
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

/*
 * Take so many blocks at @src, and then those of @last, of which there are one or two,
 * or none: all in one section if they are short. No section may be open. This is the only
 * loop that takes the vector unit piece by piece for a chain. It is inline because a call
 * costs a short message a few percent.
 */
static inline void
sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t blocks,
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

/*
 * Put @bytes at @src behind the @used ones in @partial. When these are a whole block and
 * more bytes follow, they are taken. Returns how many whole blocks are left then, at the
 * new *@src; what follows those is in @partial already. In a MAC the last bytes of a
 * message stay in @partial even if they are a whole block; in SM3 only if they are not.
 */
static inline size_t
sm4_chain_append(const struct sm4_chain *chain, unsigned int *used,
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

/* Process a piece of a text. All but the @last one are whole blocks. */
typedef void sm4_piece_function(void *work, u8 *dst, const u8 *src,
				unsigned int bytes, bool last);

/*
 * The text of a request, @size bytes behind @offset: all at once if it is short and in one
 * piece, or else step by step, with at most @most bytes each. @begin starts the walk.
 * Inlined, so that no call is indirect.
 */
static __always_inline int
sm4_walk(struct scatterlist *to, struct scatterlist *from, unsigned int offset,
	 unsigned int size, unsigned int most, sm4_piece_function *process,
	 void *work, int begin(struct skcipher_walk *walk, void *req), void *req)
{
	const u8 *src = sm4_flat(from, offset, size);
	u8 *dst = sm4_flat(to, offset, size);
	struct skcipher_walk walk;
	int err;

	if (!size || (src && dst && size <= most)) {
		process(work, dst, src, size, true);
		return 0;
	}
	err = begin(&walk, req);
	while (walk.nbytes) {
		unsigned int bytes = min(walk.nbytes, most);
		bool last = bytes == walk.total;

		/* Only the last step may end within a block. */
		if (!last)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		process(work, walk.dst.virt.addr, walk.src.virt.addr, bytes,
			last);
		err = skcipher_walk_done(&walk, walk.nbytes - bytes);
	}
	return err;
}

static inline int sm4_begin_decryption(struct skcipher_walk *walk, void *req)
{
	return skcipher_walk_aead_decrypt(walk, req, false);
}

static inline int sm4_begin_encryption(struct skcipher_walk *walk, void *req)
{
	return skcipher_walk_aead_encrypt(walk, req, false);
}

static __always_inline int
sm4_aead_walk(struct aead_request *req, unsigned int size, bool decrypt,
	      unsigned int most, sm4_piece_function *process, void *work)
{
	return sm4_walk(req->dst, req->src, req->assoclen, size, most, process,
			work, decrypt ? sm4_begin_decryption :
					sm4_begin_encryption, req);
}

/* As scatterwalk_map_and_copy(), but at once where the bytes are in one piece */
void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out);

/* The longest tag of an AEAD: HMAC-SM3's */
#define SM4_AEAD_TAG_MAX	32

/* The bytes of text in a request; one to @decrypt has the tag behind them */
unsigned int sm4_text_size(struct aead_request *req, bool decrypt);

/*
 * The end of a request: write its tag, the first bytes of the one that was
 * computed, or compare it with the one there, in constant time: -EBADMSG if they
 * differ.
 */
int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt);

/*
 * For parameters that are only there to read: the kernel calls their function to set
 * them without asking whether there is one.
 */
int sm4_refuse_to_set(const char *value, const struct kernel_param *param);

enum sm4_mode_type {
	SM4_NO_MODE,
	SM4_CIPHER,
	SM4_SKCIPHER,
	SM4_AEAD,
	SM4_HASH,
};

/**
 * struct sm4_mode - an algorithm. Each tier that offers it gets a driver of its own. A table
 * of modes ends with a row of zeros.
 * @type: which of the kernel's structures it is. Its driver name is the mode's.
 * @composite: as long as there is no driver, the kernel's templates build it on others.
 * @esn: for ESP, whether sequence numbers have 64 bits
 * @offers: whether @tier has it; NULL if all tiers of SM4 have
 * @priority: cra_priority; NULL if it is that of the tier
 */
struct sm4_mode {
	enum sm4_mode_type type;
	bool composite;
	bool esn;
	bool (*offers)(const struct sm4_tier *tier);
	int (*priority)(const struct sm4_tier *tier);
	union {
		struct crypto_alg cipher;
		struct skcipher_alg skcipher;
		struct aead_alg aead;
		struct shash_alg hash;
	};
};

/*
 * The modes of sm4-fast-cipher.c, -skcipher.c, -aead.c and -mac.c, in esp of
 * sm4-fast-authenc.c and -batch.c, and SM3: tables for sm4_register_modes()
 */
extern const struct sm4_mode sm4_cipher_modes[], sm4_skcipher_modes[],
	sm4_aead_modes[], sm4_authenc_modes[], sm4_batch_modes[],
	sm4_mac_modes[], sm3_modes[];

/**
 * struct sm4_driver - a mode as registered, and what it runs on
 * @row: of the mode
 * @tier: of SM4, or of SM3 for its hash
 * @hash_tier: of SM3, for ESP
 * @at_once: for ESP, whether @tier encrypts and hashes at once
 * @list: of all drivers
 */
struct sm4_driver {
	struct sm4_mode mode;
	const struct sm4_mode *row;
	const struct sm4_tier *tier;
	const struct sm4_tier *hash_tier;
	bool at_once;
	struct list_head list;
};

static inline const struct sm4_driver *
sm4_skcipher_driver(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct sm4_driver,
			    mode.skcipher);
}

static inline const struct sm4_driver *sm4_aead_driver(struct crypto_aead *tfm)
{
	return container_of(crypto_aead_alg(tfm), struct sm4_driver,
			    mode.aead);
}

static inline const struct sm4_driver *sm4_hash_driver(struct crypto_shash *tfm)
{
	return container_of(crypto_shash_alg(tfm), struct sm4_driver,
			    mode.hash);
}

/*
 * cra_priority of what runs on @tier: its own, or less where the CPU does better with
 * the tier that has vectors of half the width
 */
int sm4_tier_priority(const struct sm4_tier *tier);

/* Whether @tier has cbc_mac, on which the MACs of one chain build */
bool sm4_tier_has_macs(const struct sm4_tier *tier);

/*
 * Register what @tier offers of a table of modes; with @only_missing, only what has no driver
 * yet. Beside drivers of the processor's own SM4, @beside_gmi, ours rank below, and there are
 * no composite ones. A name ends with the tier's and "-fast", as some of the kernel's own
 * drivers are named like ours. Each file has an alias for its drivers, of any tier, so that
 * a request for one by name, as in dm-crypt's capi:, loads the module. What the kernel
 * refuses is left out, and the log says so; the error is then that of the last such one.
 * Process context.
 */
int sm4_register_modes(const struct sm4_mode *modes,
		       const struct sm4_tier *tier, bool only_missing,
		       bool beside_gmi);

/* Whether there is anything to unregister */
bool sm4_any_registered(void);

/*
 * Unregister all. Only for a module without references, as when it is unloaded: before,
 * a self-test of the kernel, in a thread of its own, or a user may hold any of them.
 */
void sm4_unregister_all(void);

/*
 * Before any tier is registered: make what the parameter "batch" needs. After all of them:
 * if nothing came of it, log why, which may be that there are no composite drivers
 * @beside_gmi.
 */
void sm4_prepare_batches(bool beside_gmi);
void sm4_report_batches(void);

/* What -batch.c has allocated, when all drivers are unregistered */
void sm4_free_batches(void);

#endif
