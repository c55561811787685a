/* SPDX-License-Identifier: MIT */
/*
 * diff_show.c - the page of `assay diff`
 */
#include "cmds/diff/diff_page.h"

#include "analyses/compare/compare.h"
#include "analyses/quality/quality.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/diff/diff_show.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/profile.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define DIFF_RENAMES_MAX 5u

/*
 * The row with the largest change among the rows with the verdict @verdict, which is "more" or
 * "less". NULL: there is no such row.
 */
static const struct compare_row *diff_largest(const struct compare_table *t,
					      enum compare_verdict verdict)
{
	const struct compare_row *best = NULL;

	VEC_FOREACH (r, &t->rows) {
		if (r->verdict == verdict && (!best || fabs(r->delta) > fabs(best->delta)))
			best = r;
	}
	return best;
}

static bool diff_has_changes(const struct compare_table *t)
{
	return !t->missing.len && t->counts[COMPARE_MORE] + t->counts[COMPARE_LESS] > 0;
}

/* The number of rows of each verdict that occurs: "2 functions more, 4 less, 9 inconclusive". */
static struct str diff_counts(const struct diff_page *p, const struct compare_table *t,
			      enum compare_level level)
{
	static const struct {
		enum compare_verdict verdict;
		const char *word;
	} parts[] = { { COMPARE_MORE, "more" },
		      { COMPARE_LESS, "less" },
		      { COMPARE_SAME, "equal" },
		      { COMPARE_CANNOT_TELL, "inconclusive" } };
	struct str ret = STR("");

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		uint64_t n = t->counts[parts[i].verdict];

		if (n && ret.len)
			ret = show_format(p->s, STR_FMT ", %" PRIu64 " %s", STR_ARG(ret), n,
					  parts[i].word);
		else if (n)
			ret = show_format(p->s, "%" PRIu64 " %s %s", n, diff_kind(level, n),
					  parts[i].word);
	}
	return ret.len ? ret : show_format(p->s, "0 %s", diff_kind(level, 0));
}

static struct str diff_clause(const struct diff_page *p, const struct compare_row *r,
			      const char *direction)
{
	if (r->is_new && r->a_high <= 0)
		return show_format(p->s, STR_FMT " in " STR_FMT ", which A does not have",
				   STR_ARG(diff_amount(p, r->delta)), STR_ARG(r->name));
	if (r->is_vanished && r->b_high <= 0)
		return show_format(p->s, STR_FMT " less in " STR_FMT ", which B does not have",
				   STR_ARG(diff_amount(p, r->delta)), STR_ARG(r->name));
	return show_format(p->s, STR_FMT " %s in " STR_FMT " (" STR_FMT " to " STR_FMT "%s)",
			   STR_ARG(diff_amount(p, r->delta)), direction, STR_ARG(r->name),
			   STR_ARG(diff_side_value(p, r->a, r->a_high, r->is_new)),
			   STR_ARG(diff_side_value(p, r->b, r->b_high, r->is_vanished)),
			   p->c->norm == COMPARE_TOTAL ? " %" : "");
}

static enum compare_level diff_main_level(const struct diff_page *p)
{
	static const enum compare_level levels[] = { COMPARE_SYMBOL,   COMPARE_SYMBOL,
						     COMPARE_CHILDREN, COMPARE_DSO,
						     COMPARE_CATEGORY, COMPARE_STACK };
	enum compare_level level = levels[p->options->by];

	if (p->options->by == DIFF_BY_ALL && p->c->tables[COMPARE_SYMBOL].missing.len) {
		for (int i = COMPARE_CHILDREN; i < COMPARE_LEVEL_COUNT; i++) {
			if (p->c->tables[i].missing.len == 0)
				return (enum compare_level)i;
		}
	}
	return level;
}

/* The headline for data whose number of samples is unknown: any difference may be chance. */
static struct str diff_summary_print(const struct diff_page *p, const struct compare_table *t,
				     enum compare_level level)
{
	const struct compare_row *r = t->rows.len ? &t->rows.data[0] : NULL;
	uint64_t n = t->rows.len;

	if (!r)
		return STR("nothing to compare");
	return show_format(
		p->s,
		STR_FMT " from " STR_FMT " to " STR_FMT
			"%s as printed, but chance cannot be judged: the number of samples is "
			"unknown (%" PRIu64 " %s)",
		STR_ARG(r->name), STR_ARG(diff_side_value(p, r->a, r->a_high, r->is_new)),
		STR_ARG(diff_side_value(p, r->b, r->b_high, r->is_vanished)),
		p->c->norm == COMPARE_TOTAL ? " %" : "", n, diff_kind(level, n));
}

