/* SPDX-License-Identifier: MIT */
#include "symbols/module_files.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/debuginfod.h"
#include "symbols/indirect_names.h"
#include "symbols/lines/lines.h"
#include "symbols/symtab.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define MODULE_FILES_ARE_READ false
#else
#define MODULE_FILES_ARE_READ true
#endif

int module_files_slurp(const char *path, enum files_kind kind, char **ret_text, size_t *ret_len,
		       struct error *err)
{
	int fd = MODULE_FILES_ARE_READ ? files_open(path, kind) : -1;
	size_t cap = 1 << 16;
	size_t len = 0;
	char *text;
	ssize_t n;

	if (fd < 0)
		return fail(err, ERR_NOTFOUND, "%s: %s", path, strerror(errno));
	text = xmalloc(cap);
	while ((n = files_read(fd, text + len, cap - len)) > 0) {
		len += (size_t)n;
		if (len == cap && cap < LIMIT_SLURP_BYTES)
			text = xrealloc(text, cap *= 2);
	}
	(void)close(fd);
	if (n < 0) {
		free(text);
		return fail(err, ERR_IO, "%s: cannot be read whole", path);
	}
	*ret_text = text;
	*ret_len = len;
	return OK;
}

/* maximum number of paths, from module_list_places() and module_fetch() together */
#define MODULE_PLACES 8

struct module_search {
	const struct build_id *id;
	const char *root;
	const struct elf_symbols *runtime; /* the file that ran; NULL: not available */
	char own[PATH_MAX];                /* path of the file that ran */
	/* paths at which a separate debug file may be, in the order of the search */
	char text[MODULE_PLACES][PATH_MAX];
	const char *paths[MODULE_PLACES];
	size_t n;
	size_t at; /* index in `paths` of the next path to try */
	/*
	 * debuginfod was already asked for the file; if it has found the file, the last element of
	 * `paths` is the path of this file
	 */
	bool has_asked;
	/*
	 * it is proven that the file at the module's path is the file that ran; it is then used
	 * even if a build id is unknown
	 */
	bool is_proven;
	bool is_other_build;
	bool is_unread; /* a file exists at one of the paths, but a part of it is unreadable */
	struct error fetch_error;
};

void module_files_hex(const struct build_id *id, char ret[2 * BUILD_ID_MAX + 1])
{
	ret[0] = '\0';
	for (size_t i = 0; i < id->len; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", id->bytes[i]);
}

bool module_files_are_read(void)
{
	return MODULE_FILES_ARE_READ;
}

bool module_files_cached(const struct build_id *id, const char *cache, char ret[4096])
{
	const char *home = getenv("HOME");
	char hex[2 * BUILD_ID_MAX + 1] = "";

	if (id->len < 2 || (!cache && !home))
		return false;
	module_files_hex(id, hex);
	(void)snprintf(ret, 4096, "%s%s/.build-id/%.2s/%s/elf", cache ? cache : home,
		       cache ? "" : "/.debug", hex, hex + 2);
	return true;
}

void module_files_of_process(struct str path, uint32_t pid, char ret[4096])
{
	(void)snprintf(ret, 4096, "/proc/%u/root" STR_FMT, pid, STR_ARG(path));
}

/*
 * Whether it must be assumed that a file with the build id @id is not the file that ran. If both
 * build ids are known, they are compared. Otherwise s->is_proven decides.
 */
static bool module_is_other(const struct module_search *s, const struct build_id *id)
{
	return s->id->len && id->len ? !build_id_eq(s->id, id) : !s->is_proven;
}

/*
 * Whether the file @e can be used: it is of the right build and has symbols. Otherwise @e is
 * released.
 */
static bool module_is_wanted(struct module_search *s, struct elf_symbols *e)
{
	bool is_other = module_is_other(s, &e->build_id);

	s->is_other_build |= is_other;
	if (!is_other && e->table.entries.len)
		return true;
	elf_symbols_fini(e);
	return false;
}

/* Append all symbols of @from to @to, and empty @from. */
static void module_add_all(struct symtab *to, struct symtab *from)
{
	if (to->entries.len == 0) {
		symtab_fini(to);
		*to = *from;
		memset(from, 0, sizeof(*from));
		return;
	}
	VEC_FOREACH (e, &from->entries)
		symtab_add(to, e->start, e->end - e->start, symtab_name(from, e),
			   (enum symtab_binding)e->binding);
	symtab_fini(from);
}

PRINTF(2, 3)
static void module_add_place(struct module_search *s, const char *format, ...)
{
	char *text = s->text[s->n];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, PATH_MAX, format, args);
	va_end(args);
	s->paths[s->n] = text;
	s->n += strcmp(text, s->own) != 0;
}

