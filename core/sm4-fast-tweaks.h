/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Tweaks of XTS, of which each CPU computes some ahead of the requests that need them: the
 * functions of sm4-fast-tweaks.c.
 */
#ifndef SM4_FAST_TWEAKS_H
#define SM4_FAST_TWEAKS_H

#include "../sm4-fast.h"

/**
 * struct sm4_tweak_key - the key of XTS that encrypts IVs
 * @keys: round keys of encryption
 * @id: its number. No other key has had it since the module was loaded, in this tfm or another.
 * @cpus: the CPUs that have kept tweaks of this tfm, by their numbers modulo BITS_PER_LONG
 */
struct sm4_tweak_key {
	struct sm4_round_keys keys;
	u64 id;
	unsigned long cpus;
};

/**
 * sm4_set_tweak_key() - sm4_set_encryption_key(), which wipes the tweaks of the previous key
 * @tier: the tier that is to use the key
 * @key: the key
 * @raw: its SM4_KEY_SIZE bytes
 */
void sm4_set_tweak_key(const struct sm4_tier *tier, struct sm4_tweak_key *key,
		       const u8 *raw);

/**
 * sm4_wipe_tweaks() - wipe all tweaks of a key, before it is changed or freed
 * @key: the key
 *
 * Context: any
 */
void sm4_wipe_tweaks(const struct sm4_tweak_key *key);

/**
 * sm4_encrypt_tweak() - encrypt an IV of XTS
 * @working: the tier that sm4_begin() has returned; the section is open.
 * @key: the key
 * @iv: the IV, which the tweak replaces
 */
void sm4_encrypt_tweak(const struct sm4_tier *working, struct sm4_tweak_key *key,
		       u8 iv[SM4_BLOCK_SIZE]);

#endif
