/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For modules that use a driver from threads on each CPU: its name, threads, and complaints, which
 * contain that name.
 */
#ifndef TEST_LAB_THREADS_H
#define TEST_LAB_THREADS_H

#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

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

/* Returns a thread that is bound to a CPU, and does not run yet. */
static int create_thread(int (*run)(void *data), void *data, int cpu, struct task_struct **task)
{
	struct task_struct *new = kthread_create(run, data, KBUILD_MODNAME "/%d", cpu);

	if (IS_ERR(new))
		return PTR_ERR(new);
	kthread_bind(new, cpu);
	*task = new;
	return 0;
}

/* Wait for the end of a thread: otherwise the module could be unloaded before it returns. */
static int await_stop(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

#endif
