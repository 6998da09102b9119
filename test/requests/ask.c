// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Requests to the crypto API (ask.h). */
#include "ask.h"
#include "flows.h"

/* The initial value of all bytes of a destination */
#define UNTOUCHED	0x5a

/* Number of bytes that follow a request that is laid out in parts */
#define BEHIND		64

static u8 untouched[2 * MESSAGE_BYTES_MAX + BEHIND];

/* A call of a driver; its value is that of the call. */
#define called(asked, call) ({ \
	const struct trial *asked_ = (asked); \
	int result_; \
\
	begin_call(asked_); \
	result_ = (call); \
	end_call(asked_); \
	result_; \
})

/* ---- keys and IVs: a copy @before_end bytes before the end of guarded memory ---- */

static u8 *guarded_copy(struct guarded *memory, const void *from, size_t bytes,
			unsigned int before_end)
{
	u8 *p;

	if (!memory->start)
		*memory = guarded_allocate(PAGE_SIZE);
	p = memory->start + memory->bytes - before_end - bytes;
	if (bytes)
		memcpy(p, from, bytes);
	return p;
}

static u8 *key_before_end(const void *key, size_t bytes, unsigned int before_end)
{
	static struct guarded memory;

	return guarded_copy(&memory, key, bytes, before_end);
}

u8 *guarded_key(const void *key, size_t bytes)
{
	return key_before_end(key, bytes, 0);
}

static u8 *guarded_iv(const struct trial *r, const void *iv)
{
	static struct guarded memory;

	return guarded_copy(&memory, iv, r->mode->iv_bytes, r->traits[IV_ALIGN]);
}

int set_key(const struct mode *mode, void *tfm, const u8 *key, unsigned int bytes)
{
	switch (mode->kind) {
	case CIPHER:
		return crypto_cipher_setkey(tfm, key, bytes);
	case SKCIPHER:
		return crypto_skcipher_setkey(tfm, key, bytes);
	case AEAD:
		return crypto_aead_setkey(tfm, key, bytes);
	default:
		return crypto_shash_setkey(tfm, key, bytes);
	}
}

static int set_key_of_bytes(const struct trial *r, const struct contents *c, void *tfm,
			    unsigned int bytes)
{
	const u8 *key = key_before_end(c->message.key, bytes, r->traits[KEY_ALIGN]);

	return called(r, set_key(r->mode, tfm, key, bytes));
}

int set_keys(const struct trial *r, const struct contents *c, void *tfm)
{
	const unsigned int *t = r->traits;
	int err, refusal;

	if (t[NO_KEY] || !has_key(r->mode))
		return 0;
	if (t[WEAK_KEY] == 1)
		crypto_skcipher_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	err = set_key_of_bytes(r, c, tfm, t[KEY]);
	if (err || !t[BAD_KEY])
		return err;
	refusal = set_key_of_bytes(r, c, tfm, t[BAD_KEY]);
	if (has_lacked_memory(refusal))
		return refusal;
	check_equal(refusal, -EINVAL);
	return 0;
}

/* ---- the memory of a request, and what is in it afterwards ---- */

const struct placement *placement_of(const struct trial *r, struct placement *laid_out,
				     const struct placement *placement)
{
	const unsigned int *t = r->traits;

	if (!t[IN_PLACE] && !t[ENTRY] && !t[EMPTY] && !t[ALIGN] && !t[OVERLAP])
		return placement;
	*laid_out = (struct placement){
		.name = "as it says", .in_place = t[IN_PLACE], .two_lists = t[IN_PLACE] == 2,
		.position = AT_OFFSET, .offset = t[ALIGN], .entry = t[ENTRY],
		.empty = t[EMPTY], .overlap = t[OVERLAP],
	};
	return laid_out;
}

/*
 * A driver may write the text of the destination and, if it encrypts, the tag. The lists
 * continue after that, as those of AF_ALG and of IPsec do: others' pages may be there.
 */
