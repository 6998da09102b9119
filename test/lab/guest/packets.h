/* SPDX-License-Identifier: GPL-2.0 */
/* For modules that submit packets of ESP to a driver of authenc(): transforms, and their keys */
#ifndef TEST_LAB_PACKETS_H
#define TEST_LAB_PACKETS_H

#include <linux/rtnetlink.h>
#include <crypto/aead.h>
#include <crypto/authenc.h>
#include "threads.h"

#define TAG_BYTES	16
#define BLOCK_BYTES	16

/* A head, which has the length of SM4's key; the hash's key; SM4's key */
#define KEY_HEAD	8
#define KEY_BYTES	(KEY_HEAD + 32 + 16)

/* Returns a transform of the driver with this name, for tags of TAG_BYTES, or an error pointer. */
static struct crypto_aead *allocate(const char *name)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return tfm;
	err = crypto_aead_setauthsize(tfm, TAG_BYTES);
	if (err) {
		crypto_free_aead(tfm);
		return ERR_PTR(err);
	}
	return tfm;
}

/* Set the head of a key; the caller sets the two keys after it. */
static void set_key_head(u8 key[KEY_BYTES])
{
	struct rtattr *attribute = (void *)key;
	struct crypto_authenc_key_param *param = RTA_DATA(attribute);

	attribute->rta_type = CRYPTO_AUTHENC_KEYA_PARAM;
	attribute->rta_len = RTA_LENGTH(sizeof(*param));
	param->enckeylen = cpu_to_be32(16);
}

#endif
