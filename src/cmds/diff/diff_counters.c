/* SPDX-License-Identifier: MIT */
/* diff_counters.c - two tables of counters next to each other, for `assay diff` */
#include "cmds/diff/diff_counters.h"

#include "analyses/counters/compare_counters.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "render/view.h"

#include <math.h>

static const char *counters_verdict(const struct counter_change *c)
{
	static const char *const names[] = { "same", "more", "less", "cannot tell" };

	return names[c->verdict];
}

static struct cell counters_number(const struct counter_change *c, double v)
{
	bool is_time = c->role == COUNTS_ELAPSED || c->role == COUNTS_USER ||
		       c->role == COUNTS_SYSTEM || c->role == COUNTS_TASK_CLOCK;

	if (!is_time && v >= 0 && v < 1e18 && floor(v) >= v)
		return cell_count((uint64_t)v);
	return cell_real(v, is_time ? 4 : -1);
}

static void counters_row(struct show *s, const struct counter_change *c)
{
	bool is_time = c->role == COUNTS_TASK_CLOCK || c->role == COUNTS_ELAPSED ||
		       c->role == COUNTS_USER || c->role == COUNTS_SYSTEM;
	bool has_interval = c->has_spread && isfinite(c->ratio) && c->a > 0;
	struct cell cells[] = {
		c->role == COUNTS_TASK_CLOCK ? cell_word("CPU time") : show_name(s, c->name),
		c->key.v ? show_name(s, c->key) : cell_none(),
		counters_number(c, c->a),
		counters_number(c, c->b),
		is_time ? cell_word("s") : cell_none(),
		isfinite(c->ratio) ? cell_real(c->ratio, 3) : cell_null(),
		has_interval ? cell_real(c->low, 3) : cell_none(),
		has_interval ? cell_real(c->high, 3) : cell_none(),
		cell_word(counters_verdict(c)),
		cell_line(c->line_a),
		cell_line(c->line_b),
	};

	view_row(s->v, cells);
}

static void counters_side(struct show *s, const struct capture *c, const char *key,
			  const char *title)
{
	struct str label = show_string(s, c->counters->label);

	view_object(s->v, key, NULL);
	view_field(s->v, "path", NULL, show_name(s, c->path));
	view_field(s->v, "line", NULL, cell_line(c->first_line));
	view_field(s->v, "label", NULL, label.len ? cell_text(label) : cell_none());
	view_field(s->v, "runs", NULL,
		   c->counters->runs ? cell_count(c->counters->runs) : cell_none());
	view_object_end(s->v);
	view_line(s->v, title, STR_FMT " " STR_FMT "%s" STR_FMT, STR_ARG(show_string(s, c->path)),
		  STR_ARG(show_lines(s, c->first_line, c->last_line)), label.len ? ": " : "",
		  STR_ARG(label));
}

bool diff_counters(struct show *s, const struct capture *a, const struct capture *b)
{
	static const struct view_column columns[] = {
		{ "name", "Counter", COLUMN_FLEX },
		{ "key", "Of", 0 },
		{ "a", "A", COLUMN_RIGHT },
		{ "b", "B", COLUMN_RIGHT },
		{ "unit", "", 0 },
		{ "ratio", "B/A", COLUMN_RIGHT },
		{ "low", "From", COLUMN_RIGHT | COLUMN_MINOR },
		{ "high", "To", COLUMN_RIGHT | COLUMN_MINOR },
		{ "verdict", "Verdict", 0 },
		{ "line_a", NULL, 0 },
		{ "line_b", NULL, 0 },
	};
	static const struct view_table table = { .key = "counters",
						 .command = "assay diff A B",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };
	struct counter_compare cmp;
	bool has_difference = false;
	bool has_spread = false;
	bool has_unseen = false;
	bool has_known = false;
	bool has_unknown = false;

	view_field(s->v, "comparable", NULL, cell_bool(counter_compare(a, b, &cmp)));
	view_heading(s->v, STR("Counters"), "%s", "");
	counters_side(s, a, "a", "A");
	counters_side(s, b, "b", "B");
	view_table(s->v, &table);
	VEC_FOREACH (c, &cmp.rows) {
		counters_row(s, c);
		has_spread |= c->has_spread;
		has_unseen |= c->is_unseen;
		has_known |= c->role != COUNTS_NONE;
		has_unknown |= c->role == COUNTS_NONE && c->verdict == COUNTER_UNCERTAIN;
		has_difference |= c->verdict == COUNTER_MORE || c->verdict == COUNTER_LESS;
	}
	view_table_end(s->v);
	view_field(s->v, "only_a", NULL, cell_count(cmp.only_a));
	view_field(s->v, "only_b", NULL, cell_count(cmp.only_b));
	if (cmp.rows.len == 0)
		view_line(s->v, "Note", "no counter is in both");
	else if (!has_spread && has_known)
		view_line(s->v, "Note",
			  "the spread of runs is unknown: perf stat -r 5 gives an interval");
	if (has_unknown)
		view_line(s->v, "Note",
			  "Counters of an unknown kind count as changed only from a factor of 10 "
			  "on: how "
			  "much equal runs differ is unknown");
	if (has_unseen)
		view_line(
			s->v, "Note",
			"Context switches and migrations happen in the kernel, which :u excludes: "
			"their 0 is no measurement");
	counter_compare_fini(&cmp);
	return has_difference;
}
