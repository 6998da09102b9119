// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A baseline: T-tables looked up by the gather instruction of AVX2, 8 blocks at
 * a time, the usual method before the AES instructions were used for SM4. Only
 * the blocks are processed with vectors; counters and tweaks are computed one by
 * one. Not constant time, and for comparison only.
 */
#include <immintrin.h>
#include "seam.h"
#include "generated/sm4-tables.h"

#define BLOCKS		8
#define PASS_BYTES	(BLOCKS * SM4_BLOCK_SIZE)

#define WITH_AVX2	__attribute__((target("avx2")))

/* Convert the words of two consecutive blocks into big-endian numbers, and back. */
static WITH_AVX2 __m256i swap_bytes(__m256i x)
{
	return _mm256_shuffle_epi8(x,
		_mm256_set_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203,
				 0x0c0d0e0f, 0x08090a0b, 0x04050607,
				 0x00010203));
}

/* Transpose 4 x 4 words of each half: rows of blocks into words, and back. */
static WITH_AVX2 void transpose(__m256i x[4])
{
	__m256i low01 = _mm256_unpacklo_epi32(x[0], x[1]);
	__m256i high01 = _mm256_unpackhi_epi32(x[0], x[1]);
	__m256i low23 = _mm256_unpacklo_epi32(x[2], x[3]);
	__m256i high23 = _mm256_unpackhi_epi32(x[2], x[3]);

	x[0] = _mm256_unpacklo_epi64(low01, low23);
	x[1] = _mm256_unpackhi_epi64(low01, low23);
	x[2] = _mm256_unpacklo_epi64(high01, high23);
	x[3] = _mm256_unpackhi_epi64(high01, high23);
}

/* T of byte n of each word, counted from the most significant one: at byte n of the entry */
static WITH_AVX2 __m256i look_up(__m256i x, int n)
{
	__m256i index = _mm256_and_si256(_mm256_srli_epi32(x, 24 - 8 * n),
					 _mm256_set1_epi32(0xff));

	return _mm256_i32gather_epi32((const int *)((const u8 *)sm4_t + n),
				      index, 8);
}

/* s0 ^= L(S(s1 ^ s2 ^ s3 ^ round_key)) */
static WITH_AVX2 __m256i round_of(__m256i s0, __m256i s1, __m256i s2,
				  __m256i s3, u32 round_key)
{
	__m256i x = _mm256_set1_epi32(round_key) ^ s1 ^ s2 ^ s3;

	return s0 ^ look_up(x, 0) ^ look_up(x, 1) ^ look_up(x, 2) ^
	       look_up(x, 3);
}

static WITH_AVX2 void crypt_pass(const u32 plain[SM4_ROUNDS], u8 *dst,
				 const u8 *src)
{
	__m256i x[4];
	int i;

	for (i = 0; i < 4; i++)
		x[i] = swap_bytes(_mm256_loadu_si256((void *)(src + 32 * i)));
	transpose(x);
	for (i = 0; i < SM4_ROUNDS; i += 4) {
		x[0] = round_of(x[0], x[1], x[2], x[3], plain[i]);
		x[1] = round_of(x[1], x[2], x[3], x[0], plain[i + 1]);
		x[2] = round_of(x[2], x[3], x[0], x[1], plain[i + 2]);
		x[3] = round_of(x[3], x[0], x[1], x[2], plain[i + 3]);
	}
	swap(x[0], x[3]);
	swap(x[1], x[2]);
	transpose(x);
	for (i = 0; i < 4; i++)
		_mm256_storeu_si256((void *)(dst + 32 * i), swap_bytes(x[i]));
}

static size_t gather_ecb(const struct sm4_round_keys *keys, u8 *dst,
			 const u8 *src, u8 *iv, size_t bytes)
{
	u8 last[PASS_BYTES] = {};

	for (; bytes >= PASS_BYTES; bytes -= PASS_BYTES) {
		crypt_pass(keys->plain, dst, src);
		src += PASS_BYTES;
		dst += PASS_BYTES;
	}
	if (!bytes)
		return 0;
	memcpy(last, src, bytes);
	crypt_pass(keys->plain, last, last);
	memcpy(dst, last, bytes);
	return 0;
}

static size_t gather_cbc_decrypt(const struct sm4_round_keys *keys, u8 *dst,
				 const u8 *src, u8 *iv, size_t bytes)
{
	u8 blocks[PASS_BYTES];

	while (bytes) {
		size_t n = min_t(size_t, bytes, PASS_BYTES);

		gather_ecb(keys, blocks, src, NULL, n);
		crypto_xor(blocks, iv, SM4_BLOCK_SIZE);
		crypto_xor(blocks + SM4_BLOCK_SIZE, src, n - SM4_BLOCK_SIZE);
		memcpy(iv, src + n - SM4_BLOCK_SIZE, SM4_BLOCK_SIZE);
		memcpy(dst, blocks, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	return 0;
}

static size_t gather_ctr(const struct sm4_round_keys *keys, u8 *dst,
			 const u8 *src, u8 *counter, size_t bytes)
{
	u8 keystream[PASS_BYTES];

	while (bytes) {
		size_t n = min_t(size_t, bytes, PASS_BYTES), i;

		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			memcpy(keystream + i, counter, SM4_BLOCK_SIZE);
			crypto_inc(counter, SM4_BLOCK_SIZE);
		}
		gather_ecb(keys, keystream, keystream, NULL, i);
		crypto_xor_cpy(dst, src, keystream, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	return 0;
}

static size_t gather_xts(const struct sm4_round_keys *keys, u8 *dst,
			 const u8 *src, u8 *tweak, size_t bytes)
{
	u8 tweaks[PASS_BYTES], blocks[PASS_BYTES];

	while (bytes) {
		size_t n = min_t(size_t, bytes, PASS_BYTES), i;

		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			memcpy(tweaks + i, tweak, SM4_BLOCK_SIZE);
			sm4_xts_next_tweak(tweak);
		}
		crypto_xor_cpy(blocks, src, tweaks, n);
		gather_ecb(keys, blocks, blocks, NULL, n);
		crypto_xor_cpy(dst, blocks, tweaks, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	return 0;
}

static const struct sm4_tier gather_tier = {
	.base.name = "avx2",
	.base.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2 },
	.key_schedule = seam_key_schedule,
	.crypt = {
		[SM4_ECB] = gather_ecb,
		[SM4_CBC_DECRYPT] = gather_cbc_decrypt,
		[SM4_CTR] = gather_ctr,
		[SM4_XTS] = gather_xts,
	},
};

const struct sm4_tier *seam_tier(unsigned int i)
{
	return i ? NULL : &gather_tier;
}

const struct sm3_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return NULL;
}

const struct library library = SEAM_LIBRARY("gather");
