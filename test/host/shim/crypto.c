// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The crypto API of the shim: registration, allocation, the checks that the
 * kernel makes before an algorithm is called, and walks over scatterlists.
 *
 * Where the kernel's behaviour may vary, this chooses the worst case: contexts are aligned to 8
 * bytes and never to 16, and walks copy all blocks that are not contiguous.
 */
#include "../case.h"
#include "control.h"

static struct {
	struct crypto_alg *algorithms[SHIM_ALGORITHMS_MAX];
	unsigned int count;
	unsigned int users;	/* transforms allocated and not yet freed */
	const char *vendors_driver;
	bool failure_due, all_fail, copies_fail, held_for_good;
	unsigned int successes_left;
	bool steps_cross_pages;
} state;

void shim_forget_users(void)
{
	state.users = 0;
}

void shim_reset_crypto(void)
{
	memset(&state, 0, sizeof(state));
}

/* ---- registration ---- */

unsigned int shim_algorithm_count(void)
{
	return state.count;
}

const struct crypto_alg *shim_algorithm(unsigned int i)
{
	return state.algorithms[i];
}

void shim_fail_registration_after(unsigned int successes)
{
	state.failure_due = true;
	state.successes_left = successes;
}

void shim_fail_all_registrations(void)
{
	state.all_fail = true;
}

void shim_set_vendors_driver(const char *driver_name)
{
	state.vendors_driver = driver_name;
}

int crypto_has_alg(const char *name, u32 type, u32 mask)
{
	if (!(mask & CRYPTO_NOLOAD))
		fail_case("modprobe started for %s, which is no module's alias", name);
	return state.vendors_driver && !strcmp(state.vendors_driver, name);
}

static int register_algorithm(struct crypto_alg *alg, u32 type)
{
	unsigned int i;

	if (shim_in_fpu_section())
		fail_case("%s registered inside an FPU section",
			  alg->cra_driver_name);
	if (fips_enabled)
		fail_case("%s registered in FIPS mode: a kernel that checks signatures panics",
			  alg->cra_driver_name);
	for (i = 0; i < state.count; i++) {
		const struct crypto_alg *other = state.algorithms[i];

		if (other == alg ||
		    !strcmp(other->cra_driver_name, alg->cra_driver_name) ||
		    !strcmp(other->cra_driver_name, alg->cra_name) ||
		    !strcmp(other->cra_name, alg->cra_driver_name))
			return -EEXIST;
	}
	if (state.all_fail)
		return -ENOMEM;
	if (state.failure_due && !state.successes_left--) {
		state.failure_due = false;
		return -ENOMEM;
	}
	if (state.count == SHIM_ALGORITHMS_MAX)
		fail_case("more than %u algorithms: raise SHIM_ALGORITHMS_MAX",
			  SHIM_ALGORITHMS_MAX);
	alg->cra_flags &= ~CRYPTO_ALG_TYPE_MASK;
	alg->cra_flags |= type;
	alg->cra_refcnt = 1;
	alg->shim_has_instances = true;
	state.algorithms[state.count++] = alg;
	return 0;
}

/* Returns the place of an algorithm, to which @what happens. */
static unsigned int find_registered(const struct crypto_alg *alg, const char *what)
{
	unsigned int i;

	for (i = 0; i < state.count; i++)
		if (state.algorithms[i] == alg)
			return i;
	fail_case("%s %s, but it is not registered", alg->cra_driver_name, what);
}

/*
 * Each algorithm has an instance of a template. A request for the instance is refused while the
 * module is being unloaded, but holds the algorithm until the module sleeps. The instance exists
 * until it is freed.
 */
struct rw_semaphore crypto_alg_sem;

void crypto_remove_spawns(struct crypto_alg *alg, struct list_head *instances,
			  struct crypto_alg *but_for)
{
	if (!crypto_alg_sem.locked)
		fail_case("instances removed without crypto_alg_sem");
	/* An earlier case that failed may have left it: msleep() does not know it. */
	find_registered(alg, "loses its instances");
	alg->cra_refcnt = 2;
	list_add(&alg->shim_removed, instances);
}

