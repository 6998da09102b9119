// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Every driver, through the crypto API, compared with libgcrypt: all requests of
 * test/requests/trials.h, legal or not, of all lengths, anywhere in memory, and
 * random ones; and states that are exported and imported. libgcrypt itself is compared with
 * the examples of the standards. With --text=BYTES, texts of this length only are tried.
 */
#include <errno.h>
#include "core/sm4-fast-modes.h"
#include "drivers.h"
#include "../requests/flows.h"
#include "../requests/vectors.h"
#include "requests.h"
#include "sm3/sm3-message.h"

/* The driver under test */
static const struct driver *driver;

static struct contents contents;

/*
 * A key that an AEAD refuses changes nothing: a driver that is called directly, without the
 * kernel, keeps the previous key. The kernel marks the transform as having no key.
 */
static void check_refused_key(const struct trial *refused, struct crypto_aead *tfm)
{
	const size_t bytes = refused->traits[KEY];
	const u8 *key = contents.message.key;
	static struct contents before;
	struct trial r;

	usual_trial(&r, refused->mode);
	prepare_trial(&r, &before);
	check_equal(set_keys(&r, &before, tfm), 0);
	check_equal(crypto_aead_alg(tfm)->setkey(tfm, guarded_key(key, bytes), bytes), -EINVAL);
	check_equal(ask(&r, &before, tfm, &placements[0]), 0);
	check_equal(crypto_aead_setkey(tfm, guarded_key(key, bytes), bytes), -EINVAL);
	check_equal(ask(&r, &before, tfm, &placements[0]), -ENOKEY);
}

/*
 * Try the prepared request in @count placements from @first on. A transform has a history,
 * except for the first key.
 */
static void ask_placed(const struct trial *r, const char *what, size_t first, size_t count)
{
	bool is_first = r->traits[NO_KEY] || r->traits[WEAK_KEY];
	void *tfm = is_first ? shim_allocate_transform(driver->driver_name) :
			       driver->tfm;
	const struct placement *placement;
	struct placement laid_out;
	char text[256];
	size_t i;
	int err;

	print_trial(r, text, sizeof(text));
	describe("%s: %s", what, text);
	err = set_keys(r, &contents, tfm);
	for (i = first; i < first + count; i++) {
		placement = placement_of(r, &laid_out, &placements[i]);
		describe("%s: %s, %s", what, text, placement->name);
		check_equal(err ?: ask(r, &contents, tfm, placement), right_answer(r));
		if (placement == &laid_out)
			break;
	}
	if (err && r->mode->kind == AEAD)
		check_refused_key(r, tfm);
	if (is_first)
		shim_free_transform(tfm);
}

/* A MAC has no destination, and its source may be anywhere. The bare cipher has no lists. */
static size_t placements_of(const struct trial *r)
{
	switch (r->mode->kind) {
	case MAC:
		return 1;
	case CIPHER:
		return PLACEMENTS_WITHOUT_PARTS;
	default:
		return PLACEMENTS;
	}
}

/* Protecting the parts takes a while. */
static size_t quick_placements_of(const struct trial *r)
{
	size_t most = is_long_run() ? PLACEMENTS : PLACEMENTS_WITHOUT_PARTS;

	return min(placements_of(r), most);
}

static void try_everywhere(struct trial *r, const char *what)
{
	prepare_trial(r, &contents);
	ask_placed(r, what, 0, placements_of(r));
}

static void try_quickly(struct trial *r, const char *what)
{
	prepare_trial(r, &contents);
	ask_placed(r, what, 0, quick_placements_of(r));
}

static void try_somewhere(struct trial *r, const char *what)
{
	prepare_trial(r, &contents);
	ask_placed(r, what, random_below(quick_placements_of(r)), 1);
}

/* The tests in the kernel try the same requests. */
static void test_rules(const struct driver *tested)
{
	driver = tested;
	for (size_t i = 0; i < rule_count; i++)
		try_rule(&rules[i], find_mode(driver->name), try_everywhere);
}

