/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam of SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018): what sm4-fast.h is
 * for SM4. Above it those who have messages; below it the tiers, which know a
 * processor and compress whole blocks. Nothing in here may depend on a kernel
 * version.
 *
 * SM3 hashes blocks of 64 bytes into eight words of 32 bits, in 64 rounds; the
 * digest is these words in the end. It has no table and no branch that depends
 * on data: every tier takes constant time.
 */
#ifndef SM3_FAST_H
#define SM3_FAST_H

#include <crypto/algapi.h>
#include "../sm4-compat.h"

#define SM3_BLOCK_SIZE		64
#define SM3_DIGEST_SIZE		32
#define SM3_WORDS		8

/* Most bytes of a message that one FPU section may compress, beside its padding */
#define SM3_SECTION_SIZE	4096

/* Most messages that are hashed at once, and blocks of each in one FPU section */
#define SM3_LANES_MAX		16
#define SM3_LANE_BLOCKS		16

/* Most tiers that there can be, and CPU features that one needs */
#define SM3_TIERS_MAX		3
#define SM3_TIER_FEATURES	4

/*
 * The compression function (GB/T 32905, section 5.3) for each of @blocks blocks
 * of 64 bytes at @src, which needs no alignment; @blocks may be 0. @state is in
 * the CPU's byte order. Cannot fail, does not sleep.
 */
typedef void sm3_blocks_function(u32 state[SM3_WORDS], const u8 *src,
				 size_t blocks);

/**
 * struct sm3_tier - one implementation, chosen by CPU
 *
 * @blocks of a SIMD tier may only be called between sm3_begin() and sm3_end(),
 * with at most SM3_SECTION_SIZE bytes and a padding at a time; it leaves nothing
 * of the state and the data in registers or on the stack.
 *
 * @name: as in the module parameter "tiers", and its driver's name but for "-fast"
 * @priority: cra_priority
 * @features: X86_FEATURE_* numbers it needs, ended by 0 unless all places are
 *	taken; none for the C tier
 * @xfeatures: XFEATURE_MASK_* that the kernel must save and restore for it
 * @blocks: the compression function
 */
struct sm3_tier {
	const char *name;
	int priority;
	u16 features[SM3_TIER_FEATURES];
	u64 xfeatures;
	sm3_blocks_function *blocks;
};

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

/* sm3-generic.c: the portable tier, every other tier's fallback */
extern const struct sm3_tier sm3_generic;

/*
 * sm3-fast-glue.c: all tiers, slowest first, whether this CPU can run them or
 * not.
 */
extern const struct sm3_tier *const sm3_tiers[];
extern const unsigned int sm3_tier_count;

/* Whether this CPU has the features of @tier and the kernel saves its state */
bool sm3_tier_usable(const struct sm3_tier *tier);

/*
 * Note, while the module is loaded, whether the tier of that number gives wrong
 * answers; not the C tier.
 */
void sm3_leave_out(unsigned int number, bool wrong);
bool sm3_is_left_out(unsigned int number);

/*
 * The fastest tier that this CPU can run and that has not been left out; in the
 * end, the C tier
 */
const struct sm3_tier *sm3_best_tier(void);

/*
 * Start a piece of work of at most SM3_SECTION_SIZE bytes: as sm4_begin(), returns
 * @tier with the vector unit taken, or the C tier where it cannot be had. Any
 * context that the crypto API may be called in. Nothing between the two may sleep.
 */
const struct sm3_tier *sm3_begin(const struct sm3_tier *tier);
void sm3_end(const struct sm3_tier *working);

/*
 * Hash a message on @tier: begin it, add bytes as often as there are any, end it.
 * Sections are taken as needed, so none may be open. @src needs no alignment and
 * may be NULL with no bytes. The end adds the last @bytes at @src, writes the
 * digest of SM3_DIGEST_SIZE bytes, unaligned or not, and wipes @message. Cannot
 * fail, does not sleep.
 */
void sm3_message_begin(struct sm3_message *message);
void sm3_message_add(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes);
void sm3_message_end(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest);

/*
 * What these are made of. sm3_compress() takes so many blocks at @src into the state,
 * and then those of @last, of which there are one or two, or none: all in one section if
 * they are short. sm3_pad() puts the padding of a message of @bytes behind what is left
 * of it in @last, less than a block and the half of another, and returns the blocks that
 * are there then; sm3_put_digest() writes what the state in the end is.
 */
void sm3_compress(const struct sm3_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t blocks, const u8 *last,
		  size_t last_blocks);
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes);
void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest);

/* Whether @tier, a usable one, answers as it should; see sm4_wrong_function() */
bool sm3_answers_rightly(const struct sm3_tier *tier);

/* Register the hash on @tier with the crypto API, as sm4_register_macs(). */
int sm3_register(const struct sm3_tier *tier);

#endif
