/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam of sm4-fast: above it the modes, which know requests and no processor; below it the
 * tiers, which know a processor and no request.
 *
 * A tier is one row: a name, a priority, the CPU features it needs, and its functions on flat
 * buffers. A mode asks sm4_begin() which tier can be used right now and calls its function: no
 * mode knows whether it runs on vectors or on the portable C code. Nothing in here may depend
 * on a kernel version: see sm4-compat.h.
 *
 * SM4 is GB/T 32907-2016: blocks of 128 bits, keys of 128 bits, 32 rounds. Decryption is
 * encryption with the round keys in reverse order, so a function takes the direction as one of
 * two key schedules.
 */
#ifndef SM4_FAST_H
#define SM4_FAST_H

#include <crypto/algapi.h>
#include "sm4-compat.h"
#include "asm/layout.h"

#define SM4_BLOCK_SIZE		16
#define SM4_KEY_SIZE		16
#define SM4_ROUNDS		32

/* Most tiers that there can be */
#define SM4_TIERS_MAX		12

/*
 * Most bytes of a request in one FPU section, beside a few blocks such as a tweak: preemption
 * is off meanwhile.
 */
#define SM4_SECTION_SIZE	4096

/*
 * The same for a serial chain, CBC encryption or CBC-MAC, which takes several times as long a
 * byte: 1024 bytes take 12 microseconds on a Zen 5, and some 25 on older cores.
 */
#define SM4_CHAIN_SECTION_SIZE	1024

/*
 * Most blocks of each of SM4_LANES messages in one FPU section: 8 KiB altogether, at a fifth of
 * the cycles a byte of one chain.
 */
#define SM4_LANE_BLOCKS		16

#define GHASH_BLOCK_SIZE	16

/**
 * struct sm4_round_keys - one direction's round keys
 * @plain: as GB/T 32907 defines them, words in the CPU's byte order
 * @mapped: the same in the basis of the tier (struct sm4_basis), each word's bytes in memory
 *	order. Unset, as the rest, for a tier that has no basis.
 * @pairs: each mapped key as pair-sliced rounds add it (asm/pairs.h): its bytes 0 and 2, then
 *	1 and 3, each of them four times
 * @bytes: instead, for a tier that is @byte_sliced, what its rounds add to each byte
 *	(asm/bytes.h), four times
 */
struct sm4_round_keys {
	u32 plain[SM4_ROUNDS];
	u32 mapped[SM4_ROUNDS];
	union {
		u64 pairs[SM4_ROUNDS][2];
		u32 bytes[SM4_ROUNDS][4];
	};
};

struct sm4_key {
	struct sm4_round_keys enc;
	struct sm4_round_keys dec;
};

/**
 * struct sm4_ghash_key - powers of the hash key H of GCM (SP 800-38D, section 6.4)
 * @powers: H^64 ... H^1, each times x^-1, as {low, high} words of the bit-reflected
 *	polynomial: the coefficient of x^0 is bit 63 of high. Only the last ones are set, as
 *	many as the tier uses.
 * @middle: {low ^ high, unused} of each, the middle factor of Karatsuba's method
 */
struct sm4_ghash_key {
	u64 powers[GHASH_POWERS][2];
	u64 middle[GHASH_POWERS][2];
};

struct sm4_gcm_key {
	struct sm4_key cipher;
	struct sm4_ghash_key hash;
};

/**
 * struct sm4_gcm_state - a message in GCM
 * @hash: GHASH so far; zeros before the associated data. At the end, the tag.
 * @counter: the next counter, at first J0. Its last four bytes count.
 * @mask: the encrypted J0
 * @lengths: of associated data and text in bits, big-endian: GHASH's last block
 */
struct sm4_gcm_state {
	u8 hash[GHASH_BLOCK_SIZE];
	u8 counter[SM4_BLOCK_SIZE];
	u8 mask[SM4_BLOCK_SIZE];
	u8 lengths[GHASH_BLOCK_SIZE];
};

