// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The engine of test/requests on the shim, and requests that are completed later (requests.h). */
#include <errno.h>
#include "requests.h"
#include "shim/control.h"

/* ---- the calls of a driver ---- */

/* What SIMD is where a trial does not say it */
static enum simd_policy usual_simd_policy;

void begin_call(const struct trial *r)
{
	shim_set_steps_cross_pages(random_below(2));
	if (r->traits[NO_SIMD])
		usual_simd_policy = shim_set_simd_policy(SIMD_NEVER);
}

void end_call(const struct trial *r)
{
	if (r->traits[NO_SIMD])
		shim_set_simd_policy(usual_simd_policy);
}

/* Allocations fail only where a program says so, which then expects the error. */
bool has_lacked_memory(int err)
{
	return false;
}

/* ---- the right answers, by libgcrypt ---- */

void reference_seal(const struct trial *r, struct contents *c)
{
	gcrypt_seal(r->mode, &c->message, c->sealed);
}

bool reference_tag(const struct trial *r, struct contents *c)
{
	authenc_tag(r->mode, &c->message, c->sealed);
	return true;
}

/* ---- several requests with a key ---- */

void random_key(const struct mode *mode, struct aead_message *message, size_t mac_key_bytes)
{
	struct trial r;

	usual_trial(&r, mode);
	make_key_and_iv(&r, message->key, message->iv);
	message->key_bytes = is_authenc(mode) ? KEY_HEAD + mac_key_bytes + KEY_BYTES :
						mode->key_bytes;
}

void set_random_key(struct keyed_aead *aead, const struct mode *mode, struct crypto_aead *tfm)
{
	aead->tfm = tfm;
	aead->mode = mode;
	/* A shorter tag may be right by chance. */
	aead->tag_bytes = 4 + random_below(TAG_MAX - 3);
	random_key(mode, &aead->message, random_below(MAC_KEY_MAX + 1));
	check_equal(crypto_aead_setkey(tfm, aead->message.key, aead->message.key_bytes), 0);
	check_equal(crypto_aead_setauthsize(tfm, aead->tag_bytes), 0);
}

void async_prepare(struct async_request *async, const struct keyed_aead *aead,
		   const struct placement *placement)
{
	struct trial *r = &async->trial;
	struct aead_request *request;

	r->traits[KEY] = aead->message.key_bytes;
	r->traits[TAG] = aead->tag_bytes;
	async->contents.key = aead->message.key;
	prepare_trial(r, &async->contents);
	attempt_place(&async->attempt, r, &async->contents, placement);
	async->done = false;
	request = aead_request_alloc(aead->tfm, GFP_KERNEL);
	aead_request_set_callback(request, 0, async_complete, async);
	aead_request_set_crypt(request, async->attempt.memory.src, async->attempt.memory.dst,
			       async->attempt.in_bytes, async->contents.message.iv);
	aead_request_set_ad(request, async->attempt.aad_bytes);
	async->request = request;
}

void async_complete(void *data, int err)
{
	struct async_request *async = data;

	check(!async->done);
	async->done = true;
	async->err = err;
}

int async_submit(struct async_request *async)
{
	int err = async->trial.open ? crypto_aead_decrypt(async->request) :
				      crypto_aead_encrypt(async->request);

	if (err != -EINPROGRESS)
		async_complete(async, err);
	return err;
}

void async_check(struct async_request *async, const char *what)
{
	char text[256];

	print_trial(&async->trial, text, sizeof(text));
	describe("%s: %s, %s", what, text, async->attempt.placement->name);
	check(async->done);
	check_equal(async->err, right_answer(&async->trial));
	attempt_check(&async->attempt, async->err);
	aead_request_free(async->request);
}
