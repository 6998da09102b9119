/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * An emulator of the instructions of model.h, in their encoding for registers of
 * 16 and 32 bytes (VEX), or without VEX. It can run such an instruction on a copy of the
 * registers, or run in place of the CPU if that refuses the instruction.
 */
#ifndef TEST_EMUL_EMULATOR_H
#define TEST_EMUL_EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

/* The registers, numbered as instructions number them */
struct registers {
	uint64_t general[16];	/* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, ... */
	uint64_t instruction;	/* rip */
	uint8_t vector[32][64] __attribute__((aligned(64)));
};

/*
 * Execute the instruction that @registers points to and advance. Returns false, and changes
 * nothing, if it is not emulated. Memory operands are read from this program's memory.
 */
bool emulate(struct registers *registers);

/* Number of instructions emulated in place of the CPU (sigill.c) */
extern unsigned long emulated_instructions;

#endif
