// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Runs the emulator in place of the CPU in every program that has this file: the handler
 * of SIGILL, which copies the registers out of the signal's frame and back. An unknown
 * instruction ends the program, as before. Depends on no instruction.
 */
#define _GNU_SOURCE		/* the names of the registers in a signal frame */
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "emulator.h"

unsigned long emulated_instructions;

/* The indices of the general registers in signal.h, in the order of instructions */
static const int general_order[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/*
 * The parts of vector registers 0 to 15 in an area as XSAVE writes it: the state
 * component, its place (but for the first one as CPUID says), bytes of a register
 */
static struct {
	unsigned int component, offset, bytes;
} parts[] = {
	{ 1, 160, 16 },		/* SSE */
	{ 2, 0, 16 },		/* AVX: the upper halves */
	{ 6, 0, 32 },		/* AVX-512: the upper halves again */
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/*
 * Where the area has the bits of the components for which it has room (those of
 * the kernel), and of those that are present; absent ones are zeros
 */
#define COMPONENTS	472
#define XSTATE_BV	512

static void copy_vectors(struct registers *registers, uint8_t *area, bool back)
{
	const uint64_t *possible = (const uint64_t *)(area + COMPONENTS);
	uint64_t *present = (uint64_t *)(area + XSTATE_BV);
	unsigned int part, i, offset = 0;

	for (part = 0; part < PARTS; offset += parts[part++].bytes) {
		unsigned int bytes = parts[part].bytes;
		uint64_t component = 1 << parts[part].component;
		uint8_t *saved = area + parts[part].offset;

		if (!(*possible & component))
			continue;
		if (!(*present & component)) {
			memset(saved, 0, 16 * bytes);
			*present |= component;
		}
		for (i = 0; i < 16; i++) {
			uint8_t *vector = registers->vector[i] + offset;

			if (back)
				memcpy(saved + i * bytes, vector, bytes);
			else
				memcpy(vector, saved + i * bytes, bytes);
		}
	}
}

static void handle(int signal_number, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	greg_t *general = context->uc_mcontext.gregs;
	uint8_t *area = (uint8_t *)context->uc_mcontext.fpregs;
	static struct registers registers;
	int i;

	for (i = 0; i < 16; i++)
		registers.general[i] = general[general_order[i]];
	registers.instruction = general[REG_RIP];
	copy_vectors(&registers, area, false);
	if (!emulate(&registers)) {
		/* The instruction raises the signal again, which ends the program. */
		signal(signal_number, SIG_DFL);
		return;
	}
	/* Emulate the following ones, too: they would only raise the signal again. */
	do {
		emulated_instructions++;
	} while (emulate(&registers));
	copy_vectors(&registers, area, true);
	general[REG_RIP] = registers.instruction;
}

__attribute__((constructor))
static void emulate_what_the_cpu_lacks(void)
{
	/* The frame must not be below the stack pointer, where a test looks for leftovers. */
	static uint8_t stack[1 << 16];
	const stack_t signal_stack = {
		.ss_sp = stack, .ss_size = sizeof(stack),
	};
	const struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK,
	};
	unsigned int part, bytes, unused;

	for (part = 1; part < PARTS; part++)
		__cpuid_count(0xd, parts[part].component, bytes,
			      parts[part].offset, unused, unused);
	if (sigaltstack(&signal_stack, NULL) ||
	    sigaction(SIGILL, &action, NULL)) {
		perror("SIGILL cannot be handled");
		exit(1);
	}
}
