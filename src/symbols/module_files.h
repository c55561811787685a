/* SPDX-License-Identifier: MIT */
/*
 * module_files.h - where the symbols of a module may lie
 *
 * In the order of perf (tools/perf/util/symbol.c, binary_type_symtab): the
 * separate file that .gnu_debuglink names, the build-id cache
 * (~/.debug/.build-id/xx/yyyy/elf), /usr/lib/debug by path, by build id, and the
 * file itself. A file whose build id is not the recorded one is not taken: names
 * from another build are worse than none. Where no build id was recorded, or the file
 * has none, the caller must have proof that the file at the path ran (origin.h).
 */
#ifndef SYMBOLS_MODULE_FILES_H
#define SYMBOLS_MODULE_FILES_H

#include "base/files.h"
#include "symbols/elf_symbols.h"
#include "symbols/lines.h"

/* Where to look. */
struct module_places {
	const char *root;    /* folder in front of all paths; NULL: none */
	const char *cache;   /* build-id cache; NULL: ~/.debug */
	bool has_debuginfod; /* what is not here may be fetched by its build id */
	bool is_proven;      /* the file at the path ran, though no build id says so */
};

/*
 * Add the symbols of the module at @path to @table, and finish it. @ret_unread is set where one of
 * its files is there and cannot be read, so that names may be missing or those of neighbours.
 * Errors: ERR_NOTFOUND, ERR_FORMAT, with a sentence.
 */
MUST_CHECK int module_files_load(struct str path, const struct build_id *id,
				 const struct module_places *places, struct symtab *table,
				 bool *ret_unread, struct error *err);
/* Debug information of a module, and where its segments lie in the file that ran. */
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
/* False under a fuzzer: no file of the machine is opened. */
bool module_files_are_read(void);
/* Path of the copy in the build-id cache (NULL: ~/.debug), there or not. False: no id, no home. */
bool module_files_cached(const struct build_id *id, const char *cache, char ret[4096]);
/* The id as text; empty without one. */
void module_files_hex(const struct build_id *id, char ret[2 * BUILD_ID_MAX + 1]);
/* A whole small file, such as those of /proc. Owner: caller, free(). */
MUST_CHECK int module_files_slurp(const char *path, enum files_kind kind, char **ret_text,
				  size_t *ret_len, struct error *err);

#endif
