// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading the module: what is registered and under which names,
 * module parameters, failures half way, tiers that give wrong answers; and the longest
 * request.
 */
#include <errno.h>
#include <sys/mman.h>
#include "drivers.h"
#include "reference.h"
#include "stand-in.h"
#include "sm4-fast-core.h"

/* ---- what is registered ---- */

enum where { EVERY_TIER, WITH_GCM, WITH_CHAINS, C_TIER, TIERS_OF_SM3 };

/* What the module offers, and on which tiers */
static const struct offer {
	const char *name;
	enum where where;
	unsigned int block_bytes;	/* 1 for messages of any length */
} offers[] = {
	{ "ecb(sm4)", EVERY_TIER, BLOCK },
	{ "cbc(sm4)", EVERY_TIER, BLOCK },
	{ "cts(cbc(sm4))", EVERY_TIER, BLOCK },
	{ "ctr(sm4)", EVERY_TIER, 1 },
	{ "xts(sm4)", EVERY_TIER, BLOCK },
	{ "gbt17964(xts(sm4))", EVERY_TIER, BLOCK },
	{ "gcm(sm4)", WITH_GCM, 1 },
	{ "rfc4106(gcm(sm4))", WITH_GCM, 1 },
	{ "ccm(sm4)", EVERY_TIER, 1 },
	{ "rfc4309(ccm(sm4))", EVERY_TIER, 1 },
	{ "authenc(hmac(sm3),cbc(sm4))", EVERY_TIER, BLOCK },
	{ "authencesn(hmac(sm3),cbc(sm4))", EVERY_TIER, BLOCK },
	{ "cmac(sm4)", WITH_CHAINS, BLOCK },
	{ "xcbc(sm4)", WITH_CHAINS, BLOCK },
	{ "cbcmac(sm4)", WITH_CHAINS, 1 },
	{ "sm4", C_TIER, BLOCK },
	{ "sm3", TIERS_OF_SM3, SM3_BLOCK_SIZE },
};

static bool is_on(const struct offer *offer, const struct sm4_tier *tier)
{
	switch (offer->where) {
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

/* Drivers are "MODE-sm4-TIER-fast", "sm4-TIER-fast", and of SM3 "TIER-fast". */
static bool is_of_tier(const struct crypto_alg *alg, const char *tier)
{
	const char *cipher = strstr(alg->cra_driver_name, "sm4-");
	char end[CRYPTO_MAX_ALG_NAME];

	snprintf(end, sizeof(end), "%s%s-fast", cipher ? "sm4-" : "", tier);
	return !strcmp(cipher ?: alg->cra_driver_name, end);
}

/* How many drivers there are of a name on a tier, NULL for all, and their highest priority */
struct found {
	unsigned int count;
	int priority;
};

static struct found find(const char *tier, const char *name)
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

/* A tier that gives wrong answers, or NULL */
static const struct sm4_tier *wrong_tier;

static bool is_left(const struct sm4_tier *tier)
{
	return sm4_tier_usable(tier) && tier != wrong_tier;
}

/* The fastest tier that offers this, or, for NULL, the fastest one */
static const struct sm4_tier *fastest_with(const struct offer *offer)
{
	const struct sm4_tier *fastest = NULL;

	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (is_left(tier) && (!offer || is_on(offer, tier)) &&
		    (!fastest ||
		     sm4_tier_priority(tier) > sm4_tier_priority(fastest)))
			fastest = tier;
	}
	return fastest;
}

/* Load the module with tiers=@tiers, which works: a test looks around then. */
static void load(const char *tiers)
{
	shim_set_parameter("tiers", tiers);
	check_equal(shim_load_module(), 0);
}

static void unload(void)
{
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
}

/* The tiers that are asked for, as bits */
#define ALL	(~0UL)
#define USUAL	0UL

static void check_count(const char *tier, const char *name, bool expected)
{
	if (find(tier, name).count != expected)
		fail_case("%s on %s: %u drivers", name, tier,
			  find(tier, name).count);
}

/*
 * Every usable tier that was asked for has one driver of all that it offers, and no
 * other tier has; a cipher of which none was asked for has the portable tier, and the
 * fastest tier for each mode.
 */
static void check_registered(unsigned long of_sm4, unsigned long of_sm3)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		for (unsigned int n = 0; n < ARRAY_SIZE(offers); n++) {
			bool wanted = of_sm4 ? of_sm4 & BIT(i) :
				      tier == &sm4_ttable ||
				      tier == fastest_with(&offers[n]);

			check_count(tier->name, offers[n].name, wanted &&
				    is_left(tier) && is_on(&offers[n], tier));
		}
	}
	for (unsigned int i = sm4_tier_count; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *hash = sm4_tiers[i];
		bool wanted = of_sm3 ? of_sm3 & BIT(i) :
			      hash == &sm3_generic || hash == sm3_best_tier();

		check_count(hash->name, "sm3", wanted && sm4_tier_usable(hash));
	}
}

/* All tiers, and the usual ones, are what they are to be. */
static void check_loading(void)
{
	load("all");
	check_registered(ALL, ALL);
	unload();
	load(NULL);
	check_registered(USUAL, USUAL);
	unload();
}

/* The bare cipher's priority, as docs/tiers.md has it: below sm4-generic's */
#define CIPHER_PRIORITY		90

/*
 * What others' drivers of SM4 have: what templates make of sm4-generic at most,
 * Zhaoxin's at least, mainline's vector drivers at least and at most
 */
