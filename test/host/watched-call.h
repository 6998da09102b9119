/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call of a function that shows what it leaves behind: the general registers that
 * it need not keep, all vector registers, and the stack below the caller.
 */
#ifndef TEST_HOST_WATCHED_CALL_H
#define TEST_HOST_WATCHED_CALL_H

#define WATCHED_ARGUMENTS	0
#define WATCHED_GENERAL		64
#define WATCHED_GENERAL_COUNT	9
#define WATCHED_REGISTERS	(WATCHED_GENERAL + 8 * WATCHED_GENERAL_COUNT)
#define WATCHED_STACK		(WATCHED_REGISTERS + 32 * 64)
#define WATCHED_STACK_BYTES	8192

/* A kernel's stack is small: no function may use more of it. */
#define STACK_BYTES_MAX		3072

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/**
 * struct watched_call - what to call, and what was there afterwards
 * @arguments: the first integer or pointer arguments
 * @function: what to call
 * @has_avx512: whether there are 32 registers of 64 bytes, not 16 of 32
 * @general: rax, rcx, rdx, rsi, rdi, r8 to r11
 * @registers: zmm0 to zmm31, or ymm0 to ymm15 at every 64 bytes
 * @stack: the bytes below the stack pointer; all of their bits were set before
 */
struct watched_call {
	uint64_t arguments[6];
	const void *function;
	uint64_t has_avx512;
	uint64_t general[WATCHED_GENERAL_COUNT];
	uint8_t registers[32][64];
	uint8_t stack[WATCHED_STACK_BYTES];
};

_Static_assert(offsetof(struct watched_call, general) == WATCHED_GENERAL,
	       "watched-call.S");
_Static_assert(offsetof(struct watched_call, registers) == WATCHED_REGISTERS,
	       "watched-call.S");
_Static_assert(offsetof(struct watched_call, stack) == WATCHED_STACK,
	       "watched-call.S");

/* Needs AVX, and AVX-512 if the struct says so. */
void watched_call(struct watched_call *call);

/*
 * Fail the case if a call left other registers or another stack than one before it,
 * that had the same arguments but other keys and data there, or if it used more of
 * the stack than STACK_BYTES_MAX
 */
void check_same_left(const struct watched_call *call,
		     const struct watched_call *before);

/* What to call with up to five arguments, and what puts other secrets where they point to */
struct watched_function {
	const void *function;
	void (*renew)(const uint64_t *arguments);
	uint64_t arguments[5];
};

/*
 * Fail the case if a function of C, with other secrets in the same places, leaves
 * another stack, but for single words. What functions of tiers leave is not its doing:
 * they have their own tests. Returns what it returned at last.
 */
uint64_t check_leaves_nothing(const struct watched_function *watched);

/* Around a function of a tier: afterwards the stack below is as it was before. */
void watched_stack_keep(void);
void watched_stack_put_back(void);
#endif

#endif
