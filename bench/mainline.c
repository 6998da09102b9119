// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Linux's own sm4-aesni-avx and sm4-aesni-avx2: its assembly and its C code for
 * single blocks, from a source package, called as its drivers call them. Both
 * drivers use the same functions for single blocks, for less than a pass, and for
 * ECB. There is no driver for XTS or GCM. For SM3, this is the assembly with AVX;
 * HMAC and authenc are templates in the kernel.
 */
#include "seam.h"

#define PASS_BLOCKS	8
#define PASS_BYTES	(PASS_BLOCKS * SM4_BLOCK_SIZE)

/* One to four, or one to eight blocks */
typedef void blocks_function(const u32 *round_keys, u8 *dst, const u8 *src,
			     int blocks);
asmlinkage blocks_function sm4_aesni_avx_crypt4, sm4_aesni_avx_crypt8;

/* 8 or 16 blocks of a mode */
typedef void pass_function(const u32 *round_keys, u8 *dst, const u8 *src,
			    u8 *iv);
asmlinkage pass_function sm4_aesni_avx_ctr_enc_blk8;
asmlinkage pass_function sm4_aesni_avx_cbc_dec_blk8;
asmlinkage pass_function sm4_aesni_avx2_ctr_enc_blk16;
asmlinkage pass_function sm4_aesni_avx2_cbc_dec_blk16;

asmlinkage sm3_blocks_function sm3_transform_avx;

/* One block, in C */
typedef void block_function(const u32 *round_keys, u8 *dst, const u8 *src);
block_function sm4_crypt_block;

static size_t mainline_ecb(const struct sm4_round_keys *keys, u8 *dst,
			   const u8 *src, u8 *iv, size_t bytes)
{
	for (; bytes >= PASS_BYTES; bytes -= PASS_BYTES) {
		sm4_aesni_avx_crypt8(keys->plain, dst, src, PASS_BLOCKS);
		src += PASS_BYTES;
		dst += PASS_BYTES;
	}
	while (bytes) {
		size_t n = min_t(size_t, bytes, 4 * SM4_BLOCK_SIZE);

		sm4_aesni_avx_crypt4(keys->plain, dst, src, n / SM4_BLOCK_SIZE);
		src += n;
		dst += n;
		bytes -= n;
	}
	return 0;
}

static size_t mainline_cbc_encrypt(const struct sm4_round_keys *keys, u8 *dst,
				   const u8 *src, u8 *iv, size_t bytes)
{
	const u8 *chain = iv;

	for (; bytes; bytes -= SM4_BLOCK_SIZE) {
		crypto_xor_cpy(dst, src, chain, SM4_BLOCK_SIZE);
		sm4_crypt_block(keys->plain, dst, dst);
		chain = dst;
		src += SM4_BLOCK_SIZE;
		dst += SM4_BLOCK_SIZE;
	}
	memmove(iv, chain, SM4_BLOCK_SIZE);
	return 0;
}

static void cbc_decrypt(const struct sm4_round_keys *keys, u8 *dst,
			const u8 *src, u8 *iv, size_t bytes,
			pass_function *pass, size_t pass_bytes)
{
	u8 blocks[PASS_BYTES];

	for (; bytes >= pass_bytes; bytes -= pass_bytes) {
		pass(keys->plain, dst, src, iv);
		src += pass_bytes;
		dst += pass_bytes;
	}
	while (bytes) {
		size_t n = min_t(size_t, bytes, PASS_BYTES);

		sm4_aesni_avx_crypt8(keys->plain, blocks, src,
				     n / SM4_BLOCK_SIZE);
		crypto_xor(blocks, iv, SM4_BLOCK_SIZE);
		crypto_xor(blocks + SM4_BLOCK_SIZE, src, n - SM4_BLOCK_SIZE);
		memcpy(iv, src + n - SM4_BLOCK_SIZE, SM4_BLOCK_SIZE);
		memcpy(dst, blocks, n);
		src += n;
		dst += n;
		bytes -= n;
	}
}

