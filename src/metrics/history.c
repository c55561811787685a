/* SPDX-License-Identifier: MIT */
/* history.c - age of functions and frequency of their changes, through libgit2 */
#include "metrics/history.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/git_library.h"

#if HAVE_LIBGIT2

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* maximum number of different authors that are counted per function */
#define HISTORY_AUTHORS 256u
#define SECONDS_A_DAY   86400.0

/*
 * A function's lines in the version of the file that is being visited, and sums over all newer
 * versions. Versions are visited from the newest to the oldest.
 */
struct history_range {
	uint32_t function;
	uint32_t from; /* first line, counted from 1; 0: the function is not in this version */
	uint32_t to;
	uint32_t commits;
	uint64_t churn;
	uint32_t fixes;
	/* time of the newest change, seconds since 1970; 0: no change found yet */
	int64_t newest;
	int64_t oldest;
	VEC(uint64_t) authors; /* hashes of the authors' mail addresses, without duplicates */
	/*
	 * a hunk of the current difference changes the function, so the commit was already counted
	 */
	bool is_touched;
};

struct history {
	git_repository *repo;
	struct risk_tree *t;
	const struct history_options *options;
	VEC(struct history_range) ranges; /* one per function of the current file */
	/*
	 * counts[i]: how often the name of the function ranges[i] occurs in the newer of the two
	 * compared versions of the file; only for compat metric c4
	 */
	VEC(double) counts;
	/* commit of the newer of the two versions that are being compared */
	const git_commit *commit;
	bool is_fix;
	bool is_cut; /* some versions of the file are missing or unreadable */
	uint64_t author;
};

/*
 * Whether the commit is a fix. Its message has a line "Fixes: ", or its subject has a word that
 * begins with "fix", except "fixed" and "fixture".
 */
static bool history_is_fix(const git_commit *commit)
{
	struct str message = str_of(GIT(commit_message)(commit));
	struct str subject = str_sub(message, 0, str_find_char(message, '\n'));

	if (str_contains(message, STR("\nFixes: ")))
		return true;
	for (size_t i = 0; i + 3 <= subject.len; i++) {
		bool is_start = i == 0 || !((subject.p[i - 1] | 0x20) >= 'a' &&
					    (subject.p[i - 1] | 0x20) <= 'z');

		if (is_start && str_starts_nocase(str_skip(subject, i), STR("fix")) &&
		    !str_starts_nocase(str_skip(subject, i), STR("fixed ")) &&
		    !str_starts_nocase(str_skip(subject, i), STR("fixture")))
			return true;
	}
	return false;
}

static void history_touch(struct history *h, struct history_range *r)
{
	int64_t when = GIT(commit_time)(h->commit);

	if (!r->is_touched) {
		r->is_touched = true;
		r->commits++;
		r->fixes += h->is_fix;
	}
	if (!r->newest)
		r->newest = when;
	r->oldest = when;
	for (size_t i = 0; i < r->authors.len; i++) {
		if (r->authors.data[i] == h->author)
			return;
	}
	if (r->authors.len < HISTORY_AUTHORS)
		*VEC_PUSH(&r->authors) = h->author;
}

/*
 * Count the hunk for each function in h->ranges that it changes. The hunk replaces lines
 * [old_start, old_start + old_lines) of the older version by lines [new_start, new_start +
 * new_lines) of the newer version, without context lines. At this time, the lines in h->ranges are
 * those of the newer version.
 */
static void history_hunk(struct history *h, const git_diff_hunk *hunk)
{
	/* if a hunk only removes lines, git sets new_start to the line before the hunk */
	int64_t new_from = hunk->new_lines ? hunk->new_start : hunk->new_start + 1;
	int64_t new_to = new_from + hunk->new_lines; /* exclusive end */

	VEC_FOREACH (r, &h->ranges) {
		int64_t from = r->from;
		int64_t to = (int64_t)r->to + 1;
		bool is_inside;

		if (!r->from)
			continue;
		/*
		 * the hunk changes the function if it adds lines to it or, when it only removes
		 * lines, if these were between two lines of the function
		 */
		is_inside = hunk->new_lines ? new_from < to && new_to > from
					    : new_from > from && new_from < to;
		if (is_inside) {
			int64_t a = new_from > from ? new_from : from;
			int64_t b = new_to < to ? new_to : to;

			history_touch(h, r);
			int64_t added = b > a ? b - a : 0;
			int64_t removed = hunk->old_lines;

			/*
			 * a part of the hunk is outside of the function, so not all removed lines
			 * were lines of the function: count at most as many removed lines as lines
			 * were added to the function
			 */
			if ((new_from < from || new_to > to) && removed > added)
				removed = added;
			r->churn += (uint64_t)(added + removed);
		}
	}
}

