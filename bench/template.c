// SPDX-License-Identifier: GPL-2.0
/*
 * A baseline: authenc() as the kernel's template builds it on sm4-fast's own drivers,
 * CBC first and then HMAC-SM3, for the tiers that can interleave them. It has no other
 * mode, because those are the same as sm4-fast's.
 */
#include "seam.h"

/* The number among all tiers of the i-th such tier, or the number of all tiers */
static unsigned int number_of(unsigned int i)
{
	unsigned int number;

	for (number = 0; number < sm4_tier_count; number++)
		if (sm4_tiers[number]->cbc_encrypt_sm3 && !i--)
			break;
	return number;
}

const struct sm4_tier *seam_tier(unsigned int i)
{
	static struct sm4_tier tiers[SM4_TIERS_MAX];
	unsigned int number = number_of(i);

	if (number == sm4_tier_count)
		return NULL;
	tiers[number] = *sm4_tiers[number];
	tiers[number].cbc_encrypt_sm3 = NULL;
	tiers[number].cbc_encrypt_lanes = NULL;
	return &tiers[number];
}

const struct sm4_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return sm3_best_tier();
}

static bool set_key(enum mode mode, const u8 *key)
{
	return mode == AUTHENC_SEAL && seam_set_key(mode, key);
}

const struct library library = SEAM_LIBRARY("template", set_key);
