/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FPU, as on x86, for modules on user-mode Linux (ARCH=um): found before the
 * kernel's own header, which it includes. A section is atomic, so that sleeping
 * in it is noticed. Nothing is saved: the registers are those of a process.
 */
#ifndef UM_X86_FPU_API_H
#define UM_X86_FPU_API_H

#include_next <asm/fpu/api.h>
#include <linux/preempt.h>
#include <asm/cpufeature.h>

#undef kernel_fpu_begin
#undef kernel_fpu_end
#define kernel_fpu_begin()	preempt_disable()
#define kernel_fpu_end()	preempt_enable()

/* State components, as XCR0 numbers them */
#define XFEATURE_MASK_SSE		BIT_ULL(1)
#define XFEATURE_MASK_YMM		BIT_ULL(2)
#define XFEATURE_MASK_OPMASK		BIT_ULL(5)
#define XFEATURE_MASK_ZMM_Hi256		BIT_ULL(6)
#define XFEATURE_MASK_Hi16_ZMM		BIT_ULL(7)
#define XFEATURE_MASK_AVX512		(XFEATURE_MASK_OPMASK | \
					 XFEATURE_MASK_ZMM_Hi256 | \
					 XFEATURE_MASK_Hi16_ZMM)

#endif
