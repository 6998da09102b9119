// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Bursts of requests from all CPUs to a driver of authenc() for several at once (batches.h). */
#include <linux/bottom_half.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "batches.h"

#define MAX_BURST	70
#define MAX_KEYS	100
#define MAX_TEXT	9000
#define MAX_AAD		60

/* Bytes that a request may write, followed by bytes that it must not write */
#define GUARD_BYTES	64
#define AREA_BYTES	(MAX_AAD + MAX_TEXT + TAG_BYTES + GUARD_BYTES)

#define MAX_PIECES	4

/* Requests that are submitted together, and completed before others follow */
struct burst {
	atomic_t left;
	struct completion completed;
	struct crypto_aead *own;
	struct batch_plan *plan;
};

struct memory {
	u8 bytes[AREA_BYTES];
	struct scatterlist list[MAX_PIECES];
};

struct request {
	struct burst *burst;
	struct batch_transform *transform;
	struct memory src, dst;
	u8 expected[AREA_BYTES], iv[BLOCK];
	unsigned int number, aad, text, bytes;
	bool decrypt, in_place;
	int expected_err;
	struct aead_request req;	/* the driver's part follows */
};

/* ---- requests ---- */

/* Make a random number of entries. */
static void place(struct memory *memory, unsigned int bytes)
{
	unsigned int pieces = random_number(3) ? 1 : 1 + random_number(MAX_PIECES);
	unsigned int i, done = 0;

	sg_init_table(memory->list, pieces);
	for (i = 0; i < pieces; i++) {
		unsigned int n = i == pieces - 1 ? bytes - done :
				 random_number((bytes - done) / 2 + 1);

		/* The crypto API has empty entries only for an empty request. */
		n = n ?: min(1U, bytes - done);
		sg_set_buf(&memory->list[i], memory->bytes + done, n);
		done += n;
	}
}

static unsigned int random_text(void)
{
	switch (random_number(8)) {
	case 0:
		return random_number(MAX_TEXT + 1);
	case 1:
		return BLOCK * random_number(MAX_TEXT / BLOCK + 1);
	default:
		return BLOCK * random_number(100);
	}
}

static void prepare(struct request *request, struct crypto_aead *tfm, struct scatterlist *src,
		    struct scatterlist *dst, bool decrypt, u8 *iv, crypto_completion_t completed)
{
	aead_request_set_tfm(&request->req, tfm);
	aead_request_set_callback(&request->req, 0, completed, request);
	aead_request_set_ad(&request->req, request->aad);
	aead_request_set_crypt(&request->req, src, dst,
			       request->text + (decrypt ? TAG_BYTES : 0), iv);
}

static int crypt_single(struct request *request, u8 *bytes, bool decrypt)
{
	struct scatterlist sg;
	u8 iv[BLOCK];

	memcpy(iv, request->iv, sizeof(iv));
	sg_init_one(&sg, bytes, AREA_BYTES);
	prepare(request, request->transform->single, &sg, &sg, decrypt, iv, NULL);
	return crypt_packet(&request->req, decrypt);
}

/* Allocate a request for the drivers of a transform. */
static struct request *new_request(struct burst *burst, struct batch_transform *transform)
{
	unsigned int bytes = max(crypto_aead_reqsize(transform->batch.tfm),
				 crypto_aead_reqsize(transform->single));
	struct request *request = kzalloc(sizeof(*request) + bytes, GFP_KERNEL);

	if (!request)
		return NULL;
	request->burst = burst;
	request->transform = transform;
	get_random_bytes(request->iv, sizeof(request->iv));
	return request;
}

/* Make the bytes of a request, and the right result. */
static struct request *random_request(struct burst *burst)
{
	struct request *request =
		new_request(burst, &burst->plan->transforms[random_number(TRANSFORMS)]);
	u8 *in;

	if (!request)
		return NULL;
	in = request->src.bytes;
	request->decrypt = random_number(2);
	request->in_place = random_number(2);
	request->aad = random_number(4) ? 24 : random_number(MAX_AAD + 1);
	request->text = random_text();
	request->bytes = request->aad + request->text + TAG_BYTES;
	get_random_bytes(in, request->bytes);
	memset(in + request->bytes, 0x5a, GUARD_BYTES);
	if (request->decrypt && request->text % BLOCK == 0)
		crypt_single(request, in, false);
	if (request->decrypt && !random_number(16))
		in[random_number(request->bytes)] ^= 1;
	memcpy(request->dst.bytes, in, AREA_BYTES);
	memcpy(request->expected, in, AREA_BYTES);
	request->expected_err = crypt_single(request, request->expected, request->decrypt);
	place(&request->src, request->bytes);
	place(&request->dst, request->bytes);
	return request;
}

static void check_request(struct request *request, int err)
{
	const u8 *out = request->in_place ? request->src.bytes :
					    request->dst.bytes;
	unsigned int from = request->in_place ? 0 : request->aad;
	struct batch_plan *plan = request->burst->plan;

	if (plan->rekey) {
		if (memcmp(out + request->bytes, request->expected + request->bytes,
			   GUARD_BYTES))
			complain(&plan->threads, "%u bytes were written beyond their end",
				 request->text);
		return;
	}
	if (plan->no_memory && (err == -ENOMEM || request->expected_err == -ENOMEM))
		return;
	if (err != request->expected_err ||
	    memcmp(out + from, request->expected + from, request->bytes + GUARD_BYTES - from))
		complain(&plan->threads,
			 "error %d, not %d, or wrong bytes: %s of %u bytes, AAD %u, %s",
			 err, request->expected_err,
			 request->decrypt ? "decryption" : "encryption",
			 request->text, request->aad,
			 request->in_place ? "in place" : "apart");
}

