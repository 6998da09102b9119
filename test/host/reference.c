// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The right answers (reference.h), by libgcrypt. The programs of test/vm/guest also
 * use this file, so it does not use the shim.
 */
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reference.h"
#include "../requests/modes.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

const struct mode *find_mode(const char *name)
{
	const struct mode *mode = mode_named(name);

	if (!mode) {
		fprintf(stderr, "No test knows %s: add a row to test/requests/modes.c.\n", name);
		exit(1);
	}
	return mode;
}

/* Counter mode with CBC-MAC, which needs all lengths first */
static bool is_ccm(const struct mode *mode)
{
	return mode->gcrypt_mode == GCRY_CIPHER_MODE_CCM;
}

/*
 * The nonce of the standards, from the key and IV of the crypto API;
 * returns its length. In ccm(sm4) the IV starts with the length, less one, of
 * the counter that is not part of the nonce (RFC 3610, section 2.3).
 */
static size_t aead_nonce(const struct mode *mode,
			 const struct aead_message *message, uint8_t nonce[BLOCK])
{
	const uint8_t *salt = message->key + BLOCK;

	if (mode->iv_bytes == BLOCK) {
		memcpy(nonce, message->iv + 1, BLOCK - 1);
		return BLOCK - 1 - (message->iv[0] + 1);
	}
	memcpy(nonce, salt, mode->salt_bytes);
	memcpy(nonce + mode->salt_bytes, message->iv, mode->iv_bytes);
	return mode->salt_bytes + mode->iv_bytes;
}

/* Number of bytes of the associated data that are authenticated as such */
static size_t authenticated_bytes(const struct mode *mode,
				  const struct aead_message *message)
{
	return message->aad_bytes - (mode->is_ipsec ? mode->iv_bytes : 0);
}

/* ---- libgcrypt ---- */

void gcrypt_must(unsigned int error)
{
	if (error) {
		fprintf(stderr, "libgcrypt: %s\n", gcry_strerror(error));
		exit(1);
	}
}

static void __attribute__((constructor)) gcrypt_start(void)
{
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED);
}

static gcry_cipher_hd_t gcrypt_open(int mode, int flags, const uint8_t *key,
				    size_t key_bytes)
{
	gcry_cipher_hd_t handle;

	gcrypt_must(gcry_cipher_open(&handle, GCRY_CIPHER_SM4, mode, flags));
	gcrypt_must(gcry_cipher_setkey(handle, key, key_bytes));
	return handle;
}

/*
 * GB/T 17964-2021, literally: bit i of a block is the coefficient of x^i, and
 * bit 0 is the most significant one of byte 0. x^128 = 1 + x + x^2 + x^7.
 */
static void multiply_by_x(uint8_t block[BLOCK])
{
	static const int of_x_128[] = { 0, 1, 2, 7 };
	uint8_t product[BLOCK] = { 0 };
	size_t i;

	for (i = 0; i < 127; i++) {
		if (block[i / 8] & 0x80 >> i % 8)
			product[(i + 1) / 8] ^= 0x80 >> (i + 1) % 8;
	}
	for (i = 0; i < ARRAY_SIZE(of_x_128) && block[15] & 1; i++)
		product[0] ^= 0x80 >> of_x_128[i];
	memcpy(block, product, BLOCK);
}

/* Process one block in place with its tweak, and advance the tweak. */
static void gcrypt_xts_gb_block(gcry_cipher_hd_t handle, uint8_t tweak[BLOCK],
				uint8_t *block)
{
	int i;

	for (i = 0; i < BLOCK; i++)
		block[i] ^= tweak[i];
	gcrypt_must(gcry_cipher_encrypt(handle, block, BLOCK, NULL, 0));
	for (i = 0; i < BLOCK; i++)
		block[i] ^= tweak[i];
	multiply_by_x(tweak);
}

/*
 * A partial block is filled with the end of the ciphertext block before it, and takes its place.
 */
static void gcrypt_xts_gb(const uint8_t *key, const uint8_t *iv, uint8_t *dst, const uint8_t *src,
			  size_t bytes)
{
	gcry_cipher_hd_t handle = gcrypt_open(GCRY_CIPHER_MODE_ECB, 0,
					      key + BLOCK, BLOCK);
	size_t tail = bytes % BLOCK, whole = bytes - tail, done;
	uint8_t tweak[BLOCK], last[BLOCK];

	gcrypt_must(gcry_cipher_encrypt(handle, tweak, BLOCK, iv, BLOCK));
	gcrypt_must(gcry_cipher_setkey(handle, key, BLOCK));
	memcpy(dst, src, whole);
	for (done = 0; done < whole; done += BLOCK)
		gcrypt_xts_gb_block(handle, tweak, dst + done);
	if (tail) {
		memcpy(last, dst + whole - BLOCK, BLOCK);
		memcpy(dst + whole, last, tail);
		memcpy(last, src + whole, tail);
		gcrypt_xts_gb_block(handle, tweak, last);
		memcpy(dst + whole - BLOCK, last, BLOCK);
	}
	gcry_cipher_close(handle);
}

