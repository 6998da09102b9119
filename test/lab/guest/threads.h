/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For modules that use a driver from threads on each CPU: its name, threads, random numbers, and
 * complaints, which contain that name. They come before the module's result. It does not stay
 * loaded: it ends with EAGAIN if it could try everything.
 */
#ifndef TEST_LAB_THREADS_H
#define TEST_LAB_THREADS_H

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

/* Most complaints repeat the first ones, so only a few are printed. */
#define MAX_COMPLAINTS	20

static char *driver = "";
module_param(driver, charp, 0);
MODULE_PARM_DESC(driver, "name of the driver, such as xts-sm4-vaes-avx2-fast");

static atomic_t complaints;

#define complain(format, ...) do {					\
	if (atomic_inc_return(&complaints) <= MAX_COMPLAINTS)		\
		pr_err("%s: " format "\n", driver, ##__VA_ARGS__);	\
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
