// SPDX-License-Identifier: GPL-2.0
/*
 * SM3: every tier that this CPU can run, called as those who have messages call
 * it, on memory that cannot be touched before or behind the message; and every
 * driver, through the crypto API. Against libgcrypt, and the examples
 * of the standard.
 */
#include "drivers.h"
#include "requests.h"
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"
#include "vectors.h"

/* Every split of messages up to this length is tried. */
#define SPLIT_BYTES	(2 * SM3_BLOCK_SIZE + 10)

static u8 message[MESSAGE_BYTES_MAX];

/* ---- the tiers ---- */

/* A state, and @bytes at either end of guarded memory, of random contents */
static u8 *random_work(u32 state[SM3_WORDS], size_t bytes)
{
	static struct guarded memory;
	u8 *src;

	if (!memory.bytes)
		memory = guarded_allocate(2 * SM3_SECTION_SIZE);
	src = random_below(2) ? memory.start :
				memory.start + memory.bytes - bytes;
	random_fill(state, SM3_WORDS * sizeof(*state));
	random_fill(src, bytes);
	return src;
}

static void check_blocks(const struct sm4_tier *tier, size_t blocks,
			 size_t first)
{
	u32 state[SM3_WORDS], state_of_c_tier[SM3_WORDS];
	u8 *src = random_work(state, blocks * SM3_BLOCK_SIZE);

	describe("%zu blocks, %zu of them first", blocks, first);
	memcpy(state_of_c_tier, state, sizeof(state));
	check(sm4_begin(tier) == tier);
	tier->sm3_blocks(state, src, first);
	tier->sm3_blocks(state, src + first * SM3_BLOCK_SIZE, blocks - first);
	sm4_end(tier);
	sm3_generic_blocks(state_of_c_tier, src, blocks);
	check_bytes(state, state_of_c_tier, sizeof(state), "state");
}

static void test_blocks(const void *argument)
{
	const size_t section = SM3_SECTION_SIZE / SM3_BLOCK_SIZE;
	size_t blocks, n;

	for (blocks = 0; blocks <= section; blocks++) {
		for (n = 0; n < 10; n++)
			check_blocks(argument, blocks,
				     random_below(blocks + 1));
	}
}

static void test_standard_examples(const void *argument)
{
	size_t i, n;

	for (i = 0; i < hash_vector_count; i++) {
		const struct hash_vector *vector = &hash_vectors[i];
		u8 digest[SM3_DIGEST_SIZE], expected[SM3_DIGEST_SIZE];
		struct sm3_message state;
		u8 text[16];
		size_t bytes = from_hex(text, vector->message);

		describe("%s", vector->source);
		from_hex(expected, vector->digest);
		sm3_message_begin(&state);
		for (n = 1; n < vector->repetitions; n++)
			sm3_message_add(argument, &state, text, bytes);
		sm3_message_end(argument, &state, text, bytes, digest);
		check_bytes(digest, expected, sizeof(digest), "digest");
	}
}

/* ---- FPU sections ---- */

/*
 * A tier that does the C tier's work and counts bytes: no section may have more
 * than SM3_SECTION_SIZE and a padding, and none may be outside of a section.
 */
static unsigned long spied_section;
static size_t spied_bytes;

static void spy_blocks(u32 state[SM3_WORDS], const u8 *src, size_t blocks)
{
	if (!shim_in_fpu_section())
		fail_case("a tier called outside of an FPU section");
	if (spied_section != shim_fpu_sections()) {
		spied_section = shim_fpu_sections();
		spied_bytes = 0;
	}
	spied_bytes += blocks * SM3_BLOCK_SIZE;
	if (spied_bytes > SM3_SECTION_SIZE)
		fail_case("%zu bytes in one FPU section", spied_bytes);
	sm3_generic_blocks(state, src, blocks);
}

static const struct sm4_tier spy_tier = {
	.name = "sm3-spy",
	.features = { X86_FEATURE_AVX },
	.sm3_blocks = spy_blocks,
};

