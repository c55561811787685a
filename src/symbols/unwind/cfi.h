/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - call frame information: rules that lead from a function to its caller
 *
 * Parsed here from .eh_frame (else .debug_frame), not through libdw. Input may be hostile, and
 * the parser reads bounded bytes only. The instructions of a function are run once into a table
 * of rows, so that an unwind step is a search, not an interpreter. Sources: DWARF 5 section
 * 6.4; Linux Standard Base Core, "Exception Frames"; the psABIs of x86-64 and AArch64 for
 * registers.
 *
 * A row gives the frame's canonical address (CFA) and the places of the registers that the
 * function saved. Registers without a rule are unchanged. Offsets refer to the section;
 * addresses are virtual addresses of the file.
 *
 * Not thread safe: rows are made on first use.
 */
#ifndef SYMBOLS_CFI_H
#define SYMBOLS_CFI_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"

#define CFI_REGISTERS      33u  /* x86-64: 0-15 and 16 for the ip; AArch64: x0-x30, sp, pc */
#define CFI_EXPRESSION_REG 255u /* cfa_reg: the CFA is an expression */
#define CFI_BAD_REG        254u /* cfa_reg: the instructions are damaged from here on */

enum cfi_rule_kind {
	CFI_UNDEFINED,
	CFI_OFFSET,     /* saved at CFA + value */
	CFI_VAL_OFFSET, /* value is CFA + value */
	CFI_REGISTER,   /* saved in register `value` */
	/* saved at the address that the expression at offset `value` computes */
	CFI_EXPRESSION,
	CFI_VAL_EXPRESSION, /* value is the result of that expression */
};

struct cfi_rule {
	int32_t value;
	uint8_t reg;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_row {
	uint64_t start;      /* address; valid up to the next row or the end of the function */
	int32_t cfa_value;   /* offset from cfa_reg; or offset of an expression in the section */
	uint32_t first_rule; /* in cfi.rules */
	uint8_t n_rules;
	uint8_t cfa_reg;
	uint8_t return_reg;
	bool is_signal; /* frame of a signal trampoline */
	bool is_rare;   /* has rules of kind CFI_REGISTER or with expressions */
};

struct cfi_function {
	uint64_t start, end;
	uint32_t common;    /* row of cfi.commons */
	uint32_t at, until; /* range of its instructions */
	uint32_t first_row; /* INDEX_NONE: instructions not run yet */
	uint32_t n_rows;
	uint32_t in_table; /* index in the linker's table, if that is used */
};

/* Properties shared by functions (CIE). */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint32_t offset; /* offset in the section */
	uint32_t at, until;
	uint8_t return_reg;
	uint8_t pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	bool is_bad;
};

/*
 * The linker's search table (.eh_frame_hdr): pairs of a function address and the address of its
 * entry, each four bytes, relative to the table.
 */
struct cfi_table {
	const uint8_t *entries; /* sorted by address; NULL: no usable table */
	uint32_t n;
	uint64_t address;         /* of the section */
	struct idmap entries_map; /* entries read so far -> row of cfi.functions */
};

struct cfi {
	const uint8_t *bytes; /* the section's content */
	size_t len;
	void *owned; /* heap copy of bytes, if not mapped */
	void *mapping;
	size_t mapping_bytes;
	struct cfi_table table;
	uint64_t address; /* of the section */
	bool is_debug_frame;
	uint16_t machine; /* e_machine */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id build_id;
	/* by start; with a table only functions looked up so far */
	VEC(struct cfi_function) functions;
	VEC(struct cfi_common) commons;
	struct idmap commons_map;
	VEC(struct cfi_row) rows;
	VEC(struct cfi_rule) rules;
	uint64_t n_bad; /* unreadable entries */
};

/*
 * Read the section of @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND if the section is
 * missing. Cost: a few pages of the file with .eh_frame_hdr, which all linked files have;
 * otherwise linear in the section.
 */
MUST_CHECK int cfi_open(const char *path, struct cfi **ret, struct error *err);
/* The same for an ELF image in memory, which may be freed afterwards. */
MUST_CHECK int cfi_open_image(const void *image, size_t len, struct cfi **ret, struct error *err);
void cfi_free(struct cfi *c);
/*
 * The index in c->rows of the row for @address, INDEX_NONE if no function covers it. Cost:
 * O(log n), and running the instructions of the function once.
 */
uint32_t cfi_find(struct cfi *c, uint64_t address);
/*
 * Whether row @row needs the stack pointer alone to find the return address, as in a function
 * that has no frame yet or never makes one. On AArch64: whether the return address is still in
 * its register.
 */
bool cfi_has_no_frame(const struct cfi *c, uint32_t row);
/* Virtual address of a file offset; the offset itself if no segment contains it. */
uint64_t cfi_address_of_offset(const struct cfi *c, uint64_t offset);

/* Drop the linker's table and read all entries. */
void cfi_read_all(struct cfi *c);

/* Run the instructions of @f into rows. Private to cfi*.c. */
void cfi_run(struct cfi *c, struct cfi_function *f);
/* Read the entry at @at into c->functions. False: not an entry of a usable function. */
bool cfi_read_entry(struct cfi *c, size_t at);
/* Use @header, located at c->table.address, if its layout is the usual one. Borrowed. */
void cfi_table_open(struct cfi *c, const uint8_t *header, size_t len);
/* Look up the function at or before @address; NULL: none. An invalid table is dropped. */
struct cfi_function *cfi_table_find(struct cfi *c, uint64_t address);

#endif