/* Requests that are too many for the tests in the kernel */
static void test_lengths(const struct driver *tested)
{
	static const struct rule lengths[] = {
		{ "texts of any length", ALL, TEXT, 0, 600, 1 },
		{ "messages of any length", BIT(MAC), TEXT, 601, 1300, 1 },
		{ "texts of some blocks", ALL, TEXT, 1024, 2064, 80 },
		{ "texts of some blocks less one byte", WITH_IV, TEXT, 1279, 2063, 112 },
		{ "texts about the end of a page", ALL, TEXT, 4064, 4112, 16 },
		{ "one byte less or more", ALL, TEXT, 4095, 4097, 2 },
		{ "texts about the end of two pages", ALL, TEXT, 8176, 8208, 16 },
		{ "texts of some pages", ALL, TEXT, 12288, 65536, 26624 },
		{ "texts of some pages and bytes", ALL, TEXT, 16400, 69999, 53599 },
		{ "the longest texts", ALL, TEXT, 65535, LONGEST_TEXT, 4465 },
		{ "associated data of any length", BIT(AEAD), AAD, 81, 301, 1 },
		{ "long associated data", BIT(AEAD), AAD, 512, 4608, 512 },
		{ "long associated data of odd length", BIT(AEAD), AAD, 4097, 65279, 12236 },
		{ "the longest associated data", BIT(AEAD), AAD, LONGEST_TEXT, LONGEST_TEXT, 1 },
	};

	driver = tested;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		try_rule(&lengths[i], find_mode(driver->name), try_quickly);
}

static void test_random(const struct driver *tested)
{
	int count = is_long_run() ? 10000 : 100;
	struct trial r;

	driver = tested;
	for (int i = 0; i < count; i++) {
		random_trial(&r, find_mode(driver->name));
		random_layout(&r);
		try_somewhere(&r, "a random request");
	}
}

/* Several requests with one key, with and without errors, each of which continues the last one */
static void test_flows(const struct driver *tested)
{
	int count = is_long_run() ? 1000 : 10;
	static struct flow flow;

	while (count--) {
		make_flow(&flow, find_mode(tested->name), true);
		check_equal(set_key(flow.mode, tested->tfm, flow.contents.message.key,
				    flow.contents.message.key_bytes), 0);
		run_flow(&flow, tested->tfm);
	}
}

static void test_series(const struct driver *tested)
{
	struct trial r;

	usual_trial(&r, find_mode(tested->name));
	prepare_trial(&r, &contents);
	check_equal(set_keys(&r, &contents, tested->tfm), 0);
	try_series(&r, &contents, is_long_run() ? 1000 : 20, ask_anywhere, tested->tfm);
}

/* With --text=: in each place in memory */
static unsigned int only_text;

static void test_one_length(const struct driver *tested)
{
	const struct rule rule = {
		"the length that is asked for", ALL, TEXT, only_text, only_text, 1,
	};

	driver = tested;
	try_rule(&rule, find_mode(driver->name), try_everywhere);
}

static bool any_mode(const char *name)
{
	return true;
}

/* ---- examples of standards ---- */

/* Every driver is compared with libgcrypt; here that, and what reference.c adds to it. */
static void test_examples(const void *argument)
{
	u8 aad[128], text[128], sealed[128 + TAG_MAX], expected[sizeof(sealed)];

	for (size_t i = 0; i < mode_vector_count; i++) {
		const struct mode_vector *vector = &mode_vectors[i];
		const struct mode *mode = find_mode(vector->name);
		struct aead_message message = { .aad = aad, .text = text };
		size_t bytes = from_hex(expected, vector->ciphertext);

		describe("%s", vector->source);
		message.key_bytes = from_hex(message.key, vector->key);
		check_equal(from_hex(message.iv, vector->iv), mode->iv_bytes);
		message.text_bytes = from_hex(text, vector->plaintext);
		message.aad_bytes = vector->aad ? from_hex(aad, vector->aad) : 0;
		message.tag_bytes = bytes - message.text_bytes;
		if (mode->kind == AEAD)
			gcrypt_aead(mode, &message, sealed);
		else
			gcrypt_skcipher(mode, message.key, message.iv, sealed, text, bytes);
		check_bytes(sealed, expected, bytes, "ciphertext");
	}
}

