/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vector instructions of sm4-fast that a CPU with AVX2 may lack: how they
 * are encoded, and what they compute, as plain C. Knows nothing of registers,
 * of memory and of the emulator.
 */
#ifndef TEST_EMUL_MODEL_H
#define TEST_EMUL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of these work on each lane of 16 bytes for itself. */
#define LANE	16

/* Which other bytes the encoding stands for: the fields pp and mmmmm of VEX */
enum prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };
enum map { MAP_0F38 = 2, MAP_0F3A };

/**
 * struct instruction - one instruction; its operands are result, a, b, immediate, and
 * without VEX its result is a
 * @name: as in an assembler
 * @prefix: of the opcode
 * @map: of the opcode
 * @opcode: the byte of that name
 * @w: the bit of that name; where the CPU ignores it, 0
 * @has_immediate: whether the last operand is there
 * @narrow: whether it is there for 16 bytes only
 * @is_legacy: whether its encoding is the one without VEX
 * @has_evex: whether AVX-512 has it for 64 bytes, in the encoding of that name
 * @compute: what it makes of one lane; some have their result as an operand, too
 */
struct instruction {
	const char *name;
	enum prefix prefix;
	enum map map;
	uint8_t opcode;
	bool w, has_immediate, narrow, is_legacy, has_evex;
	void (*compute)(uint8_t result[LANE], const uint8_t a[LANE],
			const uint8_t b[LANE], uint8_t immediate);
};

extern const struct instruction instructions[];
extern const size_t instruction_count;

#endif
