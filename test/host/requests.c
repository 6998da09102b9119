// SPDX-License-Identifier: GPL-2.0
/* Requests to the crypto API (requests.h). */
#include <errno.h>
#include "requests.h"
#include "shim/control.h"

static struct request_memory memory;

/* The initial value of all bytes of a destination */
#define UNTOUCHED	0x5a

/* Number of bytes that follow a request that is laid out in parts */
#define BEHIND		64

static u8 untouched[2 * MESSAGE_BYTES_MAX + BEHIND];

static u8 *guarded_copy(struct guarded *memory, const void *from, size_t bytes)
{
	u8 *p;

	if (!memory->start)
		*memory = guarded_allocate(PAGE_SIZE);
	p = memory->start + memory->bytes - bytes;
	if (bytes)
		memcpy(p, from, bytes);
	return p;
}

u8 *guarded_key(const void *key, size_t bytes)
{
	static struct guarded memory;

	return guarded_copy(&memory, key, bytes);
}

static u8 *guarded_iv(const void *iv, size_t bytes)
{
	static struct guarded memory;

	return guarded_copy(&memory, iv, bytes);
}

/* ---- modes without authentication ---- */

/*
 * One request: @bytes of @in with @iv, which is updated. Returns the driver's result; if that is 0,
 * its output was equal to @out, and otherwise the destination was not changed.
 */
static int skcipher_crypt(struct crypto_skcipher *tfm, bool decrypt,
			  const struct placement *placement, u8 *iv, const u8 *in,
			  const u8 *out, size_t bytes)
{
	unsigned int iv_bytes = crypto_skcipher_ivsize(tfm);
	u8 *request_iv = guarded_iv(iv, iv_bytes);
	struct skcipher_request request;
	int err;

	request_place(&memory, placement, bytes, bytes);
	memset(untouched, UNTOUCHED, bytes);
	scatter_write(memory.output, 0, untouched, bytes);
	scatter_write(&memory.source, 0, in, bytes);

	skcipher_request_set_tfm(&request, tfm);
	skcipher_request_set_callback(&request, CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				      NULL);
	skcipher_request_set_crypt(&request, memory.src, memory.dst, bytes,
				   request_iv);
	shim_set_steps_cross_pages(random_below(2));
	err = decrypt ? crypto_skcipher_decrypt(&request) :
			crypto_skcipher_encrypt(&request);

	if (!err)
		scatter_check(memory.output, 0, out, bytes, "output");
	else
		scatter_check(memory.output, 0,
			      placement->in_place ? in : untouched, bytes,
			      "destination of a refused request");
	if (!placement->in_place)
		scatter_check(&memory.source, 0, in, bytes, "source");
	scatter_check_around(&memory.source);
	scatter_check_around(memory.output);
	if (iv_bytes)
		memcpy(iv, request_iv, iv_bytes);
	return err;
}

/* ---- authenticated encryption ---- */

void random_key(const struct mode *mode, struct aead_message *message, size_t mac_key_bytes)
{
	struct trial r;

	usual_trial(&r, mode);
	make_key_and_iv(&r, message->key, message->iv);
	message->key_bytes = is_authenc(mode) ? KEY_HEAD + mac_key_bytes + KEY_BYTES :
						mode->key_bytes;
}

static size_t out_bytes_of(const struct aead_try *try)
{
	const struct aead_message *message = &try->contents->message;

	return message->text_bytes + (try->trial->open ? 0 : message->tag_bytes);
}

static size_t in_bytes_of(const struct aead_try *try)
{
	const struct aead_message *message = &try->contents->message;

	return message->text_bytes + (try->trial->open ? message->tag_bytes : 0);
}

/*
 * A driver may write the text of the destination and, if it encrypts, the tag. The lists
 * continue after that, as those of AF_ALG and of IPsec do: others' pages may be there.
 */
static void place_parts(struct aead_try *try)
{
	const struct aead_message *message = &try->contents->message;
	struct request_memory *memory = &try->memory;
	const bool in_place = try->placement->in_place, open = try->trial->open;
	const struct part destination[PARTS] = {
		{ message->aad_bytes, false }, { message->text_bytes, true },
		{ message->tag_bytes, !open }, { BEHIND, false },
	};
	const struct part source[PARTS] = {
		{ message->aad_bytes }, { message->text_bytes },
		{ open ? message->tag_bytes : 0 }, { BEHIND },
	};

	scatter_place_parts(&memory->source, in_place ? destination : source);
	memory->output = in_place ? &memory->source : &memory->destination;
	if (!in_place)
		scatter_place_parts(memory->output, destination);
	memory->src = memory->source.list;
	memory->dst = memory->output->list;
}

