// SPDX-License-Identifier: GPL-2.0
/*
 * Watches the FPU sections of the programs that the Makefile names: the linker lets
 * them call these functions in place of sm4_begin() and sm4_end(), and they get a
 * stand-in for the tier, which counts the bytes that it processes. A section that is
 * longer than sm4-fast.h allows ends the test case as failed.
 */
#include "case.h"
#include "stand-in.h"
#include "sm4-fast-core.h"

/* In addition to its bytes, a request may have a tweak, and a block that is processed twice. */
#define MORE_BYTES	(2 * SM4_BLOCK_SIZE)

/* Lanes may have more bytes, each of which takes at most a fifth of the time in a chain. */
#define LANE_BYTES	16384

static __thread struct {
	const struct sm4_tier *tier;
	struct sm4_tier counting;
	size_t bytes, chain_bytes, lane_bytes, sm3_bytes;
} section;

/* The linker's names of the original functions, and of their replacements */
typeof(sm4_begin) __real_sm4_begin, __wrap_sm4_begin;
typeof(sm4_end) __real_sm4_end, __wrap_sm4_end;

static void before(const struct tier_call *call)
{
	const size_t bytes = max(call->crypt_bytes, call->mac_bytes);

	if (call->function == SM3_BLOCKS) {
		section.sm3_bytes += bytes;
	} else if (call->function != GHASH && call->function != GHASH_SET_KEY) {
		if (call->lanes)
			section.lane_bytes += bytes * call->lanes;
		else
			section.bytes += bytes;
		if (call->is_chain)
			section.chain_bytes += bytes;
	}
}

const struct sm4_tier *__wrap_sm4_begin(const struct sm4_tier *tier)
{
	section.tier = __real_sm4_begin(tier);
	section.counting = *section.tier;
	stand_in_for(&section.counting);
	stand_in.before = before;
	section.lane_bytes = 0;
	section.bytes = 0;
	section.chain_bytes = 0;
	section.sm3_bytes = 0;
	return &section.counting;
}

/* The C tier is not limited, because it does not need a section. */
void __wrap_sm4_end(const struct sm4_tier *working)
{
	check(working == &section.counting);
	__real_sm4_end(section.tier);
	if (section.tier == &sm4_ttable)
		return;
	if (section.chain_bytes > SM4_CHAIN_SECTION_SIZE)
		fail_case("an FPU section with a chain of %zu bytes",
			  section.chain_bytes);
	if (section.lane_bytes > LANE_BYTES)
		fail_case("an FPU section with lanes of %zu bytes",
			  section.lane_bytes);
	if (section.sm3_bytes > SM3_SECTION_SIZE)
		fail_case("an FPU section with SM3 of %zu bytes", section.sm3_bytes);
	if (section.bytes > SM4_SECTION_SIZE + MORE_BYTES)
		fail_case("an FPU section of %zu bytes", section.bytes);
}
