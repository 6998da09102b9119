// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of FPU sections: the maximum work in one, that no work is outside of one, and
 * the counter of cases where there cannot be one. sections.c checks them in all other tests.
 */
#include <errno.h>
#include "drivers.h"
#include "requests.h"
#include "stand-in.h"
#include "sm3/sm3-message.h"
#include "sm4-fast-modes.h"

/* Number of calls of a tier's functions since the start of the last decryption without a tag */
static unsigned int calls;

/*
 * No section may have more than SM4_SECTION_SIZE bytes, SM4_CHAIN_SECTION_SIZE for a
 * serial chain and SM3_SECTION_SIZE for SM3, and none may be outside of a section.
 */
static void spy(const struct tier_call *call)
{
	static size_t crypt_bytes_of_section, mac_bytes_of_section;
	static unsigned long section;

	calls++;
	if (!shim_in_fpu_section())
		fail_case("a tier called outside of an FPU section");
	if (section != shim_fpu_sections()) {
		section = shim_fpu_sections();
		crypt_bytes_of_section = 0;
		mac_bytes_of_section = 0;
	}
	crypt_bytes_of_section += call->crypt_bytes;
	mac_bytes_of_section += call->mac_bytes;
	if (max(crypt_bytes_of_section, mac_bytes_of_section) >
	    (call->is_chain ? SM4_CHAIN_SECTION_SIZE :
	     call->member == SM3_BLOCKS ? SM3_SECTION_SIZE : SM4_SECTION_SIZE))
		fail_case("%zu bytes, and %zu of a MAC, in one FPU section",
			  crypt_bytes_of_section, mac_bytes_of_section);
}

/* A tier with all functions of the C tier, which it calls; and the same for SM3 */
static struct sm4_tier spy_tier;
static struct sm3_tier sm3_spy_tier;

static void make_spy_tiers(void)
{
	spy_tier = sm4_ttable;
	stand_in_for(&spy_tier);
	spy_tier.base.name = "spy";
	spy_tier.base.features[0] = X86_FEATURE_AVX;
	sm3_spy_tier = sm3_generic;
	sm3_stand_in_for(&sm3_spy_tier);
	sm3_spy_tier.base.name = "sm3-spy";
	sm3_spy_tier.base.features[0] = X86_FEATURE_AVX;
	stand_in.before = spy;
}

#define LONG_BYTES	50000

/* A walk splits the text at the end of a page, inside its first block. */
static u8 pages[PAGE_SIZE + LONG_BYTES + TAG_MAX] __aligned(PAGE_SIZE), long_aad[LONG_BYTES];
static u8 *const long_text = pages + PAGE_SIZE - BLOCK / 2;

static void crypt_skcipher(struct crypto_skcipher *tfm, u8 *iv, size_t bytes)
{
	struct skcipher_request request = { 0 };
	struct scatterlist sg;

	sg_init_one(&sg, long_text, bytes);
	skcipher_request_set_tfm(&request, tfm);
	skcipher_request_set_crypt(&request, &sg, &sg, bytes, iv);
	check_equal(crypto_skcipher_encrypt(&request), 0);
	calls = 0;
	check_equal(crypto_skcipher_decrypt(&request), 0);
}

/* Encrypt and decrypt a message whose AAD is separate, in two pieces. */
static void crypt_aead(struct crypto_aead *tfm, u8 *iv, unsigned int aad_bytes, size_t bytes)
{
	const unsigned int tag_bytes = crypto_aead_authsize(tfm);
	struct aead_request request = { 0 };
	struct scatterlist sg[3];

	iv[0] = 3;
	sg_init_table(sg, 3);
	sg_set_buf(&sg[0], long_aad, 8);
	sg_set_buf(&sg[1], long_aad + 8, aad_bytes - 8);
	sg_set_buf(&sg[2], long_text, bytes + tag_bytes);
	aead_request_set_tfm(&request, tfm);
	aead_request_set_ad(&request, aad_bytes);
	aead_request_set_crypt(&request, sg, sg, bytes, iv);
	check_equal(crypto_aead_encrypt(&request), 0);
	aead_request_set_crypt(&request, sg, sg, bytes + tag_bytes, iv);
	check_equal(crypto_aead_decrypt(&request), 0);
}

static void digest(struct crypto_shash *tfm, size_t bytes)
{
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 result[HASH_MAX_DIGESTSIZE];

	check_equal(crypto_shash_digest(desc, long_text, bytes, result), 0);
	free(desc);
}

/* Number of sections for a text in both directions, or for a message. ESP's AAD is short. */
static unsigned long sections_of(const struct crypto_alg *alg, unsigned int aad_bytes,
				 size_t bytes)
{
	void *tfm = shim_allocate_transform(alg->cra_driver_name);
	const struct mode *mode = find_mode(alg->cra_name);
	struct aead_message message;
	unsigned long before;

	random_key(mode, &message, SM3_BLOCK_SIZE);
	if (has_key(mode))
		check_equal(set_key(mode, tfm, message.key, message.key_bytes), 0);
	before = shim_fpu_sections();
	if (mode->kind == SKCIPHER)
		crypt_skcipher(tfm, message.iv, bytes);
	else if (mode->kind == AEAD)
		crypt_aead(tfm, message.iv, mode->is_ipsec ? min(aad_bytes, 20U) : aad_bytes,
			   bytes);
	else
		digest(tfm, bytes);
	shim_free_transform(tfm);
	return shim_fpu_sections() - before;
}

