/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018) of messages. Its tiers, which process whole blocks,
 * are also of type struct sm4_tier. Nothing in this file may depend on a kernel version.
 *
 * SM3 hashes blocks of 64 bytes into a state of eight words of 32 bits, in 64 rounds. The
 * digest is the last state. No table and no branch depends on data: every tier is constant
 * time.
 */
#ifndef SM3_FAST_H
#define SM3_FAST_H

#include "../sm4-fast.h"

#define SM3_BLOCK_SIZE		64
#define SM3_DIGEST_SIZE		32
#define SM3_WORDS		8

/* Maximum bytes in one FPU section: a page and its padding */
#define SM3_SECTION_SIZE	(4096 + 2 * SM3_BLOCK_SIZE)

/* Maximum blocks of each of up to SM3_LANES_MAX messages in one FPU section */
#define SM3_LANE_BLOCKS		16

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
 * struct sm3_lanes - several messages in SM3, each in one lane
 * @state: the first word of all lanes, then the second, and so on
 * @src: the next blocks of each lane, which a function advances. They need no alignment; an
 *	unused lane may have the blocks of another lane.
 */
struct sm3_lanes {
	u32 state[SM3_WORDS][SM3_LANES_MAX];
	const u8 *src[SM3_LANES_MAX];
};

/* sm3-generic.c: the portable tier, and its function, the fallback of all other tiers */
extern const struct sm4_tier sm3_generic;
sm3_blocks_function sm3_generic_blocks;

/*
 * Hash a message on @tier: begin it, add bytes as often as needed, end it. No FPU section may be
 * open. @src needs no alignment, and may be NULL if @bytes is 0. sm3_message_end() adds the last
 * @bytes at @src, writes the digest of SM3_DIGEST_SIZE bytes, which needs no alignment, and
 * wipes @message. These functions cannot fail and do not sleep.
 */
void sm3_message_begin(struct sm3_message *message);
void sm3_message_add(const struct sm4_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes);
void sm3_message_end(const struct sm4_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest);

/*
 * Without a struct sm3_message: sm3_compress() hashes blocks, as sm4_chain_take() does.
 * sm3_pad() pads the @used bytes in @last, the end of a message of @bytes, to one or two blocks,
 * and returns their number. sm3_put_digest() writes the state as a digest.
 */
void sm3_compress(const struct sm4_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t blocks, const u8 *last,
		  size_t last_blocks);
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes);
void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest);

#endif
