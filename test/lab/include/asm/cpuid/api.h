/* SPDX-License-Identifier: GPL-2.0 */
/* Where kernels from 6.16 on have cpuid_eax() on x86; on user-mode Linux (ARCH=um) it is here. */
#include <asm/cpufeature.h>
