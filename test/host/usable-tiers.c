// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Which tiers the module uses, by the CPU's features and by the registers that the kernel saves */
#include "core/sm4-fast-cpu.h"
#include "registered.h"

/* The priority of the vendor's driver of SM3 by Hygon's instructions */
#define HYGON_SM3_PRIORITY	400

#define YMM	(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM)

static bool cpu_has(const u16 *features, size_t places)
{
	bool has = true;

	for (size_t i = 0; i < places && features[i]; i++)
		has = has && sm4_cpu_has(features[i]);
	return has;
}

static bool cpu_can_run(const struct sm4_tier_base *tier)
{
	u64 registers = tier->features[0] ? YMM : 0;

	if (tier->ymm_tier)
		registers |= XFEATURE_MASK_AVX512;
	return cpu_has(tier->features, SM4_TIER_FEATURES) &&
	       !(registers & ~sm4_xcr0());
}

/* A tier is usable only if the CPU has all its features. The modes that it lacks are others'. */
static void check_features(void)
{
	for (unsigned int i = 0; any_tier(i); i++)
		check_equal(sm4_tier_usable(any_tier(i)), cpu_can_run(any_tier(i)));
	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		const struct sm4_tier *tier = to_sm4_tier(sm4_tiers[i]);

		/* It has all serial chains or none. */
		check_equal(!tier->cbc_mac, !tier->crypt[SM4_CBC_ENCRYPT]);
		check_equal(!tier->ccm_crypt, !tier->crypt[SM4_CBC_ENCRYPT]);
		check_equal(sm4_tier_has_gcm(tier),
			    cpu_has(tier->gcm_features, SM4_GCM_FEATURES));
		check_equal(sm4_tier_has_cbc_sm3(tier), tier->cbc_encrypt_sm3 &&
			    cpu_has(tier->sm3_features, SM4_SM3_FEATURES));
	}
	check_loading();
}

static bool needs_avx512(const struct sm4_tier_base *tier)
{
	for (size_t i = 0; i < SM4_TIER_FEATURES; i++)
		if (tier->features[i] == X86_FEATURE_AVX512F)
			return true;
	return false;
}

/* Take each feature of a list from the CPU in turn. */
static void check_without(const u16 *features, size_t places)
{
	static bool tried[1 << 16];

	for (size_t i = 0; i < places && features[i]; i++) {
		if (tried[features[i]])
			continue;
		tried[features[i]] = true;
		describe("without feature %u*32+%u", features[i] / 32,
			 features[i] % 32);
		shim_set_feature(features[i], false);
		check_features();
		shim_forget_features();
	}
}

static void test_features(const void *argument)
{
	check_features();
	check(sm4_tier_usable(&sm4_ttable.base) && sm4_tier_has_gcm(&sm4_ttable));
	for (unsigned int i = 1; sm4_tiers[i]; i++) {
		const struct sm4_tier *tier = to_sm4_tier(sm4_tiers[i]);

		check(tier->base.features[0]);
		check_equal(!!tier->base.ymm_tier, needs_avx512(&tier->base));
		check_equal(tier->gcm_features[0], X86_FEATURE_PCLMULQDQ);
		check_equal(!tier->cbc_encrypt_sm3, !tier->sm3_features[0]);
		check_without(tier->base.features, SM4_TIER_FEATURES);
		check_without(tier->gcm_features, SM4_GCM_FEATURES);
		check_without(tier->sm3_features, SM4_SM3_FEATURES);
	}
	check(sm4_tier_usable(&sm3_generic.base));
	for (unsigned int i = 1; sm3_tiers[i]; i++) {
		check(sm3_tiers[i]->features[0]);
		if (sm4_tier_usable(sm3_tiers[i]))
			check(sm3_best_tier() != &sm3_generic);
		check_without(sm3_tiers[i]->features, SM4_TIER_FEATURES);
	}
}

/* Parts of vector registers that the kernel does not save, or saves */
static u64 not_saved, saved;

typeof(sm4_xcr0) __real_sm4_xcr0;
typeof(sm4_xcr0) __wrap_sm4_xcr0;

u64 __wrap_sm4_xcr0(void)
{
	return (__real_sm4_xcr0() & ~not_saved) | saved;
}

static void test_registers_not_saved(const void *argument)
{
	describe("64-byte vectors");
	not_saved = XFEATURE_MASK_AVX512;
	check(!fastest_with(NULL)->base.ymm_tier);
	check_features();
	describe("32-byte vectors");
	not_saved = XFEATURE_MASK_YMM;
	check(fastest_with(NULL) == &sm4_ttable);
	check_features();
	check(sm3_best_tier() == &sm3_generic);
	not_saved = 0;
	describe("without OSXSAVE");
	shim_set_feature(X86_FEATURE_OSXSAVE, false);
	check(fastest_with(NULL) == &sm4_ttable);
	check_features();
	check(sm3_best_tier() == &sm3_generic);
}

/* The features that tell processors of docs/tiers.md apart; each of these has AVX and AVX2, too. */
enum { AES = 1, VAES = 2, GFNI = 4, AVX512 = 8, PREFERS_YMM = 16 };

static const struct {
	u16 feature, has;
} tried_features[] = {
	{ X86_FEATURE_AES, AES }, { X86_FEATURE_VAES, VAES },
	{ X86_FEATURE_VPCLMULQDQ, VAES }, { X86_FEATURE_GFNI, GFNI },
	{ X86_FEATURE_AVX512F, AVX512 }, { X86_FEATURE_AVX512BW, AVX512 },
	{ X86_FEATURE_AVX512VL, AVX512 }, { X86_FEATURE_PREFER_YMM, PREFERS_YMM },
	{ INTEL_SM4, 0 }, { SHIM_HYGON_SM4, 0 },
};

