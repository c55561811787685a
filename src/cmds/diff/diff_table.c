/* SPDX-License-Identifier: MIT */
/* diff_table.c - the tables of `assay diff`, and the format of the figures on its page */
#include "cmds/diff/diff_page.h"
#include "cmds/diff/diff_show.h"

#include "analyses/compare/compare.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIFF_ROWS_DEFAULT 20u
#define DIFF_ROWS_SIDE    8u /* maximum number of rows of a table other than the main table */
#define DIFF_STACK_WIDTH  100u
#define DIFF_COLUMNS      41u

struct cell diff_real(double v)
{
	char text[40];

	if (isnan(v))
		return cell_none();
	if (isinf(v))
		return cell_null();
	(void)snprintf(text, sizeof(text), "%.6g", v);
	return cell_real(strtod(text, NULL), -1);
}

static bool diff_is_share(const struct diff_page *p)
{
	return p->c->norm == COMPARE_TOTAL || p->c->norm == COMPARE_ANCHOR;
}

/* Number of decimals of the figures on the page. */
static int diff_decimals(const struct diff_page *p)
{
	double scale = p->c->scale;

	if (diff_is_share(p))
		return 2;
	if (p->c->norm == COMPARE_PER_CALL)
		return 3;
	return scale >= 1e5 ? 0 : scale >= 1e3 ? 1 : scale >= 10 ? 3 : 6;
}

struct str diff_value(const struct diff_page *p, double v)
{
	return show_format(p->s, "%.*f", diff_decimals(p), v);
}

static struct str diff_signed(const struct diff_page *p, double v)
{
	return show_format(p->s, "%+.*f", diff_decimals(p), v);
}

struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent)
{
	if (!is_absent)
		return diff_value(p, v);
	if (high > 0.5 * pow(10, -diff_decimals(p)))
		return show_format(p->s, "< %.*f", diff_decimals(p), high);
	return STR("-");
}

static const char *diff_verdict_words(const struct diff_page *p, const struct compare_row *r)
{
	if (p->c->norm == COMPARE_PER_CALL && r->verdict == COMPARE_CANNOT_TELL)
		return r->is_new ? "only in B" : r->is_vanished ? "only in A" : "cannot tell";
	if (r->verdict == COMPARE_MORE)
		return r->is_new && r->a_high <= 0 ? "new" : "more";
	if (r->verdict == COMPARE_LESS)
		return r->is_vanished && r->b_high <= 0 ? "gone" : "less";
	return r->verdict == COMPARE_SAME ? "same" : "cannot tell";
}

static struct cell diff_q(struct show *s, double q)
{
	if (isnan(q))
		return cell_none();
	if (q < 1e-4)
		return cell_word("<.0001");
	return cell_text(show_format(s, "%.4f", q));
}

struct str diff_last_component(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return path.len && path.p[0] == '/' && slash + 1 < path.len ? str_skip(path, slash + 1)
								    : path;
}

/*
 * Shorten a name: keep the last component of an object's path, or the innermost frames of a stack.
 */
static struct cell diff_short(const struct diff_page *p, struct str name, enum compare_level level)
{
	if (level == COMPARE_STACK && name.len > DIFF_STACK_WIDTH) {
		size_t from = name.len - DIFF_STACK_WIDTH;
		size_t semicolon = str_find_char(str_skip(name, from), ';');

		return cell_text(show_format(p->s, "...;" STR_FMT,
					     STR_ARG(str_skip(name, from + semicolon + 1))));
	}
	return cell_text(level == COMPARE_STACK ? name : diff_last_component(name));
}

