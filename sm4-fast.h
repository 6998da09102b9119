/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The interface between modes (request handling) and tiers (code for some CPUs). docs/design.md
 * defines these and other terms.
 *
 * struct sm4_tier describes a tier: a name, a priority, the CPU features it needs, and its
 * functions on flat buffers; sm3/sm3-fast.h has the same for SM3. A mode asks sm4_begin() which
 * tier can be used right now and calls its function. No mode depends on whether this is vector code
 * or portable C code. Nothing in this file may depend on a kernel version: see sm4-compat.h.
 *
 * SM4 is GB/T 32907-2016: blocks of 128 bits, keys of 128 bits, 32 rounds. Decryption is
 * encryption with the round keys in reverse order, so a function takes the direction as one of
 * two key schedules.
 */
#ifndef SM4_FAST_H
#define SM4_FAST_H

#include <crypto/algapi.h>
#include "sm4-compat.h"
#include "asm/functions.h"
#include "asm/layout.h"

#define SM4_BLOCK_SIZE		16
#define SM4_KEY_SIZE		16
#define SM4_ROUNDS		32

/*
 * Maximum bytes of a request in one FPU section, which disables preemption. A few blocks, such as
 * tweaks, are not counted.
 */
#define SM4_SECTION_SIZE	4096

/*
 * The same for a serial chain, CBC encryption or CBC-MAC, which takes several times as long per
 * byte: 1024 bytes take 12 microseconds on a Zen 5, and about 25 on older cores.
 */
#define SM4_CHAIN_SECTION_SIZE	1024

/*
 * Maximum blocks of each of SM4_LANES messages in one FPU section: 8 KiB in total, at one fifth of
 * a single chain's cycles per byte.
 */
#define SM4_LANE_BLOCKS		16

/* The round keys of a lane are in rows, each of four rounds. */
#define SM4_LANE_KEYS		(SM4_ROUNDS / 4)

#define GHASH_BLOCK_SIZE	16

/**
 * struct sm4_round_keys - one direction's round keys
 * @plain: as GB/T 32907 defines them, words in the CPU's byte order
 * @mapped: the same in the basis of the tier (struct sm4_basis), each word's bytes in memory
 *	order. Unset, as the rest, for a tier that has no basis.
 * @pairs: each mapped key as rounds on pairs add it (asm/pairs/rounds.h): its bytes 0 and 2, then
 *	1 and 3, each of them four times
 * @bytes: instead, for a tier that is @byte_sliced, the values that its rounds add to each byte
 *	(asm/avx512/byte-sliced.h), each four times
 */
struct sm4_round_keys {
	u32 plain[SM4_ROUNDS];
	u32 mapped[SM4_ROUNDS];
	union {
		u64 pairs[SM4_ROUNDS][2];
		u32 bytes[SM4_ROUNDS][4];
	};
};

/**
 * struct sm4_key - the round keys of both directions
 * @enc: of encryption
 * @dec: of decryption, which are the same in reverse order
 */
struct sm4_key {
	struct sm4_round_keys enc;
	struct sm4_round_keys dec;
};

/**
 * struct sm4_ghash_key - powers of the hash key H of GCM (SP 800-38D, section 6.4)
 * @powers: H^64 ... H^1, each times x^-1, as {low, high} words of the bit-reflected
 *	polynomial: the coefficient of x^0 is bit 63 of high. Only the powers that the tier
 *	uses are set, which are the last ones.
 * @middle: {low ^ high, unused} of each, the middle factor of Karatsuba's method
 */
struct sm4_ghash_key {
	u64 powers[GHASH_POWERS][2];
	u64 middle[GHASH_POWERS][2];
};

/**
 * struct sm4_gcm_key - a key of GCM, which decrypts no block
 * @enc: round keys of encryption
 * @hash: powers of the hash key
 */
struct sm4_gcm_key {
	struct sm4_round_keys enc;
	struct sm4_ghash_key hash;
};

