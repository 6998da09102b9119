// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Compares drivers of one algorithm of the kernel's crypto API, and calls them as
 * their users do: one request after the other, in place, each a single scatterlist
 * entry in contiguous memory; or, of an AEAD, "burst" requests at a time, with
 * softirqs off, like packets. bench/kernel loads this module once for each
 * algorithm, with the measurement as parameters. The results are in the kernel's
 * log:
 *
 *	sm4-bench: DRIVER enc|dec BYTES MINIMUM MEDIAN
 *
 * in hundredths of a TSC cycle per request, over all samples. A sample consists of
 * several requests, and a turn of many samples. At each size, the drivers take
 * turns, so that all see the same machine. Before anything is timed, all drivers
 * have to give the same results for the same messages, and to decrypt them.
 *
 * The module does not stay loaded: it ends with EAGAIN on success. It does not
 * compare figures; bench/kernel does.
 */
#define pr_fmt(fmt) "sm4-bench: " fmt

#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <crypto/aead.h>
#include <crypto/authenc.h>
#include <crypto/skcipher.h>

#define MAX_DRIVERS	16
#define MAX_SIZES	16
#define MAX_KEY_BYTES	64
#define TAG_BYTES	16
#define IV_BYTES	16

/* A sample has as many messages as give this number of bytes, within limits. */
#define SAMPLE_BYTES	8192
#define MAX_MESSAGES	64
#define MAX_MESSAGE	SZ_32K
#define AREA_BYTES	SZ_128K

static char *drivers;
module_param(drivers, charp, 0);
MODULE_PARM_DESC(drivers, "names of drivers of one algorithm, with blanks between");

static bool aead;
module_param(aead, bool, 0);
MODULE_PARM_DESC(aead, "whether they are AEADs, or else ciphers");

static unsigned int key_bytes = 16;
module_param(key_bytes, uint, 0);

static unsigned int hash_key_bytes;
module_param(hash_key_bytes, uint, 0);
MODULE_PARM_DESC(hash_key_bytes, "another key, for the hash of authenc()");

static unsigned int aad_bytes;
module_param(aad_bytes, uint, 0);
MODULE_PARM_DESC(aad_bytes, "associated data of an AEAD's message");

static unsigned int burst;
module_param(burst, uint, 0);
MODULE_PARM_DESC(burst, "messages that an AEAD is given at a time, or 0: one after the other");

static unsigned int sizes[MAX_SIZES];
static unsigned int size_count;
module_param_array(sizes, uint, &size_count, 0);
MODULE_PARM_DESC(sizes, "bytes of text of a message");

static unsigned int turns = 3;
module_param(turns, uint, 0);

static unsigned int samples = 200;
module_param(samples, uint, 0);
MODULE_PARM_DESC(samples, "samples in a turn");

struct contender {
	const char *name;
	struct crypto_skcipher *skcipher;
	struct skcipher_request *skcipher_request;
	struct crypto_aead *aead;
	struct aead_request *aead_request;
	struct aead_request *burst[MAX_MESSAGES];
	struct crypto_wait wait;
	u64 *cycles;	/* of each sample */
};

static struct contender contenders[MAX_DRIVERS];
static unsigned int contender_count;

/* Messages: those being processed, the originals, and encrypted */
static u8 *area, *plain, *sealed;
static struct scatterlist entries[MAX_MESSAGES];
static u8 ivs[MAX_MESSAGES][IV_BYTES];

/* The current measurement */
static unsigned int text_bytes, message_bytes, stride, message_count;

