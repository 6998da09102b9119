// SPDX-License-Identifier: GPL-2.0
/*
 * A program for libFuzzer: every driver that the module registers here, through
 * the crypto API, and the functions of every tier that this CPU can run, as the
 * modes call them, all against libgcrypt. The input decides everything: which
 * driver or tier, how many requests at once, lengths, directions, places in
 * memory, how it is cut into pieces, which pieces the vector unit cannot be had
 * for, and what is changed in a message. Any input is a legal one.
 */
#include <errno.h>
#include "input.h"
#include "requests.h"
#include "shim/control.h"
#include "sm4-fast-core.h"
#include "../requests/trials.h"

static u8 plaintext[MESSAGE_BYTES_MAX], ciphertext[MESSAGE_BYTES_MAX];
static u8 aad[MESSAGE_BYTES_MAX];

/* ---- through the crypto API ---- */

static void fuzz_request(const struct crypto_alg *alg)
{
	const u32 type = alg->cra_flags & CRYPTO_ALG_TYPE_MASK;
	void *tfm = allocate_transform(type, alg->cra_driver_name);
	static struct contents contents;
	struct trial r;
	char text[128];
	int err;

	random_trial(&r, find_mode(alg->cra_name));
	tell_trial(&r, text, sizeof(text));
	describe("%s: %s", alg->cra_driver_name, text);
	prepare_trial(&r, &contents);
	err = set_keys(&r, &contents, tfm);
	check_equal(err ?: ask(&r, &contents, tfm, &placements[random_below(PLACEMENTS)]),
		    right_answer(&r));
	free_transform(type, tfm);
}

/* ---- several requests at once ---- */

#define BURST_MAX	40
#define BURST_TFMS	3

static struct burst_request {
	struct trial trial;
	struct contents contents;
	struct aead_try try;
	struct aead_request *request;
	int err;
	bool completed;
} burst[BURST_MAX];

static void burst_completed(void *data, int err)
{
	struct burst_request *request = data;

	check(!request->completed);
	request->completed = true;
	request->err = err;
}

static void submit_burst(struct burst_request *request, struct crypto_aead *tfm,
			 const struct trial *like, const u8 *key)
{
	struct trial *r = &request->trial;
	int err;

	random_trial(r, like->mode);
	r->traits[KEY] = like->traits[KEY];
	r->traits[TAG] = like->traits[TAG];
	request->contents.key = key;
	prepare_trial(r, &request->contents);
	request->try.placement = &placements[random_below(PLACEMENTS)];
	request->try.message = &request->contents.message;
	request->try.sealed = request->contents.sealed;
	request->try.decrypt = r->open;
	request->completed = false;
	request->request = malloc(sizeof(*request->request) +
				  crypto_aead_reqsize(tfm));
	aead_place(&request->try, request->request, tfm, request->contents.message.iv);
	aead_request_set_callback(request->request, 0, burst_completed, request);
	err = r->open ? crypto_aead_decrypt(request->request) :
			crypto_aead_encrypt(request->request);
	if (err != -EINPROGRESS)
		burst_completed(request, err);
}

/* Messages in both directions, by some keys, that come in softirq */
static void fuzz_burst(const struct crypto_alg *alg)
{
	unsigned int count = 1 + random_below(BURST_MAX), i;
	static struct contents keys[BURST_TFMS];
	struct crypto_aead *tfms[BURST_TFMS];
	struct trial like[BURST_TFMS];

	for (i = 0; i < BURST_TFMS; i++) {
		tfms[i] = crypto_alloc_aead(alg->cra_driver_name, 0, 0);
		random_trial(&like[i], find_mode(alg->cra_name));
		/* A shorter tag may well be that of a changed message, too. */
		like[i].traits[TAG] = 4 + random_below(LONGEST_TAG - 3);
		prepare_trial(&like[i], &keys[i]);
		check_equal(set_keys(&like[i], &keys[i], tfms[i]), 0);
		check_equal(crypto_aead_setauthsize(tfms[i], like[i].traits[TAG]), 0);
	}
	shim_enter(0, true);
	for (i = 0; i < count; i++) {
		unsigned int key = random_below(BURST_TFMS);

		submit_burst(&burst[i], tfms[key], &like[key], keys[key].message.key);
	}
	shim_enter(0, false);
	shim_set_steps_cross_pages(random_below(2));
	shim_run_softirqs(0);
	for (i = 0; i < count; i++) {
		const struct trial *r = &burst[i].trial;
		char text[128];

		tell_trial(r, text, sizeof(text));
		describe("%s, number %u of %u: %s", alg->cra_driver_name, i, count, text);
		check(burst[i].completed);
		check_equal(burst[i].err, right_answer(r));
		aead_check(&burst[i].try, r->mode, burst[i].err);
		free(burst[i].request);
	}
	for (i = 0; i < BURST_TFMS; i++)
		crypto_free_aead(tfms[i]);
}