static void module_list_places(struct module_search *s, struct str path, const char *cache,
			       const char *debuglink)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	char cached[PATH_MAX];
	size_t slash = str_rfind_char(path, '/');
	struct str folder = str_sub(path, 0, slash < path.len ? slash : 0);

	if (debuglink[0]) {
		module_add_place(s, "%s" STR_FMT "/%s", s->root, STR_ARG(folder), debuglink);
		module_add_place(s, "%s" STR_FMT "/.debug/%s", s->root, STR_ARG(folder), debuglink);
		module_add_place(s, "%s/usr/lib/debug" STR_FMT "/%s", s->root, STR_ARG(folder),
				 debuglink);
	}
	if (module_files_cached(s->id, cache, cached))
		module_add_place(s, "%s", cached);
	module_files_hex(s->id, hex);
	if (s->id->len > 1)
		module_add_place(s, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", s->root, hex,
				 hex + 2);
	module_add_place(s, "%s/usr/lib/debug" STR_FMT ".debug", s->root, STR_ARG(path));
	module_add_place(s, "%s/usr/lib/debug" STR_FMT, s->root, STR_ARG(path));
}

/* Open the next ELF file in s->paths. *@ret_path: its path. Returns false if no path is left. */
static bool module_next(struct module_search *s, enum elf_part part, struct elf_symbols *ret,
			const char **ret_path)
{
	while (MODULE_FILES_ARE_READ && s->at < s->n) {
		size_t at;
		int fd = files_open_first(s->paths + s->at, s->n - s->at, FILES_ELF, &at);
		const char *path = s->paths[s->at + at];
		int r = elf_symbols_read_open(fd, path, part, s->runtime, ret, NULL);

		s->at += at + 1;
		s->is_unread |= r == ERR_IO;
		*ret_path = path;
		if (r == OK)
			return true;
	}
	return false;
}

/*
 * If permitted, ask debuginfod for the separate debug file, and append its path to s->paths.
 * Returns whether a path was added.
 */
static bool module_fetch(struct module_search *s, const struct module_places *places)
{
	char path[DEBUGINFOD_PATH_MAX];

	if (!MODULE_FILES_ARE_READ || !places->has_debuginfod || s->has_asked)
		return false;
	s->has_asked = true;
	if (!debuginfod_find(s->id, path, &s->fetch_error))
		return false;
	module_add_place(s, "%s", path);
	return true;
}

static bool module_find(struct module_search *s, const struct module_places *places,
			struct elf_symbols *ret)
{
	const char *path;

	do {
		while (module_next(s, ELF_SYMTAB_ONLY, ret, &path)) {
			if (module_is_wanted(s, ret))
				return true;
		}
	} while (module_fetch(s, places));
	return false;
}

/*
 * Open the debug information in @path. @e: segments and build id of this file. Returns false if the
 * file is of another build, or has no debug information.
 */
static bool module_take_lines(const struct module_search *s, const char *path,
			      const struct elf_symbols *e, struct module_lines *ret,
			      struct error *err)
{
	const struct lines_places places = { s->own, s->root };

	if (module_is_other(s, &e->build_id) || lines_open(path, &places, &ret->lines, err) < 0)
		return false;
	if (ret->n_loads == 0) {
		memcpy(ret->loads, e->loads, sizeof(ret->loads));
		ret->n_loads = e->n_loads;
	}
	return true;
}

int module_files_lines(struct str path, const struct build_id *id,
		       const struct module_places *places, struct module_lines *ret,
		       struct error *err)
{
	struct module_search s = { .id = id,
				   .root = places->root ? places->root : "",
				   .is_proven = places->is_proven };
	struct elf_symbols elf;
	char debuglink[sizeof(elf.debuglink)] = "";
	const char *found;

