// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The rules of FPU sections: the maximum work in one, that no work is outside of one, and
 * the counter of cases where there cannot be one.
 */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "stand-in.h"
#include "sm3/sm3-message.h"

/* In addition to its bytes, a request may have a tweak, and a block that is processed twice. */
#define MORE_BYTES	(2 * BLOCK)

/* Lanes may have more bytes, each of which takes at most a fifth of the time in a chain. */
#define LANE_BYTES	16384

/* The fastest tiers. That of SM3 is watched in all cases, and those of SM4 in turn. */
static const struct sm4_tier *tier;
static const struct sm3_tier *sm3_tier;

/* Number of calls of their functions since the start of the last request */
static unsigned int calls;

/* Whether lanes have encrypted, and whether they have hashed */
static bool lanes_used[2];

static size_t limit_of(const struct tier_call *call)
{
	if (call->lanes)
		return LANE_BYTES;
	if (call->is_chain)
		return SM4_CHAIN_SECTION_SIZE;
	return call->member == SM3_BLOCKS ? SM3_SECTION_SIZE : SM4_SECTION_SIZE + MORE_BYTES;
}

/* No section may have more bytes than sm4-fast.h allows, and no call may be outside of one. */
static void watch(const struct tier_call *call)
{
	static size_t bytes, ghash_bytes;
	static unsigned long section;
	const bool is_ghash = call->member == SM4_MEMBER(ghash) ||
			      call->member == SM4_MEMBER(ghash_set_key);
	size_t *sum = is_ghash ? &ghash_bytes : &bytes;

	calls++;
	lanes_used[call->member == SM4_MEMBER(sm3_lanes)] |= call->lanes;
	if (!shim_in_fpu_section())
		fail_case("a tier called outside of an FPU section");
	if (section != shim_fpu_sections()) {
		section = shim_fpu_sections();
		bytes = 0;
		ghash_bytes = 0;
	}
	*sum += call->bytes * (call->lanes ?: 1);
	if (*sum > limit_of(call))
		fail_case("%zu bytes%s in one FPU section", *sum, is_ghash ? " of GHASH" : "");
}

/* A tier's row is constant, but not in these programs (the Makefile). */
static void find_tiers(void)
{
	const struct sm4_tier_set *set = &sm4_tier_sets[OF_SM4];

	sm4_detect_tiers();
	tier = to_sm4_tier(sm4_tier_below(set, INT_MAX, set->ready));
	sm3_tier = sm3_best_tier();
	sm3_stand_in_for((struct sm3_tier *)sm3_tier);
	stand_in.before = watch;
}

/* Load the module for a watched tier, and run this for each of its drivers. */
static void try_drivers_of(const struct sm4_tier *of,
			   void function(const struct mode *mode, void *tfm))
{
	static struct sm4_tier *watched;
	char names[64];

	if (watched)
		*watched = stand_in.tier;
	watched = (struct sm4_tier *)of;
	stand_in_for(watched);
	snprintf(names, sizeof(names), "%s,%s", of->base.name, sm3_tier->base.name);
	shim_set_parameter("tiers", names);
	check_equal(shim_load_module(), 0);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);
		void *tfm = shim_allocate_transform(alg->cra_driver_name);

		function(find_mode(alg->cra_name), tfm);
		shim_free_transform(tfm);
	}
	shim_unload_module();
}