/*
 * The kind of rows (level) that the headline reports, such as functions or objects. It is the level
 * of the main table, if that table has differences or the user chose it (--by). Otherwise it is the
 * first level with differences. For example, each of several functions grows too little to be
 * noticed, but their common caller grows enough.
 */
static enum compare_level diff_summary_level(const struct diff_page *p, enum compare_level main)
{
	const struct compare_table *tables = p->c->tables;

	if (p->options->by != DIFF_BY_ALL || diff_has_changes(&tables[main]) ||
	    p->c->spread == COMPARE_UNKNOWN)
		return main;
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++) {
		if (diff_has_changes(&tables[i]))
			return (enum compare_level)i;
	}
	return main;
}

/*
 * The words that follow "no difference found": " in shares", " in shares, totals not compared", or
 * "". @is_titled: the title already says that shares were compared.
 */
static const char *diff_tested(const struct diff_page *p, bool is_titled)
{
	if (p->c->norm != COMPARE_TOTAL || is_titled)
		return "";
	return p->c->n_wholes ? " in shares" : " in shares, totals not compared";
}

static struct str diff_summary(const struct diff_page *p, enum compare_level level, bool is_titled)
{
	const struct compare_table *t = &p->c->tables[level];
	const struct compare_row *more = diff_largest(t, COMPARE_MORE);
	const struct compare_row *less = diff_largest(t, COMPARE_LESS);
	struct str counts = diff_counts(p, t, level);
	const struct compare_row *first = more, *second = less;
	const char *words[2] = { "more", "less" };

	if (more && less && fabs(less->delta) > fabs(more->delta)) {
		first = less;
		second = more;
		words[0] = "less";
		words[1] = "more";
	} else if (!more) {
		first = less;
		second = NULL;
		words[0] = "less";
	}
	if (!first && p->c->spread == COMPARE_UNKNOWN)
		return diff_summary_print(p, t, level);
	if (!first)
		return show_format(p->s, "no difference found%s: " STR_FMT,
				   diff_tested(p, is_titled), STR_ARG(counts));
	if (!second)
		return show_format(p->s, "B spends " STR_FMT "; " STR_FMT,
				   STR_ARG(diff_clause(p, first, words[0])), STR_ARG(counts));
	return show_format(p->s, "B spends " STR_FMT " and " STR_FMT "; " STR_FMT,
			   STR_ARG(diff_clause(p, first, words[0])),
			   STR_ARG(diff_clause(p, second, words[1])), STR_ARG(counts));
}

/*
 * Whether the headline is about a total (CPU or wall time). If so, the next line is about shares.
 */
static bool diff_is_slower(const struct compare *c)
{
	return (c->n_wholes > 0 && diff_is_change(c->wholes[0].verdict)) ||
	       (c->n_wholes > 1 && diff_is_change(c->wholes[1].verdict));
}

/*
 * The burst that the headline reports: the burst of the function with the largest change. If no
 * function changed, it is the first burst. NULL: the headline reports no burst.
 */
static const struct compare_burst *diff_main_burst(const struct compare *c,
						   const struct compare_table *t)
{
	const struct compare_row *most = t->rows.len ? &t->rows.data[0] : NULL;

	if (c->bursts.len == 0 || diff_is_slower(c) || diff_is_moved(c))
		return NULL;
	if (!diff_has_changes(t))
		return &c->bursts.data[0];
	VEC_FOREACH (b, &c->bursts) {
		if (str_eq(b->name, most->name) && b->is_in_b == (most->delta > 0))
			return b;
	}
	return NULL;
}

/*
 * The headline. It reports, in this order of preference: a total that differs, shares that differ,
 * or that no difference was found.
 */
static struct str diff_headline(const struct diff_page *p, struct str shares, bool has_shares)
{
	const struct compare *c = p->c;
	const struct compare_whole *cpu = &c->wholes[0], *wall = &c->wholes[1];

