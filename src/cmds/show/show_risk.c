/* SPDX-License-Identifier: MIT */
/*
 * show_risk.c - measured functions as tables, as warnings, or in the layout of an older tool
 * (--format seed)
 */
#include "cmds/show/show_risk.h"

#include "analyses/event_unit.h"
#include "analyses/hot_metrics.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "core/symbols.h"
#include "metrics/code/c_metrics.h"
#include "metrics/compat/compat.h"
#include "metrics/risk.h"
#include "metrics/risk_labels.h"
#include "render/escape.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOW_RISK_COLUMNS (RISK_METRIC_COUNT + 16u)

struct risk_order {
	double key;
	uint32_t rank;
	uint32_t row;
};

static int risk_order_compare(const void *a, const void *b)
{
	const struct risk_order *x = a;
	const struct risk_order *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? 1 : -1;
	/* qsort() is not stable: keep the order of functions that compare equal */
	return (x->row > y->row) - (x->row < y->row);
}

static double risk_key(const struct risk_args *a, const struct risk_tree *t, uint32_t row)
{
	double v = a->is_sorted_by_heat ? a->heat.cells.data[row].self
					: t->functions.data[row].m[a->sort];

	return isnan(v) ? -1 : v;
}

/* The rows to show, sorted. Owner: caller, free(). */
static struct risk_order *risk_rows(const struct risk_args *a, const struct risk_tree *t,
				    size_t *ret_n)
{
	struct risk_order *rows = xcalloc(t->functions.len + 1, sizeof(*rows));
	size_t n = 0;

	for (uint32_t i = 0; i < t->functions.len; i++) {
		const struct risk_function *f = &t->functions.data[i];

		if (a->is_compat && !f->has_compat)
			continue;
		if (a->function && !str_glob(str_of(a->function), f->name))
			continue;
		/* with --heat, omit functions that are not in the profile */
		if (a->heat_file && !a->function && isnan(a->heat.cells.data[i].self))
			continue;
		rows[n].key = a->is_compat ? 0 : risk_key(a, t, i);
		rows[n].rank = a->is_compat ? i : f->rank;
		rows[n++].row = i;
	}
	qsort(rows, n, sizeof(*rows), risk_order_compare);
	*ret_n = n;
	return rows;
}

static struct cell risk_number(double v)
{
	if (isnan(v))
		return cell_null();
	if (v == floor(v) && fabs(v) < 1e15)
		return cell_count((uint64_t)v);
	return cell_real(v, 1);
}

/*
 * Print the hottest of the risky functions. If several are equally hot, print the riskiest of them,
 * as hot_metrics_hottest_risky() does.
 */
static void show_risk_hottest(const struct risk_args *a, const struct risk_tree *t, struct view *v)
{
	const struct risk_function *best = NULL;
	const struct heat_cell *cell = NULL;
	struct event_unit unit;
	double most = 0;

	for (uint32_t i = 0; i < t->functions.len; i++) {
		const struct heat_cell *h = &a->heat.cells.data[i];
		uint32_t rank = t->functions.data[i].rank;

		if (hot_metrics_rank_is_risky(rank, t->functions.len) &&
		    (h->self > most || (best && h->self == most && rank < best->rank))) {
			most = h->self;
			best = &t->functions.data[i];
			cell = h;
		}
	}
	if (!best) {
		view_line(v, "Both", "none of the riskiest fifth of the functions is hot");
		return;
	}
	view_object(v, "hot_and_risky", NULL);
	view_field(v, "name", NULL, cell_text(best->name));
	view_field(v, "file", NULL, cell_text(t->files.data[best->file].path));
	view_field(v, "line", NULL, cell_count(best->line));
	view_field(v, "self", NULL, cell_real(cell->self, 2));
	view_field(v, "low", NULL, cell_real(cell->low, 3));
	view_field(v, "high", NULL, cell_real(cell->high, 3));
	view_field(v, "rank", NULL, cell_count(best->rank));
	view_object_end(v);
	unit = event_unit_of(a->session.dossier->captures.data[a->heat.capture]);
	view_line(v, "Both",
		  "of the riskiest fifth the hottest is " STR_FMT " (" STR_FMT
		  ":%u): %.2f %% of %s (%.2f to %.2f), rank %u of %zu by score",
		  STR_ARG(best->name), STR_ARG(t->files.data[best->file].path), best->line,
		  cell->self, unit.of, cell->low, cell->high, best->rank, t->functions.len);
}

