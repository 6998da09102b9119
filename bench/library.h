/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The interface between worker.c, which times libraries, and the libraries that
 * are compared: each is a struct library in its own file.
 *
 * A worker is a program with one library. It uses one of its tiers, which is
 * chosen at its start, because some libraries decide only once which instructions
 * they use.
 */
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_SIZE	16
#define KEY_SIZE	16
#define GCM_IV_SIZE	12
#define GCM_TAG_SIZE	16
#define CCM_NONCE_SIZE	12
#define CCM_TAG_SIZE	16
#define DIGEST_SIZE	32
#define MAC_KEY_SIZE	32
#define AUTHENC_TAG_SIZE	16

/* Messages that come together, each in as much memory as the kernel allocates for a packet */
#define BURST		32
#define PACKET_SIZE	2048

struct packet {
	uint8_t bytes[PACKET_SIZE];
};

/*
 * The instructions that a tier needs; each value includes those before it, except that GFNI_AVX2
 * does not include AVX512.
 */
enum instructions {
	BASELINE,	/* of x86-64 */
	AVX,		/* with the AES instructions */
	AVX2,		/* with the wide form of these */
	AVX512,
	GFNI_AVX2,
	GFNI_AVX512,
	SM4_AVX2,
	INSTRUCTIONS
};

enum mode {
	ECB_ENCRYPT,
	CBC_ENCRYPT,
	CBC_DECRYPT,
	CTR_ENCRYPT,
	XTS_ENCRYPT,
	XTS_DECRYPT,
	XTS_GB_ENCRYPT,	/* of GB/T 17964 */
	XTS_GB_DECRYPT,
	GCM_SEAL,
	GCM_OPEN,
	CCM_SEAL,
	CCM_OPEN,
	SM3_HASH,
	SM3_HMAC,
	AUTHENC_SEAL,	/* CBC, then HMAC-SM3 of the ciphertext */
	AUTHENC_OPEN,
	MODES
};

/**
 * struct library - one library or module
 * @name: in the tables
 * @tier_name: the name of tier i, NULL after the last one
 * @instructions: the instructions that tier i needs
 * @usable: whether this CPU can run tier i
 * @start: use tier i from now on; called once
 * @set_key: prepare for a mode by a key of 16 bytes (XTS and HMAC: 32; authenc:
 *	     HMAC's, then SM4's); false if the library does not offer the mode
 * @crypt: one message in that mode: whole blocks except in CTR, GCM and CCM.
 *	   @iv is 16 bytes, for GCM and CCM 12; sealing writes a tag of 16 bytes
 *	   behind the text, and opening finds it there and ends the program if
 *	   it is wrong. Hashing has no IV, and writes a digest of 32 bytes; SM3
 *	   has no key either.
 * @crypt_burst: @count messages in that mode, at most BURST, all at once, each where
 *		 it is; false if there is no such mode. NULL if there is none.
 */
struct library {
	const char *name;
	const char *(*tier_name)(unsigned int i);
	enum instructions (*instructions)(unsigned int i);
	bool (*usable)(unsigned int i);
	void (*start)(unsigned int i);
	bool (*set_key)(enum mode mode, const uint8_t *key);
	void (*crypt)(const uint8_t *iv, uint8_t *dst, const uint8_t *src,
		      size_t bytes);
	bool (*crypt_burst)(const uint8_t *iv, struct packet *packets,
			    size_t bytes, unsigned int count);
};

extern const struct library library;

/* Whether this CPU has these instructions; for libraries that do not check themselves */
bool cpu_has_instructions(enum instructions instructions);

/* End the program with a message in the format of printf */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif
