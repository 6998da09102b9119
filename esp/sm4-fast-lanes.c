// SPDX-License-Identifier: GPL-2.0
/*
 * Several requests of ESP's authenc() at once. Each is a chain that cannot be made
 * faster, of CBC blocks and of SM3 blocks; but a block of each of many chains takes
 * hardly longer than one alone. So the chains go side by side, in lanes, and with each
 * request its own keys. The answers are those of sm4-fast-authenc.c, which does the
 * requests that there are too few of, or no memory for.
 *
 * For the lanes, AAD and text of a request are one piece of memory: where they are, or
 * a copy.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "sm4-authenc.h"

/* The fewest messages that are worth it, and the longest one */
#define SM4_LANES_LEAST		3
#define SM4_LANE_BYTES		16384

/* Whole blocks that go into the MAC */
struct sm4_lane_piece {
	const u8 *src;
	size_t blocks;
};

/*
 * A request on its way
 *
 * @all: AAD and text in one piece; a copy of them if it is not where they are
 * @text: bytes of text
 * @state: HMAC's inner hash, then the outer one
 * @piece: what is to be hashed: of an ESN's message, first a block @head, as one half of
 *	the number is left out; then what is in @all; then @tail, with the padding
 */
struct sm4_lane_message {
	struct sm4_lane_request *request;
	const struct sm4_authenc_context *context;
	u8 *all;
	bool copied;
	unsigned int text;
	u32 state[SM3_WORDS];
	struct sm4_lane_piece *piece;
	struct sm4_lane_piece pieces[4];	/* the last one has no blocks */
	u8 head[SM3_BLOCK_SIZE];
	u8 tail[2 * SM3_BLOCK_SIZE];
};

struct sm4_lane_work {
	struct sm4_lanes lanes;
	struct sm3_lanes hashing;
	struct sm4_lane_message messages[SM4_LANES];
};

const size_t sm4_lane_work_size = sizeof(struct sm4_lane_work);

static const struct sm4_driver *sm4_lane_driver(const struct sm4_lane_message *message)
{
	return sm4_aead_driver(crypto_aead_reqtfm(message->request->req));
}

/* Whether a message could be had in one piece */
static bool sm4_lane_begin(struct sm4_lane_message *message,
			   struct sm4_lane_request *request)
{
	struct aead_request *req = request->req;
	unsigned int text = sm4_text_size(req, request->decrypt);
	unsigned int bytes = req->assoclen + text;
	bool in_place;

	if (bytes > SM4_LANE_BYTES)
		return false;
	message->request = request;
	message->context = crypto_aead_ctx(crypto_aead_reqtfm(req));
	message->text = text;
	message->all = sm4_flat(req->src, 0, bytes);
	in_place = req->src == req->dst ||
		   (request->decrypt && sm4_flat(req->dst, req->assoclen, text));
	message->copied = !message->all || !in_place;
	if (!message->copied)
		return true;
	message->all = kmalloc(bytes, GFP_ATOMIC | __GFP_NOWARN);
	if (message->all)
		sm4_copy(message->all, req->src, 0, bytes, false);
	return message->all;
}

/* The end of it: its text to where it belongs, which an error leaves as it was */
static void sm4_lane_end(struct sm4_lane_message *message, int err)
{
	struct aead_request *req = message->request->req;

	message->request->err = err;
	if (!message->copied)
		return;
	if (!err)
		sm4_copy(message->all + req->assoclen, req->dst, req->assoclen,
			 message->text, true);
	memzero_explicit(message->all, req->assoclen + message->text);
	kfree(message->all);
}

/* ---- CBC encryption ---- */

static size_t sm4_lane_blocks(const struct sm4_lane_message *message)
{
	return message->text / SM4_BLOCK_SIZE;
}

static u8 *sm4_lane_text(const struct sm4_lane_message *message)
{
	return message->all + message->request->req->assoclen;
}

/* Longest first: then those that still go on are always the first ones. */
static void sm4_lanes_sort(struct sm4_lane_request **requests,
			   unsigned int count)
{
	unsigned int i, j;

	for (i = 1; i < count; i++) {
		struct sm4_lane_request *request = requests[i];

		for (j = i; j && requests[j - 1]->req->cryptlen <
				 request->req->cryptlen; j--)
			requests[j] = requests[j - 1];
		requests[j] = request;
	}
}

