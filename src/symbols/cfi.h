/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - call frame information: how to get from a function to its caller
 *
 * Read by ourselves from .eh_frame (else .debug_frame), not through libdw: the
 * section is bounded bytes, hostile files included, and its program for one
 * function is run once into a table of rows, so that a step of an unwind is a
 * search and not an interpreter. Sources: DWARF 5 section 6.4; Linux Standard
 * Base Core, "Exception Frames"; the psABIs of x86-64 and AArch64 for registers.
 *
 * A row holds where the frame's canonical address (CFA) is and, for registers
 * that the function saved, where; registers without a rule are unchanged.
 * Offsets are of the section, addresses are the file's virtual ones.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_CFI_H
#define SYMBOLS_CFI_H

#include "base/idmap.h"
#include "symbols/elf_symbols.h"

#define CFI_REGISTERS      33u  /* x86-64: 0-15 and 16 for the ip; AArch64: x0-x30, sp, pc */
#define CFI_EXPRESSION_REG 255u /* cfa_reg: the CFA is an expression */
#define CFI_BAD_REG        254u /* cfa_reg: from here on the program is damaged */

enum cfi_rule_kind {
	CFI_UNDEFINED,
	CFI_OFFSET,         /* saved at CFA + value */
	CFI_VAL_OFFSET,     /* is CFA + value */
	CFI_REGISTER,       /* is in register `value` */
	CFI_EXPRESSION,     /* saved at what the expression at offset `value` says */
	CFI_VAL_EXPRESSION, /* is what it says */
};

struct cfi_rule {
	int32_t value;
	uint8_t reg;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_row {
	uint64_t start;      /* up to the next row, or the end of the function */
	int32_t cfa_value;   /* offset from cfa_reg; of the expression in the section */
	uint32_t first_rule; /* in cfi.rules */
	uint8_t n_rules;
	uint8_t cfa_reg;
	uint8_t return_reg;
	bool is_signal; /* the frame that a signal handler returns to */
	bool is_rare;   /* has rules of CFI_REGISTER or of an expression */
};

struct cfi_function {
	uint64_t start, end;
	uint32_t common;    /* row of cfi.commons */
	uint32_t at, until; /* instructions */
	uint32_t first_row; /* INDEX_NONE: not run yet */
	uint32_t n_rows;
	uint32_t in_table; /* which entry of the linker's table it is, where that is used */
};

/* What functions have in common (CIE). */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint32_t offset; /* where it stands */
	uint32_t at, until;
	uint8_t return_reg;
	uint8_t pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	bool is_bad;
};

/*
 * The linker's table of functions (.eh_frame_hdr), of which the first part is an address
 * and the second where the entry is: both four bytes, relative to the table.
 */
struct cfi_table {
	const uint8_t *entries; /* by address; NULL: none that can be used */
	uint32_t n;
	uint64_t address;         /* of the section */
	struct idmap entries_map; /* those that were read -> row of cfi.functions */
};

struct cfi {
	const uint8_t *bytes; /* the section */
	size_t len;
	void *owned; /* bytes, where they are not in pages of the file */
	void *mapping;
	size_t mapping_bytes;
	struct cfi_table table;
	uint64_t address; /* of the section */
	bool is_debug_frame;
	uint16_t machine; /* e_machine */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id build_id;
	VEC(struct cfi_function) functions; /* by start; with a table those that were asked for */
	VEC(struct cfi_common) commons;
	struct idmap commons_map;
	VEC(struct cfi_row) rows;
	VEC(struct cfi_rule) rules;
	uint64_t n_bad; /* entries that could not be read */
};

/*
 * Read the section of @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND when there
 * is no such section. Cost: a few pages of the file where the linker made a table of
 * functions, as it does for all that is loaded; else linear in the section.
 */
MUST_CHECK int cfi_open(const char *path, struct cfi **ret, struct error *err);
/* The same for an ELF image in memory; it may go afterwards. */
MUST_CHECK int cfi_open_image(const void *image, size_t len, struct cfi **ret, struct error *err);
void cfi_free(struct cfi *c);
/*
 * The number in c->rows of the row for @address, or INDEX_NONE where no function
 * has one. Cost: O(log n), and running the program of the function once.
 */
uint32_t cfi_find(struct cfi *c, uint64_t address);
/*
 * Is the return address found by the stack pointer alone in row @row, as in a function
 * that has made no frame yet or never does? On AArch64: is it still in its register?
 */
bool cfi_has_no_frame(const struct cfi *c, uint32_t row);
/* Virtual address of a file offset; the offset itself where no segment holds it. */
uint64_t cfi_address_of_offset(const struct cfi *c, uint64_t offset);

/* Forget the linker's table and read all entries. */
void cfi_read_all(struct cfi *c);

/* Private to cfi*.c: run the program of @f into rows. */
void cfi_run(struct cfi *c, struct cfi_function *f);
/* The entry at @at into c->functions. False: it is none of a function that can be used. */
bool cfi_read_entry(struct cfi *c, size_t at);
/* Use @header, of c->table.address, if it is as linkers make it. It stays where it is. */
void cfi_table_open(struct cfi *c, const uint8_t *header, size_t len);
/* The function at or before @address by the table, NULL: none. A table that is wrong is dropped. */
struct cfi_function *cfi_table_find(struct cfi *c, uint64_t address);

#endif