#define GENERIC_PRIORITY	250
#define LEAST_GMI_PRIORITY	300
#define LEAST_VECTOR_PRIORITY	400
#define MOST_VECTOR_PRIORITY	500

/* The same of SM3: mainline's C code, its AVX code, and that of Hygon's instructions */
#define SM3_GENERIC_PRIORITY	100
#define SM3_VECTOR_PRIORITY	300
#define HYGON_SM3_PRIORITY	400

static void check_properties(const struct crypto_alg *alg)
{
	const bool is_sm3 = !strcmp(alg->cra_name, "sm3");
	const struct offer *offer = offers;
	const struct skcipher_alg *skcipher;
	const struct aead_alg *aead;

	describe("%s", alg->cra_driver_name);
	while (strcmp(offer->name, alg->cra_name))
		check(++offer < offers + ARRAY_SIZE(offers));
	check(shim_has_alias(alg->cra_name));
	check(alg->cra_module == THIS_MODULE);
	if (offer->where == C_TIER)
		check_equal(alg->cra_priority, CIPHER_PRIORITY);
	else
		check(alg->cra_priority > (is_sm3 ? SM3_GENERIC_PRIORITY :
						    GENERIC_PRIORITY));
	check_equal(alg->cra_blocksize, offer->block_bytes);
	check_equal(alg->cra_alignmask, 0);
	check(!(alg->cra_flags & ~CRYPTO_ALG_TYPE_MASK));
	switch (alg->cra_flags) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		skcipher = container_of(alg, struct skcipher_alg, base);
		check_equal(skcipher->chunksize, BLOCK);
		check_equal(skcipher->ivsize,
			    find_mode(alg->cra_name)->iv_bytes);
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		aead = container_of(alg, struct aead_alg, base);
		check_equal(aead->chunksize, BLOCK);
		check_equal(aead->ivsize,
			    find_mode(alg->cra_name)->iv_bytes);
		check_equal(aead->maxauthsize,
			    is_authenc(find_mode(alg->cra_name)) ?
			    TAG_MAX : BLOCK);
		break;
	}
}

/*
 * What the kernel's template authenc makes of one of our drivers of CBC and one of
 * SM3 has ten times the priority of the one and that of the other: ours comes first.
 */
static void check_above_templates(const struct sm4_tier *tier)
{
	const int template = 10 * find(tier->name, "cbc(sm4)").priority +
			     find(NULL, "sm3").priority;

	describe("%s", tier->name);
	check(find(tier->name, "authenc(hmac(sm3),cbc(sm4))").priority >
	      template);
	check(find(tier->name, "authencesn(hmac(sm3),cbc(sm4))").priority >
	      template);
}

static void test_names(const void *argument)
{
	load("all");
	check_log(shim_messages(), NULL);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++)
		check_properties(shim_algorithm(i));
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		if (sm4_tier_usable(sm4_tiers[i]))
			check_above_templates(sm4_tiers[i]);
	}
	unload();
}

/* The fastest tier is another one where 64-byte vectors cost more than they give. */
static void test_usual_tiers(const void *argument)
{
	check_loading();
	shim_set_feature(X86_FEATURE_PREFER_YMM, true);
	check_loading();
	check_log(shim_messages(), NULL);
}

/* Who asks for a driver by its name gets the module, whatever the CPU. */
static void test_aliases(const void *argument)
{
	for (unsigned int i = 0; i < sm4_all_tier_count; i++) {
		register_tier(sm4_tiers[i]);
		check(find(sm4_tiers[i]->name, i < sm4_tier_count ? "xts(sm4)" : "sm3").count);
	}
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		describe("%s", shim_algorithm(i)->cra_driver_name);
		check(shim_has_alias(shim_algorithm(i)->cra_driver_name));
	}
	unregister_tiers();
}

/* The priority that docs/tiers.md gives a tier, in the first table with the tier */
static int documented_priority(const char *tier)
{
	char line[256], name[32] = "";
	int priority = 0;
	FILE *file;

	file = fopen(TIERS_PAGE, "r");
	if (!file)
		fail_case("cannot read " TIERS_PAGE);
	while (strcmp(name, tier) && fgets(line, sizeof(line), file))
		sscanf(line, "| `%31[^`]` |%*[^|]| %d |", name, &priority);
	fclose(file);
	return priority;
}

/*
 * A tier that is listed later is faster, and says so, to the user as well. Vector tiers
 * rank above those of others, from @least to @most, and the portable one does not.
 */
static void check_priority(const char *tier, int priority, int previous,
			   int least, int most)
{
	describe("%s", tier);
	check_equal(documented_priority(tier), priority);
	check(priority > previous);
	check(previous ? priority > most : priority <= least);
}

static void test_priorities(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++)
		check_priority(sm4_tiers[i]->name, sm4_tiers[i]->priority,
			       i ? sm4_tiers[i - 1]->priority : 0,
			       LEAST_VECTOR_PRIORITY - 1, MOST_VECTOR_PRIORITY);
	for (unsigned int i = sm4_tier_count; i < sm4_all_tier_count; i++)
		check_priority(sm4_tiers[i]->name, sm4_tiers[i]->priority,
			       i > sm4_tier_count ? sm4_tiers[i - 1]->priority : 0,
			       SM3_VECTOR_PRIORITY, SM3_VECTOR_PRIORITY);
}

