// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Times one tier of one library, on command. bench/run starts a worker for each
 * and lets them take turns on one CPU, so that all see the same machine.
 *
 *	worker		list the tiers that this CPU can run
 *	worker TIER	use this tier; reads commands from standard input and
 *			answers each with one line:
 *
 *	clock			TSC cycles per second
 *	output MODE BYTES	the result for a message of BYTES bytes, in hex, or
 *				"none" if the library does not have the mode
 *	time MODE BYTES N	TSC cycles of a chain of CHAIN_LENGTH additions,
 *				which take a core cycle each; then those of N
 *				samples of SAMPLE_BYTES in messages of BYTES
 *	output-burst MODE BYTES COUNT
 *				the results for BURST messages, COUNT at once, in
 *				hex, or "none" if the library cannot do that; with 0
 *				one by one
 *	time-burst MODE BYTES COUNT N
 *				TSC cycles of N samples of the same
 *
 * It does not compare results; bench/run does.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>
#include "library.h"

#define SAMPLE_BYTES	16384
#define CHAIN_LENGTH	4096

/* Bytes that encryption with authentication appends to a message */
#define TAG_SIZE	GCM_TAG_SIZE
_Static_assert(CCM_TAG_SIZE == TAG_SIZE && AUTHENC_TAG_SIZE == TAG_SIZE,
	       "one place for all");

/* Samples at the start of a turn that are not timed: other workers have used the caches. */
#define WARM_UP_SAMPLES	2

static const char *const instruction_names[INSTRUCTIONS] = {
	[BASELINE] = "baseline",
	[AVX] = "avx",
	[AVX2] = "avx2",
	[AVX512] = "avx512",
	[GFNI_AVX2] = "gfni-avx2",
	[GFNI_AVX512] = "gfni-avx512",
	[SM4_AVX2] = "sm4-avx2",
};

/* As bench/run names them: the mode, and what it does; and whether it takes whole blocks only */
static const struct {
	const char *name, *operation;
	bool whole_blocks;
} modes[MODES] = {
	[ECB_ENCRYPT] = { "ecb", "enc", true },
	[CBC_ENCRYPT] = { "cbc", "enc", true },
	[CBC_DECRYPT] = { "cbc", "dec", true },
	[CTR_ENCRYPT] = { "ctr", "enc" },
	[XTS_ENCRYPT] = { "xts", "enc", true },
	[XTS_DECRYPT] = { "xts", "dec", true },
	[XTS_GB_ENCRYPT] = { "xts-gb", "enc", true },
	[XTS_GB_DECRYPT] = { "xts-gb", "dec", true },
	[GCM_SEAL] = { "gcm", "enc" },
	[GCM_OPEN] = { "gcm", "dec" },
	[CCM_SEAL] = { "ccm", "enc" },
	[CCM_OPEN] = { "ccm", "dec" },
	[SM3_HASH] = { "sm3", "hash" },
	[SM3_HMAC] = { "hmac-sm3", "hash" },
	[AUTHENC_SEAL] = { "authenc", "enc", true },
	[AUTHENC_OPEN] = { "authenc", "dec", true },
};

/* The mode whose messages a mode decrypts */
static const enum mode seal_of[MODES] = {
	[GCM_OPEN] = GCM_SEAL,
	[CCM_OPEN] = CCM_SEAL,
	[AUTHENC_OPEN] = AUTHENC_SEAL,
};

static const uint8_t key[MAC_KEY_SIZE + KEY_SIZE] =
	"benchmark of SM4: an example key, and some more";
static const uint8_t iv[BLOCK_SIZE] = "example of an IV";

/* At different offsets in a page: some CPUs confuse addresses with the same offset. */
static struct {
	uint8_t source[SAMPLE_BYTES + TAG_SIZE];
	uint8_t sealed[SAMPLE_BYTES + TAG_SIZE];
	uint8_t gap[2048];
	uint8_t destination[SAMPLE_BYTES + TAG_SIZE];
} memory __attribute__((aligned(4096)));

static struct packet burst[BURST] __attribute__((aligned(4096)));

void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", library.name);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

