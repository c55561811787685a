/* SPDX-License-Identifier: MIT */
/* diff_whole.c - totals of whole runs (CPU time, wall time, counts) on the page of `assay diff` */
#include "cmds/diff/diff_page.h"

#include "analyses/compare/compare.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/*
 * a headline contains "all of it in NAME" if this function has at least this percentage of the
 * change; see also WHOLE_ALL_LOW
 */
#define WHOLE_ALL_PCT 90.0
/*
 * a headline contains "all of it" only if the 95 % interval of the function's percentage begins at
 * this percentage or above
 */
#define WHOLE_ALL_LOW 70.0
#define WHOLE_Z       1.96
/* report the time that a run was on no CPU if it is at least this percentage of wall time */
#define WHOLE_WAITED_MIN 10.0
#define WHOLE_COLUMNS    7u
/*
 * if the function with the largest part of the change has less than this percentage of the change,
 * the headline also names the function with the second largest part
 */
#define WHOLE_MOST_PCT 50.0

/* Number of decimals that show @step with two significant digits. */
static int whole_decimals(double step)
{
	double digits = step > 0 ? 1 - floor(log10(step)) : 2;

	return digits < 0 ? 0 : digits > 6 ? 6 : (int)digits;
}

/*
 * The divisor for printing the amounts of @w: 1 for seconds and small amounts, otherwise 10^6 or
 * 10^9. *@ret_prefix: the prefix for this divisor, such as " M".
 */
static double whole_scale(const struct compare_whole *w, const char **ret_prefix)
{
	double large = fmax(w->a, w->b);

	*ret_prefix = "";
	if (str_eq(w->unit, STR("s")) || large < 1e6)
		return 1;
	*ret_prefix = large >= 1e9 ? " G" : " M";
	return large >= 1e9 ? 1e9 : 1e6;
}

/* Format the amounts of both sides: "0.89 to 1.10 s". */
static struct str whole_amounts(struct show *s, const struct compare_whole *w)
{
	const char *prefix;
	double scale = whole_scale(w, &prefix);
	int decimals = whole_decimals(fmax(fabs(w->b - w->a), 5e-3 * w->a) / scale);

	return show_format(s, "%.*f to %.*f%s%s" STR_FMT, decimals, w->a / scale, decimals,
			   w->b / scale, prefix, w->unit.len && !prefix[0] ? " " : "",
			   STR_ARG(w->unit));
}

/* Format a difference between two amounts: "0.20 s". */
static struct str whole_step(struct show *s, const struct compare_whole *w, double step)
{
	const char *prefix;
	double scale = whole_scale(w, &prefix);

	step = fabs(step) / scale;
	return show_format(s, "%.*f%s%s" STR_FMT, whole_decimals(step), step, prefix,
			   w->unit.len && !prefix[0] ? " " : "", STR_ARG(w->unit));
}

/* Format a change in percent, without "%": "+23", or "+2.3" if below 10. */
static struct str whole_pct(struct show *s, double pct)
{
	return show_format(s, "%+.*f", fabs(pct) < 9.95 ? 1 : 0, pct);
}

/* Format the change of a total with its interval: "+23 %, 95 %: +14 to +33 %". */
static struct str whole_interval(struct show *s, const struct compare_whole *w)
{
	return show_format(s, STR_FMT " %%, 95 %%: " STR_FMT " to " STR_FMT " %%",
			   STR_ARG(whole_pct(s, w->change)), STR_ARG(whole_pct(s, w->low)),
			   STR_ARG(whole_pct(s, w->high)));
}

/*
 * Half-width of the 95 % interval of a function's part of the change. Unit: percent of the change.
 */
static double whole_half(const struct diff_page *p, const struct compare_part *part)
{
	const struct compare_whole *w = &p->c->wholes[0];

	return 100 * WHOLE_Z * part->error / fabs(w->b - w->a);
}

/* Format a function's part of the change: "56 % (25 to 87) of it in has_dup". */
static struct str whole_part(const struct diff_page *p, const struct compare_part *part)
{
	double half = whole_half(p, part);

	return show_format(p->s, "%.0f %% (%.0f to %.0f) of it in " STR_FMT, part->pct,
			   fmax(0, part->pct - half), fmin(100, part->pct + half),
			   STR_ARG(part->name));
}

