/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The engine that tries requests with a driver, in the kernel and on the shim of test/host: it
 * lays them out in memory, submits them, and checks everything: the return value, the output, and
 * that nothing else has changed. What the trial leaves open is random.
 */
#ifndef TEST_REQUESTS_ASK_H
#define TEST_REQUESTS_ASK_H

#include <crypto/internal/aead.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include "memory.h"
#include "trials.h"

/* A copy of @bytes at the very end of guarded memory, valid until the next */
u8 *guarded_key(const void *key, size_t bytes);

/* Set a transform's key. */
int set_key(const struct mode *mode, void *tfm, const u8 *key, unsigned int bytes);

/* Set the keys of the trial for a driver's transform; returns the driver's result. */
int set_keys(const struct trial *trial, const struct contents *contents, void *tfm);

/*
 * Where the trial says how it is to be in memory, @laid_out is set to that, and returned; else
 * @placement is.
 */
const struct placement *placement_of(const struct trial *trial, struct placement *laid_out,
				     const struct placement *placement);

/*
 * Then submit the request. Returns the driver's result. If that is 0, its output
 * was right; otherwise it has not changed bytes of the destination that it must not.
 */
int ask(const struct trial *trial, const struct contents *contents, void *tfm,
	const struct placement *placement);

/* The same in a random place */
int ask_anywhere(const struct trial *trial, const struct contents *contents, void *tfm);

/*
 * Submit a request with these lists and this IV, which have the bytes that the trial says, for
 * callers that check its output themselves. Returns the driver's result.
 */
int submit_request(const struct trial *trial, void *tfm, struct scatterlist *src,
		   struct scatterlist *dst, u8 *iv);

/*
 * Check the IV that a request of a cipher leaves, with this result: a request that is refused must
 * not change it.
 */
void check_left_iv(const struct trial *trial, const struct contents *contents, const u8 *iv,
		   int err);

/* A descriptor with exactly the state that the driver requested */
struct shash_desc *allocate_descriptor(struct crypto_shash *tfm);

/**
 * struct attempt - a request in memory, and what is to come out
 * @memory: its memory
 * @placement: its place there
 * @trial: what is tried
 * @aad: the associated data
 * @in: what is encrypted or decrypted, with its tag
 * @out: the right result
 * @aad_bytes: the length of @aad
 * @in_bytes: the length of @in
 * @out_bytes: the length of @out
 */
struct attempt {
	struct request_memory memory;
	const struct placement *placement;
	const struct trial *trial;
	const u8 *aad, *in, *out;
	size_t aad_bytes, in_bytes, out_bytes;
};

/* Lay out its memory: @memory->src and @memory->dst are the lists then. */
void attempt_place(struct attempt *attempt, const struct trial *trial,
		   const struct contents *contents, const struct placement *placement);

/* After the request, with this result: check its output, or that there is none. */
void attempt_check(struct attempt *attempt, int err);

#endif
