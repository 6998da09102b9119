// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Self-tests of every tier, before it is registered. The kernel has no tests of rfc4106, rfc4309
 * and gbt17964, and may be built without the others. The C tiers have to give the results of the
 * standards' examples for a block, for GHASH and for SM3. Every function of another tier has to
 * give the C tier's result for a message of 7739 bytes, or for its first pieces. If a function of
 * the C tier is wrong, the log therefore names all other tiers. The code of the modes is the same
 * for all tiers and is not tested here. This file may not be used after the module is loaded.
 */
#include <linux/init.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "sm4-fast-check.h"
#include "sm4-fast-core.h"
#include "../generated/sm3-constants.h"

/* The test of a function, by how it is called: those that are not tested have none. */
#define SM4_TEST(function, type, place, call, title)			\
	SM4_TEST_##call(title, SM4_MEMBER(place))
#define SM4_ROW(title, place, ...)					\
	{ .name = title, .member = place, __VA_ARGS__ },

#define SM4_TEST_BLOCKS(...)	SM4_ROW(__VA_ARGS__)
#define SM4_TEST_IV(...)	SM4_ROW(__VA_ARGS__)
#define SM4_TEST_CHAIN(...)	SM4_ROW(__VA_ARGS__, .chain = true)
#define SM4_TEST_COUNTER(...)	SM4_ROW(__VA_ARGS__, .partial = true)
#define SM4_TEST_TWEAK(...)	SM4_ROW(__VA_ARGS__, .tweak = true)
#define SM4_TEST_KEY(...)	SM4_ROW(__VA_ARGS__, .chain = true)
#define SM4_TEST_MAC(...)	SM4_ROW(__VA_ARGS__, .chain = true)
#define SM4_TEST_CCM(...)	SM4_ROW(__VA_ARGS__, .chain = true, .both_ways = true)
#define SM4_TEST_CBC_SM3(...)						\
	SM4_ROW(__VA_ARGS__, .chain = true, .offers = sm4_tier_has_cbc_sm3)
#define SM4_TEST_LANES(...)	SM4_ROW(__VA_ARGS__, .chain = true)
#define SM4_TEST_SM3_LANES(...)	SM4_ROW(__VA_ARGS__, .chain = true)
#define SM4_TEST_GHASH(...)	SM4_ROW(__VA_ARGS__, .offers = sm4_tier_has_gcm)
#define SM4_TEST_GCM(...)						\
	SM4_ROW(__VA_ARGS__, .partial = true, .both_ways = true, .offers = sm4_tier_has_gcm)

/* These results are keys of functions that are tested. */
#define SM4_TEST_LANE_KEYS(...)
#define SM4_TEST_HASH_KEY(...)

const struct sm4_function sm4_functions[] __initconst = {
	SM4_TIER_FUNCTIONS(SM4_TEST)
	{}
};

/* The example of GB/T 32907-2016, appendix A.1: the key is the plaintext, too. */
static const u8 sm4_known_key[SM4_KEY_SIZE] __initconst = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};

static const u8 sm4_known_ciphertext[SM4_BLOCK_SIZE] __initconst = {
	0x68, 0x1e, 0xdf, 0x34, 0xd2, 0x06, 0x96, 0x5e,
	0x86, 0xb3, 0xe9, 0x4f, 0x53, 0x6e, 0x42, 0x46,
};

/* Test case 2 of GCM's specification: hash key, text with its length, and GHASH of these */
static const u8 ghash_known_key[GHASH_BLOCK_SIZE] __initconst = {
	0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
	0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e,
};

static const u8 ghash_known_text[2 * GHASH_BLOCK_SIZE] __initconst = {
	0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92,
	0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
	[31] = 0x80,
};

static const u8 ghash_known_hash[GHASH_BLOCK_SIZE] __initconst = {
	0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc,
	0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85,
};

/* The example of GB/T 32905-2016, appendix A.1: "abc" with padding, and the digest's words */
static const u8 sm3_known_text[SM3_BLOCK_SIZE] __initconst = {
	'a', 'b', 'c', 0x80, [63] = 24,
};

