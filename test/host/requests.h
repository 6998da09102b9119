/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to the crypto API, with checks of everything: the return value, the output, and that
 * nothing else has changed. Their places in memory and their pieces are random (case.h).
 */
#ifndef TEST_HOST_REQUESTS_H
#define TEST_HOST_REQUESTS_H

#include "reference.h"
#include "scatter.h"
#include "../requests/trials.h"

/* A copy of @bytes at the very end of guarded memory, valid until the next */
u8 *guarded_key(const void *key, size_t bytes);

/*
 * The contents of a request: its key, IV and texts, and the right answer. If @key is
 * set, it is the key.
 */
struct contents {
	struct aead_message message;
	const u8 *key;
	u8 *aad, *text, *sealed;
};

/*
 * Make random contents, and compute libgcrypt's answer; then change them, if that is tried.
 * The answer of a MAC is in @sealed.
 */
void prepare_trial(struct trial *trial, struct contents *contents);

/* Set the keys of the trial for a driver's transform; returns the driver's result. */
int set_keys(const struct trial *trial, const struct contents *contents, void *tfm);

/*
 * Then submit the request. Returns the driver's result. If that is 0, its output
 * was right; otherwise it has not changed bytes of the destination that it must not.
 */
int ask(const struct trial *trial, const struct contents *contents, void *tfm,
	const struct placement *placement);

/* Make key and IV of the message random; authenc's key has @mac_key_bytes for the MAC. */
void random_key(const struct mode *mode, struct aead_message *message, size_t mac_key_bytes);

/* The memory of a request to an AEAD */
struct aead_try {
	struct request_memory memory;
	const struct placement *placement;
	const struct trial *trial;
	const struct contents *contents;
};

/* After the request, with this result: check its output, or that there is none. */
void aead_check(struct aead_try *try, int err);

/* A transform with a key, for several requests */
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

/* Make all of it except its trial; the key and the length of the tag are those of @aead. */
void async_prepare(struct async_request *async, const struct keyed_aead *aead,
		   const struct placement *placement);

/* Returns the driver's result: unless that is -EINPROGRESS, the request is done. */
int async_submit(struct async_request *async);

/* The completion function, which the driver calls */
void async_complete(void *async, int err);

/* Check that it is done, with the right result; @what begins the message of a failure. */
void async_check(struct async_request *async, const char *what);

/* A descriptor with exactly the state that the driver requested */
struct shash_desc *allocate_descriptor(struct crypto_shash *tfm);

#endif
