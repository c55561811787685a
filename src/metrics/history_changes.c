/* SPDX-License-Identifier: MIT */
/* history_changes.c - the C files that differ from a revision, through libgit2 */
#include "metrics/history_changes.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/git_library.h"

void history_changes_fini(struct history_changes *c)
{
	c_file_list_fini(&c->after);
	VEC_FREE(&c->paths);
	VEC_FREE(&c->texts);
	arena_fini(&c->arena);
}

#if HAVE_LIBGIT2

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A path that the user gave, and its path relative to the repository. */
struct changes_root {
	struct str shown; /* path as the user gave it, without a trailing slash */
	/* path in the repository, without a trailing slash; "": the whole repository */
	struct str inside;
};

struct changes {
	struct history_changes *ret;
	git_repository *repo;
	git_tree *tree;
	char top[PATH_MAX];
	VEC(struct changes_root) roots;
	/* files on disk, as paths in the repository; sorted */
	VEC(struct str) seen;
};

/*
 * Convert @path to a path relative to the repository. @ret: the result, stored in the buffer @real.
 * Returns false if @path is outside of the repository.
 */
static bool changes_inside(const struct changes *c, const char *path, struct str *ret,
			   char real[PATH_MAX])
{
	size_t n = strlen(c->top);

	if (!realpath(path, real) || strncmp(real, c->top, n) != 0 ||
	    (n && c->top[n - 1] != '/' && real[n] && real[n] != '/'))
		return false;
	*ret = str_of(real + n);
	while (ret->len && ret->p[0] == '/')
		*ret = str_skip(*ret, 1);
	return true;
}

static int changes_open(struct changes *c, const char *path, const char *revision,
			struct error *err)
{
	git_buf found = { 0 };
	git_object *object = NULL;
	git_object *tree = NULL;
	char real[PATH_MAX];
	const char *work = NULL;

	if (realpath(path, real) && GIT(repository_discover)(&found, real, 0, NULL) == 0 &&
	    GIT(repository_open)(&c->repo, found.ptr) == 0)
		work = GIT(repository_workdir)(c->repo);
	GIT(buf_dispose)(&found);
	if (!work || !realpath(work, c->top))
		return fail(err, ERR_NOTFOUND, "%s is in no git repository", path);
	if (GIT(revparse_single)(&object, c->repo, revision) < 0 ||
	    GIT(object_peel)(&tree, object, GIT_OBJECT_TREE) < 0) {
		GIT(object_free)(object);
		return fail(err, ERR_USAGE, "its repository has no revision '%s'", revision);
	}
	GIT(object_free)(object);
	c->tree = (git_tree *)tree;
	return OK;
}

static int changes_roots(struct changes *c, char *const *inputs, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct changes_root root = { .shown = str_of(inputs[i]) };
		char real[PATH_MAX];

		if (!changes_inside(c, inputs[i], &root.inside, real))
			return fail(err, ERR_NOTFOUND, "%s and %s are not in the same repository",
				    inputs[0], inputs[i]);
		root.inside = arena_str(&c->ret->arena, root.inside);
		while (root.shown.len > 1 && root.shown.p[root.shown.len - 1] == '/')
			root.shown.len--;
		*VEC_PUSH(&c->roots) = root;
	}
	return OK;
}

static int changes_text(struct changes *c, struct str shown, const git_oid *oid)
{
	git_blob *blob = NULL;
	struct str text;
	uint64_t size;

	if (GIT(blob_lookup)(&blob, c->repo, oid) < 0)
		return ERR_IO;
	size = (uint64_t)GIT(blob_rawsize)(blob);
	/*
	 * copy at most one byte more than the limit; this byte makes the reader report that the
	 * text is too long
	 */
	if (size > LIMIT_SOURCE_BYTES + UINT64_C(1))
		size = LIMIT_SOURCE_BYTES + UINT64_C(1);
	text = (struct str){ GIT(blob_rawcontent)(blob), (size_t)size };
	*VEC_PUSH(&c->ret->paths) = arena_str(&c->ret->arena, shown);
	*VEC_PUSH(&c->ret->texts) = arena_str(&c->ret->arena, text);
	GIT(blob_free)(blob);
	return OK;
}