	if (c->n_wholes == 0 && diff_is_moved(c))
		return show_format(p->s, STR_FMT "; totals were not compared",
				   STR_ARG(diff_move(p, &c->moves.data[0])));
	if (c->n_wholes == 0)
		return shares;
	if (diff_is_change(cpu->verdict))
		return diff_whole_summary(p, cpu);
	if (c->n_wholes > 1 && diff_is_change(wall->verdict))
		return show_format(p->s, STR_FMT "; " STR_FMT, STR_ARG(diff_whole_summary(p, wall)),
				   STR_ARG(diff_whole_none(p, cpu)));
	if (diff_is_moved(c))
		return show_format(p->s, STR_FMT "; " STR_FMT,
				   STR_ARG(diff_move(p, &c->moves.data[0])),
				   STR_ARG(diff_whole_none(p, cpu)));
	return show_format(p->s, STR_FMT "; " STR_FMT,
			   STR_ARG(has_shares ? shares : diff_whole_none(p, cpu)),
			   STR_ARG(has_shares ? diff_whole_none(p, cpu) : shares));
}

static void diff_capture(const struct diff_page *p, const struct diff_side *side, size_t i,
			 const char *title)
{
	struct show *s = p->s;
	const struct capture *c = side->captures[i];
	const struct profile *f = c->profile;
	struct str lines = show_lines(s, c->first_line, c->last_line);
	struct out what = { .fd = -1 };

	out_str(&what, show_string(s, c->path));
	if (lines.len && (side->of[i] > 1 || (f && f->table.rows.len)))
		out_printf(&what, " " STR_FMT, STR_ARG(lines));
	if (side->of[i] > 1)
		out_printf(&what, " (%" PRIu32 " of %" PRIu32 ")", side->numbers[i], side->of[i]);
	if (f && f->event.v)
		out_printf(&what, ", " STR_FMT, STR_ARG(show_string(s, f->event)));
	if (f && f->has_n_samples)
		out_printf(&what, ", %" PRIu64 " samples", f->n_samples);
	else if (f && f->samples.n && !f->table.rows.len)
		out_printf(&what, ", %zu weighted stacks", f->samples.n);
	if (f && f->table.rows.len)
		out_printf(
			&what, ", " STR_FMT,
			STR_ARG(show_plural(s, f->table.rows.len, "printed row", "printed rows")));
	view_line(s->v, title, STR_FMT, STR_ARG(out_view(&what)));
	out_fini(&what);
}

static void diff_side_json(const struct diff_page *p, const struct diff_side *side,
			   const struct compare_total *t, const char *key)
{
	struct view *v = p->s->v;

	view_object(v, key, NULL);
	view_field(v, "samples", NULL, t ? diff_real(t->samples) : cell_none());
	view_field(v, "total", NULL, t ? diff_real(t->weight) : cell_none());
	view_field(v, "seconds", NULL, t ? diff_real(t->seconds) : cell_none());
	view_field(v, "shown", NULL, t ? diff_real(t->shown_pct) : cell_none());
	view_list(v, "captures");
	for (size_t i = 0; i < side->n; i++) {
		const struct capture *c = side->captures[i];

		view_object(v, NULL, NULL);
		view_field(v, "format", NULL, cell_word(c->format));
		if (c->profile)
			view_field(v, "event", NULL, show_name(p->s, c->profile->event));
		view_field(v, "number", NULL, cell_count(side->numbers[i]));
		show_source(p->s, c);
		view_object_end(v);
	}
	view_list_end(v);
	view_object_end(v);
}

static void diff_sides(const struct diff_page *p)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < p->sides[side].n; i++)
			diff_capture(p, &p->sides[side], i, i ? NULL : side ? "B" : "A");
	}
}

static void diff_notes(const struct diff_page *p, const struct compare_note *notes, size_t n,
		       const char *key, const char *title)
{
	bool has_title = false;

	view_list(p->s->v, key);
	for (size_t i = 0; i < n; i++) {
		view_object(p->s->v, NULL, NULL);
		view_field(p->s->v, "id", NULL, cell_word(notes[i].id));
		view_field(p->s->v, "warning", NULL, cell_bool(notes[i].is_warning));
		view_field(p->s->v, "sentence", NULL, cell_text(notes[i].sentence));
		view_object_end(p->s->v);
	}
	view_list_end(p->s->v);
	for (int warning = 1; warning >= 0; warning--) {
		for (size_t i = 0; i < n; i++) {
			if (notes[i].is_warning != (warning == 1))
				continue;
			view_line(p->s->v, has_title ? NULL : title, "%s" STR_FMT,
				  n > 1 ? "- " : "", STR_ARG(notes[i].sentence));
			has_title = true;
		}
	}
}

