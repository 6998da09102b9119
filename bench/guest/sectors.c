// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * sectors DEVICE read|write [THREADS]
 *
 * Reads or writes the block device DEVICE from its beginning, bypassing the cache, and
 * prints the TSC cycles of the fastest of many requests of 64 KiB; with THREADS, of a
 * request when that many threads run at once, each with its own CPU and its own part of
 * the device. It writes zeros.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "timing.h"

#define REQUESTS	1000
#define BYTES		(64 << 10)

/* With threads: number of samples, and a thread's requests in one, before it waits for others */
#define SAMPLES		100
#define SAMPLE		64

static int device;
static bool writes;
static char buffer[BYTES] __attribute__((aligned(4096)));
static pthread_barrier_t begin, end;

static void request(long number)
{
	off_t offset = number * BYTES;

	if (writes)
		check(pwrite(device, buffer, BYTES, offset) == BYTES, "write");
	else
		check(pread(device, buffer, BYTES, offset) == BYTES, "read");
}

static void request_next(void)
{
	static long number;

	request(number++);
}

static void *work(void *argument)
{
	long thread = (long)argument, i;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(thread, &cpu);
	check(!sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity");
	for (;;) {
		pthread_barrier_wait(&begin);
		for (i = 0; i < SAMPLE; i++)
			request(thread * SAMPLE + i);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void run_sample(void)
{
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
}

int main(int argc, char **argv)
{
	long threads = argc == 4 ? atol(argv[3]) : 0, i;
	pthread_t id;

	if ((argc != 3 && argc != 4) || (argc == 4 && threads < 1) ||
	    (strcmp(argv[2], "read") && strcmp(argv[2], "write"))) {
		fprintf(stderr, "usage: sectors DEVICE read|write [THREADS]\n");
		return EXIT_FAILURE;
	}
	writes = !strcmp(argv[2], "write");
	device = open(argv[1], O_DIRECT | (writes ? O_WRONLY : O_RDONLY));
	check(device >= 0, argv[1]);
	if (!threads) {
		time_samples(request_next, REQUESTS, 1);
		return EXIT_SUCCESS;
	}
	pthread_barrier_init(&begin, NULL, threads + 1);
	pthread_barrier_init(&end, NULL, threads + 1);
	for (i = 0; i < threads; i++)
		check(!pthread_create(&id, NULL, work, (void *)i), "thread");
	time_samples(run_sample, SAMPLES, threads * SAMPLE);
	return EXIT_SUCCESS;
}
