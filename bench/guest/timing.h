/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of bench/guest have in common, which time batches of
 * packets, records, requests to a disk or files. No part of the kernel's module.
 */
#ifndef TIMING_H
#define TIMING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

static inline void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(EXIT_FAILURE);
	}
}

/*
 * Run a function so many times, each time for a count of packets or the like, and
 * print the TSC cycles of one of them, in the fastest batch. Where a neighbour has
 * this CPU as well, some batches have it to themselves, if they are short, and much
 * shorter than the millisecond or more for which the neighbour has it.
 */
static inline void time_batches(void (*run_batch)(void), unsigned int batches,
				unsigned int count)
{
	uint64_t minimum = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < batches; i++) {
		uint64_t start = __rdtsc(), cycles;

		run_batch();
		cycles = __rdtsc() - start;
		if (cycles < minimum)
			minimum = cycles;
	}
	printf("%llu\n", (unsigned long long)minimum / count);
}

#endif