static void diff_spread_json(const struct diff_page *p, const struct compare_table *t)
{
	struct view *v = p->s->v;

	view_object(v, "spread", NULL);
	view_field(v, "from", NULL, cell_word(compare_spread_name(p->c->spread)));
	view_field(v, "slices", NULL, p->c->n_slices ? cell_count(p->c->n_slices) : cell_none());
	view_field(v, "dispersion", NULL, diff_real(t->dispersion));
	view_object_end(v);
}

/*
 * The end of the sentence "Samples vary 1.10 times as much as independent ones, …". It reports how
 * the figure 1.10 was found.
 */
static struct str diff_spread_from(const struct diff_page *p)
{
	static const char *const once = "Differences between program starts are not in it: record "
					"several runs.";
	const struct compare *c = p->c;

	switch (c->spread) {
	case COMPARE_BY_RUNS:
		return show_format(p->s, "measured between %zu and %zu runs.", p->sides[0].n,
				   p->sides[1].n);
	case COMPARE_BY_RUNS_ONE:
		return STR("measured between the runs of one side.");
	case COMPARE_BY_SLICES:
		return show_format(p->s, "measured between %u time slices. %s", c->n_slices, once);
	case COMPARE_BY_SLICES_ONE:
		return show_format(p->s, "measured between %u time slices of one side. %s",
				   c->n_slices, once);
	case COMPARE_GIVEN:
		return STR("given by --dispersion.");
	default:
		return STR("assumed, not measured. Bursts and threads may make it more.");
	}
}

static void diff_spread(const struct diff_page *p, const struct compare_table *t)
{
	struct view *v = p->s->v;
	const struct compare *c = p->c;

	diff_spread_json(p, t);
	if (c->spread == COMPARE_UNKNOWN)
		view_line(v, "Spread",
			  "Unknown without the number of samples. Intervals are those of the "
			  "printed digits; 'Needs samples' is the number a side that would make a "
			  "difference significant.");
	else if (c->spread == COMPARE_BY_CALLS)
		view_line(v, "Spread",
			  "Measured between single calls, assumed independent; the runs of a side "
			  "are one.");
	else
		view_line(v, "Spread",
			  "Samples vary %.2f times as much as independent ones "
			  "(variance%s), " STR_FMT,
			  t->dispersion, c->spread >= COMPARE_ASSUMED ? "" : ", median",
			  STR_ARG(diff_spread_from(p)));
}

/* Print how much longer the recordings must be to show a change of the size given by --want. */
static void diff_longer(const struct diff_page *p, const struct compare_table *t, struct str unit)
{
	struct view *v = p->s->v;
	struct str want = diff_value(p, p->c->want);

	if (!(p->c->want > 0) || isnan(t->longer))
		return;
	if (isinf(t->longer))
		view_line(v, "Longer",
			  "A change of " STR_FMT " " STR_FMT
			  " is smaller than the printed digits: record samples, do not print a "
			  "report.",
			  STR_ARG(want), STR_ARG(unit));
	else if (t->longer > 1)
		view_line(v, "Longer",
			  "To see a change of " STR_FMT " " STR_FMT
			  " in the hottest function, record %.2g times as long on both sides.",
			  STR_ARG(want), STR_ARG(unit), t->longer);
	else
		view_line(v, "Longer",
			  "A change of " STR_FMT " " STR_FMT
			  " in the hottest function would show already.",
			  STR_ARG(want), STR_ARG(unit));
}

static void diff_visible(const struct diff_page *p, const struct compare_table *t)
{
	struct view *v = p->s->v;
	const struct compare *c = p->c;
	struct str unit = c->norm == COMPARE_TOTAL ? STR("points") : c->unit;

	view_field(v, "smallest_visible", NULL, diff_real(t->visible_one));
	view_field(v, "smallest_visible_heaviest", NULL, diff_real(t->visible_top));
	view_field(v, "longer", NULL, diff_real(t->longer));
	if (c->norm == COMPARE_PER_CALL)
		view_line(v, "Meaning",
			  "more, less: at most 1 of 20 is wrong (Benjamini-Hochberg). same: the 95 "
			  "%% interval lies within ± %g %% of A's time.",
			  COMPARE_CALL_MARGIN);
	if (c->spread == COMPARE_UNKNOWN || isnan(t->visible_one))
		return;
	view_line(v, "Meaning",
		  "more, less: at most 1 of %.0f is wrong (Benjamini-Hochberg). same: the 95 %% "
		  "interval lies within ± " STR_FMT " " STR_FMT ".",
		  1 / c->alpha, STR_ARG(diff_value(p, c->margin)), STR_ARG(unit));
	view_line(v, "Visible",
		  "Smallest detectable change: " STR_FMT " " STR_FMT " (hottest function), " STR_FMT
		  " (a function of %s), found 4 of 5 times.",
		  STR_ARG(diff_value(p, t->visible_top)), STR_ARG(unit),
		  STR_ARG(diff_value(p, t->visible_one)),
		  c->norm == COMPARE_TOTAL ? "1 %" : "a hundredth of the total");
	diff_longer(p, t, unit);
}