static void fuzz_driver(const struct crypto_alg *alg)
{
	/* In process context, it does requests one by one as well. */
	if (alg->cra_flags & CRYPTO_ALG_ASYNC && random_below(4))
		return fuzz_burst(alg);
	fuzz_request(alg);
}

/* ---- the functions of the tiers ---- */

static struct flat flat;

static void place_flat(const u8 *in, size_t bytes, bool in_place)
{
	const struct placement placement = { .in_place = in_place };

	flat_place(&flat, &placement, in, bytes);
}

/* How much the next call gets of what is left: whole blocks, unless it is all */
static size_t some_piece(size_t left)
{
	if (random_below(2) && left <= SM4_SECTION_SIZE)
		return left;
	return round_down(random_below(min_t(size_t, left, SM4_SECTION_SIZE) +
				       1), (size_t)BLOCK);
}

static void fuzz_operation(const struct sm4_tier *tier)
{
	static const char *const modes[SM4_OPERATIONS] = {
		"ecb(sm4)", "cbc(sm4)", "cbc(sm4)", "ctr(sm4)", "xts(sm4)",
		"gbt17964(xts(sm4))",
	};
	enum sm4_operation operation = random_below(SM4_OPERATIONS);
	bool decrypt = operation == SM4_CBC_DECRYPT ||
		       (operation != SM4_CBC_ENCRYPT && operation != SM4_CTR &&
			random_below(2));
	const u8 *in = decrypt ? ciphertext : plaintext;
	size_t bytes = random_length(), done = 0, piece;
	u8 raw[2 * SM4_KEY_SIZE], iv[BLOCK];
	struct sm4_key key;

	if (operation != SM4_CTR)
		bytes = round_down(bytes, (size_t)BLOCK);
	random_fill(raw, sizeof(raw));
	random_iv(iv);
	random_fill(plaintext, bytes);
	if (bytes)
		gcrypt_skcipher(find_mode(modes[operation]), raw,
				iv, ciphertext, plaintext, bytes);
	if (operation == SM4_XTS || operation == SM4_XTS_GB)
		encrypt_block(raw + SM4_KEY_SIZE, iv, iv);
	describe("%s: operation %d, %s of %zu bytes", tier->name, operation,
		 decrypt ? "decryption" : "encryption", bytes);
	tier = sm4_tier_for(tier, operation);
	sm4_set_key(tier, &key, guarded_key(raw, SM4_KEY_SIZE));
	place_flat(in, bytes, random_below(2));
	for (; done < bytes; done += piece) {
		const struct sm4_tier *working = sm4_begin(tier);

		piece = some_piece(bytes - done);
		sm4_tier_crypt(working, operation,
			       decrypt ? &key.dec : &key.enc, flat.dst + done,
			       flat.src + done, iv, piece);
		sm4_end(working);
	}
	flat_check(&flat, in, decrypt ? plaintext : ciphertext);
}

static void fuzz_cbc_mac(const struct sm4_tier *tier)
{
	size_t bytes = round_down(random_length(), (size_t)BLOCK);
	u8 raw[SM4_KEY_SIZE], mac[BLOCK] = { 0 }, expected[BLOCK];
	size_t done, piece;
	struct sm4_key key;

	random_fill(raw, sizeof(raw));
	random_fill(plaintext, bytes);
	gcrypt_mac(find_mode("cbcmac(sm4)"), raw, plaintext, bytes,
		   expected);
	describe("%s: CBC-MAC of %zu bytes", tier->name, bytes);
	tier = sm4_tier_for(tier, SM4_CBC_ENCRYPT);
	sm4_set_key(tier, &key, guarded_key(raw, SM4_KEY_SIZE));
	place_flat(plaintext, bytes, true);
	for (done = 0; done < bytes; done += piece) {
		const struct sm4_tier *working = sm4_begin(tier);

		piece = some_piece(bytes - done);
		working->cbc_mac(&key.enc, mac, flat.src + done, piece / BLOCK);
		sm4_end(working);
	}
	check_bytes(mac, expected, BLOCK, "MAC");
	flat_check(&flat, plaintext, plaintext);
}

/* With its key. The C tier, which knows no vectors, is the reference here. */
static void fuzz_ghash(const struct sm4_tier *tier)
{
	size_t bytes = round_down(random_length(), (size_t)BLOCK);
	u8 h[BLOCK], hash[BLOCK], expected[BLOCK];
	const struct sm4_tier *setting = sm4_begin(tier);
	struct sm4_ghash_key key, key_of_c_tier;
	size_t done, piece;

	random_fill(h, BLOCK);
	random_fill(hash, BLOCK);
	random_fill(plaintext, bytes);
	setting->ghash_set_key(&key, h, GHASH_POWERS);
	sm4_end(setting);
	sm4_ttable.ghash_set_key(&key_of_c_tier, h, 1);
	memcpy(expected, hash, BLOCK);
	sm4_ttable.ghash(&key_of_c_tier, expected, plaintext, bytes / BLOCK);
	describe("%s: GHASH of %zu bytes", tier->name, bytes);
	place_flat(plaintext, bytes, true);
	for (done = 0; done < bytes; done += piece) {
		const struct sm4_tier *working = sm4_begin(tier);

		piece = some_piece(bytes - done);
		working->ghash(&key, hash, flat.src + done, piece / BLOCK);
		sm4_end(working);
	}
	check_bytes(hash, expected, BLOCK, "GHASH");
	flat_check(&flat, plaintext, plaintext);
}