/*
 * The hunks of one difference. They map lines of the newer version to lines of the older version.
 */
struct history_map {
	VEC(git_diff_hunk) hunks;
};

static int history_keep_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *arg)
{
	struct history_map *map = arg;

	(void)delta;
	*VEC_PUSH(&map->hunks) = *hunk;
	return 0;
}

/*
 * Map @line of the newer version to a line of the older version. @is_end: @line is the last line of
 * a range, otherwise it is the first line. If a hunk added or changed @line, return the last line
 * (@is_end) or the first line of the hunk in the older version.
 */
static int64_t history_map_line(const struct history_map *map, int64_t line, bool is_end)
{
	int64_t shift = 0;

	VEC_FOREACH (hunk, &map->hunks) {
		int64_t new_from = hunk->new_lines ? hunk->new_start : hunk->new_start + 1;
		int64_t old_from = hunk->old_lines ? hunk->old_start : hunk->old_start + 1;

		if (line < new_from)
			break;
		if (line < new_from + hunk->new_lines)
			return is_end ? old_from + hunk->old_lines - 1 : old_from;
		shift = old_from + hunk->old_lines - (new_from + hunk->new_lines);
	}
	return line + shift;
}

static void history_move(struct history *h, const struct history_map *map)
{
	VEC_FOREACH (r, &h->ranges) {
		int64_t from;
		int64_t to;

		r->is_touched = false;
		if (!r->from)
			continue;
		from = history_map_line(map, r->from, false);
		to = history_map_line(map, r->to, true);
		/*
		 * the older version has no line of the function: the newer commit added the
		 * function
		 */
		if (to < from || from < 1) {
			r->from = 0;
			continue;
		}
		r->from = (uint32_t)from;
		r->to = (uint32_t)to;
	}
}

static double history_count(git_blob *blob, struct str name)
{
	struct str text = { blob ? GIT(blob_rawcontent)(blob) : "",
			    blob ? (size_t)GIT(blob_rawsize)(blob) : 0 };
	double n = 0;

	for (;;) {
		size_t at = str_find(text, name);

		if (at >= text.len)
			return n;
		n++;
		text = str_skip(text, at + name.len);
	}
}

/*
 * Compute compat metric c4, as `git log -S` does. For each function, set `newest` to the time of
 * the newest commit that changed the number of occurrences of its name in the file.
 */
static void history_mentions(struct history *h, git_blob *newer, git_blob *older)
{
	bool is_first = h->counts.len == 0;

	for (size_t i = 0; i < h->ranges.len; i++) {
		struct history_range *r = &h->ranges.data[i];
		struct str name = h->t->functions.data[r->function].name;
		double before;

		if (is_first)
			*VEC_PUSH(&h->counts) = history_count(newer, name);
		if (r->newest)
			continue;
		before = history_count(older, name);
		if (before != h->counts.data[i])
			r->newest = GIT(commit_time)(h->commit);
		h->counts.data[i] = before;
	}
}

static void history_difference(struct history *h, git_blob *newer, git_blob *older)
{
	git_diff_options options = GIT_DIFF_OPTIONS_INIT;
	struct history_map map = { .hunks = VEC_INIT };

	if (h->options->has_compat) {
		history_mentions(h, newer, older);
		return;
	}
	options.context_lines = 0;
	options.interhunk_lines = 0;
	if (GIT(diff_blobs)(older, NULL, newer, NULL, &options, NULL, NULL, history_keep_hunk, NULL,
			    &map) == 0) {
		VEC_FOREACH (hunk, &map.hunks)
			history_hunk(h, hunk);
		history_move(h, &map);
	} else {
		h->is_cut = true;
	}
	VEC_FREE(&map.hunks);
}

