/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * For suites that submit packets of ESP to a driver of authenc(): flows of requests that have to
 * be completed in the order of submission
 */
#ifndef TEST_KUNIT_PACKETS_H
#define TEST_KUNIT_PACKETS_H

#include <linux/rtnetlink.h>
#include <linux/spinlock.h>
#include <linux/version.h>
#include <crypto/aead.h>
#include <crypto/authenc.h>
#include "threads.h"

#define TAG_BYTES	16
#define BLOCK_BYTES	16

/* A head, which has the length of SM4's key; the hash's key; SM4's key */
#define KEY_HEAD	8
#define KEY_BYTES	(KEY_HEAD + 32 + 16)

struct flow {
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
static int open_tfm(struct crypto_aead **tfm, const char *name)
{
	struct crypto_aead *new = crypto_alloc_aead(name, 0, 0);

	if (IS_ERR(new))
		return PTR_ERR(new);
	*tfm = new;
	return crypto_aead_setauthsize(new, TAG_BYTES);
}

static int set_key(struct crypto_aead *tfm, u8 key[KEY_BYTES])
{
	struct rtattr *attribute = (void *)key;
	struct crypto_authenc_key_param *param = RTA_DATA(attribute);

	attribute->rta_type = CRYPTO_AUTHENC_KEYA_PARAM;
	attribute->rta_len = RTA_LENGTH(sizeof(*param));
	param->enckeylen = cpu_to_be32(16);
	return crypto_aead_setkey(tfm, key, KEY_BYTES);
}

/* Begin a flow of requests to the driver with this name. */
static int open_flow(struct flow *flow, const char *name)
{
	spin_lock_init(&flow->lock);
	flow->submitted = 0;
	flow->completed = 0;
	return open_tfm(&flow->tfm, name);
}

/* Encrypt or decrypt at once, or begin to. */
static int crypt(struct aead_request *req, bool decrypt)
{
	return decrypt ? crypto_aead_decrypt(req) : crypto_aead_encrypt(req);
}

/* With softirqs off, and the lock held: the number is set before the request is completed. */
static int submit_in_order(struct flow *flow, struct aead_request *req, bool decrypt,
			   unsigned int *number)
{
	int err;

	*number = flow->submitted++;
	err = crypt(req, decrypt);
	if (err != -EINPROGRESS)
		flow->submitted--;
	return err;
}

/* Completions of a flow come one after the other. */
static void check_order(const struct flow *flow, unsigned int number)
{
	if (number != flow->completed)
		complain("request %u was done as number %u", number, flow->completed);
}

#endif
