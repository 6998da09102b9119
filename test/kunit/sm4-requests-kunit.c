// SPDX-License-Identifier: GPL-2.0
/*
 * Requests, most of them bad: tests each driver of sm4-fast with keys, tags, IVs, lengths and lists
 * that it must refuse, or that are unusual and must not be refused. They are those of
 * test/requests, and some about memory, which are below. Each is tried on the driver and on
 * mainline's C code for the same algorithm:
 *
 *  - both give the right answer. If mainline's answer differs, mainlines_answer() tells why.
 *  - if both succeed, both write the same.
 *  - if ours refuses, it writes nothing; neither writes elsewhere.
 *
 * The same is tried with random requests, legal or not; in half of them SIMD is not usable, or it
 * comes and goes while a request is processed.
 *
 * The key, the IV, and the text of a MAC end where the next page of memory is missing, so that
 * assembly that reads beyond their end faults: not in user-mode Linux, which repeats such an
 * access forever; there, test/host tries the same.
 *
 * With no_memory=1, in addition, each allocation that a request needs fails in turn, from the
 * transform on. Then ours answers ENOMEM, or gives the right answer.
 */
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/module.h>
#include <linux/poison.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "drivers.h"
#include "simd.h"

static unsigned int random = 100;
module_param(random, uint, 0);
MODULE_PARM_DESC(random, "number of additional random requests to each driver");

static unsigned int longest = SZ_1M;
module_param(longest, uint, 0);
MODULE_PARM_DESC(longest, "leave out what has more bytes of text than that");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "let allocations of memory fail, too");

static struct rnd_state rng;

static unsigned int random_below(unsigned int limit)
{
	return prandom_u32_state(&rng) % limit;
}

static void random_fill(void *p, size_t bytes)
{
	prandom_bytes_state(&rng, p, bytes);
}

/* The names of mainline's GHASH and SM3 in C */
#if IS_ENABLED(CONFIG_CRYPTO_GHASH)
#define GHASH_GENERIC	"ghash-generic"
#else
#define GHASH_GENERIC	"ghash-lib"
#endif
#if IS_ENABLED(CONFIG_CRYPTO_SM3_GENERIC)
#define SM3_GENERIC	"sm3-generic"
#else
#define SM3_GENERIC	"sm3-lib"
#endif

#include "../requests/trials.h"
#include "../requests/modes.h"

/* A request's memory; a longer list uses it more than once. */
#define AREA_BYTES	SZ_64K
#define GUARD_BYTES	256

/* Maximum complaints about a driver, most of which are alike */
#define MAX_COMPLAINTS	20

/* Rules about memory: user space tries all placements of each request instead. */
static const struct rule memory_rules[] = {
	{ "a key anywhere in memory", ALL, KEY_ALIGN, 0, 63, 1 },
	{ "entries of few bytes", WITH_IV, ENTRY, 1, 33, 1, .set = { [TEXT] = 160 } },
	{ "entries of few bytes, some empty", WITH_IV, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 7, [TEXT] = 160 } },
	{ "long entries, some empty", WITH_IV, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 4000, [TEXT] = 16000 } },
	{ "memory anywhere", BIT(CIPHER) | WITH_IV, ALIGN, 0, 63, 1, .set = { [TEXT] = 560 } },
	{ "memory across pages", WITH_IV, ALIGN, 4040, 4100, 3,
	  .set = { [TEXT] = 560, [ENTRY] = 100 } },
	{ "an IV anywhere in memory", WITH_IV, IV_ALIGN, 0, 63, 1 },
	{ "in place", BIT(CIPHER) | WITH_IV, IN_PLACE, 1, 2, 1, .set = { [TEXT] = 5600 } },
	{ "in place, entries of few bytes", WITH_IV, IN_PLACE, 1, 2, 1,
	  .set = { [TEXT] = 5600, [ENTRY] = 13 } },
	{ "a destination that overlaps", WITH_IV, OVERLAP, 1, 400, 21, SEAL,
	  .set = { [TEXT] = 560 } },
};

