// SPDX-License-Identifier: GPL-2.0
/*
 * A flood of ESP packets from every CPU into one SA, as for its driver of authenc():
 * a thread on each CPU submits requests to the same transform with softirqs off, as NAPI
 * does, and each completion takes as long as sending a packet may take. All are the same
 * packet, so that a flood costs its senders little.
 *
 * The following must hold, however long that is: the number of requests of the SA in flight is
 * limited, and more are refused; requests are completed in order of
 * submission; other threads can run, and another SA's packet does not wait for the
 * flood.
 *
 * Times are CPU times; in user-mode Linux, a CPU is a thread of the
 * machine below: its other work does not count.
 *
 * The module says in the kernel's log
 *
 *	sm4-flood: DRIVER: N completed ..., N refused, N on their way at most; ...
 *
 * and before that any errors. It does not stay loaded: it ends with EAGAIN if
 * it could try everything.
 */
#define pr_fmt(fmt) "sm4-flood: " fmt

#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
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

struct request {
	struct flow *flow;
	struct aead_request *req;
	struct scatterlist src, dst;
	u8 out[PACKET_BYTES], iv[BLOCK_BYTES];
	unsigned int number;
	u64 began;
};

/* The requests of an SA: number N reuses the memory of N - MOST_ON_THEIR_WAY. */
static struct flow {
	struct crypto_aead *tfm;
	spinlock_t lock;	/* held while a request gets its number and is submitted */
	unsigned int submitted, refused, most;
	unsigned int completed;	/* by one CPU at a time */
	u64 longest;
	struct request *requests[MOST_ON_THEIR_WAY];
} flood, other;

static struct thread {
	struct task_struct *sender, *watcher;
	u64 longest_wait;
} *threads;

/* The packet of every request, and its result */
static u8 *packet, answer[PACKET_BYTES];

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
	struct flow *flow = request->flow;
	u64 began = cpu_time();

	if (request->number != flow->completed)
		complain("request %u was done as number %u", request->number,
			 flow->completed);
	if (err || memcmp(request->out + AAD_BYTES, answer + AAD_BYTES,
			  TEXT_BYTES + (decrypt ? 0 : TAG_BYTES)))
		complain("wrong bytes, or error %d", err);
	if (flow == &other)
		flow->longest = max(flow->longest, began - request->began);
	while (flow == &flood && cpu_time() - began < cost * NSEC_PER_USEC)
		cpu_relax();
	/* Others may reuse it from now on. */
	smp_store_release(&flow->completed, flow->completed + 1);
}

/* Called with softirqs off. Returns whether more requests may be submitted. */
static bool submit(struct flow *flow, unsigned int most)
{
	struct request *request;
	unsigned int on_their_way;
	int err = -EBUSY;

	spin_lock(&flow->lock);
	/* The oldest request is no longer in use when it counts as completed. */
	on_their_way = flow->submitted - smp_load_acquire(&flow->completed);
	if (on_their_way >= most)
		goto unlock;
	request = flow->requests[flow->submitted % MOST_ON_THEIR_WAY];
	request->number = flow->submitted;
	request->began = cpu_time();
	memset(request->iv, 0, sizeof(request->iv));
	aead_request_set_crypt(request->req, &request->src, &request->dst,
			       TEXT_BYTES + (decrypt ? TAG_BYTES : 0), request->iv);
	err = decrypt ? crypto_aead_decrypt(request->req) :
			crypto_aead_encrypt(request->req);
	if (err == -EINPROGRESS) {
		flow->submitted++;
		flow->most = max(flow->most, on_their_way + 1);
	} else if (err == -ENOSPC) {
		flow->refused++;
	} else {
		complain("error %d, not later", err);
	}
unlock:
	spin_unlock(&flow->lock);
	return err != -EBUSY;
}

/* ---- threads ---- */

