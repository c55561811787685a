/* SPDX-License-Identifier: MIT */
/* risk_diff.c - `assay risk --diff REV`: how metrics of functions changed since a revision */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/command/args.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/risk/sources.h"
#include "cmds/run/session.h"
#include "cmds/show/show_risk.h"
#include "core/ids.h"
#include "metrics/code/c_files.h"
#include "metrics/code/c_metrics.h"
#include "metrics/history_changes.h"
#include "metrics/risk.h"
#include "render/view.h"

#include <math.h>
#include <stdlib.h>

enum diff_kind { DIFF_SAME, DIFF_CHANGED, DIFF_NEW, DIFF_GONE, DIFF_KINDS };

struct risk_diff {
	struct risk_args *a;
	struct history_changes changes;
	struct risk_tree before, after;
	/* indexed by function of `after`: the same function in `before`, or INDEX_NONE */
	uint32_t *before_of;
	/* indexed by function of `before`: the same function in `after`, or INDEX_NONE */
	uint32_t *after_of;
	size_t counts[DIFF_KINDS];
	size_t n_moved;
	VEC(uint16_t) metrics; /* metrics to print */
	struct arena keys;
};

struct diff_key {
	const struct risk_tree *t;
	/*
	 * `taken` is indexed by function of `t`: the match of this function in the other tree, or
	 * INDEX_NONE. `map` finds a function of `t` by its key; it contains only functions without
	 * a match
	 */
	const uint32_t *taken;
	struct idmap map;
	/*
	 * indexed by function: the next function with the same key, or UINT32_MAX. The key is the
	 * function's name and, with has_path, its file
	 */
	VEC(uint32_t) next;
	/* indexed by the first function with a key: the last function with this key */
	VEC(uint32_t) last;
	bool has_path;
};

static uint64_t diff_hash(const struct diff_key *k, const struct risk_tree *t, uint32_t row)
{
	const struct risk_function *f = &t->functions.data[row];
	uint32_t path = k->has_path ? str_hash32(t->files.data[f->file].path) : 0;

	return hash_u64(str_hash32(f->name), path);
}

static bool diff_is_alike(const struct diff_key *k, uint32_t row, const struct risk_tree *t,
			  uint32_t other)
{
	const struct risk_function *f = &k->t->functions.data[row];
	const struct risk_function *g = &t->functions.data[other];

	return str_eq(f->name, g->name) && (!k->has_path || str_eq(k->t->files.data[f->file].path,
								   t->files.data[g->file].path));
}

/*
 * The first function of k->t whose key equals that of the function @other of @t. UINT32_MAX: there
 * is none.
 */
static uint32_t diff_find(struct diff_key *k, const struct risk_tree *t, uint32_t other)
{
	struct idmap_probe p = idmap_first(&k->map, diff_hash(k, t, other));

	while (idmap_next(&k->map, &p)) {
		if (diff_is_alike(k, p.id, t, other))
			return p.id;
	}
	return UINT32_MAX;
}

static void diff_index(struct diff_key *k)
{
	for (uint32_t i = 0; i < k->t->functions.len; i++) {
		struct idmap_probe p;
		uint32_t first;

		*VEC_PUSH(&k->next) = UINT32_MAX;
		*VEC_PUSH(&k->last) = i;
		if (k->taken[i] != INDEX_NONE)
			continue;
		first = diff_find(k, k->t, i);
		if (first != UINT32_MAX) {
			k->next.data[k->last.data[first]] = i;
			k->last.data[first] = i;
			continue;
		}
		p = idmap_first(&k->map, diff_hash(k, k->t, i));
		idmap_insert(&k->map, &p, i);
	}
}

static void diff_key_fini(struct diff_key *k)
{
	idmap_fini(&k->map);
	VEC_FREE(&k->next);
	VEC_FREE(&k->last);
}

/*
 * Match functions within each file. If a file defines a name several times, the n-th definition in
 * `before` is matched to the n-th definition in `after`.
 */
