/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The modes of SM4 as libgcrypt implements them. Answers contain none of our own code,
 * except for modes that libgcrypt lacks (gbt17964, xcbc, cbcmac): those are built
 * here from its ECB and CBC. test/requests/vectors.c has an example of the first one.
 */
#ifndef TEST_HOST_REFERENCE_H
#define TEST_HOST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../requests/message.h"
#include "../requests/modes.h"

/* Ends the program if there is no such mode. */
const struct mode *find_mode(const char *name);

/* The tag for a text of any length, as if this were the ciphertext */
void authenc_tag(const struct mode *mode,
		 const struct aead_message *message, uint8_t *sealed);

/*
 * libgcrypt's GCM of a text that repeats: the tag, of 16 bytes, of @times times the message's text
 */
void gcrypt_repeated_gcm(const struct aead_message *message, unsigned int times,
			 uint8_t tag[BLOCK]);

/*
 * The right answers. All functions encrypt; that of AEADs writes the tag after the
 * ciphertext. The hash is SM3, here a MAC that ignores the key.
 */
void gcrypt_skcipher(const struct mode *mode, const uint8_t *key,
		     const uint8_t *iv, uint8_t *dst, const uint8_t *src,
		     size_t bytes);
void gcrypt_aead(const struct mode *mode,
		 const struct aead_message *message, uint8_t *dst);
void gcrypt_mac(const struct mode *mode, const uint8_t *key,
		const uint8_t *message, size_t bytes, uint8_t *mac);

/* Those of any mode */
void gcrypt_seal(const struct mode *mode, const struct aead_message *message, uint8_t *sealed);

/* One block, by libgcrypt; @dst may be @src. */
void encrypt_block(const uint8_t *key, uint8_t *dst, const uint8_t *src);

/*
 * Decrypt by libgcrypt, in place, a ciphertext of @text_bytes with the tag after
 * it; returns whether the tag is right.
 */
bool gcrypt_decrypt_aead(const struct mode *mode,
			 const struct aead_message *message, uint8_t *sealed);

/* End the program if libgcrypt returns an error. */
void gcrypt_must(unsigned int error);

#endif
