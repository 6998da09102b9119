// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Threads on each CPU, and their complaints (threads.h). */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "threads.h"

struct thread {
	struct threads *threads;
	void (*run)(void *data, unsigned int cpu);
	void *data;
	unsigned int cpu;
};

void init_threads(struct threads *threads)
{
	atomic_set(&threads->complaint_count, 0);
	init_completion(&threads->ended);
	threads->started = 0;
}

static int run_thread(void *argument)
{
	struct thread thread = *(struct thread *)argument;

	kfree(argument);
	thread.run(thread.data, thread.cpu);
	/* The kernel's code comes after the completion: by then, the module may be gone. */
	kthread_complete_and_exit(&thread.threads->ended, 0);
}

int start_threads(struct threads *threads, void (*run)(void *data, unsigned int cpu), void *data)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct thread *thread = kmalloc(sizeof(*thread), GFP_KERNEL);
		struct task_struct *task;

		if (!thread)
			return -ENOMEM;
		*thread = (struct thread){ threads, run, data, cpu };
		task = kthread_run_on_cpu(run_thread, thread, cpu, "sm4-kunit/%u");
		if (IS_ERR(task)) {
			kfree(thread);
			return PTR_ERR(task);
		}
		threads->started++;
	}
	return 0;
}

void await_threads(struct threads *threads)
{
	for (; threads->started; threads->started--)
		wait_for_completion_state(&threads->ended,
					  TASK_UNINTERRUPTIBLE | TASK_FREEZABLE);
}

void complain(struct threads *threads, const char *format, ...)
{
	int nth = atomic_inc_return(&threads->complaint_count);
	va_list arguments;

	if (nth > MAX_COMPLAINTS)
		return;
	va_start(arguments, format);
	vscnprintf(threads->complaints[nth - 1], sizeof(threads->complaints[0]), format, arguments);
	va_end(arguments);
}

unsigned int random_number(unsigned int limit)
{
	return get_random_u32() % limit;
}
