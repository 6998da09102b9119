/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Requests to drivers of the crypto API: those that are tried, their contents, and the right
 * answers. The shim, the kernel's module, and programs that have AF_ALG use this file.
 */
#ifndef TEST_REQUESTS_TRIALS_H
#define TEST_REQUESTS_TRIALS_H

#ifdef __KERNEL__
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>
#else
#include "../host/shim/linux.h"
#endif
#include "backend.h"
#include "message.h"

/**
 * enum trait - properties of a request
 * @TEXT: bytes of text
 * @AAD: bytes of associated data
 * @TAG: bytes of the tag
 * @KEY: bytes of the key
 * @SEALED: bytes of text and tag to decrypt
 * @FIRST: the first byte of the IV, from which CCM derives the size of a length
 * @WRONG_TEXT: this bit of the text to decrypt is wrong
 * @WRONG_AAD: this bit of the associated data is wrong
 * @WRONG_TAG: this bit of the tag is wrong
 * @WRONG_IV: this bit of the nonce is wrong
 * @NO_KEY: no key is set
 * @BAD_KEY: a good key is set, then one of this number of bytes; the good key is used
 * @WEAK_KEY: both halves are equal, which is forbidden (1) or not (2)
 * @HEAD: the length of its head according to authenc's key
 * @HEAD_TYPE: the type of the head
 * @CIPHER_KEY: the length of SM4's key according to the head
 * @NO_LIST: there are no lists at all
 *
 * The following are about memory. If there is none of the first five, the request is laid out as a
 * placement says (memory.h).
 *
 * @IN_PLACE: one list for both, or (2) two lists of the same memory
 * @ENTRY: maximum bytes of an entry of a list
 * @EMPTY: this entry of the list, and those a multiple later, have no bytes
 * @ALIGN: the offset of the source; the destination begins that many bytes before a block
 * @OVERLAP: the distance of the destination after the source, in the same memory
 * @KEY_ALIGN: bytes between the key and the end of its memory
 * @IV_ALIGN: bytes between the IV and the end of its memory
 * @NO_SIMD: SIMD is not usable
 * @TRAITS: their number
 */
enum trait {
	TEXT, AAD, TAG, KEY, SEALED, FIRST, WRONG_TEXT, WRONG_AAD, WRONG_TAG,
	WRONG_IV, NO_KEY, BAD_KEY, WEAK_KEY, HEAD, HEAD_TYPE, CIPHER_KEY, NO_LIST,
	IN_PLACE, ENTRY, EMPTY, ALIGN, OVERLAP, KEY_ALIGN, IV_ALIGN, NO_SIMD,
	TRAITS,
};

/* The place of a bit, or of the last one; 0 means no bit. */
#define PLACE(i)	((i) + 1)
#define LAST		(UINT_MAX - 1)

/* The value 0 for a trait that usually has another one */
#define NONE		UINT_MAX

/* A request to a driver */
struct trial {
	const struct mode *mode;
	bool open;
	/* The message to decrypt is a right one, without changes. */
	bool is_sealed;
	unsigned int traits[TRAITS];
};

#define ALL		(BIT(CIPHER) | BIT(SKCIPHER) | BIT(AEAD) | BIT(MAC))
#define WITH_IV		(BIT(SKCIPHER) | BIT(AEAD))

enum direction { BOTH, SEAL, OPEN };

/**
 * struct rule - requests that are tried one by one
 * @what: description of the trial
 * @kinds: bits of enum mode_kind for which it is tried
 * @trait: gets each value of @first, @first + @step ... @last
 * @first: the first value
 * @last: the last one
 * @step: from one to the next
 * @direction: the direction, if not both
 * @set: unusual values of other traits
 */
struct rule {
	const char *what;
	unsigned int kinds;
	enum trait trait;
	unsigned int first, last, step;
	enum direction direction;
	unsigned int set[TRAITS];
};

/* right_answer() gives the right answer for each. */
extern const struct rule rules[];
extern const unsigned int rule_count;

/*
 * The contents of a request: its key, IV and texts, and the right answer. If @key is set, it is
 * the key. Initially all is 0.
 */
struct contents {
	struct aead_message message;
	const u8 *key;
	u8 *aad, *text, *sealed;
};

/* Bytes before the text, and of text and tag, in a driver's request */
static inline unsigned int aad_bytes(const struct trial *r)
{
	return r->mode->kind == AEAD ? r->traits[AAD] : 0;
}

static inline unsigned int tag_bytes(const struct trial *r)
{
	return r->mode->kind == AEAD ? r->traits[TAG] : 0;
}

static inline unsigned int given_bytes(const struct trial *r)
{
	if (r->open && r->mode->kind == AEAD && r->traits[SEALED] != NONE)
		return r->traits[SEALED];
	return r->traits[TEXT] + (r->open ? tag_bytes(r) : 0);
}

static inline unsigned int written_bytes(const struct trial *r)
{
	unsigned int tag = tag_bytes(r);

	if (!r->open)
		return r->traits[TEXT] + tag;
	return given_bytes(r) - min(given_bytes(r), tag);
}

/* The only definition of the right answer: an errno, or 0 if the request succeeds. */
int right_answer(const struct trial *r);

/* Describe the trial, for a message. */
void print_trial(const struct trial *r, char *text, size_t bytes);

/* Whether a driver must not change the destination if the request fails */
bool leaves_alone(const struct mode *mode, int answer);

/*
 * The only definition of the IV that a request of a cipher leaves, in both directions: changes @iv,
 * with which it has begun, for a text of @bytes, whose ciphertext is @sealed.
 */
void leave_iv(const struct mode *mode, u8 iv[BLOCK], const u8 *sealed, size_t bytes);

/* A request that is legal, with 48 bytes of text */
void usual_trial(struct trial *r, const struct mode *mode);

/* A random request. Most are legal. */
void random_trial(struct trial *r, const struct mode *mode);

/*
 * Random places in memory, for half of the requests; the others are left to a placement. In half of
 * them, SIMD is not usable. There are some thousand entries at most.
 */
void random_layout(struct trial *r);

/* Each value of a rule, if it is for the mode */
void try_rule(const struct rule *rule, const struct mode *mode,
	      void (*try)(struct trial *r, const char *what));

/*
 * A random IV. Some soon carry out of their last 32, 64, 96 or 128 bits, taken as
 * a big-endian number.
 */
void random_iv(u8 iv[BLOCK]);

/* Make a new key, which has room for MAX_KEY bytes, and IV. */
void make_key_and_iv(const struct trial *r, u8 *key, u8 *iv);

/*
 * Make random contents, and get the right answer from the reference; then change them, if that is
 * tried. The answer of a MAC is in @sealed.
 */
void prepare_trial(struct trial *r, struct contents *c);

#endif
