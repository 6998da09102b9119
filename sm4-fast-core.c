// SPDX-License-Identifier: GPL-2.0
/*
 * Services for all modes: detecting CPU features, beginning and ending FPU sections, setting keys,
 * and registering drivers. Nothing here is specific to a mode.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include <asm/simd.h>
#include <crypto/internal/simd.h>
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"

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

bool sm4_tier_usable(const struct sm4_tier *tier)
{
	u64 xfeatures = 0;

	if (tier->features[0])
		xfeatures |= XFEATURE_MASK_SSE | XFEATURE_MASK_YMM;
	if (tier->zmm)
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

/* Fallbacks of SM3 tiers are not counted: SM3 in C is constant time. */
const struct sm4_tier *sm4_begin(const struct sm4_tier *tier)
{
	if (!tier->features[0])
		return tier;
	if (fallback_only || !crypto_simd_usable()) {
		if (!sm4_is_sm3_tier(tier))
			this_cpu_inc(sm4_counts.fpu_fallbacks);
		return &sm4_ttable;
	}
	kernel_fpu_begin();
	return tier;
}

void sm4_end(const struct sm4_tier *working)
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
 * Make the round keys for rounds on bytes from the mapped ones. Round i has to add d[i + 4] ^ d[i]
 * to a word, where asm/bytes.h defines d. A round adds to each byte of the word the keys of the
 * other three bytes. So the key of a byte is the value for that byte plus the sum of the values
 * for all four: the sum of any three keys is then the value for the fourth byte.
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

static void sm4_map_round_keys(const struct sm4_tier *tier, struct sm4_key *key)
{
	int i;

	for (i = 0; i < SM4_ROUNDS; i++) {
		u32 mapped = sm4_map_round_key(tier->basis, key->enc.plain[i], i);
		int reversed = SM4_ROUNDS - 1 - i;

		key->enc.mapped[i] = mapped;
		key->enc.pairs[i][0] = sm4_pair(mapped);
		key->enc.pairs[i][1] = sm4_pair(mapped >> 8);
		key->dec.mapped[reversed] = mapped;
		key->dec.pairs[reversed][0] = key->enc.pairs[i][0];
		key->dec.pairs[reversed][1] = key->enc.pairs[i][1];
	}
	if (tier->byte_sliced) {
		sm4_set_byte_round_keys(&key->enc);
		sm4_set_byte_round_keys(&key->dec);
	}
}

void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw)
{
	const struct sm4_tier *working = sm4_begin(tier);
	int i;

	working->key_schedule(key->enc.plain, raw);
	sm4_end(working);
	for (i = 0; i < SM4_ROUNDS; i++)
		key->dec.plain[i] = key->enc.plain[SM4_ROUNDS - 1 - i];
	if (tier->basis)
		sm4_map_round_keys(tier, key);
}

void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw)
{
	const struct sm4_tier *working;
	u8 h[GHASH_BLOCK_SIZE] = {};

	sm4_set_key(tier, &key->cipher, raw);
	working = sm4_begin(tier);
	sm4_encrypt_block(working, &key->cipher.enc, h);
	working->ghash_set_key(&key->hash, h, tier->ghash_powers);
	sm4_end(working);
	memzero_explicit(h, sizeof(h));
}

/* Rank zmm tiers below ymm ones where zmm lowers the clock. */
#define SM4_PREFER_YMM_PENALTY	110

int sm4_tier_priority(const struct sm4_tier *tier)
{
	if (tier->zmm && sm4_prefers_ymm())
		return tier->priority - SM4_PREFER_YMM_PENALTY;
	return tier->priority;
}

/*
 * Zhaoxin's processors implement SM4 in hardware, GMI. Vendors' kernels have drivers for it, with
 * priorities of 300 and more. Our drivers have not been benchmarked against them. They rank below
 * them, in the same order, but above mainline's C code and its templates.
 */
#define SM4_PRIORITY_BESIDE_GMI(priority)	(250 + (priority) / 32)

static LIST_HEAD(sm4_drivers);

static struct crypto_alg *sm4_driver_alg(struct sm4_driver *driver)
{
	switch (driver->mode.type) {
	case SM4_SKCIPHER:
		return &driver->mode.skcipher.base;
	case SM4_AEAD:
		return &driver->mode.aead.base;
	case SM4_HASH:
		return &driver->mode.hash.base;
	default:
		return &driver->mode.cipher;
	}
}

