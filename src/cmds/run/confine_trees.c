/* SPDX-License-Identifier: MIT */
#include "cmds/run/confine_trees.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void confine_trees_push(struct confine_trees *t, const char *path)
{
	*VEC_PUSH(&t->paths) = xmemdupz(path, strlen(path));
}

/* Read the first line of a small file, without @prefix; false: missing. */
static bool trees_line(const char *path, const char *prefix, char ret[PATH_MAX])
{
	FILE *f = fopen(path, "re");
	size_t skip = strlen(prefix);
	bool is_good;

	if (!f)
		return false;
	is_good = fgets(ret, PATH_MAX, f) && strncmp(ret, prefix, skip) == 0;
	(void)fclose(f);
	if (!is_good)
		return false;
	memmove(ret, ret + skip, strlen(ret + skip) + 1);
	ret[strcspn(ret, "\r\n")] = '\0';
	return ret[0] != '\0';
}

/* Add @path, which may be relative to @folder. */
static void trees_push_below(struct confine_trees *t, const char *folder, const char *path)
{
	char whole[2 * PATH_MAX + 2];

	(void)snprintf(whole, sizeof(whole), "%s/%s", path[0] == '/' ? "" : folder, path);
	confine_trees_push(t, whole);
}

/* Follow a ".git" file of a linked work tree or a submodule, which names a folder. */
static void trees_git_file(struct confine_trees *t, const char *top, const char *git)
{
	char path[PATH_MAX];
	char more[PATH_MAX + 16];
	char common[PATH_MAX];

	if (!trees_line(git, "gitdir: ", path))
		return;
	trees_push_below(t, top, path);
	(void)snprintf(more, sizeof(more), "%s/commondir", t->paths.data[t->paths.len - 1]);
	if (trees_line(more, "", common))
		trees_push_below(t, t->paths.data[t->paths.len - 1], common);
}

/* Add object stores that a clone shares with others. */
static void trees_alternate(struct confine_trees *t)
{
	for (size_t i = 0, n = t->paths.len; i < n; i++) {
		static const char *const lists[] = { "objects/info/alternates",
						     ".git/objects/info/alternates" };

		for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
			char list[PATH_MAX + 32];
			char path[PATH_MAX];

			(void)snprintf(list, sizeof(list), "%s/%s", t->paths.data[i], lists[k]);
			if (trees_line(list, "", path) && path[0] == '/')
				confine_trees_push(t, path);
		}
	}
}

void confine_trees_add(struct confine_trees *t, const char *path)
{
	static const char *const settings[] = { "/.gitconfig", "/.config/git" };
	const char *home = getenv("HOME");
	char top[PATH_MAX];
	char git[PATH_MAX + 8];
	struct stat st;

	confine_trees_push(t, path);
	confine_trees_push(t, "/etc/gitconfig");
	confine_trees_push(t, "/dev/null");
	for (size_t i = 0; home && i < ARRAY_LEN(settings); i++) {
		(void)snprintf(git, sizeof(git), "%s%s", home, settings[i]);
		confine_trees_push(t, git);
	}
	if (!realpath(path, top))
		return;
	while (top[0]) {
		(void)snprintf(git, sizeof(git), "%s/.git", top);
		if (lstat(git, &st) == 0) {
			confine_trees_push(t, top);
			if (S_ISREG(st.st_mode))
				trees_git_file(t, top, git);
			break;
		}
		*strrchr(top, '/') = '\0';
	}
	trees_alternate(t);
}

void confine_trees_fini(struct confine_trees *t)
{
	VEC_FOREACH (path, &t->paths)
		free(*path);
	VEC_FREE(&t->paths);
}
