// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Secrets are wiped: every function of every tier and every driver is called twice, each time with
 * other keys and data in the same places. A difference afterwards is a leftover: in the registers
 * that a function may clobber, on the stack below its caller, or in memory that was allocated
 * meanwhile. Lengths, counters except for a salt, and ciphertext are not secret.
 *
 * Assembly may leave nothing at all. Compilers save words on the stack, so for C, only longer runs
 * of bytes count. Sanitizers have their own stack, which is not searched. The C tier leaves too
 * many adjacent words, so the test searches for the values of its buffers. The code of modes is the
 * same for all tiers, and is tested on the other tiers.
 */
#define _GNU_SOURCE	/* memmem() */
#include <errno.h>
#include "authenc/sm4-authenc.h"
#include "ghash-generic.h"
#include "requests.h"
#include "tier-calls.h"
#include "watched-call.h"

/* A kernel's stack is small: no function of a tier may use more of it. */
#define TIER_STACK_BYTES	3072

/* Bytes that a compiler may save; all buffers are longer. */
#define WORD_BYTES		8

#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED		true
#else
#define IS_SANITIZED		false
#endif

static struct watched_call call, before;

/* ---- memory that is allocated in a call: always at the same addresses ---- */

static struct {
	u8 bytes[1 << 16] __aligned(64);
	size_t used;
	bool is_open;
} heap;

static u8 heap_before[sizeof(heap.bytes)];

typeof(kmalloc) __real_kmalloc, __wrap_kmalloc;
typeof(kfree) __real_kfree, __wrap_kfree;

void *__wrap_kmalloc(size_t bytes, gfp_t flags)
{
	u8 *memory = heap.bytes + heap.used;

	if (!heap.is_open)
		return __real_kmalloc(bytes, flags);
	heap.used += round_up(bytes, (size_t)64);
	check(heap.used <= sizeof(heap.bytes));
	return memory;
}

void __wrap_kfree(const void *memory)
{
	if (!heap.is_open)
		__real_kfree(memory);
}

/* ---- two calls ---- */

/* Call it twice, each time with other secrets from @renew. Returns the function's result. */
static u64 call_twice(const void *function, void renew(void))
{
	static const u16 avx512[] = { X86_FEATURE_AVX512F, X86_FEATURE_AVX512BW };

	call.function = function;
	call.has_avx512 = sm4_cpu_can(avx512, ARRAY_SIZE(avx512), XFEATURE_MASK_AVX512);
	for (int n = 0; n < 2; n++) {
		before = call;
		memcpy(heap_before, heap.bytes, sizeof(heap_before));
		renew();
		memset(heap.bytes, 0, sizeof(heap.bytes));
		heap.used = 0;
		memset(&call.registers, 0, sizeof(call.registers));
		heap.is_open = true;
		watched_call(&call);
		heap.is_open = false;
	}
	check(call.stack[0] == 0xff);
	return call.registers.general[0];
}

/* Fail the case if more than this number of adjacent bytes differ. */
static void check_stack(size_t tolerated)
{
	size_t run = 0;

	for (size_t i = 0; i < WATCHED_STACK_BYTES; i++) {
		run = before.stack[i] == call.stack[i] ? 0 : run + 1;
		if (run > tolerated)
			fail_case("the stack holds key or data, %zu bytes below",
				  WATCHED_STACK_BYTES - i + tolerated);
	}
}

/* ---- the functions of the tiers ---- */

/* All bytes of counters are 0, or 255, so that they overflow in the first pass. */
static u8 counter_byte;

static void renew_data(void)
{
	renew_tier_data(counter_byte);
}

static void check_call(const struct tier_row *row, const u64 arguments[6])
{
	const u64 units = arguments[row->count];

	memcpy(call.arguments, arguments, sizeof(call.arguments));
	/* The variant follows the count; CTR has only one. */
	counter_byte = (units / BLOCK + arguments[row->count + 1]) % 2 ? 0xff : 0;
	call_twice(call.function, renew_data);
	describe("%s of %lu units of %u bytes", row->name, (unsigned long)units, row->unit);
	check_bytes(&call.registers, &before.registers, sizeof(call.registers), "registers");
	for (size_t i = 0; i < WATCHED_STACK_BYTES - TIER_STACK_BYTES; i++)
		if (call.stack[i] != 0xff)
			fail_case("it uses %zu bytes of the stack", WATCHED_STACK_BYTES - i);
	check_stack(0);
}

/* Every number of blocks up to this one is tried, and some numbers up to a section. */
#define ALL_BLOCKS	80

