/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running a piece of code on registers that are given, all of them: the stack
 * pointer, too, so that the code must not use the stack.
 */
#ifndef TEST_EMUL_EXECUTE_H
#define TEST_EMUL_EXECUTE_H

#define REGISTERS_INSTRUCTION	128
#define REGISTERS_VECTOR	192

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include "emulator.h"

_Static_assert(offsetof(struct registers, instruction) == REGISTERS_INSTRUCTION,
	       "execute.S");
_Static_assert(offsetof(struct registers, vector) == REGISTERS_VECTOR,
	       "execute.S");

/*
 * Set the registers, jump to registers->instruction, and when the code there
 * jumps to executed, store them again (but the pointer to the instruction).
 * Needs AVX, and AVX-512 if that is @wide: then all 32 vector registers of 64
 * bytes count, otherwise 32 bytes of 16 of them.
 */
void execute(struct registers *registers, bool wide);

extern const char executed[];
#endif

#endif
