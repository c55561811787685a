/* SPDX-License-Identifier: MIT */
/* hot_metrics.c - join a profile with a table of metrics */
#include "analyses/hot_metrics.h"

#include "analyses/function_index.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <ctype.h>
#include <math.h>

/* titles of columns that measure risk, in order of preference */
static const struct {
	const char *title;
	bool is_rank; /* the smallest value is the highest risk */
} hot_columns[] = {
	{ "rank", true },       { "score", false },      { "leopard-v", false },
	{ "cognitive", false }, { "cyclomatic", false }, { "ccn", false },
};

static bool hot_is_title(struct str name, const char *title)
{
	size_t len = strlen(title);

	if (name.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = (char)tolower((unsigned char)name.p[i]);

		if ((c == '_' ? '-' : c) != title[i])
			return false;
	}
	return true;
}

bool hot_metrics_is_table(const struct capture *c)
{
	return c->metrics && !c->metrics->is_tool && !c->profile && c->excerpt_of == INDEX_NONE;
}

size_t hot_metrics_column(const struct capture *table, const char *title)
{
	const struct metrics *m = table->metrics;

	for (size_t i = 0; i < m->columns.len; i++) {
		if (hot_is_title(strings_get(capture_strings(table), m->columns.data[i].name),
				 title))
			return i;
	}
	return SIZE_MAX;
}

static struct str hot_text(const struct capture *table, size_t row, size_t column)
{
	const struct metrics *m = table->metrics;
	size_t at = row * m->columns.len + column;

	return column == SIZE_MAX || at >= m->texts.len
		       ? STR_NONE
		       : strings_get(capture_strings(table), m->texts.data[at]);
}

/* The line number in a cell; 0: none. */
static uint32_t hot_line(const struct metrics *m, size_t row, size_t column)
{
	double v = column == SIZE_MAX ? 0 : metrics_value(m, row, column);

	return v >= 1 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static void hot_index(const struct capture *table, struct function_index *x)
{
	const struct metrics *m = table->metrics;
	size_t file = hot_metrics_column(table, "file");
	size_t line = hot_metrics_column(table, "line");
	size_t head = hot_metrics_column(table, "head-line");
	size_t last = hot_metrics_column(table, "last-line");
	size_t macro = hot_metrics_column(table, "macro");

	for (size_t row = 0; row < m->n_rows; row++) {
		struct str made_by = hot_text(table, row, macro);
		struct indexed_function f = {
			.name = symbols_canonical(capture_symbols(table), m->names.data[row]),
			.file = hot_text(table, row, file),
			.first_line = hot_line(m, row, head == SIZE_MAX ? line : head),
			.last_line = hot_line(m, row, last),
			.is_syscall = str_contains(made_by, STR("SYSCALL")),
			.is_by_macro = made_by.len > 0,
		};

		function_index_add(x, &f);
	}
}

struct hot_rank {
	double key; /* sort key: the row with the smallest key has the highest risk */
	uint32_t row;
};

static int hot_compare_rank(const void *a, const void *b)
{
	const struct hot_rank *x = a;
	const struct hot_rank *y = b;

	return SORT_ORDER(x->key, y->key) ?: SORT_ORDER(x->row, y->row);
}

/*
 * Ranks by risk, indexed by row of the table; 1 is the highest risk. Rows with equal values have
 * the same rank.
 */
static uint32_t *hot_ranks(const struct capture *table, struct hot_metrics *h)
{
	const struct metrics *m = table->metrics;
	uint32_t *ranks = xcalloc(m->n_rows + 1, sizeof(*ranks));
	struct hot_rank *order;
	uint32_t rank = 0;
	size_t n = 0;
	size_t k = 0;

	h->risk_column = SIZE_MAX;
	while (h->risk_column == SIZE_MAX && k < ARRAY_LEN(hot_columns))
		h->risk_column = hot_metrics_column(table, hot_columns[k++].title);
	if (h->risk_column == SIZE_MAX || m->columns.data[h->risk_column].is_text) {
		h->risk_column = SIZE_MAX;
		return ranks;
	}
	h->risk_title = hot_columns[k - 1].title;
	/*
	 * in a table with both columns, "rank" is the order of the values of "score". So report
	 * "score" as the title of the risk
	 */
	if (hot_columns[k - 1].is_rank && hot_metrics_column(table, "score") != SIZE_MAX)
		h->risk_title = "score";
	order = xcalloc(m->n_rows + 1, sizeof(*order));
	for (uint32_t row = 0; row < m->n_rows; row++) {
		double v = metrics_value(m, row, h->risk_column);

		if (!isnan(v))
			order[n++] = (struct hot_rank){ hot_columns[k - 1].is_rank ? v : -v, row };
	}
	qsort(order, n, sizeof(*order), hot_compare_rank);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || order[i].key != order[i - 1].key)
			rank = (uint32_t)i + 1;
		ranks[order[i].row] = rank;
	}
	free(order);
	return ranks;
}

