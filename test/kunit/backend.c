// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The engine of test/requests in a kernel (test/requests/backend.h). What a function gets by its
 * address ends where the next page is missing, so that assembly that reads beyond the end faults:
 * not in user-mode Linux, which repeats such an access forever; there, as around the pages of
 * scatterlists, the engine sees only what is written. test/host has missing pages around all.
 */
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/poison.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/vmalloc.h>
#include "../requests/backend.h"
#include "backend.h"

/* ---- results ---- */

/* Of the running test */
static struct backend *this_backend(void)
{
	return kunit_get_current_test()->priv;
}

void describe(const char *format, ...)
{
	struct backend *backend = this_backend();
	va_list arguments;

	va_start(arguments, format);
	vscnprintf(backend->description, sizeof(backend->description), format, arguments);
	va_end(arguments);
}

void fail_case(const char *format, ...)
{
	char message[256];
	va_list arguments;

	va_start(arguments, format);
	vscnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	KUNIT_FAIL_AND_ABORT(kunit_get_current_test(), "%s: %s\n", message,
			     this_backend()->description);
}

/* ---- random numbers ---- */

unsigned int random_below(unsigned int limit)
{
	return prandom_u32_state(&this_backend()->rng) % limit;
}

void random_fill(void *p, size_t bytes)
{
	prandom_bytes_state(&this_backend()->rng, p, bytes);
}

/* ---- memory ---- */

/* All that is allocated, for all tests: one that ends because of a failure frees nothing. */
static void *allocations[256];

static void *remember(void *memory)
{
	unsigned int i;

	for (i = 0; memory && i < ARRAY_SIZE(allocations); i++) {
		if (allocations[i])
			continue;
		allocations[i] = memory;
		return memory;
	}
	kvfree(memory);
	fail_case("out of memory");
	return NULL;
}

void *memory_allocate(size_t bytes)
{
	return remember(kvmalloc(bytes, GFP_KERNEL));
}

void memory_free(void *memory)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(allocations); i++)
		if (allocations[i] == memory)
			allocations[i] = NULL;
	kvfree(memory);
}

/* In memory that is larger by a page on both sides, of which some bytes are watched */
static struct guarded within(u8 *larger, size_t bytes)
{
	return (struct guarded){ larger + PAGE_SIZE, bytes, 64 };
}

struct guarded guarded_allocate(size_t bytes)
{
	if (IS_ENABLED(CONFIG_UML))
		return within(remember(vmalloc(bytes + 2 * PAGE_SIZE)), bytes);
	return (struct guarded){ remember(vmalloc(bytes)), bytes, 0 };
}

/* A list's entries are where the kernel has mapped all pages. */
struct guarded guarded_pages(size_t bytes)
{
	return within(remember(kmalloc(bytes + 2 * PAGE_SIZE, GFP_KERNEL)), bytes);
}

void *guarded_nothing(void)
{
	return LIST_POISON1;
}

/* A kernel's pages cannot be protected by a module: what is in them is compared afterwards. */
void guarded_protect(const struct guarded *memory, bool read_only)
{
}

void backend_begin(struct backend *backend)
{
	prandom_seed_state(&backend->rng, 1);
}

void backend_end(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(allocations); i++)
		kvfree(allocations[i]);
}
