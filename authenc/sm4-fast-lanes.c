// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Several requests of ESP's authenc() at once. Each is a serial chain of CBC blocks and one of SM3
 * blocks. Processing one block of each of many chains takes hardly longer than processing one
 * block. So the chains are processed side by side, in lanes: of CBC here, each with its own key,
 * and of SM3 in sm3/sm3-lanes.c. The results are as from sm4-fast-authenc.c, which processes the
 * requests if they are too few or memory is short.
 *
 * AAD and text of a request in a lane are contiguous, in place or in a copy.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../sm3/sm3-lanes.h"
#include "sm4-authenc.h"

/* The minimum number of messages for which lanes are faster, and the longest message */
#define SM4_LANES_LEAST		3
#define SM4_LANE_BYTES		16384

/*
 * The message of a request
 *
 * @all: AAD and text
 * @copied: @all is a copy.
 */
struct sm4_lanes_message {
	struct sm4_authenc_request *request;
	u8 *all;
	bool copied;
};

/* @macs: of the same message in @messages, HMAC's inner hash, then the outer one */
struct sm4_lanes_work {
	struct sm4_lanes lanes;
	struct sm3_lanes hashing;
	struct sm4_lanes_message messages[SM4_LANES];
	struct sm3_lane_message macs[SM4_LANES];
};

const size_t sm4_lanes_work_size = sizeof(struct sm4_lanes_work);

/* ---- messages ---- */

/*
 * Move the requests with the tier and direction of the first one to the front, the longest first,
 * and count them. So the lanes whose messages are not finished are always the first ones.
 */
static unsigned int sm4_lanes_sort(struct sm4_authenc_request **requests,
				   unsigned int count)
{
	const struct sm4_tier *tier = requests[0]->driver->tier;
	const bool decrypt = requests[0]->decrypt;
	unsigned int alike = 0, i, j;

	for (i = 0; i < count; i++) {
		struct sm4_authenc_request *request = requests[i];

		if (request->driver->tier != tier || request->decrypt != decrypt)
			continue;
		requests[i] = requests[alike];
		for (j = alike++; j && requests[j - 1]->cryptlen < request->cryptlen; j--)
			requests[j] = requests[j - 1];
		requests[j] = request;
	}
	return alike;
}

/* Returns false if the message is too long, or there is no memory for a copy of it. */
static bool sm4_lanes_begin(struct sm4_lanes_message *message,
			    struct sm4_authenc_request *request)
{
	struct aead_request *req = request->req;
	unsigned int bytes = req->assoclen + request->cryptlen;
	bool in_place;

	if (bytes > SM4_LANE_BYTES)
		return false;
	message->request = request;
	message->all = sm4_flat(req->src, 0, bytes);
	in_place = req->src == req->dst ||
		   (request->decrypt &&
		    sm4_flat(req->dst, req->assoclen, request->cryptlen));
	message->copied = !message->all || !in_place;
	if (!message->copied)
		return true;
	message->all = kmalloc(bytes, GFP_ATOMIC | __GFP_NOWARN);
	if (message->all)
		sm4_copy(message->all, req->src, 0, bytes, false);
	return message->all;
}

static u8 *sm4_lanes_text(const struct sm4_lanes_message *message)
{
	return message->all + message->request->req->assoclen;
}

/* ---- CBC encryption ---- */

static size_t sm4_lanes_blocks(const struct sm4_lanes_message *message)
{
	return message->request->cryptlen / SM4_BLOCK_SIZE;
}

static void sm4_lanes_begin_cbc(struct sm4_lanes_work *work, unsigned int count)
{
	struct sm4_lanes *lanes = &work->lanes;
	unsigned int i, l;

	for (l = 0; l < count; l++) {
		const struct sm4_authenc_request *request =
			work->messages[l].request;
		const u32 *keys = request->ctx->cipher.enc.mapped;

		for (i = 0; i < ARRAY_SIZE(lanes->keys); i++)
			memcpy(lanes->keys[i][l], keys + 4 * i,
			       sizeof(lanes->keys[i][l]));
		memcpy(lanes->chain[l], request->req->iv, SM4_BLOCK_SIZE);
	}
}

/* Copy blocks of all messages, from number @from on, to the lanes or @out of them. */
static void sm4_lanes_copy(struct sm4_lanes_work *work, unsigned int count,
			   size_t from, size_t nblocks, bool out)
{
	unsigned int l;
	size_t i;

	for (l = 0; l < count; l++) {
		const struct sm4_lanes_message *message = &work->messages[l];
		u8 *text = sm4_lanes_text(message) + from * SM4_BLOCK_SIZE;
		size_t n = min(nblocks, sm4_lanes_blocks(message) - from);

		for (i = 0; i < n; i++, text += SM4_BLOCK_SIZE) {
			u8 *lane = work->lanes.text[i][l];

			memcpy(out ? text : lane, out ? lane : text,
			       SM4_BLOCK_SIZE);
		}
	}
}

