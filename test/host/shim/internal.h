/* SPDX-License-Identifier: GPL-2.0 */
/* What crypto.c of the shim does for shim_reset() in kernel.c; not for tests. */
#ifndef SHIM_INTERNAL_H
#define SHIM_INTERNAL_H

/* A test that failed has not freed the transforms that it allocated. */
void shim_forget_users(void);

/* Forget all that is registered, and all that a test set. */
void shim_reset_crypto(void);

#endif
