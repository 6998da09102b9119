// SPDX-License-Identifier: GPL-2.0
/*
 * SM3 for the crypto API: the tiers, messages of any length from pieces of any
 * length, and the hash "sm3". hmac(sm3) is the kernel's template over it. There is
 * no arithmetic of the hash here.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "../sm4-fast-core.h"
#include "sm3-fast.h"
#include "../generated/sm3-constants.h"

/* The padding ends with the length of the message in bits, in so many bytes. */
#define SM3_LENGTH_SIZE		8

asmlinkage sm3_blocks_function sm3_avx_blocks;
static const struct sm3_tier sm3_avx = {
	.name = "sm3-avx",
	/* below Hygon's own sm3-cis, which has 400 */
	.priority = 390,
	.features = { X86_FEATURE_AVX, X86_FEATURE_BMI1, X86_FEATURE_BMI2 },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.blocks = sm3_avx_blocks,
};

#ifdef SM4_HAS_SM4NI
asmlinkage sm3_blocks_function sm3_ni_blocks;
static const struct sm3_tier sm3_ni = {
	.name = "sm3-ni",
	.priority = 500,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2, SM4_FEATURE_INTEL_SM3 },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.blocks = sm3_ni_blocks,
};
#endif

const struct sm3_tier *const sm3_tiers[] = {
	&sm3_generic,
	&sm3_avx,
#ifdef SM4_HAS_SM4NI
	&sm3_ni,
#endif
};

const unsigned int sm3_tier_count = ARRAY_SIZE(sm3_tiers);

static_assert(ARRAY_SIZE(sm3_tiers) <= SM3_TIERS_MAX);

bool sm3_tier_usable(const struct sm3_tier *tier)
{
	return sm4_cpu_can(tier->features, ARRAY_SIZE(tier->features),
			   tier->xfeatures);
}

/* Tiers that give wrong answers, as bits by their numbers */
static unsigned long sm3_left_out __ro_after_init;

void __init sm3_leave_out(unsigned int number, bool wrong)
{
	sm3_left_out &= ~(1UL << number);
	if (wrong)
		sm3_left_out |= 1UL << number;
}

bool sm3_is_left_out(unsigned int number)
{
	return sm3_left_out & 1UL << number;
}

const struct sm3_tier *sm3_best_tier(void)
{
	unsigned int i = sm3_tier_count - 1;

	while (!sm3_tier_usable(sm3_tiers[i]) || sm3_is_left_out(i))
		i--;
	return sm3_tiers[i];
}

const struct sm3_tier *sm3_begin(const struct sm3_tier *tier)
{
	if (tier == &sm3_generic || !sm4_fpu_begin())
		return &sm3_generic;
	return tier;
}

void sm3_end(const struct sm3_tier *working)
{
	if (working != &sm3_generic)
		kernel_fpu_end();
}

void sm3_compress(const struct sm3_tier *tier, u32 state[SM3_WORDS],
		  const u8 *src, size_t blocks, const u8 *last,
		  size_t last_blocks)
{
	const size_t section = SM3_SECTION_SIZE / SM3_BLOCK_SIZE;

	while (blocks || last_blocks) {
		size_t n = min(blocks, section);
		const struct sm3_tier *working = sm3_begin(tier);

		if (n) {
			working->blocks(state, src, n);
			src += n * SM3_BLOCK_SIZE;
			blocks -= n;
		}
		if (!blocks && last_blocks) {
			working->blocks(state, last, last_blocks);
			last_blocks = 0;
		}
		sm3_end(working);
	}
}

void sm3_message_begin(struct sm3_message *message)
{
	static const u32 iv[SM3_WORDS] = SM3_IV;

	memcpy(message->state, iv, sizeof(iv));
	message->bytes = 0;
}

/*
 * Put @bytes more at the message's end: completes and compresses the partial block
 * if they suffice for it. Returns how many whole blocks, at *@src then, are left;
 * what comes behind them is the partial block already.
 */
static size_t sm3_append(const struct sm3_tier *tier,
			 struct sm3_message *message, const u8 **src,
			 size_t bytes)
{
	size_t used = message->bytes % SM3_BLOCK_SIZE;
	size_t blocks;

	if (!bytes)
		return 0;
	message->bytes += bytes;
	if (used) {
		size_t n = min(bytes, SM3_BLOCK_SIZE - used);

		memcpy(message->partial + used, *src, n);
		if (used + n < SM3_BLOCK_SIZE)
			return 0;
		sm3_compress(tier, message->state, message->partial, 1, NULL, 0);
		*src += n;
		bytes -= n;
	}
	blocks = bytes / SM3_BLOCK_SIZE;
	memcpy(message->partial, *src + blocks * SM3_BLOCK_SIZE,
	       bytes % SM3_BLOCK_SIZE);
	return blocks;
}

