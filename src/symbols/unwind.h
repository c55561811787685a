/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - unwind a sample from its registers and stack dump
 *
 * For recordings of `perf record --call-graph dwarf`. Each step takes the row of call frame
 * information for the place (cfi.h), finds the saved registers of the caller, and reads them
 * from the stack dump. It stops and guesses where perf does, which uses libunwind 1.6 on
 * Debian. Code without a row in a module that has rows is a PLT stub or has a frame pointer. A
 * module without rows (JIT code, an anonymous map) ends the stack. A return address beyond the
 * stack dump reads as 0, which perf prints as 0xffffffffffffffff.
 *
 * The place of a caller is its return address minus one: the call instruction, as perf prints
 * it.
 *
 * Nearly all places need only three numbers of their row. These are cached by address, so that
 * a frame costs a look-up and a stack word (unwind_quick.c). If a place needs more, the whole
 * stack is unwound with all registers.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_UNWIND_H
#define SYMBOLS_UNWIND_H

#include "symbols/cfi.h"

/* Result of reading an address of the process. */
enum unwind_read {
	UNWIND_READ_OK,
	UNWIND_READ_NOTHING, /* mapped, but not recorded: reads as 0, as in perf */
	UNWIND_READ_UNMAPPED,
};

struct unwind_place {
	struct cfi *cfi; /* NULL: code without call frame information */
	uint32_t row;    /* INDEX_NONE: no function covers the address */
};

/* How a step reaches the caller with the stack pointer and %rbp alone. */
enum unwind_base {
	UNWIND_BASE_OTHER, /* needs other registers */
	UNWIND_BASE_SP,    /* CFA = stack pointer + cfa */
	UNWIND_BASE_BP,    /* CFA = %rbp + cfa */
	UNWIND_BASE_END,   /* no caller */
};

struct unwind_step {
	uint64_t address;
	uint64_t code; /* unwind_process.code; 0: free slot */
	struct unwind_place place;
	int32_t cfa;  /* offset of the CFA from the base */
	int16_t bp;   /* offset of the saved %rbp from the CFA; 0: unchanged */
	uint8_t base; /* enum unwind_base; the return address is just below the CFA */
};

#define UNWIND_STEPS 16384u /* power of two */

/* The sampled process. */
struct unwind_process {
	void *context;
	/* identifies its code, the key of cached steps; 0: do not cache */
	uint64_t code;
	struct unwind_step *steps; /* UNWIND_STEPS slots, zeroed at first; NULL: no cache */
	struct unwind_place (*place)(void *context, uint64_t address);
	/* Read 8 bytes outside the stack dump. */
	enum unwind_read (*read)(void *context, uint64_t address, uint64_t *ret);
};

struct unwind_sample {
	uint16_t machine;             /* EM_X86_64 or EM_AARCH64 */
	uint64_t regs[CFI_REGISTERS]; /* by DWARF number; AArch64: [32] is the pc */
	uint64_t has_regs;            /* bit n: regs[n] was recorded */
	const uint8_t *stack;         /* stack dump, from the stack pointer upwards */
	size_t stack_bytes;
};

/*
 * Store registers recorded by perf, those of @mask in order, by DWARF number. False: an
 * unsupported machine, or no instruction or stack pointer among them. Numbers:
 * arch/x86/include/uapi/asm/perf_regs.h and arch/arm64's.
 */
bool unwind_take_regs(struct unwind_sample *ret, uint64_t mask, const uint64_t *values, size_t n);
/* Return the places of @s, innermost first, at most @max. Cost: a cached search a frame. */
size_t unwind_run(const struct unwind_sample *s, const struct unwind_process *process,
		  uint64_t *ret_places, size_t max);

#endif
