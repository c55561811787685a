/* SPDX-License-Identifier: MIT */
/* diff_distributions.c - two distributions next to each other, for `assay diff` */
#include "cmds/diff/diff_distributions.h"

#include "analyses/distributions/compare_spreads.h"
#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "render/view.h"

#include <math.h>

static const char *spreads_verdict_word(const struct spread_change *r)
{
	static const char *const names[] = { "same", "more", "less", "cannot tell" };

	return r->a->is_relative || r->b->is_relative ? "not tested" : names[r->verdict];
}

static struct cell spreads_pct(double pct, double quantile)
{
	return isnan(pct) ? cell_none() : cell_real(pct, quantile > 0.95 ? 2 : 1);
}

/* The 95 % interval of the difference, in percentage points: "+1.65 to +2.13". */
static struct cell spreads_interval(struct show *s, const struct spread_change *r)
{
	int decimals = r->quantile > 0.95 ? 2 : 1;

	return isnan(r->low) ? cell_none()
			     : cell_text(show_format(s, "%+.*f to %+.*f", decimals, r->low,
						     decimals, r->high));
}

static void spreads_show_row(struct show *s, const struct capture *a, const struct spread_change *r)
{
	bool is_time = spread_is_time(a, r->a);
	struct spread_bounds bound = { r->bound, r->bound };
	struct cell cells[] = {
		show_name(s, r->a->name),
		show_name(s, r->a->key),
		cell_word(r->quantile > 0.95  ? "p99"
			  : r->quantile > 0.7 ? "p90"
					      : "median"),
		cell_text(spread_text(&s->scratch, r->at_a, is_time, STR(""), s->v->is_ascii)),
		cell_text(spread_text(&s->scratch, r->at_b, is_time, STR(""), s->v->is_ascii)),
		isnan(r->bound) ? cell_none()
				: cell_text(spread_text(&s->scratch, bound, is_time, STR(""),
							s->v->is_ascii)),
		spreads_pct(r->pct_a, r->quantile),
		spreads_pct(r->pct_b, r->quantile),
		spreads_interval(s, r),
		cell_word(spreads_verdict_word(r)),
		isnan(r->bound) ? cell_none() : cell_real(r->bound, -1),
		cell_real(r->at_a.low, -1),
		isinf(r->at_a.high) ? cell_null() : cell_real(r->at_a.high, -1),
		cell_real(r->at_b.low, -1),
		isinf(r->at_b.high) ? cell_null() : cell_real(r->at_b.high, -1),
		isnan(r->low) ? cell_none() : cell_real(r->low, -1),
		isnan(r->high) ? cell_none() : cell_real(r->high, -1),
		isnan(r->q) ? cell_none() : cell_real(r->q, -1),
		show_name(s, r->a->unit),
		cell_line(r->a->line),
		cell_line(r->b->line),
	};

	view_row(s->v, cells);
}

static void spreads_side(struct show *s, const struct capture *c, const char *key,
			 const char *title)
{
	view_object(s->v, key, NULL);
	view_field(s->v, "path", NULL, show_name(s, c->path));
	view_field(s->v, "line", NULL, cell_line(c->first_line));
	view_object_end(s->v);
	view_line(s->v, title, STR_FMT " " STR_FMT, STR_ARG(show_string(s, c->path)),
		  STR_ARG(show_lines(s, c->first_line, c->last_line)));
}

static void spreads_notes(struct show *s, const struct spread_compare *cmp)
{
	if (cmp->rows.len == 0)
		view_line(s->v, "Note", "no distribution is in both");
	else if (cmp->has_unknown)
		view_line(s->v, "Note",
			  "The number of values is not printed on a side, so nothing is tested.");
	else
		view_line(s->v, "Note",
			  "The tests take values as independent; two recordings of the same work "
			  "may differ more.");
	if (cmp->only_a || cmp->only_b)
		view_line(s->v, NULL, STR_FMT " only in A, " STR_FMT " only in B.",
			  STR_ARG(show_plural(s, cmp->only_a, "distribution is",
					      "distributions are")),
			  STR_ARG(show_plural(s, cmp->only_b, "distribution is",
					      "distributions are")));
}

bool diff_distributions(struct show *s, const struct capture *a, const struct capture *b)
{
	static const struct view_column columns[] = {
		{ "name", "Of", 0 },
		{ "key", "Key", COLUMN_FLEX },
		{ "percentile", "At", 0 },
		{ "a", "A", COLUMN_RIGHT },
		{ "b", "B", COLUMN_RIGHT },
		{ "bound_text", "From", COLUMN_RIGHT },
		{ "a_pct", "A %", COLUMN_RIGHT },
		{ "b_pct", "B %", COLUMN_RIGHT },
		{ NULL, "B - A, 95 %", COLUMN_RIGHT | COLUMN_MINOR },
		{ "verdict", "Verdict", 0 },
		{ "bound", NULL, 0 },
		{ "a_low", NULL, 0 },
		{ "a_high", NULL, 0 },
		{ "b_low", NULL, 0 },
		{ "b_high", NULL, 0 },
		{ "difference_low", NULL, 0 },
		{ "difference_high", NULL, 0 },
		{ "q", NULL, 0 },
		{ "unit", NULL, 0 },
		{ "line_a", NULL, 0 },
		{ "line_b", NULL, 0 },
	};
	static const struct view_table table = { .key = "percentiles",
						 .command = "assay diff A B",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	struct spread_compare cmp;
	bool has_difference = false;

	view_object(s->v, "distribution", "Distributions");
	view_field(s->v, "comparable", NULL, cell_bool(spread_compare(a, b, &cmp)));
	spreads_side(s, a, "a", "A");
	spreads_side(s, b, "b", "B");
	view_table(s->v, &table);
	VEC_FOREACH (r, &cmp.rows) {
		spreads_show_row(s, a, r);
		has_difference |= r->verdict == SPREAD_MORE || r->verdict == SPREAD_LESS;
	}
	view_table_end(s->v);
	view_field(s->v, "only_a", NULL, cell_count(cmp.only_a));
	view_field(s->v, "only_b", NULL, cell_count(cmp.only_b));
	spreads_notes(s, &cmp);
	view_object_end(s->v);
	spread_compare_fini(&cmp);
	return has_difference;
}
