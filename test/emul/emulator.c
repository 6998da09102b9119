// SPDX-License-Identifier: GPL-2.0
/*
 * The emulator (emulator.h): it takes an instruction to pieces as Intel's SDM,
 * volume 2, chapter 2, describes the encoding, and leaves what it computes to
 * the model. Nothing in here knows a single instruction.
 */
#include <string.h>
#include "emulator.h"
#include "model.h"

/* The one form of VEX, three bytes long, that can express the maps of opcodes */
#define VEX		0xc4

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
 * address relative to the instruction's end comes without that end.
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

static const struct instruction *find(enum prefix prefix, enum map map,
				      uint8_t opcode, bool w)
{
	size_t i;

	for (i = 0; i < instruction_count; i++) {
		const struct instruction *candidate = &instructions[i];

		if (candidate->prefix == prefix && candidate->map == map &&
		    candidate->opcode == opcode && candidate->w == w)
			return candidate;
	}
	return NULL;
}

static bool decode(const struct registers *registers, struct decoded *decoded)
{
	const uint8_t *code = (const uint8_t *)registers->instruction;
	bool high_result, high_index, high_base, relative = false;
	uint8_t modrm;

	if (code[0] != VEX)
		return false;
	/* The upper bits of register numbers are stored inverted. */
	high_result = !(code[1] & 0x80);
	high_index = !(code[1] & 0x40);
	high_base = !(code[1] & 0x20);
	decoded->instruction = find(code[2] & 3, code[1] & 0x1f, code[3],
				    code[2] >> 7);
	if (!decoded->instruction)
		return false;
	decoded->lanes = code[2] & 4 ? 2 : 1;
	if (decoded->instruction->narrow && decoded->lanes > 1)
		return false;
	decoded->a = ~code[2] >> 3 & 15;
	modrm = code[4];
	decoded->result = (modrm >> 3 & 7) | high_result << 3;
	code += 5;
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
	memcpy(result, registers->vector[decoded.result], LANE * decoded.lanes);
	for (lane = 0; lane < decoded.lanes; lane++)
		decoded.instruction->compute(result + LANE * lane,
			registers->vector[decoded.a] + LANE * lane,
			decoded.b + LANE * lane, decoded.immediate);
	/* The rest of the register becomes zeros, however long it is. */
	memcpy(registers->vector[decoded.result], result, sizeof(result));
	registers->instruction = (uintptr_t)decoded.end;
	return true;
}
