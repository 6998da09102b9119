/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What has the form of a tier of ours (struct sm4_tier), whoever wrote it, is
 * timed by way of seam.c. A file that has such tiers defines seam_tier() and
 *
 *	const struct library library = SEAM_LIBRARY("name");
 */
#ifndef BENCH_SEAM_H
#define BENCH_SEAM_H

#include "sm4-fast.h"
#include "library.h"

/* Tier i of the library, NULL behind the last one */
const struct sm4_tier *seam_tier(unsigned int i);

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

#define SEAM_LIBRARY(library_name) {					\
	.name = library_name,						\
	.tier_name = seam_tier_name,					\
	.instructions = seam_instructions,				\
	.usable = seam_usable,						\
	.start = seam_start,						\
	.set_key = seam_set_key,					\
	.crypt = seam_crypt,						\
}

#endif