/* Whether a line about moved shares on the page already reports the rename @r. */
static bool diff_has_moved(const struct compare *c, const struct compare_rename *r)
{
	VEC_FOREACH (m, &c->moves) {
		if (m->how == MOVED_NAMES && str_eq(m->from, r->from) && str_eq(m->to, r->to))
			return true;
	}
	return false;
}

static void diff_matched(const struct diff_page *p)
{
	struct view *v = p->s->v;
	const struct compare *c = p->c;
	struct out what = { .fd = -1 };

	view_object(v, "matched", NULL);
	view_field(v, "by_base_name", NULL, cell_count(c->matched_base));
	view_field(v, "inlined", NULL, cell_count(c->matched_inlined));
	view_field(v, "in_another_object", NULL, cell_count(c->matched_dso));
	view_field(v, "objects", NULL, cell_count(c->matched_objects));
	view_field(v, "overlap", NULL, diff_real(c->overlap));
	view_object_end(v);
	view_list(v, "renamed");
	VEC_FOREACH (r, &c->renames) {
		view_object(v, NULL, NULL);
		view_field(v, "from", NULL, cell_text(r->from));
		view_field(v, "to", NULL, cell_text(r->to));
		view_object_end(v);
	}
	view_list_end(v);
	if (c->matched_base)
		out_printf(&what, STR_FMT " by their base name (" STR_FMT "), ",
			   STR_ARG(show_plural(p->s, c->matched_base, "function", "functions")),
			   STR_ARG(c->matched_example));
	if (c->matched_objects)
		out_printf(&what, STR_FMT " under another name (" STR_FMT "), ",
			   STR_ARG(show_plural(p->s, c->matched_objects, "object", "objects")),
			   STR_ARG(c->object_example));
	if (c->matched_inlined)
		out_printf(&what, "%" PRIu64 " inlined on one side only, ", c->matched_inlined);
	if (c->matched_dso)
		out_printf(&what, "%" PRIu64 " in another object, ", c->matched_dso);
	if (what.len > 2) {
		what.len -= 2;
		view_line(v, "Matched", STR_FMT, STR_ARG(out_view(&what)));
	}
	out_fini(&what);
	for (size_t i = 0; i < c->renames.len && i < DIFF_RENAMES_MAX; i++) {
		const struct compare_rename *r = &c->renames.data[i];

		if (diff_has_moved(c, r))
			continue;
		view_line(v, i ? NULL : "Renamed?",
			  STR_FMT " (A " STR_FMT ") may be " STR_FMT " (B " STR_FMT ")",
			  STR_ARG(r->from), STR_ARG(diff_value(p, r->a)), STR_ARG(r->to),
			  STR_ARG(diff_value(p, r->b)));
	}
}

static void diff_verdicts(const struct diff_page *p, const struct compare_table *t,
			  enum compare_level level)
{
	struct view *v = p->s->v;

	view_field(v, "by", NULL, cell_word(compare_level_name(level)));
	view_field(v, "more", NULL, cell_count(t->counts[COMPARE_MORE]));
	view_field(v, "less", NULL, cell_count(t->counts[COMPARE_LESS]));
	view_field(v, "same", NULL, cell_count(t->counts[COMPARE_SAME]));
	view_field(v, "cannot_tell", NULL, cell_count(t->counts[COMPARE_CANNOT_TELL]));
	view_field(v, "new", NULL, cell_count(t->n_new));
	view_field(v, "vanished", NULL, cell_count(t->n_vanished));
	view_field(v, "tested", NULL, cell_count(t->n_tested));
}

