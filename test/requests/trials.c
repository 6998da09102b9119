// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The requests that are tried, their contents and the right answers (trials.h). */
#ifdef __KERNEL__
#include <linux/limits.h>
#include <linux/sprintf.h>
#else
#include "../host/shim/linux.h"
#endif
#include "trials.h"

/* right_answer() gives the right answer for each. */
const struct rule rules[] = {
	/* keys */
	{ "keys of any length", ALL, KEY, 0, 80, 1 },
	{ "keys of any length for the MAC", BIT(AEAD), KEY, 81, MAX_KEY, 1 },
	{ "no key", ALL & ~BIT(CIPHER), NO_KEY, 1, 1, 1 },
	{ "a key that is refused after a good one", ALL, BAD_KEY, 1, 15, 1 },
	{ "equal halves", BIT(SKCIPHER), WEAK_KEY, 1, 2, 1 },
	{ "a head of authenc's key with any length", BIT(AEAD), HEAD, 0, 64, 1 },
	{ "a head that is longer by 256", BIT(AEAD), HEAD, 264, 264, 1 },
	{ "a head of any type", BIT(AEAD), HEAD_TYPE, 0, 4, 1 },
	{ "a head with any length of SM4's key", BIT(AEAD), CIPHER_KEY, 0, 64, 1 },
	{ "a length in the wrong order", BIT(AEAD), CIPHER_KEY, 16 << 24, 16 << 24, 1 },

	/* lengths */
	{ "texts of any length", ALL, TEXT, 0, 80, 1 },
	{ "texts longer than a page", ALL, TEXT, 4096, 8192, 2048 },
	{ "some bytes more than a page", ALL, TEXT, 4097, 4111, 1 },
	{ "no lists", BIT(SKCIPHER), NO_LIST, 1, 1, 1, .set = { [TEXT] = NONE } },
	{ "tags of any length", BIT(AEAD), TAG, 0, 64, 1 },
	{ "less to open than a tag", BIT(AEAD), SEALED, 0, 15, 1, OPEN },
	{ "associated data of any length", BIT(AEAD), AAD, 0, 80, 1 },
	{ "associated data with a longer length in CCM", BIT(AEAD), AAD, 0xfeff, 0xff01, 1 },

	/* CCM: the number of bytes of a length, less 1 */
	{ "lengths of any length", BIT(AEAD), FIRST, 0, 255, 1 },
	{ "texts for two bytes of a length", BIT(AEAD), TEXT, 65520, 65552, 16, SEAL,
	  .set = { [FIRST] = 1 } },
	{ "texts at the end of two bytes", BIT(AEAD), TEXT, 65534, 65537, 1, SEAL,
	  .set = { [FIRST] = 1 } },
	{ "texts too long for two bytes", BIT(AEAD), TEXT, 65536, 65600, 21,
	  .set = { [FIRST] = 1 } },

	/* changes */
	{ "a wrong text", BIT(AEAD), WRONG_TEXT, PLACE(7), PLACE(8 * 48), 8, OPEN },
	{ "wrong associated data", BIT(AEAD), WRONG_AAD, PLACE(0), PLACE(8 * 28 - 1), 8, OPEN },
	{ "a wrong tag", BIT(AEAD), WRONG_TAG, PLACE(0), PLACE(8 * TAG_MAX - 1), 1, OPEN },
	{ "tags of any length with a wrong first bit", BIT(AEAD), TAG, 1, 64, 1, OPEN,
	  .set = { [WRONG_TAG] = PLACE(0) } },
	{ "tags of any length with a wrong last bit", BIT(AEAD), TAG, 1, 64, 1, OPEN,
	  .set = { [WRONG_TAG] = LAST } },
	{ "a wrong tag of no text", BIT(AEAD), WRONG_TAG, PLACE(0), PLACE(127), 8, OPEN,
	  .set = { [TEXT] = NONE } },
	{ "a wrong nonce", BIT(AEAD), WRONG_IV, PLACE(2), PLACE(95), 8, OPEN },

	/* memory */
	{ "a key anywhere in memory", ALL, KEY_ALIGN, 0, 63, 1 },
	{ "entries of few bytes", WITH_IV, ENTRY, 1, 33, 1, .set = { [TEXT] = 160 } },
	{ "entries of few bytes, some empty", WITH_IV, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 7, [TEXT] = 160 } },
	{ "long entries, some empty", WITH_IV, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 4000, [TEXT] = 16000 } },
	{ "memory anywhere", BIT(CIPHER) | WITH_IV, ALIGN, 1, 64, 1, .set = { [TEXT] = 560 } },
	{ "memory across pages", WITH_IV, ALIGN, 4040, 4100, 3,
	  .set = { [TEXT] = 560, [ENTRY] = 100 } },
	{ "an IV anywhere in memory", WITH_IV, IV_ALIGN, 0, 63, 1 },
	{ "in place", BIT(CIPHER) | WITH_IV, IN_PLACE, 1, 2, 1, .set = { [TEXT] = 5600 } },
	{ "in place, entries of few bytes", WITH_IV, IN_PLACE, 1, 2, 1,
	  .set = { [TEXT] = 5600, [ENTRY] = 13 } },
	{ "a destination that overlaps", WITH_IV, OVERLAP, 1, 400, 21, SEAL,
	  .set = { [TEXT] = 560 } },
	{ "without SIMD", ALL, NO_SIMD, 1, 1, 1, .set = { [TEXT] = 5600 } },
};

