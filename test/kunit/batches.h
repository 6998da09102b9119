/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Random requests with softirqs off, like packets, to a driver of authenc() for several requests at
 * once, from a thread on each CPU, all with the same transforms; each answer is compared with that
 * of the driver for single requests. The kernel's own tests never use this path. Each transform's
 * requests have to be completed in the order of submission, and are freed by their completion.
 * Other transforms are freed by their last completion. Keys change between bursts, or at any time.
 *
 * For sm4-batches-kunit.c, and for a module of test/vm, whose kernels have no KUnit.
 */
#ifndef TEST_KUNIT_BATCHES_H
#define TEST_KUNIT_BATCHES_H

#include <linux/rwsem.h>
#include "packets.h"

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
	struct flow batch;
	struct crypto_aead *single;
} transforms[TRANSFORMS];

/**
 * struct plan - what is tried
 * @driver: the name of the driver for several requests
 * @single: that for single ones
 * @bursts: how many for each CPU
 * @no_memory: allocations of memory fail at times, and either may say so
 * @rekey: keys change at any time: then a request's answer may be anything, and only where it
 *	   is written matters
 */
static struct plan {
	const char *driver, *single;
	unsigned int bursts;
	bool no_memory, rekey;
} plan;

/* Without @rekey, keys are changed only when no CPU has a request with an old one. */
static DECLARE_RWSEM(key_lock);

/* Requests that are submitted together, and completed before others follow */
struct burst {
	atomic_t left;
	struct completion completed;
	struct crypto_aead *own;
};

struct memory {
	u8 bytes[AREA_BYTES];
	struct scatterlist list[MAX_PIECES];
};

struct request {
	struct burst *burst;
	struct transform *transform;
	struct memory src, dst;
	u8 expected[AREA_BYTES], iv[BLOCK_BYTES];
	unsigned int number, aad, text, bytes;
	bool decrypt, in_place;
	int expected_err;
	struct aead_request req;	/* the driver's part follows */
};

static atomic_t request_count, later_count;

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
	u8 iv[BLOCK_BYTES];

	memcpy(iv, request->iv, sizeof(iv));
	sg_init_one(&sg, bytes, AREA_BYTES);
	prepare(request, request->transform->single, &sg, &sg, decrypt, iv, NULL);
	return crypt(&request->req, decrypt);
}

/* Allocate a request for the drivers of a transform. */
static struct request *new_request(struct burst *burst, struct transform *transform)
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
		new_request(burst, &transforms[random_below(TRANSFORMS)]);
	u8 *in;

	if (!request)
		return NULL;
	in = request->src.bytes;
	request->decrypt = random_below(2);
	request->in_place = random_below(2);
	request->aad = random_below(4) ? 24 : random_below(MAX_AAD + 1);
	request->text = random_text();
	request->bytes = request->aad + request->text + TAG_BYTES;
	get_random_bytes(in, request->bytes);
	memset(in + request->bytes, 0x5a, GUARD_BYTES);
	if (request->decrypt && request->text % BLOCK_BYTES == 0)
		crypt_single(request, in, false);
	if (request->decrypt && !random_below(16))
		in[random_below(request->bytes)] ^= 1;
	memcpy(request->dst.bytes, in, AREA_BYTES);
	memcpy(request->expected, in, AREA_BYTES);
	request->expected_err = crypt_single(request, request->expected, request->decrypt);
	place(&request->src, request->bytes);
	place(&request->dst, request->bytes);
	return request;
}

static void check(struct request *request, int err)
{
	const u8 *out = request->in_place ? request->src.bytes :
					    request->dst.bytes;
	unsigned int from = request->in_place ? 0 : request->aad;

	if (plan.rekey) {
		if (memcmp(out + request->bytes, request->expected + request->bytes,
			   GUARD_BYTES))
			complain("%u bytes were written beyond their end",
				 request->text);
		return;
	}
	if (plan.no_memory && (err == -ENOMEM || request->expected_err == -ENOMEM))
		return;
	if (err != request->expected_err ||
	    memcmp(out + from, request->expected + from, request->bytes + GUARD_BYTES - from))
		complain("error %d, not %d, or wrong bytes: %s of %u bytes, AAD %u, %s",
			 err, request->expected_err,
			 request->decrypt ? "decryption" : "encryption",
			 request->text, request->aad,
			 request->in_place ? "in place" : "apart");
}

