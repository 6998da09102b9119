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

/*
 * How many drivers there are of an algorithm on a tier, and the highest of their
 * priorities; NULL stands for all.
 */
static unsigned int count(const char *tier, const char *name, int *priority)
{
	unsigned int found = 0;

	*priority = 0;
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		if ((!tier || is_of_tier(alg, tier)) &&
		    (!name || !strcmp(alg->cra_name, name))) {
			*priority = max(*priority, alg->cra_priority);
			found++;
		}
	}
	return found;
}

static unsigned int count_registered(const char *tier, const char *name)
{
	int priority;

	return count(tier, name, &priority);
}

static int registered_priority(const char *tier, const char *name)
{
	int priority;

	count(tier, name, &priority);
	return priority;
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

static const struct sm4_tier *fastest_tier(void)
{
	return fastest_with(NULL);
}

/* Whether an offer is on a tier where the user names none */
static bool is_usual(const struct offer *offer, const struct sm4_tier *tier)
{
	return tier == &sm4_ttable || tier == fastest_with(offer);
}

static bool is_usual_hash(const struct sm3_tier *hash)
{
	return hash == &sm3_generic || hash == sm3_best_tier();
}

/*
 * Every usable tier has one driver of all that it offers, and no other tier has; or
 * the @usual tiers alone.
 */
static void check_registered(bool usual)
{
	unsigned int n;

	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		for (n = 0; n < ARRAY_SIZE(offers); n++) {
			describe("%s on %s", offers[n].name, tier->name);
			check_equal(count_registered(tier->name, offers[n].name),
				    is_left(tier) && is_on(&offers[n], tier) &&
				    (!usual || is_usual(&offers[n], tier)));
		}
	}
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *hash = sm3_tiers[i];

		describe("%s", hash->name);
		check_equal(count_registered(hash->name, "sm3"),
			    sm3_tier_usable(hash) &&
			    (!usual || is_usual_hash(hash)));
	}
}

/* Load the module, which works, and unload it again: a test looks between these. */
static void load(void)
{
	check_equal(shim_load_module(), 0);
}

static void load_all(void)
{
	shim_set_parameter("tiers", "all");
	load();
}

static void unload(void)
{
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
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

/* The same of SM3: mainline's C code, and its AVX code */
#define SM3_GENERIC_PRIORITY	100
#define SM3_VECTOR_PRIORITY	300

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
			    find_skcipher_mode(alg->cra_name)->iv_bytes);
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		aead = container_of(alg, struct aead_alg, base);
		check_equal(aead->chunksize, BLOCK);
		check_equal(aead->ivsize,
			    find_aead_mode(alg->cra_name)->iv_bytes);
		check_equal(aead->maxauthsize,
			    is_authenc(find_aead_mode(alg->cra_name)) ?
			    TAG_MAX : BLOCK);
		break;
	}
}

static void test_names(const void *argument)
{
	load_all();
	check(!*shim_messages());
	check_registered(false);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++)
		check_properties(shim_algorithm(i));
	unload();
}

/* The fastest tier is another one where 64-byte vectors cost more than they give. */
static void test_usual_tiers(const void *argument)
{
	int prefers_ymm;

	for (prefers_ymm = 0; prefers_ymm <= 1; prefers_ymm++) {
		shim_set_feature(X86_FEATURE_PREFER_YMM, prefers_ymm);
		load();
		check(!*shim_messages());
		check_registered(true);
		unload();
	}
}

/* Who asks for a driver by its name gets the module, whatever the CPU. */
static void test_aliases(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		register_tier(tier);
		check(count_registered(tier->name, "xts(sm4)"));
	}
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *hash = sm3_tiers[i];

		check_equal(sm3_register(hash), 0);
		check(count_registered(hash->name, "sm3"));
	}
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		describe("%s", alg->cra_driver_name);
		check(shim_has_alias(alg->cra_driver_name));
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

