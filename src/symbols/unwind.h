/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - the callers of a sample, from its registers and a piece of its stack
 *
 * For recordings of `perf record --call-graph dwarf`. Each step takes the row of
 * call frame information that covers the place (cfi.h), finds where the caller's
 * registers were saved and reads them from the copied stack. It stops where
 * perf, which unwinds with libunwind 1.6 on Debian, stops, and guesses where it
 * guesses: code without a row in a module that has rows is a PLT stub or has a
 * frame pointer; a module without rows (JIT code, an anonymous map) ends the
 * stack; a return address behind the end of the copied stack is 0, which perf
 * shows as the place 0xffffffffffffffff.
 *
 * Places of callers are one less than their return address: the call and not
 * what follows it, as perf prints them.
 *
 * Nearly all places need no more than three numbers of their row: these are kept by
 * address, so that a frame costs a look-up and a word of the stack (unwind_quick.c).
 * The first place of a stack that needs more has all of it walked with all registers.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_UNWIND_H
#define SYMBOLS_UNWIND_H

#include "symbols/cfi.h"

/* What stands at an address of the process. */
enum unwind_read {
	UNWIND_READ_OK,
	UNWIND_READ_NOTHING, /* mapped, but its bytes were not recorded: taken as 0, as in perf */
	UNWIND_READ_UNMAPPED,
};

struct unwind_place {
	struct cfi *cfi; /* NULL: code of which no call frame information is to be had */
	uint32_t row;    /* INDEX_NONE: no function of the module covers the address */
};

/* How a step that needs the stack pointer and %rbp alone gets to the caller. */
enum unwind_base {
	UNWIND_BASE_OTHER, /* it needs more */
	UNWIND_BASE_SP,    /* the CFA is the stack pointer and a number */
	UNWIND_BASE_BP,    /* the same of %rbp */
	UNWIND_BASE_END,   /* no caller */
};

struct unwind_step {
	uint64_t address;
	uint64_t code; /* of the process; 0: free */
	struct unwind_place place;
	int32_t cfa;  /* what is added to the base */
	int16_t bp;   /* where the caller's %rbp is saved, of the CFA; 0: it is unchanged */
	uint8_t base; /* enum unwind_base; the return address is below the CFA */
};

#define UNWIND_STEPS 16384u /* a power of two */

/* The process around the sample, as the caller knows it. */
struct unwind_process {
	void *context;
	uint64_t code;             /* what its addresses mean: by this steps are kept; 0: are not */
	struct unwind_step *steps; /* UNWIND_STEPS of them, zeroed at first; NULL: none are kept */
	struct unwind_place (*place)(void *context, uint64_t address);
	/* 8 bytes outside of the copied stack. */
	enum unwind_read (*read)(void *context, uint64_t address, uint64_t *ret);
};

struct unwind_sample {
	uint16_t machine;             /* EM_X86_64 or EM_AARCH64 */
	uint64_t regs[CFI_REGISTERS]; /* by DWARF number; AArch64: [32] is the pc */
	uint64_t has_regs;            /* bit n: regs[n] was recorded */
	const uint8_t *stack;         /* from the stack pointer upwards */
	size_t stack_bytes;
};

/*
 * Put registers as perf recorded them, those of @mask in order, into @ret by
 * their DWARF numbers. False: a machine that we do not unwind, or no place in
 * the code or stack among them. Numbers: arch/x86/include/uapi/asm/perf_regs.h
 * and arch/arm64's.
 */
bool unwind_take_regs(struct unwind_sample *ret, uint64_t mask, const uint64_t *values, size_t n);
/*
 * The places of @s, innermost first, at most @max.
 * Cost: a cached search a frame.
 */
size_t unwind_run(const struct unwind_sample *s, const struct unwind_process *process,
		  uint64_t *ret_places, size_t max);

#endif
