// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The tables of tiers, of SM4 and of SM3, each with its functions and the CPU features that it
 * needs. This file contains nothing about requests and drivers.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/string.h>
#include "sm4-fast.h"
#include "sm3/sm3-fast.h"
#include "generated/sm4-basis.h"

/* asm/layout.h */
static_assert(offsetof(struct sm4_round_keys, mapped) == SM4_MAPPED);
static_assert(offsetof(struct sm4_round_keys, pairs) == SM4_PAIRS);
static_assert(offsetof(struct sm4_round_keys, bytes) == SM4_BYTES);
static_assert(offsetof(struct sm4_ghash_key, middle) == GHASH_MIDDLE);
static_assert(offsetof(struct sm4_gcm_key, hash) == GCM_HASH_KEY);
static_assert(offsetof(struct sm4_gcm_state, hash) == GCM_STATE_HASH);
static_assert(offsetof(struct sm4_gcm_state, counter) == GCM_STATE_COUNTER);
static_assert(offsetof(struct sm4_gcm_state, mask) == GCM_STATE_MASK);
static_assert(offsetof(struct sm4_gcm_state, lengths) == GCM_STATE_LENGTHS);
static_assert(1 << GCM_FIRST_BIT == GCM_FIRST);
static_assert(1 << GCM_DECRYPTS_BIT == GCM_DECRYPTS);
static_assert(offsetof(struct sm4_ccm_state, mac) == CCM_STATE_MAC);
static_assert(offsetof(struct sm4_ccm_state, counter) == CCM_STATE_COUNTER);
static_assert(offsetof(struct sm4_ccm_state, text) == CCM_STATE_TEXT);
static_assert(offsetof(struct sm4_hashing, src) == HASHING_SRC);
static_assert(offsetof(struct sm4_lanes, chain) == LANES_CHAIN);
static_assert(offsetof(struct sm4_lanes, text) == LANES_TEXT);
static_assert(offsetof(struct sm3_lanes, src) == SM3_LANES_SRC);

/*
 * The CPU features that tiers need, by the names of their flags in /proc/cpuinfo, which modinfo
 * shows. sm4 and sm3 are Intel's.
 */
enum sm4_cpu_flag {
	avx = X86_FEATURE_AVX,
	avx2 = X86_FEATURE_AVX2,
	avx512f = X86_FEATURE_AVX512F,
	avx512bw = X86_FEATURE_AVX512BW,
	avx512vl = X86_FEATURE_AVX512VL,
	aes = X86_FEATURE_AES,
	vaes = X86_FEATURE_VAES,
	gfni = X86_FEATURE_GFNI,
	pclmulqdq = X86_FEATURE_PCLMULQDQ,
	vpclmulqdq = X86_FEATURE_VPCLMULQDQ,
	bmi1 = X86_FEATURE_BMI1,
	bmi2 = X86_FEATURE_BMI2,
	sm4 = SM4_FEATURE_INTEL_SM4,
	sm3 = SM4_FEATURE_INTEL_SM3,
	hygon_sm4 = SM4_FEATURE_CIS,
};

/* A tier's narrower one, as its functions have been assembled for */
enum { SM4_NARROWER_BYTES(SM4_ENUM_BYTES) };
#define SM4_HAS_NARROWER(variable, tier)				\
	.narrower = tier, .narrower_bytes = NARROWER_BYTES_OF_##variable

static const struct sm4_basis sm4_aes_basis = SM4_AES_BASIS;
static const struct sm4_basis sm4_nibbles_basis = SM4_NIBBLES_BASIS;

/* ghash-clmul.S */
asmlinkage ghash_function sm4_ghash_clmul_avx, sm4_ghash_vpclmul_avx2,
	sm4_ghash_vpclmul_avx512;
asmlinkage ghash_set_key_function sm4_ghash_clmul_set_key;

/*
 * The functions of ghash-clmul.S for GCM. With 64 powers of H instead of 24, it takes a Zen 4 360
 * cycles more to set a key, and 1 to 2 % less to encrypt 1400 bytes: there are fewer reductions.
 */
#define SM4_GCM_CLMUL_AVX						\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_clmul_avx, .ghash_powers = GHASH_POWERS
#define SM4_GCM_VPCLMUL_AVX2						\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_vpclmul_avx2, .ghash_powers = GHASH_POWERS
#define SM4_GCM_VPCLMUL_AVX512						\
	.ghash_set_key = sm4_ghash_clmul_set_key,			\
	.ghash = sm4_ghash_vpclmul_avx512, .ghash_powers = GHASH_POWERS

