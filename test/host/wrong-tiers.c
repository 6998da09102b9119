// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Tiers that give wrong answers: the module finds them when it is loaded, and leaves them out. */
#include <errno.h>
#include "core/sm4-fast-check.h"
#include "registered.h"
#include "stand-in.h"

/* What a function makes, and in which way, as its call in a self-test shows */
enum {
	NOTHING, OUTPUT = 1, IV = 2, HASH = 4, LANES = 8, OF_ITS_DESTINATION = 16,
	OF_CONFUSED_IV = 32
};

static const char *const names_of_products[] = {
	[NOTHING] = "silence",
	[OUTPUT] = "output",
	[IV] = "IV",
	[HASH] = "hash",
	[OF_ITS_DESTINATION] = "source",
	[OF_CONFUSED_IV] = "order of the IV's bytes",
};

/* The calls in which a function is wrong */
enum calls {
	ALWAYS, LONG, OF_BYTES, THREE_OF_FOUR_32, THREE_OF_FOUR_64, PARTIAL,
	FIRST, NOT_FIRST, LAST, NOT_LAST, KINDS_OF_CALLS
};

static const char *const names_of_calls[KINDS_OF_CALLS] = {
	[ALWAYS] = "always",
	[LONG] = "of more than a pass",
	[OF_BYTES] = "of one number of bytes",
	[THREE_OF_FOUR_32] = "of three quarters of a pass of 32-byte vectors",
	[THREE_OF_FOUR_64] = "of three quarters of a pass of 64-byte vectors",
	[PARTIAL] = "of a partial block",
	[FIRST] = "of GCM's first part",
	[NOT_FIRST] = "of GCM's other parts than the first",
	[LAST] = "of GCM's last part",
	[NOT_LAST] = "of GCM's other parts than the last",
};

/*
 * One function flips a bit of what it makes, or writes NOTHING, or reads its destination, or
 * confuses two bytes of its IV.
 */
static struct {
	struct sm4_function function;
	bool decrypts;
	unsigned int what;
	enum calls calls;
	size_t bytes;
} wrong;

/* The last call of each function, to encrypt and to decrypt */
static struct tier_call calls[sizeof(struct sm4_tier) + 1][2];

static bool is_wrong(size_t member)
{
	return wrong.function.member == member;
}