static bool history_entry(struct history *h, const git_commit *commit, const char *path,
			  git_oid *ret)
{
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	int r = GIT(commit_tree)(&tree, commit);
	bool has;

	if (r < 0)
		h->is_cut = true;
	else
		r = GIT(tree_entry_bypath)(&entry, tree, path);
	/* only GIT_ENOTFOUND shows that the file is absent; after other errors, it may exist */
	h->is_cut |= r < 0 && r != GIT_ENOTFOUND;
	has = r == 0 && GIT(tree_entry_type)(entry) == GIT_OBJECT_BLOB;
	if (has)
		GIT(oid_cpy)(ret, GIT(tree_entry_id)(entry));
	GIT(tree_entry_free)(entry);
	GIT(tree_free)(tree);
	return has;
}

static bool history_is_done(const struct history *h)
{
	VEC_FOREACH (r, &h->ranges) {
		if (h->options->has_compat ? !r->newest : r->from != 0)
			return false;
	}
	return true;
}

static void history_step(struct history *h, git_commit *commit, const git_oid *newer,
			 const git_oid *older)
{
	git_blob *new_blob = NULL;
	git_blob *old_blob = NULL;

	h->commit = commit;
	h->is_fix = history_is_fix(commit);
	h->author = hash_str(str_of(GIT(commit_author)(commit)->email));
	if (GIT(blob_lookup)(&new_blob, h->repo, newer) == 0 &&
	    (!older || GIT(blob_lookup)(&old_blob, h->repo, older) == 0))
		history_difference(h, new_blob, old_blob);
	else
		h->is_cut = true;
	GIT(blob_free)(new_blob);
	GIT(blob_free)(old_blob);
}

/*
 * Return the parent of @commit that is visited next: a parent that has the same version of the file
 * as @commit or, if there is none, the first parent. @here: version of the file in @commit.
 * *@ret_has: the returned parent has the file. *@ret_oid: version of the file in the returned
 * parent. *@ret_is_same: this version is @here.
 */
static git_commit *history_parent(struct history *h, git_commit *commit, const char *path,
				  const git_oid *here, git_oid *ret_oid, bool *ret_has,
				  bool *ret_is_same)
{
	unsigned int n = GIT(commit_parentcount)(commit);
	git_commit *first = NULL;

	*ret_has = false;
	*ret_is_same = false;
	for (unsigned int i = 0; i < n; i++) {
		git_commit *parent = NULL;
		git_oid oid;
		bool has;

		if (GIT(commit_parent)(&parent, commit, i) < 0) {
			h->is_cut = true;
			continue;
		}
		has = history_entry(h, parent, path, &oid);
		if (has && GIT(oid_equal)(&oid, here)) {
			GIT(commit_free)(first);
			*ret_oid = oid;
			*ret_has = *ret_is_same = true;
			return parent;
		}
		if (first) {
			GIT(commit_free)(parent);
			continue;
		}
		first = parent;
		*ret_has = has;
		if (has)
			*ret_oid = oid;
	}
	return first;
}

static bool history_walk(struct history *h, const char *path)
{
	git_reference *head = NULL;
	git_object *object = NULL;
	git_commit *commit = NULL;
	git_oid oid;
	bool has = false;

	if (GIT(repository_head)(&head, h->repo) == 0 &&
	    GIT(reference_peel)(&object, head, GIT_OBJECT_COMMIT) == 0)
		(void)GIT(commit_lookup)(&commit, h->repo, GIT(object_id)(object));
	GIT(object_free)(object);
	GIT(reference_free)(head);
	if (commit)
		has = history_entry(h, commit, path, &oid);
	for (bool goes_on = has; goes_on && commit && !history_is_done(h);) {
		git_oid older;
		bool has_older;
		bool is_same;
		git_commit *parent =
			history_parent(h, commit, path, &oid, &older, &has_older, &is_same);

		if (!is_same)
			history_step(h, commit, &oid, has_older ? &older : NULL);
		goes_on = has_older;
		GIT(commit_free)(commit);
		commit = parent;
		oid = older;
	}
	GIT(commit_free)(commit);
	return has;
}