/**
 * enum sm4_gcm_part - which part of a text a call processes, as bits
 * @SM4_GCM_FIRST: the beginning: makes the mask
 * @SM4_GCM_LAST: the end, which may be a partial block: makes the tag
 * @SM4_GCM_DECRYPTS: the text is ciphertext. The tag is not compared.
 */
enum sm4_gcm_part {
	SM4_GCM_FIRST = GCM_FIRST,
	SM4_GCM_LAST = GCM_LAST,
	SM4_GCM_DECRYPTS = GCM_DECRYPTS,
};

/**
 * struct sm4_ccm_state - a message in CCM (RFC 3610, section 2)
 * @mac: CBC-MAC of all blocks before @text
 * @counter: the next counter. Its last four bytes count.
 * @text: the last block of plaintext. @mac takes it together with the next block's keystream,
 *	as decryption does not know it earlier.
 */
struct sm4_ccm_state {
	u8 mac[SM4_BLOCK_SIZE];
	u8 counter[SM4_BLOCK_SIZE];
	u8 text[SM4_BLOCK_SIZE];
};

/**
 * struct sm4_hashing - SM3 (sm3/sm3-fast.h) at once with CBC encryption
 * @state: eight words, after whole blocks
 * @src: the next block of 64 bytes
 */
struct sm4_hashing {
	u32 state[8];
	const u8 *src;
};

/**
 * struct sm4_lanes - CBC encryption of SM4_LANES messages, each a lane with a key of its
 * own. The contents of an unused lane do not matter.
 * @keys: for each four rounds, @mapped of struct sm4_round_keys of all lanes; set_lane_keys
 *	converts them.
 * @chain: IVs, which become the last ciphertext blocks
 * @text: for each block, that of all lanes; plaintext that becomes ciphertext
 */
struct sm4_lanes {
	u32 keys[SM4_ROUNDS / 4][SM4_LANES][4];
	u8 chain[SM4_LANES][SM4_BLOCK_SIZE];
	u8 text[SM4_LANE_BLOCKS][SM4_LANES][SM4_BLOCK_SIZE];
} __aligned(64);

/**
 * struct sm4_basis - the linear map of bytes to a tier's basis
 * @image: the images of the bits 0 (least significant) to 7
 * @constant: added to every byte of a mapped round key: constant[r % 8] in round r. The
 *	sequence is the same from the last round on, so that decryption can reverse mapped
 *	keys, too.
 */
struct sm4_basis {
	u8 image[8];
	u8 constant[8];
};

/**
 * enum sm4_operation - what every tier can do with the bytes of a request
 * @SM4_ECB: no IV
 * @SM4_CBC_ENCRYPT: a serial chain; the IV becomes the last ciphertext block
 * @SM4_CBC_DECRYPT: takes the dec schedule; the IV likewise
 * @SM4_CTR: the IV is a counter of 128 bits, big-endian, and is advanced. Only this operation
 *	takes a partial block, which uses up its counter.
 * @SM4_XTS: whole blocks (IEEE 1619-2018, section 5.3). The IV is the encrypted tweak of the
 *	first block and becomes the one after the last block.
 * @SM4_XTS_GB: the same with the tweaks of GB/T 17964-2021
 */
enum sm4_operation {
	SM4_ECB,
	SM4_CBC_ENCRYPT,
	SM4_CBC_DECRYPT,
	SM4_CTR,
	SM4_XTS,
	SM4_XTS_GB,
	SM4_OPERATIONS
};

/*
 * Encrypt or decrypt @bytes from @src to @dst. @bytes is a multiple of 16 except for SM4_CTR,
 * and may be 0. @iv is 16 bytes (NULL for SM4_ECB), and is updated for the next bytes of the
 * same text. No buffer needs alignment; @dst may equal @src and must not overlap it otherwise.
 * Cannot fail, does not sleep. Returns how many bytes at the end of the text are left to the
 * tier's @narrower one: see sm4_tier_crypt().
 */
typedef size_t sm4_crypt_function(const struct sm4_round_keys *keys, u8 *dst,
				  const u8 *src, u8 *iv, size_t bytes);

