// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * known-answers ALGORITHM DRIVER
 *
 * Sends requests for DRIVER to the running kernel, through AF_ALG (libkcapi), and compares
 * each answer with that of the reference of test/host, which shares no code with the module.
 * ALGORITHM says what DRIVER must compute, such as xts(sm4): one of test/requests/modes.h, or of
 * the kernel's templates below. Prints TAP without numbers or plan, one line.
 *
 * This is for what only a whole kernel shows: that the drivers work with its walks over pages, its
 * vector unit and its templates. The engine of test/requests tries all lengths, tags, counters and
 * places in memory, and what has to be refused.
 *
 * "known-answers --load SECONDS PROCESSES ALGORITHM..." does so with random requests from many
 * processes at once, which share one key of each ALGORITHM, in the kernel. "--open" instead of
 * "--load" lets them request every ALGORITHM again for each request, and allows that there is none.
 *
 * "known-answers --modes" prints a line for each mode of test/requests/modes.h: its name, which
 * tiers have it, and whether the kernel tests it.
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

#define LONGEST 60000
#define LONGEST_AAD 300
#define LONGEST_REQUEST (LONGEST_AAD + LONGEST + TAG_MAX)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The MAC's key in authenc's, and that of HMAC */
#define MAC_KEY 32

/* The input: that of an AEAD, or the parts of it that the mode has */
static uint8_t text[LONGEST], aad[LONGEST_AAD];
static struct aead_message request = { .text = text, .aad = aad };

struct subject {
	/* The second is our mode with the same parameters, except for the key. */
	const char *algorithm, *like;
	size_t key_bytes;
	/* The right answer: the ciphertext, with the tag after it, or the MAC */
	void (*reference)(const struct mode *mode, const struct aead_message *r,
			  uint8_t *answer);
	const struct mode *mode;
};

static const char *driver;

/* Counters of all processes; failures are since the last report */
static struct totals {
	_Atomic unsigned long requests, bytes, failures;
	/*
	 * Number of times that the kernel had no driver, and that it has described a
	 * larval in its place.
	 */
	_Atomic unsigned long absent, larvals;
} *totals;

/* Whether the kernel may have no driver */
static bool may_be_absent;