/*
 * The end of a headline. It names the function with the largest part of the change: ", all of it in
 * memcmp called from has_dup".
 */
static struct str whole_where(const struct diff_page *p)
{
	const struct compare_part *first = p->c->parts.data;
	struct show *s = p->s;
	struct str from = STR_NONE;

	if (p->c->parts.len == 0 || first->pct < 0)
		return STR_NONE;
	if (first->caller.len)
		from = show_format(s, " called from " STR_FMT, STR_ARG(first->caller));
	if (first->pct >= WHOLE_ALL_PCT && first->pct - whole_half(p, first) >= WHOLE_ALL_LOW)
		return show_format(s, ", %s in " STR_FMT STR_FMT,
				   first->pct > 200 - WHOLE_ALL_PCT ? "and more" : "all of it",
				   STR_ARG(first->name), STR_ARG(from));
	if (first->pct >= WHOLE_MOST_PCT || p->c->parts.len == 1 || p->c->parts.data[1].pct < 0)
		return show_format(s, ", " STR_FMT STR_FMT, STR_ARG(whole_part(p, first)),
				   STR_ARG(from));
	return show_format(s, ", " STR_FMT " and " STR_FMT, STR_ARG(whole_part(p, first)),
			   STR_ARG(whole_part(p, &p->c->parts.data[1])));
}

struct str diff_whole_summary(const struct diff_page *p, const struct compare_whole *w)
{
	const char *direction = w->verdict == COMPARE_MORE ? "more" : "less";

	if (strcmp(w->id, "wall") == 0)
		return show_format(
			p->s, "B takes " STR_FMT " %s: " STR_FMT " of wall time (" STR_FMT ")",
			STR_ARG(whole_step(p->s, w, w->b - w->a)),
			w->verdict == COMPARE_MORE ? "longer" : "less",
			STR_ARG(whole_amounts(p->s, w)), STR_ARG(whole_interval(p->s, w)));
	return show_format(p->s,
			   "B takes " STR_FMT " %s " STR_FMT ": " STR_FMT " (" STR_FMT ")" STR_FMT,
			   STR_ARG(whole_step(p->s, w, w->b - w->a)), direction, STR_ARG(w->what),
			   STR_ARG(whole_amounts(p->s, w)), STR_ARG(whole_interval(p->s, w)),
			   STR_ARG(whole_where(p)));
}

struct str diff_whole_none(const struct diff_page *p, const struct compare_whole *w)
{
	if (w->verdict == COMPARE_SAME)
		return show_format(p->s, STR_FMT " is the same within %.1f %% (" STR_FMT ")",
				   STR_ARG(w->what), fmax(fabs(w->low), fabs(w->high)),
				   STR_ARG(whole_amounts(p->s, w)));
	return show_format(p->s, "no difference found in " STR_FMT " (" STR_FMT ", " STR_FMT ")",
			   STR_ARG(w->what), STR_ARG(whole_amounts(p->s, w)),
			   STR_ARG(whole_interval(p->s, w)));
}

static void whole_json_parts(const struct diff_page *p)
{
	struct view *v = p->s->v;

	view_list(v, "parts");
	VEC_FOREACH (part, &p->c->parts) {
		view_object(v, NULL, NULL);
		view_field(v, "symbol", NULL, cell_text(part->name));
		view_field(v, "dso", NULL, part->dso.len ? cell_text(part->dso) : cell_none());
		view_field(v, "caller", NULL,
			   part->caller.len ? cell_text(part->caller) : cell_none());
		view_field(v, "a", NULL, diff_real(part->a));
		view_field(v, "b", NULL, diff_real(part->b));
		view_field(v, "delta", NULL, diff_real(part->delta));
		view_field(v, "error", NULL, diff_real(part->error));
		view_field(v, "pct", NULL, diff_real(part->pct));
		view_object_end(v);
	}
	view_list_end(v);
}

