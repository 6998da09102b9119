// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Loading and unloading the module: what is registered and under which names,
 * module parameters, failures half way; and the longest request.
 */
#include <errno.h>
#include "core/sm4-fast-modes.h"
#include "reference.h"
#include "registered.h"

/* ---- what is registered ---- */

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
	const struct mode *mode = find_mode(alg->cra_name);
	const struct skcipher_alg *skcipher;
	const struct aead_alg *aead;

	describe("%s", alg->cra_driver_name);
	/* Who asks for either name gets the module. */
	check(shim_has_alias(alg->cra_name));
	check(shim_has_alias(alg->cra_driver_name));
	check(alg->cra_module == THIS_MODULE);
	if (mode->where == C_TIER)
		check_equal(alg->cra_priority, CIPHER_PRIORITY);
	else
		check(alg->cra_priority > (is_hash(mode->name) ? SM3_GENERIC_PRIORITY :
								 GENERIC_PRIORITY));
	check_equal(alg->cra_blocksize, mode->block_bytes);
	check_equal(alg->cra_alignmask, 0);
	check(!(alg->cra_flags & ~CRYPTO_ALG_TYPE_MASK));
	switch (alg->cra_flags) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		skcipher = container_of(alg, struct skcipher_alg, base);
		check_equal(skcipher->chunksize, BLOCK);
		check_equal(skcipher->ivsize, mode->iv_bytes);
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		aead = container_of(alg, struct aead_alg, base);
		check_equal(aead->chunksize, BLOCK);
		check_equal(aead->ivsize, mode->iv_bytes);
		check_equal(aead->maxauthsize, is_authenc(mode) ? TAG_MAX : BLOCK);
		break;
	}
}

/*
 * What the kernel's template authenc makes of one of our drivers of CBC and one of
 * SM3 has ten times the priority of the one and that of the other: ours comes first.
 */
static void check_above_templates(const struct sm4_tier_base *tier)
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
	for (unsigned int i = 0; sm4_tiers[i]; i++) {
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
static void check_priorities(const struct sm4_tier_base *const *tiers, int least, int most)
{
	for (unsigned int i = 0; tiers[i]; i++) {
		describe("%s", tiers[i]->name);
		check_equal(documented_priority(tiers[i]->name), tiers[i]->priority);
		check(!i || tiers[i]->priority >= tiers[i - 1]->priority + 10);
		check(i ? tiers[i]->priority > most : tiers[i]->priority <= least);
	}
}

static void test_priorities(const void *argument)
{
	check_priorities(sm4_tiers, LEAST_VECTOR_PRIORITY - 1, MOST_VECTOR_PRIORITY);
	check_priorities(sm3_tiers, SM3_VECTOR_PRIORITY, SM3_VECTOR_PRIORITY);
}

/*
 * Where 64-byte vectors cost more than they give, a tier of them comes just below the
 * tier of 32-byte ones that it names.
 */
static void test_preferred_vectors(const void *argument)
{
	for (unsigned int i = 0; sm4_tiers[i]; i++)
		check_equal(sm4_tier_priority(sm4_tiers[i]), sm4_tiers[i]->priority);
	shim_set_feature(X86_FEATURE_PREFER_YMM, true);
	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		const struct sm4_tier_base *tier = sm4_tiers[i];
		int priority = sm4_tier_priority(tier);

		describe("%s", tier->name);
		if (!tier->ymm_tier) {
			check_equal(priority, tier->priority);
			continue;
		}
		check(!tier->ymm_tier->ymm_tier && priority < tier->ymm_tier->priority);
		for (unsigned int j = 0; sm4_tiers[j]; j++)
			check(sm4_tiers[j] == tier ||
			      sm4_tier_priority(sm4_tiers[j]) < priority ||
			      sm4_tier_priority(sm4_tiers[j]) >= tier->ymm_tier->priority);
	}
}

/* Zhaoxin's GMI: CPUID.(0xC0000001).EDX, bits 4 and 5 */
#define GMI_PRESENT	(5 * 32 + 4)
#define GMI_ENABLED	(5 * 32 + 5)

#define GMI_DRIVER	"ecb-sm4-gmi"

