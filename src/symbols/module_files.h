/* SPDX-License-Identifier: MIT */
/*
 * module_files.h - find the files with the symbols of a module (a program or a library)
 *
 * The search order is that of perf (tools/perf/util/symbol.c, binary_type_symtab): the separate
 * file that .gnu_debuglink names, the build-id cache (~/.debug/.build-id/xx/yyyy/elf),
 * /usr/lib/debug by path, /usr/lib/debug by build id, the file itself. A file whose build id
 * differs from the recorded one is not used, because wrong names are worse than no names. If the
 * recording or the file has no build id, the caller must prove that this file ran (origin.h).
 */
#ifndef SYMBOLS_MODULE_FILES_H
#define SYMBOLS_MODULE_FILES_H

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct lines;
struct symtab;

/* Where the files of a module are searched. */
struct module_places {
	const char *root;    /* folder that is put before all paths; NULL: none */
	const char *cache;   /* folder of perf's build-id cache; NULL: ~/.debug */
	bool has_debuginfod; /* missing files may be fetched by build id from debuginfod servers */
	/*
	 * id of a process that has mapped the file; the file is also searched at /proc/PID/root,
	 * because the process may be in a container; 0: unknown
	 */
	uint32_t pid;
	/*
	 * it is proven that the file at the module's path is the file that ran; needed if the
	 * recording or the file has no build id
	 */
	bool is_proven;
};

/*
 * Add the symbols of the module at @path to @table, and finish the table. *@ret_unread is set to
 * true if a part of an existing file is unreadable: some functions may then have no name, or the
 * name of a neighbour. Errors: ERR_NOTFOUND, ERR_FORMAT, with the reason in @err.
 */
MUST_CHECK int module_files_load(struct str path, const struct build_id *id,
				 const struct module_places *places, struct symtab *table,
				 bool *ret_unread, struct error *err);
/* Debug information of a module, and the segments of the file that ran. */
struct module_lines {
	struct lines *lines; /* owned; release with lines_free() */
	struct elf_load loads[ELF_LOADS_MAX];
	size_t n_loads;
	struct build_id id;
};

/*
 * Open the debug information (DWARF) of the module at @path, in the file itself or in a separate
 * file. Errors: ERR_NOTFOUND, ERR_UNSUPPORTED in builds without libdw.
 */
MUST_CHECK int module_files_lines(struct str path, const struct build_id *id,
				  const struct module_places *places, struct module_lines *ret,
				  struct error *err);
/* False in a fuzzer, which must not open files of this machine. */
bool module_files_are_read(void);
/*
 * Get the path of the file with the build id @id in the build-id cache. @cache: folder of the
 * cache; NULL: ~/.debug. The file need not exist. Returns false if there is no build id or no home
 * directory.
 */
bool module_files_cached(const struct build_id *id, const char *cache, char ret[4096]);
/*
 * Get the path under which this process can open the file @path of the process @pid, which may be
 * in a container: "/proc/PID/root" + @path. Check the build id of the file, because the pid may
 * belong to a new process.
 */
void module_files_of_process(struct str path, uint32_t pid, char ret[4096]);
/* Write the build id as hex digits to @ret; "" if the build id is unknown. */
void module_files_hex(const struct build_id *id, char ret[2 * BUILD_ID_MAX + 1]);
/*
 * Read the whole file @path, which should be small, such as a file in /proc. Owner of *@ret_text:
 * caller, free().
 */
MUST_CHECK int module_files_slurp(const char *path, enum files_kind kind, char **ret_text,
				  size_t *ret_len, struct error *err);

#endif