void crypto_remove_final(struct list_head *instances)
{
	struct crypto_alg *alg;

	if (crypto_alg_sem.locked)
		fail_case("instances freed with crypto_alg_sem");
	list_for_each_entry(alg, instances, shim_removed)
		alg->shim_has_instances = false;
}

void msleep(unsigned int milliseconds)
{
	unsigned int i;

	if (state.held_for_good)
		return;
	for (i = 0; i < state.count; i++)
		state.algorithms[i]->cra_refcnt = 1;
}

void shim_hold_for_good(void)
{
	state.held_for_good = true;
}

static void unregister_algorithm(struct crypto_alg *alg)
{
	const unsigned int i = find_registered(alg, "is unregistered");

	if (state.users)
		fail_case("%s unregistered while %u transforms are in use",
			  alg->cra_driver_name, state.users);
	if (alg->shim_has_instances || (alg->cra_refcnt != 1 && !state.held_for_good))
		fail_case("%s unregistered while a refused request may hold it",
			  alg->cra_driver_name);
	/* After its registration, a user may keep it indefinitely. */
	if (shim_module.is_loading)
		fail_case("%s unregistered while somebody has it",
			  alg->cra_driver_name);
	state.count--;
	memmove(&state.algorithms[i], &state.algorithms[i + 1],
		(state.count - i) * sizeof(state.algorithms[0]));
}

/* This is the only type whose flags the module has to set itself. */
int crypto_register_alg(struct crypto_alg *alg)
{
	if ((alg->cra_flags & CRYPTO_ALG_TYPE_MASK) != CRYPTO_ALG_TYPE_CIPHER)
		fail_case("%s is not said to be a cipher",
			  alg->cra_driver_name);
	return register_algorithm(alg, CRYPTO_ALG_TYPE_CIPHER);
}

void crypto_unregister_alg(struct crypto_alg *alg)
{
	unregister_algorithm(alg);
}

#define DEFINE_UNREGISTRATION(kind) \
void crypto_unregister_##kind(struct kind##_alg *alg) \
{ \
	unregister_algorithm(&alg->base); \
}

DEFINE_UNREGISTRATION(skcipher)
DEFINE_UNREGISTRATION(aead)
DEFINE_UNREGISTRATION(shash)

int crypto_register_skcipher(struct skcipher_alg *alg)
{
	if (!alg->chunksize)
		alg->chunksize = alg->base.cra_blocksize;
	if (!alg->walksize)
		alg->walksize = alg->chunksize;
	return register_algorithm(&alg->base, CRYPTO_ALG_TYPE_SKCIPHER);
}

int crypto_register_aead(struct aead_alg *alg)
{
	if (!alg->chunksize)
		alg->chunksize = alg->base.cra_blocksize;
	return register_algorithm(&alg->base, CRYPTO_ALG_TYPE_AEAD);
}

int crypto_register_shash(struct shash_alg *alg)
{
	return register_algorithm(&alg->base, CRYPTO_ALG_TYPE_SHASH);
}

/* ---- transforms: an algorithm with a key ---- */

static struct crypto_alg *find_algorithm(const char *driver_name)
{
	unsigned int i;

	for (i = 0; i < state.count; i++)
		if (!strcmp(state.algorithms[i]->cra_driver_name, driver_name))
			return state.algorithms[i];
	fail_case("no driver named %s is registered", driver_name);
}

/* The header before a transform */
struct transform_head {
	void *memory;
	struct crypto_tfm *tfm;
};

static void free_memory(void *transform)
{
	state.users--;
	free(((struct transform_head *)transform - 1)->memory);
}

/*
 * Memory that is zeroed, and that ends with the tfm. The context follows, with the worst
 * alignment that kmalloc() may return.
 */
