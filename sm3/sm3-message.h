/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 of messages of any length, for the hash "sm3" and for modes that also hash. Its functions are
 * in sm3-message.c.
 */
#ifndef SM3_MESSAGE_H
#define SM3_MESSAGE_H

#include "sm3-fast.h"

/**
 * struct sm3_message - a message in SM3. This is also the format of exported states, as in
 * mainline, except 6.16 to 7.0.
 * @state: of all whole blocks so far
 * @bytes: length of the message so far
 * @partial: its last @bytes % SM3_BLOCK_SIZE bytes
 *
 * Any contents are safe, even imported ones.
 */
struct sm3_message {
	u32 state[SM3_WORDS];
	u64 bytes;
	u8 partial[SM3_BLOCK_SIZE];
};

/**
 * sm3_message_begin() - begin a message
 * @message: the message
 */
void sm3_message_begin(struct sm3_message *message);

/**
 * sm3_message_add() - add bytes to a message
 * @tier: the tier that hashes them
 * @message: the message
 * @src: the bytes, which need no alignment; may be NULL if there are none
 * @bytes: their number
 *
 * No FPU section may be open. Cannot fail, does not sleep.
 */
void sm3_message_add(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes);
/**
 * sm3_message_end() - add the last bytes to a message, and wipe it
 * @tier: the tier that hashes them
 * @message: the message
 * @src: the bytes, as for sm3_message_add()
 * @bytes: their number
 * @digest: SM3_DIGEST_SIZE bytes, which need no alignment
 *
 * No FPU section may be open. Cannot fail, does not sleep.
 */
void sm3_message_end(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest);

/**
 * sm3_compress() - hash whole blocks, without a struct sm3_message: see sm4_chain_take()
 * @tier: the tier that hashes them
 * @state: SM3's state
 * @src: the first blocks
 * @nblocks: their number
 * @last: the blocks behind them
 * @last_blocks: their number, at most two
 */
void sm3_compress(const struct sm3_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t nblocks, const u8 *last,
		  size_t last_blocks);

/**
 * sm3_pad() - pad the end of a message to whole blocks
 * @last: the bytes behind the last whole block
 * @used: their number
 * @bytes: the length of the message
 *
 * Return: the number of blocks in @last
 */
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes);

/**
 * sm3_put_digest() - write a state as a digest
 * @state: the state
 * @digest: SM3_DIGEST_SIZE bytes, which need no alignment
 */
void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest);

#endif
