// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The portable tier of SM3, the reference and fallback of the others. No branch and no address
 * depends on data.
 */
#include <linux/module.h>
#include <linux/string.h>
#include "sm3-fast.h"
#include "../generated/sm3-constants.h"

/* The last 16 expanded words, W_j at index j modulo 16: no round needs more. */
#define SM3_RING	16

struct sm3_working {
	u32 a, b, c, d, e, f, g, h;
};

/* P0 and P1, the permutations of GB/T 32905, section 4.4 */
static __always_inline u32 sm3_p0(u32 x)
{
	return x ^ rol32(x, 9) ^ rol32(x, 17);
}

static __always_inline u32 sm3_p1(u32 x)
{
	return x ^ rol32(x, 15) ^ rol32(x, 23);
}

/* Store W_j in the ring, in the place of W_(j-16): from the block, or expanded (section 5.3.2). */
static __always_inline u32 sm3_next_word(u32 w[SM3_RING], const u8 *src, int j)
{
	u32 *word = &w[j % SM3_RING];

	if (j < SM3_RING)
		*word = get_unaligned_be32(src + 4 * j);
	else
		*word = sm3_p1(*word ^ w[(j - 9) % SM3_RING] ^
			       rol32(w[(j - 3) % SM3_RING], 15)) ^
			rol32(w[(j - 13) % SM3_RING], 7) ^
			w[(j - 6) % SM3_RING];
	return *word;
}

/*
 * Round @j (section 5.3.3), with W_j to W_(j+3) in the ring. @t is the rotated constant of the
 * first of these 16 rounds. The function returns a new state instead of moving words, so that the
 * compiler only renames registers.
 */
static __always_inline struct sm3_working
sm3_round(struct sm3_working old, u32 w[SM3_RING], const u8 *src, int j, u32 t)
{
	u32 word = w[j % SM3_RING];
	u32 word4 = sm3_next_word(w, src, j + 4);
	u32 a12 = rol32(old.a, 12);
	u32 ss1 = rol32(a12 + old.e + rol32(t, j % 16), 7);
	struct sm3_working new;
	u32 ff, gg;

	/* Exclusive or in the first 16 rounds, then majority and choice */
	if (j < 16) {
		ff = old.a ^ old.b ^ old.c;
		gg = old.e ^ old.f ^ old.g;
	} else {
		ff = ((old.a ^ old.c) & (old.b ^ old.c)) ^ old.c;
		gg = ((old.f ^ old.g) & old.e) ^ old.g;
	}
	new.a = (word ^ word4) + old.d + ff + (ss1 ^ a12);
	new.b = old.a;
	new.c = rol32(old.b, 9);
	new.d = old.c;
	new.e = sm3_p0(word + old.h + gg + ss1);
	new.f = old.e;
	new.g = rol32(old.f, 19);
	new.h = old.g;
	return new;
}

/* Four rounds, after which each word is in its own register again */
static __always_inline struct sm3_working
sm3_four_rounds(struct sm3_working s, u32 w[SM3_RING], const u8 *src, int j,
		u32 t)
{
	s = sm3_round(s, w, src, j, t);
	s = sm3_round(s, w, src, j + 1, t);
	s = sm3_round(s, w, src, j + 2, t);
	return sm3_round(s, w, src, j + 3, t);
}

/* As many rounds as the ring has words, so that each word has a fixed place */
static __always_inline struct sm3_working
sm3_sixteen_rounds(struct sm3_working s, u32 w[SM3_RING], const u8 *src, int j,
		   u32 t)
{
	s = sm3_four_rounds(s, w, src, j, t);
	s = sm3_four_rounds(s, w, src, j + 4, t);
	s = sm3_four_rounds(s, w, src, j + 8, t);
	return sm3_four_rounds(s, w, src, j + 12, t);
}

static void sm3_generic_blocks(u32 *state, const u8 *src, size_t nblocks)
{
	u32 w[SM3_RING];
	int j;

	for (; nblocks; nblocks--, src += SM3_BLOCK_SIZE) {
		struct sm3_working s = {
			state[0], state[1], state[2], state[3],
			state[4], state[5], state[6], state[7],
		};
		u32 t = rol32(SM3_T_LATE, 16);

		for (j = 0; j < 4; j++)
			sm3_next_word(w, src, j);
		s = sm3_sixteen_rounds(s, w, src, 0, SM3_T_EARLY);
		/* Indices are modulo 16, so rounds 16 to 63 can use the same code. */
		for (j = 0; j < 3; j++, t = rol32(t, 16))
			s = sm3_sixteen_rounds(s, w, src, 16, t);
		state[0] ^= s.a;
		state[1] ^= s.b;
		state[2] ^= s.c;
		state[3] ^= s.d;
		state[4] ^= s.e;
		state[5] ^= s.f;
		state[6] ^= s.g;
		state[7] ^= s.h;
	}
	memzero_explicit(w, sizeof(w));
}

/*
 * The priority is above the kernel's C code (100), which is slower, and below its vector code
 * (300). In the newest kernels, one driver contains both.
 */
const SM3_TIER(sm3_generic, "sm3-generic", 150, (),
	.blocks = sm3_generic_blocks,
);
