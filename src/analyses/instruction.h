/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - what a disassembled instruction does, as far as that says why it is slow
 *
 * AT&T and Intel syntax of x86, Go's assembler and AArch64 are understood by their mnemonics
 * and operands. A sample is often shown at the instruction behind the one that took long:
 * instruction_blame() looks back from the hottest row.
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
	const char *does;  /* "divides": after "an instruction that" */
	const char *cause; /* one or two usual reasons, a clause */
	const char *next;  /* how to tell, or what to change */
};

enum instruction_kind instruction_kind_of(struct str text);
const struct instruction *instruction_of(enum instruction_kind kind);

/* Which row explains the weight of @hot; rows of one function. */
struct instruction_blame {
	enum instruction_kind kind;
	uint32_t row;    /* of the code: @hot itself, or one before */
	bool is_skid;    /* the row before is blamed because samples are shown late */
	bool is_operand; /* the row before is a load of what @hot uses */
};

struct instruction_blame instruction_blame(const struct capture *c, const struct code_function *f,
					   uint32_t hot);

#endif
