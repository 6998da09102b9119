// SPDX-License-Identifier: GPL-2.0
/*
 * Known answers, which every tier has to give before it is registered: the
 * kernel tests neither rfc4106 nor rfc4309 nor gbt17964, and the others only
 * where it is built to. What is tried is a tier's functions, on a message of 4091
 * bytes; the modes' own code is the same for all tiers. Nothing in here may be
 * used once the module is loaded.
 *
 * The answers come from the definitions of SM4 and of the modes
 * (tools/generate-constants). What a tier computes is compared by its CBC-MAC, from
 * the C tier, which is tried first: were that one wrong, all answers would be.
 */
#include <linux/init.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include "sm4-fast.h"

/* What is tried besides the operations of enum sm4_operation */
enum {
	SM4_CBC_MAC = SM4_OPERATIONS,
	SM4_GHASH,
	SM4_GCM_ENCRYPT,
	SM4_GCM_DECRYPT,
	SM4_FUNCTIONS
};

#include "sm4-answers.h"

static const char *const sm4_function_names[] = {
	[SM4_ECB] = "ecb",
	[SM4_CBC_ENCRYPT] = "cbc encryption",
	[SM4_CBC_DECRYPT] = "cbc decryption",
	[SM4_CTR] = "ctr",
	[SM4_XTS] = "xts",
	[SM4_XTS_GB] = "gbt17964 xts",
	[SM4_CBC_MAC] = "cbc-mac",
	[SM4_GHASH] = "ghash",
	[SM4_GCM_ENCRYPT] = "gcm encryption",
	[SM4_GCM_DECRYPT] = "gcm decryption",
};

static_assert(ARRAY_SIZE(sm4_answers) == SM4_FUNCTIONS);
static_assert(ARRAY_SIZE(sm4_function_names) == SM4_FUNCTIONS);

/* The key of the example in GB/T 32907 */
static const u8 sm4_known_key[SM4_KEY_SIZE] __initconst = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};

/*
 * IV, counter, tweak, hash and GCM's lengths to begin with: after 100 blocks, all
 * bytes of a counter wrap
 */
static const u8 sm4_known_iv[SM4_BLOCK_SIZE] __initconst = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9c,
};

/*
 * The message comes in pieces, each of which goes on where the last one ended: 1
 * KiB, a batch of the widest vectors, which leaves no place for the mask of GCM;
 * a block; two pieces of less than a batch; and more than two batches, with a
 * partial block. A serial chain is given the first three.
 */
static const u16 sm4_pieces[] __initconst = { 1024, 16, 208, 416, 2427 };
#define SM4_PIECES_OF_CHAIN	3

/* Too much for the stack */
static struct {
	struct sm4_key mac_key;
	struct sm4_gcm_key key;
	struct sm4_gcm_state state;	/* of which modes other than GCM use hash */
	u8 text[SM4_SECTION_SIZE];
	u8 output[SM4_SECTION_SIZE];
} sm4_check __initdata;

/*
 * Not by sm4_begin(), which would have the C tier tried instead wherever it saw a
 * reason: in process context the vector unit can be had.
 */
static void __init sm4_check_begin(const struct sm4_tier *tier)
{
	if (tier != &sm4_ttable)
		kernel_fpu_begin();
}

static void __init sm4_check_end(const struct sm4_tier *tier)
{
	if (tier != &sm4_ttable)
		kernel_fpu_end();
}

