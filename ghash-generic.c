// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * GHASH (SP 800-38D, section 6.4) of the portable tier: in C, with integer multiplications, in
 * constant time.
 */
#include <linux/string.h>
#include "ghash-generic.h"

/*
 * A block is a polynomial over GF(2), the coefficient of x^0 first (SP 800-38D, section 6.3).
 * As a big-endian number of 128 bits it is reflected: x^i is bit 127 - i. The carry-less
 * product of two such numbers has x^i at bit 254 - i. One factor, the power of H, is stored times
 * x^-1, which moves x^i to bit 255 - i: the product is again a reflected number, of 256 bits,
 * and needs no shift.
 */

/* Every fourth bit of 64 and of 128, starting at bit n */
#define BIT_CLASS(n)	(0x1111111111111111ULL << (n))
#define BIT_CLASS_128(n) \
	(((__uint128_t)BIT_CLASS(0) << 64 | BIT_CLASS(0)) << (n))

static void ghash_set_factor(struct ghash_factor *factor, u64 b)
{
	int i;

	for (i = 0; i < 4; i++) {
		factor->classes[i] = b & ~0ULL >> 4 & BIT_CLASS(i);
		factor->last[i] = b & 1ULL << (60 + i);
	}
}

static __always_inline __uint128_t multiply(u64 a, u64 b)
{
	return (__uint128_t)a * b;
}

/*
 * The carry-less product, in constant time. Bits are split into four classes by their position
 * modulo 4. The product of two classes belongs to one class, and the three unused bits above each
 * of its bits hold the carries of up to 15 terms. So the classes of b have only 60 bits, and the
 * last four bits of b are multiplied one by one, without carries.
 */
static __always_inline __uint128_t
carryless_multiply(u64 a, const struct ghash_factor *b)
{
	u64 a0 = a & BIT_CLASS(0);
	u64 a1 = a & BIT_CLASS(1);
	u64 a2 = a & BIT_CLASS(2);
	u64 a3 = a & BIT_CLASS(3);
	const u64 *b_60 = b->classes;
	__uint128_t c0 = multiply(a0, b_60[0]) ^ multiply(a1, b_60[3]) ^
			 multiply(a2, b_60[2]) ^ multiply(a3, b_60[1]);
	__uint128_t c1 = multiply(a0, b_60[1]) ^ multiply(a1, b_60[0]) ^
			 multiply(a2, b_60[3]) ^ multiply(a3, b_60[2]);
	__uint128_t c2 = multiply(a0, b_60[2]) ^ multiply(a1, b_60[1]) ^
			 multiply(a2, b_60[0]) ^ multiply(a3, b_60[3]);
	__uint128_t c3 = multiply(a0, b_60[3]) ^ multiply(a1, b_60[2]) ^
			 multiply(a2, b_60[1]) ^ multiply(a3, b_60[0]);

	return (c0 & BIT_CLASS_128(0)) ^ (c1 & BIT_CLASS_128(1)) ^
	       (c2 & BIT_CLASS_128(2)) ^ (c3 & BIT_CLASS_128(3)) ^
	       multiply(a, b->last[0]) ^ multiply(a, b->last[1]) ^
	       multiply(a, b->last[2]) ^ multiply(a, b->last[3]);
}

/*
 * A word of a product is 64 bits below the @next word and, because the product is reflected, 64
 * degrees above it. As x^128 = 1 + x + x^2 + x^7, the word is replaced by itself two words up,
 * shifted right by 0, 1, 2 and 7 bits: across @next and @after.
 */
static __always_inline void ghash_fold(u64 word, u64 *next, u64 *after)
{
	*next ^= word << 63 ^ word << 62 ^ word << 57;
	*after ^= word ^ word >> 1 ^ word >> 2 ^ word >> 7;
}

void sm4_ghash_set_factors(struct ghash_factor factors[3], const u64 power[2])
{
	ghash_set_factor(&factors[0], power[0]);
	ghash_set_factor(&factors[1], power[1]);
	ghash_set_factor(&factors[2], power[0] ^ power[1]);
}

/* value = value * power, value as {low, high} */
static void ghash_multiply(u64 value[2], const struct ghash_factor power[3])
{
	__uint128_t low = carryless_multiply(value[0], &power[0]);
	__uint128_t high = carryless_multiply(value[1], &power[1]);
	__uint128_t middle = low ^ high ^
			     carryless_multiply(value[0] ^ value[1], &power[2]);
	u64 lowest = low;
	u64 second = (u64)(low >> 64) ^ (u64)middle;
	u64 third = (u64)high ^ (u64)(middle >> 64);
	u64 highest = high >> 64;

	ghash_fold(lowest, &second, &third);
	ghash_fold(second, &third, &highest);
	value[0] = third;
	value[1] = highest;
}

void sm4_ghash_blocks(const struct ghash_factor h[3], u8 *hash, const u8 *src,
		      size_t nblocks)
{
	u64 value[2] = {
		get_unaligned_be64(hash + 8), get_unaligned_be64(hash),
	};

	for (; nblocks; nblocks--) {
		value[0] ^= get_unaligned_be64(src + 8);
		value[1] ^= get_unaligned_be64(src);
		ghash_multiply(value, h);
		src += GHASH_BLOCK_SIZE;
	}
	put_unaligned_be64(value[0], hash + 8);
	put_unaligned_be64(value[1], hash);
	memzero_explicit(value, sizeof(value));
}

void sm4_ghash_generic(const struct sm4_ghash_key *key, u8 *hash, const u8 *src,
		       size_t nblocks)
{
	struct ghash_factor h[3];

	sm4_ghash_set_factors(h, key->powers[GHASH_POWERS - 1]);
	sm4_ghash_blocks(h, hash, src, nblocks);
	memzero_explicit(h, sizeof(h));
}

/*
 * Powers are stored times x^-1. A multiplication restores the x of its second factor only, so the
 * product of two stored powers is again a stored power.
 */
void sm4_ghash_generic_set_key(struct sm4_ghash_key *key, const u8 *h,
			       unsigned int powers)
{
	u64 value[2] = { get_unaligned_be64(h + 8), get_unaligned_be64(h) };
	/* x^-1 = x^127 + x^6 + x + 1 */
	u64 carry = -(value[1] >> 63);
	struct ghash_factor first[3];
	unsigned int i;

	value[1] = (value[1] << 1 | value[0] >> 63) ^
		   (carry & 0xc200000000000000ULL);
	value[0] = value[0] << 1 ^ (carry & 1);
	sm4_ghash_set_factors(first, value);
	for (i = 1; i <= powers; i++) {
		key->powers[GHASH_POWERS - i][0] = value[0];
		key->powers[GHASH_POWERS - i][1] = value[1];
		key->middle[GHASH_POWERS - i][0] = value[0] ^ value[1];
		ghash_multiply(value, first);
	}
	memzero_explicit(value, sizeof(value));
	memzero_explicit(first, sizeof(first));
}
