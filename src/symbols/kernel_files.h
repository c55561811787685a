/* SPDX-License-Identifier: MIT */
/*
 * kernel_files.h - where the symbols of the recorded kernel may lie
 *
 * What was named; else the running kernel's own table where it is proven to be the
 * recorded one (origin.h); else, by build id, the copy that perf record put into the build-id cache
 * (~/.debug/[kernel.kallsyms]), then vmlinux where distributions install it. A
 * file of another build is not taken.
 */
#ifndef SYMBOLS_KERNEL_FILES_H
#define SYMBOLS_KERNEL_FILES_H

#include "symbols/elf_symbols.h"
#include "symbols/kallsyms.h"
#include "symbols/lines.h"

struct kernel_files {
	const char *kallsyms; /* take this table; NULL: find one */
	const char *vmlinux;  /* take this file; NULL: find one */
	const char *root;     /* folder in front of all paths; NULL: none */
	const char *cache;    /* build-id cache; NULL: ~/.debug */
	struct str release;   /* "6.1.0-30-amd64"; empty: not known */
	struct build_id id;   /* len 0: not recorded */
	bool is_running;      /* the running kernel is the recorded one */
	const char *why_not;  /* else the reason, a clause; NULL: none is known */
};

/* What a table was made of. */
enum kernel_source { KERNEL_NAMED, KERNEL_RUNNING, KERNEL_COPY, KERNEL_FILE };

/*
 * Load the table; the caller releases it with kallsyms_fini(). Of vmlinux it holds
 * the kernel alone, at the addresses it was linked for.
 * Errors: ERR_NOTFOUND, ERR_PERM (kptr_restrict), with a sentence.
 */
MUST_CHECK int kernel_files_load(const struct kernel_files *f, struct kallsyms *ret,
				 enum kernel_source *ret_source, struct error *err);

/*
 * The kernel's own symbols, without those of modules, from the copy that perf
 * record made of the running kernel's table: the system writes its table anew for
 * every reader, which costs thirty times as much. It is read on demand (@ret->index) where
 * it is in order. False: there is none, or the recorded kernel is not the running one.
 */
bool kernel_files_own(const struct kernel_files *f, struct kallsyms *ret);

/*
 * The debug information of the kernel's own file: the one that was named, else found
 * by build id. @ret_text: where it was linked for (_text), 0 if it does not say.
 * Errors: ERR_NOTFOUND.
 */
MUST_CHECK int kernel_files_lines(const struct kernel_files *f, struct lines **ret,
				  uint64_t *ret_text, struct error *err);

#endif