static const u32 sm3_known_state[SM3_WORDS] __initconst = {
	0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2,
	0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0,
};

/*
 * The initial value of all states but XTS's. If it is a counter, all its bytes wrap after 200
 * blocks. Multiples of a tweak of equal bytes have equal bytes, too, which may be confused, so XTS
 * has the known key.
 */
static const u8 sm4_known_iv[SM4_BLOCK_SIZE] __initconst = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x38,
};

/*
 * The message is processed in pieces. Their sizes cover every number of groups, of words and
 * for bulk, that a tier has rounds for, and several passes in one call:
 *
 *	1024	one pass of pairs of 32-byte vectors, or of words of 64-byte ones;
 *		these have no place left for the mask of GCM: encryption then uses
 *		byte slices and words, decryption has one block less
 *	256	two groups of words of 32-byte vectors, one of 64-byte ones
 *	16	one block
 *	96	one group
 *	416	one pass of words and some bytes more, or two groups of pairs
 *	352	three groups of words
 *	3584	one and three quarter passes of byte slices of 64-byte vectors, or three
 *		passes of 32-byte ones and two groups. A counter wraps on the way: with
 *		64-byte vectors, CTR then processes 2048 bytes as words, and the rest as
 *		one and a half groups of byte slices.
 *	768	three groups of pairs of 32-byte vectors, or of words of 64-byte ones
 *	1227	a little more than one pass of 32-byte vectors; in CTR with 64-byte
 *		ones, an incomplete group of byte slices and one of words; a partial block
 *
 * SM3, and CBC with SM3, process a piece as blocks of 64 bytes, rounded up. Lanes process as many
 * blocks of their own size.
 */
static const u16 sm4_pieces[] __initconst = {
	1024, 256, 16, 96, 416, 352, 3584, 768, 1227,
};

#define SM4_PIECES_OF_CHAIN	3

#define SM4_TEXT_SIZE		8192

/*
 * Output buffers; functions without lanes keep their IV in chain[0]. For a function that sm4_call()
 * has no case for, @not_called_for is the tier, so that the results of two tiers differ.
 */
struct sm4_check_result {
	struct sm4_lanes lanes;
	struct sm3_lanes sm3_lanes;
	struct sm4_hashing hashing;
	struct sm4_ccm_state ccm;
	struct sm4_gcm_state gcm;
	const struct sm4_tier *not_called_for;
};

struct sm4_check_key {
	struct sm4_key cipher;
	struct sm4_gcm_key gcm;
};

/* These are too large for the stack. */
static struct {
	struct sm4_check_key key, c_key;	/* of the tier, of the C tier */
	unsigned int sm3_lane_count;	/* of the tier */
	u8 text[SM4_TEXT_SIZE];
	struct sm4_check_result result, expected;
	char wrong[40];			/* what sm4_selftest_tier() returns of both ways */
} sm4_check __initdata;

static_assert(sizeof(sm4_check.text) == sizeof(sm4_check.result.lanes.text));

/*
 * Begin an FPU section, which sm4_end() ends. sm4_begin() cannot be used: it might return the C
 * tier, which would then be tested instead. In process context, the vector unit can always be
 * used.
 */
static void __init sm4_check_begin(const struct sm4_tier_base *tier)
{
	if (tier->features[0])
		kernel_fpu_begin();
}

bool __init sm4_tier_offers(const struct sm4_tier *tier,
			    const struct sm4_function *function)
{
	return *(void *const *)((const u8 *)tier + function->member) &&
	       (!function->offers || function->offers(tier));
}

/*
 * CBC and SM3, interleaved. The C tier has no such function: its function for CBC and the
 * portable one for SM3 are called one after the other.
 */