/* Sections of full length as long as there is enough; one for a short message */
static void test_sections(const void *argument)
{
	size_t bytes, padded;

	for (bytes = 0; bytes <= sizeof(message); bytes += 1 + bytes / 7) {
		u8 digest[SM3_DIGEST_SIZE], expected[SM3_DIGEST_SIZE];
		unsigned long sections = shim_fpu_sections();
		struct sm3_message state;

		describe("%zu bytes", bytes);
		sm3_message_begin(&state);
		sm3_message_end(&spy_tier, &state, message, bytes, digest);
		/* with 10...0 and the length */
		padded = round_up(bytes + 9, SM3_BLOCK_SIZE);
		check_equal(shim_fpu_sections() - sections,
			    DIV_ROUND_UP(padded, SM3_SECTION_SIZE));
		gcrypt_hash(message, bytes, expected);
		check_bytes(digest, expected, sizeof(digest), "digest");
	}
}

/* ---- the drivers ---- */

/* Every split in two, of which the second may come by update or by finup */
static void check_split(struct shash_desc *desc, size_t bytes, size_t first,
			const u8 *expected)
{
	const u8 *rest = message + first;
	u8 digest[SM3_DIGEST_SIZE];

	describe("%zu bytes, %zu of them first", bytes, first);
	check_equal(crypto_shash_init(desc), 0);
	check_equal(crypto_shash_update(desc, message, first), 0);
	if (first % 2) {
		check_equal(crypto_shash_finup(desc, rest, bytes - first,
					       digest), 0);
	} else {
		check_equal(crypto_shash_update(desc, rest, bytes - first), 0);
		check_equal(crypto_shash_final(desc, digest), 0);
	}
	check_bytes(digest, expected, sizeof(digest), "digest");
}

static void test_splits(const struct driver *driver)
{
	struct shash_desc *desc = allocate_descriptor(driver->shash);
	u8 expected[SM3_DIGEST_SIZE];
	size_t bytes, first;

	random_fill(message, SPLIT_BYTES);
	for (bytes = 0; bytes <= SPLIT_BYTES; bytes++) {
		gcrypt_hash(message, bytes, expected);
		for (first = 0; first <= bytes; first++)
			check_split(desc, bytes, first, expected);
	}
	free(desc);
}

/*
 * A state is exported as mainline's: the words, the length, the partial block. Any
 * state can be imported, whatever is in there.
 */
static void test_states(const struct driver *driver)
{
	struct shash_desc *desc = allocate_descriptor(driver->shash);
	struct sm3_message exported, imported;
	u8 digest[SM3_DIGEST_SIZE];
	unsigned int i;

	check_equal(crypto_shash_statesize(driver->shash), 32 + 8 + 64);
	random_fill(message, 200);
	check_equal(crypto_shash_init(desc), 0);
	check_equal(crypto_shash_update(desc, message, 200), 0);
	check_equal(crypto_shash_export(desc, &exported), 0);
	check_equal(exported.bytes, 200);
	check_bytes(exported.partial, message + 192, 8, "the partial block");
	for (i = 0; i < 1000; i++) {
		random_fill(&imported, sizeof(imported));
		check_equal(crypto_shash_import(desc, &imported), 0);
		check_equal(crypto_shash_export(desc, &exported), 0);
		check_bytes(&exported, &imported, sizeof(imported), "state");
		check_equal(crypto_shash_update(desc, message,
						random_below(200)), 0);
		check_equal(crypto_shash_finup(desc, message, 40, digest), 0);
	}
	free(desc);
}

/* ---- all of it ---- */

#define HASHES	CRYPTO_ALG_TYPE_SHASH

static const struct driver_test tests[] = {
	{ "every split", test_splits, HASHES, false, is_hash },
	{ "exported states", test_states, HASHES, false, is_hash },
};

static void test_unusable(const void *argument)
{
	const struct sm4_tier *tier = argument;

	skip_case("this CPU lacks a feature that %s needs", tier->name);
}

static void add_tier(const struct sm4_tier *tier)
{
	const struct {
		const char *name;
		case_function *function;
		bool applies;
	} cases[] = {
		{ "all", test_unusable, !sm4_tier_usable(tier) },
		{ "GB/T 32905", test_standard_examples, true },
		{ "blocks", test_blocks, true },
	};
	bool usable = sm4_tier_usable(tier);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].applies && usable == !!i)
			add_case(cases[i].function, tier, "/tiers/%s/%s",
				 tier->name, cases[i].name);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	start_cases(&argc, &argv);
	for (i = sm4_tier_count; i < sm4_all_tier_count; i++)
		add_tier(sm4_tiers[i]);
	add_case(test_sections, NULL, "/tiers/%s/FPU sections",
		 sm3_generic.name);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
