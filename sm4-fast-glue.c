// SPDX-License-Identifier: GPL-2.0
/*
 * The front door of sm4-fast: the table of tiers, which of them are registered, and
 * loading and unloading. It calls all other files, and none of them calls it. Nothing
 * here knows a mode.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fips.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"
#include "generated/sm4-basis.h"

static char *tiers;
module_param(tiers, charp, 0444);
MODULE_PARM_DESC(tiers, "comma-separated list of tiers to register, or all (default: the fastest that the CPU supports, and the portable ones)");

/* What assembly knows of the key */
static_assert(offsetof(struct sm4_round_keys, mapped) == 128);
static_assert(offsetof(struct sm4_round_keys, pairs) == 256);
static_assert(offsetof(struct sm4_round_keys, bytes) == 256);
static_assert(offsetof(struct sm4_ghash_key, middle) == 16 * GHASH_POWERS);
static_assert(offsetof(struct sm4_gcm_key, hash) == 1536);
static_assert(offsetof(struct sm4_gcm_state, counter) == 16);
static_assert(offsetof(struct sm4_gcm_state, mask) == 32);
static_assert(offsetof(struct sm4_gcm_state, lengths) == 48);
static_assert(offsetof(struct sm4_hashing, src) == 32);
static_assert(offsetof(struct sm4_lanes, chain) == 4096);
static_assert(offsetof(struct sm4_lanes, text) == 4608);
static_assert(offsetof(struct sm3_lanes, src) == 512);
static_assert(offsetof(struct sm4_ccm_state, counter) == 16);
static_assert(offsetof(struct sm4_ccm_state, text) == 32);

static const struct sm4_basis sm4_aes_basis = SM4_AES_BASIS;
static const struct sm4_basis sm4_nibbles_basis = SM4_NIBBLES_BASIS;

typedef void sm4_key_schedule_function(u32 plain[SM4_ROUNDS], const u8 *key);
asmlinkage sm4_key_schedule_function sm4_aesni_key_schedule;
asmlinkage sm4_key_schedule_function sm4_avx2_key_schedule;
asmlinkage sm4_key_schedule_function sm4_gfni_key_schedule;
asmlinkage sm4_key_schedule_function sm4_sm4ni_key_schedule;
asmlinkage sm4_key_schedule_function sm4_cis_key_schedule;

/*
 * The functions of ghash-clmul.S, with as many powers of H as each of them uses
 * and as the largest batch has blocks in a tier that uses the same vectors
 */
typedef void ghash_function(const struct sm4_ghash_key *key, u8 *hash,
			    const u8 *src, size_t blocks);
asmlinkage ghash_function sm4_ghash_clmul_avx;
asmlinkage ghash_function sm4_ghash_vpclmul_avx2;
asmlinkage ghash_function sm4_ghash_vpclmul_avx512;
asmlinkage void sm4_ghash_clmul_set_key(struct sm4_ghash_key *key, const u8 *h,
					unsigned int powers);

#define GHASH_CLMUL_AVX							\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_clmul_avx, .ghash_powers = 24
#define GHASH_VPCLMUL_AVX2						\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_vpclmul_avx2, .ghash_powers = 24
#define GHASH_VPCLMUL_AVX512						\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_vpclmul_avx512, .ghash_powers = 64

/*
 * The functions that sm4_mode_functions of asm/modes.h and sm4_gcm_function
 * of asm/gcm.h make for a tier,
 */
#define SM4_MODE_FUNCTIONS(prefix)					\
	asmlinkage sm4_crypt_function prefix##_ecb;			\
	asmlinkage sm4_crypt_function prefix##_cbc_decrypt;		\
	asmlinkage sm4_crypt_function prefix##_ctr;			\
	asmlinkage sm4_crypt_function prefix##_xts;			\
	asmlinkage sm4_crypt_function prefix##_xts_gb;			\
	asmlinkage sm4_gcm_function prefix##_gcm

/* and the members of the tier's row that name them */
#define SM4_MODE_ROW(prefix)						\
	.crypt[SM4_ECB] = prefix##_ecb,					\
	.crypt[SM4_CBC_DECRYPT] = prefix##_cbc_decrypt,			\
	.crypt[SM4_CTR] = prefix##_ctr,					\
	.crypt[SM4_XTS] = prefix##_xts,					\
	.crypt[SM4_XTS_GB] = prefix##_xts_gb,				\
	.gcm = prefix##_gcm

