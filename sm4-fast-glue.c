// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Loading and unloading the module, and the choice of the tiers to register. No other file calls
 * this one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fips.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include "core/sm4-fast-check.h"
#include "core/sm4-fast-modes.h"

static char *tiers;
module_param(tiers, charp, 0444);
MODULE_PARM_DESC(tiers, "comma-separated list of tiers to register, or all (default: the fastest that the CPU supports, and the portable ones)");

/* Select the tier whose name is the @length bytes at @name. Returns NULL, or why there is none. */
static const char *__init sm4_select_tier(const char *name, size_t length)
{
	const bool all = length == strlen("all") && !strncmp(name, "all", length);
	const char *obstacle = "unknown", *tier;
	struct sm4_tier_set *set;
	unsigned int i;

	for (set = sm4_tier_sets; set->tiers; set++) {
		for (i = 0; set->tiers[i]; i++) {
			tier = set->tiers[i]->name;
			if (!all && (strlen(tier) != length || strncmp(tier, name, length)))
				continue;
			set->selected |= set->ready & BIT(i);
			obstacle = all || set->ready & BIT(i) ? NULL : "not for this CPU";
		}
	}
	return obstacle;
}

/*
 * Select the tiers of the parameter "tiers"; "all" means all of them. A tier that this kernel or
 * this CPU does not have is left out, because the same line in modprobe.d has to work with older
 * kernels, which have fewer tiers. If none is left, none is selected, which means the default
 * ones: a wrong list must not lock anybody out of a disk.
 */
static void __init sm4_select_tiers(void)
{
	const char *name, *next, *obstacle;
	bool any = false;
	size_t length;

	for (name = tiers; name; name = next) {
		length = strcspn(name, ",");
		next = name[length] ? name + length + 1 : NULL;
		obstacle = sm4_select_tier(name, length);
		any |= !obstacle;
		if (obstacle)
			pr_warn("tier \"%.*s\" is left out: %s%s\n", (int)length, name, obstacle,
				any || next ? "" : "; the default ones are registered");
	}
}

/*
 * Whether to log why loading fails. With AF_ALG, any user can make the kernel load the module
 * again and again, and must not be able to fill the log.
 */
static bool __init sm4_may_log_failure(void)
{
	return printk_ratelimit();	/* one limit for all loads, unlike pr_err_ratelimited() */
}

/* Test either the portable tiers, without which loading fails, or all others. */
static int __init sm4_check_tiers(bool portable)
{
	const struct sm4_tier_base *tier;
	struct sm4_tier_set *set;
	const char *wrong;
	int i, err = 0;

	for (set = sm4_tier_sets; set->tiers; set++) {
		for (i = 0; (tier = set->tiers[i]); i++) {
			if (!(set->ready & BIT(i)) || !tier->features[0] != portable)
				continue;
			wrong = sm4_selftest_tier(tier, set == &sm4_tier_sets[OF_SM3]);
			if (!wrong)
				continue;
			set->ready &= ~BIT(i);
			if (!portable || sm4_may_log_failure())
				pr_err("%s gives wrong answers (%s) and is left out\n",
				       tier->name, wrong);
			err = -EIO;
		}
	}
	return err;
}

/* Register modes on a tier of SM4 and, where they hash, on its tier of SM3. */
static int __init sm4_register_tier(const struct sm4_tier *tier)
{
	static const struct sm4_mode *const modes[] = {
		sm4_cipher_modes, sm4_skcipher_modes, sm4_aead_modes,
		sm4_authenc_modes, sm4_batch_modes, sm4_mac_modes,
	};
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		err = sm4_register_modes(modes[i], tier, sm3_tier_for(tier)) ?: err;
	return err;
}

/*
 * Register the selected tiers of a set from the fastest to the portable one, which has the lowest
 * priority. If none is selected, register each mode on the fastest tier that has it and on the
 * portable one. So users of SM4 that need SM3, such as xfrm, find both even if "tiers" names only
 * tiers of SM4.
 */