static u64 read_tsc(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc; lfence"
		     : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

static void lay_out(unsigned int bytes)
{
	unsigned int i;

	text_bytes = bytes;
	message_bytes = bytes + (aead ? aad_bytes + TAG_BYTES : 0);
	stride = ALIGN(message_bytes, 64);
	message_count = burst ?: clamp(SAMPLE_BYTES / bytes, 1U, MAX_MESSAGES);
	for (i = 0; i < message_count; i++)
		sg_init_one(&entries[i], area + i * stride, message_bytes);
}

/* Put messages into their places, with an IV that every algorithm accepts. */
static void fill(const u8 *messages)
{
	unsigned int i;

	memcpy(area, messages, message_count * stride);
	for (i = 0; i < message_count; i++) {
		memset(ivs[i], i, IV_BYTES);
		ivs[i][0] = 3; /* CCM: a length has four bytes */
	}
}

static int crypt_message(struct contender *c, unsigned int i, bool decrypt)
{
	struct scatterlist *sg = &entries[i];
	int err;

	if (aead) {
		aead_request_set_crypt(c->aead_request, sg, sg, text_bytes +
				       (decrypt ? TAG_BYTES : 0), ivs[i]);
		err = decrypt ? crypto_aead_decrypt(c->aead_request) :
				crypto_aead_encrypt(c->aead_request);
	} else {
		skcipher_request_set_crypt(c->skcipher_request, sg, sg,
					   text_bytes, ivs[i]);
		err = decrypt ? crypto_skcipher_decrypt(c->skcipher_request) :
				crypto_skcipher_encrypt(c->skcipher_request);
	}
	return crypto_wait_req(err, &c->wait);
}

/* Number of unfinished requests of a burst, and whether any has failed */
static atomic_t burst_left, burst_failed;
static DECLARE_COMPLETION(burst_done);

static void crypted_of_burst(void *data, int err)
{
	if (err)
		atomic_inc(&burst_failed);
	if (atomic_dec_and_test(&burst_left))
		complete(&burst_done);
}

/* A burst of messages, like packets; asynchronous drivers process it when softirqs are on again */
static int crypt_burst(struct contender *c, bool decrypt)
{
	unsigned int i;
	int err;

	atomic_set(&burst_left, message_count);
	atomic_set(&burst_failed, 0);
	reinit_completion(&burst_done);
	local_bh_disable();
	for (i = 0; i < message_count; i++) {
		aead_request_set_crypt(c->burst[i], &entries[i], &entries[i],
				       text_bytes + (decrypt ? TAG_BYTES : 0),
				       ivs[i]);
		err = decrypt ? crypto_aead_decrypt(c->burst[i]) :
				crypto_aead_encrypt(c->burst[i]);
		if (err != -EINPROGRESS)
			crypted_of_burst(NULL, err);
	}
	local_bh_enable();
	wait_for_completion(&burst_done);
	return atomic_read(&burst_failed) ? -EIO : 0;
}

/* Process all messages of a sample; returns an error if one has failed. */
static int crypt_sample(struct contender *c, bool decrypt)
{
	unsigned int i;
	int err = 0;

	if (burst)
		return crypt_burst(c, decrypt);
	for (i = 0; i < message_count; i++)
		err |= crypt_message(c, i, decrypt);
	return err ? -EIO : 0;
}

/* The first contender gives the expected results. */
static int check_output(struct contender *c)
{
	unsigned int i;
	int err;

	fill(plain);
	err = crypt_sample(c, false);
	if (err)
		goto failed;
	if (c == contenders)
		memcpy(sealed, area, message_count * stride);
	if (memcmp(sealed, area, message_count * stride)) {
		pr_err("%s and %s differ in what they make of %u bytes\n",
		       contenders->name, c->name, text_bytes);
		return -EBADMSG;
	}
	fill(sealed);
	err = crypt_sample(c, true);
	if (err)
		goto failed;
	for (i = 0; i < message_count; i++)
		if (memcmp(plain + i * stride, area + i * stride,
			   text_bytes + (aead ? aad_bytes : 0))) {
			pr_err("%s does not give back %u bytes\n", c->name,
			       text_bytes);
			return -EBADMSG;
		}
	return 0;
failed:
	pr_err("%s fails at %u bytes\n", c->name, text_bytes);
	return err;
}

static int time_samples(struct contender *c, bool decrypt, u64 *cycles)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < samples; i++) {
		u64 start;

		fill(decrypt ? sealed : plain);
		start = read_tsc();
		err = crypt_sample(c, decrypt);
		cycles[i] = read_tsc() - start;
	}
	return err;
}

static int compare_cycles(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int time_all(bool decrypt)
{
	unsigned int turn, i;
	int err;

	for (turn = 0; turn < turns; turn++)
		for (i = 0; i < contender_count; i++) {
			struct contender *c = &contenders[i];

			err = time_samples(c, decrypt,
					   c->cycles + turn * samples);
			if (err)
				return err;
		}
	for (i = 0; i < contender_count; i++) {
		struct contender *c = &contenders[i];

		sort(c->cycles, turns * samples, sizeof(u64), compare_cycles,
		     NULL);
		pr_info("%s %s %u %llu %llu\n", c->name,
			decrypt ? "dec" : "enc", text_bytes,
			c->cycles[0] * 100 / message_count,
			c->cycles[turns * samples / 2] * 100 / message_count);
	}
	return 0;
}

/* For authenc(), a header precedes the keys; that of the hash is the first. */
static unsigned int make_key(u8 *key)
{
	unsigned int length = 0, end;

	if (hash_key_bytes) {
		struct rtattr *header = (void *)key;
		struct crypto_authenc_key_param *param = RTA_DATA(header);

		header->rta_type = CRYPTO_AUTHENC_KEYA_PARAM;
		header->rta_len = RTA_LENGTH(sizeof(*param));
		param->enckeylen = cpu_to_be32(key_bytes);
		length = header->rta_len;
	}
	for (end = length + hash_key_bytes + key_bytes; length < end; length++)
		key[length] = 7 * length + 1;
	return length;
}

static int allocate_cipher(struct contender *c, const u8 *key,
			   unsigned int length)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(c->name, 0, 0);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	c->skcipher = tfm;
	c->skcipher_request = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!c->skcipher_request)
		return -ENOMEM;
	skcipher_request_set_callback(c->skcipher_request,
				      CRYPTO_TFM_REQ_MAY_SLEEP |
				      CRYPTO_TFM_REQ_MAY_BACKLOG,
				      crypto_req_done, &c->wait);
	return crypto_skcipher_setkey(tfm, key, length);
}

