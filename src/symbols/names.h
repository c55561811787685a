/* SPDX-License-Identifier: MIT */
/*
 * names.h - the section of a recording with the resolved names of its addresses
 *
 * The files with the symbols of a recording are on the machine that was recorded. `convert --to
 * perf-data` and `record --host` therefore store names in a section of the recording. It has the
 * functions with samples, source lines and inlined functions at sampled addresses, and the reasons
 * for missing names. A reader with these names opens no file, so it reports the same on every
 * machine.
 *
 * A module is found by its number and path. Modules are numbered in the order of their first map
 * records in the recording.
 *
 * The section has a version, the list of all texts, then the tables in the order of the members of
 * struct names. Integers are LEB128 (DWARF 5, section 7.6). In a row, a text is stored as its index
 * in the list of texts. The section is untrusted input.
 */
#ifndef SYMBOLS_NAMES_H
#define SYMBOLS_NAMES_H

#include "base/str.h"
#include "base/vec.h"
#include "symbols/kernel/kallsyms.h"

struct line_frame;
struct out;

#define NAMES_KERNEL UINT32_MAX /* number of the kernel in names_line.module */

/* Properties of a module or of a jitdump. */
enum names_flag {
	NAMES_FOUND = 1 << 0,  /* a file with symbols was found */
	NAMES_UNREAD = 1 << 1, /* a file exists but cannot be read, or only in part */
	/* the next two flags of a jitdump are those of struct jitdump (jitdump.h) */
	NAMES_OTHER_CLOCK = 1 << 2,
	NAMES_HAS_LINES = 1 << 3,
};

/* A function. Its start is a file offset, for a module that has a file; otherwise an address. */
struct names_symbol {
	uint64_t start, size;
	struct str name; /* mangled name, as in the symbol table */
};

/*
 * A range of rows in one table that belong to a row of another table. Ranges of successive rows
 * adjoin, so the section stores only @n.
 */
struct names_rows {
	uint32_t first, n;
};

struct names_module {
	uint32_t number;
	unsigned int flags; /* enum names_flag */
	struct str path;
	struct str why;            /* the reason for missing symbols */
	struct names_rows symbols; /* the module's functions in names.symbols, in address order */
};

/*
 * Symbols of the kernel itself (its name is empty) or of one of its modules, at recorded addresses.
 */
struct names_kernel {
	struct str name;
	struct names_rows symbols;
};

/* The frames at a sampled address: the function and those inlined into it, innermost first. */
struct names_line {
	uint32_t module;
	uint64_t address;
	struct names_rows frames;
};

/* A sampled address at which the function has not yet set up its stack frame. */
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
	uint32_t number; /* number of the jitdump, in the order of the records that map jitdumps */
	unsigned int flags;
	uint32_t line_shift;
	struct str why;
	struct names_rows codes;
};

struct names {
	struct str kernel_why;       /* the reason for missing kernel symbols */
	struct kallsyms_marks marks; /* addresses of the kernel's code; zero: unknown */
	uint32_t n_unread; /* number of kernel symbol tables that could not be read whole */
	VEC(struct names_kernel) kernels; /* [0] is the kernel itself */
	VEC(struct names_module) modules; /* ascending by number */
	/* first the symbols of all kernels, in the order of `kernels`, then those of all modules */
	VEC(struct names_symbol) symbols;
	VEC(struct names_line) lines; /* ascending by module and address */
	VEC(struct line_frame) frames;
	VEC(struct names_leaf) leaves; /* ascending by module and offset */
	VEC(struct names_jit) jits;    /* ascending by number */
	VEC(struct names_jit_code) jit_codes;
	VEC(struct names_jit_line) jit_lines;
};

void names_fini(struct names *n);
/*
 * Append the section to @out. Each row of symbols, jit_codes and jit_lines has an owner, and must
 * be in the order of the owners: symbols in that of kernels, then modules; jit_codes in that of
 * jits; jit_lines in that of jit_codes. Lines and leaves may be in any order and may repeat. This
 * function sorts them, and moves the frames with the lines.
 */
void names_write(struct names *n, struct out *out);
/*
 * Read a section; texts borrow from @section. False: it is damaged, or of another version; @ret is
 * then empty.
 */
bool names_read(struct str section, struct names *ret);

/* The module with number @number and path @path; NULL: @n has no such module. Cost: O(log n). */
const struct names_module *names_find_module(const struct names *n, uint32_t number,
					     struct str path);
/* The frames at @address of module number @module; NULL: unknown. Cost: O(log n). */
const struct names_line *names_find_line(const struct names *n, uint32_t module, uint64_t address);
bool names_has_leaf(const struct names *n, uint32_t module, uint64_t offset);

#endif
