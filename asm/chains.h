/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The serial chains, CBC encryption, CBC-MAC and CCM, for a tier that is fast enough on
 * single blocks. The tier defines the following macros. They may clobber everything but
 * the arguments of the functions below and CCM_COUNT; the last one keeps TEXT, too.
 *
 *	sm4_chain_begin from	load the chain, a block, from memory
 *	sm4_chain_block		chain = E(chain ^ the block at SRC)
 *	sm4_chain_value		put the chain into the register CHAIN
 *	sm4_ccm_block		chain = E(chain ^ TEXT) and KEYSTREAM = E(KEYSTREAM), side by
 *				side, as one alone leaves the CPU waiting
 *	sm4_ccm_add_keystream	chain ^= KEYSTREAM. Ciphertext in TEXT then has the effect of
 *				plaintext, and decryption need not wait for that.
 *
 * Vector registers of the functions; single-blocks.h and blocks.h have the others:
 *
 *	4	CHAIN		the chain as in memory, from sm4_chain_value on
 *	13	CCM_OUTPUT	in CCM, what goes to DST
 *	14	TEXT		in CCM, the block before, which the MAC has yet to take in
 *	15	KEYSTREAM	in CCM, the counter, then the keystream
 *
 * sm4_chain_functions makes SM4_CHAIN_FUNCTIONS (asm/functions.h), of which the MAC is
 *
 *	void cbc_mac(const struct sm4_round_keys *keys, u8 *mac, const u8 *src,
 *		     size_t nblocks)
 *
 * as struct sm4_tier says (sm4-fast.h).
 */
#ifndef SM4_CHAINS_ASM_H
#define SM4_CHAINS_ASM_H

#include "layout.h"
#include "registers.h"
#include "tier.h"

.set CHAIN,		%xmm4

/* KEYS, DST, SRC, IV, and BYTES, which are left, live throughout. */
.macro sm4_cbc_encrypt_function name
SYM_TYPED_FUNC_START(\name)
	test		BYTES, BYTES
	jz		.L\name\()_done
	sm4_chain_begin	(IV)
.L\name\()_block:
	sm4_chain_block
	sm4_chain_value
	vmovdqu		CHAIN, (DST)
	add		$16, SRC
	add		$16, DST
	sub		$16, BYTES
	jnz		.L\name\()_block
	vmovdqu		CHAIN, (IV)
	sm4_clear_registers
.L\name\()_done:
	xor		RESULT_32, RESULT_32		# nothing is left
	RET
SYM_FUNC_END(\name)
.endm

/* KEYS, SRC, MAC, and NBLOCKS, which are left, live throughout. */
.macro sm4_cbc_mac_function name
	.set MAC,		%rsi
	.set NBLOCKS,		%rcx
SYM_TYPED_FUNC_START(\name)
	test		NBLOCKS, NBLOCKS
	jz		.L\name\()_done
	sm4_chain_begin	(MAC)
.L\name\()_block:
	sm4_chain_block
	add		$16, SRC
	dec		NBLOCKS
	jnz		.L\name\()_block
	sm4_chain_value
	vmovdqu		CHAIN, (MAC)
	sm4_clear_registers
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

/*
 * CCM: while the MAC takes in a block of plaintext, the next block's keystream is made. KEYS, DST,
 * SRC, CCM_STATE, CCM_NBLOCKS, which are left, CCM_DECRYPTS and CCM_COUNT live throughout.
 */
.macro sm4_ccm_crypt_function name
	.set CCM_STATE,		%rcx		/* struct sm4_ccm_state */
	.set CCM_NBLOCKS,	%r8
	.set CCM_DECRYPTS,	%r9b
	.set CCM_COUNT,		%r11d		/* the counter's last word */
	.set CCM_WORD_3,	%eax		/* and in the order of memory */
	.set CCM_OUTPUT,	%xmm13
	.set TEXT,		%xmm14
	.set KEYSTREAM,		%xmm15
SYM_TYPED_FUNC_START(\name)
	test		CCM_NBLOCKS, CCM_NBLOCKS
	jz		.L\name\()_done
	sm4_chain_begin	CCM_STATE_MAC(CCM_STATE)
	vmovdqu		CCM_STATE_TEXT(CCM_STATE), TEXT
	mov		CCM_STATE_COUNTER+12(CCM_STATE), CCM_COUNT
	bswap		CCM_COUNT
.L\name\()_block:
	mov		CCM_COUNT, CCM_WORD_3
	inc		CCM_COUNT
	bswap		CCM_WORD_3
	vmovdqu		CCM_STATE_COUNTER(CCM_STATE), KEYSTREAM
	vpinsrd		$3, CCM_WORD_3, KEYSTREAM, KEYSTREAM
	sm4_ccm_block
	vmovdqu		(SRC), TEXT
	vpxor		TEXT, KEYSTREAM, CCM_OUTPUT
	vmovdqu		CCM_OUTPUT, (DST)
	add		$16, SRC
	add		$16, DST
	dec		CCM_NBLOCKS
	jz		.L\name\()_end
	test		CCM_DECRYPTS, CCM_DECRYPTS
	jz		.L\name\()_block
	sm4_ccm_add_keystream
	jmp		.L\name\()_block

.L\name\()_end:
	test		CCM_DECRYPTS, CCM_DECRYPTS
	jz		.L\name\()_encrypted
	vmovdqa		CCM_OUTPUT, TEXT
.L\name\()_encrypted:
	vmovdqu		TEXT, CCM_STATE_TEXT(CCM_STATE)
	bswap		CCM_COUNT
	mov		CCM_COUNT, CCM_STATE_COUNTER+12(CCM_STATE)
	sm4_chain_value
	vmovdqu		CHAIN, CCM_STATE_MAC(CCM_STATE)
	sm4_clear_registers
.L\name\()_done:
	RET
SYM_FUNC_END(\name)
.endm

.macro sm4_chain_functions	prefix
	SM4_CHAIN_FUNCTIONS(SM4_MAKE, \prefix\()_)
.endm

#endif
