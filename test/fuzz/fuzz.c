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

/*
 * Lengths up to 70000, most of them short: these are the different ones. Others
 * differ where something ends: a section, CCM's short form of lengths, 16 bits.
 */
static size_t some_length(void)
{
	static const unsigned int limits[] = {
		65, 65, 600, 600, 1300, 1300, 2 * SM4_SECTION_SIZE, 70001,
	};
	static const unsigned int ends[] = {
		SM4_SECTION_SIZE, 2 * SM4_SECTION_SIZE, 0xff00, 0x10000,
	};

	if (!random_below(8))
		return ends[random_below(ARRAY_SIZE(ends))] - BLOCK +
		       random_below(2 * BLOCK + 1);
	return random_below(limits[random_below(ARRAY_SIZE(limits))]);
}

static const struct placement *some_placement(void)
{
	return &placements[random_below(PLACEMENTS)];
}

/* ---- through the crypto API ---- */

/* A message in one request or, where the IV is handed on, in several */
static void fuzz_skcipher(const struct crypto_alg *alg)
{
	const struct mode *mode = find_mode(alg->cra_name);
	struct crypto_skcipher *tfm =
		crypto_alloc_skcipher(alg->cra_driver_name, 0, 0);
	bool decrypt = random_below(2);
	const u8 *in = decrypt ? ciphertext : plaintext;
	const u8 *out = decrypt ? plaintext : ciphertext;
	size_t bytes = some_length(), done = 0;
	bool is_legal = is_legal_text(mode, bytes);
	u8 key[32], iv[BLOCK];

	random_fill(key, sizeof(key));
	random_iv(iv);
	random_fill(plaintext, bytes);
	if (is_legal)
		gcrypt_skcipher(mode, key, iv, ciphertext, plaintext, bytes);
	check_equal(crypto_skcipher_setkey(tfm,
					   guarded_key(key, mode->key_bytes),
					   mode->key_bytes), 0);
	do {
		size_t piece = bytes - done;

		if (is_legal && mode->chains && random_below(2))
			piece = round_down(random_below(piece + 1),
					   (size_t)BLOCK);
		describe("%s, %s of bytes %zu to %zu of %zu",
			 alg->cra_driver_name,
			 decrypt ? "decryption" : "encryption", done,
			 done + piece, bytes);
		check_equal(skcipher_crypt(tfm, decrypt, some_placement(), iv,
					   in + done, out + done, piece),
			    is_legal ? 0 : -EINVAL);
		done += piece;
	} while (done < bytes);
	crypto_free_skcipher(tfm);
}

/* A message, sealed, of which a place may be changed then */
struct sealed {
	struct aead_message message;
	u8 *aad, *text, *sealed;
};

/* Change a bit of what is authenticated. */
static void change_message(const struct mode *mode, struct sealed *sealed)
{
	struct aead_message *message = &sealed->message;
	size_t in_aad = message->aad_bytes -
			(mode->is_ipsec ? mode->iv_bytes : 0);
	size_t place = random_below(in_aad + message->text_bytes +
				    message->tag_bytes);
	u8 bit = BIT(random_below(8));

	if (place < in_aad)
		sealed->aad[place] ^= bit;
	else
		sealed->sealed[place - in_aad] ^= bit;
}

/* Lengths; some are illegal */
static void choose_lengths(const struct mode *mode,
			   struct aead_message *message)
{
	message->aad_bytes = some_length();
	message->text_bytes = some_length();
	if (mode->is_ipsec && random_below(8))
		message->aad_bytes = random_below(2) ? 16 : 20;
	while (!is_legal_text(mode, message->text_bytes) && random_below(64))
		message->text_bytes--;
}

/*
 * The message, by the key, IV and tag's length that it has. Returns the error that its
 * request has to end with: it is an illegal one at times, or changed.
 */
static int seal(const struct mode *mode, struct sealed *sealed,
		bool decrypt)
{
	struct aead_message *message = &sealed->message;

	message->aad = sealed->aad;
	message->text = sealed->text;
	random_fill(sealed->aad, message->aad_bytes);
	random_fill(sealed->text, message->text_bytes);
	if (!is_legal_aad(mode, message->aad_bytes))
		return -EINVAL;
	if (!is_legal_text(mode, message->text_bytes)) {
		authenc_tag(mode, message, sealed->sealed);
		return -EINVAL;
	}
	gcrypt_aead(mode, message, sealed->sealed);
	/* A shorter tag may well be that of the changed message, too. */
	if (!decrypt || message->tag_bytes < 4 || random_below(4))
		return 0;
	change_message(mode, sealed);
	return -EBADMSG;
}

