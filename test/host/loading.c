// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading the module: what is registered and under which names,
 * module parameters, failures half way, the rules of FPU sections, and the
 * longest requests.
 */
#include <errno.h>
#include <sys/mman.h>
#include "case.h"
#include "reference.h"
#include "shim/control.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"

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

/* The algorithms that every tier offers, and those that some do */
static const char *const algorithms[] = {
	"ecb(sm4)", "cbc(sm4)", "cts(cbc(sm4))", "ctr(sm4)", "xts(sm4)",
	"gbt17964(xts(sm4))",
	"gcm(sm4)", "rfc4106(gcm(sm4))", "ccm(sm4)", "rfc4309(ccm(sm4))",
	"authenc(hmac(sm3),cbc(sm4))", "authencesn(hmac(sm3),cbc(sm4))",
};

static const char *const algorithms_of_some[] = {
	"sm4", "cmac(sm4)", "xcbc(sm4)", "cbcmac(sm4)",
};

/* Those whose messages need not be whole blocks; the others work on blocks. */
static const char *const stream_algorithms[] = {
	"ctr(sm4)", "gcm(sm4)", "rfc4106(gcm(sm4))", "ccm(sm4)",
	"rfc4309(ccm(sm4))", "cbcmac(sm4)",
};

static bool is_listed(const char *name, const char *const *list, size_t count)
{
	while (count--) {
		if (!strcmp(list[count], name))
			return true;
	}
	return false;
}

/* Driver names are "MODE-sm4-TIER-fast", and of the bare cipher "sm4-TIER-fast". */
static bool is_of_tier(const struct crypto_alg *alg,
		       const struct sm4_tier *tier)
{
	const char *cipher = strstr(alg->cra_driver_name, "sm4-");
	char end[CRYPTO_MAX_ALG_NAME];

	snprintf(end, sizeof(end), "sm4-%s-fast", tier->name);
	return cipher && !strcmp(cipher, end);
}

static bool is_sm3(const struct crypto_alg *alg)
{
	return !strcmp(alg->cra_name, "sm3");
}

/* How often SM3 is registered on @tier, or on any if it is NULL */
static unsigned int count_sm3(const struct sm3_tier *tier)
{
	char driver[CRYPTO_MAX_ALG_NAME] = "";
	unsigned int i, found = 0;

	if (tier)
		snprintf(driver, sizeof(driver), "%s-fast", tier->name);
	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		found += is_sm3(alg) &&
			 (!tier || !strcmp(alg->cra_driver_name, driver));
	}
	return found;
}

static bool is_gcm(const char *name)
{
	return strstr(name, "gcm(");
}

static unsigned int count_registered(const struct sm4_tier *tier,
				     const char *name)
{
	unsigned int i, found = 0;

	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		found += (!tier || is_of_tier(alg, tier)) &&
			 (!name || !strcmp(alg->cra_name, name));
	}
	return found;
}

/* Whether a tier offers one of algorithms_of_some: the bare cipher, or a MAC */
static bool offers(const struct sm4_tier *tier, const char *name)
{
	return strcmp(name, "sm4") ? !!tier->cbc_mac : tier == &sm4_ttable;
}

/* What one step of a request may not be shorter than, but for the last one */
static unsigned int chunk_bytes(const struct crypto_alg *alg)
{
	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		return container_of(alg, struct skcipher_alg, base)->chunksize;
	case CRYPTO_ALG_TYPE_AEAD:
		return container_of(alg, struct aead_alg, base)->chunksize;
	default:
		return BLOCK;
	}
}

/* How long an IV is, and a tag at most */
static void check_lengths(const struct crypto_alg *alg)
{
	const struct aead_alg *aead;

	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		check_equal(container_of(alg, struct skcipher_alg, base)->ivsize,
			    find_skcipher_mode(alg->cra_name)->iv_bytes);
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		aead = container_of(alg, struct aead_alg, base);
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
	unsigned int i, tier, n;

	(void)argument;
	check_equal(shim_load_module(), 0);
	check(!*shim_messages());
	for (tier = 0; tier < sm4_tier_count; tier++) {
		bool usable = sm4_tier_usable(sm4_tiers[tier]);

		describe("%s", sm4_tiers[tier]->name);
		for (n = 0; n < ARRAY_SIZE(algorithms); n++)
			check_equal(count_registered(sm4_tiers[tier],
						     algorithms[n]), usable &&
				    (!is_gcm(algorithms[n]) ||
				     sm4_tier_has_gcm(sm4_tiers[tier])));
		for (n = 0; n < ARRAY_SIZE(algorithms_of_some); n++)
			check_equal(count_registered(sm4_tiers[tier],
						     algorithms_of_some[n]),
				    usable && offers(sm4_tiers[tier],
						     algorithms_of_some[n]));
	}
	for (tier = 0; tier < sm3_tier_count; tier++) {
		describe("%s", sm3_tiers[tier]->name);
		check_equal(count_sm3(sm3_tiers[tier]),
			    sm3_tier_usable(sm3_tiers[tier]));
	}
	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		describe("%s", alg->cra_driver_name);
		check(is_sm3(alg) ||
		      is_listed(alg->cra_name, algorithms,
				ARRAY_SIZE(algorithms)) ||
		      is_listed(alg->cra_name, algorithms_of_some,
				ARRAY_SIZE(algorithms_of_some)));
		check(shim_has_alias(alg->cra_name));
		check(alg->cra_module == THIS_MODULE);
		if (!strcmp(alg->cra_name, "sm4"))
			check_equal(alg->cra_priority, CIPHER_PRIORITY);
		else
			check(alg->cra_priority > (is_sm3(alg) ?
						   SM3_GENERIC_PRIORITY :
						   GENERIC_PRIORITY));
		check_equal(alg->cra_blocksize, is_sm3(alg) ? SM3_BLOCK_SIZE :
			    is_listed(alg->cra_name, stream_algorithms,
				      ARRAY_SIZE(stream_algorithms)) ?
			    1 : BLOCK);
		check_equal(chunk_bytes(alg), BLOCK);
		check_lengths(alg);
		check_equal(alg->cra_alignmask, 0);
		check(!(alg->cra_flags & ~CRYPTO_ALG_TYPE_MASK));
	}
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
}

/* Who asks for a driver by its name gets the module, whatever the CPU. */
static void test_aliases(const void *argument)
{
	unsigned int i, tier;

	(void)argument;
	for (tier = 0; tier < sm4_tier_count; tier++) {
		check_equal(sm4_register_ciphers(sm4_tiers[tier]), 0);
		check_equal(sm4_register_skciphers(sm4_tiers[tier]), 0);
		check_equal(sm4_register_aeads(sm4_tiers[tier]), 0);
		check_equal(sm4_register_authencs(sm4_tiers[tier]), 0);
		check_equal(sm4_register_macs(sm4_tiers[tier]), 0);
	}
	for (tier = 0; tier < sm3_tier_count; tier++)
		check_equal(sm3_register(sm3_tiers[tier]), 0);
	check(shim_algorithm_count() >=
	      sm4_tier_count * ARRAY_SIZE(algorithms) - 2 + sm3_tier_count);
	for (i = 0; i < shim_algorithm_count(); i++) {
		describe("%s", shim_algorithm(i)->cra_driver_name);
		check(shim_has_alias(shim_algorithm(i)->cra_driver_name));
	}
	sm4_unregister_all();
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
	unsigned int i;

	(void)argument;
	for (i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		describe("%s", tier->name);
		check_equal(documented_priority(tier->name), tier->priority);
		check(i == 0 || tier->priority > sm4_tiers[i - 1]->priority);
		if (tier == &sm4_ttable)
			check(tier->priority < LEAST_VECTOR_PRIORITY);
		else
			check(tier->priority > MOST_VECTOR_PRIORITY);
	}
	for (i = 0; i < sm3_tier_count; i++) {
		const struct sm3_tier *tier = sm3_tiers[i];

		describe("%s", tier->name);
		check_equal(documented_priority(tier->name), tier->priority);
		check(i == 0 || tier->priority > sm3_tiers[i - 1]->priority);
		check_equal(tier->priority > SM3_VECTOR_PRIORITY,
			    tier != &sm3_generic);
	}
}

