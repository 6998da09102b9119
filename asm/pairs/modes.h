/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The modes of SM4 on tiers with bulk in pairs, on vectors of 16 and 32 bytes: ECB, CBC decryption,
 * CTR and XTS, each a function of the type sm4_crypt_function (sm4-fast.h), and GCM.
 */
#ifndef SM4_PAIRS_MODES_ASM_H
#define SM4_PAIRS_MODES_ASM_H

#include "../begin-tier.h"
#include "ctr.h"
#include "ecb-cbc.h"
#include "gcm.h"
#include "rounds.h"
#include "xts.h"

#endif