void *shim_allocate_transform(const char *driver_name)
{
	static const size_t sizes[] = {
		[CRYPTO_ALG_TYPE_CIPHER] = sizeof(struct crypto_cipher),
		[CRYPTO_ALG_TYPE_SKCIPHER] = sizeof(struct crypto_skcipher),
		[CRYPTO_ALG_TYPE_AEAD] = sizeof(struct crypto_aead),
		[CRYPTO_ALG_TYPE_SHASH] = sizeof(struct crypto_shash),
	};
	struct crypto_alg *alg = find_algorithm(driver_name);
	const u32 type = alg->cra_flags & CRYPTO_ALG_TYPE_MASK;
	size_t bytes = sizes[type], shift = (24 - bytes % 16) % 16;
	size_t all = sizeof(struct transform_head) + shift + bytes + alg->cra_ctxsize;
	struct transform_head *head;
	struct crypto_tfm *tfm;
	void *memory, *transform;
	int err = 0;

	if (posix_memalign(&memory, 16, all))
		fail_case("out of memory");
	memset(memory, 0, all);
	head = (struct transform_head *)((u8 *)memory + shift);
	transform = head + 1;
	tfm = (struct crypto_tfm *)((u8 *)transform + bytes) - 1;
	head->memory = memory;
	head->tfm = tfm;
	tfm->__crt_alg = alg;
	tfm->crt_flags = CRYPTO_TFM_NEED_KEY;
	state.users++;
	if (type == CRYPTO_ALG_TYPE_SHASH && !crypto_shash_alg(transform)->setkey)
		tfm->crt_flags = 0;
	if (type == CRYPTO_ALG_TYPE_AEAD && crypto_aead_alg(transform)->init)
		err = crypto_aead_alg(transform)->init(transform);
	if (!err)
		return transform;
	free_memory(transform);
	return ERR_PTR(err);
}

void shim_free_transform(void *transform)
{
	const struct crypto_tfm *tfm = ((struct transform_head *)transform - 1)->tfm;
	const u32 type = tfm->__crt_alg->cra_flags & CRYPTO_ALG_TYPE_MASK;

	if (type == CRYPTO_ALG_TYPE_AEAD && crypto_aead_alg(transform)->exit)
		crypto_aead_alg(transform)->exit(transform);
	if (type == CRYPTO_ALG_TYPE_SKCIPHER && crypto_skcipher_alg(transform)->exit)
		crypto_skcipher_alg(transform)->exit(transform);
	free_memory(transform);
}

/* Whether a key was set, after an attempt that ended with @err */
static int key_attempted(struct crypto_tfm *tfm, int err)
{
	if (err)
		tfm->crt_flags |= CRYPTO_TFM_NEED_KEY;
	else
		tfm->crt_flags &= ~CRYPTO_TFM_NEED_KEY;
	return err;
}

static bool needs_key(const struct crypto_tfm *tfm)
{
	return tfm->crt_flags & CRYPTO_TFM_NEED_KEY;
}

int crypto_cipher_setkey(struct crypto_cipher *tfm, const u8 *key,
			 unsigned int keylen)
{
	const struct cipher_alg *alg = &tfm->base.__crt_alg->cra_cipher;

	if (keylen < alg->cia_min_keysize || keylen > alg->cia_max_keysize)
		return -EINVAL;
	return alg->cia_setkey(&tfm->base, key, keylen);
}

void crypto_cipher_encrypt_one(struct crypto_cipher *tfm, u8 *dst,
			       const u8 *src)
{
	tfm->base.__crt_alg->cra_cipher.cia_encrypt(&tfm->base, dst, src);
}

void crypto_cipher_decrypt_one(struct crypto_cipher *tfm, u8 *dst,
			       const u8 *src)
{
	tfm->base.__crt_alg->cra_cipher.cia_decrypt(&tfm->base, dst, src);
}

int crypto_skcipher_setkey(struct crypto_skcipher *tfm, const u8 *key,
			   unsigned int keylen)
{
	const struct skcipher_alg *alg = crypto_skcipher_alg(tfm);

	if (keylen < alg->min_keysize || keylen > alg->max_keysize)
		return -EINVAL;
	return key_attempted(&tfm->base, alg->setkey(tfm, key, keylen));
}

