// SPDX-License-Identifier: GPL-2.0
/*
 * A baseline: authenc() as the kernel's template builds it on sm4-fast's own drivers,
 * CBC first and then HMAC-SM3, for the tiers that can interleave them. It has no other
 * mode, because those are the same as sm4-fast's.
 */
#include "seam.h"

#define TIERS_MAX	20

const struct sm4_tier *seam_tier(unsigned int i)
{
	static struct sm4_tier tiers[TIERS_MAX];
	unsigned int found = 0, number;

	for (number = 0; sm4_tiers[number]; number++) {
		if (!to_sm4_tier(sm4_tiers[number])->cbc_encrypt_sm3 || found++ < i)
			continue;
		tiers[i] = *to_sm4_tier(sm4_tiers[number]);
		tiers[i].cbc_encrypt_sm3 = NULL;
		tiers[i].cbc_encrypt_lanes = NULL;
		return &tiers[i];
	}
	return NULL;
}

const struct sm3_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return sm3_best_tier();
}

static bool set_key(enum mode mode, const u8 *key)
{
	return mode == AUTHENC_SEAL && seam_set_key(mode, key);
}

const struct library library = SEAM_LIBRARY("template", set_key);