static void diff_row(const struct diff_page *p, const struct compare_row *r,
		     enum compare_level level)
{
	struct show *s = p->s;
	bool is_print = p->c->spread == COMPARE_UNKNOWN;
	bool is_calls = p->c->norm == COMPARE_PER_CALL;
	bool is_one_sided = is_calls && (r->is_new || r->is_vanished);
	struct cell cells[] = {
		cell_text(diff_side_value(p, r->a, r->a_high, r->is_new)),
		cell_text(diff_side_value(p, r->b, r->b_high, r->is_vanished)),
		is_one_sided ? cell_none() : cell_text(diff_signed(p, r->delta)),
		isinf(r->low) ? cell_none()
			      : cell_text(show_format(s, STR_FMT " to " STR_FMT,
						      STR_ARG(diff_signed(p, r->low)),
						      STR_ARG(diff_signed(p, r->high)))),
		is_print ? (isnan(r->needed) ? cell_none()
					     : cell_text(show_format(s, "%.0f", ceil(r->needed))))
			 : diff_q(s, r->q),
		cell_word(diff_verdict_words(p, r)),
		isnan(r->longer)   ? cell_none()
		: isinf(r->longer) ? cell_word("never")
				   : cell_text(show_format(s, "x%.3g", r->longer)),
		is_calls ? cell_count(r->calls_a) : cell_none(),
		is_calls ? cell_count(r->calls_b) : cell_none(),
		diff_short(p, r->name, level),
		level <= COMPARE_CHILDREN ? diff_short(p, r->dso, COMPARE_DSO) : cell_none(),
		/* the remaining cells are only in JSON and CSV */
		cell_text(r->name),
		r->name_b.len ? cell_text(r->name_b) : cell_none(),
		level == COMPARE_DSO || r->dso.len == 0 ? cell_none() : cell_text(r->dso),
		r->space.len ? cell_text(r->space) : cell_none(),
		diff_real(r->a),
		diff_real(r->b),
		r->a_low < r->a_high ? diff_real(r->a_low) : cell_none(),
		r->a_low < r->a_high ? diff_real(r->a_high) : cell_none(),
		r->b_low < r->b_high ? diff_real(r->b_low) : cell_none(),
		r->b_low < r->b_high ? diff_real(r->b_high) : cell_none(),
		diff_real(r->delta),
		diff_real(r->low),
		diff_real(r->high),
		diff_real(r->p),
		diff_real(r->q),
		cell_word(compare_verdict_name(r->verdict)),
		r->is_new ? cell_bool(true) : cell_none(),
		r->is_vanished ? cell_bool(true) : cell_none(),
		diff_real(r->samples_a),
		diff_real(r->samples_b),
		is_print ? cell_none() : diff_real(r->dispersion),
		diff_real(r->visible),
		diff_real(r->longer),
		diff_real(r->needed),
		is_calls ? cell_count(r->calls_a) : cell_none(),
		is_calls ? cell_count(r->calls_b) : cell_none(),
		is_calls ? cell_ns(r->total_ns_a) : cell_none(),
		is_calls ? cell_ns(r->total_ns_b) : cell_none(),
		is_calls ? cell_ns(r->p50_ns_a) : cell_none(),
		is_calls ? cell_ns(r->p50_ns_b) : cell_none(),
	};

	_Static_assert(ARRAY_LEN(cells) == DIFF_COLUMNS, "a cell is missing");
	view_row(s->v, cells);
}

static int diff_by_a(const void *x, const void *y)
{
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;

	return a->a != b->a ? (a->a > b->a ? -1 : 1) : str_cmp(a->name, b->name);
}

static int diff_by_b(const void *x, const void *y)
{
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;

	return a->b != b->b ? (a->b > b->b ? -1 : 1) : str_cmp(a->name, b->name);
}

static int diff_by_q(const void *x, const void *y)
{
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;
	double qa = isnan(a->q) ? 2 : a->q, qb = isnan(b->q) ? 2 : b->q;

	return qa != qb ? (qa < qb ? -1 : 1) : str_cmp(a->name, b->name);
}

static int diff_by_name(const void *x, const void *y)
{
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;
	int names = str_cmp(a->name, b->name);

	return names ? names : str_cmp(a->dso, b->dso);
}

/*
 * qsort() order: rows that differ, rows that are equal, inconclusive rows. Equal rows are sorted by
 * weight, the others by the size of the change.
 */
static int diff_by_delta(const void *x, const void *y)
{
	static const int rank[] = { 1, 0, 0, 2 };
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;
	double wa, wb;

	if (rank[a->verdict] != rank[b->verdict])
		return rank[a->verdict] - rank[b->verdict];
	wa = a->verdict == COMPARE_SAME ? a->a : fabs(a->delta);
	wb = b->verdict == COMPARE_SAME ? b->a : fabs(b->delta);
	if (wa != wb)
		return wa > wb ? -1 : 1;
	return a->a != b->a ? (a->a > b->a ? -1 : 1) : str_cmp(a->name, b->name);
}

