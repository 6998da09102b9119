// SPDX-License-Identifier: GPL-2.0
/*
 * Random requests with softirqs off, like packets, to a driver of authenc() for several requests
 * at once, from a thread on each CPU, all with the same transforms; each answer
 * is compared with that of the driver for single requests. The kernel's own
 * tests never use this path. Each transform's requests have to be completed in the
 * order of submission. Other transforms are freed by their last completion; keys
 * change between bursts, or with rekey=1 at any time: then a request's answer may be
 * anything, and the test only checks where it is written.
 *
 * The module says in the kernel's log
 *
 *	sm4-batches: DRIVER: N requests, M of them completed later...
 *
 * and before that any errors. It does not stay loaded: it ends with EAGAIN if
 * it could try everything.
 */
#define pr_fmt(fmt) "sm4-batches: " fmt

#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/freezer.h>
#include <linux/random.h>
#include <linux/rwsem.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/version.h>
#include <linux/wait.h>
#include "packets.h"

static char *single = "";
module_param(single, charp, 0);
MODULE_PARM_DESC(single, "name of the one to compare it with");

static unsigned int bursts = 100;
module_param(bursts, uint, 0);
MODULE_PARM_DESC(bursts, "how many for each CPU");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "allocations of memory fail at times, and either may say so");

static bool rekey;
module_param(rekey, bool, 0);
MODULE_PARM_DESC(rekey, "keys change while requests are in flight");

#define MAX_BURST	70
#define MAX_KEYS	100
#define MAX_TEXT	9000
#define MAX_AAD		60

/* Bytes that a request may write, followed by bytes that it must not write */
#define GUARD_BYTES	64
#define AREA_BYTES	(MAX_AAD + MAX_TEXT + TAG_BYTES + GUARD_BYTES)

#define MAX_PIECES	4
#define TRANSFORMS	8

static struct transform {
	struct crypto_aead *batch, *single;
	spinlock_t lock;	/* held while a request gets its number and is submitted */
	unsigned int submitted, completed;
} transforms[TRANSFORMS];

/* Without rekey=1, keys are changed only when no CPU has a request with an old one. */
static DECLARE_RWSEM(key_lock);

struct memory {
	u8 *bytes;
	struct scatterlist list[MAX_PIECES];
};

struct request {
	struct thread *thread;
	struct transform *transform;
	struct aead_request *req;
	struct memory src, dst;
	u8 *in, *expected;
	u8 iv[BLOCK_BYTES];
	unsigned int number, aad, text, bytes;
	bool decrypt, in_place;
	int err, expected_err;
};

static struct thread {
	struct task_struct *task;
	struct request requests[MAX_BURST];
	struct crypto_aead *own;
	atomic_t left;
	struct completion completed;
} *threads;

/* The threads that are still running */
static atomic_t running;
static DECLARE_WAIT_QUEUE_HEAD(ended);

/* The CPUs that are online at the start: others may come online, and these may go offline. */
static struct cpumask cpus;

static atomic_t request_count, later_count;

static unsigned int random_below(unsigned int limit)
{
	return get_random_u32() % limit;
}

/* Before 6.3, the argument of a completion is the request, not its data. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define COMPLETED	struct crypto_async_request

static void *data_of(const struct crypto_async_request *argument)
{
	return argument->data;
}
#else
#define COMPLETED	void

static void *data_of(void *argument)
{
	return argument;
}
#endif

/* ---- requests ---- */

/* Make a random number of entries. */
static void place(struct memory *memory, unsigned int bytes)
{
	unsigned int pieces = random_below(3) ? 1 : 1 + random_below(MAX_PIECES);
	unsigned int i, done = 0;

	sg_init_table(memory->list, pieces);
	for (i = 0; i < pieces; i++) {
		unsigned int n = i == pieces - 1 ? bytes - done :
				 random_below((bytes - done) / 2 + 1);

		/* The crypto API has empty entries only for an empty request. */
		n = n ?: min(1U, bytes - done);
		sg_set_buf(&memory->list[i], memory->bytes + done, n);
		done += n;
	}
}

