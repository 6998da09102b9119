// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The functions of the tiers, and their arguments (tier-calls.h). */
#include "tier-calls.h"

struct tier_data tier_data;
struct sm4_hashing tier_hashing = { .src = tier_data.text };
struct sm3_lanes tier_sm3_lanes;

void renew_tier_data(u8 counter_byte)
{
	random_fill(&tier_data, sizeof(tier_data));
	random_fill(tier_hashing.state, sizeof(tier_hashing.state));
	random_fill(tier_sm3_lanes.state, sizeof(tier_sm3_lanes.state));
	for (size_t l = 0; l < SM3_LANES_MAX; l++)
		tier_sm3_lanes.src[l] = tier_data.text;
	memset(tier_data.ccm.counter + SALT_BYTES, counter_byte, SM4_BLOCK_SIZE - SALT_BYTES);
	memset(tier_data.gcm.counter + SALT_BYTES, counter_byte, SM4_BLOCK_SIZE - SALT_BYTES);
	memset(tier_data.gcm.lengths, 0, GHASH_BLOCK_SIZE);
	memset(tier_data.counter, counter_byte, SM4_BLOCK_SIZE);
}

#define KEYS	(&tier_data.key.enc)
#define HASH	(&tier_data.key.hash)
#define TEXT	(tier_data.text)
#define IV	(tier_data.iv)

/* All sets of enum sm4_gcm_part are below this: SM4_GCM_DECRYPTS is the last of its bits. */
#define SETS_OF_GCM_PARTS	(2 * SM4_GCM_DECRYPTS)

/* How a function is called, by the words of asm/functions.h */
#define OPERATION(iv_argument) { KEYS, TEXT, TEXT, iv_argument }, \
			.count = 4, .unit = 1, .output = 2
#define CALL_BLOCKS	OPERATION(NULL)
#define CALL_IV		OPERATION(IV), .iv = 4
#define CALL_CHAIN	OPERATION(IV), .iv = 4, .is_chain = true
#define CALL_TWEAK	OPERATION(IV), .iv = 4
/* Called twice: each call ends within a block, at a random place. */
#define CALL_COUNTER	OPERATION(tier_data.counter), .iv = 4, .variants = 2, .partial = true
#define CALL_KEY	{ tier_data.round_keys, TEXT }, \
			.count = 2, .unit = 16, .least = 1, .most = 1, .output = 1
#define CALL_MAC	{ KEYS, IV, TEXT }, .count = 3, .unit = 16, .iv = 2, .is_chain = true
/* Encryption, and decryption */
#define CALL_CCM	{ KEYS, TEXT, TEXT, &tier_data.ccm }, \
			.count = 4, .unit = 16, .variants = 2, .output = 2, .iv = 4, \
			.is_chain = true
#define CALL_CBC_SM3	{ KEYS, TEXT, TEXT, IV, NULL, &tier_hashing }, \
			.count = 4, .unit = 64, .output = 2, .iv = 4, .hash = 6, \
			.is_chain = true, .applies = sm4_tier_has_cbc_sm3
#define CALL_LANE_KEYS	{ &tier_data.lanes }, .count = 1, .unit = 16, .least = 1, .most = 1
#define CALL_LANES	{ &tier_data.lanes }, .count = 1, .unit = 16, .most = SM4_LANE_BLOCKS
#define CALL_SM3_LANES	{ &tier_sm3_lanes }, .count = 1, .unit = 64, .most = SM3_LANE_BLOCKS
#define CALL_HASH_KEY	{ HASH, TEXT }, \
			.count = 2, .unit = 16, .least = 1, .most = GHASH_POWERS, \
			.applies = sm4_tier_has_gcm
#define CALL_GHASH	{ HASH, IV, TEXT }, .count = 3, .unit = 16, .iv = 2, \
			.applies = sm4_tier_has_gcm
#define CALL_GCM	{ &tier_data.key, TEXT, TEXT, &tier_data.gcm }, \
			.count = 4, .unit = 1, .variants = SETS_OF_GCM_PARTS, .output = 2, \
			.iv = 4, .applies = sm4_tier_has_gcm

#define ROW(function, type, place, call, title) \
	[ROW_##function] = { title, SM4_MEMBER(place), CALL_##call },

const struct tier_row tier_rows[TIER_ROWS] = {
	SM4_TIER_FUNCTIONS(ROW)
	[ROW_sm3] = {
		"sm3", offsetof(struct sm3_tier, blocks), { tier_data.state, TEXT },
		.count = 2, .unit = 64, .hash = 1, .of_sm3 = true,
	},
};

const void *tier_function(const struct sm4_tier_base *tier, size_t member)
{
	return *(void *const *)((const u8 *)tier + member);
}

const void *tier_row_function(const struct sm4_tier_base *tier, const struct tier_row *row)
{
	return row->of_sm3 == is_of_sm3(tier) &&
	       (!row->applies || row->applies(to_sm4_tier(tier))) ?
	       tier_function(tier, row->member) : NULL;
}

/* Counter mode may end inside a block, in GCM with the last part of a text. */
static bool may_end_within_block(const struct tier_row *row, unsigned int variant)
{
	return row->partial || (row->member == SM4_MEMBER(gcm) && variant & SM4_GCM_LAST);
}

void for_tier_calls(const struct tier_row *row, size_t bytes,
		    void call(const struct tier_row *row, const u64 arguments[6]))
{
	const size_t units = bytes / row->unit;
	u64 arguments[6];

	if (bytes % row->unit || units < row->least || (row->most && units > row->most))
		return;
	for (unsigned int variant = 0; variant < (row->variants ?: 1); variant++) {
		memcpy(arguments, row->arguments, sizeof(arguments));
		if (row->variants)
			arguments[row->count + 1] = variant;
		arguments[row->count] = units;
		call(row, arguments);
		if (bytes && may_end_within_block(row, variant)) {
			arguments[row->count] -= 1 + random_below(SM4_BLOCK_SIZE - 1);
			call(row, arguments);
		}
	}
}