/* The priority of a driver of @tier, and of SM3's best one for no tier */
static int registered_priority(const struct sm4_tier *tier, const char *name)
{
	int priority = 0;
	unsigned int i;

	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		if (!strcmp(alg->cra_name, name) &&
		    (!tier || is_of_tier(alg, tier)))
			priority = max(priority, alg->cra_priority);
	}
	return priority;
}

/*
 * What the kernel's template authenc makes of one of our drivers of CBC and one of
 * SM3 has ten times the priority of the one and that of the other: ours comes first.
 */
static void test_above_templates(const void *argument)
{
	unsigned int i;
	int composite;

	(void)argument;
	check_equal(shim_load_module(), 0);
	for (i = 0; i < sm4_tier_count; i++) {
		if (!sm4_tier_usable(sm4_tiers[i]))
			continue;
		describe("%s", sm4_tiers[i]->name);
		composite = 10 * registered_priority(sm4_tiers[i], "cbc(sm4)") +
			    registered_priority(NULL, "sm3");
		check(registered_priority(sm4_tiers[i],
					  "authenc(hmac(sm3),cbc(sm4))") >
		      composite);
		check(registered_priority(sm4_tiers[i],
					  "authencesn(hmac(sm3),cbc(sm4))") >
		      composite);
	}
	shim_unload_module();
}

/*
 * Where 64-byte vectors cost more than they give, a tier of them comes after the
 * tier of 32-byte ones that is listed before it, and before all others.
 */
static void test_preferred_vectors(const void *argument)
{
	unsigned int i;

	(void)argument;
	for (i = 0; i < sm4_tier_count; i++)
		check_equal(sm4_tier_priority(sm4_tiers[i]),
			    sm4_tiers[i]->priority);
	shim_set_feature(X86_FEATURE_PREFER_YMM, true);
	for (i = 2; i < sm4_tier_count; i++) {
		int priority = sm4_tier_priority(sm4_tiers[i]);

		describe("%s", sm4_tiers[i]->name);
		if (sm4_tiers[i]->xfeatures & XFEATURE_MASK_ZMM_Hi256)
			check(priority < sm4_tiers[i - 1]->priority &&
			      priority > sm4_tiers[i - 2]->priority);
		else
			check_equal(priority, sm4_tiers[i]->priority);
	}
}

/* The priority that a driver of @tier has by what the module finds when it is loaded */
static int priority_when_loaded(const struct sm4_tier *tier)
{
	int priority;

	check_equal(shim_load_module(), 0);
	shim_unload_module();
	check_equal(sm4_register_skciphers(tier), 0);
	priority = registered_priority(tier, "ecb(sm4)");
	sm4_unregister_all();
	return priority;
}

/* Zhaoxin's GMI: CPUID.(0xC0000001).EDX, bits 4 and 5 */
#define GMI_PRESENT	(5 * 32 + 4)
#define GMI_ENABLED	(5 * 32 + 5)

/*
 * Beside GMI, all tiers come after its drivers, in the order that they have without
 * it; unless the user names them.
 */
