// SPDX-License-Identifier: GPL-2.0
/* The part of case.h that does not need a test runner: guarded memory, comparisons. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "case.h"

void check_bytes(const void *actual, const void *expected, size_t bytes,
		 const char *what)
{
	const uint8_t *a = actual, *e = expected;
	size_t i;

	if (!bytes || !memcmp(a, e, bytes))
		return;
	for (i = 0; a[i] == e[i]; i++)
		;
	fail_case("%s wrong at byte %zu of %zu: %02x, not %02x", what, i, bytes,
		  a[i], e[i]);
}

struct guarded guarded_allocate(size_t bytes)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *all = mmap(NULL, bytes + 2 * page, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(all != MAP_FAILED);
	check(!mprotect(all + page, bytes, PROT_READ | PROT_WRITE));
	return (struct guarded){ all + page, bytes };
}