static void test_tier(const void *argument)
{
	const struct sm4_tier_base *tier = argument;

	for (size_t i = 0; i < TIER_ROWS; i++) {
		const struct tier_row *row = &tier_rows[i];
		size_t blocks;

		call.function = tier_row_function(tier, row);
		if (!call.function)
			continue;
		for (blocks = 0; blocks <= ALL_BLOCKS; blocks++)
			for_tier_calls(row, blocks * BLOCK, check_call);
		for (; blocks <= SM4_SECTION_SIZE / BLOCK; blocks += 1 + random_below(8))
			for_tier_calls(row, blocks * BLOCK, check_call);
		for_tier_calls(row, SM4_SECTION_SIZE, check_call);
	}
}

/* ---- the C tier ---- */

/* It processes four blocks at a time: this is two passes and the beginning of a third one. */
#define C_TIER_BLOCKS	9

static u8 tweaks[C_TIER_BLOCKS][BLOCK];

/* With a text of zeros, whose ciphertext is the keystream */
static void renew_for_c_tier(void)
{
	renew_data();
	memset(tier_data.text, 0, sizeof(tweaks));
	memcpy(tweaks[0], tier_data.iv, BLOCK);
	for (size_t i = 1; i < C_TIER_BLOCKS; i++) {
		memcpy(tweaks[i], tweaks[i - 1], BLOCK);
		sm4_xts_next_tweak(tweaks[i]);
	}
}

static void call_c_tier(size_t member, const void *a, const void *b, const void *c, const void *d,
			u64 e, u64 f)
{
	const u64 arguments[] = {
		(uintptr_t)a, (uintptr_t)b, (uintptr_t)c, (uintptr_t)d, e, f,
	};

	memcpy(call.arguments, arguments, sizeof(call.arguments));
	call_twice(tier_function(&sm4_ttable.base, member), renew_for_c_tier);
}

/* Fail the case if the stack has any of these blocks. */
static void check_not_left(const void *bytes, size_t blocks, const char *what)
{
	for (size_t i = 0; i < blocks; i++)
		if (memmem(call.stack, sizeof(call.stack), (const u8 *)bytes + i * BLOCK, BLOCK))
			fail_case("the stack holds %s", what);
}

/* The factors that it uses in place of a power of H */
static void check_factors_not_left(void)
{
	struct ghash_factor factors[3];

	sm4_ghash_set_factors(factors, tier_data.key.hash.powers[GHASH_POWERS - 1]);
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
		check_not_left(factors[i].classes, sizeof(factors[i].classes) / BLOCK, "H");
}

static void test_c_tier(const void *argument)
{
	struct tier_data *data = &tier_data;
	struct sm4_round_keys *keys = &data->key.enc;
	struct sm4_ghash_key *hash = &data->key.hash;
	u8 *text = data->text, *iv = data->iv;
	u64 words[2];

	for (size_t n = 1; n <= C_TIER_BLOCKS; n++) {
		describe("%zu blocks", n);
		call_c_tier(SM4_MEMBER(crypt[SM4_CTR]), keys, text, text, data->counter,
			    n * BLOCK, 0);
		check_not_left(text, n, "keystream of CTR");
		call_c_tier(SM4_MEMBER(crypt[SM4_XTS]), keys, text, text, iv, n * BLOCK, 0);
		check_not_left(tweaks, n, "tweaks");
		call_c_tier(SM4_MEMBER(ccm_crypt), keys, text, text, &data->ccm, n, 0);
		check_not_left(text, n, "keystream of CCM");
		check_not_left(data->ccm.mac, 1, "the MAC of CCM");
		call_c_tier(SM4_MEMBER(gcm), &data->key, text, text, &data->gcm, n * BLOCK,
			    SM4_GCM_FIRST);
		check_not_left(text, n, "keystream of GCM");
		check_not_left(data->gcm.mask, 1, "the mask of GCM");
		check_factors_not_left();
		call_c_tier(SM4_MEMBER(ghash), hash, iv, text, (void *)n, 0, 0);
		words[0] = get_unaligned_be64(iv + 8);
		words[1] = get_unaligned_be64(iv);
		check_not_left(words, 1, "GHASH");
		check_factors_not_left();
	}
	call_c_tier(SM4_MEMBER(key_schedule), data->round_keys, text, NULL, NULL, 0, 0);
	check_not_left(data->round_keys + SM4_ROUNDS - 4, 1, "round keys");
	/* It computes one power more than it stores. */
	call_c_tier(SM4_MEMBER(ghash_set_key), hash, iv, (void *)1, NULL, 0, 0);
	check_factors_not_left();
	sm4_ttable.ghash_set_key(hash, iv, 2);
	check_not_left(hash->powers[GHASH_POWERS - 2], 1, "a power of H");
}

