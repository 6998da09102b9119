// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The tiers of sm4-fast itself. */
#include "seam.h"

const struct sm4_tier *seam_tier(unsigned int i)
{
	return sm4_tiers[i] ? to_sm4_tier(sm4_tiers[i]) : NULL;
}

const struct sm3_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return sm3_tier_for(tier);
}

const struct library library = SEAM_LIBRARY("sm4-fast");
