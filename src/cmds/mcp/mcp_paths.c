/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_paths.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATHS_NAMED 8u /* maximum number of file names in an error message */

int mcp_paths_add(struct mcp_paths *p, const char *dir, struct error *err)
{
	char *root = realpath(dir, NULL);
	struct stat st;

	if (!root)
		return fail(err, ERR_NOTFOUND, "%s", strerror(errno));
	if (stat(root, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(root);
		return fail(err, ERR_USAGE, "no directory");
	}
	*VEC_PUSH(&p->roots) = root;
	return OK;
}

void mcp_paths_fini(struct mcp_paths *p)
{
	VEC_FOREACH (root, &p->roots)
		free(*root);
	VEC_FREE(&p->roots);
}

/* The part of @path below the directory @root; NULL: @path is not inside @root. */
static const char *paths_below(const char *root, const char *path)
{
	size_t n = strlen(root);

	if (strcmp(root, "/") == 0)
		return path + 1;
	return strncmp(root, path, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/*
 * Whether @path, with its symbolic links resolved, is a regular file inside a directory of the
 * server. *@ret_root: index of that directory; *@ret: path relative to it.
 */
static bool paths_try(const struct mcp_paths *p, const char *path, char **ret, size_t *ret_root)
{
	CLEANUP(freep) char *real = realpath(path, NULL);
	struct stat st;

	if (!real || stat(real, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	for (size_t i = 0; i < p->roots.len; i++) {
		const char *below = paths_below(p->roots.data[i], real);

		if (!below)
			continue;
		*ret_root = i;
		/* a path that begins with '-' would be taken for an option: prepend "./" */
		*ret = xmalloc(strlen(below) + 3);
		(void)sprintf(*ret, "%s%s", *below == '-' ? "./" : "", below);
		return true;
	}
	return false;
}

static int paths_is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Append names of files in the directories, for an error message. */
static void paths_list(const struct mcp_paths *p, struct out *out)
{
	unsigned int n = 0;

	VEC_FOREACH (root, &p->roots) {
		struct dirent **entries = NULL;
		int len = scandir(*root, &entries, paths_is_shown, alphasort);

		for (int i = 0; i < len; i++) {
			if (n++ < PATHS_NAMED)
				out_printf(out, "%s%s%s", n > 1 ? ", " : "", entries[i]->d_name,
					   entries[i]->d_type == DT_DIR ? "/" : "");
			free(entries[i]);
		}
		free(entries);
	}
	if (n > PATHS_NAMED)
		out_printf(out, " and %u more", n - PATHS_NAMED);
}

int mcp_paths_find(const struct mcp_paths *p, struct str path, char **ret, size_t *ret_root,
		   struct error *err)
{
	char name[PATH_MAX];
	struct out there = { .fd = -1 };
	int n;

	if (path.len == 0 || path.len >= PATH_MAX || memchr(path.p, '\0', path.len))
		return fail(err, ERR_USAGE, "a file name has 1 to %d bytes", PATH_MAX - 1);
	(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(path));
	if (name[0] == '/' && paths_try(p, name, ret, ret_root))
		return OK;
	for (size_t i = 0; i < p->roots.len && name[0] != '/'; i++) {
		n = snprintf(name, sizeof(name), "%s/" STR_FMT, p->roots.data[i], STR_ARG(path));
		if (n > 0 && (size_t)n < sizeof(name) && paths_try(p, name, ret, ret_root))
			return OK;
	}
	paths_list(p, &there);
	(void)fail(err, ERR_NOTFOUND,
		   "no regular file of this name is below the directories of this server. "
		   "They have: " STR_FMT,
		   STR_ARG(out_view(&there)));
	out_fini(&there);
	return ERR_NOTFOUND;
}
