// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Makes the emulated test programs from those in test/host: linked with
 * --wrap, so that they call the __wrap_ functions here and the same objects need
 * not be built twice. The CPU seems to have the features that the emulator provides. Only the tiers
 * that the CPU cannot run are usable, and the C tiers, which the module needs. This file depends on
 * no name of a tier and on no test.
 */
#include "drivers.h"

static const unsigned int emulated_features[] = {
	X86_FEATURE_GFNI, X86_FEATURE_VAES, X86_FEATURE_VPCLMULQDQ,
	SM4_FEATURE_INTEL_SM4, SM4_FEATURE_INTEL_SM3,
	SHIM_HYGON_SM4,
};

/* The linker's names of the wrapped functions */
typeof(boot_cpu_has) __real_boot_cpu_has, __wrap_boot_cpu_has;
typeof(sm4_tier_usable) __real_sm4_tier_usable, __wrap_sm4_tier_usable;
typeof(sm4_detect_tiers) __real_sm4_detect_tiers, __wrap_sm4_detect_tiers;
typeof(sm3_tier_for) __wrap_sm3_tier_for;

const char why_untried[] =
	"test/host tries it, or it needs what is not emulated, such as AVX-512 (test/emul/bochs.t)";

/*
 * Only the first example of GB/T 32907: the second one has a million blocks one
 * after another, and each of them up to 64 signals.
 */
const size_t __wrap_cipher_vector_count = 1;

/*
 * The emulator does not support the encoding of AVX-512. A CPU that has AVX-512
 * and lacks GFNI can run no tier that needs both.
 */
bool __wrap_boot_cpu_has(unsigned int feature)
{
	size_t i;

	if (feature == X86_FEATURE_AVX512F)
		return false;
	for (i = 0; i < ARRAY_SIZE(emulated_features); i++)
		if (feature == emulated_features[i])
			return true;
	return __real_boot_cpu_has(feature);
}

static bool lacks(const u16 *features, size_t count)
{
	size_t i;

	for (i = 0; i < count && features[i]; i++)
		if (features[i] == SM4_FEATURE_CIS ||
		    !__real_boot_cpu_has(features[i]))
			return true;
	return false;
}

bool __wrap_sm4_tier_usable(const struct sm4_tier_base *tier)
{
	return __real_sm4_tier_usable(tier) &&
	       (!tier->features[0] || lacks(tier->features, SM4_TIER_FEATURES) ||
		(!is_of_sm3(tier) &&
		 lacks(to_sm4_tier(tier)->gcm_features, SM4_GCM_FEATURES)));
}

/* The module asks in the file that has sm4_tier_usable(), where the linker replaces no call. */
void __wrap_sm4_detect_tiers(void)
{
	__real_sm4_detect_tiers();
	for (struct sm4_tier_set *set = sm4_tier_sets; set->tiers; set++)
		for (unsigned int i = 0; set->tiers[i]; i++)
			if (!__wrap_sm4_tier_usable(set->tiers[i]))
				set->ready &= ~BIT(i);
}

/*
 * In modes alone (the Makefile), ESP hashes in C. By emulated instructions, about a hundred signals
 * for each block, it would take hours, for functions that "tiers" and the modes of SM3 try.
 */
const struct sm3_tier *__wrap_sm3_tier_for(const struct sm4_tier *tier)
{
	return &sm3_generic;
}
