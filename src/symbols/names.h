/* SPDX-License-Identifier: MIT */
/*
 * names.h - the section of a recording with the resolved names of its addresses
 *
 * The files with the symbols of a recording are usually only on the recorded machine. Therefore
 * `convert --to perf-data` and `record --host` store names in a section of the recording: functions
 * that have samples, source lines and inlined functions at sampled addresses, and the reasons for
 * missing names. A reader of such a recording opens no other file, so its output is the same on
 * every machine.
 *
 * A module is identified by its number and path. Modules are numbered in the order of their first
 * map records in the recording.
 *
 * The section has a version, the list of all texts, and then the tables in the order of the members
 * of struct names. Integers are LEB128 (DWARF 5, section 7.6). In a row, a text is stored as its
 * index in the list of texts. The section is untrusted input.
 */
#ifndef SYMBOLS_NAMES_H
#define SYMBOLS_NAMES_H

#include "base/str.h"
#include "base/vec.h"
#include "symbols/kernel/kallsyms.h"

struct line_frame;
struct out;

#define NAMES_KERNEL UINT32_MAX /* value of names_line.module for the kernel */

/* Flags of a module or of a jitdump. */
enum names_flag {
	NAMES_FOUND = 1 << 0,  /* a file with symbols was found */
	NAMES_UNREAD = 1 << 1, /* a file exists, but all or a part of it is unreadable */
	/* flags of a jitdump: is_other_clock and has_lines of struct jitdump (jitdump.h) */
	NAMES_OTHER_CLOCK = 1 << 2,
	NAMES_HAS_LINES = 1 << 3,
};

/* A function. Its start is a file offset if the module has a file, otherwise an address. */
struct names_symbol {
	uint64_t start, size;
	struct str name; /* mangled name, as in the symbol table */
};

/*
 * A range of rows of one table that belong to a row of another table. The range of the next row
 * follows directly, so only @n is stored in the section.
 */
struct names_rows {
	uint32_t first, n;
};

struct names_module {
	uint32_t number;
	unsigned int flags; /* enum names_flag */
	struct str path;
	struct str why;            /* why symbols are missing; empty: none are missing */
	struct names_rows symbols; /* functions of the module in names.symbols, in address order */
};

/*
 * Symbols of the kernel itself (empty name) or of one of its modules. Their addresses are those of
 * the recorded kernel.
 */
struct names_kernel {
	struct str name;
	struct names_rows symbols;
};

/*
 * The frames at a sampled address: the function and the functions inlined into it, innermost first.
 */
struct names_line {
	uint32_t module;
	uint64_t address;
	struct names_rows frames;
};

/* A sampled address at which the function has not set up its stack frame yet. */
struct names_leaf {
	uint32_t module;
	uint64_t offset;
};

struct names_jit_code {
	uint64_t start, size, from_ns, until_ns;
	uint32_t order;
	struct str name;
	struct names_rows lines;
};

struct names_jit_line {
	uint32_t offset, line;
	struct str file;
};

struct names_jit {
	/*
	 * number of the jitdump; jitdumps are counted from 0, in the order of their maps in the
	 * recording
	 */
	uint32_t number;
	unsigned int flags;
	uint32_t line_shift;
	struct str why;
	struct names_rows codes;
};

struct names {
	struct str kernel_why;       /* why kernel symbols are missing */
	struct kallsyms_marks marks; /* addresses of the kernel's code; 0: unknown */
	uint32_t n_unread;           /* number of kernel symbol tables with an unreadable part */
	VEC(struct names_kernel) kernels; /* kernels[0] is the kernel itself */
	VEC(struct names_module) modules; /* sorted by number */
	/* symbols of all kernels, in the order of `kernels`; after them, symbols of all modules */
	VEC(struct names_symbol) symbols;
	VEC(struct names_line) lines; /* sorted by module and address */
	VEC(struct line_frame) frames;
	VEC(struct names_leaf) leaves; /* sorted by module and offset */
	VEC(struct names_jit) jits;    /* sorted by number */
	VEC(struct names_jit_code) jit_codes;
	VEC(struct names_jit_line) jit_lines;
};

void names_fini(struct names *n);
/*
 * Append the section to @out. The caller must put the rows of three tables into this order:
 * - symbols: first the symbols of kernels[0], then those of kernels[1] and so on; then those of
 *   modules[0] and so on;
 * - jit_codes: first the codes of jits[0], and so on;
 * - jit_lines: first the lines of jit_codes[0], and so on.
 *
 * Lines and leaves may be in any order and may have duplicates: this function sorts them, and puts
 * the frames into the order of their lines.
 */
void names_write(struct names *n, struct out *out);
/*
 * Read a section. Texts in @ret point into @section. Returns false and an empty @ret if the section
 * is damaged or of another version.
 */
bool names_read(struct str section, struct names *ret);

/* The module with the number @number and the path @path; NULL: none. Cost: O(log n). */
const struct names_module *names_find_module(const struct names *n, uint32_t number,
					     struct str path);
/* The frames at @address of the module with the number @module; NULL: unknown. Cost: O(log n). */
const struct names_line *names_find_line(const struct names *n, uint32_t module, uint64_t address);
bool names_has_leaf(const struct names *n, uint32_t module, uint64_t offset);

#endif
