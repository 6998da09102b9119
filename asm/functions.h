/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The functions of a tier of SM4, for the assembler and for C: a list for each group of functions
 * that a tier has all or none of. From these are made: the functions of vector tiers, their
 * declarations and the members of tiers (sm4-fast.h, sm4-fast-tiers.c), the self-tests
 * (core/sm4-fast-check.c), and the calls and stand-ins of the tests (test/host).
 *
 * To find where sm4_avx2_xts_gb is defined, search for the macro sm4_xts_gb_function: a function's
 * name begins with the name of a tier, or of what several tiers share, and ends as in the list.
 *
 * A row F(name, type, member, call, title, ...) has
 *
 *	name, type, member	sm4-fast.h has the type and the contract of the member.
 *	call	how tests call it. Operations differ in their IV: BLOCKS has none; IV is a
 *		ciphertext block, and CHAIN also a serial chain; COUNTER allows a partial block
 *		at the end; TWEAK is a tweak of XTS. All others have their own type.
 *	title	in the log and in the names of tests
 *	...	what the list is given
 */
#ifndef SM4_FUNCTIONS_H
#define SM4_FUNCTIONS_H

/*
 * The makers, for lists that are given what a function's whole name begins with: in the assembler,
 * the function itself, by the macro of its name, which gets the other arguments; in C, its
 * declaration, and the member of a tier that has it
 */
#define SM4_MAKE(name, type, member, call, title, prefix, ...)			\
	sm4_##name##_function prefix\()name, ##__VA_ARGS__;
#define SM4_DECLARE(name, type, member, call, title, prefix)			\
	asmlinkage type prefix##name;
#define SM4_HAS(name, type, place, call, title, prefix)				\
	.place = prefix##name,

/* Every tier has these. Without some CPU flags, the hashes of GCM and it are not used. */
#define SM4_MODE_FUNCTIONS(F, ...)						\
	F(ecb, sm4_crypt_function, crypt[SM4_ECB], BLOCKS, "ecb", ##__VA_ARGS__)	\
	F(cbc_decrypt, sm4_crypt_function, crypt[SM4_CBC_DECRYPT], IV,		\
	  "cbc decryption", ##__VA_ARGS__)					\
	F(ctr, sm4_crypt_function, crypt[SM4_CTR], COUNTER, "ctr", ##__VA_ARGS__)	\
	F(xts, sm4_crypt_function, crypt[SM4_XTS], TWEAK, "xts", ##__VA_ARGS__)	\
	F(xts_gb, sm4_crypt_function, crypt[SM4_XTS_GB], TWEAK,			\
	  "gbt17964 xts", ##__VA_ARGS__)						\
	F(gcm, sm4_gcm_function, gcm, GCM, "gcm", ##__VA_ARGS__)

/* Every tier has one; tiers of one file share it. */
#define SM4_KEY_FUNCTIONS(F, ...)						\
	F(key_schedule, sm4_key_schedule_function, key_schedule, KEY,		\
	  "key schedule", ##__VA_ARGS__)

/* Serial chains: tiers that are fast enough on single blocks */
#define SM4_CHAIN_FUNCTIONS(F, ...)						\
	F(cbc_encrypt, sm4_crypt_function, crypt[SM4_CBC_ENCRYPT], CHAIN,	\
	  "cbc encryption", ##__VA_ARGS__)					\
	F(cbc_mac, sm4_mac_function, cbc_mac, MAC, "cbc-mac", ##__VA_ARGS__)	\
	F(ccm_crypt, sm4_ccm_function, ccm_crypt, CCM, "ccm", ##__VA_ARGS__)

/* Tiers with chains, if this is faster than one after the other (asm/cbc-sm3.h) */
#define SM4_HASHING_FUNCTIONS(F, ...)						\
	F(cbc_encrypt_sm3, sm4_cbc_sm3_function, cbc_encrypt_sm3, CBC_SM3,	\
	  "cbc encryption with sm3", ##__VA_ARGS__)

/* Lanes of CBC: tiers with pairs (asm/pairs/lanes.h), and one with 64-byte vectors takes theirs */
#define SM4_LANE_FUNCTIONS(F, ...)						\
	F(set_lane_keys, sm4_lanes_keys_function, set_lane_keys, LANE_KEYS,	\
	  "keys of lanes", ##__VA_ARGS__)						\
	F(cbc_encrypt_lanes, sm4_lanes_function, cbc_encrypt_lanes, LANES,	\
	  "cbc encryption in lanes", ##__VA_ARGS__)

/*
 * What the files ghash-clmul.S, ghash-generic.c and sm3/sm3-lanes-asm.S have for the modes above:
 * functions with names of their own
 */
#define SM4_HASH_FUNCTIONS(F, ...)						\
	F(ghash_set_key, ghash_set_key_function, ghash_set_key, HASH_KEY,	\
	  "powers of the hash key", ##__VA_ARGS__)				\
	F(ghash, ghash_function, ghash, GHASH, "ghash", ##__VA_ARGS__)		\
	F(sm3_lanes, sm3_lanes_function, sm3_lanes, SM3_LANES, "sm3 in lanes",	\
	  ##__VA_ARGS__)

/* All of them, in the order of the self-tests: with a wrong key schedule, all others are wrong. */
#define SM4_TIER_FUNCTIONS(F, ...)						\
	SM4_KEY_FUNCTIONS(F, ##__VA_ARGS__)					\
	SM4_MODE_FUNCTIONS(F, ##__VA_ARGS__)					\
	SM4_CHAIN_FUNCTIONS(F, ##__VA_ARGS__)					\
	SM4_HASHING_FUNCTIONS(F, ##__VA_ARGS__)					\
	SM4_LANE_FUNCTIONS(F, ##__VA_ARGS__)					\
	SM4_HASH_FUNCTIONS(F, ##__VA_ARGS__)

/*
 * Tiers that leave the end of a text to a narrower one: up to how many bytes. The makers define
 * these numbers, in the assembler and in C.
 */
#define SM4_NARROWER_BYTES(F)							\
	F(sm4_aesni_avx2, 64)							\
	F(sm4_vaes_avx2, 64)							\
	F(sm4_avx512, 128)							\
	F(sm4_gfni_avx512, 128)
#define SM4_SET_BYTES(tier, bytes)	.set NARROWER_BYTES_OF_##tier, bytes;
#define SM4_ENUM_BYTES(tier, bytes)	NARROWER_BYTES_OF_##tier = bytes,

#endif
