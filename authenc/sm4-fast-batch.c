// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Asynchronous drivers of ESP's authenc(), for gateways. With the module parameter "batch",
 * requests that are submitted in softirq wait in a list of their CPU. The CPU's tasklet processes
 * them in batches (sm4-fast-lanes.c). It runs when the CPU has run the other pending softirqs:
 * after NAPI has polled all its packets, and after all segments of a large packet. No request
 * waits for a timer or for more requests.
 *
 * ESP numbers a packet before it submits the request. So the requests of a tfm, its flow, are
 * completed in order of submission, even if several CPUs have processed them: only one CPU at a
 * time completes requests of a flow.
 *
 * Completing a request sends its packet, which can take much longer than the cipher. So the
 * number of requests in flight of each flow is limited, and so is the time of one run of a
 * tasklet. No flow can stop a CPU or delay another flow for long. The number of requests of all
 * flows together is not limited.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bottom_half.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include "sm4-authenc.h"

static bool batch;
module_param(batch, bool, 0444);
MODULE_PARM_DESC(batch, "process several ESP packets with SM4-CBC and HMAC-SM3 at once, asynchronously: for gateways (default: no)");

/* Maximum number of requests that wait on a CPU, as in cryptd, and that a flow has in flight */
#define SM4_BATCH_QUEUE_MAX	1000
#define SM4_BATCH_FLOW_MAX	1000

/*
 * Time that a tasklet spends on completing requests that its last run has left, and then time to
 * process more: together as long as net_rx_action() runs. After that, other softirqs and threads
 * run.
 */
#define SM4_BATCH_NS		NSEC_PER_MSEC

/* Completions between readings of the clock: reading takes a tenth of a short completion. */
#define SM4_BATCH_PER_CLOCK	8

/*
 * A tfm's requests in flight, in order of submission. The flow has its own memory, freed by RCU,
 * because completing its last request may free the tfm.
 *
 * @count: number of @requests
 * @completing: a CPU is completing this flow; others only mark their requests as done
 * @in_late: link in that CPU's list @late, while it has no more time for this flow
 */
struct sm4_batch_flow {
	spinlock_t lock;	/* of @requests, @count and @completing */
	struct list_head requests;
	unsigned int count;
	bool completing;
	struct list_head in_late;
	struct rcu_head rcu;
};

/*
 * The requests that wait on a CPU. If the CPU goes offline, its tasklet moves to another.
 *
 * @count: number of @requests
 * @late: flows that this CPU was completing when its time was over. Only the tasklet uses
 *	this member and the next three.
 * @deadline: when the time is over, by ktime_get_ns()
 * @over: @deadline has passed
 * @completions: counted, because the clock is read only now and then
 * @work: for any tasklet that runs on this CPU
 */
struct sm4_batch_queue {
	spinlock_t lock;	/* of @requests and @count; a flow's may be taken inside */
	struct list_head requests;
	unsigned int count;
	struct list_head late;
	u64 deadline;
	bool over;
	unsigned int completions;
	struct tasklet_struct tasklet;
	struct sm4_lanes_work *work;
};

static DEFINE_PER_CPU(struct sm4_batch_queue, sm4_batch_queues);

module_param_cb(batches, &sm4_count_ops,
		(void *)offsetof(struct sm4_counts, batches), 0444);
MODULE_PARM_DESC(batches, "batches of packets processed at once (read-only)");
module_param_cb(batched, &sm4_count_ops,
		(void *)offsetof(struct sm4_counts, batched), 0444);
MODULE_PARM_DESC(batched, "packets in these batches (read-only)");

static void sm4_batch_start_clock(struct sm4_batch_queue *queue)
{
	queue->deadline = ktime_get_ns() + SM4_BATCH_NS;
	queue->over = false;
}

static bool sm4_batch_read_clock(struct sm4_batch_queue *queue)
{
	queue->over = queue->over || ktime_get_ns() >= queue->deadline;
	return queue->over;
}

/*
 * Complete a flow, whose @completing this CPU has set, up to the first request that is not
 * done. After that, any CPU may complete it. If the time is over earlier, the flow stays with this
 * CPU, in the list @late. The caller is in an RCU read-side section, so the flow is not freed.
 */
static void sm4_batch_complete(struct sm4_batch_queue *queue,
			       struct sm4_batch_flow *flow)
{
	struct sm4_authenc_request *first;

	spin_lock(&flow->lock);
	for (;;) {
		first = list_first_entry_or_null(&flow->requests,
						 struct sm4_authenc_request,
						 in_flow);
		if (!first || !first->done) {
			WRITE_ONCE(flow->completing, false);
			break;
		}
		if (queue->over) {
			list_add_tail(&flow->in_late, &queue->late);
			break;
		}
		list_del(&first->in_flow);
		flow->count--;
		first->req->base.flags |= first->flags;
		spin_unlock(&flow->lock);
		aead_request_complete(first->req, first->err);
		if (++queue->completions % SM4_BATCH_PER_CLOCK == 0)
			sm4_batch_read_clock(queue);
		spin_lock(&flow->lock);
	}
	spin_unlock(&flow->lock);
}

