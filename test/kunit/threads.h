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
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Most complaints repeat the first ones, so only a few are reported. */
#define MAX_COMPLAINTS	20

static char complaints[MAX_COMPLAINTS][160];
static atomic_t complaint_count;

#define complain(format, ...) do {						\
	int nth = atomic_inc_return(&complaint_count);				\
										\
	if (nth <= MAX_COMPLAINTS)						\
		scnprintf(complaints[nth - 1], sizeof(complaints[0]), format,	\
			  ##__VA_ARGS__);					\
} while (0)

/* The test fails if there are complaints. There are none afterwards. */
#define report_complaints(test) do {						\
	struct kunit *failing = (test);						\
	int nth = 0, all = atomic_xchg(&complaint_count, 0);			\
										\
	for (; nth < min(all, MAX_COMPLAINTS); nth++)				\
		KUNIT_FAIL(failing, "%s\n", complaints[nth]);			\
	if (all > nth)								\
		KUNIT_FAIL(failing, "and %d more\n", all - nth);		\
} while (0)

static unsigned int __maybe_unused random_below(unsigned int limit)
{
	return get_random_u32() % limit;
}

static DECLARE_COMPLETION(thread_ended);
static unsigned int started_threads;

/*
 * Start a thread on each CPU that is online now: others may come online, and these may go offline.
 * It is given the number of its CPU, and ends with end_thread().
 */
static int start_threads(int (*run)(void *cpu))
{
	unsigned long cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task =
			kthread_run_on_cpu(run, (void *)cpu, cpu, KBUILD_MODNAME "/%u");

		if (IS_ERR(task))
			return PTR_ERR(task);
		started_threads++;
	}
	return 0;
}

/* The kernel's code comes after the completion: by then, the module may be gone. */
static void __noreturn end_thread(void)
{
	kthread_complete_and_exit(&thread_ended, 0);
}

/* A suspend freezes the task that waits here; the threads run to their end. */
static void await_threads(void)
{
	for (; started_threads; started_threads--)
		wait_for_completion_state(&thread_ended, TASK_UNINTERRUPTIBLE | TASK_FREEZABLE);
}

#endif