static void __init sm4_call_cbc_sm3(const struct sm4_tier *tier,
				    const struct sm4_round_keys *keys, u8 *dst,
				    const u8 *src, u8 *iv, size_t passes,
				    struct sm4_hashing *hashing)
{
	if (tier->cbc_encrypt_sm3) {
		tier->cbc_encrypt_sm3(keys, dst, src, iv, passes, hashing);
		return;
	}
	tier->crypt[SM4_CBC_ENCRYPT](keys, dst, src, iv, passes * SM4_PASS_SIZE);
	sm3_generic.blocks(hashing->state, hashing->src, passes);
}

/*
 * CBC in lanes, each with one of two keys, in place: later calls encrypt the text again. A call for
 * one block leaves the block equal to the chain, so that the next call would encrypt zeros. So only
 * the last call may be for one block.
 */
static void __init sm4_call_cbc_lanes(const struct sm4_tier *tier,
				      const struct sm4_key *key,
				      struct sm4_lanes *lanes, size_t nblocks,
				      bool first)
{
	size_t i, l;

	for (l = 0; l < SM4_LANES; l++) {
		const struct sm4_round_keys *keys = l % 3 ? &key->enc : &key->dec;

		for (i = 0; first && i < ARRAY_SIZE(lanes->keys); i++)
			memcpy(lanes->keys[i][l], keys->mapped + 4 * i,
			       SM4_BLOCK_SIZE);
		for (i = 0; !tier->cbc_encrypt_lanes && i < nblocks; i++)
			tier->crypt[SM4_CBC_ENCRYPT](keys, lanes->text[i][l],
						     lanes->text[i][l],
						     lanes->chain[l],
						     SM4_BLOCK_SIZE);
	}
	if (!tier->cbc_encrypt_lanes)
		return;
	if (first)
		tier->set_lane_keys(lanes);
	tier->cbc_encrypt_lanes(lanes, nblocks);
}

/* SM3 in lanes, of unaligned data */
static void __init sm4_call_sm3_lanes(const struct sm4_tier *tier,
				      struct sm3_lanes *lanes, size_t nblocks)
{
	u32 state[SM3_WORDS];
	unsigned int l, i;

	if (tier->sm3_lanes) {
		tier->sm3_lanes(lanes, nblocks);
		return;
	}
	for (l = 0; l < sm4_check.sm3_lane_count; l++) {
		for (i = 0; i < SM3_WORDS; i++)
			state[i] = lanes->state[i][l];
		sm3_generic.blocks(state, lanes->src[l], nblocks);
		lanes->src[l] += nblocks * SM3_BLOCK_SIZE;
		for (i = 0; i < SM3_WORDS; i++)
			lanes->state[i][l] = state[i];
	}
}

/* Process the next @bytes of the message, after the first @done bytes. */
static void __init sm4_call(const struct sm4_tier *tier,
			    const struct sm4_function *function, bool decrypts,
			    struct sm4_check_result *result, size_t done,
			    size_t bytes, bool first, bool last)
{
	const struct sm4_check_key *key =
		tier == &sm4_ttable ? &sm4_check.c_key : &sm4_check.key;
	const struct sm4_round_keys *keys = &key->cipher.enc;
	size_t nblocks = bytes / SM4_BLOCK_SIZE;
	size_t passes = DIV_ROUND_UP(bytes, SM4_PASS_SIZE);
	u8 *dst = (u8 *)result->lanes.text + done;
	const u8 *src = sm4_check.text + done;
	u8 *iv = result->lanes.chain[0];
	enum sm4_operation operation;

	switch (function->member) {
	case SM4_MEMBER(key_schedule):
		tier->key_schedule((u32 *)dst, sm4_known_key);
		break;
	case SM4_MEMBER(cbc_mac):
		tier->cbc_mac(keys, iv, src, nblocks);
		break;
	case SM4_MEMBER(ccm_crypt):
		tier->ccm_crypt(keys, dst, src, &result->ccm, nblocks, decrypts);
		break;
	case SM4_MEMBER(ghash):
		tier->ghash(&key->gcm.hash, iv, src, nblocks);
		break;
	case SM4_MEMBER(gcm):
		sm4_tier_gcm(tier, &key->gcm, dst, src, &result->gcm, bytes,
			     (first ? SM4_GCM_FIRST : 0) |
			     (last ? SM4_GCM_LAST : 0) |
			     (decrypts ? SM4_GCM_DECRYPTS : 0));
		break;
	case SM4_MEMBER(cbc_encrypt_sm3):
		result->hashing.src = src + 3;
		sm4_call_cbc_sm3(tier, keys, dst, src, iv, passes,
				 &result->hashing);
		break;
	case SM4_MEMBER(cbc_encrypt_lanes):
		sm4_call_cbc_lanes(tier, &key->cipher, &result->lanes, passes,
				   first);
		break;
	case SM4_MEMBER(sm3_lanes):
		sm4_call_sm3_lanes(tier, &result->sm3_lanes, passes);
		break;
	case SM4_MEMBER(crypt[0]) ... SM4_MEMBER(crypt[SM4_OPERATIONS - 1]):
		operation = (function->member - SM4_MEMBER(crypt)) / sizeof(tier->crypt[0]);
		if (operation == SM4_CBC_DECRYPT)
			keys = &key->cipher.dec;
		sm4_tier_crypt(tier, operation, keys, dst, src,
			       operation == SM4_ECB ? NULL : iv, bytes);
		break;
	default:
		result->not_called_for = tier;
	}
}