static void history_take(struct history *h, int64_t now)
{
	VEC_FOREACH (r, &h->ranges) {
		struct risk_function *f = &h->t->functions.data[r->function];
		double newest = floor((double)(now - r->newest) / SECONDS_A_DAY);

		if (r->newest && h->options->has_compat) {
			f->c[4] = newest;
		} else if (r->newest) {
			f->m[RM_LAST_CHANGE] = newest;
			f->m[RM_AGE] = floor((double)(now - r->oldest) / SECONDS_A_DAY);
			f->m[RM_COMMITS] = r->commits;
			f->m[RM_CHURN] = (double)r->churn;
			f->m[RM_AUTHORS] = (double)r->authors.len;
			f->m[RM_FIXES] = r->fixes;
		}
		VEC_FREE(&r->authors);
	}
	h->ranges.len = 0;
	h->counts.len = 0;
}

/*
 * Open the git repository that contains @path. @ret_inside: path relative to the root of the
 * repository. Returns false if there is no repository.
 */
static bool history_open(struct history *h, const char *path, char *ret_inside)
{
	char real[PATH_MAX];
	git_buf found = { 0 };
	char top[PATH_MAX];
	const char *work;
	bool is_same;

	if (!realpath(path, real) || GIT(repository_discover)(&found, real, 0, NULL) < 0)
		return false;
	is_same = h->repo && strcmp(GIT(repository_path)(h->repo), found.ptr) == 0;
	if (!is_same) {
		GIT(repository_free)(h->repo);
		h->repo = NULL;
		is_same = GIT(repository_open)(&h->repo, found.ptr) == 0;
	}
	GIT(buf_dispose)(&found);
	work = is_same ? GIT(repository_workdir)(h->repo) : NULL;
	if (!work || !realpath(work, top) || strncmp(real, top, strlen(top)) != 0)
		return false;
	memmove(ret_inside, real + strlen(top) + (real[strlen(top)] == '/'),
		strlen(real) - strlen(top) + 1 - (real[strlen(top)] == '/'));
	return true;
}

/*
 * Measure the functions of the file @path. @inside: buffer for its path in the repository. Returns
 * false if the file is not in a repository. Ends the process if libgit2 runs out of memory.
 */
static bool history_file(struct history *h, const char *path, char *inside)
{
	const git_error *why;
	bool is_good;

	h->is_cut = false;
	GIT(error_clear)();
	alloc_watch();
	is_good = history_open(h, path, inside) && history_walk(h, inside);
	why = GIT(error_last)();
	if (why && why->klass == GIT_ERROR_NOMEMORY)
		errno = ENOMEM;
	alloc_watched();
	return is_good;
}

int history_measure(struct risk_tree *t, const struct history_options *options,
		    uint32_t *ret_files_without, uint32_t *ret_files_cut, struct error *err)
{
	struct history h = { .t = t, .options = options };
	int64_t now = options->now ? options->now : (int64_t)time(NULL);
	uint32_t row = 0;
	uint32_t without = 0;
	uint32_t cut = 0;
	char inside[PATH_MAX];
	int r = git_library_load(err);

	*ret_files_cut = 0;
	*ret_files_without = (uint32_t)t->files.len;
	if (r < 0)
		return r;
	GIT(libgit2_init)();
	for (uint32_t i = 0; i < t->files.len; i++) {
		uint32_t end = row + t->files.data[i].n_functions;

		for (; row < end; row++) {
			const struct risk_function *f = &t->functions.data[row];

			if (!options->has_compat || f->has_compat)
				*VEC_PUSH(&h.ranges) = (struct history_range){ .function = row,
									       .from = f->head_line,
									       .to = f->last_line };
		}
		if (!history_file(&h, t->files.data[i].path.p, inside))
			without++;
		else
			cut += h.is_cut;
		history_take(&h, now);
	}
	GIT(repository_free)(h.repo);
	GIT(libgit2_shutdown)();
	VEC_FREE(&h.ranges);
	VEC_FREE(&h.counts);
	*ret_files_without = without;
	*ret_files_cut = cut;
	if (without == t->files.len)
		return fail(err, ERR_NOTFOUND, "none of the files is in a git history");
	return OK;
}

#else

int history_measure(struct risk_tree *t, const struct history_options *options,
		    uint32_t *ret_files_without, uint32_t *ret_files_cut, struct error *err)
{
	(void)options;
	*ret_files_cut = 0;
	*ret_files_without = (uint32_t)t->files.len;
	return git_library_load(err);
}

#endif
