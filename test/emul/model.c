// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The instructions by their definitions (model.h), bit by bit: slow, and meant
 * to be compared with the text of the manual. Uses no constant from the module.
 */
#include <string.h>
#include "model.h"

/* ---- bytes as polynomials over GF(2) modulo one of degree 8 ---- */

struct field {
	unsigned int polynomial;
	uint8_t inverses[256];	/* computed once: programs need millions */
};

/* x^8 + x^4 + x^3 + x + 1 */
static struct field aes_field = { 0x11b };

/* x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1 */
static struct field sm4_field = { 0x1f5 };

static uint8_t multiply(uint8_t a, uint8_t b, const struct field *field)
{
	unsigned int shifted = a, product = 0;
	int bit;

	for (bit = 0; bit < 8; bit++) {
		if (b >> bit & 1)
			product ^= shifted;
		shifted <<= 1;
		if (shifted >> 8)
			shifted ^= field->polynomial;
	}
	return product;
}

__attribute__((constructor))
static void find_inverses(void)
{
	int a, b;

	for (a = 1; a < 256; a++) {
		for (b = 1; b < 256; b++) {
			if (multiply(a, b, &aes_field) == 1)
				aes_field.inverses[a] = b;
			if (multiply(a, b, &sm4_field) == 1)
				sm4_field.inverses[a] = b;
		}
	}
}

/* 1 / a, and 0 for 0 */
static uint8_t invert(uint8_t a, const struct field *field)
{
	return field->inverses[a];
}

static uint8_t rotate_byte(uint8_t a, int bits)
{
	return a << bits | a >> (8 - bits);
}

/* ---- GFNI: Intel SDM, volume 2 ---- */

/* Row i of a matrix of eight bytes, which gives bit i, is byte 7 - i. */
static uint8_t affine(const uint8_t *matrix, uint8_t a, uint8_t constant)
{
	uint8_t result = 0;
	int bit;

	for (bit = 0; bit < 8; bit++)
		result |= __builtin_parity(matrix[7 - bit] & a) << bit;
	return result ^ constant;
}

static void gf2p8affineqb(uint8_t *result, const uint8_t *a, const uint8_t *b,
			  uint8_t immediate)
{
	int i;

	for (i = 0; i < PART_BYTES; i++)
		result[i] = affine(b + i / 8 * 8, a[i], immediate);
}

static void gf2p8affineinvqb(uint8_t *result, const uint8_t *a,
			     const uint8_t *b, uint8_t immediate)
{
	int i;

	for (i = 0; i < PART_BYTES; i++)
		result[i] = affine(b + i / 8 * 8,
				   invert(a[i], &aes_field), immediate);
}

/* ---- AES: FIPS 197; a state is four columns of four bytes ---- */

static uint8_t aes_sbox(uint8_t a)
{
	uint8_t inverse = invert(a, &aes_field);

	return inverse ^ rotate_byte(inverse, 1) ^ rotate_byte(inverse, 2) ^
	       rotate_byte(inverse, 3) ^ rotate_byte(inverse, 4) ^ 0x63;
}

/* SubBytes, ShiftRows, in which row r goes r columns to the left, and AddRoundKey */
static void aesenclast(uint8_t *result, const uint8_t *a, const uint8_t *b,
		       uint8_t immediate)
{
	int i;

	for (i = 0; i < PART_BYTES; i++)
		result[i] = aes_sbox(a[(i + 4 * (i % 4)) % PART_BYTES]) ^ b[i];
}

/* ---- carry-less multiplication ---- */

/* Bits 0 and 4 of the immediate choose the half of a and that of b. */
static void pclmulqdq(uint8_t *result, const uint8_t *a, const uint8_t *b,
		      uint8_t immediate)
{
	uint64_t x, y, product[2] = { 0, 0 };
	int bit;

	memcpy(&x, a + 8 * (immediate & 1), sizeof(x));
	memcpy(&y, b + 8 * (immediate >> 4 & 1), sizeof(y));
	for (bit = 0; bit < 64; bit++) {
		if (!(y >> bit & 1))
			continue;
		product[0] ^= x << bit;
		product[1] ^= bit ? x >> (64 - bit) : 0;
	}
	memcpy(result, product, sizeof(product));
}

