/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Made by tools/generate-constants, which says how; do not edit.
 *
 * The maps of the SIMD tiers: bytes are held as M x, where M takes SM4's field
 * and the S-box's inner affine map into a field in which the CPU can invert. So
 * the S-box consists of an inversion and one linear map. Sixteen bytes each. One
 * macro emits all constants for one way to invert, with sm4_constant
 * (asm/constants.h); the others are definitions, for .octa.
 */
#ifndef SM4_BASIS_H
#define SM4_BASIS_H

/* M for C, and the constants of the mapped round keys: struct sm4_basis */
#define SM4_AES_BASIS { \
	.image = { 0x8c, 0x30, 0x85, 0x9f, 0xdc, 0x2e, 0xc5, 0x08 }, \
	.constant = { 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e }, \
}
#define SM4_NIBBLES_BASIS { \
	.image = { 0xa9, 0xc9, 0x6c, 0x58, 0x59, 0xe8, 0xbe, 0xd5 }, \
	.constant = { 0xca, 0x20, 0xca, 0x20, 0x20, 0xca, 0x20, 0xca }, \
}

#ifdef __ASSEMBLER__
.macro sm4_aes_maps
/* SM4's bytes into the basis of AES's field, by nibbles, and back */
sm4_constant in_low, 0xa62a961a23af139f39b50985bc308c00
sm4_constant in_high, 0x3fe311cdfa26d40837eb19c5f22edc00
sm4_constant out_low, 0xf2772baedc59058072f7ab2e5cd98500
sm4_constant out_high, 0xe9bcbeebadf8faaf4613114402575500
/* From the output of AES's S-box: W0 with all constants, W3 and the sum */
sm4_constant w0_low, 0x47c194123fb9ec6a5bdd880e23a5f076
sm4_constant w0_high, 0x0ae1d63dfa1126cdc72c1bf037dceb00
sm4_constant w1_low, 0x4a994794ea39e73408db05d6a87ba576
sm4_constant w1_high, 0xc3778a3e41f508bc7fcb3682fd49b400
sm4_constant w3_low, 0x0d58d386d5800b5e53068dd88bde5500
sm4_constant w3_high, 0xc9965c03bbe42e71b8e72d72ca955f00
/* and into SM4's own bytes: the last step of SM4's S-box */
sm4_constant sbox_low, 0x47ff8d3579c1b30b2098ea521ea6d46c
sm4_constant sbox_high, 0xed0dbd5d709020c02dcd7d9db050e000
/* Bytes i+n of every word into place i, ShiftRows of AESENCLAST undone */
sm4_constant rotate_0, 0x0306090c0f0205080b0e0104070a0d00
sm4_constant rotate_1, 0x0c030609080f0205040b0e0100070a0d
sm4_constant rotate_2, 0x090c030605080f0201040b0e0d00070a
sm4_constant rotate_3, 0x06090c030205080f0e01040b0a0d0007
.endm
.macro sm4_gfni_maps
/* Matrices for GF2P8AFFINEQB, the same basis */
sm4_constant in, 0x4c287db91a22505d4c287db91a22505d
sm4_constant out, 0xb3a4f5863284728bb3a4f5863284728b
/* and for GF2P8AFFINEINVQB */
sm4_constant w0, 0x040db891e9a481b7040db891e9a481b7
sm4_constant w1, 0x2c020425162040ad2c020425162040ad
sm4_constant w3, 0x280fbcb4ff84c11a280fbcb4ff84c11a
sm4_constant sbox, 0xf3ab34a974a6b589f3ab34a974a6b589
/* A byte of tweaks times x^7 + x^2 + x + 1, for GF2P8AFFINEQB */
sm4_constant tweak_low, 0x0103070e1c3870e10103070e1c3870e1
sm4_constant tweak_high, 0xc284081020408000c284081020408000
sm4_constant gb_tweak_low, 0x870e1c3870e0c080870e1c3870e0c080
sm4_constant gb_tweak_high, 0x00010204081021430001020408102143
.endm
.macro sm4_nibbles_maps
/* SM4's bytes into the basis of nibbles, and back */
sm4_constant in_low, 0x54fd9d343891f1580ca5c56c60c9a900
sm4_constant in_high, 0xda83326b643d8cd50f56e7beb1e85900
sm4_constant out_low, 0x70681f07c3dbacb4c4dcabb3776f1800
sm4_constant out_high, 0x11942bae28ad12978603bc39bf3a8500
/* 1 and a over a nibble */
sm4_constant one_over, 0x0803040a050c020f06070b0d0e090180
sm4_constant a_over, 0x0102090c06080d0a040b0307050e0f80
/* From the nested inverses io and jo: W0, W3 and SM4's bytes */
sm4_constant w0_io, 0xd8ed11fedac9262437fc3502ef13cb00
sm4_constant w0_jo, 0xd7c3bb50ff6c87af3c781428eb934400
sm4_constant w3_io, 0x325e578ab165b83bef096c83ddd4e600
sm4_constant w3_jo, 0x9f62bd286822b7400adffdf7954ad500
sm4_constant sbox_io, 0xd3d7794d30aa9e7de7ae04e3349a4900
sm4_constant sbox_jo, 0x636d378cb554ef39d85a0ed6bbe18200
.endm
.macro sm4_nibbles_short_maps
/* For short rounds and chains: the sum of W0 and W3 */
sm4_constant w1_io, 0xeab346746bac9e1fd8f5598132c72d00
sm4_constant w1_jo, 0x48a10678974e30ef36a7e9df7ed99100
.endm
.macro sm4_nibbles_tweak_maps
/* A byte of tweaks times x^7 + x^2 + x + 1, by nibbles */
sm4_constant tweak_low_low, 0xad2aa324b136bf3895129b1c890e8700
sm4_constant tweak_low_high, 0xd0a030401060f0805020b0c090e07000
sm4_constant tweak_high_low, 0x07070606050504040303020201010000
sm4_constant tweak_high_high, 0x7a726a625b534b433931292118100800
sm4_constant gb_tweak_low_low, 0x0b0a08090c0d0f0e0504060702030100
sm4_constant gb_tweak_low_high, 0xb5a98d91c5d9fde154486c7024381c00
sm4_constant gb_tweak_high_low, 0x5e9cda185694d2104e8cca084684c200
sm4_constant gb_tweak_high_high, 0xe0c0a08060402000e0c0a08060402000
.endm
#endif

