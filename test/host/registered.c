// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* What the module has registered, and what it is to register (registered.h) */
#include "reference.h"
#include "registered.h"

static bool is_on(const struct mode *mode, const struct sm4_tier *tier)
{
	switch (mode->where) {
	case EVERY_TIER:
		return true;
	case WITH_GCM:
		return sm4_tier_has_gcm(tier);
	case WITH_CHAINS:
		return tier->cbc_mac;
	case C_TIER:
		return tier == &sm4_ttable;
	default:
		return false;
	}
}

/* Drivers are "MODE-sm4-TIER-fast", "MODE-sm4-batch-TIER-fast", and of SM3 "TIER-fast". */
static bool is_of_tier(const struct crypto_alg *alg, const char *tier)
{
	static const char *const before[] = { "sm4-", "batch-" };
	const char *name = alg->cra_driver_name;
	char expected[CRYPTO_MAX_ALG_NAME];

	for (unsigned int i = 0; i < ARRAY_SIZE(before); i++)
		if (strstr(name, before[i]))
			name = strstr(name, before[i]) + strlen(before[i]);
	snprintf(expected, sizeof(expected), "%s-fast", tier);
	return !strcmp(name, expected);
}

struct found find(const char *tier, const char *name)
{
	struct found found = { 0 };

	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		if ((!tier || is_of_tier(alg, tier)) &&
		    (!name || !strcmp(alg->cra_name, name))) {
			found.priority = max(found.priority, alg->cra_priority);
			found.count++;
		}
	}
	return found;
}

const struct sm4_tier *wrong_tier;

static bool is_left(const struct sm4_tier *tier)
{
	return sm4_tier_usable(&tier->base) && tier != wrong_tier;
}

const struct sm4_tier *fastest_with(const struct mode *mode)
{
	const struct sm4_tier *fastest = NULL;

	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		const struct sm4_tier *tier = to_sm4_tier(sm4_tiers[i]);

		if (is_left(tier) && (!mode || is_on(mode, tier)) &&
		    (!fastest ||
		     sm4_tier_priority(&tier->base) > sm4_tier_priority(&fastest->base)))
			fastest = tier;
	}
	return fastest;
}

void load(const char *tiers)
{
	shim_set_parameter("tiers", tiers);
	check_equal(shim_load_module(), 0);
}

void unload(void)
{
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
}

static void check_count(const char *tier, const char *name, bool expected)
{
	if (find(tier, name).count != expected)
		fail_case("%s on %s: %u drivers", name, tier,
			  find(tier, name).count);
}

void check_registered(unsigned long of_sm4, unsigned long of_sm3)
{
	const struct mode *mode;

	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		const struct sm4_tier *tier = to_sm4_tier(sm4_tiers[i]);

		for (mode = modes; mode < modes + mode_count; mode++) {
			bool wanted = of_sm4 ? of_sm4 & BIT(i) :
				      tier == &sm4_ttable ||
				      tier == fastest_with(mode);

			check_count(tier->base.name, mode->name, wanted &&
				    is_left(tier) && is_on(mode, tier));
		}
	}
	for (unsigned int i = 0; sm3_tiers[i]; i++) {
		const struct sm4_tier_base *hash = sm3_tiers[i];
		bool wanted = of_sm3 ? of_sm3 & BIT(i) :
			      hash == &sm3_generic.base || hash == &sm3_best_tier()->base;

		check_count(hash->name, "sm3", wanted && sm4_tier_usable(hash));
	}
}

void check_loading(void)
{
	load("all");
	check_registered(ALL_TIERS, ALL_TIERS);
	unload();
	load(NULL);
	check_registered(USUAL_TIERS, USUAL_TIERS);
	unload();
}
