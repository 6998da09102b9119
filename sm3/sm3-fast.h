/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018) and its tiers, which process whole blocks. Nothing
 * in this file may depend on a kernel version.
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
 * struct sm3_lanes - several messages in SM3, each in one lane
 * @state: the first word of all lanes, then the second, and so on
 * @src: the next blocks of each lane, which a function advances. They need no alignment; an
 *	unused lane may have the blocks of another lane.
 */
struct sm3_lanes {
	u32 state[SM3_WORDS][SM3_LANES_MAX];
	const u8 *src[SM3_LANES_MAX];
};

/**
 * typedef sm3_blocks_function - the compression function of SM3 (GB/T 32905, section 5.3)
 * @state: eight words in the CPU's byte order
 * @src: blocks of 64 bytes, which need no alignment
 * @nblocks: their number, which may be 0
 *
 * Cannot fail, does not sleep.
 */
typedef void sm3_blocks_function(u32 *state, const u8 *src, size_t nblocks);

/**
 * struct sm3_tier - one implementation of SM3 for some CPUs, of which struct sm4_tier says the same
 * @base: what tiers of SM4 have, too
 * @blocks: of a vector tier, to be called only in an FPU section (sm4_begin_section()), for at most
 *	SM3_SECTION_SIZE bytes at a time
 */
struct sm3_tier {
	struct sm4_tier_base base;
	sm3_blocks_function *blocks;
};

#define to_sm3_tier(tier)	container_of(tier, struct sm3_tier, base)

/* As SM4_TIER, without GCM */
#define SM3_TIER(variable, ...)						\
	struct sm3_tier variable = { SM3_TIER_MEMBERS(__VA_ARGS__) };	\
	SM3_TIER_INFO(__VA_ARGS__)
#define SM3_TIER_MEMBERS(title, rank, flags, ...)			\
	.base.name = title, SM4_TIER_NEEDS(rank, flags), __VA_ARGS__
#define SM3_TIER_INFO(title, rank, flags, ...)				\
	MODULE_INFO(tier, title " " #rank " " #flags)

/* sm3-generic.c: the portable tier, the fallback of all others */
extern const struct sm3_tier sm3_generic;

#endif