/* A message given in parts, with associated data of up to four blocks */
static void fuzz_gcm(const struct sm4_tier *tier)
{
	bool decrypt = random_below(2);
	struct aead_message message = {
		.aad = aad, .aad_bytes = random_below(4 * BLOCK + 1),
		.text = plaintext, .text_bytes = random_length(),
		.tag_bytes = BLOCK,
	};
	const u8 *in = decrypt ? ciphertext : plaintext;
	size_t bytes = message.text_bytes, done = 0, piece;
	struct sm4_gcm_state state = { 0 };
	unsigned int part = SM4_GCM_FIRST | (decrypt ? SM4_GCM_DECRYPTS : 0);
	struct sm4_gcm_key key;

	random_fill(message.key, sizeof(message.key));
	random_fill(message.iv, sizeof(message.iv));
	memset(aad, 0, 4 * BLOCK);
	random_fill(aad, message.aad_bytes);
	random_fill(plaintext, bytes);
	gcrypt_aead(find_mode("gcm(sm4)"), &message, ciphertext);
	describe("%s: GCM, %s of %zu bytes, associated data %zu", tier->name,
		 decrypt ? "decryption" : "encryption", bytes,
		 message.aad_bytes);
	sm4_gcm_set_key(tier, &key, guarded_key(message.key, SM4_KEY_SIZE));
	memcpy(state.counter, message.iv, BLOCK - sizeof(u32));
	put_unaligned_be32(1, state.counter + BLOCK - sizeof(u32));
	put_unaligned_be64(message.aad_bytes * 8, state.lengths);
	put_unaligned_be64(bytes * 8, state.lengths + 8);
	sm4_ttable.ghash(&key.hash, state.hash, aad,
			 DIV_ROUND_UP(message.aad_bytes, BLOCK));
	place_flat(in, bytes, random_below(2));
	do {
		const struct sm4_tier *working = sm4_begin(tier);

		piece = some_piece(bytes - done);
		if (done + piece == bytes)
			part |= SM4_GCM_LAST;
		sm4_tier_gcm(working, &key, flat.dst + done, flat.src + done,
			     &state, piece, part);
		sm4_end(working);
		done += piece;
		part &= ~SM4_GCM_FIRST;
	} while (!(part & SM4_GCM_LAST));
	flat_check(&flat, in, decrypt ? plaintext : ciphertext);
	check_bytes(state.hash, ciphertext + bytes, BLOCK, "tag");
}

static void (*const tier_targets[])(const struct sm4_tier *tier) = {
	fuzz_operation, fuzz_cbc_mac, fuzz_ghash, fuzz_gcm,
};

/* ---- what libFuzzer calls ---- */

/*
 * libFuzzer sees what an input reaches in C code only. It is told of drivers
 * and tiers by these counters, so that its corpus has all of them.
 */
static u8 reached[1024] __attribute__((__section__("__libfuzzer_extra_counters")));
static unsigned long runs[ARRAY_SIZE(reached)];
static unsigned int choices, drivers;
static const struct sm4_tier *usable[SM4_TIERS_MAX];

static void tell_runs(void)
{
	unsigned int i, tried = 0;

	for (i = 0; i < choices; i++)
		tried += !!runs[i];
	fprintf(stderr, "tried %u of %u drivers and functions of tiers\n",
		tried, choices);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	unsigned int i, count = 0;

	(void)argc;
	(void)argv;
	shim_reset();
	shim_set_parameter("tiers", "all");
	shim_set_parameter("batch", "Y");
	check_equal(shim_load_module(), 0);
	for (i = 0; i < sm4_tier_count; i++) {
		if (sm4_tier_usable(sm4_tiers[i]))
			usable[count++] = sm4_tiers[i];
	}
	drivers = shim_algorithm_count();
	choices = drivers + count * ARRAY_SIZE(tier_targets);
	check(choices <= ARRAY_SIZE(reached));
	atexit(tell_runs);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	unsigned int choice, target;

	input_start(bytes, count);
	choice = random_below(choices);
	reached[choice] = 1;
	runs[choice]++;
	shim_set_simd_policy(random_below(SIMD_POLICIES));
	if (choice < drivers) {
		fuzz_driver(shim_algorithm(choice));
	} else {
		choice -= drivers;
		target = choice % ARRAY_SIZE(tier_targets);
		tier_targets[target](usable[choice / ARRAY_SIZE(tier_targets)]);
	}
	return 0;
}
