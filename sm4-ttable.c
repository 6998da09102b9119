// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The portable tier: SM4 with T-tables, and GHASH from ghash-generic.c.
 *
 * It is the fallback of all other tiers where the vector unit cannot be used, and they are
 * tested against it. Its S-box and T-table lookups depend on key and data, so its SM4 is not
 * constant time; its GHASH is.
 */
#include <linux/module.h>
#include <linux/string.h>
#include "ghash-generic.h"
#include "generated/sm4-tables.h"

static u32 sm4_substitute(u32 x)
{
	return (u32)sm4_sbox[x >> 24] << 24 |
	       (u32)sm4_sbox[x >> 16 & 0xff] << 16 |
	       (u32)sm4_sbox[x >> 8 & 0xff] << 8 |
	       sm4_sbox[x & 0xff];
}

/* GB/T 32907-2016, section 7.3 */
static void sm4_ttable_key_schedule(u32 plain[SM4_ROUNDS], const u8 *key)
{
	u32 k[4], t;
	int i;

	for (i = 0; i < 4; i++)
		k[i] = get_unaligned_be32(key + 4 * i) ^ sm4_fk[i];
	for (i = 0; i < SM4_ROUNDS; i++) {
		t = sm4_substitute(k[(i + 1) % 4] ^ k[(i + 2) % 4] ^
				   k[(i + 3) % 4] ^ sm4_ck[i]);
		k[i % 4] ^= t ^ rol32(t, 13) ^ rol32(t, 23);
		plain[i] = k[i % 4];
	}
	memzero_explicit(k, sizeof(k));
}

/*
 * L(S(x)): S-box and linear layer of the four bytes. L commutes with rotations, so one table is
 * enough for all bytes: an entry is a word twice, and at its byte n is that word rotated right by
 * 8 n bits. That is as fast as a table for each byte, and takes half of the cache.
 */
static __always_inline u32 sm4_t_lookup(u32 x)
{
	return get_unaligned_le32((const u8 *)&sm4_t[x >> 24]) ^
	       get_unaligned_le32((const u8 *)&sm4_t[x >> 16 & 0xff] + 1) ^
	       get_unaligned_le32((const u8 *)&sm4_t[x >> 8 & 0xff] + 2) ^
	       get_unaligned_le32((const u8 *)&sm4_t[x & 0xff] + 3);
}

/*
 * The rounds of a single block mostly wait for lookups. Several independent blocks at once are
 * faster, even without enough registers for all their words: on a Xeon with AMX, 1, 2, 3, 4 and 6
 * of them take 12.3, 7.8, 6.0, 5.1 and 4.6 TSC cycles/byte. Few messages are multiples of six.
 */
#define SM4_SIDE_BY_SIDE	4
#define SM4_FOUR_BLOCKS		(SM4_SIDE_BY_SIDE * SM4_BLOCK_SIZE)

/* One round of all blocks, which changes word @i */
static __always_inline void sm4_round(u32 x[][4], unsigned int nblocks,
				      unsigned int i, u32 key)
{
	unsigned int n;

#pragma GCC unroll 4
	for (n = 0; n < nblocks; n++)
		x[n][i] ^= sm4_t_lookup(x[n][(i + 1) % 4] ^ x[n][(i + 2) % 4] ^
					x[n][(i + 3) % 4] ^ key);
}

/*
 * Encrypt a constant number of blocks, at most SM4_SIDE_BY_SIDE, the last of which is at @last.
 * The loops over blocks are unrolled so that words are in registers. Text is read and written
 * 64 bits at a time, as the modes do: a load that spans several recent stores has to wait.
 */
static __always_inline void
sm4_side_by_side(const u32 plain[SM4_ROUNDS], u8 *dst, const u8 *src,
		 unsigned int nblocks, size_t last)
{
	u32 x[SM4_SIDE_BY_SIDE][4];
	unsigned int i, n;

#pragma GCC unroll 4
	for (n = 0; n < nblocks; n++) {
		size_t at = n < nblocks - 1 ? n * SM4_BLOCK_SIZE : last;
		u64 high = get_unaligned_be64(src + at);
		u64 low = get_unaligned_be64(src + at + 8);

		x[n][0] = high >> 32;
		x[n][1] = high;
		x[n][2] = low >> 32;
		x[n][3] = low;
	}
	for (i = 0; i < SM4_ROUNDS; i += 4) {
		sm4_round(x, nblocks, 0, plain[i]);
		sm4_round(x, nblocks, 1, plain[i + 1]);
		sm4_round(x, nblocks, 2, plain[i + 2]);
		sm4_round(x, nblocks, 3, plain[i + 3]);
	}
#pragma GCC unroll 4
	for (n = 0; n < nblocks; n++) {
		size_t at = n < nblocks - 1 ? n * SM4_BLOCK_SIZE : last;
		u8 *block = dst + at;

		put_unaligned_be64((u64)x[n][3] << 32 | x[n][2], block);
		put_unaligned_be64((u64)x[n][1] << 32 | x[n][0], block + 8);
	}
}

