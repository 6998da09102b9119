// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Services for all modes: which tiers this CPU can run, the beginning and the end of FPU sections,
 * and keys.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include <asm/simd.h>
#include <crypto/internal/simd.h>
#include "sm4-fast-core.h"
#include "sm4-fast-cpu.h"

static bool fallback_only;
module_param(fallback_only, bool, 0444);
MODULE_PARM_DESC(fallback_only, "process everything in portable C code, as if the vector unit were in use (for tests)");

/* One counter for each CPU: counting takes one instruction in any context. */
DEFINE_PER_CPU(struct sm4_counts, sm4_counts);

static int sm4_get_count(char *buffer, const struct kernel_param *param)
{
	const size_t offset = (size_t)param->arg;
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(unsigned long *)((u8 *)&per_cpu(sm4_counts, cpu) + offset));
	return scnprintf(buffer, PAGE_SIZE, "%lu\n", sum);
}

/* The kernel calls this function without checking whether it exists. */
static int sm4_refuse_to_set(const char *value, const struct kernel_param *param)
{
	return -EINVAL;
}

const struct kernel_param_ops sm4_count_ops = {
	.set = sm4_refuse_to_set,
	.get = sm4_get_count,
};

module_param_cb(fpu_fallbacks, &sm4_count_ops,
		(void *)offsetof(struct sm4_counts, fpu_fallbacks), 0444);
MODULE_PARM_DESC(fpu_fallbacks, "pieces of SM4 work done by table lookups instead of a vector tier (read-only)");

bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures)
{
	size_t i;

	for (i = 0; i < places && features[i]; i++)
		if (!sm4_cpu_has(features[i]))
			return false;
	return (sm4_xcr0() & xfeatures) == xfeatures;
}

bool sm4_tier_usable(const struct sm4_tier_base *tier)
{
	u64 xfeatures = 0;

	if (tier->features[0])
		xfeatures |= XFEATURE_MASK_SSE | XFEATURE_MASK_YMM;
	if (tier->ymm_tier)
		xfeatures |= XFEATURE_MASK_AVX512;
	return sm4_cpu_can(tier->features, ARRAY_SIZE(tier->features), xfeatures);
}

bool sm4_tier_has_gcm(const struct sm4_tier *tier)
{
	return tier->gcm && sm4_cpu_can(tier->gcm_features,
					ARRAY_SIZE(tier->gcm_features), 0);
}

bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier)
{
	return tier->cbc_encrypt_sm3 &&
	       sm4_cpu_can(tier->sm3_features,
			   ARRAY_SIZE(tier->sm3_features), 0);
}

struct sm4_tier_set sm4_tier_sets[] __ro_after_init = {
	[OF_SM4] = { .tiers = sm4_tiers },
	[OF_SM3] = { .tiers = sm3_tiers },
	{}
};

void __init sm4_detect_tiers(void)
{
	struct sm4_tier_set *set;
	unsigned int i;

	for (set = sm4_tier_sets; set->tiers; set++) {
		set->ready = 0;
		set->selected = 0;
		for (i = 0; set->tiers[i]; i++)
			if (sm4_tier_usable(set->tiers[i]))
				set->ready |= BIT(i);
	}
}

const struct sm4_tier_base *sm4_tier_below(const struct sm4_tier_set *set,
					   int limit, unsigned long among)
{
	const struct sm4_tier_base *tier, *fastest = NULL;
	unsigned int i;

	for (i = 0; (tier = set->tiers[i]); i++)
		if (among & BIT(i) && sm4_tier_priority(tier) < limit &&
		    (!fastest || sm4_tier_priority(tier) > sm4_tier_priority(fastest)))
			fastest = tier;
	return fastest;
}

const struct sm3_tier *sm3_best_tier(void)
{
	const struct sm4_tier_set *set = &sm4_tier_sets[OF_SM3];

	return to_sm3_tier(sm4_tier_below(set, INT_MAX, set->ready));
}

const struct sm3_tier *sm3_tier_for(const struct sm4_tier *tier)
{
	return tier == &sm4_ttable ? &sm3_generic : sm3_best_tier();
}

/* Tiers differ by at least this. */
#define SM4_JUST_BELOW	10

int sm4_tier_priority(const struct sm4_tier_base *tier)
{
	if (tier->ymm_tier && sm4_prefers_ymm())
		return tier->ymm_tier->priority - SM4_JUST_BELOW;
	return tier->priority;
}