/*
 * Mark @request as done. Complete its flow, unless another CPU is completing it: that CPU may
 * complete @request from now on.
 */
static void sm4_batch_done(struct sm4_batch_queue *queue,
			   struct sm4_authenc_request *request)
{
	struct sm4_batch_flow *flow = request->ctx->flow;
	bool others;

	spin_lock(&flow->lock);
	request->done = true;
	others = flow->completing;
	WRITE_ONCE(flow->completing, true);
	spin_unlock(&flow->lock);
	if (!others)
		sm4_batch_complete(queue, flow);
}

/* Take up to @most requests from a list. Returns their number. */
static unsigned int sm4_batch_take(struct sm4_batch_queue *queue,
				   struct sm4_authenc_request **requests,
				   unsigned int most)
{
	unsigned int n;

	spin_lock(&queue->lock);
	for (n = 0; n < most && queue->count; n++) {
		requests[n] = list_first_entry(&queue->requests,
					       struct sm4_authenc_request,
					       in_queue);
		list_del(&requests[n]->in_queue);
		queue->count--;
	}
	spin_unlock(&queue->lock);
	return n;
}

/*
 * Complete requests that the last run has left. Then process those that were waiting when this run
 * began: at least one batch, so that completions of one flow do not prevent others from being
 * processed. For the rest, and for later requests, the tasklet runs again after the other
 * softirqs.
 */
static void sm4_batch_run(struct tasklet_struct *tasklet)
{
	struct sm4_batch_queue *queue = from_tasklet(queue, tasklet, tasklet);
	struct sm4_lanes_work *work = this_cpu_ptr(&sm4_batch_queues)->work;
	unsigned int left = READ_ONCE(queue->count), n, i;
	struct sm4_authenc_request *requests[SM4_LANES];
	struct sm4_batch_flow *flow;

	rcu_read_lock();
	sm4_batch_start_clock(queue);
	while (!list_empty(&queue->late) && !queue->over) {
		flow = list_first_entry(&queue->late, struct sm4_batch_flow,
					in_late);
		list_del(&flow->in_late);
		sm4_batch_complete(queue, flow);
	}
	sm4_batch_start_clock(queue);
	while (left) {
		n = sm4_batch_take(queue, requests,
				   min_t(unsigned int, left, SM4_LANES));
		this_cpu_inc(sm4_counts.batches);
		this_cpu_add(sm4_counts.batched, n);
		sm4_lanes_crypt(work, requests, n);
		for (i = 0; i < n; i++)
			sm4_batch_done(queue, requests[i]);
		left -= n;
		if (left && sm4_batch_read_clock(queue))
			break;
	}
	rcu_read_unlock();
	if (left || !list_empty(&queue->late))
		tasklet_schedule(&queue->tasklet);
}

/* Returns false if this CPU's list or the flow is full. */
static bool sm4_batch_add(struct sm4_authenc_request *request)
{
	struct sm4_batch_flow *flow = request->ctx->flow;
	struct sm4_batch_queue *queue;
	bool room;

	local_bh_disable();
	queue = this_cpu_ptr(&sm4_batch_queues);
	spin_lock(&queue->lock);
	room = queue->count < SM4_BATCH_QUEUE_MAX;
	if (room) {
		spin_lock(&flow->lock);
		room = flow->count < SM4_BATCH_FLOW_MAX;
		if (room) {
			list_add_tail(&request->in_flow, &flow->requests);
			flow->count++;
		}
		spin_unlock(&flow->lock);
	}
	if (room) {
		list_add_tail(&request->in_queue, &queue->requests);
		queue->count++;
		tasklet_schedule(&queue->tasklet);
	}
	spin_unlock(&queue->lock);
	/* Softirqs may run here, complete the request and free it. */
	local_bh_enable();
	return room;
}

/* Whether a tfm has requests in flight, or one whose completion has not returned */
static bool sm4_batch_flows(const struct sm4_batch_flow *flow)
{
	return !list_empty(&flow->requests) || READ_ONCE(flow->completing);
}

/*
 * In process context a request is processed immediately, unless it would overtake others of its
 * flow. in_softirq() is also true where softirqs are disabled, as in a thread that polls a
 * network device.
 */
static int sm4_batch_submit(struct aead_request *req, bool decrypt)
{
	struct sm4_authenc_request *request = aead_request_ctx(req);
	int err = sm4_authenc_begin(request, req, decrypt);

	if (err)
		return err;
	if (!in_softirq() && !sm4_batch_flows(request->ctx->flow))
		return sm4_authenc_crypt(request);
	request->done = false;
	request->flags = req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP;
	req->base.flags &= ~CRYPTO_TFM_REQ_MAY_SLEEP;
	if (sm4_batch_add(request))
		return -EINPROGRESS;
	req->base.flags |= request->flags;
	return aead_request_flags(req) & CRYPTO_TFM_REQ_MAY_BACKLOG ?
	       sm4_authenc_crypt(request) : -ENOSPC;
}

