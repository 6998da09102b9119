// SPDX-License-Identifier: GPL-2.0
/*
 * A library made of tiers. It calls them as sm4-fast-skcipher.c, sm4-fast-aead.c and
 * sm4-fast-authenc.c do, with at most as many bytes at a time as a section may have,
 * but without requests, scatterlists and FPU sections. If a tier cannot interleave
 * encryption and hashing, authenc is CBC followed by a hash, as in the kernel's template.
 *
 * Several messages at once are processed as sm4-fast-lanes.c does it; for authenc, by
 * that file itself, which processes one or two messages one by one.
 */
#include <stdarg.h>
#include <crypto/authenc.h>
#include "case.h"
#include "authenc/sm4-authenc.h"
#include "seam.h"
#include "shim/control.h"

/* A mode, and the operation of a tier for it */
struct seam_mode {
	enum sm4_operation operation;
	bool decrypts;
	void (*crypt)(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		      const u8 *src, size_t bytes);
	void (*crypt_burst)(const u8 *iv, struct packet *packets,
			    size_t bytes, unsigned int count);
};

static const struct sm4_tier *tier;
static const struct sm3_tier *sm3_tier;
static bool at_once;
static const struct seam_mode *mode;
static struct sm4_key data_key, tweak_key;
static struct sm4_gcm_key gcm_key;

/* For several messages at once */
static struct crypto_aead *authenc;

/* For HMAC: SM3's state after the block that is the key combined with each pad */
static u32 mac_inner[SM3_WORDS], mac_outer[SM3_WORDS];

static void crypt_sections(const struct seam_mode *mode, u8 *iv, u8 *dst,
			   const u8 *src, size_t bytes)
{
	const struct sm4_round_keys *keys = mode->decrypts ? &data_key.dec :
							     &data_key.enc;

	while (bytes) {
		size_t n = min_t(size_t, bytes,
				 mode->operation == SM4_CBC_ENCRYPT ?
				 SM4_CHAIN_SECTION_SIZE : SM4_SECTION_SIZE);

		sm4_tier_crypt(tier, mode->operation, keys, dst, src, iv, n);
		src += n;
		dst += n;
		bytes -= n;
	}
}

static void crypt_plainly(const struct seam_mode *mode, const u8 *iv, u8 *dst,
			  const u8 *src, size_t bytes)
{
	u8 next_iv[BLOCK_SIZE];

	memcpy(next_iv, iv, sizeof(next_iv));
	crypt_sections(mode, next_iv, dst, src, bytes);
}

static void crypt_xts(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		      const u8 *src, size_t bytes)
{
	u8 tweak[BLOCK_SIZE];

	memcpy(tweak, iv, sizeof(tweak));
	sm4_encrypt_block(tier, &tweak_key.enc, tweak);
	crypt_sections(mode, tweak, dst, src, bytes);
}

/* SP 800-38D, section 7, with no associated data */
static void crypt_gcm(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		      const u8 *src, size_t bytes)
{
	const unsigned int way = mode->decrypts ? SM4_GCM_DECRYPTS : 0;
	struct sm4_gcm_state state = {};
	unsigned int part = way | SM4_GCM_FIRST;

	memcpy(state.counter, iv, GCM_IV_SIZE);
	put_unaligned_be32(1, state.counter + GCM_IV_SIZE);
	put_unaligned_be64(8 * (u64)bytes, state.lengths + 8);
	for (; bytes > SM4_SECTION_SIZE; bytes -= SM4_SECTION_SIZE) {
		sm4_tier_gcm(tier, &gcm_key, dst, src, &state, SM4_SECTION_SIZE,
			     part);
		part = way;
		src += SM4_SECTION_SIZE;
		dst += SM4_SECTION_SIZE;
	}
	sm4_tier_gcm(tier, &gcm_key, dst, src, &state, bytes, part | SM4_GCM_LAST);
	if (!mode->decrypts)
		memcpy(dst + bytes, state.hash, GCM_TAG_SIZE);
	else if (crypto_memneq(src + bytes, state.hash, GCM_TAG_SIZE))
		die("%s: wrong tag", tier->base.name);
}

