/* SPDX-License-Identifier: MIT */
/*
 * show_annotate_pair.c - a function of two recordings by source line, for `annotate BEFORE AFTER`
 */

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_lines.h"
#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/profile.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define PAIR_ROWS 16u /* maximum number of rows in text, without --all */

struct pair {
	struct show *s;
	const struct compare_lines *l;
	const struct capture *const *sides;
};

/* A real number for JSON and CSV. */
static struct cell pair_real(double v)
{
	return isnan(v) ? cell_none() : isinf(v) ? cell_null() : cell_real(v, 4);
}

static bool pair_is_address(const struct pair *p)
{
	return p->l->by == COMPARE_LINES_BY_ADDRESS;
}

/* The word for a verdict: "less", or "gone" if only A has the line. */
static const char *pair_verdict(const struct compare_row *r)
{
	static const char *const names[] = { "same", "more", "less", "cannot tell" };

	if (r->verdict == COMPARE_MORE && r->is_new)
		return "new";
	if (r->verdict == COMPARE_LESS && r->is_vanished)
		return "gone";
	return names[r->verdict];
}

/*
 * Format the position of a line: "a.c:12"; "a.c:12>15" if the line moved; "<+0x1c>" for an
 * instruction.
 */
static struct str pair_place(const struct pair *p, const struct compare_line *line)
{
	uint32_t number = line->a_number ? line->a_number : line->b_number;

	if (pair_is_address(p))
		return show_format(p->s, "<+0x%" PRIx64 ">", line->offset);
	if (!number)
		return STR("no line");
	if (line->b_number && line->b_number != number)
		return show_format(p->s, STR_FMT ":%u>%u", STR_ARG(show_string(p->s, line->file)),
				   number, line->b_number);
	return show_format(p->s, STR_FMT ":%u", STR_ARG(show_string(p->s, line->file)), number);
}

static void pair_row(const struct pair *p, const struct compare_line *line)
{
	const struct compare_row *r = &line->row;
	struct cell cells[] = {
		cell_real(line->a_self, 1),
		cell_real(line->b_self, 1),
		cell_text(show_format(p->s, "%.1f to %.1f", r->a, r->b)),
		cell_text(show_format(p->s, "%+.1f to %+.1f", r->low, r->high)),
		cell_word(pair_verdict(r)),
		cell_text(pair_place(p, line)),
		line->text.v ? cell_text(str_trim(show_string(p->s, line->text))) : cell_none(),
		/* the remaining cells are only in JSON and CSV */
		line->file.v ? show_name(p->s, line->file) : cell_none(),
		line->a_number ? cell_count(line->a_number) : cell_none(),
		line->b_number ? cell_count(line->b_number) : cell_none(),
		line->inlined.v ? show_name(p->s, line->inlined) : cell_none(),
		pair_is_address(p) ? cell_count(line->offset) : cell_none(),
		pair_real(r->a),
		pair_real(r->b),
		pair_real(r->delta),
		pair_real(r->low),
		pair_real(r->high),
		pair_real(r->p),
		pair_real(r->q),
		cell_word(compare_verdict_name(r->verdict)),
		pair_real(r->samples_a),
		pair_real(r->samples_b),
		pair_real(r->visible),
		pair_real(compare_line_needs(r)),
		p->s->session->to.is_csv ? cell_text(p->l->name) : cell_none(),
	};

	view_row(p->s->v, cells);
}

/* Print the number of inconclusive rows, and how many samples a verdict would need. */
static void pair_inconclusive(const struct pair *p, size_t n_left)
{
	const struct compare_table *t = &p->l->all.tables[COMPARE_SYMBOL];
	const char *one = pair_is_address(p) ? "instruction" : "line";
	const char *many = pair_is_address(p) ? "instructions" : "lines";
	uint64_t n = t->counts[COMPARE_CANNOT_TELL];
	const struct compare_line *widest = NULL;
	double needs;

	if (n_left)
		view_line(p->s->v, NULL, "... %zu more: --all shows them", n_left);
	VEC_FOREACH (line, &p->l->rows) {
		if (line->row.verdict == COMPARE_CANNOT_TELL &&
		    (!widest || fabs(line->row.delta) > fabs(widest->row.delta)))
			widest = line;
	}
	if (!widest)
		return;
	needs = compare_line_needs(&widest->row);
	if (needs > 1)
		view_line(p->s->v, "Cannot tell",
			  STR_FMT
			  ". A difference as large as that of " STR_FMT
			  " (%+.1f points) needs %.1f times as many samples: %.0f in A, %.0f in B",
			  STR_ARG(show_plural(p->s, n, one, many)), STR_ARG(pair_place(p, widest)),
			  widest->row.delta, needs,
			  needs * (double)profile_count_samples(p->sides[0]->profile),
			  needs * (double)profile_count_samples(p->sides[1]->profile));
	else
		view_line(p->s->v, "Cannot tell", STR_FMT,
			  STR_ARG(show_plural(p->s, n, one, many)));
}

