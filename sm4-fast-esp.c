// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The module sm4-fast-esp: ESP with SM4 on kernels whose table of algorithms for IPsec lacks it.
 *
 * That table is in xfrm_algo, and cannot be extended. Three functions look up a name in it. ftrace
 * calls sm4_esp_lookup() when one of them begins. For a name in sm4_esp_entries, sm4_esp_found()
 * runs in its place; for any other name, it continues. We add no entry that the kernel's table
 * already has, and change neither the table nor the kernel's files. Likewise, sm4_esp_offload()
 * keeps states with SM4 away from network cards, as if the device had no offload.
 *
 * We hook only the beginning of a function, not its return. So no code of this module sleeps or is
 * on a stack that sleeps, and the number of simultaneous lookups is not limited. Of the registers,
 * we change only the instruction pointer: BPF programs on the function read its arguments, and
 * restore only these. unregister_ftrace_function() also waits for a task that is interrupted in a
 * function that runs in place of the kernel's.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

/*
 * Link-time optimization may inline the lookups, if they are in the kernel's image. Kbuild defines
 * SM4_ESP_STAND_IN if nothing else can be built for this kernel.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && IS_ENABLED(CONFIG_XFRM_ALGO) && \
	!(defined(CONFIG_LTO) && IS_BUILTIN(CONFIG_XFRM_ALGO)) &&		\
	!defined(SM4_ESP_STAND_IN)

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/string.h>
#include <net/xfrm.h>
#include "sm4-compat.h"

/* What a hooked function looks up; SM4_ESP_OFFLOAD is for the one that gives states to cards. */
enum sm4_esp_kind { SM4_ESP_AEAD, SM4_ESP_CIPHER, SM4_ESP_MAC, SM4_ESP_OFFLOAD };

struct sm4_esp_entry {
	struct xfrm_algo_desc algo;
	enum sm4_esp_kind kind;
	bool kernels_own;
};

/*
 * PF_KEY has no IDs for these, and must not find our entries: pfkey_supported stays 0. The ID is
 * one for private use, because 0 means ESP without encryption to drivers of network cards.
 */
#define SM4_ESP_AEAD_ENTRY(name_, icv_bits) {				\
	.kind = SM4_ESP_AEAD,						\
	.algo = {							\
		.name = name_,						\
		.uinfo = { .aead = { .geniv = "seqiv",			\
				     .icv_truncbits = icv_bits } },	\
		.desc = {						\
			.sadb_alg_id = 255,				\
			.sadb_alg_ivlen = 8,				\
			.sadb_alg_minbits = 128,			\
			.sadb_alg_maxbits = 128,			\
		},							\
	},								\
}

static struct sm4_esp_entry sm4_esp_entries[] __ro_after_init = {
	SM4_ESP_AEAD_ENTRY("rfc4106(gcm(sm4))", 64),
	SM4_ESP_AEAD_ENTRY("rfc4106(gcm(sm4))", 96),
	SM4_ESP_AEAD_ENTRY("rfc4106(gcm(sm4))", 128),
	SM4_ESP_AEAD_ENTRY("rfc4309(ccm(sm4))", 64),
	SM4_ESP_AEAD_ENTRY("rfc4309(ccm(sm4))", 96),
	SM4_ESP_AEAD_ENTRY("rfc4309(ccm(sm4))", 128),
	/* The kernel's own table has this since 5.17. */
	{
		.kind = SM4_ESP_CIPHER,
		.algo = {
			.name = "cbc(sm4)",
			.uinfo = { .encr = { .geniv = "echainiv", .blockbits = 128,
					     .defkeybits = 128 } },
			.desc = {
				.sadb_alg_id = 24, /* SADB_X_EALG_SM4CBC */
				.sadb_alg_ivlen = 16,
				.sadb_alg_minbits = 128,
				.sadb_alg_maxbits = 128,
			},
		},
	},
	{
		.kind = SM4_ESP_MAC,
		.algo = {
			.name = "hmac(sm3)",
			.uinfo = { .auth = { .icv_truncbits = 256, .icv_fullbits = 256 } },
			/*
			 * SADB_X_AALG_SM3_256HMAC; older kernels treat a state whose MAC has the
			 * ID 0 like one without a MAC, and leak the memory allocated for it.
			 */
			.desc = {
				.sadb_alg_id = 10,
				.sadb_alg_minbits = 256,
				.sadb_alg_maxbits = 256,
			},
		},
	},
};

/* Whether ftrace has called us */
static bool sm4_esp_called;

static void sm4_esp_lookup(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			   struct ftrace_regs *fregs);
static void sm4_esp_offload(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs);

#define SM4_ESP_OPS(callback) {						\
	.func = callback,						\
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY |	\
		 FTRACE_OPS_FL_PERMANENT,				\
}