/* Sections have full length as long as there is enough text; a short message has one. */
static void check_macs(const struct crypto_alg *alg)
{
	for (size_t bytes = 1; bytes <= LONG_BYTES; bytes += bytes < 200 ? 1 : bytes / 7) {
		describe("%s of %zu bytes", alg->cra_name, bytes);
		/* SM3 pads with 10...0 and the length. */
		check_equal(sections_of(alg, 0, bytes), is_hash(alg->cra_name) ?
			    DIV_ROUND_UP(round_up(bytes + 9, SM3_BLOCK_SIZE), SM3_SECTION_SIZE) :
			    DIV_ROUND_UP(bytes, SM4_CHAIN_SECTION_SIZE));
	}
}

static void test_section_size(const void *argument)
{
	register_tier(&spy_tier);
	check_equal(sm4_register_modes(sm3_modes, NULL, &sm3_spy_tier, false, false), 0);
	for (unsigned int crossing = 0; crossing <= 1; crossing++) {
		shim_set_steps_cross_pages(crossing);
		for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
			const struct crypto_alg *alg = shim_algorithm(i);

			describe("%s", alg->cra_name);
			if (find_mode(alg->cra_name)->kind == MAC)
				check_macs(alg);
			else
				check(sections_of(alg, LONG_BYTES, LONG_BYTES) >
				      LONG_BYTES / SM4_SECTION_SIZE);
		}
	}
	unregister_tiers();
}

/*
 * There is one section for a short message with a tag, and for a text that fits into a
 * section; to decrypt whole blocks, one call in it, after the tweak of XTS.
 */
static void test_one_section(const void *argument)
{
	sm4_detect_tiers();
	check_equal(sm4_register_modes(sm4_skcipher_modes, &spy_tier, NULL, false, false), 0);
	check_equal(sm4_register_modes(sm4_aead_modes, &spy_tier, NULL, false, false), 0);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);
		const struct mode *mode = find_mode(alg->cra_name);
		const bool has_tag = mode->kind == AEAD;

		for (size_t bytes = 1; bytes <= (has_tag ? 200 : SM4_CHAIN_SECTION_SIZE); bytes++) {
			if (!is_legal_text(mode, bytes))
				continue;
			describe("%s of %zu bytes", alg->cra_name, bytes);
			check_equal(sections_of(alg, 20, bytes), 2);
			if (!has_tag && bytes % BLOCK == 0)
				check_equal(calls, mode->key_bytes == 2 * BLOCK ? 2 : 1);
		}
	}
	unregister_tiers();
}

static unsigned long fpu_fallbacks(void)
{
	return strtoul(shim_computed_parameter("fpu_fallbacks"), NULL, 10);
}

static unsigned long fpu_fallbacks_of(const struct sm4_tier *tier)
{
	unsigned long before = fpu_fallbacks();

	sm4_end(sm4_begin(tier));
	return fpu_fallbacks() - before;
}

/* SM3 has no tables: its C code is slower, but also constant time. */
static unsigned long fpu_fallbacks_of_hashing(const struct sm3_tier *tier)
{
	unsigned long before = fpu_fallbacks();
	struct sm3_message message;
	u8 digest[SM3_DIGEST_SIZE];

	sm3_message_begin(&message);
	sm3_message_end(tier, &message, NULL, 0, digest);
	return fpu_fallbacks() - before;
}

static void test_fpu_fallbacks(const void *argument)
{
	check_equal(shim_set_computed_parameter("fpu_fallbacks", "0"), -EINVAL);
	check_equal(fpu_fallbacks(), 0);
	check_equal(fpu_fallbacks_of(&spy_tier), 0);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	shim_set_simd_policy(SIMD_NEVER);
	check_equal(fpu_fallbacks_of(&spy_tier), 1);
	check_equal(fpu_fallbacks_of(&sm4_ttable), 0);
	check_equal(fpu_fallbacks_of_hashing(&sm3_spy_tier), 0);
	shim_set_simd_policy(SIMD_ALWAYS);
	check_equal(fpu_fallbacks_of(&spy_tier), 0);
	shim_set_parameter("fallback_only", "Y");
	check_equal(fpu_fallbacks_of(&spy_tier), 1);
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	make_spy_tiers();
	/* This comes first, when there cannot have been a section. */
	add_case(test_fpu_fallbacks, NULL, "/fpu/parameter fpu_fallbacks");
	add_case(test_section_size, NULL, "/fpu/size of sections");
	add_case(test_one_section, NULL, "/fpu/one section for what fits into one");
	return run_cases();
}
