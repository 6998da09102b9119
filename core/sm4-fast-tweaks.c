// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A request of XTS begins with the encryption of its IV: a chain of 32 rounds, which takes about as
 * long as encrypting 16 blocks at once. Users ask for consecutive sectors. So once two IVs of a key
 * are consecutive, a CPU encrypts the next ones together, and keeps these tweaks for the requests
 * that follow. Whether a request finds its tweak depends on IVs alone, which are public.
 *
 * A CPU keeps the tweaks of one key. Only requests in an FPU section on this CPU use them, one at a
 * time: nothing preempts a section, also with PREEMPT_RT, and crypto_simd_usable() is false in
 * whatever interrupts it. Any CPU may wipe the tweaks of a key. Requests and wipers take the tweaks
 * first, and do not wait for each other: a request that finds them taken encrypts its IV alone. A
 * wiper that finds them taken has nothing to do: a request with another key wipes them itself.
 *
 * No user changes a key while requests use it. If one did, a request could still keep tweaks of the
 * previous key, or of a mixture. They have the previous number, so no later request uses them.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "sm4-fast-core.h"
#include "sm4-fast-tweaks.h"

#define SM4_TWEAKS_AHEAD	16

/* Sectors of 4096 bytes may be numbered in units of 512. */
#define SM4_TWEAK_STEP_MAX	8

/* Not the number of any key */
#define SM4_TWEAKS_FREE		0
#define SM4_TWEAKS_TAKEN	U64_MAX

/**
 * struct sm4_tweaks - tweaks of a CPU, for the next requests
 * @next: the tweaks, of which each is an encrypted IV
 * @owner: the number of their key, or one of the two above. The other members are for whoever has
 *	replaced it by SM4_TWEAKS_TAKEN.
 * @low: the last IV's first half, a little-endian number
 * @high: its second half
 * @step: what @low grows by, from one tweak to the next
 * @left: how many of the last ones in @next are still to be used
 */
struct sm4_tweaks {
	u8 next[SM4_TWEAKS_AHEAD][SM4_BLOCK_SIZE] __aligned(64);
	u64 owner;
	u64 low, high;
	u64 step;
	unsigned int left;
};

static DEFINE_PER_CPU(struct sm4_tweaks, sm4_tweaks);

static void sm4_wipe_tweaks_of_cpu(unsigned int cpu, u64 id)
{
	struct sm4_tweaks *tweaks = per_cpu_ptr(&sm4_tweaks, cpu);

	if (cmpxchg(&tweaks->owner, id, SM4_TWEAKS_TAKEN) != id)
		return;
	memzero_explicit(tweaks->next, sizeof(tweaks->next));
	/* They are wiped before another key's request can take them. */
	smp_store_release(&tweaks->owner, SM4_TWEAKS_FREE);
}

/*
 * Look only at CPUs that may have some: a machine may have hundreds of CPUs, and fscrypt may have
 * a key for each file.
 */
void sm4_wipe_tweaks(const struct sm4_tweak_key *key)
{
	unsigned int bit, cpu;

	for_each_set_bit(bit, &key->cpus, BITS_PER_LONG)
		for (cpu = bit; cpu < nr_cpu_ids; cpu += BITS_PER_LONG)
			if (cpu_possible(cpu))
				sm4_wipe_tweaks_of_cpu(cpu, key->id);
}

void sm4_set_tweak_key(const struct sm4_tier *tier, struct sm4_tweak_key *key,
		       const u8 *raw)
{
	static atomic64_t last_id;

	sm4_wipe_tweaks(key);
	sm4_set_encryption_key(tier, &key->keys, raw);
	/* A request that reads this number also reads these round keys. */
	smp_store_release(&key->id, atomic64_inc_return(&last_id));
}

static void sm4_fill_tweaks(struct sm4_tweaks *tweaks, const struct sm4_tier *working,
			    struct sm4_tweak_key *key)
{
	unsigned int bit = smp_processor_id() % BITS_PER_LONG, i;

	if (!test_bit(bit, &key->cpus))
		set_bit(bit, &key->cpus);
	for (i = 0; i < SM4_TWEAKS_AHEAD; i++) {
		put_unaligned_le64(tweaks->low + i * tweaks->step, tweaks->next[i]);
		put_unaligned_le64(tweaks->high, tweaks->next[i] + 8);
	}
	sm4_tier_crypt(working, SM4_ECB, &key->keys, tweaks->next[0],
		       tweaks->next[0], NULL, sizeof(tweaks->next));
	tweaks->left = SM4_TWEAKS_AHEAD;
}

void sm4_encrypt_tweak(const struct sm4_tier *working, struct sm4_tweak_key *key,
		       u8 iv[SM4_BLOCK_SIZE])
{
	const u64 low = get_unaligned_le64(iv), high = get_unaligned_le64(iv + 8);
	struct sm4_tweaks *tweaks;
	u64 id, owner, step;
	bool follows;

	/* The C tier has no section, and takes as long for 16 blocks as for one 16 times. */
	if (!working->base.features[0])
		goto alone;
	/* The round keys are at least as new as this number: see sm4_set_tweak_key(). */
	id = smp_load_acquire(&key->id);
	tweaks = this_cpu_ptr(&sm4_tweaks);
	owner = xchg(&tweaks->owner, SM4_TWEAKS_TAKEN);
	if (owner == SM4_TWEAKS_TAKEN)
		goto alone;

	step = low - tweaks->low;
	follows = owner == id && high == tweaks->high && step - 1 < SM4_TWEAK_STEP_MAX;
	if (owner != id)
		memzero_explicit(tweaks->next, sizeof(tweaks->next));
	if (!follows || step != tweaks->step)
		tweaks->left = 0;
	tweaks->low = low;
	tweaks->high = high;
	tweaks->step = step;
	if (follows) {
		if (!tweaks->left)
			sm4_fill_tweaks(tweaks, working, key);
		memcpy(iv, tweaks->next[SM4_TWEAKS_AHEAD - tweaks->left--], SM4_BLOCK_SIZE);
	}
	/* All members are written before this key's tweaks can be wiped. */
	smp_store_release(&tweaks->owner, id);
	if (follows)
		return;
alone:
	sm4_encrypt_block(working, &key->keys, iv);
}
