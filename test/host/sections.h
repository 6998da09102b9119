/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watches the FPU sections of the programs that the Makefile says: each ends
 * their test case as failed that is longer than sm4-fast.h allows.
 */
#ifndef TEST_HOST_SECTIONS_H
#define TEST_HOST_SECTIONS_H

/* How many functions of tiers the module has called, in sections or not */
unsigned long tier_calls(void);

#endif
