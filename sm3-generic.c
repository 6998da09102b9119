// SPDX-License-Identifier: GPL-2.0
/*
 * The portable tier of SM3, in C: the reference, and what does the work where no
 * vector unit can be had. Neither a branch nor an address depends on data.
 */
#include <linux/string.h>
#include "sm3-fast.h"
#include "sm3-constants.h"

/* Words of a block that are expanded: W_0 to W_67 (GB/T 32905, section 5.3.2) */
#define SM3_EXPANDED	68

static __always_inline u32 sm3_rotate(u32 x, unsigned int bits)
{
	return x << bits | x >> (32 - bits);
}

/* P0 and P1, the permutations of section 4.4 */
static __always_inline u32 sm3_p0(u32 x)
{
	return x ^ sm3_rotate(x, 9) ^ sm3_rotate(x, 17);
}

static __always_inline u32 sm3_p1(u32 x)
{
	return x ^ sm3_rotate(x, 15) ^ sm3_rotate(x, 23);
}

static void sm3_expand(u32 w[SM3_EXPANDED], const u8 *src)
{
	int j;

	for (j = 0; j < 16; j++)
		w[j] = get_unaligned_be32(src + 4 * j);
	for (; j < SM3_EXPANDED; j++)
		w[j] = sm3_p1(w[j - 16] ^ w[j - 9] ^ sm3_rotate(w[j - 3], 15)) ^
		       sm3_rotate(w[j - 13], 7) ^ w[j - 6];
}

/*
 * One round (section 5.3.3), without the eight assignments from word to word that
 * end it: whoever calls it names the words as they are then called. The four that
 * change are pointers: *@d becomes A, *@h becomes E. @t is T_j, rotated by j.
 */
static __always_inline void sm3_round(u32 a, u32 *b, u32 c, u32 *d,
				      u32 e, u32 *f, u32 g, u32 *h,
				      u32 t, const u32 *w, bool early)
{
	u32 a12 = sm3_rotate(a, 12);
	u32 ss1 = sm3_rotate(a12 + e + t, 7);
	u32 ff, gg;

	/* The first 16 rounds add bits; then it is majority and choice. */
	if (early) {
		ff = a ^ *b ^ c;
		gg = e ^ *f ^ g;
	} else {
		ff = (a & *b) | ((a | *b) & c);
		gg = ((*f ^ g) & e) ^ g;
	}
	*d += ff + (ss1 ^ a12) + (w[0] ^ w[4]);
	*h = sm3_p0(*h + gg + ss1 + w[0]);
	*b = sm3_rotate(*b, 9);
	*f = sm3_rotate(*f, 19);
}

/* Four rounds, after which all words have their own names again; @t is the first's. */
static __always_inline void sm3_four_rounds(u32 *a, u32 *b, u32 *c, u32 *d,
					    u32 *e, u32 *f, u32 *g, u32 *h,
					    u32 t, const u32 *w, bool early)
{
	sm3_round(*a, b, *c, d, *e, f, *g, h, t, w, early);
	sm3_round(*d, a, *b, c, *h, e, *f, g, sm3_rotate(t, 1), w + 1, early);
	sm3_round(*c, d, *a, b, *g, h, *e, f, sm3_rotate(t, 2), w + 2, early);
	sm3_round(*b, c, *d, a, *f, g, *h, e, sm3_rotate(t, 3), w + 3, early);
}

static void sm3_generic_blocks(u32 state[SM3_WORDS], const u8 *src,
			       size_t blocks)
{
	u32 w[SM3_EXPANDED];
	int j;

	for (; blocks; blocks--, src += SM3_BLOCK_SIZE) {
		u32 a = state[0], b = state[1], c = state[2], d = state[3];
		u32 e = state[4], f = state[5], g = state[6], h = state[7];
		u32 t = SM3_T_EARLY;

		sm3_expand(w, src);
		for (j = 0; j < 16; j += 4, t = sm3_rotate(t, 4))
			sm3_four_rounds(&a, &b, &c, &d, &e, &f, &g, &h,
					t, w + j, true);
		t = sm3_rotate(SM3_T_LATE, 16);
		for (; j < 64; j += 4, t = sm3_rotate(t, 4))
			sm3_four_rounds(&a, &b, &c, &d, &e, &f, &g, &h,
					t, w + j, false);
		state[0] ^= a;
		state[1] ^= b;
		state[2] ^= c;
		state[3] ^= d;
		state[4] ^= e;
		state[5] ^= f;
		state[6] ^= g;
		state[7] ^= h;
	}
	memzero_explicit(w, sizeof(w));
}

/*
 * Above the kernel's C code (100), as it was measured, and below its vector code
 * (300), which in the newest kernels is one driver with the C code.
 */
const struct sm3_tier sm3_generic = {
	.name = "sm3-generic",
	.priority = 150,
	.blocks = sm3_generic_blocks,
};
