/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services for all modes, of sm4-fast-core.c, sm4-fast-cpu.c and sm4-fast-request.c: CPU
 * features, the vector unit, keys, requests and drivers.
 */
#ifndef SM4_FAST_CORE_H
#define SM4_FAST_CORE_H

#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/scatterlist.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include "sm4-fast.h"
#include "sm3/sm3-fast.h"

/* Whether this CPU has the features of @tier and the kernel saves its registers */
bool sm4_tier_usable(const struct sm4_tier *tier);

/* Whether @tier, which has to be usable, has GCM, and this CPU the features for it */
bool sm4_tier_has_gcm(const struct sm4_tier *tier);

/* Whether @tier, which has to be usable, has cbc_encrypt_sm3, and this CPU the features for it */
bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier);

/* Whether this CPU has @features, a list as in struct sm4_tier, and the kernel saves @xfeatures */
bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures);

/* sm4-fast-cpu.c: XFEATURE_MASK_* of all registers that the kernel saves and restores */
u64 sm4_xcr0(void);

/* Hygon's SM4 instructions, in lists of features. No feature of the kernel has this number. */
#define SM4_FEATURE_CIS		(2047 * 32)

/*
 * boot_cpu_has(); for SM4_FEATURE_CIS, whether the CPU executes these instructions. Process
 * context, outside FPU sections.
 */
bool sm4_cpu_has(unsigned int feature);

/*
 * Begin and end an FPU section, of at most SM4_SECTION_SIZE bytes, or SM4_CHAIN_SECTION_SIZE for
 * a serial chain. sm4_begin() returns the tier to use: @tier, or the C tier where the vector unit
 * cannot be used or the module parameter fallback_only is set. Both may be called in any context
 * that the crypto API allows. Nothing between them may sleep.
 */
const struct sm4_tier *sm4_begin(const struct sm4_tier *tier);
void sm4_end(const struct sm4_tier *working);

/*
 * Set the round keys of both directions, plain and mapped, from the SM4_KEY_SIZE bytes at @raw,
 * which need no alignment. Same contexts as sm4_begin(), which it calls.
 */
void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw);

/* The same for GCM, with the hash key */
void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw);

/*
 * Returns the address of @bytes of a scatterlist at @offset, or NULL if they are not contiguous,
 * or for 0 bytes at the end of the list. x86-64 has all memory mapped, so no entry needs a kmap.
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

/**
 * struct sm4_work - the processing of a text
 * @tier: for sm4_begin()
 * @keys: the schedule of one direction
 * @iv: of @operation, which updates it
 * @decrypt: for XTS, whether @keys are those of decryption
 * @tweak_keys: for XTS, the schedule that encrypts @iv in the first section; NULL from then on
 */
struct sm4_work {
	const struct sm4_tier *tier;
	enum sm4_operation operation;
	const struct sm4_round_keys *keys;
	u8 *iv;
	bool decrypt;
	const struct sm4_round_keys *tweak_keys;
};

static inline unsigned int sm4_section_size(const struct sm4_work *work)
{
	return work->operation == SM4_CBC_ENCRYPT ? SM4_CHAIN_SECTION_SIZE :
						    SM4_SECTION_SIZE;
}

/*
 * Define the function @name of a driver, for requests of @type. It calls @crypt with the
 * request and the further arguments; the first of these says whether to decrypt.
 */