/* Order of rows for qsort(): heaviest rows first. */
static int diff_by_weight(const void *x, const void *y)
{
	const struct compare_row *a = *(const struct compare_row *const *)x;
	const struct compare_row *b = *(const struct compare_row *const *)y;
	double wa = fmax(a->a, a->b), wb = fmax(b->a, b->b);

	return wa != wb ? (wa > wb ? -1 : 1) : str_cmp(a->name, b->name);
}

const char *diff_kind(enum compare_level level, uint64_t n)
{
	static const char *const names[COMPARE_LEVEL_COUNT][2] = {
		{ "function", "functions" },
		{ "function with its callees", "functions with their callees" },
		{ "object", "objects" },
		{ "kind of work", "kinds of work" },
		{ "stack", "stacks" },
	};

	return names[level][n != 1];
}

static bool diff_is_reported(const struct compare_row *r)
{
	return r->verdict != COMPARE_CANNOT_TELL;
}

static bool diff_differs(const struct compare_row *r)
{
	return r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
}

/* Print a note on omitted rows, after the table. */
static void diff_rest(const struct diff_page *p, const struct compare_table *t,
		      enum compare_level level, uint64_t shown, uint64_t total, bool is_folded)
{
	uint64_t folded = t->counts[COMPARE_CANNOT_TELL];
	double weight = 0;
	double widest = 0;

	if (shown < total)
		view_line(p->s->v, NULL, "... %" PRIu64 " more: --limit 0 shows all",
			  total - shown);
	if (!is_folded || !folded)
		return;
	VEC_FOREACH (r, &t->rows) {
		if (r->verdict != COMPARE_CANNOT_TELL)
			continue;
		weight += r->a;
		widest = fmax(widest, (r->high - r->low) / 2);
	}
	if (p->c->norm == COMPARE_PER_CALL)
		view_line(p->s->v, NULL, "Inconclusive: %" PRIu64 " %s (--all shows them)", folded,
			  diff_kind(level, folded));
	else if (level == COMPARE_CHILDREN)
		view_line(p->s->v, NULL,
			  "Inconclusive: %" PRIu64 " %s, to ± " STR_FMT " (--all shows them)",
			  folded, diff_kind(level, folded), STR_ARG(diff_value(p, widest)));
	else
		view_line(p->s->v, NULL,
			  "Inconclusive: %" PRIu64 " %s with " STR_FMT " " STR_FMT
			  " of A, to ± " STR_FMT " (--all shows them)",
			  folded, diff_kind(level, folded), STR_ARG(diff_value(p, weight)),
			  STR_ARG(p->c->unit), STR_ARG(diff_value(p, widest)));
}

