/* SPDX-License-Identifier: MIT */
/*
 * kernel_files.h - find the symbols of the recorded kernel
 *
 * Order: files that the user named; the running kernel's table, if origin.h proves that it was
 * recorded; by build id, the copy that perf record put into the build-id cache
 * (~/.debug/[kernel.kallsyms]); vmlinux at the paths of distributions. Files of another build
 * are not used.
 */
#ifndef SYMBOLS_KERNEL_FILES_H
#define SYMBOLS_KERNEL_FILES_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct kallsyms;
struct lines;

struct kernel_files {
	const char *kallsyms; /* table to use; NULL: search */
	const char *vmlinux;  /* file to use; NULL: search */
	const char *root;     /* folder prepended to all paths; NULL: none */
	const char *cache;    /* build-id cache; NULL: ~/.debug */
	struct str release;   /* "6.1.0-30-amd64"; empty: unknown */
	struct build_id id;   /* len 0: not recorded */
	bool is_running;      /* the running kernel was recorded */
	const char *why_not;  /* otherwise the reason, a clause; NULL: unknown */
};

/* Source of a table. */
enum kernel_source { KERNEL_NAMED, KERNEL_RUNNING, KERNEL_COPY, KERNEL_FILE };

/*
 * Load the table; release it with kallsyms_fini(). From vmlinux it contains the kernel without
 * modules, at link addresses. Errors: ERR_NOTFOUND, ERR_PERM (kptr_restrict), with a sentence.
 */
MUST_CHECK int kernel_files_load(const struct kernel_files *f, struct kallsyms *ret,
				 enum kernel_source *ret_source, struct error *err);

/*
 * Load the kernel's own symbols, without modules, from the copy that perf record made of the
 * running kernel's table. The kernel generates /proc/kallsyms anew for every reader, which
 * costs thirty times as much. A sorted copy is read on demand (@ret->index). False: no copy, or
 * the recorded kernel is not the running one.
 */
bool kernel_files_own(const struct kernel_files *f, struct kallsyms *ret);

/*
 * Open the debug information of the kernel's file: the one named by the user, else by build id.
 * @ret_text: link address of _text, 0 if unknown. Errors: ERR_NOTFOUND.
 */
MUST_CHECK int kernel_files_lines(const struct kernel_files *f, struct lines **ret,
				  uint64_t *ret_text, struct error *err);

#endif