static void ctr(const struct sm4_round_keys *keys, u8 *dst, const u8 *src,
		u8 *counter, size_t bytes, pass_function *pass,
		size_t pass_bytes)
{
	u8 keystream[PASS_BYTES];

	for (; bytes >= pass_bytes; bytes -= pass_bytes) {
		pass(keys->plain, dst, src, counter);
		src += pass_bytes;
		dst += pass_bytes;
	}
	while (bytes >= SM4_BLOCK_SIZE) {
		size_t n = min_t(size_t, round_down(bytes, SM4_BLOCK_SIZE),
				 PASS_BYTES), i;

		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			memcpy(keystream + i, counter, SM4_BLOCK_SIZE);
			crypto_inc(counter, SM4_BLOCK_SIZE);
		}
		sm4_aesni_avx_crypt8(keys->plain, keystream, keystream,
				     n / SM4_BLOCK_SIZE);
		crypto_xor_cpy(dst, src, keystream, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	if (bytes) {
		sm4_crypt_block(keys->plain, keystream, counter);
		crypto_inc(counter, SM4_BLOCK_SIZE);
		crypto_xor_cpy(dst, src, keystream, bytes);
	}
}

/* The modes of a driver whose assembly processes @blocks blocks at a time */
#define DRIVER_FUNCTION(driver, mode, general, pass, blocks)		\
static size_t driver##_##mode(const struct sm4_round_keys *keys, u8 *dst,	\
			      const u8 *src, u8 *iv, size_t bytes)	\
{									\
	general(keys, dst, src, iv, bytes, pass,			\
		(blocks) * SM4_BLOCK_SIZE);				\
	return 0;							\
}

DRIVER_FUNCTION(avx, cbc_decrypt, cbc_decrypt, sm4_aesni_avx_cbc_dec_blk8, 8)
DRIVER_FUNCTION(avx, ctr, ctr, sm4_aesni_avx_ctr_enc_blk8, 8)
DRIVER_FUNCTION(avx2, cbc_decrypt, cbc_decrypt, sm4_aesni_avx2_cbc_dec_blk16, 16)
DRIVER_FUNCTION(avx2, ctr, ctr, sm4_aesni_avx2_ctr_enc_blk16, 16)

static const struct sm4_tier mainline_avx = {
	.base.name = "aesni-avx",
	.base.features = { X86_FEATURE_AVX, X86_FEATURE_AES },
	.key_schedule = seam_key_schedule,
	.crypt = {
		[SM4_ECB] = mainline_ecb,
		[SM4_CBC_ENCRYPT] = mainline_cbc_encrypt,
		[SM4_CBC_DECRYPT] = avx_cbc_decrypt,
		[SM4_CTR] = avx_ctr,
	},
};

static const struct sm4_tier mainline_avx2 = {
	.base.name = "aesni-avx2",
	.base.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_AES },
	.key_schedule = seam_key_schedule,
	.crypt = {
		[SM4_ECB] = mainline_ecb,
		[SM4_CBC_ENCRYPT] = mainline_cbc_encrypt,
		[SM4_CBC_DECRYPT] = avx2_cbc_decrypt,
		[SM4_CTR] = avx2_ctr,
	},
};

static const struct sm4_tier *const tiers[] = { &mainline_avx, &mainline_avx2 };

const struct sm4_tier *seam_tier(unsigned int i)
{
	return i < ARRAY_SIZE(tiers) ? tiers[i] : NULL;
}

static const struct sm3_tier mainline_sm3 = {
	.base.name = "sm3-avx",
	.base.features = { X86_FEATURE_AVX, X86_FEATURE_BMI2 },
	.blocks = sm3_transform_avx,
};

const struct sm3_tier *seam_sm3_tier(const struct sm4_tier *tier)
{
	return sm4_tier_usable(&mainline_sm3.base) ? &mainline_sm3 : NULL;
}

const struct library library = SEAM_LIBRARY("mainline");
