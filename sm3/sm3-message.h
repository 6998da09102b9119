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

/*
 * Hash a message on @tier: begin it, add bytes as often as needed, end it. No FPU section may be
 * open. @src needs no alignment, and may be NULL if @bytes is 0. sm3_message_end() adds the last
 * @bytes at @src, writes the digest of SM3_DIGEST_SIZE bytes, which needs no alignment, and
 * wipes @message. These functions cannot fail and do not sleep.
 */
void sm3_message_begin(struct sm3_message *message);
void sm3_message_add(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes);
void sm3_message_end(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest);

/*
 * Without a struct sm3_message: sm3_compress() hashes blocks, as sm4_chain_take() does.
 * sm3_pad() pads the @used bytes in @last, the end of a message of @bytes, to one or two blocks,
 * and returns their number. sm3_put_digest() writes the state as a digest.
 */
void sm3_compress(const struct sm3_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t nblocks, const u8 *last,
		  size_t last_blocks);
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes);
void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest);

#endif