/* Lengths that take too long in user space. The first driver of each algorithm is enough. */
static const struct rule long_rules[] = {
	{ "the longest text for three bytes of CCM", BIT(AEAD), TEXT, 0xffffff, 0xffffff, 1, SEAL,
	  .set = { [FIRST] = 2 } },
	{ "a text one byte too long for three", BIT(AEAD), TEXT, 0x1000000, 0x1000000, 1, SEAL,
	  .set = { [FIRST] = 2 } },
	{ "a text too long for three bytes", BIT(AEAD), TEXT, 0x1000001, 0x1000002, 1,
	  .set = { [FIRST] = 2 } },

	/* too long for a signed int */
	{ "2 GiB of whole blocks", WITH_IV, TEXT, 0x80000000U, 0x80000000U, 1, SEAL },
	{ "2 GiB and some bytes", WITH_IV, TEXT, 0x80000001U, 0x80000001U, 1, SEAL },
	{ "2 GiB to decrypt", BIT(SKCIPHER), TEXT, 0x80000000U, 0x80000001U, 1, OPEN },
	{ "2 GiB that nobody has sealed", BIT(AEAD), TEXT, 0x80000001U, 0x80000001U, 1, OPEN },
};

/* One of the two drivers that are compared, and its results */
struct contender {
	const char *name;
	int answer;
	u8 *memory;	/* the destination with its guards, or the digest */
	unsigned int begin, end;	/* of the bytes that may be written */
};

static struct contender ours, mainline;
static unsigned int requests, without_memory, complaints;
static const struct mode *mode;

/* The source, and the initial destination, each with guards */
static u8 *source, *before;
#define MEMORY_BYTES	(GUARD_BYTES + AREA_BYTES + GUARD_BYTES)

static u8 iv_memory[BLOCK_BYTES], key_memory[MAX_KEY];

/* Memory that a missing page follows, for a key, an IV, and the text of a MAC */
static u8 *key_pages, *iv_pages, *text_pages;
#define KEY_PAGES_BYTES	PAGE_SIZE
#define IV_PAGES_BYTES	PAGE_SIZE
#define TEXT_PAGES_BYTES	AREA_BYTES

/* The driver of the C tier */
static char stand_in[CRYPTO_MAX_ALG_NAME];

/* The place of the key, @align bytes before the end. Mainline reads words of authenc's. */
static u8 *place_of_key(unsigned int bytes, unsigned int align)
{
	u8 *place = key_pages + KEY_PAGES_BYTES - align - bytes;

	return is_authenc(mode) ? PTR_ALIGN_DOWN(place, 4) : place;
}

/*
 * Make a list of @left bytes that begin at @at in @memory, and continue there when its end
 * is reached. A list of no bytes has one empty entry.
 */
static int make_list(struct sg_table *table, const struct trial *r,
		     u8 *memory, unsigned int at, u64 left)
{
	unsigned int largest = r->traits[ENTRY] ?: AREA_BYTES;
	unsigned int empty = r->traits[EMPTY], i, n;
	/* All entries are the largest, except at the end of the memory; every other is empty. */
	int err = sg_alloc_table(table, 2 * (left / largest + left / AREA_BYTES + 2), GFP_KERNEL);
	struct scatterlist *sg = table->sgl;

	for (i = 0; !err && (left || !i); i++) {
		n = min3(left, (u64)largest, (u64)GUARD_BYTES + AREA_BYTES - at);
		if (empty && i % (empty + 1) == 0)
			n = 0;
		sg = i ? sg_next(sg) : sg;
		sg_set_buf(sg, memory + at, n);
		left -= n;
		at += n;
		if (at == GUARD_BYTES + AREA_BYTES)
			at = GUARD_BYTES;
	}
	if (!err)
		sg_mark_end(sg);
	return err;
}

/*
 * With no_memory, the number of the allocation in ask() that fails, and whether there
 * were that many
 */
static unsigned int failing;
static bool failed;

/* From now on, the allocation with this number fails in this thread; 0 for none. */
static void fail_allocation(unsigned int number)
{
#ifdef CONFIG_FAULT_INJECTION
	current->fail_nth = number;
#endif
}

