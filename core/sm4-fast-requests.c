// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Services for requests: the loop that processes a text in FPU sections; and for requests with
 * authentication, copies, lengths and tags.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <crypto/scatterwalk.h>
#include "sm4-fast-requests.h"

void sm4_process_section(struct sm4_work *work, const struct sm4_tier *working,
			 u8 *dst, const u8 *src, unsigned int bytes)
{
	if (work->tweak_key) {
		sm4_encrypt_tweak(working, work->tweak_key, work->iv);
		work->tweak_key = NULL;
	}
	sm4_tier_crypt(working, work->operation, work->keys, dst, src, work->iv,
		       bytes);
}

void sm4_process_in_sections(struct sm4_work *work, u8 *dst, const u8 *src,
			     unsigned int bytes)
{
	while (bytes) {
		unsigned int n = min(bytes, sm4_section_size(work));
		const struct sm4_tier *working = sm4_begin(work->tier);

		sm4_process_section(work, working, dst, src, n);
		sm4_end(working);
		dst += n;
		src += n;
		bytes -= n;
	}
}

void sm4_copy(u8 *buffer, struct scatterlist *sg, unsigned int offset,
	      unsigned int bytes, bool out)
{
	u8 *flat = sm4_flat(sg, offset, bytes);

	if (!flat)
		scatterwalk_map_and_copy(buffer, sg, offset, bytes, out);
	else if (out)
		memcpy(flat, buffer, bytes);
	else
		memcpy(buffer, flat, bytes);
}

int sm4_aead_tag(struct aead_request *req, u8 *tag, bool decrypt)
{
	unsigned int authsize = crypto_aead_authsize(crypto_aead_reqtfm(req));
	unsigned int end = req->assoclen + req->cryptlen;
	u8 received[SM4_AEAD_TAG_MAX];

	if (!decrypt) {
		sm4_copy(tag, req->dst, end, authsize, true);
		return 0;
	}
	sm4_copy(received, req->src, end - authsize, authsize, false);
	return crypto_memneq(received, tag, authsize) ? -EBADMSG : 0;
}

unsigned int sm4_aead_cryptlen(struct aead_request *req, bool decrypt)
{
	if (!decrypt)
		return req->cryptlen;
	return req->cryptlen - crypto_aead_authsize(crypto_aead_reqtfm(req));
}