/*
 * Where 64-byte vectors cost more than they give, a tier of them comes after the
 * tier of 32-byte ones that is listed before it, and before all others.
 */
static void test_preferred_vectors(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++)
		check_equal(sm4_tier_priority(sm4_tiers[i]), sm4_tiers[i]->priority);
	shim_set_feature(X86_FEATURE_PREFER_YMM, true);
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];
		int priority = sm4_tier_priority(tier);

		describe("%s", tier->name);
		if (tier->zmm)
			check(priority < sm4_tiers[i - 1]->priority &&
			      priority > sm4_tiers[i - 2]->priority);
		else
			check_equal(priority, tier->priority);
	}
}

/* Zhaoxin's GMI: CPUID.(0xC0000001).EDX, bits 4 and 5 */
#define GMI_PRESENT	(5 * 32 + 4)
#define GMI_ENABLED	(5 * 32 + 5)

/*
 * The priorities that drivers of the tiers have where the module, when it is loaded,
 * finds so much of GMI
 */
static void find_priorities(bool gmi_present, bool gmi_enabled,
			    const char *tiers, int priority[SM4_TIERS_MAX])
{
	bool beside;

	shim_set_feature(GMI_PRESENT, gmi_present);
	shim_set_feature(GMI_ENABLED, gmi_enabled);
	load(tiers);
	beside = find("ttable", "ecb(sm4)").priority != sm4_ttable.priority;
	unload();
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		check_equal(sm4_register_modes(sm4_skcipher_modes, sm4_tiers[i],
					       false, beside), 0);
		priority[i] = find(sm4_tiers[i]->name, "ecb(sm4)").priority;
	}
	sm4_unregister_all();
}

/*
 * Beside GMI, all tiers come after its drivers, in the order that they have without
 * it; unless the user names them.
 */
static void test_beside_gmi(const void *argument)
{
	static const struct {
		bool present, enabled;
		const char *tiers;
	} others[] = {
		{ true, false }, { false, true }, { true, true, "ttable" },
	};
	int usual[SM4_TIERS_MAX], beside[SM4_TIERS_MAX], other[SM4_TIERS_MAX];

	for (unsigned int n = 0; n < 2 * ARRAY_SIZE(others); n++) {
		shim_set_feature(X86_FEATURE_PREFER_YMM, n % 2);
		find_priorities(false, false, NULL, usual);
		find_priorities(true, true, NULL, beside);
		for (unsigned int i = 0; i < sm4_tier_count; i++) {
			describe("%s", sm4_tiers[i]->name);
			check(beside[i] > GENERIC_PRIORITY);
			check(beside[i] < LEAST_GMI_PRIORITY);
			for (unsigned int j = 0; j < i; j++)
				check_equal(beside[i] > beside[j],
					    usual[i] > usual[j]);
		}
		/* which is the range that docs/tiers.md names */
		check_equal(beside[0], 258);
		check_equal(beside[sm4_tier_count - 1], 287);
		find_priorities(others[n / 2].present, others[n / 2].enabled,
				others[n / 2].tiers, other);
		check_bytes(other, usual, sm4_tier_count * sizeof(int),
			    "priorities without GMI, or of tiers that are named");
	}
}

/*
 * Beside GMI, the composites are left to the kernel's templates, which make them of
 * GMI's drivers; unless the user names tiers. The bare cipher stays below sm4-generic.
 */
static void test_composites_beside_gmi(const void *argument)
{
	shim_set_feature(GMI_PRESENT, true);
	shim_set_feature(GMI_ENABLED, true);
	shim_set_parameter("batch", "Y");
	load(NULL);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		describe("%s", alg->cra_driver_name);
		check((alg->cra_flags & CRYPTO_ALG_TYPE_MASK) !=
		      CRYPTO_ALG_TYPE_AEAD);
		check(alg->cra_priority < LEAST_GMI_PRIORITY);
	}
	check(find(NULL, "xts(sm4)").count);
	check(find(NULL, "cmac(sm4)").count);
	check_equal(find(NULL, "sm4").count, 1);
	check_equal(find(NULL, "sm4").priority, CIPHER_PRIORITY);
	unload();

	/* A list of tiers that are not there is none. */
	shim_set_requested_by_kernel();
	load("nonsense");
	check_equal(find(NULL, "gcm(sm4)").count, 0);
	unload();

	load("ttable");
	check_registered(BIT(0), USUAL);
	unload();
}

/* ---- what keeps it from being registered ---- */

/* In FIPS mode nothing is registered: the shim notices, where the kernel panics. */
static void test_fips(const void *argument)
{
	fips_enabled = 1;
	check_equal(shim_load_module(), -ECANCELED);
	check_log(shim_messages(), "FIPS");
	shim_reset();

	/* Nor does a user who has the kernel ask for it find something to fill the log with. */
	fips_enabled = 1;
	shim_set_requested_by_kernel();
	check_equal(shim_load_module(), -ECANCELED);
	check_log(shim_messages(), NULL);
	shim_reset();
	check_loading();
}

/*
 * Registration number n fails, for each n, or the memory for it: the others are there,
 * and the log says what is not. The shim has somebody use each algorithm from its
 * registration on.
 */