/* Whether it has failed. A kernel without fault injection lets none fail. */
static bool allocation_has_failed(void)
{
#ifdef CONFIG_FAULT_INJECTION
	return failing && !current->fail_nth;
#else
	return false;
#endif
}

/* Called around each call of a driver: SIMD may be unusable. */
static void begin_call(const struct trial *r)
{
	if (!r->traits[NO_SIMD])
		return;
	preempt_disable();
	set_simd_usable(false);
}

static void end_call(const struct trial *r)
{
	if (!r->traits[NO_SIMD])
		return;
	set_simd_usable(true);
	preempt_enable();
}

static int set_key_of_bytes(const struct trial *r, void *tfm, unsigned int bytes)
{
	u8 *key = place_of_key(bytes, r->traits[KEY_ALIGN]);
	int err;

	memcpy(key, key_memory, bytes);
	begin_call(r);
	err = set_key(mode, tfm, key, bytes);
	end_call(r);
	return err;
}

/* Set the keys of a request: one, none, or one and then a bad one. */
static int set_keys(const struct trial *r, void *tfm)
{
	int err;

	if (r->traits[NO_KEY] || !has_key(mode))
		return 0;
	err = set_key_of_bytes(r, tfm, r->traits[KEY]);
	if (!err && r->traits[BAD_KEY] && !set_key_of_bytes(r, tfm, r->traits[BAD_KEY]))
		return -EEXIST;
	return err;
}

static int ask_skcipher(const struct trial *r, const char *name,
			struct scatterlist *src, struct scatterlist *dst,
			u8 *iv)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(name, 0, 0);
	struct skcipher_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (r->traits[WEAK_KEY] == 1)
		crypto_skcipher_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	err = req ? set_keys(r, tfm) : -ENOMEM;
	if (!err) {
		skcipher_request_set_callback(req, 0, NULL, NULL);
		skcipher_request_set_crypt(req, src, dst, given_bytes(r), iv);
		begin_call(r);
		err = r->open ? crypto_skcipher_decrypt(req) :
				crypto_skcipher_encrypt(req);
		end_call(r);
	}
	skcipher_request_free(req);
	crypto_free_skcipher(tfm);
	return err;
}

static int ask_aead(const struct trial *r, const char *name,
		    struct scatterlist *src, struct scatterlist *dst,
		    u8 *iv)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, 0, 0);
	struct aead_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	req = aead_request_alloc(tfm, GFP_KERNEL);
	err = req ? set_keys(r, tfm) : -ENOMEM;
	if (!err)
		err = crypto_aead_setauthsize(tfm, r->traits[TAG]);
	if (!err) {
		aead_request_set_callback(req, 0, NULL, NULL);
		aead_request_set_crypt(req, src, dst, given_bytes(r), iv);
		aead_request_set_ad(req, r->traits[AAD]);
		begin_call(r);
		err = r->open ? crypto_aead_decrypt(req) :
				crypto_aead_encrypt(req);
		end_call(r);
	}
	aead_request_free(req);
	crypto_free_aead(tfm);
	return err;
}

/* The bare cipher, block by block; a partial block at the end is not changed. */
static int ask_cipher(const struct trial *r, const char *name, const u8 *src, u8 *dst)
{
	struct crypto_cipher *tfm = crypto_alloc_cipher(name, 0, 0);
	unsigned int at;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = set_keys(r, tfm);
	begin_call(r);
	for (at = 0; !err && at + BLOCK_BYTES <= given_bytes(r);
	     at += BLOCK_BYTES)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm, dst + at, src + at);
	end_call(r);
	crypto_free_cipher(tfm);
	return err;
}

