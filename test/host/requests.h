/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The engine of test/requests in user space, where the reference is libgcrypt; and requests to
 * AEADs that may be completed later.
 */
#ifndef TEST_HOST_REQUESTS_H
#define TEST_HOST_REQUESTS_H

#include "case.h"
#include "reference.h"
#include "../requests/ask.h"

/* Make key and IV of the message random; authenc's key has @mac_key_bytes for the MAC. */
void random_key(const struct mode *mode, struct aead_message *message, size_t mac_key_bytes);

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
	struct attempt attempt;
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

#endif