/* Encrypt one block. @dst may equal @src. */
static void sm4_block(const u32 plain[SM4_ROUNDS], u8 *dst, const u8 *src)
{
	sm4_side_by_side(plain, dst, src, 1, 0);
}

/*
 * Encrypt four blocks or three. Of three, the last one is encrypted twice, which is 40 % faster
 * than encrypting two blocks and one. Not inlined, so that the compiler keeps more words in
 * registers.
 */
static noinline void sm4_four_blocks(const u32 plain[SM4_ROUNDS], u8 *dst,
				     const u8 *src, size_t bytes)
{
	sm4_side_by_side(plain, dst, src, SM4_SIDE_BY_SIDE,
			 bytes - SM4_BLOCK_SIZE);
}

/*
 * Encrypt any number of blocks. @dst may equal @src. The case of a single block comes first,
 * because it saves few registers.
 */
static void sm4_blocks(const u32 plain[SM4_ROUNDS], u8 *dst, const u8 *src,
		       size_t bytes)
{
	if (bytes == SM4_BLOCK_SIZE) {
		sm4_block(plain, dst, src);
		return;
	}
	while (bytes > 2 * SM4_BLOCK_SIZE) {
		size_t n = min_t(size_t, bytes, SM4_FOUR_BLOCKS);

		sm4_four_blocks(plain, dst, src, n);
		src += n;
		dst += n;
		bytes -= n;
	}
	if (bytes == 2 * SM4_BLOCK_SIZE)
		sm4_side_by_side(plain, dst, src, 2, SM4_BLOCK_SIZE);
	else if (bytes)
		sm4_block(plain, dst, src);
}

/*
 * Wipe the used ones of four blocks: at most @bytes. Each block takes two stores. For all four at
 * once, the compiler would use a string instruction, which takes a tenth of the time to encrypt a
 * block.
 */
static void sm4_wipe_four_blocks(u8 blocks[SM4_FOUR_BLOCKS], size_t bytes)
{
	size_t i;

	for (i = 0; i < min_t(size_t, bytes, SM4_FOUR_BLOCKS); i += SM4_BLOCK_SIZE)
		memzero_explicit(blocks + i, SM4_BLOCK_SIZE);
}

static size_t sm4_ttable_ecb(const struct sm4_round_keys *keys, u8 *dst,
			     const u8 *src, u8 *iv, size_t bytes)
{
	sm4_blocks(keys->plain, dst, src, bytes);
	return 0;
}

static size_t sm4_ttable_cbc_encrypt(const struct sm4_round_keys *keys, u8 *dst,
				     const u8 *src, u8 *iv, size_t bytes)
{
	const u8 *chain = iv;

	if (!bytes)
		return 0;
	for (; bytes; bytes -= SM4_BLOCK_SIZE) {
		crypto_xor_cpy(dst, src, chain, SM4_BLOCK_SIZE);
		sm4_block(keys->plain, dst, dst);
		chain = dst;
		src += SM4_BLOCK_SIZE;
		dst += SM4_BLOCK_SIZE;
	}
	memcpy(iv, chain, SM4_BLOCK_SIZE);
	return 0;
}

/* Copies the ciphertext, because @dst may overwrite it. */
static size_t sm4_ttable_cbc_decrypt(const struct sm4_round_keys *keys, u8 *dst,
				     const u8 *src, u8 *iv, size_t bytes)
{
	u8 ciphertext[SM4_FOUR_BLOCKS];

	while (bytes) {
		size_t n = min_t(size_t, bytes, SM4_FOUR_BLOCKS), i;

		for (i = 0; i < n; i += SM4_BLOCK_SIZE)
			memcpy(ciphertext + i, src + i, SM4_BLOCK_SIZE);
		sm4_blocks(keys->plain, dst, src, n);
		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			crypto_xor(dst + i, iv, SM4_BLOCK_SIZE);
			memcpy(iv, ciphertext + i, SM4_BLOCK_SIZE);
		}
		src += n;
		dst += n;
		bytes -= n;
	}
	return 0;
}

