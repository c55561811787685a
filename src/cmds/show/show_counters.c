/* SPDX-License-Identifier: MIT */
/* show_counters.c - the counters of a capture, and ratios between them */
#include "analyses/counters/counter_metrics.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define COUNTERS_BRIEF 24u

static struct cell counters_value(const struct counter *k)
{
	if (k->state != COUNTER_COUNTED)
		return cell_null();
	return k->decimals == 0 && k->value >= 0 ? cell_count((uint64_t)k->value)
						 : cell_fixed(k->value, k->decimals);
}

static struct cell counters_positive(double v, int shown)
{
	return v >= 0 ? cell_real(v, shown) : cell_none();
}

static void counters_row(struct show *s, const struct counters *k, const struct counter *row)
{
	bool is_series = k->n_intervals > 1;
	struct cell cells[] = {
		show_name(s, row->name),
		row->key.v ? show_name(s, row->key) : cell_none(),
		is_series && row->time_ns ? cell_real((double)row->time_ns / 1e9, 3) : cell_none(),
		is_series && !row->time_ns ? cell_count(row->interval + 1) : cell_none(),
		counters_value(row),
		row->unit.v ? show_name(s, row->unit) : cell_none(),
		counters_positive(row->spread, 2),
		counters_positive(row->running, 2),
		row->state == COUNTER_NOT_COUNTED     ? cell_word("not counted")
		: row->state == COUNTER_NOT_SUPPORTED ? cell_word("not supported")
						      : cell_none(),
		row->comment.v ? show_name(s, row->comment) : cell_none(),
		cell_line(row->line),
	};

	view_row(s->v, cells);
}

static void counters_rows(struct show *s, const struct counters *k)
{
	static const struct view_column columns[] = {
		{ "name", "Counter", COLUMN_FLEX },
		{ "key", "Of", 0 },
		{ "time_s", "At s", COLUMN_RIGHT | COLUMN_MINOR },
		{ "interval", "Interval", COLUMN_RIGHT | COLUMN_MINOR },
		{ "value", "Value", COLUMN_RIGHT },
		{ "unit", "Unit", 0 },
		{ "spread_pct", "± %", COLUMN_RIGHT },
		{ "running_pct", "Ran %", COLUMN_RIGHT | COLUMN_MINOR },
		{ "state", "", 0 },
		{ "comment", NULL, 0 },
		{ "line", "Line", 0 },
	};
	static const struct view_table table = { .key = "counters",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (row, &k->rows) {
		if (n++ >= show_rows(s, COUNTERS_BRIEF))
			break;
		counters_row(s, k, row);
	}
	view_table_end(s->v);
	if (k->rows.len > show_rows(s, COUNTERS_BRIEF))
		view_line(s->v, NULL, "%zu more: assay report " STR_FMT,
			  k->rows.len - COUNTERS_BRIEF, STR_ARG(show_file(s)));
}

static void counters_metrics(struct show *s, const struct capture *c)
{
	static const struct view_column columns[] = {
		{ "id", NULL, 0 },
		{ "metric", "Ratio", COLUMN_FLEX },
		{ "value", "Value", COLUMN_RIGHT },
		{ "low", "From", COLUMN_RIGHT },
		{ "high", "To", COLUMN_RIGHT },
		{ "unit", "Unit", 0 },
		{ "key", "Highest", COLUMN_MINOR },
	};
	static const struct view_table table = { .key = "ratios",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	struct counter_metrics m;

	counter_metrics_compute(c, &m);
	if (m.n) {
		view_table(s->v, &table);
		for (size_t i = 0; i < m.n; i++) {
			const struct counter_metric *x = &m.rows[i];
			bool has_interval = x->high > x->low;
			struct cell cells[] = {
				cell_word(x->def->id),
				cell_word(str_starts(str_of(x->def->title), STR("of "))
						  ? x->def->title + 3
						  : x->def->title),
				cell_real(x->value, x->value < 10    ? 2
						    : x->value < 100 ? 1
								     : 0),
				has_interval ? cell_real(x->low, x->value < 10 ? 3 : 1)
					     : cell_none(),
				has_interval ? cell_real(x->high, x->value < 10 ? 3 : 1)
					     : cell_none(),
				cell_word(x->def->unit),
				x->key.v ? show_name(s, x->key) : cell_none(),
			};

			view_row(s->v, cells);
		}
		view_table_end(s->v);
	}
}

void show_counters(struct show *s, const struct capture *c)
{
	const struct counters *k = c->counters;
	struct str label = k->label.v ? show_string(s, k->label) : STR_NONE;

	view_field(s->v, "tool", NULL, show_name(s, k->tool));
	view_field(s->v, "label", NULL, k->label.v ? show_name(s, k->label) : cell_none());
	view_field(s->v, "runs", NULL, k->runs ? cell_count(k->runs) : cell_none());
	view_field(s->v, "intervals", NULL, cell_count(k->n_intervals));
	if (label.len)
		view_line(s->v, "Name", STR_FMT, STR_ARG(label));
	if (k->runs > 1)
		view_line(s->v, "Runs", "means of %" PRIu32 " runs", k->runs);
	counters_rows(s, k);
	counters_metrics(s, c);
}
