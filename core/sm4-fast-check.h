/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The self-tests of the tiers, and the list of functions that they call: sm4-fast-check.c. Nothing
 * here may be used after the module is loaded.
 */
#ifndef SM4_FAST_CHECK_H
#define SM4_FAST_CHECK_H

#include "../sm4-fast.h"

/**
 * sm4_selftest_tier() - test all functions of a tier
 * @tier: the tier, which has to be usable. The portable tiers have to be tested first, because all
 *	others are compared with them.
 * @of_sm3: whether it is a tier of SM3
 *
 * Context: process context
 * Return: the name of a function that gives a wrong result, or NULL
 */
const char *sm4_selftest_tier(const struct sm4_tier_base *tier, bool of_sm3);

/**
 * struct sm4_function - a function of a tier of SM4, as its self-test calls it
 * @name: in the log
 * @member: its place in struct sm4_tier, SM4_MEMBER()
 * @chain: process only the first pieces: for serial chains, which are slow, and for lanes
 * @partial: the function accepts a partial block.
 * @tweak: its IV is a tweak of XTS.
 * @both_ways: its last argument says whether it decrypts. The log then says which way is wrong.
 * @offers: whether @tier, which has the member, has it on this CPU; NULL if on every CPU
 */
struct sm4_function {
	const char *name;
	size_t member;
	bool chain, partial, tweak, both_ways;
	bool (*offers)(const struct sm4_tier *tier);
};

#define SM4_MEMBER(name)	offsetof(struct sm4_tier, name)

/* All functions, in the order of the self-tests; an entry of zeros at the end */
extern const struct sm4_function sm4_functions[];

/**
 * sm4_tier_offers() - whether a tier has a function, and this CPU the features for it
 * @tier: the tier, which has to be usable
 * @function: an entry of sm4_functions
 *
 * Return: whether the function can be called
 */
bool sm4_tier_offers(const struct sm4_tier *tier,
		     const struct sm4_function *function);

#endif