/* ---- states of MACs ---- */

/* A state ends with the number of bytes that it holds. One of more than a block is refused. */
static void test_imported_states(const struct driver *tested)
{
	struct shash_desc *desc = allocate_descriptor(tested->shash);
	size_t bytes = crypto_shash_statesize(tested->shash);
	u8 key[BLOCK] = { 1 }, message[40] = { 2 }, mac[BLOCK];
	u8 *exported = malloc(bytes);
	unsigned int used;
	u8 *end = exported + bytes - sizeof(used);

	check_equal(crypto_shash_setkey(tested->shash, key, BLOCK), 0);
	for (used = 0; used <= 255; used++) {
		describe("a state that holds %u bytes", used);
		random_fill(exported, bytes);
		put_unaligned_le32(used, end);
		check_equal(crypto_shash_import(desc, exported),
			    used <= BLOCK ? 0 : -EINVAL);
		if (used <= BLOCK)
			check_equal(crypto_shash_finup(desc, message, sizeof(message),
						       mac), 0);
		put_unaligned_le32(1 | (used | 1) << 24, end);
		check_equal(crypto_shash_import(desc, exported), -EINVAL);
	}
	free(exported);
	memory_free(desc);
}

/*
 * SM3's state is exported as mainline's: the words, the length, the partial block. Any
 * state can be imported, with any contents.
 */
static void test_exported_states(const struct driver *tested)
{
	struct shash_desc *desc = allocate_descriptor(tested->shash);
	struct sm3_message exported, imported, right;
	u8 message[200], digest[SM3_DIGEST_SIZE];
	unsigned int i;

	check_equal(crypto_shash_statesize(tested->shash), 32 + 8 + 64);
	random_fill(message, sizeof(message));
	check_equal(crypto_shash_init(desc), 0);
	check_equal(crypto_shash_update(desc, message, sizeof(message)), 0);
	check_equal(crypto_shash_export(desc, &exported), 0);
	check_equal(exported.bytes, sizeof(message));
	sm3_message_begin(&right);
	sm3_generic.blocks(right.state, message, 3);
	check_bytes(exported.state, right.state, sizeof(right.state), "words");
	check_bytes(exported.partial, message + 192, 8, "the partial block");
	for (i = 0; i < 1000; i++) {
		random_fill(&imported, sizeof(imported));
		check_equal(crypto_shash_import(desc, &imported), 0);
		check_equal(crypto_shash_export(desc, &exported), 0);
		check_bytes(&exported, &imported, sizeof(imported), "state");
		check_equal(crypto_shash_update(desc, message,
						random_below(sizeof(message))), 0);
		check_equal(crypto_shash_finup(desc, message, 40, digest), 0);
	}
	memory_free(desc);
}

static const struct driver_test tests[] = {
	{ "requests", test_rules, 0, false, any_mode },
	{ "all lengths", test_lengths, 0, true, any_mode },
	{ "random requests", test_random, 0, true, any_mode },
	{ "flows", test_flows, CRYPTO_ALG_TYPE_SKCIPHER, true },
	{ "a series with one key", test_series, 0, true, any_mode },
	{ "states refused", test_imported_states, CRYPTO_ALG_TYPE_SHASH },
	{ "exported states", test_exported_states, CRYPTO_ALG_TYPE_SHASH, false, is_hash },
};

static const struct driver_test one_length = {
	"the text of --text", test_one_length, 0, true, any_mode,
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	if (argc > 1) {
		if (sscanf(argv[1], "--text=%u", &only_text) != 1 || only_text > LONGEST_TEXT) {
			fprintf(stderr, "%s is not --text=BYTES, of %u at most\n", argv[1],
				LONGEST_TEXT);
			return 2;
		}
		add_driver_cases(&one_length, 1);
		return run_cases();
	}
	add_case(test_examples, NULL, "/modes/examples");
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