static int ask_mac(const struct trial *r, const char *name, const u8 *src, u8 *digest)
{
	u8 *text = text_pages + TEXT_PAGES_BYTES - given_bytes(r);
	struct crypto_shash *tfm = crypto_alloc_shash(name, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	memcpy(text, src, given_bytes(r));
	err = set_keys(r, tfm);
	if (!err) {
		begin_call(r);
		err = crypto_shash_tfm_digest(tfm, text, given_bytes(r), digest);
		end_call(r);
	}
	crypto_free_shash(tfm);
	return err;
}

/*
 * The list of a request that has @bytes of it. For 0 bytes there is none, as AF_ALG may have it:
 * our drivers must not look at it. Mainline's templates do.
 */
static struct scatterlist *list_of(const struct contender *c, struct sg_table *table, u64 bytes)
{
	return bytes || c != &ours ? table->sgl : LIST_POISON1;
}

/* Submit a request to a contender, and record its answer. */
static void ask(struct contender *c, const struct trial *r)
{
	const unsigned int *t = r->traits;
	unsigned int src_begin = GUARD_BYTES + t[ALIGN];
	unsigned int dst_begin = src_begin + t[OVERLAP];
	bool same_memory = t[IN_PLACE] || t[OVERLAP];
	u8 *src_memory = same_memory ? c->memory : source;
	u64 src_bytes = (u64)aad_bytes(r) + given_bytes(r);
	u64 dst_bytes = (u64)aad_bytes(r) + written_bytes(r);
	struct sg_table src = {}, dst = {};
	u8 *iv = iv_pages + IV_PAGES_BYTES - t[IV_ALIGN] - mode->iv_bytes;

	if (!same_memory)
		dst_begin = GUARD_BYTES + (t[ALIGN] / BLOCK_BYTES + 1) *
			    BLOCK_BYTES - t[ALIGN] % BLOCK_BYTES;
	memcpy(c->memory, same_memory ? source : before, MEMORY_BYTES);
	memcpy(iv, iv_memory, mode->iv_bytes);
	c->begin = dst_begin;
	c->end = min_t(u64, dst_begin + dst_bytes, GUARD_BYTES + AREA_BYTES);
	if (mode->kind == MAC) {
		c->begin = GUARD_BYTES;
		c->end = GUARD_BYTES + mode->digest_bytes;
	} else if (dst_begin + dst_bytes > GUARD_BYTES + AREA_BYTES) {
		c->begin = GUARD_BYTES;
	}
	/* When decrypting in place, the tag is after the bytes that are written. */
	if (t[IN_PLACE] == 1) {
		dst_bytes = max(dst_bytes, src_bytes);
		src_bytes = dst_bytes;
	}
	c->answer = -ENOBUFS;
	if (make_list(&src, r, src_memory, src_begin, src_bytes) ||
	    make_list(&dst, r, c->memory, dst_begin, dst_bytes))
		goto out;

	fail_allocation(failing);
	if (mode->kind == CIPHER)
		c->answer = ask_cipher(r, c->name, src_memory + src_begin,
				       c->memory + dst_begin);
	else if (mode->kind == MAC)
		c->answer = ask_mac(r, c->name, src_memory + src_begin,
				    c->memory + c->begin);
	else if (t[NO_LIST])
		c->answer = ask_skcipher(r, c->name, NULL, NULL, iv);
	else
		c->answer = (mode->kind == AEAD ? ask_aead : ask_skcipher)
			(r, c->name, list_of(c, &src, src_bytes),
			 list_of(c, t[IN_PLACE] == 1 ? &src : &dst, dst_bytes), iv);
	failed = allocation_has_failed();
	fail_allocation(0);
out:
	sg_free_table(&src);
	sg_free_table(&dst);
}

/*
 * Mainline gives the right result. It is not given requests that it cannot process: its MACs treat
 * an empty entry as the end of the list (6.12), and its GCM allocates memory in
 * order to set a key, which it must not where preemption is disabled.
 */
static void ask_mainline(const struct trial *r)
{
	struct trial spared = *r;

	spared.traits[EMPTY] = 0;
	spared.traits[NO_SIMD] = 0;
	ask(&mainline, &spared);
}

static void complain(const struct trial *r, const char *what,
		     const char *how)
{
	char text[256];

	if (complaints++ >= MAX_COMPLAINTS)
		return;
	print_trial(r, text, sizeof(text));
	KUNIT_FAIL(kunit_get_current_test(),
		   "%s: %s: ours answers %d, mainline's %d; %s no_memory=%u\n",
		   what, how, ours.answer, mainline.answer, text, failed ? failing : 0);
}

/* Whether a contender has written bytes that it must not write */
static bool wrote_elsewhere(const struct contender *c, const struct trial *r,
			    unsigned int begin, unsigned int end)
{
	const u8 *was = r->traits[IN_PLACE] || r->traits[OVERLAP] ?
			source : before;

	return memcmp(c->memory, was, begin) ||
	       memcmp(c->memory + end, was + end, MEMORY_BYTES - end);
}

/*
 * Whether they have written the same, if both succeeded. The associated data there does not matter.
 */
static bool same_output(const struct trial *r)
{
	unsigned int begin = ours.begin + aad_bytes(r);

	if (r->traits[OVERLAP] || mode->mainline_differs || leaves_alone(mode, ours.answer))
		return true;
	if (ours.end == GUARD_BYTES + AREA_BYTES)
		begin = ours.begin;
	return !memcmp(ours.memory + begin, mainline.memory + begin,
		       ours.end - begin);
}

static bool told_no_memory(void)
{
	return failed && ours.answer == -ENOMEM;
}

/* Mainline's answer: the right one, with three exceptions */
static int mainlines_answer(const struct trial *r, int right)
{
	const unsigned int *t = r->traits;

	/* These are lskciphers, for which the API drops the previous key when one is refused. */
	if (t[BAD_KEY] && (!strcmp(mode->name, "ecb(sm4)") || !strcmp(mode->name, "cbc(sm4)")))
		return -ENOKEY;
	/* CCM accepts one byte too many, as length 0. Texts of that length are not encrypted. */
	if (right == -EOVERFLOW && t[TEXT] == 1 << 8 * (t[FIRST] + 1))
		return r->open ? -EBADMSG : 0;
	/* authencesn copies the text over itself, four bytes on; random requests avoid that. */
	if (mode->is_esn && r->open && t[IN_PLACE] == 2)
		return -EBADMSG;
	return right;
}

/* The only place that checks the results. Returns the error, or NULL. */
static const char *judge(const struct trial *r)
{
	const int answer = right_answer(r);

	if (mainline.answer != mainlines_answer(r, answer))
		return "mainline's answer is not as expected";
	if (ours.answer != answer && !told_no_memory())
		return "the wrong answer";
	if (ours.answer == mainline.answer && !same_output(r))
		return "not what mainline makes of it";
	if (leaves_alone(mode, ours.answer) && !told_no_memory() &&
	    wrote_elsewhere(&ours, r, MEMORY_BYTES, MEMORY_BYTES))
		return "refused, and written all the same";
	if (wrote_elsewhere(&ours, r, ours.begin, ours.end))
		return "written elsewhere";
	return NULL;
}

/*
 * Submit a request to ours and mainline. With no_memory, repeat ours until no allocation fails
 * any more: the first one, the second and so on; after many, some are skipped.
 */
static void compare(const struct trial *r, const char *what)
{
	const char *wrong;

	ask_mainline(r);
	failing = no_memory;
	do {
		ask(&ours, r);
		wrong = judge(r);
		if (wrong)
			complain(r, what, wrong);
		requests++;
		without_memory += told_no_memory();
		failing += 1 + failing / 40;
		cond_resched();
	} while (failed);
	failing = 0;
}

/*
 * Replace the text by mainline's ciphertext, for decryption. If mainline refuses, the text stays.
 */
static void seal(struct trial *r)
{
	struct trial sealing = *r;
	unsigned int begin = GUARD_BYTES + r->traits[ALIGN] + aad_bytes(r);

	sealing.open = false;
	sealing.traits[IN_PLACE] = 1;
	ask_mainline(&sealing);
	r->is_sealed = !mainline.answer;
	if (r->is_sealed)
		memcpy(source + begin, mainline.memory + begin,
		       written_bytes(&sealing));
}

/*
 * A list that is longer than its memory contains the same memory several times. For these modes,
 * mainline's templates read their output again after they have written all of it: by then, it
 * has been overwritten. (Also, mainline's GCM has 32 bits for the number of
 * bits of the text.) So our own C tier gives the right result.
 */
static bool needs_stand_in(const struct trial *r)
{
	const unsigned int *t = r->traits;
	const u64 bytes = (u64)t[ALIGN] + aad_bytes(r) + t[TEXT] + tag_bytes(r);

	return bytes > AREA_BYTES - BLOCK_BYTES &&
	       (is_authenc(mode) || strstr(mode->name, "xts(sm4)") ||
		strstr(mode->name, "gcm(sm4)"));
}

static void try_trial(struct trial *r, const char *what)
{
	u8 *aad = source + GUARD_BYTES + r->traits[ALIGN];

	if (r->traits[TEXT] > longest)
		return;
	mainline.name = needs_stand_in(r) ? stand_in : mode->mainline;
	make_key_and_iv(r, key_memory, iv_memory);
	if (r->open && mode->kind == AEAD && given_bytes(r) <= AREA_BYTES / 2)
		seal(r);
	change_message(r, aad, aad + aad_bytes(r), iv_memory);
	compare(r, what);
}

static unsigned int some_bytes(unsigned int bytes)
{
	return bytes > 20000 ? 16384 + bytes % BLOCK_BYTES : bytes;
}

/* A random request, with an unusual memory layout */
static void random_request(struct trial *r)
{
	unsigned int *t = r->traits;

	random_trial(r, mode);
	t[TEXT] = some_bytes(t[TEXT]);
	t[AAD] = some_bytes(t[AAD]);
	t[ENTRY] = random_below(2) ? 1 + random_below(random_below(2) ? 40 : 5000) : 0;
	t[EMPTY] = random_below(4) ? 0 : 1 + random_below(4);
	t[ALIGN] = random_below(4200);
	t[KEY_ALIGN] = random_below(64);
	t[IV_ALIGN] = random_below(64);
	t[IN_PLACE] = random_below(mode->is_esn && r->open ? 2 : 3);
	t[NO_SIMD] = random_below(2);
}

static const struct mode *find_mode(const char *algorithm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(algorithm, modes[i].name))
			return &modes[i];
	return NULL;
}