static void check_failures(void (*fail_after)(unsigned int successes))
{
	static char names[SHIM_ALGORITHMS_MAX][CRYPTO_MAX_ALG_NAME];
	unsigned int all, n;

	load("all");
	all = shim_algorithm_count();
	for (unsigned int i = 0; i < all; i++)
		strscpy(names[i], shim_algorithm(i)->cra_driver_name, sizeof(names[i]));
	unload();
	for (n = 0; n < all; n++) {
		describe("%s cannot be registered", names[n]);
		check(!strstr(shim_messages(), names[n]));
		fail_after(n);
		load("all");
		check_log(shim_messages(), names[n]);
		check_log(shim_messages(), "error -12");
		check_equal(shim_algorithm_count(), all - 1);
		for (unsigned int i = 0; i < shim_algorithm_count(); i++)
			check(!strcmp(shim_algorithm(i)->cra_driver_name,
				      names[i < n ? i : i + 1]));
		unload();
		shim_reset();
	}
}

static void test_failing_registrations(const void *argument)
{
	check_failures(shim_fail_registration_after);
}

static void test_no_memory_for_drivers(const void *argument)
{
	check_failures(shim_fail_allocation_after);
}

/* What cannot be registered on the fastest tier is registered on the next one. */
static void test_next_tier(const void *argument)
{
	const struct sm4_tier *fastest = fastest_with(NULL);

	if (fastest == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	shim_fail_registration_after(0);
	load(NULL);
	check_equal(find(fastest->name, "ecb(sm4)").count, 0);
	check_equal(find(fastest->name, "cbc(sm4)").count, 1);
	check_equal(find("ttable", "ecb(sm4)").count, 1);
	wrong_tier = fastest;
	check_equal(find(fastest_with(NULL)->name, "ecb(sm4)").count, 1);
	wrong_tier = NULL;
	unload();
}

/* No registration succeeds: loading fails, by the error that they all had. */
static void test_no_registration(const void *argument)
{
	shim_fail_all_registrations();
	shim_set_parameter("batch", "Y");
	check_equal(shim_load_module(), -ENOMEM);
	check_log(shim_messages(), fastest_with(NULL)->name);
	shim_reset();
	check_loading();
}

/* ---- module parameters ---- */

/* The module takes a list of tiers, and complains of that, or of nothing. */
static void check_tiers(const char *tiers, unsigned long of_sm4,
			unsigned long of_sm3, const char *complaint)
{
	describe("tiers=%s", tiers);
	load(tiers);
	check_registered(of_sm4, of_sm3);
	check_log(shim_messages(), complaint);
	unload();
	shim_reset();
}

/* Nothing is left: loading fails, and the log has the names of all tiers. */
static void check_no_tiers(const char *tiers)
{
	char line[64];

	describe("tiers=%s", tiers);
	shim_set_parameter("tiers", tiers);
	check_equal(shim_load_module(), -EINVAL);
	for (unsigned int i = 0; i < sm4_all_tier_count; i++) {
		snprintf(line, sizeof(line), "  %s%s\n", sm4_tiers[i]->name,
			 sm4_tier_usable(sm4_tiers[i]) ? "" :
			 " (not for this CPU)");
		check_log(shim_messages(), line);
	}
	shim_reset();
}

/*
 * The same where the kernel asks for the module, as any user can have it do again and again:
 * the usual tiers are registered, so that the log has this once.
 */
static void check_no_tiers_on_request(const char *tiers)
{
	describe("tiers=%s, requested by the kernel", tiers);
	shim_set_requested_by_kernel();
	load(tiers);
	check_registered(USUAL, USUAL);
	check_log(shim_messages(), "none of the tiers");
	check_log(shim_messages(), "the default tiers are registered instead");
	unload();
	shim_reset();
}

/*
 * A list that names none of SM3's tiers takes the usual ones, and likewise of SM4. A
 * name that there is no tier of is left out, with a warning that has it.
 */
static void test_tiers_parameter(const void *argument)
{
	static const char *const unknown[] = {
		"ttable,nonsense", "ttable,ttabl", "ttable2,ttable", "ttable,",
		",ttable", "ttable, ttable", "sm4ni-avx512,ttable", "ttable,al",
		"ttable,alle",
	};
	static const char *const none[] = {
		"nonsense", "", ",", "ttabl", "ttable2", " ttable",
	};
	char list[256] = "";

	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		if (!sm4_tier_usable(sm4_tiers[i]))
			continue;
		strcat(list, i ? "," : "");
		strcat(list, sm4_tiers[i]->name);
		check_tiers(sm4_tiers[i]->name, BIT(i), USUAL, NULL);
	}
	for (unsigned int i = sm4_tier_count; i < sm4_all_tier_count; i++) {
		if (sm4_tier_usable(sm4_tiers[i]))
			check_tiers(sm4_tiers[i]->name, USUAL, BIT(i), NULL);
	}
	check_tiers(list, ALL, USUAL, NULL);
	check_tiers("all", ALL, ALL, NULL);
	check_tiers("ttable,all", ALL, ALL, NULL);
	check_tiers("ttable,ttable", BIT(0), USUAL, NULL);
	check_tiers("sm3-generic,ttable", BIT(0), BIT(sm4_tier_count), NULL);
	check_tiers("nonsense,ttable", BIT(0), USUAL,
		    "\"nonsense\" is left out: unknown");
	for (unsigned int i = 0; i < ARRAY_SIZE(unknown); i++)
		check_tiers(unknown[i], BIT(0), USUAL, "left out: unknown");
	for (unsigned int i = 0; i < ARRAY_SIZE(none); i++) {
		check_no_tiers(none[i]);
		check_no_tiers_on_request(none[i]);
	}
}