/* By enum sm4_esp_kind */
static struct ftrace_ops sm4_esp_ops[] = {
	SM4_ESP_OPS(sm4_esp_lookup), SM4_ESP_OPS(sm4_esp_lookup), SM4_ESP_OPS(sm4_esp_lookup),
	SM4_ESP_OPS(sm4_esp_offload),
};

static void *const sm4_esp_functions[] = {
	xfrm_aead_get_byname, xfrm_ealg_get_byname, xfrm_aalg_get_byname, xfrm_dev_state_add,
};

static notrace struct sm4_esp_entry *sm4_esp_find(const char *name, int icv_bits)
{
	struct sm4_esp_entry *entry;

	for (entry = sm4_esp_entries; entry < sm4_esp_entries + ARRAY_SIZE(sm4_esp_entries);
	     entry++)
		if (!strcmp(entry->algo.name, name) &&
		    (entry->kind != SM4_ESP_AEAD ||
		     entry->algo.uinfo.aead.icv_truncbits == icv_bits))
			return entry;
	return NULL;
}

/*
 * Without FTRACE_OPS_FL_PERMANENT, the kernel may miss our hook when it looks up a MAC again, and
 * then calls BUG(). There, we give it only to tasks with CAP_NET_ADMIN in the initial namespace.
 * Being in that namespace is not enough: the owner of another one has all capabilities in it from
 * outside, too. The second look-up has @probe 0.
 */
static bool notrace sm4_esp_refuses_mac(int probe)
{
	return !FTRACE_OPS_FL_PERMANENT && probe &&
	       !ns_capable_noaudit(&init_user_ns, CAP_NET_ADMIN);
}

/*
 * Whether the module stays, as it does from the first look-up that returns one of our entries:
 *
 * - the caller reads the entry, and the state keeps the pointer geniv for its whole life;
 * - ESP and AH look up the MAC of a state again when they initialize it and when it is migrated,
 *   and call BUG() if it is gone;
 * - nobody else keeps the state away from network cards, when it is added or migrated.
 *
 * It does not if it is being loaded, which may fail, or unloaded.
 */
static bool notrace sm4_esp_stays(void)
{
	static bool stays;

	if (READ_ONCE(THIS_MODULE->state) != MODULE_STATE_LIVE || !try_module_get(THIS_MODULE))
		return false;
	if (xchg(&stays, true))
		module_put(THIS_MODULE);
	return true;
}

/* Runs in place of a lookup of one of our names, with its first arguments. */
static noinline notrace struct xfrm_algo_desc *sm4_esp_found(const char *name, int icv_bits)
{
	return &sm4_esp_find(name, icv_bits)->algo;
}

/*
 * @fregs are the registers at the beginning of
 *	xfrm_aead_get_byname(const char *name, int icv_len, int probe)
 *	xfrm_ealg_get_byname(const char *name, int probe), xfrm_aalg_get_byname() likewise.
 */
static void notrace sm4_esp_lookup(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	const char *name = (const char *)regs->di;
	const struct sm4_esp_entry *entry = name ? sm4_esp_find(name, (int)regs->si) : NULL;

	WRITE_ONCE(sm4_esp_called, true);
	if (!entry || entry->kernels_own || entry->kind != ops - sm4_esp_ops ||
	    (entry->kind == SM4_ESP_MAC && sm4_esp_refuses_mac((int)regs->si)) ||
	    !sm4_esp_stays())
		return;
	regs->ip = (unsigned long)sm4_esp_found;
}

/*
 * Runs in place of xfrm_dev_state_add() for a state with SM4, with its first arguments. Answers as
 * the kernel does for a device without offload. If the card was to encrypt, software does so; if it
 * was to do all of ESP (XFRM_OFFLOAD_PACKET, since 6.2), or anything unknown, the state is refused.
 */
static noinline notrace int sm4_esp_not_offloaded(struct net *net, struct xfrm_state *x,
						  const struct xfrm_user_offload *xuo)
{
	if (xuo->flags & ~(XFRM_OFFLOAD_IPV6 | XFRM_OFFLOAD_INBOUND)) {
		pr_warn_once("refused to leave ESP with SM4 to a network card, which would use another cipher, or none\n");
		return -EINVAL;
	}
	pr_info_once("ESP with SM4 is not offloaded to a network card, which would use another cipher, or none\n");
	x->xso.dev = NULL;
	return 0;
}

/* The same for xfrm_dev_state_add(struct net *net, struct xfrm_state *x, ...) */
static void notrace sm4_esp_offload(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	const struct xfrm_state *x = (const struct xfrm_state *)regs->si;

	if ((x->aead && sm4_esp_find(x->aead->alg_name, x->aead->alg_icv_len)) ||
	    (x->ealg && sm4_esp_find(x->ealg->alg_name, 0)) ||
	    (x->aalg && sm4_esp_find(x->aalg->alg_name, 0)))
		regs->ip = (unsigned long)sm4_esp_not_offloaded;
}