/*
 * GCM (SP 800-38D, section 7): encrypt or decrypt @bytes of a text and hash the ciphertext.
 * @part is a set of enum sm4_gcm_part. Without SM4_GCM_LAST, @bytes is a multiple of 16. It
 * may be 0. Buffers and return value as above.
 */
typedef size_t sm4_gcm_function(const struct sm4_gcm_key *key, u8 *dst,
				const u8 *src, struct sm4_gcm_state *state,
				size_t bytes, unsigned int part);

/*
 * CCM (RFC 3610, sections 2.2 and 2.3): for each block at @src, add state->text to the MAC;
 * encrypt or decrypt the block to @dst by the next counter; its plaintext becomes
 * state->text. Buffers as above.
 */
typedef void sm4_ccm_function(const struct sm4_round_keys *keys, u8 *dst,
			      const u8 *src, struct sm4_ccm_state *state,
			      size_t blocks, bool decrypts);

/*
 * CBC encryption and SM3 at once: @passes times, encrypt 64 bytes from @src to @dst and hash
 * the next 64 bytes at @hashing->src. These may be ciphertext of an earlier pass.
 * @hashing->src is not changed. @iv and the other buffers as for sm4_crypt_function; @passes
 * may be 0.
 */
typedef void sm4_cbc_sm3_function(const struct sm4_round_keys *keys, u8 *dst,
				  const u8 *src, u8 *iv, size_t passes,
				  struct sm4_hashing *hashing);

#define SM4_PASS_SIZE		64

/*
 * The compression function of SM3 (GB/T 32905, section 5.3) for each of @blocks blocks of
 * 64 bytes at @src, which needs no alignment; @blocks may be 0. @state is eight words in
 * the CPU's byte order. Cannot fail, does not sleep.
 */
typedef void sm3_blocks_function(u32 *state, const u8 *src, size_t blocks);

struct sm3_lanes;

/* Other functions of a tier: see the members of struct sm4_tier that are of these types. */
typedef void sm4_key_schedule_function(u32 plain[SM4_ROUNDS], const u8 *key);
typedef void sm4_mac_function(const struct sm4_round_keys *keys, u8 *mac,
			      const u8 *src, size_t blocks);
typedef void sm4_lanes_keys_function(struct sm4_lanes *lanes);
typedef void sm4_lanes_function(struct sm4_lanes *lanes, size_t blocks);
typedef void sm3_lanes_function(struct sm3_lanes *lanes, size_t blocks);
typedef void ghash_set_key_function(struct sm4_ghash_key *key, const u8 *h,
				    unsigned int powers);
typedef void ghash_function(const struct sm4_ghash_key *key, u8 *hash,
			    const u8 *src, size_t blocks);

/* The most CPU features that a tier needs, and besides for GCM, and for SM3 beside CBC */
#define SM4_TIER_FEATURES	8
#define SM4_GCM_FEATURES	2
#define SM4_SM3_FEATURES	2

