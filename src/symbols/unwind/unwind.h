/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - unwind a sample from its registers and stack dump
 *
 * For recordings of `perf record --call-graph dwarf`. Each step finds the row of call frame
 * information for the current address (cfi.h). The row shows where the caller's registers are
 * saved, and the step reads them from the stack dump. It stops, or guesses the caller, in the same
 * cases as perf with libunwind 1.6 (Debian). If a module has call frame information, but no row for
 * the current address, x86-64 code is treated as a PLT stub, or as code with a frame pointer. In a
 * module without call frame information (JIT code, anonymous memory), the call stack ends. A return
 * address outside the stack dump is read as 0, which perf prints as 0xffffffffffffffff.
 *
 * As in perf, the address of a caller is its return address minus 1, so that it is inside the call
 * instruction.
 *
 * Not thread safe: rows are computed on first use.
 */
#ifndef SYMBOLS_UNWIND_H
#define SYMBOLS_UNWIND_H

#include "symbols/unwind/cfi.h"

/* Result of a read from the memory of the process. */
enum unwind_read {
	UNWIND_READ_OK,
	UNWIND_READ_NOTHING, /* the memory is mapped, but was not recorded: 0 is read, as in perf */
	UNWIND_READ_UNMAPPED,
};

struct unwind_place {
	struct cfi *cfi; /* call frame information of the module; NULL: none */
	/*
	 * index in cfi->rows of the row for the address; INDEX_NONE: no function covers the address
	 */
	uint32_t row;
	bool is_code; /* the address is in an executable map */
};

/* How likely a word on the stack is a return address. Greater values are more likely. */
enum unwind_call {
	/*
	 * impossible: it is not the address of code, or no call instruction precedes this address
	 */
	UNWIND_CALL_NONE,
	/* it is the address of code whose bytes are not known, such as JIT code */
	UNWIND_CALL_UNSEEN,
	UNWIND_CALL_ANY, /* a call instruction precedes this address */
	/*
	 * like UNWIND_CALL_ANY, and this instruction calls a function that starts shortly before
	 * the current address
	 */
	UNWIND_CALL_TO,
};

/* Access to the maps and the memory of the sampled process. */
struct unwind_process {
	void *context;
	struct unwind_place (*place)(void *context, uint64_t address);
	/* Read 8 bytes of memory that are not in the stack dump. */
	enum unwind_read (*read)(void *context, uint64_t address, uint64_t *ret);
	/*
	 * Rate how likely it is that @address is a return address, and that the function that will
	 * return to it is the function at @to. Used only by unwind_mixed().
	 */
	enum unwind_call (*call)(void *context, uint64_t address, uint64_t to);
};

struct unwind_sample {
	uint16_t machine; /* ELF machine: EM_X86_64 or EM_AARCH64 */
	/* register values, indexed by DWARF number; on AArch64, regs[32] is the pc */
	uint64_t regs[CFI_REGISTERS];
	uint64_t has_regs;    /* bit n: the value of regs[n] was recorded */
	const uint8_t *stack; /* stack dump; it starts at the stack pointer */
	size_t stack_bytes;
};

/* The user-space call chain of a sample as the kernel recorded it, innermost frame first. */
struct unwind_chain {
	const uint64_t *ips;
	size_t n;
};

/*
 * Store the recorded registers in @ret, indexed by DWARF number. @mask: perf's bit mask that shows
 * which registers are in @values. Returns false if the machine is not supported, or if the
 * instruction pointer or the stack pointer is missing. Source of the bits:
 * arch/x86/include/uapi/asm/perf_regs.h and the same file of arm64.
 */
bool unwind_take_regs(struct unwind_sample *ret, uint64_t mask, const uint64_t *values, size_t n);
/*
 * Unwind the user frames of @s. @ret_places: addresses of at most @max frames, innermost first.
 * Returns the number of frames. Cost: a cached search per frame.
 */
size_t unwind_run(const struct unwind_sample *s, const struct unwind_process *process,
		  uint64_t *ret_places, size_t max);
/*
 * Like unwind_run(), for a recorder: the result need not be the same as in perf. In code without
 * rows (assembler, JIT), the caller is found by the frame pointer or, if the code has not set up a
 * frame yet, by the return address on top of the stack. A return address is accepted only if a call
 * instruction precedes it. @fp: call chain that the kernel found by frame pointers. If unwinding
 * stops before the outermost frame, for example at the end of the stack dump, the result continues
 * with @fp, provided that the last frame is also in @fp.
 */
size_t unwind_mixed(const struct unwind_sample *s, const struct unwind_process *process,
		    struct unwind_chain fp, uint64_t *ret_places, size_t max);

#endif