/* ---- drivers ---- */

/*
 * A request or a message: associated data, text and a tag, one after the other. Text begins
 * at the beginning of a page, so that no block of it is in two pages.
 *
 * @mac_key_bytes: of authenc's key
 * @cut: number of bytes of text before another piece of memory, or NO_CUT
 * @count: of messages
 * @is_apart: whether the output is not in place
 * @is_wrong: whether the tag is wrong, whatever its value
 * @steps_fail: whether there is no memory to copy a block that is in two pieces
 */
static struct {
	const struct driver *driver;
	struct aead_message message;
	size_t mac_key_bytes;
	int cut;
	unsigned int count;
	bool decrypts, is_apart, is_wrong, steps_fail;
} request;

#define NO_CUT		INT_MAX
#define TEXT_BYTES	1280

static u8 pages[SM4_LANES][2 * PAGE_SIZE] __aligned(PAGE_SIZE);
static u8 other_pages[2 * PAGE_SIZE] __aligned(PAGE_SIZE);

typeof(crypto_memneq) __wrap_crypto_memneq;

int __wrap_crypto_memneq(const void *a, const void *b, size_t bytes)
{
	return request.is_wrong;
}

static bool is_aead(void)
{
	return request.driver->test->type == CRYPTO_ALG_TYPE_AEAD;
}

static bool is_skcipher(void)
{
	return request.driver->test->type == CRYPTO_ALG_TYPE_SKCIPHER;
}

static const struct sm4_driver *registered_driver(const struct driver *driver)
{
	return is_aead() ? sm4_aead_driver(driver->aead) :
	       is_skcipher() ? sm4_skcipher_driver(driver->skcipher) :
			       sm4_hash_driver(driver->shash);
}

/* The C tier processes the chains of a tier without these functions. */
static bool may_be_c_tier(const struct sm4_driver *driver)
{
	return driver->tier ? !driver->tier->base.features[0] || !driver->tier->cbc_mac :
			      !driver->hash_tier->base.features[0];
}

static void check_driver(int function(void), void renew(void), int err)
{
	int actual = call_twice(function, renew);

	describe("%s of %zu bytes, cut at %d, associated data %zu%s%s%s",
		 request.decrypts ? "decryption" : "encryption", request.message.text_bytes,
		 request.cut, request.message.aad_bytes, request.is_apart ? ", apart" : "",
		 request.is_wrong ? ", wrong tag" : "", request.steps_fail ? ", a step fails" : "");
	check_equal(actual, err);
	check_bytes(heap.bytes, heap_before, sizeof(heap.bytes), "memory");
	if (!IS_SANITIZED && !may_be_c_tier(registered_driver(request.driver)))
		check_stack(WORD_BYTES);
}

static void renew_key(void)
{
	random_key(find_mode(request.driver->name), &request.message, request.mac_key_bytes);
}

static int set_new_key(void)
{
	return set_key(find_mode(request.driver->name), request.driver->tfm, request.message.key,
		       request.message.key_bytes);
}

/*
 * The ciphertext to decrypt is always the same, because it is not secret; its plaintext is.
 * An IV after a salt is treated as secret, because the salt alone is too short to be found.
 */
static void renew_message(void)
{
	struct aead_message *message = &request.message;

	if (!is_hash(request.driver->name)) {
		renew_key();
		check_equal(set_new_key(), 0);
	}
	memset(message->iv, 3, BLOCK);
	if (is_aead() && find_mode(request.driver->name)->salt_bytes)
		random_fill(message->iv, BLOCK);
	for (unsigned int i = 0; i < request.count; i++) {
		u8 *text = pages[i] + PAGE_SIZE;

		random_fill(text - message->aad_bytes, message->aad_bytes);
		memset(text, 0, PAGE_SIZE);
		if (!request.decrypts)
			random_fill(text, TEXT_BYTES);
	}
}

static void fill_list(struct scatterlist sg[2], u8 *page)
{
	const struct aead_message *message = &request.message;
	const size_t bytes = message->aad_bytes + message->text_bytes + message->tag_bytes;
	size_t first = request.cut == NO_CUT ? bytes : message->aad_bytes + request.cut;
	u8 *start = page + PAGE_SIZE - message->aad_bytes;

	sg_init_table(sg, first < bytes ? 2 : 1);
	sg_set_buf(&sg[0], start, first);
	if (first < bytes)
		sg_set_buf(&sg[1], start + first, bytes - first);
}

