/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Properties of a mode of SM4, or of SM3. This is for the kernel and for user space. */
#ifndef TEST_REQUESTS_MODE_H
#define TEST_REQUESTS_MODE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

enum mode_kind { CIPHER, SKCIPHER, AEAD, MAC };

/*
 * The IV that a request of a cipher leaves, with which a next one continues: the same; the last
 * block of ciphertext; of the last two, of which CTS swaps the ciphertext, the whole one; or the
 * counter after the text
 */
enum left_iv { UNCHANGED, LAST_BLOCK, WHOLE_BLOCK, COUNTER };

/* The tiers that have a mode */
enum where { EVERY_TIER, WITH_GCM, WITH_CHAINS, C_TIER, BY_SM3 };

/**
 * struct mode - one mode of the cipher
 * @name: in the crypto API
 * @kind: its type in the crypto API
 * @mainline: mainline's C code for it, or for another mode that refuses the same requests
 * @key_bytes: of the key; 0 for authenc, whose key contains that of the MAC, of any
 *	       length, and for a hash, which has none
 * @salt_bytes: number of bytes at the end of the key that begin the nonce
 * @iv_bytes: of the IV in the crypto API
 * @digest_bytes: of a MAC
 * @smallest: the shortest legal text in bytes
 * @granule: all legal lengths of a text are multiples of this.
 * @tag_sizes: bit n says whether a tag of n bytes is legal
 * @left_iv: the IV that a request leaves
 * @is_ipsec: the associated data ends with a copy of the IV, which is not
 *	      authenticated; it is 16 or 20 bytes in all
 * @is_esn: the bytes 4 to 7 of associated data, which must exist, are
 *	    authenticated after the ciphertext
 * @mainline_differs: @mainline is of another mode, and its other answers are different
 * @where: the tiers that have it
 * @block_bytes: its block size in the crypto API
 * @untested: the kernel has no tests of it
 * @gcrypt_mode: for gcry_cipher_open(); authenc has CBC, with HMAC-SM3
 * @gcrypt_flags: for the same
 */
struct mode {
	const char *name, *mainline;
	enum mode_kind kind;
	unsigned int key_bytes, salt_bytes, iv_bytes, digest_bytes;
	unsigned int smallest, granule;
	uint64_t tag_sizes;
	enum left_iv left_iv;
	bool is_ipsec, is_esn, mainline_differs;
	enum where where;
	unsigned int block_bytes;
	bool untested;
	int gcrypt_mode, gcrypt_flags;
};

/* A hash has none. */
static inline bool has_key(const struct mode *mode)
{
	return mode->kind != MAC || mode->key_bytes;
}

/* Encrypted first, then authenticated, with two keys: authenc, authencesn */
static inline bool is_authenc(const struct mode *mode)
{
	return mode->kind == AEAD && !mode->key_bytes;
}

/* Whether the IV begins with the length of the counter less one: CCM */
static inline bool has_counter_length(const struct mode *mode)
{
	return mode->kind == AEAD && mode->iv_bytes == 16 && !is_authenc(mode);
}

static inline bool is_legal_tag(const struct mode *mode, unsigned int bytes)
{
	return bytes < 64 && mode->tag_sizes >> bytes & 1;
}

static inline bool is_legal_text(const struct mode *mode, unsigned int bytes)
{
	return bytes >= mode->smallest && bytes % mode->granule == 0;
}

static inline bool is_legal_aad(const struct mode *mode, unsigned int bytes)
{
	if (mode->is_ipsec)
		return bytes == 16 || bytes == 20;
	return !mode->is_esn || bytes >= 8;
}

#endif