static void whole_json(const struct diff_page *p)
{
	struct view *v = p->s->v;

	view_list(v, "totals");
	for (size_t i = 0; i < p->c->n_wholes; i++) {
		const struct compare_whole *w = &p->c->wholes[i];

		view_object(v, NULL, NULL);
		view_field(v, "id", NULL, cell_word(w->id));
		view_field(v, "what", NULL, cell_text(w->what));
		view_field(v, "unit", NULL, w->unit.len ? cell_text(w->unit) : cell_none());
		view_field(v, "a", NULL, diff_real(w->a));
		view_field(v, "b", NULL, diff_real(w->b));
		view_field(v, "runs_a", NULL, cell_count(w->n_a));
		view_field(v, "runs_b", NULL, cell_count(w->n_b));
		view_field(v, "change", NULL, diff_real(w->change));
		view_field(v, "low", NULL, diff_real(w->low));
		view_field(v, "high", NULL, diff_real(w->high));
		view_field(v, "alpha", NULL, diff_real(w->alpha));
		view_field(v, "p", NULL, diff_real(w->p));
		view_field(v, "verdict", NULL, cell_word(compare_verdict_name(w->verdict)));
		view_field(v, "spread", NULL, diff_real(w->spread));
		view_field(v, "waited", NULL, diff_real(w->waited));
		view_field(v, "timed", NULL, cell_bool(w->is_timed));
		view_field(v, "spread_from", NULL, cell_word(compare_spread_name(w->from)));
		view_field(v, "smallest_visible", NULL, diff_real(w->visible));
		view_field(v, "want", NULL, diff_real(w->want));
		view_field(v, "runs_needed", NULL,
			   w->runs_needed ? cell_count(w->runs_needed) : cell_null());
		view_object_end(v);
	}
	view_list_end(v);
	whole_json_parts(p);
	view_field(v, "totals_missing", NULL,
		   p->c->wholes_missing.len ? cell_text(p->c->wholes_missing) : cell_none());
}

void diff_wholes(const struct diff_page *p)
{
	struct view *v = p->s->v;

	whole_json(p);
	for (size_t i = 0; i < p->c->n_wholes; i++) {
		const struct compare_whole *w = &p->c->wholes[i];
		bool is_wall = strcmp(w->id, "wall") == 0;

		view_line(v,
			  is_wall                            ? "Wall time"
			  : str_eq(w->what, STR("CPU time")) ? "CPU time"
							     : "Total",
			  STR_FMT " (" STR_FMT "): %s", STR_ARG(whole_amounts(p->s, w)),
			  STR_ARG(whole_interval(p->s, w)),
			  w->verdict == COMPARE_CANNOT_TELL ? "cannot tell"
							    : compare_verdict_name(w->verdict));
	}
	if (p->c->wholes_missing.len && p->c->norm == COMPARE_TOTAL)
		view_line(v, "Totals",
			  "Not compared: " STR_FMT ". If each is one whole run, add --per run.",
			  STR_ARG(p->c->wholes_missing));
}

/*
 * Format the end of a line about how much runs vary: " (3 % and more: a run was on no CPU for 40 %
 * of its wall time), 10 % of wall time". The text in brackets says why runs may vary more. The text
 * after the brackets says how much the wall time of runs varies. Each of the two may be missing.
 */
static struct str whole_wall_spread(const struct diff_page *p)
{
	double waited = 100 * p->c->wholes[0].waited;
	struct str since = STR_NONE;

	if (waited >= WHOLE_WAITED_MIN && p->c->wholes[0].is_timed)
		since = show_format(p->s,
				    " (3 %% and more: both took the same time, and a run "
				    "did not use its CPUs for %.0f %% of it)",
				    waited);
	else if (waited >= WHOLE_WAITED_MIN)
		since = show_format(p->s,
				    " (3 %% and more: a run was on no CPU for %.0f %% of its wall "
				    "time)",
				    waited);
	return p->c->n_wholes > 1 ? show_format(p->s, STR_FMT ", %.0f %% of wall time",
						STR_ARG(since), p->c->wholes[1].spread)
				  : since;
}