static void diff_match_in_files(struct risk_diff *d)
{
	struct diff_key k = { .t = &d->before, .taken = d->after_of, .has_path = true };
	/*
	 * for each name in a file, the next definition in `before` to match; indexed by the first
	 * definition of the name in `before`
	 */
	CLEANUP(freep) uint32_t *at = NULL;

	diff_index(&k);
	at = xmalloc((d->before.functions.len + 1) * sizeof(*at));
	for (uint32_t i = 0; i < d->before.functions.len; i++)
		at[i] = i;
	for (uint32_t i = 0; i < d->after.functions.len; i++) {
		uint32_t first = diff_find(&k, &d->after, i);
		uint32_t row = first == UINT32_MAX ? UINT32_MAX : at[first];

		if (row == UINT32_MAX)
			continue;
		at[first] = k.next.data[row];
		d->before_of[i] = row;
		d->after_of[row] = i;
	}
	diff_key_fini(&k);
}

/*
 * Match functions that moved to another file. Two functions are matched if they are the only
 * unmatched functions of their trees with this name.
 */
static void diff_match_moved(struct risk_diff *d)
{
	struct diff_key gone = { .t = &d->before, .taken = d->after_of };
	struct diff_key come = { .t = &d->after, .taken = d->before_of };

	diff_index(&gone);
	diff_index(&come);
	for (uint32_t i = 0; i < d->after.functions.len; i++) {
		uint32_t row;

		if (d->before_of[i] != INDEX_NONE || diff_find(&come, &d->after, i) != i ||
		    come.next.data[i] != UINT32_MAX)
			continue;
		row = diff_find(&gone, &d->after, i);
		if (row == UINT32_MAX || gone.next.data[row] != UINT32_MAX)
			continue;
		d->before_of[i] = row;
		d->after_of[row] = i;
		d->n_moved++;
	}
	diff_key_fini(&gone);
	diff_key_fini(&come);
}

