// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Memory for tests (backend.h), between pages that are missing. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "case.h"

struct guarded guarded_allocate(size_t bytes)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *all = mmap(NULL, bytes + 2 * page, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(all != MAP_FAILED);
	check(!mprotect(all + page, bytes, PROT_READ | PROT_WRITE));
	return (struct guarded){ all + page, bytes };
}

struct guarded guarded_pages(size_t bytes)
{
	return guarded_allocate(bytes);
}

void *guarded_nothing(void)
{
	static struct guarded memory;

	if (!memory.start)
		memory = guarded_allocate(sysconf(_SC_PAGESIZE));
	return memory.start + memory.bytes;
}

void guarded_protect(const struct guarded *memory, bool read_only)
{
	check(!mprotect(memory->start, memory->bytes,
			read_only ? PROT_READ : PROT_READ | PROT_WRITE));
}

void *memory_allocate(size_t bytes)
{
	return malloc(bytes);
}

void memory_free(void *memory)
{
	free(memory);
}