/* RFC 3610, with no associated data */
static void crypt_ccm(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		      const u8 *src, size_t bytes)
{
	sm4_ccm_function *crypt = tier->ccm_crypt ?: sm4_ttable.ccm_crypt;
	const unsigned int length_size = BLOCK_SIZE - 1 - CCM_NONCE_SIZE;
	u8 first[BLOCK_SIZE] = { length_size - 1 };
	u8 last[BLOCK_SIZE] = {}, tag[CCM_TAG_SIZE] = {};
	struct sm4_ccm_state state = {};
	size_t n, partial;

	memcpy(first + 1, iv, CCM_NONCE_SIZE);
	memcpy(state.counter, first, BLOCK_SIZE);
	state.counter[BLOCK_SIZE - 1] = 1;
	put_unaligned_be32(bytes, state.text + BLOCK_SIZE - sizeof(u32));
	memcpy(state.text, first, BLOCK_SIZE - length_size);
	state.text[0] |= (CCM_TAG_SIZE - 2) / 2 << 3;

	for (; bytes >= BLOCK_SIZE; bytes -= n) {
		n = round_down(min_t(size_t, bytes, SM4_CHAIN_SECTION_SIZE),
			       (size_t)BLOCK_SIZE);
		crypt(&data_key.enc, dst, src, &state, n / BLOCK_SIZE,
		      mode->decrypts);
		src += n;
		dst += n;
	}
	partial = bytes;
	if (partial) {
		memcpy(last, src, partial);
		crypt(&data_key.enc, last, last, &state, 1, mode->decrypts);
		memcpy(dst, last, partial);
		memset(state.text + partial, 0, BLOCK_SIZE - partial);
	}
	memcpy(state.counter, first, BLOCK_SIZE);
	crypt(&data_key.enc, tag, tag, &state, 1, false);
	crypto_xor(tag, state.mac, sizeof(tag));
	if (!mode->decrypts)
		memcpy(dst + partial, tag, sizeof(tag));
	else if (crypto_memneq(src + partial, tag, sizeof(tag)))
		die("%s: wrong tag", tier->base.name);
}

static void hash_sm3(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		     const u8 *src, size_t bytes)
{
	struct sm3_message message;

	sm3_message_begin(&message);
	sm3_message_end(sm3_tier, &message, src, bytes, dst);
}

/* RFC 2104, section 2 */
static void set_mac_pad(u32 state[SM3_WORDS], const u8 *key, u8 pad)
{
	struct sm3_message message;
	u8 block[SM3_BLOCK_SIZE];

	memset(block, pad, sizeof(block));
	crypto_xor(block, key, MAC_KEY_SIZE);
	sm3_message_begin(&message);
	sm3_message_add(sm3_tier, &message, block, sizeof(block));
	memcpy(state, message.state, sizeof(message.state));
}

static void set_mac_key(const u8 *key)
{
	set_mac_pad(mac_inner, key, 0x36);
	set_mac_pad(mac_outer, key, 0x5c);
}

static void mac_begin(struct sm3_message *message, const u32 state[SM3_WORDS])
{
	memcpy(message->state, state, sizeof(message->state));
	message->bytes = SM3_BLOCK_SIZE;
}

static void mac_end(struct sm3_message *message, const u8 *src, size_t bytes,
		    u8 *mac)
{
	u8 digest[DIGEST_SIZE];

	sm3_message_end(sm3_tier, message, src, bytes, digest);
	mac_begin(message, mac_outer);
	sm3_message_end(sm3_tier, message, digest, sizeof(digest), mac);
}

static void hash_hmac(const struct seam_mode *mode, const u8 *iv, u8 *dst,
		      const u8 *src, size_t bytes)
{
	struct sm3_message message;

	mac_begin(&message, mac_inner);
	mac_end(&message, src, bytes, dst);
}

/*
 * Encrypt the first 64 bytes, then as many whole passes as there are, and hash that
 * many from the beginning. Returns the number of bytes encrypted: 64 more than hashed.
 */
static size_t crypt_passes(const struct seam_mode *mode, u8 *iv, u8 *dst,
			   const u8 *src, size_t bytes,
			   struct sm3_message *message)
{
	size_t done = SM4_PASS_SIZE, n;
	struct sm4_hashing hashing;