/* A tier that is listed later is faster, and says so, to the user as well. */
static void test_priorities(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		describe("%s", tier->name);
		check_equal(documented_priority(tier->name), tier->priority);
		check(i == 0 || tier->priority > sm4_tiers[i - 1]->priority);
		if (tier == &sm4_ttable)
			check(tier->priority < LEAST_VECTOR_PRIORITY);
		else
			check(tier->priority > MOST_VECTOR_PRIORITY);
	}
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *hash = sm3_tiers[i];

		describe("%s", hash->name);
		check_equal(documented_priority(hash->name), hash->priority);
		check(i == 0 || hash->priority > sm3_tiers[i - 1]->priority);
		check_equal(hash->priority > SM3_VECTOR_PRIORITY,
			    hash != &sm3_generic);
	}
}

/*
 * What the kernel's template authenc makes of one of our drivers of CBC and one of
 * SM3 has ten times the priority of the one and that of the other: ours comes first.
 */
static void test_above_templates(const void *argument)
{
	int composite;

	load_all();
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (!sm4_tier_usable(tier))
			continue;
		describe("%s", tier->name);
		composite = 10 * registered_priority(tier->name, "cbc(sm4)") +
			    registered_priority(NULL, "sm3");
		check(registered_priority(tier->name,
					  "authenc(hmac(sm3),cbc(sm4))") >
		      composite);
		check(registered_priority(tier->name,
					  "authencesn(hmac(sm3),cbc(sm4))") >
		      composite);
	}
	unload();
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
		if (tier->xfeatures & XFEATURE_MASK_ZMM_Hi256)
			check(priority < sm4_tiers[i - 1]->priority &&
			      priority > sm4_tiers[i - 2]->priority);
		else
			check_equal(priority, tier->priority);
	}
}

/* Zhaoxin's GMI: CPUID.(0xC0000001).EDX, bits 4 and 5 */
#define GMI_PRESENT	(5 * 32 + 4)
#define GMI_ENABLED	(5 * 32 + 5)

/* The priority that a driver of @tier has by what the module finds when it is loaded */
static int priority_when_loaded(const struct sm4_tier *tier)
{
	int priority;

	load();
	unload();
	check_equal(sm4_register_skciphers(tier), 0);
	priority = registered_priority(tier->name, "ecb(sm4)");
	sm4_unregister_all();
	return priority;
}

static void check_priorities(const int expected[SM4_TIERS_MAX])
{
	for (unsigned int i = 0; i < sm4_tier_count; i++)
		check_equal(priority_when_loaded(sm4_tiers[i]), expected[i]);
}

/*
 * Beside GMI, all tiers come after its drivers, in the order that they have without
 * it; unless the user names them.
 */
static void test_beside_gmi(const void *argument)
{
	int usual[SM4_TIERS_MAX], beside[SM4_TIERS_MAX];
	unsigned int j, prefers_ymm;

	for (prefers_ymm = 0; prefers_ymm <= 1; prefers_ymm++) {
		shim_forget_features();
		shim_set_feature(X86_FEATURE_PREFER_YMM, prefers_ymm);
		for (unsigned int i = 0; i < sm4_tier_count; i++)
			usual[i] = priority_when_loaded(sm4_tiers[i]);
		shim_set_feature(GMI_PRESENT, true);
		check_priorities(usual);
		shim_set_feature(GMI_ENABLED, true);
		for (unsigned int i = 0; i < sm4_tier_count; i++) {
			const struct sm4_tier *tier = sm4_tiers[i];

			describe("%s", tier->name);
			beside[i] = priority_when_loaded(tier);
			check(beside[i] > GENERIC_PRIORITY);
			check(beside[i] < LEAST_GMI_PRIORITY);
			for (j = 0; j < i; j++)
				check_equal(beside[i] > beside[j],
					    usual[i] > usual[j]);
		}
		/* which is the range that docs/tiers.md names */
		check_equal(beside[0], 258);
		check_equal(beside[sm4_tier_count - 1], 287);
		shim_set_parameter("tiers", "ttable");
		check_priorities(usual);
		shim_set_parameter("tiers", NULL);
	}
	shim_forget_features();
	shim_set_feature(GMI_ENABLED, true);
	check_equal(priority_when_loaded(&sm4_ttable), sm4_ttable.priority);
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
	load();
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		describe("%s", alg->cra_driver_name);
		check((alg->cra_flags & CRYPTO_ALG_TYPE_MASK) !=
		      CRYPTO_ALG_TYPE_AEAD);
		check(alg->cra_priority < LEAST_GMI_PRIORITY);
	}
	check(count_registered(NULL, "xts(sm4)"));
	check(count_registered(NULL, "cmac(sm4)"));
	check_equal(count_registered(NULL, "sm4"), 1);
	check_equal(registered_priority(NULL, "sm4"), CIPHER_PRIORITY);
	unload();

	shim_set_parameter("tiers", "ttable");
	load();
	check_equal(count_registered(NULL, "gcm(sm4)"), 1);
	check_equal(count_registered(NULL, "authenc(hmac(sm3),cbc(sm4))"), 1);
	unload();
}

