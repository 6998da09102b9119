/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Numbers that C and assembly have to agree on. sm4-fast-tiers.c compares the offsets with the
 * structures, which are in sm4-fast.h and sm3/sm3-fast.h.
 */
#ifndef SM4_LAYOUT_H
#define SM4_LAYOUT_H

/* Powers of H in a key, one for each block of a pass of GHASH */
#define GHASH_POWERS			64

/* How many messages are encrypted at once; and hashed at once, with AVX2 and at most */
#define SM4_LANES			32
#define SM3_LANES_AVX2			8
#define SM3_LANES_MAX			16

/* struct sm4_round_keys: mapped, pairs, bytes */
#define SM4_MAPPED			128
#define SM4_PAIRS			256
#define SM4_BYTES			256

/* struct sm4_ghash_key: middle */
#define GHASH_MIDDLE			(GHASH_POWERS*16)

/* struct sm4_gcm_key: hash */
#define GCM_HASH_KEY			768

/* struct sm4_gcm_state */
#define GCM_STATE_HASH			0
#define GCM_STATE_COUNTER		16
#define GCM_STATE_MASK			32
#define GCM_STATE_LENGTHS		48

/* enum sm4_gcm_part */
#define GCM_FIRST_BIT			0
#define GCM_FIRST			1
#define GCM_LAST			2
#define GCM_DECRYPTS_BIT		2
#define GCM_DECRYPTS			4

/* struct sm4_ccm_state */
#define CCM_STATE_MAC			0
#define CCM_STATE_COUNTER		16
#define CCM_STATE_TEXT			32

/* struct sm4_hashing: src */
#define HASHING_SRC			32

/* struct sm4_lanes: a block of all lanes; chain, text */
#define LANES_STEP			(SM4_LANES*16)
#define LANES_CHAIN			(8*LANES_STEP)
#define LANES_TEXT			(LANES_CHAIN+LANES_STEP)

/* struct sm3_lanes: a word of all lanes; src */
#define SM3_LANES_WORD			(SM3_LANES_MAX*4)
#define SM3_LANES_SRC			(8*SM3_LANES_WORD)

#endif
