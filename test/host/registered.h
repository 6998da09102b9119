/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Drivers that the module registers: those that are there, and those that it is to
 * register for the tiers that this CPU can run and the user asks for.
 */
#ifndef TEST_HOST_REGISTERED_H
#define TEST_HOST_REGISTERED_H

#include "drivers.h"

/* How many drivers there are of a name on a tier, NULL for all, and their highest priority */
struct found {
	unsigned int count;
	int priority;
};

struct found find(const char *tier, const char *name);

/* A tier that gives wrong answers, or NULL */
extern const struct sm4_tier *wrong_tier;

/* The fastest tier that has this mode, or, for NULL, the fastest one */
const struct sm4_tier *fastest_with(const struct mode *mode);

/* Load the module with tiers=@tiers, which works: a test looks around then. */
void load(const char *tiers);
void unload(void);

/* The tiers of SM4 or of SM3 that are asked for, as bits */
#define ALL_TIERS	(~0UL)
#define USUAL_TIERS	0UL

/*
 * Every usable tier that was asked for has one driver of all that it offers, and no other tier has;
 * a cipher of which none was asked for has the portable tier, and the fastest tier for each mode.
 */
void check_registered(unsigned long of_sm4, unsigned long of_sm3);

/* All tiers, and the usual ones, are what they are to be. */
void check_loading(void);

/* Intel's instructions: CPUID.(7,1).EAX, bits 1 and 2 */
#define INTEL_SM3	(12 * 32 + 1)
#define INTEL_SM4	(12 * 32 + 2)

#endif
