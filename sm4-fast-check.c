// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of every tier before it is registered. The kernel has no tests of rfc4106, rfc4309 and
 * gbt17964, and may be built without the others. The C tier must give the standards' examples
 * of a block and of GHASH. Every function of another tier must give the C tier's result for a
 * message of 7739 bytes; if a function of the C tier is wrong, the log names all others. The
 * code of the modes is the same for all tiers and is not tested here. Nothing in here may be
 * used once the module is loaded.
 */
#include <linux/init.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"
#include "generated/sm3-constants.h"

/* What is tested besides the operations of enum sm4_operation */
enum {
	SM4_CBC_MAC = SM4_OPERATIONS,
	SM4_CCM_ENCRYPT,
	SM4_CCM_DECRYPT,
	SM4_GHASH,
	SM4_GCM_ENCRYPT,
	SM4_GCM_DECRYPT,
	SM4_FUNCTIONS
};

static const char *const sm4_function_names[] = {
	[SM4_ECB] = "ecb",
	[SM4_CBC_ENCRYPT] = "cbc encryption",
	[SM4_CBC_DECRYPT] = "cbc decryption",
	[SM4_CTR] = "ctr",
	[SM4_XTS] = "xts",
	[SM4_XTS_GB] = "gbt17964 xts",
	[SM4_CBC_MAC] = "cbc-mac",
	[SM4_CCM_ENCRYPT] = "ccm encryption",
	[SM4_CCM_DECRYPT] = "ccm decryption",
	[SM4_GHASH] = "ghash",
	[SM4_GCM_ENCRYPT] = "gcm encryption",
	[SM4_GCM_DECRYPT] = "gcm decryption",
};

static_assert(ARRAY_SIZE(sm4_function_names) == SM4_FUNCTIONS);

/* The example of GB/T 32907-2016, appendix A.1: the key is the plaintext, too. */
static const u8 sm4_known_key[SM4_KEY_SIZE] __initconst = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};

static const u8 sm4_known_ciphertext[SM4_BLOCK_SIZE] __initconst = {
	0x68, 0x1e, 0xdf, 0x34, 0xd2, 0x06, 0x96, 0x5e,
	0x86, 0xb3, 0xe9, 0x4f, 0x53, 0x6e, 0x42, 0x46,
};

/* Test case 2 of GCM's specification: hash key, text with its length, and their GHASH */
static const u8 ghash_known_key[GHASH_BLOCK_SIZE] __initconst = {
	0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
	0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e,
};

static const u8 ghash_known_text[2 * GHASH_BLOCK_SIZE] __initconst = {
	0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92,
	0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
	[31] = 0x80,
};

static const u8 ghash_known_hash[GHASH_BLOCK_SIZE] __initconst = {
	0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc,
	0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85,
};

/* The example of GB/T 32905-2016, appendix A.1: "abc" with padding, and the digest's words */
static const u8 sm3_known_text[SM3_BLOCK_SIZE] __initconst = {
	'a', 'b', 'c', 0x80, [63] = 24,
};

static const u32 sm3_known_state[SM3_WORDS] __initconst = {
	0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2,
	0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0,
};

/* The first value of all states. As a counter, all its bytes wrap after 200 blocks. */
static const u8 sm4_known_iv[SM4_BLOCK_SIZE] __initconst = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x38,
};

/*
 * The message is processed in pieces. Their sizes reach every number of groups, of words and
 * for bulk, that a tier has rounds for (asm/vectors.h), and several batches in one call:
 *
 *	1024	a batch of pairs of 32-byte vectors, or of words of 64-byte ones,
 *		which leaves no place for the mask of GCM: there, bytes and words
 *	16	a block
 *	256	two groups of words of 32-byte vectors, one of 64-byte ones
 *	96	one group
 *	416	a batch of words and some more, or two groups of pairs
 *	352	three groups of words
 *	768	three groups of pairs of 32-byte vectors, of words of 64-byte ones
 *	3584	a batch of bytes of 64-byte vectors and three quarters of one, or three
 *		batches of 32-byte ones and two groups; a counter wraps in the first batch
 *	1227	a little more than a batch of 32-byte vectors; in CTR with 64-byte
 *		ones, bytes and words, which are not whole; a partial block
 *
 * A serial chain processes the first three.
 */
static const u16 sm4_pieces[] __initconst = {
	1024, 16, 256, 96, 416, 352, 768, 3584, 1227,
};

#define SM4_PIECES_OF_CHAIN	3

#define SM4_TEXT_SIZE		8192

/* Too much for the stack */
static struct {
	struct sm4_gcm_key key, c_key;	/* of the tier, of the C tier */
	struct sm4_ccm_state ccm;
	struct sm4_gcm_state state;	/* modes other than GCM use its hash only */
	u8 iv[SM4_LANES][SM4_BLOCK_SIZE];
	u8 text[SM4_TEXT_SIZE];
	u8 output[SM4_TEXT_SIZE];
	u8 expected[SM4_TEXT_SIZE];
} sm4_check __initdata;

