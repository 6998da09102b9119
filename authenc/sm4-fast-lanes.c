// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Several requests of ESP's authenc() at once. Each is a serial chain of CBC blocks and one of SM3
 * blocks. Processing one block of each of many chains takes hardly longer than processing one
 * block. So the chains are processed side by side, in lanes, each with its own key. The results are
 * those of sm4-fast-authenc.c, which processes the requests if they are too few or memory is short.
 *
 * AAD and text of a request in a lane are contiguous, in place or in a copy.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "sm4-authenc.h"

/* The minimum number of messages for which lanes are faster, and the longest message */
#define SM4_LANES_LEAST		3
#define SM4_LANE_BYTES		16384

/* Contiguous whole blocks to hash */
struct sm4_lanes_piece {
	const u8 *src;
	size_t nblocks;
};

/*
 * The message of a request
 *
 * @all: AAD and text
 * @copied: @all is a copy.
 * @state: of HMAC's inner hash, then of the outer one
 * @piece: the next one of @pieces to hash
 * @pieces: at most four, then one without blocks
 * @partial: blocks that are assembled from several parts, or that have padding
 */
struct sm4_lanes_message {
	struct sm4_authenc_request *request;
	u8 *all;
	bool copied;
	u32 state[SM3_WORDS];
	struct sm4_lanes_piece *piece;
	struct sm4_lanes_piece pieces[5];
	u8 partial[3 * SM3_BLOCK_SIZE];
};

struct sm4_lanes_work {
	struct sm4_lanes lanes;
	struct sm3_lanes hashing;
	struct sm4_lanes_message messages[SM4_LANES];
};

const size_t sm4_lanes_work_size = sizeof(struct sm4_lanes_work);

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

