/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * A tier that calls another tier's functions, watched by a test: the test is called before and
 * after each function, and may change the result.
 */
#ifndef TEST_HOST_STAND_IN_H
#define TEST_HOST_STAND_IN_H

#include "core/sm4-fast-check.h"
#include "core/sm4-fast-core.h"

/* In place of SM4_MEMBER(): the function of a tier of SM3 */
#define SM3_BLOCKS	sizeof(struct sm4_tier)

/**
 * struct tier_call - one call of a function of a tier
 * @member: SM4_MEMBER() or SM3_BLOCKS
 * @decrypts: of two functions in one, the decryption
 * @bytes: number of bytes that it processes
 * @lanes: number of messages of that length that it processes at once, or 0
 * @is_chain: whether it processes one block after another
 * @output: the end of its output, NULL if it writes only @iv
 * @iv: the end of its state for the next call, or NULL
 * @hash: a word of the hash's state, or NULL
 * @part: a set of enum sm4_gcm_part
 */
struct tier_call {
	size_t member;
	bool decrypts;
	size_t bytes;
	unsigned int lanes;
	bool is_chain;
	u8 *output, *iv;
	u32 *hash;
	unsigned int part;
};

/**
 * struct stand_in - the watched tier and its watcher, in this thread
 * @tier: the tier of SM4 whose functions are called
 * @sm3_tier: the tier of SM3 whose functions are called
 * @before: called before each function, or NULL
 * @after: called after each function, or NULL
 * @reads_destination: whether functions read their input from their destination
 * @first_lane: whether @output, @iv and @hash are of the first lane, not of the last
 * @left: bytes of the last call that are left to the narrower tier, for which the stand-in
 *	also stands in: its work is part of the same call
 */
struct stand_in {
	struct sm4_tier tier;
	struct sm3_tier sm3_tier;
	void (*before)(const struct tier_call *call);
	void (*after)(const struct tier_call *call);
	bool reads_destination, first_lane;
	size_t left;
};

extern __thread struct stand_in stand_in;

/* Replace all functions of @tier by those of a stand-in, and set stand_in to @tier. */
void stand_in_for(struct sm4_tier *tier);
void sm3_stand_in_for(struct sm3_tier *tier);

#endif
