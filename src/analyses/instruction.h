/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - kinds of disassembled instructions, and why they are slow
 *
 * Covers AT&T and Intel syntax of x86, Go's assembler and AArch64, by mnemonics and operands. A
 * sample is often attributed to the instruction after the slow one: instruction_blame()
 * searches backwards from the hottest row.
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
	const char *does;  /* "divides": follows "an instruction that" */
	const char *cause; /* one or two usual causes, a clause */
	const char *next;  /* how to check, or the change to make */
};

enum instruction_kind instruction_kind_of(struct str text);
const struct instruction *instruction_of(enum instruction_kind kind);

/* The row that explains the weight of @hot; a row of the same function. */
struct instruction_blame {
	enum instruction_kind kind;
	uint32_t row;    /* index in the code: @hot itself, or an earlier row */
	bool is_skid;    /* the previous row is blamed because samples arrive late */
	bool is_operand; /* the previous row is a load of an operand of @hot */
};

struct instruction_blame instruction_blame(const struct capture *c, const struct code_function *f,
					   uint32_t hot);

#endif