static int allocate_aead(struct contender *c, const u8 *key,
			 unsigned int length)
{
	struct crypto_aead *tfm = crypto_alloc_aead(c->name, 0, 0);
	unsigned int i;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	c->aead = tfm;
	c->aead_request = aead_request_alloc(tfm, GFP_KERNEL);
	if (!c->aead_request)
		return -ENOMEM;
	aead_request_set_callback(c->aead_request,
				  CRYPTO_TFM_REQ_MAY_SLEEP |
				  CRYPTO_TFM_REQ_MAY_BACKLOG,
				  crypto_req_done, &c->wait);
	aead_request_set_ad(c->aead_request, aad_bytes);
	for (i = 0; i < burst; i++) {
		c->burst[i] = aead_request_alloc(tfm, GFP_KERNEL);
		if (!c->burst[i])
			return -ENOMEM;
		aead_request_set_callback(c->burst[i], 0, crypted_of_burst,
					  NULL);
		aead_request_set_ad(c->burst[i], aad_bytes);
	}
	return crypto_aead_setkey(tfm, key, length) ?:
	       crypto_aead_setauthsize(tfm, TAG_BYTES);
}

static int allocate_contenders(void)
{
	u8 key[MAX_KEY_BYTES] __aligned(RTA_ALIGNTO);
	unsigned int length = make_key(key);
	char *name;
	int err;

	while ((name = strsep(&drivers, " "))) {
		struct contender *c = &contenders[contender_count];

		if (contender_count == MAX_DRIVERS)
			return -E2BIG;
		c->name = name;
		crypto_init_wait(&c->wait);
		contender_count++;
		c->cycles = kvmalloc_array(turns * samples, sizeof(u64),
					   GFP_KERNEL);
		if (!c->cycles)
			return -ENOMEM;
		err = aead ? allocate_aead(c, key, length) :
			     allocate_cipher(c, key, length);
		if (err) {
			pr_err("%s cannot be allocated: error %d\n", name, err);
			return err;
		}
	}
	return 0;
}

static void free_contenders(void)
{
	while (contender_count) {
		struct contender *c = &contenders[--contender_count];
		unsigned int i;

		for (i = 0; i < burst; i++)
			aead_request_free(c->burst[i]);
		skcipher_request_free(c->skcipher_request);
		crypto_free_skcipher(c->skcipher);
		aead_request_free(c->aead_request);
		crypto_free_aead(c->aead);
		kvfree(c->cycles);
	}
}

static int measure(void)
{
	unsigned int i, driver;
	int err;

	for (i = 0; i < AREA_BYTES; i++)
		plain[i] = i * 0x9e3779b1U >> 24;
	for (i = 0; i < size_count; i++) {
		lay_out(sizes[i]);
		for (driver = 0; driver < contender_count; driver++) {
			err = check_output(&contenders[driver]);
			if (err)
				return err;
		}
		err = time_all(false) ?: time_all(true);
		if (err)
			return err;
	}
	return 0;
}

static int __init sm4_bench_init(void)
{
	unsigned int i;
	int err = -ENOMEM;

	if (!drivers || !size_count || !turns || !samples ||
	    burst > MAX_MESSAGES || (burst && !aead) ||
	    RTA_SPACE(sizeof(struct crypto_authenc_key_param)) +
	    hash_key_bytes + key_bytes > MAX_KEY_BYTES)
		return -EINVAL;
	for (i = 0; i < size_count; i++)
		if (!sizes[i] || sizes[i] + aad_bytes > MAX_MESSAGE ||
		    burst * ALIGN(sizes[i] + aad_bytes + TAG_BYTES, 64) >
		    AREA_BYTES)
			return -EINVAL;
	area = kmalloc(AREA_BYTES, GFP_KERNEL);
	plain = kmalloc(AREA_BYTES, GFP_KERNEL);
	sealed = kmalloc(AREA_BYTES, GFP_KERNEL);
	if (area && plain && sealed) {
		err = allocate_contenders();
		if (!err)
			err = measure();
		free_contenders();
	}
	kfree(area);
	kfree(plain);
	kfree(sealed);
	return err ?: -EAGAIN;
}
module_init(sm4_bench_init);

MODULE_DESCRIPTION("compares the speed of drivers of the crypto API");
MODULE_LICENSE("GPL");