/**
 * struct sm4_gcm_state - a message in GCM
 * @hash: GHASH so far, initially zero; in the end, the tag
 * @counter: the next counter, initially J0. Only its last four bytes are incremented.
 * @mask: the encrypted J0
 * @lengths: of associated data and text in bits, big-endian: the last block of GHASH
 */
struct sm4_gcm_state {
	u8 hash[GHASH_BLOCK_SIZE];
	u8 counter[SM4_BLOCK_SIZE];
	u8 mask[SM4_BLOCK_SIZE];
	u8 lengths[GHASH_BLOCK_SIZE];
};

/**
 * enum sm4_gcm_part - the part of a text that a call processes, as bits
 * @SM4_GCM_FIRST: the beginning: computes the mask
 * @SM4_GCM_LAST: the end, which may be a partial block: computes the tag
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
 * @counter: the next counter. Only its last four bytes are incremented.
 * @text: the last block of plaintext. It is added to @mac while the next block's keystream is
 *	computed, because decryption does not know it earlier.
 */
struct sm4_ccm_state {
	u8 mac[SM4_BLOCK_SIZE];
	u8 counter[SM4_BLOCK_SIZE];
	u8 text[SM4_BLOCK_SIZE];
};

/**
 * struct sm4_hashing - SM3 (sm3/sm3-fast.h) interleaved with CBC encryption
 * @state: eight words, after whole blocks
 * @src: the next block of 64 bytes
 */
struct sm4_hashing {
	u32 state[8];
	const u8 *src;
};

/**
 * struct sm4_lanes - CBC encryption of SM4_LANES messages. Each message is in one lane, with its
 * own key. The contents of an unused lane do not matter.
 * @keys: for every four rounds, @mapped of struct sm4_round_keys of all lanes; set_lane_keys
 *	converts them.
 * @chain: IVs, which are replaced by the last ciphertext blocks
 * @text: the first block of all lanes, then the second, and so on; ciphertext replaces plaintext
 */