static void pair_rows(const struct pair *p, bool is_whole)
{
	bool is_text = !p->s->session->to.is_json && !p->s->session->to.is_csv;
	struct view_column columns[] = {
		{ "a_self", "A %", 0 },
		{ "b_self", "B %", 0 },
		{ NULL, "Of all %", COLUMN_RIGHT },
		{ NULL, "Change (95 %)", COLUMN_RIGHT | COLUMN_MINOR },
		{ NULL, "Verdict", 0 },
		{ "place", pair_is_address(p) ? "At" : "Line", 0 },
		{ "text", pair_is_address(p) ? "Instruction" : "Source",
		  COLUMN_FLEX | COLUMN_CODE },
		{ "file", NULL, 0 },
		{ "a_line", NULL, 0 },
		{ "b_line", NULL, 0 },
		{ "inlined", NULL, 0 },
		{ "offset", NULL, 0 },
		{ "a", NULL, 0 },
		{ "b", NULL, 0 },
		{ "delta", NULL, 0 },
		{ "low", NULL, 0 },
		{ "high", NULL, 0 },
		{ "p", NULL, 0 },
		{ "p_adjusted", NULL, 0 },
		{ "verdict", NULL, 0 },
		{ "samples_a", NULL, 0 },
		{ "samples_b", NULL, 0 },
		{ "smallest_visible", NULL, 0 },
		{ "samples_factor", NULL, 0 },
		{ "function", NULL, 0 }, /* this column is only in CSV */
	};
	struct view_table table = {
		.key = "rows", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};
	size_t shown =
		is_text && !is_whole && p->l->rows.len > PAIR_ROWS ? PAIR_ROWS : p->l->rows.len;

	view_table(p->s->v, &table);
	for (size_t i = 0; i < shown; i++)
		pair_row(p, &p->l->rows.data[i]);
	view_table_end(p->s->v);
	pair_inconclusive(p, p->l->rows.len - shown);
}

/* Print how lines were matched, and what is uncertain about that. */
static void pair_matched(const struct pair *p)
{
	static const char *const how[] = {
		"matched by code: both builds have the same instructions, apart from numbers",
		"matched by the texts of the source lines",
		"matched by number: an edit between the builds moves lines, and a row is then two "
		"different lines",
		"none known (-g). Instructions are matched: both builds have the same, apart from "
		"numbers",
	};

	view_field(p->s->v, "matched_by", NULL, cell_word(compare_lines_by_name(p->l->by)));
	view_field(p->s->v, "is_inlined", NULL, cell_bool(p->l->is_inlined));
	view_field(p->s->v, "source_changed", NULL, cell_bool(p->l->is_changed));
	view_line(p->s->v, p->l->by == COMPARE_LINES_BY_NUMBER ? "Caution" : "Lines", "%s%s",
		  p->l->by == COMPARE_LINES_BY_NUMBER ? "lines are " : "", how[p->l->by]);
	if (p->l->is_changed)
		view_line(p->s->v, "Caution",
			  "a source file changed after its program was built: texts may be those "
			  "of other lines");
	if (p->l->is_inlined)
		view_line(p->s->v, "Inlined",
			  "the function is inlined on a side; functions inlined into it are left "
			  "out on both");
}

/*
 * Print the totals of both recordings. Without them, a larger share could mean that everything else
 * became cheaper.
 */
