// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The emulator (emulator.h): it decodes an instruction as Intel's SDM,
 * volume 2, chapter 2, describes the encoding, and leaves the computation to
 * the model. This file depends on no particular instruction.
 */
#include <string.h>
#include "emulator.h"
#include "model.h"

/* The one form of VEX, three bytes long, that can express the maps of opcodes */
#define VEX		0xc4

/* Without VEX: a prefix, REX if register numbers need it, and the map in two bytes */
#define OPERAND_SIZE	0x66
#define REX		0x40
#define ESCAPE		0x0f
#define ESCAPE_3A	0x3a

#define RSP		4
#define RBP		5
#define NO_INDEX	RSP

struct decoded {
	const struct instruction *instruction;
	unsigned int result, a, lanes;
	const uint8_t *b;
	uint8_t immediate;
	const uint8_t *end;
};

static int32_t displacement(const uint8_t **code, int bytes)
{
	int8_t byte = **code;
	int32_t word;

	memcpy(&word, *code, sizeof(word));
	*code += bytes;
	return bytes == 1 ? byte : word;
}

/*
 * The address of a memory operand, whose ModRM byte is just before *code. An
 * address relative to the instruction's end is returned without that end.
 */
static uint64_t memory_operand(const struct registers *registers,
			       const uint8_t **code, bool high_index,
			       bool high_base, bool *relative)
{
	unsigned int mode = (*code)[-1] >> 6;
	unsigned int base = (*code)[-1] & 7;
	uint64_t address = 0;

	*relative = mode == 0 && base == RBP;
	if (*relative)
		return displacement(code, 4);
	if (base == RSP) {	/* a SIB byte follows. */
		uint8_t sib = *(*code)++;
		unsigned int index = (sib >> 3 & 7) | high_index << 3;

		if (index != NO_INDEX)
			address = registers->general[index] << (sib >> 6);
		base = sib & 7;
		if (mode == 0 && base == RBP)
			return address + displacement(code, 4);
	}
	address += registers->general[base | high_base << 3];
	if (mode == 1)
		address += displacement(code, 1);
	else if (mode == 2)
		address += displacement(code, 4);
	return address;
}

static const struct instruction *find(bool is_legacy, enum prefix prefix,
				      enum map map, uint8_t opcode, bool w)
{
	size_t i;

	for (i = 0; i < instruction_count; i++) {
		const struct instruction *candidate = &instructions[i];

		if (candidate->is_legacy == is_legacy &&
		    candidate->prefix == prefix && candidate->map == map &&
		    candidate->opcode == opcode && candidate->w == w)
			return candidate;
	}
	return NULL;
}

/*
 * Decode the bytes before the ModRM byte, and move *code to that: the instruction and the
 * number of 16-byte parts. @high has the upper bits of the numbers of result, index and base, in
 * bits 2, 1 and 0, as in REX.
 */
static bool decode_opcode(const uint8_t **code, struct decoded *decoded,
			  uint8_t *high)
{
	const uint8_t *p = *code;
	uint8_t rex = 0;

	decoded->lanes = 1;
	if (p[0] == VEX) {
		/* There, they are stored inverted. */
		*high = ~p[1] >> 5 & 7;
		decoded->instruction = find(false, p[2] & 3, p[1] & 0x1f, p[3],
					    p[2] >> 7);
		decoded->lanes += p[2] >> 2 & 1;
		decoded->a = ~p[2] >> 3 & 15;
		*code += 4;
	} else if (p[0] == OPERAND_SIZE) {
		if ((p[1] & 0xf0) == REX)
			rex = *++p;
		if (p[1] != ESCAPE || p[2] != ESCAPE_3A)
			return false;
		*high = rex & 7;
		decoded->instruction = find(true, PREFIX_66, MAP_0F3A, p[3],
					    rex >> 3 & 1);
		/* the result's number */
		decoded->a = (p[4] >> 3 & 7) | (rex & 4) << 1;
		*code = p + 4;
	} else {
		return false;
	}
	return decoded->instruction &&
	       (decoded->lanes == 1 || !decoded->instruction->narrow);
}

static bool decode(const struct registers *registers, struct decoded *decoded)
{
	const uint8_t *code = (const uint8_t *)registers->instruction;
	bool high_index, high_base, relative = false;
	uint8_t high, modrm;

	if (!decode_opcode(&code, decoded, &high))
		return false;
	high_index = high >> 1 & 1;
	high_base = high & 1;
	modrm = *code++;
	decoded->result = (modrm >> 3 & 7) | (high >> 2) << 3;
	if (modrm >> 6 == 3) {
		unsigned int b = (modrm & 7) | high_base << 3;

		decoded->b = registers->vector[b];
	} else {
		decoded->b = (const uint8_t *)
			memory_operand(registers, &code, high_index, high_base,
				       &relative);
	}
	decoded->immediate = decoded->instruction->has_immediate ? *code++ : 0;
	if (relative)
		decoded->b = code + (intptr_t)decoded->b;
	decoded->end = code;
	return true;
}

bool emulate(struct registers *registers)
{
	struct decoded decoded;
	uint8_t result[64] = { 0 };
	unsigned int lane;

	if (!decode(registers, &decoded))
		return false;
	memcpy(result, registers->vector[decoded.result], PART_BYTES * decoded.lanes);
	for (lane = 0; lane < decoded.lanes; lane++)
		decoded.instruction->compute(result + PART_BYTES * lane,
			registers->vector[decoded.a] + PART_BYTES * lane,
			decoded.b + PART_BYTES * lane, decoded.immediate);
	/* With VEX, the rest of the register is set to zeros, whatever its length. */
	memcpy(registers->vector[decoded.result], result,
	       decoded.instruction->is_legacy ? PART_BYTES : sizeof(result));
	registers->instruction = (uintptr_t)decoded.end;
	return true;
}
