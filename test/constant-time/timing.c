// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the time that a function takes depends on keys and data, by the method
 * of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?",
 * DATE 2017): the time for inputs that are always the same, all zeros, beside
 * that for random ones, in random order, and Welch's t of the two. On every tier
 * that this CPU can run, with the first-level cache emptied before each call.
 *
 * Others use the machine as well. So what says that there is a difference has to
 * say so each time it is tried; noise does not. The C tier, which looks up
 * tables by secrets, shows that a difference would be seen: all blocks alike
 * touch fewer lines of the tables than random ones.
 */
#include <math.h>
#include <x86intrin.h>
#include "case.h"
#include "shim/control.h"
#include "sm4-fast-core.h"

#define BYTES		1024
#define PARTIAL_BYTES	(BYTES - 3)
#define BLOCKS		(BYTES / SM4_BLOCK_SIZE)

/*
 * What shows that tables leak is how many of their lines have to be fetched: a
 * few blocks fetch them, and any more only add other differences, which may make
 * up for that.
 */
#define TABLES_BYTES	(4 * SM4_BLOCK_SIZE)

/* Calls in one attempt; how many attempts there are, and where tables are seen */
#define CALLS		30000
#define ATTEMPTS	3
#define ATTEMPTS_TO_SEE	10

/* Of equal means, |t| is below 5 in all but one of a million attempts. */
#define LIMIT		10.0

/*
 * The longest times were disturbed by others, by an unknown amount. So
 * t is that of the fastest parts of all calls, from the first to the last tenth
 * that is named here, the one whose t is farthest from 0.
 */
#define FIRST_TENTH	2
#define LAST_TENTH	9

/* More than any first-level cache holds */
#define CACHE_BYTES	(256 * 1024)

/* What is secret of an input */
struct input {
	u8 key[SM4_KEY_SIZE];
	u8 data[BYTES];
	u8 block[SM4_BLOCK_SIZE];	/* a tweak, a chain, a hash or its key */
};

static struct {
	struct input input;
	struct sm4_gcm_key key;
	struct sm4_gcm_state state;
	struct sm4_ccm_state ccm;
	u8 iv[SM4_BLOCK_SIZE];
	enum sm4_operation operation;
} work;

typedef void tier_function(const struct sm4_tier *tier);

/*
 * A test case: a function, what is done before it, and whether its times have to
 * differ. What is done before must not depend on secrets where they must not:
 * what it leaves in the caches would be measured.
 */
struct subject {
	const struct sm4_tier *tier;
	tier_function *prepare, *function;
	enum sm4_operation operation;	/* if it is crypt() */
	bool differs;
};

static void prepare_all(const struct sm4_tier *tier)
{
	sm4_gcm_set_key(tier, &work.key, work.input.key);
}

static void prepare_hash(const struct sm4_tier *tier)
{
	tier->ghash_set_key(&work.key.hash, work.input.key, tier->ghash_powers);
}

static void set_key(const struct sm4_tier *tier)
{
	sm4_set_key(tier, &work.key.cipher, work.input.key);
}

/* Of text, in what can be seen to leak */
static size_t bytes_for(const struct sm4_tier *tier)
{
	return tier == &sm4_ttable ? TABLES_BYTES : BYTES;
}

static void crypt(const struct sm4_tier *tier)
{
	const enum sm4_operation operation = work.operation;
	const struct sm4_key *key = &work.key.cipher;
	const bool is_xts = operation == SM4_XTS || operation == SM4_XTS_GB;

	tier->crypt[operation](operation == SM4_CBC_DECRYPT ? &key->dec :
			       &key->enc, work.input.data, work.input.data,
			       is_xts ? work.input.block : work.iv,
			       operation == SM4_CTR ? PARTIAL_BYTES :
			       bytes_for(tier));
}

static void cbc_mac(const struct sm4_tier *tier)
{
	tier->cbc_mac(&work.key.cipher.enc, work.input.block, work.input.data,
		      BLOCKS);
}