bool cpu_has_instructions(enum instructions instructions)
{
	switch (instructions) {
	case BASELINE:
		return true;
	case AVX:
		return __builtin_cpu_supports("avx") &&
		       __builtin_cpu_supports("aes");
	case AVX2:
		return cpu_has_instructions(AVX) &&
		       __builtin_cpu_supports("avx2");
	case AVX512:
		return cpu_has_instructions(AVX2) &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512vl");
	case GFNI_AVX2:
		return cpu_has_instructions(AVX2) &&
		       __builtin_cpu_supports("gfni");
	case GFNI_AVX512:
		return cpu_has_instructions(GFNI_AVX2) &&
		       cpu_has_instructions(AVX512);
	default:
		return false;
	}
}

static uint64_t read_tsc(void)
{
	unsigned int cpu;
	uint64_t now;

	_mm_lfence();
	now = __rdtscp(&cpu);
	_mm_lfence();
	return now;
}

static uint64_t tsc_frequency(void)
{
	const double seconds = 0.2;
	struct timespec start, now;
	uint64_t tsc = read_tsc();
	double passed;

	clock_gettime(CLOCK_MONOTONIC_RAW, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		passed = now.tv_sec - start.tv_sec;
		passed += (now.tv_nsec - start.tv_nsec) / 1e9;
	} while (passed < seconds);
	return (read_tsc() - tsc) / passed;
}

static uint64_t time_chain(void)
{
	uint64_t start = read_tsc(), sum = 0;
	int i;

	for (i = 0; i < CHAIN_LENGTH / 16; i++)
		asm volatile(".rept 16; add %1, %0; .endr"
			     : "+r"(sum) : "r"(start));
	return read_tsc() - start;
}

static uint64_t time_sample(const uint8_t *src, size_t bytes)
{
	int messages = bytes < SAMPLE_BYTES ? SAMPLE_BYTES / bytes : 1;
	uint64_t start = read_tsc();

	while (messages--)
		library.crypt(iv, memory.destination, src, bytes);
	return read_tsc() - start;
}

/* Set the key; returns the message for the mode, NULL if there is no such mode. */
static const uint8_t *prepare(enum mode mode, size_t bytes)
{
	enum mode seal = seal_of[mode];

	if (seal) {
		if (!library.set_key(seal, key))
			return NULL;
		library.crypt(iv, memory.sealed, memory.source, bytes);
	}
	if (!library.set_key(mode, key))
		return NULL;
	return seal ? memory.sealed : memory.source;
}

/* Print the result of a mode for a message of @bytes bytes. */
static void print_output(enum mode mode, const uint8_t *output, size_t bytes)
{
	size_t i;

	if (mode == GCM_SEAL || mode == CCM_SEAL || mode == AUTHENC_SEAL)
		bytes += TAG_SIZE;
	if (mode == SM3_HASH || mode == SM3_HMAC)
		bytes = DIGEST_SIZE;
	for (i = 0; i < bytes; i++)
		printf("%02x", output[i]);
}

static void answer_output(enum mode mode, size_t bytes)
{
	const uint8_t *src = prepare(mode, bytes);

	if (!src) {
		puts("none");
		return;
	}
	library.crypt(iv, memory.destination, src, bytes);
	print_output(mode, memory.destination, bytes);
	putchar('\n');
}

/* Process BURST messages in place, @count at once; false if the library cannot. */
static bool crypt_burst(size_t bytes, unsigned int count)
{
	unsigned int i;

	if (count && !library.crypt_burst)
		return false;
	for (i = 0; i < BURST; i += count ?: 1) {
		if (!count)
			library.crypt(iv, burst[i].bytes, burst[i].bytes, bytes);
		else if (!library.crypt_burst(iv, burst + i, bytes, count))
			return false;
	}
	return true;
}

static void answer_output_burst(enum mode mode, size_t bytes,
				unsigned int count)
{
	int i;

	for (i = 0; i < BURST; i++)
		memcpy(burst[i].bytes, memory.source + i, bytes);
	if (!library.set_key(mode, key) || !crypt_burst(bytes, count)) {
		puts("none");
		return;
	}
	for (i = 0; i < BURST; i++)
		print_output(mode, burst[i].bytes, bytes);
	putchar('\n');
}