void gcrypt_skcipher(const struct mode *mode, const uint8_t *key,
		     const uint8_t *iv, uint8_t *dst, const uint8_t *src, size_t bytes)
{
	gcry_cipher_hd_t handle;

	if (mode->gcrypt_mode == GCRY_CIPHER_MODE_NONE) {
		gcrypt_xts_gb(key, iv, dst, src, bytes);
		return;
	}
	handle = gcrypt_open(mode->gcrypt_mode, mode->gcrypt_flags, key,
			     mode->key_bytes);
	if (mode->gcrypt_mode == GCRY_CIPHER_MODE_CTR)
		gcrypt_must(gcry_cipher_setctr(handle, iv, mode->iv_bytes));
	else if (mode->iv_bytes)
		gcrypt_must(gcry_cipher_setiv(handle, iv, mode->iv_bytes));
	if (bytes)
		gcrypt_must(gcry_cipher_encrypt(handle, dst, bytes, src,
						bytes));
	gcry_cipher_close(handle);
}

void encrypt_block(const uint8_t *key, uint8_t *dst, const uint8_t *src)
{
	gcrypt_skcipher(find_mode("ecb(sm4)"), key, NULL, dst, src,
			BLOCK);
}

/* SM4's key, at the end of authenc's */
static const uint8_t *cipher_key(const struct aead_message *message)
{
	return message->key + message->key_bytes - BLOCK;
}

/* The upper half of an ESN follows the SPI, and is authenticated after the ciphertext. */
static void gcrypt_hmac(const struct mode *mode,
			const struct aead_message *message, uint8_t *sealed)
{
	size_t half = mode->is_esn ? 4 : 0, tag_bytes = message->tag_bytes;
	const uint8_t *aad = message->aad;
	gcry_mac_hd_t mac;

	gcrypt_must(gcry_mac_open(&mac, GCRY_MAC_HMAC_SM3, 0, NULL));
	gcrypt_must(gcry_mac_setkey(mac, message->key + KEY_HEAD,
				    message->key_bytes - KEY_HEAD - BLOCK));
	gcrypt_must(gcry_mac_write(mac, aad, half));
	gcrypt_must(gcry_mac_write(mac, aad + 2 * half, message->aad_bytes - 2 * half));
	gcrypt_must(gcry_mac_write(mac, sealed, message->text_bytes));
	gcrypt_must(gcry_mac_write(mac, aad + half, half));
	gcrypt_must(gcry_mac_read(mac, sealed + message->text_bytes,
				  &tag_bytes));
	gcry_mac_close(mac);
}

static void gcrypt_authenc(const struct mode *mode,
			   const struct aead_message *message, uint8_t *dst)
{
	gcrypt_skcipher(find_mode("cbc(sm4)"), cipher_key(message), message->iv, dst,
			message->text, message->text_bytes);
	gcrypt_hmac(mode, message, dst);
}

void authenc_tag(const struct mode *mode,
		 const struct aead_message *message, uint8_t *sealed)
{
	memcpy(sealed, message->text, message->text_bytes);
	gcrypt_hmac(mode, message, sealed);
}

/* Prepare for the text. */
static gcry_cipher_hd_t gcrypt_open_masked(const struct mode *mode,
					   const struct aead_message *message)
{
	gcry_cipher_hd_t handle = gcrypt_open(mode->gcrypt_mode, 0,
					      message->key, BLOCK);
	uint64_t lengths[3] = {
		message->text_bytes, authenticated_bytes(mode, message),
		message->tag_bytes,
	};
	uint8_t nonce[BLOCK];

	gcrypt_must(gcry_cipher_setiv(handle, nonce,
				      aead_nonce(mode, message, nonce)));
	if (is_ccm(mode))
		gcrypt_must(gcry_cipher_ctl(handle, GCRYCTL_SET_CCM_LENGTHS,
					    lengths, sizeof(lengths)));
	gcrypt_must(gcry_cipher_authenticate(handle, message->aad, lengths[1]));
	return handle;
}

/* Process the message's text @times times; all outputs go to @dst. */
static void gcrypt_masked_aead(const struct mode *mode,
			       const struct aead_message *message,
			       unsigned int times, uint8_t *dst, uint8_t *tag)
{
	gcry_cipher_hd_t handle = gcrypt_open_masked(mode, message);

	while (times--) {
		if (!times)
			gcry_cipher_final(handle);
		gcrypt_must(gcry_cipher_encrypt(handle, dst,
						message->text_bytes,
						message->text,
						message->text_bytes));
	}
	gcrypt_must(gcry_cipher_gettag(handle, tag, message->tag_bytes));
	gcry_cipher_close(handle);
}