/* ---- SM4: GB/T 32907-2016; words are in the CPU's byte order ---- */

/* An affine map before the inversion, and the same one after it */
static uint8_t sm4_affine(uint8_t a)
{
	uint8_t result = 0;
	int bit;

	for (bit = 0; bit < 8; bit++)
		result |= __builtin_parity(a & rotate_byte(0xa7, bit)) << bit;
	return result ^ 0xd3;
}

static uint8_t sm4_sbox(uint8_t a)
{
	return sm4_affine(invert(sm4_affine(a), &sm4_field));
}

static uint32_t sm4_substitute(uint32_t word)
{
	uint32_t result = 0;
	int shift;

	for (shift = 0; shift < 32; shift += 8)
		result |= (uint32_t)sm4_sbox(word >> shift) << shift;
	return result;
}

static uint32_t rotate_word(uint32_t word, int bits)
{
	return word << bits | word >> (32 - bits);
}

/* L of the rounds and L' of the key schedule */
static uint32_t sm4_linear(uint32_t b)
{
	return b ^ rotate_word(b, 2) ^ rotate_word(b, 10) ^
	       rotate_word(b, 18) ^ rotate_word(b, 24);
}

static uint32_t sm4_key_linear(uint32_t b)
{
	return b ^ rotate_word(b, 13) ^ rotate_word(b, 23);
}

/*
 * Rounds: the words of a are the state, those of b the round keys, from word number @first on
 */
static void some_rounds(uint8_t *result, const uint8_t *a, const uint8_t *b,
			int first, int rounds, uint32_t (*linear)(uint32_t word))
{
	uint32_t state[8], added[4];
	int i;

	memcpy(state, a, PART_BYTES);
	memcpy(added, b, PART_BYTES);
	for (i = 0; i < rounds; i++)
		state[i + 4] = state[i] ^
			linear(sm4_substitute(state[i + 1] ^ state[i + 2] ^
					      state[i + 3] ^ added[first + i]));
	memcpy(result, state + rounds, PART_BYTES);
}

static void sm4rnds4(uint8_t *result, const uint8_t *a, const uint8_t *b,
		     uint8_t immediate)
{
	some_rounds(result, a, b, 0, 4, sm4_linear);
}

static void sm4key4(uint8_t *result, const uint8_t *a, const uint8_t *b,
		    uint8_t immediate)
{
	some_rounds(result, a, b, 0, 4, sm4_key_linear);
}

/* Hygon's, one round each; only two bits of the immediate count. */
static void sm4rnd(uint8_t *result, const uint8_t *a, const uint8_t *b,
		   uint8_t immediate)
{
	some_rounds(result, a, b, immediate & 3, 1, sm4_linear);
}

static void sm4rk(uint8_t *result, const uint8_t *a, const uint8_t *b,
		  uint8_t immediate)
{
	some_rounds(result, a, b, immediate & 3, 1, sm4_key_linear);
}

/* ---- SM3: GB/T 32905-2016, sections 4 and 5.3; Intel SDM, volume 2 ---- */

static uint32_t sm3_p1(uint32_t x)
{
	return x ^ rotate_word(x, 15) ^ rotate_word(x, 23);
}

/* W_7 to W_10 or W_0 to W_3 are the result's operand, and the others b. */
static void sm3msg1(uint8_t *result, const uint8_t *a, const uint8_t *b,
		    uint8_t immediate)
{
	uint32_t w[4], w7[4], w13[4];
	int i;

	memcpy(w, result, PART_BYTES);
	memcpy(w7, b, PART_BYTES);
	memcpy(w13, a, PART_BYTES);
	for (i = 0; i < 4; i++)
		w[i] = sm3_p1(w[i] ^ w7[i] ^
			      (i < 3 ? rotate_word(w13[i], 15) : 0));
	memcpy(result, w, PART_BYTES);
}

