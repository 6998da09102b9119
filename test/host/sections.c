// SPDX-License-Identifier: GPL-2.0
/*
 * Watches the FPU sections of the programs that the Makefile names: the linker lets
 * them call these functions in place of those that begin and end one, and they get a
 * stand-in for the tier, which counts the bytes that it processes. A section that is
 * longer than sm4-fast.h allows ends the test case as failed.
 */
#include "case.h"
#include "stand-in.h"

/* In addition to its bytes, a request may have a tweak, and a block that is processed twice. */
#define MORE_BYTES	(2 * SM4_BLOCK_SIZE)

/* Lanes may have more bytes, each of which takes at most a fifth of the time in a chain. */
#define LANE_BYTES	16384

static __thread struct {
	const struct sm4_tier_base *tier, *counting;
	struct sm4_tier sm4_tier;
	struct sm3_tier sm3_tier;
	size_t bytes, chain_bytes, lane_bytes, sm3_bytes;
} section;

/* The linker's names of the original functions, and of their replacements */
typeof(sm4_begin_section) __real_sm4_begin_section, __wrap_sm4_begin_section;
typeof(sm4_end_section) __real_sm4_end_section, __wrap_sm4_end_section;

static void before(const struct tier_call *call)
{
	const size_t bytes = max(call->crypt_bytes, call->mac_bytes);

	if (call->member == SM3_BLOCKS) {
		section.sm3_bytes += bytes;
	} else if (call->member != SM4_MEMBER(ghash) &&
		   call->member != SM4_MEMBER(ghash_set_key)) {
		if (call->lanes)
			section.lane_bytes += bytes * call->lanes;
		else
			section.bytes += bytes;
		if (call->is_chain)
			section.chain_bytes += bytes;
	}
}

const struct sm4_tier_base *
__wrap_sm4_begin_section(const struct sm4_tier_base *tier, const struct sm4_tier_base *portable)
{
	memset(&section, 0, sizeof(section));
	section.tier = __real_sm4_begin_section(tier, portable);
	if (portable == &sm3_generic.base) {
		section.sm3_tier = *to_sm3_tier(section.tier);
		sm3_stand_in_for(&section.sm3_tier);
		section.counting = &section.sm3_tier.base;
	} else {
		section.sm4_tier = *to_sm4_tier(section.tier);
		stand_in_for(&section.sm4_tier);
		section.counting = &section.sm4_tier.base;
	}
	stand_in.before = before;
	return section.counting;
}

/* A portable tier is not limited, because it does not need a section. */
void __wrap_sm4_end_section(const struct sm4_tier_base *working)
{
	check(working == section.counting);
	__real_sm4_end_section(section.tier);
	if (!section.tier->features[0])
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