#define SM4_DIRECTION(name, type, crypt, ...)				\
static int name(struct type##_request *req)				\
{									\
	return crypt(req, __VA_ARGS__);					\
}

/* Process the next bytes, inside a section. */
void sm4_crypt_section(struct sm4_work *work, const struct sm4_tier *working,
		       u8 *dst, const u8 *src, unsigned int bytes);

/*
 * Process the next bytes, any number, in its own sections: none may be open. Buffers as for
 * sm4_crypt_function.
 */
void sm4_crypt(struct sm4_work *work, u8 *dst, const u8 *src,
	       unsigned int bytes);

/* sm4_crypt() as an sm4_piece_function */
static inline void sm4_crypt_piece(void *work, u8 *dst, const u8 *src,
				   unsigned int bytes, bool last)
{
	sm4_crypt(work, dst, src, bytes);
}

/**
 * struct sm4_chain - a MAC or hash that processes blocks one after the other
 * @tier: for sm4_begin()
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
	const struct sm4_tier *tier;
	const void *key;
	void *state;
	u8 *partial;
};

/*
 * @section: maximum blocks in one FPU section
 * @kept: minimum bytes of a message that sm4_chain_append() keeps
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
 * Process the blocks at @src, then those at @last, at most two: all in one section if they fit.
 * No section may be open. Inline, because a call costs a few percent for a short message.
 */
static inline void
sm4_chain_take(const struct sm4_chain *chain, const u8 *src, size_t blocks,
	       const u8 *last, size_t last_blocks)
{
	const size_t section = sm4_chain_types[chain->type].section;

	while (blocks || last_blocks) {
		size_t n = min(blocks, section);
		const struct sm4_tier *working = sm4_begin(chain->tier);

		/* Without blocks, @src may be NULL, to which C may add nothing. */
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
 * Append @bytes at *@src to a message, of which *@used bytes are in @partial. Processes
 * @partial once it is a whole block. Returns the number of whole blocks at the new *@src that
 * remain to be processed. The bytes after them have been copied to @partial. A MAC keeps a last
 * whole block there, SM3 does not.
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

/*
 * Process a piece of a text. All but the @last piece are whole blocks. An empty text is one
 * last piece of 0 bytes, whose addresses may be NULL.
 */
typedef void sm4_piece_function(void *work, u8 *dst, const u8 *src,
				unsigned int bytes, bool last);

/*
 * Process the text of a request, @size bytes at @offset: directly if it is one piece of at most
 * @most bytes, otherwise in such pieces by the walk that @begin starts. Inlined, so that no call
 * is indirect.
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

/* As scatterwalk_map_and_copy(), but faster where the bytes are contiguous */
void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out);

/* The longest tag of an AEAD: HMAC-SM3's */
#define SM4_AEAD_TAG_MAX	32

/* Returns the bytes of text in a request. To @decrypt, the tag follows the text. */
unsigned int sm4_text_size(struct aead_request *req, bool decrypt);

/*
 * Write the tag of a request, which is the first bytes of @tag, or compare it with the received
 * tag in constant time. Returns -EBADMSG if they differ.
 */
int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt);

/**
 * struct sm4_counts - counters of a CPU
 * @fpu_fallbacks: FPU sections that the C tier has processed instead of a vector tier, and
 *	therefore not in constant time
 * @batches: batches processed
 * @batched: requests in these batches
 */
struct sm4_counts {
	unsigned long fpu_fallbacks;
	unsigned long batches;
	unsigned long batched;
};

DECLARE_PER_CPU(struct sm4_counts, sm4_counts);

/* For a read-only parameter: the sum over all CPUs of the counter at the offset @arg */
extern const struct kernel_param_ops sm4_count_ops;

enum sm4_mode_type {
	SM4_NO_MODE,
	SM4_CIPHER,
	SM4_SKCIPHER,
	SM4_AEAD,
	SM4_HASH,
};

/**
 * struct sm4_mode - an algorithm. Each tier that offers it has its own driver for it. A table of
 * modes ends with an entry of zeros.
 * @type: selects the member of the union. Driver names begin with its driver name.
 * @composite: without a driver, the kernel's templates build the algorithm on others.
 * @operation: of an skcipher's encryption
 * @esn: for ESP, whether sequence numbers have 64 bits
 * @offers: whether @tier has the mode; NULL if all tiers of SM4 have it
 * @priority: cra_priority; NULL for the priority of the tier
 */
struct sm4_mode {
	enum sm4_mode_type type;
	bool composite;
	enum sm4_operation operation;
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

/* Tables for sm4_register_modes() */
extern const struct sm4_mode sm4_cipher_modes[], sm4_skcipher_modes[],
	sm4_aead_modes[], sm4_authenc_modes[], sm4_batch_modes[],
	sm4_mac_modes[], sm3_modes[];

/**
 * struct sm4_driver - a registered mode
 * @entry: the mode's entry in its table
 * @tier: of SM4, or of SM3 for its hash
 * @hash_tier: of SM3, for ESP
 * @at_once: for ESP, whether @tier interleaves encryption and hashing
 * @list: links all drivers
 */
struct sm4_driver {
	struct sm4_mode mode;
	const struct sm4_mode *entry;
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

/* Returns the priority of @tier: less than tier->priority if the CPU prefers narrower vectors. */
int sm4_tier_priority(const struct sm4_tier *tier);

/*
 * Register drivers of @tier for a table of modes; with @only_missing, only for modes that have no
 * driver yet. With @beside_gmi, there are drivers of the processor's own SM4: ours rank below
 * them, and composite modes get no driver. A driver's name ends with the tier's name and "-fast",
 * because some of the kernel's own drivers have the same names without it. Each file of modes has
 * an alias for its driver names on any tier, so that a request for one, as in dm-crypt's capi:,
 * loads the module. If the kernel refuses a driver, this logs a message and goes on. Returns the
 * last error. Process context.
 */
int sm4_register_modes(const struct sm4_mode *modes,
		       const struct sm4_tier *tier, bool only_missing,
		       bool beside_gmi);

bool sm4_any_registered(void);

/*
 * Unregister all drivers. Only while the module has no references: otherwise a user, or a
 * self-test of the kernel in its own thread, might hold a driver.
 */
void sm4_unregister_all(void);

/*
 * sm4_prepare_batches() allocates the queues if the parameter "batch" is set, before any tier is
 * registered. sm4_report_batches() is called when all are registered. If the parameter has no
 * effect, it logs why: one reason is that there are no composite drivers @beside_gmi.
 */
void sm4_prepare_batches(bool beside_gmi);
void sm4_report_batches(void);

/* Free the queues, after all drivers are unregistered. */
void sm4_free_batches(void);

#endif
