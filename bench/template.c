// SPDX-License-Identifier: GPL-2.0
/*
 * A baseline: authenc() as the kernel's template makes it of sm4-fast's own drivers,
 * CBC first and then HMAC-SM3, for those tiers that can do both at once. That is all
 * that it has: the rest is sm4-fast's.
 */
#include "seam.h"

/* The number of the tier i of these among all, or how many tiers there are */
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