/* The same for sm4_chain_functions, in tiers that have them */
#define SM4_CHAIN_FUNCTIONS(prefix)					\
	asmlinkage sm4_crypt_function prefix##_cbc_encrypt;		\
	asmlinkage void prefix##_cbc_mac(const struct sm4_round_keys *keys, \
					 u8 *mac, const u8 *src, size_t blocks); \
	asmlinkage sm4_ccm_function prefix##_ccm_crypt

#define SM4_CHAIN_ROW(prefix)						\
	.crypt[SM4_CBC_ENCRYPT] = prefix##_cbc_encrypt,			\
	.cbc_mac = prefix##_cbc_mac,					\
	.ccm_crypt = prefix##_ccm_crypt

/* The same for sm4_sm3_function */
#define SM4_SM3_ROW(prefix)						\
	.cbc_encrypt_sm3 = prefix##_cbc_encrypt_sm3,			\
	.sm3_features = { X86_FEATURE_BMI1, X86_FEATURE_BMI2 }

/*
 * The same for sm4_lane_functions, and SM3 in lanes (sm3/sm3-lanes-asm.S). A tier of
 * 64-byte vectors, which has no pairs of its own, takes those of 32 bytes.
 */
#define SM4_LANE_FUNCTIONS(prefix)					\
	asmlinkage void prefix##_set_lane_keys(struct sm4_lanes *lanes); \
	asmlinkage void prefix##_cbc_encrypt_lanes(struct sm4_lanes *lanes, \
						   size_t blocks)

#define SM4_LANES_ROW(prefix, sm3, count)				\
	.set_lane_keys = prefix##_set_lane_keys,			\
	.cbc_encrypt_lanes = prefix##_cbc_encrypt_lanes,		\
	.sm3_lanes = sm3, .sm3_lane_count = count

asmlinkage void sm3_lanes_avx2(struct sm3_lanes *lanes, size_t blocks);
asmlinkage void sm3_lanes_avx512(struct sm3_lanes *lanes, size_t blocks);

SM4_CHAIN_FUNCTIONS(sm4_aesni);
asmlinkage sm4_cbc_sm3_function sm4_aesni_cbc_encrypt_sm3;
SM4_MODE_FUNCTIONS(sm4_aesni_avx);
static const struct sm4_tier sm4_aesni_avx = {
	.name = "aesni-avx",
	.priority = 800,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AES },
	.gcm_features = { X86_FEATURE_PCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.basis = &sm4_aes_basis,
	.key_schedule = sm4_aesni_key_schedule,
	SM4_MODE_ROW(sm4_aesni_avx),
	SM4_CHAIN_ROW(sm4_aesni),
	SM4_SM3_ROW(sm4_aesni),
	GHASH_CLMUL_AVX,
};

SM4_MODE_FUNCTIONS(sm4_avx2);
static const struct sm4_tier sm4_avx2 = {
	.name = "avx2",
	.priority = 850,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2 },
	.gcm_features = { X86_FEATURE_PCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.basis = &sm4_nibbles_basis,
	.key_schedule = sm4_avx2_key_schedule,
	SM4_MODE_ROW(sm4_avx2),
	GHASH_CLMUL_AVX,
};

SM4_MODE_FUNCTIONS(sm4_aesni_avx2);
SM4_LANE_FUNCTIONS(sm4_aesni_avx2);
static const struct sm4_tier sm4_aesni_avx2 = {
	.name = "aesni-avx2",
	.priority = 870,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_AES },
	.gcm_features = { X86_FEATURE_PCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.basis = &sm4_aes_basis,
	.key_schedule = sm4_aesni_key_schedule,
	SM4_MODE_ROW(sm4_aesni_avx2),
	SM4_CHAIN_ROW(sm4_aesni),
	SM4_SM3_ROW(sm4_aesni),
	SM4_LANES_ROW(sm4_aesni_avx2, sm3_lanes_avx2, 8),
	GHASH_CLMUL_AVX,
};