static void test_beside_gmi(const void *argument)
{
	unsigned int i, j, prefers_ymm;

	(void)argument;
	for (prefers_ymm = 0; prefers_ymm <= 1; prefers_ymm++) {
		int usual[SM4_TIERS_MAX], beside[SM4_TIERS_MAX];

		shim_forget_features();
		shim_set_feature(X86_FEATURE_PREFER_YMM, prefers_ymm);
		for (i = 0; i < sm4_tier_count; i++)
			usual[i] = priority_when_loaded(sm4_tiers[i]);
		shim_set_feature(GMI_PRESENT, true);
		for (i = 0; i < sm4_tier_count; i++)
			check_equal(priority_when_loaded(sm4_tiers[i]), usual[i]);
		shim_set_feature(GMI_ENABLED, true);
		for (i = 0; i < sm4_tier_count; i++) {
			describe("%s", sm4_tiers[i]->name);
			beside[i] = priority_when_loaded(sm4_tiers[i]);
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
		for (i = 0; i < sm4_tier_count; i++)
			check_equal(priority_when_loaded(sm4_tiers[i]), usual[i]);
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
	unsigned int i;

	(void)argument;
	shim_set_feature(GMI_PRESENT, true);
	shim_set_feature(GMI_ENABLED, true);
	check_equal(shim_load_module(), 0);
	for (i = 0; i < shim_algorithm_count(); i++) {
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
	shim_unload_module();

	shim_set_parameter("tiers", "ttable");
	check_equal(shim_load_module(), 0);
	check_equal(count_registered(NULL, "gcm(sm4)"), 1);
	check_equal(count_registered(NULL, "authenc(hmac(sm3),cbc(sm4))"), 1);
	shim_unload_module();
}

/* In FIPS mode nothing is registered: the shim notices, where the kernel panics. */
static void test_fips(const void *argument)
{
	(void)argument;
	fips_enabled = 1;
	check_equal(shim_load_module(), -ECANCELED);
	check(strstr(shim_messages(), "FIPS"));
	shim_reset();
	check_equal(shim_load_module(), 0);
	shim_unload_module();
}

/*
 * Registration number n fails, for each n: the others are there, and the log says
 * what is not. The shim has somebody use each algorithm from its registration on.
 */
static void test_failing_registrations(const void *argument)
{
	static char names[SHIM_ALGORITHMS_MAX][CRYPTO_MAX_ALG_NAME];
	unsigned int count, n, i;

	(void)argument;
	check_equal(shim_load_module(), 0);
	count = shim_algorithm_count();
	for (n = 0; n < count; n++)
		strscpy(names[n], shim_algorithm(n)->cra_driver_name,
			sizeof(names[n]));
	shim_unload_module();
	check(count > ARRAY_SIZE(algorithms));
	for (n = 0; n < count; n++) {
		describe("%s cannot be registered", names[n]);
		check(!strstr(shim_messages(), names[n]));
		shim_fail_registration_after(n);
		check_equal(shim_load_module(), 0);
		check(strstr(shim_messages(), names[n]));
		check_equal(shim_algorithm_count(), count - 1);
		for (i = 0; i < count - 1; i++)
			check(!strcmp(shim_algorithm(i)->cra_driver_name,
				      names[i < n ? i : i + 1]));
		shim_reset();
		check_equal(shim_algorithm_count(), 0);
	}
}

/* The same where there is no memory for driver number n */
static void test_no_memory_for_drivers(const void *argument)
{
	unsigned int count, n;

	(void)argument;
	check_equal(shim_load_module(), 0);
	count = shim_algorithm_count();
	shim_unload_module();
	for (n = 0; n < count; n++) {
		describe("driver %u of %u", n, count);
		shim_fail_allocation_after(n);
		check_equal(shim_load_module(), 0);
		check(strstr(shim_messages(), "no memory"));
		check_equal(shim_algorithm_count(), count - 1);
		shim_unload_module();
		shim_reset();
	}
}

/* No registration succeeds: loading fails, by the error that they all had. */
static void test_no_registration(const void *argument)
{
	(void)argument;
	shim_fail_all_registrations();
	check_equal(shim_load_module(), -ENOMEM);
	check(strstr(shim_messages(), "xts-sm4-ttable-fast"));
	shim_reset();
	check_equal(shim_load_module(), 0);
	shim_unload_module();
}

/* Another driver has one of our names already. */
static void test_taken_name(const void *argument)
{
	struct crypto_alg other = {
		.cra_name = "other", .cra_driver_name = "xts-sm4-ttable-fast",
		.cra_blocksize = 1, .cra_flags = CRYPTO_ALG_TYPE_CIPHER,
	};

	(void)argument;
	check_equal(crypto_register_alg(&other), 0);
	check_equal(shim_load_module(), 0);
	check_equal(count_registered(NULL, "xts(sm4)") + 1,
		    count_registered(NULL, "ecb(sm4)"));
	check(strstr(shim_messages(), other.cra_driver_name));
	shim_unload_module();
	check_equal(shim_algorithm_count(), 1);
	crypto_unregister_alg(&other);
}

/* ---- module parameters ---- */

/* Load with tiers=@parameter: which tiers of SM4 and of SM3 are registered */
static void check_tiers(const char *parameter, bool (*of_sm4)(unsigned int),
			bool (*of_sm3)(unsigned int))
{
	unsigned int i;

	describe("tiers=%s", parameter);
	shim_set_parameter("tiers", parameter);
	check_equal(shim_load_module(), 0);
	for (i = 0; i < sm4_tier_count; i++)
		check_equal(count_registered(sm4_tiers[i], NULL) > 0,
			    of_sm4(i));
	for (i = 0; i < sm3_tier_count; i++)
		check_equal(count_sm3(sm3_tiers[i]), of_sm3(i));
	shim_unload_module();
	check_equal(shim_algorithm_count(), 0);
}

static unsigned int only_tier;

static bool is_only_tier(unsigned int i)
{
	return i == only_tier;
}

static bool is_usable_tier(unsigned int i)
{
	return sm4_tier_usable(sm4_tiers[i]);
}

static bool is_usable_sm3_tier(unsigned int i)
{
	return sm3_tier_usable(sm3_tiers[i]);
}

/* A list that names none of SM3's tiers takes all of these. */
static void test_tiers_parameter(const void *argument)
{
	char all[256] = "";

	(void)argument;
	for (only_tier = 0; only_tier < sm4_tier_count; only_tier++) {
		const char *name = sm4_tiers[only_tier]->name;

		strcat(all, only_tier ? "," : "");
		strcat(all, name);
		if (sm4_tier_usable(sm4_tiers[only_tier]))
			check_tiers(name, is_only_tier, is_usable_sm3_tier);
	}
	check_tiers(all, is_usable_tier, is_usable_sm3_tier);

	only_tier = 0;
	check_tiers("ttable,ttable", is_only_tier, is_usable_sm3_tier);
}

/* And one that names none of SM4's takes all of those. */
static void test_tiers_of_sm3(const void *argument)
{
	(void)argument;
	for (only_tier = 0; only_tier < sm3_tier_count; only_tier++) {
		if (is_usable_sm3_tier(only_tier))
			check_tiers(sm3_tiers[only_tier]->name, is_usable_tier,
				    is_only_tier);
	}
	only_tier = 0;
	check_tiers("sm3-generic,ttable", is_only_tier, is_only_tier);
}

/* A name that there is no tier of is left out, with a warning that has it. */
static void test_unknown_tiers(const void *argument)
{
	static const char *const parameters[] = {
		"ttable,nonsense", "nonsense,ttable", "ttable,ttabl",
		"ttable2,ttable", "ttable,", ",ttable", "ttable, ttable",
		"sm4ni-avx512,ttable",
	};
	size_t i;

	(void)argument;
	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		only_tier = 0;
		check_tiers(parameters[i], is_only_tier, is_usable_sm3_tier);
		check(strstr(shim_messages(), "left out: unknown"));
		shim_reset();
	}
	check_tiers("nonsense,ttable", is_only_tier, is_usable_sm3_tier);
	check(strstr(shim_messages(), "\"nonsense\""));
}

/* Nothing is left: loading fails, and the log has the names of all tiers. */
static void test_no_known_tier(const void *argument)
{
	static const char *const parameters[] = {
		"nonsense", "", ",", "ttabl", "ttable2", " ttable",
	};
	unsigned int tier;
	size_t i;

	(void)argument;
	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		describe("tiers=%s", parameters[i]);
		shim_set_parameter("tiers", parameters[i]);
		check_equal(shim_load_module(), -EINVAL);
		check_equal(shim_algorithm_count(), 0);
		for (tier = 0; tier < sm4_tier_count; tier++)
			check(strstr(shim_messages(), sm4_tiers[tier]->name));
		for (tier = 0; tier < sm3_tier_count; tier++)
			check(strstr(shim_messages(), sm3_tiers[tier]->name));
		shim_reset();
	}
}

/* A tier that this CPU cannot run is left out as an unknown one is. */
static void test_unusable_tier(const void *argument)
{
	const struct sm4_tier *tier = sm4_tiers[sm4_tier_count - 1];
	const struct sm3_tier *hash = sm3_tiers[sm3_tier_count - 1];
	char list[64];

	(void)argument;
	check(tier->features[0]);
	shim_set_feature(tier->features[0], false);
	snprintf(list, sizeof(list), "%s,ttable", tier->name);
	only_tier = 0;
	check_tiers(list, is_only_tier, is_usable_sm3_tier);
	check(strstr(shim_messages(), tier->name));
	check(strstr(shim_messages(), "not for this CPU"));
	shim_reset();
	check(hash->features[0]);
	shim_set_feature(hash->features[0], false);
	snprintf(list, sizeof(list), "%s,sm3-generic", hash->name);
	check_tiers(list, is_usable_tier, is_only_tier);
	check(strstr(shim_messages(), "not for this CPU"));
	shim_reset();
	shim_set_feature(tier->features[0], false);
	snprintf(list, sizeof(list), "%s,sm3-generic", tier->name);
	check_tiers(list, is_usable_tier, is_only_tier);
	shim_set_parameter("tiers", tier->name);
	check_equal(shim_load_module(), -EINVAL);
}

/* ---- which tiers are usable ---- */

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
	unsigned int i, feature;

	(void)argument;
	check(sm4_tier_usable(&sm4_ttable));
	for (i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (tier == &sm4_ttable)
			continue;
		describe("%s", tier->name);
		check((tier->xfeatures & ymm) == ymm);
		check(tier->features[0]);
		check_equal(sm4_tier_usable(tier), cpu_has_all(tier));
		if (!sm4_tier_usable(tier))
			continue;
		for (feature = 0; feature < SM4_TIER_FEATURES &&
		     tier->features[feature]; feature++) {
			describe("%s without feature %u*32+%u", tier->name,
				 tier->features[feature] / 32,
				 tier->features[feature] % 32);
			shim_set_feature(tier->features[feature], false);
			check(!sm4_tier_usable(tier));
			shim_forget_features();
		}
		describe("%s where its registers are not saved", tier->name);
		shim_hide_xfeatures(XFEATURE_MASK_YMM);
		check(!sm4_tier_usable(tier));
		shim_hide_xfeatures(0);
		check(sm4_tier_usable(tier));
	}
}