static void diff_columns(const struct diff_page *p, enum compare_level level,
			 struct view_column *columns)
{
	static const char *const names[] = { "Function", "Function with callees", "Shared Object",
					     "Kind of work", "Stack" };
	static const char *const keys[] = { "symbol", "symbol", "dso", "category", "stack" };
	bool is_share = p->c->norm == COMPARE_TOTAL;
	bool is_calls = p->c->norm == COMPARE_PER_CALL;
	bool is_print = p->c->spread == COMPARE_UNKNOWN;
	const struct view_column all[] = {
		{ NULL,
		  is_share   ? "A %"
		  : is_calls ? "A µs"
			     : "A",
		  COLUMN_RIGHT },
		{ NULL,
		  is_share   ? "B %"
		  : is_calls ? "B µs"
			     : "B",
		  COLUMN_RIGHT },
		{ NULL, "Difference", COLUMN_RIGHT },
		{ NULL, is_print ? "By print" : "95 %", COLUMN_RIGHT },
		{ NULL, is_print ? "Needs samples" : "q", COLUMN_RIGHT | COLUMN_MINOR },
		{ NULL, "Verdict", 0 },
		{ NULL, p->c->want > 0 ? "Longer" : NULL, COLUMN_RIGHT },
		{ NULL, is_calls ? "Calls A" : NULL, COLUMN_RIGHT },
		{ NULL, is_calls ? "Calls B" : NULL, COLUMN_RIGHT },
		{ NULL, names[level], COLUMN_FLEX },
		{ NULL, level <= COMPARE_CHILDREN ? "Shared Object" : NULL, COLUMN_MINOR },
		{ keys[level], NULL, 0 },
		{ "name_b", NULL, 0 },
		{ level == COMPARE_DSO ? NULL : "dso", NULL, 0 },
		{ "space", NULL, 0 },
		{ "a", NULL, 0 },
		{ "b", NULL, 0 },
		{ "a_low", NULL, 0 },
		{ "a_high", NULL, 0 },
		{ "b_low", NULL, 0 },
		{ "b_high", NULL, 0 },
		{ "delta", NULL, 0 },
		{ "low", NULL, 0 },
		{ "high", NULL, 0 },
		{ "p", NULL, 0 },
		{ "p_adjusted", NULL, 0 },
		{ "verdict", NULL, 0 },
		{ "new", NULL, 0 },
		{ "vanished", NULL, 0 },
		{ "samples_a", NULL, 0 },
		{ "samples_b", NULL, 0 },
		{ "dispersion", NULL, 0 },
		{ "smallest_visible", NULL, 0 },
		{ "longer", NULL, 0 },
		{ "samples_needed", NULL, 0 },
		{ is_calls ? "calls_a" : NULL, NULL, 0 },
		{ is_calls ? "calls_b" : NULL, NULL, 0 },
		{ is_calls ? "total_ns_a" : NULL, NULL, 0 },
		{ is_calls ? "total_ns_b" : NULL, NULL, 0 },
		{ is_calls ? "p50_ns_a" : NULL, NULL, 0 },
		{ is_calls ? "p50_ns_b" : NULL, NULL, 0 },
	};

	_Static_assert(ARRAY_LEN(all) == DIFF_COLUMNS, "a column is missing");
	memcpy(columns, all, sizeof(all));
}

void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main)
{
	static int (*const orders[])(const void *, const void *) = { diff_by_delta, diff_by_a,
								     diff_by_b, diff_by_q,
								     diff_by_name };
	const struct compare_table *t = &p->c->tables[level];
	bool is_text = !p->s->session->to.is_json && !p->s->session->to.is_csv;
	bool nothing_reported = t->counts[COMPARE_CANNOT_TELL] == t->rows.len;
	/*
	 * if no function differs, the table shows the heaviest functions, so that the user sees how
	 * precise their figures are
	 */
	bool is_calm = is_text && is_main && p->options->by == DIFF_BY_ALL &&
		       t->counts[COMPARE_MORE] + t->counts[COMPARE_LESS] == 0;
	bool has_all = p->options->is_all || is_calm || (is_main && nothing_reported) ||
		       (!is_text && level != COMPARE_STACK);
	struct view_column columns[DIFF_COLUMNS];
	struct view_table table = { .key = key,
				    .command = "assay diff A B",
				    .columns = columns,
				    .n_columns = DIFF_COLUMNS,
				    .is_main = is_main };
	CLEANUP(freep)
	const struct compare_row **rows = xcalloc(t->rows.len + 1, sizeof(struct compare_row *));
	uint64_t limit =
		p->options->limit == UINT64_MAX
			? (is_text ? (is_main && !is_calm ? DIFF_ROWS_DEFAULT : DIFF_ROWS_SIDE) : 0)
			: p->options->limit;
	size_t n = 0, shown;

	VEC_FOREACH (r, &t->rows) {
		if (has_all || (is_main && is_text ? diff_is_reported(r) : diff_differs(r)))
			rows[n++] = r;
	}
	if (is_text && !is_main && n == 0)
		return;
	qsort(rows, n, sizeof(struct compare_row *),
	      is_calm && p->options->sort == DIFF_SORT_DELTA ? diff_by_weight
							     : orders[p->options->sort]);
	shown = limit && n > limit ? (size_t)limit : n;
	diff_columns(p, level, columns);
	view_table(p->s->v, &table);
	for (size_t i = 0; i < shown; i++)
		diff_row(p, rows[i], level);
	view_table_end(p->s->v);
	if (is_text && is_main)
		diff_rest(p, t, level, shown, n, !has_all);
	else if (is_text && shown < n)
		view_line(p->s->v, NULL, "... %zu more: --by %s", n - shown,
			  compare_level_name(level));
}
