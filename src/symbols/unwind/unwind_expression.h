/* SPDX-License-Identifier: MIT */
/*
 * unwind_expression.h - the current frame of an unwinding, the step to its caller, and the
 * evaluation of DWARF expressions
 */
#ifndef SYMBOLS_UNWIND_EXPRESSION_H
#define SYMBOLS_UNWIND_EXPRESSION_H

#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"

#include <endian.h>

#define X86_RBP 6u
#define X86_RSP 7u
#define X86_RIP 16u

enum unwind_where_kind {
	UNWIND_NOWHERE,
	UNWIND_VALUE,
	UNWIND_MEMORY,
};

struct unwind_frame {
	const struct unwind_sample *sample;
	const struct unwind_process *process;
	/*
	 * indexed by DWARF number: the value of the register, or the address at which it is saved,
	 * depending on `kind`
	 */
	uint64_t v[CFI_REGISTERS];
	uint8_t kind[CFI_REGISTERS]; /* enum unwind_where_kind */
	/*
	 * ip: instruction pointer of this frame. cfa: stack pointer of this frame. For a caller,
	 * this is the CFA of its callee, which the step from the callee computed
	 */
	uint64_t ip, cfa;
	uint64_t stack_start;
	unsigned int sp_reg, ip_reg;
	enum unwind_read last_read;
	bool is_after_call; /* ip is a return address, as in all frames except the sampled one */
	bool is_outermost;  /* the frame has no caller; set by the last step */
};

/* Read 8 bytes at @address from the stack dump. Returns false if they are outside of the dump. */
static inline bool unwind_stack(const struct unwind_frame *f, uint64_t address, uint64_t *ret)
{
	const struct unwind_sample *s = f->sample;
	uint64_t from = address - f->stack_start;

	/* like perf, do not read the last word of the dump */
	if (address < f->stack_start || from >= s->stack_bytes || s->stack_bytes - from <= 8)
		return false;
	memcpy(ret, s->stack + from, 8);
	*ret = le64toh(*ret);
	return true;
}

/* Initialise @f as the innermost frame of @s, from the recorded registers. */
void unwind_start(struct unwind_frame *f, const struct unwind_sample *s,
		  const struct unwind_process *process);
/*
 * Step to the caller. The row number place.row of the call frame information shows where the
 * caller's registers are. Returns false if there is no caller, or if data are missing.
 */
bool unwind_by_row(struct unwind_frame *f, struct unwind_place place);
bool unwind_get(struct unwind_frame *f, unsigned int reg, uint64_t *ret);
void unwind_set(struct unwind_frame *f, unsigned int reg, enum unwind_where_kind kind, uint64_t v);
/* Whether the instruction pointer is in a PLT stub. */
bool unwind_is_plt(struct unwind_frame *f);
/*
 * Read 8 bytes of the process's memory. Memory that is mapped but was not recorded is read as 0.
 * Returns false if the memory is not mapped.
 */
bool unwind_memory(struct unwind_frame *f, uint64_t address, uint64_t *ret);
bool unwind_register(struct unwind_frame *f, unsigned int reg, uint64_t *ret);
/*
 * Evaluate an expression. @at: offset in the section at which the expression starts with its
 * length. *@first: the only element of the stack at the start; NULL: the stack is empty. Returns
 * false if the expression is damaged or endless, or needs missing data.
 */
bool unwind_expression(struct unwind_frame *f, const struct cfi *c, int32_t at,
		       const uint64_t *first, uint64_t *ret);

#endif
