/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.h - the kernel's own symbol table
 *
 * Format: kernel/kallsyms.c, s_show(): "%px %c %s\t[%s]\n", the module only for
 * symbols of modules. Addresses are zero where kptr_restrict hides them.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include "symbols/symtab.h"

struct kallsyms_module {
	uint32_t name; /* place in the names of its table; empty for the kernel itself */
	struct symtab table;
};

/* Where code begins and ends; 0: the table does not say. */
struct kallsyms_marks {
	uint64_t text, etext, init_text, init_end;
};

struct kallsyms {
	struct kallsyms_marks marks;
	VEC(struct kallsyms_module) modules; /* [0] is the kernel; "bpf" holds programs */
	struct kallsyms_index *index;        /* NULL, or all there is: read on demand; owned */
	size_t last;                         /* module of the line before */
	size_t n_lines;
	bool has_address;
};

void kallsyms_fini(struct kallsyms *k);
/*
 * Read whole lines of a table; @k is zeroed before the first. Functions and data
 * are kept (types t w d b in either case), as perf does.
 */
void kallsyms_add(struct kallsyms *k, struct str text);
/*
 * All lines were added. Errors: ERR_PERM when every address is zero, ERR_FORMAT
 * when no line was one of a symbol table.
 */
MUST_CHECK int kallsyms_finish(struct kallsyms *k, struct error *err);
/* A table from @text, as the two above. */
MUST_CHECK int kallsyms_read(struct kallsyms *k, struct str text, struct error *err);
/* Note @name at @address if it is one of the marks. */
void kallsyms_mark(struct kallsyms_marks *marks, struct str name, uint64_t address);
/* No code lies at @address of the kernel's own table; false where the marks do not say. */
bool kallsyms_is_data(const struct kallsyms_marks *marks, uint64_t address);
struct str kallsyms_module_name(const struct kallsyms_module *m);

#endif