/* Hashes what it will encrypt, as long as that is there. */
static void cbc_encrypt_sm3(const struct sm4_tier *tier)
{
	struct sm4_hashing hashing = { .src = work.input.data };

	tier->cbc_encrypt_sm3(&work.key.cipher.enc, work.input.data,
			      work.input.data, work.input.block,
			      BYTES / SM4_PASS_SIZE, &hashing);
}

static void ccm(const struct sm4_tier *tier)
{
	memcpy(work.ccm.mac, work.input.block, SM4_BLOCK_SIZE);
	memcpy(work.ccm.text, work.input.block, SM4_BLOCK_SIZE);
	tier->ccm_crypt(&work.key.cipher.enc, work.input.data, work.input.data,
			&work.ccm, BLOCKS, true);
}

static void ghash(const struct sm4_tier *tier)
{
	tier->ghash(&work.key.hash, work.input.block, work.input.data, BLOCKS);
}

static void ghash_set_key(const struct sm4_tier *tier)
{
	tier->ghash_set_key(&work.key.hash, work.input.block,
			    tier->ghash_powers);
}

static void gcm_encrypt(const struct sm4_tier *tier)
{
	tier->gcm(&work.key, work.input.data, work.input.data, &work.state,
		  PARTIAL_BYTES, SM4_GCM_FIRST | SM4_GCM_LAST);
}

static void gcm_decrypt(const struct sm4_tier *tier)
{
	tier->gcm(&work.key, work.input.data, work.input.data, &work.state,
		  PARTIAL_BYTES,
		  SM4_GCM_FIRST | SM4_GCM_LAST | SM4_GCM_DECRYPTS);
}

/* ---- measuring ---- */

static void empty_cache(void)
{
	static u8 memory[CACHE_BYTES];
	size_t i;

	for (i = 0; i < CACHE_BYTES; i += 64)
		asm volatile("" : "+r" (memory[i]));
}

static u64 time_stamp(void)
{
	unsigned int processor;
	u64 now;

	_mm_lfence();
	now = __rdtscp(&processor);
	_mm_lfence();
	return now;
}

/* Zeros or random bytes, by the same instructions on the same memory */
static void make_input(u8 mask)
{
	u8 *byte = (u8 *)&work.input;
	size_t i;

	random_fill(byte, sizeof(work.input));
	for (i = 0; i < sizeof(work.input); i++)
		byte[i] &= mask;
}

static u64 time_call(const struct subject *subject, u8 mask)
{
	u64 start;

	make_input(mask);
	subject->prepare(subject->tier);
	memset(&work.state, 0, sizeof(work.state));
	memset(work.iv, 0, sizeof(work.iv));
	work.operation = subject->operation;
	empty_cache();
	start = time_stamp();
	subject->function(subject->tier);
	return time_stamp() - start;
}