/* A counter of 128 bits, the more significant half first */
static void sm4_next_counter(u64 counter[2])
{
	counter[0] += !++counter[1];
}

/* Only the last 32 bits are incremented. */
static void sm4_gcm_next_counter(u64 counter[2])
{
	counter[1] = counter[1] >> 32 << 32 | (u32)(counter[1] + 1);
}

static __always_inline void
sm4_ttable_ctr_by(void next_counter(u64 counter[2]),
		  const struct sm4_round_keys *keys, u8 *dst, const u8 *src,
		  u8 *counter, size_t bytes)
{
	u64 next[2] = {
		get_unaligned_be64(counter), get_unaligned_be64(counter + 8),
	};
	u8 keystream[SM4_FOUR_BLOCKS];
	size_t left, n, i;

	for (left = bytes; left; left -= n) {
		n = min_t(size_t, left, SM4_FOUR_BLOCKS);
		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			put_unaligned_be64(next[0], keystream + i);
			put_unaligned_be64(next[1], keystream + i + 8);
			next_counter(next);
		}
		sm4_blocks(keys->plain, keystream, keystream, i);
		for (i = 0; i + SM4_BLOCK_SIZE <= n; i += SM4_BLOCK_SIZE)
			crypto_xor_cpy(dst + i, src + i, keystream + i,
				       SM4_BLOCK_SIZE);
		if (i < n)
			crypto_xor_cpy(dst + i, src + i, keystream + i, n - i);
		src += n;
		dst += n;
	}
	sm4_wipe_four_blocks(keystream, bytes);
	put_unaligned_be64(next[0], counter);
	put_unaligned_be64(next[1], counter + 8);
}

static size_t sm4_ttable_ctr(const struct sm4_round_keys *keys, u8 *dst,
			     const u8 *src, u8 *counter, size_t bytes)
{
	sm4_ttable_ctr_by(sm4_next_counter, keys, dst, src, counter, bytes);
	return 0;
}

static __always_inline void
sm4_ttable_xts_by(void next_tweak(u8 *tweak), const struct sm4_round_keys *keys,
		  u8 *dst, const u8 *src, u8 *tweak, size_t bytes)
{
	u8 tweaks[SM4_FOUR_BLOCKS];
	size_t left, n, i;

	for (left = bytes; left; left -= n) {
		n = min_t(size_t, left, SM4_FOUR_BLOCKS);
		for (i = 0; i < n; i += SM4_BLOCK_SIZE) {
			memcpy(tweaks + i, tweak, SM4_BLOCK_SIZE);
			crypto_xor_cpy(dst + i, src + i, tweak, SM4_BLOCK_SIZE);
			next_tweak(tweak);
		}
		sm4_blocks(keys->plain, dst, dst, n);
		for (i = 0; i < n; i += SM4_BLOCK_SIZE)
			crypto_xor(dst + i, tweaks + i, SM4_BLOCK_SIZE);
		src += n;
		dst += n;
	}
	sm4_wipe_four_blocks(tweaks, bytes);
}

static size_t sm4_ttable_xts(const struct sm4_round_keys *keys, u8 *dst,
			     const u8 *src, u8 *tweak, size_t bytes)
{
	sm4_ttable_xts_by(sm4_xts_next_tweak, keys, dst, src, tweak, bytes);
	return 0;
}

static size_t sm4_ttable_xts_gb(const struct sm4_round_keys *keys, u8 *dst,
				const u8 *src, u8 *tweak, size_t bytes)
{
	sm4_ttable_xts_by(sm4_xts_gb_next_tweak, keys, dst, src, tweak, bytes);
	return 0;
}

static void sm4_ttable_cbc_mac(const struct sm4_round_keys *keys, u8 *mac,
			       const u8 *src, size_t nblocks)
{
	for (; nblocks; nblocks--) {
		crypto_xor(mac, src, SM4_BLOCK_SIZE);
		sm4_block(keys->plain, mac, mac);
		src += SM4_BLOCK_SIZE;
	}
}