const unsigned int rule_count = ARRAY_SIZE(rules);

static bool is_legal_key(const struct trial *r)
{
	const unsigned int *t = r->traits;

	if (!has_key(r->mode))
		return true;
	if (is_authenc(r->mode))
		return t[KEY] >= KEY_HEAD + KEY_BYTES && t[HEAD] == KEY_HEAD &&
		       t[HEAD_TYPE] == KEY_HEAD_TYPE &&
		       t[CIPHER_KEY] == KEY_BYTES;
	return t[KEY] == r->mode->key_bytes &&
	       !(t[KEY] == 2 * KEY_BYTES && t[WEAK_KEY] == 1);
}

/* The number of bytes of CCM for the length of the text, and whether the length fits */
static int counter_answer(unsigned int first, unsigned int text)
{
	if (first < 1 || first > 7)
		return -EINVAL;
	return first < 3 && text >> 8 * (first + 1) ? -EOVERFLOW : 0;
}

int right_answer(const struct trial *r)
{
	const struct mode *mode = r->mode;
	const bool forgets_key = mode->kind == AEAD || mode->kind == MAC;
	const unsigned int *t = r->traits;
	int err;

	if (!t[NO_KEY] && !is_legal_key(r))
		return -EINVAL;
	if (mode->kind == AEAD && !is_legal_tag(mode, t[TAG]))
		return -EINVAL;
	/* A cipher keeps its previous key. */
	if (has_key(mode) && (t[NO_KEY] || (t[BAD_KEY] && forgets_key)))
		return -ENOKEY;
	if (mode->kind == AEAD) {
		if (r->open && given_bytes(r) < t[TAG])
			return -EINVAL;
		if (!is_legal_aad(mode, t[AAD]))
			return -EINVAL;
		err = has_counter_length(mode) ? counter_answer(t[FIRST], t[TEXT]) : 0;
		if (err)
			return err;
		if (r->open && !r->is_sealed)
			return -EBADMSG;
	}
	/* The bare cipher has no lengths. */
	return mode->kind == CIPHER || is_legal_text(mode, t[TEXT]) ? 0 : -EINVAL;
}

void print_trial(const struct trial *r, char *text, size_t bytes)
{
	static const char * const names[TRAITS] = {
		"text", "aad", "tag", "key", "sealed", "first", "wrong_text",
		"wrong_aad", "wrong_tag", "wrong_iv", "no_key", "bad_key",
		"weak_key", "head", "head_type", "cipher_key", "no_list",
		"in_place", "entry", "empty", "align", "overlap", "key_align",
		"iv_align", "no_simd",
	};
	int i, length;

	length = scnprintf(text, bytes, r->open ? "decryption" : "encryption");
	for (i = 0; i < TRAITS; i++)
		if (r->traits[i] && r->traits[i] != NONE)
			length += scnprintf(text + length, bytes - length, " %s=%u",
					    names[i], r->traits[i]);
}

bool leaves_alone(const struct mode *mode, int answer)
{
	return answer && (answer != -EBADMSG || is_authenc(mode));
}

void leave_iv(const struct mode *mode, u8 iv[BLOCK], const u8 *sealed, size_t bytes)
{
	const size_t last = bytes > BLOCK ? round_down(bytes - 1, BLOCK) : BLOCK;
	size_t blocks = DIV_ROUND_UP(bytes, BLOCK);
	int i;

	switch (mode->left_iv) {
	case LAST_BLOCK:
		if (bytes)
			memcpy(iv, sealed + bytes - BLOCK, BLOCK);
		break;
	case WHOLE_BLOCK:
		memcpy(iv, sealed + last - BLOCK, BLOCK);
		break;
	case COUNTER:
		for (i = BLOCK - 1; i >= 0; i--) {
			blocks += iv[i];
			iv[i] = blocks;
			blocks >>= 8;
		}
		break;
	case UNCHANGED:
		break;
	}
}