struct sm4_lanes {
	u32 keys[SM4_LANE_KEYS][SM4_LANES][4];
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
 * enum sm4_operation - operations of a tier on the bytes of a request
 * @SM4_ECB: has no IV
 * @SM4_CBC_ENCRYPT: a serial chain; the last ciphertext block replaces the IV
 * @SM4_CBC_DECRYPT: takes the dec schedule; replaces the IV likewise
 * @SM4_CTR: the IV is a counter of 128 bits, big-endian, and is advanced. Only this operation
 *	accepts a partial block, which uses up its counter.
 * @SM4_XTS: whole blocks (IEEE 1619-2018, section 5.3). The IV is the encrypted tweak of the
 *	first block. The tweak after the last block replaces it.
 * @SM4_XTS_GB: the same with the tweaks of GB/T 17964-2021
 * @SM4_OPERATIONS: their number
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

/**
 * typedef sm4_crypt_function - encrypt or decrypt the next bytes of a text
 * @keys: the schedule of one direction
 * @dst: the result; may equal @src, and must not overlap it otherwise
 * @src: the bytes. No buffer needs alignment.
 * @iv: 16 bytes, which are updated for the next bytes of the same text; NULL for SM4_ECB
 * @bytes: their number: a multiple of 16, except for SM4_CTR; may be 0
 *
 * Cannot fail, does not sleep.
 *
 * Return: the number of bytes at the end of the text that it has left to the narrower tier: see
 *	sm4_tier_crypt()
 */
typedef size_t sm4_crypt_function(const struct sm4_round_keys *keys, u8 *dst,
				  const u8 *src, u8 *iv, size_t bytes);

/**
 * typedef sm4_gcm_function - GCM (SP 800-38D, section 7)
 * @key: the key
 * @dst: the result; buffers as for sm4_crypt_function
 * @src: the bytes to encrypt or decrypt. Their ciphertext is hashed.
 * @state: the message
 * @bytes: their number: without SM4_GCM_LAST, a multiple of 16; may be 0
 * @part: a set of enum sm4_gcm_part
 *
 * Return: as of sm4_crypt_function
 */
typedef size_t sm4_gcm_function(const struct sm4_gcm_key *key, u8 *dst,
				const u8 *src, struct sm4_gcm_state *state,
				size_t bytes, unsigned int part);

/**
 * typedef sm4_ccm_function - CCM (RFC 3610, sections 2.2 and 2.3)
 * @keys: the schedule of encryption
 * @dst: the result; buffers as for sm4_crypt_function
 * @src: the blocks
 * @state: the message
 * @nblocks: their number
 * @decrypts: whether @src is ciphertext
 *
 * For each block, add state->text to the MAC, encrypt or decrypt the block with the next counter,
 * and store its plaintext in state->text.
 */
typedef void sm4_ccm_function(const struct sm4_round_keys *keys, u8 *dst,
			      const u8 *src, struct sm4_ccm_state *state,
			      size_t nblocks, bool decrypts);

/**
 * typedef sm4_cbc_sm3_function - CBC encryption and SM3, interleaved
 * @keys: the schedule of encryption
 * @dst: the ciphertext; @iv and buffers as for sm4_crypt_function
 * @src: the text
 * @iv: the IV, which is updated
 * @passes: how often to encrypt 64 bytes of @src and to hash the next 64 bytes at @hashing->src;
 *	may be 0
 * @hashing: SM3. What it hashes may be ciphertext of an earlier pass. Its @src is not changed.
 */
typedef void sm4_cbc_sm3_function(const struct sm4_round_keys *keys, u8 *dst,
				  const u8 *src, u8 *iv, size_t passes,
				  struct sm4_hashing *hashing);

#define SM4_PASS_SIZE		64

struct sm3_lanes;

/* Other functions of a tier: see the members of struct sm4_tier that have these types. */
typedef void sm4_key_schedule_function(u32 plain[SM4_ROUNDS], const u8 *key);
typedef void sm4_mac_function(const struct sm4_round_keys *keys, u8 *mac,
			      const u8 *src, size_t nblocks);
typedef void sm4_lanes_keys_function(struct sm4_lanes *lanes);
typedef void sm4_lanes_function(struct sm4_lanes *lanes, size_t nblocks);
typedef void sm3_lanes_function(struct sm3_lanes *lanes, size_t nblocks);
typedef void ghash_set_key_function(struct sm4_ghash_key *key, const u8 *h,
				    unsigned int powers);
typedef void ghash_function(const struct sm4_ghash_key *key, u8 *hash,
			    const u8 *src, size_t nblocks);

/* Hygon's SM4 instructions, in lists of features. No feature of the kernel has this number. */
#define SM4_FEATURE_CIS		(2047 * 32)

/* Maximum number of CPU features: of a tier, and of its additional ones for GCM and for CBC-SM3 */
#define SM4_TIER_FEATURES	8
#define SM4_GCM_FEATURES	2
#define SM4_SM3_FEATURES	2

/**
 * struct sm4_tier_base - what tiers of SM4 and of SM3 have in common
 * @name: as in the module parameter "tiers" and in driver names
 * @priority: cra_priority of its algorithms
 * @features: X86_FEATURE_* or SM4_FEATURE_* numbers that it needs, ended by 0 if there are fewer
 *	than SM4_TIER_FEATURES; none for a portable tier. For all others, the kernel has to save
 *	the registers of AVX.
 * @ymm_tier: of a tier that also needs 64-byte vector registers: the tier with 32-byte ones that
 *	ranks just above it on a CPU that lowers its clock for 64 bytes. Of all others: NULL
 */
struct sm4_tier_base {
	const char *name;
	int priority;
	u16 features[SM4_TIER_FEATURES];
	const struct sm4_tier_base *ymm_tier;
};

/**
 * struct sm4_tier - one implementation of SM4 for some CPUs
 *
 * The functions of a vector tier may only be called between sm4_begin() and sm4_end(), with at
 * most SM4_SECTION_SIZE bytes at a time, or SM4_CHAIN_SECTION_SIZE for a serial chain. They leave
 * no part of a key, of data or of a hash state in registers or on the stack.
 *
 * @base: what tiers of SM3 have, too
 * @gcm_features: as the base's, additional features for @ghash_set_key, @ghash and @gcm. On a
 *	CPU without them, the tier has its other modes.
 * @sm3_features: likewise, additional features for @cbc_encrypt_sm3
 * @basis: of the mapped round keys; NULL for a tier that uses the plain ones
 * @byte_sliced: round keys have @bytes instead of @pairs.
 * @narrower: a tier with narrower vectors and the same mapped round keys, or NULL. It processes
 *	texts of up to @narrower_bytes, and the last bytes of longer texts, up to the same number,
 *	because it is faster there. Its own bulk needs longer texts. It has all operations of this
 *	tier, and no narrower tier itself. If its @base is empty, no mode is registered on it.
 * @narrower_bytes: see @narrower
 * @key_schedule: the 32 plain round keys of a 16-byte key
 * @crypt: the operations; modes call sm4_tier_crypt() instead.
 * @cbc_mac: for each block of @src, @mac = E(@mac ^ block)
 * @ccm_crypt: CCM's MAC and counter mode, interleaved
 * @cbc_encrypt_sm3: SM4_CBC_ENCRYPT and SM3, interleaved; NULL where that is no faster
 *	than one after the other
 * @set_lane_keys: convert the keys of all lanes for @cbc_encrypt_lanes
 * @cbc_encrypt_lanes: SM4_CBC_ENCRYPT of @nblocks blocks, at most SM4_LANE_BLOCKS, in every lane
 * @sm3_lanes: SM3 (sm3/sm3-fast.h) of @nblocks blocks in each of @sm3_lane_count lanes. This
 *	member, the one below and the two above are NULL or 0 where lanes are no faster. A
 *	tier with lanes has serial chains.
 * @sm3_lane_count: see @sm3_lanes
 * @ghash_set_key: set the last @powers powers, at least one, of H, 16 bytes in memory order
 * @ghash: for each block of @src, @hash = (@hash ^ block) * H
 * @ghash_powers: number of powers of H that the tier uses
 * @gcm: GCM; modes call sm4_tier_gcm() instead.
 *
 * SM4_CBC_ENCRYPT, cbc_mac and ccm_crypt are serial chains. If a tier would be much slower at them
 * than the C tier, all three are NULL: sm4_tier_for() then returns the C tier, and the tier has no
 * MACs.
 */
struct sm4_tier {
	struct sm4_tier_base base;
	u16 gcm_features[SM4_GCM_FEATURES];
	u16 sm3_features[SM4_SM3_FEATURES];
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
};

#define to_sm4_tier(tier)	container_of(tier, struct sm4_tier, base)

/*
 * A tier: its variable, with which the names of its modes' functions begin; its name; its priority;
 * in parentheses the CPU flags that it needs and those that its GCM needs; its serial chains; and
 * its other members. Chains are NO_CHAINS, or CHAINS() of what their functions' names begin with.
 * modinfo shows a field "tier" with the name, the priority, the flags and, if so, "without chains":
 * programs and tests ask there which tiers there are.
 */
#define SM4_TIER(variable, ...)						\
	struct sm4_tier variable = {					\
		SM4_MODE_FUNCTIONS(SM4_HAS, variable##_)		\
		SM4_TIER_MEMBERS(__VA_ARGS__)				\
	};								\
	SM4_TIER_INFO(__VA_ARGS__)
#define SM4_TIER_MEMBERS(title, rank, flags, gcm_flags, chains, ...)	\
	.base.name = title, SM4_TIER_NEEDS(rank, flags),		\
	.gcm_features = { SM4_LIST gcm_flags },				\
	SM4_HAS_##chains __VA_ARGS__
#define SM4_TIER_INFO(title, rank, flags, gcm_flags, chains, ...)	\
	MODULE_INFO(tier, title " " #rank " " #flags " GCM " #gcm_flags SM4_INFO_##chains)

/* A narrower tier: its variable, its chains, and its other members */
#define SM4_NARROWER_TIER(variable, chains, ...)			\
	struct sm4_tier variable = {					\
		SM4_MODE_FUNCTIONS(SM4_HAS, variable##_)		\
		SM4_HAS_##chains __VA_ARGS__				\
	}

#define SM4_HAS_NO_CHAINS
#define SM4_HAS_CHAINS(prefix)	SM4_CHAIN_FUNCTIONS(SM4_HAS, prefix)
#define SM4_INFO_NO_CHAINS	" without chains"
#define SM4_INFO_CHAINS(prefix)

#define SM4_TIER_NEEDS(rank, flags)					\
	.base.priority = rank, .base.features = { SM4_LIST flags }
#define SM4_LIST(...)		__VA_ARGS__

/* sm4-ttable.c: the portable tier, the fallback of all others */
extern const struct sm4_tier sm4_ttable;

/*
 * sm4-fast-tiers.c: all tiers of SM4, and all tiers of SM3, whether this CPU can run them or not:
 * the slowest first, and NULL at the end
 */
extern const struct sm4_tier_base *const sm4_tiers[], *const sm3_tiers[];

/**
 * sm4_tier_for() - the tier to pass to sm4_begin() for an operation
 * @tier: the tier that is wanted
 * @operation: the operation
 *
 * Return: @tier, or the C tier if @tier lacks the operation
 */
static inline const struct sm4_tier *
sm4_tier_for(const struct sm4_tier *tier, enum sm4_operation operation)
{
	return tier->crypt[operation] ? tier : &sm4_ttable;
}

/**
 * sm4_tier_crypt() - run an operation on a tier and its narrower tier
 * @working: the tier that sm4_begin() has returned; the section is open.
 * @operation: the operation; the other arguments are as for sm4_crypt_function.
 * @keys: the schedule of one direction
 * @dst: the result
 * @src: the bytes
 * @iv: the IV, which is updated
 * @bytes: their number
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

/**
 * sm4_tier_gcm() - GCM on a tier and its narrower tier
 * @working: the tier that sm4_begin() has returned; the section is open.
 * @key: the key; this and the other arguments are as for sm4_gcm_function.
 * @dst: the result
 * @src: the bytes
 * @state: the message
 * @bytes: their number
 * @part: a set of enum sm4_gcm_part
 *
 * One block more is counted, because the first part also computes the mask of the tag. If @working
 * leaves nothing, it has also processed the last part.
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

/**
 * sm4_encrypt_block() - encrypt one block
 * @working: the tier that sm4_begin() has returned; the section is open.
 * @keys: the schedule of encryption
 * @block: the block, which the ciphertext replaces
 *
 * The function for chains is the fastest for that; a tier without it uses ECB.
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

/**
 * sm4_xts_next_tweak() - multiply a tweak of SM4_XTS by x
 * @tweak: an element of GF(2^128) modulo x^128 + x^7 + x^2 + x + 1: a little-endian number, with
 *	x^0 as its lowest bit (IEEE 1619-2018, section 5.2)
 */
static inline void sm4_xts_next_tweak(u8 tweak[SM4_BLOCK_SIZE])
{
	u64 low = get_unaligned_le64(tweak);
	u64 high = get_unaligned_le64(tweak + 8);
	u64 carry = -(high >> 63);

	put_unaligned_le64(low << 1 ^ (carry & 0x87), tweak);
	put_unaligned_le64(high << 1 | low >> 63, tweak + 8);
}

/**
 * sm4_xts_gb_next_tweak() - multiply a tweak of SM4_XTS_GB by x
 * @tweak: an element of the same field, but a big-endian number, with x^0 as its highest bit, as in
 *	GHASH (GB/T 17964-2021)
 */
static inline void sm4_xts_gb_next_tweak(u8 tweak[SM4_BLOCK_SIZE])
{
	u64 high = get_unaligned_be64(tweak);
	u64 low = get_unaligned_be64(tweak + 8);
	u64 carry = -(low & 1);

	put_unaligned_be64(high >> 1 ^ (carry & 0xe100000000000000ULL), tweak);
	put_unaligned_be64(low >> 1 | high << 63, tweak + 8);
}

#endif