/* ---- what keeps it from being registered ---- */

/* In FIPS mode nothing is registered: the shim notices, where the kernel panics. */
static void test_fips(const void *argument)
{
	fips_enabled = 1;
	check_equal(shim_load_module(), -ECANCELED);
	check(strstr(shim_messages(), "FIPS"));
	shim_reset();
	load();
	unload();
}

/*
 * Registration number n fails, for each n: the others are there, and the log says
 * what is not. The shim has somebody use each algorithm from its registration on.
 */
static void test_failing_registrations(const void *argument)
{
	static char names[SHIM_ALGORITHMS_MAX][CRYPTO_MAX_ALG_NAME];
	unsigned int all, n;

	load_all();
	all = shim_algorithm_count();
	for (unsigned int i = 0; i < shim_algorithm_count(); i++)
		strscpy(names[i], shim_algorithm(i)->cra_driver_name, sizeof(names[i]));
	unload();
	for (n = 0; n < all; n++) {
		describe("%s cannot be registered", names[n]);
		check(!strstr(shim_messages(), names[n]));
		shim_fail_registration_after(n);
		load_all();
		check(strstr(shim_messages(), names[n]));
		check_equal(shim_algorithm_count(), all - 1);
		for (unsigned int i = 0; i < shim_algorithm_count(); i++)
			check(!strcmp(shim_algorithm(i)->cra_driver_name,
				      names[i < n ? i : i + 1]));
		shim_reset();
		check_equal(shim_algorithm_count(), 0);
	}
}

/* What cannot be registered on the fastest tier is registered on the next one. */
static void test_next_tier(const void *argument)
{
	const struct sm4_tier *fastest = fastest_tier();
	unsigned int tiers;

	if (fastest == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	load_all();
	tiers = count_registered(NULL, "ecb(sm4)");
	unload();
	shim_set_parameter("tiers", NULL);
	shim_fail_registration_after(0);
	load();
	check_equal(count_registered(fastest->name, "ecb(sm4)"), 0);
	check_equal(count_registered(NULL, "ecb(sm4)"), min(2U, tiers - 1));
	check_equal(count_registered(fastest->name, "cbc(sm4)"), 1);
	check_equal(count_registered(NULL, "cbc(sm4)"), 2);
	unload();
}

/* There is no memory for driver number n: the others are there. */
static void test_no_memory_for_drivers(const void *argument)
{
	unsigned int all, n;

	load_all();
	all = shim_algorithm_count();
	unload();
	for (n = 0; n < all; n++) {
		describe("driver %u of %u", n, all);
		shim_fail_allocation_after(n);
		load_all();
		check(strstr(shim_messages(), "-fast could not be registered: error -12"));
		check_equal(shim_algorithm_count(), all - 1);
		unload();
		shim_reset();
	}
}

/* No registration succeeds: loading fails, by the error that they all had. */
static void test_no_registration(const void *argument)
{
	shim_fail_all_registrations();
	check_equal(shim_load_module(), -ENOMEM);
	check(strstr(shim_messages(), fastest_tier()->name));
	shim_reset();
	load();
	unload();
}

/* Another driver has one of our names already. */
static void test_taken_name(const void *argument)
{
	struct crypto_alg other = {
		.cra_name = "other", .cra_driver_name = "xts-sm4-ttable-fast",
		.cra_blocksize = 1, .cra_flags = CRYPTO_ALG_TYPE_CIPHER,
	};

	check_equal(crypto_register_alg(&other), 0);
	load_all();
	check_equal(count_registered(NULL, "xts(sm4)") + 1,
		    count_registered(NULL, "ecb(sm4)"));
	check(strstr(shim_messages(), other.cra_driver_name));
	shim_unload_module();
	check_equal(shim_algorithm_count(), 1);
	crypto_unregister_alg(&other);
}

/* ---- module parameters ---- */

#define ALL	(~0UL)
#define USUAL	0UL

/* Whether a tier is to have drivers, if it is usable: one of these, or else a usual one */
static bool is_wanted(const struct sm4_tier *tier, unsigned long selected)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(offers); i++)
		if (!selected && is_on(&offers[i], tier) &&
		    is_usual(&offers[i], tier))
			return true;
	for (unsigned int i = 0; i < sm4_tier_count; i++)
		if (sm4_tiers[i] == tier)
			return selected & BIT(i);
	return false;
}

