// SPDX-License-Identifier: GPL-2.0
/*
 * To be run by valgrind: every function of every tier that valgrind can execute,
 * and every driver of these tiers, with keys and data that valgrind takes for
 * undefined. It follows them, and reports each branch and each address that
 * depends on them. There must be none; and in the C tier, which looks up tables
 * by secrets, there must be some, or this would be no test.
 *
 * Public are lengths, counters, nonces and IVs, and whether a tag was right.
 */
#include <errno.h>
#include <valgrind/memcheck.h>
#include "case.h"
#include "requests.h"
#include "shim/control.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"

/* Every length up to this is tried, and that of a full section. */
#define SHORT_BYTES	(70 * BLOCK)

/* What a test case is about, and whether it is to leak */
struct subject {
	void (*test)(const struct subject *subject);
	bool leaks;

	/* a function of a tier */
	const struct sm4_tier *tier;
	enum sm4_operation operation;

	/* or a driver, in one direction */
	char name[CRYPTO_MAX_ALG_NAME];
	char driver_name[CRYPTO_MAX_ALG_NAME];
	bool decrypts;
};

static u8 data[SM4_SECTION_SIZE + BLOCK];

static void make_secret(void *p, size_t bytes)
{
	random_fill(p, bytes);
	VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
}

static void make_public(void *p, size_t bytes)
{
	random_fill(p, bytes);
	VALGRIND_MAKE_MEM_DEFINED(p, bytes);
}

/* What was not followed to its end was followed in vain. */
static void check_secret(const void *p, size_t bytes)
{
	static u8 undefined[sizeof(struct sm4_lanes)];
	size_t i;

	check_equal(VALGRIND_GET_VBITS(p, undefined, bytes), 1);
	for (i = 0; i < bytes; i++) {
		if (!undefined[i])
			fail_case("byte %zu of %zu does not depend on secrets",
				  i, bytes);
	}
}

/* The next length after @bytes, in steps; 0 after the last one */
static size_t next_length(size_t bytes, size_t step)
{
	if (bytes < SHORT_BYTES)
		return bytes + step;
	return bytes < SM4_SECTION_SIZE ? SM4_SECTION_SIZE : 0;
}

/* A secret key of the tier in work, set before branches are counted */
static struct sm4_gcm_key key;

static void run_subject(const void *argument)
{
	const struct subject *subject = argument;
	unsigned int errors, found;
	u8 raw[SM4_KEY_SIZE];

	if (subject->tier) {
		make_secret(raw, sizeof(raw));
		sm4_gcm_set_key(subject->tier, &key, raw);
	} else {
		check_equal(shim_load_module(), 0);
	}
	errors = VALGRIND_COUNT_ERRORS;
	subject->test(subject);
	found = VALGRIND_COUNT_ERRORS - errors;
	if (found && !subject->leaks)
		fail_case("%u times a branch or an address depended on secrets: see valgrind's log",
			  found);
	if (!found && subject->leaks)
		fail_case("no branch or address depended on secrets, but tables are looked up");
}

/* ---- the functions of the tiers ---- */

static void test_key(const struct subject *subject)
{
	struct sm4_key *cipher = &key.cipher;
	u8 raw[SM4_KEY_SIZE];

	make_secret(raw, sizeof(raw));
	sm4_set_key(subject->tier, cipher, raw);
	check_secret(cipher->enc.plain, sizeof(cipher->enc.plain));
	check_secret(cipher->dec.plain, sizeof(cipher->dec.plain));
	if (subject->tier->basis) {
		check_secret(&cipher->enc, sizeof(cipher->enc));
		check_secret(&cipher->dec, sizeof(cipher->dec));
	}
}

static void test_operation(const struct subject *subject)
{
	enum sm4_operation operation = subject->operation;
	const size_t step = operation == SM4_CTR ? 1 : BLOCK;
	u8 iv[BLOCK];
	size_t bytes;

	for (bytes = step; bytes; bytes = next_length(bytes, step)) {
		const struct sm4_tier *working = sm4_begin(subject->tier);

		make_secret(data, bytes);
		make_public(iv, BLOCK);
		if (operation == SM4_XTS || operation == SM4_XTS_GB)
			make_secret(iv, BLOCK);
		working->crypt[operation](&key.cipher.enc, data, data, iv,
					  bytes);
		sm4_end(working);
		check_secret(data, bytes);
		if (operation != SM4_CTR && operation != SM4_ECB)
			check_secret(iv, BLOCK);
	}
}

