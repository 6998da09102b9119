/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The examples of standards and drafts, in hexadecimal as printed
 * there. None comes from our own code.
 */
#ifndef TEST_HOST_VECTORS_H
#define TEST_HOST_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cipher_vector {
	const char *source;
	const char *key, *plaintext, *ciphertext;
	unsigned int repetitions;
};

struct skcipher_vector {
	const char *source;
	const char *name;	/* as the crypto API names the mode */
	const char *key, *iv, *plaintext, *ciphertext;
};

struct aead_vector {
	const char *source;
	const char *name;
	const char *key, *iv, *aad, *plaintext, *ciphertext, *tag;
};

/* The message is @message, also in hexadecimal, repeated @times times. */
struct hash_vector {
	const char *source;
	const char *message, *digest;
	unsigned int repetitions;
};

extern const struct cipher_vector cipher_vectors[];
extern const size_t cipher_vector_count;
extern const struct skcipher_vector skcipher_vectors[];
extern const size_t skcipher_vector_count;
extern const struct aead_vector aead_vectors[];
extern const size_t aead_vector_count;

/* Whether one of these two lists has a mode */
bool has_known_answer(const char *name);

extern const struct hash_vector hash_vectors[];
extern const size_t hash_vector_count;

/* The round keys of the examples of GB/T 32907 */
extern const uint32_t sm4_example_round_keys[32];

/* Convert @hex to bytes; returns their number. */
size_t from_hex(uint8_t *bytes, const char *hex);

#endif