/* Load with tiers=@parameter: these tiers of SM4 and SM3, of the usable ones */
static void check_tiers(const char *parameter, unsigned long of_sm4,
			unsigned long of_sm3)
{
	describe("tiers=%s", parameter);
	shim_set_parameter("tiers", parameter);
	load();
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		check_equal(count_registered(tier->name, NULL) > 0,
			    sm4_tier_usable(tier) && is_wanted(tier, of_sm4));
	}
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *hash = sm3_tiers[i];

		check_equal(count_registered(hash->name, NULL),
			    sm3_tier_usable(hash) &&
			    (of_sm3 ? !!(of_sm3 & BIT(i)) : is_usual_hash(hash)));
	}
	unload();
}

/* A list that names none of SM3's tiers takes the usual ones, and likewise of SM4. */
static void test_tiers_parameter(const void *argument)
{
	char all[256] = "";

	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		strcat(all, i ? "," : "");
		strcat(all, tier->name);
		if (sm4_tier_usable(tier))
			check_tiers(tier->name, BIT(i), USUAL);
	}
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *hash = sm3_tiers[i];

		if (sm3_tier_usable(hash))
			check_tiers(hash->name, USUAL, BIT(i));
	}
	check_tiers(all, ALL, USUAL);
	check_tiers("all", ALL, ALL);
	check_tiers("ttable,all", ALL, ALL);
	check_tiers("ttable,ttable", BIT(0), USUAL);
	check_tiers("sm3-generic,ttable", BIT(0), BIT(0));
}

/* A name that there is no tier of is left out, with a warning that has it. */
static void test_unknown_tiers(const void *argument)
{
	static const char *const parameters[] = {
		"ttable,nonsense", "nonsense,ttable", "ttable,ttabl",
		"ttable2,ttable", "ttable,", ",ttable", "ttable, ttable",
		"sm4ni-avx512,ttable", "ttable,al", "ttable,alle",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		check_tiers(parameters[i], BIT(0), USUAL);
		check(strstr(shim_messages(), "left out: unknown"));
		shim_reset();
	}
	check_tiers("nonsense,ttable", BIT(0), USUAL);
	check(strstr(shim_messages(), "\"nonsense\""));
}

/* Nothing is left: loading fails, and the log has the names of all tiers. */
static void test_no_known_tier(const void *argument)
{
	static const char *const parameters[] = {
		"nonsense", "", ",", "ttabl", "ttable2", " ttable",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(parameters); n++) {
		describe("tiers=%s", parameters[n]);
		shim_set_parameter("tiers", parameters[n]);
		check_equal(shim_load_module(), -EINVAL);
		check_equal(shim_algorithm_count(), 0);
		for (unsigned int i = 0; i < sm4_tier_count; i++)
			check(strstr(shim_messages(), sm4_tiers[i]->name));
		for (unsigned int i = 0; i < sm3_tier_count; i++)
			check(strstr(shim_messages(), sm3_tiers[i]->name));
		shim_reset();
	}
}

