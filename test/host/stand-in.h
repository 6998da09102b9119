/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tier whose functions are another one's, watched by a test: that is called before and
 * after each of them, and may change the result.
 */
#ifndef TEST_HOST_STAND_IN_H
#define TEST_HOST_STAND_IN_H

#include "shim/kernel.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast.h"

/* The functions of a tier, after its operations */
enum tier_function {
	KEY_SCHEDULE = SM4_OPERATIONS, CBC_MAC, CCM_ENCRYPT, CCM_DECRYPT,
	GHASH_SET_KEY, GHASH, GCM_ENCRYPT, GCM_DECRYPT, CBC_SM3, LANE_KEYS,
	CBC_LANES, SM3_LANES, SM3_BLOCKS, TIER_FUNCTIONS
};

/**
 * struct tier_call - one call of a function of a tier
 * @crypt_bytes: how many bytes it encrypts or decrypts
 * @mac_bytes: how many go into a MAC or a hash
 * @lanes: how many messages of so many bytes it does at once, or 0
 * @is_chain: whether it does one block after another
 * @output: the end of what it writes, NULL if that is @iv alone
 * @iv: the end of what it leaves for the next call, or NULL
 * @hash: a word of the hash's state, or NULL
 * @part: a set of enum sm4_gcm_part
 */
struct tier_call {
	unsigned int function;
	size_t crypt_bytes, mac_bytes;
	unsigned int lanes;
	bool is_chain;
	u8 *output, *iv;
	u32 *hash;
	unsigned int part;
};

/**
 * struct stand_in - what is watched, and by whom, in this thread
 * @tier: whose functions are called
 * @before, @after: called before and after each function, or NULL
 * @reads_destination: whether functions take what they read from where they write
 * @first_lane: whether @output, @iv and @hash are of the first lane, not of the last
 * @left: bytes of the last call that are left to the narrower tier, for which the stand-in
 *	stands in, too: what that does is part of the same call
 */
struct stand_in {
	struct sm4_tier tier;
	void (*before)(const struct tier_call *call);
	void (*after)(const struct tier_call *call);
	bool reads_destination, first_lane;
	size_t left;
};

extern __thread struct stand_in stand_in;

/* Whether a tier has that function */
bool has_function(const struct sm4_tier *tier, unsigned int function);

/* Put a stand-in in the place of all functions that @tier, which stand_in gets, has. */
void stand_in_for(struct sm4_tier *tier);

#endif