static void test_cbc_mac(const struct subject *subject)
{
	size_t bytes;
	u8 mac[BLOCK];

	for (bytes = BLOCK; bytes; bytes = next_length(bytes, BLOCK)) {
		make_secret(data, bytes);
		make_secret(mac, BLOCK);
		subject->tier->cbc_mac(&key.cipher.enc, mac, data,
				       bytes / BLOCK);
		check_secret(mac, BLOCK);
	}
}

/* The two at once, of data that the one has made and the other hashes */
static void test_cbc_sm3(const struct subject *subject)
{
	struct sm4_hashing hashing = { .src = data };
	u8 iv[BLOCK] = { 0 };
	size_t passes;

	for (passes = 1; passes <= SM4_CHAIN_SECTION_SIZE / SM4_PASS_SIZE;
	     passes++) {
		u8 *text = data + SM4_PASS_SIZE;

		make_secret(data, (passes + 1) * SM4_PASS_SIZE);
		make_secret(hashing.state, sizeof(hashing.state));
		subject->tier->cbc_encrypt_sm3(&key.cipher.enc, text, text, iv,
					       passes, &hashing);
		check_secret(text, passes * SM4_PASS_SIZE);
		check_secret(hashing.state, sizeof(hashing.state));
	}
}

/* Where the messages are is no secret. */
static void test_lanes(const struct subject *subject)
{
	static struct sm4_lanes lanes;
	static struct sm3_lanes hashing;
	size_t blocks;

	make_secret(data, sizeof(data));
	for (blocks = 1; blocks <= SM4_LANE_BLOCKS; blocks++) {
		make_secret(&lanes, sizeof(lanes));
		make_secret(hashing.state, sizeof(hashing.state));
		for (unsigned int l = 0; l < SM3_LANES_MAX; l++)
			hashing.src[l] = data + 3 * l;
		subject->tier->set_lane_keys(&lanes);
		subject->tier->cbc_encrypt_lanes(&lanes, blocks);
		subject->tier->sm3_lanes(&hashing, blocks);
		check_secret(lanes.keys, sizeof(lanes.keys));
		check_secret(lanes.chain, sizeof(lanes.chain));
		check_secret(lanes.text, blocks * sizeof(lanes.text[0]));
	}
}

/* The counter is no secret, but all else in the state is. */
static void test_ccm(const struct subject *subject)
{
	struct sm4_ccm_state state;
	size_t bytes;

	for (bytes = BLOCK; bytes; bytes = next_length(bytes, BLOCK)) {
		make_secret(data, bytes);
		make_secret(&state, sizeof(state));
		make_public(state.counter, BLOCK);
		subject->tier->ccm_crypt(&key.cipher.enc, data, data, &state,
					 bytes / BLOCK, bytes / BLOCK % 2);
		check_secret(data, bytes);
		check_secret(state.mac, BLOCK);
		check_secret(state.text, BLOCK);
	}
}

/* With its key, which is made from H without a table in any tier */
static void test_ghash(const struct subject *subject)
{
	u8 h[BLOCK], hash[BLOCK];
	size_t bytes;

	make_secret(h, BLOCK);
	subject->tier->ghash_set_key(&key.hash, h, subject->tier->ghash_powers);
	for (bytes = BLOCK; bytes; bytes = next_length(bytes, BLOCK)) {
		make_secret(data, bytes);
		make_secret(hash, BLOCK);
		subject->tier->ghash(&key.hash, hash, data, bytes / BLOCK);
		check_secret(hash, BLOCK);
	}
}

/* Half of a message and the rest of it, in both directions */
static void test_gcm(const struct subject *subject)
{
	const struct sm4_tier *tier = subject->tier;
	struct sm4_gcm_state state;
	size_t bytes, first;
	unsigned int way;

	for (bytes = 1; bytes; bytes = next_length(bytes, 1)) {
		first = round_down(random_below(bytes), (size_t)BLOCK);
		for (way = 0; way <= SM4_GCM_DECRYPTS; way += SM4_GCM_DECRYPTS) {
			make_secret(data, bytes);
			memset(&state, 0, sizeof(state));
			make_secret(state.hash, sizeof(state.hash));
			tier->gcm(&key, data, data, &state, first,
				  way | SM4_GCM_FIRST);
			tier->gcm(&key, data + first, data + first, &state,
				  bytes - first, way | SM4_GCM_LAST);
			check_secret(data, bytes);
			check_secret(state.hash, sizeof(state.hash));
		}
	}
}

/* ---- drivers, on memory in one piece and in two ---- */

static const size_t driver_lengths[] = {
	16, 17, 31, 48, 255, 256, 1029, SM4_SECTION_SIZE - 2 * BLOCK,
};

#define AAD_BYTES	20