/* A tier that this CPU cannot run is left out as an unknown one is. */
static void test_unusable_tier(const void *argument)
{
	const struct sm4_tier *tier = sm4_tiers[sm4_tier_count - 1];
	const struct sm3_tier *hash = sm3_tiers[sm3_tier_count - 1];
	const struct {
		const char *name, *other;
		u16 feature;
		unsigned long of_sm4, of_sm3;
	} cases[] = {
		{ tier->name, "ttable", tier->features[0], BIT(0), USUAL },
		{ hash->name, "sm3-generic", hash->features[0], USUAL, BIT(0) },
		{ tier->name, "sm3-generic", tier->features[0], USUAL, BIT(0) },
	};
	char list[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		check(cases[i].feature);
		shim_set_feature(cases[i].feature, false);
		snprintf(list, sizeof(list), "%s,%s", cases[i].name,
			 cases[i].other);
		check_tiers(list, cases[i].of_sm4, cases[i].of_sm3);
		check(strstr(shim_messages(), cases[i].name));
		check(strstr(shim_messages(), "not for this CPU"));
		shim_reset();
	}
	shim_set_feature(tier->features[0], false);
	shim_set_parameter("tiers", tier->name);
	check_equal(shim_load_module(), -EINVAL);
}

/* ---- which tiers are usable ---- */

/* Take each feature of a list from the CPU in turn, and see what is so then. */
static void without_each(const u16 *features, size_t places, const char *name,
			 const void *tier,
			 void (*check_without)(const void *tier))
{
	size_t i;

	for (i = 0; i < places && features[i]; i++) {
		describe("%s without feature %u*32+%u", name, features[i] / 32,
			 features[i] % 32);
		shim_set_feature(features[i], false);
		check_without(tier);
		shim_forget_features();
	}
}

static void check_unusable(const void *tier)
{
	check(!sm4_tier_usable(tier));
}

static bool cpu_has_all(const struct sm4_tier *tier)
{
	bool all = boot_cpu_has(X86_FEATURE_OSXSAVE) &&
		   cpu_has_xfeatures(tier->xfeatures, NULL);
	unsigned int i;

	for (i = 0; i < SM4_TIER_FEATURES && tier->features[i]; i++)
		all = all && boot_cpu_has(tier->features[i]);
	return all;
}

static void test_features(const void *argument)
{
	const u64 ymm = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM;

	check(sm4_tier_usable(&sm4_ttable));
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (tier == &sm4_ttable)
			continue;
		describe("%s", tier->name);
		check((tier->xfeatures & ymm) == ymm);
		check(tier->features[0]);
		check_equal(sm4_tier_usable(tier), cpu_has_all(tier));
		if (!sm4_tier_usable(tier))
			continue;
		without_each(tier->features, SM4_TIER_FEATURES, tier->name,
			     tier, check_unusable);
		describe("%s where its registers are not saved", tier->name);
		shim_hide_xfeatures(XFEATURE_MASK_YMM);
		check(!sm4_tier_usable(tier));
		shim_hide_xfeatures(0);
		check(sm4_tier_usable(tier));
	}
}

static void check_sm3_unusable(const void *tier)
{
	check(!sm3_tier_usable(tier));
}

static void test_features_of_sm3(const void *argument)
{
	check(sm3_tier_usable(&sm3_generic));
	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *tier = sm3_tiers[i];

		if (tier == &sm3_generic)
			continue;
		describe("%s", tier->name);
		check(tier->features[0]);
		if (!sm3_tier_usable(tier))
			continue;
		check(sm3_best_tier() != &sm3_generic);
		without_each(tier->features, SM3_TIER_FEATURES, tier->name,
			     tier, check_sm3_unusable);
		shim_hide_xfeatures(XFEATURE_MASK_YMM);
		check(!sm3_tier_usable(tier));
		check(sm3_best_tier() == &sm3_generic);
		shim_hide_xfeatures(0);
	}
}

/* Without what GCM alone needs, a tier has everything else; ttable has GCM. */
static void check_without_gcm(const void *tier)
{
	check(!sm4_tier_has_gcm(tier));
	load_all();
	check_registered(false);
	unload();
	shim_set_parameter("tiers", NULL);
	load();
	check_registered(true);
	check(count_registered(NULL, "gcm(sm4)"));
	unload();
}

static void test_without_gcm(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		check(tier == &sm4_ttable ||
		      tier->gcm_features[0] == X86_FEATURE_PCLMULQDQ);
		without_each(tier->gcm_features, SM4_GCM_FEATURES, tier->name,
			     tier, check_without_gcm);
	}
}