static void finish(struct request *request)
{
	struct burst *burst = request->burst;

	kfree(request);
	atomic_inc(&request_count);
	if (atomic_dec_and_test(&burst->left))
		complete(&burst->completed);
}

static void completed(COMPLETED *argument, int err)
{
	struct request *request = DATA_OF(argument);
	struct flow *flow = &request->transform->batch;

	check_order(flow, request->number);
	flow->completed++;
	atomic_inc(&later_count);
	check(request, err);
	finish(request);
}

/* With softirqs off */
static void submit(struct request *request)
{
	struct flow *flow = &request->transform->batch;
	int err;

	prepare(request, flow->tfm, request->src.list,
		request->in_place ? request->src.list : request->dst.list, request->decrypt,
		request->iv, completed);
	spin_lock(&flow->lock);
	err = submit_in_order(flow, &request->req, request->decrypt, &request->number);
	spin_unlock(&flow->lock);
	if (err == -EINPROGRESS)
		return;
	check(request, err);
	finish(request);
}

/* ---- transforms ---- */

static int set_random_key(struct crypto_aead *a, struct crypto_aead *b)
{
	u8 key[KEY_BYTES] __aligned(4);

	get_random_bytes(key, sizeof(key));
	return set_key(a, key) ?: set_key(b, key);
}

static void change_key(struct transform *transform)
{
	if (!plan.rekey)
		down_write(&key_lock);
	if (set_random_key(transform->batch.tfm, transform->single))
		complain("a key is refused");
	if (!plan.rekey)
		up_write(&key_lock);
}

/* A burst's own transform is freed when the last of its requests is completed. */
static void completed_of_own(COMPLETED *argument, int err)
{
	struct request *request = DATA_OF(argument);
	struct burst *burst = request->burst;

	if (err && !(plan.no_memory && err == -ENOMEM))
		complain("error %d in a transform of its own", err);
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
		complain("%d at once in a transform of its own", err);
}

/* ---- bursts ---- */

static struct request *request_to_own(struct burst *burst)
{
	return new_request(burst, &transforms[0]);
}

/* Submit up to MAX requests together, and wait for their end. */
static void try_requests(struct burst *burst, unsigned int max,
			 struct request *make(struct burst *burst),
			 void submit_one(struct request *request))
{
	struct request *requests[MAX_BURST];
	unsigned int count = 1 + random_below(max), i;

	for (i = 0; i < count; i++) {
		requests[i] = make(burst);
		if (!requests[i]) {
			complain("no memory for a request");
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
	int err = open_tfm(&burst->own, plan.driver) ?: set_random_key(burst->own, burst->own);

	if (err)
		complain("error %d of a transform of its own", err);
	else
		try_requests(burst, 40, request_to_own, submit_to_own);
}

static int run(void *cpu)
{
	struct burst burst;
	unsigned int i, keys;

	for (i = 0; i < plan.bursts; i++) {
		down_read(&key_lock);
		try_requests(&burst, MAX_BURST, random_request, submit);
		up_read(&key_lock);
		if (!random_below(8))
			try_own_transform(&burst);
		for (keys = plan.rekey ? MAX_KEYS : !random_below(4); keys; keys--)
			change_key(&transforms[random_below(TRANSFORMS)]);
		cond_resched();
	}
	end_thread();
}

static int open_transform(struct transform *transform)
{
	return open_flow(&transform->batch, plan.driver) ?:
	       open_tfm(&transform->single, plan.single) ?:
	       set_random_key(transform->batch.tfm, transform->single);
}

/*
 * Begins on each CPU, and returns after the end: an error if the drivers are not there. Errors of
 * drivers are complaints. request_count and later_count are the numbers of requests, and of
 * those that were completed later.
 */
static int try_plan(void)
{
	unsigned int i;
	int err = 0;

	atomic_set(&request_count, 0);
	atomic_set(&later_count, 0);
	memset(transforms, 0, sizeof(transforms));
	for (i = 0; i < TRANSFORMS; i++)
		err = err ?: open_transform(&transforms[i]);
	err = err ?: start_threads(run);
	await_threads();
	for (i = 0; i < TRANSFORMS; i++) {
		crypto_free_aead(transforms[i].batch.tfm);
		crypto_free_aead(transforms[i].single);
	}
	return err;
}

#endif
