// SPDX-License-Identifier: GPL-2.0
/* Requests to the crypto API (requests.h). */
#include <errno.h>
#include "requests.h"
#include "shim/control.h"

static struct request_memory memory;

/* What a destination holds before: this value, in all of its bytes */
#define UNTOUCHED	0x5a

static u8 untouched[MESSAGE_BYTES_MAX];

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

u8 *guarded_iv(const void *iv, size_t bytes)
{
	static struct guarded memory;

	return guarded_copy(&memory, iv, bytes);
}

/* ---- modes without authentication ---- */

void random_iv(u8 iv[BLOCK])
{
	unsigned int ones = random_below(2) ? 4 * (1 + random_below(4)) : 0;

	random_fill(iv, BLOCK);
	if (ones) {
		memset(iv + BLOCK - ones, 0xff, ones);
		iv[BLOCK - 1] -= random_below(80);
	}
}

int skcipher_crypt(struct crypto_skcipher *tfm, bool decrypt,
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
	else if (err == -EINVAL)
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

static unsigned int random_tag_bytes(const struct aead_mode *mode)
{
	unsigned int bytes;

	do {
		bytes = random_below(TAG_MAX + 1);
	} while (!(mode->tag_sizes >> bytes & 1));
	return bytes;
}

bool has_counter_length(const struct aead_mode *mode)
{
	return mode->iv_bytes == BLOCK && !is_authenc(mode);
}

void random_aead_key(const struct aead_mode *mode, struct aead_message *message,
		     size_t mac_key_bytes)
{
	random_fill(message->key, sizeof(message->key));
	message->key_bytes = mode->key_bytes;
	if (!is_authenc(mode))
		return;
	/* struct rtattr, in the CPU's byte order; then a big-endian number */
	message->key_bytes = AUTHENC_KEY_HEAD + mac_key_bytes + BLOCK;
	memcpy(message->key, "\x08\0\x01\0\0\0\0\x10", AUTHENC_KEY_HEAD);
}

void random_aead_parameters(const struct aead_mode *mode,
			    struct aead_message *message)
{
	unsigned int shortest = message->text_bytes > 65535 ? 2 : 1;

	random_aead_key(mode, message, random_below(random_below(4) ? 80 :
						    MAC_KEY_MAX + 1));
	random_fill(message->iv, sizeof(message->iv));
	if (has_counter_length(mode))
		message->iv[0] = shortest + random_below(8 - shortest);
	message->tag_bytes = random_tag_bytes(mode);
}

static size_t in_bytes_of(const struct aead_try *try)
{
	return try->message->text_bytes +
	       (try->decrypt ? try->message->tag_bytes : 0);
}

static size_t out_bytes_of(const struct aead_try *try)
{
	return try->message->text_bytes +
	       (try->decrypt ? 0 : try->message->tag_bytes);
}

void aead_place(struct aead_try *try, struct aead_request *request,
		struct crypto_aead *tfm, u8 *iv)
{
	const struct aead_message *message = try->message;
	size_t in_bytes = in_bytes_of(try), out_bytes = out_bytes_of(try);
	struct request_memory *memory = &try->memory;

	request_place(memory, try->placement, message->aad_bytes + in_bytes,
		      message->aad_bytes + out_bytes);
	memset(untouched, UNTOUCHED, out_bytes);
	scatter_write(memory->output, message->aad_bytes, untouched, out_bytes);
	scatter_write(&memory->source, 0, message->aad, message->aad_bytes);
	scatter_write(&memory->source, message->aad_bytes,
		      try->decrypt ? try->sealed : message->text, in_bytes);

	aead_request_set_tfm(request, tfm);
	aead_request_set_callback(request, CRYPTO_TFM_REQ_MAY_SLEEP, NULL,
				  NULL);
	aead_request_set_crypt(request, memory->src, memory->dst, in_bytes, iv);
	aead_request_set_ad(request, message->aad_bytes);
}

void aead_check(struct aead_try *try, const struct aead_mode *mode, int err)
{
	const struct aead_message *message = try->message;
	size_t in_bytes = in_bytes_of(try), out_bytes = out_bytes_of(try);
	const u8 *in = try->decrypt ? try->sealed : message->text;
	const u8 *out = try->decrypt ? message->text : try->sealed;
	struct request_memory *memory = &try->memory;
	bool in_place = try->placement->in_place;

	memset(untouched, UNTOUCHED, out_bytes);
	if (!err)
		scatter_check(memory->output, message->aad_bytes, out, out_bytes,
			      "output");
	else if (err == -EINVAL || (err == -EBADMSG && is_authenc(mode)))
		scatter_check(memory->output, message->aad_bytes,
			      in_place ? in : untouched,
			      in_place ? min(in_bytes, out_bytes) : out_bytes,
			      "destination of a refused request");
	if (!in_place) {
		scatter_check(&memory->source, 0, message->aad,
			      message->aad_bytes, "source's associated data");
		scatter_check(&memory->source, message->aad_bytes, in, in_bytes,
			      "source");
	} else {
		scatter_check(&memory->source, 0, message->aad,
			      message->aad_bytes, "associated data in place");
	}
	scatter_check_around(&memory->source);
	scatter_check_around(memory->output);
}

int aead_crypt(struct crypto_aead *tfm, bool decrypt,
	       const struct placement *placement,
	       const struct aead_message *message, const u8 *sealed)
{
	static struct aead_try try;
	struct aead_request request;
	int err;

	try.placement = placement;
	try.message = message;
	try.sealed = sealed;
	try.decrypt = decrypt;
	aead_place(&try, &request, tfm,
		   guarded_iv(message->iv, crypto_aead_ivsize(tfm)));
	shim_set_steps_cross_pages(random_below(2));
	err = decrypt ? crypto_aead_decrypt(&request) :
			crypto_aead_encrypt(&request);
	aead_check(&try, find_aead_mode(crypto_aead_alg(tfm)->base.cra_name),
		   err);
	return err;
}

/* ---- MACs ---- */

struct shash_desc *allocate_descriptor(struct crypto_shash *tfm)
{
	struct shash_desc *desc = malloc(sizeof(*desc) +
					 crypto_shash_descsize(tfm));

	desc->tfm = tfm;
	return desc;
}

/* Move a computation into a new descriptor, by way of its exported state. */
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

void mac_in_pieces(struct crypto_shash *tfm, const u8 *p, size_t bytes,
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

void check_digest(struct crypto_shash *tfm, const u8 *p, size_t bytes,
		  const u8 *expected)
{
	const unsigned int digest_bytes = crypto_shash_digestsize(tfm);
	struct shash_desc *desc = allocate_descriptor(tfm);
	u8 digest[HASH_MAX_DIGESTSIZE];

	describe("%zu bytes", bytes);
	check_equal(crypto_shash_digest(desc, p, bytes, digest), 0);
	check_bytes(digest, expected, digest_bytes, "MAC or digest at once");
	free(desc);
	mac_in_pieces(tfm, p, bytes, digest);
	check_bytes(digest, expected, digest_bytes, "MAC or digest in pieces");
}