/* Encrypt the MAC and a counter side by side, because they are independent. */
static void sm4_ttable_ccm_crypt(const struct sm4_round_keys *keys, u8 *dst,
				 const u8 *src, struct sm4_ccm_state *state,
				 size_t nblocks, bool decrypts)
{
	u8 *count = state->counter + SM4_BLOCK_SIZE - sizeof(u32);
	u8 pair[2 * SM4_BLOCK_SIZE], *keystream = pair + SM4_BLOCK_SIZE;

	memcpy(pair, state->mac, SM4_BLOCK_SIZE);
	for (; nblocks; nblocks--) {
		crypto_xor(pair, state->text, SM4_BLOCK_SIZE);
		memcpy(keystream, state->counter, SM4_BLOCK_SIZE);
		put_unaligned_be32(get_unaligned_be32(count) + 1, count);
		sm4_blocks(keys->plain, pair, pair, sizeof(pair));
		if (decrypts)
			crypto_xor_cpy(state->text, src, keystream,
				       SM4_BLOCK_SIZE);
		else
			memcpy(state->text, src, SM4_BLOCK_SIZE);
		crypto_xor_cpy(dst, src, keystream, SM4_BLOCK_SIZE);
		src += SM4_BLOCK_SIZE;
		dst += SM4_BLOCK_SIZE;
	}
	memcpy(state->mac, pair, SM4_BLOCK_SIZE);
	memzero_explicit(pair, sizeof(pair));
}

static void sm4_ttable_gcm_ctr(const struct sm4_gcm_key *key, u8 *dst,
			       const u8 *src, struct sm4_gcm_state *state,
			       size_t bytes)
{
	sm4_ttable_ctr_by(sm4_gcm_next_counter, &key->enc, dst, src,
			  state->counter, bytes);
}

/* GHASH pads a partial block with zeros. */
static void sm4_ttable_gcm_hash(const struct ghash_factor h[3], u8 *hash,
				const u8 *ciphertext, size_t bytes)
{
	size_t whole = round_down(bytes, GHASH_BLOCK_SIZE);
	u8 last[GHASH_BLOCK_SIZE] = {};

	sm4_ghash_blocks(h, hash, ciphertext, whole / GHASH_BLOCK_SIZE);
	if (whole < bytes) {
		memcpy(last, ciphertext + whole, bytes - whole);
		sm4_ghash_blocks(h, hash, last, 1);
	}
}

static size_t sm4_ttable_gcm(const struct sm4_gcm_key *key, u8 *dst,
			     const u8 *src, struct sm4_gcm_state *state,
			     size_t bytes, unsigned int part)
{
	struct ghash_factor h[3];

	sm4_ghash_set_factors(h, key->hash.powers[GHASH_POWERS - 1]);
	if (part & SM4_GCM_FIRST) {
		memset(state->mask, 0, SM4_BLOCK_SIZE);
		sm4_ttable_gcm_ctr(key, state->mask, state->mask, state,
				   SM4_BLOCK_SIZE);
	}
	if (part & SM4_GCM_DECRYPTS)
		sm4_ttable_gcm_hash(h, state->hash, src, bytes);
	sm4_ttable_gcm_ctr(key, dst, src, state, bytes);
	if (!(part & SM4_GCM_DECRYPTS))
		sm4_ttable_gcm_hash(h, state->hash, dst, bytes);
	if (part & SM4_GCM_LAST) {
		sm4_ghash_blocks(h, state->hash, state->lengths, 1);
		crypto_xor(state->hash, state->mask, SM4_BLOCK_SIZE);
	}
	memzero_explicit(h, sizeof(h));
	return 0;
}

/*
 * The priority is above slower code that leaks as much through the caches: mainline's C code
 * (100) and its templates (gcm reaches 250 if the CPU has an instruction for GHASH). It is below
 * all constant-time code: mainline's vector drivers (400 and 500) and vendors' drivers (300 and
 * more).
 */
const SM4_TIER(sm4_ttable, "ttable", 280, (), (), CHAINS(sm4_ttable_),
	.key_schedule = sm4_ttable_key_schedule,
	.ghash_set_key = sm4_ghash_generic_set_key,
	.ghash = sm4_ghash_generic,
	.ghash_powers = 1,
);
