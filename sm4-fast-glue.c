// SPDX-License-Identifier: GPL-2.0
/*
 * The front door of sm4-fast: which tiers are registered, and loading and unloading. It
 * calls all other files, and none of them calls it. Nothing here knows a mode.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fips.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "sm4-fast-core.h"

static char *tiers;
module_param(tiers, charp, 0444);
MODULE_PARM_DESC(tiers, "comma-separated list of tiers to register, or all (default: the fastest that the CPU supports, and the portable ones)");

/* The number of the tier that the @length bytes at @name name, or -1 */
static int __init sm4_find_tier(const char *name, size_t length)
{
	int i;

	for (i = sm4_all_tier_count - 1; i >= 0; i--)
		if (strlen(sm4_tiers[i]->name) == length &&
		    !strncmp(sm4_tiers[i]->name, name, length))
			break;
	return i;
}

static void __init sm4_list_known_tiers(void)
{
	int i;

	pr_err("none of the tiers \"%s\" is there; the known ones, beside \"all\", are:\n",
	       tiers);
	for (i = 0; i < sm4_all_tier_count; i++)
		pr_err("  %s%s\n", sm4_tiers[i]->name,
		       sm4_tier_usable(sm4_tiers[i]) ? "" : " (not for this CPU)");
}

/*
 * Read the parameter "tiers" into a bit for each tier in the list; "all" stands for
 * each of them. A name that this kernel or this CPU has no tier of is left out: the same
 * line in modprobe.d serves for the fallback kernel, which may know fewer. A cipher of
 * which no tier is selected gets the usual ones, as xfrm, for one, needs SM3 beside SM4.
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
		else if (i >= 0 && sm4_tier_usable(sm4_tiers[i]))
			*selected |= 1UL << i;
		else
			pr_warn("tier \"%.*s\" is left out: %s\n",
				(int)length, name,
				i < 0 ? "unknown" : "not for this CPU");
	}
	if (tiers && !*selected) {
		sm4_list_known_tiers();
		return -EINVAL;
	}
	return 0;
}

static const struct sm4_mode *const sm4_modes[] = {
	sm4_cipher_modes, sm4_skcipher_modes, sm4_aead_modes, sm4_authenc_modes,
	sm4_batch_modes, sm4_mac_modes, sm3_modes,
};

/* Leave a tier out whose answers are wrong, and say so in the log. */
static int __init sm4_check_tier(unsigned int i)
{
	const struct sm4_tier *tier = sm4_tiers[i];
	const char *wrong = sm4_tier_usable(tier) ? sm4_wrong_function(tier) :
						    NULL;

	sm4_leave_out(i, wrong);
	if (!wrong)
		return 0;
	pr_err("%s gives wrong answers (%s) and is left out\n", tier->name,
	       wrong);
	return -EIO;
}

/* Check the portable tiers, on which all others fall back, or all the others. */
static int __init sm4_check_tiers(bool portable)
{
	int i, err = 0;

	for (i = 0; i < sm4_all_tier_count; i++)
		if (!sm4_tiers[i]->features[0] == portable)
			err = sm4_check_tier(i) ?: err;
	return err;
}

/* Whether no tier of SM4, or of SM3, is among those selected */
static bool __init sm4_none_selected(unsigned long selected, bool sm3)
{
	int i;

	for (i = 0; i < sm4_all_tier_count; i++)
		if (selected & 1UL << i && sm4_is_sm3_tier(sm4_tiers[i]) == sm3)
			return false;
	return true;
}

/*
 * The fastest one of either cipher's tiers, of those to be registered, that are slower
 * than @limit, or NULL
 */
static const struct sm4_tier *__init
sm4_tier_below(int limit, unsigned long selected, bool sm3)
{
	const struct sm4_tier *fastest = NULL;
	int i;

	for (i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (selected & 1UL << i && sm4_is_sm3_tier(tier) == sm3 &&
		    sm4_tier_ready(i) && sm4_tier_priority(tier) < limit &&
		    (!fastest ||
		     sm4_tier_priority(tier) > sm4_tier_priority(fastest)))
			fastest = tier;
	}
	return fastest;
}

/*
 * Register the tiers of SM4, or of SM3, from the fastest to the portable one, which has
 * the lowest priority. If none is selected, each mode gets the fastest that has it, and
 * that one.
 */
static int __init sm4_register_tiers(unsigned long selected, bool sm3,
				     bool beside_gmi)
{
	const bool usual = sm4_none_selected(selected, sm3);
	const struct sm4_tier *tier;
	int i, err = 0, limit = INT_MAX;

	while ((tier = sm4_tier_below(limit, usual ? ~0UL : selected, sm3))) {
		for (i = 0; i < ARRAY_SIZE(sm4_modes); i++)
			err = sm4_register_modes(sm4_modes[i], tier,
						 usual && tier->features[0],
						 beside_gmi) ?: err;
		limit = sm4_tier_priority(tier);
	}
	return err;
}

/*
 * Whether it is the kernel that asks for the module, by request_module(), and not an
 * administrator: modprobe is then a child of one of the kernel's own threads.
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
 * What is registered stays, even if something else cannot be registered: it may be in
 * use already, and unregistering it would wait for that to end, maybe for ever. So
 * loading fails only if there is nothing to unregister.
 */
static int __init sm4_fast_init(void)
{
	unsigned long selected;
	bool beside_gmi;
	int err;

	/*
	 * FIPS 140 approves neither SM4 nor SM3. And in FIPS mode, a kernel that checks
	 * signatures panics when a module without one that it trusts registers an
	 * algorithm: any user could have this one loaded, by AF_ALG. The error is the
	 * one that the crypto API has for algorithms that are not approved. The log
	 * tells an administrator the reason; AF_ALG would have any user fill it.
	 */
	if (fips_enabled) {
		if (!sm4_requested_by_kernel())
			pr_err("not loaded: the kernel is in FIPS mode, which does not approve SM4 and SM3\n");
		return -ECANCELED;
	}
	err = sm4_select_tiers(&selected);
	if (err)
		return err;
	if (sm4_check_tiers(true))
		return -EIO;
	/* Not where the user names tiers: those are to be used. */
	beside_gmi = !tiers && boot_cpu_has(X86_FEATURE_CCS) &&
		     boot_cpu_has(X86_FEATURE_CCS_EN);
	/* Also those that are not registered: authenc hashes by the best of them. */
	err = sm4_check_tiers(false);
	sm4_prepare_batches(beside_gmi);
	err = sm4_register_tiers(selected, false, beside_gmi) ?: err;
	sm4_report_batches();
	err = sm4_register_tiers(selected, true, beside_gmi) ?: err;
	if (sm4_any_registered())
		return 0;
	sm4_free_batches();
	return err;
}

/* Called when there are no references to the module: there is no test to wait for. */
static void __exit sm4_fast_exit(void)
{
	sm4_unregister_all();
	sm4_free_batches();
}

module_init(sm4_fast_init);
module_exit(sm4_fast_exit);

MODULE_DESCRIPTION("SM4 block cipher (GB/T 32907) and its modes, and SM3 hash (GB/T 32905), with the fastest vector instructions of the CPU");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.3");
