/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Transpose the elements of vectors of any width, within every 128 bits. */
#ifndef SM4_TRANSPOSE_ASM_H
#define SM4_TRANSPOSE_ASM_H

#include "registers.h"

/* Transpose the 4 x 4 words of every 128 bits: rows into words and back. Clobbers T0-T3. */
.macro sm4_transpose	in0, in1, in2, in3, out0, out1, out2, out3
	vpunpckldq	\in1, \in0, T0
	vpunpckhdq	\in1, \in0, T1
	vpunpckldq	\in3, \in2, T2
	vpunpckhdq	\in3, \in2, T3
	vpunpcklqdq	T2, T0, \out0
	vpunpckhqdq	T2, T0, \out1
	vpunpcklqdq	T3, T1, \out2
	vpunpckhqdq	T3, T1, \out3
.endm

/* Unpack four pairs of vectors: their lower halves to t, b, d, f, the upper ones to a, c, e, g. */
.macro sm4_unpack	size, a, b, c, d, e, f, g, h, t
	vpunpckl\size	\b, \a, \t
	vpunpckh\size	\b, \a, \a
	vpunpckl\size	\d, \c, \b
	vpunpckh\size	\d, \c, \c
	vpunpckl\size	\f, \e, \d
	vpunpckh\size	\f, \e, \e
	vpunpckl\size	\h, \g, \f
	vpunpckh\size	\h, \g, \g
.endm

#endif