static void pair_total(const struct pair *p)
{
	const struct compare_whole *w = &p->l->all.wholes[0];

	/* if samples are selected, their total is not the total of a whole run */
	if (p->l->all.n_wholes == 0 || p->sides[0]->profile->is_selected)
		return;
	view_object(p->s->v, "total", NULL);
	view_field(p->s->v, "what", NULL, cell_text(w->what));
	view_field(p->s->v, "unit", NULL, cell_text(w->unit));
	view_field(p->s->v, "a", NULL, pair_real(w->a));
	view_field(p->s->v, "b", NULL, pair_real(w->b));
	view_field(p->s->v, "change_pct", NULL, pair_real(w->change));
	view_field(p->s->v, "low", NULL, pair_real(w->low));
	view_field(p->s->v, "high", NULL, pair_real(w->high));
	view_field(p->s->v, "verdict", NULL, cell_word(compare_verdict_name(w->verdict)));
	view_object_end(p->s->v);
	view_line(p->s->v, "Total",
		  STR_FMT " %.3g to %.3g " STR_FMT " (%+.1f %%, 95 %%: %+.1f to %+.1f %%): %s",
		  STR_ARG(w->what), w->a, w->b, STR_ARG(w->unit), w->change, w->low, w->high,
		  w->verdict == COMPARE_CANNOT_TELL ? "cannot tell"
						    : compare_verdict_name(w->verdict));
}

static void pair_side(const struct pair *p, int side, uint64_t samples)
{
	const struct capture *c = p->sides[side];

	view_object(p->s->v, side ? "b" : "a", NULL);
	view_field(p->s->v, "path", NULL, show_name(p->s, c->path));
	view_field(p->s->v, "event", NULL, show_name(p->s, c->profile->event));
	view_field(p->s->v, "samples", NULL, cell_count(samples));
	view_field(p->s->v, "of_all_pct", NULL,
		   pair_real(side ? p->l->function.b : p->l->function.a));
	view_object_end(p->s->v);
	view_line(p->s->v, side ? "B" : "A",
		  STR_FMT ", " STR_FMT ": %" PRIu64 " of %" PRIu64 " samples",
		  STR_ARG(show_string(p->s, c->path)),
		  STR_ARG(show_string(p->s, c->profile->event)), samples,
		  profile_count_samples(c->profile));
}

void show_annotate_pair(struct show *s, const struct capture *const sides[2],
			const struct compare_lines *l, bool is_whole)
{
	struct pair p = { .s = s, .l = l, .sides = sides };
	const struct compare_row *f = &l->function;
	struct event_unit unit = event_unit_named(show_string(s, sides[0]->profile->event));

	view_object(s->v, NULL, NULL);
	view_field(s->v, "function", NULL, cell_text(l->name));
	view_heading(s->v, show_format(s, STR_FMT ":", STR_ARG(l->name)),
		     "%.1f %% of %s in A, %.1f %% in B (%+.1f points, 95 %%: %+.1f to %+.1f): %s",
		     f->a, unit.of, f->b, f->delta, f->low, f->high, pair_verdict(f));
	view_field(s->v, "delta", NULL, pair_real(f->delta));
	view_field(s->v, "low", NULL, pair_real(f->low));
	view_field(s->v, "high", NULL, pair_real(f->high));
	view_field(s->v, "verdict", NULL, cell_word(compare_verdict_name(f->verdict)));
	pair_side(&p, 0, l->samples_a);
	pair_side(&p, 1, l->samples_b);
	pair_total(&p);
	pair_matched(&p);
	view_list(s->v, "notes");
	VEC_FOREACH (note, &l->all.notes) {
		if (!note->is_warning)
			continue;
		view_object(s->v, NULL, NULL);
		view_field(s->v, "id", NULL, cell_word(note->id));
		view_field(s->v, "sentence", NULL, cell_text(note->sentence));
		view_line(s->v, "Caution", STR_FMT, STR_ARG(note->sentence));
		view_object_end(s->v);
	}
	view_list_end(s->v);
	view_field(s->v, "spread", NULL, cell_word(compare_spread_name(l->all.spread)));
	view_field(s->v, "margin", NULL, pair_real(l->all.margin));
	pair_rows(&p, is_whole);
	view_object_end(s->v);
}
