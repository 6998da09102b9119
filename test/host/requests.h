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
u8 *guarded_iv(const void *iv, size_t bytes);

/*
 * A random IV. Half of them are about to carry out of their last 32, 64, 96 or
 * 128 bits, taken as a big-endian number.
 */
void random_iv(u8 iv[BLOCK]);

/*
 * One request: @bytes of @in by @iv, which is updated. Returns what the driver
 * returns; if that is 0, its output was equal to @out, and if it is -EINVAL,
 * the destination was left alone.
 */
int skcipher_crypt(struct crypto_skcipher *tfm, bool decrypt,
		   const struct placement *placement, u8 *iv, const u8 *in,
		   const u8 *out, size_t bytes);

/* Whether the IV begins with the length of the counter less one: CCM */
bool has_counter_length(const struct aead_mode *mode);

/* Make a key of the message random; authenc's with so many bytes for the MAC */
void random_aead_key(const struct aead_mode *mode, struct aead_message *message,
		     size_t mac_key_bytes);

/*
 * Fill key, IV and tag length of a message whose text has its length. The IV of
 * ccm(sm4) begins with the length of its counter less one, the shortest of which
 * holds the length of a text up to 65535 bytes only.
 */
void random_aead_parameters(const struct aead_mode *mode,
			    struct aead_message *message);

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

/*
 * After the request: if the driver has answered 0, its output was right, and if -EINVAL,
 * the destination was left alone; authenc does so if the tag is wrong, too.
 */
void aead_check(struct aead_try *try, const struct aead_mode *mode, int err);

/* All of it. Returns what the driver returns. */
int aead_crypt(struct crypto_aead *tfm, bool decrypt,
	       const struct placement *placement,
	       const struct aead_message *message, const u8 *sealed);

/* A descriptor with exactly the state that the driver asked for */
struct shash_desc *allocate_descriptor(struct crypto_shash *tfm);

/* The MAC, or digest, of a message, at once and in pieces */
void check_digest(struct crypto_shash *tfm, const u8 *p, size_t bytes,
		  const u8 *expected);

/* That of a message given in random pieces, moved now and then */
void mac_in_pieces(struct crypto_shash *tfm, const u8 *p, size_t bytes,
		   u8 *mac);

#endif
