/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * For suites that submit packets of ESP to a driver of authenc(): flows of requests that have to
 * be completed in the order of submission
 */
#ifndef TEST_KUNIT_PACKETS_H
#define TEST_KUNIT_PACKETS_H

#include <linux/spinlock.h>
#include <linux/version.h>
#include <crypto/aead.h>
#include "../requests/message.h"
#include "threads.h"

#define TAG_BYTES	16

/* Of authenc's key */
#define PACKET_KEY_BYTES	(KEY_HEAD + 32 + KEY_BYTES)

struct packet_flow {
	struct crypto_aead *tfm;
	spinlock_t lock;	/* held while a request gets its number and is submitted */
	unsigned int submitted, completed;
};

/* Before 6.3, the argument of a completion is the request, not its data. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define COMPLETED	struct crypto_async_request
#define DATA_OF(argument)	((argument)->data)
#else
#define COMPLETED	void
#define DATA_OF(argument)	(argument)
#endif

/* Make a transform of the driver with this name, for tags of TAG_BYTES. */
int open_packet_tfm(struct crypto_aead **tfm, const char *name);

/* Set a key, of whose head all bytes are written. */
int set_packet_key(struct crypto_aead *tfm, u8 key[PACKET_KEY_BYTES]);

/* Begin a flow of requests to the driver with this name. */
int open_packet_flow(struct packet_flow *flow, const char *name);

/* Encrypt or decrypt at once, or begin to. */
int crypt_packet(struct aead_request *req, bool decrypt);

/* With softirqs off, and the lock held: the number is set before the request is completed. */
int submit_in_order(struct packet_flow *flow, struct aead_request *req, bool decrypt,
		    unsigned int *number);

/* Completions of a flow come one after the other. */
void check_order(struct threads *threads, const struct packet_flow *flow, unsigned int number);

#endif