static void place_parts(struct attempt *a)
{
	const size_t text_bytes = min(a->in_bytes, a->out_bytes);
	const size_t tag_bytes = max(a->in_bytes, a->out_bytes) - text_bytes;
	const struct part destination[PARTS] = {
		{ a->aad_bytes, false }, { text_bytes, true },
		{ tag_bytes, a->out_bytes > a->in_bytes }, { BEHIND, false },
	};
	const struct part source[PARTS] = {
		{ a->aad_bytes }, { text_bytes }, { a->in_bytes - text_bytes }, { BEHIND },
	};

	request_place_parts(&a->memory, a->placement, source, destination);
}

/* The watched length of the destination: in parts, the whole list */
static size_t watched_bytes(const struct attempt *a)
{
	const size_t longer = max(a->in_bytes, a->out_bytes);

	if (a->placement->in_parts)
		return a->aad_bytes + longer + BEHIND;
	return a->aad_bytes + (a->placement->in_place ? longer : a->out_bytes);
}

static void place(struct attempt *a)
{
	struct request_memory *memory = &a->memory;

	if (a->placement->in_parts)
		place_parts(a);
	else
		request_place(memory, a->placement, a->aad_bytes + a->in_bytes,
			      a->aad_bytes + a->out_bytes);
	/* Nothing is written over the associated data of the destination either. */
	if (!a->out_bytes && memory->src != memory->dst && !a->placement->has_ends)
		memory->dst = guarded_nothing();
	memset(untouched, UNTOUCHED, watched_bytes(a));
	scatter_write(memory->output, 0, untouched, watched_bytes(a));
	scatter_write(&memory->source, 0, a->aad, a->aad_bytes);
	scatter_write(&memory->source, a->aad_bytes, a->in, a->in_bytes);
	scatter_protect(&memory->source);
	scatter_protect(memory->output);
}

void attempt_place(struct attempt *a, const struct trial *r, const struct contents *c,
		   const struct placement *placement)
{
	const struct aead_message *message = &c->message;
	const bool open = r->open;

	a->placement = placement;
	a->trial = r;
	a->aad = c->aad;
	a->in = open ? c->sealed : c->text;
	a->out = open ? c->text : c->sealed;
	a->aad_bytes = message->aad_bytes;
	a->in_bytes = message->text_bytes + (open ? message->tag_bytes : 0);
	a->out_bytes = message->text_bytes + (open ? 0 : message->tag_bytes);
	place(a);
}

void attempt_check(struct attempt *a, int err)
{
	struct request_memory *memory = &a->memory;
	const size_t aad_bytes = a->aad_bytes, in_bytes = a->in_bytes, out_bytes = a->out_bytes;
	const bool in_place = a->placement->in_place;
	/* the end of the bytes that may be written to the destination */
	const size_t end = in_place ? max(in_bytes, out_bytes) : out_bytes;

	scatter_release(&memory->source);
	scatter_release(memory->output);
	request_check_around(memory);
	scatter_check(&memory->source, 0, a->aad, aad_bytes, "associated data of the source");
	/* Of an overlapping destination, only what is before it and around it is known. */
	if (a->placement->overlap) {
		scatter_check(&memory->source, aad_bytes, a->in,
			      min_t(size_t, in_bytes, a->placement->overlap),
			      "source before the destination");
		return;
	}
	memset(untouched, UNTOUCHED, watched_bytes(a));
	if (!err)
		scatter_check(memory->output, aad_bytes, a->out, out_bytes, "output");
	else if (leaves_alone(a->trial->mode, err) && !has_lacked_memory(err))
		scatter_check(memory->output, aad_bytes, in_place ? a->in : untouched,
			      in_place ? min(in_bytes, out_bytes) : out_bytes,
			      "destination of a refused request");
	if (!in_place) {
		scatter_check(&memory->source, aad_bytes, a->in, in_bytes, "source");
		scatter_check(memory->output, 0, untouched, aad_bytes,
			      "associated data of the destination");
	} else if (in_bytes > out_bytes) {
		scatter_check(memory->output, aad_bytes + out_bytes, a->in + out_bytes,
			      in_bytes - out_bytes, "tag");
	}
	scatter_check(memory->output, aad_bytes + end, untouched,
		      watched_bytes(a) - aad_bytes - end, "what is behind the destination");
}

/* ---- calls ---- */

