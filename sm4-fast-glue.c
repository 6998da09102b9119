// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading the module, and the choice of the tiers to register. No other file calls
 * this one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fips.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "sm4-fast-modes.h"

static char *tiers;
module_param(tiers, charp, 0444);
MODULE_PARM_DESC(tiers, "comma-separated list of tiers to register, or all (default: the fastest that the CPU supports, and the portable ones)");

/* Returns the number of the tier whose name is the @length bytes at @name, or -1. */
static int __init sm4_find_tier(const char *name, size_t length)
{
	int i;

	for (i = sm4_all_tier_count - 1; i >= 0; i--)
		if (strlen(sm4_tiers[i]->name) == length &&
		    !strncmp(sm4_tiers[i]->name, name, length))
			break;
	return i;
}

/*
 * Convert the parameter "tiers" into a bit for each tier; "all" means all of them. A tier that this
 * kernel or this CPU does not have is left out, because the same line in modprobe.d has to work
 * with older kernels, which have fewer tiers.
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
		else if (i >= 0 && sm4_ready_tiers & 1UL << i)
			*selected |= 1UL << i;
		else
			pr_warn("tier \"%.*s\" is left out: %s\n",
				(int)length, name,
				i < 0 ? "unknown" : "not for this CPU");
	}
	if (!tiers || *selected)
		return 0;
	pr_err("none of the tiers \"%s\" is there; the known ones are \"all\" and:\n",
	       tiers);
	for (i = 0; i < sm4_all_tier_count; i++)
		pr_err("  %s%s\n", sm4_tiers[i]->name,
		       sm4_ready_tiers & 1UL << i ? "" : " (not for this CPU)");
	return -EINVAL;
}

static const struct sm4_mode *const sm4_modes[] = {
	sm4_cipher_modes, sm4_skcipher_modes, sm4_aead_modes, sm4_authenc_modes,
	sm4_batch_modes, sm4_mac_modes, sm3_modes,
};

/*
 * Whether the kernel has requested the module, by request_module(), and not an administrator:
 * modprobe is then a child of a kernel thread. If the module is built in, the kernel's first
 * process calls it, which is such a child as well.
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
 * Whether the reason is logged if nothing is registered. With AF_ALG, any user can make the kernel
 * request the module, again and again if loading fails, and must not be able to fill the log. While
 * the kernel boots, there are no users.
 */
static bool __init sm4_may_log_failure(void)
{
	return system_state < SYSTEM_RUNNING || !sm4_requested_by_kernel();
}

/* Test either the portable tiers, without which loading fails, or all others. */
static int __init sm4_check_tiers(bool portable)
{
	int i, err = 0;

	for (i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];
		const char *wrong = NULL;

		if (sm4_ready_tiers & 1UL << i && !tier->features[0] == portable)
			wrong = sm4_selftest_tier(tier);
		if (!wrong)
			continue;
		sm4_ready_tiers &= ~(1UL << i);
		if (!portable || sm4_may_log_failure())
			pr_err("%s gives wrong answers (%s) and is left out\n",
			       tier->name, wrong);
		err = -EIO;
	}
	return err;
}

/* Returns the tier with the highest priority below @limit of those @among the bits, or NULL. */
static const struct sm4_tier *__init
sm4_tier_below(int limit, unsigned long among)
{
	const struct sm4_tier *fastest = NULL;
	int i;

	for (i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (among & 1UL << i && sm4_tier_priority(tier) < limit &&
		    (!fastest ||
		     sm4_tier_priority(tier) > sm4_tier_priority(fastest)))
			fastest = tier;
	}
	return fastest;
}

/*
 * Register the @selected tiers of @all, the tiers of SM4 or of SM3, from the fastest to the
 * portable one, which has the lowest priority. If none is selected, register each mode on the
 * fastest tier that has it and on the portable one. So users of SM4 that need SM3, such as xfrm,
 * find both even if "tiers" names only tiers of SM4.
 */
static int __init sm4_register_tiers(unsigned long selected, unsigned long all,
				     bool beside_gmi)
{
	const bool usual = !(selected & all);
	const unsigned long ready = sm4_ready_tiers & all;
	const struct sm4_tier *tier;
	int i, err = 0, limit = INT_MAX;

	while ((tier = sm4_tier_below(limit, usual ? ready : ready & selected))) {
		for (i = 0; i < ARRAY_SIZE(sm4_modes); i++)
			err = sm4_register_modes(sm4_modes[i], tier,
						 usual && tier->features[0],
						 beside_gmi) ?: err;
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
	const unsigned long of_sm4 = (1UL << sm4_tier_count) - 1;
	unsigned long selected;
	bool beside_gmi;
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
	/* With a wrong list, the kernel's requests still succeed, so that they log only once. */
	err = sm4_select_tiers(&selected);
	if (err) {
		if (!sm4_requested_by_kernel())
			return err;
		pr_err("the default tiers are registered instead\n");
	}
	/* If the user names tiers, they have precedence over GMI. */
	beside_gmi = !selected && sm4_has_gmi_driver();
	/* Test also tiers that are not selected: authenc hashes with SM3's fastest tier. */
	err = sm4_check_tiers(false);
	sm4_prepare_batches(beside_gmi);
	err = sm4_register_tiers(selected, of_sm4, beside_gmi) ?: err;
	sm4_report_batches();
	err = sm4_register_tiers(selected, ~of_sm4, beside_gmi) ?: err;
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
MODULE_LICENSE("GPL");
MODULE_VERSION("0.4");
/* Zhaoxin's GMI, by its present and its earlier name; modprobe ignores what is not there. */
MODULE_SOFTDEP("pre: sm4-zhaoxin-gmi zhaoxin-gmi-sm4");
/* Checksum of the sources, from Kbuild: a patch need not change the version. */
MODULE_INFO(sources, SM4_SOURCES);