static bool __init sm4_esp_listed(struct xfrm_algo_desc *(*get_byidx)(unsigned int idx),
				  const char *name)
{
	const struct xfrm_algo_desc *algo;
	unsigned int idx = 0;

	while ((algo = get_byidx(idx++)))
		if (!strcmp(algo->name, name))
			return true;
	return false;
}

/*
 * Whether the kernel's table has @entry, before anything is hooked. A lookup by name fails if there
 * is no driver yet, so it is used only for AEADs, which have no other function; mainline's table
 * has no AEAD of SM4.
 */
static bool __init sm4_esp_kernel_has(const struct sm4_esp_entry *entry)
{
	switch (entry->kind) {
	case SM4_ESP_AEAD:
		return xfrm_aead_get_byname(entry->algo.name,
					    entry->algo.uinfo.aead.icv_truncbits, 1);
	case SM4_ESP_CIPHER:
		return sm4_esp_listed(xfrm_ealg_get_byidx, entry->algo.name);
	default:
		return sm4_esp_listed(xfrm_aalg_get_byidx, entry->algo.name);
	}
}

/*
 * Without FTRACE_OPS_FL_PERMANENT, ftrace also hooks a function while kernel.ftrace_enabled is 0,
 * and then does not call us. AEADs are enough to detect that.
 */
static bool __init sm4_esp_is_ignored(void)
{
	if (!FTRACE_OPS_FL_PERMANENT && sm4_esp_ops[SM4_ESP_AEAD].flags & FTRACE_OPS_FL_ENABLED) {
		xfrm_aead_get_byname("", 0, 0);
		return !READ_ONCE(sm4_esp_called);
	}
	return false;
}

/* Hook the function of this kind. */
static int __init sm4_esp_hook(enum sm4_esp_kind kind)
{
	struct ftrace_ops *ops = &sm4_esp_ops[kind];
	unsigned long function = (unsigned long)sm4_esp_functions[kind];
	int err;

	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return 0;
	err = ftrace_set_filter_ip(ops, function, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(ops);
	if (err)
		ftrace_set_filter_ip(ops, function, 1, 0);
	return err;
}

/* Waits until no CPU and no task is in a callback. */
static void sm4_esp_unhook(void)
{
	struct ftrace_ops *ops;
	int kind;

	for (kind = 0; kind < ARRAY_SIZE(sm4_esp_ops); kind++) {
		ops = &sm4_esp_ops[kind];
		if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
			continue;
		unregister_ftrace_function(ops);
		ftrace_set_filter_ip(ops, (unsigned long)sm4_esp_functions[kind], 1, 0);
	}
}

static int __init sm4_esp_init(void)
{
	struct sm4_esp_entry *entry, *end = sm4_esp_entries + ARRAY_SIZE(sm4_esp_entries);
	int err = 0;

	for (entry = sm4_esp_entries; entry < end; entry++)
		entry->kernels_own = sm4_esp_kernel_has(entry);
	if (IS_ENABLED(CONFIG_XFRM_OFFLOAD))
		err = sm4_esp_hook(SM4_ESP_OFFLOAD);
	for (entry = sm4_esp_entries; entry < end && !err; entry++)
		if (!entry->kernels_own)
			err = sm4_esp_hook(entry->kind);
	if (!err && sm4_esp_is_ignored())
		err = -EBUSY;
	if (!err)
		return 0;
	pr_err("ESP gets no SM4: ftrace refuses to hook the kernel's functions (error %d)%s\n",
	       err, err != -EBUSY ? "" :
	       "; kernel.ftrace_enabled is 0, or a live patch or a tracer has one of them");
	sm4_esp_unhook();
	return err;
}

module_exit(sm4_esp_unhook);

#else

#include "sm4-compat.h"

#ifdef SM4_ESP_STAND_IN
#define SM4_ESP_MISSING "sm4-fast-esp could not be built for this kernel"
MODULE_INFO(stand_in, SM4_ESP_MISSING);
#else
#define SM4_ESP_MISSING \
	"this kernel has no IPsec, no ftrace that can change registers (CONFIG_DYNAMIC_FTRACE_WITH_REGS), or look-ups that may be inlined (CONFIG_LTO)"
#endif

static int __init sm4_esp_init(void)
{
	pr_err("ESP gets no SM4: " SM4_ESP_MISSING "\n");
	return -EOPNOTSUPP;
}

#endif

module_init(sm4_esp_init);

MODULE_DESCRIPTION("ESP with SM4: what the kernel's table of algorithms for IPsec lacks");
MODULE_AUTHOR("sm4-fast maintainers");
MODULE_LICENSE("GPL");
/* Kbuild takes it from sm4-fast-glue.c. With a version, /sys/module shows which build is loaded. */
MODULE_VERSION(SM4_VERSION);
MODULE_INFO(sources, SM4_SOURCES);