/* Added to every byte of a mapped round key, in addition to M of the key */
#define SM4_AES_KEY_CONSTANT 0x3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e
#define SM4_NIBBLES_KEY_CONSTANT 0xcacacacacacacacacacacacacacacaca
/* Bytes i+n of every word into place i */
#define SM4_ROTATE_1 0x0c0f0e0d080b0a090407060500030201
#define SM4_ROTATE_2 0x0d0c0f0e09080b0a0504070601000302
#define SM4_ROTATE_3 0x0e0d0c0f0a09080b0605040702010003
/* Byte i of four words into place r of the i-th four, and back */
#define SM4_COLUMNS 0x0f0b07030e0a06020d0905010c080400
/* There, bytes i+n of every word into place i, ShiftRows undone */
#define SM4_AES_COLUMNS_0 0x0306090c0f0205080b0e0104070a0d00
#define SM4_AES_COLUMNS_1 0x070a0d000306090c0f0205080b0e0104
#define SM4_AES_COLUMNS_2 0x0b0e0104070a0d000306090c0f020508
#define SM4_AES_COLUMNS_3 0x0f0205080b0e0104070a0d000306090c
/* The bytes of word 0 there */
#define SM4_BLOCK_0 0x000000ff000000ff000000ff000000ff
/* Words in the CPU's byte order from big-endian ones, and back */
#define SM4_SWAP_WORDS 0x0c0d0e0f08090a0b0405060700010203
/* Blocks into pairs and back (asm/pairs/rounds.h): the order of bytes */
#define SM4_PAIRS_IN 0x0f0d0e0c0b090a080705060403010200
#define SM4_PAIRS_OUT 0x0f0b0e0a0d090c080703060205010400
/* Four words in the CPU's byte order into their bytes 0, 2, 1 and 3 */
#define SM4_PAIRS_OF_WORDS 0x0c0804000e0a06020d0905010f0b0703
/* The constant that SM4's S-box adds in the end */
#define SM4_SBOX_CONSTANT 0xd3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3

/* The constants that GF2P8AFFINEINVQB adds after W0 and the S-box's matrix */
#define SM4_GFNI_W0_CONSTANT		0x63
#define SM4_GFNI_SBOX_CONSTANT		0xd3

/* FK of the key schedule (GB/T 32907-2016, section 7.3), for .long */
#define SM4_FK 0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc

#endif
