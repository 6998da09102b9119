/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that crypto.c and kernel.c of the shim call in each other; not for tests */
#ifndef SHIM_INTERNAL_H
#define SHIM_INTERNAL_H

#include <stdbool.h>

/* A test that failed has not freed the transforms that it allocated. */
void shim_forget_users(void);

/* Remove everything that is registered, and reset everything that a test has set. */
void shim_reset_crypto(void);

/* kernel.c: whether a spin lock is held */
bool shim_holds_locks(void);

#endif
