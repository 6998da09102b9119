/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For modules that submit packets of ESP to a driver of authenc(), from threads on each CPU:
 * transforms, their keys, threads, and complaints, which contain the name of the driver.
 */
#ifndef TEST_LAB_PACKETS_H
#define TEST_LAB_PACKETS_H

#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <crypto/aead.h>
#include <crypto/authenc.h>

#define TAG_BYTES	16
#define BLOCK_BYTES	16

/* A head, which has the length of SM4's key; the hash's key; SM4's key */
#define KEY_HEAD	8
#define KEY_BYTES	(KEY_HEAD + 32 + 16)

/* Most complaints repeat the first ones, so only a few are printed. */
#define MAX_COMPLAINTS	20

static char *driver = "";
module_param(driver, charp, 0);
MODULE_PARM_DESC(driver, "name of the driver, such as authenc-hmac-sm3-cbc-sm4-batch-vaes-avx2-fast");

static atomic_t complaints;

#define complain(format, ...) do {					\
	if (atomic_inc_return(&complaints) <= MAX_COMPLAINTS)		\
		pr_err("%s: " format "\n", driver, ##__VA_ARGS__);	\
} while (0)

/* Returns a transform of the driver with this name, for tags of TAG_BYTES, or an error pointer. */
static struct crypto_aead *allocate(const char *name)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return tfm;
	err = crypto_aead_setauthsize(tfm, TAG_BYTES);
	if (err) {
		crypto_free_aead(tfm);
		return ERR_PTR(err);
	}
	return tfm;
}

/* Set the head of a key; the caller sets the two keys after it. */
static void set_key_head(u8 key[KEY_BYTES])
{
	struct rtattr *attribute = (void *)key;
	struct crypto_authenc_key_param *param = RTA_DATA(attribute);

	attribute->rta_type = CRYPTO_AUTHENC_KEYA_PARAM;
	attribute->rta_len = RTA_LENGTH(sizeof(*param));
	param->enckeylen = cpu_to_be32(16);
}

/* Returns a thread that is bound to a CPU, and does not run yet. */
static int create_thread(int (*run)(void *data), void *data, int cpu, struct task_struct **task)
{
	struct task_struct *new = kthread_create(run, data, KBUILD_MODNAME "/%d", cpu);

	if (IS_ERR(new))
		return PTR_ERR(new);
	kthread_bind(new, cpu);
	*task = new;
	return 0;
}

/* Wait for the end of a thread: otherwise the module could be unloaded before it returns. */
static int await_stop(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

#endif