static void test_features_of_sm3(const void *argument)
{
	unsigned int i, feature;

	(void)argument;
	check(sm3_tier_usable(&sm3_generic));
	for (i = 1; i < sm3_tier_count; i++) {
		const struct sm3_tier *tier = sm3_tiers[i];

		describe("%s", tier->name);
		check(tier->features[0]);
		if (!sm3_tier_usable(tier))
			continue;
		check(sm3_best_tier() != &sm3_generic);
		for (feature = 0; feature < SM3_TIER_FEATURES &&
		     tier->features[feature]; feature++) {
			shim_set_feature(tier->features[feature], false);
			check(!sm3_tier_usable(tier));
			shim_forget_features();
		}
		shim_hide_xfeatures(XFEATURE_MASK_YMM);
		check(!sm3_tier_usable(tier));
		check(sm3_best_tier() == &sm3_generic);
		shim_hide_xfeatures(0);
	}
}

/* Without what GCM alone needs, a tier has everything else. */
static void test_without_gcm(const void *argument)
{
	unsigned int i, n, feature;

	(void)argument;
	for (i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];
		bool usable = sm4_tier_usable(tier);

		check(tier == &sm4_ttable ||
		      tier->gcm_features[0] == X86_FEATURE_PCLMULQDQ);
		for (feature = 0; feature < SM4_GCM_FEATURES &&
		     tier->gcm_features[feature]; feature++) {
			describe("%s without feature %u*32+%u", tier->name,
				 tier->gcm_features[feature] / 32,
				 tier->gcm_features[feature] % 32);
			shim_set_feature(tier->gcm_features[feature], false);
			check(!sm4_tier_has_gcm(tier));
			check_equal(shim_load_module(), 0);
			for (n = 0; n < ARRAY_SIZE(algorithms); n++)
				check_equal(count_registered(tier,
							     algorithms[n]),
					    usable && !is_gcm(algorithms[n]));
			/* ttable's at the least */
			check(count_registered(NULL, "gcm(sm4)"));
			shim_unload_module();
			shim_forget_features();
		}
	}
}

/*
 * Without what hashing beside CBC needs, a tier does one after the other, and the
 * drivers are the same.
 */
static void test_without_cbc_sm3(const void *argument)
{
	unsigned int i, feature, count;

	(void)argument;
	for (i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		describe("%s", tier->name);
		check_equal(!tier->cbc_encrypt_sm3, !tier->sm3_features[0]);
		if (!sm4_tier_usable(tier) || !sm4_tier_has_cbc_sm3(tier))
			continue;
		check_equal(shim_load_module(), 0);
		count = count_registered(tier, NULL);
		shim_unload_module();
		for (feature = 0; feature < SM4_SM3_FEATURES &&
		     tier->sm3_features[feature]; feature++) {
			shim_set_feature(tier->sm3_features[feature], false);
			check(!sm4_tier_has_cbc_sm3(tier));
			check_equal(shim_load_module(), 0);
			check_equal(count_registered(tier, NULL), count);
			shim_unload_module();
			shim_forget_features();
		}
	}
}

/* ---- known answers ---- */

/* The functions of a tier, after its operations */
enum {
	KEY_SCHEDULE = SM4_OPERATIONS, CBC_MAC, CCM_ENCRYPT, CCM_DECRYPT, GHASH,
	GCM_ENCRYPT, GCM_DECRYPT, CBC_SM3, CBC_SM3_STATE, CBC_LANES,
	CHAIN_LANES, LANE_KEYS, SM3_LANES, FUNCTIONS
};

/* and what the module calls them */
static const char *const function_names[FUNCTIONS] = {
	[SM4_ECB] = "ecb", [SM4_CBC_ENCRYPT] = "cbc encryption",
	[SM4_CBC_DECRYPT] = "cbc decryption", [SM4_CTR] = "ctr",
	[SM4_XTS] = "xts", [SM4_XTS_GB] = "gbt17964 xts",
	[KEY_SCHEDULE] = "key schedule", [CBC_MAC] = "cbc-mac",
	[CCM_ENCRYPT] = "ccm encryption", [CCM_DECRYPT] = "ccm decryption",
	[GHASH] = "ghash", [GCM_ENCRYPT] = "gcm encryption",
	[GCM_DECRYPT] = "gcm decryption",
	[CBC_SM3] = "cbc encryption beside sm3",
	[CBC_SM3_STATE] = "cbc encryption beside sm3",
	[CBC_LANES] = "cbc encryption in lanes",
	[CHAIN_LANES] = "cbc encryption in lanes",
	[LANE_KEYS] = "cbc encryption in lanes",
	[SM3_LANES] = "sm3 in lanes",
};

/*
 * A tier with a function that flips a bit of its output, or of the IV that it hands
 * on, if it is given more than so many bytes; or, if it has a wrong group, only where
 * just three of these are left behind batches of four
 */
static struct {
	struct sm4_tier right;
	bool wrong_iv;
	size_t right_bytes, wrong_group;
} broken;

static void flip(u8 *output, u8 *iv, size_t bytes)
{
	u8 *end = !output || (iv && broken.wrong_iv) ? iv + BLOCK :
						       output + bytes;

	if (broken.wrong_group &&
	    bytes % (4 * broken.wrong_group) != 3 * broken.wrong_group)
		return;
	if (bytes > broken.right_bytes)
		end[-1] ^= 0x10;
}

#define DEFINE_BROKEN(operation) \
static void broken_##operation(const struct sm4_round_keys *keys, u8 *dst, \
			       const u8 *src, u8 *iv, size_t bytes) \
{ \
	broken.right.crypt[operation](keys, dst, src, iv, bytes); \
	flip(dst, iv, bytes); \
}

DEFINE_BROKEN(SM4_ECB)
DEFINE_BROKEN(SM4_CBC_ENCRYPT)
DEFINE_BROKEN(SM4_CBC_DECRYPT)
DEFINE_BROKEN(SM4_CTR)
DEFINE_BROKEN(SM4_XTS)
DEFINE_BROKEN(SM4_XTS_GB)

static void broken_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	broken.right.key_schedule(plain, key);
	plain[SM4_ROUNDS - 1] ^= 1;
}

static void broken_cbc_mac(const struct sm4_round_keys *keys, u8 *mac,
			   const u8 *src, size_t blocks)
{
	broken.right.cbc_mac(keys, mac, src, blocks);
	flip(NULL, mac, blocks * BLOCK);
}

/* One direction is wrong, and the other is right. */
static void broken_ccm(const struct sm4_round_keys *keys, u8 *dst,
		       const u8 *src, struct sm4_ccm_state *state,
		       size_t blocks, bool decrypts, bool wrong)
{
	broken.right.ccm_crypt(keys, dst, src, state, blocks, decrypts);
	if (wrong)
		flip(dst, state->mac, blocks * BLOCK);
}

