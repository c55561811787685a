/* SPDX-License-Identifier: MIT */
/* show_metrics.c - a table of metrics: its columns, correlations between them, its rows */
#include "analyses/metrics_summary.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define METRICS_PAIRS_BRIEF 5u
#define METRICS_ROWS_BRIEF  8u

/*
 * The name of a column. A column without a usable title is named by its number in the table: "c3"
 * is the third column. The first column has the names of the rows and is not in @m.
 */
static struct str metrics_column_name(struct show *s, const struct metrics *m, size_t column)
{
	str_id id = m->columns.data[column].name;
	struct str name = show_string(s, id);
	bool is_taken = id.v == 0 || str_eq(name, STR("symbol")) || str_eq(name, STR("line"));

	for (size_t i = 0; !is_taken && i < column; i++)
		is_taken = m->columns.data[i].name.v == id.v;
	return is_taken ? show_format(s, "c%zu", column + 2) : name;
}

/*
 * A cell with a number: unchanged if it has at most four decimals, otherwise rounded to two
 * decimals.
 */
static struct cell metrics_real(double v)
{
	bool is_short = fabs(v) < 1e6 && round(v * 1e4) / 1e4 - v == 0;

	if (fabs(v) < 1e15 && v == floor(v))
		return cell_real(v, 0);
	return cell_real(v, is_short ? -1 : 2);
}

