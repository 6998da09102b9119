/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * seam.c times any code that has the interface of our tiers (struct sm4_tier).
 * A file with such tiers defines seam_tier(), seam_sm3_tier() and
 *
 *	const struct library library = SEAM_LIBRARY("name");
 */
#ifndef BENCH_SEAM_H
#define BENCH_SEAM_H

#include "sm3/sm3-message.h"
#include "core/sm4-fast-core.h"
#include "library.h"

/* Tier i of the library, NULL after the last one */
const struct sm4_tier *seam_tier(unsigned int i);

/* The library's tier of SM3 for this tier, which has to be usable; NULL if there is none */
const struct sm3_tier *seam_sm3_tier(const struct sm4_tier *tier);

/* For tiers without their own key schedule */
static inline void seam_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	sm4_ttable.key_schedule(plain, key);
}

/* seam.c: see struct library. */
const char *seam_tier_name(unsigned int i);
enum instructions seam_instructions(unsigned int i);
bool seam_usable(unsigned int i);
void seam_start(unsigned int i);
bool seam_set_key(enum mode mode, const u8 *key);
void seam_crypt(const u8 *iv, u8 *dst, const u8 *src, size_t bytes);
bool seam_crypt_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count);

#define SEAM_LIBRARY(library_name) {					\
	.name = library_name,						\
	.tier_name = seam_tier_name,					\
	.instructions = seam_instructions,				\
	.usable = seam_usable,						\
	.start = seam_start,						\
	.set_key = seam_set_key,					\
	.crypt = seam_crypt,						\
	.crypt_burst = seam_crypt_burst,				\
}

#endif
