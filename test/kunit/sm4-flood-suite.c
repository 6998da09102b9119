// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A flood of ESP packets from every CPU into one SA, as for the driver of authenc() for several
 * requests at once (sm4_fast.batch=1): a thread on each CPU submits requests to the same transform
 * with softirqs off, as NAPI does, and each completion takes as long as sending a packet may take.
 * All are the same packet, so that a flood costs its senders little.
 *
 * The following must hold, however long that is: the number of requests of the SA in flight is
 * limited, and more are refused; requests are completed in order of submission; other threads can
 * run, and another SA's packet does not wait for the flood.
 *
 * Times are CPU times. This suite is for user-mode Linux, whose CPUs are threads of the machine
 * below: its other work does not count.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/scatterlist.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/unistd.h>
#include "drivers.h"
#include "packets.h"

/**
 * struct flood_kind - how packets come
 * @name: a description
 * @decrypt: what comes in, not what goes out
 * @cost: microseconds that a completion takes
 * @window: senders wait while this number is in flight (0: never)
 */
struct flood_kind {
	const char *name;
	bool decrypt;
	unsigned int cost, window;
};

static const struct flood_kind kinds[] = {
	{ "outwards, from senders that wait", false, 0, 512 },
	{ "outwards, 20 us each", false, 20, 0 },
	{ "outwards, 200 us each", false, 200, 0 },
	{ "inwards, from senders that wait", true, 0, 512 },
	{ "inwards, 20 us each", true, 20, 0 },
	{ "inwards, 200 us each", true, 200, 0 },
};

/* A flow may have 1000 requests in flight, and those whose completion has not returned. */
#define MOST_ON_THEIR_WAY	1100
#define LONGEST_WAIT		(50 * NSEC_PER_MSEC)
#define LONGEST_OF_OTHER	(10 * NSEC_PER_MSEC)

#define DURATION	500	/* milliseconds */
#define PAUSE		600	/* before it: Linux lets other programs have the CPUs meanwhile */
#define BURST		64
#define TEXT_BYTES	64
#define AAD_BYTES	24
#define PACKET_BYTES	(AAD_BYTES + TEXT_BYTES + TAG_BYTES)

/* The requests of an SA */
struct sa {
	struct flood_test *test;
	struct packet_flow flow;
	unsigned int refused, most;
	u64 longest;
};

/* A flood of one kind, and another SA beside it; the packet of every request, and its result */
struct flood_test {
	const struct flood_kind *kind;
	struct sa flood, other;
	u8 packet[PACKET_BYTES], answer[PACKET_BYTES];
	u64 longest_wait[NR_CPUS];
	bool stop;
	struct threads threads;
};

struct request {
	struct sa *sa;
	struct scatterlist src, dst;
	u8 out[PACKET_BYTES], iv[BLOCK];
	unsigned int number;
	u64 began;
	struct aead_request req;	/* the driver's part follows */
};