/* So much of GMI as the module finds when it is loaded */
struct gmi {
	bool present, enabled;
	const char *driver, *tiers;
};

static const struct gmi gmi = { true, true, GMI_DRIVER };

static void set_gmi(const struct gmi *found)
{
	shim_set_feature(GMI_PRESENT, found->present);
	shim_set_feature(GMI_ENABLED, found->enabled);
	shim_set_vendors_driver(found->driver);
}

/* Whether the module's drivers then have other priorities than their tiers */
static bool is_beside(const struct gmi *found)
{
	bool is;

	set_gmi(found);
	load(found->tiers);
	is = find("ttable", "ecb(sm4)").priority != sm4_ttable.base.priority;
	unload();
	return is;
}

static int priority_beside_gmi(const struct sm4_tier_base *tier)
{
	int priority;

	sm4_beside_gmi = true;
	check_equal(sm4_register_modes(sm4_skcipher_modes, to_sm4_tier(tier), NULL), 0);
	priority = find(tier->name, "ecb(sm4)").priority;
	sm4_unregister_all();
	return priority;
}

/*
 * Beside GMI, all tiers come after its drivers, in the order that they have without
 * it; unless the user names them, or the kernel has no driver for GMI.
 */
static void test_beside_gmi(const void *argument)
{
	static const struct gmi others[] = {
		{ false, false }, { true, false, GMI_DRIVER }, { false, true, GMI_DRIVER },
		{ true, true, GMI_DRIVER, "ttable" }, { true, true },
		{ true, true, "ecb-sm4-ccp" },
	};
	const struct sm4_tier_base *tier;

	check(is_beside(&gmi));
	for (unsigned int n = 0; n < ARRAY_SIZE(others); n++)
		check(!is_beside(&others[n]));
	/* docs/tiers.md names the first one. */
	check_equal(priority_beside_gmi(sm4_tiers[0]), 251);
	for (unsigned int n = 0; n < 2; n++) {
		shim_set_feature(X86_FEATURE_PREFER_YMM, n);
		for (unsigned int i = 0; (tier = sm4_tiers[i]); i++) {
			const int priority = priority_beside_gmi(tier);

			describe("%s", tier->name);
			check(priority > GENERIC_PRIORITY && priority < LEAST_GMI_PRIORITY);
			for (unsigned int j = 0; j < i; j++)
				check_equal(priority > priority_beside_gmi(sm4_tiers[j]),
					    sm4_tier_priority(tier) >
					    sm4_tier_priority(sm4_tiers[j]));
		}
	}
}

/*
 * Beside GMI, the composites are left to the kernel's templates, which make them of
 * GMI's drivers; unless the user names tiers. The bare cipher stays below sm4-generic.
 */
static void test_composites_beside_gmi(const void *argument)
{
	set_gmi(&gmi);
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

	/* With only unknown names, it registers the default tiers. */
	load("nonsense");
	check_equal(find(NULL, "gcm(sm4)").count, 0);
	unload();

	load("ttable");
	check_registered(BIT(0), USUAL_TIERS);
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

	/* A user who has the kernel ask for it again and again does not fill the log. */
	fips_enabled = 1;
	shim_ratelimit_allows = false;
	check_equal(shim_load_module(), -ECANCELED);
	check_log(shim_messages(), NULL);
	shim_reset();
	check_loading();
}

/*
 * Registration number n fails, for each n, or the memory for it: the others are there, and the log
 * says what is not. The shim has somebody use each algorithm from its registration on.
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
	check_equal(find(fastest->base.name, "ecb(sm4)").count, 0);
	check_equal(find(fastest->base.name, "cbc(sm4)").count, 1);
	check_equal(find("ttable", "ecb(sm4)").count, 1);
	wrong_tier = fastest;
	check_equal(find(fastest_with(NULL)->base.name, "ecb(sm4)").count, 1);
	wrong_tier = NULL;
	unload();
}

/* No registration succeeds: loading fails, by the error that they all had. */
static void test_no_registration(const void *argument)
{
	shim_fail_all_registrations();
	shim_set_parameter("batch", "Y");
	check_equal(shim_load_module(), -ENOMEM);
	check_log(shim_messages(), fastest_with(NULL)->base.name);
	shim_reset();
	check_loading();
}

