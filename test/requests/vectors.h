/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The examples of standards and drafts, in hexadecimal as printed
 * there. None comes from our own code.
 */
#ifndef TEST_REQUESTS_VECTORS_H
#define TEST_REQUESTS_VECTORS_H

#include "trials.h"

/* Key and plaintext of the first two; other standards use the same key. */
#define SM4_EXAMPLE_KEY	"0123456789abcdeffedcba9876543210"

struct cipher_vector {
	const char *source, *ciphertext;
	unsigned int repetitions;
};

/* The tag of an AEAD follows the ciphertext. */
struct mode_vector {
	const char *source;
	const char *name;	/* as the crypto API names the mode */
	const char *key, *iv, *plaintext, *ciphertext, *aad;
};

/* The message is @message, also in hexadecimal, repeated @times times. */
struct hash_vector {
	const char *source;
	const char *message, *digest;
	unsigned int repetitions;
};

extern const struct cipher_vector cipher_vectors[];
extern const size_t cipher_vector_count;
extern const struct mode_vector mode_vectors[];
extern const size_t mode_vector_count;
extern const struct hash_vector hash_vectors[];
extern const size_t hash_vector_count;

/* The round keys of the examples of GB/T 32907 */
extern const uint32_t sm4_example_round_keys[32];

/* Convert @hex to bytes; returns their number. */
size_t from_hex(uint8_t *bytes, const char *hex);

/* Make the request of an example of this mode. */
void prepare_example(const struct mode_vector *vector, const struct mode *mode, struct trial *r,
		     struct contents *c);

#endif