/* The driver of the C tier for the same mode: the name of the tier is the last part of a name. */
static void name_stand_in(const char *driver)
{
	const char *cipher = driver, *last = driver;

	while ((cipher = strstr(cipher, "sm4-")))
		last = cipher += strlen("sm4-");
	snprintf(stand_in, sizeof(stand_in), "%.*sttable-fast", (int)(last - driver), driver);
}

/* Begin the test of a driver. Each has the same random numbers. */
static void begin(struct kunit *test, const struct driver *driver)
{
	mode = find_mode(driver->algorithm);
	KUNIT_ASSERT_NOT_NULL_MSG(test, mode, "%s is not in test/requests/modes.h",
				  driver->algorithm);
	ours.name = driver->name;
	name_stand_in(driver->name);
	prandom_seed_state(&rng, 1);
	random_fill(source, MEMORY_BYTES);
	random_fill(before, MEMORY_BYTES);
	requests = 0;
	without_memory = 0;
	complaints = 0;
}

static void end(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, requests, 0);
	if (no_memory)
		KUNIT_EXPECT_GT_MSG(test, without_memory, 0, "no allocation of memory failed");
	kunit_info(test, "%u requests, no memory for %u of them, compared with %s", requests,
		   without_memory, mode->mainline);
}

static void try_rules(struct kunit *test, const struct rule *some_rules, size_t count)
{
	size_t i;

	begin(test, test->param_value);
	for (i = 0; i < count; i++)
		try_rule(&some_rules[i], mode, try_trial);
	end(test);
}