/* A tier that this CPU cannot run is left out as an unknown one is. */
static void check_unusable(const char *tier, const char *other, u16 feature,
			   unsigned long of_sm4, unsigned long of_sm3)
{
	char list[64], complaint[96];

	check(feature);
	snprintf(list, sizeof(list), "%s,%s", tier, other);
	snprintf(complaint, sizeof(complaint),
		 "\"%s\" is left out: not for this CPU", tier);
	shim_set_feature(feature, false);
	check_tiers(list, of_sm4, of_sm3, complaint);
	shim_set_feature(feature, false);
	check_no_tiers(tier);
}

static void test_unusable_tier(const void *argument)
{
	const struct sm4_tier *tier = sm4_tiers[sm4_tier_count - 1];
	const struct sm4_tier *hash = sm4_tiers[sm4_all_tier_count - 1];

	check_unusable(tier->name, "ttable", tier->features[0], BIT(0), USUAL);
	check_unusable(tier->name, "sm3-generic", tier->features[0], USUAL,
		       BIT(sm4_tier_count));
	check_unusable(hash->name, "sm3-generic", hash->features[0], USUAL,
		       BIT(sm4_tier_count));
}

/* ---- which tiers are usable ---- */

#define YMM	(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM)

static bool cpu_has(const u16 *features, size_t places)
{
	bool has = true;

	for (size_t i = 0; i < places && features[i]; i++)
		has = has && sm4_cpu_has(features[i]);
	return has;
}

static bool cpu_can_run(const struct sm4_tier *tier)
{
	u64 registers = tier->features[0] ? YMM : 0;

	if (tier->zmm)
		registers |= XFEATURE_MASK_AVX512;
	return cpu_has(tier->features, SM4_TIER_FEATURES) &&
	       !(registers & ~sm4_xcr0());
}