static void broken_ccm_encrypt(const struct sm4_round_keys *keys, u8 *dst,
			       const u8 *src, struct sm4_ccm_state *state,
			       size_t blocks, bool decrypts)
{
	broken_ccm(keys, dst, src, state, blocks, decrypts, !decrypts);
}

static void broken_ccm_decrypt(const struct sm4_round_keys *keys, u8 *dst,
			       const u8 *src, struct sm4_ccm_state *state,
			       size_t blocks, bool decrypts)
{
	broken_ccm(keys, dst, src, state, blocks, decrypts, decrypts);
}

static void broken_ghash(const struct sm4_ghash_key *key, u8 *hash,
			 const u8 *src, size_t blocks)
{
	broken.right.ghash(key, hash, src, blocks);
	flip(NULL, hash, blocks * BLOCK);
}

#define DEFINE_BROKEN_GCM(operation) \
static void broken_##operation(const struct sm4_gcm_key *key, u8 *dst, \
			       const u8 *src, struct sm4_gcm_state *state, \
			       size_t bytes, unsigned int part) \
{ \
	broken.right.operation(key, dst, src, state, bytes, part); \
	flip(dst, state->hash, bytes); \
}

DEFINE_BROKEN_GCM(gcm_encrypt)
DEFINE_BROKEN_GCM(gcm_decrypt)

static void broken_cbc_sm3(const struct sm4_round_keys *keys, u8 *dst,
			   const u8 *src, u8 *iv, size_t passes,
			   struct sm4_hashing *hashing)
{
	broken.right.cbc_encrypt_sm3(keys, dst, src, iv, passes, hashing);
	flip(dst, iv, passes * SM4_PASS_SIZE);
}

static void broken_cbc_sm3_state(const struct sm4_round_keys *keys, u8 *dst,
				 const u8 *src, u8 *iv, size_t passes,
				 struct sm4_hashing *hashing)
{
	broken.right.cbc_encrypt_sm3(keys, dst, src, iv, passes, hashing);
	if (passes * SM4_PASS_SIZE > broken.right_bytes)
		hashing->state[broken.wrong_iv ? 0 : SM3_WORDS - 1] ^= 1;
}

/* One lane is wrong, the last or the first; or its chain */
static void broken_cbc_lanes(struct sm4_lanes *lanes, size_t blocks)
{
	unsigned int lane = broken.wrong_iv ? 0 : SM4_LANES - 1;

	broken.right.cbc_encrypt_lanes(lanes, blocks);
	if (blocks * SM3_BLOCK_SIZE > broken.right_bytes)
		lanes->text[blocks - 1][lane][BLOCK - 1] ^= 1;
}

static void broken_chain_lanes(struct sm4_lanes *lanes, size_t blocks)
{
	broken.right.cbc_encrypt_lanes(lanes, blocks);
	if (blocks * SM3_BLOCK_SIZE > broken.right_bytes)
		lanes->chain[broken.wrong_iv ? 0 : SM4_LANES - 1][0] ^= 1;
}

static void broken_lane_keys(struct sm4_lanes *lanes)
{
	broken.right.set_lane_keys(lanes);
	lanes->keys[broken.wrong_iv ? 0 : SM4_ROUNDS / 4 - 1][SM4_LANES - 1][3] ^= 1;
}

static void broken_sm3_lanes(struct sm3_lanes *lanes, size_t blocks)
{
	unsigned int lane = broken.wrong_iv ? 0 : broken.right.sm3_lane_count - 1;

	broken.right.sm3_lanes(lanes, blocks);
	if (blocks * SM3_BLOCK_SIZE > broken.right_bytes)
		lanes->state[SM3_WORDS - 1][lane] ^= 1;
}

/* Break a function, if the tier has it */
static bool break_function(struct sm4_tier *tier, unsigned int function)
{
	static sm4_crypt_function *const operations[SM4_OPERATIONS] = {
		[SM4_ECB] = broken_SM4_ECB,
		[SM4_CBC_ENCRYPT] = broken_SM4_CBC_ENCRYPT,
		[SM4_CBC_DECRYPT] = broken_SM4_CBC_DECRYPT,
		[SM4_CTR] = broken_SM4_CTR,
		[SM4_XTS] = broken_SM4_XTS,
		[SM4_XTS_GB] = broken_SM4_XTS_GB,
	};

	switch (function) {
	case KEY_SCHEDULE:
		tier->key_schedule = broken_key_schedule;
		return true;
	case CBC_MAC:
		if (tier->cbc_mac)
			tier->cbc_mac = broken_cbc_mac;
		return tier->cbc_mac;
	case CCM_ENCRYPT:
	case CCM_DECRYPT:
		if (tier->ccm_crypt)
			tier->ccm_crypt = function == CCM_ENCRYPT ?
				broken_ccm_encrypt : broken_ccm_decrypt;
		return tier->ccm_crypt;
	case GHASH:
		tier->ghash = broken_ghash;
		return true;
	case GCM_ENCRYPT:
		tier->gcm_encrypt = broken_gcm_encrypt;
		return true;
	case GCM_DECRYPT:
		tier->gcm_decrypt = broken_gcm_decrypt;
		return true;
	case CBC_SM3:
	case CBC_SM3_STATE:
		if (tier->cbc_encrypt_sm3)
			tier->cbc_encrypt_sm3 = function == CBC_SM3 ?
						broken_cbc_sm3 :
						broken_cbc_sm3_state;
		return tier->cbc_encrypt_sm3;
	case CBC_LANES:
		if (tier->cbc_encrypt_lanes)
			tier->cbc_encrypt_lanes = broken_cbc_lanes;
		return tier->cbc_encrypt_lanes;
	case CHAIN_LANES:
		if (tier->cbc_encrypt_lanes)
			tier->cbc_encrypt_lanes = broken_chain_lanes;
		return tier->cbc_encrypt_lanes;
	case LANE_KEYS:
		if (tier->set_lane_keys)
			tier->set_lane_keys = broken_lane_keys;
		return tier->set_lane_keys;
	case SM3_LANES:
		if (tier->sm3_lanes)
			tier->sm3_lanes = broken_sm3_lanes;
		return tier->sm3_lanes;
	default:
		if (tier->crypt[function])
			tier->crypt[function] = operations[function];
		return tier->crypt[function];
	}
}

/* A tier's row is constant, but for the tests. */
static void *changeable(const void *tier, size_t bytes)
{
	uintptr_t start = round_down((uintptr_t)tier, PAGE_SIZE);

	check_equal(mprotect((void *)start, (uintptr_t)tier + bytes - start,
			     PROT_READ | PROT_WRITE), 0);
	return (void *)tier;
}

/*
 * The module leaves out @tier, which is broken, and says so, and no other; but all,
 * if it is the C tier, whose key schedule and CBC-MAC all is compared by: the first
 * answer there is then wrong.
 */