SM4_MODE_FUNCTIONS(sm4_vaes_avx2);
SM4_LANE_FUNCTIONS(sm4_vaes_avx2);
static const struct sm4_tier sm4_vaes_avx2 = {
	.name = "vaes-avx2",
	.priority = 900,
	.features = {
		X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_AES,
		X86_FEATURE_VAES,
	},
	.gcm_features = { X86_FEATURE_PCLMULQDQ, X86_FEATURE_VPCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.basis = &sm4_aes_basis,
	.key_schedule = sm4_aesni_key_schedule,
	SM4_MODE_ROW(sm4_vaes_avx2),
	SM4_CHAIN_ROW(sm4_aesni),
	SM4_SM3_ROW(sm4_aesni),
	SM4_LANES_ROW(sm4_vaes_avx2, sm3_lanes_avx2, 8),
	GHASH_VPCLMUL_AVX2,
};

SM4_MODE_FUNCTIONS(sm4_cis_avx);
SM4_CHAIN_FUNCTIONS(sm4_cis_avx);
static const struct sm4_tier sm4_cis_avx = {
	.name = "cis-avx",
	.priority = 930,
	.features = { X86_FEATURE_AVX, SM4_FEATURE_CIS },
	.gcm_features = { X86_FEATURE_PCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.key_schedule = sm4_cis_key_schedule,
	SM4_MODE_ROW(sm4_cis_avx),
	SM4_CHAIN_ROW(sm4_cis_avx),
	GHASH_CLMUL_AVX,
};

SM4_CHAIN_FUNCTIONS(sm4_gfni);
asmlinkage sm4_cbc_sm3_function sm4_gfni_cbc_encrypt_sm3;
SM4_MODE_FUNCTIONS(sm4_gfni_avx2);
SM4_LANE_FUNCTIONS(sm4_gfni_avx2);
static const struct sm4_tier sm4_gfni_avx2 = {
	.name = "gfni-avx2",
	.priority = 1000,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_GFNI },
	.gcm_features = { X86_FEATURE_PCLMULQDQ, X86_FEATURE_VPCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.basis = &sm4_aes_basis,
	.key_schedule = sm4_gfni_key_schedule,
	SM4_MODE_ROW(sm4_gfni_avx2),
	SM4_CHAIN_ROW(sm4_gfni),
	SM4_SM3_ROW(sm4_gfni),
	SM4_LANES_ROW(sm4_gfni_avx2, sm3_lanes_avx2, 8),
	GHASH_VPCLMUL_AVX2,
};

SM4_MODE_FUNCTIONS(sm4_gfni_avx512);
static const struct sm4_tier sm4_gfni_avx512 = {
	.name = "gfni-avx512",
	.priority = 1100,
	/* the last one for the tweaks of XTS */
	.features = {
		X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_AVX512F,
		X86_FEATURE_AVX512BW, X86_FEATURE_AVX512VL, X86_FEATURE_GFNI,
		X86_FEATURE_VPCLMULQDQ,
	},
	.gcm_features = { X86_FEATURE_PCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM |
		     XFEATURE_MASK_AVX512,
	.basis = &sm4_aes_basis,
	.byte_sliced = true,
	.key_schedule = sm4_gfni_key_schedule,
	SM4_MODE_ROW(sm4_gfni_avx512),
	SM4_CHAIN_ROW(sm4_gfni),
	SM4_SM3_ROW(sm4_gfni),
	SM4_LANES_ROW(sm4_gfni_avx2, sm3_lanes_avx512, 16),
	GHASH_VPCLMUL_AVX512,
};

#ifdef SM4_HAS_SM4NI
SM4_MODE_FUNCTIONS(sm4_sm4ni_avx2);
SM4_CHAIN_FUNCTIONS(sm4_sm4ni_avx2);
static const struct sm4_tier sm4_sm4ni_avx2 = {
	.name = "sm4ni-avx2",
	.priority = 1200,
	.features = { X86_FEATURE_AVX, X86_FEATURE_AVX2, SM4_FEATURE_INTEL_SM4 },
	.gcm_features = { X86_FEATURE_PCLMULQDQ, X86_FEATURE_VPCLMULQDQ },
	.xfeatures = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
	.key_schedule = sm4_sm4ni_key_schedule,
	SM4_MODE_ROW(sm4_sm4ni_avx2),
	SM4_CHAIN_ROW(sm4_sm4ni_avx2),
	GHASH_VPCLMUL_AVX2,
};
#endif

const struct sm4_tier *const sm4_tiers[] = {
	&sm4_ttable,
	&sm4_aesni_avx,
	&sm4_avx2,
	&sm4_aesni_avx2,
	&sm4_vaes_avx2,
	&sm4_cis_avx,
	&sm4_gfni_avx2,
	&sm4_gfni_avx512,
#ifdef SM4_HAS_SM4NI
	&sm4_sm4ni_avx2,
#endif
};

const unsigned int sm4_tier_count = ARRAY_SIZE(sm4_tiers);

static_assert(ARRAY_SIZE(sm4_tiers) <= SM4_TIERS_MAX);

/* The tiers of SM4 and then those of SM3, which "tiers" may name, by number */
static const char *__init sm4_tier_name(unsigned int i)
{
	return i < sm4_tier_count ? sm4_tiers[i]->name :
				    sm3_tiers[i - sm4_tier_count]->name;
}

static bool __init sm4_numbered_tier_usable(unsigned int i)
{
	return i < sm4_tier_count ? sm4_tier_usable(sm4_tiers[i]) :
				    sm3_tier_usable(sm3_tiers[i - sm4_tier_count]);
}

/* The number of the tier that the @length bytes at @name name, or -1 */
static int __init sm4_find_tier(const char *name, size_t length)
{
	int i;

	for (i = sm4_tier_count + sm3_tier_count - 1; i >= 0; i--)
		if (strlen(sm4_tier_name(i)) == length &&
		    !strncmp(sm4_tier_name(i), name, length))
			break;
	return i;
}

static void __init sm4_list_known_tiers(void)
{
	int i;

	pr_err("none of the tiers \"%s\" is there; the known ones, beside \"all\", are:\n",
	       tiers);
	for (i = 0; i < sm4_tier_count + sm3_tier_count; i++)
		pr_err("  %s%s\n", sm4_tier_name(i),
		       sm4_numbered_tier_usable(i) ? "" : " (not for this CPU)");
}

/*
 * Read the parameter "tiers" into a bit for each tier in the list; "all" stands for
 * each of them. A name that this kernel or this CPU has no tier of is left out: the same
 * line in modprobe.d serves for the fallback kernel, which may know fewer. A cipher of
 * which no tier is selected gets the usual ones, as xfrm, for one, needs SM3 beside SM4.
 */
static int __init sm4_select_tiers(unsigned long *selected)
{
	const char *name = tiers;
	size_t length;
	int i;

	*selected = 0;
	for (; name; name = name[length] ? name + length + 1 : NULL) {
		length = strcspn(name, ",");
		i = sm4_find_tier(name, length);
		if (length == strlen("all") && !strncmp(name, "all", length))
			*selected = ~0UL;
		else if (i >= 0 && sm4_numbered_tier_usable(i))
			*selected |= 1UL << i;
		else
			pr_warn("tier \"%.*s\" is left out: %s\n",
				(int)length, name,
				i < 0 ? "unknown" : "not for this CPU");
	}
	if (tiers && !*selected) {
		sm4_list_known_tiers();
		return -EINVAL;
	}
	return 0;
}

/*
 * All algorithms, by type. As long as no driver of a composite one is registered, the
 * kernel's templates build it on other drivers: this is so beside GMI.
 */
static const struct {
	int (*register_all)(const struct sm4_tier *tier);
	bool composite;
} sm4_types[] = {
	{ sm4_register_ciphers, .composite = false },
	{ sm4_register_skciphers, .composite = false },
	{ sm4_register_aeads, .composite = true },
	{ sm4_register_authencs, .composite = true },
	{ sm4_register_batches, .composite = true },
	{ sm4_register_macs, .composite = false },
};

/* Whether the answers of a tier are right; if not, the log says so. */
static bool __init sm4_tier_is_right(const struct sm4_tier *tier)
{
	const char *wrong = sm4_wrong_function(tier);

	if (wrong)
		pr_err("%s gives wrong answers (%s) and is left out\n",
		       tier->name, wrong);
	return !wrong;
}

static bool __init sm3_tier_is_right(const struct sm3_tier *tier)
{
	bool right = sm3_answers_rightly(tier);

	if (!right)
		pr_err("%s gives wrong answers and is left out\n", tier->name);
	return right;
}

/* Register what a tier of SM4 offers. */
static int __init sm4_register_tier(const struct sm4_tier *tier)
{
	int type, err = 0;

	if (tier != &sm4_ttable && !sm4_tier_is_right(tier))
		return -EIO;
	for (type = 0; type < ARRAY_SIZE(sm4_types); type++) {
		if (sm4_types[type].composite && sm4_beside_gmi)
			continue;
		err = sm4_types[type].register_all(tier) ?: err;
	}
	return err;
}

/* The fastest usable one of the tiers that are slower than @limit, or NULL */
static const struct sm4_tier *__init sm4_tier_below(int limit,
						    unsigned long selected)
{
	const struct sm4_tier *fastest = NULL;
	int i;

	for (i = 0; i < sm4_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (selected & 1UL << i && sm4_tier_usable(tier) &&
		    sm4_tier_priority(tier) < limit &&
		    (!fastest ||
		     sm4_tier_priority(tier) > sm4_tier_priority(fastest)))
			fastest = tier;
	}
	return fastest;
}

/*
 * Register the tiers of SM4 from the fastest to the portable one, which has the lowest
 * priority. If none is selected, each mode gets the fastest that has it, and that one.
 */
static int __init sm4_register_sm4(unsigned long selected)
{
	const struct sm4_tier *tier;
	int err = 0, limit = INT_MAX;
	bool usual = !selected;

	while ((tier = sm4_tier_below(limit, usual ? ~0UL : selected))) {
		sm4_only_fastest = usual && tier != &sm4_ttable;
		err = sm4_register_tier(tier) ?: err;
		limit = sm4_tier_priority(tier);
	}
	return err;
}

/* The same for SM3, whose tiers are in their table by their speed */
static int __init sm4_register_sm3(unsigned long selected)
{
	bool usual = !selected;
	int i, err = 0;

	for (i = sm3_tier_count - 1; i >= 0; i--) {
		if (!(usual || selected & 1UL << i) ||
		    !sm3_tier_usable(sm3_tiers[i]) || sm3_is_left_out(i))
			continue;
		sm4_only_fastest = usual && sm3_tiers[i] != &sm3_generic;
		err = sm3_register(sm3_tiers[i]) ?: err;
	}
	return err;
}

/*
 * Whether it is the kernel that asks for the module, by request_module(), and not an
 * administrator: modprobe is then a child of one of the kernel's own threads.
 */
static bool __init sm4_requested_by_kernel(void)
{
	bool requested;

	rcu_read_lock();
	requested = rcu_dereference(current->real_parent)->flags & PF_KTHREAD;
	rcu_read_unlock();
	return requested;
}

/*
 * What is registered stays, even if something else cannot be registered: it may be in
 * use already, and unregistering it would wait for that to end, maybe for ever. So
 * loading fails only if there is nothing to unregister.
 */
static int __init sm4_fast_init(void)
{
	unsigned long selected;
	int i, err;

	/*
	 * Neither SM4 nor SM3 is approved there. And a kernel that checks signatures
	 * panics when a module without one that it trusts registers an algorithm:
	 * any user could have this one loaded, by AF_ALG. The error is the one that
	 * the crypto API has for algorithms that are not approved. The log tells an
	 * administrator the reason; AF_ALG would have any user fill it.
	 */
	if (fips_enabled) {
		if (!sm4_requested_by_kernel())
			pr_err("not loaded: the kernel is in FIPS mode, which does not approve SM4 and SM3\n");
		return -ECANCELED;
	}
	err = sm4_select_tiers(&selected);
	if (err)
		return err;
	/* All others fall back on these. */
	if (!sm4_tier_is_right(&sm4_ttable) || !sm3_tier_is_right(&sm3_generic))
		return -EIO;
	/* Not where the user names tiers: those are to be used. */
	sm4_beside_gmi = !tiers && boot_cpu_has(X86_FEATURE_CCS) &&
			 boot_cpu_has(X86_FEATURE_CCS_EN);
	/* Also those that are not registered: authenc hashes by the best of them. */
	for (i = 1; i < sm3_tier_count; i++) {
		sm3_leave_out(i, sm3_tier_usable(sm3_tiers[i]) &&
			      !sm3_tier_is_right(sm3_tiers[i]));
		if (sm3_is_left_out(i))
			err = -EIO;
	}
	err = sm4_register_sm4(selected & ((1UL << sm4_tier_count) - 1)) ?: err;
	sm4_report_batches();
	err = sm4_register_sm3(selected >> sm4_tier_count) ?: err;
	if (sm4_any_registered())
		return 0;
	sm4_free_batches();
	return err;
}

/* Called when there are no references to the module: there is no test to wait for. */
static void __exit sm4_fast_exit(void)
{
	sm4_unregister_all();
	sm4_free_batches();
}

module_init(sm4_fast_init);
module_exit(sm4_fast_exit);

MODULE_DESCRIPTION("SM4 block cipher (GB/T 32907) and its modes, and SM3 hash (GB/T 32905), with the fastest vector instructions of the CPU");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.2");