static int crypt_skcipher(void)
{
	struct skcipher_request req = { 0 };
	struct scatterlist src[2], dst[2];

	fill_list(src, pages[0]);
	fill_list(dst, other_pages);
	skcipher_request_set_tfm(&req, request.driver->skcipher);
	skcipher_request_set_crypt(&req, src, request.is_apart ? dst : src,
				   request.message.text_bytes, request.message.iv);
	return request.decrypts ? crypto_skcipher_decrypt(&req) : crypto_skcipher_encrypt(&req);
}

static void fill_aead(struct aead_request *req, struct scatterlist *src, struct scatterlist *dst)
{
	struct aead_message *message = &request.message;

	memset(req, 0, sizeof(*req));
	aead_request_set_tfm(req, request.driver->aead);
	aead_request_set_crypt(req, src, dst, message->text_bytes +
			       (request.decrypts ? message->tag_bytes : 0), message->iv);
	aead_request_set_ad(req, message->aad_bytes);
}

static int crypt_aead(void)
{
	struct scatterlist src[2], dst[2];
	struct aead_request req;

	fill_list(src, pages[0]);
	fill_list(dst, other_pages);
	fill_aead(&req, src, request.is_apart ? dst : src);
	return request.decrypts ? crypto_aead_decrypt(&req) : crypto_aead_encrypt(&req);
}

/* Several requests of authenc at once, of all lengths; every second one is in two pieces. */
static int crypt_lanes(void)
{
	static struct sm4_authenc_request requests[SM4_LANES], *order[SM4_LANES];
	static struct scatterlist lists[SM4_LANES][2];
	static struct aead_request reqs[SM4_LANES];
	struct sm4_lanes_work *work = kmalloc(sm4_lanes_work_size, GFP_KERNEL);
	struct sm4_lanes *lanes = (struct sm4_lanes *)work;

	for (unsigned int i = 0; i < request.count; i++) {
		request.message.text_bytes = 3 * i * BLOCK % TEXT_BYTES;
		request.cut = i % 2 ? BLOCK / 2 : NO_CUT;
		fill_list(lists[i], pages[i]);
		fill_aead(&reqs[i], lists[i], lists[i]);
		order[i] = &requests[i];
		sm4_authenc_begin(&requests[i], &reqs[i], request.decrypts);
	}
	sm4_lanes_crypt(work, order, request.count);
	/* Ciphertext is left in the lanes. */
	memset(lanes->chain, 0, sizeof(*lanes) - offsetof(struct sm4_lanes, chain));
	return requests[0].err;
}

static struct shash_desc *new_descriptor(void)
{
	struct crypto_shash *tfm = request.driver->shash;
	struct shash_desc *desc = kmalloc(sizeof(*desc) + crypto_shash_descsize(tfm), GFP_KERNEL);

	desc->tfm = tfm;
	return desc;
}

/* A message in one piece or in two; final() or finup() may get the second one. */
static int digest(void)
{
	const size_t bytes = request.message.text_bytes, first = request.cut;
	struct shash_desc *desc = new_descriptor();
	const u8 *text = pages[0] + PAGE_SIZE;
	static u8 result[HASH_MAX_DIGESTSIZE];

	return crypto_shash_init(desc) ?: crypto_shash_update(desc, text, first) ?:
	       first == bytes ? crypto_shash_final(desc, result) :
				crypto_shash_finup(desc, text + first, bytes - first, result);
}

/* A random state of a MAC claims to hold more bytes than a block has. */
static int import_wrong_state(void)
{
	return crypto_shash_import(new_descriptor(), pages[0] + PAGE_SIZE);
}

/* CCM does not walk such a short text, but copies it to the stack. */
#define SHORT_TEXT	224

static bool is_legal(size_t aad_bytes, size_t bytes)
{
	const char *name = request.driver->name;

	if (request.steps_fail && bytes <= SHORT_TEXT)
		return false;
	if (is_skcipher())
		return !aad_bytes && is_legal_text(find_mode(name), bytes);
	return is_legal_aad(find_mode(name), aad_bytes) &&
	       is_legal_text(find_mode(name), bytes);
}

/* authenc checks the tag first. */
static int expected_error(void)
{
	if (request.is_wrong && is_authenc(find_mode(request.driver->name)))
		return -EBADMSG;
	if (request.steps_fail && request.cut > 0 && request.cut != NO_CUT)
		return -ENOMEM;
	return request.is_wrong ? -EBADMSG : 0;
}