/* The watched length of a list: in parts, the whole list */
static size_t watched_bytes(const struct aead_try *try)
{
	const struct aead_message *message = &try->contents->message;

	if (try->placement->in_parts)
		return message->aad_bytes + message->text_bytes + message->tag_bytes + BEHIND;
	return message->aad_bytes +
	       (try->placement->in_place ? max(in_bytes_of(try), out_bytes_of(try)) :
					   out_bytes_of(try));
}

/* Lay out its memory and fill in the request, with @iv, which the caller keeps. */
static void aead_place(struct aead_try *try, struct aead_request *request,
		       struct crypto_aead *tfm, u8 *iv)
{
	const struct contents *c = try->contents;
	size_t aad_bytes = c->message.aad_bytes;
	size_t in_bytes = in_bytes_of(try), out_bytes = out_bytes_of(try);
	struct request_memory *memory = &try->memory;

	if (try->placement->in_parts)
		place_parts(try);
	else
		request_place(memory, try->placement, aad_bytes + in_bytes,
			      aad_bytes + out_bytes);
	/* Nothing is written over the associated data of the destination either. */
	if (!out_bytes && memory->src != memory->dst)
		memory->dst = scatter_none();
	memset(untouched, UNTOUCHED, watched_bytes(try));
	scatter_write(memory->output, 0, untouched, watched_bytes(try));
	scatter_write(&memory->source, 0, c->aad, aad_bytes);
	scatter_write(&memory->source, aad_bytes, try->trial->open ? c->sealed : c->text,
		      in_bytes);
	scatter_protect(&memory->source);
	scatter_protect(memory->output);

	aead_request_set_tfm(request, tfm);
	aead_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				  NULL);
	aead_request_set_crypt(request, memory->src, memory->dst, in_bytes, iv);
	aead_request_set_ad(request, aad_bytes);
}

static int aead_crypt(const struct trial *r, struct aead_request *request)
{
	return r->open ? crypto_aead_decrypt(request) : crypto_aead_encrypt(request);
}

void aead_check(struct aead_try *try, int err)
{
	const struct contents *c = try->contents;
	size_t aad_bytes = c->message.aad_bytes;
	size_t in_bytes = in_bytes_of(try), out_bytes = out_bytes_of(try);
	const u8 *in = try->trial->open ? c->sealed : c->text;
	const u8 *out = try->trial->open ? c->text : c->sealed;
	struct request_memory *memory = &try->memory;
	bool in_place = try->placement->in_place;
	/* the end of the bytes that may be written to the destination */
	size_t end = in_place ? max(in_bytes, out_bytes) : out_bytes;

	scatter_release(&memory->source);
	scatter_release(memory->output);
	memset(untouched, UNTOUCHED, watched_bytes(try));
	if (!err)
		scatter_check(memory->output, aad_bytes, out, out_bytes, "output");
	else if (leaves_alone(try->trial->mode, err))
		scatter_check(memory->output, aad_bytes, in_place ? in : untouched,
			      in_place ? min(in_bytes, out_bytes) : out_bytes,
			      "destination of a refused request");
	scatter_check(&memory->source, 0, c->aad, aad_bytes, "associated data of the source");
	if (!in_place) {
		scatter_check(&memory->source, aad_bytes, in, in_bytes, "source");
		scatter_check(memory->output, 0, untouched, aad_bytes,
			      "associated data of the destination");
	} else if (in_bytes > out_bytes) {
		scatter_check(memory->output, aad_bytes + out_bytes, in + out_bytes,
			      in_bytes - out_bytes, "tag");
	}
	scatter_check(memory->output, aad_bytes + end, untouched,
		      watched_bytes(try) - aad_bytes - end, "what is behind the destination");
	scatter_check_around(&memory->source);
	scatter_check_around(memory->output);
}

void set_random_key(struct keyed_aead *aead, const struct mode *mode, struct crypto_aead *tfm)
{
	aead->tfm = tfm;
	aead->mode = mode;
	/* A shorter tag may be right by chance. */
	aead->tag_bytes = 4 + random_below(LONGEST_TAG - 3);
	random_key(mode, &aead->message, random_below(MAC_KEY_MAX + 1));
	check_equal(crypto_aead_setkey(tfm, aead->message.key, aead->message.key_bytes), 0);
	check_equal(crypto_aead_setauthsize(tfm, aead->tag_bytes), 0);
}