static void check_left_out(const struct sm4_tier *tier, unsigned int number)
{
	const bool all = tier == &sm4_ttable;
	const char *function = function_names[number];
	char message[128];
	unsigned int i;

	describe("%s, %s: wrong %s after more than %zu bytes, groups of %zu",
		 tier->name, function, broken.wrong_iv ? "IV" : "output",
		 broken.right_bytes, broken.wrong_group);
	if (all && (number == KEY_SCHEDULE || number == CBC_MAC))
		function = function_names[SM4_ECB];
	snprintf(message, sizeof(message), " %s gives wrong answers (%s) ",
		 tier->name, function);
	check_equal(shim_load_module(), all ? -EIO : 0);
	check(strstr(shim_messages(), message));
	for (i = 0; i < sm4_tier_count; i++)
		check_equal(count_registered(sm4_tiers[i], NULL) > 0,
			    sm4_tiers[i] != tier && !all &&
			    sm4_tier_usable(sm4_tiers[i]));
	shim_reset();
}

static bool is_chain(unsigned int function)
{
	return function == SM4_CBC_ENCRYPT || function == CBC_MAC ||
	       function == CCM_ENCRYPT || function == CCM_DECRYPT ||
	       function >= CBC_SM3;
}

/*
 * Each function of each tier in turn gives a wrong answer: always; or only to what
 * is as long as serial chains, or all others, are given it, which is more than a
 * batch of the widest vectors; or only to three groups of pairs of a width.
 */
static void test_wrong_answers(const void *argument)
{
	static const size_t groups[] = { 8 * 32, 8 * 64 };
	unsigned int i, function, places;

	(void)argument;
	for (i = 0; i < sm4_tier_count; i++) {
		const bool usable = sm4_tier_usable(sm4_tiers[i]);
		struct sm4_tier *tier =
			changeable(sm4_tiers[i], sizeof(*tier));

		for (function = 0; usable && function < FUNCTIONS; function++) {
			const bool chain = is_chain(function);

			broken.right = *tier;
			if (!break_function(tier, function))
				continue;
			for (places = 0; places < 4; places++) {
				broken.wrong_iv = places & 1;
				broken.right_bytes = !(places & 2) ? 0 :
						     chain ? 512 : 3072;
				check_left_out(tier, function);
			}
			broken.right_bytes = 0;
			broken.wrong_iv = false;
			for (places = 0; places < ARRAY_SIZE(groups) &&
			     !chain && function != KEY_SCHEDULE; places++) {
				broken.wrong_group = groups[places];
				check_left_out(tier, function);
			}
			broken.wrong_group = 0;
			*tier = broken.right;
		}
	}
}

/* A tier of SM3 that is wrong after a piece of so many blocks only */
static struct {
	struct sm3_tier right;
	size_t blocks;
} broken_sm3;

static void broken_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
{
	broken_sm3.right.blocks(state, src, blocks);
	state[SM3_WORDS - 1] ^= blocks == broken_sm3.blocks;
}

/* Each tier of SM3 is wrong in turn: it is left out, or all is if it is the C tier. */
static void test_wrong_sm3(const void *argument)
{
	static const size_t pieces[] = { 1, 2, 60 };
	unsigned int i, piece;
	char message[64];

	(void)argument;
	for (i = 0; i < sm3_tier_count; i++) {
		bool all = sm3_tiers[i] == &sm3_generic;
		struct sm3_tier *tier =
			changeable(sm3_tiers[i], sizeof(*tier));

		if (!sm3_tier_usable(tier))
			continue;
		snprintf(message, sizeof(message), " %s gives wrong answers ",
			 tier->name);
		broken_sm3.right = *tier;
		tier->blocks = broken_blocks;
		for (piece = 0; piece < ARRAY_SIZE(pieces); piece++) {
			broken_sm3.blocks = pieces[piece];
			describe("%s, %zu blocks", tier->name, pieces[piece]);
			check_equal(shim_load_module(), all ? -EIO : 0);
			check(strstr(shim_messages(), message));
			check_equal(count_sm3(tier), 0);
			check_equal(count_sm3(&sm3_generic), !all);
			/* nor does authenc take it */
			check(all || sm3_best_tier() != tier);
			check_equal(count_registered(NULL, "xts(sm4)") > 0,
				    !all);
			shim_reset();
		}
		*tier = broken_sm3.right;
	}
}

/*
 * The only tier of SM4 that is asked for is wrong, which fallback_only does not hide:
 * SM3 is there, and SM4 is not.
 */
static void test_only_tier_is_wrong(const void *argument)
{
	struct sm4_tier *tier = NULL;
	unsigned int i;

	(void)argument;
	for (i = 1; i < sm4_tier_count; i++) {
		if (sm4_tier_usable(sm4_tiers[i]))
			tier = changeable(sm4_tiers[i], sizeof(*tier));
	}
	if (!tier)
		skip_case("this CPU has no vector tier");
	broken.right = *tier;
	check(break_function(tier, SM4_ECB));
	shim_set_parameter("tiers", tier->name);
	shim_set_parameter("fallback_only", "Y");
	check_equal(shim_load_module(), 0);
	check(strstr(shim_messages(), "gives wrong answers"));
	check_equal(count_registered(NULL, "ecb(sm4)"), 0);
	check(count_sm3(NULL));
	shim_unload_module();
	*tier = broken.right;
	check_equal(shim_load_module(), 0);
	check(count_registered(tier, "xts(sm4)"));
}

/* ---- FPU sections ---- */

/*
 * A tier that does the C tier's work and counts bytes: no section may have more
 * than SM4_SECTION_SIZE of them, SM4_CHAIN_SECTION_SIZE for a serial chain, and
 * none may be outside of a section.
 */
static unsigned long spied_section;
static size_t spied_crypt_bytes, spied_mac_bytes;

static void spy(size_t *bytes_of_section, size_t bytes)
{
	if (!shim_in_fpu_section())
		fail_case("a tier called outside of an FPU section");
	if (spied_section != shim_fpu_sections()) {
		spied_section = shim_fpu_sections();
		spied_crypt_bytes = 0;
		spied_mac_bytes = 0;
	}
	*bytes_of_section += bytes;
	if (*bytes_of_section > SM4_SECTION_SIZE)
		fail_case("%zu bytes in one FPU section", *bytes_of_section);
}

#define DEFINE_SPY(operation) \
static void spy_##operation(const struct sm4_round_keys *keys, u8 *dst, \
			    const u8 *src, u8 *iv, size_t bytes) \
{ \
	spy(&spied_crypt_bytes, bytes); \
	sm4_ttable.crypt[operation](keys, dst, src, iv, bytes); \
}

DEFINE_SPY(SM4_ECB)
DEFINE_SPY(SM4_CBC_ENCRYPT)
DEFINE_SPY(SM4_CBC_DECRYPT)
DEFINE_SPY(SM4_CTR)
DEFINE_SPY(SM4_XTS)
DEFINE_SPY(SM4_XTS_GB)

static void spy_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	spy(&spied_crypt_bytes, SM4_KEY_SIZE);
	sm4_ttable.key_schedule(plain, key);
}

static void spy_chain(size_t blocks)
{
	spy(&spied_mac_bytes, blocks * BLOCK);
	if (spied_mac_bytes > SM4_CHAIN_SECTION_SIZE)
		fail_case("%zu bytes of CBC-MAC in one FPU section",
			  spied_mac_bytes);
}

static void spy_cbc_mac(const struct sm4_round_keys *keys, u8 *mac,
			const u8 *src, size_t blocks)
{
	spy_chain(blocks);
	sm4_ttable.cbc_mac(keys, mac, src, blocks);
}

