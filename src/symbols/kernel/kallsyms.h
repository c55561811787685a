/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.h - the kernel's symbol table
 *
 * Format of a line: "%px %c %s\t[%s]\n", from s_show() in kernel/kallsyms.c. Only symbols of kernel
 * modules have the part in brackets. If kptr_restrict hides addresses, all are zero.
 */
#ifndef SYMBOLS_KERNEL_KALLSYMS_H
#define SYMBOLS_KERNEL_KALLSYMS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/symtab.h"

struct kallsyms_index;

struct kallsyms_module {
	/* offset of the module's name in table.names; the kernel itself has an empty name */
	uint32_t name;
	struct symtab table;
};

/* Start and end addresses of the kernel's code and of its init code; 0: unknown. */
struct kallsyms_marks {
	uint64_t text, etext, init_text, init_end;
};

struct kallsyms {
	struct kallsyms_marks marks;
	/* modules[0] is the kernel itself; BPF programs are in the module "bpf" */
	VEC(struct kallsyms_module) modules;
	/*
	 * owned; index through which single parts of the kernel's own symbols are read on demand.
	 * NULL: all of these symbols are in modules[0]
	 */
	struct kallsyms_index *index;
	size_t last; /* index in `modules` of the module of the previous line */
	size_t n_lines;
	bool has_address;
};

void kallsyms_fini(struct kallsyms *k);
/*
 * Parse @text, which must end with a complete line. @k must be zeroed before the first call. As in
 * perf, only functions and data are kept (types t, w, d, b, also in upper case).
 */
void kallsyms_add(struct kallsyms *k, struct str text);
/*
 * Finish the tables after the last line. Errors: ERR_PERM if all addresses are zero, ERR_FORMAT if
 * no line has the format of kallsyms.
 */
MUST_CHECK int kallsyms_finish(struct kallsyms *k, struct error *err);
/*
 * If @name is the name of a symbol at the start or end of code, such as "_text" or "_etext", store
 * @address in the member of @marks for this symbol.
 */
void kallsyms_mark(struct kallsyms_marks *marks, struct str name, uint64_t address);
/*
 * Whether @address is outside of the kernel's code, according to @marks. Returns false if the marks
 * are unknown.
 */
bool kallsyms_is_data(const struct kallsyms_marks *marks, uint64_t address);
struct str kallsyms_module_name(const struct kallsyms_module *m);

#endif
