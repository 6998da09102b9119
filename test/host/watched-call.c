// SPDX-License-Identifier: GPL-2.0
/* What two calls left behind, compared (watched-call.h). */
#include <string.h>
#include "case.h"
#include "watched-call.h"

void check_same_left(const struct watched_call *call,
		     const struct watched_call *before)
{
	static const char *const names[WATCHED_GENERAL_COUNT] = {
		"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
	};
	int i;

	for (i = 0; i < WATCHED_GENERAL_COUNT; i++) {
		if (before->general[i] != call->general[i])
			fail_case("%s holds key or data", names[i]);
	}
	for (i = 0; i < 32; i++) {
		if (memcmp(before->registers[i], call->registers[i],
			   sizeof(call->registers[i])))
			fail_case("vector register %d holds key or data", i);
	}
	for (i = 0; i < WATCHED_STACK_BYTES - STACK_BYTES_MAX; i++) {
		if (before->stack[i] != 0xff)
			fail_case("it uses %d bytes of the stack",
				  WATCHED_STACK_BYTES - i);
	}
	for (; i < WATCHED_STACK_BYTES; i++) {
		if (before->stack[i] != call->stack[i])
			fail_case("the stack holds key or data, %d bytes below",
				  WATCHED_STACK_BYTES - i);
	}
}