static void spy_ccm_crypt(const struct sm4_round_keys *keys, u8 *dst,
			  const u8 *src, struct sm4_ccm_state *state,
			  size_t blocks, bool decrypts)
{
	spy(&spied_crypt_bytes, blocks * BLOCK);
	spy_chain(blocks);
	sm4_ttable.ccm_crypt(keys, dst, src, state, blocks, decrypts);
}

static void spy_ghash_set_key(struct sm4_ghash_key *key, const u8 *h,
			      unsigned int powers)
{
	spy(&spied_mac_bytes, powers * BLOCK);
	sm4_ttable.ghash_set_key(key, h, powers);
}

static void spy_ghash(const struct sm4_ghash_key *key, u8 *hash, const u8 *src,
		      size_t blocks)
{
	spy(&spied_mac_bytes, blocks * BLOCK);
	sm4_ttable.ghash(key, hash, src, blocks);
}

#define DEFINE_GCM_SPY(operation) \
static void spy_##operation(const struct sm4_gcm_key *key, u8 *dst, \
			    const u8 *src, struct sm4_gcm_state *state, \
			    size_t bytes, unsigned int part) \
{ \
	spy(&spied_crypt_bytes, bytes); \
	sm4_ttable.operation(key, dst, src, state, bytes, part); \
}

DEFINE_GCM_SPY(gcm_encrypt)
DEFINE_GCM_SPY(gcm_decrypt)

static const struct sm4_tier spy_tier = {
	.name = "spy",
	.priority = 1000,
	.key_schedule = spy_key_schedule,
	.crypt = {
		[SM4_ECB] = spy_SM4_ECB,
		[SM4_CBC_ENCRYPT] = spy_SM4_CBC_ENCRYPT,
		[SM4_CBC_DECRYPT] = spy_SM4_CBC_DECRYPT,
		[SM4_CTR] = spy_SM4_CTR,
		[SM4_XTS] = spy_SM4_XTS,
		[SM4_XTS_GB] = spy_SM4_XTS_GB,
	},
	.cbc_mac = spy_cbc_mac,
	.ccm_crypt = spy_ccm_crypt,
	.ghash_set_key = spy_ghash_set_key,
	.ghash = spy_ghash,
	.ghash_powers = 1,
	.gcm_encrypt = spy_gcm_encrypt,
	.gcm_decrypt = spy_gcm_decrypt,
};

#define LONG_BYTES	50000

static u8 long_text[LONG_BYTES + TAG_MAX], long_aad[LONG_BYTES];

static void compute_mac(const struct crypto_alg *alg, u8 *key, size_t bytes)
{
	struct crypto_shash *tfm =
		crypto_alloc_shash(alg->cra_driver_name, 0, 0);
	struct shash_desc *desc = malloc(sizeof(*desc) +
					 crypto_shash_descsize(tfm));
	unsigned long sections;
	u8 mac[BLOCK];

	desc->tfm = tfm;
	check_equal(crypto_shash_setkey(tfm, key, SM4_KEY_SIZE), 0);
	sections = shim_fpu_sections();
	check_equal(crypto_shash_digest(desc, long_text, bytes, mac), 0);
	check_equal(shim_fpu_sections() - sections,
		    DIV_ROUND_UP(bytes, SM4_CHAIN_SECTION_SIZE));
	free(desc);
	crypto_free_shash(tfm);
}

static void encrypt_long_skcipher(const struct crypto_alg *alg, u8 *key, u8 *iv)
{
	const struct skcipher_mode *mode = find_skcipher_mode(alg->cra_name);
	struct crypto_skcipher *tfm =
		crypto_alloc_skcipher(alg->cra_driver_name, 0, 0);
	struct skcipher_request request = { 0 };
	struct scatterlist sg;

	sg_init_one(&sg, long_text, LONG_BYTES);
	skcipher_request_set_tfm(&request, tfm);
	skcipher_request_set_crypt(&request, &sg, &sg, LONG_BYTES, iv);
	check_equal(crypto_skcipher_setkey(tfm, key, mode->key_bytes), 0);
	check_equal(crypto_skcipher_encrypt(&request), 0);
	check_equal(crypto_skcipher_decrypt(&request), 0);
	crypto_free_skcipher(tfm);
}

static void encrypt_long_aead(const struct crypto_alg *alg, u8 *iv)
{
	const struct aead_mode *mode = find_aead_mode(alg->cra_name);
	struct crypto_aead *tfm =
		crypto_alloc_aead(alg->cra_driver_name, 0, 0);
	unsigned int aad_bytes = mode->is_ipsec ? 16 : LONG_BYTES;
	struct aead_request request = { 0 };
	struct aead_message message;
	struct scatterlist sg[2];

	sg_init_table(sg, 2);
	sg_set_buf(&sg[0], long_aad, aad_bytes);
	sg_set_buf(&sg[1], long_text, sizeof(long_text));
	iv[0] = 3;
	aead_request_set_tfm(&request, tfm);
	aead_request_set_ad(&request, aad_bytes);
	aead_request_set_crypt(&request, sg, sg, LONG_BYTES, iv);
	random_aead_key(mode, &message, HASH_BLOCK);
	check_equal(crypto_aead_setkey(tfm, message.key, message.key_bytes), 0);
	check_equal(crypto_aead_encrypt(&request), 0);
	crypto_free_aead(tfm);
}

static void test_section_size(const void *argument)
{
	int (*const register_all[])(const struct sm4_tier *tier) = {
		sm4_register_skciphers, sm4_register_aeads,
		sm4_register_authencs, sm4_register_macs,
	};
	unsigned int i, crossing;
	u8 key[32], iv[BLOCK];

	(void)argument;
	random_fill(key, sizeof(key));
	random_fill(iv, sizeof(iv));
	for (i = 0; i < ARRAY_SIZE(register_all); i++)
		check_equal(register_all[i](&spy_tier), 0);
	for (crossing = 0; crossing <= 1; crossing++) {
		shim_set_steps_cross_pages(crossing);
		for (i = 0; i < shim_algorithm_count(); i++) {
			const struct crypto_alg *alg = shim_algorithm(i);
			unsigned long sections = shim_fpu_sections();

			describe("%s", alg->cra_name);
			switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
			case CRYPTO_ALG_TYPE_SKCIPHER:
				encrypt_long_skcipher(alg, key, iv);
				break;
			case CRYPTO_ALG_TYPE_AEAD:
				encrypt_long_aead(alg, iv);
				break;
			default:
				compute_mac(alg, key, LONG_BYTES);
			}
			check(shim_fpu_sections() > sections +
			      LONG_BYTES / SM4_SECTION_SIZE);
		}
	}
	sm4_unregister_all();
	check_equal(shim_algorithm_count(), 0);
}

