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

/* Whether this CPU has the features of @tier and the kernel saves its registers */
bool sm4_tier_usable(const struct sm4_tier_base *tier);

/* Whether @tier, which has to be usable, has GCM, and this CPU the features for it */
bool sm4_tier_has_gcm(const struct sm4_tier *tier);

/* Whether @tier, which has to be usable, has cbc_encrypt_sm3, and this CPU the features for it */
bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier);

/* Whether this CPU has @features, as in struct sm4_tier_base, and the kernel saves @xfeatures */
bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures);

/**
 * struct sm4_tier_set - the tiers of SM4, or those of SM3. Read-only after the module is loaded.
 * @tiers: sm4_tiers or sm3_tiers
 * @ready: bit n: this CPU can run tier n, which has not failed its self-test.
 * @selected: bit n: the user wants tier n, which was ready.
 */
struct sm4_tier_set {
	const struct sm4_tier_base *const *tiers;
	unsigned long ready, selected;
};

/* Those of SM4 and those of SM3; an entry of zeros at the end */
extern struct sm4_tier_set sm4_tier_sets[];
enum { OF_SM4, OF_SM3 };

/* Find out which tiers are ready; none is selected yet. In process context */
void sm4_detect_tiers(void);

/* Returns the tier of the highest priority below @limit of those @among the bits, or NULL. */
const struct sm4_tier_base *sm4_tier_below(const struct sm4_tier_set *set,
					   int limit, unsigned long among);

/*
 * The fastest ready tier of SM3, and the one for modes of @tier that also hash: for the C tier, the
 * portable one. That has to be ready.
 */
const struct sm3_tier *sm3_best_tier(void);
const struct sm3_tier *sm3_tier_for(const struct sm4_tier *tier);

/* Returns the priority of @tier: less than tier->priority if the CPU prefers narrower vectors. */
int sm4_tier_priority(const struct sm4_tier_base *tier);

/*
 * Begin and end an FPU section, of at most SM4_SECTION_SIZE bytes, or SM4_CHAIN_SECTION_SIZE for
 * a serial chain. sm4_begin_section() returns the tier to use: @tier, or @portable where the vector
 * unit cannot be used or the module parameter fallback_only is set; if that is NULL, no section has
 * begun. Both may be called in any context that the crypto API allows. Nothing between them may
 * sleep.
 */
const struct sm4_tier_base *sm4_begin_section(const struct sm4_tier_base *tier,
					      const struct sm4_tier_base *portable);
void sm4_end_section(const struct sm4_tier_base *working);

/* The same for a tier of SM4 */
static inline const struct sm4_tier *sm4_begin(const struct sm4_tier *tier)
{
	return to_sm4_tier(sm4_begin_section(&tier->base, &sm4_ttable.base));
}

static inline void sm4_end(const struct sm4_tier *working)
{
	sm4_end_section(&working->base);
}

/*
 * Set the round keys of both directions, plain and mapped, from the SM4_KEY_SIZE bytes at @raw,
 * which need no alignment. Same contexts as sm4_begin(), which it calls.
 */
void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw);

/* The same for encryption alone: for modes and tweaks that never decrypt a block */
void sm4_set_encryption_key(const struct sm4_tier *tier, struct sm4_round_keys *keys,
			    const u8 *raw);

/* The same for GCM, with the hash key */
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
