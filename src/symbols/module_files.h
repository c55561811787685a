/* SPDX-License-Identifier: MIT */
/*
 * module_files.h - find the files with symbols of a module, a program or library
 *
 * Search order of perf (tools/perf/util/symbol.c, binary_type_symtab): the separate file named by
 * .gnu_debuglink, the build-id cache (~/.debug/.build-id/xx/yyyy/elf), /usr/lib/debug by path,
 * /usr/lib/debug by build id, the file itself. A file whose build id differs from the recorded one
 * is refused: wrong names are worse than no names. If no build id was recorded, or the file has no
 * build id, the caller must prove that this file ran (origin.h).
 */
#ifndef SYMBOLS_MODULE_FILES_H
#define SYMBOLS_MODULE_FILES_H

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct lines;
struct symtab;

/* Folders and options for the search for the files of a module. */
struct module_places {
	const char *root;    /* folder prepended to all paths; NULL: none */
	const char *cache;   /* build-id cache; NULL: ~/.debug */
	bool has_debuginfod; /* missing files may be fetched by build id */
	uint32_t pid; /* a process that mapped the file, which may be in a container; 0: none */
	/* for modules without a build id: the file at the path is proven to be the one that ran */
	bool is_proven;
};

/*
 * Add the symbols of the module at @path to @table and finish the table. @ret_unread is set if a
 * file exists but cannot be read whole: functions may then lack names or have a neighbour's name.
 * Errors: ERR_NOTFOUND, ERR_FORMAT, with the reason in @err.
 */
MUST_CHECK int module_files_load(struct str path, const struct build_id *id,
				 const struct module_places *places, struct symtab *table,
				 bool *ret_unread, struct error *err);
/* Debug information of a module, and the segments of the file that ran. */
struct module_lines {
	struct lines *lines; /* owned: lines_free() */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id id;
};

/*
 * Open the DWARF of the module at @path, in the file itself or a separate one.
 * Errors: ERR_NOTFOUND, ERR_UNSUPPORTED in builds without libdw.
 */
MUST_CHECK int module_files_lines(struct str path, const struct build_id *id,
				  const struct module_places *places, struct module_lines *ret,
				  struct error *err);
/* False in a fuzzer, which must not open files of this machine. */
bool module_files_are_read(void);
/*
 * Get the path in the build-id cache (NULL: ~/.debug) for the file with build id @id, whether the
 * file exists or not. False: no build id or no home directory.
 */
bool module_files_cached(const struct build_id *id, const char *cache, char ret[4096]);
/*
 * Get the path of the file that the process @pid sees as @path: "/proc/PID/root" and @path. The pid
 * may be reused: check the build id of the file.
 */
void module_files_of_process(struct str path, uint32_t pid, char ret[4096]);
/* Write the build id in hex; empty if the build id is unknown. */
void module_files_hex(const struct build_id *id, char ret[2 * BUILD_ID_MAX + 1]);
/* Read a whole small file, such as a file in /proc. Owner: caller, free(). */
MUST_CHECK int module_files_slurp(const char *path, enum files_kind kind, char **ret_text,
				  size_t *ret_len, struct error *err);

#endif