/*
 * In process context the vector unit can be used. sm4_begin() might return the C tier all the
 * same, which would then be tested instead. sm4_end() ends the section.
 */
static void __init sm4_check_begin(const struct sm4_tier *tier)
{
	if (tier->features[0])
		kernel_fpu_begin();
}

static void __init sm4_check_make_text(void)
{
	int i;

	for (i = 0; i < sizeof(sm4_check.text); i++)
		sm4_check.text[i] = i + (i >> 8);
}

static bool __init sm4_tier_offers(const struct sm4_tier *tier, int function)
{
	switch (function) {
	case SM4_CBC_MAC:
		return tier->cbc_mac;
	case SM4_CCM_ENCRYPT:
	case SM4_CCM_DECRYPT:
		return tier->ccm_crypt;
	case SM4_GHASH:
	case SM4_GCM_ENCRYPT:
	case SM4_GCM_DECRYPT:
		return sm4_tier_has_gcm(tier);
	default:
		return tier->crypt[function];
	}
}

static void __init sm4_call(const struct sm4_tier *tier, int function,
			    u8 *dst, const u8 *src, size_t bytes,
			    unsigned int part)
{
	const struct sm4_gcm_key *key =
		tier == &sm4_ttable ? &sm4_check.c_key : &sm4_check.key;
	struct sm4_gcm_state *state = &sm4_check.state;

	switch (function) {
	case SM4_CBC_MAC:
		tier->cbc_mac(&key->cipher.enc, state->hash, src,
			      bytes / SM4_BLOCK_SIZE);
		break;
	case SM4_CCM_ENCRYPT:
	case SM4_CCM_DECRYPT:
		tier->ccm_crypt(&key->cipher.enc, dst, src, &sm4_check.ccm,
				bytes / SM4_BLOCK_SIZE,
				function == SM4_CCM_DECRYPT);
		memcpy(state->hash, sm4_check.ccm.mac, sizeof(state->hash));
		break;
	case SM4_GHASH:
		tier->ghash(&key->hash, state->hash, src,
			    bytes / GHASH_BLOCK_SIZE);
		break;
	case SM4_GCM_ENCRYPT:
	case SM4_GCM_DECRYPT:
		if (function == SM4_GCM_DECRYPT)
			part |= SM4_GCM_DECRYPTS;
		sm4_tier_gcm(tier, key, dst, src, state, bytes, part);
		break;
	case SM4_CBC_DECRYPT:
		sm4_tier_crypt(tier, function, &key->cipher.dec, dst, src,
			       state->hash, bytes);
		break;
	default:
		sm4_tier_crypt(tier, function, &key->cipher.enc, dst, src,
			       function == SM4_ECB ? NULL : state->hash,
			       bytes);
	}
}

/* Process the message with a function, to @output and sm4_check.state. */
static void __init sm4_give_message(const struct sm4_tier *tier, int function,
				    u8 output[SM4_TEXT_SIZE])
{
	struct sm4_gcm_state *state = &sm4_check.state;
	size_t done = 0, bytes, i, last = ARRAY_SIZE(sm4_pieces) - 1;
	bool stream = function == SM4_CTR || function == SM4_GCM_ENCRYPT ||
		      function == SM4_GCM_DECRYPT;

	if (function == SM4_CBC_ENCRYPT || function == SM4_CBC_MAC ||
	    function == SM4_CCM_ENCRYPT || function == SM4_CCM_DECRYPT)
		last = SM4_PIECES_OF_CHAIN - 1;
	memset(output, 0, SM4_TEXT_SIZE);
	memcpy(state->hash, sm4_known_iv, sizeof(state->hash));
	memcpy(state->counter, sm4_known_iv, sizeof(state->counter));
	memcpy(state->lengths, sm4_known_iv, sizeof(state->lengths));
	memcpy(sm4_check.ccm.mac, sm4_known_iv, SM4_BLOCK_SIZE);
	memcpy(sm4_check.ccm.counter, sm4_known_iv, SM4_BLOCK_SIZE);
	memcpy(sm4_check.ccm.text, sm4_known_iv, SM4_BLOCK_SIZE);
	for (i = 0; i <= last; i++) {
		bytes = sm4_pieces[i];
		if (!stream)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		sm4_check_begin(tier);
		sm4_call(tier, function, output + done,
			 sm4_check.text + done, bytes,
			 (i == 0 ? SM4_GCM_FIRST : 0) |
			 (i == last ? SM4_GCM_LAST : 0));
		sm4_end(tier);
		done += bytes;
	}
}

