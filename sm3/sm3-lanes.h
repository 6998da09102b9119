/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 of several messages at once, side by side in the lanes of a tier: the functions of
 * sm3-lanes.c. For modes that also hash; each message continues from a state of its own.
 */
#ifndef SM3_LANES_H
#define SM3_LANES_H

#include "sm3-fast.h"

/**
 * struct sm3_piece - contiguous whole blocks to hash
 * @src: the first of them; they need no alignment.
 * @nblocks: their number
 */
struct sm3_piece {
	const u8 *src;
	size_t nblocks;
};

/**
 * struct sm3_part - a part of a message
 * @src: contiguous bytes, which have to stay there until they are hashed
 * @bytes: their number, which may be 0
 */
struct sm3_part {
	const u8 *src;
	size_t bytes;
};

/**
 * struct sm3_lane_message - a message to be hashed in a lane
 * @state: of the blocks that have been hashed
 * @piece: the next one of @pieces to hash
 * @pieces: at most four, then one without blocks
 * @partial: blocks that are assembled from several parts, or that have padding
 */
struct sm3_lane_message {
	u32 state[SM3_WORDS];
	struct sm3_piece *piece;
	struct sm3_piece pieces[5];
	u8 partial[3 * SM3_BLOCK_SIZE];
};

/**
 * sm3_lane_begin() - begin a message, and pad it
 * @message: the message
 * @state: SM3's state after the blocks before it
 * @parts: its parts, in order
 * @count: their number, at most three
 * @bytes: their length, with the blocks before
 */
void sm3_lane_begin(struct sm3_lane_message *message, const u32 state[SM3_WORDS],
		    const struct sm3_part *parts, unsigned int count, u64 bytes);

/**
 * sm3_lane_begin_digest() - begin a message which is the digest of the one before, and pad it
 * @message: the message before, which has been hashed
 * @state: SM3's state after the blocks before the digest
 * @bytes: the length of the digest and of these blocks
 */
void sm3_lane_begin_digest(struct sm3_lane_message *message, const u32 state[SM3_WORDS], u64 bytes);

/**
 * sm3_lanes_hash() - hash messages
 * @lanes: memory for the lanes; its states are wiped.
 * @tier: a tier of SM4 that has lanes of SM3
 * @alone: the tier of SM3 that hashes what is left where lanes are no faster
 * @messages: messages that have been begun. Their states are then the final ones.
 * @count: their number
 *
 * No section may be open. Does not sleep.
 */
void sm3_lanes_hash(struct sm3_lanes *lanes, const struct sm4_tier *tier,
		    const struct sm3_tier *alone,
		    struct sm3_lane_message *messages, unsigned int count);

#endif
