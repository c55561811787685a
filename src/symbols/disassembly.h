/* SPDX-License-Identifier: MIT */
/*
 * disassembly.h - machine code as text, one instruction at a time
 *
 * Uses Zydis (optional feature `disassembly`), for x86-64 only. The text is in AT&T syntax, as perf
 * annotate prints it: "cmp %rsi,0x8(%rdi)". For a direct jump or call, the text is only the
 * mnemonic, and the caller prints the target.
 *
 * The bytes are untrusted. Zydis accepts any bytes, and does not allocate memory.
 */
#ifndef SYMBOLS_DISASSEMBLY_H
#define SYMBOLS_DISASSEMBLY_H

#include "base/status.h"

#include <stdint.h>

#define DISASSEMBLY_TEXT 192u

struct disassembly;

struct disassembly_row {
	uint32_t len; /* length of the instruction in bytes, at least 1 */
	/*
	 * the instruction is a direct jump or call; `text` then has no target: print `target` after
	 * it
	 */
	bool has_target;
	uint64_t target; /* address of the target */
	/* text of the instruction; "(bad)" if the bytes are no instruction */
	char text[DISASSEMBLY_TEXT];
};

/*
 * Create a disassembler for @machine, an ELF machine number such as EM_X86_64. Errors:
 * ERR_UNSUPPORTED for other machines, and in builds without Zydis. Owner: caller,
 * disassembly_free().
 */
MUST_CHECK int disassembly_new(uint16_t machine, struct disassembly **ret, struct error *err);
void disassembly_free(struct disassembly *d);
/*
 * Decode the instruction at @address. @p: its bytes; @len: number of available bytes, at least 1.
 */
void disassembly_next(const struct disassembly *d, const uint8_t *p, size_t len, uint64_t address,
		      struct disassembly_row *ret);

#endif