static void metrics_columns(struct show *s, const struct metrics *m,
			    const struct metrics_summary *sum)
{
	static const struct view_column columns[] = {
		{ "column", "Column", COLUMN_FLEX },
		{ "unit", "Unit", 0 },
		{ "min", "Min", COLUMN_RIGHT },
		{ "median", "Median", COLUMN_RIGHT },
		{ "mean", "Mean", COLUMN_RIGHT },
		{ "max", "Max", COLUMN_RIGHT },
		{ "max_symbol", "Largest", COLUMN_FLEX },
		{ "max_line", "Line", 0 },
		{ "values", NULL, 0 },
		{ "missing", NULL, 0 },
		{ "zeros", "Zeros", COLUMN_MINOR },
		{ "distinct", "Distinct", COLUMN_MINOR },
		{ "stdev", NULL, 0 },
		{ "sum", NULL, 0 },
	};
	static const struct view_table table = { .key = "columns",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };

	view_table(s->v, &table);
	for (size_t i = 0; i < sum->columns.len; i++) {
		const struct metric_column_summary *col = &sum->columns.data[i];
		bool has_max = col->max_row != INDEX_NONE;
		struct symbols *symbols = &s->session->dossier->symbols;
		struct cell cells[] = {
			cell_text(metrics_column_name(s, m, i)),
			show_name(s, m->columns.data[i].unit),
			metrics_real(col->min),
			metrics_real(col->median),
			cell_real(col->mean, 2),
			metrics_real(col->max),
			has_max ? cell_text(symbols_name(symbols, m->names.data[col->max_row]))
				: cell_none(),
			has_max ? cell_line(m->lines.data[col->max_row]) : cell_none(),
			cell_count(col->values),
			cell_count(col->missing),
			cell_count(col->zeros),
			cell_count(col->distinct),
			cell_real(col->stdev, 2),
			cell_real(col->sum, 2),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void metrics_pairs(struct show *s, const struct metrics *m,
			  const struct metrics_summary *sum, bool is_pearson)
{
	const struct view_column columns[] = {
		{ is_pearson ? "r" : "rho", is_pearson ? "Pearson r" : "Spearman rho", 0 },
		{ "a", "Columns", 0 },
		{ "b", "", 0 },
		{ "rows", NULL, 0 },
	};
	const struct view_table table = { .key = is_pearson ? "pearson" : "spearman",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	size_t limit = show_rows(s, METRICS_PAIRS_BRIEF);
	const uint32_t *order = is_pearson ? sum->by_pearson.data : sum->by_spearman.data;
	size_t n = is_pearson ? sum->by_pearson.len : sum->by_spearman.len;

	view_table(s->v, &table);
	for (size_t i = 0; i < n && i < limit; i++) {
		const struct metric_pair *pair = &sum->pairs.data[order[i]];
		struct cell cells[] = {
			cell_real(is_pearson ? pair->pearson : pair->spearman, 3),
			cell_text(metrics_column_name(s, m, pair->a)),
			cell_text(metrics_column_name(s, m, pair->b)),
			cell_count(pair->rows),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static struct cell metrics_cell(const struct show *s, const struct metrics *m, size_t row,
				size_t column)
{
	size_t at = row * m->columns.len + column;
	double v = m->values.data[at];

	if (m->is_tool && v >= 0 && v < (double)INT64_MAX &&
	    str_eq(show_string(s, m->columns.data[column].unit), STR("ns")))
		return cell_ns((uint64_t)(v + 0.5));
	if (m->is_tool && m->columns.data[column].is_integer && v >= 0 && v < 0x1p53)
		return cell_count((uint64_t)v);
	if (m->texts.len > at && m->texts.data[at].v)
		return cell_text(show_string(s, m->texts.data[at]));
	return isnan(v) ? cell_null() : metrics_real(v);
}

struct metrics_rank {
	double cost;
	size_t row;
};

/*
 * Order of rows for qsort(): by cost, largest first; then rows without a cost. Equal rows keep
 * their order.
 */
static int metrics_rank_cmp(const void *a, const void *b)
{
	const struct metrics_rank *x = a;
	const struct metrics_rank *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows of @m in the order in which they are printed. Owner: caller, free(). */
static struct metrics_rank *metrics_ranks(const struct metrics *m)
{
	struct metrics_rank *ranks = xcalloc(m->n_rows + 1, sizeof(*ranks));

	for (size_t i = 0; i < m->n_rows; i++) {
		double cost = m->cost == INDEX_NONE ? 0 : metrics_value(m, i, m->cost);

		ranks[i] = (struct metrics_rank){ isnan(cost) ? -INFINITY : cost, i };
	}
	if (m->cost != INDEX_NONE)
		qsort(ranks, m->n_rows, sizeof(*ranks), metrics_rank_cmp);
	return ranks;
}

/* Whether any row of @column has a value. */
static bool metrics_is_filled(const struct metrics *m, size_t column)
{
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t at = row * m->columns.len + column;

		if (!isnan(m->values.data[at]) || (m->texts.len > at && m->texts.data[at].v))
			return true;
	}
	return false;
}

/*
 * The title of a column, with its unit if that is short ("%", "MiB"). The unit of durations is not
 * added here, because the view adds it.
 */
static const char *metrics_title(struct show *s, const struct metrics *m, size_t column,
				 const char *name)
{
	struct str unit = show_string(s, m->columns.data[column].unit);

	if (!m->is_tool || unit.len == 0 || unit.len > 3 || str_eq(unit, STR("ns")))
		return name;
	return show_format(s, "%s " STR_FMT, name, STR_ARG(unit)).p;
}

/* A printed column is an index into metrics.columns, or one of these values. */
#define METRICS_AT_NAME SIZE_MAX
#define METRICS_AT_LINE (SIZE_MAX - 1)

/*
 * Write the indices of the printed columns to @ret, in their order: the column by which rows are
 * sorted, the names, the other columns, and the line. Returns their number. @ret must have room for
 * all columns.
 */
static size_t metrics_order(const struct metrics *m, size_t *ret)
{
	bool is_ranked = m->is_tool && m->cost != INDEX_NONE;
	size_t n = 0;

	if (is_ranked)
		ret[n++] = m->cost;
	ret[n++] = METRICS_AT_NAME;
	for (size_t i = 0; i < m->columns.len; i++) {
		if (!(is_ranked && i == m->cost) && (!m->is_tool || metrics_is_filled(m, i)))
			ret[n++] = i;
	}
	ret[n++] = METRICS_AT_LINE;
	return n;
}

static struct view_column metrics_view_column(struct show *s, const struct metrics *m, size_t at)
{
	const char *name;

	if (at == METRICS_AT_LINE)
		return (struct view_column){ "line", "Line", 0 };
	if (at == METRICS_AT_NAME) {
		name = m->is_tool ? arena_str(&s->scratch, show_string(s, m->name_column)).p
				  : "Function";
		return (struct view_column){ "symbol", name, COLUMN_FLEX };
	}
	name = arena_str(&s->scratch, metrics_column_name(s, m, at)).p;
	return (struct view_column){
		name, metrics_title(s, m, at, name),
		COLUMN_UNIT | (m->columns.data[at].is_text ? COLUMN_FLEX : COLUMN_RIGHT) |
			(m->is_tool && at != m->cost ? COLUMN_MINOR : 0u)
	};
}

static void metrics_rows(struct show *s, const struct metrics *m)
{
	CLEANUP(freep) struct view_column *columns = xcalloc(m->columns.len + 2, sizeof(*columns));
	CLEANUP(freep) struct cell *cells = xcalloc(m->columns.len + 2, sizeof(*cells));
	CLEANUP(freep) size_t *order = xcalloc(m->columns.len + 2, sizeof(*order));
	CLEANUP(freep) struct metrics_rank *ranks = metrics_ranks(m);
	struct symbols *symbols = &s->session->dossier->symbols;
	size_t limit = m->is_tool ? show_rows(s, METRICS_ROWS_BRIEF) : m->n_rows;
	struct view_table table = { .key = "rows", .columns = columns, .is_main = true };
	size_t n = metrics_order(m, order);

	for (size_t k = 0; k < n; k++)
		columns[k] = metrics_view_column(s, m, order[k]);
	table.n_columns = (unsigned int)n;
	view_table(s->v, &table);
	for (size_t i = 0; i < m->n_rows && i < limit; i++) {
		size_t row = ranks[i].row;

		for (size_t k = 0; k < n; k++)
			cells[k] = order[k] == METRICS_AT_NAME
					   ? cell_text(symbols_name(symbols, m->names.data[row]))
				   : order[k] == METRICS_AT_LINE
					   ? cell_line(m->lines.data[row])
					   : metrics_cell(s, m, row, order[k]);
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

/*
 * Print rows from the table of a tool. Statistics of columns are omitted, because they are meant
 * for metrics of functions.
 */
static void metrics_tool(struct show *s, const struct metrics *m)
{
	size_t shown = show_rows(s, METRICS_ROWS_BRIEF);

	if (m->label.v && !show_front_is_single(s))
		view_line(s->v, "Measured", STR_FMT, STR_ARG(show_string(s, m->label)));
	if (m->cost == INDEX_NONE)
		view_line(s->v, "What", STR_FMT ", as printed",
			  STR_ARG(show_plural(s, m->n_rows, "row", "rows")));
	else
		view_line(s->v, "What", STR_FMT ", largest \"" STR_FMT "\" first",
			  STR_ARG(show_plural(s, m->n_rows, "row", "rows")),
			  STR_ARG(metrics_column_name(s, m, m->cost)));
	metrics_rows(s, m);
	if (shown < m->n_rows && s->is_brief && !s->is_budget) {
		view_line(s->v, NULL, STR_FMT ": assay report " STR_FMT,
			  STR_ARG(show_plural(s, m->n_rows - shown, "more row", "more rows")),
			  STR_ARG(show_file(s)));
		s->has_path = true;
	}
}

void show_metrics(struct show *s, const struct capture *c)
{
	const struct metrics *m = c->metrics;
	struct metrics_summary sum;
	size_t unnamed = 0;

	view_field(s->v, "n_rows", NULL, cell_count(m->n_rows));
	view_field(s->v, "n_columns", NULL, cell_count(m->columns.len + 1));
	if (m->is_tool) {
		metrics_tool(s, m);
		return;
	}
	metrics_summary_init(&sum, m);
	VEC_FOREACH (col, &m->columns)
		unnamed += col->name.v == 0;
	if (unnamed)
		view_line(s->v, "What",
			  STR_FMT
			  ", %zu columns with the names; %zu have no title, so their meaning "
			  "and unit are unknown",
			  STR_ARG(show_plural(s, m->n_rows, "function", "functions")),
			  m->columns.len + 1, unnamed);
	else
		view_line(s->v, "What", STR_FMT ", %zu columns with the names",
			  STR_ARG(show_plural(s, m->n_rows, "function", "functions")),
			  m->columns.len + 1);
	metrics_columns(s, m, &sum);
	view_side_by_side(s->v);
	metrics_pairs(s, m, &sum, /* is_pearson= */ true);
	metrics_pairs(s, m, &sum, /* is_pearson= */ false);
	view_side_by_side_end(s->v);
	if (!s->is_brief)
		metrics_rows(s, m);
	show_hot(s, c);
	metrics_summary_fini(&sum);
}
