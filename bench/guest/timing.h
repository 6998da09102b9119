/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of bench/guest have in common, which time batches of
 * packets or records. No part of the kernel's module.
 */
#ifndef TIMING_H
#define TIMING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define BATCHES		100

static inline void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(EXIT_FAILURE);
	}
}

/*
 * Run a function BATCHES times, each time for so many packets or records, and
 * print the TSC cycles of one of them, in the fastest batch.
 */
static inline void time_batches(void (*run_batch)(void), unsigned int count)
{
	uint64_t minimum = UINT64_MAX;
	int i;

	for (i = 0; i < BATCHES; i++) {
		uint64_t start = __rdtsc(), cycles;

		run_batch();
		cycles = __rdtsc() - start;
		if (cycles < minimum)
			minimum = cycles;
	}
	printf("%llu\n", (unsigned long long)minimum / count);
}

#endif