static void in_pieces(struct scatterlist sg[2], u8 *p, size_t bytes,
		      bool in_two)
{
	size_t first = in_two ? bytes / 2 : bytes;

	sg_init_table(sg, 1 + in_two);
	sg_set_buf(&sg[0], p, first);
	if (in_two)
		sg_set_buf(&sg[1], p + first, bytes - first);
}

/* The kernel's own is constant time. That tags differ is no secret. */
int __wrap_crypto_memneq(const void *a, const void *b, size_t bytes);

int __wrap_crypto_memneq(const void *a, const void *b, size_t bytes)
{
	const u8 *p = a, *q = b;
	int differ = 0;

	while (bytes--)
		differ |= *p++ ^ *q++;
	VALGRIND_MAKE_MEM_DEFINED(&differ, sizeof(differ));
	return differ;
}

static void test_skcipher(const struct subject *subject)
{
	const struct mode *mode = find_mode(subject->name);
	struct crypto_skcipher *tfm =
		crypto_alloc_skcipher(subject->driver_name, 0, 0);
	struct skcipher_request request = { 0 };
	struct scatterlist sg[2];
	u8 raw[2 * SM4_KEY_SIZE];
	size_t i;

	make_secret(raw, sizeof(raw));
	check_equal(crypto_skcipher_setkey(tfm, raw, mode->key_bytes), 0);
	skcipher_request_set_tfm(&request, tfm);
	for (i = 0; i < 2 * ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i / 2];
		u8 iv[BLOCK] = { 0 };

		if (!is_legal_text(mode, bytes))
			continue;
		make_secret(data, bytes);
		in_pieces(sg, data, bytes, i % 2);
		skcipher_request_set_crypt(&request, sg, sg, bytes, iv);
		check_equal(subject->decrypts ?
			    crypto_skcipher_decrypt(&request) :
			    crypto_skcipher_encrypt(&request), 0);
		check_secret(data, bytes);
	}
	crypto_free_skcipher(tfm);
}

static void test_aead(const struct subject *subject)
{
	const struct mode *mode = find_mode(subject->name);
	struct crypto_aead *tfm = crypto_alloc_aead(subject->driver_name, 0, 0);
	const size_t head = is_authenc(mode) ? AUTHENC_KEY_HEAD : 0;
	struct aead_request request = { 0 };
	struct scatterlist sg[2];
	struct aead_message message;
	u8 iv[BLOCK] = { 3 };
	size_t i;

	/* The salt behind a key belongs to the nonce. */
	random_aead_key(mode, &message, MAC_KEY_MAX);
	VALGRIND_MAKE_MEM_UNDEFINED(message.key + head, message.key_bytes -
				    head - mode->salt_bytes);
	check_equal(crypto_aead_setkey(tfm, message.key, message.key_bytes), 0);
	check_equal(crypto_aead_setauthsize(tfm, BLOCK), 0);
	aead_request_set_tfm(&request, tfm);
	aead_request_set_ad(&request, AAD_BYTES);
	for (i = 0; i < 2 * ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i / 2];
		u8 *text = data + AAD_BYTES;

		if (!is_legal_text(mode, bytes))
			continue;
		make_secret(data, AAD_BYTES + bytes);
		in_pieces(sg, data, AAD_BYTES + bytes + BLOCK, i % 2);
		aead_request_set_crypt(&request, sg, sg, bytes, iv);
		check_equal(crypto_aead_encrypt(&request), 0);
		check_secret(text, bytes + BLOCK);
		aead_request_set_crypt(&request, sg, sg, bytes + BLOCK, iv);
		check_equal(crypto_aead_decrypt(&request), 0);
		check_secret(text, bytes);
		check_equal(crypto_aead_decrypt(&request), -EBADMSG);
	}
	crypto_free_aead(tfm);
}

static void test_shash(const struct subject *subject)
{
	struct crypto_shash *tfm = crypto_alloc_shash(subject->driver_name, 0, 0);
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 raw[SM4_KEY_SIZE], mac[HASH_MAX_DIGESTSIZE];
	size_t i;

	make_secret(raw, sizeof(raw));
	/* A hash has no key. */
	if (crypto_shash_alg(tfm)->setkey)
		check_equal(crypto_shash_setkey(tfm, raw, sizeof(raw)), 0);
	for (i = 0; i < ARRAY_SIZE(driver_lengths); i++) {
		size_t bytes = driver_lengths[i], first = bytes / 3;

		make_secret(data, bytes);
		check_equal(crypto_shash_init(desc), 0);
		check_equal(crypto_shash_update(desc, data, first), 0);
		check_equal(crypto_shash_finup(desc, data + first,
					       bytes - first, mac), 0);
		check_secret(mac, crypto_shash_digestsize(tfm));
	}
	free(desc);
	crypto_free_shash(tfm);
}

