/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The differences between the kernels that sm4-fast builds for (4.18 to 7.3), and the headers that
 * all sources need. Of the sources, only this file may test the kernel's version or the presence
 * of its macros or headers; others test what this file defines, and options of the kernel. Kbuild
 * tests the version, too, for objtool and GFNI.
 *
 * Distributions backport parts of newer kernels. So this file tests whether a feature is present
 * where the preprocessor can see it, and the version only elsewhere.
 */
#ifndef SM4_COMPAT_H
#define SM4_COMPAT_H

#include <linux/version.h>

/*
 * Whether objtool can decode Intel's SM3 and SM4 instructions, which it does since 6.10; only then
 * are there tiers with them. Earlier, where it reads a module as a whole (CONFIG_X86_KERNEL_IBT),
 * it would stop there, and the whole module would lack its annotations for returns and for
 * unwinding. No macro shows which instructions objtool can decode.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define SM4_HAS_SM4NI
#endif

#ifdef __ASSEMBLER__

#include <linux/linkage.h>
#include <asm/frame.h>

/* New in 5.5 */
#ifndef SYM_FUNC_START
#define SYM_FUNC_START(name)		ENTRY(name)
#define SYM_FUNC_START_LOCAL(name)	ALIGN; name:
#define SYM_FUNC_END(name)		ENDPROC(name)
#endif

/*
 * For functions that are called by pointer. Since 6.1 it puts a type before them, which kernels
 * with kCFI check. Before, SYM_FUNC_START is enough, also in kernels with IBT (since 5.18).
 */
#if __has_include("linux/cfi_types.h")
#include <linux/cfi_types.h>
#else
#define SYM_TYPED_FUNC_START(name)	SYM_FUNC_START(name)
#endif

/* New in 5.17, backported to 5.10 and 5.15: mitigations redefine it. */
#ifndef RET
#define RET	ret
#endif

#else /* C */

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/cpufeature.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <crypto/internal/hash.h>

/* Some versions of sparse lack this: for them, no header counts as backported. */
#ifndef __has_include
#define __has_include(...)	0
#endif

/* 6.12 moved the header */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) || __has_include("linux/unaligned.h")
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* cpuid_eax(): 6.16 moved it to this header */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0) || __has_include("asm/cpuid/api.h")
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

/* New in 5.1 */
#ifndef static_assert
#define static_assert(condition)	_Static_assert(condition, #condition)
#endif

/*
 * New in 5.2, where the kernel's self-tests can make it return false. It is a macro of
 * <crypto/internal/simd.h>. Files that use it include that header before this one.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 2, 0) && !defined(crypto_simd_usable)
#define crypto_simd_usable()	may_use_simd()
#endif

/*
 * New in 5.4. The preprocessor cannot see functions. These have our own names, so that they also
 * work on kernels that have a backport.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
/**
 * sm4_check_gcm_authsize() - check the length of a tag of GCM
 * @authsize: the length
 *
 * Return: 0 or -EINVAL
 */
static inline int sm4_check_gcm_authsize(unsigned int authsize)
{
	return authsize == 4 || authsize == 8 || (authsize >= 12 && authsize <= 16) ? 0 : -EINVAL;
}

/**
 * sm4_check_rfc4106_authsize() - check the length of a tag of rfc4106
 * @authsize: the length
 *
 * Return: 0 or -EINVAL
 */
static inline int sm4_check_rfc4106_authsize(unsigned int authsize)
{
	return authsize == 8 || authsize == 12 || authsize == 16 ? 0 : -EINVAL;
}

/**
 * sm4_check_ipsec_assoclen() - check the length of ESP's associated data
 * @assoclen: the length of a header, with sequence numbers of 32 or 64 bits, and the IV
 *
 * Return: 0 or -EINVAL
 */
static inline int sm4_check_ipsec_assoclen(unsigned int assoclen)
{
	return assoclen == 16 || assoclen == 20 ? 0 : -EINVAL;
}

#define crypto_gcm_check_authsize	sm4_check_gcm_authsize
#define crypto_rfc4106_check_authsize	sm4_check_rfc4106_authsize
#define crypto_ipsec_check_assoclen	sm4_check_ipsec_assoclen
#endif

/* New in 4.19. Without it, a search for an algorithm also asks modprobe. */
#ifndef CRYPTO_NOLOAD
#define CRYPTO_NOLOAD		0
#endif

/* New in 5.9 */
#ifndef CRYPTO_ALG_ALLOCATES_MEMORY
#define CRYPTO_ALG_ALLOCATES_MEMORY	0
#endif
#ifndef from_tasklet
#define from_tasklet(to, tasklet, member)				\
	container_of(tasklet, typeof(*(to)), member)