/* ---- the tests ---- */

static void test_rules(struct kunit *test)
{
	try_rules(test, rules, ARRAY_SIZE(rules));
}

static void test_memory(struct kunit *test)
{
	try_rules(test, memory_rules, ARRAY_SIZE(memory_rules));
}

static void test_random(struct kunit *test)
{
	struct trial r;
	unsigned int i;

	begin(test, test->param_value);
	for (i = 0; i < random; i++) {
		random_request(&r);
		try_trial(&r, "a random request");
	}
	end(test);
}

/* Requests of several FPU sections, in each of which the vector unit is usable or not */
static void test_switched_simd(struct kunit *test)
{
	struct trial r;
	unsigned int i;

	begin(test, test->param_value);
	start_switching_simd(test);
	for (i = 0; i < random; i++) {
		random_request(&r);
		r.traits[NO_SIMD] = 0;
		r.traits[TEXT] = round_down(SZ_16K + r.traits[TEXT] % BLOCK_BYTES, mode->granule);
		try_trial(&r, "a request while SIMD comes and goes");
	}
	stop_switching_simd();
	end(test);
}

static bool is_known(const struct driver *driver)
{
	return true;
}

static const void *each_driver(TEST_ARGUMENT const void *previous, char *description)
{
	return next_driver(previous, description, is_known);
}