static void finish(struct request *request)
{
	struct burst *burst = request->burst;

	kfree(request);
	atomic_inc(&burst->plan->request_count);
	if (atomic_dec_and_test(&burst->left))
		complete(&burst->completed);
}

static void completed(COMPLETED *argument, int err)
{
	struct request *request = DATA_OF(argument);
	struct packet_flow *flow = &request->transform->batch;

	check_order(&request->burst->plan->threads, flow, request->number);
	flow->completed++;
	atomic_inc(&request->burst->plan->later_count);
	check_request(request, err);
	finish(request);
}

/* With softirqs off */
static void submit(struct request *request)
{
	struct packet_flow *flow = &request->transform->batch;
	int err;

	prepare(request, flow->tfm, request->src.list,
		request->in_place ? request->src.list : request->dst.list, request->decrypt,
		request->iv, completed);
	spin_lock(&flow->lock);
	err = submit_in_order(flow, &request->req, request->decrypt, &request->number);
	spin_unlock(&flow->lock);
	if (err == -EINPROGRESS)
		return;
	check_request(request, err);
	finish(request);
}

/* ---- transforms ---- */

static int set_random_keys(struct crypto_aead *a, struct crypto_aead *b)
{
	u8 key[PACKET_KEY_BYTES] __aligned(4);

	get_random_bytes(key, sizeof(key));
	return set_packet_key(a, key) ?: set_packet_key(b, key);
}

static void change_key(struct batch_plan *plan, struct batch_transform *transform)
{
	if (!plan->rekey)
		down_write(&plan->key_lock);
	if (set_random_keys(transform->batch.tfm, transform->single))
		complain(&plan->threads, "a key is refused");
	if (!plan->rekey)
		up_write(&plan->key_lock);
}

/* A burst's own transform is freed when the last of its requests is completed. */
static void completed_of_own(COMPLETED *argument, int err)
{
	struct request *request = DATA_OF(argument);
	struct burst *burst = request->burst;

	if (err && !(burst->plan->no_memory && err == -ENOMEM))
		complain(&burst->plan->threads, "error %d in a transform of its own", err);
	if (atomic_read(&burst->left) == 1)
		crypto_free_aead(burst->own);
	finish(request);
}

static void submit_to_own(struct request *request)
{
	struct crypto_aead *own = request->burst->own;
	int err;

	request->aad = 24;
	request->text = 64;
	sg_init_one(request->src.list, request->src.bytes, AREA_BYTES);
	prepare(request, own, request->src.list, request->src.list, false, request->iv,
		completed_of_own);
	err = crypto_aead_encrypt(&request->req);
	if (err != -EINPROGRESS)
		complain(&request->burst->plan->threads,
			 "%d at once in a transform of its own", err);
}

/* ---- bursts ---- */

static struct request *request_to_own(struct burst *burst)
{
	return new_request(burst, &burst->plan->transforms[0]);
}

/* Submit up to MAX requests together, and wait for their end. */
static void try_requests(struct burst *burst, unsigned int max,
			 struct request *make(struct burst *burst),
			 void submit_one(struct request *request))
{
	struct request *requests[MAX_BURST];
	unsigned int count = 1 + random_number(max), i;

	for (i = 0; i < count; i++) {
		requests[i] = make(burst);
		if (!requests[i]) {
			complain(&burst->plan->threads, "no memory for a request");
			while (i--)
				kfree(requests[i]);
			return;
		}
	}
	atomic_set(&burst->left, count);
	init_completion(&burst->completed);
	local_bh_disable();
	for (i = 0; i < count; i++)
		submit_one(requests[i]);
	local_bh_enable();
	wait_for_completion(&burst->completed);
}

static void try_own_transform(struct burst *burst)
{
	int err = open_packet_tfm(&burst->own, burst->plan->driver) ?:
		  set_random_keys(burst->own, burst->own);

	if (err)
		complain(&burst->plan->threads, "error %d of a transform of its own", err);
	else
		try_requests(burst, 40, request_to_own, submit_to_own);
}

static void run(void *data, unsigned int cpu)
{
	struct batch_plan *plan = data;
	struct burst burst = { .plan = plan };
	unsigned int i, keys;

	for (i = 0; i < plan->bursts; i++) {
		down_read(&plan->key_lock);
		try_requests(&burst, MAX_BURST, random_request, submit);
		up_read(&plan->key_lock);
		if (!random_number(8))
			try_own_transform(&burst);
		for (keys = plan->rekey ? MAX_KEYS : !random_number(4); keys; keys--)
			change_key(plan, &plan->transforms[random_number(TRANSFORMS)]);
		cond_resched();
	}
}

static int open_transform(const struct batch_plan *plan, struct batch_transform *transform)
{
	return open_packet_flow(&transform->batch, plan->driver) ?:
	       open_packet_tfm(&transform->single, plan->single) ?:
	       set_random_keys(transform->batch.tfm, transform->single);
}

int try_batches(struct batch_plan *plan)
{
	unsigned int i;
	int err = 0;

	init_rwsem(&plan->key_lock);
	init_threads(&plan->threads);
	for (i = 0; i < TRANSFORMS; i++)
		err = err ?: open_transform(plan, &plan->transforms[i]);
	err = err ?: start_threads(&plan->threads, run, plan);
	await_threads(&plan->threads);
	for (i = 0; i < TRANSFORMS; i++) {
		crypto_free_aead(plan->transforms[i].batch.tfm);
		crypto_free_aead(plan->transforms[i].single);
	}
	return err;
}
