/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The tests' side of the shim: the state that a test may set, and the results that
 * it may read. The module itself never includes this file.
 */
#ifndef SHIM_CONTROL_H
#define SHIM_CONTROL_H

#include "kernel.h"

/* Unload the module and reset everything that a test has set; called after each test. */
void shim_reset(void);

/* ---- between the files of the shim, not for tests ---- */

/* A test that failed has not freed the transforms that it allocated. */
void shim_forget_users(void);

/* Remove everything that is registered, and reset everything that a test has set. */
void shim_reset_crypto(void);

/* Whether a spin lock is held */
bool shim_holds_locks(void);

/* ---- the CPU and its vector unit ---- */

enum simd_policy {
	SIMD_ALWAYS,
	SIMD_NEVER,
	SIMD_RANDOM,	/* a new choice for each call of crypto_simd_usable() */
	SIMD_POLICIES
};

/* Returns the previous one. */
enum simd_policy shim_set_simd_policy(enum simd_policy policy);

/* Pretend that the CPU has a feature, or lacks it */
void shim_set_feature(unsigned int feature, bool present);
void shim_forget_features(void);

/*
 * Pretend that the kernel has no name for Hygon's instructions, and that the CPU has
 * this vendor and returns this value in Hygon's leaf of CPUID.
 */
void shim_forget_hygon(const char *vendor, u32 leaf);

/* Whether the CPU may have these; a program that emulates them has its own function. */
bool shim_has_hygon_sm4(void);

/*
 * From now on, if the CPU refuses an instruction, continue where the exception table says,
 * unless the instruction is emulated.
 */
void shim_fix_up_refused_instructions(void);

bool shim_in_fpu_section(void);
unsigned long shim_fpu_sections(void);

/* Whether crypto_simd_usable() has returned true, which is random with SIMD_RANDOM */
bool shim_simd_was_usable(void);

/* ---- CPUs and softirqs ---- */

/*
 * Continue on that CPU, in process context or in a softirq. Work other than a test's own
 * that waits for softirqs on a CPU is run by shim_run_softirqs(), or, as in the kernel,
 * where process context enables them again.
 */
void shim_enter(unsigned int cpu, bool softirq);
void shim_run_softirqs(unsigned int cpu);

/* Run the tasklet that has waited longest on a CPU. Returns whether there was one. */
bool shim_run_tasklet(unsigned int cpu);

void shim_pass_time(u64 ns);

/* Pretend that the kernel is configured with this option. */
void shim_configure(const char *option);

/* Let an allocation fail, after this number of successful ones. */
void shim_fail_allocation_after(unsigned int successes);

/* ---- walks: up to 6.14 a step ends at a page's end, later it need not ---- */

void shim_set_steps_cross_pages(bool cross);

/* Let steps fail that need memory, to copy a block that is in two pieces. */
void shim_fail_copies(void);

/* ---- the module ---- */

/* insmod, returning what the module's init returned, and rmmod */
int shim_load_module(void);
void shim_unload_module(void);

/* Let what refused requests hold while the module is unloaded be held until it is reset. */
void shim_hold_for_good(void);

/* Set a module parameter as on the command line of insmod, before loading */
void shim_set_parameter(const char *name, const char *value);

/* Set a parameter that the module computes, as modprobe would; returns the error. */
int shim_set_computed_parameter(const char *name, const char *value);

/* The current value of a parameter that the module computes */
const char *shim_computed_parameter(const char *name);

/* All messages since shim_reset(), each with a line feed at its end */
const char *shim_messages(void);

/* Whether modprobe would find the module for this name of an algorithm */
bool shim_has_alias(const char *name);

/* ---- the registered algorithms, in the order of their registration ---- */

#define SHIM_ALGORITHMS_MAX	256

unsigned int shim_algorithm_count(void);
const struct crypto_alg *shim_algorithm(unsigned int i);

/*
 * Returns a transform of the driver's type, as crypto_alloc_skcipher() and the like do,
 * or an error pointer if the driver's init() fails; and the function that frees it.
 */
void *shim_allocate_transform(const char *driver_name);
void shim_free_transform(void *transform);

/* Pretend that a vendor's module has registered a driver of this name. */
void shim_set_vendors_driver(const char *driver_name);

/*
 * Let a registration fail, after this number of successful ones, or all of them, with -ENOMEM
 */
void shim_fail_registration_after(unsigned int successes);
void shim_fail_all_registrations(void);

#endif