/* What each tier needs of the CPU, it has or is not used; and what it lacks, others have. */
static void check_features(void)
{
	for (unsigned int i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		check_equal(sm4_tier_usable(tier), cpu_can_run(tier));
		if (sm4_is_sm3_tier(tier))
			continue;
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

static bool needs_avx512(const struct sm4_tier *tier)
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
	check(sm4_tier_usable(&sm4_ttable) && sm4_tier_has_gcm(&sm4_ttable));
	for (unsigned int i = 1; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		check(tier->features[0]);
		check_equal(tier->zmm, needs_avx512(tier));
		check_equal(tier->gcm_features[0], X86_FEATURE_PCLMULQDQ);
		check_equal(!tier->cbc_encrypt_sm3, !tier->sm3_features[0]);
		check_without(tier->features, SM4_TIER_FEATURES);
		check_without(tier->gcm_features, SM4_GCM_FEATURES);
		check_without(tier->sm3_features, SM4_SM3_FEATURES);
	}
	check(sm4_tier_usable(&sm3_generic));
	for (unsigned int i = sm4_tier_count + 1; i < sm4_all_tier_count; i++) {
		check(sm4_tiers[i]->features[0]);
		if (sm4_tier_usable(sm4_tiers[i]))
			check(sm3_best_tier() != &sm3_generic);
		check_without(sm4_tiers[i]->features, SM4_TIER_FEATURES);
	}
}

/* Parts of vector registers that the kernel does not save */
static u64 not_saved;

typeof(sm4_xcr0) __real_sm4_xcr0;
typeof(sm4_xcr0) __wrap_sm4_xcr0;

u64 __wrap_sm4_xcr0(void)
{
	return __real_sm4_xcr0() & ~not_saved;
}

static void test_registers_not_saved(const void *argument)
{
	describe("64-byte vectors");
	not_saved = XFEATURE_MASK_AVX512;
	check(!fastest_with(NULL)->zmm);
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

static bool is_usable(const char *name)
{
	for (unsigned int i = 0; i < sm4_all_tier_count; i++)
		if (!strcmp(sm4_tiers[i]->name, name))
			return sm4_tier_usable(sm4_tiers[i]);
	fail_case("there is no tier %s", name);
}

/* Intel's instructions: CPUID.(7,1).EAX, bits 1 and 2 */
#define INTEL_SM3	(12 * 32 + 1)
#define INTEL_SM4	(12 * 32 + 2)

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
		check_equal(!strcmp(sm3_best_tier()->name, "sm3-ni"),
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
 * Hygon's instructions are there if the CPU executes them, and if the kernel says so; or,
 * where it has no name for them, if it is a Hygon with the leaf of CPUID for such. That
 * they are refused, as by most CPUs, does no harm. The vendor's driver of SM3 comes before
 * ours.
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

/* ---- known answers ---- */

/* A tier's row is constant, but for the tests. */
static void *changeable(const void *tier, size_t bytes)
{
	uintptr_t start = round_down((uintptr_t)tier, PAGE_SIZE);

	check_equal(mprotect((void *)start, (uintptr_t)tier + bytes - start,
			     PROT_READ | PROT_WRITE), 0);
	return (void *)tier;
}

/* What a tier's function makes, and in which way; SM3's state counts as a hash. */
enum {
	NOTHING, OUTPUT = 1, IV = 2, HASH = 4, CHAIN = 8, LANES = 16,
	OF_ANY_LENGTH = 32, OF_ITS_DESTINATION = 64
};

/* What the module calls the functions */
static const struct {
	const char *name;
	unsigned int makes;
} functions[TIER_FUNCTIONS] = {
	[SM4_ECB] = { "ecb", OUTPUT },
	[SM4_CBC_ENCRYPT] = { "cbc encryption", OUTPUT | IV | CHAIN },
	[SM4_CBC_DECRYPT] = { "cbc decryption", OUTPUT | IV },
	[SM4_CTR] = { "ctr", OUTPUT | IV },
	[SM4_XTS] = { "xts", OUTPUT | IV },
	[SM4_XTS_GB] = { "gbt17964 xts", OUTPUT | IV },
	[KEY_SCHEDULE] = { "key schedule", OUTPUT | OF_ANY_LENGTH },
	[CBC_MAC] = { "cbc-mac", IV | CHAIN },
	[CCM_ENCRYPT] = { "ccm encryption", OUTPUT | IV | CHAIN },
	[CCM_DECRYPT] = { "ccm decryption", OUTPUT | IV | CHAIN },
	[GHASH] = { "ghash", IV },
	[GCM_ENCRYPT] = { "gcm encryption", OUTPUT | IV },
	[GCM_DECRYPT] = { "gcm decryption", OUTPUT | IV },
	[CBC_SM3] = { "cbc encryption with sm3",
		      OUTPUT | IV | HASH | CHAIN | LANES },
	[LANE_KEYS] = { "cbc encryption in lanes",
			OUTPUT | LANES | OF_ANY_LENGTH },
	[CBC_LANES] = { "cbc encryption in lanes", OUTPUT | IV | LANES },
	[SM3_LANES] = { "sm3 in lanes", HASH | LANES },
	[SM3_BLOCKS] = { "sm3" },	/* check_sm3() has it */
};

/* The calls in which a function is wrong */
enum calls {
	ALWAYS, LONG, OF_BYTES, THREE_OF_FOUR_32, THREE_OF_FOUR_64, PARTIAL,
	FIRST, NOT_FIRST, LAST, NOT_LAST, KINDS_OF_CALLS
};

static const char *const names_of_calls[KINDS_OF_CALLS] = {
	[ALWAYS] = "always",
	[LONG] = "of more than a batch",
	[OF_BYTES] = "of one number of bytes",
	[THREE_OF_FOUR_32] = "of three quarters of a batch of 32-byte vectors",
	[THREE_OF_FOUR_64] = "of three quarters of a batch of 64-byte vectors",
	[PARTIAL] = "of a partial block",
	[FIRST] = "of GCM's first part",
	[NOT_FIRST] = "of GCM's other parts than the first",
	[LAST] = "of GCM's last part",
	[NOT_LAST] = "of GCM's other parts than the last",
};

/* One function flips a bit of what it makes, or writes NOTHING, or reads its destination. */
static struct {
	unsigned int function, what;
	enum calls calls;
	size_t bytes;
} wrong;

static bool is_wrong_call(const struct tier_call *call)
{
	const size_t bytes = max(call->crypt_bytes, call->mac_bytes);
	const unsigned int makes = functions[call->function].makes;

	switch (wrong.calls) {
	case LONG:
		return bytes > (makes & CHAIN ? 512 : makes & LANES ? 64 : 3072);
	case OF_BYTES:
		return bytes == wrong.bytes;
	case THREE_OF_FOUR_32:
		return bytes % (32 * 32) == 24 * 32;
	case THREE_OF_FOUR_64:
		return bytes % (32 * 64) == 24 * 64;
	case PARTIAL:
		return bytes % SM4_BLOCK_SIZE;
	case FIRST:
	case NOT_FIRST:
		return !(call->part & SM4_GCM_FIRST) == (wrong.calls == NOT_FIRST);
	case LAST:
	case NOT_LAST:
		return !(call->part & SM4_GCM_LAST) == (wrong.calls == NOT_LAST);
	default:
		return true;
	}
}

static u32 round_keys[SM4_ROUNDS];

static void keep(const struct tier_call *call)
{
	stand_in.reads_destination = wrong.what == OF_ITS_DESTINATION &&
				     call->function == wrong.function;
	if (call->function == KEY_SCHEDULE)
		memcpy(round_keys, call->output - sizeof(round_keys), sizeof(round_keys));
}

static void flip(const struct tier_call *call)
{
	if (call->function != wrong.function || !is_wrong_call(call))
		return;
	if (wrong.what == NOTHING)
		memcpy(call->output - sizeof(round_keys), round_keys, sizeof(round_keys));
	else if (wrong.what == OUTPUT)
		call->output[-1] ^= 0x10;
	else if (wrong.what == IV)
		call->iv[-1] ^= 0x10;
	else if (wrong.what == HASH)
		*call->hash ^= 1;
}

/* Nothing is wrong yet. */
static struct sm4_tier *make_breakable(const struct sm4_tier *row)
{
	struct sm4_tier *tier = changeable(row, sizeof(*row));

	stand_in_for(tier);
	stand_in.before = keep;
	stand_in.after = flip;
	wrong.function = TIER_FUNCTIONS;
	return tier;
}

/* The C tiers have to give the standards' examples, or nothing is loaded. */
static bool fails_example(const struct sm4_tier *broken)
{
	if (wrong.function == SM3_BLOCKS)
		return broken == &sm4_ttable || broken == &sm3_generic;
	return broken == &sm4_ttable && wrong.calls == ALWAYS &&
	       (wrong.function == KEY_SCHEDULE || wrong.function == SM4_ECB ||
		wrong.function == GHASH);
}

/*
 * A tier that gives short texts to the broken one is wrong, too. What else the C tier does
 * wrong, all others are found to do, which have that function.
 */
static bool seems_wrong(const struct sm4_tier *tier,
			const struct sm4_tier *broken)
{
	if (tier->narrower == broken && wrong.calls == ALWAYS &&
	    (wrong.function < SM4_OPERATIONS || wrong.function == GCM_ENCRYPT ||
	     wrong.function == GCM_DECRYPT))
		return true;
	if (broken != &sm4_ttable || fails_example(broken))
		return tier == broken;
	return tier != broken && has_function(tier, wrong.function) &&
	       (sm4_tier_has_gcm(tier) ||
		(wrong.function != GHASH && wrong.function != GCM_ENCRYPT &&
		 wrong.function != GCM_DECRYPT));
}

/* The module leaves out what seems to be wrong, and says so, and no other. */
static void check_left_out(const struct sm4_tier *broken)
{
	const bool all = fails_example(broken);
	const char *name = functions[wrong.function].name;

	describe("%s, %s: wrong %s, %s", broken->name, name,
		 wrong.what == OUTPUT ? "output" : wrong.what == IV ? "IV" :
		 wrong.what == HASH ? "hash" : wrong.what == NOTHING ? "silence" :
		 "source", names_of_calls[wrong.calls]);
	if (all && wrong.function == KEY_SCHEDULE)
		name = functions[SM4_ECB].name;
	shim_set_parameter("tiers", "all");
	check_equal(shim_load_module(), all ? -EIO : 0);
	/* Nor does authenc take it. */
	check(all || sm3_best_tier() != broken);
	for (unsigned int i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];
		bool left_out = sm4_tier_usable(tier) &&
				seems_wrong(tier, broken);
		char message[128];

		/* Which calls a wider tier leaves to it is not asked here. */
		if (tier->narrower == broken && wrong.calls >= PARTIAL)
			continue;
		snprintf(message, sizeof(message),
			 " %s gives wrong answers (%s) ", tier->name, name);
		check_equal(!!strstr(shim_messages(), message), left_out);
		check_equal(find(tier->name, NULL).count > 0,
			    !left_out && !all && sm4_tier_usable(tier));
	}
	shim_reset();
	if (!all)
		return;
	/* Whoever has the kernel try it again and again does not fill the log. */
	shim_set_requested_by_kernel();
	check_equal(shim_load_module(), -EIO);
	check_log(shim_messages(), NULL);
	shim_reset();
}

/*
 * Each function of each tier in turn makes something wrong: always, and only in calls that
 * the check would miss without one of its pieces.
 */
static void check_function(const struct sm4_tier *tier, unsigned int function)
{
	const unsigned int makes = functions[function].makes;
	const bool gcm = function == GCM_ENCRYPT || function == GCM_DECRYPT;
	unsigned int i;

	wrong.function = function;
	for (wrong.what = HASH; wrong.what >= OUTPUT; wrong.what /= 2) {
		for (i = 0; (makes & wrong.what) && i < 4; i++) {
			wrong.calls = i & 2 ? LONG : ALWAYS;
			if ((i & 1 && !(makes & LANES)) ||
			    (i & 2 && makes & OF_ANY_LENGTH))
				continue;
			stand_in.first_lane = i & 1;
			check_left_out(tier);
		}
	}
	wrong.what = makes & OUTPUT ? OUTPUT : IV;
	if (!(makes & (CHAIN | LANES | OF_ANY_LENGTH))) {
		for (wrong.calls = THREE_OF_FOUR_32;
		     wrong.calls <= (gcm ? NOT_LAST :
				     function == SM4_CTR ? PARTIAL : THREE_OF_FOUR_64);
		     wrong.calls++)
			check_left_out(tier);
	}
	wrong.calls = ALWAYS;
	/* The keys of the tier before are the same. */
	if (function == KEY_SCHEDULE && tier->features[0]) {
		wrong.what = NOTHING;
		check_left_out(tier);
	}
	if (makes & OUTPUT && !(makes & OF_ANY_LENGTH) && function != CBC_LANES) {
		wrong.what = OF_ITS_DESTINATION;
		check_left_out(tier);
	}
}

/* SM3 is tried with pieces of so many blocks; the C tiers, with the standard's example of one. */
static void check_sm3(const struct sm4_tier *tier)
{
	static const size_t pieces[] = { 1, 2, 56 };

	wrong.function = SM3_BLOCKS;
	wrong.what = HASH;
	wrong.calls = OF_BYTES;
	for (unsigned int i = 0; i < (tier->features[0] ? ARRAY_SIZE(pieces) : 1); i++) {
		wrong.bytes = pieces[i] * SM3_BLOCK_SIZE;
		check_left_out(tier);
	}
	wrong.calls = ALWAYS;
}

static void test_wrong_answers(const void *argument)
{
	unsigned int function;

	for (unsigned int i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *row = sm4_tiers[i];
		struct sm4_tier *tier;

		if (!sm4_tier_usable(row))
			continue;
		tier = make_breakable(row);
		for (function = 0; function < TIER_FUNCTIONS; function++) {
			if (functions[function].makes &&
			    has_function(tier, function))
				check_function(tier, function);
		}
		if (has_function(tier, SM3_BLOCKS))
			check_sm3(tier);
		*tier = stand_in.tier;
	}
}

/*
 * The fastest tier gives wrong answers: its place goes to the next one. If it is the
 * only tier of SM4 that is asked for, which fallback_only does not hide, SM3 is there,
 * and SM4 is not.
 */
static void test_fastest_is_wrong(const void *argument)
{
	const struct sm4_tier *fastest = fastest_with(NULL);
	struct sm4_tier *tier;

	if (fastest == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	tier = make_breakable(fastest);
	wrong.function = SM4_ECB;
	wrong.what = OUTPUT;
	wrong_tier = tier;
	check_loading();
	shim_set_parameter("fallback_only", "Y");
	load(tier->name);
	check_log(shim_messages(), "gives wrong answers");
	check_equal(find(NULL, "ecb(sm4)").count, 0);
	check(find(NULL, "sm3").count);
	unload();
	wrong_tier = NULL;
	*tier = stand_in.tier;
	check_loading();
}

/*
 * The same where it is that of Hygon's instructions: without VAES and GFNI, which no Hygon
 * is known to have, they come first.
 */
static void test_hygon_is_wrong(const void *argument)
{
	if (!shim_has_hygon_sm4())
		skip_case("this CPU lacks them: test/emul/build/loading has them");
	shim_set_feature(X86_FEATURE_VAES, false);
	shim_set_feature(X86_FEATURE_GFNI, false);
	shim_set_feature(INTEL_SM4, false);
	check(!strcmp(fastest_with(NULL)->name, "cis-avx"));
	test_fastest_is_wrong(argument);
}

/*
 * A text whose length in bits does not fit into 32 bits, on the fastest tier: a
 * list of the same memory over and over. The tag shows whether it is right.
 */
#define REPEATED_BYTES	(1024 * 1024)
#define REPETITIONS	512

static void test_long_text(const void *argument)
{
	static u8 text[REPEATED_BYTES], ciphertext[REPEATED_BYTES];
	static struct scatterlist src[REPETITIONS], dst[REPETITIONS + 1];
	const struct sm4_tier *tier = fastest_with(NULL);
	struct aead_message message = {
		.text = text, .text_bytes = sizeof(text), .tag_bytes = BLOCK,
	};
	struct aead_request request = { 0 };
	u8 tag[BLOCK], right[BLOCK];
	struct crypto_aead *tfm;
	char name[64];
	int i;

	random_fill(text, sizeof(text));
	random_fill(message.key, sizeof(message.key));
	random_fill(message.iv, sizeof(message.iv));
	gcrypt_repeated_gcm(&message, REPETITIONS, right);

	sg_init_table(src, ARRAY_SIZE(src));
	sg_init_table(dst, ARRAY_SIZE(dst));
	for (i = 0; i < REPETITIONS; i++) {
		sg_set_buf(&src[i], text, sizeof(text));
		sg_set_buf(&dst[i], ciphertext, sizeof(ciphertext));
	}
	sg_set_buf(&dst[i], tag, sizeof(tag));
	check_equal(sm4_register_modes(sm4_aead_modes, tier, false, false), 0);
	snprintf(name, sizeof(name), "gcm-sm4-%s-fast", tier->name);
	describe("%s", name);
	tfm = shim_allocate_transform(name);
	check_equal(crypto_aead_setkey(tfm, message.key, BLOCK), 0);
	aead_request_set_tfm(&request, tfm);
	aead_request_set_crypt(&request, src, dst, REPETITIONS * REPEATED_BYTES,
			       message.iv);
	aead_request_set_ad(&request, 0);
	check_equal(crypto_aead_encrypt(&request), 0);
	check_bytes(tag, right, sizeof(tag), "the tag");
	shim_free_transform(tfm);
	sm4_unregister_all();
}

int main(int argc, char **argv)
{
	static const struct {
		case_function *function;
		const char *name;
	} cases[] = {
		{ test_names, "names, aliases, properties" },
		{ test_usual_tiers, "usual tiers" },
		{ test_aliases, "aliases of drivers" },
		{ test_priorities, "faster tiers come first" },
		{ test_preferred_vectors, "preferred vectors" },
		{ test_beside_gmi, "beside Zhaoxin's GMI" },
		{ test_composites_beside_gmi, "composites beside Zhaoxin's GMI" },
		{ test_fips, "FIPS mode" },
		{ test_failing_registrations, "a registration fails" },
		{ test_no_memory_for_drivers, "no memory for a driver" },
		{ test_next_tier, "the next tier takes a place" },
		{ test_no_registration, "no registration works" },
		{ test_tiers_parameter, "parameter tiers" },
		{ test_unusable_tier, "unusable tier" },
		{ test_features, "CPU features" },
		{ test_registers_not_saved, "registers that are not saved" },
		{ test_hygon, "Hygon's instructions" },
		{ test_names_of_others, "other instructions by the names of Intel's" },
		{ test_wrong_answers, "wrong answers" },
		{ test_fastest_is_wrong, "wrong answers of the fastest tier" },
		{ test_hygon_is_wrong, "wrong answers of Hygon's instructions" },
		{ test_long_text, "a text of half a GiB" },
	};
	size_t i;

	start_cases(&argc, &argv);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		add_case(cases[i].function, NULL, "/loading/%s", cases[i].name);
	return run_cases();
}