static int compare_times(const void *a, const void *b)
{
	const u64 *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* Welch's t of the two kinds, without the times above the limit */
static double welch_t(const u64 *times, const u8 *kinds, u64 limit)
{
	double count[2] = { 0 }, mean[2] = { 0 }, squares[2] = { 0 };
	double variance = 0;
	int i;

	for (i = 0; i < CALLS; i++) {
		int kind = kinds[i];
		double from_mean = times[i] - mean[kind];

		if (times[i] > limit)
			continue;
		count[kind]++;
		mean[kind] += from_mean / count[kind];
		squares[kind] += from_mean * (times[i] - mean[kind]);
	}
	for (i = 0; i < 2; i++)
		variance += squares[i] / (count[i] - 1) / count[i];
	return (mean[0] - mean[1]) / sqrt(variance);
}

static double measure(const struct subject *subject)
{
	static u64 times[CALLS], sorted[CALLS];
	static u8 kinds[CALLS];
	double largest = 0;
	int i, tenth;

	random_fill(kinds, sizeof(kinds));
	for (i = 0; i < CALLS; i++) {
		kinds[i] &= 1;
		times[i] = time_call(subject, -kinds[i]);
	}
	memcpy(sorted, times, sizeof(times));
	qsort(sorted, CALLS, sizeof(sorted[0]), compare_times);
	for (tenth = FIRST_TENTH; tenth <= LAST_TENTH; tenth++) {
		double t = welch_t(times, kinds, sorted[CALLS / 10 * tenth]);

		/* Not a number where times are all the same */
		if (fabs(t) > fabs(largest))
			largest = t;
	}
	return largest;
}

static void test_timing(const void *argument)
{
	const struct subject *subject = argument;
	int attempts = subject->differs ? ATTEMPTS_TO_SEE : ATTEMPTS;
	double t;

	while (attempts--) {
		t = measure(subject);
		printf("# t = %.1f\n", t);
		if ((fabs(t) > LIMIT) == subject->differs)
			return;
	}
	fail_case(subject->differs ?
		  "no difference is seen, where tables are looked up" :
		  "the time depends on key or data");
}

/* ---- all of it, for each tier ---- */

static void test_unusable(const void *argument)
{
	const struct subject *subject = argument;

	skip_case("this CPU lacks a feature that %s needs",
		  subject->tier->name);
}

static void add(case_function *test, struct subject subject, const char *name)
{
	struct subject *kept = malloc(sizeof(*kept));

	*kept = subject;
	add_case(test, kept, "/timing/%s/%s%s", subject.tier->name, name,
		 subject.differs ? ", which leaks" : "");
}

/*
 * Operations; and of those that look up tables in the C tier, whether it is seen.
 * The others touch all lines of the tables, whatever the input: that leaks as
 * well, but not to this method.
 */
static const struct operation {
	const char *name;
	tier_function *prepare, *function;
	enum { NO_TABLES, SEEN, NOT_SEEN } tables;
	enum sm4_operation operation;
} operations[] = {
	{ "ghash", prepare_hash, ghash, NO_TABLES },
	{ "ghash key", prepare_hash, ghash_set_key, NO_TABLES },
	{ "ecb", prepare_all, crypt, SEEN, SM4_ECB },
	{ "cbc decryption", prepare_all, crypt, SEEN, SM4_CBC_DECRYPT },
	{ "xts", prepare_all, crypt, SEEN, SM4_XTS },
	{ "xts-gb", prepare_all, crypt, SEEN, SM4_XTS_GB },
	{ "key", prepare_all, set_key, NOT_SEEN },
	{ "cbc encryption", prepare_all, crypt, NOT_SEEN, SM4_CBC_ENCRYPT },
	{ "ctr", prepare_all, crypt, NOT_SEEN, SM4_CTR },
	{ "cbc-mac", prepare_all, cbc_mac, NOT_SEEN },
	{ "cbc encryption beside sm3", prepare_all, cbc_encrypt_sm3, NOT_SEEN },
	{ "ccm", prepare_all, ccm, NOT_SEEN },
	{ "gcm encryption", prepare_all, gcm_encrypt, NOT_SEEN },
	{ "gcm decryption", prepare_all, gcm_decrypt, NOT_SEEN },
};

/* Whether a tier does that itself, and not the C tier for it */
static bool has(const struct sm4_tier *tier, const struct operation *operation)
{
	if (operation->function == crypt)
		return tier->crypt[operation->operation];
	if (operation->function == cbc_encrypt_sm3)
		return sm4_tier_has_cbc_sm3(tier);
	return (operation->function != cbc_mac &&
		operation->function != ccm) || tier->cbc_mac;
}

static void add_tier(const struct sm4_tier *tier)
{
	const bool tables = tier == &sm4_ttable;
	size_t i;

	if (!sm4_tier_usable(tier)) {
		add(test_unusable, (struct subject){ tier }, "all");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (!has(tier, &operations[i]) ||
		    (tables && operations[i].tables == NOT_SEEN))
			continue;
		add(test_timing, (struct subject){
			tier, operations[i].prepare, operations[i].function,
			operations[i].operation,
			tables && operations[i].tables == SEEN,
		}, operations[i].name);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	start_cases(&argc, &argv);
	for (i = 0; i < sm4_tier_count; i++)
		add_tier(sm4_tiers[i]);
	return run_cases();
}