static void show_risk_heat(const struct risk_args *a, const struct risk_tree *t, struct view *v)
{
	const struct symbols *symbols = &a->session.dossier->symbols;
	const struct event_unit unit =
		event_unit_of(a->session.dossier->captures.data[a->heat.capture]);
	size_t shown = 0;

	view_object(v, "heat", NULL);
	view_field(v, "file", NULL, cell_text(str_of(a->heat_file)));
	view_field(v, "matched_pct", NULL, cell_real(a->heat.matched, 2));
	view_field(v, "total_pct", NULL, cell_real(a->heat.total, 2));
	view_field(v, "matched_by_file_pct", NULL, cell_real(a->heat.matched_by_place, 2));
	view_field(v, "matched_functions", NULL, cell_count(a->heat.n_matched));
	view_field(v, "samples", NULL,
		   a->heat.n_samples ? cell_count(a->heat.n_samples) : cell_null());
	view_list(v, "unmatched");
	VEC_FOREACH (u, &a->heat.unmatched) {
		if (shown++ == 20)
			break;
		view_object(v, NULL, NULL);
		view_field(v, "symbol", NULL, cell_text(symbols_name(symbols, u->sym)));
		view_field(v, "module", NULL, cell_text(symbols_module(symbols, u->sym)));
		view_field(v, "self", NULL, cell_real(u->self, 2));
		view_object_end(v);
	}
	view_list_end(v);
	view_object_end(v);
	view_line(v, "Heat", "%.2f of %.2f %% of %s %s in %u functions of these sources%s",
		  a->heat.matched, a->heat.total, unit.of, unit.is_plural ? "are" : "is",
		  a->heat.n_matched,
		  a->heat.matched == 0                          ? ""
		  : a->heat.matched_by_place == a->heat.matched ? ", by name and file"
		  : a->heat.matched_by_place > 0
			  ? ", by name, where the profile says it by file too"
			  : ", by name");
	show_risk_hottest(a, t, v);
	shown = 0;
	VEC_FOREACH (u, &a->heat.unmatched) {
		struct str name = symbols_name(symbols, u->sym);
		struct str module = symbols_module(symbols, u->sym);

		if (shown++ == 3)
			break;
		view_line(v, shown == 1 ? "Not here" : NULL, "%.2f %% " STR_FMT "%s" STR_FMT "%s",
			  u->self, STR_ARG(name), module.len ? " [" : "", STR_ARG(module),
			  module.len ? "]" : "");
	}
}

static void show_risk_summary(const struct risk_args *a, const struct risk_tree *t, struct view *v)
{
	view_field(v, "files", NULL, cell_count(t->files.len));
	view_field(v, "bytes", NULL, cell_count(t->bytes));
	view_field(v, "function_count", NULL, cell_count(t->functions.len));
	view_field(v, "functions_with_errors", NULL, cell_count(t->n_errors));
	view_field(v, "functions_too_deep", NULL, cell_count(t->n_unmeasured));
	view_field(v, "binary_files", NULL, cell_count(t->n_binary));
	view_field(v, "unreadable_files", NULL, cell_count(t->n_unreadable));
	view_field(v, "cut_files", NULL, cell_count(t->n_cut));
	view_field(v, "cxx_files", NULL, cell_count(t->n_cxx));
	view_line(v, "Sources", "%zu functions in %zu file%s, %.1f %s", t->functions.len,
		  t->files.len, t->files.len == 1 ? "" : "s",
		  (double)t->bytes / (t->bytes < 1000000 ? 1e3 : 1e6),
		  t->bytes < 1000000 ? "kB" : "MB");
	if (t->n_cxx)
		view_line(v, NULL,
			  "%u C++ file%s left out, by name or what a *.h holds: this measures C",
			  t->n_cxx, t->n_cxx == 1 ? " is" : "s are");
	if (t->n_errors)
		view_line(v, NULL,
			  "%u functions hold text that does not parse alone (macros): counts "
			  "of tokens are whole, those of the syntax tree may miss some of it",
			  t->n_errors);
	if (t->n_unmeasured)
		view_line(v, NULL, "%u functions nest deeper than %u: not parsed", t->n_unmeasured,
			  LIMIT_SOURCE_NESTING);
	if (t->n_binary + t->n_unreadable + t->n_cut)
		view_line(v, NULL, "%u files are binary, %u cannot be read, %u are cut at %u MB",
			  t->n_binary, t->n_unreadable, t->n_cut, LIMIT_SOURCE_BYTES >> 20);
	if (t->is_compat_cut)
		view_line(v, NULL,
			  "recursion makes the call trees too large: c5 to c7 are lower "
			  "bounds");
	if (a->has_history && a->files_without_history)
		view_line(v, NULL, "%u files are in no git history", a->files_without_history);
	if (a->heat_file)
		show_risk_heat(a, t, v);
}