static unsigned int random_text(void)
{
	switch (random_below(8)) {
	case 0:
		return random_below(MAX_TEXT + 1);
	case 1:
		return BLOCK_BYTES * random_below(MAX_TEXT / BLOCK_BYTES + 1);
	default:
		return BLOCK_BYTES * random_below(100);
	}
}

static int crypt_single(struct request *request, u8 *bytes, bool decrypt)
{
	struct crypto_aead *tfm = request->transform->single;
	struct aead_request *req = aead_request_alloc(tfm, GFP_KERNEL);
	struct scatterlist sg;
	u8 iv[BLOCK_BYTES];
	int err;

	if (!req)
		return -ENOMEM;
	memcpy(iv, request->iv, sizeof(iv));
	sg_init_one(&sg, bytes, AREA_BYTES);
	aead_request_set_callback(req, 0, NULL, NULL);
	aead_request_set_ad(req, request->aad);
	aead_request_set_crypt(req, &sg, &sg, request->text +
			       (decrypt ? TAG_BYTES : 0), iv);
	err = decrypt ? crypto_aead_decrypt(req) : crypto_aead_encrypt(req);
	aead_request_free(req);
	return err;
}

/* Make the bytes of a request, and the right result. */
static void make_request(struct request *request)
{
	bool whole;

	request->transform = &transforms[random_below(TRANSFORMS)];
	request->decrypt = random_below(2);
	request->in_place = random_below(2);
	request->aad = random_below(4) ? 24 : random_below(MAX_AAD + 1);
	request->text = random_text();
	request->bytes = request->aad + request->text + TAG_BYTES;
	get_random_bytes(request->iv, sizeof(request->iv));
	get_random_bytes(request->in, request->bytes);
	memset(request->in + request->bytes, 0x5a, GUARD_BYTES);
	whole = request->text % BLOCK_BYTES == 0;
	if (request->decrypt && whole)
		crypt_single(request, request->in, false);
	if (request->decrypt && !random_below(16))
		request->in[random_below(request->bytes)] ^= 1;
	memcpy(request->expected, request->in, request->bytes + GUARD_BYTES);
	request->expected_err = crypt_single(request, request->expected,
					     request->decrypt);
	memcpy(request->src.bytes, request->in, request->bytes + GUARD_BYTES);
	memcpy(request->dst.bytes, request->in, request->bytes + GUARD_BYTES);
	place(&request->src, request->bytes);
	place(&request->dst, request->bytes);
}

static void finish(struct request *request, int err)
{
	struct thread *thread = request->thread;

	request->err = err;
	if (atomic_dec_and_test(&thread->left))
		complete(&thread->completed);
}

static void completed(COMPLETED *argument, int err)
{
	struct request *request = data_of(argument);
	struct transform *transform = request->transform;

	/* Completions of a transform come one after the other. */
	if (transform->completed != request->number)
		complain("request %u was done as number %u", request->number,
			 transform->completed);
	transform->completed++;
	atomic_inc(&later_count);
	finish(request, err);
}

/* With softirqs off */
static void submit(struct request *request)
{
	struct transform *transform = request->transform;
	int err;

	aead_request_set_tfm(request->req, transform->batch);
	aead_request_set_callback(request->req, 0, completed, request);
	aead_request_set_ad(request->req, request->aad);
	aead_request_set_crypt(request->req, request->src.list,
			       request->in_place ? request->src.list :
						   request->dst.list,
			       request->text + (request->decrypt ? TAG_BYTES : 0),
			       request->iv);
	spin_lock(&transform->lock);
	request->number = transform->submitted++;
	err = request->decrypt ? crypto_aead_decrypt(request->req) :
				 crypto_aead_encrypt(request->req);
	if (err != -EINPROGRESS)
		transform->submitted--;
	spin_unlock(&transform->lock);
	if (err != -EINPROGRESS)
		finish(request, err);
}

