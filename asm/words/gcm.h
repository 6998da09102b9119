/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* GCM (asm/gcm.h) of a tier that has no bulk */
#ifndef SM4_WORDS_GCM_ASM_H
#define SM4_WORDS_GCM_ASM_H

#include "../word-passes.h"

/*
 * The stack: the buffer, a pass and one more block; a partial block; words 0 to 2 of the counter,
 * mapped; word 3, in the CPU's byte order; the part; BYTES during GHASH; how many bytes of the
 * buffer are to be wiped.
 */
#define GCM_BUFFER		0
#define GCM_PARTIAL		(WORD_PASS_BYTES+VL)
#define GCM_READY		(GCM_PARTIAL+VL)
#define GCM_COUNTER		(GCM_READY+3*VL)
#define GCM_PART		(GCM_COUNTER+8)
#define GCM_BYTES		(GCM_PART+8)
#define GCM_USED		(GCM_BYTES+8)
#define GCM_FRAME		(GCM_USED+8)

#include "../gcm-part.h"	/* which uses these */

.macro sm4_gcm_begin
	sm4_counter_ready GCM_STATE_COUNTER, STATE, GCM_READY
	mov		$GCM_MOST_USED, OFFSET_32
	mov		OFFSET, GCM_USED(%rsp)
.endm

.macro sm4_gcm_words_pass prefix, full
	sm4_gcm_keystream \prefix, \full
	sm4_for_groups	\full, sm4_xor, SRC		# P_i ^ E(counter + i)
	sm4_for_groups	\full, sm4_store, DST
.endm

.macro sm4_gcm_passes	prefix, full, hash
	sm4_gcm_full_passes WORD_PASS_BYTES, sm4_gcm_words_pass, \prefix, \full, \hash
.endm

.macro sm4_gcm_part_bytes
	mov		$WORD_PASS_BYTES, GCM_TEXT_32
.endm

.macro sm4_gcm_part	prefix, full
	test		TMP, TMP
	jz		.Lfilled_\@
	sm4_fewest_groups sm4_gcm_fill, \full, TMP, \prefix
	sm4_gcm_count
	sm4_gcm_store_mask
.Lfilled_\@:
	sm4_gcm_crypt_part
.endm

#endif