/* Fallbacks of SM3 are not counted: SM3 in C is constant time. */
const struct sm4_tier_base *sm4_begin_section(const struct sm4_tier_base *tier,
					      const struct sm4_tier_base *portable)
{
	if (!tier->features[0])
		return tier;
	if (fallback_only || !crypto_simd_usable()) {
		if (portable == &sm4_ttable.base)
			this_cpu_inc(sm4_counts.fpu_fallbacks);
		return portable;
	}
	kernel_fpu_begin();
	return tier;
}

void sm4_end_section(const struct sm4_tier_base *working)
{
	if (working->features[0])
		kernel_fpu_end();
}

/*
 * Map a round key into the basis: add up the images of the bits that are set, for the four
 * bytes of a word at once, in constant time.
 */
static u32 sm4_map_round_key(const struct sm4_basis *basis, u32 plain, int round)
{
	const u32 every_byte = 0x01010101;
	u32 word = swab32(plain);
	u32 mapped = basis->constant[round % 8] * every_byte;
	int bit;

	for (bit = 0; bit < 8; bit++)
		mapped ^= (word >> bit & every_byte) * basis->image[bit];
	return mapped;
}

/* Returns bytes 0 and 2 of a word, each four times. */
static u64 sm4_pair(u32 word)
{
	return ((u64)(word >> 16 & 0xff) << 32 | (word & 0xff)) * 0x01010101;
}

/*
 * Make the round keys for rounds on byte slices from the mapped ones. Round i has to add
 * d[i + 4] ^ d[i] to a word, where asm/avx512/byte-sliced.h defines d. A round adds to each byte of
 * the word the keys of the other three bytes. So the key of a byte is the value for that byte plus
 * the sum of the values for all four: the sum of any three keys is then the value for the fourth
 * byte.
 */
static void sm4_set_byte_round_keys(struct sm4_round_keys *keys)
{
	u32 d[SM4_ROUNDS + 4] = {};
	int i, j;

	for (i = 0; i < SM4_ROUNDS; i++)
		d[i + 3] = keys->mapped[i] ^ d[i + 1] ^ d[i + 2];
	for (i = 0; i < SM4_ROUNDS; i++) {
		u32 added = d[i + 4] ^ d[i];
		u32 sum = added ^ rol32(added, 16);

		added ^= sum ^ rol32(sum, 8);
		for (j = 0; j < 4; j++)
			keys->bytes[i][j] = (added >> 8 * j & 0xff) * 0x01010101;
	}
	memzero_explicit(d, sizeof(d));
}

/* @dec is NULL if it is not needed. Inline, so that neither caller looks at that in the loops. */
static __always_inline void
sm4_map_round_keys(const struct sm4_tier *tier, struct sm4_round_keys *enc,
		   struct sm4_round_keys *dec)
{
	int i;

	for (i = 0; i < SM4_ROUNDS; i++) {
		u32 mapped = sm4_map_round_key(tier->basis, enc->plain[i], i);
		int reversed = SM4_ROUNDS - 1 - i;

		enc->mapped[i] = mapped;
		enc->pairs[i][0] = sm4_pair(mapped);
		enc->pairs[i][1] = sm4_pair(mapped >> 8);
		if (!dec)
			continue;
		dec->mapped[reversed] = mapped;
		dec->pairs[reversed][0] = enc->pairs[i][0];
		dec->pairs[reversed][1] = enc->pairs[i][1];
	}
	if (tier->byte_sliced) {
		sm4_set_byte_round_keys(enc);
		if (dec)
			sm4_set_byte_round_keys(dec);
	}
}

static void sm4_set_plain_keys(const struct sm4_tier *tier, struct sm4_round_keys *enc,
			       const u8 *raw)
{
	const struct sm4_tier *working = sm4_begin(tier);

	working->key_schedule(enc->plain, raw);
	sm4_end(working);
}

void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw)
{
	int i;

	sm4_set_plain_keys(tier, &key->enc, raw);
	for (i = 0; i < SM4_ROUNDS; i++)
		key->dec.plain[i] = key->enc.plain[SM4_ROUNDS - 1 - i];
	if (tier->basis)
		sm4_map_round_keys(tier, &key->enc, &key->dec);
}

void sm4_set_encryption_key(const struct sm4_tier *tier, struct sm4_round_keys *keys,
			    const u8 *raw)
{
	sm4_set_plain_keys(tier, keys, raw);
	if (tier->basis)
		sm4_map_round_keys(tier, keys, NULL);
}

void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw)
{
	const struct sm4_tier *working;
	u8 h[GHASH_BLOCK_SIZE] = {};

	sm4_set_encryption_key(tier, &key->enc, raw);
	working = sm4_begin(tier);
	sm4_encrypt_block(working, &key->enc, h);
	working->ghash_set_key(&key->hash, h, tier->ghash_powers);
	sm4_end(working);
	memzero_explicit(h, sizeof(h));
}