/* A driver that the kernel holds for good stops rmmod for some seconds only, and is named. */
static void test_held(const void *argument)
{
	load("ttable");
	shim_hold_for_good();
	unload();
	check_log(shim_messages(),
		  "ecb-sm4-ttable-fast is unregistered although the kernel still holds it\n");
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

/* Nothing is left: the default tiers are registered, and the last name's message says so. */
static void check_no_tiers(const char *tiers, const char *obstacle)
{
	char message[128];

	snprintf(message, sizeof(message),
		 "is left out: %s; the default ones are registered\n", obstacle);
	check_tiers(tiers, USUAL_TIERS, USUAL_TIERS, message);
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

	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		if (!sm4_tier_usable(sm4_tiers[i]))
			continue;
		strcat(list, i ? "," : "");
		strcat(list, sm4_tiers[i]->name);
		check_tiers(sm4_tiers[i]->name, BIT(i), USUAL_TIERS, NULL);
	}
	for (unsigned int i = 0; sm3_tiers[i]; i++) {
		if (sm4_tier_usable(sm3_tiers[i]))
			check_tiers(sm3_tiers[i]->name, USUAL_TIERS, BIT(i), NULL);
	}
	check_tiers(list, ALL_TIERS, USUAL_TIERS, NULL);
	check_tiers("all", ALL_TIERS, ALL_TIERS, NULL);
	check_tiers("ttable,all", ALL_TIERS, ALL_TIERS, NULL);
	check_tiers("ttable,ttable", BIT(0), USUAL_TIERS, NULL);
	check_tiers("sm3-generic,ttable", BIT(0), BIT(0), NULL);
	check_tiers("nonsense,ttable", BIT(0), USUAL_TIERS,
		    "\"nonsense\" is left out: unknown\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(unknown); i++)
		check_tiers(unknown[i], BIT(0), USUAL_TIERS, "left out: unknown\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(none); i++)
		check_no_tiers(none[i], "unknown");
}

/* A tier that this CPU cannot run is left out as an unknown one is. */
static void check_unusable(const char *tier, const char *other, u16 feature,
			   unsigned long of_sm4, unsigned long of_sm3)
{
	char list[64], complaint[96];

	check(feature);
	snprintf(list, sizeof(list), "%s,%s", tier, other);
	snprintf(complaint, sizeof(complaint),
		 "\"%s\" is left out: not for this CPU\n", tier);
	shim_set_feature(feature, false);
	check_tiers(list, of_sm4, of_sm3, complaint);
	shim_set_feature(feature, false);
	check_no_tiers(tier, "not for this CPU");
}

static void test_unusable_tier(const void *argument)
{
	const struct sm4_tier_base *tier = sm4_tiers[1], *hash = sm3_tiers[1];

	check_unusable(tier->name, "ttable", tier->features[0], BIT(0), USUAL_TIERS);
	check_unusable(tier->name, "sm3-generic", tier->features[0], USUAL_TIERS,
		       BIT(0));
	check_unusable(hash->name, "sm3-generic", hash->features[0], USUAL_TIERS,
		       BIT(0));
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
	check_equal(sm4_register_modes(sm4_aead_modes, tier, NULL), 0);
	snprintf(name, sizeof(name), "gcm-sm4-%s-fast", tier->base.name);
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
		{ test_priorities, "faster tiers come first" },
		{ test_preferred_vectors, "preferred vectors" },
		{ test_beside_gmi, "beside Zhaoxin's GMI" },
		{ test_composites_beside_gmi, "composites beside Zhaoxin's GMI" },
		{ test_fips, "FIPS mode" },
		{ test_failing_registrations, "a registration fails" },
		{ test_no_memory_for_drivers, "no memory for a driver" },
		{ test_next_tier, "the next tier takes a place" },
		{ test_no_registration, "no registration works" },
		{ test_held, "drivers that the kernel holds" },
		{ test_tiers_parameter, "parameter tiers" },
		{ test_unusable_tier, "unusable tier" },
		{ test_long_text, "a text of half a GiB" },
	};
	size_t i;

	start_cases(&argc, &argv);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		add_case(cases[i].function, NULL, "/loading/%s", cases[i].name);
	return run_cases();
}