/* Process the message with a function. */
static void __init sm4_call_function(const struct sm4_tier *tier,
				     const struct sm4_function *function, bool decrypts,
				     struct sm4_check_result *result)
{
	size_t pieces = function->chain ? SM4_PIECES_OF_CHAIN : ARRAY_SIZE(sm4_pieces);
	struct sm4_ccm_state *ccm = &result->ccm;
	struct sm4_gcm_state *gcm = &result->gcm;
	const u8 *iv = function->tweak ? sm4_known_key : sm4_known_iv;
	size_t done = 0, bytes, i;

	memset(result, 0, sizeof(*result));
	/* Lanes work in place. All other functions need a destination other than the source. */
	if (function->member == SM4_MEMBER(cbc_encrypt_lanes))
		memcpy(result->lanes.text, sm4_check.text, SM4_TEXT_SIZE);
	for (i = 0; i < SM4_LANES; i++)
		memcpy(result->lanes.chain[i], iv, SM4_BLOCK_SIZE);
	for (i = 0; i < SM3_LANES_MAX; i++)
		result->sm3_lanes.src[i] = sm4_check.text + 65 * i;
	memcpy(gcm->hash, sm4_known_iv, sizeof(gcm->hash));
	memcpy(gcm->counter, sm4_known_iv, sizeof(gcm->counter));
	memcpy(gcm->lengths, sm4_known_iv, sizeof(gcm->lengths));
	memcpy(ccm->mac, sm4_known_iv, SM4_BLOCK_SIZE);
	memcpy(ccm->counter, sm4_known_iv, SM4_BLOCK_SIZE);
	memcpy(ccm->text, sm4_known_iv, SM4_BLOCK_SIZE);
	for (i = 0; i < pieces; i++) {
		bytes = sm4_pieces[i];
		if (!function->partial)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		/* Four groups of words of 64-byte vectors hold these bytes and the mask. */
		if (function->member == SM4_MEMBER(gcm) && decrypts && i == 0)
			bytes -= SM4_BLOCK_SIZE;
		sm4_check_begin(&tier->base);
		sm4_call(tier, function, decrypts, result, done, bytes, i == 0,
			 i == pieces - 1);
		sm4_end(tier);
		done += bytes;
	}
	/* Ignore the keys, which only vector tiers convert. */
	memset(result->lanes.keys, 0, sizeof(result->lanes.keys));
}

static bool __init sm4_result_is_right(const struct sm4_tier *tier,
				       const struct sm4_function *function, bool decrypts)
{
	sm4_check.sm3_lane_count = tier->sm3_lane_count;
	sm4_call_function(&sm4_ttable, function, decrypts, &sm4_check.expected);
	sm4_call_function(tier, function, decrypts, &sm4_check.result);
	return !memcmp(&sm4_check.result, &sm4_check.expected,
		       sizeof(sm4_check.result));
}

