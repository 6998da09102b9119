// SPDX-License-Identifier: GPL-2.0
/*
 * known-answers ALGORITHM DRIVER
 *
 * Asks the running kernel, through AF_ALG (libkcapi), for what DRIVER makes of
 * many requests, and compares each answer with that of the reference of test/host,
 * which shares no code with the module. ALGORITHM says what DRIVER must compute,
 * such as xts(sm4). Prints TAP without numbers or plan: one line for the answers,
 * one for the requests that must be refused.
 *
 * "known-answers --load SECONDS PROCESSES ALGORITHM..." does so with random
 * requests from many processes at once, which share one key of each ALGORITHM,
 * as the kernel has it. "--open" instead of "--load" lets them ask for every
 * ALGORITHM anew with each request, and takes it that there may be none.
 */
#include <errno.h>
#include <gcrypt.h>
#include <kcapi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "reference.h"

#define SM3_DIGEST 32
#define LONGEST_TEXT 60000
#define LONGEST_AAD 300
#define LONGEST_REQUEST (LONGEST_AAD + LONGEST_TEXT + TAG_MAX)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* authenc's key here, with keys of 32 and 16 bytes */
#define AUTHENC_KEY (AUTHENC_KEY_HEAD + 32 + BLOCK)
/* No longer key is tried: this one is that of XTS with AES-256. */
#define LONGEST_KEY 64

/* One request: what goes in, but for the driver that it goes to. */
struct request {
	uint8_t key[LONGEST_KEY];
	uint8_t iv[BLOCK];
	uint8_t aad[LONGEST_AAD];
	size_t aad_length;
	uint8_t text[LONGEST_TEXT];
	size_t length;
	size_t tag_length;
};

struct subject {
	const char *algorithm;
	enum mode_kind kind;
	/*
	 * The right answer: the ciphertext, with the tag after it, or the MAC.
	 */
	void (*reference)(const char *algorithm, const struct request *request,
			  uint8_t *answer);
	/* Of a hash, which is a MAC without a key, 0 */
	size_t key_length;
	/* Lengths of text must be a multiple of this, and at least that. */
	size_t multiple, least;
	/* Of a MAC */
	size_t mac_length;
};

static const char *driver;

/* What all processes have done; failures since the last report */
static struct totals {
	_Atomic unsigned long requests, bytes, failures;
	/*
	 * How often the kernel had no driver, and how often it has described a
	 * larval in its place.
	 */
	_Atomic unsigned long absent, larvals;
} *totals;

/* Whether the kernel may have no driver */
static bool may_be_absent;

