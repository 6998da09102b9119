/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The vector instructions of sm4-fast that a CPU with AVX2 may lack: their encoding, and their
 * computation in plain C. Independent of registers, memory and the emulator.
 */
#ifndef TEST_EMUL_MODEL_H
#define TEST_EMUL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of these process each 128 bits independently. */
#define PART_BYTES	16

/* The other bytes that the encoding represents: the fields pp and mmmmm of VEX */
enum prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };
enum map { MAP_0F38 = 2, MAP_0F3A };

/**
 * struct instruction - one instruction; its operands are result, a, b, immediate, and
 * without VEX its result is a
 * @name: its name in an assembler
 * @prefix: of the opcode
 * @map: of the opcode
 * @opcode: the opcode byte
 * @w: the bit W; 0 if the CPU ignores it
 * @has_immediate: whether the last operand is there
 * @narrow: whether it exists only for 16 bytes
 * @is_legacy: whether its encoding has no VEX
 * @compute: its result for one part; for some, the old result is an operand, too
 */
struct instruction {
	const char *name;
	enum prefix prefix;
	enum map map;
	uint8_t opcode;
	bool w, has_immediate, narrow, is_legacy;
	void (*compute)(uint8_t result[PART_BYTES], const uint8_t a[PART_BYTES],
			const uint8_t b[PART_BYTES], uint8_t immediate);
};

extern const struct instruction instructions[];
extern const size_t instruction_count;

#endif