static bool is_wrong_call(const struct tier_call *call)
{
	const size_t bytes = call->bytes;

	switch (wrong.calls) {
	case LONG:
		return bytes > (call->is_chain ? 512 : call->lanes ? 64 : 3072);
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

static bool is_of_function(const struct tier_call *call)
{
	return is_wrong(call->member) && call->decrypts == wrong.decrypts;
}

static u32 round_keys[SM4_ROUNDS];

static void keep(const struct tier_call *call)
{
	stand_in.reads_destination = wrong.what == OF_ITS_DESTINATION && is_of_function(call);
	if (wrong.what == OF_CONFUSED_IV && is_of_function(call) && is_wrong_call(call))
		swap(call->iv[-2], call->iv[-3]);
	if (call->member == SM4_MEMBER(key_schedule))
		memcpy(round_keys, call->output - sizeof(round_keys), sizeof(round_keys));
}

static void flip(const struct tier_call *call)
{
	calls[call->member][call->decrypts] = *call;
	if (!is_of_function(call) || !is_wrong_call(call))
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

/* Nothing is wrong yet. A tier's row is constant, but not in these programs (the Makefile). */
static struct sm4_tier *make_breakable(const struct sm4_tier *row)
{
	struct sm4_tier *tier = (struct sm4_tier *)row;

	stand_in_for(tier);
	wrong.function.member = SIZE_MAX;
	return tier;
}

/* The portable tiers have to give the standards' examples, or nothing is loaded. */
static bool fails_example(const struct sm4_tier_base *broken)
{
	if (is_wrong(SM3_BLOCKS))
		return broken == &sm3_generic.base;
	return broken == &sm4_ttable.base && wrong.calls == ALWAYS &&
	       (is_wrong(SM4_MEMBER(key_schedule)) || is_wrong(SM4_MEMBER(crypt[SM4_ECB])) ||
		is_wrong(SM4_MEMBER(ghash)));
}

static bool gives_to(const struct sm4_tier_base *wider, const struct sm4_tier_base *narrower)
{
	return !is_of_sm3(wider) && to_sm4_tier(wider)->narrower == to_sm4_tier(narrower);
}

/*
 * A tier that gives short texts to the broken one is wrong, too. What else the C tier does
 * wrong, all others are found to do, which have that function.
 */
static bool seems_wrong(const struct sm4_tier_base *tier, const struct sm4_tier_base *broken)
{
	if (gives_to(tier, broken) && wrong.calls == ALWAYS &&
	    (wrong.function.member - SM4_MEMBER(crypt) < sizeof(stand_in.tier.crypt) ||
	     is_wrong(SM4_MEMBER(gcm))))
		return true;
	if (broken != &sm4_ttable.base || fails_example(broken))
		return tier == broken;
	return tier != broken && !is_of_sm3(tier) &&
	       sm4_tier_offers(to_sm4_tier(tier), &wrong.function);
}

/* The module leaves out what seems to be wrong, and says so, and no other. */
static void check_left_out(const struct sm4_tier_base *broken)
{
	const bool all = fails_example(broken);
	const char *name = wrong.function.name;
	char way[40];

	if (wrong.function.both_ways) {
		snprintf(way, sizeof(way), "%s %s", name,
			 wrong.decrypts ? "decryption" : "encryption");
		name = way;
	}
	describe("%s, %s: wrong %s, %s", broken->name, name, names_of_products[wrong.what],
		 names_of_calls[wrong.calls]);
	if (all && is_wrong(SM4_MEMBER(key_schedule)))
		name = "ecb";
	shim_set_parameter("tiers", "all");
	check_equal(shim_load_module(), all ? -EIO : 0);
	/* Nor does authenc take it. */
	check(all || &sm3_best_tier()->base != broken);
	for (unsigned int i = 0; any_tier(i); i++) {
		const struct sm4_tier_base *tier = any_tier(i);
		bool left_out = sm4_tier_usable(tier) && seems_wrong(tier, broken);
		char message[128];

		/* Which calls a wider tier leaves to it is not asked here. */
		if (gives_to(tier, broken) && wrong.calls >= PARTIAL)
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
	shim_ratelimit_allows = false;
	check_equal(shim_load_module(), -EIO);
	check_log(shim_messages(), NULL);
	shim_reset();
}

/* Such calls are wrong in the last lane, and then in the first, if there are lanes. */
static void check_lanes_left_out(const struct sm4_tier *tier, enum calls kind, bool has_lanes)
{
	wrong.calls = kind;
	check_left_out(&tier->base);
	if (!has_lanes)
		return;
	stand_in.first_lane = true;
	check_left_out(&tier->base);
	stand_in.first_lane = false;
}

/*
 * Each function of each tier in turn makes something wrong: always, and only in calls that
 * the check would miss without one of its pieces.
 */
static void check_function(const struct sm4_tier *tier, struct sm4_function function,
			   bool decrypts)
{
	static const unsigned int products[] = { HASH, IV, OUTPUT };
	const struct tier_call *call = &calls[function.member][decrypts];
	const unsigned int makes =
		(call->output ? OUTPUT : 0) | (call->iv ? IV : 0) | (call->hash ? HASH : 0) |
		(call->lanes || (call->hash && call->output) ? LANES : 0);
	const bool gcm = function.member == SM4_MEMBER(gcm);
	const bool has_length = function.member != SM4_MEMBER(key_schedule) &&
				function.member != SM4_MEMBER(set_lane_keys);
	unsigned int i;

	wrong.function = function;
	wrong.decrypts = decrypts;
	for (i = 0; i < ARRAY_SIZE(products); i++) {
		wrong.what = products[i];
		if (!(makes & wrong.what))
			continue;
		check_lanes_left_out(tier, ALWAYS, makes & LANES);
		if (has_length)
			check_lanes_left_out(tier, LONG, makes & LANES);
	}
	wrong.what = makes & OUTPUT ? OUTPUT : IV;
	if (!call->is_chain && !(makes & LANES) && has_length) {
		for (wrong.calls = THREE_OF_FOUR_32;
		     wrong.calls <= (gcm ? NOT_LAST :
				     function.partial ? PARTIAL : THREE_OF_FOUR_64);
		     wrong.calls++)
			check_left_out(&tier->base);
	}
	/* This many bytes and the mask are four groups of words of 64-byte vectors. */
	if (gcm && decrypts) {
		wrong.calls = OF_BYTES;
		wrong.bytes = 1024 - BLOCK;
		check_left_out(&tier->base);
	}
	/* The piece of two passes of byte slices, for the tweaks of the second pass */
	if (function.tweak) {
		wrong.what = OF_CONFUSED_IV;
		wrong.calls = OF_BYTES;
		wrong.bytes = 3584;
		check_left_out(&tier->base);
	}
	wrong.calls = ALWAYS;
	/* The keys of the tier before are the same. */
	if (function.member == SM4_MEMBER(key_schedule) && tier->base.features[0]) {
		wrong.what = NOTHING;
		check_left_out(&tier->base);
	}
	if (makes & OUTPUT && has_length && function.member != SM4_MEMBER(cbc_encrypt_lanes)) {
		wrong.what = OF_ITS_DESTINATION;
		check_left_out(&tier->base);
	}
}

/* The self-test has called every function that the tier has. The other members are numbers. */
static void check_called(const struct sm4_tier *tier)
{
	describe("functions of %s that are not tested", tier->base.name);
	for (size_t i = SM4_MEMBER(key_schedule); i < sizeof(*tier); i += sizeof(void *))
		check(calls[i][0].member || !*(void *const *)((const u8 *)tier + i) ||
		      i == SM4_MEMBER(sm3_lane_count) || i == SM4_MEMBER(ghash_powers));
	check(calls[SM4_MEMBER(gcm)][1].member &&
	      (calls[SM4_MEMBER(ccm_crypt)][1].member || !tier->ccm_crypt));
	/* This is called anyway; with wrong keys, all others are wrong. */
	check_equal(sm4_functions->member, SM4_MEMBER(key_schedule));
}

static void check_tier(const struct sm4_tier *row)
{
	const struct sm4_function lane_keys = {
		"cbc encryption in lanes", SM4_MEMBER(set_lane_keys),
	};
	struct sm4_tier *tier = make_breakable(row);

	memset(calls, 0, sizeof(calls));
	shim_set_parameter("tiers", "all");
	check_equal(shim_load_module(), 0);
	shim_reset();
	if (row->base.features[0] && sm4_tier_has_gcm(row))
		check_called(tier);
	for (const struct sm4_function *function = sm4_functions; function->name; function++)
		for (int way = 0; way <= function->both_ways; way++)
			if (sm4_tier_offers(tier, function))
				check_function(tier, *function, way);
	if (tier->set_lane_keys)
		check_function(tier, lane_keys, false);
	*tier = stand_in.tier;
}

/* SM3 is tried with pieces of so many blocks; the portable tier, with the standard's example. */
static void check_sm3_tier(const struct sm3_tier *row)
{
	static const size_t pieces[] = { 1, 2, 56 };
	struct sm3_tier *tier = (struct sm3_tier *)row;

	sm3_stand_in_for(tier);
	wrong.function = (struct sm4_function){ "sm3", SM3_BLOCKS };
	wrong.decrypts = false;
	wrong.what = HASH;
	wrong.calls = OF_BYTES;
	for (unsigned int i = 0; i < (tier->base.features[0] ? ARRAY_SIZE(pieces) : 1); i++) {
		wrong.bytes = pieces[i] * SM3_BLOCK_SIZE;
		check_left_out(&tier->base);
	}
	wrong.calls = ALWAYS;
	*tier = stand_in.sm3_tier;
}

static void test_wrong_answers(const void *argument)
{
	stand_in.before = keep;
	stand_in.after = flip;
	for (unsigned int i = 0; sm4_tiers[i]; i++)
		if (sm4_tier_usable(sm4_tiers[i]))
			check_tier(to_sm4_tier(sm4_tiers[i]));
	for (unsigned int i = 0; sm3_tiers[i]; i++)
		if (sm4_tier_usable(sm3_tiers[i]))
			check_sm3_tier(to_sm3_tier(sm3_tiers[i]));
}

/*
 * The fastest tier gives wrong answers: its place goes to the next one. If it is the only tier of
 * SM4 that is asked for, which fallback_only does not hide, SM3 is there, and SM4 is not.
 */
static void test_fastest_is_wrong(const void *argument)
{
	const struct sm4_tier *fastest = fastest_with(NULL);
	struct sm4_tier *tier;

	if (fastest == &sm4_ttable)
		skip_case("this CPU has no vector tier");
	tier = make_breakable(fastest);
	stand_in.after = flip;
	wrong.function = (struct sm4_function){ "ecb", SM4_MEMBER(crypt[SM4_ECB]) };
	wrong.decrypts = false;
	wrong.what = OUTPUT;
	wrong_tier = tier;
	check_loading();
	shim_set_parameter("fallback_only", "Y");
	load(tier->base.name);
	check_log(shim_messages(), "gives wrong answers");
	check_equal(find(NULL, "ecb(sm4)").count, 0);
	check(find(NULL, "sm3").count);
	unload();
	wrong_tier = NULL;
	*tier = stand_in.tier;
	check_loading();
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_case(test_wrong_answers, NULL, "/loading/wrong answers");
	add_case(test_fastest_is_wrong, NULL, "/loading/wrong answers of the fastest tier");
	return run_cases();
}
