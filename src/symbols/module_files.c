/* SPDX-License-Identifier: MIT */
#include "symbols/module_files.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "symbols/debuginfod.h"

#include <errno.h>
#include <limits.h>
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

int module_files_kernel_check(const struct build_id *recorded, struct error *err)
{
	CLEANUP(freep) char *notes = NULL;
	struct error why = { "" };
	size_t len = 0;
	int r;

	if (recorded->len == 0)
		return OK;
	r = module_files_slurp("/sys/kernel/notes", FILES_KERNEL_NOTES, &notes, &len, &why);
	if (r < 0)
		return fail(err, r,
			    "whether it is the running kernel's is not known (%s); name its symbol "
			    "table",
			    why.msg);
	if (len && memmem(notes, len, recorded->bytes, recorded->len))
		return OK;
	return fail(err, ERR_NOTFOUND,
		    "recorded on another kernel than the running one; name its symbol table");
}

struct module_search {
	const struct build_id *id;
	const char *root;
	const struct elf_symbols *runtime; /* the file that ran, if it is here */
	char tried[PATH_MAX];
	bool is_other_build;
	bool is_unread; /* a file is there and cannot be read whole */
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

/* Take the file if it is ELF, of the right build and has symbols. */
static bool module_try(struct module_search *s, bool wants_symtab, struct elf_symbols *keep)
{
	struct elf_symbols e;
	int r = MODULE_FILES_ARE_READ ? elf_symbols_read(s->tried, s->runtime, &e, NULL)
				      : ERR_UNSUPPORTED;

	s->is_unread |= r == ERR_IO;
	if (r < 0)
		return false;
	if (s->id->len && e.build_id.len && !build_id_eq(s->id, &e.build_id)) {
		s->is_other_build = true;
		elf_symbols_fini(&e);
		return false;
	}
	if (e.table.entries.len == 0 || (wants_symtab && !e.has_symtab)) {
		elf_symbols_fini(&e);
		return false;
	}
	*keep = e;
	return true;
}

/* All of @from, which is empty then. */
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

/* Separate files @i with debug information, then the file itself. False: there are no more. */
static bool module_candidate(struct module_search *s, struct str path, const char *cache,
			     const char *debuglink, unsigned int i)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	size_t slash = str_rfind_char(path, '/');
	struct str folder = str_sub(path, 0, slash < path.len ? slash : 0);

	s->tried[0] = '\0';
	module_files_hex(s->id, hex);
	if (i < 3) {
		if (debuglink[0])
			(void)snprintf(s->tried, sizeof(s->tried), "%s%s" STR_FMT "%s/%s", s->root,
				       i == 2 ? "/usr/lib/debug" : "", STR_ARG(folder),
				       i == 1 ? "/.debug" : "", debuglink);
		return true;
	}
	switch (i - 3) {
	case 0:
		(void)module_files_cached(s->id, cache, s->tried);
		return true;
	case 1:
		if (s->id->len > 1)
			(void)snprintf(s->tried, sizeof(s->tried),
				       "%s/usr/lib/debug/.build-id/%.2s/%s.debug", s->root, hex,
				       hex + 2);
		return true;
	case 2:
		(void)snprintf(s->tried, sizeof(s->tried), "%s/usr/lib/debug" STR_FMT ".debug",
			       s->root, STR_ARG(path));
		return true;
	case 3:
		(void)snprintf(s->tried, sizeof(s->tried), "%s/usr/lib/debug" STR_FMT, s->root,
			       STR_ARG(path));
		return true;
	case 4:
		(void)snprintf(s->tried, sizeof(s->tried), "%s" STR_FMT, s->root, STR_ARG(path));
		return true;
	default:
		return false;
	}
}

/* Ask servers for the separate file, where that is allowed. */
static bool module_fetch(struct module_search *s, const struct module_places *places)
{
	_Static_assert(sizeof(s->tried) >= DEBUGINFOD_PATH_MAX, "a path fits");

	return MODULE_FILES_ARE_READ && places->has_debuginfod &&
	       debuginfod_find(s->id, s->tried, &s->fetch_error);
}

static bool module_try_candidates(struct module_search *s, struct str path,
				  const struct module_places *places, const char *debuglink,
				  struct elf_symbols *ret)
{
	for (unsigned int i = 0; module_candidate(s, path, places->cache, debuglink, i); i++) {
		bool is_itself = str_eq(path, str_skip(str_of(s->tried), strlen(s->root)));

		if (s->tried[0] && !is_itself && module_try(s, true, ret))
			return true;
	}
	if (module_fetch(s, places) && module_try(s, true, ret))
		return true;
	/* what the file itself has: perhaps only what it exports */
	(void)snprintf(s->tried, sizeof(s->tried), "%s" STR_FMT, s->root, STR_ARG(path));
	return module_try(s, false, ret);
}

