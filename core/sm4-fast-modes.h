/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The list of modes: what sm4-fast-glue.c, which loads the module, needs of the files that
 * implement them.
 */
#ifndef SM4_FAST_MODES_H
#define SM4_FAST_MODES_H

#include "sm4-fast-drivers.h"

/* Tables for sm4_register_modes() */
extern const struct sm4_mode sm4_cipher_modes[], sm4_skcipher_modes[],
	sm4_aead_modes[], sm4_authenc_modes[], sm4_batch_modes[],
	sm4_mac_modes[], sm3_modes[];

/*
 * sm4_prepare_batches() allocates the queues if the parameter "batch" is set, before any tier is
 * registered. sm4_report_batches() is called when all are registered. If the parameter has no
 * effect, it logs why: one reason is that there are no composite drivers beside GMI.
 */
void sm4_prepare_batches(void);
void sm4_report_batches(void);

/* Free the queues, after all drivers are unregistered. */
void sm4_free_batches(void);

#endif
