// SPDX-License-Identifier: GPL-2.0
/* The tiers of sm4-fast itself. */
#include "seam.h"

const struct sm4_tier *seam_tier(unsigned int i)
{
	return i < sm4_tier_count ? sm4_tiers[i] : NULL;
}

/* The C tier uses SM3's C tier, and all others SM3's best tier. */
const struct sm4_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return tier->features[0] ? sm3_best_tier() : &sm3_generic;
}

const struct library library = SEAM_LIBRARY("sm4-fast", seam_set_key);