static void try_drivers(void function(const struct mode *mode, void *tfm))
{
	const struct sm4_tier_set *set = &sm4_tier_sets[OF_SM4];
	unsigned long ready = set->ready;

	if (tier == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	for (unsigned int i = 0; set->tiers[i]; i++)
		if (ready & BIT(i) && set->tiers[i]->features[0])
			try_drivers_of(to_sm4_tier(set->tiers[i]), function);
}

/* ---- requests ---- */

/* Returns the number of sections for a request. */
static unsigned long sections_of(struct trial *r, void *tfm, const struct placement *placement)
{
	static struct contents contents;
	unsigned long before;

	describe("%s on %s of %u bytes", r->mode->name, stand_in.tier.base.name, r->traits[TEXT]);
	prepare_trial(r, &contents);
	check_equal(set_keys(r, &contents, tfm), 0);
	before = shim_fpu_sections();
	calls = 0;
	check_equal(ask(r, &contents, tfm, placement), right_answer(r));
	return shim_fpu_sections() - before;
}

/* Requests of all kinds, anywhere in memory: watch() checks them. */
static void try_random_requests(const struct mode *mode, void *tfm)
{
	struct trial r;

	for (int n = 0; n < 60; n++) {
		random_trial(&r, mode);
		sections_of(&r, tfm, &placements[random_below(PLACEMENTS_WITHOUT_PARTS)]);
	}
}

static void test_random_requests(const void *argument)
{
	try_drivers(try_random_requests);
}

/*
 * There is one section for a short message with a tag, and for a text that fits into a
 * section; to decrypt whole blocks, one call in it, after the tweak of XTS. ESP's MAC has
 * sections of its own, and the C tier's chains, for a tier without them, have none.
 */
static void check_one_section(const struct mode *mode, void *tfm)
{
	const struct placement *flat = &flat_placements[random_below(FLAT_PLACEMENTS)];
	const bool has_tag = mode->kind == AEAD;
	struct trial r;

	if (mode->kind == MAC || is_authenc(mode) || !stand_in.tier.cbc_mac)
		return;
	for (size_t bytes = 1; bytes <= (has_tag ? 200 : SM4_CHAIN_SECTION_SIZE); bytes++) {
		if (!is_legal_text(mode, bytes))
			continue;
		usual_trial(&r, mode);
		r.traits[TEXT] = bytes;
		check_equal(sections_of(&r, tfm, flat), 1);
		r.open = true;
		check_equal(sections_of(&r, tfm, flat), 1);
		if (!has_tag && bytes % BLOCK == 0)
			check_equal(calls, mode->key_bytes == 2 * BLOCK ? 2 : 1);
	}
}

static void test_one_section(const void *argument)
{
	try_drivers(check_one_section);
}

static void digest(struct crypto_shash *tfm, size_t bytes)
{
	static const u8 text[50000];
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 result[HASH_MAX_DIGESTSIZE];

	check_equal(crypto_shash_digest(desc, text, bytes, result), 0);
	memory_free(desc);
}

/* Sections have full length as long as there is enough text; a short message has one. */
static void check_mac(const struct mode *mode, void *tfm)
{
	static const u8 key[BLOCK];
	unsigned long before;

	if (mode->kind != MAC)
		return;
	if (has_key(mode))
		check_equal(set_key(mode, tfm, key, BLOCK), 0);
	for (size_t bytes = 1; bytes <= 50000; bytes += bytes < 200 ? 1 : bytes / 7) {
		describe("%s of %zu bytes", mode->name, bytes);
		before = shim_fpu_sections();
		digest(tfm, bytes);
		/* SM3 pads with 10...0 and the length. */
		check_equal(shim_fpu_sections() - before, is_hash(mode->name) ?
			    DIV_ROUND_UP(round_up(bytes + 9, SM3_BLOCK_SIZE), SM3_SECTION_SIZE) :
			    DIV_ROUND_UP(bytes, SM4_CHAIN_SECTION_SIZE));
	}
}

static void test_macs(const void *argument)
{
	try_drivers(check_mac);
}

/* Random requests with softirqs off: drivers for several at once have to use lanes. */
static void try_burst(const struct mode *mode, void *tfm)
{
	static struct async_request requests[SM4_LANES];
	struct keyed_aead aead;
	bool queued = false;

	if (!is_authenc(mode))
		return;
	memset(lanes_used, 0, sizeof(lanes_used));
	set_random_key(&aead, mode, tfm);
	for (int n = 0; n < 20; n++) {
		shim_enter(0, true);
		for (unsigned int i = 0; i < SM4_LANES; i++) {
			random_trial(&requests[i].trial, mode);
			async_prepare(&requests[i], &aead, &placements[random_below(PLACEMENTS)]);
			queued |= async_submit(&requests[i]) == -EINPROGRESS;
		}
		shim_run_softirqs(0);
		shim_enter(0, false);
		for (unsigned int i = 0; i < SM4_LANES; i++)
			async_check(&requests[i], "a request of a burst");
	}
	check(!queued || (lanes_used[0] && lanes_used[1]));
}

static void test_lanes(const void *argument)
{
	shim_set_parameter("batch", "Y");
	try_drivers(try_burst);
}

/* ---- the counter ---- */

static unsigned long fpu_fallbacks(void)
{
	return strtoul(shim_computed_parameter("fpu_fallbacks"), NULL, 10);
}

static unsigned long fpu_fallbacks_of(const struct sm4_tier *wanted)
{
	unsigned long before = fpu_fallbacks();

	sm4_end(sm4_begin(wanted));
	return fpu_fallbacks() - before;
}

/* SM3 has no tables: its C code is slower, but also constant time. */
static unsigned long fpu_fallbacks_of_hashing(void)
{
	unsigned long before = fpu_fallbacks();
	struct sm3_message message;
	u8 digest[SM3_DIGEST_SIZE];

	sm3_message_begin(&message);
	sm3_message_end(sm3_tier, &message, NULL, 0, digest);
	return fpu_fallbacks() - before;
}

static void test_fpu_fallbacks(const void *argument)
{
	if (tier == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	check_equal(shim_set_computed_parameter("fpu_fallbacks", "0"), -EINVAL);
	check_equal(fpu_fallbacks(), 0);
	check_equal(fpu_fallbacks_of(tier), 0);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	shim_set_simd_policy(SIMD_NEVER);
	check_equal(fpu_fallbacks_of(tier), 1);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	check_equal(fpu_fallbacks_of_hashing(), 0);
	shim_set_simd_policy(SIMD_ALWAYS);
	check_equal(fpu_fallbacks_of(tier), 0);
	shim_set_parameter("fallback_only", "Y");
	check_equal(fpu_fallbacks_of(tier), 1);
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	find_tiers();
	/* This comes first, when there cannot have been a section. */
	add_case(test_fpu_fallbacks, NULL, "/fpu/parameter fpu_fallbacks");
	add_case(test_random_requests, NULL, "/fpu/random requests");
	add_case(test_one_section, NULL, "/fpu/one section for what fits into one");
	add_case(test_macs, NULL, "/fpu/full sections of MACs");
	add_case(test_lanes, NULL, "/fpu/lanes");
	return run_cases();
}