/*
 * Without what hashing beside CBC needs, a tier does one after the other, and the
 * drivers are the same: as many as there were with it.
 */
static unsigned int drivers_with_cbc_sm3;

static void check_without_cbc_sm3(const void *argument)
{
	const struct sm4_tier *tier = argument;

	check(!sm4_tier_has_cbc_sm3(tier));
	load_all();
	check_equal(count_registered(tier->name, NULL), drivers_with_cbc_sm3);
	unload();
}

static void test_without_cbc_sm3(const void *argument)
{
	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		describe("%s", tier->name);
		check_equal(!tier->cbc_encrypt_sm3, !tier->sm3_features[0]);
		if (!sm4_tier_usable(tier) || !sm4_tier_has_cbc_sm3(tier))
			continue;
		load_all();
		drivers_with_cbc_sm3 = count_registered(tier->name, NULL);
		unload();
		without_each(tier->sm3_features, SM4_SM3_FEATURES, tier->name,
			     tier, check_without_cbc_sm3);
	}
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
enum { OUTPUT = 1, IV = 2, HASH = 4, CHAIN = 8, LANES = 16, OF_ANY_LENGTH = 32 };

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
	[CBC_SM3] = { "cbc encryption beside sm3",
		      OUTPUT | IV | HASH | CHAIN | LANES },
	[LANE_KEYS] = { "cbc encryption in lanes",
			OUTPUT | LANES | OF_ANY_LENGTH },
	[CBC_LANES] = { "cbc encryption in lanes", OUTPUT | IV | LANES },
	[SM3_LANES] = { "sm3 in lanes", HASH | LANES },
};

/*
 * One function flips a bit of what it makes, if it is given more than so many bytes; or,
 * if there is a group, only where just three of these are left behind batches of four.
 */
static struct {
	unsigned int function, what;
	size_t right_bytes, group;
} wrong;

static void flip(const struct tier_call *call)
{
	const size_t bytes = max(call->crypt_bytes, call->mac_bytes);

	if (call->function != wrong.function ||
	    (wrong.right_bytes && bytes <= wrong.right_bytes) ||
	    (wrong.group && bytes % (4 * wrong.group) != 3 * wrong.group))
		return;
	if (wrong.what == OUTPUT)
		call->output[-1] ^= 0x10;
	else if (wrong.what == IV)
		call->iv[-1] ^= 0x10;
	else
		*call->hash ^= 1;
}

/* Nothing is wrong yet. */
static struct sm4_tier *make_breakable(const struct sm4_tier *row)
{
	struct sm4_tier *tier = changeable(row, sizeof(*row));

	stand_in_for(tier);
	stand_in.after = flip;
	wrong.function = TIER_FUNCTIONS;
	return tier;
}

/*
 * The module leaves out @broken, and says so, and no other; but all, if it is the C
 * tier, whose key schedule and CBC-MAC all is compared by: the first answer there is
 * then wrong.
 */
static void check_left_out(const struct sm4_tier *broken)
{
	const bool all = broken == &sm4_ttable;
	const char *name = functions[wrong.function].name;
	char message[128];

	describe("%s, %s: wrong %s after more than %zu bytes, groups of %zu",
		 broken->name, name, wrong.what == OUTPUT ? "output" :
		 wrong.what == IV ? "IV" : "hash", wrong.right_bytes,
		 wrong.group);
	if (all && (wrong.function == KEY_SCHEDULE || wrong.function == CBC_MAC))
		name = functions[SM4_ECB].name;
	snprintf(message, sizeof(message), " %s gives wrong answers (%s) ",
		 broken->name, name);
	shim_set_parameter("tiers", "all");
	check_equal(shim_load_module(), all ? -EIO : 0);
	check(strstr(shim_messages(), message));
	for (unsigned int i = 0; i < sm4_tier_count; i++)
		check_equal(count_registered(sm4_tiers[i]->name, NULL) > 0,
			    sm4_tiers[i] != broken && !all && sm4_tier_usable(sm4_tiers[i]));
	shim_reset();
}

/*
 * Each function of each tier in turn makes something wrong: always; or only of what
 * is as long as lanes, serial chains, or all others, are given it, which is more than a
 * batch of the widest vectors; or only of three groups of pairs of a width.
 */
