// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The engine of test/requests by AF_ALG (af-alg.h). */
#include <errno.h>
#include <gcrypt.h>
#include <linux/if_alg.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "af-alg.h"
#include "../host/reference.h"

#ifndef SOL_ALG
#define SOL_ALG	279
#endif

/* All that is sent at once, or read, and bytes after it that must not be written */
#define REQUEST_MAX	(2 * MESSAGE_BYTES_MAX)
#define BEHIND		64
#define UNTOUCHED	0x5a

/* ---- results ---- */

const char *name_for_failures;
void (*end_after_failure)(void);

static char description[512];

void describe(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(description, sizeof(description), format, arguments);
	va_end(arguments);
}

void fail_case(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("# %s: ", name_for_failures);
	vprintf(format, arguments);
	printf(": %s\n", description);
	va_end(arguments);
	end_after_failure();
}

/* ---- random numbers (xorshift), and memory ---- */

static uint64_t random_state;

void seed_random(uint64_t seed)
{
	random_state = 0x9e3779b97f4a7c15 + seed;
}

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

unsigned int random_below(unsigned int limit)
{
	return (next_random() >> 32) % limit;
}

void random_fill(void *p, size_t bytes)
{
	uint8_t *byte = p;

	while (bytes--)
		*byte++ = next_random() >> 56;
}

void *memory_allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	check(memory);
	return memory;
}

/* ---- the right answers; those of the kernel's templates over our drivers ---- */

/* RFC 3686: the counter block is nonce (the end of the key), IV, and a 32-bit counter from 1. */
static void rfc3686(const struct aead_message *m, u8 *sealed)
{
	u8 counter[BLOCK] = { [15] = 1 };

	memcpy(counter, m->key + KEY_BYTES, 4);
	memcpy(counter + 4, m->iv, 8);
	gcrypt_skcipher(find_mode("ctr(sm4)"), m->key, counter, sealed, m->text, m->text_bytes);
}

/* ESSIV: CBC whose IV is first encrypted, with the hash of the key as its key. */
static void essiv_md5(const struct aead_message *m, u8 *sealed)
{
	u8 salt[BLOCK], iv[BLOCK];

	gcry_md_hash_buffer(GCRY_MD_MD5, salt, m->key, KEY_BYTES);
	encrypt_block(salt, iv, m->iv);
	gcrypt_skcipher(find_mode("cbc(sm4)"), m->key, iv, sealed, m->text, m->text_bytes);
}

/* HMAC of a message in two pieces */
static void hmac(int algorithm, const u8 *key, size_t key_bytes,
		 const u8 *first, size_t first_bytes, const u8 *second, size_t second_bytes,
		 u8 *mac, size_t mac_bytes)
{
	gcry_mac_hd_t handle;

	gcrypt_must(gcry_mac_open(&handle, algorithm, 0, NULL));
	gcrypt_must(gcry_mac_setkey(handle, key, key_bytes));
	gcrypt_must(gcry_mac_write(handle, first, first_bytes));
	gcrypt_must(gcry_mac_write(handle, second, second_bytes));
	gcrypt_must(gcry_mac_read(handle, mac, &mac_bytes));
	gcry_mac_close(handle);
}

static void authenc_sha256(const struct aead_message *m, u8 *sealed)
{
	const size_t mac_key_bytes = m->key_bytes - KEY_HEAD - KEY_BYTES;
	const u8 *mac_key = m->key + KEY_HEAD;

	gcrypt_skcipher(find_mode("cbc(sm4)"), mac_key + mac_key_bytes, m->iv, sealed, m->text,
			m->text_bytes);
	hmac(GCRY_MAC_HMAC_SHA256, mac_key, mac_key_bytes, m->aad, m->aad_bytes, sealed,
	     m->text_bytes, sealed + m->text_bytes, m->tag_bytes);
}

static void hmac_sm3(const struct aead_message *m, u8 *mac)
{
	hmac(GCRY_MAC_HMAC_SM3, m->key, m->key_bytes, m->text, m->text_bytes, NULL, 0, mac, 32);
}

/**
 * struct template - a template of the kernel over drivers of ours
 * @like: our mode with the same properties, except for those that follow
 * @seal: the right answer
 * @mode: its properties
 */
static struct template {
	const char *name, *like;
	unsigned int key_bytes, iv_bytes;
	enum left_iv left_iv;
	void (*seal)(const struct aead_message *m, u8 *sealed);
	struct mode mode;
} templates[] = {
	{ "rfc3686(ctr(sm4))", "ctr(sm4)", 20, 8, UNCHANGED, rfc3686 },
	{ "essiv(cbc(sm4),md5)", "cbc(sm4)", 16, 16, LAST_BLOCK, essiv_md5 },
	{ "authenc(hmac(sha256),cbc(sm4))", "authenc(hmac(sm3),cbc(sm4))", 0, 16, UNCHANGED,
	  authenc_sha256 },
	{ "hmac(sm3)", "sm3", 32, 0, UNCHANGED, hmac_sm3 },
};

