/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * For suites that use a driver from threads on each CPU: threads, random numbers, and complaints.
 * KUnit knows its own thread only, and its messages need memory; so the threads and completions
 * write their complaints down, and the test's own thread reports them at its end.
 */
#ifndef TEST_KUNIT_THREADS_H
#define TEST_KUNIT_THREADS_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/types.h>

/* Most complaints repeat the first ones, so only a few are reported. */
#define MAX_COMPLAINTS	20

/* The threads of a test, and their complaints */
struct threads {
	char complaints[MAX_COMPLAINTS][160];
	atomic_t complaint_count;
	struct completion ended;
	unsigned int started;
};

void init_threads(struct threads *threads);

/*
 * Start a thread on each CPU that is online now: others may come online, and these may go offline.
 * Each runs @run with @data and the number of its CPU. Returns an error, or 0.
 */
int start_threads(struct threads *threads, void (*run)(void *data, unsigned int cpu), void *data);

/* Wait until all have ended. A suspend freezes the task that waits; they run to their end. */
void await_threads(struct threads *threads);

void complain(struct threads *threads, const char *format, ...) __printf(2, 3);

/* Below @limit */
unsigned int random_number(unsigned int limit);

#endif
