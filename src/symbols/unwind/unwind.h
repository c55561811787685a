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

#include "symbols/unwind/cfi.h"

/* Result of reading an address of the process. */
enum unwind_read {
	UNWIND_READ_OK,
	UNWIND_READ_NOTHING, /* mapped, but not recorded: reads as 0, as in perf */
	UNWIND_READ_UNMAPPED,
};

struct unwind_place {
	struct cfi *cfi; /* NULL: code without call frame information */
	uint32_t row;    /* INDEX_NONE: no function covers the address */
	bool is_code;    /* an executable map contains the address */
};

/* Whether a word may be a return address. */
enum unwind_call {
	UNWIND_CALL_NONE,   /* it is not in code, or no call precedes it */
	UNWIND_CALL_UNSEEN, /* it is in code whose bytes are unknown: JIT */
	UNWIND_CALL_ANY,    /* a call precedes it */
	UNWIND_CALL_TO,     /* the call leads to shortly before the given place */
};

/* The sampled process. */
struct unwind_process {
	void *context;
	struct unwind_place (*place)(void *context, uint64_t address);
	/* Read 8 bytes outside the stack dump. */
	enum unwind_read (*read)(void *context, uint64_t address, uint64_t *ret);
	/* Judge @address as a return address of the function at @to; only for unwind_mixed(). */
	enum unwind_call (*call)(void *context, uint64_t address, uint64_t to);
};

struct unwind_sample {
	uint16_t machine;             /* EM_X86_64 or EM_AARCH64 */
	uint64_t regs[CFI_REGISTERS]; /* by DWARF number; AArch64: [32] is the pc */
	uint64_t has_regs;            /* bit n: regs[n] was recorded */
	const uint8_t *stack;         /* stack dump, from the stack pointer upwards */
	size_t stack_bytes;
};

/* User addresses of a sample, innermost first, as the kernel recorded them. */
struct unwind_chain {
	const uint64_t *ips;
	size_t n;
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
/*
 * The same for a recorder, which has no need to agree with perf. Code without rows (assembler,
 * JIT) is left by its frame pointer or, before it has a frame, by the return address on top of
 * the stack; only return addresses after a call are taken. Where the stack dump ends, the
 * kernel's chain @fp, made from frame pointers, continues it, if both agree up to there.
 */
size_t unwind_mixed(const struct unwind_sample *s, const struct unwind_process *process,
		    struct unwind_chain fp, uint64_t *ret_places, size_t max);

#endif