static void check(struct request *request)
{
	const u8 *out = request->in_place ? request->src.bytes :
					    request->dst.bytes;
	unsigned int from = request->in_place ? 0 : request->aad;

	if (rekey) {
		if (memcmp(out + request->bytes, request->expected + request->bytes,
			   GUARD_BYTES))
			complain("%u bytes were written beyond their end",
				 request->text);
		return;
	}
	if (no_memory && (request->err == -ENOMEM ||
			  request->expected_err == -ENOMEM))
		return;
	if (request->err != request->expected_err)
		complain("error %d, not %d: %s of %u bytes, AAD %u",
			 request->err, request->expected_err,
			 request->decrypt ? "decryption" : "encryption",
			 request->text, request->aad);
	else if (memcmp(out + from, request->expected + from,
			request->bytes + GUARD_BYTES - from))
		complain("wrong bytes: %s of %u bytes, AAD %u, %s, error %d",
			 request->decrypt ? "decryption" : "encryption",
			 request->text, request->aad,
			 request->in_place ? "in place" : "apart", request->err);
}

/* ---- transforms ---- */

static int set_key(struct crypto_aead *a, struct crypto_aead *b)
{
	u8 key[KEY_BYTES] __aligned(4);

	get_random_bytes(key, sizeof(key));
	set_key_head(key);
	return crypto_aead_setkey(a, key, sizeof(key)) ?:
	       (b ? crypto_aead_setkey(b, key, sizeof(key)) : 0);
}

/* A thread's own transform is freed when the last of its requests is completed. */
static void completed_of_own(COMPLETED *argument, int err)
{
	struct request *request = data_of(argument);
	struct thread *thread = request->thread;

	if (err && !(no_memory && err == -ENOMEM))
		complain("error %d in a transform of its own", err);
	if (atomic_read(&thread->left) == 1)
		crypto_free_aead(thread->own);
	finish(request, err);
}

static void try_own_transform(struct thread *thread, unsigned int count)
{
	unsigned int i;
	int err;

	thread->own = allocate(driver);
	if (IS_ERR(thread->own)) {
		complain("no transform: %ld", PTR_ERR(thread->own));
		return;
	}
	if (set_key(thread->own, NULL))
		complain("no key of its own");
	atomic_set(&thread->left, count);
	reinit_completion(&thread->completed);
	local_bh_disable();
	for (i = 0; i < count; i++) {
		struct request *request = &thread->requests[i];

		sg_init_one(request->src.list, request->src.bytes, AREA_BYTES);
		aead_request_set_tfm(request->req, thread->own);
		aead_request_set_callback(request->req, 0, completed_of_own,
					  request);
		aead_request_set_ad(request->req, 24);
		aead_request_set_crypt(request->req, request->src.list,
				       request->src.list, 64, request->iv);
		err = crypto_aead_encrypt(request->req);
		if (err != -EINPROGRESS)
			complain("%d at once in a transform of its own", err);
	}
	local_bh_enable();
	wait_for_completion(&thread->completed);
	atomic_add(count, &request_count);
}

/* ---- threads ---- */

static void try_burst(struct thread *thread)
{
	unsigned int count = 1 + random_below(MAX_BURST), i;

	down_read(&key_lock);
	for (i = 0; i < count; i++)
		make_request(&thread->requests[i]);
	atomic_set(&thread->left, count);
	reinit_completion(&thread->completed);
	local_bh_disable();
	for (i = 0; i < count; i++)
		submit(&thread->requests[i]);
	local_bh_enable();
	wait_for_completion(&thread->completed);
	up_read(&key_lock);
	for (i = 0; i < count; i++)
		check(&thread->requests[i]);
	atomic_add(count, &request_count);
}

static void change_key(struct transform *transform)
{
	if (!rekey)
		down_write(&key_lock);
	if (set_key(transform->batch, transform->single))
		complain("a key is refused");
	if (!rekey)
		up_write(&key_lock);
}

