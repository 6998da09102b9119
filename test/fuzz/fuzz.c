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
	print_trial(&r, text, sizeof(text));
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

/* Messages in both directions, by some keys, that come in softirq */
static void fuzz_burst(const struct crypto_alg *alg)
{
	const struct mode *mode = find_mode(alg->cra_name);
	unsigned int count = 1 + random_below(BURST_MAX), i;
	static struct async_request burst[BURST_MAX];
	struct keyed_aead aeads[BURST_TFMS];

	for (i = 0; i < BURST_TFMS; i++)
		set_random_key(&aeads[i], mode, crypto_alloc_aead(alg->cra_driver_name, 0, 0));
	shim_enter(0, true);
	for (i = 0; i < count; i++) {
		random_trial(&burst[i].trial, mode);
		async_prepare(&burst[i], &aeads[random_below(BURST_TFMS)],
			      &placements[random_below(PLACEMENTS)]);
		async_submit(&burst[i]);
	}
	shim_enter(0, false);
	shim_set_steps_cross_pages(random_below(2));
	shim_run_softirqs(0);
	for (i = 0; i < count; i++)
		async_check(&burst[i]);
	for (i = 0; i < BURST_TFMS; i++)
		crypto_free_aead(aeads[i].tfm);
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
	tier = sm4_tier_for_mac(tier);
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