void async_prepare(struct async_request *async, const struct keyed_aead *aead,
		   const struct placement *placement)
{
	struct trial *r = &async->trial;

	r->traits[KEY] = aead->message.key_bytes;
	r->traits[TAG] = aead->tag_bytes;
	async->contents.key = aead->message.key;
	prepare_trial(r, &async->contents);
	async->try.placement = placement;
	async->try.trial = r;
	async->try.contents = &async->contents;
	async->done = false;
	async->request = malloc(sizeof(*async->request) + crypto_aead_reqsize(aead->tfm));
	aead_place(&async->try, async->request, aead->tfm, async->contents.message.iv);
	aead_request_set_callback(async->request, 0, async_complete, async);
}

void async_complete(void *data, int err)
{
	struct async_request *async = data;

	check(!async->done);
	async->done = true;
	async->err = err;
}

int async_submit(struct async_request *async)
{
	int err = aead_crypt(&async->trial, async->request);

	if (err != -EINPROGRESS)
		async_complete(async, err);
	return err;
}

void async_check(struct async_request *async, const char *what)
{
	char text[128];

	print_trial(&async->trial, text, sizeof(text));
	describe("%s: %s, %s", what, text, async->try.placement->name);
	check(async->done);
	check_equal(async->err, right_answer(&async->trial));
	aead_check(&async->try, async->err);
	free(async->request);
}

/* ---- MACs ---- */

struct shash_desc *allocate_descriptor(struct crypto_shash *tfm)
{
	struct shash_desc *desc = malloc(sizeof(*desc) +
					 crypto_shash_descsize(tfm));

	desc->tfm = tfm;
	return desc;
}

/* Move a computation into a new descriptor, by its exported state. */
static struct shash_desc *move(struct shash_desc *desc)
{
	struct crypto_shash *tfm = desc->tfm;
	struct shash_desc *moved = allocate_descriptor(tfm);
	u8 *exported = malloc(crypto_shash_statesize(tfm));

	check_equal(crypto_shash_export(desc, exported), 0);
	check_equal(crypto_shash_import(moved, exported), 0);
	free(exported);
	free(desc);
	return moved;
}

/* Process a message in random pieces, and move it now and then. */
static void mac_in_pieces(struct crypto_shash *tfm, const u8 *p, size_t bytes,
			  u8 *mac)
{
	struct shash_desc *desc = allocate_descriptor(tfm);
	bool final = random_below(2);

	check_equal(crypto_shash_init(desc), 0);
	while (bytes) {
		size_t limit = random_below(2) ? min_t(size_t, bytes, 40) :
						 bytes;
		size_t piece = random_below(limit + 1);

		if (piece == bytes && !final)
			break;
		check_equal(crypto_shash_update(desc, p, piece), 0);
		if (!random_below(4))
			desc = move(desc);
		p += piece;
		bytes -= piece;
	}
	if (final)
		check_equal(crypto_shash_final(desc, mac), 0);
	else
		check_equal(crypto_shash_finup(desc, p, bytes, mac), 0);
	free(desc);
}

/* ---- trials ---- */

/* libgcrypt's answer, or random bytes if it has none */
static void seal(struct trial *r, struct contents *c)
{
	const struct aead_message *message = &c->message;
	struct trial sealing = *r;
	int err;

	sealing.open = false;
	err = right_answer(&sealing);
	r->is_sealed = !err;
	if (err) {
		random_fill(c->sealed, message->text_bytes + message->tag_bytes);
		sealing.traits[TEXT] = 0;
		/* authenc checks the tag first, which may also be for a partial block. */
		if (is_authenc(r->mode) && !right_answer(&sealing)) {
			authenc_tag(r->mode, message, c->sealed);
			r->is_sealed = true;
		}
		return;
	}
	switch (r->mode->kind) {
	case CIPHER:
	case SKCIPHER:
		return gcrypt_skcipher(r->mode, message->key, message->iv,
				       c->sealed, c->text, message->text_bytes);
	case AEAD:
		return gcrypt_aead(r->mode, message, c->sealed);
	default:
		gcrypt_mac(r->mode, message->key, c->text, message->text_bytes,
			   c->sealed);
	}
}

