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

/* The sampled process. */
struct unwind_process {
	void *context;
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