#define DEFINE_SETKEY(kind) \
int crypto_##kind##_setkey(struct crypto_##kind *tfm, const u8 *key, unsigned int keylen) \
{ \
	return key_attempted(&tfm->base, crypto_##kind##_alg(tfm)->setkey(tfm, key, keylen)); \
}

DEFINE_SETKEY(aead)
DEFINE_SETKEY(shash)

/* A request in one direction */
#define DEFINE_CRYPT(kind, way) \
int crypto_##kind##_##way(struct kind##_request *req) \
{ \
	struct crypto_##kind *tfm = crypto_##kind##_reqtfm(req); \
\
	return needs_key(&tfm->base) ? -ENOKEY : crypto_##kind##_alg(tfm)->way(req); \
}

DEFINE_CRYPT(skcipher, encrypt)
DEFINE_CRYPT(skcipher, decrypt)
DEFINE_CRYPT(aead, encrypt)

int crypto_aead_setauthsize(struct crypto_aead *tfm, unsigned int authsize)
{
	const struct aead_alg *alg = crypto_aead_alg(tfm);
	int err = 0;

	if ((!authsize && alg->maxauthsize) || authsize > alg->maxauthsize)
		return -EINVAL;
	if (alg->setauthsize)
		err = alg->setauthsize(tfm, authsize);
	if (!err)
		tfm->authsize = authsize;
	return err;
}

/* In the kernel, users take locks in it, and free the request's memory. */
void aead_request_complete(struct aead_request *req, int err)
{
	if (shim_in_fpu_section() || shim_holds_locks() || !in_softirq())
		fail_case("a request completed with a lock, or not in a softirq");
	req->base.complete(req->base.data, err);
}

int crypto_aead_decrypt(struct aead_request *req)
{
	struct crypto_aead *tfm = crypto_aead_reqtfm(req);

	if (needs_key(&tfm->base))
		return -ENOKEY;
	if (req->cryptlen < crypto_aead_authsize(tfm))
		return -EINVAL;
	return crypto_aead_alg(tfm)->decrypt(req);
}

/* A test's own memory: none of it is counted, and no allocation of it fails. */
struct skcipher_request *skcipher_request_alloc(struct crypto_skcipher *tfm, gfp_t flags)
{
	struct skcipher_request *req = calloc(1, sizeof(*req));

	skcipher_request_set_tfm(req, tfm);
	return req;
}

void skcipher_request_free(struct skcipher_request *req)
{
	free(req);
}

struct aead_request *aead_request_alloc(struct crypto_aead *tfm, gfp_t flags)
{
	struct aead_request *req = malloc(sizeof(*req) + crypto_aead_reqsize(tfm));

	aead_request_set_tfm(req, tfm);
	return req;
}

void aead_request_free(struct aead_request *req)
{
	free(req);
}

int crypto_shash_init(struct shash_desc *desc)
{
	return needs_key(&desc->tfm->base) ? -ENOKEY : crypto_shash_alg(desc->tfm)->init(desc);
}

int crypto_shash_update(struct shash_desc *desc, const u8 *data,
			unsigned int len)
{
	return crypto_shash_alg(desc->tfm)->update(desc, data, len);
}

int crypto_shash_final(struct shash_desc *desc, u8 *out)
{
	return crypto_shash_alg(desc->tfm)->final(desc, out);
}

int crypto_shash_finup(struct shash_desc *desc, const u8 *data,
		       unsigned int len, u8 *out)
{
	return crypto_shash_alg(desc->tfm)->finup(desc, data, len, out);
}

int crypto_shash_digest(struct shash_desc *desc, const u8 *data,
			unsigned int len, u8 *out)
{
	return crypto_shash_init(desc) ?: crypto_shash_finup(desc, data, len, out);
}

int crypto_shash_export(struct shash_desc *desc, void *out)
{
	return crypto_shash_alg(desc->tfm)->export(desc, out);
}

int crypto_shash_import(struct shash_desc *desc, const void *in)
{
	return needs_key(&desc->tfm->base) ? -ENOKEY :
	       crypto_shash_alg(desc->tfm)->import(desc, in);
}

/* ---- scatterlists as one stream of bytes ---- */

static void scatter_start(struct scatter_walk *walk, struct scatterlist *sg)
{
	walk->sg = sg;
	walk->offset = 0;
}

static u8 *scatter_address(const struct scatter_walk *walk)
{
	return walk->sg->address + walk->offset;
}

/* Number of bytes, of @bytes, that are contiguous here, as a walk's step has to be */
static unsigned int scatter_clamp(const struct scatter_walk *walk,
				  unsigned int bytes)
{
	unsigned int in_entry = walk->sg->length - walk->offset;
	unsigned int in_step = PAGE_SIZE;

	if (!state.steps_cross_pages)
		in_step -= offset_in_page(scatter_address(walk));
	return min3(bytes, in_entry, in_step);
}

/* Advance by @bytes, and to the next entry if @more bytes are needed from there. */
static void scatter_advance(struct scatter_walk *walk, unsigned int bytes,
			    bool more)
{
	for (;;) {
		unsigned int step = min(bytes,
					walk->sg->length - walk->offset);

		walk->offset += step;
		bytes -= step;
		if ((!bytes && !more) || walk->offset < walk->sg->length)
			return;
		scatter_start(walk, sg_next(walk->sg));
		if (!walk->sg)
			fail_case("the scatterlist ends before the request");
	}
}

/* Copy between @p and the stream, and advance. */
static void scatter_copy(u8 *p, struct scatter_walk *walk, unsigned int bytes,
			 bool out)
{
	while (bytes) {
		unsigned int step;

		scatter_advance(walk, 0, true);
		step = min(bytes, walk->sg->length - walk->offset);
		if (out)
			memcpy(scatter_address(walk), p, step);
		else
			memcpy(p, scatter_address(walk), step);
		walk->offset += step;
		p += step;
		bytes -= step;
	}
}

void scatterwalk_map_and_copy(void *p, struct scatterlist *sg,
			      unsigned int start, unsigned int bytes, int out)
{
	struct scatter_walk walk;

	if (!bytes)
		return;
	scatter_start(&walk, sg);
	scatter_advance(&walk, start, true);
	scatter_copy(p, &walk, bytes, out);
}

/* ---- walks: a request in steps that are contiguous ---- */

static int walk_next(struct skcipher_walk *walk)
{
	unsigned int enough = min(walk->stride,
				  max(walk->total, walk->blocksize));
	unsigned int bytes = walk->total;

	bytes = scatter_clamp(&walk->in, bytes);
	bytes = scatter_clamp(&walk->out, bytes);
	if (bytes >= enough) {
		walk->nbytes = bytes;
		walk->src.address = scatter_address(&walk->in);
		walk->dst.address = scatter_address(&walk->out);
		return 0;
	}
	if (walk->total < walk->blocksize)
		return skcipher_walk_done(walk, -EINVAL);

	/* A block that straddles entries or pages is processed in a copy. */
	walk->nbytes = enough;
	if (state.copies_fail)
		return skcipher_walk_done(walk, -ENOMEM);
	walk->bounce = malloc(enough);
	walk->src.address = walk->bounce;
	walk->dst.address = walk->bounce;
	scatter_copy(walk->bounce, &walk->in, enough, false);
	return 0;
}

int skcipher_walk_done(struct skcipher_walk *walk, int err)
{
	unsigned int done = walk->nbytes;
	unsigned int left = 0;
	u8 *bounce = walk->bounce;

	if (shim_in_fpu_section())
		fail_case("skcipher_walk_done() inside an FPU section");
	if (!done)
		return err;
	if (err > (int)done)
		fail_case("%d bytes of a step of %u left undone", err, done);

	walk->nbytes = 0;
	walk->bounce = NULL;
	if (err >= 0) {
		done -= err;
		left = walk->total - done;
	}
	if (bounce) {
		/* A copied block has to be processed as a whole. */
		if (err > 0) {
			err = -EINVAL;
			left = 0;
		} else if (!err) {
			scatter_copy(bounce, &walk->out, done, true);
		}
		free(bounce);
		scatter_advance(&walk->out, 0, left);
		scatter_advance(&walk->in, 0, left);
	} else {
		scatter_advance(&walk->out, done, left);
		scatter_advance(&walk->in, done, left);
	}
	walk->total = left;
	if (left)
		return walk_next(walk);
	return min(err, 0);
}

/* Walk over walk->total bytes after the first @skip bytes. */
static int walk_start(struct skcipher_walk *walk, struct scatterlist *src,
		      struct scatterlist *dst, unsigned int skip)
{
	if (shim_in_fpu_section())
		fail_case("a walk started inside an FPU section");
	walk->nbytes = 0;
	walk->bounce = NULL;
	if (!walk->total)
		return 0;
	scatter_start(&walk->in, src);
	scatter_start(&walk->out, dst);
	scatter_advance(&walk->in, skip, true);
	scatter_advance(&walk->out, skip, true);
	return walk_next(walk);
}

/* An atomic walk does not sleep, even if its request may. */
static void check_walk(bool atomic)
{
	if (atomic)
		fail_case("a walk that does not sleep between its steps");
}

int skcipher_walk_virt(struct skcipher_walk *walk, struct skcipher_request *req,
		       bool atomic)
{
	const struct skcipher_alg *alg =
		crypto_skcipher_alg(crypto_skcipher_reqtfm(req));

	check_walk(atomic);
	walk->total = req->cryptlen;
	walk->iv = req->iv;
	walk->blocksize = alg->base.cra_blocksize;
	walk->stride = alg->walksize;
	return walk_start(walk, req->src, req->dst, 0);
}

static int walk_aead(struct skcipher_walk *walk, struct aead_request *req)
{
	const struct aead_alg *alg = crypto_aead_alg(crypto_aead_reqtfm(req));

	if (req->base.flags & CRYPTO_TFM_REQ_MAY_SLEEP && in_softirq())
		fail_case("a walk that may sleep, in a softirq");
	walk->iv = req->iv;
	walk->blocksize = alg->base.cra_blocksize;
	walk->stride = alg->chunksize;
	return walk_start(walk, req->src, req->dst, req->assoclen);
}

int skcipher_walk_aead_encrypt(struct skcipher_walk *walk,
			       struct aead_request *req, bool atomic)
{
	check_walk(atomic);
	walk->total = req->cryptlen;
	return walk_aead(walk, req);
}

int skcipher_walk_aead_decrypt(struct skcipher_walk *walk,
			       struct aead_request *req, bool atomic)
{
	check_walk(atomic);
	walk->total = req->cryptlen -
		      crypto_aead_authsize(crypto_aead_reqtfm(req));
	return walk_aead(walk, req);
}

void shim_fail_copies(void)
{
	state.copies_fail = true;
}

void shim_set_steps_cross_pages(bool cross)
{
	state.steps_cross_pages = cross;
}

/* ---- small helpers ---- */

void crypto_inc(u8 *counter, unsigned int bytes)
{
	while (bytes-- && !++counter[bytes])
		;
}

int crypto_memneq(const void *a, const void *b, size_t bytes)
{
	return !!memcmp(a, b, bytes);
}

/* SP 800-38D, section 5.2.1.2 */
int crypto_gcm_check_authsize(unsigned int authsize)
{
	return authsize == 4 || authsize == 8 ||
	       (authsize >= 12 && authsize <= 16) ? 0 : -EINVAL;
}

/* RFC 4106, section 6 */
int crypto_rfc4106_check_authsize(unsigned int authsize)
{
	return authsize == 8 || authsize == 12 || authsize == 16 ? 0 : -EINVAL;
}

/* SPI and a sequence number of 32 or 64 bits, then the IV */
int crypto_ipsec_check_assoclen(unsigned int assoclen)
{
	return assoclen == 16 || assoclen == 20 ? 0 : -EINVAL;
}

int xts_verify_key(struct crypto_skcipher *tfm, const u8 *key,
		   unsigned int keylen)
{
	if (keylen % 2)
		return -EINVAL;
	if (crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_FORBID_WEAK_KEYS &&
	    !memcmp(key, key + keylen / 2, keylen / 2))
		return -EINVAL;
	return 0;
}