/* Print how much runs vary, and whether this was measured or is assumed. */
static void whole_spread(const struct diff_page *p, const struct compare_whole *w)
{
	struct view *v = p->s->v;

	if (w->from == COMPARE_ASSUMED)
		view_line(v, "Runs",
			  "One run a side does not show how much runs differ. Assumed: %.2g %% "
			  "of " STR_FMT STR_FMT
			  " (standard deviation; --spread P). On a busy machine runs differ "
			  "more: record several a side to measure it.",
			  w->spread, STR_ARG(w->what), STR_ARG(whole_wall_spread(p)));
	else
		view_line(v, "Runs",
			  "%zu and %zu. " STR_FMT " varies by %.1f %% from run to run (standard "
			  "deviation, %s).",
			  w->n_a, w->n_b, STR_ARG(w->what), w->spread,
			  w->from == COMPARE_GIVEN     ? "given by --spread"
			  : w->from == COMPARE_BY_RUNS ? "measured"
						       : "measured on one side");
}

void diff_whole_sure(const struct diff_page *p)
{
	const struct compare_whole *w = &p->c->wholes[0];
	struct view *v = p->s->v;
	uint64_t have = w->n_a < w->n_b ? w->n_a : w->n_b;

	if (p->c->n_wholes == 0)
		return;
	whole_spread(p, w);
	view_line(v, NULL,
		  "Smallest detectable change of the total: %.*f %% (found 19 of 20 times).",
		  w->visible < 9.95 ? 1 : 0, w->visible);
	if (w->runs_needed > have)
		view_line(v, NULL,
			  "To see a change of %.3g %%, record %" PRIu64 " more runs of each%s.",
			  w->want, w->runs_needed - have,
			  w->from >= COMPARE_ASSUMED ? ", if they vary so" : "");
}

static struct cell whole_cell(struct show *s, const struct compare_whole *w, double v, bool sign)
{
	const char *prefix;
	double scale = whole_scale(w, &prefix);
	int decimals = whole_decimals(fmax(fabs(w->b - w->a), 5e-3 * w->a) / scale) + 1;

	return cell_text(show_format(s, sign ? "%+.*f" : "%.*f", decimals, v / scale));
}

static void whole_parts_begin(const struct diff_page *p, const struct compare_whole *w)
{
	static const char *const titles[][2] = {
		{ "A s", "B s" }, { "A G", "B G" }, { "A M", "B M" }, { "A", "B" }
	};
	const char *prefix;
	double scale = whole_scale(w, &prefix);
	int unit = str_eq(w->unit, STR("s")) ? 0 : scale >= 1e9 ? 1 : scale >= 1e6 ? 2 : 3;
	bool has_caller = false;
	struct view_column columns[] = {
		{ NULL, titles[unit][0], COLUMN_RIGHT }, { NULL, titles[unit][1], COLUMN_RIGHT },
		{ NULL, "Change", COLUMN_RIGHT },        { NULL, "Of it %", COLUMN_RIGHT },
		{ NULL, "Function", COLUMN_FLEX },       { NULL, NULL, 0 },
		{ NULL, "Shared Object", COLUMN_MINOR },
	};
	struct view_table table = { .columns = columns, .n_columns = ARRAY_LEN(columns) };

	_Static_assert(ARRAY_LEN(columns) == WHOLE_COLUMNS, "a column is missing");
	VEC_FOREACH (part, &p->c->parts)
		has_caller |= part->caller.len > 0;
	if (has_caller)
		columns[5].title = "Called from";
	view_table(p->s->v, &table);
}

void diff_whole_parts(const struct diff_page *p)
{
	const struct compare_whole *w = &p->c->wholes[0];
	struct show *s = p->s;

	if (p->c->parts.len == 0 || s->session->to.is_json || s->session->to.is_csv)
		return;
	whole_parts_begin(p, w);
	VEC_FOREACH (part, &p->c->parts) {
		struct cell cells[] = {
			whole_cell(s, w, part->a, false),
			whole_cell(s, w, part->b, false),
			whole_cell(s, w, part->delta, true),
			cell_text(show_format(s, "%.0f ± %.0f", part->pct, whole_half(p, part))),
			cell_text(part->name),
			part->caller.len ? cell_text(part->caller) : cell_none(),
			cell_text(diff_last_component(part->dso)),
		};

		_Static_assert(ARRAY_LEN(cells) == WHOLE_COLUMNS, "a cell is missing");
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}
