/* SPDX-License-Identifier: GPL-2.0 */
/* What crypto.c and kernel.c of the shim do for each other; not for tests. */
#ifndef SHIM_INTERNAL_H
#define SHIM_INTERNAL_H

#include <stdbool.h>

/* A test that failed has not freed the transforms that it allocated. */
void shim_forget_users(void);

/* Forget all that is registered, and all that a test set. */
void shim_reset_crypto(void);

/* What kernel.c of the shim knows: whether a spin lock is held */
bool shim_holds_locks(void);

#endif
