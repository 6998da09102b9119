// SPDX-License-Identifier: GPL-2.0
/*
 * Watches the FPU sections (sections.h): the linker lets the modes call what is
 * here in place of sm4_begin() and sm4_end(), and they get a tier whose functions
 * count the bytes that they are given before they pass them on.
 */
#include "case.h"
#include "sections.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"

/* Beside its bytes, a request may have a tweak, and a block that is done twice. */
#define MORE_BYTES	(2 * SM4_BLOCK_SIZE)

/* Lanes have some more, each byte of which takes a fifth of a chain's or less. */
#define LANE_BYTES	16384

static __thread struct {
	const struct sm4_tier *tier;
	struct sm4_tier counting;
	size_t bytes, chain_bytes, lane_bytes;
	unsigned long calls;
} section;

/* What the linker calls the functions themselves, and what it puts in their place */
typeof(sm4_begin) __real_sm4_begin, __wrap_sm4_begin;
typeof(sm4_end) __real_sm4_end, __wrap_sm4_end;

static void count(size_t bytes, bool chain)
{
	section.calls++;
	section.bytes += bytes;
	if (chain)
		section.chain_bytes += bytes;
}

static void count_crypt(enum sm4_operation operation,
			const struct sm4_round_keys *keys, u8 *dst,
			const u8 *src, u8 *iv, size_t bytes)
{
	count(bytes, operation == SM4_CBC_ENCRYPT);
	section.tier->crypt[operation](keys, dst, src, iv, bytes);
}

#define DEFINE_COUNTING(name, operation)				\
static void name(const struct sm4_round_keys *keys, u8 *dst,		\
		 const u8 *src, u8 *iv, size_t bytes)			\
{									\
	count_crypt(operation, keys, dst, src, iv, bytes);		\
}

DEFINE_COUNTING(ecb, SM4_ECB)
DEFINE_COUNTING(cbc_encrypt, SM4_CBC_ENCRYPT)
DEFINE_COUNTING(cbc_decrypt, SM4_CBC_DECRYPT)
DEFINE_COUNTING(ctr, SM4_CTR)
DEFINE_COUNTING(xts, SM4_XTS)
DEFINE_COUNTING(xts_gb, SM4_XTS_GB)

static sm4_crypt_function *const counting[SM4_OPERATIONS] = {
	[SM4_ECB] = ecb,
	[SM4_CBC_ENCRYPT] = cbc_encrypt,
	[SM4_CBC_DECRYPT] = cbc_decrypt,
	[SM4_CTR] = ctr,
	[SM4_XTS] = xts,
	[SM4_XTS_GB] = xts_gb,
};

static void cbc_mac(const struct sm4_round_keys *keys, u8 *mac, const u8 *src,
		    size_t blocks)
{
	count(blocks * SM4_BLOCK_SIZE, true);
	section.tier->cbc_mac(keys, mac, src, blocks);
}

static void cbc_encrypt_sm3(const struct sm4_round_keys *keys, u8 *dst,
			    const u8 *src, u8 *iv, size_t passes,
			    struct sm4_hashing *hashing)
{
	count(passes * SM4_PASS_SIZE, true);
	section.tier->cbc_encrypt_sm3(keys, dst, src, iv, passes, hashing);
}

static void ccm_crypt(const struct sm4_round_keys *keys, u8 *dst, const u8 *src,
		      struct sm4_ccm_state *state, size_t blocks, bool decrypts)
{
	count(blocks * SM4_BLOCK_SIZE, true);
	section.tier->ccm_crypt(keys, dst, src, state, blocks, decrypts);
}

static void cbc_encrypt_lanes(struct sm4_lanes *lanes, size_t blocks)
{
	count(0, false);
	section.lane_bytes += blocks * SM4_LANES * SM4_BLOCK_SIZE;
	section.tier->cbc_encrypt_lanes(lanes, blocks);
}

static void sm3_lanes(struct sm3_lanes *lanes, size_t blocks)
{
	count(0, false);
	section.lane_bytes += blocks * section.tier->sm3_lane_count *
			      SM3_BLOCK_SIZE;
	section.tier->sm3_lanes(lanes, blocks);
}

const struct sm4_tier *__wrap_sm4_begin(const struct sm4_tier *tier)
{
	int i;

	section.tier = __real_sm4_begin(tier);
	section.counting = *section.tier;
	for (i = 0; i < SM4_OPERATIONS; i++)
		if (section.tier->crypt[i])
			section.counting.crypt[i] = counting[i];
	if (section.tier->cbc_mac)
		section.counting.cbc_mac = cbc_mac;
	if (section.tier->cbc_encrypt_sm3)
		section.counting.cbc_encrypt_sm3 = cbc_encrypt_sm3;
	if (section.tier->ccm_crypt)
		section.counting.ccm_crypt = ccm_crypt;
	if (section.tier->cbc_encrypt_lanes)
		section.counting.cbc_encrypt_lanes = cbc_encrypt_lanes;
	if (section.tier->sm3_lanes)
		section.counting.sm3_lanes = sm3_lanes;
	section.lane_bytes = 0;
	section.bytes = 0;
	section.chain_bytes = 0;
	return &section.counting;
}

/* The C tier may take its time: where it works, there is no section. */
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
	if (section.bytes > SM4_SECTION_SIZE + MORE_BYTES)
		fail_case("an FPU section of %zu bytes", section.bytes);
}

unsigned long tier_calls(void)
{
	return section.calls;
}
