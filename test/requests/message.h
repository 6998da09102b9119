/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* A message with its key, and the limits of what is tried: for the kernel and for user space. */
#ifndef TEST_REQUESTS_MESSAGE_H
#define TEST_REQUESTS_MESSAGE_H

#include "mode.h"

#define BLOCK		16
#define KEY_BYTES	16

/*
 * The key of authenc: a head with the length of SM4's key, the MAC's key, SM4's key. The head is an
 * attribute of rtnetlink, of type CRYPTO_AUTHENC_KEYA_PARAM, which holds the length in big-endian.
 */
#define KEY_HEAD	8
#define KEY_HEAD_TYPE	1
#define MAC_KEY_MAX	300
#define MAX_KEY		(KEY_HEAD + MAC_KEY_MAX + KEY_BYTES)

/* The longest text, tag, and ciphertext with its tag */
#define LONGEST_TEXT	70000
#define TAG_MAX		32
#define MESSAGE_BYTES_MAX	(LONGEST_TEXT + TAG_MAX)

/* The only builder of these heads; a right one has KEY_HEAD, KEY_HEAD_TYPE and KEY_BYTES. */
static inline void put_authenc_head(uint8_t *key, unsigned int bytes, unsigned int type,
				    unsigned int cipher_key_bytes)
{
	key[0] = bytes;
	key[1] = bytes >> 8;
	key[2] = type;
	key[3] = type >> 8;
	key[4] = cipher_key_bytes >> 24;
	key[5] = cipher_key_bytes >> 16;
	key[6] = cipher_key_bytes >> 8;
	key[7] = cipher_key_bytes;
}

/* One message of an AEAD, with the key and all that belongs to it; other modes use some of it. */
struct aead_message {
	uint8_t key[MAX_KEY], iv[BLOCK];
	const uint8_t *aad, *text;
	size_t key_bytes, aad_bytes, text_bytes, tag_bytes;
};

#endif