static int sm4_batch_encrypt(struct aead_request *req)
{
	return sm4_batch_submit(req, false);
}

static int sm4_batch_decrypt(struct aead_request *req)
{
	return sm4_batch_submit(req, true);
}

static int sm4_batch_init_tfm(struct crypto_aead *tfm)
{
	struct sm4_authenc_ctx *ctx = crypto_aead_ctx(tfm);

	ctx->flow = kzalloc(sizeof(*ctx->flow), GFP_KERNEL);
	if (!ctx->flow)
		return -ENOMEM;
	spin_lock_init(&ctx->flow->lock);
	INIT_LIST_HEAD(&ctx->flow->requests);
	crypto_aead_set_reqsize(tfm, sizeof(struct sm4_authenc_request));
	return 0;
}

static void sm4_batch_exit_tfm(struct crypto_aead *tfm)
{
	struct sm4_authenc_ctx *ctx = crypto_aead_ctx(tfm);

	kfree_rcu(ctx->flow, rcu);
}

static bool sm4_batch_queues_made;

/* The reason why "batch" has had no effect so far, or NULL */
static const char *sm4_batch_obstacle;

void sm4_free_batches(void)
{
	int cpu;

	if (!sm4_batch_queues_made)
		return;
	for_each_possible_cpu(cpu) {
		struct sm4_batch_queue *queue = &per_cpu(sm4_batch_queues, cpu);

		/* All tfms are gone, but the tasklet that freed the last one may still run. */
		tasklet_kill(&queue->tasklet);
		kfree(queue->work);
	}
	sm4_batch_queues_made = false;
}

static int sm4_batch_make_queues(void)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu) {
		struct sm4_batch_queue *queue = &per_cpu(sm4_batch_queues, cpu);

		spin_lock_init(&queue->lock);
		INIT_LIST_HEAD(&queue->requests);
		INIT_LIST_HEAD(&queue->late);
		tasklet_setup(&queue->tasklet, sm4_batch_run);
		queue->work = kzalloc(sm4_lanes_work_size, GFP_KERNEL);
		if (!queue->work)
			err = -ENOMEM;
	}
	sm4_batch_queues_made = true;
	if (err)
		sm4_free_batches();
	return err;
}

/* Above the synchronous drivers of all tiers, with and without lanes */
#define SM4_BATCH_PRIORITY	10000

static int sm4_batch_priority(const struct sm4_tier *tier)
{
	return sm4_authenc_priority(tier) + SM4_BATCH_PRIORITY;
}

static bool sm4_batch_offers(const struct sm4_tier *tier)
{
	if (!sm4_batch_queues_made || !tier->cbc_encrypt_lanes)
		return false;
	sm4_batch_obstacle = NULL;
	return true;
}

#define SM4_BATCH_ENTRY							\
	SM4_AUTHENC_COMMON,						\
	.offers = sm4_batch_offers,					\
	.priority = sm4_batch_priority,					\
	.aead.base.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_ALLOCATES_MEMORY, \
	.aead.init = sm4_batch_init_tfm,				\
	.aead.exit = sm4_batch_exit_tfm,				\
	.aead.encrypt = sm4_batch_encrypt,				\
	.aead.decrypt = sm4_batch_decrypt

const struct sm4_mode sm4_batch_modes[] = {
	{
		SM4_BATCH_ENTRY,
		.aead.base.cra_name = "authenc(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authenc-hmac-sm3-cbc-sm4-batch",
	}, {
		SM4_BATCH_ENTRY,
		.esn = true,
		.aead.base.cra_name = "authencesn(hmac(sm3),cbc(sm4))",
		.aead.base.cra_driver_name = "authencesn-hmac-sm3-cbc-sm4-batch",
	},
	{}
};

/* With PREEMPT_RT, softirqs can be preempted: another task might use the CPU's queue meanwhile. */
void sm4_prepare_batches(void)
{
	sm4_batch_obstacle = NULL;
	if (!batch)
		return;
	if (SM4_PREEMPT_RT)
		sm4_batch_obstacle = "this is a kernel with PREEMPT_RT";
	else if (sm4_beside_gmi)
		sm4_batch_obstacle = "the processor's own SM4, GMI, has priority";
	else if (sm4_batch_make_queues())
		sm4_batch_obstacle = "no memory";
	else
		sm4_batch_obstacle =
			"none of the registered tiers processes several packets at once";
}

void sm4_report_batches(void)
{
	if (!sm4_batch_obstacle)
		return;
	pr_warn("batch=1 has no effect: %s\n", sm4_batch_obstacle);
	sm4_free_batches();
}
