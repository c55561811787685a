/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.h - the kernel's symbol table
 *
 * Format: kernel/kallsyms.c, s_show(): "%px %c %s\t[%s]\n". Only symbols of kernel modules have the
 * part in brackets. With kptr_restrict all addresses are zero.
 */
#ifndef SYMBOLS_KERNEL_KALLSYMS_H
#define SYMBOLS_KERNEL_KALLSYMS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/symtab.h"

struct kallsyms_index;

struct kallsyms_module {
	/* offset of the module's name in table.names; the name of the kernel itself is empty */
	uint32_t name;
	struct symtab table;
};

/* Addresses where the kernel's code starts and ends; 0: unknown. */
struct kallsyms_marks {
	uint64_t text, etext, init_text, init_end;
};

struct kallsyms {
	struct kallsyms_marks marks;
	/* [0] is the kernel itself; module "bpf" holds BPF programs */
	VEC(struct kallsyms_module) modules;
	/*
	 * index of the kernel's own symbols, which reads them on demand; owned. NULL: all symbols
	 * are in `modules`
	 */
	struct kallsyms_index *index;
	size_t last; /* index in `modules` of the previous line's module, which is tried first */
	size_t n_lines;
	bool has_address;
};

void kallsyms_fini(struct kallsyms *k);
/*
 * Parse @text, whose last line must be complete. @k must be zeroed before the first call. Keeps
 * functions and data (types t w d b in either case), as perf does.
 */
void kallsyms_add(struct kallsyms *k, struct str text);
/*
 * Call after the last line. Errors: ERR_PERM if all addresses are zero, ERR_FORMAT if no line
 * belongs to a symbol table.
 */
MUST_CHECK int kallsyms_finish(struct kallsyms *k, struct error *err);
/* If @name is one of the marks ("_text" ...), store its address in @marks. */
void kallsyms_mark(struct kallsyms_marks *marks, struct str name, uint64_t address);
/* Whether @address is outside the kernel's code, by @marks; false if the marks are unknown. */
bool kallsyms_is_data(const struct kallsyms_marks *marks, uint64_t address);
struct str kallsyms_module_name(const struct kallsyms_module *m);

#endif