static int changes_file(struct changes *c, struct str path, struct error *err)
{
	git_tree_entry *entry = NULL;
	char real[PATH_MAX];
	struct str inside;
	git_oid oid;
	bool is_same = false;
	int r = OK;
	int found;

	if (!changes_inside(c, path.p, &inside, real))
		return fail(err, ERR_NOTFOUND, "%s is not in that repository", path.p);
	*VEC_PUSH(&c->seen) = arena_str(&c->ret->arena, inside);
	found = GIT(tree_entry_bypath)(&entry, c->tree, inside.p);
	/*
	 * only GIT_ENOTFOUND shows that the file is new; after other errors, the revision may have
	 * it
	 */
	if (found < 0 && found != GIT_ENOTFOUND)
		return fail(err, ERR_IO, "%s: its revision cannot be read", path.p);
	if (found == 0 && GIT(tree_entry_type)(entry) == GIT_OBJECT_BLOB) {
		is_same = GIT(odb_hashfile)(&oid, real, GIT_OBJECT_BLOB) == 0 &&
			  GIT(oid_equal)(&oid, GIT(tree_entry_id)(entry));
		if (!is_same)
			r = changes_text(c, path, GIT(tree_entry_id)(entry));
	}
	GIT(tree_entry_free)(entry);
	if (r < 0)
		return fail(err, r, "%s: its text in the revision cannot be read", path.p);
	c->ret->n_same += is_same;
	return is_same ? OK : c_file_list_add(&c->ret->after, path.p, err);
}

static int changes_by_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/*
 * Convert @inside, a path in the revision, to the path on disk. The result @ret begins with the
 * path that the user gave. Returns false if no path of the user contains @inside.
 */
static bool changes_shown(const struct changes *c, struct str inside, char ret[PATH_MAX])
{
	VEC_FOREACH (root, &c->roots) {
		struct str rest = str_skip(inside, root->inside.len);
		int n;

		if (!str_starts(inside, root->inside) ||
		    (root->inside.len && rest.len && rest.p[0] != '/'))
			continue;
		if (rest.len && rest.p[0] == '/')
			rest = str_skip(rest, 1);
		n = snprintf(ret, PATH_MAX, rest.len ? STR_FMT "/" STR_FMT : STR_FMT STR_FMT,
			     STR_ARG(root->shown), STR_ARG(rest));
		return n > 0 && n < PATH_MAX;
	}
	return false;
}

/*
 * Callback for each entry of the revision's tree. If a C file is missing on disk, add it as
 * removed.
 */
static int changes_entry(const char *folder, const git_tree_entry *entry, void *arg)
{
	struct changes *c = arg;
	struct str name = str_of(GIT(tree_entry_name)(entry));
	char inside[PATH_MAX];
	char shown[PATH_MAX];
	struct str key;
	int n;

	if (GIT(tree_entry_type)(entry) == GIT_OBJECT_TREE)
		return name.len && name.p[0] == '.'; /* returning 1 makes git skip this folder */
	if (GIT(tree_entry_type)(entry) != GIT_OBJECT_BLOB ||
	    GIT(tree_entry_filemode)(entry) == GIT_FILEMODE_LINK ||
	    (!str_ends(name, STR(".c")) && !str_ends(name, STR(".h"))))
		return 0;
	n = snprintf(inside, sizeof(inside), "%s%s", folder, name.p);
	if (n < 0 || n >= (int)sizeof(inside))
		return 0;
	key = str_of(inside);
	if (!changes_shown(c, key, shown) ||
	    (c->seen.len &&
	     bsearch(&key, c->seen.data, c->seen.len, sizeof(*c->seen.data), changes_by_name)))
		return 0;
	return changes_text(c, str_of(shown), GIT(tree_entry_id)(entry)) < 0 ? -1 : 0;
}

static int changes_all(struct changes *c, const struct c_file_list *files, struct error *err)
{
	VEC_FOREACH (path, &files->paths) {
		int r = changes_file(c, *path, err);

		if (r < 0)
			return r;
	}
	VEC_SORT(&c->seen, changes_by_name);
	if (GIT(tree_walk)(c->tree, GIT_TREEWALK_PRE, changes_entry, c) < 0)
		return fail(err, ERR_IO, "the revision cannot be read");
	return OK;
}

int history_changes_find(const struct c_file_list *files, char *const *inputs, size_t n_inputs,
			 const char *revision, struct history_changes *ret, struct error *err)
{
	struct changes *c;
	int r = git_library_load(err);

	*ret = (struct history_changes){ .n_same = 0 };
	if (r < 0)
		return r;
	c = xcalloc(1, sizeof(*c));
	c->ret = ret;
	GIT(libgit2_init)();
	r = changes_open(c, inputs[0], revision, err);
	if (r == OK)
		r = changes_roots(c, inputs, n_inputs, err);
	if (r == OK)
		r = changes_all(c, files, err);
	GIT(tree_free)(c->tree);
	GIT(repository_free)(c->repo);
	GIT(libgit2_shutdown)();
	VEC_FREE(&c->roots);
	VEC_FREE(&c->seen);
	free(c);
	return r;
}

#else

int history_changes_find(const struct c_file_list *files, char *const *inputs, size_t n_inputs,
			 const char *revision, struct history_changes *ret, struct error *err)
{
	(void)files;
	(void)inputs;
	(void)n_inputs;
	(void)revision;
	*ret = (struct history_changes){ .n_same = 0 };
	return git_library_load(err);
}

#endif
