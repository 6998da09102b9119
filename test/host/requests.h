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

/* A copy of @bytes at the very end of guarded memory, valid until the next */
u8 *guarded_key(const void *key, size_t bytes);

/* The transform of a driver; its type is one of CRYPTO_ALG_TYPE_*. */
void *allocate_transform(u32 type, const char *driver_name);
void free_transform(u32 type, void *tfm);

/*
 * What a request is made of: its key, IV and texts, and what it has to become. Where @key is
 * set, it is the key.
 */
struct contents {
	struct aead_message message;
	const u8 *key;
	u8 *aad, *text, *sealed;
};

struct trial;

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

/* Make a key of the message random; authenc's with so many bytes for the MAC */
void random_aead_key(const struct mode *mode, struct aead_message *message,
		     size_t mac_key_bytes);

/* From a message's text to @sealed, its ciphertext with the tag, or back */
struct aead_try {
	struct request_memory memory;
	const struct placement *placement;
	const struct aead_message *message;
	const u8 *sealed;
	bool decrypt;
};

/* Lay out its memory and fill in the request, with @iv, which stays the caller's. */
void aead_place(struct aead_try *try, struct aead_request *request,
		struct crypto_aead *tfm, u8 *iv);

/* After the request, which was answered so: check its output, or that there is none. */
void aead_check(struct aead_try *try, const struct mode *mode, int err);

/* A descriptor with exactly the state that the driver asked for */
struct shash_desc *allocate_descriptor(struct crypto_shash *tfm);

#endif
