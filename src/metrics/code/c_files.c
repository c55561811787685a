/* SPDX-License-Identifier: MIT */
/* c_files.c - find C files in folders */
#include "metrics/code/c_files.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "metrics/code/c_language.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <unistd.h>

static int c_files_by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool c_files_is_c(const FTSENT *e)
{
	struct str name = { e->fts_name, e->fts_namelen };

	return str_ends(name, STR(".c")) || str_ends(name, STR(".h"));
}

static int c_files_walk(struct c_file_list *l, FTS *walk, struct error *err)
{
	const FTSENT *e;

	while ((errno = 0, e = fts_read(walk)) != NULL) {
		switch (e->fts_info) {
		case FTS_D:
			if (e->fts_level > 0 && e->fts_name[0] == '.')
				fts_set(walk, (FTSENT *)(uintptr_t)e, FTS_SKIP);
			break;
		case FTS_SL:
		case FTS_SLNONE:
			l->skipped_links++;
			break;
		case FTS_DNR:
		case FTS_ERR:
		case FTS_NS:
			l->unreadable++;
			break;
		case FTS_F:
			if (c_language_is_cxx_name(str_of(e->fts_name))) {
				l->skipped_cxx++;
				break;
			}
			if (e->fts_level > 0 && !c_files_is_c(e))
				break;
			if (l->paths.len >= LIMIT_SOURCE_FILES)
				return fail(err, ERR_LIMIT, "more than %u files",
					    LIMIT_SOURCE_FILES);
			*VEC_PUSH(&l->paths) =
				arena_str(&l->arena, (struct str){ e->fts_path, e->fts_pathlen });
			break;
		default:
			break;
		}
	}
	return errno ? fail(err, ERR_IO, "the folder cannot be read whole: %s", strerror(errno))
		     : OK;
}

int c_file_list_add(struct c_file_list *l, const char *path, struct error *err)
{
	char *paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *walk;
	int r;

	if (access(path, R_OK) != 0)
		return fail(err, ERR_IO, "%s: %s", path, strerror(errno));
	walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, c_files_by_name);
	if (!walk)
		return fail(err, ERR_IO, "%s: %s", path, strerror(errno));
	r = c_files_walk(l, walk, err);
	fts_close(walk);
	return r;
}

void c_file_list_fini(struct c_file_list *l)
{
	VEC_FREE(&l->paths);
	arena_fini(&l->arena);
}