/*
 * Sort by self weight, largest first, then by risk, highest first. Rank 0 (unknown) comes last,
 * because 0 - 1 is the largest unsigned number.
 */
static int hot_compare(const void *a, const void *b)
{
	const struct hot_function *x = a;
	const struct hot_function *y = b;

	return SORT_ORDER(y->self, x->self) ?: SORT_ORDER(x->rank - 1, y->rank - 1) ?: SORT_ORDER(x->sym.v, y->sym.v);
}

/*
 * State of the join. `certain` and `one_of_several` are indexed by row of the table, and hold an
 * index in h->functions plus 1; 0: none. `certain` has the function that matches only this row.
 * `one_of_several` has a function that matches several rows; this row is the riskiest of them.
 */
struct hot_join {
	struct hot_metrics *h;
	uint32_t *ranks;
	uint32_t *certain;
	uint32_t *one_of_several;
};

/*
 * Add the profile's function @r, which matches the rows @m. One function can have symbols in
 * several modules: if they match the same rows, their weights are added up.
 */
static void hot_add(struct hot_join *j, const struct function_matches *m, const struct top_row *r)
{
	struct hot_function f = { .sym = { r->keys[0] },
				  .row = m->rows.data[0],
				  .alike = (uint32_t)m->rows.len,
				  .line = r->line,
				  .is_by_place = m->is_by_place };
	struct hot_function *to;
	uint32_t *known;

	VEC_FOREACH (row, &m->rows) {
		if (j->ranks[*row] && (!j->ranks[f.row] || j->ranks[*row] < j->ranks[f.row]))
			f.row = *row;
	}
	f.rank = j->ranks[f.row];
	known = &(f.alike == 1 ? j->certain : j->one_of_several)[f.row];
	if (!*known) {
		*VEC_PUSH(&j->h->functions) = f;
		*known = (uint32_t)j->h->functions.len;
	}
	to = &j->h->functions.data[*known - 1];
	to->self += r->self_pct;
	to->self_err += r->self_err;
}

static void hot_intervals(struct hot_metrics *h)
{
	VEC_FOREACH (f, &h->functions) {
		struct interval i = { f->self - f->self_err, f->self + f->self_err };

		if (h->n_samples)
			i = stats_wilson(f->self / 100 * (double)h->n_samples, (double)h->n_samples,
					 STATS_Z95);
		f->low = i.low < 0 ? 0 : i.low;
		f->high = i.high;
	}
}

int hot_metrics_join(const struct capture *c, const struct capture *table,
		     struct category_cache *cats, struct hot_metrics *ret, struct error *err)
{
	struct top_spec spec = { .keys = { { .key = TOP_SYM } },
				 .n_keys = 1,
				 .no_children = true,
				 .sort_by_self = true };
	struct function_index index = { .functions = VEC_INIT };
	struct function_matches found = { .rows = VEC_INIT };
	struct hot_join j = { .h = ret };
	struct top top;
	int r;

	*ret = (struct hot_metrics){ .n_rows = table->metrics->n_rows };
	r = top_compute(c, cats, &spec, &top, err);
	if (r < 0)
		return r;
	if (c->profile->has_n_samples && !c->profile->is_selected)
		ret->n_samples = c->profile->n_samples;
	hot_index(table, &index);
	j.ranks = hot_ranks(table, ret);
	j.certain = xcalloc(ret->n_rows + 1, sizeof(*j.certain));
	j.one_of_several = xcalloc(ret->n_rows + 1, sizeof(*j.certain));
	VEC_FOREACH (row, &top.rows) {
		sym_id sym = { row->keys[0] };

		ret->total += row->self_pct;
		function_index_find(&index, capture_symbols(c), sym, &found);
		if (found.rows.len == 0) {
			*VEC_PUSH(&ret->unmatched) =
				(struct hot_function){ .sym = sym, .self = row->self_pct };
			continue;
		}
		ret->matched += row->self_pct;
		ret->matched_by_place += found.is_by_place ? row->self_pct : 0;
		hot_add(&j, &found, row);
	}
	hot_intervals(ret);
	VEC_SORT(&ret->functions, hot_compare);
	VEC_SORT(&ret->unmatched, hot_compare);
	free(j.ranks);
	free(j.certain);
	free(j.one_of_several);
	top_fini(&top);
	function_matches_fini(&found);
	function_index_fini(&index);
	return OK;
}

void hot_metrics_fini(struct hot_metrics *h)
{
	VEC_FREE(&h->functions);
	VEC_FREE(&h->unmatched);
}

const struct hot_function *hot_metrics_hottest_risky(const struct hot_metrics *h)
{
	VEC_FOREACH (f, &h->functions) {
		if (f->self > 0 && hot_metrics_is_risky(h, f))
			return f;
	}
	return NULL;
}