/* With random=0, there is nothing to try. */
static const void *each_driver_at_random(TEST_ARGUMENT const void *previous, char *description)
{
	return random ? next_driver(previous, description, is_known) : NULL;
}

/* A long rule for a driver. Each has a result of its own: KUnit waits for five minutes. */
struct long_trial {
	const struct driver *driver;
	const struct rule *rule;
};

static void test_long_texts(struct kunit *test)
{
	const struct long_trial *trial = test->param_value;

	begin(test, trial->driver);
	try_rule(trial->rule, mode, try_trial);
	end(test);
}

static bool is_tried(const struct long_trial *trial)
{
	const struct mode *tried = find_mode(trial->driver->algorithm);

	return trial->driver->is_first && trial->rule->first <= longest && tried &&
	       trial->rule->kinds & BIT(tried->kind);
}

/* Each rule for each driver */
static const void *each_long_trial(TEST_ARGUMENT const void *previous, char *description)
{
	static struct long_trial trial;

	if (!driver_count)
		return NULL;
	if (!previous)
		trial = (struct long_trial){ drivers, long_rules };
	else
		trial.rule++;
	for (; trial.driver < drivers + driver_count; trial.driver++, trial.rule = long_rules) {
		for (; trial.rule < long_rules + ARRAY_SIZE(long_rules); trial.rule++) {
			if (!is_tried(&trial))
				continue;
			snprintf(description, KUNIT_PARAM_DESC_SIZE, "%.64s: %.60s",
				 trial.driver->name, trial.rule->what);
			return &trial;
		}
	}
	return NULL;
}

/* ---- the suite ---- */

static int allocate(struct kunit *test)
{
	const size_t after = IS_ENABLED(CONFIG_UML) ? PAGE_SIZE : 0;

	source = kunit_kmalloc(test, MEMORY_BYTES, GFP_KERNEL);
	before = kunit_kmalloc(test, MEMORY_BYTES, GFP_KERNEL);
	ours.memory = kunit_kmalloc(test, MEMORY_BYTES, GFP_KERNEL);
	mainline.memory = kunit_kmalloc(test, MEMORY_BYTES, GFP_KERNEL);
	key_pages = vmalloc(KEY_PAGES_BYTES + after);
	iv_pages = vmalloc(IV_PAGES_BYTES + after);
	text_pages = vmalloc(TEXT_PAGES_BYTES + after);
	return source && before && ours.memory && mainline.memory && key_pages && iv_pages &&
	       text_pages ? 0 : -ENOMEM;
}

static void release(struct kunit *test)
{
	stop_switching_simd();
	vfree(key_pages);
	vfree(iv_pages);
	vfree(text_pages);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM_ATTR(test_rules, each_driver, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_memory, each_driver, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_random, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_switched_simd, each_driver_at_random, SLOW),
	KUNIT_CASE_PARAM_ATTR(test_long_texts, each_long_trial, SLOW),
	{}
};

static struct kunit_suite suite = {
	.name = "sm4_requests",
	.suite_init = find_drivers,
	.init = allocate,
	.exit = release,
	.test_cases = cases,
};

kunit_test_suite(suite);

/* Like MODULE_IMPORT_NS(), whose argument is a string only in newer kernels */
MODULE_INFO(import_ns, "CRYPTO_INTERNAL");
MODULE_DESCRIPTION("Requests to the drivers of sm4-fast, compared with mainline's code");
MODULE_LICENSE("GPL");
