/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Modes, and their drivers on the tiers: sm4-fast-drivers.c registers them with the crypto API.
 */
#ifndef SM4_FAST_DRIVERS_H
#define SM4_FAST_DRIVERS_H

#include <linux/list.h>
#include <crypto/internal/aead.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/skcipher.h>
#include "sm4-fast-core.h"

enum sm4_mode_type {
	SM4_NO_MODE,
	SM4_CIPHER,
	SM4_SKCIPHER,
	SM4_AEAD,
	SM4_HASH,
};

/**
 * struct sm4_mode - an algorithm. Each tier that offers it has its own driver for it. A table of
 * modes ends with an entry of zeros.
 * @type: selects the member of the union.
 * @composite: without a driver, the kernel's templates build the algorithm on others.
 * @operation: of an skcipher's encryption
 * @esn: for ESP, whether sequence numbers have 64 bits
 * @offers: whether @tier has the mode; NULL if all tiers have it
 * @priority: cra_priority; NULL for the priority of the tier
 * @cipher: of SM4_CIPHER, what the crypto API registers. Names of drivers begin with its driver
 *	name.
 * @skcipher: likewise of SM4_SKCIPHER
 * @aead: likewise of SM4_AEAD
 * @hash: likewise of SM4_HASH
 */
struct sm4_mode {
	enum sm4_mode_type type;
	bool composite;
	enum sm4_operation operation;
	bool esn;
	bool (*offers)(const struct sm4_tier *tier);
	int (*priority)(const struct sm4_tier *tier);
	union {
		struct crypto_alg cipher;
		struct skcipher_alg skcipher;
		struct aead_alg aead;
		struct shash_alg hash;
	};
};

/**
 * struct sm4_driver - a registered mode
 * @mode: a copy of @entry with the name and the priority of the driver
 * @entry: the mode's entry in its table
 * @tier: of SM4; NULL for SM3 itself
 * @hash_tier: of SM3, for modes that hash; set for all
 * @at_once: whether @tier interleaves CBC encryption and SM3
 * @list: links all drivers
 */
struct sm4_driver {
	struct sm4_mode mode;
	const struct sm4_mode *entry;
	const struct sm4_tier *tier;
	const struct sm3_tier *hash_tier;
	bool at_once;
	struct list_head list;
};

/**
 * sm4_skcipher_driver() - the driver of a tfm
 * @tfm: the tfm
 *
 * Return: the driver
 */
static inline const struct sm4_driver *
sm4_skcipher_driver(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct sm4_driver,
			    mode.skcipher);
}

/**
 * sm4_aead_driver() - the driver of a tfm
 * @tfm: the tfm
 *
 * Return: the driver
 */
static inline const struct sm4_driver *sm4_aead_driver(struct crypto_aead *tfm)
{
	return container_of(crypto_aead_alg(tfm), struct sm4_driver,
			    mode.aead);
}

/**
 * sm4_hash_driver() - the driver of a tfm
 * @tfm: the tfm
 *
 * Return: the driver
 */
static inline const struct sm4_driver *sm4_hash_driver(struct crypto_shash *tfm)
{
	return container_of(crypto_shash_alg(tfm), struct sm4_driver,
			    mode.hash);
}

/*
 * Whether there are drivers of the processor's own SM4, Zhaoxin's GMI: ours rank below them, and
 * composite modes get no driver. Set before any mode is registered
 */
extern bool sm4_beside_gmi;

/**
 * sm4_register_modes() - register drivers for a table of modes on a tier
 * @modes: the table
 * @tier: the tier of SM4; NULL for modes of SM3 alone
 * @hash_tier: the tier of SM3 for modes that hash
 *
 * If the user has selected no tier, a vector tier gets only modes that have no driver yet. A
 * driver's name ends with the tier's name and "-fast", because some of the kernel's own drivers
 * have the same names without it. Each file of modes has an alias for its driver names on any tier,
 * so that a request for one, as in dm-crypt's capi:, loads the module. If the kernel refuses a
 * driver, this logs a message and goes on.
 *
 * Context: process context
 * Return: the last error, or 0
 */
int sm4_register_modes(const struct sm4_mode *modes, const struct sm4_tier *tier,
		       const struct sm3_tier *hash_tier);

/**
 * sm4_any_registered() - whether there is a driver
 *
 * Return: whether sm4_register_modes() has registered one
 */
bool sm4_any_registered(void);

/**
 * sm4_unregister_all() - unregister all drivers
 *
 * Only while the module has no references: otherwise a user, or a self-test of the kernel in its
 * own thread, might hold a driver.
 */
void sm4_unregister_all(void);

#endif
