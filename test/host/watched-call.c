// SPDX-License-Identifier: GPL-2.0
/* What two calls left behind, compared (watched-call.h). */
#include <stdbool.h>
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

/* Sanitizers have stacks of their own. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED	1
#else
#define IS_SANITIZED	0
#endif

/* A compiler may put a register aside on the stack; no buffer is as short. */
#define SPILLED_BYTES	8

static bool is_watching;
static uint8_t kept[WATCHED_STACK_BYTES];

/* No frame of its own may lie in what it copies, nor may it call anybody. */
static inline void copy(void *to, const void *from)
{
	size_t count = WATCHED_STACK_BYTES;

	asm volatile("rep movsb" : "+D" (to), "+S" (from), "+c" (count) : :
		     "memory");
}

#define stack_below() ({						\
	uint8_t *below;							\
									\
	asm volatile("lea %c1(%%rsp), %0" : "=r" (below) :		\
		     "i" (-WATCHED_STACK_BYTES));			\
	below;								\
})

void watched_stack_keep(void)
{
	if (is_watching)
		copy(kept, stack_below());
}

void watched_stack_put_back(void)
{
	if (is_watching)
		copy(stack_below(), kept);
}

uint64_t check_leaves_nothing(const struct watched_function *watched)
{
	static struct watched_call call, before;
	int n, i, run = 0;

	call.function = watched->function;
	memcpy(call.arguments, watched->arguments, sizeof(watched->arguments));
	/* The first time, the dynamic linker looks for what is called. */
	for (n = 0; n < 3; n++) {
		before = call;
		watched->renew(call.arguments);
		is_watching = true;
		watched_call(&call);
		is_watching = false;
	}
	for (i = 0; i < WATCHED_STACK_BYTES && !IS_SANITIZED; i++) {
		run = before.stack[i] == call.stack[i] ? 0 : run + 1;
		if (run > SPILLED_BYTES)
			fail_case("the stack holds key or data, %d bytes below",
				  WATCHED_STACK_BYTES - i + SPILLED_BYTES);
	}
	return call.general[0];
}
