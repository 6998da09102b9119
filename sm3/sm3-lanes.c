// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * SM3 of several messages at once. A message is a serial chain of blocks. Hashing one block of each
 * of many messages takes hardly longer than hashing one block, so each message is in a lane, and a
 * lane whose message ends takes the next one. This file contains no arithmetic of the hash.
 */
#include <linux/string.h>
#include "../core/sm4-fast-core.h"
#include "sm3-lanes.h"
#include "sm3-message.h"

/* The minimum number of messages for which lanes are faster */
#define SM3_LANES_LEAST		3

static void sm3_lane_add_piece(struct sm3_lane_message *message, const u8 *src,
			       size_t nblocks)
{
	if (nblocks)
		*message->piece++ = (struct sm3_piece) { src, nblocks };
}

/*
 * Add a part. The block at @partial has *@used bytes of the parts before. Returns the block that
 * has the new *@used bytes.
 */
static u8 *sm3_lane_add_part(struct sm3_lane_message *message, u8 *partial,
			     size_t *used, struct sm3_part part)
{
	size_t n = min_t(size_t, part.bytes, SM3_BLOCK_SIZE - *used);

	if (!n)
		return partial;
	if (*used) {
		memcpy(partial + *used, part.src, n);
		*used += n;
		if (*used < SM3_BLOCK_SIZE)
			return partial;
		sm3_lane_add_piece(message, partial, 1);
		partial += SM3_BLOCK_SIZE;
		part.src += n;
		part.bytes -= n;
	}
	*used = part.bytes % SM3_BLOCK_SIZE;
	sm3_lane_add_piece(message, part.src, part.bytes / SM3_BLOCK_SIZE);
	memcpy(partial, part.src + part.bytes - *used, *used);
	return partial;
}

static void sm3_lane_pad(struct sm3_lane_message *message, u8 *last, size_t used, u64 bytes)
{
	sm3_lane_add_piece(message, last, sm3_pad(last, used, bytes));
	message->piece->nblocks = 0;
	message->piece = message->pieces;
}

void sm3_lane_begin(struct sm3_lane_message *message, const u32 state[SM3_WORDS],
		    const struct sm3_part *parts, unsigned int count, u64 bytes)
{
	u8 *last = message->partial;
	size_t used = 0;
	unsigned int i;

	memcpy(message->state, state, sizeof(message->state));
	message->piece = message->pieces;
	for (i = 0; i < count; i++)
		last = sm3_lane_add_part(message, last, &used, parts[i]);
	sm3_lane_pad(message, last, used, bytes);
}

void sm3_lane_begin_digest(struct sm3_lane_message *message, const u32 state[SM3_WORDS], u64 bytes)
{
	sm3_put_digest(message->state, message->partial);
	memcpy(message->state, state, sizeof(message->state));
	message->piece = message->pieces;
	sm3_lane_pad(message, message->partial, SM3_DIGEST_SIZE, bytes);
}

/* Copy the state of a message to its lane or @out of it. */
static void sm3_lanes_copy_state(struct sm3_lanes *lanes, unsigned int l,
				 struct sm3_lane_message *message, bool out)
{
	u32 *lane, *word;
	int i;

	for (i = 0; i < SM3_WORDS; i++) {
		lane = &lanes->state[i][l];
		word = &message->state[i];
		*(out ? word : lane) = out ? *lane : *word;
	}
}

/*
 * Returns the message that lane @l hashes next: @message as long as it has blocks, then the @next
 * message before @end, or NULL.
 */
static struct sm3_lane_message *
sm3_lanes_refill(struct sm3_lanes *lanes, unsigned int l,
		 struct sm3_lane_message *message,
		 struct sm3_lane_message **next,
		 const struct sm3_lane_message *end)
{
	if (message) {
		if (!message->piece->nblocks)
			message->piece++;
		if (message->piece->nblocks)
			return message;
		sm3_lanes_copy_state(lanes, l, message, true);
	}
	if (*next == end)
		return NULL;
	sm3_lanes_copy_state(lanes, l, *next, false);
	return (*next)++;
}

/*
 * Hash @nblocks blocks in each lane. A lane without a message hashes the blocks at @any. Does
 * nothing and returns false if the vector unit cannot be used.
 */
static bool sm3_lanes_hash_blocks(struct sm3_lanes *lanes,
				  const struct sm4_tier *tier,
				  struct sm3_lane_message **lane,
				  const u8 *any, size_t nblocks)
{
	unsigned int l;

	if (!sm4_begin_section(&tier->base, NULL))
		return false;
	for (l = 0; l < tier->sm3_lane_count; l++) {
		lanes->src[l] = any;
		if (lane[l]) {
			lanes->src[l] = lane[l]->piece->src;
			lane[l]->piece->src += nblocks * SM3_BLOCK_SIZE;
			lane[l]->piece->nblocks -= nblocks;
		}
	}
	tier->sm3_lanes(lanes, nblocks);
	sm4_end_section(&tier->base);
	return true;
}

/* Hash the rest of one message. */
static void sm3_lanes_hash_alone(const struct sm3_tier *alone,
				 struct sm3_lane_message *message)
{
	for (; message->piece->nblocks; message->piece++)
		sm3_compress(alone, message->state, message->piece->src,
			     message->piece->nblocks, NULL, 0);
}

void sm3_lanes_hash(struct sm3_lanes *lanes, const struct sm4_tier *tier,
		    const struct sm3_tier *alone,
		    struct sm3_lane_message *messages, unsigned int count)
{
	struct sm3_lane_message *lane[SM3_LANES_MAX] = {};
	struct sm3_lane_message *next = messages;
	unsigned int active, l, i;
	const u8 *any = NULL;
	size_t n;

	do {
		n = SM3_LANE_BLOCKS;
		active = 0;
		for (l = 0; l < tier->sm3_lane_count; l++) {
			lane[l] = sm3_lanes_refill(lanes, l, lane[l], &next,
						   messages + count);
			if (!lane[l])
				continue;
			any = lane[l]->piece->src;
			n = min(n, lane[l]->piece->nblocks);
			active++;
		}
	} while (active >= SM3_LANES_LEAST &&
		 sm3_lanes_hash_blocks(lanes, tier, lane, any, n));

	for (l = 0; l < tier->sm3_lane_count; l++)
		if (lane[l])
			sm3_lanes_copy_state(lanes, l, lane[l], true);
	for (i = 0; i < count; i++)
		sm3_lanes_hash_alone(alone, &messages[i]);
	memzero_explicit(lanes->state, sizeof(lanes->state));
}