static void check_function(const struct sm4_tier *tier, unsigned int function)
{
	static const size_t groups[] = { 8 * 32, 8 * 64 };
	const unsigned int makes = functions[function].makes;
	const size_t batch = makes & CHAIN ? 512 : makes & LANES ? 64 : 3072;
	unsigned int i;

	wrong.function = function;
	for (wrong.what = HASH; wrong.what >= OUTPUT; wrong.what /= 2) {
		for (i = 0; (makes & wrong.what) && i < 4; i++) {
			if ((i & 1 && !(makes & LANES)) ||
			    (i & 2 && makes & OF_ANY_LENGTH))
				continue;
			stand_in.first_lane = i & 1;
			wrong.right_bytes = i & 2 ? batch : 0;
			check_left_out(tier);
		}
	}
	wrong.right_bytes = 0;
	wrong.what = makes & OUTPUT ? OUTPUT : IV;
	for (i = 0; i < ARRAY_SIZE(groups) &&
	     !(makes & (CHAIN | LANES | OF_ANY_LENGTH)); i++) {
		wrong.group = groups[i];
		check_left_out(tier);
	}
	wrong.group = 0;
}

static void test_wrong_answers(const void *argument)
{
	unsigned int function;

	for (unsigned int i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *row = sm4_tiers[i];
		struct sm4_tier *tier;

		if (!sm4_tier_usable(row))
			continue;
		tier = make_breakable(row);
		for (function = 0; function < TIER_FUNCTIONS; function++) {
			if (functions[function].name &&
			    has_function(tier, function))
				check_function(tier, function);
		}
		*tier = stand_in.tier;
	}
}

/* A tier of SM3 that is wrong after a piece of so many blocks only */
static struct {
	struct sm3_tier right;
	size_t blocks;
} wrong_sm3;

static void wrong_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
{
	wrong_sm3.right.blocks(state, src, blocks);
	state[SM3_WORDS - 1] ^= blocks == wrong_sm3.blocks;
}

/* Each tier of SM3 is wrong in turn: it is left out, or all is if it is the C tier. */
static void test_wrong_sm3(const void *argument)
{
	static const size_t pieces[] = { 1, 2, 60 };
	unsigned int piece;
	char message[64];

	for (unsigned int i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *row = sm3_tiers[i];
		bool all = row == &sm3_generic;
		struct sm3_tier *tier = changeable(row, sizeof(*row));

		if (!sm3_tier_usable(tier))
			continue;
		snprintf(message, sizeof(message), " %s gives wrong answers ",
			 tier->name);
		wrong_sm3.right = *tier;
		tier->blocks = wrong_blocks;
		for (piece = 0; piece < ARRAY_SIZE(pieces); piece++) {
			wrong_sm3.blocks = pieces[piece];
			describe("%s, %zu blocks", tier->name, pieces[piece]);
			check_equal(shim_load_module(), all ? -EIO : 0);
			check(strstr(shim_messages(), message));
			check_equal(count_registered(tier->name, NULL), 0);
			check_equal(count_registered("sm3-generic", NULL), !all);
			/* nor does authenc take it */
			check(all || sm3_best_tier() != tier);
			check_equal(count_registered(NULL, "xts(sm4)") > 0,
				    !all);
			shim_reset();
		}
		*tier = wrong_sm3.right;
	}
}

/* Have the fastest tier give wrong answers. Its row is stand_in.tier otherwise. */
static struct sm4_tier *break_fastest(void)
{
	struct sm4_tier *tier;

