/* SPDX-License-Identifier: MIT */
#include "cmds/run/confine_trees.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void confine_trees_push(struct confine_trees *t, const char *path)
{
	char real[PATH_MAX];

	if (realpath(path, real))
		*VEC_PUSH(&t->paths) = xmemdupz(real, strlen(real));
}

/* Whether @real, a path without symbolic links, is an allowed path or inside one. */
static bool trees_have(const struct confine_trees *t, const char *real)
{
	VEC_FOREACH (path, &t->paths) {
		size_t n = strlen(*path);

		if (n > 1 && strncmp(real, *path, n) == 0 && (real[n] == '/' || real[n] == '\0'))
			return true;
		if (n == 1) /* the allowed path is "/", which contains all paths */
			return true;
	}
	return false;
}

/*
 * Set @ret to @path without symbolic links. A relative @path starts at @folder. False: the path
 * does not exist.
 */
static bool trees_real(const char *folder, const char *path, char ret[PATH_MAX])
{
	char whole[2 * PATH_MAX + 2];

	(void)snprintf(whole, sizeof(whole), "%s/%s", path[0] == '/' ? "" : folder, path);
	return realpath(whole, ret) != NULL;
}

/*
 * Allow the path @real if @is_trusted, or if it is inside an allowed path. False: it is refused.
 * t->refused stores the first refused path.
 */
static bool trees_follow(struct confine_trees *t, const char *real, bool is_trusted)
{
	if (trees_have(t, real))
		return true;
	if (is_trusted) {
		confine_trees_push(t, real);
		return true;
	}
	if (!t->refused)
		t->refused = xmemdupz(real, strlen(real));
	return false;
}

/*
 * Whether git's folder @git_dir belongs to this user or root, and refers back to the work tree.
 * This means that its file "gitdir" contains the path @git, the ".git" file of the work tree.
 */
static bool trees_name_each_other(const char *git_dir, const char *git)
{
	char path[2 * PATH_MAX];
	char line[PATH_MAX];
	char back[PATH_MAX];
	char here[PATH_MAX];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/gitdir", git_dir);
	return stat(git_dir, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       files_first_line(path, line, sizeof(line)) && trees_real(git_dir, line, back) &&
	       realpath(git, here) && strcmp(back, here) == 0;
}

/*
 * Follow @git, the file ".git" of a linked work tree or a submodule. The file contains the path of
 * the folder with git's data.
 */
static void trees_git_file(struct confine_trees *t, const char *top, const char *git)
{
	static const char prefix[] = "gitdir: ";
	char line[PATH_MAX];
	char git_dir[PATH_MAX];
	char common[PATH_MAX];
	char path[2 * PATH_MAX];
	bool is_trusted;

	if (!files_first_line(git, line, sizeof(line)) ||
	    strncmp(line, prefix, strlen(prefix)) != 0 ||
	    !trees_real(top, line + strlen(prefix), git_dir))
		return;
	is_trusted = trees_name_each_other(git_dir, git);
	if (!trees_follow(t, git_dir, is_trusted))
		return;
	(void)snprintf(path, sizeof(path), "%s/commondir", git_dir);
	if (files_first_line(path, line, sizeof(line)) && trees_real(git_dir, line, common))
		(void)trees_follow(t, common, is_trusted);
}

/*
 * Allow the object stores that the allowed repositories share with others (git clone --shared), if
 * they are inside allowed paths.
 */
static void trees_alternate(struct confine_trees *t)
{
	for (size_t i = 0, n = t->paths.len; i < n; i++) {
		static const char *const lists[] = { "objects/info/alternates",
						     ".git/objects/info/alternates" };

		for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
			char list[PATH_MAX + 32];
			char line[PATH_MAX];
			char real[PATH_MAX];

			(void)snprintf(list, sizeof(list), "%s/%s", t->paths.data[i], lists[k]);
			if (files_first_line(list, line, sizeof(line)) && line[0] == '/' &&
			    trees_real("", line, real))
				(void)trees_follow(t, real, false);
		}
	}
}

/*
 * Whether git's data in a folder above @top may be read. @git: stat() of the folder ".git" there.
 * It must belong to this user, to root, or to the owner of @top. Otherwise, anyone could make a
 * folder /tmp/.git, and git would use it for all folders in /tmp.
 */
static bool trees_is_own(const char *top, const struct stat *git)
{
	struct stat st;

	return git->st_uid == 0 || git->st_uid == geteuid() ||
	       (stat(top, &st) == 0 && st.st_uid == git->st_uid);
}

void confine_trees_add(struct confine_trees *t, const char *path)
{
	static const char *const settings[] = { "/.gitconfig", "/.config/git" };
	const char *home = getenv("HOME");
	char named[PATH_MAX];
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
	(void)snprintf(named, sizeof(named), "%s", top);
	while (top[0]) {
		(void)snprintf(git, sizeof(git), "%s/.git", top);
		if (lstat(git, &st) == 0) {
			if (!trees_follow(t, top, trees_is_own(named, &st)))
				break;
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
	free(t->refused);
}
