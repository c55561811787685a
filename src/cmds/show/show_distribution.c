/* SPDX-License-Identifier: MIT */
/* show_distribution.c - distributions: their percentiles and buckets */
#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "render/view.h"

#include <math.h>

#define DISTRIBUTION_BRIEF 6u
/*
 * with fewer values, the 90th and 99th percentiles are not printed: they would equal the longest
 * value
 */
#define DISTRIBUTION_FEW 10u
/*
 * with at most this many values, buckets are not printed, because the median and the longest value
 * show everything
 */
#define DISTRIBUTION_PAIR 2u
/* sum of the counts of a relative series, which are parts per million */
#define DISTRIBUTION_PARTS 1e6

/* The bounds of a value as one cell of text. In JSON and CSV, the bounds have their own columns. */
static struct cell distribution_bounds(struct show *s, bool is_time, struct spread_bounds b)
{
	return cell_text(spread_text(&s->scratch, b, is_time, STR(""), s->v->is_ascii));
}

/*
 * Whether to print a figure that makes sense only for @least or more values. In text, a series must
 * have so many values, or their number must be unknown. JSON and CSV always have the figure.
 */
static bool distribution_has(const struct show *s, const struct spreads *all, uint64_t least)
{
	if (s->session->to.is_json || s->session->to.is_csv)
		return true;
	VEC_FOREACH (p, &all->rows) {
		if (p->series->is_relative || p->series->count >= least)
			return true;
	}
	return false;
}

