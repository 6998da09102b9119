// SPDX-License-Identifier: GPL-2.0
/* A tier that calls another tier's functions, watched by a test (stand-in.h) */
#include "stand-in.h"

__thread struct stand_in stand_in;

static void before(const struct tier_call *call)
{
	if (stand_in.before)
		stand_in.before(call);
}

static void after(const struct tier_call *call)
{
	if (stand_in.after)
		stand_in.after(call);
}

/* Make the call; these members of struct tier_call describe it to the test. */
#define watch(real_call, ...) do {					\
	const struct tier_call call = { __VA_ARGS__ };			\
									\
	before(&call);							\
	real_call;							\
	after(&call);							\
} while (0)

static const u8 *source(const u8 *dst, const u8 *src)
{
	return stand_in.reads_destination ? dst : src;
}

/* The tier that has to process @bytes bytes, and @mask more for the mask of a tag */
static const struct sm4_tier *tier_for(size_t bytes, size_t mask)
{
	const struct sm4_tier *tier = &stand_in.tier;

	return stand_in.left || (bytes + mask <= tier->narrower_bytes && tier->narrower) ?
	       tier->narrower : tier;
}

static size_t crypt(enum sm4_operation operation,
		    const struct sm4_round_keys *keys, u8 *dst, const u8 *src,
		    u8 *iv, size_t bytes)
{
	sm4_crypt_function *function = tier_for(bytes, 0)->crypt[operation];

	if (stand_in.left)
		return stand_in.left = function(keys, dst, src, iv, bytes);
	watch(stand_in.left = function(keys, dst, source(dst, src), iv, bytes),
	      .member = SM4_MEMBER(crypt[operation]), .crypt_bytes = bytes,
	      .is_chain = operation == SM4_CBC_ENCRYPT,
	      .output = dst + bytes, .iv = iv ? iv + SM4_BLOCK_SIZE : NULL);
	return stand_in.left;
}

#define DEFINE_CRYPT(name, operation) \
static size_t crypt_##name(const struct sm4_round_keys *keys, u8 *dst, \
			   const u8 *src, u8 *iv, size_t bytes) \
{ \
	return crypt(operation, keys, dst, src, iv, bytes); \
}

DEFINE_CRYPT(ecb, SM4_ECB)
DEFINE_CRYPT(cbc_encrypt, SM4_CBC_ENCRYPT)
DEFINE_CRYPT(cbc_decrypt, SM4_CBC_DECRYPT)
DEFINE_CRYPT(ctr, SM4_CTR)
DEFINE_CRYPT(xts, SM4_XTS)
DEFINE_CRYPT(xts_gb, SM4_XTS_GB)

static void key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	watch(stand_in.tier.key_schedule(plain, key),
	      .member = SM4_MEMBER(key_schedule), .crypt_bytes = SM4_KEY_SIZE,
	      .output = (u8 *)(plain + SM4_ROUNDS));
}

static void cbc_mac(const struct sm4_round_keys *keys, u8 *mac, const u8 *src,
		    size_t blocks)
{
	watch(stand_in.tier.cbc_mac(keys, mac, src, blocks),
	      .member = SM4_MEMBER(cbc_mac), .mac_bytes = blocks * SM4_BLOCK_SIZE,
	      .is_chain = true, .iv = mac + SM4_BLOCK_SIZE);
}

static void ccm_crypt(const struct sm4_round_keys *keys, u8 *dst, const u8 *src,
		      struct sm4_ccm_state *state, size_t blocks, bool decrypts)
{
	const size_t bytes = blocks * SM4_BLOCK_SIZE;

	watch(stand_in.tier.ccm_crypt(keys, dst, source(dst, src), state, blocks,
				      decrypts),
	      .member = SM4_MEMBER(ccm_crypt), .decrypts = decrypts,
	      .crypt_bytes = bytes, .mac_bytes = bytes, .is_chain = true,
	      .output = dst + bytes, .iv = state->mac + SM4_BLOCK_SIZE);
}

static void ghash_set_key(struct sm4_ghash_key *key, const u8 *h,
			  unsigned int powers)
{
	watch(stand_in.tier.ghash_set_key(key, h, powers),
	      .member = SM4_MEMBER(ghash_set_key),
	      .mac_bytes = powers * GHASH_BLOCK_SIZE);
}

static void ghash(const struct sm4_ghash_key *key, u8 *hash, const u8 *src,
		  size_t blocks)
{
	watch(stand_in.tier.ghash(key, hash, src, blocks),
	      .member = SM4_MEMBER(ghash), .mac_bytes = blocks * GHASH_BLOCK_SIZE,
	      .iv = hash + GHASH_BLOCK_SIZE);
}