static void sm4_lanes_begin_cbc(struct sm4_lane_work *work, unsigned int count)
{
	struct sm4_lanes *lanes = &work->lanes;
	unsigned int i, l;

	for (l = 0; l < count; l++) {
		const struct sm4_lane_message *message = &work->messages[l];
		const u32 *keys = message->context->cipher.enc.mapped;

		for (i = 0; i < ARRAY_SIZE(lanes->keys); i++)
			memcpy(lanes->keys[i][l], keys + 4 * i,
			       sizeof(lanes->keys[i][l]));
		memcpy(lanes->chain[l], message->request->req->iv,
		       SM4_BLOCK_SIZE);
	}
}

/*
 * Copy blocks, from number @from on, of all messages that have them, to the lanes or
 * @out of them.
 */
static void sm4_lanes_copy(struct sm4_lane_work *work, unsigned int count,
			   size_t from, size_t blocks, bool out)
{
	unsigned int l;
	size_t i;

	for (l = 0; l < count; l++) {
		const struct sm4_lane_message *message = &work->messages[l];
		u8 *text = sm4_lane_text(message) + from * SM4_BLOCK_SIZE;
		size_t n = min(blocks, sm4_lane_blocks(message) - from);

		for (i = 0; i < n; i++, text += SM4_BLOCK_SIZE) {
			u8 *lane = work->lanes.text[i][l];

			memcpy(out ? text : lane, out ? lane : text,
			       SM4_BLOCK_SIZE);
		}
	}
}

/* The rest of one message, from block @done on */
static void sm4_lane_encrypt_alone(const struct sm4_tier *tier,
				   const struct sm4_lane_message *message,
				   u8 iv[SM4_BLOCK_SIZE], size_t done)
{
	u8 *text = sm4_lane_text(message) + done * SM4_BLOCK_SIZE;

	sm4_crypt(&(struct sm4_work){
		.tier = tier,
		.operation = SM4_CBC_ENCRYPT,
		.keys = &message->context->cipher.enc,
		.iv = iv,
	}, text, text, message->text - done * SM4_BLOCK_SIZE);
}

static void sm4_lanes_encrypt(struct sm4_lane_work *work, unsigned int count)
{
	const struct sm4_tier *tier = sm4_lane_driver(work->messages)->tier;
	const struct sm4_tier *working;
	size_t done = 0, n;
	unsigned int l;

	sm4_lanes_begin_cbc(work, count);
	for (;;) {
		while (count && sm4_lane_blocks(&work->messages[count - 1]) <= done)
			count--;
		if (count < SM4_LANES_LEAST)
			break;
		working = sm4_begin(tier);
		if (!working->cbc_encrypt_lanes) {
			sm4_end(working);
			break;
		}
		if (!done)
			working->set_lane_keys(&work->lanes);
		n = min_t(size_t, SM4_LANE_BLOCKS,
			  sm4_lane_blocks(work->messages) - done);
		sm4_lanes_copy(work, count, done, n, false);
		working->cbc_encrypt_lanes(&work->lanes, n);
		sm4_end(working);
		sm4_lanes_copy(work, count, done, n, true);
		done += n;
	}
	for (l = 0; l < count; l++)
		sm4_lane_encrypt_alone(tier, &work->messages[l],
				       work->lanes.chain[l], done);
	memzero_explicit(work->lanes.keys, sizeof(work->lanes.keys));
}

/* ---- HMAC ---- */

static void sm4_lane_add_piece(struct sm4_lane_message *message, const u8 *src,
			       size_t blocks)
{
	if (!blocks)
		return;
	message->piece->src = src;
	message->piece->blocks = blocks;
	message->piece++;
}

static void sm4_lane_end_pieces(struct sm4_lane_message *message)
{
	message->piece->blocks = 0;
	message->piece = message->pieces;
}