/* A message in one direction, or one that was changed, or an illegal one */
static void fuzz_aead(const struct crypto_alg *alg)
{
	const struct mode *mode = find_mode(alg->cra_name);
	struct crypto_aead *tfm =
		crypto_alloc_aead(alg->cra_driver_name, 0, 0);
	bool decrypt = random_below(2);
	struct sealed sealed = {
		.aad = aad, .text = plaintext, .sealed = ciphertext,
	};
	struct aead_message *message = &sealed.message;
	int expected;

	choose_lengths(mode, message);
	random_aead_parameters(mode, message);
	expected = seal(mode, &sealed, decrypt);
	describe("%s, %s of %zu bytes, associated data %zu, tag %zu",
		 alg->cra_driver_name, decrypt ? "decryption" : "encryption",
		 message->text_bytes, message->aad_bytes, message->tag_bytes);
	check_equal(crypto_aead_setkey(tfm, guarded_key(message->key,
							message->key_bytes),
				       message->key_bytes), 0);
	check_equal(crypto_aead_setauthsize(tfm, message->tag_bytes), 0);
	check_equal(aead_crypt(tfm, decrypt, some_placement(), message,
			       ciphertext), expected);
	crypto_free_aead(tfm);
}

/* ---- several requests at once ---- */

#define BURST_MAX	40
#define BURST_TFMS	3

static struct burst_request {
	struct aead_try try;
	struct sealed sealed;
	struct aead_request *request;
	int expected, err;
	bool completed;
} burst[BURST_MAX];

static void burst_completed(void *data, int err)
{
	struct burst_request *request = data;

	check(!request->completed);
	request->completed = true;
	request->err = err;
}

static void submit_burst(struct burst_request *request,
			 const struct mode *mode, struct crypto_aead *tfm,
			 const struct aead_message *parameters)
{
	struct sealed *sealed = &request->sealed;
	bool decrypt = random_below(2);
	int err;

	if (!sealed->aad) {
		sealed->aad = malloc(MESSAGE_BYTES_MAX);
		sealed->text = malloc(MESSAGE_BYTES_MAX);
		sealed->sealed = malloc(MESSAGE_BYTES_MAX);
	}
	sealed->message = *parameters;
	choose_lengths(mode, &sealed->message);
	random_fill(sealed->message.iv, sizeof(sealed->message.iv));
	request->expected = seal(mode, sealed, decrypt);
	request->try.placement = some_placement();
	request->try.message = &sealed->message;
	request->try.sealed = sealed->sealed;
	request->try.decrypt = decrypt;
	request->completed = false;
	request->request = malloc(sizeof(*request->request) +
				  crypto_aead_reqsize(tfm));
	aead_place(&request->try, request->request, tfm, sealed->message.iv);
	aead_request_set_callback(request->request, 0, burst_completed, request);
	err = decrypt ? crypto_aead_decrypt(request->request) :
			crypto_aead_encrypt(request->request);
	if (err != -EINPROGRESS)
		burst_completed(request, err);
}

/* Messages in both directions, by some keys, that come in softirq */
static void fuzz_burst(const struct crypto_alg *alg)
{
	const struct mode *mode = find_mode(alg->cra_name);
	unsigned int count = 1 + random_below(BURST_MAX), i;
	struct aead_message parameters[BURST_TFMS] = { 0 };
	struct crypto_aead *tfms[BURST_TFMS];

	for (i = 0; i < BURST_TFMS; i++) {
		tfms[i] = crypto_alloc_aead(alg->cra_driver_name, 0, 0);
		random_aead_parameters(mode, &parameters[i]);
		check_equal(crypto_aead_setkey(tfms[i], parameters[i].key,
					       parameters[i].key_bytes), 0);
		check_equal(crypto_aead_setauthsize(tfms[i],
						    parameters[i].tag_bytes), 0);
	}
	shim_enter(0, true);
	for (i = 0; i < count; i++) {
		unsigned int key = random_below(BURST_TFMS);

		submit_burst(&burst[i], mode, tfms[key], &parameters[key]);
	}
	shim_enter(0, false);
	shim_set_steps_cross_pages(random_below(2));
	shim_run_softirqs(0);
	for (i = 0; i < count; i++) {
		const struct aead_message *message = &burst[i].sealed.message;

		describe("%s, number %u of %u: %s of %zu bytes, associated data %zu, tag %zu",
			 alg->cra_driver_name, i, count,
			 burst[i].try.decrypt ? "decryption" : "encryption",
			 message->text_bytes, message->aad_bytes,
			 message->tag_bytes);
		check(burst[i].completed);
		check_equal(burst[i].err, burst[i].expected);
		aead_check(&burst[i].try, mode, burst[i].err);
		free(burst[i].request);
	}
	for (i = 0; i < BURST_TFMS; i++)
		crypto_free_aead(tfms[i]);
}

