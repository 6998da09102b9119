/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every function of every tier, in a table with what it is given: for tests that look at what
 * it does with secrets, and not at what comes out.
 */
#ifndef TEST_HOST_TIER_CALLS_H
#define TEST_HOST_TIER_CALLS_H

#include "case.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"

/* The counters of @ccm and @gcm begin with a salt, which in rfc4309 and rfc4106 is of the key. */
#define SALT_BYTES	4

/*
 * What functions are given. All of it is secret but the lengths of @gcm, and the counters: of
 * these only the salt is.
 */
struct tier_data {
	struct sm4_gcm_key key;
	u32 round_keys[SM4_ROUNDS], state[SM3_WORDS];
	u8 text[SM4_SECTION_SIZE], iv[SM4_BLOCK_SIZE];
	struct sm4_lanes lanes;
	struct sm4_ccm_state ccm;
	struct sm4_gcm_state gcm;
	u8 counter[SM4_BLOCK_SIZE];
};

extern struct tier_data tier_data;

/* Of these two, the states are secret. */
extern struct sm4_hashing tier_hashing;
extern struct sm3_lanes tier_sm3_lanes;

/* Make all that is secret random, and set all other bytes of the counters to this one. */
void renew_tier_data(u8 counter_byte);

/**
 * struct tier_row - a function of a tier
 * @member: its place in struct sm4_tier
 * @arguments: all but two:
 * @count: which one says how much it has to do, in units of so many bytes
 * @variants: how many values the one behind that has, from 0 on
 * @least, @most: of units; 0 for @most is a section
 * @applies: which tiers have it on this CPU, where their rows do not say that
 */
struct tier_row {
	const char *name;
	size_t member;
	const void *arguments[6];
	unsigned int count, unit, variants, least, most;
	bool (*applies)(const struct sm4_tier *tier);
};

#define TIER_ROWS	17
#define MEMBER(name)		offsetof(struct sm4_tier, name)

extern const struct tier_row tier_rows[TIER_ROWS];

/* The function of a row, or NULL if the tier does not have it on this CPU */
const void *tier_function(const struct sm4_tier *tier, size_t member);
const void *tier_row_function(const struct sm4_tier *tier, const struct tier_row *row);

/*
 * For so many bytes of text, and where the function takes a partial block for some less,
 * do @call with each set of arguments; not at all if the function takes no such text.
 */
void for_tier_calls(const struct tier_row *row, size_t bytes,
		    void call(const struct tier_row *row, const u64 arguments[6]));

#endif
