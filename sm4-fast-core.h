/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tiers this CPU can run, FPU sections, keys and counters: the functions of sm4-fast-core.c,
 * sm4-fast-cpu.c and sm4-fast-check.c. They handle no request and no driver.
 */
#ifndef SM4_FAST_CORE_H
#define SM4_FAST_CORE_H

#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include "sm4-fast.h"

/* Whether this CPU has the features of @tier and the kernel saves its registers */
bool sm4_tier_usable(const struct sm4_tier *tier);

/* Whether @tier, which has to be usable, has GCM, and this CPU the features for it */
bool sm4_tier_has_gcm(const struct sm4_tier *tier);

/* Whether @tier, which has to be usable, has cbc_encrypt_sm3, and this CPU the features for it */
bool sm4_tier_has_cbc_sm3(const struct sm4_tier *tier);

/* Whether this CPU has @features, a list as in struct sm4_tier, and the kernel saves @xfeatures */
bool sm4_cpu_can(const u16 *features, size_t places, u64 xfeatures);

/* sm4-fast-cpu.c: XFEATURE_MASK_* of all registers that the kernel saves and restores */
u64 sm4_xcr0(void);

/*
 * boot_cpu_has(); for SM4_FEATURE_CIS, whether the CPU executes these instructions. Process
 * context, outside FPU sections.
 */
bool sm4_cpu_has(unsigned int feature);

/*
 * The tiers that this CPU can run and that have not failed their self-test: bit n is for tier n.
 * sm4_detect_tiers() sets them when the module is loaded, in process context, and self-tests
 * clear some. They are read-only afterwards.
 */
extern unsigned long sm4_ready_tiers;
void sm4_detect_tiers(void);

/* The fastest ready tier of SM3; the portable one has to be ready. */
const struct sm4_tier *sm3_best_tier(void);

/* Returns the priority of @tier: less than tier->priority if the CPU prefers narrower vectors. */
int sm4_tier_priority(const struct sm4_tier *tier);

/*
 * Begin and end an FPU section, of at most SM4_SECTION_SIZE bytes, or SM4_CHAIN_SECTION_SIZE for
 * a serial chain. sm4_begin() returns the tier to use: @tier, or the C tier where the vector unit
 * cannot be used or the module parameter fallback_only is set. Both may be called in any context
 * that the crypto API allows. Nothing between them may sleep.
 */
const struct sm4_tier *sm4_begin(const struct sm4_tier *tier);
void sm4_end(const struct sm4_tier *working);

/*
 * Set the round keys of both directions, plain and mapped, from the SM4_KEY_SIZE bytes at @raw,
 * which need no alignment. Same contexts as sm4_begin(), which it calls.
 */
void sm4_set_key(const struct sm4_tier *tier, struct sm4_key *key,
		 const u8 *raw);

/* The same for GCM, with the hash key */
void sm4_gcm_set_key(const struct sm4_tier *tier, struct sm4_gcm_key *key,
		     const u8 *raw);

/*
 * sm4-fast-check.c: test all functions of @tier, which has to be usable. Returns the name of a
 * function that gives a wrong result, or NULL. Only while the module is loaded, in process
 * context. The C tiers have to be tested first, because all others are compared with them.
 */
const char *sm4_selftest_tier(const struct sm4_tier *tier);

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