/* A driver may sleep where SIMD is usable; whether the request allows it is random. */
static u32 flags_of(const struct trial *r)
{
	return r->traits[NO_SIMD] || random_below(2) ? 0 : CRYPTO_TFM_REQ_MAY_SLEEP;
}

static int submit_skcipher(const struct trial *r, struct crypto_skcipher *tfm,
			   struct scatterlist *src, struct scatterlist *dst, unsigned int bytes,
			   u8 *iv)
{
	struct skcipher_request *request = skcipher_request_alloc(tfm, GFP_KERNEL);
	int err;

	if (!request)
		return -ENOMEM;
	skcipher_request_set_callback(request, flags_of(r), NULL, NULL);
	skcipher_request_set_crypt(request, src, dst, bytes, iv);
	err = called(r, r->open ? crypto_skcipher_decrypt(request) :
				  crypto_skcipher_encrypt(request));
	skcipher_request_free(request);
	return err;
}

static int submit_aead(const struct trial *r, struct crypto_aead *tfm, struct scatterlist *src,
		       struct scatterlist *dst, unsigned int bytes, u8 *iv)
{
	struct aead_request *request = aead_request_alloc(tfm, GFP_KERNEL);
	int err;

	if (!request)
		return -ENOMEM;
	aead_request_set_callback(request, flags_of(r), NULL, NULL);
	aead_request_set_crypt(request, src, dst, bytes, iv);
	aead_request_set_ad(request, aad_bytes(r));
	err = called(r, r->open ? crypto_aead_decrypt(request) : crypto_aead_encrypt(request));
	aead_request_free(request);
	return err;
}

int submit_request(const struct trial *r, void *tfm, struct scatterlist *src,
		   struct scatterlist *dst, u8 *iv)
{
	int err;

	if (r->mode->kind == SKCIPHER)
		return submit_skcipher(r, tfm, src, dst, given_bytes(r), iv);
	err = called(r, crypto_aead_setauthsize(tfm, r->traits[TAG]));
	return err ?: submit_aead(r, tfm, src, dst, given_bytes(r), iv);
}

/* ---- requests ---- */

/* The bare cipher, a block at a time */
static int ask_cipher(const struct trial *r, const struct contents *c,
		      struct crypto_cipher *tfm, const struct placement *placement)
{
	const struct placement flat_placement = {
		.in_place = placement->in_place, .position = placement->position,
		.offset = placement->offset,
	};
	const u8 *in = r->open ? c->sealed : c->text;
	static struct flat flat;
	size_t at;

	flat_place(&flat, &flat_placement, in, c->message.text_bytes);
	begin_call(r);
	for (at = 0; at < flat.bytes; at += BLOCK)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm, flat.dst + at, flat.src + at);
	end_call(r);
	flat_check(&flat, in, r->open ? c->text : c->sealed);
	return 0;
}

void check_left_iv(const struct trial *r, const struct contents *c, const u8 *iv, int err)
{
	u8 expected[BLOCK];

	/* Of an overlapping destination, nobody knows the ciphertext. */
	if (r->traits[OVERLAP] || has_lacked_memory(err))
		return;
	memcpy(expected, c->message.iv, BLOCK);
	if (!err)
		leave_iv(r->mode, expected, c->sealed, c->message.text_bytes);
	check_bytes(iv, expected, r->mode->iv_bytes, "the IV that is left");
}

static int ask_skcipher(const struct trial *r, const struct contents *c,
			struct crypto_skcipher *tfm, const struct placement *placement)
{
	static struct attempt attempt;
	u8 *iv = guarded_iv(r, c->message.iv);
	int err;

	if (r->traits[NO_LIST])
		return submit_request(r, tfm, NULL, NULL, iv);
	attempt_place(&attempt, r, c, placement);
	err = submit_skcipher(r, tfm, attempt.memory.src, attempt.memory.dst, attempt.in_bytes, iv);
	attempt_check(&attempt, err);
	check_left_iv(r, c, iv, err);
	return err;
}

static int ask_aead(const struct trial *r, const struct contents *c,
		    struct crypto_aead *tfm, const struct placement *placement)
{
	static struct attempt attempt;
	int err = called(r, crypto_aead_setauthsize(tfm, r->traits[TAG]));

