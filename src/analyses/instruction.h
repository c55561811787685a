/* SPDX-License-Identifier: MIT */
/*
 * instruction.h - kinds of disassembled instructions, and why they are slow
 *
 * The kind follows from mnemonic and operands. Supported are AT&T and Intel syntax of x86, Go's
 * assembler, and AArch64. A sample is often attributed to the instruction after the slow one
 * (skid), so instruction_blame() searches backwards from the hottest row.
 */
#ifndef ANALYSES_INSTRUCTION_H
#define ANALYSES_INSTRUCTION_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code;
struct code_function;
struct strings;

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_LOAD,
	/* a load from an address that was itself just loaded (pointer chasing) */
	INSTRUCTION_CHASE,
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
	const char *does;  /* text that completes "an instruction that": "divides" */
	const char *cause; /* a clause with one or two usual causes of the time */
	const char *next;  /* how to check the cause, or what to change */
};

enum instruction_kind instruction_kind_of(struct str text);
const struct instruction *instruction_of(enum instruction_kind kind);

/* The instruction that probably causes the samples of row @hot. It is in the same function. */
struct instruction_blame {
	enum instruction_kind kind;
	uint32_t row; /* index in code.rows: @hot, or an earlier row */
	/* `row` is earlier than @hot: its samples appear one instruction late, or two if is_far */
	bool is_skid;
	bool is_far;
	/* `row` is a load before @hot, and @hot waits for the loaded data */
	bool is_operand;
};

/*
 * Whether the @n instructions of a loop only read memory at fixed addresses, and compare. Then only
 * another thread, a signal or a device can end the loop, by changing the memory. @rows: indices of
 * the instructions in code.rows. *@ret_load: row of the first load.
 */
bool instruction_only_reads(const struct code *code, const struct strings *strings,
			    const uint32_t *rows, size_t n, uint32_t *ret_load);

struct instruction_blame instruction_blame(const struct code *code, const struct strings *strings,
					   const struct code_function *f, uint32_t hot);

#endif