	crypt_sections(mode, iv, dst, src, done);
	memcpy(hashing.state, message->state, sizeof(hashing.state));
	for (; bytes - done >= SM4_PASS_SIZE; done += n) {
		n = round_down(min_t(size_t, bytes - done,
				     SM4_CHAIN_SECTION_SIZE),
			       (size_t)SM4_PASS_SIZE);
		hashing.src = dst + done - SM4_PASS_SIZE;
		tier->cbc_encrypt_sm3(&data_key.enc, dst + done, src + done, iv,
				      n / SM4_PASS_SIZE, &hashing);
		message->bytes += n;
	}
	memcpy(message->state, hashing.state, sizeof(hashing.state));
	return done;
}

static void seal_authenc(const struct seam_mode *mode, const u8 *iv, u8 *dst,
			 const u8 *src, size_t bytes)
{
	size_t encrypted = 0, hashed = 0;
	u8 next_iv[BLOCK_SIZE], tag[DIGEST_SIZE];
	struct sm3_message message;

	memcpy(next_iv, iv, sizeof(next_iv));
	mac_begin(&message, mac_inner);
	if (at_once && bytes >= SM4_PASS_SIZE) {
		encrypted = crypt_passes(mode, next_iv, dst, src, bytes,
					 &message);
		hashed = encrypted - SM4_PASS_SIZE;
	}
	crypt_sections(mode, next_iv, dst + encrypted, src + encrypted,
		       bytes - encrypted);
	mac_end(&message, dst + hashed, bytes - hashed, tag);
	memcpy(dst + bytes, tag, AUTHENC_TAG_SIZE);
}

static void open_authenc(const struct seam_mode *mode, const u8 *iv, u8 *dst,
			 const u8 *src, size_t bytes)
{
	struct sm3_message message;
	u8 tag[DIGEST_SIZE];

	mac_begin(&message, mac_inner);
	mac_end(&message, src, bytes, tag);
	if (crypto_memneq(src + bytes, tag, AUTHENC_TAG_SIZE))
		die("%s: wrong tag", tier->base.name);
	crypt_plainly(mode, iv, dst, src, bytes);
}

/* ---- several messages at once ---- */

/* Copy blocks of all messages, from number @from on, to the lanes or @out of them. */
static void copy_lanes(struct sm4_lanes *lanes, struct packet *packets,
		       unsigned int count, size_t from, size_t blocks, bool out)
{
	unsigned int l;
	size_t i;

	for (l = 0; l < count; l++) {
		u8 *text = packets[l].bytes + from * BLOCK_SIZE;

		for (i = 0; i < blocks; i++, text += BLOCK_SIZE) {
			u8 *lane = lanes->text[i][l];

			memcpy(out ? text : lane, out ? lane : text, BLOCK_SIZE);
		}
	}
}

static void cbc_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count)
{
	size_t blocks = bytes / BLOCK_SIZE, done, n, i;
	static struct sm4_lanes lanes;
	unsigned int l;

	for (l = 0; l < count; l++) {
		for (i = 0; i < ARRAY_SIZE(lanes.keys); i++)
			memcpy(lanes.keys[i][l], data_key.enc.mapped + 4 * i,
			       sizeof(lanes.keys[i][l]));
		memcpy(lanes.chain[l], iv, BLOCK_SIZE);
	}
	tier->set_lane_keys(&lanes);
	for (done = 0; done < blocks; done += n) {
		n = min_t(size_t, SM4_LANE_BLOCKS, blocks - done);
		copy_lanes(&lanes, packets, count, done, n, false);
		tier->cbc_encrypt_lanes(&lanes, n);
		copy_lanes(&lanes, packets, count, done, n, true);
	}
}

/* Hash at most as many messages as there are lanes; other lanes repeat the first one. */
static void hash_in_lanes(struct packet *packets, size_t bytes,
			  unsigned int count)
{
	size_t blocks = bytes / SM3_BLOCK_SIZE, used = bytes % SM3_BLOCK_SIZE;
	u8 last[SM3_LANES_MAX][2 * SM3_BLOCK_SIZE];
	struct sm3_message message;
	struct sm3_lanes lanes;
	size_t last_blocks = 0, n;
	unsigned int l, i;

	sm3_message_begin(&message);
	for (l = 0; l < tier->sm3_lane_count; l++) {
		for (i = 0; i < SM3_WORDS; i++)
			lanes.state[i][l] = message.state[i];
		lanes.src[l] = packets[l < count ? l : 0].bytes;
	}
	for (; blocks; blocks -= n) {
		n = min_t(size_t, SM3_LANE_BLOCKS, blocks);
		tier->sm3_lanes(&lanes, n);
	}
	for (l = 0; l < tier->sm3_lane_count; l++) {
		memcpy(last[l], lanes.src[l], used);
		last_blocks = sm3_pad(last[l], used, bytes);
		lanes.src[l] = last[l];
	}
	tier->sm3_lanes(&lanes, last_blocks);
	for (l = 0; l < count; l++) {
		for (i = 0; i < SM3_WORDS; i++)
			message.state[i] = lanes.state[i][l];
		sm3_put_digest(message.state, packets[l].bytes);
	}
}

