// SPDX-License-Identifier: GPL-2.0
/*
 * A flood of ESP packets from every CPU into one SA, as for its driver of authenc(): a thread on
 * each CPU submits requests to the same transform with softirqs off, as NAPI does, and each
 * completion takes as long as sending a packet may take. All are the same packet, so that a flood
 * costs its senders little.
 *
 * The following must hold, however long that is: the number of requests of the SA in flight is
 * limited, and more are refused; requests are completed in order of submission; other threads can
 * run, and another SA's packet does not wait for the flood.
 *
 * Times are CPU times; in user-mode Linux, a CPU is a thread of the machine below: its other work
 * does not count.
 *
 * The module says in the kernel's log
 *
 *	sm4-flood: DRIVER: N completed ..., N refused, N on their way at most; ...
 */
#define pr_fmt(fmt) "sm4-flood: " fmt

#include <linux/delay.h>
#include <linux/time64.h>
#include <asm/unistd.h>
#include "packets.h"

static bool decrypt;
module_param(decrypt, bool, 0);
MODULE_PARM_DESC(decrypt, "what comes in, not what goes out");

static unsigned int cost;
module_param(cost, uint, 0);
MODULE_PARM_DESC(cost, "microseconds that a completion takes");

static unsigned int window;
module_param(window, uint, 0);
MODULE_PARM_DESC(window, "senders wait while this number is in flight (default: they never do)");

/* A flow may have 1000 requests in flight, and those whose completion has not returned. */
#define MOST_ON_THEIR_WAY	1100
#define LONGEST_WAIT		(50 * NSEC_PER_MSEC)
#define LONGEST_OF_OTHER	(10 * NSEC_PER_MSEC)

#define DURATION	500	/* milliseconds */
#define BURST		64
#define TEXT_BYTES	64
#define AAD_BYTES	24
#define PACKET_BYTES	(AAD_BYTES + TEXT_BYTES + TAG_BYTES)

/* The requests of an SA */
static struct sa {
	struct flow flow;
	unsigned int refused, most;
	u64 longest;
} flood, other;

struct request {
	struct sa *sa;
	struct scatterlist src, dst;
	u8 out[PACKET_BYTES], iv[BLOCK_BYTES];
	unsigned int number;
	u64 began;
	struct aead_request req;	/* the driver's part follows */
};

/* The packet of every request, and its result */
static u8 *packet, answer[PACKET_BYTES];

static u64 longest_wait[NR_CPUS];
static bool stop;

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
	u64 began = cpu_time();

	check_order(&sa->flow, request->number);
	if (err || memcmp(request->out + AAD_BYTES, answer + AAD_BYTES,
			  TEXT_BYTES + (decrypt ? 0 : TAG_BYTES)))
		complain("wrong bytes, or error %d", err);
	if (sa == &other)
		sa->longest = max(sa->longest, began - request->began);
	kfree(request);
	while (sa == &flood && cpu_time() - began < cost * NSEC_PER_USEC)
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
	sg_init_one(&request->src, packet, PACKET_BYTES);
	sg_init_one(&request->dst, request->out, PACKET_BYTES);
	aead_request_set_tfm(&request->req, tfm);
	aead_request_set_callback(&request->req, 0, completed, request);
	aead_request_set_ad(&request->req, AAD_BYTES);
	aead_request_set_crypt(&request->req, &request->src, &request->dst,
			       TEXT_BYTES + (decrypt ? TAG_BYTES : 0), request->iv);
	return request;
}

/* Called with softirqs off. Returns whether more requests may be submitted. */
static bool submit(struct sa *sa, unsigned int most)
{
	struct flow *flow = &sa->flow;
	struct request *request;
	unsigned int on_their_way;
	int err = -EBUSY;

	spin_lock(&flow->lock);
	on_their_way = flow->submitted - READ_ONCE(flow->completed);
	if (on_their_way >= most)
		goto unlock;
	request = new_request(sa);
	if (!request) {
		complain("no memory");
		goto unlock;
	}
	request->began = cpu_time();
	err = submit_in_order(flow, &request->req, decrypt, &request->number);
	if (err == -EINPROGRESS) {
		sa->most = max(sa->most, on_their_way + 1);
		goto unlock;
	}
	kfree(request);
	if (err == -ENOSPC)
		sa->refused++;
	else
		complain("error %d, not later", err);
unlock:
	spin_unlock(&flow->lock);
	return err != -EBUSY;
}