static int run(void *data)
{
	struct thread *thread = data;
	unsigned int i, keys;

	for (i = 0; i < bursts; i++) {
		try_burst(thread);
		if (!random_below(8))
			try_own_transform(thread, 1 + random_below(40));
		for (keys = rekey ? MAX_KEYS : !random_below(4); keys; keys--)
			change_key(&transforms[random_below(TRANSFORMS)]);
		cond_resched();
	}
	if (atomic_dec_and_test(&running))
		wake_up(&ended);
	return await_stop();
}

static int make_requests(struct thread *thread)
{
	unsigned int i;

	init_completion(&thread->completed);
	for (i = 0; i < MAX_BURST; i++) {
		struct request *request = &thread->requests[i];

		request->thread = thread;
		request->src.bytes = kzalloc(AREA_BYTES, GFP_KERNEL);
		request->dst.bytes = kzalloc(AREA_BYTES, GFP_KERNEL);
		request->in = kzalloc(AREA_BYTES, GFP_KERNEL);
		request->expected = kzalloc(AREA_BYTES, GFP_KERNEL);
		request->req = aead_request_alloc(transforms[0].batch, GFP_KERNEL);
		if (!request->src.bytes || !request->dst.bytes || !request->in ||
		    !request->expected || !request->req)
			return -ENOMEM;
	}
	return 0;
}

static void free_requests(struct thread *thread)
{
	unsigned int i;

	for (i = 0; i < MAX_BURST; i++) {
		kfree(thread->requests[i].src.bytes);
		kfree(thread->requests[i].dst.bytes);
		kfree(thread->requests[i].in);
		kfree(thread->requests[i].expected);
		if (thread->requests[i].req)
			aead_request_free(thread->requests[i].req);
	}
}

static int make_transforms(void)
{
	unsigned int i;

	for (i = 0; i < TRANSFORMS; i++) {
		struct transform *transform = &transforms[i];

		spin_lock_init(&transform->lock);
		transform->batch = allocate(driver);
		if (IS_ERR(transform->batch))
			return PTR_ERR(transform->batch);
		transform->single = allocate(single);
		if (IS_ERR(transform->single))
			return PTR_ERR(transform->single);
		if (set_key(transform->batch, transform->single))
			return -EINVAL;
	}
	return 0;
}

static void free_transforms(void)
{
	unsigned int i;

	for (i = 0; i < TRANSFORMS; i++) {
		if (!IS_ERR_OR_NULL(transforms[i].batch))
			crypto_free_aead(transforms[i].batch);
		if (!IS_ERR_OR_NULL(transforms[i].single))
			crypto_free_aead(transforms[i].single);
	}
}

static int __init sm4_batches_init(void)
{
	int err, cpu;

	cpumask_copy(&cpus, cpu_online_mask);
	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	err = make_transforms();
	for_each_cpu(cpu, &cpus)
		err = err ?: make_requests(&threads[cpu]) ?:
		      create_thread(run, &threads[cpu], cpu, &threads[cpu].task);
	if (!err) {
		atomic_set(&running, cpumask_weight(&cpus));
		for_each_cpu(cpu, &cpus)
			wake_up_process(threads[cpu].task);
		/* A suspend freezes the task that waits here; the threads run to their end. */
		while (wait_event_freezable(ended, !atomic_read(&running)))
			cond_resched();
	}
	for_each_cpu(cpu, &cpus) {
		if (threads[cpu].task)
			kthread_stop(threads[cpu].task);
		free_requests(&threads[cpu]);
	}
	free_transforms();
	kfree(threads);
	if (err)
		return err;
	pr_info("%s: %d requests, %d of them completed later%s\n", driver,
		atomic_read(&request_count), atomic_read(&later_count),
		no_memory ? ", and at times no memory" :
		rekey ? ", and keys changed meanwhile" : "");
	return -EAGAIN;
}
module_init(sm4_batches_init);

MODULE_DESCRIPTION("Several requests of ESP at once, compared with the same one by one");
MODULE_LICENSE("GPL");
