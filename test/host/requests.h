/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to the crypto API, each with everything about it checked: what it
 * returns and writes, and that nothing else has changed. Where in memory it
 * lies and how it is cut into pieces is left to chance (case.h).
 */
#ifndef TEST_HOST_REQUESTS_H
#define TEST_HOST_REQUESTS_H

#include "reference.h"
#include "scatter.h"
#include "../requests/trials.h"

/* A copy of @bytes at the very end of guarded memory, valid until the next */
u8 *guarded_key(const void *key, size_t bytes);

/*
 * What a request is made of: its key, IV and texts, and what it has to become. Where @key is
 * set, it is the key.
 */
struct contents {
	struct aead_message message;
	const u8 *key;
	u8 *aad, *text, *sealed;
};

/*
 * Make all of it random, and have libgcrypt's answer; then change it, if that is tried. A
 * MAC has its answer in @sealed.
 */
void prepare_trial(struct trial *trial, struct contents *contents);

/* Give a driver's transform the keys that are tried; returns what the driver returns. */
int set_keys(const struct trial *trial, const struct contents *contents, void *tfm);

/*
 * Then ask it for the request. Returns what the driver returns, and if that is 0, its output
 * was right; otherwise it has left the destination alone as it must.
 */
int ask(const struct trial *trial, const struct contents *contents, void *tfm,
	const struct placement *placement);

/* Make key and IV of the message random; authenc's key has so many bytes for the MAC. */
void random_key(const struct mode *mode, struct aead_message *message, size_t mac_key_bytes);

/* The memory of a request to an AEAD */
struct aead_try {
	struct request_memory memory;
	const struct placement *placement;
	const struct trial *trial;
	const struct contents *contents;
};

/* After the request, which was answered so: check its output, or that there is none. */
void aead_check(struct aead_try *try, int err);

/* A transform with a key, which several requests have */
struct keyed_aead {
	struct crypto_aead *tfm;
	const struct mode *mode;
	struct aead_message message;	/* of which there is the key */
	unsigned int tag_bytes;
};

/* Give the transform, of authenc, a random key and length of tags. */
void set_random_key(struct keyed_aead *aead, const struct mode *mode, struct crypto_aead *tfm);

/* A request that may be completed later; @err is valid once it is @done. */
struct async_request {
	struct trial trial;
	struct contents contents;
	struct aead_try try;
	struct aead_request *request;
	bool done;
	int err;
};

/* Make all of it but its trial; the key and the length of the tag are those of @aead. */
void async_prepare(struct async_request *async, const struct keyed_aead *aead,
		   const struct placement *placement);

/* Returns what the driver returns: unless that is -EINPROGRESS, the request is done. */
int async_submit(struct async_request *async);

/* What a driver calls when it is done */
void async_complete(void *async, int err);

/* It has to be done by now, and rightly; @what begins the message of a failure. */
void async_check(struct async_request *async, const char *what);

/* A descriptor with exactly the state that the driver asked for */
struct shash_desc *allocate_descriptor(struct crypto_shash *tfm);

#endif
