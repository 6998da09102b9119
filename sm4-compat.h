/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between the kernels that sm4-fast builds for (4.18 to 7.3),
 * and nothing else. Of the sources, only this file may ask for a kernel version
 * or for the presence of a macro or header (Kbuild does, for objtool). It
 * also includes what all sources need: those in C, and those in assembly.
 *
 * Distributions take parts of newer kernels into theirs: so what can be seen here
 * is asked for by its presence, and only what cannot by the kernel's version.
 */
#ifndef SM4_COMPAT_H
#define SM4_COMPAT_H

#ifdef __ASSEMBLER__

#include <linux/linkage.h>
#include <asm/frame.h>

/* 5.5, which introduced these names to distinguish functions from other symbols */
#ifndef SYM_FUNC_START
#define SYM_FUNC_START(name)		ENTRY(name)
#define SYM_FUNC_START_LOCAL(name)	ALIGN; name:
#define SYM_FUNC_END(name)		ENDPROC(name)
#endif

/*
 * Functions that are called by pointer: 6.1 gave them a type in front, which
 * kernels with kCFI check. Before, all that begin with SYM_FUNC_START may be
 * called so, in kernels with IBT as well (5.18 on).
 */
#if __has_include("linux/cfi_types.h")
#include <linux/cfi_types.h>
#else
#define SYM_TYPED_FUNC_START(name)	SYM_FUNC_START(name)
#endif

/* 5.17, and 5.10 and 5.15 later on, for mitigations that take a return's place */
#ifndef RET
#define RET	ret
#endif

#else /* C */

#include <linux/errno.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/cpufeature.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <crypto/internal/hash.h>

/* To sparse, which cannot look for a header, it is where upstream has it. */
#ifndef __has_include
#define __has_include(...)	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))
#endif

/* 6.12 moved the header */
#if __has_include("linux/unaligned.h")
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* cpuid_eax(): 6.16 gave it this header, and later took it out of the other */
#if __has_include("asm/cpuid/api.h")
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

/* 5.1 */
#ifndef static_assert
#define static_assert(condition)	_Static_assert(condition, #condition)
#endif

/*
 * 5.2, where it also says no when the kernel tests what is done then. A macro there
 * and in those that have taken it, of <crypto/internal/simd.h>, which comes before
 * this file where it is asked for.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 2, 0) && !defined(crypto_simd_usable)
#define crypto_simd_usable()	may_use_simd()
#endif

/*
 * 5.4 made functions of these three checks. What is a function no preprocessor sees:
 * so they have names of their own here, which also suit an older kernel whose
 * distribution has taken them.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 4, 0)
static inline int sm4_check_gcm_tag_size(unsigned int size)
{
	return size == 4 || size == 8 || (size >= 12 && size <= 16) ? 0 : -EINVAL;
}

static inline int sm4_check_rfc4106_tag_size(unsigned int size)
{
	return size == 8 || size == 12 || size == 16 ? 0 : -EINVAL;
}

/* An ESP header with sequence numbers of 32 or 64 bits, and the IV */
static inline int sm4_check_ipsec_aad_size(unsigned int size)
{
	return size == 16 || size == 20 ? 0 : -EINVAL;
}

#define crypto_gcm_check_authsize	sm4_check_gcm_tag_size
#define crypto_rfc4106_check_authsize	sm4_check_rfc4106_tag_size
#define crypto_ipsec_check_assoclen	sm4_check_ipsec_aad_size
#endif

/* 5.9: drivers that need memory for a request say so, and a tasklet is its argument */
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

/* Until 5.3, PREEMPT_RT was a set of patches, with another name for the option. */
#define SM4_PREEMPT_RT							\
	(IS_ENABLED(CONFIG_PREEMPT_RT) || IS_ENABLED(CONFIG_PREEMPT_RT_FULL))

/*
 * Whether objtool can read the SM4 and the SM3 instructions, so that there are tiers
 * of them (see Kbuild). No macro shows what objtool can do.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define SM4_HAS_SM4NI
#endif

/*
 * Intel's SM3 and SM4 instructions: bits 1 and 2 of CPUID.(7,1).EAX. Not by the kernel's
 * names for them: kernels of Chinese distributions gave these to the instructions of
 * Hygon's processors, which are others, until 2025. All kernels since 5.3 have that word,
 * and those before have no tier that asks for them.
 */
#define SM4_FEATURE_INTEL_SM3	(12 * 32 + 1)
#define SM4_FEATURE_INTEL_SM4	(12 * 32 + 2)

/*
 * Hygon's SM4 instructions, by the name that vendors' kernels have for them since 2025.
 * Others have none, which is 0: see sm4-fast-cpu.c.
 */
#ifndef X86_FEATURE_HYGON_SM4
#define X86_FEATURE_HYGON_SM4	0
#endif

/*
 * Zhaoxin's GMI: two bits of CPUID.(0xC0000001).EDX, that it is there and that it
 * is switched on. Only vendors' kernels name them; all kernels have that word, in
 * which nothing is set on other processors.
 */
#ifndef X86_FEATURE_CCS
#define X86_FEATURE_CCS		(5 * 32 + 4)
#endif
#ifndef X86_FEATURE_CCS_EN
#define X86_FEATURE_CCS_EN	(5 * 32 + 5)
#endif

/*
 * The block size of the kernel's own cbcmac, which its tests compare with ours: a
 * number in its C code.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define SM4_CBCMAC_BLOCK_SIZE	16
#else
#define SM4_CBCMAC_BLOCK_SIZE	1
#endif

/*
 * Two more members of struct shash_alg, which export and import a state without a
 * partial block: since 6.16, the kernel's hmac takes no hash for ahash users, such as
 * ESP, that lacks them. The format is struct sm3_message's, whose partial block goes
 * along, as that of the kernel's own SM3 by its library does.
 */
#ifdef CRYPTO_AHASH_ALG_NO_EXPORT_CORE
#define SM3_CORE_STATE_FUNCTIONS(to, from)				\
	.hash.export_core = to, .hash.import_core = from,
#else
#define SM3_CORE_STATE_FUNCTIONS(...)
#endif

/*
 * Whether 64-byte vectors cost more than they give on this CPU, because it
 * lowers its clock for them. Older kernels do not say; of the CPUs with GFNI,
 * these are Intel's Ice Lake and Tiger Lake.
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
