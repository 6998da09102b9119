// SPDX-License-Identifier: GPL-2.0
/*
 * instructions [--by-cpu]
 *
 * TAP: compares the instructions of model.h with their model, on random
 * registers and on memory at rdi: executed by the CPU or by the SIGILL handler in its
 * place, and by the emulator when called. The tiers on the emulator test other forms of
 * addresses. Also compares the model with the examples of the standards,
 * except for SM4 and SM3, which the tiers on the emulator test. With --by-cpu, an
 * instruction that the CPU lacks is a failure, unless it is Hygon's, and so is a CPU
 * without AVX-512 or GFNI.
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
#define WIDEST		64

static bool by_cpu, has_avx512, has_evex;
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

/* ---- the model ---- */

static void from_hex(uint8_t *bytes, const char *hex)
{
	for (; *hex; hex += 2) {
		const char digits[3] = { hex[0], hex[1] };

		*bytes++ = strtoul(digits, NULL, 16);
	}
}

static const struct instruction *find(const char *name)
{
	size_t i;

	for (i = 0; i < instruction_count; i++)
		if (!strcmp(instructions[i].name, name))
			return &instructions[i];
	abort();
}

/* Bytes in memory order */
static const struct {
	const char *instruction, *source, *a, *b;
	uint8_t immediate;
	const char *result;
} examples[] = {
	/* The S-box as inversion and matrix; 5.1.1 prints that of {53}. */
	{ "vgf2p8affineinvqb", "FIPS 197, figure 7: {53}, {00}, {01}, {ff}",
	  "530001ff000000000000000000000000",
	  "f87c3e1f8fc7e3f1f87c3e1f8fc7e3f1", 0x63,
	  "ed637c16636363636363636363636363" },
	{ "vgf2p8affineqb", "the identity, and all bits exchanged end for end",
	  "0123456789abcdef0123456789abcdef",
	  "01020408102040808040201008040201", 0,
	  "80c4a2e691d5b3f70123456789abcdef" },
	{ "vaesenclast", "FIPS 197, appendix B, round 10",
	  "eb40f21e592e38848ba113e71bc342d2",
	  "d014f9a8c9ee2589e13f0cc8b6630ca6", 0,
	  "3925841d02dc09fbdc118597196a0b32" },
	/* (x^63 + 1)(x + 1) = x^64 + x^63 + x + 1, and the other halves 0 */
	{ "vpclmulqdq", "(x^63 + 1)(x + 1)",
	  "00000000000000000100000000000080",
	  "03000000000000000000000000000000", 0x01,
	  "03000000000000800100000000000000" },
};

static void check_examples(void)
{
	size_t i;

	for (i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		uint8_t a[PART_BYTES], b[PART_BYTES], expected[PART_BYTES], actual[PART_BYTES];
		char what[128];

		from_hex(a, examples[i].a);
		from_hex(b, examples[i].b);
		from_hex(expected, examples[i].result);
		find(examples[i].instruction)->compute(actual, a, b,
						       examples[i].immediate);
		snprintf(what, sizeof(what), "the model of %s: %s",
			 examples[i].instruction, examples[i].source);
		result(!memcmp(actual, expected, PART_BYTES), what, "");
	}
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

/* The place of the instruction's bit W, in a byte and as a mask; without REX it has none. */
static uint8_t *w_byte, w_mask;

/*
 * Assemble an instruction on registers of @bytes bytes, followed by the return: EVEX
 * or VEX, or a prefix, REX, which may be left out if it has no bits set, and the map
 * (Intel SDM, volume 2, 2.2, 2.3 and 2.7); opcode, ModRM and immediate. Returns the
 * instruction's end.
 */
static uint8_t *assemble(const struct instruction *instruction,
			 unsigned int bytes, const struct operands *operands)
{
	bool upper_result = operands->result >> 3 & 1, evex = bytes == 64;
	unsigned int b = operands->memory ? RDI : operands->b;
	bool upper_index = b >> 4, upper_base = b >> 3 & 1;
	uint8_t *p = code;

	if (instruction->is_legacy) {
		uint8_t rex = upper_result << 2 | upper_base;

		*p++ = 0x66;
		w_byte = rex || random_below(2) ? p : NULL;
		w_mask = 0x08;
		if (w_byte)
			*p++ = 0x40 | rex;
		*p++ = 0x0f;
		*p++ = 0x3a;
	} else {
		*p++ = evex ? 0x62 : 0xc4;
		*p++ = !upper_result << 7 | !upper_index << 6 | !upper_base << 5 |
		       (evex ? !(operands->result >> 4) << 4 : 0) | instruction->map;
		w_byte = p;
		w_mask = 0x80;
		*p++ = instruction->w << 7 | (~operands->a & 15) << 3 |
		       (evex ? 4 : bytes == 32 ? 4 : 0) | instruction->prefix;
		if (evex)
			*p++ = 2 << 5 | !(operands->a >> 4) << 3;
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
	bool evex = bytes == 64;
	struct operands operands = {
		.result = random_below(evex ? 32 : 16),
		.a = random_below(evex ? 32 : 16),
		.b = random_below(evex ? 32 : 16),
		.memory = random_below(2) ? memory + PAGE - bytes : NULL,
		.immediate = random_number(),
	};
	const uint8_t *b = operands.memory;
	uint8_t vector[WIDEST] = { 0 };
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
	if (evex != !emulate(&actual))
		return evex ? "the emulator took EVEX for its own" :
			      "the emulator does not know it";
	if (!evex && memcmp(&actual, &expected, sizeof(actual)))
		return "the emulator does something else";

	/* With the other W, it is another instruction, or none. */
	if (w_byte) {
		*w_byte ^= w_mask;
		actual = before;
		if (emulate(&actual))
			return "the emulator ignores W";
		*w_byte ^= w_mask;
	}

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
	if (bytes == 64 && !has_evex && !by_cpu) {
		result(true, what,
		       " # SKIP this CPU lacks AVX-512 or GFNI, and EVEX is not emulated");
		return;
	}
	if (bytes == 64 && !has_evex)
		complaint = "the CPU lacks AVX-512 or GFNI";
	else if (sigsetjmp(lacked, 1))
		complaint = "the CPU lacks it";
	else
		for (i = 0; i < TRIES && !complaint; i++)
			complaint = try(instruction, bytes);

	result(!complaint, what, bytes == 64 ? ": CPU and model agree" :
	       emulated_instructions != emulated ?
	       ": SIGILL handler, emulator and model agree" :
	       ": CPU, emulator and model agree");
	if (complaint)
		printf("# %s\n", complaint);
}

static unsigned int widest(const struct instruction *instruction)
{
	return instruction->narrow ? PART_BYTES : instruction->has_evex ? WIDEST : 32;
}

int main(int argc, char **argv)
{
	unsigned int bytes;
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
	/* A CPU with both has all instructions of the table in EVEX. */
	has_evex = has_avx512 && __builtin_cpu_supports("gfni");
	emulate_what_the_cpu_lacks();
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

	check_examples();
	for (i = 0; i < instruction_count; i++)
		for (bytes = PART_BYTES; bytes <= widest(&instructions[i]); bytes *= 2)
			check(&instructions[i], bytes);
	printf("1..%u\n", count);
	return failures != 0;
}
