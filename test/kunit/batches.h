/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Random requests with softirqs off, like packets, to a driver of authenc() for several requests at
 * once, from a thread on each CPU, all with the same transforms; each answer is compared with that
 * of the driver for single requests. The kernel's own tests never use this path. Each transform's
 * requests have to be completed in the order of submission, and are freed by their completion.
 * Other transforms are freed by their last completion. Keys change between bursts, or at any time.
 *
 * For sm4-batches-suite.c, and for a module of test/vm, whose kernels have no KUnit.
 */
#ifndef TEST_KUNIT_BATCHES_H
#define TEST_KUNIT_BATCHES_H

#include <linux/rwsem.h>
#include "packets.h"

#define TRANSFORMS	8

struct batch_transform {
	struct packet_flow batch;
	struct crypto_aead *single;
};

/**
 * struct batch_plan - what is tried; the rest initially is 0
 * @driver: the name of the driver for several requests
 * @single: the name of the driver for single ones
 * @bursts: how many for each CPU
 * @no_memory: allocations of memory fail at times, and either may say so
 * @rekey: keys change at any time: then a request's answer may be anything, and only where it
 *	   is written matters
 * @transforms: what all CPUs use
 * @key_lock: without @rekey, keys are changed only when no CPU has a request with an old one
 * @request_count: how many requests there were
 * @later_count: how many of them were completed later
 * @threads: has complaints about the drivers
 */
struct batch_plan {
	const char *driver, *single;
	unsigned int bursts;
	bool no_memory, rekey;
	struct batch_transform transforms[TRANSFORMS];
	struct rw_semaphore key_lock;
	atomic_t request_count, later_count;
	struct threads threads;
};

/*
 * Begins on each CPU, and returns after the end: an error if the drivers are not there. Errors of
 * drivers are complaints.
 */
int try_batches(struct batch_plan *plan);

#endif