static void sm3_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count)
{
	unsigned int done, n;

	for (done = 0; done < count; done += n) {
		n = min(tier->sm3_lane_count, count - done);
		hash_in_lanes(packets + done, bytes, n);
	}
}

static void authenc_burst(const u8 *iv, struct packet *packets,
			  size_t bytes, unsigned int count)
{
	struct sm4_authenc_request requests[BURST], *all[BURST];
	struct scatterlist lists[BURST];
	struct aead_request reqs[BURST];
	static struct sm4_lanes_work *work;
	u8 ivs[BURST][BLOCK_SIZE];
	unsigned int i;

	if (!work)
		work = kzalloc(sm4_lanes_work_size, GFP_KERNEL);
	for (i = 0; i < count; i++) {
		memcpy(ivs[i], iv, BLOCK_SIZE);
		sg_init_one(&lists[i], packets[i].bytes, bytes + AUTHENC_TAG_SIZE);
		aead_request_set_tfm(&reqs[i], authenc);
		aead_request_set_callback(&reqs[i], 0, NULL, NULL);
		aead_request_set_crypt(&reqs[i], &lists[i], &lists[i], bytes,
				       ivs[i]);
		aead_request_set_ad(&reqs[i], 0);
		if (sm4_authenc_begin(&requests[i], &reqs[i], false))
			die("%s: a request is refused", tier->base.name);
		all[i] = &requests[i];
	}
	sm4_lanes_crypt(work, all, count);
	for (i = 0; i < count; i++)
		if (requests[i].err)
			die("%s: error %d", tier->base.name, requests[i].err);
}

/* The driver for single requests, which has all members that the lanes need */
static void start_authenc(void)
{
	char name[CRYPTO_MAX_ALG_NAME];

	if (sm4_register_modes(sm4_authenc_modes, tier, sm3_tier_for(tier)))
		die("%s: no authenc", tier->base.name);
	snprintf(name, sizeof(name), "authenc-hmac-sm3-cbc-sm4-%s-fast",
		 tier->base.name);
	authenc = shim_allocate_transform(name);
}

static void set_authenc_key(const u8 *key)
{
	struct {
		struct rtattr head;
		__be32 cipher_key_bytes;
		u8 keys[MAC_KEY_SIZE + KEY_SIZE];
	} both = {
		.head = {
			.rta_len = offsetof(typeof(both), keys),
			.rta_type = CRYPTO_AUTHENC_KEYA_PARAM,
		},
		.cipher_key_bytes = cpu_to_be32(KEY_SIZE),
	};

	memcpy(both.keys, key, sizeof(both.keys));
	if (crypto_aead_setkey(authenc, (u8 *)&both, sizeof(both)) ||
	    crypto_aead_setauthsize(authenc, AUTHENC_TAG_SIZE))
		die("%s: no key for authenc", tier->base.name);
}

static bool is_of_module(const struct sm4_tier *tier)
{
	unsigned int i;

	for (i = 0; sm4_tiers[i]; i++)
		if (&tier->base == sm4_tiers[i])
			return true;
	return false;
}

/* If a tier of the module has no CBC-MAC, use the C tier's. */
static bool has_ccm(const struct sm4_tier *tier)
{
	return is_of_module(tier) || tier->cbc_mac;
}