bool gcrypt_decrypt_aead(const struct mode *mode,
			 const struct aead_message *message, uint8_t *sealed)
{
	uint8_t *tag = sealed + message->text_bytes, given_tag[TAG_MAX];
	gcry_cipher_hd_t handle;
	bool is_right;

	if (is_authenc(mode)) {
		memcpy(given_tag, tag, message->tag_bytes);
		gcrypt_hmac(mode, message, sealed);
		handle = gcrypt_open(mode->gcrypt_mode, 0, cipher_key(message), BLOCK);
		gcrypt_must(gcry_cipher_setiv(handle, message->iv, BLOCK));
	} else {
		handle = gcrypt_open_masked(mode, message);
		gcry_cipher_final(handle);
	}
	gcrypt_must(gcry_cipher_decrypt(handle, sealed, message->text_bytes,
					NULL, 0));
	is_right = is_authenc(mode) ?
			   !memcmp(tag, given_tag, message->tag_bytes) :
			   !gcry_cipher_checktag(handle, tag, message->tag_bytes);
	gcry_cipher_close(handle);
	return is_right;
}

void gcrypt_aead(const struct mode *mode,
		 const struct aead_message *message, uint8_t *dst)
{
	if (is_authenc(mode))
		gcrypt_authenc(mode, message, dst);
	else
		gcrypt_masked_aead(mode, message, 1, dst,
				   dst + message->text_bytes);
}

void gcrypt_repeated_gcm(const struct aead_message *message, unsigned int times,
			 uint8_t tag[BLOCK])
{
	uint8_t *ciphertext = malloc(message->text_bytes);

	gcrypt_masked_aead(find_mode("gcm(sm4)"), message, times,
			   ciphertext, tag);
	free(ciphertext);
}

/* SP 800-38B */
static void gcrypt_cmac(const uint8_t *key, const uint8_t *message, size_t bytes, uint8_t *mac)
{
	gcry_mac_hd_t handle;
	size_t mac_bytes = BLOCK;

	gcrypt_must(gcry_mac_open(&handle, GCRY_MAC_CMAC_SM4, 0, NULL));
	gcrypt_must(gcry_mac_setkey(handle, key, BLOCK));
	gcrypt_must(gcry_mac_write(handle, message, bytes));
	gcrypt_must(gcry_mac_read(handle, mac, &mac_bytes));
	gcry_mac_close(handle);
}

/*
 * CBC-MAC: the last block of the CBC encryption with a zero IV, of @bytes bytes, a multiple of a
 * block, and of the block @last if there is one; zeros for no block
 */
static void gcrypt_cbc_mac(const uint8_t *key, const uint8_t *message, size_t bytes,
			   const uint8_t *last, uint8_t *mac)
{
	gcry_cipher_hd_t handle = gcrypt_open(GCRY_CIPHER_MODE_CBC,
					      GCRY_CIPHER_CBC_MAC, key, BLOCK);

	memset(mac, 0, BLOCK);
	if (bytes)
		gcrypt_must(gcry_cipher_encrypt(handle, mac, BLOCK, message, bytes));
	if (last)
		gcrypt_must(gcry_cipher_encrypt(handle, mac, BLOCK, last, BLOCK));
	gcry_cipher_close(handle);
}

/* As the kernel's template: a partial block is filled with zeros */
static void gcrypt_cbcmac(const uint8_t *key, const uint8_t *message, size_t bytes,
			  uint8_t *mac)
{
	const size_t tail = bytes % BLOCK;
	uint8_t last[BLOCK] = { 0 };

	memcpy(last, message + bytes - tail, tail);
	gcrypt_cbc_mac(key, message, bytes - tail, tail ? last : NULL, mac);
}

/* RFC 3566, section 4, with SM4 for AES */
static void gcrypt_xcbc(const uint8_t *key, const uint8_t *message, size_t bytes, uint8_t *mac)
{
	const size_t tail = bytes && bytes % BLOCK == 0 ? BLOCK : bytes % BLOCK;
	uint8_t keys[3][BLOCK], last[BLOCK] = { 0 };	/* K1, K2, K3 */
	int i;

	for (i = 0; i < 3; i++) {
		memset(keys[i], i + 1, BLOCK);
		encrypt_block(key, keys[i], keys[i]);
	}
	memcpy(last, message + bytes - tail, tail);
	if (tail < BLOCK)
		last[tail] = 0x80;
	for (i = 0; i < BLOCK; i++)
		last[i] ^= keys[tail < BLOCK ? 2 : 1][i];
	gcrypt_cbc_mac(keys[0], message, bytes - tail, last, mac);
}

void gcrypt_mac(const struct mode *mode, const uint8_t *key,
		const uint8_t *message, size_t bytes, uint8_t *mac)
{
	if (!mode->key_bytes)
		gcry_md_hash_buffer(GCRY_MD_SM3, mac, message, bytes);
	else if (!strcmp(mode->name, "cmac(sm4)"))
		gcrypt_cmac(key, message, bytes, mac);
	else if (!strcmp(mode->name, "xcbc(sm4)"))
		gcrypt_xcbc(key, message, bytes, mac);
	else
		gcrypt_cbcmac(key, message, bytes, mac);
}

void gcrypt_seal(const struct mode *mode, const struct aead_message *message, uint8_t *sealed)
{
	switch (mode->kind) {
	case CIPHER:
	case SKCIPHER:
		return gcrypt_skcipher(mode, message->key, message->iv, sealed, message->text,
				       message->text_bytes);
	case AEAD:
		return gcrypt_aead(mode, message, sealed);
	default:
		gcrypt_mac(mode, message->key, message->text, message->text_bytes, sealed);
	}
}
