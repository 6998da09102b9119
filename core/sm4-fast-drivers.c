// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Registering and unregistering drivers: a mode on a tier, under a name and with a priority of its
 * own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "sm4-fast-drivers.h"

/*
 * Zhaoxin's processors implement SM4 in hardware, GMI. Vendors' kernels have drivers for it, with
 * priorities of 300 and more. Our drivers have not been benchmarked against them. They rank below
 * them, but above mainline's C code and its templates, which have 250 at most: the slowest of
 * @tiers at 251, the next one at 252, and so on.
 */
static int sm4_priority_beside_gmi(const struct sm4_tier_base *tier,
				   const struct sm4_tier_base *const *tiers)
{
	int i, priority = 250;

	for (i = 0; tiers[i]; i++)
		priority += sm4_tier_priority(tiers[i]) <= sm4_tier_priority(tier);
	return priority;
}

bool sm4_beside_gmi __ro_after_init;

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
			const struct sm3_tier *hash_tier)
{
	const struct sm4_tier_base *base = tier ? &tier->base : &hash_tier->base;
	struct sm4_driver driver = {
		.mode = *entry,
		.entry = entry,
		.tier = tier,
		.hash_tier = hash_tier,
		.at_once = tier && sm4_tier_has_cbc_sm3(tier),
	}, *copy;
	struct crypto_alg *alg = sm4_driver_alg(&driver);
	size_t length = strlen(alg->cra_driver_name);
	int err;

	snprintf(alg->cra_driver_name + length,
		 sizeof(alg->cra_driver_name) - length, "%s%s-fast",
		 length ? "-" : "", base->name);
	alg->cra_priority = entry->priority ? entry->priority(tier) :
					      sm4_tier_priority(base);
	if (sm4_beside_gmi)
		alg->cra_priority =
			min(alg->cra_priority,
			    sm4_priority_beside_gmi(base, tier ? sm4_tiers : sm3_tiers));
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

int sm4_register_modes(const struct sm4_mode *modes, const struct sm4_tier *tier,
		       const struct sm3_tier *hash_tier)
{
	const struct sm4_tier_base *base = tier ? &tier->base : &hash_tier->base;
	const bool only_missing = base->features[0] &&
				  !sm4_tier_sets[tier ? OF_SM4 : OF_SM3].selected;
	int err = 0;

	for (; modes->type; modes++) {
		if ((modes->composite && sm4_beside_gmi) ||
		    (only_missing && sm4_has_driver(modes)) ||
		    (modes->offers && !modes->offers(tier)))
			continue;
		err = sm4_register(modes, tier, hash_tier) ?: err;
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
 * instances, nobody can find a driver, so ten seconds are more than enough.
 */
static void sm4_remove_instances(void)
{
	unsigned int waits = 10 * 1000 / 20;
	struct sm4_driver *driver;
	LIST_HEAD(instances);

	down_write(&crypto_alg_sem);
	list_for_each_entry(driver, &sm4_drivers, list)
		crypto_remove_spawns(sm4_driver_alg(driver), &instances, NULL);
	up_write(&crypto_alg_sem);
	crypto_remove_final(&instances);

	list_for_each_entry(driver, &sm4_drivers, list) {
		const struct crypto_alg *alg = sm4_driver_alg(driver);

		for (; refcount_read(&alg->cra_refcnt) != 1 && waits; waits--)
			msleep(20);
		if (refcount_read(&alg->cra_refcnt) != 1)
			pr_err("%s is unregistered although the kernel still holds it\n",
			       alg->cra_driver_name);
	}
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