/* As CHAINS() of SM4_TIER, with one chain that is interleaved with SM3 */
#define SM4_HAS_CHAINS_WITH_SM3(...)					\
	SM4_HAS_CHAINS(__VA_ARGS__)					\
	SM4_HASHING_FUNCTIONS(SM4_HAS, __VA_ARGS__)			\
	.sm3_features = { bmi1, bmi2 },
#define SM4_INFO_CHAINS_WITH_SM3(...)

/*
 * Lanes of CBC, and of SM3 (sm3/sm3-lanes-asm.S). The tier with 64-byte vectors has no rounds on
 * pairs and uses the functions of 32-byte vectors for CBC.
 */
#define SM4_LANES_BY(prefix, sm3, count)				\
	SM4_LANE_FUNCTIONS(SM4_HAS, prefix)				\
	.sm3_lanes = sm3, .sm3_lane_count = count

asmlinkage sm3_lanes_function sm3_lanes_avx2, sm3_lanes_avx512;

/* The common members of the tiers with AES-NI */
SM4_KEY_FUNCTIONS(SM4_DECLARE, sm4_aesni_)
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_aesni_)
SM4_HASHING_FUNCTIONS(SM4_DECLARE, sm4_aesni_)
#define SM4_AESNI_COMMON						\
	.basis = &sm4_aes_basis,					\
	.key_schedule = sm4_aesni_key_schedule

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_aesni_avx_)
static const SM4_TIER(sm4_aesni_avx, "aesni-avx", 800, (avx, aes), (pclmulqdq),
	CHAINS_WITH_SM3(sm4_aesni_),
	SM4_AESNI_COMMON,
	SM4_GCM_CLMUL_AVX,
);

SM4_KEY_FUNCTIONS(SM4_DECLARE, sm4_avx2_)
SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_avx2_)
SM4_LANE_FUNCTIONS(SM4_DECLARE, sm4_avx2_)
static const SM4_TIER(sm4_avx2, "avx2", 850, (avx, avx2), (pclmulqdq),
	NO_CHAINS,
	.basis = &sm4_nibbles_basis,
	.key_schedule = sm4_avx2_key_schedule,
	SM4_GCM_CLMUL_AVX,
);

/* The common members of the next tier and of its narrower one, which is like gfni-avx512's */
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_avx512_)
SM4_HASHING_FUNCTIONS(SM4_DECLARE, sm4_avx512_)
#define SM4_AVX512_COMMON						\
	.basis = &sm4_nibbles_basis,					\
	.key_schedule = sm4_avx2_key_schedule

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_avx512vl_)
static const SM4_NARROWER_TIER(sm4_avx512vl, CHAINS_WITH_SM3(sm4_avx512_),
	SM4_AVX512_COMMON,
);

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_avx512_)
static const SM4_TIER(sm4_avx512, "avx512", 860,
	(avx, avx2, avx512f, avx512bw, avx512vl), (pclmulqdq), CHAINS_WITH_SM3(sm4_avx512_),
	.base.ymm_tier = &sm4_avx2.base,
	.byte_sliced = true,
	SM4_HAS_NARROWER(sm4_avx512, &sm4_avx512vl),
	SM4_AVX512_COMMON,
	SM4_LANES_BY(sm4_avx2_, sm3_lanes_avx512, SM3_LANES_MAX),
	SM4_GCM_CLMUL_AVX,
);

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_aesni_avx2_)
SM4_LANE_FUNCTIONS(SM4_DECLARE, sm4_aesni_avx2_)
static const SM4_TIER(sm4_aesni_avx2, "aesni-avx2", 870, (avx, avx2, aes), (pclmulqdq),
	CHAINS_WITH_SM3(sm4_aesni_),
	SM4_HAS_NARROWER(sm4_aesni_avx2, &sm4_aesni_avx),
	SM4_AESNI_COMMON,
	SM4_LANES_BY(sm4_aesni_avx2_, sm3_lanes_avx2, SM3_LANES_AVX2),
	SM4_GCM_CLMUL_AVX,
);

/* The tweaks of XTS need VPCLMULQDQ, as in the tiers with GFNI. */
SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_vaes_avx2_)
SM4_LANE_FUNCTIONS(SM4_DECLARE, sm4_vaes_avx2_)
static const SM4_TIER(sm4_vaes_avx2, "vaes-avx2", 900,
	(avx, avx2, aes, vaes, vpclmulqdq), (pclmulqdq), CHAINS_WITH_SM3(sm4_aesni_),
	SM4_HAS_NARROWER(sm4_vaes_avx2, &sm4_aesni_avx),
	SM4_AESNI_COMMON,
	SM4_LANES_BY(sm4_vaes_avx2_, sm3_lanes_avx2, SM3_LANES_AVX2),
	SM4_GCM_VPCLMUL_AVX2,
);

