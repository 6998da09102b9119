/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made by tools/generate-constants, which says how; do not edit.
 *
 * The maps of the SIMD tiers: bytes are held as M x, where M takes SM4's field
 * and the S-box's inner affine map into AES's field, so that the S-box is no
 * more than an inversion and one linear map. Sixteen bytes each, for .octa.
 */
#ifndef SM4_BASIS_H
#define SM4_BASIS_H

/* M for C, and the constants of the mapped round keys: struct sm4_basis */
#define SM4_BASIS_IMAGE		0x8c, 0x30, 0x85, 0x9f, 0xdc, 0x2e, 0xc5, 0x08
#define SM4_BASIS_CONSTANT	0x3e, 0x3e

/* SM4 bytes into the basis, M, by nibbles */
#define SM4_MAP_IN_LOW      	0xa62a961a23af139f39b50985bc308c00
#define SM4_MAP_IN_HIGH     	0x3fe311cdfa26d40837eb19c5f22edc00

/* and back, the inverse of M */
#define SM4_MAP_OUT_LOW     	0xf2772baedc59058072f7ab2e5cd98500
#define SM4_MAP_OUT_HIGH    	0xe9bcbeebadf8faaf4613114402575500

/* From the output of AES's S-box: W0 (the constants of both S-boxes
 * and of L are in its low table), then W3 */
#define SM4_AES_W0_LOW      	0x47c194123fb9ec6a5bdd880e23a5f076
#define SM4_AES_W0_HIGH     	0x0ae1d63dfa1126cdc72c1bf037dceb00
#define SM4_AES_W3_LOW      	0x0d58d386d5800b5e53068dd88bde5500
#define SM4_AES_W3_HIGH     	0xc9965c03bbe42e71b8e72d72ca955f00

/* From the output of AES's S-box to SM4's own bytes: the last step of
 * SM4's S-box in the key schedule */
#define SM4_AES_SBOX_LOW    	0x47ff8d3579c1b30b2098ea521ea6d46c
#define SM4_AES_SBOX_HIGH   	0xed0dbd5d709020c02dcd7d9db050e000

/* What a mapped round key has in every byte beside M of the key */
#define SM4_KEY_CONSTANT    	0x3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e

/* Bytes i+n of every word into place i, ShiftRows of AESENCLAST undone */
#define SM4_AES_ROTATE_0    	0x0306090c0f0205080b0e0104070a0d00
#define SM4_AES_ROTATE_1    	0x0c030609080f0205040b0e0100070a0d
#define SM4_AES_ROTATE_2    	0x090c030605080f0201040b0e0d00070a
#define SM4_AES_ROTATE_3    	0x06090c030205080f0e01040b0a0d0007

#endif