static int sm4_register_driver(struct sm4_driver *driver)
{
	switch (driver->mode.type) {
	case SM4_SKCIPHER:
		return crypto_register_skcipher(&driver->mode.skcipher);
	case SM4_AEAD:
		return crypto_register_aead(&driver->mode.aead);
	case SM4_HASH:
		return crypto_register_shash(&driver->mode.hash);
	default:
		return crypto_register_alg(&driver->mode.cipher);
	}
}

static void sm4_unregister_driver(struct sm4_driver *driver)
{
	switch (driver->mode.type) {
	case SM4_SKCIPHER:
		crypto_unregister_skcipher(&driver->mode.skcipher);
		break;
	case SM4_AEAD:
		crypto_unregister_aead(&driver->mode.aead);
		break;
	case SM4_HASH:
		crypto_unregister_shash(&driver->mode.hash);
		break;
	default:
		crypto_unregister_alg(&driver->mode.cipher);
	}
}

static bool sm4_has_driver(const struct sm4_mode *entry)
{
	struct sm4_driver *driver;

	list_for_each_entry(driver, &sm4_drivers, list)
		if (driver->entry == entry)
			return true;
	return false;
}

static int sm4_register(const struct sm4_mode *entry, const struct sm4_tier *tier,
			bool beside_gmi)
{
	struct sm4_driver driver = {
		.mode = *entry,
		.entry = entry,
		.tier = tier,
		.hash_tier = tier == &sm4_ttable ? &sm3_generic :
						   sm3_best_tier(),
		.at_once = sm4_tier_has_cbc_sm3(tier),
	}, *copy;
	struct crypto_alg *alg = sm4_driver_alg(&driver);
	size_t length = strlen(alg->cra_driver_name);
	int err;

	snprintf(alg->cra_driver_name + length,
		 sizeof(alg->cra_driver_name) - length, "%s%s-fast",
		 length ? "-" : "", tier->name);
	alg->cra_priority = entry->priority ? entry->priority(tier) :
					      sm4_tier_priority(tier);
	if (beside_gmi)
		alg->cra_priority =
			min(alg->cra_priority,
			    SM4_PRIORITY_BESIDE_GMI(alg->cra_priority));
	alg->cra_module = THIS_MODULE;
	copy = kmemdup(&driver, sizeof(driver), GFP_KERNEL);
	err = copy ? sm4_register_driver(copy) : -ENOMEM;
	if (err) {
		pr_warn("%s could not be registered: error %d\n",
			alg->cra_driver_name, err);
		kfree(copy);
		return err;
	}
	list_add(&copy->list, &sm4_drivers);
	return 0;
}

int sm4_register_modes(const struct sm4_mode *modes,
		       const struct sm4_tier *tier, bool only_missing,
		       bool beside_gmi)
{
	int err = 0;

	for (; modes->type; modes++) {
		if ((modes->composite && beside_gmi) ||
		    (only_missing && sm4_has_driver(modes)) ||
		    !(modes->offers ? modes->offers(tier) :
				      !sm4_is_sm3_tier(tier)))
			continue;
		err = sm4_register(modes, tier, beside_gmi) ?: err;
	}
	return err;
}

bool sm4_any_registered(void)
{
	return !list_empty(&sm4_drivers);
}

/*
 * Remove the kernel's instances of templates over our drivers, and wait until nobody holds a
 * driver through one of them. A module that is being unloaded has no users, but these instances
 * still exist. A request for one is refused, but crypto_spawn_alg() holds the driver for a moment,
 * without the module. If the driver were unregistered in that moment, the kernel would report a
 * bug or a warning, and the reference would be dropped in memory that we have freed. Without its
 * instances, nobody can find a driver.
 */
static void sm4_remove_instances(void)
{
	struct sm4_driver *driver;
	LIST_HEAD(instances);

	down_write(&crypto_alg_sem);
	list_for_each_entry(driver, &sm4_drivers, list)
		crypto_remove_spawns(sm4_driver_alg(driver), &instances, NULL);
	up_write(&crypto_alg_sem);
	crypto_remove_final(&instances);

	list_for_each_entry(driver, &sm4_drivers, list)
		while (refcount_read(&sm4_driver_alg(driver)->cra_refcnt) != 1)
			msleep(20);
}

void sm4_unregister_all(void)
{
	struct sm4_driver *driver, *next;

	sm4_remove_instances();
	list_for_each_entry_safe(driver, next, &sm4_drivers, list) {
		list_del(&driver->list);
		sm4_unregister_driver(driver);
		kfree(driver);
	}
}