static const struct {
	const char *name;
	u16 has;
	const char *tier;
} processors[] = {
	{ "Haswell", AES, "aesni-avx2" },
	{ "Cascade Lake", AES | AVX512 | PREFERS_YMM, "aesni-avx2" },
	{ "Cascade Lake without AES-NI", AVX512 | PREFERS_YMM, "avx2" },
	{ "Ice Lake", AES | VAES | GFNI | AVX512 | PREFERS_YMM, "gfni-avx2" },
	{ "Ice Lake without GFNI", AES | VAES | AVX512 | PREFERS_YMM, "vaes-avx2" },
	{ "Zen 3", AES | VAES, "vaes-avx2" },
	{ "Zen 4", AES | VAES | GFNI | AVX512, "gfni-avx512" },
	{ "Zen 4 without GFNI and VAES", AES | AVX512, "aesni-avx2" },
	{ "Zen 4 without GFNI and any AES", AVX512, "avx512" },
};

/* Which tier is the fastest, whatever this CPU is */
static void test_processors(const void *argument)
{
	saved = YMM | XFEATURE_MASK_AVX512;
	for (unsigned int i = 0; i < ARRAY_SIZE(processors); i++) {
		shim_set_feature(X86_FEATURE_AVX, true);
		shim_set_feature(X86_FEATURE_AVX2, true);
		for (unsigned int j = 0; j < ARRAY_SIZE(tried_features); j++)
			shim_set_feature(tried_features[j].feature,
					 processors[i].has & tried_features[j].has);
		describe("%s: %s", processors[i].name, fastest_with(NULL)->base.name);
		check(!strcmp(fastest_with(NULL)->base.name, processors[i].tier));
	}
	saved = 0;
}

static bool is_usable(const char *name)
{
	for (unsigned int i = 0; any_tier(i); i++)
		if (!strcmp(any_tier(i)->name, name))
			return sm4_tier_usable(any_tier(i));
	fail_case("there is no tier %s", name);
}

/*
 * The instructions that the kernel calls SM3 and SM4 may be others than Intel's: they
 * do not make a tier of those usable.
 */
static void test_names_of_others(const void *argument)
{
	for (int intel = 1; intel >= 0; intel--) {
		shim_set_feature(INTEL_SM3, intel);
		shim_set_feature(INTEL_SM4, intel);
		shim_set_feature(X86_FEATURE_SM3, !intel);
		shim_set_feature(X86_FEATURE_SM4, !intel);
		check_equal(is_usable("sm4ni-avx2"), intel && is_usable("avx2"));
		check_equal(is_usable("sm3-ni"), intel && is_usable("avx2"));
		sm4_detect_tiers();
		check_equal(!strcmp(sm3_best_tier()->base.name, "sm3-ni"),
			    is_usable("sm3-ni"));
	}
	check_loading();
}

#define HYGON		"HygonGenuine"
#define HYGON_LEAF	0x8c860000

/* Whether they seem to be executed, whatever the CPU does */
static bool executed;

typeof(shim_has_hygon_sm4) __real_sm4_cis_is_known;
typeof(shim_has_hygon_sm4) __wrap_sm4_cis_is_known;

/* Called as if it were variadic, with a floating-point number: so %al is 1, and not 0 by chance. */
bool __wrap_sm4_cis_is_known(void)
{
	bool (*variadic)(int first, ...) = (void *)__real_sm4_cis_is_known;

	check(shim_in_fpu_section());
	return executed || variadic(0, 0.0);
}

/*
 * Hygon's instructions are there if the CPU executes them, and if the kernel says so; or, where it
 * has no name for them, if it is a Hygon with the leaf of CPUID for such. That they are refused, as
 * by most CPUs, does no harm. The vendor's driver of SM3 comes before ours.
 */
static void test_hygon(const void *argument)
{
	static const struct {
		const char *vendor;
		u32 leaf;
		bool announced;
	} others[] = {
		{ HYGON, HYGON_LEAF, true }, { HYGON, HYGON_LEAF + 1, true },
		{ HYGON, 0, false }, { HYGON, HYGON_LEAF - 1, false },
		{ "AuthenticAMD", HYGON_LEAF, false },
	};
	const bool emulated = shim_has_hygon_sm4();

	shim_fix_up_refused_instructions();
	shim_set_feature(X86_FEATURE_HYGON_SM4, true);
	check_equal(is_usable("cis-avx"), emulated);
	check_loading();
	shim_set_feature(INTEL_SM3, false);
	load(NULL);
	check(find(NULL, "sm3").priority < HYGON_SM3_PRIORITY);
	unload();
	check(!*shim_messages());

	executed = true;
	check(is_usable("cis-avx"));
	shim_set_feature(X86_FEATURE_HYGON_SM4, false);
	check(!is_usable("cis-avx"));
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		describe("%s, %x", others[i].vendor, others[i].leaf);
		shim_forget_hygon(others[i].vendor, others[i].leaf);
		check_equal(is_usable("cis-avx"), others[i].announced);
	}
	executed = false;
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_case(test_features, NULL, "/loading/CPU features");
	add_case(test_registers_not_saved, NULL, "/loading/registers that are not saved");
	add_case(test_processors, NULL, "/loading/processors");
	add_case(test_hygon, NULL, "/loading/Hygon's instructions");
	add_case(test_names_of_others, NULL, "/loading/other instructions by the names of Intel's");
	return run_cases();
}