static size_t gcm(const struct sm4_gcm_key *key, u8 *dst, const u8 *src,
		  struct sm4_gcm_state *state, size_t bytes, unsigned int part)
{
	sm4_gcm_function *function = tier_for(bytes, SM4_BLOCK_SIZE)->gcm;

	if (stand_in.left)
		return stand_in.left = function(key, dst, src, state, bytes, part);
	watch(stand_in.left = function(key, dst, source(dst, src), state, bytes, part),
	      .member = SM4_MEMBER(gcm), .decrypts = part & SM4_GCM_DECRYPTS,
	      .part = part,
	      .crypt_bytes = bytes, .output = dst + bytes,
	      .iv = state->hash + GHASH_BLOCK_SIZE);
	return stand_in.left;
}

static void cbc_encrypt_sm3(const struct sm4_round_keys *keys, u8 *dst,
			    const u8 *src, u8 *iv, size_t passes,
			    struct sm4_hashing *hashing)
{
	const size_t bytes = passes * SM4_PASS_SIZE;

	watch(stand_in.tier.cbc_encrypt_sm3(keys, dst, source(dst, src), iv, passes,
					    hashing),
	      .member = SM4_MEMBER(cbc_encrypt_sm3), .crypt_bytes = bytes, .is_chain = true,
	      .output = dst + bytes, .iv = iv + SM4_BLOCK_SIZE,
	      .hash = hashing->state +
			(stand_in.first_lane ? 0 : SM3_WORDS - 1));
}

static void set_lane_keys(struct sm4_lanes *lanes)
{
	const unsigned int rounds = stand_in.first_lane ?
				    0 : SM4_ROUNDS / 4 - 1;

	watch(stand_in.tier.set_lane_keys(lanes),
	      .member = SM4_MEMBER(set_lane_keys), .lanes = SM4_LANES,
	      .output = (u8 *)(lanes->keys[rounds] + SM4_LANES));
}

static void cbc_encrypt_lanes(struct sm4_lanes *lanes, size_t blocks)
{
	const unsigned int lane = stand_in.first_lane ? 0 : SM4_LANES - 1;

	watch(stand_in.tier.cbc_encrypt_lanes(lanes, blocks),
	      .member = SM4_MEMBER(cbc_encrypt_lanes),
	      .crypt_bytes = blocks * SM4_BLOCK_SIZE, .lanes = SM4_LANES,
	      .output = lanes->text[blocks - 1][lane] + SM4_BLOCK_SIZE,
	      .iv = lanes->chain[lane] + SM4_BLOCK_SIZE);
}

static void sm3_lanes(struct sm3_lanes *lanes, size_t blocks)
{
	const unsigned int count = stand_in.tier.sm3_lane_count;

	watch(stand_in.tier.sm3_lanes(lanes, blocks),
	      .member = SM4_MEMBER(sm3_lanes),
	      .mac_bytes = blocks * SM3_BLOCK_SIZE, .lanes = count,
	      .hash = &lanes->state[SM3_WORDS - 1][stand_in.first_lane ?
						     0 : count - 1]);
}

static void sm3_blocks(u32 *state, const u8 *src, size_t blocks)
{
	watch(stand_in.sm3_tier.blocks(state, src, blocks),
	      .member = SM3_BLOCKS, .mac_bytes = blocks * SM3_BLOCK_SIZE,
	      .hash = state + SM3_WORDS - 1);
}

static const struct sm4_tier stand_ins = {
	.crypt = {
		[SM4_ECB] = crypt_ecb,
		[SM4_CBC_ENCRYPT] = crypt_cbc_encrypt,
		[SM4_CBC_DECRYPT] = crypt_cbc_decrypt,
		[SM4_CTR] = crypt_ctr,
		[SM4_XTS] = crypt_xts,
		[SM4_XTS_GB] = crypt_xts_gb,
	},
	.key_schedule = key_schedule,
	.cbc_mac = cbc_mac,
	.ccm_crypt = ccm_crypt,
	.ghash_set_key = ghash_set_key,
	.ghash = ghash,
	.gcm = gcm,
	.cbc_encrypt_sm3 = cbc_encrypt_sm3,
	.set_lane_keys = set_lane_keys,
	.cbc_encrypt_lanes = cbc_encrypt_lanes,
	.sm3_lanes = sm3_lanes,
};

void stand_in_for(struct sm4_tier *tier)
{
	void **ours = (void *)&stand_ins, **theirs = (void *)tier;

	stand_in.tier = *tier;
	stand_in.left = 0;
	if (tier->narrower)
		tier->narrower = tier;
	for (size_t i = 0; i < sizeof(*tier) / sizeof(*ours); i++)
		if (theirs[i] && ours[i])
			theirs[i] = ours[i];
}

void sm3_stand_in_for(struct sm3_tier *tier)
{
	stand_in.sm3_tier = *tier;
	tier->blocks = sm3_blocks;
}
