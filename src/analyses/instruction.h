/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - kinds of disassembled instructions, and why they are slow
 *
 * Mnemonics and operands decide. Supported are AT&T and Intel syntax of x86, Go's assembler, and
 * AArch64. A sample is often attributed to the instruction after the slow one, so
 * instruction_blame() searches backwards from the hottest row.
 */
#ifndef ANALYSES_INSTRUCTION_H
#define ANALYSES_INSTRUCTION_H

#include "base/str.h"

struct capture;
struct code_function;

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_LOAD,
	INSTRUCTION_CHASE, /* a load whose address was loaded just before */
	INSTRUCTION_ATOMIC,
	INSTRUCTION_DIVIDE,
	INSTRUCTION_PAUSE,
	INSTRUCTION_COPY,
	INSTRUCTION_FILL,
	INSTRUCTION_FENCE,
	INSTRUCTION_SERIALIZE,
	INSTRUCTION_USER_ACCESS,
	INSTRUCTION_SYSCALL,
	INSTRUCTION_DEVICE,
	INSTRUCTION_INTERRUPTS_ON,
	INSTRUCTION_INDIRECT,
	INSTRUCTION_GATHER,
	INSTRUCTION_HALT,
	INSTRUCTION_SQRT,
	INSTRUCTION_KINDS,
};

struct instruction {
	const char *does;  /* completes "an instruction that": "divides" */
	const char *cause; /* a clause with one or two usual causes */
	const char *next;  /* how to check the cause, or what to change */
};

enum instruction_kind instruction_kind_of(struct str text);
const struct instruction *instruction_of(enum instruction_kind kind);

/* The row that explains why row @hot has so many samples; both are in the same function. */
struct instruction_blame {
	enum instruction_kind kind;
	uint32_t row; /* index in code.rows: @hot, or an earlier row */
	/* the previous instruction is slow; samples are attributed to the next one */
	bool is_skid;
	bool is_operand; /* an earlier instruction, which loads an operand of @hot, is slow */
};

struct instruction_blame instruction_blame(const struct capture *c, const struct code_function *f,
					   uint32_t hot);

#endif