/* ---- other drivers ---- */

static void fuzz_shash(const struct crypto_alg *alg)
{
	struct crypto_shash *tfm =
		crypto_alloc_shash(alg->cra_driver_name, 0, 0);
	u8 key[BLOCK], mac[HASH_MAX_DIGESTSIZE], expected[HASH_MAX_DIGESTSIZE];
	size_t bytes = some_length();
	u8 *p = plaintext + random_below(BLOCK);

	random_fill(key, sizeof(key));
	random_fill(p, bytes);
	/* SM3 has no key. */
	if (crypto_shash_alg(tfm)->setkey)
		gcrypt_mac(find_mode(alg->cra_name), key, p, bytes,
			   expected);
	else
		gcrypt_hash(p, bytes, expected);
	describe("%s of %zu bytes", alg->cra_driver_name, bytes);
	if (crypto_shash_alg(tfm)->setkey)
		check_equal(crypto_shash_setkey(tfm, guarded_key(key, BLOCK),
						BLOCK), 0);
	mac_in_pieces(tfm, p, bytes, mac);
	check_bytes(mac, expected, crypto_shash_digestsize(tfm), "MAC");
	crypto_free_shash(tfm);
}

static void fuzz_cipher(const struct crypto_alg *alg)
{
	struct crypto_cipher *tfm =
		crypto_alloc_cipher(alg->cra_driver_name, 0, 0);
	u8 key[BLOCK], expected[BLOCK];

	random_fill(key, sizeof(key));
	random_fill(plaintext, BLOCK);
	encrypt_block(key, expected, plaintext);
	describe("%s", alg->cra_driver_name);
	check_equal(crypto_cipher_setkey(tfm, guarded_key(key, BLOCK), BLOCK),
		    0);
	crypto_cipher_encrypt_one(tfm, ciphertext, plaintext);
	check_bytes(ciphertext, expected, BLOCK, "ciphertext");
	crypto_cipher_decrypt_one(tfm, ciphertext, ciphertext);
	check_bytes(ciphertext, plaintext, BLOCK, "plaintext");
	crypto_free_cipher(tfm);
}

static void fuzz_driver(const struct crypto_alg *alg)
{
	switch (alg->cra_flags & CRYPTO_ALG_TYPE_MASK) {
	case CRYPTO_ALG_TYPE_SKCIPHER:
		return fuzz_skcipher(alg);
	case CRYPTO_ALG_TYPE_AEAD:
		/* In process context, it does requests one by one as well. */
		if (alg->cra_flags & CRYPTO_ALG_ASYNC && random_below(4))
			return fuzz_burst(alg);
		return fuzz_aead(alg);
	case CRYPTO_ALG_TYPE_SHASH:
		return fuzz_shash(alg);
	case CRYPTO_ALG_TYPE_CIPHER:
		return fuzz_cipher(alg);
	default:
		fail_case("no fuzzing of %s", alg->cra_driver_name);
	}
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
	size_t bytes = some_length(), done = 0, piece;
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
		working->crypt[operation](decrypt ? &key.dec : &key.enc,
					  flat.dst + done, flat.src + done, iv,
					  piece);
		sm4_end(working);
	}
	flat_check(&flat, in, decrypt ? plaintext : ciphertext);
}

static void fuzz_cbc_mac(const struct sm4_tier *tier)
{
	size_t bytes = round_down(some_length(), (size_t)BLOCK);
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
	size_t bytes = round_down(some_length(), (size_t)BLOCK);
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
		.text = plaintext, .text_bytes = some_length(),
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
		working->gcm(&key, flat.dst + done, flat.src + done, &state,
			     piece, part);
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