SM4_KEY_FUNCTIONS(SM4_DECLARE, sm4_cis_)
SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_cis_avx_)
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_cis_avx_)
static const SM4_TIER(sm4_cis_avx, "cis-avx", 930, (avx, hygon_sm4), (pclmulqdq),
	CHAINS(sm4_cis_avx_),
	.key_schedule = sm4_cis_key_schedule,
	SM4_GCM_CLMUL_AVX,
);

/* The common members of the tiers with GFNI */
SM4_KEY_FUNCTIONS(SM4_DECLARE, sm4_gfni_)
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_gfni_)
SM4_HASHING_FUNCTIONS(SM4_DECLARE, sm4_gfni_)
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx512_)
SM4_HASHING_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx512_)
#define SM4_GFNI_COMMON							\
	.basis = &sm4_aes_basis,					\
	.key_schedule = sm4_gfni_key_schedule

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx2_)
SM4_LANE_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx2_)
static const SM4_TIER(sm4_gfni_avx2, "gfni-avx2", 1000, (avx, avx2, gfni, vpclmulqdq), (pclmulqdq),
	CHAINS_WITH_SM3(sm4_gfni_),
	SM4_GFNI_COMMON,
	SM4_LANES_BY(sm4_gfni_avx2_, sm3_lanes_avx2, SM3_LANES_AVX2),
	SM4_GCM_VPCLMUL_AVX2,
);

/* The narrower tier of the next one, with 32-byte vectors of AVX-512VL; no tier of its own */
SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx512vl_)
static const SM4_NARROWER_TIER(sm4_gfni_avx512vl, CHAINS_WITH_SM3(sm4_gfni_avx512_),
	SM4_GFNI_COMMON,
);

SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_gfni_avx512_)
static const SM4_TIER(sm4_gfni_avx512, "gfni-avx512", 1100,
	(avx, avx2, avx512f, avx512bw, avx512vl, gfni, vpclmulqdq), (pclmulqdq, vpclmulqdq),
	CHAINS_WITH_SM3(sm4_gfni_avx512_),
	.base.ymm_tier = &sm4_gfni_avx2.base,
	.byte_sliced = true,
	SM4_HAS_NARROWER(sm4_gfni_avx512, &sm4_gfni_avx512vl),
	SM4_GFNI_COMMON,
	SM4_LANES_BY(sm4_gfni_avx2_, sm3_lanes_avx512, SM3_LANES_MAX),
	SM4_GCM_VPCLMUL_AVX512,
);

asmlinkage sm3_blocks_function sm3_avx_blocks, sm3_ni_blocks;

/* Its priority is below 400, which Hygon's own sm3-cis has. */
static const SM3_TIER(sm3_avx, "sm3-avx", 390, (avx, bmi1, bmi2),
	.blocks = sm3_avx_blocks,
);

#ifdef SM4_HAS_SM4NI
SM4_KEY_FUNCTIONS(SM4_DECLARE, sm4_sm4ni_)
SM4_MODE_FUNCTIONS(SM4_DECLARE, sm4_sm4ni_avx2_)
SM4_CHAIN_FUNCTIONS(SM4_DECLARE, sm4_sm4ni_avx2_)
static const SM4_TIER(sm4_sm4ni_avx2, "sm4ni-avx2", 1200, (avx, avx2, sm4), (pclmulqdq, vpclmulqdq),
	CHAINS(sm4_sm4ni_avx2_),
	.key_schedule = sm4_sm4ni_key_schedule,
	SM4_GCM_VPCLMUL_AVX2,
);

static const SM3_TIER(sm3_ni, "sm3-ni", 500, (avx, avx2, sm3),
	.blocks = sm3_ni_blocks,
);
#else
/*
 * The parameter tiers may name these, too: the same list has to work with newer kernels. An older
 * kernel does not show these flags, even if the processor has the instructions.
 */
MODULE_INFO(tier, "sm4ni-avx2 - (avx, avx2, sm4, Linux 6.10)");
MODULE_INFO(tier, "sm3-ni - (avx, avx2, sm3, Linux 6.10)");
#endif

const struct sm4_tier_base *const sm4_tiers[] = {
	&sm4_ttable.base,
	&sm4_aesni_avx.base,
	&sm4_avx2.base,
	&sm4_avx512.base,
	&sm4_aesni_avx2.base,
	&sm4_vaes_avx2.base,
	&sm4_cis_avx.base,
	&sm4_gfni_avx2.base,
	&sm4_gfni_avx512.base,
#ifdef SM4_HAS_SM4NI
	&sm4_sm4ni_avx2.base,
#endif
	NULL
};

const struct sm4_tier_base *const sm3_tiers[] = {
	&sm3_generic.base,
	&sm3_avx.base,
#ifdef SM4_HAS_SM4NI
	&sm3_ni.base,
#endif
	NULL
};