void prepare_trial(struct trial *r, struct contents *c)
{
	struct aead_message *message = &c->message;
	const unsigned int *t = r->traits;

	if (!c->aad) {
		c->aad = malloc(MESSAGE_BYTES_MAX);
		c->text = malloc(MESSAGE_BYTES_MAX);
		/* The trial may request a tag that is too long. */
		c->sealed = malloc(LONGEST_TEXT + 2 * LONGEST_TAG);
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

int set_keys(const struct trial *r, const struct contents *c, void *tfm)
{
	const unsigned int *t = r->traits;
	const u8 *key = c->message.key;
	int err;

	if (t[NO_KEY] || !has_key(r->mode))
		return 0;
	if (t[WEAK_KEY] == 1)
		crypto_skcipher_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	err = set_key(r->mode, tfm, guarded_key(key, t[KEY]), t[KEY]);
	if (!err && t[BAD_KEY])
		check_equal(set_key(r->mode, tfm, guarded_key(key, t[BAD_KEY]), t[BAD_KEY]),
			    -EINVAL);
	return err;
}

/* A block at a time */
static int ask_cipher(const struct trial *r, const struct contents *c,
		      struct crypto_cipher *tfm, const struct placement *placement)
{
	const u8 *in = r->open ? c->sealed : c->text;
	static struct flat flat;
	size_t at;

	flat_place(&flat, &(struct placement){ .in_place = placement->in_place }, in,
		   c->message.text_bytes);
	for (at = 0; at < flat.bytes; at += BLOCK)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm, flat.dst + at, flat.src + at);
	flat_check(&flat, in, r->open ? c->text : c->sealed);
	return 0;
}

/* Process some texts as several requests, each with the IV that the last one left. */
static int ask_skcipher(const struct trial *r, const struct contents *c,
			struct crypto_skcipher *tfm, const struct placement *placement)
{
	const u8 *in = r->open ? c->sealed : c->text;
	const u8 *out = r->open ? c->text : c->sealed;
	size_t bytes = c->message.text_bytes, done = 0, piece;
	bool in_pieces = r->mode->chains && r->is_sealed &&
			 !random_below(4);
	struct skcipher_request request = { 0 };
	u8 iv[BLOCK];
	int err;

	memcpy(iv, c->message.iv, BLOCK);
	if (r->traits[NO_LIST]) {
		skcipher_request_set_tfm(&request, tfm);
		skcipher_request_set_crypt(&request, NULL, NULL, 0, iv);
		return r->open ? crypto_skcipher_decrypt(&request) :
				 crypto_skcipher_encrypt(&request);
	}
	do {
		piece = bytes - done;
		if (in_pieces)
			piece = min_t(size_t, piece, BLOCK * (1 + random_below(80)));
		err = skcipher_crypt(tfm, r->open, placement, iv, in + done, out + done,
				     piece);
		done += piece;
	} while (done < bytes);
	return err;
}

static int ask_aead(const struct trial *r, const struct contents *c,
		    struct crypto_aead *tfm, const struct placement *placement)
{
	static struct aead_try try;
	struct aead_request *request;
	int err = crypto_aead_setauthsize(tfm, r->traits[TAG]);

	if (err)
		return err;
	try.placement = placement;
	try.trial = r;
	try.contents = c;
	request = malloc(sizeof(*request) + crypto_aead_reqsize(tfm));
	aead_place(&try, request, tfm,
		   guarded_iv(c->message.iv, crypto_aead_ivsize(tfm)));
	shim_set_steps_cross_pages(random_below(2));
	err = aead_crypt(r, request);
	aead_check(&try, err);
	free(request);
	return err;
}

static int ask_mac(const struct trial *r, const struct contents *c,
		   struct crypto_shash *tfm)
{
	struct shash_desc *desc = allocate_descriptor(tfm);
	static struct flat flat;
	u8 digest[HASH_MAX_DIGESTSIZE];
	int err;

	flat_place(&flat, &(struct placement){ .in_place = true }, c->text,
		   c->message.text_bytes);
	check_equal(crypto_shash_digestsize(tfm), r->mode->digest_bytes);
	err = crypto_shash_digest(desc, flat.src, flat.bytes, digest);
	if (err) {
		check_equal(crypto_shash_init(desc), err);
	} else {
		check_bytes(digest, c->sealed, r->mode->digest_bytes, "digest at once");
		mac_in_pieces(tfm, flat.src, flat.bytes, digest);
		check_bytes(digest, c->sealed, r->mode->digest_bytes, "digest in pieces");
	}
	free(desc);
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
