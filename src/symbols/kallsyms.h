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
	struct str name; /* in the arena of its table; empty for the kernel itself */
	struct symtab table;
};

struct kallsyms {
	VEC(struct kallsyms_module) modules; /* [0] is the kernel; "bpf" holds programs */
};

void kallsyms_fini(struct kallsyms *k);
/*
 * Read a table from @text. Functions and data are kept (types t w d b in either
 * case), as perf does. Errors: ERR_PERM when every address is zero, ERR_FORMAT
 * when no line is one of a symbol table.
 */
MUST_CHECK int kallsyms_read(struct kallsyms *k, struct str text, struct error *err);

#endif