static void failed(const char *format, ...)
{
	va_list arguments;

	/* The first few are enough. */
	if (totals->failures++ >= 5)
		return;
	va_start(arguments, format);
	printf("# %s: ", driver);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

/* Ends a test with its TAP line, for the requests since the last report. */
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

static void skcipher(const struct mode *mode, const struct aead_message *r,
		     uint8_t *answer)
{
	gcrypt_skcipher(mode, r->key, r->iv, answer, r->text, r->text_bytes);
}

static void mac(const struct mode *mode, const struct aead_message *r,
		uint8_t *answer)
{
	gcrypt_mac(mode, r->key, r->text, r->text_bytes, answer);
}

/* ---- the kernel's templates over our drivers ---- */

/*
 * RFC 3686: the counter block is nonce (the end of the key), IV, and a 32-bit counter from 1.
 */
static void rfc3686(const struct mode *ctr, const struct aead_message *r,
		    uint8_t *answer)
{
	uint8_t counter[BLOCK] = { [15] = 1 };

	memcpy(counter, r->key + 16, 4);
	memcpy(counter + 4, r->iv, 8);
	gcrypt_skcipher(ctr, r->key, counter, answer, r->text, r->text_bytes);
}

/*
 * ESSIV: CBC whose IV is first encrypted, with the hash of the key as its key.
 */
static void essiv_md5(const struct mode *cbc, const struct aead_message *r,
		      uint8_t *answer)
{
	uint8_t salt[BLOCK], iv[BLOCK];

	gcry_md_hash_buffer(GCRY_MD_MD5, salt, r->key, BLOCK);
	encrypt_block(salt, iv, r->iv);
	gcrypt_skcipher(cbc, r->key, iv, answer, r->text, r->text_bytes);
}

/* HMAC of a message in two pieces */
static void hmac(int algorithm, const uint8_t *key, const uint8_t *first,
		 size_t first_length, const uint8_t *second,
		 size_t second_length, uint8_t *answer, size_t length)
{
	gcry_mac_hd_t handle;

	gcrypt_must(gcry_mac_open(&handle, algorithm, 0, NULL));
	gcrypt_must(gcry_mac_setkey(handle, key, MAC_KEY));
	gcrypt_must(gcry_mac_write(handle, first, first_length));
	gcrypt_must(gcry_mac_write(handle, second, second_length));
	gcrypt_must(gcry_mac_read(handle, answer, &length));
	gcry_mac_close(handle);
}

static void authenc_sha256(const struct mode *authenc,
			   const struct aead_message *r, uint8_t *answer)
{
	const uint8_t *mac_key = r->key + KEY_HEAD;

	gcrypt_skcipher(find_mode("cbc(sm4)"), mac_key + MAC_KEY, r->iv, answer,
			r->text, r->text_bytes);
	hmac(GCRY_MAC_HMAC_SHA256, mac_key, r->aad, r->aad_bytes, answer,
	     r->text_bytes, answer + r->text_bytes, r->tag_bytes);
}

static void hmac_sm3(const struct mode *sm3, const struct aead_message *r,
		     uint8_t *answer)
{
	hmac(GCRY_MAC_HMAC_SM3, r->key, r->text, r->text_bytes, NULL, 0, answer,
	     sm3->digest_bytes);
}

static const struct subject templates[] = {
	{ "rfc3686(ctr(sm4))", "ctr(sm4)", 20, rfc3686 },
	{ "essiv(cbc(sm4),md5)", "cbc(sm4)", 16, essiv_md5 },
	{ "authenc(hmac(sha256),cbc(sm4))", "authenc(hmac(sm3),cbc(sm4))",
	  KEY_HEAD + MAC_KEY + BLOCK, authenc_sha256 },
	{ "hmac(sm3)", "sm3", MAC_KEY, hmac_sm3 },
};

static struct subject find_subject(const char *algorithm)
{
	struct subject subject = { algorithm, algorithm };

	for (size_t n = 0; n < COUNT_OF(templates); n++)
		if (!strcmp(templates[n].algorithm, algorithm))
			subject = templates[n];
	subject.mode = find_mode(subject.like);
	if (subject.reference)
		return subject;
	subject.key_bytes = is_authenc(subject.mode) ?
			    KEY_HEAD + MAC_KEY + BLOCK :
			    subject.mode->key_bytes;
	subject.reference = subject.mode->kind == AEAD ? gcrypt_aead :
			    subject.mode->kind == MAC ? mac : skcipher;
	return subject;
}

static size_t longest_tag(const struct mode *mode)
{
	size_t length = TAG_MAX;

	while (!is_legal_tag(mode, length))
		length--;
	return length;
}

/*
 * Lengths of the passes of a tier, of sectors and packets, and about the ends of pages and of FPU
 * sections
 */
static const size_t lengths[] = {
	0,     1,     15,    16,   17,	  31,	 32,	48,    64,    80,
	113,   128,   160,   200,  255,	  256,	 272,	336,   400,   496,
	511,   512,   528,   767,  1008,  1023,	 1024,	1040,  1279,  1500,
	2032,  2048,  3000,  4079, 4080,  4095,	 4096,	4097,  4111,  4112,
	5000,  8176,  8191,  8192, 8193,  8208,	 12288, 12289, 16384, 20001,
	32768, 40000, 59999, LONGEST,
};

#define LENGTHS COUNT_OF(lengths)

/* xorshift: random bytes that are the same in every run */
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

/* The n-th request of a mode: new text, IV and AAD, the current key */
static void make_request(const struct mode *mode, size_t n, size_t length)
{
	uint8_t *iv = request.iv;

	request.text_bytes = length;
	fill(text, length);
	fill(iv, sizeof(request.iv));
	if (has_counter_length(mode)) {
		/* A length of 4 bytes, which are zero at the end */
		iv[0] = 3;
		memset(iv + BLOCK - 4, 0, 4);
	}
	if (mode->kind == AEAD) {
		request.aad_bytes = mode->is_ipsec ? 16 + n % 2 * 4 :
						     n % LONGEST_AAD;
		if (!is_legal_aad(mode, request.aad_bytes))
			request.aad_bytes += 8;
		fill(aad, request.aad_bytes);
		if (mode->is_ipsec)
			memcpy(aad + request.aad_bytes - 8, iv, 8);
		else if (!length && !request.aad_bytes)
			/* AF_ALG accepts no empty request. */
			request.aad_bytes = 1;
	}
}

static void make_key(const struct subject *subject)
{
	/*
	 * rta_len, rta_type (1: parameters), and the length of the cipher's key, big-endian.
	 */
	static const uint8_t authenc_header[KEY_HEAD] = { 8, 0, 1, 0,
								0, 0, 0, 16 };

	request.key_bytes = subject->key_bytes;
	fill(request.key, request.key_bytes);
	if (is_authenc(subject->mode))
		memcpy(request.key, authenc_header, sizeof(authenc_header));
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
 * libkcapi queries the driver's sizes by the algorithm's name, and kernels such as 4.18 may
 * describe a larval, which stands for a driver that is being registered and has no sizes. libkcapi
 * would then divide by a block size of 0.
 */
static struct kcapi_handle *open_driver(const struct mode *mode)
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
 * Lets the kernel process @from, which is a text or, for decryption, the result of
 * struct subject's reference. Returns the length, or a negative error. The input's
 * place is not aligned to pages and cache lines.
 */
static ssize_t ask(const struct mode *mode, struct kcapi_handle *handle,
		   int operation, const uint8_t *from, uint8_t *to)
{
	static uint8_t in[LONGEST_REQUEST];
	static uint8_t out[LONGEST_REQUEST + 64] __attribute__((aligned(4096)));
	uint8_t *place = out + request.text_bytes % 61;
	size_t before = request.aad_bytes + request.text_bytes, after = before;
	ssize_t got;

	totals->requests++;
	if (mode->kind == MAC)
		return kcapi_md_digest(handle, from, request.text_bytes, to,
				       mode->digest_bytes);
	if (mode->kind == SKCIPHER) {
		got = (operation == ENCRYPT ? kcapi_cipher_encrypt :
					      kcapi_cipher_decrypt)
			(handle, from, request.text_bytes, request.iv, place,
			 request.text_bytes, KCAPI_ACCESS_SENDMSG);
	} else {
		*(operation == ENCRYPT ? &after : &before) += request.tag_bytes;
		memcpy(in, aad, request.aad_bytes);
		memcpy(in + request.aad_bytes, from, before - request.aad_bytes);
		kcapi_aead_setassoclen(handle, request.aad_bytes);
		got = (operation == ENCRYPT ? kcapi_aead_encrypt :
					      kcapi_aead_decrypt)
			(handle, in, before, request.iv, place, after,
			 KCAPI_ACCESS_SENDMSG);
		place += request.aad_bytes;
		if (got >= 0)
			got -= request.aad_bytes;
	}
	if (got > 0)
		memcpy(to, place, got);
	return got;
}

static void check_answer(const char *what, ssize_t got, ssize_t length,
			 const uint8_t *answer, const uint8_t *expected)
{
	ssize_t at = 0;

	while (at < got && at < length && answer[at] == expected[at])
		at++;
	if (got != length)
		failed("%s %zu bytes (AAD %zu, tag %zu): %zd instead of %zd bytes: %s",
		       what, request.text_bytes, request.aad_bytes,
		       request.tag_bytes, got, length,
		       got < 0 ? strerror(-got) : "too few");
	else if (at < length)
		failed("%s %zu bytes (AAD %zu, tag %zu): wrong at byte %zd",
		       what, request.text_bytes, request.aad_bytes,
		       request.tag_bytes, at);
}

/* One request, encrypted and decrypted. */
static void compare(const struct subject *subject, struct kcapi_handle *handle)
{
	static uint8_t expected[LONGEST_REQUEST], answer[LONGEST_REQUEST];
	const struct mode *mode = subject->mode;
	ssize_t length = mode->kind == MAC ? mode->digest_bytes :
			 request.text_bytes + request.tag_bytes;

	subject->reference(mode, &request, expected);
	check_answer("sealing", ask(mode, handle, ENCRYPT, text, answer),
		     length, answer, expected);
	if (mode->kind != MAC)
		check_answer("opening",
			     ask(mode, handle, DECRYPT, expected, answer),
			     request.text_bytes, answer, text);
}

/*
 * With a new key and length of the tag: AF_ALG lets neither change after a request.
 */
static struct kcapi_handle *open_with_key(const struct subject *subject)
{
	const enum mode_kind kind = subject->mode->kind;
	struct kcapi_handle *handle = open_driver(subject->mode);
	int error;

	if (!handle)
		return NULL;
	make_key(subject);
	error = request.key_bytes ? kinds[kind].set_key(handle, request.key,
							request.key_bytes) : 0;
	if (error)
		failed("a key of %zu bytes: %s", request.key_bytes,
		       strerror(-error));
	if (!error && kind == AEAD) {
		request.tag_bytes = longest_tag(subject->mode);
		error = kcapi_aead_settaglen(handle, request.tag_bytes);
		if (error)
			failed("a tag of %zu bytes: %s", request.tag_bytes,
			       strerror(-error));
	}
	if (error) {
		kinds[kind].destroy(handle);
		return NULL;
	}
	return handle;
}

/* All lengths, four requests to a key. */
static void check_answers(const struct subject *subject)
{
	const struct mode *mode = subject->mode;
	struct kcapi_handle *handle = NULL;
	size_t n = 0;

	for (size_t i = 0; i < LENGTHS; i++) {
		size_t length = lengths[i];

		/* AF_ALG accepts no request of a cipher without text. */
		if (!is_legal_text(mode, length) ||
		    (!length && mode->kind == SKCIPHER))
			continue;
		if (n % 4 == 0) {
			if (handle)
				kinds[mode->kind].destroy(handle);
			handle = open_with_key(subject);
			if (!handle)
				return;
		}
		make_request(mode, n++, length);
		compare(subject, handle);
	}
	kinds[mode->kind].destroy(handle);
}

/* ---- many processes at once ---- */

/* An algorithm that processes share, with its key in the kernel's format. */
struct shared {
	struct subject subject;
	struct kcapi_handle *handle;
	uint8_t key[MAX_KEY];
	size_t tag_bytes;
};

/* Half of them are long, for longer FPU sections. */
static size_t random_length(const struct mode *mode)
{
	const size_t first = random_byte() % 2 ? 0 : LENGTHS / 2;
	size_t length = lengths[first + random_byte() % (LENGTHS - first)];

	length -= length % mode->granule;
	return length && is_legal_text(mode, length) ? length : BLOCK;
}

/* A process: sends requests until END. Without sharing, none has a handle. */
static void make_load(const struct shared *algorithms, size_t algorithm_count,
		      bool sharing, time_t end)
{
	for (size_t n = 0; time(NULL) < end; n++) {
		const struct shared *algorithm =
			&algorithms[random_byte() % algorithm_count];
		const struct mode *mode = algorithm->subject.mode;
		bool own = !sharing || n % 8 == 0;
		struct kcapi_handle *handle = algorithm->handle;

		driver = algorithm->subject.algorithm;
		memcpy(request.key, algorithm->key, sizeof(request.key));
		request.key_bytes = algorithm->subject.key_bytes;
		request.tag_bytes = algorithm->tag_bytes;
		request.aad_bytes = 0;
		if (own)
			handle = open_with_key(&algorithm->subject);
		if (!handle)
			continue;
		make_request(mode, n, random_length(mode));
		compare(&algorithm->subject, handle);
		totals->bytes += request.text_bytes;
		if (own)
			kinds[mode->kind].destroy(handle);
		/* Sometimes there is no user, so that the module can be unloaded. */
		if (!sharing)
			usleep(10000);
	}
}

static void share(struct shared *algorithm)
{
	driver = algorithm->subject.algorithm;
	request.tag_bytes = 0;
	algorithm->handle = open_with_key(&algorithm->subject);
	memcpy(algorithm->key, request.key, sizeof(request.key));
	algorithm->tag_bytes = request.tag_bytes;
}

/* Each process has its own request socket for the shared algorithm. */
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
	struct shared *algorithms = calloc(count, sizeof(*algorithms));
	time_t end = time(NULL) + seconds;
	int status;

	for (size_t n = 0; n < count; n++) {
		algorithms[n].subject = find_subject(names[n]);
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
	free(algorithms);
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

static void print_modes(void)
{
	static const char *const where[] = {
		[EVERY_TIER] = "every-tier", [WITH_GCM] = "with-gcm",
		[WITH_CHAINS] = "with-chains", [C_TIER] = "c-tier", [BY_SM3] = "by-sm3",
	};
	const struct mode *mode;

	for (size_t n = 0; (mode = nth_mode(n)); n++)
		printf("%s %s %s\n", mode->name, where[mode->where],
		       mode->untested ? "untested" : "tested");
}

int main(int argc, char **argv)
{
	struct subject subject;

	setvbuf(stdout, NULL, _IOLBF, 0);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc > 4 &&
	    (!strcmp(argv[1], "--load") || !strcmp(argv[1], "--open"))) {
		check_load(!strcmp(argv[1], "--load"), atoi(argv[2]),
			   atoi(argv[3]), argv + 4, argc - 4);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--modes")) {
		print_modes();
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr,
			"usage: known-answers ALGORITHM DRIVER | --modes | "
			"--load|--open SECONDS PROCESSES ALGORITHM...\n");
		return 2;
	}
	/* If there is no such mode, that is also a result. */
	dup2(STDOUT_FILENO, STDERR_FILENO);
	driver = argv[2];
	subject = find_subject(argv[1]);
	check_answers(&subject);
	report("answers as libgcrypt does");
	return 0;
}