static bool diff_is_equal(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static enum diff_kind diff_kind(const struct risk_diff *d, uint32_t row)
{
	const struct risk_function *f = &d->after.functions.data[row];
	const struct risk_function *old;

	if (d->before_of[row] == INDEX_NONE)
		return DIFF_NEW;
	old = &d->before.functions.data[d->before_of[row]];
	for (unsigned int m = 0; m < C_METRIC_COUNT; m++) {
		if (!diff_is_equal(f->m[m], old->m[m]))
			return DIFF_CHANGED;
	}
	return DIFF_SAME;
}

static void diff_count(struct risk_diff *d)
{
	for (uint32_t i = 0; i < d->after.functions.len; i++)
		d->counts[diff_kind(d, i)]++;
	for (uint32_t i = 0; i < d->before.functions.len; i++)
		d->counts[DIFF_GONE] += d->after_of[i] == INDEX_NONE;
}

/*
 * Choose the metrics to compare. Metrics that depend on other files are left out: they would need
 * both versions of all sources.
 */
static int diff_metrics(struct risk_diff *d, struct error *err)
{
	VEC_FOREACH (limit, &d->a->limits) {
		if (limit->metric >= C_METRIC_COUNT)
			return fail(err, ERR_USAGE,
				    "--diff compares functions one by one and cannot gate on %s",
				    risk_metric_info(limit->metric)->title);
	}
	VEC_FOREACH (m, &d->a->columns) {
		if (*m < C_METRIC_COUNT)
			*VEC_PUSH(&d->metrics) = *m;
		else if (d->a->column_list)
			return fail(err, ERR_USAGE,
				    "--diff compares functions one by one and has no column %s",
				    risk_metric_info(*m)->title);
	}
	return OK;
}

static int diff_measure(struct risk_diff *d, struct error *err)
{
	char folder[4096];
	const struct risk_options options = {
		.n_threads = (unsigned int)d->a->threads,
		.cache = sources_cache(d->a->session.sources.has_cache, folder, sizeof(folder)),
	};
	struct args_list *inputs = &d->a->session.in.paths;
	struct c_file_list files = { .paths = VEC_INIT };
	int r = OK;

	for (size_t i = 0; r == OK && i < inputs->items.len; i++)
		r = c_file_list_add(&files, inputs->items.data[i], err);
	if (r == OK)
		r = history_changes_find(&files, (char *const *)(uintptr_t)inputs->items.data,
					 inputs->items.len, d->a->revision, &d->changes, err);
	/* pass 0 instead of the number of unreadable files: the page itself reports this number */
	sources_report_unread(&files, 0);
	c_file_list_fini(&files);
	if (r == OK)
		r = risk_measure(&d->changes.after, &options, &d->after, err);
	if (r == OK)
		r = risk_measure_texts(d->changes.paths.data, d->changes.texts.data,
				       (uint32_t)d->changes.paths.len, &options, &d->before, err);
	if (r < 0)
		return r;
	d->before_of = xmalloc((d->after.functions.len + 1) * sizeof(*d->before_of));
	d->after_of = xmalloc((d->before.functions.len + 1) * sizeof(*d->after_of));
	for (size_t i = 0; i < d->after.functions.len; i++)
		d->before_of[i] = INDEX_NONE;
	for (size_t i = 0; i < d->before.functions.len; i++)
		d->after_of[i] = INDEX_NONE;
	diff_match_in_files(d);
	diff_match_moved(d);
	diff_count(d);
	return OK;
}

static struct cell diff_value(double v)
{
	return isnan(v) ? cell_none() : cell_real(v, v == floor(v) ? 0 : 1);
}

/* Format an old and a new value: "9 -> 12"; "9" if they are equal. */
static struct cell diff_text(struct risk_diff *d, const double *old, const double *now)
{
	struct out text = { .fd = -1 };
	struct cell cell;

	if (old && now && diff_is_equal(*old, *now)) {
		out_printf(&text, isnan(*now) ? "-" : "%.4g", *now);
	} else {
		if (old && !isnan(*old))
			out_printf(&text, "%.4g ", *old);
		if (old && now)
			out_z(&text, "-> ");
		if (now && !isnan(*now))
			out_printf(&text, "%.4g", *now);
	}
	cell = cell_text(arena_str(&d->keys, str_trim(out_view(&text))));
	out_fini(&text);
	return cell;
}

static void diff_row(struct risk_diff *d, struct view *v, const struct risk_function *old,
		     const struct risk_function *now)
{
	struct cell cells[6 + 3 * RISK_METRIC_COUNT];
	const struct risk_function *f = now ? now : old;
	const struct risk_tree *t = now ? &d->after : &d->before;
	struct str path = t->files.data[f->file].path;
	struct str old_path = old ? d->before.files.data[old->file].path : STR_NONE;
	struct out place = { .fd = -1 };
	unsigned int n = 0;

	out_str(&place, path);
	out_printf(&place, ":%u", f->line);
	cells[n++] = cell_word(!old ? "new" : !now ? "gone" : "changed");
	cells[n++] = cell_text(f->name);
	cells[n++] = cell_text(arena_str(&d->keys, out_view(&place)));
	cells[n++] = cell_text(path);
	cells[n++] = cell_line(f->line);
	cells[n++] = old && now && !str_eq(path, old_path) ? cell_text(old_path) : cell_none();
	VEC_FOREACH (m, &d->metrics) {
		cells[n++] = diff_text(d, old ? &old->m[*m] : NULL, now ? &now->m[*m] : NULL);
		cells[n++] = old ? diff_value(old->m[*m]) : cell_none();
		cells[n++] = now ? diff_value(now->m[*m]) : cell_none();
	}
	view_row(v, cells);
	out_fini(&place);
}

/* Make a key for JSON from a metric's title: "unchecked_copies_before". */
static const char *diff_name(struct risk_diff *d, const char *title, const char *suffix)
{
	struct out text = { .fd = -1 };
	struct str s;

	for (const char *c = title; *c; c++)
		out_char(&text, *c == '-' ? '_' : *c);
	out_z(&text, suffix);
	s = arena_str(&d->keys, out_view(&text));
	out_fini(&text);
	return s.p;
}

static void diff_table(struct risk_diff *d, struct view *v)
{
	struct view_column columns[6 + 3 * RISK_METRIC_COUNT] = {
		{ "change", "Change", 0 },
		{ "name", "Function", COLUMN_FLEX },
		{ NULL, "Place", COLUMN_FLEX },
		{ "file", NULL, 0 },
		{ "line", NULL, 0 },
		{ "moved_from", "Was in", COLUMN_FLEX },
	};
	struct view_table table = {
		.key = "functions", .columns = columns, .n_columns = 6, .is_main = true
	};

	if (!d->n_moved)
		columns[5].title = NULL;
	VEC_FOREACH (m, &d->metrics) {
		const char *title = risk_metric_info(*m)->title;

		columns[table.n_columns++] = (struct view_column){ NULL, title, COLUMN_RIGHT };
		columns[table.n_columns++] =
			(struct view_column){ diff_name(d, title, "_before"), NULL, 0 };
		columns[table.n_columns++] =
			(struct view_column){ diff_name(d, title, "_after"), NULL, 0 };
	}
	view_table(v, &table);
	for (uint32_t i = 0; i < d->after.functions.len; i++) {
		uint32_t old = d->before_of[i];

		if (diff_kind(d, i) != DIFF_SAME ||
		    (old != INDEX_NONE &&
		     !str_eq(d->after.files.data[d->after.functions.data[i].file].path,
			     d->before.files.data[d->before.functions.data[old].file].path)))
			diff_row(d, v, old == INDEX_NONE ? NULL : &d->before.functions.data[old],
				 &d->after.functions.data[i]);
	}
	for (uint32_t i = 0; i < d->before.functions.len; i++) {
		if (d->after_of[i] == INDEX_NONE)
			diff_row(d, v, &d->before.functions.data[i], NULL);
	}
	view_table_end(v);
}

static uint32_t diff_unread(const struct risk_tree *t)
{
	return t->n_binary + t->n_unreadable + t->n_cut;
}

static int diff_show(struct risk_diff *d)
{
	CLEANUP(view_freep) struct view *v = session_view(&d->a->session);
	struct error err = { "" };
	uint32_t n_unread = diff_unread(&d->before) + diff_unread(&d->after);

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-risk-diff-1");
	view_field(v, "revision", NULL, cell_text(str_of(d->a->revision)));
	view_field(v, "files_before", NULL, cell_count(d->changes.paths.len));
	view_field(v, "files_after", NULL, cell_count(d->changes.after.paths.len));
	view_field(v, "files_same", NULL, cell_count(d->changes.n_same));
	view_field(v, "new", NULL, cell_count(d->counts[DIFF_NEW]));
	view_field(v, "gone", NULL, cell_count(d->counts[DIFF_GONE]));
	view_field(v, "changed", NULL, cell_count(d->counts[DIFF_CHANGED]));
	view_field(v, "same", NULL, cell_count(d->counts[DIFF_SAME]));
	view_field(v, "moved", NULL, cell_count(d->n_moved));
	view_field(v, "files_unread", NULL, cell_count(n_unread));
	view_line(v, "Since", "%s: %zu functions new, %zu gone, %zu with other metrics",
		  d->a->revision, d->counts[DIFF_NEW], d->counts[DIFF_GONE],
		  d->counts[DIFF_CHANGED]);
	view_line(v, "Sources",
		  "%zu files differ or are new, %u are as they were; of the files that differ, "
		  "%zu functions have the same metrics",
		  d->changes.after.paths.len, d->changes.n_same, d->counts[DIFF_SAME]);
	if (n_unread)
		view_line(v, NULL, "%u files are binary, could not be read or were cut", n_unread);
	if (d->counts[DIFF_NEW] + d->counts[DIFF_GONE] + d->counts[DIFF_CHANGED] + d->n_moved ||
	    d->a->session.to.is_json || d->a->session.to.is_csv)
		diff_table(d, v);
	return view_end(v, &err) < 0 ? EXIT_FAILED : EXIT_DONE;
}

int risk_diff(struct risk_args *a)
{
	struct risk_diff d = { .a = a };
	struct error err = { "" };
	int r = diff_metrics(&d, &err);
	int status;

	if (r == OK)
		r = diff_measure(&d, &err);
	if (r < 0) {
		complain(NULL, "%s", err.msg);
		status = r == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	} else if (a->limits.len) {
		status = show_risk_gates(a, &d.after, &d.before, d.before_of);
	} else {
		status = diff_show(&d);
	}
	history_changes_fini(&d.changes);
	risk_tree_fini(&d.before);
	risk_tree_fini(&d.after);
	free(d.before_of);
	free(d.after_of);
	VEC_FREE(&d.metrics);
	arena_fini(&d.keys);
	return status;
}
