/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* GHASH in C: see ghash-generic.c. */
#ifndef GHASH_GENERIC_H
#define GHASH_GENERIC_H

#include "sm4-fast.h"

/**
 * struct ghash_factor - a factor of 64 bits, prepared for many multiplications
 * @classes: its lower 60 bits, by their position modulo 4
 * @last: its other four bits, one by one
 */
struct ghash_factor {
	u64 classes[4];
	u64 last[4];
};

/**
 * sm4_ghash_set_factors() - set the factors of Karatsuba's method
 * @factors: low, high, low ^ high
 * @power: a power of the hash key
 */
void sm4_ghash_set_factors(struct ghash_factor factors[3], const u64 power[2]);

/**
 * sm4_ghash_blocks() - for each block, @hash = (@hash ^ block) * H
 * @h: the factors of H
 * @hash: GHASH so far
 * @src: the blocks
 * @nblocks: their number
 */
void sm4_ghash_blocks(const struct ghash_factor h[3], u8 *hash, const u8 *src,
		      size_t nblocks);

ghash_function sm4_ghash_generic;
ghash_set_key_function sm4_ghash_generic_set_key;

#endif