	memset(ret, 0, sizeof(*ret));
	if (!MODULE_FILES_ARE_READ || path.len == 0 || path.len > PATH_MAX / 2 || path.p[0] != '/')
		return fail(err, ERR_NOTFOUND, "not a file");
	(void)snprintf(s.own, sizeof(s.own), "%s" STR_FMT, s.root, STR_ARG(path));
	if (elf_symbols_read(s.own, ELF_FRAME, NULL, &elf, NULL) == OK &&
	    !module_is_other(&s, &elf.build_id)) {
		memcpy(debuglink, elf.debuglink, sizeof(debuglink));
		memcpy(ret->loads, elf.loads, sizeof(ret->loads));
		ret->n_loads = elf.n_loads;
		ret->id = id->len ? *id : elf.build_id;
		if (module_take_lines(&s, s.own, &elf, ret, err))
			return OK;
		s.id = &ret->id;
	}
	module_list_places(&s, path, places->cache, debuglink);
	do {
		while (module_next(&s, ELF_FRAME, &elf, &found)) {
			if (module_take_lines(&s, found, &elf, ret, err))
				return OK;
		}
	} while (module_fetch(&s, places));
	return fail(err, ERR_NOTFOUND, "no file with debug information found");
}

/*
 * Load the symbols of this machine's vDSO. They are used only if it is the same as the recorded
 * vDSO.
 */
static int module_load_vdso(const struct build_id *id, bool is_proven, struct symtab *table,
			    struct error *err)
{
	struct elf_symbols e;
	int r = elf_symbols_read_vdso(&e, err);

	if (r < 0)
		return r;
	if (id->len ? build_id_eq(id, &e.build_id) : is_proven)
		module_add_all(table, &e.table);
	elf_symbols_fini(&e);
	symtab_finish(table, true);
	return table->entries.len ? OK : fail(err, ERR_NOTFOUND, "the vDSO of another kernel");
}

int module_files_load(struct str path, const struct build_id *id,
		      const struct module_places *places, struct symtab *table, bool *ret_unread,
		      struct error *err)
{
	struct module_search s = { .id = id,
				   .root = places->root ? places->root : "",
				   .is_proven = places->is_proven };
	struct elf_symbols own;
	struct elf_symbols found;
	char debuglink[sizeof(own.debuglink)] = "";
	char cached[PATH_MAX];
	const char *own_path = s.own;
	bool has_own;
	int r;

	if (str_eq(path, STR("[vdso]")))
		return module_load_vdso(id, places->is_proven, table, err);
	if (path.len == 0 || path.len > PATH_MAX / 2 || path.p[0] != '/')
		return fail(err, ERR_NOTFOUND, "not a file");
	(void)snprintf(s.own, sizeof(s.own), "%s" STR_FMT, s.root, STR_ARG(path));
	r = MODULE_FILES_ARE_READ ? elf_symbols_read(s.own, ELF_WHOLE, NULL, &own, NULL)
				  : ERR_UNSUPPORTED;
	s.is_unread = r == ERR_IO;
	has_own = r == OK && module_is_wanted(&s, &own);
	/* if the program was deleted or replaced, the build-id cache may have a copy */
	if (!has_own && MODULE_FILES_ARE_READ && module_files_cached(s.id, places->cache, cached) &&
	    elf_symbols_read(cached, ELF_WHOLE, NULL, &own, NULL) == OK) {
		has_own = module_is_wanted(&s, &own);
		own_path = cached;
	}
	/* @path may be a path in a container: try it relative to the root folder of the process */
	if (!has_own && MODULE_FILES_ARE_READ && places->pid && s.id->len) {
		module_files_of_process(path, places->pid, cached);
		own_path = cached;
		has_own = elf_symbols_read(cached, ELF_WHOLE, NULL, &own, NULL) == OK &&
			  module_is_wanted(&s, &own);
	}
	if (has_own && s.id->len == 0)
		s.id = &own.build_id;
	if (has_own) {
		memcpy(debuglink, own.debuglink, sizeof(debuglink));
		s.runtime = &own;
	}
	if (has_own && own.has_symtab) {
		module_add_all(table, &own.table);
	} else {
		module_list_places(&s, path, places->cache, debuglink);
		if (module_find(&s, places, &found)) {
			module_add_all(table, &found.table);
			elf_symbols_fini(&found);
		} else if (has_own) {
			indirect_names_add(&own, own_path);
		}
		/*
		 * also add the symbols of the program itself: a separate debug file lacks exports
		 * and PLT entries
		 */
		if (has_own)
			module_add_all(table, &own.table);
	}
	if (has_own)
		elf_symbols_fini(&own);
	symtab_finish(table, true);
	*ret_unread |= s.is_unread;
	if (table->entries.len)
		return OK;
	if (s.is_other_build)
		return fail(err, ERR_NOTFOUND, "the file here is of another build");
	if (s.fetch_error.msg[0])
		return fail(err, ERR_NOTFOUND, "no file with symbols found; %s", s.fetch_error.msg);
	return fail(err, ERR_NOTFOUND, "no file with symbols found");
}