const struct mode *find_algorithm(const char *name)
{
	struct template *t;

	for (t = templates; t < templates + ARRAY_SIZE(templates); t++) {
		if (strcmp(t->name, name))
			continue;
		t->mode = *find_mode(t->like);
		t->mode.name = name;
		t->mode.key_bytes = t->key_bytes;
		t->mode.iv_bytes = t->iv_bytes;
		t->mode.left_iv = t->left_iv;
		return &t->mode;
	}
	return find_mode(name);
}

void reference_seal(const struct trial *r, struct contents *c)
{
	const struct template *t;

	for (t = templates; t < templates + ARRAY_SIZE(templates); t++)
		if (r->mode == &t->mode)
			return t->seal(&c->message, c->sealed);
	gcrypt_seal(r->mode, &c->message, c->sealed);
}

/* Then nothing is sealed: random bytes have no right tag either. */
bool reference_tag(const struct trial *r, struct contents *c)
{
	return false;
}

/* ---- sockets ---- */

int af_alg_open(struct af_alg *driver, const struct mode *mode, const char *name)
{
	static const char *const types[] = {
		[SKCIPHER] = "skcipher", [AEAD] = "aead", [MAC] = "hash",
	};
	struct sockaddr_alg address = { .salg_family = AF_ALG };
	int error;

	snprintf((char *)address.salg_type, sizeof(address.salg_type), "%s", types[mode->kind]);
	snprintf((char *)address.salg_name, sizeof(address.salg_name), "%s", name);
	driver->mode = mode;
	driver->socket = -1;
	driver->key_socket = socket(AF_ALG, SOCK_SEQPACKET, 0);
	if (driver->key_socket < 0)
		return -errno;
	if (!bind(driver->key_socket, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = -errno;
	close(driver->key_socket);
	return error;
}

int af_alg_set_key(struct af_alg *driver, const struct trial *r, const struct contents *c)
{
	if (has_key(driver->mode) &&
	    setsockopt(driver->key_socket, SOL_ALG, ALG_SET_KEY, c->message.key,
		       c->message.key_bytes))
		return -errno;
	if (driver->mode->kind == AEAD &&
	    setsockopt(driver->key_socket, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, r->traits[TAG]))
		return -errno;
	return 0;
}

void af_alg_begin(struct af_alg *driver)
{
	driver->socket = accept(driver->key_socket, NULL, NULL);
	check(driver->socket >= 0);
}

void af_alg_end(struct af_alg *driver)
{
	close(driver->socket);
	driver->socket = -1;
}

void af_alg_close(struct af_alg *driver)
{
	if (driver->socket >= 0)
		af_alg_end(driver);
	close(driver->key_socket);
}

/* ---- messages ---- */

/* What comes with the bytes that are sent: the direction, and whether the others are set. */
struct settings {
	bool open;
	const u8 *iv;
	unsigned int iv_bytes;
	bool has_aad;
	u32 aad_bytes;
};

static void *append(struct msghdr *message, int type, size_t bytes)
{
	struct cmsghdr *header = (void *)((u8 *)message->msg_control + message->msg_controllen);

	header->cmsg_level = SOL_ALG;
	header->cmsg_type = type;
	header->cmsg_len = CMSG_LEN(bytes);
	message->msg_controllen += CMSG_SPACE(bytes);
	return CMSG_DATA(header);
}

/* @settings may be NULL. Returns an error, or 0. */
static int send_bytes(int socket, const u8 *bytes, size_t count, bool more,
		      const struct settings *settings)
{
	u8 control[256] __attribute__((__aligned__(__alignof__(struct cmsghdr)))) = { 0 };
	struct iovec place = { (void *)bytes, count };
	struct msghdr message = { .msg_iov = &place, .msg_iovlen = 1, .msg_control = control };
	u32 operation;
	ssize_t sent;

	if (settings) {
		operation = settings->open ? ALG_OP_DECRYPT : ALG_OP_ENCRYPT;
		memcpy(append(&message, ALG_SET_OP, sizeof(u32)), &operation, sizeof(u32));
		if (settings->iv_bytes) {
			struct af_alg_iv *iv = append(&message, ALG_SET_IV,
						      sizeof(*iv) + settings->iv_bytes);

			iv->ivlen = settings->iv_bytes;
			memcpy(iv->iv, settings->iv, settings->iv_bytes);
		}
		if (settings->has_aad)
			memcpy(append(&message, ALG_SET_AEAD_ASSOCLEN, sizeof(u32)),
			       &settings->aad_bytes, sizeof(u32));
	}
	sent = sendmsg(socket, &message, more ? MSG_MORE : 0);
	if (sent < 0)
		return -errno;
	check_equal(sent, count);
	return 0;
}

/* In random parts, at any place of a page */
static int send_in_parts(int socket, const u8 *bytes, size_t count,
			 const struct settings *settings)
{
	const bool in_parts = random_below(2);
	size_t part;
	int err;

	do {
		part = in_parts && count ? 1 + random_below(count) : count;
		count -= part;
		err = send_bytes(socket, bytes, part, count, settings);
		settings = NULL;
		bytes += part;
	} while (count && !err);
	return err;
}

/*
 * Read @expected bytes, for which there is room for @room. Returns their number or an error. They
 * have to be right, and nothing behind them may have been written.
 */
static int read_answer(int socket, size_t room, const u8 *right, size_t expected)
{
	static u8 memory[REQUEST_MAX + BEHIND + 4096] __attribute__((__aligned__(4096)));
	u8 *place = memory + random_below(61), untouched[BEHIND];
	ssize_t got;

	memset(untouched, UNTOUCHED, BEHIND);
	memset(place, UNTOUCHED, room + BEHIND);
	got = recv(socket, place, room, MSG_DONTWAIT);
	check_bytes(place + room, untouched, BEHIND, "what is behind the answer");
	if (got < 0)
		return -errno;
	if ((size_t)got == expected) {
		check_bytes(place, right, expected, "answer");
		check_bytes(place + got, untouched, min(room - got, (size_t)BEHIND),
			    "room that the answer does not need");
	}
	return got;
}

/* ---- requests ---- */

/* A message in parts, whose computation moves to another socket now and then */
static int ask_mac(struct af_alg *driver, const struct contents *c)
{
	const u8 *text = c->text;
	size_t left = c->message.text_bytes, part;
	int err = 0, moved;

	while (left && !err) {
		const bool is_last = random_below(2);

		part = is_last ? left : 1 + random_below(left);
		err = send_bytes(driver->socket, text, part, !is_last, NULL);
		text += part;
		left -= part;
		if (is_last || err || random_below(4))
			continue;
		moved = accept(driver->socket, NULL, NULL);
		check(moved >= 0);
		close(driver->socket);
		driver->socket = moved;
	}
	return err ?: read_answer(driver->socket, driver->mode->digest_bytes, c->sealed,
				  driver->mode->digest_bytes);
}

static bool kernel_takes_empty_requests(void)
{
	unsigned int major, minor;
	struct utsname name;

	check(!uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2);
	return major > 5 || (major == 5 && minor >= 9);
}

bool af_alg_takes(const struct trial *r)
{
	return r->mode->kind == MAC || aad_bytes(r) + given_bytes(r) ||
	       kernel_takes_empty_requests();
}

int af_alg_ask(const struct trial *r, const struct contents *c, void *af_alg)
{
	static u8 in[REQUEST_MAX + 64], right[REQUEST_MAX];
	struct af_alg *driver = af_alg;
	const struct mode *mode = driver->mode;
	const size_t aad = aad_bytes(r), expected = aad + written_bytes(r);
	struct settings settings = {
		.open = r->open, .iv = c->message.iv, .iv_bytes = mode->iv_bytes,
		.has_aad = mode->kind == AEAD, .aad_bytes = aad,
	};
	u8 *place = in + random_below(64);
	int got;

	if (mode->kind == MAC) {
		got = ask_mac(driver, c);
		if (got >= 0)
			check_equal(got, mode->digest_bytes);
		return min(got, 0);
	}
	memcpy(place, c->aad, aad);
	memcpy(place + aad, r->open ? c->sealed : c->text, given_bytes(r));
	memcpy(right, c->aad, aad);
	memcpy(right + aad, r->open ? c->text : c->sealed, written_bytes(r));
	got = send_in_parts(driver->socket, place, aad + given_bytes(r), &settings) ?:
	      read_answer(driver->socket, expected + 1 + random_below(100), right, expected);
	if (got >= 0)
		check_equal(got, expected);
	return min(got, 0);
}

/* ---- flows ---- */

int send_of_flow(const struct flow *flow, const struct flow_step *step, void *af_alg)
{
	const struct af_alg *driver = af_alg;
	const struct settings settings = {
		.open = step->open, .iv = step->iv,
		.iv_bytes = step->sets_iv ? flow->mode->iv_bytes : 0,
	};

	return send_bytes(driver->socket, flow->in + step->at, step->bytes, step->more,
			  step->sets_direction ? &settings : NULL);
}

int read_of_flow(const struct flow_step *step, const struct trial *r, const struct contents *c,
		 void *af_alg)
{
	const struct af_alg *driver = af_alg;

	return read_answer(driver->socket, step->room, r->open ? c->text : c->sealed, step->bytes);
}
