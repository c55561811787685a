/* SPDX-License-Identifier: MIT */
/*
 * kernel_files.h - find the symbols of the recorded kernel
 *
 * Search order:
 * 1. files that the user named;
 * 2. /proc/kallsyms, if origin.h proves that the running kernel was recorded;
 * 3. by build id, the copy that perf record put into the build-id cache
 *    (~/.debug/[kernel.kallsyms]);
 * 4. vmlinux at the paths of distributions.
 * Files of another build are not used.
 */
#ifndef SYMBOLS_KERNEL_KERNEL_FILES_H
#define SYMBOLS_KERNEL_KERNEL_FILES_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct kallsyms;
struct lines;

struct kernel_files {
	const char *kallsyms; /* path of the symbol table to use; NULL: search */
	const char *vmlinux;  /* path of the ELF file to use; NULL: search */
	const char *root;     /* folder prepended to all paths; NULL: none */
	const char *cache;    /* build-id cache; NULL: ~/.debug */
	struct str release;   /* kernel release, such as "6.1.0-30-amd64"; empty: unknown */
	struct build_id id;   /* build id of the recorded kernel; len 0: not recorded */
	bool is_running;      /* the running kernel was recorded */
	const char *why_not;  /* if not is_running: the reason, a clause; NULL: unknown */
};

/*
 * Where the symbol table is from: a file that the user named, /proc/kallsyms, perf record's copy of
 * it, or an ELF file.
 */
enum kernel_source { KERNEL_NAMED, KERNEL_RUNNING, KERNEL_COPY, KERNEL_FILE };

/*
 * Load the symbol table; release it with kallsyms_fini(). A table from vmlinux contains the kernel
 * without modules, at link addresses. Errors: ERR_NOTFOUND, ERR_PERM (kptr_restrict), with the
 * reason in @err.
 */
MUST_CHECK int kernel_files_load(const struct kernel_files *f, struct kallsyms *ret,
				 enum kernel_source *ret_source, struct error *err);

/*
 * Load the kernel's own symbols, without modules, from perf record's copy of /proc/kallsyms. Used
 * only for a recording of the running kernel. Reading /proc/kallsyms would take thirty times as
 * long: the kernel generates it anew for every reader. A sorted copy is read on demand
 * (@ret->index). False: no copy, another kernel was recorded, or the user named files.
 */
bool kernel_files_own(const struct kernel_files *f, struct kallsyms *ret);

/*
 * Open the debug information of the kernel: the file that the user named, else one found by build
 * id. @ret_text: link address of _text, 0 if unknown. Errors: ERR_NOTFOUND.
 */
MUST_CHECK int kernel_files_lines(const struct kernel_files *f, struct lines **ret,
				  uint64_t *ret_text, struct error *err);

#endif