/* Seal and open a message with its AAD apart, in one section each. */
static void check_one_section(const struct crypto_alg *alg, u8 *key, u8 *iv,
			      unsigned int text_bytes)
{
	const struct aead_mode *mode = find_aead_mode(alg->cra_name);
	struct crypto_aead *tfm =
		crypto_alloc_aead(alg->cra_driver_name, 0, 0);
	const unsigned int aad_bytes = 20;
	struct aead_request request = { 0 };
	struct scatterlist sg[3];
	unsigned long sections;

	describe("%s of %u bytes", alg->cra_name, text_bytes);
	sg_init_table(sg, 3);
	sg_set_buf(&sg[0], long_aad, 8);
	sg_set_buf(&sg[1], long_aad + 8, aad_bytes - 8);
	sg_set_buf(&sg[2], long_text, text_bytes + BLOCK);
	iv[0] = 3;
	aead_request_set_tfm(&request, tfm);
	aead_request_set_ad(&request, aad_bytes);
	check_equal(crypto_aead_setkey(tfm, key, mode->key_bytes), 0);
	sections = shim_fpu_sections();
	aead_request_set_crypt(&request, sg, sg, text_bytes, iv);
	check_equal(crypto_aead_encrypt(&request), 0);
	check_equal(shim_fpu_sections() - sections, 1);
	aead_request_set_crypt(&request, sg, sg, text_bytes + BLOCK, iv);
	check_equal(crypto_aead_decrypt(&request), 0);
	check_equal(shim_fpu_sections() - sections, 2);
	crypto_free_aead(tfm);
}

/* The vector unit is taken once for a short message, of modes with a MAC. */
static void test_short_messages(const void *argument)
{
	unsigned int i, bytes;
	u8 key[32], iv[BLOCK];

	(void)argument;
	random_fill(key, sizeof(key));
	random_fill(iv, sizeof(iv));
	check_equal(sm4_register_aeads(&spy_tier), 0);
	check_equal(sm4_register_macs(&spy_tier), 0);
	for (i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		for (bytes = 1; bytes <= 200; bytes++) {
			if ((alg->cra_flags & CRYPTO_ALG_TYPE_MASK) ==
			    CRYPTO_ALG_TYPE_AEAD)
				check_one_section(alg, key, iv, bytes);
			else
				compute_mac(alg, key, bytes);
		}
	}
	sm4_unregister_all();
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
	const struct sm4_tier *tier = NULL;
	struct aead_message message = {
		.text = text, .text_bytes = sizeof(text), .tag_bytes = BLOCK,
	};
	struct aead_request request = { 0 };
	u8 tag[BLOCK], right[BLOCK];
	struct crypto_aead *tfm;
	char name[64];
	int i;

	(void)argument;
	for (i = 0; i < (int)sm4_tier_count; i++) {
		if (sm4_tier_usable(sm4_tiers[i]))
			tier = sm4_tiers[i];
	}
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

static unsigned long fpu_fallbacks(void)
{
	return strtoul(shim_computed_parameter("fpu_fallbacks"), NULL, 10);
}

static unsigned long fpu_fallbacks_of(const struct sm4_tier *tier)
{
	unsigned long before = fpu_fallbacks();

	sm4_end(sm4_begin(tier));
	return fpu_fallbacks() - before;
}

/* SM3 has no tables: its C code is no loss but of speed. */
static unsigned long fpu_fallbacks_of_hashing(const struct sm3_tier *tier)
{
	unsigned long before = fpu_fallbacks();
	struct sm3_message message;
	u8 digest[SM3_DIGEST_SIZE];

	sm3_message_begin(&message);
	sm3_message_end(tier, &message, NULL, 0, digest);
	return fpu_fallbacks() - before;
}

static void test_fpu_fallbacks(const void *argument)
{
	(void)argument;
	check_equal(shim_set_computed_parameter("fpu_fallbacks", "0"), -EINVAL);
	check_equal(fpu_fallbacks(), 0);
	check_equal(fpu_fallbacks_of(&spy_tier), 0);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	shim_set_simd_policy(SIMD_NEVER);
	check_equal(fpu_fallbacks_of(&spy_tier), 1);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	check_equal(fpu_fallbacks_of_hashing(sm3_tiers[1]), 0);
	shim_set_simd_policy(SIMD_ALWAYS);
	check_equal(fpu_fallbacks_of(&spy_tier), 0);
	shim_set_parameter("fallback_only", "Y");
	check_equal(fpu_fallbacks_of(&spy_tier), 1);
}

/* As many tiers as there can be, all of which offer everything */
static void test_most_tiers(const void *argument)
{
	static struct sm4_tier many[SM4_TIERS_MAX];
	static char names[SM4_TIERS_MAX][16];
	unsigned int i, n;

	(void)argument;
	for (i = 0; i < SM4_TIERS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "spy%u", i);
		many[i] = spy_tier;
		many[i].name = names[i];
		check_equal(sm4_register_skciphers(&many[i]), 0);
		check_equal(sm4_register_aeads(&many[i]), 0);
		check_equal(sm4_register_authencs(&many[i]), 0);
		check_equal(sm4_register_macs(&many[i]), 0);
	}
	for (i = 0; i < SM4_TIERS_MAX; i++) {
		describe("tier %u of %u", i, SM4_TIERS_MAX);
		for (n = 0; n < ARRAY_SIZE(algorithms); n++)
			check_equal(count_registered(&many[i], algorithms[n]),
				    1);
		check_equal(count_registered(&many[i], "cmac(sm4)"), 1);
	}
	sm4_unregister_all();
	check_equal(shim_algorithm_count(), 0);
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	/* First, while there cannot have been one */
	add_case(test_fpu_fallbacks, NULL, "/loading/parameter fpu_fallbacks");
	add_case(test_names, NULL, "/loading/names, aliases, properties");
	add_case(test_aliases, NULL, "/loading/aliases of drivers");
	add_case(test_priorities, NULL, "/loading/faster tiers come first");
	add_case(test_above_templates, NULL, "/loading/above templates");
	add_case(test_preferred_vectors, NULL, "/loading/preferred vectors");
	add_case(test_beside_gmi, NULL, "/loading/beside Zhaoxin's GMI");
	add_case(test_composites_beside_gmi, NULL,
		 "/loading/composites beside Zhaoxin's GMI");
	add_case(test_fips, NULL, "/loading/FIPS mode");
	add_case(test_failing_registrations, NULL,
		 "/loading/a registration fails");
	add_case(test_no_memory_for_drivers, NULL,
		 "/loading/no memory for a driver");
	add_case(test_no_registration, NULL, "/loading/no registration works");
	add_case(test_taken_name, NULL, "/loading/a name is taken");
	add_case(test_tiers_parameter, NULL, "/loading/parameter tiers");
	add_case(test_tiers_of_sm3, NULL,
		 "/loading/parameter tiers, of SM3");
	add_case(test_unknown_tiers, NULL, "/loading/unknown tiers");
	add_case(test_no_known_tier, NULL, "/loading/no known tier");
	add_case(test_unusable_tier, NULL, "/loading/unusable tier");
	add_case(test_features, NULL, "/loading/CPU features");
	add_case(test_features_of_sm3, NULL, "/loading/CPU features, of SM3");
	add_case(test_without_gcm, NULL, "/loading/without GCM's features");
	add_case(test_without_cbc_sm3, NULL,
		 "/loading/without what SM3 beside CBC needs");
	add_case(test_wrong_answers, NULL, "/loading/wrong answers");
	add_case(test_wrong_sm3, NULL, "/loading/wrong answers of SM3");
	add_case(test_only_tier_is_wrong, NULL,
		 "/loading/wrong answers of the only tier");
	add_case(test_most_tiers, NULL, "/loading/most tiers");
	add_case(test_section_size, NULL, "/loading/size of FPU sections");
	add_case(test_short_messages, NULL,
		 "/loading/one FPU section for a short message");
	add_case(test_long_text, NULL, "/loading/a text of half a GiB");
	return run_cases();
}