static const char *risk_entry_name(enum risk_entry e)
{
	static const char *const names[] = { "", "syscall", "exported", "table", "main" };

	return names[e];
}

struct risk_columns {
	struct view_column columns[SHOW_RISK_COLUMNS];
	/* keys of metrics in JSON: the title, with '_' instead of '-' */
	char keys[RISK_METRIC_COUNT][32];
	unsigned int n;
};

static const char *risk_json_key(struct risk_columns *c, unsigned int metric)
{
	char *key = c->keys[metric];

	(void)snprintf(key, sizeof(c->keys[0]), "%s", risk_metric_info(metric)->title);
	for (char *p = key; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return key;
}

static void risk_column(struct risk_columns *c, const char *key, const char *title,
			unsigned int flags)
{
	c->columns[c->n++] = (struct view_column){ key, title, flags };
}

static bool risk_is_shown(const struct risk_args *a, unsigned int metric)
{
	VEC_FOREACH (m, &a->columns) {
		if (*m == metric)
			return true;
	}
	return !a->is_sorted_by_heat && metric == a->sort;
}

static void risk_columns_init(const struct risk_args *a, struct risk_columns *c)
{
	c->n = 0;
	risk_column(c, "rank", "Rank", COLUMN_RIGHT);
	if (a->heat_file) {
		risk_column(c, "heat", "Heat %", COLUMN_HEAT);
		risk_column(c, "heat_low", NULL, 0);
		risk_column(c, "heat_high", NULL, 0);
		risk_column(c, "heat_shared_by", NULL, 0);
	}
	risk_column(c, "name", "Function", COLUMN_FLEX);
	risk_column(c, "file", NULL, 0);
	risk_column(c, "line", NULL, 0);
	risk_column(c, "head_line", NULL, 0);
	risk_column(c, "last_line", NULL, 0);
	risk_column(c, NULL, "Place", COLUMN_FLEX);
	risk_column(c, "macro", NULL, 0);
	risk_column(c, "entry", NULL, 0);
	/*
	 * First come the columns that the user requested, in the requested order. In JSON and CSV,
	 * all other metrics follow.
	 */
	VEC_FOREACH (m, &a->columns)
		risk_column(c, risk_json_key(c, *m), risk_metric_info(*m)->title,
			    COLUMN_RIGHT | (m > a->columns.data ? COLUMN_MINOR : 0u));
	for (unsigned int m = 0; m < RISK_METRIC_COUNT; m++) {
		bool is_chosen = false;

		VEC_FOREACH (chosen, &a->columns)
			is_chosen |= *chosen == m;
		if (!is_chosen)
			risk_column(c, risk_json_key(c, m),
				    risk_is_shown(a, m) ? risk_metric_info(m)->title : NULL,
				    COLUMN_RIGHT);
	}
}

static void risk_row(const struct risk_args *a, const struct risk_tree *t, uint32_t row,
		     struct view *v, struct arena *scratch)
{
	const struct risk_function *f = &t->functions.data[row];
	struct cell cells[SHOW_RISK_COLUMNS];
	char place[32];
	unsigned int n = 0;
	struct str path = t->files.data[f->file].path;
	struct str line;
	char *text;

	cells[n++] = cell_count(f->rank);
	if (a->heat_file) {
		const struct heat_cell *h = &a->heat.cells.data[row];

		cells[n++] = cell_real(h->self, 2);
		cells[n++] = cell_real(h->low, 3);
		cells[n++] = cell_real(h->high, 3);
		cells[n++] = cell_count(h->shared);
	}
	(void)snprintf(place, sizeof(place), ":%u", f->line);
	line = str_of(place);
	text = arena_alloc(scratch, path.len + line.len);
	memcpy(text, path.p, path.len);
	memcpy(text + path.len, line.p, line.len);
	cells[n++] = cell_text(f->name);
	cells[n++] = cell_text(path);
	cells[n++] = cell_count(f->line);
	cells[n++] = cell_count(f->head_line);
	cells[n++] = cell_count(f->last_line);
	cells[n++] = cell_text((struct str){ text, path.len + line.len });
	cells[n++] = f->macro.len ? cell_text(f->macro) : cell_none();
	cells[n++] = f->entry ? cell_word(risk_entry_name(f->entry)) : cell_none();
	VEC_FOREACH (m, &a->columns)
		cells[n++] = risk_number(f->m[*m]);
	for (unsigned int m = 0; m < RISK_METRIC_COUNT; m++) {
		bool is_chosen = false;

		VEC_FOREACH (chosen, &a->columns)
			is_chosen |= *chosen == m;
		if (!is_chosen)
			cells[n++] = risk_number(f->m[m]);
	}
	view_row(v, cells);
	arena_clear(scratch);
}

/* Print all metrics of one function, with their meaning. */
static void show_risk_function(const struct risk_args *a, const struct risk_tree *t, uint32_t row,
			       struct view *v)
{
	static const struct view_column columns[] = {
		{ "metric", "Metric", 0 },
		{ "value", "Value", COLUMN_RIGHT },
		{ "unit", "Unit", 0 },
		{ "definition", "What it is", COLUMN_FLEX },
	};
	static const struct view_table table = { .key = "metrics",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	const struct risk_function *f = &t->functions.data[row];

	view_object(v, NULL, NULL);
	view_field(v, "name", NULL, cell_text(f->name));
	view_field(v, "file", NULL, cell_text(t->files.data[f->file].path));
	view_field(v, "line", NULL, cell_count(f->line));
	view_field(v, "rank", NULL, cell_count(f->rank));
	view_heading(v, f->name, "  " STR_FMT ":%u, rank %u of %zu%s%s",
		     STR_ARG(t->files.data[f->file].path), f->line, f->rank, t->functions.len,
		     f->entry ? ", entry: " : "", risk_entry_name(f->entry));
	if (a->heat_file && !isnan(a->heat.cells.data[row].self)) {
		const struct heat_cell *h = &a->heat.cells.data[row];

		view_field(v, "heat", NULL, cell_real(h->self, 2));
		view_line(v, "Heat", "%.2f %% self (%.2f to %.2f)%s", h->self, h->low, h->high,
			  h->shared > 1 ? ", a name that several files define" : "");
	}
	view_table(v, &table);
	for (unsigned int m = 0; m < RISK_METRIC_COUNT; m++) {
		const struct c_metric_info *info = risk_metric_info(m);
		struct cell cells[] = { cell_word(info->title), risk_number(f->m[m]),
					cell_word(info->unit), cell_word(info->definition) };

		view_row(v, cells);
	}
	for (unsigned int p = 0; p < RISK_PARTS; p++) {
		char title[64];
		struct cell cells[4];

		(void)snprintf(title, sizeof(title), "score: %s",
			       risk_metric_info(risk_parts[p])->title);
		cells[0] = cell_text(str_of(title));
		cells[1] = cell_real((double)f->parts[p], 1);
		cells[2] = cell_word("0-100");
		cells[3] = cell_word("part of the score: share of functions with less");
		view_row(v, cells);
	}
	view_table_end(v);
	view_object_end(v);
}

static void show_risk_compat(const struct risk_tree *t, const struct risk_order *rows, size_t n,
			     struct view *v)
{
	static const struct view_column columns[] = {
		{ "name", "Function", COLUMN_FLEX }, { "file", NULL, 0 },
		{ "line", "Line", COLUMN_RIGHT },    { "c1", "c1", COLUMN_RIGHT },
		{ "c2", "c2", COLUMN_RIGHT },        { "c3", "c3", COLUMN_RIGHT },
		{ "c4", "c4", COLUMN_RIGHT },        { "c5", "c5", COLUMN_RIGHT },
		{ "c6", "c6", COLUMN_RIGHT },        { "c7", "c7", COLUMN_RIGHT },
		{ "c8", "c8", COLUMN_RIGHT },        { "c9", "c9", COLUMN_RIGHT },
		{ "c10", "c10", COLUMN_RIGHT },      { "c11", "c11", COLUMN_RIGHT },
	};
	static const struct view_table table = { .key = "functions",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };

	view_table(v, &table);
	for (size_t i = 0; i < n; i++) {
		const struct risk_function *f = &t->functions.data[rows[i].row];
		struct cell cells[ARRAY_LEN(columns)] = { cell_text(f->name),
							  cell_text(t->files.data[f->file].path),
							  cell_count(f->line) };

		for (unsigned int c = 1; c <= COMPAT_COLUMNS; c++)
			cells[2 + c] = isnan(f->c[c]) ? cell_null() : cell_real(f->c[c], -1);
		view_row(v, cells);
	}
	view_table_end(v);
}

static void show_risk_cut(const struct labels_result *r, const struct labels_cut *cut,
			  struct view *v)
{
	struct interval precision = stats_wilson(cut->hits, cut->k, STATS_Z95);
	struct interval recall = stats_wilson(cut->hits, r->positives, STATS_Z95);

	view_object(v, NULL, NULL);
	view_field(v, "k", NULL, cell_count(cut->k));
	view_field(v, "hits", NULL, cell_count(cut->hits));
	view_field(v, "precision_low", NULL, cell_real(precision.low, 2));
	view_field(v, "precision_high", NULL, cell_real(precision.high, 2));
	view_field(v, "recall_low", NULL, cell_real(recall.low, 2));
	view_field(v, "recall_high", NULL, cell_real(recall.high, 2));
	view_object_end(v);
	view_line(v, NULL,
		  "of the first %u, %u are labelled: precision %.1f %% (%.1f to %.1f), recall "
		  "%.1f %% (%.1f to %.1f)",
		  cut->k, cut->hits, cut->k ? 100.0 * cut->hits / cut->k : 0, precision.low,
		  precision.high, 100.0 * cut->hits / r->positives, recall.low, recall.high);
}

/*
 * Print how well the order of the table works: the functions that --labels marks should come first.
 */
static void show_risk_labels(const struct risk_args *a, const struct risk_tree *t, struct view *v)
{
	double *keys = xcalloc(t->functions.len + 1, sizeof(*keys));
	const char *order = a->is_sorted_by_heat ? "heat" : risk_metric_info(a->sort)->title;
	struct labels_result r;

	for (uint32_t i = 0; i < t->functions.len; i++)
		keys[i] = risk_key(a, t, i);
	risk_labels_evaluate(t, (struct str){ a->labels.data, a->labels.len }, keys, &r);
	free(keys);
	view_object(v, "labels", NULL);
	view_field(v, "order", NULL, cell_word(order));
	view_field(v, "positives", NULL, cell_count(r.positives));
	view_field(v, "unknown", NULL, cell_count(r.unknown));
	view_field(v, "auc", NULL, cell_real(r.auc, 3));
	view_field(v, "auc_low", NULL, cell_real(r.auc_low, 3));
	view_field(v, "auc_high", NULL, cell_real(r.auc_high, 3));
	view_line(v, "Labels", "%u of %zu functions are labelled; %u labels name none of them",
		  r.positives, t->functions.len, r.unknown);
	if (r.positives && r.negatives)
		view_line(
			v, NULL,
			"by %s: area under the ROC curve %.3f (95 %%: %.3f to %.3f; 0.5 is chance)",
			order, r.auc, r.auc_low, r.auc_high);
	if (r.positives < LABELS_ENOUGH)
		view_line(v, NULL, "too few positives: below %u nothing can be said of an order",
			  LABELS_ENOUGH);
	view_list(v, "cuts");
	for (unsigned int i = 0; r.positives && i < LABELS_CUTS; i++)
		show_risk_cut(&r, &r.cuts[i], v);
	view_list_end(v);
	view_object_end(v);
}

void show_risk(struct risk_args *a, const struct risk_tree *t, struct view *v)
{
	size_t n;
	struct risk_order *rows = risk_rows(a, t, &n);
	size_t shown = a->limit && a->limit < n && !a->session.to.is_json && !a->session.to.is_csv
			       ? (size_t)a->limit
			       : n;
	struct risk_columns *c = xcalloc(1, sizeof(*c));
	struct arena scratch = { 0 };
	struct view_table table = { .key = "functions", .columns = c->columns, .is_main = true };

	view_begin(v, "assay-risk-1");
	show_risk_summary(a, t, v);
	if (a->labels_file && !a->is_compat)
		show_risk_labels(a, t, v);
	if (a->function) {
		view_list(v, "functions");
		for (size_t i = 0; i < shown; i++)
			show_risk_function(a, t, rows[i].row, v);
		view_list_end(v);
		if (n == 0)
			view_line(v, "None", "no function is called %s", a->function);
	} else if (a->is_compat) {
		show_risk_compat(t, rows, shown, v);
	} else {
		risk_columns_init(a, c);
		table.n_columns = c->n;
		view_table(v, &table);
		for (size_t i = 0; i < shown; i++)
			risk_row(a, t, rows[i].row, v, &scratch);
		view_table_end(v);
	}
	if (shown < n)
		view_line(v, NULL, "%zu more; --limit 0 shows all", n - shown);
	arena_fini(&scratch);
	free(c);
	free(rows);
}

int show_risk_seed(struct risk_args *a, const struct risk_tree *t)
{
	struct out *out = session_open(&a->session);
	size_t n;
	struct risk_order *rows = risk_rows(a, t, &n);

	for (size_t i = 0; out && i < n; i++) {
		const struct risk_function *f = &t->functions.data[rows[i].row];

		escape_text(out, f->name);
		for (unsigned int c = 1; c <= COMPAT_COLUMNS; c++) {
			bool is_real = c == 3 || c == 11;
			double v = isnan(f->c[c]) ? 0 : f->c[c];

			out_z(out, " : ");
			if (!is_real) {
				out_printf(out, "%.0f", v);
				continue;
			}
			out_double(out, v);
			if (v == floor(v) && fabs(v) < 1e15)
				out_z(out, ".0");
		}
		out_z(out, " \xef\xbc\x9a"
			   "0\n");
	}
	free(rows);
	return out ? EXIT_DONE : EXIT_FAILED;
}

int show_risk_metrics(struct risk_args *a)
{
	static const struct view_column columns[] = {
		{ "metric", "Metric", 0 },
		{ "unit", "Unit", 0 },
		{ "definition", "What it is", COLUMN_FLEX },
		{ "source", "Source", COLUMN_FLEX },
	};
	static const struct view_table table = { .key = "metrics",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	CLEANUP(view_freep) struct view *v = session_view(&a->session);
	struct error err = { "" };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-risk-metrics-1");
	view_table(v, &table);
	for (unsigned int m = 0; m < RISK_METRIC_COUNT; m++) {
		const struct c_metric_info *info = risk_metric_info(m);
		struct cell cells[] = { cell_word(info->title), cell_word(info->unit),
					cell_word(info->definition), cell_word(info->source) };

		view_row(v, cells);
	}
	view_table_end(v);
	return view_end(v, &err) < 0 ? EXIT_FAILED : EXIT_DONE;
}