/* The first CPU's thread sends another SA's packet with a burst when the last one has left. */
static int send(void *data)
{
	while (!READ_ONCE(stop)) {
		bool more = true;
		unsigned int i;

		local_bh_disable();
		for (i = 0; i < BURST && more; i++)
			more = submit(&flood, window ?: MOST_ON_THEIR_WAY);
		if (data == &threads[0])
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
	return await_stop();
}

/* A thread with little work, which needs its CPU every millisecond */
static int watch(void *data)
{
	struct thread *thread = data;

	while (!READ_ONCE(stop)) {
		u64 before = cpu_time();

		usleep_range(1000, 1001);
		thread->longest_wait = max(thread->longest_wait, cpu_time() - before);
	}
	return await_stop();
}

static int start(int (*run)(void *data), struct thread *thread, int cpu,
		 struct task_struct **task)
{
	int err = create_thread(run, thread, cpu, task);

	if (!err)
		wake_up_process(*task);
	return err;
}

/* ---- flows ---- */

static int set_key(struct crypto_aead *tfm)
{
	u8 key[KEY_BYTES] __aligned(4) = {};

	set_key_head(key);
	return crypto_aead_setkey(tfm, key, sizeof(key));
}

static int make_requests(struct flow *flow)
{
	unsigned int i;

	for (i = 0; i < MOST_ON_THEIR_WAY; i++) {
		struct request *request = kzalloc(sizeof(*request), GFP_KERNEL);

		flow->requests[i] = request;
		if (!request)
			return -ENOMEM;
		request->flow = flow;
		request->req = aead_request_alloc(flow->tfm, GFP_KERNEL);
		if (!request->req)
			return -ENOMEM;
		sg_init_one(&request->src, packet, PACKET_BYTES);
		sg_init_one(&request->dst, request->out, PACKET_BYTES);
		aead_request_set_callback(request->req, 0, completed, request);
		aead_request_set_ad(request->req, AAD_BYTES);
	}
	return 0;
}

static int make_flow(struct flow *flow)
{
	struct crypto_aead *tfm = allocate(driver);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	flow->tfm = tfm;
	spin_lock_init(&flow->lock);
	return set_key(tfm) ?: make_requests(flow);
}

static void free_flow(struct flow *flow)
{
	unsigned int i;

	for (i = 0; i < MOST_ON_THEIR_WAY; i++) {
		if (!flow->requests[i])
			break;
		if (flow->requests[i]->req)
			aead_request_free(flow->requests[i]->req);
		kfree(flow->requests[i]);
	}
	if (flow->tfm)
		crypto_free_aead(flow->tfm);
}

/* Incoming packets are encrypted ones. In process context, requests are processed immediately. */
static int make_answer(void)
{
	struct request *request = flood.requests[0];
	int err;

	aead_request_set_crypt(request->req, &request->src, &request->dst, TEXT_BYTES,
			       request->iv);
	err = crypto_aead_encrypt(request->req);
	memcpy(decrypt ? packet : answer, request->out, PACKET_BYTES);
	return err;
}

/* ---- the module ---- */

static void check(void)
{
	u64 longest = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		if (threads[cpu].longest_wait > LONGEST_WAIT)
			complain("a thread waited %llu us for CPU %d",
				 threads[cpu].longest_wait / NSEC_PER_USEC, cpu);
		longest = max(longest, threads[cpu].longest_wait);
	}
	if (other.longest > LONGEST_OF_OTHER)
		complain("another SA's packet took %llu us",
			 other.longest / NSEC_PER_USEC);
	if (!window && !flood.refused && !atomic_read(&complaints))
		complain("no request was refused: this was no flood");
	pr_info("%s: %u completed %s in %u us each, %u refused, %u on their way at most; threads waited %llu us at most, and another SA's %u packets %llu us\n",
		driver, flood.completed, decrypt ? "inwards" : "outwards", cost,
		flood.refused, flood.most,
		longest / NSEC_PER_USEC, other.completed,
		other.longest / NSEC_PER_USEC);
}

static int __init sm4_flood_init(void)
{
	int err, cpu;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	packet = kzalloc(PACKET_BYTES, GFP_KERNEL);
	if (!threads || !packet)
		return -ENOMEM;
	err = make_flow(&flood) ?: make_flow(&other) ?: make_answer();
	for_each_online_cpu(cpu)
		err = err ?: start(send, &threads[cpu], cpu, &threads[cpu].sender) ?:
		      start(watch, &threads[cpu], cpu, &threads[cpu].watcher);
	if (!err)
		msleep(DURATION);
	WRITE_ONCE(stop, true);
	for_each_online_cpu(cpu) {
		if (threads[cpu].sender)
			kthread_stop(threads[cpu].sender);
		if (threads[cpu].watcher)
			kthread_stop(threads[cpu].watcher);
	}
	while (READ_ONCE(flood.completed) != flood.submitted ||
	       READ_ONCE(other.completed) != other.submitted)
		msleep(20);
	if (!err)
		check();
	free_flow(&flood);
	free_flow(&other);
	kfree(packet);
	kfree(threads);
	return err ?: -EAGAIN;
}
module_init(sm4_flood_init);

MODULE_DESCRIPTION("More packets for one SA than its way out takes");
MODULE_LICENSE("GPL");