static void sm4_lane_begin_inner(struct sm4_lane_message *message)
{
	const struct sm4_lane_request *request = message->request;
	size_t bytes = request->req->assoclen + message->text;
	size_t length = SM3_BLOCK_SIZE + bytes, used = 0, blocks;
	const u8 *src = message->all;

	memcpy(message->state, message->context->inner, sizeof(message->state));
	message->piece = message->pieces;
	if (request->esn) {
		bytes -= ESN_LOWER_HALF;
		src += ESN_LOWER_HALF;
		used = ESN_UPPER_HALF;
		memcpy(message->tail, message->all, used);
		if (used + bytes >= SM3_BLOCK_SIZE) {
			size_t rest = SM3_BLOCK_SIZE - used;

			memcpy(message->head, message->all, used);
			memcpy(message->head + used, src, rest);
			sm4_lane_add_piece(message, message->head, 1);
			bytes -= rest;
			src += rest;
			used = 0;
		}
	}
	blocks = bytes / SM3_BLOCK_SIZE;
	sm4_lane_add_piece(message, src, blocks);
	bytes %= SM3_BLOCK_SIZE;
	memcpy(message->tail + used, src + blocks * SM3_BLOCK_SIZE, bytes);
	used += bytes;
	if (request->esn) {
		memcpy(message->tail + used, message->all + ESN_UPPER_HALF,
		       ESN_LOWER_HALF - ESN_UPPER_HALF);
		used += ESN_LOWER_HALF - ESN_UPPER_HALF;
	}
	sm4_lane_add_piece(message, message->tail,
			   sm3_pad(message->tail, used, length));
	sm4_lane_end_pieces(message);
}

static void sm4_lane_begin_outer(struct sm4_lane_message *message)
{
	sm3_put_digest(message->state, message->tail);
	memcpy(message->state, message->context->outer, sizeof(message->state));
	sm4_lane_add_piece(message, message->tail,
			   sm3_pad(message->tail, SM3_DIGEST_SIZE,
				   SM3_BLOCK_SIZE + SM3_DIGEST_SIZE));
	sm4_lane_end_pieces(message);
}

/* What is left of one message */
static void sm4_lane_hash_alone(struct sm4_lane_message *message)
{
	for (; message->piece->blocks; message->piece++)
		sm3_compress(sm4_lane_driver(message)->hash_tier,
			     message->state, message->piece->src,
			     message->piece->blocks, NULL, 0);
	message->piece = message->pieces;
}

/* From its lane, or to it */
static void sm4_lane_get_state(struct sm3_lanes *hashing, unsigned int l,
			       struct sm4_lane_message *message)
{
	int i;

	for (i = 0; i < SM3_WORDS; i++)
		message->state[i] = hashing->state[i][l];
}

static void sm4_lane_put_state(struct sm3_lanes *hashing, unsigned int l,
			       const struct sm4_lane_message *message)
{
	int i;

	for (i = 0; i < SM3_WORDS; i++)
		hashing->state[i][l] = message->state[i];
}

/*
 * Take so many blocks into all lanes that have a message. Returns false, with nothing
 * done, where the vector unit cannot be had.
 */
static bool sm4_lanes_hash_blocks(struct sm3_lanes *hashing,
				  const struct sm4_tier *tier,
				  struct sm4_lane_message **lane, size_t blocks)
{
	const struct sm4_tier *working = sm4_begin(tier);
	const bool has_lanes = working->sm3_lanes;
	const u8 *any = NULL;
	unsigned int l;

	if (has_lanes) {
		for (l = 0; l < tier->sm3_lane_count; l++) {
			if (!lane[l])
				continue;
			any = lane[l]->piece->src;
			hashing->src[l] = any;
			lane[l]->piece->src += blocks * SM3_BLOCK_SIZE;
			lane[l]->piece->blocks -= blocks;
		}
		for (l = 0; l < tier->sm3_lane_count; l++)
			if (!lane[l])
				hashing->src[l] = any;
		working->sm3_lanes(hashing, blocks);
	}
	sm4_end(working);
	return has_lanes;
}

/*
 * What lane @l hashes next: the message that is in there, as long as it has blocks, or else
 * the @next one before @end, or NULL
 */
static struct sm4_lane_message *
sm4_lane_refill(struct sm3_lanes *hashing, unsigned int l,
		struct sm4_lane_message *message,
		struct sm4_lane_message **next,
		const struct sm4_lane_message *end)
{
	if (message && !message->piece->blocks)
		message->piece++;
	if (message && message->piece->blocks)
		return message;
	if (message) {
		sm4_lane_get_state(hashing, l, message);
		message->piece = message->pieces;
	}
	if (*next == end)
		return NULL;
	sm4_lane_put_state(hashing, l, *next);
	return (*next)++;
}

