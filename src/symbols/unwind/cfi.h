/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - call frame information: rules for finding the caller's registers
 *
 * This is a parser for .eh_frame, or .debug_frame if that is missing; libdw is not used. Input may
 * be hostile, so the parser never reads past the end of the section. It runs the instructions of a
 * function once, and stores the result as a table of rows. An unwind step then only searches this
 * table. Sources: DWARF 5 section 6.4; Linux Standard Base Core, "Exception Frames"; the psABIs of
 * x86-64 and AArch64 for register numbers.
 *
 * A row is valid for a range of addresses. It gives the canonical frame address (CFA) and, for each
 * saved register, the rule to find its value. Registers without a rule are unchanged. Offsets refer
 * to the section; addresses are virtual addresses of the file.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_CFI_H
#define SYMBOLS_CFI_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"

/* number of registers, by DWARF number: x86-64 has 0-15 and ip (16); AArch64 x0-x30, sp, pc */
#define CFI_REGISTERS      33u
#define CFI_EXPRESSION_REG 255u /* value of cfa_reg: the CFA is computed by an expression */
/* value of cfa_reg: the instructions are damaged, so this row and later addresses have no rules */
#define CFI_BAD_REG 254u

enum cfi_rule_kind {
	CFI_UNDEFINED,
	CFI_OFFSET,     /* the register is saved at CFA + value */
	CFI_VAL_OFFSET, /* the register's value is CFA + value */
	CFI_REGISTER,   /* the register is saved in register `value` */
	/* the register is saved at the address computed by the expression at offset `value` */
	CFI_EXPRESSION,
	/* the register's value is the result of the expression at offset `value` */
	CFI_VAL_EXPRESSION,
};

struct cfi_rule {
	int32_t value;
	uint8_t reg;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_row {
	/* first address of the row, which is valid up to the next row or the end of the function */
	uint64_t start;
	/* offset from cfa_reg; or the offset in the section of an expression that gives the CFA */
	int32_t cfa_value;
	uint32_t first_rule; /* index in cfi.rules of the first rule */
	uint8_t n_rules;
	uint8_t cfa_reg;
	uint8_t return_reg;
	bool is_signal; /* the row belongs to a signal trampoline */
	/* the row has rules other than CFI_UNDEFINED, CFI_OFFSET and CFI_VAL_OFFSET */
	bool is_rare;
};

struct cfi_function {
	uint64_t start, end;
	uint32_t common;    /* index in cfi.commons of the function's CIE */
	uint32_t at, until; /* range of the function's instructions in the section */
	/* index in cfi.rows of the function's first row; INDEX_NONE: not made yet */
	uint32_t first_row;
	uint32_t n_rows;
	/* index of the function in the linker's search table, if there is such a table */
	uint32_t in_table;
};

/* Common information entry (CIE): properties that several functions share. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint32_t offset; /* offset of the CIE in the section */
	uint32_t at, until;
	uint8_t return_reg;
	uint8_t pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	bool is_bad;
};

/*
 * The linker's search table (.eh_frame_hdr). Each entry has two addresses relative to the table,
 * four bytes each: that of a function, and that of the function's entry in .eh_frame.
 */
struct cfi_table {
	/* start of the entries, sorted by function address; NULL: there is no usable table */
	const uint8_t *entries;
	uint32_t n;
	uint64_t address;         /* virtual address of .eh_frame_hdr */
	struct idmap entries_map; /* functions read so far, indexed by their entry in the table */
};

struct cfi {
	const uint8_t *bytes; /* the section's content */
	size_t len;
	void *owned; /* heap copy of bytes; NULL: the bytes are mapped */
	void *mapping;
	size_t mapping_bytes;
	struct cfi_table table;
	uint64_t address; /* virtual address of the section */
	bool is_debug_frame;
	uint16_t machine; /* machine of the code: e_machine of the ELF header */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id build_id;
	/*
	 * sorted by start; but with the linker's table, only the functions looked up so far,
	 * unsorted
	 */
	VEC(struct cfi_function) functions;
	VEC(struct cfi_common) commons;
	struct idmap commons_map;
	VEC(struct cfi_row) rows;
	VEC(struct cfi_rule) rules;
	uint64_t n_bad; /* number of entries that could not be read */
};

/*
 * Read the call frame information of @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND if the section
 * is missing. Cost: a few pages of the file if it has .eh_frame_hdr, which all linked files have;
 * otherwise linear in the section.
 */
MUST_CHECK int cfi_open(const char *path, struct cfi **ret, struct error *err);
/* cfi_open() for an ELF image in memory, which may be freed afterwards. */
MUST_CHECK int cfi_open_image(const void *image, size_t len, struct cfi **ret, struct error *err);
void cfi_free(struct cfi *c);
/*
 * The index in c->rows of the row for @address; INDEX_NONE: no function covers it. Cost: O(log n),
 * and running the instructions of the function on first use.
 */
uint32_t cfi_find(struct cfi *c, uint64_t address);
/*
 * Size in bytes of the function that starts at @address; 0: no function starts there. Cost: O(log
 * n).
 */
uint64_t cfi_function_size(struct cfi *c, uint64_t address);
/*
 * Whether the function has no stack frame at row @row: it has not made one yet, or never makes one.
 * The return address is then on top of the stack; on AArch64, it is still in its register.
 */
bool cfi_has_no_frame(const struct cfi *c, uint32_t row);
/* Virtual address of a file offset; the offset itself if no segment contains it. */
uint64_t cfi_address_of_offset(const struct cfi *c, uint64_t offset);

/* Stop using the linker's table: drop it and read all entries. */
void cfi_read_all(struct cfi *c);

/* Run the instructions of @f and store the resulting rows. Private to cfi*.c. */
void cfi_run(struct cfi *c, struct cfi_function *f);
/*
 * Read the function entry at offset @at into c->functions. False: it is not a usable function
 * entry.
 */
bool cfi_read_entry(struct cfi *c, size_t at);
/*
 * Use the linker's table @header, unless its encodings are unusual. The caller sets
 * c->table.address, the address of the table, before. @header is borrowed.
 */
void cfi_table_open(struct cfi *c, const uint8_t *header, size_t len);
/*
 * The last function that starts at or before @address; NULL: none. If the table proves invalid, it
 * is dropped, and the result is NULL.
 */
struct cfi_function *cfi_table_find(struct cfi *c, uint64_t address);

#endif
