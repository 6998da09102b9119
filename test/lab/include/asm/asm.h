/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exception table, as on x86, for modules on user-mode Linux (ARCH=um), which has no
 * such header and looks nothing up there: what a CPU refuses ends it.
 */
#ifndef UM_X86_ASM_H
#define UM_X86_ASM_H

#define _ASM_EXTABLE(...)

#endif