static int __init sm4_register_tiers(const struct sm4_tier_set *set)
{
	const unsigned long among = set->ready & (set->selected ?: ~0UL);
	const struct sm4_tier_base *tier;
	int err = 0, limit = INT_MAX;

	while ((tier = sm4_tier_below(set, limit, among))) {
		err = (set == &sm4_tier_sets[OF_SM3] ?
		       sm4_register_modes(sm3_modes, NULL, to_sm3_tier(tier)) :
		       sm4_register_tier(to_sm4_tier(tier))) ?: err;
		limit = sm4_tier_priority(tier);
	}
	return err;
}

/*
 * Whether the kernel has a driver for Zhaoxin's GMI, by the name that all vendors give it. If it is
 * in a module, that has no alias, and a request for SM4 does not load it; modprobe and the programs
 * that make an initramfs take it along because of MODULE_SOFTDEP.
 */
static bool __init sm4_has_gmi_driver(void)
{
	return boot_cpu_has(X86_FEATURE_CCS) && boot_cpu_has(X86_FEATURE_CCS_EN) &&
	       crypto_has_alg("ecb-sm4-gmi", 0, CRYPTO_NOLOAD);
}

/*
 * Drivers stay registered even if others cannot be registered: they may already be in use, and
 * unregistering would wait until they are not, maybe for ever. So loading fails only if no driver
 * is registered.
 */
static int __init sm4_fast_init(void)
{
	const struct sm4_tier_set *of_sm4 = &sm4_tier_sets[OF_SM4];
	const struct sm4_tier_set *of_sm3 = &sm4_tier_sets[OF_SM3];
	int err;

	/*
	 * FIPS 140 approves neither SM4 nor SM3. In FIPS mode, a kernel that checks signatures
	 * panics when a module without a trusted signature registers an algorithm, and any
	 * user can have this module loaded, by AF_ALG. -ECANCELED is the crypto API's error for
	 * algorithms that are not approved.
	 */
	if (fips_enabled) {
		if (sm4_may_log_failure())
			pr_err("not loaded: the kernel is in FIPS mode, which does not approve SM4 and SM3\n");
		return -ECANCELED;
	}
	sm4_detect_tiers();
	if (sm4_check_tiers(true))
		return -EIO;
	sm4_select_tiers();
	/* If the user names tiers, they have precedence over GMI. */
	sm4_beside_gmi = !of_sm4->selected && !of_sm3->selected && sm4_has_gmi_driver();
	/* Test also tiers that are not selected: authenc hashes with SM3's fastest tier. */
	err = sm4_check_tiers(false);
	sm4_prepare_batches();
	err = sm4_register_tiers(of_sm4) ?: err;
	sm4_report_batches();
	err = sm4_register_tiers(of_sm3) ?: err;
	if (sm4_any_registered())
		return 0;
	sm4_free_batches();
	return err;
}

/* There are no references to the module: no self-test of the kernel is running. */
static void __exit sm4_fast_exit(void)
{
	sm4_unregister_all();
	sm4_free_batches();
}

/* If all is built in, a vendor's drivers are registered in this phase, before ours. */
late_initcall(sm4_fast_init);
module_exit(sm4_fast_exit);

MODULE_DESCRIPTION("SM4 block cipher (GB/T 32907) and its modes, and SM3 hash (GB/T 32905), with the fastest vector instructions of the CPU");
MODULE_AUTHOR("sm4-fast maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.4");
/* Zhaoxin's GMI, by its present and its earlier name; modprobe ignores what is not there. */
MODULE_SOFTDEP("pre: sm4-zhaoxin-gmi zhaoxin-gmi-sm4");
/* Checksum of the sources, from Kbuild: a patch need not change the version. */
MODULE_INFO(sources, SM4_SOURCES);
