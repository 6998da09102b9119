// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * fpu-state
 *
 * Measures what an FPU section costs in a kernel besides its work, and what Linux that runs as a
 * program cannot show: the first section of a system call saves the registers of the process, and
 * the way back to user space restores them. The kernel does so by XSAVES and XRSTORS, which user
 * space may not execute. XSAVEC or XSAVEOPT and XRSTOR move the same registers.
 *
 * Prints a table in Markdown: by the registers that the process uses, TSC cycles, the least of
 * many samples. Each restores to a processor whose vector registers have just been used.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define SAMPLES	20000
#define AREA	16384

enum state { SSE, AVX, AVX512, STATES };

static const char *const names[] = { "SSE", "AVX", "AVX-512" };

static uint8_t area[AREA] __attribute__((aligned(64)));
static enum state widest;

#define REGISTERS_0_TO_15	"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define REGISTERS_16_TO_31	"16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/*
 * Give each register of this state, and of the smaller ones, a value; the larger ones are unused.
 * The compiler has nothing in these registers.
 */
static void use_registers(enum state state)
{
	if (widest >= AVX)
		asm volatile("vzeroall" ::: "memory");
	if (state == SSE)
		asm volatile(".irp i, " REGISTERS_0_TO_15 "\n"
			     "pcmpeqd %%xmm\\i, %%xmm\\i\n"
			     ".endr" ::: "memory");
	else if (state == AVX)
		asm volatile(".irp i, " REGISTERS_0_TO_15 "\n"
			     "vcmpps $15, %%ymm\\i, %%ymm\\i, %%ymm\\i\n"
			     ".endr" ::: "memory");
	else
		asm volatile(".irp i, " REGISTERS_0_TO_15 "," REGISTERS_16_TO_31 "\n"
			     "vpternlogd $255, %%zmm\\i, %%zmm\\i, %%zmm\\i\n"
			     ".endr\n"
			     "kxnorw %%k1, %%k1, %%k1" ::: "memory");
}

static void save_nothing(void)
{
}

static void save_compacted(void)
{
	asm volatile("xsavec64 %0" : "=m"(area) : "a"(-1), "d"(-1) : "memory");
}

static void save_optimized(void)
{
	asm volatile("xsaveopt64 %0" : "=m"(area) : "a"(-1), "d"(-1) : "memory");
}

static void restore(void)
{
	asm volatile("xrstor64 %0" :: "m"(area), "a"(-1), "d"(-1) : "memory");
}

static uint64_t time_of(void (*function)(void))
{
	uint64_t start;
	unsigned int processor;

	_mm_lfence();
	start = __rdtsc();
	_mm_lfence();
	function();
	start = __rdtscp(&processor) - start;
	_mm_lfence();
	return start;
}

static void keep_least(long *least, uint64_t cycles)
{
	if (!*least || (long)cycles < *least)
		*least = cycles;
}

/* The least cycles of @save in this state, and of the restoration that follows */
static void measure(enum state state, void (*save)(void), long *saving, long *restoring)
{
	long nothing = 0;
	int i;

	*saving = 0;
	*restoring = 0;
	/* The two instructions that save differ in the format, which is in the area. */
	memset(area, 0, sizeof(area));
	for (i = 0; i < SAMPLES; i++) {
		use_registers(state);
		keep_least(&nothing, time_of(save_nothing));
		keep_least(saving, time_of(save));
		use_registers(widest);
		keep_least(restoring, time_of(restore));
	}
	*saving -= nothing;
	*restoring -= nothing;
}

int main(void)
{
	unsigned int eax, ebx, ecx, edx, instructions = 0;
	unsigned long long enabled;
	enum state state;
	cpu_set_t cpu;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
		fprintf(stderr, "This processor has no XSAVE, or the kernel does not use it.\n");
		return EXIT_FAILURE;
	}
	if (__get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx))
		instructions = eax;
	if (!(instructions & 1)) {
		fprintf(stderr, "This processor has no XSAVEOPT.\n");
		return EXIT_FAILURE;
	}
	asm("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	enabled = eax;
	widest = (enabled & 0xe6) == 0xe6 ? AVX512 : (enabled & 6) == 6 ? AVX : SSE;
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);

	printf("| registers in use | XSAVEC | XRSTOR | both | XSAVEOPT | XRSTOR | both |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (state = SSE; state <= widest; state++) {
		long saving, restoring;

		printf("| %s |", names[state]);
		if (instructions & 2) {
			measure(state, save_compacted, &saving, &restoring);
			printf(" %ld | %ld | %ld |", saving, restoring, saving + restoring);
		} else {
			printf(" - | - | - |");
		}
		measure(state, save_optimized, &saving, &restoring);
		printf(" %ld | %ld | %ld |\n", saving, restoring, saving + restoring);
	}
	return EXIT_SUCCESS;
}
