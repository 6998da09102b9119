/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Which tiers this CPU can run, FPU sections, keys and counters: the functions of sm4-fast-core.c.
 * They handle no request and no driver.
 */
#ifndef SM4_FAST_CORE_H
#define SM4_FAST_CORE_H

#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include "../sm3/sm3-fast.h"

/**
 * sm4_tier_usable() - whether this CPU can run a tier
 * @tier: the tier
 *
 * Return: whether the CPU has its features, and the kernel saves its registers
 */
bool sm4_tier_usable(const struct sm4_tier_base *tier);

/**
 * sm4_tier_has_gcm() - whether a tier has GCM, and this CPU the features for it
 * @tier: the tier, which has to be usable
 *
 * Return: whether @gcm and the functions of GHASH can be called
 */
bool sm4_tier_has_gcm(const struct sm4_tier *tier);

/**
 * sm4_tier_has_cbc_sm3() - whether a tier has CBC with SM3, and this CPU the features for it
 * @tier: the tier, which has to be usable
 *
 * Return: whether @cbc_encrypt_sm3 can be called
 */
bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier);

/**
 * sm4_cpu_can() - whether this CPU has features
 * @features: as in struct sm4_tier_base
 * @places: the length of @features
 * @xfeatures: XFEATURE_MASK_* of the registers that the kernel has to save
 *
 * Return: whether it has all of them
 */
bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures);

/**
 * struct sm4_tier_set - all tiers of SM4, or of SM3; read-only after the module is loaded
 * @tiers: sm4_tiers or sm3_tiers
 * @ready: bit n: this CPU can run tier n, which has not failed its self-test.
 * @selected: bit n: the user wants tier n, which was ready.
 */
struct sm4_tier_set {
	const struct sm4_tier_base *const *tiers;
	unsigned long ready, selected;
};

/* The tiers of SM4, and the tiers of SM3; an entry of zeros at the end */
extern struct sm4_tier_set sm4_tier_sets[];
enum { OF_SM4, OF_SM3 };

/**
 * sm4_detect_tiers() - find out which tiers are ready; none is selected yet
 *
 * Context: process context
 */
void sm4_detect_tiers(void);

/**
 * sm4_tier_below() - choose the tier of the highest priority
 * @set: the tiers of SM4, or of SM3
 * @limit: all priorities from here on are left out.
 * @among: bit n: tier n is among the candidates.
 *
 * Return: the tier, or NULL
 */
const struct sm4_tier_base *sm4_tier_below(const struct sm4_tier_set *set,
					   int limit, unsigned long among);

/**
 * sm3_best_tier() - choose the fastest ready tier of SM3
 *
 * Return: the tier. The portable one has to be ready.
 */
const struct sm3_tier *sm3_best_tier(void);

/**
 * sm3_tier_for() - choose the tier of SM3 for modes that also hash
 * @tier: the tier of SM4 of these modes
 *
 * Return: for the C tier, the portable one; for others, the fastest ready one
 */
const struct sm3_tier *sm3_tier_for(const struct sm4_tier *tier);

/**
 * sm4_tier_priority() - the priority of a tier on this CPU
 * @tier: the tier
 *
 * Return: its priority, or less if the CPU prefers narrower vectors
 */
int sm4_tier_priority(const struct sm4_tier_base *tier);

/**
 * sm4_begin_section() - begin an FPU section
 * @tier: the tier that is wanted
 * @portable: the tier where the vector unit cannot be used, or the module parameter fallback_only
 *	is set; may be NULL
 *
 * A section has at most SM4_SECTION_SIZE bytes, or SM4_CHAIN_SECTION_SIZE of a serial chain.
 * Nothing in it may sleep.
 *
 * Context: any that the crypto API allows
 * Return: the tier to use. If it is NULL, no section has begun.
 */
const struct sm4_tier_base *sm4_begin_section(const struct sm4_tier_base *tier,
					      const struct sm4_tier_base *portable);

/**
 * sm4_end_section() - end an FPU section
 * @working: the tier that sm4_begin_section() has returned
 */
void sm4_end_section(const struct sm4_tier_base *working);

/**
 * sm4_begin() - sm4_begin_section() for a tier of SM4, instead of which the C tier may work
 * @tier: the tier that is wanted
 *
 * Return: the tier to use
 */
static inline const struct sm4_tier *sm4_begin(const struct sm4_tier *tier)
{
	return to_sm4_tier(sm4_begin_section(&tier->base, &sm4_ttable.base));
}

/**
 * sm4_end() - sm4_end_section() for a tier of SM4
 * @working: the tier that sm4_begin() has returned
 */
static inline void sm4_end(const struct sm4_tier *working)
{
	sm4_end_section(&working->base);
}

/**
 * sm4_set_key() - set the round keys of both directions, plain and mapped
 * @tier: the tier that is to use them
 * @key: the round keys
 * @raw: the key, of SM4_KEY_SIZE bytes, which need no alignment
 *
 * Context: as sm4_begin(), which it calls
 */
void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw);

/**
 * sm4_set_encryption_key() - sm4_set_key() for modes and tweaks that never decrypt a block
 * @tier: the tier that is to use them
 * @keys: the round keys of encryption
 * @raw: the key
 */
void sm4_set_encryption_key(const struct sm4_tier *tier, struct sm4_round_keys *keys,
			    const u8 *raw);

/**
 * sm4_gcm_set_key() - sm4_set_key() for GCM, with the powers of the hash key
 * @tier: the tier that is to use them
 * @key: the round keys and the powers
 * @raw: the key
 */
void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw);

/**
 * struct sm4_counts - counters of a CPU
 * @fpu_fallbacks: FPU sections that the C tier has processed instead of a vector tier, and
 *	therefore not in constant time
 * @batches: batches processed
 * @batched: requests in these batches
 */
struct sm4_counts {
	unsigned long fpu_fallbacks;
	unsigned long batches;
	unsigned long batched;
};

DECLARE_PER_CPU(struct sm4_counts, sm4_counts);

/* For a read-only parameter: the sum over all CPUs of the counter at the offset @arg */
extern const struct kernel_param_ops sm4_count_ops;

#endif