static void distribution_series_rows(struct show *s, const struct capture *c,
				     const struct spreads *all)
{
	bool is_few = !distribution_has(s, all, DISTRIBUTION_FEW);
	const struct view_column columns[] = {
		{ "values", "Values", 0 },
		{ "p50", "Median", COLUMN_RIGHT },
		{ "p90", is_few ? NULL : "p90", COLUMN_RIGHT | COLUMN_MINOR },
		{ "p99", is_few ? NULL : "p99", COLUMN_RIGHT },
		{ "longest", "Longest", COLUMN_RIGHT },
		{ "modes", "Peaks", COLUMN_NO_ZERO },
		{ "p50_low", NULL, 0 },
		{ "p50_high", NULL, 0 },
		{ "p99_low", NULL, 0 },
		{ "p99_high", NULL, 0 },
		{ "unit", NULL, 0 },
		{ "name", "Of", COLUMN_FLEX },
		{ "key", "Key", COLUMN_FLEX },
		{ "line", "Line", COLUMN_MINOR },
	};
	const struct view_table table = { .key = "series",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (p, &all->rows) {
		bool is_time = spread_is_time(c, p->series);
		struct cell cells[] = {
			p->series->is_relative ? cell_none() : cell_count(p->series->count),
			distribution_bounds(s, is_time, p->p50),
			distribution_bounds(s, is_time, p->p90),
			distribution_bounds(s, is_time, p->p99),
			distribution_bounds(s, is_time, p->max),
			cell_count(p->n_modes),
			cell_real(p->p50.low, -1),
			isinf(p->p50.high) ? cell_null() : cell_real(p->p50.high, -1),
			cell_real(p->p99.low, -1),
			isinf(p->p99.high) ? cell_null() : cell_real(p->p99.high, -1),
			show_name(s, p->series->unit),
			show_name(s, p->series->name),
			show_name(s, p->series->key),
			cell_line(p->series->line),
		};

		if (n++ >= show_rows(s, DISTRIBUTION_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

/* Index of the first bucket to show. Text omits empty buckets below the smallest value. */
static uint32_t distribution_first(const struct show *s, const struct spread *p)
{
	uint32_t i = 0;

	if (s->session->to.is_json || s->session->to.is_csv)
		return 0;
	while (i < p->series->n_buckets && p->buckets[i].count == 0)
		i++;
	return i < p->series->n_buckets ? i : 0;
}

/* The percentiles that the bucket @b contains: "median, p90". */
static struct cell distribution_percentiles(struct show *s, const struct spread *p,
					    const struct distribution_bucket *b)
{
	const struct {
		const char *name;
		struct spread_bounds at;
	} all[] = { { "median", p->p50 }, { "p90", p->p90 }, { "p99", p->p99 } };
	bool is_few = !p->series->is_relative && p->series->count < DISTRIBUTION_FEW;
	struct str ret = STR("");

	for (size_t i = 0; i < (is_few ? 1 : ARRAY_LEN(all)); i++) {
		/*
		 * a percentile that the tool printed is the upper bound of a bucket, so include
		 * b->high
		 */
		if (all[i].at.low >= b->low && all[i].at.high > b->low && all[i].at.high <= b->high)
			ret = show_format(s, STR_FMT "%s%s", STR_ARG(ret), ret.len ? ", " : "",
					  all[i].name);
	}
	return ret.len ? cell_text(ret) : cell_none();
}

static void distribution_buckets(struct show *s, const struct capture *c, const struct spreads *all)
{
	static const struct view_column columns[] = {
		{ "series", NULL, 0 },
		{ "key", "Key", COLUMN_FLEX },
		{ "range", "Range", COLUMN_RIGHT },
		{ "low", NULL, 0 },
		{ "high", NULL, 0 },
		{ "count", "Count", 0 },
		{ "pct", "Share %", COLUMN_HEAT },
		{ NULL, "", COLUMN_BAR | COLUMN_MINOR },
		{ "percentiles", "Percentiles", COLUMN_MINOR },
	};
	static const struct view_table table = { .key = "buckets",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };

	view_table(s->v, &table);
	VEC_FOREACH (p, &all->rows) {
		uint32_t first = distribution_first(s, p);
		/*
		 * The values above the last printed percentile have no bucket. The total is
		 * therefore a constant, not the sum of the buckets.
		 */
		double of = p->series->is_relative && p->series->is_percentiles
				    ? DISTRIBUTION_PARTS
				    : (double)p->series->count;

		for (uint32_t i = first; i < p->series->n_buckets; i++) {
			const struct distribution_bucket *b = &p->buckets[i];
			double pct = (double)b->count / of * 100;
			struct cell cells[] = {
				cell_count((uint64_t)(p - all->rows.data) + 1),
				i > first ? cell_none() : show_name(s, p->series->key),
				distribution_bounds(s, spread_is_time(c, p->series),
						    (struct spread_bounds){ b->low, b->high }),
				isinf(b->low) ? cell_null() : cell_real(b->low, -1),
				isinf(b->high) ? cell_null() : cell_real(b->high, -1),
				p->series->is_relative ? cell_none() : cell_count(b->count),
				cell_real(pct, 1),
				cell_real(pct, 1),
				distribution_percentiles(s, p, b),
			};

			view_row(s->v, cells);
		}
	}
	view_table_end(s->v);
}

void show_distribution(struct show *s, const struct capture *c)
{
	struct spreads all;

	spreads_init(&all, c);
	view_field(s->v, "n_series", NULL, cell_count(all.rows.len));
	if (!s->is_brief || all.rows.len > 1)
		view_line(s->v, "What", STR_FMT,
			  STR_ARG(show_plural(s, all.rows.len, "distribution", "distributions")));
	distribution_series_rows(s, c, &all);
	if (all.rows.len > show_rows(s, DISTRIBUTION_BRIEF))
		view_line(s->v, NULL, "%zu more: assay report " STR_FMT,
			  all.rows.len - DISTRIBUTION_BRIEF, STR_ARG(show_file(s)));
	if ((show_rows(s, 1) > 1 || all.rows.len == 1) &&
	    distribution_has(s, &all, DISTRIBUTION_PAIR + 1))
		distribution_buckets(s, c, &all);
	spreads_fini(&all);
}