static bool __init sm4_tier_offers(const struct sm4_tier *tier, int function)
{
	switch (function) {
	case SM4_CBC_MAC:
		return tier->cbc_mac;
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
	const struct sm4_gcm_key *key = &sm4_check.key;
	struct sm4_gcm_state *state = &sm4_check.state;

	switch (function) {
	case SM4_CBC_MAC:
		tier->cbc_mac(&key->cipher.enc, state->hash, src,
			      bytes / SM4_BLOCK_SIZE);
		break;
	case SM4_GHASH:
		tier->ghash(&key->hash, state->hash, src,
			    bytes / GHASH_BLOCK_SIZE);
		break;
	case SM4_GCM_ENCRYPT:
		tier->gcm_encrypt(key, dst, src, state, bytes, part);
		break;
	case SM4_GCM_DECRYPT:
		tier->gcm_decrypt(key, dst, src, state, bytes, part);
		break;
	case SM4_CBC_DECRYPT:
		tier->crypt[function](&key->cipher.dec, dst, src, state->hash,
				      bytes);
		break;
	default:
		tier->crypt[function](&key->cipher.enc, dst, src,
				      function == SM4_ECB ? NULL : state->hash,
				      bytes);
	}
}

/* Give the message to a function: output and state are then what it has made. */
static void __init sm4_give_message(const struct sm4_tier *tier, int function)
{
	struct sm4_gcm_state *state = &sm4_check.state;
	size_t done = 0, bytes, i, last = ARRAY_SIZE(sm4_pieces) - 1;
	bool stream = function == SM4_CTR || function == SM4_GCM_ENCRYPT ||
		      function == SM4_GCM_DECRYPT;

	if (function == SM4_CBC_ENCRYPT || function == SM4_CBC_MAC)
		last = SM4_PIECES_OF_CHAIN - 1;
	memset(sm4_check.output, 0, sizeof(sm4_check.output));
	memcpy(state->hash, sm4_known_iv, sizeof(state->hash));
	memcpy(state->counter, sm4_known_iv, sizeof(state->counter));
	memcpy(state->lengths, sm4_known_iv, sizeof(state->lengths));
	for (i = 0; i <= last; i++) {
		bytes = sm4_pieces[i];
		if (!stream)
			bytes = round_down(bytes, SM4_BLOCK_SIZE);
		sm4_check_begin(tier);
		sm4_call(tier, function, sm4_check.output + done,
			 sm4_check.text + done, bytes,
			 (i == 0 ? SM4_GCM_FIRST : 0) |
			 (i == last ? SM4_GCM_LAST : 0));
		sm4_check_end(tier);
		done += bytes;
	}
}

static bool __init sm4_answers_rightly(const struct sm4_tier *tier, int function)
{
	u8 mac[SM4_BLOCK_SIZE] = {};

	sm4_give_message(tier, function);
	sm4_ttable.cbc_mac(&sm4_check.mac_key.enc, mac, sm4_check.output,
			   sizeof(sm4_check.output) / SM4_BLOCK_SIZE);
	sm4_ttable.cbc_mac(&sm4_check.mac_key.enc, mac, sm4_check.state.hash, 1);
	return !memcmp(mac, sm4_answers[function], sizeof(mac));
}

const char *__init sm4_wrong_function(const struct sm4_tier *tier)
{
	u32 *plain = sm4_check.key.cipher.enc.plain;
	u8 h[GHASH_BLOCK_SIZE] = {};
	int i;

	for (i = 0; i < sizeof(sm4_check.text); i++)
		sm4_check.text[i] = i + (i >> 8);
	sm4_set_key(&sm4_ttable, &sm4_check.mac_key, sm4_known_key);

	sm4_check_begin(tier);
	tier->key_schedule(plain, sm4_known_key);
	sm4_check_end(tier);
	if (memcmp(plain, sm4_check.mac_key.enc.plain,
		   sizeof(sm4_check.mac_key.enc.plain)))
		return "key schedule";

	sm4_set_key(tier, &sm4_check.key.cipher, sm4_known_key);
	if (sm4_tier_has_gcm(tier)) {
		sm4_encrypt_block(&sm4_ttable, &sm4_check.key.cipher.enc, h);
		sm4_check_begin(tier);
		tier->ghash_set_key(&sm4_check.key.hash, h, tier->ghash_powers);
		sm4_check_end(tier);
	}
	for (i = 0; i < SM4_FUNCTIONS; i++)
		if (sm4_tier_offers(tier, i) && !sm4_answers_rightly(tier, i))
			return sm4_function_names[i];
	return NULL;
}
