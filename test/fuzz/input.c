// SPDX-License-Identifier: GPL-2.0
/*
 * Another implementation of case.h: here choices come from a fuzzer's input, and a
 * failure ends the program, so that the fuzzer keeps the input.
 *
 * Choices are read from the input up to its end. After that, they come from a generator
 * of numbers that starts with the input's sum.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"
#include "input.h"

static struct {
	const uint8_t *next, *end;
	uint64_t generator;
	char description[256];
} input;

void input_start(const uint8_t *bytes, size_t count)
{
	size_t i;

	memset(&input, 0, sizeof(input));
	input.next = bytes;
	input.end = bytes + count;
	input.generator = 1;
	for (i = 0; i < count; i++)
		input.generator = (input.generator ^ bytes[i]) * 0x100000001b3;
}

/* Numerical Recipes' linear congruence; its upper bits are the better ones. */
static uint32_t generate(void)
{
	input.generator = input.generator * 6364136223846793005 +
			  1442695040888963407;
	return input.generator >> 32;
}

static uint8_t next_byte(void)
{
	return input.next < input.end ? *input.next++ : generate();
}

unsigned int random_below(unsigned int limit)
{
	unsigned int value = 0, reach;

	for (reach = limit - 1; reach; reach >>= 8)
		value = value << 8 | next_byte();
	return value % limit;
}

/* Mostly random numbers; but often all bytes are the same, so that carries propagate. */
void random_fill(void *p, size_t bytes)
{
	uint8_t *byte = p;

	if (!random_below(4)) {
		memset(p, next_byte(), bytes);
		return;
	}
	for (; bytes >= 4; bytes -= 4, byte += 4) {
		uint32_t word = generate();

		memcpy(byte, &word, 4);
	}
	while (bytes--)
		*byte++ = generate();
}

void describe(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(input.description, sizeof(input.description), format,
		  arguments);
	va_end(arguments);
}

void fail_case(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, ": %s\n", input.description);
	abort();
}

/* An input that cannot be tried does not belong in a corpus. */
void skip_case(const char *format, ...)
{
	fail_case("skipped: %s", format);
}