/* This CPU's running time in nanoseconds, by a system call of the machine below */
static u64 cpu_time(void)
{
	struct __kernel_timespec now;
	long err;

	asm volatile("syscall" : "=a" (err)
		     : "0" (__NR_clock_gettime), "D" (CLOCK_THREAD_CPUTIME_ID), "S" (&now)
		     : "rcx", "r11", "memory");
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void completed(void *data, int err)
{
	struct request *request = data;
	struct sa *sa = request->sa;
	struct flood_test *state = sa->test;
	u64 began = cpu_time();

	check_order(&state->threads, &sa->flow, request->number);
	if (err || memcmp(request->out + AAD_BYTES, state->answer + AAD_BYTES,
			  TEXT_BYTES + (state->kind->decrypt ? 0 : TAG_BYTES)))
		complain(&state->threads, "wrong bytes, or error %d", err);
	if (sa == &state->other)
		sa->longest = max(sa->longest, began - request->began);
	kfree(request);
	while (sa == &state->flood && cpu_time() - began < state->kind->cost * NSEC_PER_USEC)
		cpu_relax();
	WRITE_ONCE(sa->flow.completed, sa->flow.completed + 1);
}

static struct request *new_request(struct sa *sa)
{
	struct crypto_aead *tfm = sa->flow.tfm;
	struct request *request = kzalloc(sizeof(*request) + crypto_aead_reqsize(tfm), GFP_ATOMIC);

	if (!request)
		return NULL;
	request->sa = sa;
	sg_init_one(&request->src, sa->test->packet, PACKET_BYTES);
	sg_init_one(&request->dst, request->out, PACKET_BYTES);
	aead_request_set_tfm(&request->req, tfm);
	aead_request_set_callback(&request->req, 0, completed, request);
	aead_request_set_ad(&request->req, AAD_BYTES);
	aead_request_set_crypt(&request->req, &request->src, &request->dst,
			       TEXT_BYTES + (sa->test->kind->decrypt ? TAG_BYTES : 0), request->iv);
	return request;
}

/* Called with softirqs off. Returns whether more requests may be submitted. */
static bool submit(struct sa *sa, unsigned int most)
{
	struct packet_flow *flow = &sa->flow;
	struct request *request;
	unsigned int on_their_way;
	int err = -EBUSY;

	spin_lock(&flow->lock);
	on_their_way = flow->submitted - READ_ONCE(flow->completed);
	if (on_their_way >= most)
		goto unlock;
	request = new_request(sa);
	if (!request) {
		complain(&sa->test->threads, "no memory");
		goto unlock;
	}
	request->began = cpu_time();
	err = submit_in_order(flow, &request->req, sa->test->kind->decrypt,
			      &request->number);
	if (err == -EINPROGRESS) {
		sa->most = max(sa->most, on_their_way + 1);
		goto unlock;
	}
	kfree(request);
	if (err == -ENOSPC)
		sa->refused++;
	else
		complain(&sa->test->threads, "error %d, not later", err);
unlock:
	spin_unlock(&flow->lock);
	return err != -EBUSY;
}

/* ---- threads ---- */

/* The first CPU's thread sends another SA's packet with a burst when the last one has left. */
static void send(void *data, unsigned int cpu)
{
	struct flood_test *state = data;
	const struct flood_kind *kind = state->kind;

	while (!READ_ONCE(state->stop)) {
		bool more = true;
		unsigned int i;

		local_bh_disable();
		for (i = 0; i < BURST && more; i++)
			more = submit(&state->flood, kind->window ?: MOST_ON_THEIR_WAY);
		if (!cpu)
			submit(&state->other, 1);
		local_bh_enable();
		if (more) {
			cond_resched();
		} else if (kind->window) {
			usleep_range(20, 40);
		} else {
			complain(&state->threads, "more than %u requests are on their way",
				 MOST_ON_THEIR_WAY);
			WRITE_ONCE(state->stop, true);
		}
	}
}

/* A thread with little work, which needs its CPU every millisecond */
static void watch(void *data, unsigned int cpu)
{
	struct flood_test *state = data;
	u64 *longest = &state->longest_wait[cpu];

	while (!READ_ONCE(state->stop)) {
		u64 before = cpu_time();

		usleep_range(1000, 1001);
		*longest = max(*longest, cpu_time() - before);
	}
}

/* ---- tests ---- */

static int open_sa(struct sa *sa, struct flood_test *state, const char *driver)
{
	u8 key[PACKET_KEY_BYTES] __aligned(4) = {};

	sa->test = state;
	return open_packet_flow(&sa->flow, driver) ?: set_packet_key(sa->flow.tfm, key);
}

/* Incoming packets are encrypted ones. In process context, requests are processed immediately. */
static int make_answer(struct flood_test *state)
{
	struct request *request = new_request(&state->flood);
	int err;

	if (!request)
		return -ENOMEM;
	aead_request_set_crypt(&request->req, &request->src, &request->dst, TEXT_BYTES,
			       request->iv);
	err = crypto_aead_encrypt(&request->req);
	memcpy(state->kind->decrypt ? state->packet : state->answer, request->out, PACKET_BYTES);
	kfree(request);
	return err;
}

static void check_times(struct kunit *test)
{
	struct flood_test *state = test->priv;
	const struct sa *flood = &state->flood, *other = &state->other;
	u64 longest = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		if (state->longest_wait[cpu] > LONGEST_WAIT)
			complain(&state->threads, "a thread waited %llu us for CPU %d",
				 state->longest_wait[cpu] / NSEC_PER_USEC, cpu);
		longest = max(longest, state->longest_wait[cpu]);
	}
	if (other->longest > LONGEST_OF_OTHER)
		complain(&state->threads, "another SA's packet took %llu us",
			 other->longest / NSEC_PER_USEC);
	if (!state->kind->window && !flood->refused &&
	    !atomic_read(&state->threads.complaint_count))
		complain(&state->threads, "no request was refused: this was no flood");
	kunit_info(test, "%u completed, %u refused, %u on their way at most; threads waited %llu us at most, and another SA's %u packets %llu us",
		   flood->flow.completed, flood->refused, flood->most, longest / NSEC_PER_USEC,
		   other->flow.completed, other->longest / NSEC_PER_USEC);
}

static bool is_authenc_for_batches(const struct driver *driver)
{
	return is_for_batches(driver) && strstarts(driver->algorithm, "authenc(");
}

static void test_flood(struct kunit *test)
{
	char description[KUNIT_PARAM_DESC_SIZE];
	const struct driver *driver = next_driver(NULL, description, is_authenc_for_batches);
	struct flood_test *state = test->priv;
	struct sa *flood = &state->flood, *other = &state->other;
	int err;

	if (!driver)
		kunit_skip(test, "needs sm4_fast.batch=1");
	state->kind = test->param_value;
	init_threads(&state->threads);
	msleep(PAUSE);
	err = open_sa(flood, state, driver->name) ?: open_sa(other, state, driver->name) ?:
	      make_answer(state) ?: start_threads(&state->threads, send, state) ?:
	      start_threads(&state->threads, watch, state);
	if (!err)
		msleep(DURATION);
	WRITE_ONCE(state->stop, true);
	await_threads(&state->threads);
	while (READ_ONCE(flood->flow.completed) != flood->flow.submitted ||
	       READ_ONCE(other->flow.completed) != other->flow.submitted)
		msleep(20);
	if (!err)
		check_times(test);
	crypto_free_aead(flood->flow.tfm);
	crypto_free_aead(other->flow.tfm);
	report_complaints(test, &state->threads);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GT(test, flood->flow.completed, 0);
}

static int prepare(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct flood_test), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void describe_kind(const struct flood_kind *described, char *description)
{
	strscpy(description, described->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(flood, kinds, describe_kind);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_flood, flood_gen_params, SLOW),
	{}
};

static struct kunit_suite suite = {
	.name = "sm4_flood",
	.suite_init = find_drivers,
	.init = prepare,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("More packets for one SA than its way out takes");
MODULE_LICENSE("GPL");