	if (err)
		return err;
	attempt_place(&attempt, r, c, placement);
	err = submit_aead(r, tfm, attempt.memory.src, attempt.memory.dst, attempt.in_bytes,
			  guarded_iv(r, c->message.iv));
	attempt_check(&attempt, err);
	return err;
}

/* ---- MACs ---- */

struct shash_desc *allocate_descriptor(struct crypto_shash *tfm)
{
	struct shash_desc *desc = memory_allocate(sizeof(*desc) + crypto_shash_descsize(tfm));

	desc->tfm = tfm;
	return desc;
}

/* Move a computation into a new descriptor, by its exported state. */
static struct shash_desc *move(struct shash_desc *desc)
{
	struct crypto_shash *tfm = desc->tfm;
	struct shash_desc *moved = allocate_descriptor(tfm);
	u8 *exported = memory_allocate(crypto_shash_statesize(tfm));

	check_equal(crypto_shash_export(desc, exported), 0);
	check_equal(crypto_shash_import(moved, exported), 0);
	memory_free(exported);
	memory_free(desc);
	return moved;
}

/* Process a message in random pieces, and move it now and then. */
static void mac_in_pieces(const struct trial *r, struct crypto_shash *tfm, const u8 *p,
			  size_t bytes, u8 *mac)
{
	struct shash_desc *desc = allocate_descriptor(tfm);
	bool final = random_below(2);

	check_equal(called(r, crypto_shash_init(desc)), 0);
	while (bytes) {
		size_t limit = random_below(2) ? min_t(size_t, bytes, 40) : bytes;
		size_t piece = random_below(limit + 1);

		if (piece == bytes && !final)
			break;
		check_equal(called(r, crypto_shash_update(desc, p, piece)), 0);
		if (!random_below(4))
			desc = move(desc);
		p += piece;
		bytes -= piece;
	}
	if (final)
		check_equal(called(r, crypto_shash_final(desc, mac)), 0);
	else
		check_equal(called(r, crypto_shash_finup(desc, p, bytes, mac)), 0);
	memory_free(desc);
}

static int ask_mac(const struct trial *r, const struct contents *c, struct crypto_shash *tfm)
{
	const struct placement anywhere = { .in_place = true };
	struct shash_desc *desc = allocate_descriptor(tfm);
	const unsigned int bytes = r->mode->digest_bytes;
	static struct flat flat;
	u8 digest[HASH_MAX_DIGESTSIZE];
	int err;

	flat_place(&flat, &anywhere, c->text, c->message.text_bytes);
	check_equal(crypto_shash_digestsize(tfm), bytes);
	err = called(r, crypto_shash_digest(desc, flat.src, flat.bytes, digest));
	if (!err) {
		check_bytes(digest, c->sealed, bytes, "digest at once");
		mac_in_pieces(r, tfm, flat.src, flat.bytes, digest);
		check_bytes(digest, c->sealed, bytes, "digest in pieces");
	} else if (!has_lacked_memory(err)) {
		check_equal(crypto_shash_init(desc), err);
	}
	memory_free(desc);
	flat_check(&flat, c->text, c->text);
	return err;
}

int ask(const struct trial *r, const struct contents *c, void *tfm,
	const struct placement *placement)
{
	switch (r->mode->kind) {
	case CIPHER:
		return ask_cipher(r, c, tfm, placement);
	case SKCIPHER:
		return ask_skcipher(r, c, tfm, placement);
	case AEAD:
		return ask_aead(r, c, tfm, placement);
	default:
		return ask_mac(r, c, tfm);
	}
}

int ask_anywhere(const struct trial *r, const struct contents *c, void *tfm)
{
	/* The bare cipher has no lists. */
	return ask(r, c, tfm, &placements[random_below(PLACEMENTS_WITHOUT_PARTS)]);
}

/* ---- flows: the crypto API has no queue, so what is sent waits for the request. ---- */

int send_of_flow(const struct flow *flow, const struct flow_step *step, void *tfm)
{
	return 0;
}

int read_of_flow(const struct flow_step *step, const struct trial *r, const struct contents *c,
		 void *tfm)
{
	return ask_anywhere(r, c, tfm) ?: (int)step->bytes;
}