static const struct seam_mode seam_modes[MODES] = {
	[ECB_ENCRYPT] = { SM4_ECB, false, crypt_plainly },
	[CBC_ENCRYPT] = { SM4_CBC_ENCRYPT, false, crypt_plainly, cbc_burst },
	[CBC_DECRYPT] = { SM4_CBC_DECRYPT, true, crypt_plainly },
	[CTR_ENCRYPT] = { SM4_CTR, false, crypt_plainly },
	[XTS_ENCRYPT] = { SM4_XTS, false, crypt_xts },
	[XTS_DECRYPT] = { SM4_XTS, true, crypt_xts },
	[XTS_GB_ENCRYPT] = { SM4_XTS_GB, false, crypt_xts },
	[XTS_GB_DECRYPT] = { SM4_XTS_GB, true, crypt_xts },
	[GCM_SEAL] = { SM4_CTR, false, crypt_gcm },
	[GCM_OPEN] = { SM4_CTR, true, crypt_gcm },
	[CCM_SEAL] = { SM4_CTR, false, crypt_ccm },
	[CCM_OPEN] = { SM4_CTR, true, crypt_ccm },
	[SM3_HASH] = { .crypt = hash_sm3, .crypt_burst = sm3_burst },
	[SM3_HMAC] = { .crypt = hash_hmac },
	[AUTHENC_SEAL] = { SM4_CBC_ENCRYPT, false, seal_authenc,
			   authenc_burst },
	[AUTHENC_OPEN] = { SM4_CBC_DECRYPT, true, open_authenc },
};

const char *seam_tier_name(unsigned int i)
{
	return seam_tier(i) ? seam_tier(i)->base.name : NULL;
}

static bool needs(const struct sm4_tier *tier, u16 feature)
{
	int i;

	for (i = 0; i < SM4_TIER_FEATURES && tier->base.features[i]; i++)
		if (tier->base.features[i] == feature)
			return true;
	return false;
}

enum instructions seam_instructions(unsigned int i)
{
	const struct sm4_tier *tier = seam_tier(i);

	if (needs(tier, SM4_FEATURE_INTEL_SM4))
		return SM4_AVX2;
	if (needs(tier, X86_FEATURE_AVX512BW))
		return needs(tier, X86_FEATURE_GFNI) ? GFNI_AVX512 : AVX512;
	if (needs(tier, X86_FEATURE_GFNI))
		return GFNI_AVX2;
	if (needs(tier, X86_FEATURE_AVX2))
		return AVX2;
	return needs(tier, X86_FEATURE_AVX) ? AVX : BASELINE;
}

bool seam_usable(unsigned int i)
{
	return sm4_tier_usable(&seam_tier(i)->base);
}

void seam_start(unsigned int i)
{
	tier = seam_tier(i);
	sm4_detect_tiers();
	sm3_tier = seam_sm3_tier(tier);
	at_once = sm4_tier_has_cbc_sm3(tier);
	if (tier->cbc_encrypt_lanes)
		start_authenc();
}

bool seam_set_key(enum mode index, const u8 *key)
{
	bool is_authenc = index == AUTHENC_SEAL || index == AUTHENC_OPEN;

	mode = &seam_modes[index];
	if (index == SM3_HASH || index == SM3_HMAC || is_authenc) {
		if (!sm3_tier)
			return false;
		set_mac_key(key);
		if (!is_authenc)
			return true;
		if (authenc)
			set_authenc_key(key);
		key += MAC_KEY_SIZE;
	}
	if (!tier->crypt[mode->operation])
		return false;
	if (mode->crypt == crypt_gcm && !tier->gcm)
		return false;
	if (mode->crypt == crypt_ccm && !has_ccm(tier))
		return false;
	sm4_set_key(tier, &data_key, key);
	if (mode->crypt == crypt_xts)
		sm4_set_key(tier, &tweak_key, key + SM4_KEY_SIZE);
	if (mode->crypt == crypt_gcm)
		sm4_gcm_set_key(tier, &gcm_key, key);
	return true;
}

void seam_crypt(const u8 *iv, u8 *dst, const u8 *src, size_t bytes)
{
	mode->crypt(mode, iv, dst, src, bytes);
}

bool seam_crypt_burst(const u8 *iv, struct packet *packets, size_t bytes,
		      unsigned int count)
{
	if (!mode->crypt_burst || !tier->cbc_encrypt_lanes)
		return false;
	mode->crypt_burst(iv, packets, bytes, count);
	return true;
}

/* Functions that the shim needs from its user */

void fail_case(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

unsigned int random_below(unsigned int limit)
{
	return limit - 1;
}