static void test_cipher(const struct subject *subject)
{
	struct crypto_cipher *tfm =
		crypto_alloc_cipher(subject->driver_name, 0, 0);
	u8 raw[SM4_KEY_SIZE];

	make_secret(raw, sizeof(raw));
	make_secret(data, BLOCK);
	check_equal(crypto_cipher_setkey(tfm, raw, sizeof(raw)), 0);
	crypto_cipher_encrypt_one(tfm, data, data);
	crypto_cipher_decrypt_one(tfm, data, data);
	check_secret(data, BLOCK);
	crypto_free_cipher(tfm);
}

/* ---- all of it ---- */

static void test_unusable(const void *argument)
{
	skip_case("valgrind lacks instructions of this tier; assembly.t reads them all");
}

static void add(struct subject subject, const char *of, const char *name)
{
	struct subject *kept = malloc(sizeof(*kept));

	*kept = subject;
	add_case(run_subject, kept, "/constant-time/%s/%s%s", of, name,
		 subject.leaks ? ", which leaks" : "");
}

static bool has_chains(const struct sm4_tier *tier)
{
	return tier->cbc_mac;
}

static bool has_lanes(const struct sm4_tier *tier)
{
	return tier->cbc_encrypt_lanes;
}

/* What has no vectors looks up tables, except for GHASH. */
static void add_tier(const struct sm4_tier *tier)
{
	static const char *const names[SM4_OPERATIONS] = {
		"ecb", "cbc encryption", "cbc decryption", "ctr", "xts",
		"xts-gb",
	};
	static const struct {
		const char *name;
		void (*test)(const struct subject *subject);
		bool (*applies)(const struct sm4_tier *tier);
	} functions[] = {
		{ "key", test_key },
		{ "cbc-mac", test_cbc_mac, has_chains },
		{ "cbc encryption beside sm3", test_cbc_sm3,
		  sm4_tier_has_cbc_sm3 },
		{ "lanes", test_lanes, has_lanes },
		{ "ccm", test_ccm, has_chains },
		{ "gcm", test_gcm },
	};
	struct subject subject = { .leaks = tier == &sm4_ttable, .tier = tier };
	size_t i;

	if (!sm4_tier_usable(tier)) {
		add_case(test_unusable, NULL, "/constant-time/%s/all",
			 tier->name);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		subject.test = functions[i].test;
		if (!functions[i].applies || functions[i].applies(tier))
			add(subject, tier->name, functions[i].name);
	}
	subject.test = test_operation;
	for (i = 0; i < SM4_OPERATIONS; i++) {
		subject.operation = i;
		if (tier->crypt[i])
			add(subject, tier->name, names[i]);
	}
	subject.test = test_ghash;
	subject.leaks = false;
	add(subject, tier->name, "ghash");
}

/*
 * What leaks is what works on tables: the tier for all CPUs, and the serial
 * chains where a tier has none.
 */
static bool is_to_leak(const char *driver_name, bool decrypts)
{
	if (strstr(driver_name, "-ttable-"))
		return true;
	if (!strstr(driver_name, "-sm4-avx2-"))
		return false;
	return strstr(driver_name, "ccm-") ||
	       (strstr(driver_name, "cbc-") && !decrypts);
}

static void add_driver(const struct crypto_alg *alg, bool decrypts)
{
	struct subject subject = {
		.leaks = is_to_leak(alg->cra_driver_name, decrypts),
		.decrypts = decrypts,
	};

	strscpy(subject.name, alg->cra_name, sizeof(subject.name));
	strscpy(subject.driver_name, alg->cra_driver_name,
		sizeof(subject.driver_name));
	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		subject.test = test_skcipher;
		break;
	case CRYPTO_ALG_TYPE_AEAD:
		subject.test = test_aead;
		break;
	case CRYPTO_ALG_TYPE_SHASH:
		subject.test = test_shash;
		break;
	default:
		subject.test = test_cipher;
	}
	if (subject.test != test_skcipher) {
		add(subject, subject.driver_name, "all");
		return;
	}
	add(subject, subject.driver_name,
	    decrypts ? "decryption" : "encryption");
	if (!decrypts)
		add_driver(alg, true);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (!RUNNING_ON_VALGRIND) {
		puts("Bail out! To be run by valgrind, which knows what is secret");
		return 1;
	}
	start_cases(&argc, &argv);
	for (i = 0; i < sm4_tier_count; i++)
		add_tier(sm4_tiers[i]);
	check_equal(shim_load_module(), 0);
	for (i = 0; i < shim_algorithm_count(); i++)
		add_driver(shim_algorithm(i), false);
	shim_unload_module();
	return run_cases();
}
