// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Bursts of requests (test/kunit/batches.c) to a driver of authenc() for several requests at once,
 * for kernels of distributions, which have no KUnit: while the module is loaded. It cannot be if an
 * answer is wrong, with the reasons in the kernel's log, or if no request was completed later.
 */
#define pr_fmt(fmt) "sm4-batches: " fmt

#include <linux/module.h>
#include <linux/slab.h>
#include "batches.h"

static char *driver = "";
module_param(driver, charp, 0);
MODULE_PARM_DESC(driver, "name of the driver for several requests");

static char *single = "";
module_param(single, charp, 0);
MODULE_PARM_DESC(single, "name of the one for single requests");

static unsigned int bursts = 100;
module_param(bursts, uint, 0);
MODULE_PARM_DESC(bursts, "how many for each CPU");

static int __init sm4_batches_init(void)
{
	struct batch_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	int err, later, count, i;

	if (!plan)
		return -ENOMEM;
	plan->driver = driver;
	plan->single = single;
	plan->bursts = bursts;
	err = try_batches(plan);
	count = atomic_read(&plan->threads.complaint_count);
	later = atomic_read(&plan->later_count);
	for (i = 0; i < min(count, MAX_COMPLAINTS); i++)
		pr_err("%s: %s\n", driver, plan->threads.complaints[i]);
	pr_info("%s: %d requests, %d of them completed later, %d errors\n", driver,
		atomic_read(&plan->request_count), later, count);
	kfree(plan);
	if (!err && (count || !later))
		err = -EIO;
	return err;
}
module_init(sm4_batches_init);

static void __exit sm4_batches_exit(void)
{
}
module_exit(sm4_batches_exit);

MODULE_DESCRIPTION("Several requests of ESP at once, compared with the same one by one");
MODULE_LICENSE("GPL");
