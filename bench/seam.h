/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code in the form of our tiers (struct sm4_tier), of any author, is timed
 * through seam.c. A file that has such tiers defines seam_tier(),
 * seam_sm3_tier() and
 *
 *	const struct library library = SEAM_LIBRARY("name", seam_set_key);
 *
 * with a function of its own for the key where it has not got all that they can do.
 */
#ifndef BENCH_SEAM_H
#define BENCH_SEAM_H

#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"
#include "library.h"

/* Tier i of the library, NULL behind the last one */
const struct sm4_tier *seam_tier(unsigned int i);

/* What the library hashes with beside that tier, which is usable; NULL for nothing */
const struct sm4_tier *seam_sm3_tier(const struct sm4_tier *tier);

/* For tiers that bring no key schedule of their own */
static inline void seam_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	sm4_ttable.key_schedule(plain, key);
}

/* seam.c, as struct library says */
const char *seam_tier_name(unsigned int i);
enum instructions seam_instructions(unsigned int i);
bool seam_usable(unsigned int i);
void seam_start(unsigned int i);
bool seam_set_key(enum mode mode, const u8 *key);
void seam_crypt(const u8 *iv, u8 *dst, const u8 *src, size_t bytes);
bool seam_crypt_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count);

#define SEAM_LIBRARY(library_name, set_key_function) {					\
	.name = library_name,						\
	.tier_name = seam_tier_name,					\
	.instructions = seam_instructions,				\
	.usable = seam_usable,						\
	.start = seam_start,						\
	.set_key = set_key_function,					\
	.crypt = seam_crypt,						\
	.crypt_burst = seam_crypt_burst,				\
}

#endif
