/* SPDX-License-Identifier: GPL-2.0 */
/* Where leftovers.c and watched-call.S have what, in a struct watched_call. */
#ifndef TEST_HOST_WATCHED_CALL_H
#define TEST_HOST_WATCHED_CALL_H

#define WATCHED_FUNCTION	48
#define WATCHED_HAS_AVX512	56
#define WATCHED_GENERAL		64
#define WATCHED_MASKS		(WATCHED_GENERAL + 9 * 8)
#define WATCHED_VECTORS		(WATCHED_MASKS + 8 * 8)
#define WATCHED_STACK		(WATCHED_VECTORS + 32 * 64)
#define WATCHED_STACK_BYTES	12288

#ifndef __ASSEMBLER__
struct watched_call;

void watched_call(struct watched_call *call);
#endif

#endif
