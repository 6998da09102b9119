// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Flows of ESP's packets to a driver of authenc() (packets.h). */
#include "packets.h"

int open_packet_tfm(struct crypto_aead **tfm, const char *name)
{
	struct crypto_aead *new = crypto_alloc_aead(name, 0, 0);

	if (IS_ERR(new))
		return PTR_ERR(new);
	*tfm = new;
	return crypto_aead_setauthsize(new, TAG_BYTES);
}

int set_packet_key(struct crypto_aead *tfm, u8 key[PACKET_KEY_BYTES])
{
	put_authenc_head(key, KEY_HEAD, KEY_HEAD_TYPE, KEY_BYTES);
	return crypto_aead_setkey(tfm, key, PACKET_KEY_BYTES);
}

int open_packet_flow(struct packet_flow *flow, const char *name)
{
	spin_lock_init(&flow->lock);
	flow->submitted = 0;
	flow->completed = 0;
	return open_packet_tfm(&flow->tfm, name);
}

int crypt_packet(struct aead_request *req, bool decrypt)
{
	return decrypt ? crypto_aead_decrypt(req) : crypto_aead_encrypt(req);
}

int submit_in_order(struct packet_flow *flow, struct aead_request *req, bool decrypt,
		    unsigned int *number)
{
	int err;

	*number = flow->submitted++;
	err = crypt_packet(req, decrypt);
	if (err != -EINPROGRESS)
		flow->submitted--;
	return err;
}

void check_order(struct threads *threads, const struct packet_flow *flow, unsigned int number)
{
	if (number != flow->completed)
		complain(threads, "request %u was done as number %u", number, flow->completed);
}