int module_files_lines(struct str path, const struct build_id *id,
		       const struct module_places *places, struct module_lines *ret,
		       struct error *err)
{
	struct module_search s = { .id = id, .root = places->root ? places->root : "" };
	struct elf_symbols own;
	char debuglink[sizeof(own.debuglink)] = "";

	memset(ret, 0, sizeof(*ret));
	if (!MODULE_FILES_ARE_READ || path.len == 0 || path.len > PATH_MAX / 2 || path.p[0] != '/')
		return fail(err, ERR_NOTFOUND, "not a file");
	(void)snprintf(s.tried, sizeof(s.tried), "%s" STR_FMT, s.root, STR_ARG(path));
	if (elf_symbols_read(s.tried, NULL, &own, NULL) == OK) {
		bool is_same =
			id->len == 0 || own.build_id.len == 0 || build_id_eq(id, &own.build_id);

		memcpy(debuglink, own.debuglink, sizeof(debuglink));
		memcpy(ret->loads, own.loads, sizeof(ret->loads));
		ret->n_loads = own.n_loads;
		ret->id = id->len ? *id : own.build_id;
		elf_symbols_fini(&own);
		if (is_same && lines_open(s.tried, &ret->lines, err) == OK)
			return OK;
		s.id = &ret->id;
	}
	for (unsigned int i = 0; module_candidate(&s, path, places->cache, debuglink, i); i++) {
		if (!s.tried[0] || elf_symbols_read(s.tried, NULL, &own, NULL) < 0)
			continue;
		elf_symbols_fini(&own);
		if ((s.id->len && own.build_id.len && !build_id_eq(s.id, &own.build_id)) ||
		    lines_open(s.tried, &ret->lines, err) < 0)
			continue;
		if (ret->n_loads == 0) {
			memcpy(ret->loads, own.loads, sizeof(ret->loads));
			ret->n_loads = own.n_loads;
		}
		return OK;
	}
	if (module_fetch(&s, places) && lines_open(s.tried, &ret->lines, err) == OK) {
		if (ret->n_loads == 0 && elf_symbols_read(s.tried, NULL, &own, NULL) == OK) {
			memcpy(ret->loads, own.loads, sizeof(ret->loads));
			ret->n_loads = own.n_loads;
			elf_symbols_fini(&own);
		}
		return OK;
	}
	return fail(err, ERR_NOTFOUND, "no file with debug information found");
}

/* The recorded vDSO is the one of this machine, or in no file. */
static int module_load_vdso(const struct build_id *id, struct symtab *table, struct error *err)
{
	struct elf_symbols e;
	int r = elf_symbols_read_vdso(&e, err);

	if (r < 0)
		return r;
	if (id->len == 0 || build_id_eq(id, &e.build_id))
		module_add_all(table, &e.table);
	elf_symbols_fini(&e);
	symtab_finish(table, true);
	return table->entries.len ? OK : fail(err, ERR_NOTFOUND, "the vDSO of another kernel");
}

int module_files_load(struct str path, const struct build_id *id,
		      const struct module_places *places, struct symtab *table, bool *ret_unread,
		      struct error *err)
{
	struct module_search s = { .id = id, .root = places->root ? places->root : "" };
	struct elf_symbols own;
	struct elf_symbols found;
	char debuglink[sizeof(own.debuglink)] = "";
	bool has_own;

	if (str_eq(path, STR("[vdso]")))
		return module_load_vdso(id, table, err);
	if (path.len == 0 || path.len > PATH_MAX / 2 || path.p[0] != '/')
		return fail(err, ERR_NOTFOUND, "not a file");
	(void)snprintf(s.tried, sizeof(s.tried), "%s" STR_FMT, s.root, STR_ARG(path));
	has_own = module_try(&s, false, &own);
	if (has_own && s.id->len == 0)
		s.id = &own.build_id;
	if (has_own) {
		memcpy(debuglink, own.debuglink, sizeof(debuglink));
		s.runtime = &own;
	}
	if (has_own && own.has_symtab) {
		module_add_all(table, &own.table);
	} else if (module_try_candidates(&s, path, places, debuglink, &found)) {
		/* the PLT is in the file that ran, not in the one with the symbols */
		module_add_all(table, &found.table);
		if (has_own && found.has_symtab)
			module_add_all(table, &own.table);
		elf_symbols_fini(&found);
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
