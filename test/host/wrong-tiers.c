// SPDX-License-Identifier: GPL-2.0
/* Tiers that give wrong answers: the module finds them when it is loaded, and leaves them out. */
#include <errno.h>
#include <sys/mman.h>
#include "drivers.h"
#include "registered.h"
#include "sm4-fast-core.h"
#include "stand-in.h"

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
	OF_ANY_LENGTH = 32, OF_ITS_DESTINATION = 64, OF_CONFUSED_IV = 128
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
	if (wrong.what == OF_CONFUSED_IV && call->function == wrong.function && is_wrong_call(call))
		swap(call->iv[-2], call->iv[-3]);
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
		 wrong.what == OF_ITS_DESTINATION ? "source" : "order of the IV's bytes",
		 names_of_calls[wrong.calls]);
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
	/* This many bytes and the mask are four groups of words of 64-byte vectors. */
	if (function == GCM_DECRYPT) {
		wrong.calls = OF_BYTES;
		wrong.bytes = 1024 - BLOCK;
		check_left_out(tier);
	}
	/* The piece of two passes of bytes, for the tweaks of the second pass */
	if (function == SM4_XTS || function == SM4_XTS_GB) {
		wrong.what = OF_CONFUSED_IV;
		wrong.calls = OF_BYTES;
		wrong.bytes = 3584;
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
		skip_case("this CPU lacks them: test/emul/build/wrong-tiers has them");
	shim_set_feature(X86_FEATURE_VAES, false);
	shim_set_feature(X86_FEATURE_GFNI, false);
	shim_set_feature(INTEL_SM4, false);
	check(!strcmp(fastest_with(NULL)->name, "cis-avx"));
	test_fastest_is_wrong(argument);
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	add_case(test_wrong_answers, NULL, "/loading/wrong answers");
	add_case(test_fastest_is_wrong, NULL, "/loading/wrong answers of the fastest tier");
	add_case(test_hygon_is_wrong, NULL, "/loading/wrong answers of Hygon's instructions");
	return run_cases();
}