static bool __init sm4_answers_rightly(const struct sm4_tier *tier, int function)
{
	u8 expected[SM4_BLOCK_SIZE];

	sm4_give_message(&sm4_ttable, function, sm4_check.expected);
	memcpy(expected, sm4_check.state.hash, sizeof(expected));
	sm4_give_message(tier, function, sm4_check.output);
	return !memcmp(sm4_check.output, sm4_check.expected, SM4_TEXT_SIZE) &&
	       !memcmp(sm4_check.state.hash, expected, sizeof(expected));
}

/*
 * CBC and SM3 at once, compared with the C tiers' one after the other: a pass, then the rest
 * of a section, hashing unaligned bytes
 */
static bool __init sm4_cbc_sm3_is_right(const struct sm4_tier *tier)
{
	static const size_t passes[] __initconst = {
		1, SM4_CHAIN_SECTION_SIZE / SM4_PASS_SIZE - 1,
	};
	u8 *output = sm4_check.output, *expected = sm4_check.expected;
	u8 iv[SM4_BLOCK_SIZE], expected_iv[SM4_BLOCK_SIZE];
	struct sm4_hashing hashing = { .src = sm4_check.text + 3 };
	u32 expected_state[SM3_WORDS] = {};
	size_t done = 0, i;

	memcpy(iv, sm4_known_iv, sizeof(iv));
	memcpy(expected_iv, sm4_known_iv, sizeof(iv));
	for (i = 0; i < ARRAY_SIZE(passes); i++) {
		sm4_check_begin(tier);
		tier->cbc_encrypt_sm3(&sm4_check.key.cipher.enc, output + done,
				      sm4_check.text + done, iv, passes[i],
				      &hashing);
		sm4_end(tier);
		hashing.src += passes[i] * SM4_PASS_SIZE;
		done += passes[i] * SM4_PASS_SIZE;
	}
	sm4_ttable.crypt[SM4_CBC_ENCRYPT](&sm4_check.key.cipher.enc, expected,
					  sm4_check.text, expected_iv, done);
	sm3_generic_blocks(expected_state, sm4_check.text + 3,
			   done / SM3_BLOCK_SIZE);
	return !memcmp(output, expected, done) &&
	       !memcmp(iv, expected_iv, sizeof(iv)) &&
	       !memcmp(hashing.state, expected_state, sizeof(expected_state));
}

/*
 * CBC in lanes, compared with the C tier's one after the other: each lane has its own text
 * and one of two keys. All blocks, then one more
 */
static bool __init sm4_lanes_are_right(const struct sm4_tier *tier)
{
	const struct sm4_key *key = &sm4_check.key.cipher;
	static struct sm4_lanes lanes __initdata;
	const struct sm4_round_keys *keys;
	unsigned int l, i, call;
	u8 *expected = sm4_check.output;
	size_t blocks;

	for (l = 0; l < SM4_LANES; l++) {
		keys = l % 3 ? &key->enc : &key->dec;
		for (i = 0; i < ARRAY_SIZE(lanes.keys); i++)
			memcpy(lanes.keys[i][l], keys->mapped + 4 * i,
			       SM4_BLOCK_SIZE);
		memcpy(lanes.chain[l], sm4_known_iv, SM4_BLOCK_SIZE);
		memcpy(sm4_check.iv[l], sm4_known_iv, SM4_BLOCK_SIZE);
	}
	for (call = 0; call <= 1; call++) {
		blocks = call ? 1 : SM4_LANE_BLOCKS;
		memcpy(lanes.text, sm4_check.text + call, sizeof(lanes.text) - 1);
		lanes.text[SM4_LANE_BLOCKS - 1][SM4_LANES - 1][SM4_BLOCK_SIZE - 1] = 0;
		memcpy(expected, lanes.text, sizeof(lanes.text));
		sm4_check_begin(tier);
		if (!call)
			tier->set_lane_keys(&lanes);
		tier->cbc_encrypt_lanes(&lanes, blocks);
		sm4_end(tier);
		for (l = 0; l < SM4_LANES; l++) {
			keys = l % 3 ? &key->enc : &key->dec;
			for (i = 0; i < blocks; i++) {
				u8 *block = expected +
					    (i * SM4_LANES + l) * SM4_BLOCK_SIZE;

				sm4_ttable.crypt[SM4_CBC_ENCRYPT](keys, block,
								  block,
								  sm4_check.iv[l],
								  SM4_BLOCK_SIZE);
			}
		}
		if (memcmp(lanes.text, expected, sizeof(lanes.text)) ||
		    memcmp(lanes.chain, sm4_check.iv, sizeof(lanes.chain)))
			return false;
	}
	return true;
}