void usual_trial(struct trial *r, const struct mode *mode)
{
	memset(r, 0, sizeof(*r));
	r->mode = mode;
	r->traits[TEXT] = 48;
	r->traits[AAD] = mode->is_ipsec ? 16 : mode->is_esn ? 28 : 20;
	r->traits[KEY] = is_authenc(mode) ? KEY_HEAD + 32 + KEY_BYTES : mode->key_bytes;
	r->traits[TAG] = 16;
	r->traits[SEALED] = NONE;
	r->traits[FIRST] = 3;
	r->traits[HEAD] = KEY_HEAD;
	r->traits[HEAD_TYPE] = KEY_HEAD_TYPE;
	r->traits[CIPHER_KEY] = KEY_BYTES;
}

void random_iv(u8 iv[BLOCK])
{
	unsigned int ones = random_below(2) ? 4 * (1 + random_below(4)) : 0;

	random_fill(iv, BLOCK);
	if (!ones)
		return;
	memset(iv + BLOCK - ones, 0xff, ones);
	iv[BLOCK - 1] -= random_below(80);
}

void make_key_and_iv(const struct trial *r, u8 *key, u8 *iv)
{
	random_fill(key, MAX_KEY);
	random_iv(iv);
	if (r->traits[WEAK_KEY])
		memcpy(key + KEY_BYTES, key, KEY_BYTES);
	if (is_authenc(r->mode))
		put_authenc_head(key, r->traits[HEAD], r->traits[HEAD_TYPE], r->traits[CIPHER_KEY]);
	if (has_counter_length(r->mode))
		iv[0] = r->traits[FIRST];
}

/* Change the bit at a place, if that exists. */
static bool change(u8 *p, unsigned int bytes, unsigned int place)
{
	if (place == LAST)
		place = 8 * bytes;
	if (!place || place > 8 * bytes)
		return false;
	p[(place - 1) / 8] ^= 1 << (place - 1) % 8;
	return true;
}

/*
 * Change an encrypted message as the traits say. authenc does not authenticate its IV, and
 * nothing authenticates the copy of the IV in the associated data of ESP.
 */
static void change_message(struct trial *r, u8 *aad, u8 *sealed, u8 *iv)
{
	const struct mode *mode = r->mode;
	const unsigned int *t = r->traits;
	const bool counts = has_counter_length(mode);
	const unsigned int nonce = counts ? 14 - min(t[FIRST], 14U) : mode->iv_bytes;
	const unsigned int copy = mode->is_ipsec ? mode->iv_bytes : 0;
	int changes;

	if (!r->open || mode->kind != AEAD || !is_legal_aad(mode, t[AAD]))
		return;
	change(aad + t[AAD] - copy, copy, t[WRONG_AAD]);
	changes = change(aad, t[AAD] - copy, t[WRONG_AAD]);
	changes += change(sealed, t[TEXT], t[WRONG_TEXT]);
	changes += change(sealed + t[TEXT], t[TAG], t[WRONG_TAG]);
	if (!is_authenc(mode))
		changes += change(iv + counts, nonce, t[WRONG_IV]);
	if (changes)
		r->is_sealed = false;
}

static void try_value(const struct rule *rule, const struct mode *mode, unsigned int value,
		      bool open, void (*try)(struct trial *r, const char *what))
{
	enum trait trait;
	struct trial r;

	usual_trial(&r, mode);
	r.open = open;
	for (trait = 0; trait < TRAITS; trait++)
		if (rule->set[trait])
			r.traits[trait] = rule->set[trait] == NONE ? 0 : rule->set[trait];
	r.traits[rule->trait] = value;
	try(&r, rule->what);
}

void try_rule(const struct rule *rule, const struct mode *mode,
	      void (*try)(struct trial *r, const char *what))
{
	u64 value;

	if (!(rule->kinds & BIT(mode->kind)))
		return;
	for (value = rule->first; value <= rule->last; value += rule->step) {
		if (rule->direction != OPEN)
			try_value(rule, mode, value, false, try);
		if (rule->direction != SEAL && mode->kind != MAC)
			try_value(rule, mode, value, true, try);
	}
}

/*
 * Lengths up to 70000, most of them short: short ones differ most. Longer ones
 * differ at limits: a section, CCM's short form of lengths, 16 bits.
 */