/**
 * struct sm4_tier - one implementation for some CPUs
 *
 * The functions of a vector tier may only be called between sm4_begin() and sm4_end(), with at
 * most SM4_SECTION_SIZE bytes at a time, a serial chain with SM4_CHAIN_SECTION_SIZE. They
 * leave nothing of key, data or a hash's state in registers or on the stack.
 *
 * A row that has @sm3_blocks and no @key_schedule is a tier of SM3 (sm3/sm3-fast.h).
 *
 * @name: as in the module parameter "tiers" and in driver names
 * @priority: cra_priority of its algorithms
 * @features: X86_FEATURE_* or SM4_FEATURE_* numbers that it needs, ended by 0 unless all
 *	places are taken; none for the C tier. For all others, the kernel has to save the
 *	registers of AVX.
 * @gcm_features: likewise, what @ghash_set_key, @ghash and @gcm need besides. On a CPU
 *	without them, the tier has its other modes.
 * @sm3_features: likewise, what @cbc_encrypt_sm3 needs besides
 * @zmm: it needs 64-byte vector registers, too.
 * @basis: of the mapped round keys; NULL for a tier that uses the plain ones
 * @byte_sliced: round keys have @bytes instead of @pairs.
 * @narrower: a tier of narrower vectors and the same mapped round keys, or NULL. It is faster
 *	for texts of up to @narrower_bytes, which is too short for its own bulk, and for so many
 *	bytes at the end of longer ones. It has all operations of this tier, and no @narrower.
 * @key_schedule: the 32 plain round keys of a 16-byte key
 * @crypt: the operations, to be called by sm4_tier_crypt()
 * @cbc_mac: for each block of @src, @mac = E(@mac ^ block)
 * @ccm_crypt: CCM's MAC and counter mode at once
 * @cbc_encrypt_sm3: SM4_CBC_ENCRYPT and SM3 at once; NULL where that is no faster
 *	than one after the other
 * @set_lane_keys: convert the keys of all lanes for @cbc_encrypt_lanes
 * @cbc_encrypt_lanes: SM4_CBC_ENCRYPT of so many blocks, at most SM4_LANE_BLOCKS, in all lanes
 * @sm3_lanes: SM3 (sm3/sm3-fast.h) of so many blocks in @sm3_lane_count lanes. This member,
 *	the one below and the two above are NULL or 0 where lanes are no faster. A tier
 *	with lanes has chains.
 * @ghash_set_key: set the last @powers powers, at least one, of H, 16 bytes in memory order
 * @ghash: for each block of @src, @hash = (@hash ^ block) * H
 * @ghash_powers: how many powers of H the tier uses
 * @gcm: GCM, to be called by sm4_tier_gcm()
 * @sm3_blocks: SM3; the C tier has it as the fallback of all tiers of SM3
 *
 * SM4_CBC_ENCRYPT, cbc_mac and ccm_crypt are serial chains. A tier that would be much slower
 * there than the tables leaves all three NULL: sm4_tier_for() then returns the C tier, and no
 * MACs are registered.
 */
struct sm4_tier {
	const char *name;
	int priority;
	u16 features[SM4_TIER_FEATURES];
	u16 gcm_features[SM4_GCM_FEATURES];
	u16 sm3_features[SM4_SM3_FEATURES];
	bool zmm;
	const struct sm4_basis *basis;
	bool byte_sliced;
	const struct sm4_tier *narrower;
	unsigned int narrower_bytes;

	sm4_key_schedule_function *key_schedule;
	sm4_crypt_function *crypt[SM4_OPERATIONS];
	sm4_mac_function *cbc_mac;
	sm4_cbc_sm3_function *cbc_encrypt_sm3;
	sm4_ccm_function *ccm_crypt;
	sm4_lanes_keys_function *set_lane_keys;
	sm4_lanes_function *cbc_encrypt_lanes;
	sm3_lanes_function *sm3_lanes;
	unsigned int sm3_lane_count;
	ghash_set_key_function *ghash_set_key;
	ghash_function *ghash;
	unsigned int ghash_powers;
	sm4_gcm_function *gcm;
	sm3_blocks_function *sm3_blocks;
};

/* sm4-ttable.c: the portable tier, the fallback of all others */
extern const struct sm4_tier sm4_ttable;

/*
 * sm4-fast-tiers.c: all tiers, whether this CPU can run them or not. First @sm4_tier_count
 * tiers of SM4, then those of SM3; of each cipher, the slowest first.
 */
extern const struct sm4_tier *const sm4_tiers[];
extern const unsigned int sm4_tier_count, sm4_all_tier_count;

static inline bool sm4_is_sm3_tier(const struct sm4_tier *tier)
{
	return !tier->key_schedule;
}

/*
 * The tiers that this CPU can run and that have given no wrong answer, as bits by their
 * numbers. Loading sets them, at first by sm4_detect_tiers(), in process context. They
 * are read-only afterwards.
 */
extern unsigned long sm4_ready_tiers;
void sm4_detect_tiers(void);

/* The fastest ready tier of SM3; the portable one has to be ready. */
const struct sm4_tier *sm3_best_tier(void);

