/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Common code of the programs of bench/guest, which time samples of packets,
 * records, disk requests or files. Not part of a kernel module.
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
 * Run a function @samples times, each time for @count packets or the like, and print
 * the TSC cycles for one of them in the fastest sample. If another program also uses
 * this CPU, it does so for a millisecond or more at a time: some samples run without
 * interruption if they are much shorter.
 */
static inline void time_samples(void (*run_sample)(void), unsigned int samples,
				unsigned int count)
{
	uint64_t minimum = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < samples; i++) {
		uint64_t start = __rdtsc(), cycles;

		run_sample();
		cycles = __rdtsc() - start;
		if (cycles < minimum)
			minimum = cycles;
	}
	printf("%llu\n", (unsigned long long)minimum / count);
}

#endif
