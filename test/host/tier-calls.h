/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * A table of every function of every tier, with its arguments: for tests of its use of
 * secrets, and for stand-ins.
 */
#ifndef TEST_HOST_TIER_CALLS_H
#define TEST_HOST_TIER_CALLS_H

#include "core/sm4-fast-check.h"
#include "drivers.h"

/* The counters of @ccm and @gcm begin with a salt, part of the key of rfc4309 and rfc4106. */
#define SALT_BYTES	4

/*
 * The arguments of functions. Everything is secret except for the lengths of @gcm and the
 * counters, of which only the salt is.
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

/* The states of these two are secret. */
extern struct sm4_hashing tier_hashing;
extern struct sm3_lanes tier_sm3_lanes;

/* Make all secrets random, and set all other bytes of the counters to this value. */
void renew_tier_data(u8 counter_byte);

/**
 * struct tier_row - a function of a tier
 * @name: its name
 * @member: its place in struct sm4_tier, or @of_sm3 in struct sm3_tier
 * @arguments: all arguments except for two:
 * @count: the one for the length, in units
 * @unit: bytes of a unit
 * @variants: number of values of the one after that, from 0 on; or 0 if there is none
 * @least: minimum of units
 * @most: maximum of units, or 0 for a section
 * @output: which argument is its output, from 1 on; 0 for none
 * @iv: which one is its state of 16 bytes
 * @hash: which one is the state of SM3
 * @is_chain: whether it processes one block after another
 * @partial: whether each call may end within a block
 * @applies: whether a tier has it on this CPU, if struct sm4_tier does not tell
 * @of_sm3: whether the tier is one of SM3
 */
struct tier_row {
	const char *name;
	size_t member;
	const void *arguments[6];
	unsigned int count, unit, variants, least, most;
	unsigned int output, iv, hash;
	bool is_chain, partial;
	bool (*applies)(const struct sm4_tier *tier);
	bool of_sm3;
};

/* The functions of asm/functions.h, and that of a tier of SM3 */
#define ROW_NAME(function, type, place, call, title) ROW_##function,

enum {
	SM4_TIER_FUNCTIONS(ROW_NAME)
	ROW_sm3,
	TIER_ROWS,
};

extern const struct tier_row tier_rows[TIER_ROWS];

/* The function of a row, or NULL if the tier does not have it on this CPU */
const void *tier_function(const struct sm4_tier_base *tier, size_t member);
const void *tier_row_function(const struct sm4_tier_base *tier, const struct tier_row *row);

/*
 * For @bytes bytes of text, and if the function accepts a partial block for some less,
 * run @call with each set of arguments; not at all if the function accepts no such text.
 */
void for_tier_calls(const struct tier_row *row, size_t bytes,
		    void call(const struct tier_row *row, const u64 arguments[6]));

#endif