/* SM3 in lanes likewise, of unaligned bytes: all blocks of a section, then one */
static bool __init sm3_lanes_are_right(const struct sm4_tier *tier)
{
	static const u8 blocks[] __initconst = { SM3_LANE_BLOCKS, 1 };
	static struct sm3_lanes lanes __initdata;
	u32 expected[SM3_WORDS];
	unsigned int l, i;

	for (l = 0; l < tier->sm3_lane_count; l++) {
		for (i = 0; i < SM3_WORDS; i++)
			lanes.state[i][l] = l << 16 | i;
		lanes.src[l] = sm4_check.text + 65 * l;
	}
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		sm4_check_begin(tier);
		tier->sm3_lanes(&lanes, blocks[i]);
		sm4_end(tier);
	}
	for (l = 0; l < tier->sm3_lane_count; l++) {
		for (i = 0; i < SM3_WORDS; i++)
			expected[i] = l << 16 | i;
		sm3_generic_blocks(expected, sm4_check.text + 65 * l,
				   SM3_LANE_BLOCKS + 1);
		for (i = 0; i < SM3_WORDS; i++)
			if (lanes.state[i][l] != expected[i])
				return false;
	}
	return true;
}

/* The standard's example, then other blocks, compared with the C code, which was tested first */
static bool __init sm3_answers_rightly(const struct sm4_tier *tier)
{
	static const u8 pieces[] __initconst = { 1, 2, 60 };
	u32 state[SM3_WORDS] = SM3_IV, expected[SM3_WORDS];
	const u8 *src = sm4_check.text;
	int i;

	sm4_check_begin(tier);
	tier->sm3_blocks(state, sm3_known_text, 1);
	sm4_end(tier);
	if (memcmp(state, sm3_known_state, sizeof(state)))
		return false;
	memcpy(expected, state, sizeof(state));
	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		sm4_check_begin(tier);
		tier->sm3_blocks(state, src, pieces[i]);
		sm4_end(tier);
		sm3_generic_blocks(expected, src, pieces[i]);
		src += pieces[i] * SM3_BLOCK_SIZE;
	}
	return !memcmp(state, expected, sizeof(state));
}

/* Returns a function of the C tier that does not give the standards' example, or NULL. */
static const char *__init sm4_wrong_example(void)
{
	struct sm4_gcm_key *key = &sm4_check.c_key;
	u8 block[SM4_BLOCK_SIZE], hash[GHASH_BLOCK_SIZE] = {};

	sm4_set_key(&sm4_ttable, &key->cipher, sm4_known_key);
	sm4_ttable.crypt[SM4_ECB](&key->cipher.enc, block, sm4_known_key, NULL,
				  sizeof(block));
	if (memcmp(block, sm4_known_ciphertext, sizeof(block)))
		return sm4_function_names[SM4_ECB];
	sm4_ttable.ghash_set_key(&key->hash, ghash_known_key, 1);
	sm4_ttable.ghash(&key->hash, hash, ghash_known_text, 2);
	return memcmp(hash, ghash_known_hash, sizeof(hash)) ?
	       sm4_function_names[SM4_GHASH] : NULL;
}

const char *__init sm4_wrong_function(const struct sm4_tier *tier)
{
	struct sm4_gcm_key *key = &sm4_check.key;
	u32 *plain = key->cipher.enc.plain;
	u8 h[GHASH_BLOCK_SIZE] = {};
	int i;

	sm4_check_make_text();
	if (tier->sm3_blocks && !sm3_answers_rightly(tier))
		return "sm3";
	if (sm4_is_sm3_tier(tier))
		return NULL;
	if (tier == &sm4_ttable)
		return sm4_wrong_example();

	sm4_gcm_set_key(&sm4_ttable, &sm4_check.c_key, sm4_known_key);
	sm4_check_begin(tier);
	tier->key_schedule(plain, sm4_known_key);
	sm4_end(tier);
	if (memcmp(plain, sm4_check.c_key.cipher.enc.plain,
		   sizeof(key->cipher.enc.plain)))
		return "key schedule";

	sm4_set_key(tier, &key->cipher, sm4_known_key);
	if (sm4_tier_has_gcm(tier)) {
		sm4_encrypt_block(&sm4_ttable, &key->cipher.enc, h);
		sm4_check_begin(tier);
		tier->ghash_set_key(&key->hash, h, tier->ghash_powers);
		sm4_end(tier);
	}
	for (i = 0; i < SM4_FUNCTIONS; i++)
		if (sm4_tier_offers(tier, i) && !sm4_answers_rightly(tier, i))
			return sm4_function_names[i];
	if (sm4_tier_has_cbc_sm3(tier) && !sm4_cbc_sm3_is_right(tier))
		return "cbc encryption beside sm3";
	if (tier->cbc_encrypt_lanes && !sm4_lanes_are_right(tier))
		return "cbc encryption in lanes";
	if (tier->sm3_lanes && !sm3_lanes_are_right(tier))
		return "sm3 in lanes";
	return NULL;
}
