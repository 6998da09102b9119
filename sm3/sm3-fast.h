/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018), for those who have messages: its tiers,
 * which compress whole blocks, are rows of sm4-fast.h. Nothing in here may depend on a
 * kernel version.
 *
 * SM3 hashes blocks of 64 bytes into eight words of 32 bits, in 64 rounds; the
 * digest is these words in the end. It has no table and no branch that depends
 * on data: every tier takes constant time.
 */
#ifndef SM3_FAST_H
#define SM3_FAST_H

#include "../sm4-fast.h"

#define SM3_BLOCK_SIZE		64
#define SM3_DIGEST_SIZE		32
#define SM3_WORDS		8

/* Most bytes that one FPU section may compress: a page and its padding */
#define SM3_SECTION_SIZE	(4096 + 2 * SM3_BLOCK_SIZE)

/* Most messages that are hashed at once, and blocks of each in one FPU section */
#define SM3_LANES_MAX		16
#define SM3_LANE_BLOCKS		16

/**
 * struct sm3_message - a message on its way through SM3, as exported: the fields are
 * those of mainline's state, but for that of 6.16 to 7.0
 * @state: of all whole blocks so far
 * @bytes: how long the message is so far
 * @partial: the last @bytes % SM3_BLOCK_SIZE bytes of it, which are no block yet
 *
 * Any contents are safe to continue with, also those imported from others.
 */
struct sm3_message {
	u32 state[SM3_WORDS];
	u64 bytes;
	u8 partial[SM3_BLOCK_SIZE];
};

/**
 * struct sm3_lanes - several messages on their way through SM3, each a lane
 * @state: words of the states, lane by lane
 * @src: whole blocks to come, which are behind those hashed when a function returns.
 *	 They need no alignment; an unused lane may have those of another.
 */
struct sm3_lanes {
	u32 state[SM3_WORDS][SM3_LANES_MAX];
	const u8 *src[SM3_LANES_MAX];
};

/*
 * sm3-generic.c: the portable tier, and its function, which is every other tier's
 * fallback
 */
extern const struct sm4_tier sm3_generic;
sm3_blocks_function sm3_generic_blocks;

/*
 * Hash a message on @tier: begin it, add bytes as often as there are any, end it.
 * Sections are taken as needed, so none may be open. @src needs no alignment and
 * may be NULL with no bytes. The end adds the last @bytes at @src, writes the
 * digest of SM3_DIGEST_SIZE bytes, unaligned or not, and wipes @message. Cannot
 * fail, does not sleep.
 */
void sm3_message_begin(struct sm3_message *message);
void sm3_message_add(const struct sm4_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes);
void sm3_message_end(const struct sm4_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest);

/*
 * For whoever hashes without a struct sm3_message. sm3_compress() takes so many blocks at
 * @src into the state, and then those of @last, of which there are one or two, or none: all
 * in one section if they are short. sm3_pad() completes the @used bytes in @last, the end of
 * a message of @bytes, to one or two blocks, and returns how many. sm3_put_digest() writes
 * the state as a digest.
 */
void sm3_compress(const struct sm4_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t blocks, const u8 *last,
		  size_t last_blocks);
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes);
void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest);

#endif