/*
 * Returns the tier to give to sm4_begin() for an operation of @tier: the C tier where @tier
 * does not have it.
 */
static inline const struct sm4_tier *
sm4_tier_for(const struct sm4_tier *tier, enum sm4_operation operation)
{
	return tier->crypt[operation] ? tier : &sm4_ttable;
}

/*
 * An operation by @working and its narrower tier, between sm4_begin() and sm4_end(). The
 * arguments are those of sm4_crypt_function.
 */
static __always_inline void
sm4_tier_crypt(const struct sm4_tier *working, enum sm4_operation operation,
	       const struct sm4_round_keys *keys, u8 *dst, const u8 *src, u8 *iv,
	       size_t bytes)
{
	size_t left = bytes;

	if (left > working->narrower_bytes)
		left = working->crypt[operation](keys, dst, src, iv, bytes);
	if (left)
		working->narrower->crypt[operation](keys, dst + bytes - left,
						    src + bytes - left, iv,
						    left);
}

/*
 * GCM likewise. The arguments are those of sm4_gcm_function. One more block is counted for the
 * mask of the tag, which a first part has. If @working leaves nothing, it has done the last
 * part, too.
 */
static __always_inline void
sm4_tier_gcm(const struct sm4_tier *working, const struct sm4_gcm_key *key,
	     u8 *dst, const u8 *src, struct sm4_gcm_state *state, size_t bytes,
	     unsigned int part)
{
	size_t left = bytes;

	if (bytes + SM4_BLOCK_SIZE > working->narrower_bytes) {
		left = working->gcm(key, dst, src, state, bytes, part);
		if (!left)
			return;
		part &= ~SM4_GCM_FIRST;
		dst += bytes - left;
		src += bytes - left;
	}
	working->narrower->gcm(key, dst, src, state, left, part);
}

/*
 * Encrypt one block in place, between sm4_begin() and sm4_end(). The function for chains is
 * the fastest; a tier without it encrypts a batch of one block.
 */
static __always_inline void
sm4_encrypt_block(const struct sm4_tier *working,
		  const struct sm4_round_keys *keys, u8 block[SM4_BLOCK_SIZE])
{
	static const u8 zeros[SM4_BLOCK_SIZE];

	if (working->cbc_mac)
		working->cbc_mac(keys, block, zeros, 1);
	else
		sm4_tier_crypt(working, SM4_ECB, keys, block, block, NULL,
			       SM4_BLOCK_SIZE);
}

/*
 * Multiply an XTS tweak by x in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1. For SM4_XTS the
 * block is a little-endian number, with x^0 as its lowest bit (IEEE 1619-2018, section 5.2).
 * For SM4_XTS_GB it is a big-endian number, with x^0 as its highest bit, as in GHASH (GB/T
 * 17964-2021).
 */
static inline void sm4_xts_next_tweak(u8 tweak[SM4_BLOCK_SIZE])
{
	u64 low = get_unaligned_le64(tweak);
	u64 high = get_unaligned_le64(tweak + 8);
	u64 carry = -(high >> 63);

	put_unaligned_le64(low << 1 ^ (carry & 0x87), tweak);
	put_unaligned_le64(high << 1 | low >> 63, tweak + 8);
}

static inline void sm4_xts_gb_next_tweak(u8 tweak[SM4_BLOCK_SIZE])
{
	u64 high = get_unaligned_be64(tweak);
	u64 low = get_unaligned_be64(tweak + 8);
	u64 carry = -(low & 1);

	put_unaligned_be64(high >> 1 ^ (carry & 0xe100000000000000ULL), tweak);
	put_unaligned_be64(low >> 1 | high << 63, tweak + 8);
}

/*
 * sm4-fast-check.c: returns the name of a function of @tier, a usable one, that gives a wrong
 * result, or NULL. Only during loading, in process context. The C tiers have to be
 * checked first, as all others are compared with them.
 */
const char *sm4_selftest_tier(const struct sm4_tier *tier);

#endif
