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

/**
 * sm4_prepare_batches() - allocate the queues if the parameter "batch" is set
 *
 * To be called before any tier is registered.
 */
void sm4_prepare_batches(void);

/**
 * sm4_report_batches() - log why the parameter "batch" has no effect, if it is set and has none
 *
 * To be called when all tiers are registered. One reason is that there are no composite drivers
 * beside GMI.
 */
void sm4_report_batches(void);

/**
 * sm4_free_batches() - free the queues, after all drivers are unregistered
 */
void sm4_free_batches(void);

#endif
