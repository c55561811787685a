/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - call frame information: rules for finding the caller's registers
 *
 * This is a parser for .eh_frame or, if that is missing, for .debug_frame; libdw is not used. Input
 * may be malicious, so the parser never reads past the end of the section. It runs the instructions
 * of a function once, and stores the result as a table of rows. An unwind step then only searches
 * this table. Sources: DWARF 5 section 6.4; Linux Standard Base Core, "Exception Frames"; register
 * numbers from the psABIs of x86-64 and AArch64.
 *
 * A row is valid for a range of addresses. It has the canonical frame address (CFA) and, for each
 * saved register, a rule to find the register's value. Registers without a rule are unchanged.
 * Offsets refer to the section; addresses are virtual addresses of the file.
 *
 * Not thread safe: rows are computed on first use.
 */
#ifndef SYMBOLS_CFI_H
#define SYMBOLS_CFI_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"

/*
 * number of DWARF registers that are needed: x86-64 has 0-15 and ip (16); AArch64 has x0-x30, sp
 * and pc
 */
#define CFI_REGISTERS      33u
#define CFI_EXPRESSION_REG 255u /* value of cfa_reg: an expression gives the CFA */
/*
 * value of cfa_reg: the instructions of the function are damaged here, so this row cannot be used
 */
#define CFI_BAD_REG 254u

enum cfi_rule_kind {
	CFI_UNDEFINED,
	CFI_OFFSET,     /* saved in memory at CFA + value */
	CFI_VAL_OFFSET, /* not saved: the value is CFA + `value` */
	CFI_REGISTER,   /* saved in register number `value` */
	/*
	 * saved in memory at the address that an expression gives; `value`: offset of the
	 * expression
	 */
	CFI_EXPRESSION,
	/* not saved: an expression gives the value; `value`: offset of the expression */
	CFI_VAL_EXPRESSION,
};

struct cfi_rule {
	int32_t value;
	uint8_t reg;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_row {
	/*
	 * first address of the row; the row ends at the start of the next row or at the end of the
	 * function
	 */
	uint64_t start;
	/*
	 * the CFA is the value of the register cfa_reg plus this number. If cfa_reg is
	 * CFI_EXPRESSION_REG, an expression gives the CFA, and this is the offset of the expression
	 * in the section
	 */
	int32_t cfa_value;
	uint32_t first_rule; /* index in cfi.rules of the row's first rule */
	uint8_t n_rules;
	uint8_t cfa_reg;
	uint8_t return_reg;
	bool is_signal; /* the row is for a signal trampoline */
	/*
	 * the row has at least one rule of another kind than CFI_UNDEFINED, CFI_OFFSET and
	 * CFI_VAL_OFFSET
	 */
	bool is_rare;
};

struct cfi_function {
	uint64_t start, end;
	uint32_t common; /* index in cfi.commons of the function's CIE */
	/*
	 * offsets in the section of the function's first instruction, and after its last
	 * instruction
	 */
	uint32_t at, until;
	/* index in cfi.rows of the function's first row; INDEX_NONE: rows are not computed yet */
	uint32_t first_row;
	uint32_t n_rows;
	/* index of the function in cfi.table, if the file has this table */
	uint32_t in_table;
};

/* Common information entry (CIE): properties shared by several functions. */
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
 * The search table that the linker wrote (.eh_frame_hdr). An entry has two addresses of four bytes,
 * relative to the table: of a function, and of the function's entry in .eh_frame.
 */
struct cfi_table {
	/* first entry; entries are sorted by function address; NULL: no usable table */
	const uint8_t *entries;
	uint32_t n;
	uint64_t address; /* virtual address of .eh_frame_hdr */
	/* index in this table -> index in cfi.functions, for the functions that were read so far */
	struct idmap entries_map;
};

struct cfi {
	const uint8_t *bytes; /* content of the section */
	size_t len;
	void *owned; /* memory of `bytes` if it was copied; NULL: `bytes` is mapped */
	void *mapping;
	size_t mapping_bytes;
	struct cfi_table table;
	uint64_t address; /* virtual address of the section */
	bool is_debug_frame;
	uint16_t machine; /* e_machine of the file's ELF header */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id build_id;
	/*
	 * functions of the section. Without the linker's search table: all functions, sorted by
	 * start address. With the table: only functions that were looked up, unsorted
	 */
	VEC(struct cfi_function) functions;
	VEC(struct cfi_common) commons;
	struct idmap commons_map;
	VEC(struct cfi_row) rows;
	VEC(struct cfi_rule) rules;
	uint64_t n_bad; /* number of entries that are damaged or not supported */
};

/*
 * Read the call frame information of the file @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND if
 * there is none. Cost: a few pages of the file if it has .eh_frame_hdr, as all linked files have;
 * otherwise linear in the size of the section.
 */
MUST_CHECK int cfi_open(const char *path, struct cfi **ret, struct error *err);
/* Like cfi_open(), for an ELF file in memory. The memory may be freed afterwards. */
MUST_CHECK int cfi_open_image(const void *image, size_t len, struct cfi **ret, struct error *err);
void cfi_free(struct cfi *c);
/*
 * The index in c->rows of the row for @address; INDEX_NONE: no function covers @address. Cost:
 * O(log n); on first use of a function, its instructions are run.
 */
uint32_t cfi_find(struct cfi *c, uint64_t address);
/* Size in bytes of the function that starts exactly at @address; 0: none. */
uint64_t cfi_function_size(struct cfi *c, uint64_t address);
/*
 * Whether the function has no stack frame while it executes the code of row number @row. The return
 * address is then on top of the stack (AArch64: in the link register). This is so before the
 * function sets up its frame, and in functions without a frame.
 */
bool cfi_has_no_frame(const struct cfi *c, uint32_t row);
/*
 * Convert a file offset to a virtual address. An offset outside all segments is returned unchanged.
 */
uint64_t cfi_address_of_offset(const struct cfi *c, uint64_t offset);

/* Stop using the linker's search table: read all entries of the section instead. */
void cfi_read_all(struct cfi *c);

/* Run the instructions of the function @f, and store the rows. Private to cfi*.c. */
void cfi_run(struct cfi *c, struct cfi_function *f);
/*
 * Read the function entry (FDE) at offset @at, and append it to c->functions. Returns false if
 * there is no usable entry.
 */
bool cfi_read_entry(struct cfi *c, size_t at);
/*
 * Use the linker's search table @header, if it has the usual encodings. The caller must set
 * c->table.address before. @header is borrowed.
 */
void cfi_table_open(struct cfi *c, const uint8_t *header, size_t len);
/*
 * Find the last function whose start address is at most @address, by the linker's table; NULL:
 * none. If the table turns out to be wrong, it is dropped (cfi_read_all()), and NULL is returned.
 */
struct cfi_function *cfi_table_find(struct cfi *c, uint64_t address);

#endif
