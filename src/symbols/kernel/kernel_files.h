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
	/* symbol table (kallsyms) that the user named; NULL: search for one */
	const char *kallsyms;
	/* ELF file of the kernel (vmlinux) that the user named; NULL: search for one */
	const char *vmlinux;
	const char *root;   /* folder that is put before all paths; NULL: none */
	const char *cache;  /* folder of perf's build-id cache; NULL: ~/.debug */
	struct str release; /* kernel release, such as "6.1.0-30-amd64"; empty: unknown */
	struct build_id id; /* build id of the recorded kernel; len 0: not recorded */
	bool is_running;    /* the recorded kernel is the one that is running now */
	/* if is_running is false: the reason, for an error message; NULL: unknown */
	const char *why_not;
};

/*
 * Where a symbol table comes from: a file that the user named, /proc/kallsyms, the copy that perf
 * record made of it, or an ELF file (vmlinux).
 */
enum kernel_source { KERNEL_NAMED, KERNEL_RUNNING, KERNEL_COPY, KERNEL_FILE };

/*
 * Load the symbol table of the recorded kernel. Release @ret with kallsyms_fini(). A table from
 * vmlinux has no modules, and has link addresses. Errors: ERR_NOTFOUND, ERR_PERM (kptr_restrict),
 * with the reason in @err.
 */
MUST_CHECK int kernel_files_load(const struct kernel_files *f, struct kallsyms *ret,
				 enum kernel_source *ret_source, struct error *err);

/*
 * Load the kernel's own symbols, without modules, from perf record's copy of /proc/kallsyms. This
 * is thirty times as fast as reading /proc/kallsyms, which the kernel generates for each reader.
 * Used only if the recorded kernel is running. If the copy is sorted, it is read on demand
 * (@ret->index). Returns false if there is no copy, if another kernel was recorded, or if the user
 * named files.
 */
bool kernel_files_own(const struct kernel_files *f, struct kallsyms *ret);

/*
 * Open the debug information of the kernel: the file that the user named or, if there is none, a
 * file with the same build id. @ret_text: link address of _text, 0 if unknown. Errors:
 * ERR_NOTFOUND.
 */
MUST_CHECK int kernel_files_lines(const struct kernel_files *f, struct lines **ret,
				  uint64_t *ret_text, struct error *err);

#endif