void sm3_message_add(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes)
{
	size_t blocks = sm3_append(tier, message, &src, bytes);

	sm3_compress(tier, message->state, src, blocks, NULL, 0);
}

/* The padding is that of GB/T 32905, section 5.2: 10...0 and the length. */
size_t sm3_pad(u8 last[2 * SM3_BLOCK_SIZE], size_t used, u64 bytes)
{
	size_t padded = used + 1 + SM3_LENGTH_SIZE > SM3_BLOCK_SIZE ?
			2 * SM3_BLOCK_SIZE : SM3_BLOCK_SIZE;

	last[used] = 0x80;
	memset(last + used + 1, 0, padded - used - 1);
	put_unaligned_be64(bytes * 8, last + padded - SM3_LENGTH_SIZE);
	return padded / SM3_BLOCK_SIZE;
}

void sm3_put_digest(const u32 state[SM3_WORDS], u8 *digest)
{
	int i;

	for (i = 0; i < SM3_WORDS; i++)
		put_unaligned_be32(state[i], digest + 4 * i);
}

void sm3_message_end(const struct sm3_tier *tier, struct sm3_message *message,
		     const u8 *src, size_t bytes, u8 *digest)
{
	size_t blocks = sm3_append(tier, message, &src, bytes);
	size_t used = message->bytes % SM3_BLOCK_SIZE;
	u8 last[2 * SM3_BLOCK_SIZE];

	memcpy(last, message->partial, used);
	sm3_compress(tier, message->state, src, blocks, last,
		     sm3_pad(last, used, message->bytes));
	sm3_put_digest(message->state, digest);
	memzero_explicit(last, sizeof(last));
	memzero_explicit(message, sizeof(*message));
}

static const struct sm3_tier *sm3_hash_tier(struct shash_desc *desc)
{
	return sm4_hash_driver(desc->tfm)->hash_tier;
}

static int sm3_hash_init(struct shash_desc *desc)
{
	sm3_message_begin(shash_desc_ctx(desc));
	return 0;
}

static int sm3_hash_update(struct shash_desc *desc, const u8 *src,
			   unsigned int bytes)
{
	sm3_message_add(sm3_hash_tier(desc), shash_desc_ctx(desc), src, bytes);
	return 0;
}

static int sm3_hash_finup(struct shash_desc *desc, const u8 *src,
			  unsigned int bytes, u8 *digest)
{
	sm3_message_end(sm3_hash_tier(desc), shash_desc_ctx(desc), src, bytes,
			digest);
	return 0;
}

static int sm3_hash_final(struct shash_desc *desc, u8 *digest)
{
	return sm3_hash_finup(desc, NULL, 0, digest);
}

static int sm3_hash_export(struct shash_desc *desc, void *out)
{
	memcpy(out, shash_desc_ctx(desc), sizeof(struct sm3_message));
	return 0;
}

/* A struct sm3_message may have any contents: there is nothing to check. */
static int sm3_hash_import(struct shash_desc *desc, const void *in)
{
	memcpy(shash_desc_ctx(desc), in, sizeof(struct sm3_message));
	return 0;
}

static const struct shash_alg sm3_alg = {
	.base.cra_name = "sm3",
	.base.cra_blocksize = SM3_BLOCK_SIZE,
	.digestsize = SM3_DIGEST_SIZE,
	.descsize = sizeof(struct sm3_message),
	.statesize = sizeof(struct sm3_message),
	.export = sm3_hash_export,
	.import = sm3_hash_import,
	SM3_CORE_STATE_FUNCTIONS(sm3_hash_export, sm3_hash_import)
	.init = sm3_hash_init,
	.update = sm3_hash_update,
	.final = sm3_hash_final,
	.finup = sm3_hash_finup,
};

int sm3_register(const struct sm3_tier *tier)
{
	return sm4_register(&(struct sm4_driver){
		.type = SM4_HASH,
		.hash = sm3_alg,
		.hash_tier = tier,
	}, tier->name, tier->priority);
}

MODULE_ALIAS_CRYPTO("sm3");
MODULE_ALIAS_CRYPTO("sm3-*-fast");