static void answer_time_burst(enum mode mode, size_t bytes, unsigned int count,
			      int samples)
{
	int i;

	if (!library.set_key(mode, key) || !crypt_burst(bytes, count))
		die("there is nothing to time: no bursts of %s %s",
		    modes[mode].name, modes[mode].operation);
	for (i = 0; i < samples; i++) {
		uint64_t start = read_tsc();

		crypt_burst(bytes, count);
		printf("%llu ", (unsigned long long)(read_tsc() - start));
	}
	putchar('\n');
}

/* Whether @count messages of @bytes bytes are a valid burst */
static bool is_burst(size_t bytes, unsigned int count)
{
	return bytes <= PACKET_SIZE - TAG_SIZE &&
	       (!count || (count <= BURST && BURST % count == 0));
}

static void answer_time(enum mode mode, size_t bytes, int samples)
{
	const uint8_t *src = prepare(mode, bytes);
	uint64_t cycles[samples];
	int i;

	if (!src)
		die("there is nothing to time: no mode %s %s", modes[mode].name,
		    modes[mode].operation);
	for (i = 0; i < WARM_UP_SAMPLES; i++)
		time_sample(src, bytes);
	for (i = 0; i < samples; i++)
		cycles[i] = time_sample(src, bytes);
	printf("%llu", (unsigned long long)time_chain());
	for (i = 0; i < samples; i++)
		printf(" %llu", (unsigned long long)cycles[i]);
	putchar('\n');
}

static enum mode find_mode(const char *word)
{
	char known[16];
	int mode;

	for (mode = 0; mode < MODES; mode++) {
		snprintf(known, sizeof(known), "%s-%s", modes[mode].name,
			 modes[mode].operation);
		if (!strcmp(known, word))
			return mode;
	}
	die("no mode %s", word);
}

static void list_modes(void)
{
	int mode;

	for (mode = 0; mode < MODES; mode++)
		printf("%s %s %s\n", modes[mode].name, modes[mode].operation,
		       modes[mode].whole_blocks ? "blocks" : "bytes");
}

static void list_tiers(void)
{
	unsigned int i;

	for (i = 0; library.tier_name(i); i++)
		if (library.usable(i))
			printf("%s %s %s\n", library.name,
			       library.tier_name(i),
			       instruction_names[library.instructions(i)]);
}

static void start_tier(const char *name)
{
	unsigned int i;

	for (i = 0; library.tier_name(i); i++) {
		if (!strcmp(library.tier_name(i), name)) {
			library.start(i);
			return;
		}
	}
	die("no tier %s", name);
}

int main(int argc, char **argv)
{
	char line[80], mode[16];
	unsigned int count;
	size_t bytes;
	int samples;

	if (argc < 2) {
		list_tiers();
		return EXIT_SUCCESS;
	}
	if (!strcmp(argv[1], "--modes")) {
		list_modes();
		return EXIT_SUCCESS;
	}
	start_tier(argv[1]);
	for (bytes = 0; bytes < sizeof(memory.source); bytes++)
		memory.source[bytes] = bytes * bytes >> 3 ^ bytes;
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "clock\n"))
			printf("%llu\n", (unsigned long long)tsc_frequency());
		else if (sscanf(line, "output %15s %zu", mode, &bytes) == 2 &&
			 bytes <= SAMPLE_BYTES)
			answer_output(find_mode(mode), bytes);
		else if (sscanf(line, "time %15s %zu %d", mode, &bytes,
				&samples) == 3 && bytes <= SAMPLE_BYTES)
			answer_time(find_mode(mode), bytes, samples);
		else if (sscanf(line, "output-burst %15s %zu %u", mode, &bytes,
				&count) == 3 && is_burst(bytes, count))
			answer_output_burst(find_mode(mode), bytes, count);
		else if (sscanf(line, "time-burst %15s %zu %u %d", mode, &bytes,
				&count, &samples) == 4 && is_burst(bytes, count))
			answer_time_burst(find_mode(mode), bytes, count,
					  samples);
		else
			die("cannot do: %s", line);
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}
