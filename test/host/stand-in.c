// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* A tier that calls another tier's functions, watched by a test (stand-in.h) */
#include "stand-in.h"
#include "tier-calls.h"

__thread struct stand_in stand_in;

/* Any function of a tier, as its arguments are in registers. One with fewer ignores the rest. */
typedef u64 any_function(u64, u64, u64, u64, u64, u64);

/* What a test is told of a call with these arguments */
static struct tier_call call_of(const struct tier_row *row, const u64 arguments[6])
{
	const unsigned int lane = stand_in.first_lane ? 0 : SM4_LANES - 1;
	const u32 units = row->most == 1 ? 1 : arguments[row->count];
	struct tier_call call = {
		.member = row->of_sm3 ? SM3_BLOCKS : row->member,
		.bytes = (size_t)units * row->unit,
		.is_chain = row->is_chain,
	};
	struct sm4_lanes *lanes = (void *)arguments[0];
	struct sm3_lanes *sm3_lanes = (void *)arguments[0];

	if (row->output)
		call.output = (u8 *)arguments[row->output - 1] + call.bytes;
	if (row->iv)
		call.iv = (u8 *)arguments[row->iv - 1] + SM4_BLOCK_SIZE;
	if (row->hash)
		call.hash = (u32 *)arguments[row->hash - 1] +
			    (stand_in.first_lane ? 0 : SM3_WORDS - 1);
	switch (call.member) {
	case SM4_MEMBER(key_schedule):
		call.output = (u8 *)(arguments[0] + sizeof(tier_data.round_keys));
		break;
	case SM4_MEMBER(ccm_crypt):
		call.decrypts = arguments[5] & 1;
		break;
	case SM4_MEMBER(gcm):
		call.part = arguments[5];
		call.decrypts = call.part & SM4_GCM_DECRYPTS;
		break;
	case SM4_MEMBER(set_lane_keys):
		call.lanes = SM4_LANES;
		call.output = (u8 *)(lanes->keys[lane ? SM4_ROUNDS / 4 - 1 : 0] + SM4_LANES);
		break;
	case SM4_MEMBER(cbc_encrypt_lanes):
		call.lanes = SM4_LANES;
		call.output = lanes->text[units - 1][lane] + SM4_BLOCK_SIZE;
		call.iv = lanes->chain[lane] + SM4_BLOCK_SIZE;
		break;
	case SM4_MEMBER(sm3_lanes):
		call.lanes = stand_in.tier.sm3_lane_count;
		call.hash = &sm3_lanes->state[SM3_WORDS - 1][lane ? call.lanes - 1 : 0];
		break;
	}
	return call;
}

/* Whether a function may leave the end of a text to the narrower tier: see sm4_tier_crypt() */
static bool may_leave(const struct tier_row *row)
{
	return row->member - SM4_MEMBER(crypt) < sizeof(stand_in.tier.crypt) ||
	       row->member == SM4_MEMBER(gcm);
}

/* The tier that has to process so many bytes, and in GCM more for the mask of a tag */
static const struct sm4_tier_base *tier_for(const struct tier_row *row, size_t bytes)
{
	const struct sm4_tier *tier = &stand_in.tier;

	if (row->of_sm3)
		return &stand_in.sm3_tier.base;
	if (row->member == SM4_MEMBER(gcm))
		bytes += SM4_BLOCK_SIZE;
	if (may_leave(row) && tier->narrower &&
	    (stand_in.left || bytes <= tier->narrower_bytes))
		tier = tier->narrower;
	return &tier->base;
}

static u64 watch(const struct tier_row *row, u64 a[6])
{
	const struct tier_call call = call_of(row, a);
	any_function *function = (void *)tier_function(tier_for(row, call.bytes), row->member);
	u64 result;

	if (may_leave(row) && stand_in.left)
		return stand_in.left = function(a[0], a[1], a[2], a[3], a[4], a[5]);
	if (stand_in.before)
		stand_in.before(&call);
	/* The source follows the destination. */
	if (row->output == 2 && stand_in.reads_destination)
		a[2] = a[1];
	result = function(a[0], a[1], a[2], a[3], a[4], a[5]);
	if (may_leave(row))
		stand_in.left = result;
	if (stand_in.after)
		stand_in.after(&call);
	return result;
}

/* A stand-in knows by its row which function it stands in for. */
#define DEFINE_STAND_IN(function, ...) \
static u64 watched_##function(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) \
{ \
	return watch(&tier_rows[ROW_##function], (u64[]){ a, b, c, d, e, f }); \
}

SM4_TIER_FUNCTIONS(DEFINE_STAND_IN)
DEFINE_STAND_IN(sm3)

#define STAND_IN(function, ...) \
	[ROW_##function] = watched_##function,

static any_function *const stand_ins[TIER_ROWS] = {
	SM4_TIER_FUNCTIONS(STAND_IN)
	STAND_IN(sm3)
};

static void replace(void *tier, bool of_sm3)
{
	for (size_t i = 0; i < TIER_ROWS; i++) {
		void **function = tier + tier_rows[i].member;

		if (tier_rows[i].of_sm3 == of_sm3 && *function)
			*function = stand_ins[i];
	}
}

void stand_in_for(struct sm4_tier *tier)
{
	stand_in.tier = *tier;
	stand_in.left = 0;
	if (tier->narrower)
		tier->narrower = tier;
	replace(tier, false);
}

void sm3_stand_in_for(struct sm3_tier *tier)
{
	stand_in.sm3_tier = *tier;
	replace(tier, true);
}
