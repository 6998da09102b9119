// SPDX-License-Identifier: GPL-2.0
/*
 * Requests with consecutive IVs to a driver of xts() from a thread on each CPU, with the same
 * transforms, each of them used by one thread at a time, with softirqs on or off. Each answer is
 * compared with that of another driver. Now and then, a thread sets a transform's key or frees it,
 * while the other CPU may still keep tweaks of it.
 *
 * The module says in the kernel's log
 *
 *	sm4-tweaks: DRIVER: N requests
 *
 * and before that any errors. It does not stay loaded: it ends with EAGAIN if it could try
 * everything.
 */
#define pr_fmt(fmt) "sm4-tweaks: " fmt

#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <crypto/skcipher.h>
#include "threads.h"

static char *reference = "";
module_param(reference, charp, 0);
MODULE_PARM_DESC(reference, "name of the driver to compare it with");

static unsigned int rounds = 1000;
module_param(rounds, uint, 0);
MODULE_PARM_DESC(rounds, "how often each CPU uses a transform");

#define VOLUMES		4
#define KEY_BYTES	32
#define IV_BYTES	16
#define TEXT_BYTES	512

struct side {
	struct crypto_skcipher *tfm;
	struct skcipher_request *req;
	u8 text[TEXT_BYTES];
};

static struct volume {
	struct side tested, right;
	u64 sector;
	unsigned long busy;
} *volumes;

static struct task_struct **threads;
static atomic_t running, request_count;

static unsigned int random_below(unsigned int limit)
{
	return get_random_u32() % limit;
}

static void close_side(struct side *side)
{
	skcipher_request_free(side->req);
	if (!IS_ERR_OR_NULL(side->tfm))
		crypto_free_skcipher(side->tfm);
	side->req = NULL;
	side->tfm = NULL;
}

static int open_side(struct side *side, const char *name)
{
	side->tfm = crypto_alloc_skcipher(name, 0, CRYPTO_ALG_ASYNC);
	if (IS_ERR(side->tfm))
		return PTR_ERR(side->tfm);
	side->req = skcipher_request_alloc(side->tfm, GFP_KERNEL);
	return side->req ? 0 : -ENOMEM;
}

static int set_key(struct volume *volume)
{
	u8 key[KEY_BYTES];

	get_random_bytes(key, sizeof(key));
	return crypto_skcipher_setkey(volume->tested.tfm, key, sizeof(key)) ?:
	       crypto_skcipher_setkey(volume->right.tfm, key, sizeof(key));
}

static int open_volume(struct volume *volume)
{
	return open_side(&volume->tested, driver) ?: open_side(&volume->right, reference) ?:
	       set_key(volume);
}

static void close_volume(struct volume *volume)
{
	close_side(&volume->tested);
	close_side(&volume->right);
}

static int encrypt(struct side *side, u64 sector)
{
	__le64 iv[IV_BYTES / sizeof(__le64)] = { cpu_to_le64(sector) };
	struct scatterlist sg;

	sg_init_one(&sg, side->text, TEXT_BYTES);
	skcipher_request_set_callback(side->req, 0, NULL, NULL);
	skcipher_request_set_crypt(side->req, &sg, &sg, TEXT_BYTES, iv);
	return crypto_skcipher_encrypt(side->req);
}

/* With softirqs off, the C tier processes the request. */
static void try_sector(struct volume *volume, u64 sector)
{
	bool off = !random_below(16);
	int err;

	memset(volume->tested.text, sector, TEXT_BYTES);
	memset(volume->right.text, sector, TEXT_BYTES);
	if (off)
		local_bh_disable();
	err = encrypt(&volume->tested, sector);
	if (off)
		local_bh_enable();
	err = err ?: encrypt(&volume->right, sector);
	if (err)
		complain("error %d", err);
	else if (memcmp(volume->tested.text, volume->right.text, TEXT_BYTES))
		complain("wrong bytes in sector %llu", sector);
	atomic_inc(&request_count);
}

/* A new key for one of 20 sectors, which are consecutive nevertheless */
static void change_key(struct volume *volume)
{
	int err = 0;

	switch (random_below(40)) {
	case 0:
		err = set_key(volume);
		break;
	case 1:
		close_volume(volume);
		err = open_volume(volume);
		break;
	}
	if (err)
		complain("error %d of a new key", err);
}

static void use(struct volume *volume)
{
	unsigned int count = random_below(40), step = 1 + random_below(8);

	while (count--) {
		change_key(volume);
		volume->sector += step;
		try_sector(volume, volume->sector);
	}
}

static int run(void *data)
{
	unsigned int i;

	for (i = 0; i < rounds && !atomic_read(&complaints); i++) {
		struct volume *volume = &volumes[random_below(VOLUMES)];

		if (!test_and_set_bit_lock(0, &volume->busy)) {
			use(volume);
			clear_bit_unlock(0, &volume->busy);
		}
		cond_resched();
	}
	atomic_dec(&running);
	return await_stop();
}

static int __init sm4_tweaks_init(void)
{
	int err = 0, cpu;
	unsigned int i;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	volumes = kcalloc(VOLUMES, sizeof(*volumes), GFP_KERNEL);
	if (!threads || !volumes)
		return -ENOMEM;
	for (i = 0; i < VOLUMES; i++)
		err = err ?: open_volume(&volumes[i]);
	for_each_online_cpu(cpu)
		err = err ?: create_thread(run, NULL, cpu, &threads[cpu]);
	if (!err) {
		atomic_set(&running, num_online_cpus());
		for_each_online_cpu(cpu)
			wake_up_process(threads[cpu]);
		while (atomic_read(&running))
			msleep(20);
	}
	for_each_online_cpu(cpu)
		if (threads[cpu])
			kthread_stop(threads[cpu]);
	for (i = 0; i < VOLUMES; i++)
		close_volume(&volumes[i]);
	kfree(volumes);
	kfree(threads);
	if (err)
		return err;
	pr_info("%s: %d requests\n", driver, atomic_read(&request_count));
	return -EAGAIN;
}
module_init(sm4_tweaks_init);

MODULE_DESCRIPTION("XTS of consecutive sectors on all CPUs while keys change, compared with another driver");
MODULE_LICENSE("GPL");