static unsigned int random_length(void)
{
	static const unsigned int limits[] = {
		65, 65, 600, 600, 1300, 1300, 8192, LONGEST_TEXT + 1,
	};
	static const unsigned int ends[] = { 4096, 8192, 0xff00, 0x10000 };

	if (!random_below(8))
		return ends[random_below(ARRAY_SIZE(ends))] - BLOCK +
		       random_below(2 * BLOCK + 1);
	return random_below(limits[random_below(ARRAY_SIZE(limits))]);
}

void random_layout(struct trial *r)
{
	unsigned int *t = r->traits;

	t[KEY_ALIGN] = random_below(64);
	t[IV_ALIGN] = random_below(64);
	t[NO_SIMD] = random_below(2);
	if (random_below(2))
		return;
	t[IN_PLACE] = random_below(3);
	t[ALIGN] = random_below(4200);
	t[EMPTY] = random_below(4) ? 0 : 1 + random_below(4);
	if (random_below(2))
		t[ENTRY] = 1 + random_below(random_below(2) ? 40 : 5000) +
			   (t[TEXT] + t[AAD]) / 4000;
}

void random_trial(struct trial *r, const struct mode *mode)
{
	static const enum trait wrong[] = { WRONG_TEXT, WRONG_AAD, WRONG_TAG, WRONG_IV };
	unsigned int *t = r->traits;
	unsigned int bytes[ARRAY_SIZE(wrong)], i;

	usual_trial(r, mode);
	r->open = mode->kind != MAC && random_below(2);
	t[TEXT] = random_length();
	if (random_below(8)) {
		t[TEXT] = max(t[TEXT], mode->smallest);
		t[TEXT] = round_down(t[TEXT], mode->granule);
	}
	t[AAD] = mode->is_ipsec && random_below(8) ? 16 + 4 * random_below(2) :
		 random_below(2) ? random_below(100) : random_length();
	do {
		t[TAG] = random_below(TAG_MAX + 8);
	} while (mode->kind == AEAD && !is_legal_tag(mode, t[TAG]) && random_below(100));
	t[FIRST] = random_below(8) ? 2 + random_below(6) : random_below(10);
	if (is_authenc(mode))
		t[KEY] = KEY_HEAD + KEY_BYTES +
			 random_below(random_below(4) ? 80 : MAX_KEY - KEY_HEAD - KEY_BYTES + 1);
	if (random_below(4))
		return;
	i = random_below(ARRAY_SIZE(wrong));
	bytes[0] = t[TEXT];
	bytes[1] = t[AAD];
	bytes[2] = t[TAG];
	bytes[3] = BLOCK;
	/* A shorter tag may be right by chance. */
	if (bytes[i] && (t[TAG] >= 4 || wrong[i] == WRONG_TAG))
		t[wrong[i]] = PLACE(random_below(8 * bytes[i]));
}

/* ---- contents ---- */

/* The reference's answer, or random bytes if there is none */
static void seal(struct trial *r, struct contents *c)
{
	const struct aead_message *message = &c->message;
	struct trial sealing = *r;

	sealing.open = false;
	r->is_sealed = !right_answer(&sealing);
	if (r->is_sealed) {
		reference_seal(&sealing, c);
		return;
	}
	random_fill(c->sealed, message->text_bytes + message->tag_bytes);
	sealing.traits[TEXT] = 0;
	/* authenc checks the tag first, which may also be for a partial block. */
	if (is_authenc(r->mode) && !right_answer(&sealing))
		r->is_sealed = reference_tag(&sealing, c);
}

void prepare_trial(struct trial *r, struct contents *c)
{
	struct aead_message *message = &c->message;
	const unsigned int *t = r->traits;

	if (!c->aad) {
		c->aad = memory_allocate(MESSAGE_BYTES_MAX);
		c->text = memory_allocate(MESSAGE_BYTES_MAX);
		/* The trial may request a tag that is too long. */
		c->sealed = memory_allocate(LONGEST_TEXT + 2 * TAG_MAX);
	}
	make_key_and_iv(r, message->key, message->iv);
	if (c->key)
		memcpy(message->key, c->key, t[KEY]);
	message->aad = c->aad;
	message->text = c->text;
	message->key_bytes = t[KEY];
	message->aad_bytes = aad_bytes(r);
	message->text_bytes = t[TEXT];
	message->tag_bytes = tag_bytes(r);
	if (r->mode->kind == CIPHER)
		message->text_bytes -= t[TEXT] % BLOCK;
	random_fill(c->aad, message->aad_bytes);
	random_fill(c->text, message->text_bytes);
	seal(r, c);
	change_message(r, c->aad, c->sealed, message->iv);
	if (r->open && t[SEALED] != NONE) {
		message->text_bytes = 0;
		message->tag_bytes = t[SEALED];
	}
}
