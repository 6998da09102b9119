// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Whether the vector unit is usable (simd.h). */
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <crypto/internal/simd.h>
#include "simd.h"

#if IS_ENABLED(CONFIG_CRYPTO_MANAGER_EXTRA_TESTS) || IS_ENABLED(CONFIG_CRYPTO_SELFTESTS_FULL)
#define HAS_SIMD_SWITCH	true
#else
#define HAS_SIMD_SWITCH	false
static DEFINE_PER_CPU(bool, crypto_simd_disabled_for_test);
#endif

void set_simd_usable(bool is_usable)
{
	this_cpu_write(crypto_simd_disabled_for_test, !is_usable);
}

/* The longest time between two decisions: a request of several sections takes about as long. */
#define SWITCH_NANOSECONDS	(IS_ENABLED(CONFIG_KASAN) ? 200000 : 20000)

static DEFINE_PER_CPU(struct hrtimer, simd_switch);
static bool is_switching;

static enum hrtimer_restart switch_simd(struct hrtimer *timer)
{
	set_simd_usable(get_random_u32() & 1);
	hrtimer_forward_now(timer, ns_to_ktime(get_random_u32_below(SWITCH_NANOSECONDS) + 1000));
	return HRTIMER_RESTART;
}

static void start_switch(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&simd_switch);

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = switch_simd;
#else
	hrtimer_setup(timer, switch_simd, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
	hrtimer_start(timer, ns_to_ktime(SWITCH_NANOSECONDS), HRTIMER_MODE_REL_PINNED_HARD);
}

void start_switching_simd(struct kunit *test)
{
	if (!HAS_SIMD_SWITCH)
		kunit_skip(test, "needs CONFIG_CRYPTO_SELFTESTS_FULL or _MANAGER_EXTRA_TESTS");
	on_each_cpu(start_switch, NULL, true);
	is_switching = true;
}

void stop_switching_simd(void)
{
	int cpu;

	if (!is_switching)
		return;
	is_switching = false;
	for_each_online_cpu(cpu) {
		hrtimer_cancel(per_cpu_ptr(&simd_switch, cpu));
		per_cpu(crypto_simd_disabled_for_test, cpu) = false;
	}
}
