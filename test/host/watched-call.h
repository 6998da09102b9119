/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Calling a function with known registers, to find its leftovers */
#ifndef TEST_HOST_WATCHED_CALL_H
#define TEST_HOST_WATCHED_CALL_H

#define WATCHED_FUNCTION	48
#define WATCHED_HAS_AVX512	56
#define WATCHED_GENERAL		64
#define WATCHED_MASKS		(WATCHED_GENERAL + 9 * 8)
#define WATCHED_VECTORS		(WATCHED_MASKS + 8 * 8)
#define WATCHED_STACK		(WATCHED_VECTORS + 32 * 64)
#define WATCHED_STACK_BYTES	12288

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/**
 * struct watched_call - the function to call, and the state afterwards
 * @arguments: the first integers and pointers
 * @function: the function to call
 * @has_avx512: whether there are masks, and 32 vectors of 64 bytes; otherwise 16 of 32 bytes
 * @registers: masks and vectors, before the call and after it; @general is rax, rcx, rdx,
 *	rsi, rdi, r8 to r11
 * @stack: the bytes below the stack pointer; before the call, all their bits are set
 */
struct watched_call {
	uint64_t arguments[6];
	const void *function;
	uint64_t has_avx512;
	struct {
		uint64_t general[9], masks[8];
		uint8_t vectors[32][64];
	} registers;
	uint8_t stack[WATCHED_STACK_BYTES];
};

_Static_assert(offsetof(struct watched_call, function) == WATCHED_FUNCTION, "");
_Static_assert(offsetof(struct watched_call, has_avx512) == WATCHED_HAS_AVX512, "");
_Static_assert(offsetof(struct watched_call, registers.general) == WATCHED_GENERAL, "");
_Static_assert(offsetof(struct watched_call, registers.masks) == WATCHED_MASKS, "");
_Static_assert(offsetof(struct watched_call, registers.vectors) == WATCHED_VECTORS, "");
_Static_assert(offsetof(struct watched_call, stack) == WATCHED_STACK, "");

void watched_call(struct watched_call *call);
#endif

#endif
