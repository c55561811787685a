/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.h - the kernel's symbol table
 *
 * Format: kernel/kallsyms.c, s_show(): "%px %c %s\t[%s]\n", with the module only for symbols of
 * modules. kptr_restrict replaces addresses by zero.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/symtab.h"

struct kallsyms_index;

struct kallsyms_module {
	uint32_t name; /* offset in the names of its table; empty for the kernel itself */
	struct symtab table;
};

/* Start and end of code; 0: unknown. */
struct kallsyms_marks {
	uint64_t text, etext, init_text, init_end;
};

struct kallsyms {
	struct kallsyms_marks marks;
	VEC(struct kallsyms_module) modules; /* [0] is the kernel; "bpf" holds BPF programs */
	struct kallsyms_index *index;        /* NULL, or the only table: read on demand; owned */
	size_t last;                         /* module of the previous line */
	size_t n_lines;
	bool has_address;
};

void kallsyms_fini(struct kallsyms *k);
/*
 * Parse whole lines of a table; @k is zeroed before the first call. Keeps functions and data
 * (types t w d b in either case), as perf does.
 */
void kallsyms_add(struct kallsyms *k, struct str text);
/*
 * Finish after the last line. Errors: ERR_PERM if all addresses are zero, ERR_FORMAT if no line
 * belongs to a symbol table.
 */
MUST_CHECK int kallsyms_finish(struct kallsyms *k, struct error *err);
/* Record the address of @name if it is one of the marks. */
void kallsyms_mark(struct kallsyms_marks *marks, struct str name, uint64_t address);
/* Whether @address in the kernel's table is outside code; false if the marks are unknown. */
bool kallsyms_is_data(const struct kallsyms_marks *marks, uint64_t address);
struct str kallsyms_module_name(const struct kallsyms_module *m);

#endif