	if (fastest_tier() == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	tier = make_breakable(fastest_tier());
	wrong.function = SM4_ECB;
	wrong.what = OUTPUT;
	return tier;
}

/*
 * The only tier of SM4 that is asked for is wrong, which fallback_only does not hide:
 * SM3 is there, and SM4 is not.
 */
static void test_only_tier_is_wrong(const void *argument)
{
	struct sm4_tier *tier = break_fastest();

	shim_set_parameter("tiers", tier->name);
	shim_set_parameter("fallback_only", "Y");
	load();
	check(strstr(shim_messages(), "gives wrong answers"));
	check_equal(count_registered(NULL, "ecb(sm4)"), 0);
	check(count_registered(NULL, "sm3"));
	unload();
	*tier = stand_in.tier;
	load();
	check(count_registered(tier->name, "xts(sm4)"));
}

/* The fastest tier is wrong: its place goes to the next one. */
static void test_fastest_is_wrong(const void *argument)
{
	struct sm4_tier *tier = break_fastest();

	wrong_tier = tier;
	load();
	check_registered(true);
	unload();
	wrong_tier = NULL;
	*tier = stand_in.tier;
}

/*
 * A text whose length in bits does not fit into 32 bits, on the fastest tier: a
 * list of the same memory over and over. The tag tells right from wrong.
 */
#define REPEATED_BYTES	(1024 * 1024)
#define REPETITIONS	512

static void test_long_text(const void *argument)
{
	static u8 text[REPEATED_BYTES], ciphertext[REPEATED_BYTES];
	static struct scatterlist src[REPETITIONS], dst[REPETITIONS + 1];
	const struct sm4_tier *tier = fastest_tier();
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
	check_equal(sm4_register_aeads(tier), 0);
	snprintf(name, sizeof(name), "gcm-sm4-%s-fast", tier->name);
	describe("%s", name);
	tfm = crypto_alloc_aead(name, 0, 0);
	check_equal(crypto_aead_setkey(tfm, message.key, BLOCK), 0);
	aead_request_set_tfm(&request, tfm);
	aead_request_set_crypt(&request, src, dst, REPETITIONS * REPEATED_BYTES,
			       message.iv);
	aead_request_set_ad(&request, 0);
	check_equal(crypto_aead_encrypt(&request), 0);
	check_bytes(tag, right, sizeof(tag), "the tag");
	crypto_free_aead(tfm);
	sm4_unregister_all();
}

/* As many tiers as there can be, all of which offer everything but the bare cipher */
static void test_most_tiers(const void *argument)
{
	static struct sm4_tier many[SM4_TIERS_MAX];
	static char names[SM4_TIERS_MAX][16];
	unsigned int i, n;

	for (i = 0; i < SM4_TIERS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "number%u", i);
		many[i] = sm4_ttable;
		many[i].name = names[i];
		register_tier(&many[i]);
	}
	for (i = 0; i < SM4_TIERS_MAX; i++) {
		describe("tier %u of %u", i, SM4_TIERS_MAX);
		for (n = 0; n < ARRAY_SIZE(offers); n++)
			check_equal(count_registered(names[i], offers[n].name),
				    is_on(&offers[n], &many[i]));
	}
	unregister_tiers();
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
		{ test_above_templates, "above templates" },
		{ test_preferred_vectors, "preferred vectors" },
		{ test_beside_gmi, "beside Zhaoxin's GMI" },
		{ test_composites_beside_gmi, "composites beside Zhaoxin's GMI" },
		{ test_fips, "FIPS mode" },
		{ test_failing_registrations, "a registration fails" },
		{ test_next_tier, "the next tier takes a place" },
		{ test_no_memory_for_drivers, "no memory for a driver" },
		{ test_no_registration, "no registration works" },
		{ test_taken_name, "a name is taken" },
		{ test_tiers_parameter, "parameter tiers" },
		{ test_unknown_tiers, "unknown tiers" },
		{ test_no_known_tier, "no known tier" },
		{ test_unusable_tier, "unusable tier" },
		{ test_features, "CPU features" },
		{ test_features_of_sm3, "CPU features, of SM3" },
		{ test_without_gcm, "without GCM's features" },
		{ test_without_cbc_sm3, "without what SM3 beside CBC needs" },
		{ test_wrong_answers, "wrong answers" },
		{ test_wrong_sm3, "wrong answers of SM3" },
		{ test_only_tier_is_wrong, "wrong answers of the only tier" },
		{ test_fastest_is_wrong, "wrong answers of the fastest tier" },
		{ test_most_tiers, "most tiers" },
		{ test_long_text, "a text of half a GiB" },
	};
	size_t i;

	start_cases(&argc, &argv);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		add_case(cases[i].function, NULL, "/loading/%s", cases[i].name);
	return run_cases();
}