/* All that the messages are to be hashed of. A lane that ends takes the next one. */
static void sm4_lanes_hash(struct sm4_lane_work *work, unsigned int count)
{
	const struct sm4_tier *tier = sm4_lane_driver(work->messages)->tier;
	struct sm4_lane_message *lane[SM3_LANES_MAX] = {};
	struct sm4_lane_message *next = work->messages;
	struct sm4_lane_message *end = next + count;
	unsigned int active, l;
	size_t n;

	do {
		n = SM3_LANE_BLOCKS;
		active = 0;
		for (l = 0; l < tier->sm3_lane_count; l++) {
			lane[l] = sm4_lane_refill(&work->hashing, l, lane[l],
						  &next, end);
			if (!lane[l])
				continue;
			n = min(n, lane[l]->piece->blocks);
			active++;
		}
	} while (active >= SM4_LANES_LEAST &&
		 sm4_lanes_hash_blocks(&work->hashing, tier, lane, n));

	for (l = 0; l < tier->sm3_lane_count; l++) {
		if (lane[l]) {
			sm4_lane_get_state(&work->hashing, l, lane[l]);
			sm4_lane_hash_alone(lane[l]);
		}
	}
	for (; next < end; next++)
		sm4_lane_hash_alone(next);
	memzero_explicit(work->hashing.state, sizeof(work->hashing.state));
}

static void sm4_lanes_mac(struct sm4_lane_work *work, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		sm4_lane_begin_inner(&work->messages[i]);
	sm4_lanes_hash(work, count);
	for (i = 0; i < count; i++)
		sm4_lane_begin_outer(&work->messages[i]);
	sm4_lanes_hash(work, count);
}

/* ---- requests ---- */

/* Blocks of CBC do not wait for each other here: a message by itself does. */
static void sm4_lane_decrypt(struct sm4_lane_message *message)
{
	struct aead_request *req = message->request->req;
	u8 *dst = message->copied ? sm4_lane_text(message) :
		  sm4_flat(req->dst, req->assoclen, message->text);
	u8 iv[SM4_BLOCK_SIZE];

	memcpy(iv, req->iv, sizeof(iv));
	sm4_crypt(&(struct sm4_work){
		.tier = sm4_lane_driver(message)->tier,
		.operation = SM4_CBC_DECRYPT,
		.keys = &message->context->cipher.dec,
		.iv = iv,
	}, dst, sm4_lane_text(message), message->text);
}

/* The tag, and what is after it: nothing is decrypted whose tag is wrong. */
static void sm4_lane_finish(struct sm4_lane_message *message)
{
	bool decrypt = message->request->decrypt;
	u8 tag[SM3_DIGEST_SIZE];
	int err;

	sm3_put_digest(message->state, tag);
	err = sm4_aead_tag(message->request->req, tag, decrypt);
	if (!err && message->text % SM4_BLOCK_SIZE)
		err = -EINVAL;
	if (!err && decrypt)
		sm4_lane_decrypt(message);
	sm4_lane_end(message, err);
	memzero_explicit(tag, sizeof(tag));
}

static void sm4_lane_crypt_alone(struct sm4_lane_request *request)
{
	request->err = sm4_authenc_crypt(request->req, request->esn,
					 request->decrypt);
}

void sm4_lanes_crypt(struct sm4_lane_work *work,
		     struct sm4_lane_request **requests, unsigned int count)
{
	unsigned int i, n = 0;

	if (count < SM4_LANES_LEAST) {
		for (i = 0; i < count; i++)
			sm4_lane_crypt_alone(requests[i]);
		return;
	}
	sm4_lanes_sort(requests, count);
	for (i = 0; i < count; i++) {
		if (sm4_lane_begin(&work->messages[n], requests[i]))
			n++;
		else
			sm4_lane_crypt_alone(requests[i]);
	}
	if (!n)
		return;
	if (!requests[0]->decrypt)
		sm4_lanes_encrypt(work, n);
	sm4_lanes_mac(work, n);
	for (i = 0; i < n; i++)
		sm4_lane_finish(&work->messages[i]);
	memzero_explicit(work->messages, n * sizeof(work->messages[0]));
}