static void sm4_lanes_end(struct sm4_lanes_message *message)
{
	struct sm4_authenc_request *request = message->request;
	u8 *copy = message->copied ? sm4_lanes_text(message) : NULL;
	struct aead_request *req = request->req;

	request->err = sm4_authenc_end(request, message->state, copy);
	if (!message->copied)
		return;
	if (!request->err)
		sm4_copy(copy, req->dst, req->assoclen, request->cryptlen, true);
	memzero_explicit(message->all, req->assoclen + request->cryptlen);
	kfree(message->all);
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

static void sm4_lanes_add_piece(struct sm4_lanes_message *message, const u8 *src,
				size_t nblocks)
{
	if (nblocks)
		*message->piece++ = (struct sm4_lanes_piece) { src, nblocks };
}

/*
 * Add a part of the MAC's input. The block at @partial has *@used bytes of the parts before.
 * Returns the block that has the new *@used bytes.
 */
static u8 *sm4_lanes_add_part(struct sm4_lanes_message *message, u8 *partial,
			      size_t *used, struct sm4_authenc_part part)
{
	const u8 *src = message->all + part.offset;
	size_t n = min_t(size_t, part.bytes, SM3_BLOCK_SIZE - *used);

	if (!n)
		return partial;
	if (*used) {
		memcpy(partial + *used, src, n);
		*used += n;
		if (*used < SM3_BLOCK_SIZE)
			return partial;
		sm4_lanes_add_piece(message, partial, 1);
		partial += SM3_BLOCK_SIZE;
		src += n;
		part.bytes -= n;
	}
	*used = part.bytes % SM3_BLOCK_SIZE;
	sm4_lanes_add_piece(message, src, part.bytes / SM3_BLOCK_SIZE);
	memcpy(partial, src + part.bytes - *used, *used);
	return partial;
}

static void sm4_lanes_end_pieces(struct sm4_lanes_message *message,
				 const u8 *last, size_t nblocks)
{
	sm4_lanes_add_piece(message, last, nblocks);
	message->piece->nblocks = 0;
	message->piece = message->pieces;
}

static void sm4_lanes_begin_inner(struct sm4_lanes_message *message)
{
	const struct sm4_authenc_request *request = message->request;
	struct sm4_authenc_part parts[SM4_AUTHENC_PARTS];
	u64 length = SM3_BLOCK_SIZE + request->req->assoclen + request->cryptlen;
	u8 *last = message->partial;
	size_t used = 0;
	int i;

	memcpy(message->state, request->ctx->inner, sizeof(message->state));
	message->piece = message->pieces;
	sm4_authenc_list_parts(request, parts);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		last = sm4_lanes_add_part(message, last, &used, parts[i]);
	sm4_lanes_end_pieces(message, last, sm3_pad(last, used, length));
}

static void sm4_lanes_begin_outer(struct sm4_lanes_message *message)
{
	u8 *last = message->partial;

	sm3_put_digest(message->state, last);
	sm4_lanes_end_pieces(message, last,
			     sm4_authenc_begin_outer(message->request,
						     message->state, last));
}

/* Hash the rest of one message. */
static void sm4_lanes_hash_alone(struct sm4_lanes_message *message)
{
	for (; message->piece->nblocks; message->piece++)
		sm3_compress(message->request->driver->hash_tier,
			     message->state, message->piece->src,
			     message->piece->nblocks, NULL, 0);
	message->piece = message->pieces;
}

/* Copy the state of a message to its lane or @out of it. */
static void sm4_lanes_copy_state(struct sm3_lanes *hashing, unsigned int l,
				 struct sm4_lanes_message *message, bool out)
{
	u32 *lane, *word;
	int i;

	for (i = 0; i < SM3_WORDS; i++) {
		lane = &hashing->state[i][l];
		word = &message->state[i];
		*(out ? word : lane) = out ? *lane : *word;
	}
}

/*
 * Hash @nblocks blocks in each lane. A lane without a message hashes the blocks at @any. Does
 * nothing and returns false if the vector unit cannot be used.
 */
static bool sm4_lanes_hash_blocks(struct sm3_lanes *hashing,
				  const struct sm4_tier *tier,
				  struct sm4_lanes_message **lane,
				  const u8 *any, size_t nblocks)
{
	unsigned int l;

	if (!sm4_begin_section(&tier->base, NULL))
		return false;
	for (l = 0; l < tier->sm3_lane_count; l++) {
		hashing->src[l] = any;
		if (lane[l]) {
			hashing->src[l] = lane[l]->piece->src;
			lane[l]->piece->src += nblocks * SM3_BLOCK_SIZE;
			lane[l]->piece->nblocks -= nblocks;
		}
	}
	tier->sm3_lanes(hashing, nblocks);
	sm4_end_section(&tier->base);
	return true;
}

/*
 * Returns the message that lane @l hashes next: @message as long as it has blocks, then the @next
 * message before @end, or NULL.
 */
static struct sm4_lanes_message *
sm4_lanes_refill(struct sm3_lanes *hashing, unsigned int l,
		 struct sm4_lanes_message *message,
		 struct sm4_lanes_message **next,
		 const struct sm4_lanes_message *end)
{
	if (message) {
		if (!message->piece->nblocks)
			message->piece++;
		if (message->piece->nblocks)
			return message;
		sm4_lanes_copy_state(hashing, l, message, true);
	}
	if (*next == end)
		return NULL;
	sm4_lanes_copy_state(hashing, l, *next, false);
	return (*next)++;
}

/* Hash all pieces of the messages. */
static void sm4_lanes_hash(struct sm4_lanes_work *work,
			   const struct sm4_tier *tier, unsigned int count)
{
	struct sm4_lanes_message *lane[SM3_LANES_MAX] = {};
	struct sm4_lanes_message *next = work->messages;
	struct sm3_lanes *hashing = &work->hashing;
	unsigned int active, l, i;
	const u8 *any = NULL;
	size_t n;

	do {
		n = SM3_LANE_BLOCKS;
		active = 0;
		for (l = 0; l < tier->sm3_lane_count; l++) {
			lane[l] = sm4_lanes_refill(hashing, l, lane[l], &next,
						   work->messages + count);
			if (!lane[l])
				continue;
			any = lane[l]->piece->src;
			n = min(n, lane[l]->piece->nblocks);
			active++;
		}
	} while (active >= SM4_LANES_LEAST &&
		 sm4_lanes_hash_blocks(hashing, tier, lane, any, n));

	for (l = 0; l < tier->sm3_lane_count; l++)
		if (lane[l])
			sm4_lanes_copy_state(hashing, l, lane[l], true);
	for (i = 0; i < count; i++)
		sm4_lanes_hash_alone(&work->messages[i]);
	memzero_explicit(hashing->state, sizeof(hashing->state));
}

/* ---- requests ---- */

static void sm4_lanes_crypt_messages(struct sm4_lanes_work *work,
				     unsigned int count)
{
	const struct sm4_authenc_request *first = work->messages[0].request;
	unsigned int i;

	if (!first->decrypt)
		sm4_lanes_encrypt(work, first->driver->tier, count);
	for (i = 0; i < count; i++)
		sm4_lanes_begin_inner(&work->messages[i]);
	sm4_lanes_hash(work, first->driver->tier, count);
	for (i = 0; i < count; i++)
		sm4_lanes_begin_outer(&work->messages[i]);
	sm4_lanes_hash(work, first->driver->tier, count);
	for (i = 0; i < count; i++)
		sm4_lanes_end(&work->messages[i]);
	memzero_explicit(work->messages, count * sizeof(work->messages[0]));
}

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