static void diff_tables(const struct diff_page *p, enum compare_level main)
{
	static const char *const keys[] = { "by_symbol", "by_children", "by_dso", "by_category",
					    "by_stack" };
	struct view *v = p->s->v;

	if (p->c->tables[main].missing.len)
		view_line(v, "Table", "none by %s: " STR_FMT, compare_level_name(main),
			  STR_ARG(p->c->tables[main].missing));
	else
		diff_table(p, main, "rows", true);
	if (p->options->by != DIFF_BY_ALL)
		return;
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++) {
		const struct compare_table *t = &p->c->tables[i];

		if ((enum compare_level)i == main || t->missing.len || p->s->session->to.is_csv)
			continue;
		if (p->c->spread == COMPARE_UNKNOWN && !p->s->session->to.is_json)
			continue;
		diff_table(p, (enum compare_level)i, keys[i], false);
	}
}

bool diff_show(struct show *s, const struct diff_side sides[2], struct compare *c,
	       const struct diff_show_options *options)
{
	struct diff_page p = { s, c, options, sides };
	enum compare_level level = diff_main_level(&p);
	const struct compare_table *t = &c->tables[level];
	enum compare_level about = diff_summary_level(&p, level);
	struct str shares = c->tables[about].missing.len
				    ? STR("nothing to show")
				    : diff_summary(&p, about, diff_is_slower(c));
	const struct compare_burst *burst = diff_main_burst(c, &c->tables[about]);
	struct str summary;

	if (about != level)
		shares = show_format(s, STR_FMT "; no %s alone shows a difference", STR_ARG(shares),
				     diff_kind(level, 1));
	summary = diff_headline(&p, shares, diff_has_changes(&c->tables[about]));
	if (str_starts(summary, STR("no difference")))
		summary = show_format(s, "N" STR_FMT, STR_ARG(str_skip(summary, 1)));
	if (burst)
		summary = show_format(s, STR_FMT "; " STR_FMT, STR_ARG(summary),
				      STR_ARG(diff_burst(&p, burst)));

	view_begin(s->v, "assay-diff-1");
	view_field(s->v, "summary", NULL, cell_text(summary));
	view_heading(s->v, summary, "%s", "");
	view_field(s->v, "comparable", NULL, cell_bool(c->refusals.len == 0));
	diff_side_json(&p, &sides[0], &c->a, "a");
	diff_side_json(&p, &sides[1], &c->b, "b");
	diff_sides(&p);
	view_field(s->v, "unit", NULL, cell_text(c->unit));
	view_field(s->v, "margin", NULL, diff_real(c->margin));
	view_field(s->v, "alpha", NULL, diff_real(c->alpha));
	if (c->norm != COMPARE_TOTAL)
		view_line(s->v, "Unit", STR_FMT, STR_ARG(c->unit));
	diff_wholes(&p);
	diff_notes(&p, c->refusals.data, c->refusals.len, "refused", "Forced");
	diff_notes(&p, c->notes.data, c->notes.len, "notes", "Data");
	diff_whole_parts(&p);
	if (diff_is_slower(c) && c->norm == COMPARE_TOTAL)
		view_line(s->v, "Shares", STR_FMT, STR_ARG(shares));
	diff_changes(&p, burst);
	diff_tables(&p, level);
	diff_verdicts(&p, t, level);
	view_heading(s->v, STR("How sure"), "%s", "");
	diff_matched(&p);
	diff_whole_sure(&p);
	diff_spread(&p, t);
	diff_visible(&p, t);
	return t->missing.len == 0;
}

void diff_show_refusal(struct show *s, const struct diff_side sides[2], const struct compare *c)
{
	static const struct diff_show_options none = { .by = DIFF_BY_ALL };
	struct compare empty = { .norm = COMPARE_TOTAL };
	struct diff_page p = { s, &empty, &none, sides };

	view_begin(s->v, "assay-diff-1");
	view_field(s->v, "comparable", NULL, cell_bool(false));
	view_heading(s->v, STR("these cannot be compared"), "%s", "");
	diff_side_json(&p, &sides[0], NULL, "a");
	diff_side_json(&p, &sides[1], NULL, "b");
	diff_sides(&p);
	diff_notes(&p, c->refusals.data, c->refusals.len, "refused", "Why");
	diff_notes(&p, c->notes.data, c->notes.len, "notes", "Also");
	view_line(s->v, "Still", "--force compares them all the same");
}