static void failed(const char *format, ...)
{
	va_list arguments;

	/* The first few say enough. */
	if (totals->failures++ >= 5)
		return;
	va_start(arguments, format);
	printf("# %s: ", driver);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

/* Ends a test: its TAP line, from what was done since the last. */
static void report(const char *what)
{
	printf("%s - %s %s (%lu requests)\n",
	       totals->failures || !totals->requests ? "not ok" : "ok", driver,
	       what, totals->requests);
	if (!totals->requests)
		printf("# %s: no request was made\n", driver);
	memset(totals, 0, sizeof(*totals));
}

/* ---- the right answers ---- */

static void encrypt_by(const char *algorithm, const uint8_t *key,
		       const uint8_t *iv, const uint8_t *in, size_t length,
		       uint8_t *out)
{
	gcrypt_skcipher(find_mode(algorithm), key, iv, out, in,
			length);
}

static void skcipher(const char *algorithm, const struct request *r,
		     uint8_t *answer)
{
	encrypt_by(algorithm, r->key, r->iv, r->text, r->length, answer);
}

static void aead(const char *algorithm, const struct request *r, uint8_t *answer)
{
	struct aead_message message = {
		.aad = r->aad, .aad_bytes = r->aad_length,
		.text = r->text, .text_bytes = r->length,
		.tag_bytes = r->tag_length, .key_bytes = AUTHENC_KEY,
	};

	memcpy(message.key, r->key, sizeof(r->key));
	memcpy(message.iv, r->iv, sizeof(r->iv));
	gcrypt_aead(find_mode(algorithm), &message, answer);
}

static void mac(const char *algorithm, const struct request *r, uint8_t *answer)
{
	gcrypt_mac(find_mode(algorithm), r->key, r->text, r->length,
		   answer);
}

static void sm3(const char *algorithm, const struct request *r, uint8_t *answer)
{
	gcrypt_hash(r->text, r->length, answer);
}

/* ---- what the kernel's templates make of our drivers ---- */

/*
 * RFC 3686: the counter block is nonce (the end of the key), IV, and a 32-bit
 * counter from 1.
 */
static void rfc3686(const char *algorithm, const struct request *r,
		    uint8_t *answer)
{
	uint8_t counter[BLOCK] = { [15] = 1 };

	memcpy(counter, r->key + 16, 4);
	memcpy(counter + 4, r->iv, 8);
	encrypt_by("ctr(sm4)", r->key, counter, r->text, r->length, answer);
}

/*
 * ESSIV: CBC whose IV is encrypted first, with the hash of the key as its key.
 */
static void essiv_md5(const char *algorithm, const struct request *r,
		      uint8_t *answer)
{
	uint8_t salt[BLOCK], iv[BLOCK];

	gcry_md_hash_buffer(GCRY_MD_MD5, salt, r->key, BLOCK);
	encrypt_by("ecb(sm4)", salt, NULL, r->iv, BLOCK, iv);
	encrypt_by("cbc(sm4)", r->key, iv, r->text, r->length, answer);
}

/* HMAC of what is in two pieces, with a key of 32 bytes */
static void hmac(int algorithm, const uint8_t *key, const uint8_t *first,
		 size_t first_length, const uint8_t *second,
		 size_t second_length, uint8_t *answer, size_t length)
{
	gcry_mac_hd_t handle;

	gcrypt_must(gcry_mac_open(&handle, algorithm, 0, NULL));
	gcrypt_must(gcry_mac_setkey(handle, key, 32));
	gcrypt_must(gcry_mac_write(handle, first, first_length));
	gcrypt_must(gcry_mac_write(handle, second, second_length));
	gcrypt_must(gcry_mac_read(handle, answer, &length));
	gcry_mac_close(handle);
}

static void authenc_sha256(const char *algorithm, const struct request *r,
			   uint8_t *answer)
{
	const uint8_t *mac_key = r->key + AUTHENC_KEY_HEAD;

	encrypt_by("cbc(sm4)", mac_key + 32, r->iv, r->text, r->length, answer);
	hmac(GCRY_MAC_HMAC_SHA256, mac_key, r->aad, r->aad_length, answer,
	     r->length, answer + r->length, r->tag_length);
}

static void hmac_sm3(const char *algorithm, const struct request *r,
		     uint8_t *answer)
{
	hmac(GCRY_MAC_HMAC_SM3, r->key, r->text, r->length, NULL, 0, answer,
	     SM3_DIGEST);
}

/* ---- what each algorithm takes ---- */

static const struct subject subjects[] = {
	{ "ecb(sm4)", SKCIPHER, skcipher, 16, BLOCK, BLOCK },
	{ "cbc(sm4)", SKCIPHER, skcipher, 16, BLOCK, BLOCK },
	{ "cts(cbc(sm4))", SKCIPHER, skcipher, 16, 1, BLOCK },
	{ "ctr(sm4)", SKCIPHER, skcipher, 16, 1, 1 },
	{ "xts(sm4)", SKCIPHER, skcipher, 32, 1, BLOCK },
	{ "gbt17964(xts(sm4))", SKCIPHER, skcipher, 32, 1, BLOCK },
	{ "rfc3686(ctr(sm4))", SKCIPHER, rfc3686, 20, 1, 1 },
	{ "essiv(cbc(sm4),md5)", SKCIPHER, essiv_md5, 16, BLOCK, BLOCK },
	{ "gcm(sm4)", AEAD, aead, 16, 1 },
	{ "rfc4106(gcm(sm4))", AEAD, aead, 20, 1 },
	{ "ccm(sm4)", AEAD, aead, 16, 1 },
	{ "rfc4309(ccm(sm4))", AEAD, aead, 19, 1 },
	{ "authenc(hmac(sha256),cbc(sm4))", AEAD, authenc_sha256, AUTHENC_KEY,
	  BLOCK },
	{ "authenc(hmac(sm3),cbc(sm4))", AEAD, aead, AUTHENC_KEY, BLOCK },
	{ "authencesn(hmac(sm3),cbc(sm4))", AEAD, aead, AUTHENC_KEY, BLOCK },
	{ "cmac(sm4)", MAC, mac, 16, 1, .mac_length = BLOCK },
	{ "xcbc(sm4)", MAC, mac, 16, 1, .mac_length = BLOCK },
	{ "cbcmac(sm4)", MAC, mac, 16, 1, .mac_length = BLOCK },
	{ "sm3", MAC, sm3, 0, 1, .mac_length = SM3_DIGEST },
	{ "hmac(sm3)", MAC, hmac_sm3, 32, 1, .mac_length = SM3_DIGEST },
};

static bool is_legal_key(const struct subject *mode, size_t length)
{
	if (mode->key_length == AUTHENC_KEY)
		return length >= AUTHENC_KEY_HEAD + BLOCK;
	return length == mode->key_length || mode->reference == hmac_sm3;
}

/* What the tag and the AAD may be like: with HMAC-SHA256 as with HMAC-SM3 */
static const struct mode *rules(const struct subject *mode)
{
	return find_mode(mode->reference == aead ? mode->algorithm :
			      "authenc(hmac(sm3),cbc(sm4))");
}

/* The n-th of the tag lengths, beginning with the longest, again and again */
static size_t nth_tag_length(const struct subject *mode, size_t n)
{
	size_t length = TAG_MAX + 1;

	do
		length = length ? length - 1 : TAG_MAX;
	while (!(rules(mode)->tag_sizes >> length & 1) || n--);
	return length;
}

/*
 * Every length to here, then these: about the sizes of AVX-512 strides,
 * sectors, pages and FPU sections.
 */
#define EVERY_LENGTH_TO 288
static const size_t longer[] = {
	304,   336,   368,   400,   496,   511,		 512,	513,
	528,   767,   768,   1008,  1023,  1024,	 1025,	1040,
	1279,  1500,  1536,  2032,  2047,  2048,	 2049,	3000,
	4079,  4080,  4095,  4096,  4097,  4111,	 4112,	5000,
	8176,  8191,  8192,  8193,  8208,  12287,	 12288, 12289,
	16384, 20001, 32768, 40000, 59999, LONGEST_TEXT,
};

static size_t nth_length(size_t n)
{
	return n <= EVERY_LENGTH_TO ? n : longer[n - EVERY_LENGTH_TO - 1];
}

#define LENGTHS (EVERY_LENGTH_TO + 1 + COUNT_OF(longer))

/* xorshift: any bytes will do, so that they are the same in every run. */
static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint8_t random_byte(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> 56;
}

static void fill(uint8_t *bytes, size_t length)
{
	while (length--)
		*bytes++ = random_byte();
}

static const struct subject *find_subject(const char *algorithm)
{
	for (size_t n = 0; n < COUNT_OF(subjects); n++)
		if (!strcmp(subjects[n].algorithm, algorithm))
			return &subjects[n];
	printf("not ok - known-answers has no reference for %s\n", algorithm);
	exit(0);
}

/* The n-th request of a mode: fresh text, IV and AAD, the key as it is. */
static void make_request(const struct subject *mode, struct request *r, size_t n,
			 size_t length)
{
	r->length = length;
	fill(r->text, length);
	fill(r->iv, sizeof(r->iv));
	if (!strcmp(mode->algorithm, "ctr(sm4)")) {
		/*
		 * In three of four, the counter wraps its last 32, 64 or all
		 * 128 bits within the first few blocks.
		 */
		static const size_t ones[] = { 0, 4, 8, 16 };
		size_t wrapping = ones[n % COUNT_OF(ones)];

		memset(r->iv + BLOCK - wrapping, 0xff, wrapping);
		if (wrapping)
			r->iv[BLOCK - 1] -= n / 4 % 16;
	}
	if (!strcmp(mode->algorithm, "ccm(sm4)")) {
		/*
		 * A length field of 3 to 8 bytes. After the nonce come zeros.
		 */
		r->iv[0] = 2 + n % 6;
		memset(r->iv + BLOCK - 1 - r->iv[0], 0, r->iv[0] + 1);
	}
	if (mode->kind == AEAD) {
		r->aad_length = rules(mode)->is_ipsec ? 16 + n % 2 * 4 :
							n % LONGEST_AAD;
		if (!is_legal_aad(rules(mode), r->aad_length))
			r->aad_length += 8;
		fill(r->aad, r->aad_length);
		if (rules(mode)->is_ipsec)
			memcpy(r->aad + r->aad_length - 8, r->iv, 8);
		else if (!r->length && !r->aad_length)
			/* AF_ALG takes no request of nothing at all. */
			r->aad_length = 1;
	}
}

static void make_key(const struct subject *mode, struct request *r)
{
	/*
	 * rta_len, rta_type (1: parameters), and the length of the cipher's
	 * key, big-endian.
	 */
	static const uint8_t authenc_header[AUTHENC_KEY_HEAD] = { 8, 0, 1, 0,
								0, 0, 0, 16 };

	fill(r->key, mode->key_length);
	if (mode->key_length == AUTHENC_KEY)
		memcpy(r->key, authenc_header, sizeof(authenc_header));
}

/* ---- the kernel ---- */

static const struct {
	int (*init)(struct kcapi_handle **handle, const char *name,
		    uint32_t flags);
	void (*destroy)(struct kcapi_handle *handle);
	int (*set_key)(struct kcapi_handle *handle, const uint8_t *key,
		       uint32_t length);
	uint32_t (*block_size)(struct kcapi_handle *handle);
} kinds[] = {
	[SKCIPHER] = { kcapi_cipher_init, kcapi_cipher_destroy,
		       kcapi_cipher_setkey, kcapi_cipher_blocksize },
	[AEAD] = { kcapi_aead_init, kcapi_aead_destroy, kcapi_aead_setkey,
		   kcapi_aead_blocksize },
	[MAC] = { kcapi_md_init, kcapi_md_destroy, kcapi_md_setkey,
		  kcapi_md_blocksize },
};

/*
 * libkcapi asks the kernel for the driver's sizes by the algorithm's name, and
 * kernels such as 4.18 may describe a larval, which stands for a driver that is
 * being registered and has no sizes. libkcapi would then divide by a block size
 * of 0.
 */
static struct kcapi_handle *open_driver(const struct subject *mode)
{
	struct kcapi_handle *handle;
	int error = kinds[mode->kind].init(&handle, driver, 0);

	if (error == -ENOENT && may_be_absent) {
		totals->absent++;
		return NULL;
	}
	if (error) {
		failed("the kernel does not give it to AF_ALG: %s",
		       strerror(-error));
		return NULL;
	}
	if (may_be_absent && !kinds[mode->kind].block_size(handle)) {
		totals->larvals++;
		kinds[mode->kind].destroy(handle);
		return NULL;
	}
	return handle;
}

enum { ENCRYPT, DECRYPT };

/*
 * What the kernel makes of @from, which is a text, or, to be decrypted, what
 * struct subject's reference gives; returns its length, or a negative error. Where it
 * goes at first is out of step with pages and cache lines.
 */
static ssize_t ask(const struct subject *mode, struct kcapi_handle *handle,
		   const struct request *r, int operation,
		   const uint8_t *from, uint8_t *to)
{
	static uint8_t in[LONGEST_REQUEST];
	static uint8_t out[LONGEST_REQUEST + 64] __attribute__((aligned(4096)));
	uint8_t *place = out + r->length % 61;
	size_t before = r->aad_length + r->length, after = before;
	ssize_t got;

	totals->requests++;
	if (mode->kind == MAC)
		return kcapi_md_digest(handle, from, r->length, to,
				       mode->mac_length);
	if (mode->kind == SKCIPHER) {
		got = (operation == ENCRYPT ? kcapi_cipher_encrypt :
					      kcapi_cipher_decrypt)
			(handle, from, r->length, r->iv, place, r->length,
			 KCAPI_ACCESS_SENDMSG);
	} else {
		*(operation == ENCRYPT ? &after : &before) += r->tag_length;
		memcpy(in, r->aad, r->aad_length);
		memcpy(in + r->aad_length, from, before - r->aad_length);
		kcapi_aead_setassoclen(handle, r->aad_length);
		got = (operation == ENCRYPT ? kcapi_aead_encrypt :
					      kcapi_aead_decrypt)
			(handle, in, before, r->iv, place, after,
			 KCAPI_ACCESS_SENDMSG);
		place += r->aad_length;
		if (got >= 0)
			got -= r->aad_length;
	}
	if (got > 0)
		memcpy(to, place, got);
	return got;
}

static void check_answer(const struct request *r, const char *what, ssize_t got,
			 ssize_t length, const uint8_t *answer,
			 const uint8_t *expected)
{
	ssize_t at = 0;

	while (at < got && at < length && answer[at] == expected[at])
		at++;
	if (got != length)
		failed("%s %zu bytes (AAD %zu, tag %zu): %zd instead of %zd bytes: %s",
		       what, r->length, r->aad_length, r->tag_length, got,
		       length, got < 0 ? strerror(-got) : "too few");
	else if (at < length)
		failed("%s %zu bytes (AAD %zu, tag %zu): wrong at byte %zd",
		       what, r->length, r->aad_length, r->tag_length, at);
}

/* One request there and back. */
static void compare(const struct subject *mode, struct kcapi_handle *handle,
		    const struct request *r)
{
	static uint8_t expected[LONGEST_REQUEST], answer[LONGEST_REQUEST];
	ssize_t length = mode->kind == MAC ? mode->mac_length :
					     r->length + r->tag_length;

	mode->reference(mode->algorithm, r, expected);
	check_answer(r, "sealing", ask(mode, handle, r, ENCRYPT, r->text, answer),
		     length, answer, expected);
	if (mode->kind != MAC)
		check_answer(r, "opening",
			     ask(mode, handle, r, DECRYPT, expected, answer),
			     r->length, answer, r->text);
}

static struct request request;

/*
 * With a key of its own and the n-th of the tag lengths: AF_ALG lets neither
 * change once there was a request.
 */
static struct kcapi_handle *open_with_key(const struct subject *mode, size_t n)
{
	struct kcapi_handle *handle = open_driver(mode);
	int error;

	if (!handle)
		return NULL;
	make_key(mode, &request);
	error = mode->key_length ? kinds[mode->kind].set_key(handle, request.key,
							     mode->key_length) :
				   0;
	if (error)
		failed("a key of %zu bytes: %s", mode->key_length,
		       strerror(-error));
	if (!error && mode->kind == AEAD) {
		request.tag_length = nth_tag_length(mode, n);
		error = kcapi_aead_settaglen(handle, request.tag_length);
		if (error)
			failed("a tag of %zu bytes: %s", request.tag_length,
			       strerror(-error));
	}
	if (error) {
		kinds[mode->kind].destroy(handle);
		return NULL;
	}
	return handle;
}

/* All lengths, four requests to a key and a tag length. */
static void check_answers(const struct subject *mode)
{
	struct kcapi_handle *handle = NULL;
	size_t n = 0;

	for (size_t i = 0; i < LENGTHS; i++) {
		size_t length = nth_length(i);

		if (length < mode->least || length % mode->multiple)
			continue;
		if (n % 4 == 0) {
			if (handle)
				kinds[mode->kind].destroy(handle);
			handle = open_with_key(mode, n / 4);
			if (!handle)
				return;
		}
		make_request(mode, &request, n++, length);
		compare(mode, handle, &request);
	}
	kinds[mode->kind].destroy(handle);
}

/* ---- what must be refused ---- */

static void refused(ssize_t got, int error, const char *what, size_t length)
{
	if (got != -error)
		failed("%s (%zu): %s, should be %s", what, length,
		       got < 0 ? strerror(-got) : "accepted", strerror(error));
}

/* A changed bit of the AAD, the ciphertext or the tag. */
static void check_forgeries(const struct subject *mode)
{
	static const size_t lengths[] = { 16, 64, 304, 4096, 8208 };
	static uint8_t answer[LONGEST_REQUEST], text[LONGEST_REQUEST];

	for (size_t n = 0; n < COUNT_OF(lengths); n++) {
		struct kcapi_handle *handle = open_with_key(mode, n);
		const struct {
			const char *what;
			uint8_t *byte, bit;
		} changes[] = {
			{ "changed AAD", request.aad + n, 1 },
			{ "changed ciphertext", answer + lengths[n] / 2, 0x80 },
			{ "first bit of the tag", answer + lengths[n], 1 },
			{ "last bit of the tag",
			  answer + lengths[n] + request.tag_length - 1, 0x80 },
		};

		if (!handle)
			return;
		make_request(mode, &request, n + 16, lengths[n]);
		mode->reference(mode->algorithm, &request, answer);
		for (size_t i = 0; i < COUNT_OF(changes); i++) {
			*changes[i].byte ^= changes[i].bit;
			refused(ask(mode, handle, &request, DECRYPT, answer, text),
				EBADMSG, changes[i].what, request.length);
			*changes[i].byte ^= changes[i].bit;
		}
		kinds[mode->kind].destroy(handle);
	}
}

static void check_refusals(const struct subject *mode)
{
	static uint8_t answer[LONGEST_REQUEST];
	struct kcapi_handle *handle = open_driver(mode);

	if (!handle)
		return;
	for (size_t n = 1; n <= LONGEST_KEY; n++)
		if (!is_legal_key(mode, n)) {
			refused(kinds[mode->kind].set_key(handle, request.key, n),
				EINVAL, "key length", n);
			totals->requests++;
		}
	for (size_t n = 1; mode->kind == AEAD && n <= TAG_MAX + 1; n++)
		if (!(rules(mode)->tag_sizes >> n & 1)) {
			refused(kcapi_aead_settaglen(handle, n), EINVAL,
				"tag length", n);
			totals->requests++;
		}
	kinds[mode->kind].destroy(handle);

	handle = open_with_key(mode, 0);
	if (!handle)
		return;
	for (size_t n = 1; mode->kind == SKCIPHER && n <= 4 * BLOCK + 1; n++) {
		if (n >= mode->least && n % mode->multiple == 0)
			continue;
		make_request(mode, &request, 16, n);
		refused(ask(mode, handle, &request, ENCRYPT, request.text, answer),
			EINVAL, "length", n);
		refused(ask(mode, handle, &request, DECRYPT, request.text, answer),
			EINVAL, "decrypting length", n);
	}
	for (size_t n = 0; mode->kind == AEAD && n <= 24; n++) {
		make_request(mode, &request, 16, 4 * BLOCK);
		request.aad_length = n;
		if (!is_legal_aad(rules(mode), n))
			refused(ask(mode, handle, &request, ENCRYPT,
				    request.text, answer), EINVAL, "AAD length", n);
	}
	for (size_t n = 0; !strcmp(mode->algorithm, "ccm(sm4)") && n < 256; n++) {
		make_request(mode, &request, 16, 4 * BLOCK);
		request.iv[0] = n;
		if (n < 1 || n > 7)
			refused(ask(mode, handle, &request, ENCRYPT,
				    request.text, answer), EINVAL,
				"length field in the IV", n);
	}
	kinds[mode->kind].destroy(handle);
	if (mode->kind == AEAD)
		check_forgeries(mode);
}

/* ---- many processes at once ---- */

/* An algorithm that processes share, with its key as the kernel has it. */
struct shared {
	const struct subject *mode;
	struct kcapi_handle *handle;
	uint8_t key[sizeof(request.key)];
	size_t tag_length;
};

/* Half of them are long ones, which keep the vector unit for longer. */
static size_t random_length(const struct subject *mode)
{
	size_t length = random_byte() % 2 ?
				nth_length(random_byte()) :
				longer[random_byte() % COUNT_OF(longer)];

	length -= length % mode->multiple;
	return length < mode->least ? mode->least : length;
}

/* A process: requests until END. Without sharing, none has a handle. */
static void make_load(const struct shared *algorithms, size_t algorithm_count,
		      bool sharing, time_t end)
{
	for (size_t n = 0; time(NULL) < end; n++) {
		const struct shared *algorithm =
			&algorithms[random_byte() % algorithm_count];
		const struct subject *mode = algorithm->mode;
		bool own = !sharing || n % 8 == 0;
		struct kcapi_handle *handle = algorithm->handle;

		driver = mode->algorithm;
		memcpy(request.key, algorithm->key, sizeof(request.key));
		request.tag_length = algorithm->tag_length;
		request.aad_length = 0;
		if (own)
			handle = open_with_key(mode, n);
		if (!handle)
			continue;
		make_request(mode, &request, n, random_length(mode));
		compare(mode, handle, &request);
		totals->bytes += request.length;
		if (own)
			kinds[mode->kind].destroy(handle);
		/* Now and then there is no user: the module can be unloaded. */
		if (!sharing)
			usleep(10000);
	}
}

static void share(struct shared *algorithm)
{
	driver = algorithm->mode->algorithm;
	request.tag_length = 0;
	algorithm->handle = open_with_key(algorithm->mode, 0);
	memcpy(algorithm->key, request.key, sizeof(request.key));
	algorithm->tag_length = request.tag_length;
}

/* A process has a request socket of its own on what is shared. */
static void open_shared(struct shared *algorithm)
{
	struct kcapi_handle *handle;

	if (kcapi_handle_reinit(&handle, algorithm->handle, 0))
		exit(1);
	algorithm->handle = handle;
}

static void check_load(bool sharing, unsigned int seconds,
		       unsigned int processes, char **names, size_t count)
{
	struct shared algorithms[COUNT_OF(subjects)] = { 0 };
	time_t end = time(NULL) + seconds;
	int status;

	for (size_t n = 0; n < count; n++) {
		algorithms[n].mode = find_subject(names[n]);
		if (sharing)
			share(&algorithms[n]);
	}
	may_be_absent = !sharing;
	for (unsigned int process = 0; process < processes; process++) {
		pid_t child = fork();

		if (child < 0)
			failed("fork: %s", strerror(errno));
		if (child)
			continue;
		random_state += process;
		for (size_t n = 0; sharing && n < count; n++)
			open_shared(&algorithms[n]);
		make_load(algorithms, count, sharing, end);
		exit(0);
	}
	driver = "AF_ALG";
	while (wait(&status) > 0) {
		if (WIFSIGNALED(status))
			failed("a process was ended by signal %d",
			       WTERMSIG(status));
		else if (status)
			failed("a process ended with %d", WEXITSTATUS(status));
	}
	printf("# %u processes, %lu requests, %lu bytes, %lu times absent, %lu times a larval\n",
	       processes, totals->requests, totals->bytes, totals->absent,
	       totals->larvals);
	report("answers many processes at once as libgcrypt does");
}

int main(int argc, char **argv)
{
	const struct subject *mode;

	setvbuf(stdout, NULL, _IOLBF, 0);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc > 4 && argc - 4 <= (int)COUNT_OF(subjects) &&
	    (!strcmp(argv[1], "--load") || !strcmp(argv[1], "--open"))) {
		check_load(!strcmp(argv[1], "--load"), atoi(argv[2]),
			   atoi(argv[3]), argv + 4, argc - 4);
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr,
			"usage: known-answers ALGORITHM DRIVER | "
			"--load|--open SECONDS PROCESSES ALGORITHM...\n");
		return 2;
	}
	driver = argv[2];
	mode = find_subject(argv[1]);
	check_answers(mode);
	report("answers as libgcrypt does");
	/* A hash refuses nothing, and HMAC no key. */
	if (mode->kind != MAC || mode->reference == mac) {
		check_refusals(mode);
		report("refuses what it must");
	}
	return 0;
}