/* Encrypt the rest of one message, from block @done on. */
static void sm4_lanes_encrypt_alone(const struct sm4_lanes_message *message,
				    u8 iv[SM4_BLOCK_SIZE], size_t done)
{
	const struct sm4_authenc_request *request = message->request;
	u8 *text = sm4_lanes_text(message) + done * SM4_BLOCK_SIZE;

	sm4_process_in_sections(&(struct sm4_work){
		.tier = request->driver->tier,
		.operation = SM4_CBC_ENCRYPT,
		.keys = &request->ctx->cipher.enc,
		.iv = iv,
	}, text, text, request->cryptlen - done * SM4_BLOCK_SIZE);
}

static void sm4_lanes_encrypt(struct sm4_lanes_work *work,
			      const struct sm4_tier *tier, unsigned int count)
{
	size_t done = 0, n;
	unsigned int l;

	sm4_lanes_begin_cbc(work, count);
	for (;;) {
		while (count && sm4_lanes_blocks(&work->messages[count - 1]) <= done)
			count--;
		if (count < SM4_LANES_LEAST || !sm4_begin_section(&tier->base, NULL))
			break;
		if (!done)
			tier->set_lane_keys(&work->lanes);
		n = min_t(size_t, SM4_LANE_BLOCKS,
			  sm4_lanes_blocks(work->messages) - done);
		sm4_lanes_copy(work, count, done, n, false);
		tier->cbc_encrypt_lanes(&work->lanes, n);
		sm4_end_section(&tier->base);
		sm4_lanes_copy(work, count, done, n, true);
		done += n;
	}
	for (l = 0; l < count; l++)
		sm4_lanes_encrypt_alone(&work->messages[l], work->lanes.chain[l],
					done);
	memzero_explicit(work->lanes.keys, sizeof(work->lanes.keys));
}

/* ---- HMAC ---- */

static void sm4_lanes_begin_inner(struct sm3_lane_message *mac,
				  const struct sm4_lanes_message *message)
{
	const struct sm4_authenc_request *request = message->request;
	struct sm4_authenc_part places[SM4_AUTHENC_PARTS];
	struct sm3_part parts[SM4_AUTHENC_PARTS];
	int i;

	sm4_authenc_list_parts(request, places);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		parts[i] = (struct sm3_part) { message->all + places[i].offset, places[i].bytes };
	sm3_lane_begin(mac, request->ctx->inner, parts, ARRAY_SIZE(parts),
		       SM3_BLOCK_SIZE + request->req->assoclen + request->cryptlen);
}

/* Compute HMAC of all messages: the inner hashes, then the outer ones. */
static void sm4_lanes_mac(struct sm4_lanes_work *work, const struct sm4_driver *driver,
			  unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		sm4_lanes_begin_inner(&work->macs[i], &work->messages[i]);
	sm3_lanes_hash(&work->hashing, driver->tier, driver->hash_tier, work->macs, count);
	for (i = 0; i < count; i++)
		sm3_lane_begin_digest(&work->macs[i], work->messages[i].request->ctx->outer,
				      SM3_BLOCK_SIZE + SM3_DIGEST_SIZE);
	sm3_lanes_hash(&work->hashing, driver->tier, driver->hash_tier, work->macs, count);
}

/* ---- the end ---- */

/* Write or compare the tag; decrypt. */
static void sm4_lanes_end(struct sm4_lanes_message *message,
			  const struct sm3_lane_message *mac)
{
	struct sm4_authenc_request *request = message->request;
	u8 *copy = message->copied ? sm4_lanes_text(message) : NULL;
	struct aead_request *req = request->req;

	request->err = sm4_authenc_end(request, mac->state, copy);
	if (!message->copied)
		return;
	if (!request->err)
		sm4_copy(copy, req->dst, req->assoclen, request->cryptlen, true);
	memzero_explicit(message->all, req->assoclen + request->cryptlen);
	kfree(message->all);
}

/* All requests have the tier and direction of the first one. */
static void sm4_lanes_crypt_messages(struct sm4_lanes_work *work,
				     unsigned int count)
{
	const struct sm4_authenc_request *first = work->messages[0].request;
	unsigned int i;

	if (!first->decrypt)
		sm4_lanes_encrypt(work, first->driver->tier, count);
	sm4_lanes_mac(work, first->driver, count);
	for (i = 0; i < count; i++)
		sm4_lanes_end(&work->messages[i], &work->macs[i]);
	memzero_explicit(work->messages, count * sizeof(work->messages[0]));
	memzero_explicit(work->macs, count * sizeof(work->macs[0]));
}

void sm4_lanes_crypt(struct sm4_lanes_work *work,
		     struct sm4_authenc_request **requests, unsigned int count)
{
	unsigned int alike, i, n;

	for (; count; requests += alike, count -= alike) {
		alike = sm4_lanes_sort(requests, count);
		for (i = n = 0; i < alike; i++) {
			if (alike >= SM4_LANES_LEAST &&
			    sm4_lanes_begin(&work->messages[n], requests[i]))
				n++;
			else
				requests[i]->err = sm4_authenc_crypt(requests[i]);
		}
		if (n)
			sm4_lanes_crypt_messages(work, n);
	}
}