/* Set all but the hash key. */
static void __init sm4_check_set_key(const struct sm4_tier *tier, struct sm4_check_key *key)
{
	sm4_set_key(tier, &key->cipher, sm4_known_key);
	key->gcm.enc = key->cipher.enc;
}

/*
 * Set the C tier's keys. Returns the name of a function of it that fails the standard's example, or
 * NULL.
 */
static const char *__init sm4_wrong_example(const struct sm4_tier *tier)
{
	struct sm4_check_key *key = &sm4_check.c_key;
	u8 block[SM4_BLOCK_SIZE], hash[GHASH_BLOCK_SIZE] = {};

	sm4_check_set_key(tier, key);
	tier->crypt[SM4_ECB](&key->cipher.enc, block, sm4_known_key, NULL,
			     sizeof(block));
	if (memcmp(block, sm4_known_ciphertext, sizeof(block)))
		return "ecb";
	tier->ghash_set_key(&key->gcm.hash, ghash_known_key, 1);
	tier->ghash(&key->gcm.hash, hash, ghash_known_text, 2);
	return memcmp(hash, ghash_known_hash, sizeof(hash)) ? "ghash" : NULL;
}

static const char *__init sm4_name_way(const struct sm4_function *function, bool decrypts)
{
	if (!function->both_ways)
		return function->name;
	snprintf(sm4_check.wrong, sizeof(sm4_check.wrong), "%s %s", function->name,
		 decrypts ? "decryption" : "encryption");
	return sm4_check.wrong;
}

static const char *__init sm4_wrong_function(const struct sm4_tier *tier)
{
	const struct sm4_function *function;
	struct sm4_check_key *key = &sm4_check.key;
	int decrypts;

	if (!tier->base.features[0])
		return sm4_wrong_example(tier);
	/* The previous tier had the same keys. */
	memset(key, 0, sizeof(*key));
	sm4_check_set_key(tier, key);
	sm4_check_begin(&tier->base);
	if (sm4_tier_has_gcm(tier))
		tier->ghash_set_key(&key->gcm.hash, ghash_known_key, tier->ghash_powers);
	sm4_end(tier);
	for (function = sm4_functions; function->name; function++) {
		if (!sm4_tier_offers(tier, function))
			continue;
		for (decrypts = 0; decrypts <= function->both_ways; decrypts++)
			if (!sm4_result_is_right(tier, function, decrypts))
				return sm4_name_way(function, decrypts);
	}
	return NULL;
}

static const char *__init sm3_wrong_function(const struct sm3_tier *tier)
{
	u32 state[SM3_WORDS] = SM3_IV, expected[SM3_WORDS] = SM3_IV;
	const u8 *src = sm4_check.text;
	size_t i, nblocks;

	if (!tier->base.features[0]) {
		tier->blocks(state, sm3_known_text, 1);
		return memcmp(state, sm3_known_state, sizeof(state)) ? "sm3" : NULL;
	}
	/* All pieces go into one state, which is compared at the end. */
	for (i = 0; i < ARRAY_SIZE(sm4_pieces); i++, src += nblocks * SM3_BLOCK_SIZE) {
		nblocks = DIV_ROUND_UP(sm4_pieces[i], SM3_BLOCK_SIZE);
		sm4_check_begin(&tier->base);
		tier->blocks(state, src, nblocks);
		sm4_end_section(&tier->base);
		sm3_generic.blocks(expected, src, nblocks);
	}
	return memcmp(state, expected, sizeof(state)) ? "sm3" : NULL;
}

const char *__init sm4_selftest_tier(const struct sm4_tier_base *tier, bool of_sm3)
{
	int i;

	for (i = 0; i < SM4_TEXT_SIZE; i++)
		sm4_check.text[i] = i + (i >> 8);
	return of_sm3 ? sm3_wrong_function(to_sm3_tier(tier)) :
			sm4_wrong_function(to_sm4_tier(tier));
}