/* ---- threads ---- */

/* The first CPU's thread sends another SA's packet with a burst when the last one has left. */
static int send(void *cpu)
{
	while (!READ_ONCE(stop)) {
		bool more = true;
		unsigned int i;

		local_bh_disable();
		for (i = 0; i < BURST && more; i++)
			more = submit(&flood, window ?: MOST_ON_THEIR_WAY);
		if (!cpu)
			submit(&other, 1);
		local_bh_enable();
		if (more) {
			cond_resched();
		} else if (window) {
			usleep_range(20, 40);
		} else {
			complain("more than %u requests are on their way",
				 MOST_ON_THEIR_WAY);
			WRITE_ONCE(stop, true);
		}
	}
	end_thread();
}

/* A thread with little work, which needs its CPU every millisecond */
static int watch(void *cpu)
{
	u64 *longest = &longest_wait[(unsigned long)cpu];

	while (!READ_ONCE(stop)) {
		u64 before = cpu_time();

		usleep_range(1000, 1001);
		*longest = max(*longest, cpu_time() - before);
	}
	end_thread();
}

/* ---- the module ---- */

static int open_sa(struct sa *sa)
{
	u8 key[KEY_BYTES] __aligned(4) = {};

	return open_flow(&sa->flow) ?: set_key(sa->flow.tfm, key);
}

/* Incoming packets are encrypted ones. In process context, requests are processed immediately. */
static int make_answer(void)
{
	struct request *request = new_request(&flood);
	int err;

	if (!request)
		return -ENOMEM;
	aead_request_set_crypt(&request->req, &request->src, &request->dst, TEXT_BYTES,
			       request->iv);
	err = crypto_aead_encrypt(&request->req);
	memcpy(decrypt ? packet : answer, request->out, PACKET_BYTES);
	kfree(request);
	return err;
}

static void check(void)
{
	u64 longest = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		if (longest_wait[cpu] > LONGEST_WAIT)
			complain("a thread waited %llu us for CPU %d",
				 longest_wait[cpu] / NSEC_PER_USEC, cpu);
		longest = max(longest, longest_wait[cpu]);
	}
	if (other.longest > LONGEST_OF_OTHER)
		complain("another SA's packet took %llu us",
			 other.longest / NSEC_PER_USEC);
	if (!window && !flood.refused && !atomic_read(&complaints))
		complain("no request was refused: this was no flood");
	pr_info("%s: %u completed %s in %u us each, %u refused, %u on their way at most; threads waited %llu us at most, and another SA's %u packets %llu us\n",
		driver, flood.flow.completed, decrypt ? "inwards" : "outwards", cost,
		flood.refused, flood.most,
		longest / NSEC_PER_USEC, other.flow.completed,
		other.longest / NSEC_PER_USEC);
}

static int __init sm4_flood_init(void)
{
	int err;

	packet = kzalloc(PACKET_BYTES, GFP_KERNEL);
	if (!packet)
		return -ENOMEM;
	err = open_sa(&flood) ?: open_sa(&other) ?: make_answer() ?: start_threads(send) ?:
	      start_threads(watch);
	if (!err)
		msleep(DURATION);
	WRITE_ONCE(stop, true);
	await_threads();
	while (READ_ONCE(flood.flow.completed) != flood.flow.submitted ||
	       READ_ONCE(other.flow.completed) != other.flow.submitted)
		msleep(20);
	if (!err)
		check();
	crypto_free_aead(flood.flow.tfm);
	crypto_free_aead(other.flow.tfm);
	kfree(packet);
	return err ?: -EAGAIN;
}
module_init(sm4_flood_init);

MODULE_DESCRIPTION("More packets for one SA than its way out takes");
MODULE_LICENSE("GPL");