/* In both directions, in place and not, with a right tag and a wrong one */
static void check_request(void)
{
	for (unsigned int i = 0; i < 8; i++) {
		request.decrypts = i & 1;
		request.is_apart = i & 2;
		request.is_wrong = i & 4;
		if (!request.is_wrong || (request.decrypts && is_aead()))
			check_driver(is_aead() ? crypt_aead : crypt_skcipher, renew_message,
				     expected_error());
	}
}

/* In one piece, and in two, of which the first ends inside the associated data or the text */
static void check_cuts(size_t aad_bytes, size_t bytes)
{
	static const int cuts[] = { NO_CUT, -8, 0, BLOCK + 8, 12 * BLOCK + 8 };

	request.message.aad_bytes = aad_bytes;
	request.message.text_bytes = bytes;
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		request.cut = cuts[i];
		if (request.cut == NO_CUT ||
		    (request.cut < (int)bytes && -request.cut < (int)aad_bytes))
			check_request();
	}
}

/* Short texts, and texts with several FPU sections of a chain; whole blocks or not */
static void check_lengths(void)
{
	static const size_t lengths[] = { 16, 31, 33, 48, 95, 96, 639, TEXT_BYTES };
	static const size_t aad_lengths[] = { 0, 16, 20, 100 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (size_t j = 0; j < ARRAY_SIZE(aad_lengths); j++)
			if (is_legal(aad_lengths[j], lengths[i]))
				check_cuts(aad_lengths[j], lengths[i]);
}

static void check_key(const struct driver *driver, size_t mac_key_bytes)
{
	memset(&request, 0, sizeof(request));
	request.driver = driver;
	request.mac_key_bytes = mac_key_bytes;
	request.count = 1;
	check_driver(set_new_key, renew_key, 0);
}

/* A key of HMAC is hashed first if it is longer than a block. */
static void test_cipher(const struct driver *driver)
{
	check_key(driver, SM3_BLOCK_SIZE - 1);
	check_key(driver, SM3_BLOCK_SIZE + 1);
	if (is_aead())
		request.message.tag_bytes = crypto_aead_authsize(driver->aead);
	check_lengths();
	request.steps_fail = true;
	shim_fail_copies();
	check_lengths();
}

static void test_lanes(const struct driver *driver)
{
	check_key(driver, SM3_BLOCK_SIZE);
	if (!registered_driver(driver)->tier->cbc_encrypt_lanes)
		skip_case("the tier has no lanes");
	request.message.tag_bytes = SM3_DIGEST_SIZE;
	request.message.aad_bytes = 24;
	for (request.count = 3; request.count <= SM4_LANES; request.count++) {
		for (unsigned int i = 0; i < 3; i++) {
			request.decrypts = i;
			request.is_wrong = i > 1;
			check_driver(crypt_lanes, renew_message, i > 1 ? -EBADMSG : 0);
		}
	}
}

static void test_hash(const struct driver *driver)
{
	request.driver = driver;
	request.count = 1;
	for (size_t bytes = 0; bytes < 4 * SM3_BLOCK_SIZE; bytes++) {
		request.message.text_bytes = bytes;
		for (request.cut = 0; request.cut <= (int)bytes; request.cut += 1 + bytes / 4)
			check_driver(digest, renew_message, 0);
	}
}

static void test_mac(const struct driver *driver)
{
	check_key(driver, 0);
	check_driver(import_wrong_state, renew_message, -EINVAL);
	test_hash(driver);
}

/* ---- all of it ---- */

static bool is_esp(const char *cra_name)
{
	return is_authenc(find_mode(cra_name));
}

/* The bare cipher is only on the C tier. */
static const struct driver_test tests[] = {
	{ "leftovers", test_cipher, CRYPTO_ALG_TYPE_SKCIPHER },
	{ "leftovers", test_cipher, CRYPTO_ALG_TYPE_AEAD },
	{ "leftovers in lanes", test_lanes, CRYPTO_ALG_TYPE_AEAD, false, is_esp },
	{ "leftovers", test_mac, CRYPTO_ALG_TYPE_SHASH },
	{ "leftovers", test_hash, CRYPTO_ALG_TYPE_SHASH, false, is_hash },
};

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	for (unsigned int i = 0; any_tier(i); i++) {
		const struct sm4_tier_base *tier = any_tier(i);

		if (!sm4_tier_usable(tier))
			add_untried(tier);
		else if (tier->features[0])
			add_case(test_tier, tier, "/tiers/%s/leftovers", tier->name);
	}
	add_case(test_c_tier, NULL, "/tiers/%s/leftovers", sm4_ttable.base.name);
	add_driver_cases(tests, ARRAY_SIZE(tests));
	return run_cases();
}