static inline void tasklet_setup(struct tasklet_struct *tasklet,
				 void (*callback)(struct tasklet_struct *))
{
	tasklet_init(tasklet, (void (*)(unsigned long))(void *)callback,
		     (unsigned long)tasklet);
}
#endif

/* Before 5.3, PREEMPT_RT was a set of patches, and the option had another name. */
#define SM4_PREEMPT_RT							\
	(IS_ENABLED(CONFIG_PREEMPT_RT) || IS_ENABLED(CONFIG_PREEMPT_RT_FULL))

/*
 * Intel's SM3 and SM4 instructions: bits 1 and 2 of CPUID.(7,1).EAX. We do not use the kernel's
 * names for them: until 2025, kernels of Chinese distributions used these names for Hygon's
 * instructions, which are different. Kernels have that word of features since 5.3. On older ones,
 * no tier needs it.
 */
#define SM4_FEATURE_INTEL_SM3	(12 * 32 + 1)
#define SM4_FEATURE_INTEL_SM4	(12 * 32 + 2)

/*
 * Hygon's SM4 instructions. Vendors' kernels have this name since 2025. 0 elsewhere: see
 * core/sm4-fast-cpu.c.
 */
#ifndef X86_FEATURE_HYGON_SM4
#define X86_FEATURE_HYGON_SM4	0
#endif

/*
 * Zhaoxin's GMI: two bits of CPUID.(0xC0000001).EDX, one for present and one for enabled. Only
 * vendors' kernels have names for them. All kernels have that word of features, which is 0 on
 * other processors.
 */
#ifndef X86_FEATURE_CCS
#define X86_FEATURE_CCS		(5 * 32 + 4)
#endif
#ifndef X86_FEATURE_CCS_EN
#define X86_FEATURE_CCS_EN	(5 * 32 + 5)
#endif

/*
 * The block size of the kernel's own cbcmac: its self-tests require the same of ours. Since 6.16,
 * when the crypto API got this flag, to keep the partial blocks of hashes, it is the cipher's.
 */
#ifdef CRYPTO_AHASH_ALG_BLOCK_ONLY
#define SM4_CBCMAC_BLOCK_SIZE	16
#else
#define SM4_CBCMAC_BLOCK_SIZE	1
#endif

/*
 * New in 6.16: members of struct shash_alg that export and import a state without a partial block.
 * Without them, the kernel's hmac does not use a hash for users of ahash, such as ESP. The format
 * is struct sm3_message including its partial block, as in the kernel's own SM3.
 */
#ifdef CRYPTO_AHASH_ALG_NO_EXPORT_CORE
#define SM3_CORE_STATE_FUNCTIONS(to, from)				\
	.hash.export_core = to, .hash.import_core = from,
#else
#define SM3_CORE_STATE_FUNCTIONS(...)
#endif

/*
 * From crypto/internal.h, which packages of headers leave out. The kernel exports these to
 * modules, and has had these types since before 4.18. With other types, removing the module would
 * crash the kernel. Where its source is there, as in test/lab and tools/into-kernel, the compiler
 * compares them.
 */
#if __has_include("../crypto/internal.h")
#include "../crypto/internal.h"
#endif

extern struct rw_semaphore crypto_alg_sem;

void crypto_remove_spawns(struct crypto_alg *alg, struct list_head *instances,
			  struct crypto_alg *but_for);
void crypto_remove_final(struct list_head *instances);

/*
 * New in 5.11: callbacks of ftrace get the registers as another type. Later kernels with this
 * option define that type.
 */
#ifndef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
#define ftrace_regs		pt_regs
#define ftrace_get_regs(regs)	(regs)
#endif

/* New in 5.5: sysctl kernel.ftrace_enabled does not disable callbacks with this flag. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 5, 0)
#define FTRACE_OPS_FL_PERMANENT	0
#endif

/**
 * sm4_prefers_ymm() - whether 64-byte vectors are slower on this CPU
 *
 * Older kernels do not tell. This applies to Intel's Skylake-SP to Cooper Lake, Ice Lake and Tiger
 * Lake.
 *
 * Return: whether this CPU lowers its clock for them
 */
static inline bool sm4_prefers_ymm(void)
{
#ifdef X86_FEATURE_PREFER_YMM
	return boot_cpu_has(X86_FEATURE_PREFER_YMM);
#else
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.x86 != 6)
		return false;
	switch (boot_cpu_data.x86_model) {
	case 0x55: /* Skylake, servers, to Cooper Lake */
	case 0x6a: /* Ice Lake, servers */
	case 0x6c:
	case 0x7d: /* Ice Lake */
	case 0x7e:
	case 0x9d:
	case 0x8c: /* Tiger Lake */
	case 0x8d:
		return true;
	}
	return false;
#endif
}

#endif /* C */

#endif
