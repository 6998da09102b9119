// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * instructions [--by-cpu]
 *
 * TAP: compares the instructions of model.h with their model, on random registers and on memory at
 * rdi: executed by the CPU or by the SIGILL handler in its place, and by the emulator when called.
 * The tiers on the emulator test other forms of addresses. With --by-cpu, an instruction that the
 * CPU lacks is a failure, unless it is Hygon's: bochs.t runs that.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "emulator.h"
#include "model.h"
#include "watched-call.h"

#define TRIES		2000
#define PAGE		4096
#define RDI		7

static bool by_cpu, has_avx512;
static unsigned int count, failures;

static void result(bool ok, const char *what, const char *more)
{
	printf("%sok %u - %s%s\n", ok ? "" : "not ", ++count, what, more);
	failures += !ok;
}

/* xorshift, with the same numbers in every run */
static uint64_t random_number(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

static unsigned int random_below(unsigned int limit)
{
	return (random_number() >> 32) % limit;
}

static void random_fill(void *p, size_t bytes)
{
	uint8_t *byte = p;

	while (bytes--)
		*byte++ = random_number() >> 56;
}

/* ---- an instruction with its operands ---- */

/* A machine instruction and a return */
static uint8_t *code;

/* Memory operands are at its very end, after which nothing can be read. */
static uint8_t *memory;

static void *allocate(size_t bytes, int protection)
{
	void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED) {
		perror("no memory");
		exit(1);
	}
	return p;
}

struct operands {
	unsigned int result, a;
	unsigned int b;		/* if it is a register */
	const uint8_t *memory;	/* NULL: b is a register. Otherwise rdi points there. */
	uint8_t immediate;
};

/*
 * Assemble an instruction on registers of @bytes bytes, followed by the return: VEX, or a
 * prefix, REX, which may be left out if it has no bits set, and the map (Intel SDM, volume 2,
 * 2.2 and 2.3); opcode, ModRM and immediate. Returns the instruction's end.
 */
static uint8_t *assemble(const struct instruction *instruction,
			 unsigned int bytes, const struct operands *operands)
{
	const unsigned int b = operands->memory ? RDI : operands->b;
	const bool upper_result = operands->result >> 3, upper_b = b >> 3;
	uint8_t *p = code;

	if (instruction->is_legacy) {
		uint8_t rex = upper_result << 2 | upper_b;

		*p++ = 0x66;
		if (rex || random_below(2))
			*p++ = 0x40 | rex;
		*p++ = 0x0f;
		*p++ = 0x3a;
	} else {
		*p++ = 0xc4;
		*p++ = !upper_result << 7 | 1 << 6 | !upper_b << 5 | instruction->map;
		*p++ = instruction->w << 7 | (~operands->a & 15) << 3 |
		       (bytes == 32) << 2 | instruction->prefix;
	}
	*p++ = instruction->opcode;
	*p++ = (operands->memory ? 0 : 3) << 6 | (operands->result & 7) << 3 | (b & 7);
	if (instruction->has_immediate)
		*p++ = operands->immediate;
	*p = 0xc3;
	return p;
}

/* ---- the check ---- */

static sigjmp_buf lacked;

static void note_lack(int signal_number)
{
	siglongjmp(lacked, 1);
}

/* One random try. Returns the error, or NULL. */
static const char *try(const struct instruction *instruction,
		       unsigned int bytes)
{
	static struct registers before, expected, actual;
	static struct watched_call call;
	struct operands operands = {
		.result = random_below(16),
		.a = random_below(16),
		.b = random_below(16),
		.memory = random_below(2) ? memory + PAGE - bytes : NULL,
		.immediate = random_number(),
	};
	const uint8_t *b = operands.memory;
	uint8_t vector[64] = { 0 };
	uint64_t general[9] = { 0 };
	unsigned int lane, i;

	if (instruction->is_legacy)
		operands.a = operands.result;
	random_fill(before.general, sizeof(before.general));
	for (i = 0; i < (has_avx512 ? 32 : 16); i++)
		random_fill(before.vector[i], has_avx512 ? 64 : 32);
	random_fill(memory + PAGE - bytes, bytes);
	before.general[RDI] = (uintptr_t)operands.memory;
	before.instruction = (uintptr_t)code;
	expected = before;
	expected.instruction = (uintptr_t)assemble(instruction, bytes, &operands);
	if (!b)
		b = before.vector[operands.b];
	memcpy(vector, before.vector[operands.result],
	       instruction->is_legacy ? sizeof(vector) : bytes);
	for (lane = 0; lane < bytes; lane += PART_BYTES)
		instruction->compute(vector + lane,
				     before.vector[operands.a] + lane, b + lane,
				     instruction->has_immediate ?
				     operands.immediate : 0);
	memcpy(expected.vector[operands.result], vector, sizeof(vector));

	actual = before;
	if (!emulate(&actual))
		return "the emulator does not know it";
	if (memcmp(&actual, &expected, sizeof(actual)))
		return "the emulator does something else";

	call.arguments[0] = before.general[RDI];
	call.function = code;
	call.has_avx512 = has_avx512;
	memcpy(call.registers.vectors, before.vector, sizeof(before.vector));
	watched_call(&call);
	/* rdi; the others are zeros. */
	general[4] = before.general[RDI];
	return memcmp(call.registers.vectors, expected.vector, sizeof(expected.vector)) ||
	       memcmp(call.registers.general, general, sizeof(general)) ?
	       "it does something else when executed" : NULL;
}

static void check(const struct instruction *instruction, unsigned int bytes)
{
	unsigned long emulated = emulated_instructions;
	const char *complaint = NULL;
	char what[128];
	int i;

	snprintf(what, sizeof(what), "%s of %u bytes", instruction->name,
		 bytes);
	if (by_cpu && instruction->is_legacy) {
		result(true, what, " # SKIP it is Hygon's alone");
		return;
	}
	if (sigsetjmp(lacked, 1))
		complaint = "the CPU lacks it";
	else
		for (i = 0; i < TRIES && !complaint; i++)
			complaint = try(instruction, bytes);

	result(!complaint, what, emulated_instructions != emulated ?
	       ": SIGILL handler, emulator and model agree" :
	       ": CPU, emulator and model agree");
	if (complaint)
		printf("# %s\n", complaint);
}

int main(int argc, char **argv)
{
	size_t i;

	by_cpu = argc == 2 && !strcmp(argv[1], "--by-cpu");
	if (argc > 1 && !by_cpu) {
		fprintf(stderr, "usage: instructions [--by-cpu]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!__builtin_cpu_supports("avx2")) {
		printf("1..0 # SKIP this CPU lacks AVX2\n");
		return by_cpu;
	}
	has_avx512 = __builtin_cpu_supports("avx512bw");
	if (by_cpu) {
		struct sigaction action = {
			.sa_handler = note_lack, .sa_flags = SA_ONSTACK,
		};

		sigaction(SIGILL, &action, NULL);
	}
	code = allocate(2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memory = allocate(2 * PAGE, PROT_NONE);
	if (mprotect(memory, PAGE, PROT_READ | PROT_WRITE)) {
		perror("mprotect");
		return 1;
	}

	for (i = 0; i < instruction_count; i++) {
		check(&instructions[i], PART_BYTES);
		if (!instructions[i].narrow)
			check(&instructions[i], 2 * PART_BYTES);
	}
	printf("1..%u\n", count);
	return failures != 0;
}