/* The last of the four words lacks P1(W_16 <<< 15). */
static void sm3msg2(uint8_t *result, const uint8_t *a, const uint8_t *b,
		    uint8_t immediate)
{
	uint32_t w[4], w3[4], w10[4];
	int i;

	memcpy(w, result, PART_BYTES);
	memcpy(w3, a, PART_BYTES);
	memcpy(w10, b, PART_BYTES);
	for (i = 0; i < 4; i++)
		w[i] ^= rotate_word(w3[i], 7) ^ w10[i];
	w[3] ^= sm3_p1(rotate_word(w[0], 15));
	memcpy(result, w, PART_BYTES);
}

/* The state is F, E, B, A in a and H, G, D, C, not rotated yet, in the result. */
static void sm3rnds2(uint8_t *result, const uint8_t *feba, const uint8_t *words,
		     uint8_t immediate)
{
	uint32_t low[4], high[4], w[4];	/* of the names, and W_j, W_(j+4) */
	int i, round = immediate & 0x3e;

	memcpy(high, feba, PART_BYTES);
	memcpy(low, result, PART_BYTES);
	memcpy(w, words, PART_BYTES);
	for (i = 0; i < 4; i++)
		low[i] = rotate_word(low[i], i < 2 ? 19 : 9);
	for (i = 0; i < 2; i++, round++) {
		uint32_t a = high[3], b = high[2], e = high[1], f = high[0];
		uint32_t c = low[3], d = low[2], g = low[1], h = low[0];
		uint32_t t = round < 16 ? 0x79cc4519 : 0x7a879d8a;
		uint32_t rotated = t << round % 32;
		uint32_t s1, ff, gg, x;

		if (round % 32)
			rotated |= t >> (32 - round % 32);
		s1 = rotate_word(rotate_word(a, 12) + e + rotated, 7);
		ff = round < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
		gg = round < 16 ? e ^ f ^ g : (e & f) | (~e & g);
		x = gg + h + s1 + w[i];
		low[2] = c;
		low[3] = rotate_word(b, 9);
		high[2] = a;
		high[3] = ff + d + (s1 ^ rotate_word(a, 12)) + (w[i] ^ w[i + 2]);
		low[0] = g;
		low[1] = rotate_word(f, 19);
		high[0] = e;
		high[1] = x ^ rotate_word(x, 9) ^ rotate_word(x, 17);
	}
	memcpy(result, high, PART_BYTES);
}

const struct instruction instructions[] = {
	{ "vgf2p8affineqb", PREFIX_66, MAP_0F3A, 0xce, .w = true,
	  .has_immediate = true, .compute = gf2p8affineqb },
	{ "vgf2p8affineinvqb", PREFIX_66, MAP_0F3A, 0xcf, .w = true,
	  .has_immediate = true, .compute = gf2p8affineinvqb },
	{ "vaesenclast", PREFIX_66, MAP_0F38, 0xdd,
	  .compute = aesenclast },
	{ "vpclmulqdq", PREFIX_66, MAP_0F3A, 0x44,
	  .has_immediate = true, .compute = pclmulqdq },
	{ "vsm4rnds4", PREFIX_F2, MAP_0F38, 0xda, .compute = sm4rnds4 },
	{ "vsm4key4", PREFIX_F3, MAP_0F38, 0xda, .compute = sm4key4 },
	{ "sm4rnd", PREFIX_66, MAP_0F3A, 0x8a, .has_immediate = true,
	  .narrow = true, .is_legacy = true, .compute = sm4rnd },
	{ "sm4rk", PREFIX_66, MAP_0F3A, 0x8b, .has_immediate = true,
	  .narrow = true, .is_legacy = true, .compute = sm4rk },
	{ "vsm3msg1", PREFIX_NONE, MAP_0F38, 0xda, .narrow = true,
	  .compute = sm3msg1 },
	{ "vsm3msg2", PREFIX_66, MAP_0F38, 0xda, .narrow = true,
	  .compute = sm3msg2 },
	{ "vsm3rnds2", PREFIX_66, MAP_0F3A, 0xde, .has_immediate = true,
	  .narrow = true, .compute = sm3rnds2 },
};

const size_t instruction_count = sizeof(instructions) / sizeof(instructions[0]);
