/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - unwind a sample from its registers and stack dump
 *
 * For recordings of `perf record --call-graph dwarf`. Each step takes the row of call frame
 * information for the current address (cfi.h). The row shows where the registers of the caller are
 * saved; the step reads them from the stack dump. It stops, or guesses the caller, in the same
 * cases as perf with libunwind 1.6 (Debian). If a module has rows, its code without a row is
 * treated as a PLT stub, or as code with a frame pointer. A module without rows (JIT code, an
 * anonymous map) ends the call stack. A return address beyond the stack dump reads as 0, which perf
 * prints as 0xffffffffffffffff.
 *
 * As in perf, the address of a caller is its return address minus one, which lies in the call
 * instruction.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_UNWIND_H
#define SYMBOLS_UNWIND_H

#include "symbols/unwind/cfi.h"

/* Result of reading memory of the process. */
enum unwind_read {
	UNWIND_READ_OK,
	UNWIND_READ_NOTHING, /* mapped, but the content is unknown: reads as 0, as in perf */
	UNWIND_READ_UNMAPPED,
};

struct unwind_place {
	struct cfi *cfi; /* call frame information for the address; NULL: the code has none */
	/* row of cfi for the address; INDEX_NONE: no function covers the address */
	uint32_t row;
	bool is_code; /* an executable map contains the address */
};

/* How likely a word on the stack is a return address; a greater value is more likely. */
enum unwind_call {
	UNWIND_CALL_NONE, /* the word points outside code, or no call precedes it */
	/* the word points into code whose bytes are unknown, such as JIT code */
	UNWIND_CALL_UNSEEN,
	UNWIND_CALL_ANY, /* a call instruction precedes the code to which the word points */
	/*
	 * as UNWIND_CALL_ANY, and the instruction calls a function that starts shortly before the
	 * current address
	 */
	UNWIND_CALL_TO,
};

/* Access to the sampled process: its maps and its memory. */
struct unwind_process {
	void *context;
	struct unwind_place (*place)(void *context, uint64_t address);
	/* Read 8 bytes at an address that the stack dump does not cover. */
	enum unwind_read (*read)(void *context, uint64_t address, uint64_t *ret);
	/*
	 * Judge how likely @address is a return address in the caller of the code at @to. Only
	 * unwind_mixed() calls this.
	 */
	enum unwind_call (*call)(void *context, uint64_t address, uint64_t to);
};

struct unwind_sample {
	uint16_t machine; /* ELF machine: EM_X86_64 or EM_AARCH64 */
	/* values of registers by DWARF number; AArch64: [32] is the pc */
	uint64_t regs[CFI_REGISTERS];
	uint64_t has_regs;    /* bit n is set if regs[n] was recorded */
	const uint8_t *stack; /* stack dump; its first byte is at the stack pointer */
	size_t stack_bytes;
};

/* User addresses of a sample as the kernel recorded them, innermost first. */
struct unwind_chain {
	const uint64_t *ips;
	size_t n;
};

/*
 * Store the recorded registers in @ret, by their DWARF numbers. @mask: perf's bit mask of the
 * registers in @values. False: the machine is not supported, or the instruction or stack pointer is
 * missing. Source of the bits: arch/x86/include/uapi/asm/perf_regs.h and the same file of arm64.
 */
bool unwind_take_regs(struct unwind_sample *ret, uint64_t mask, const uint64_t *values, size_t n);
/*
 * Store the addresses of the user frames of @s in @ret_places, innermost first, at most @max.
 * Returns their number. Cost: a cached search per frame.
 */
size_t unwind_run(const struct unwind_sample *s, const struct unwind_process *process,
		  uint64_t *ret_places, size_t max);
/*
 * As unwind_run(), for a recorder, which need not give the same result as perf. In code without
 * rows (assembler, JIT), the frame pointer leads to the caller. If the code has no frame yet, the
 * return address on top of the stack does. A return address is accepted only if a call precedes it.
 * @fp: the chain that the kernel made from frame pointers. If unwinding stops before the outermost
 * frame, for example at the end of the stack dump, the result continues with @fp. Condition: the
 * last frame is also in @fp.
 */
size_t unwind_mixed(const struct unwind_sample *s, const struct unwind_process *process,
		    struct unwind_chain fp, uint64_t *ret_places, size_t max);

#endif
