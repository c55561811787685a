/* SPDX-License-Identifier: MIT */
/*
 * diff_changes.c - explanations of differences: moves and bursts
 *
 * A move is work that moved from one function to another. A burst is work that one side does only
 * in a part of its run.
 */
#include "cmds/diff/diff_page.h"

#include "analyses/compare/compare.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "render/view.h"

#include <math.h>

#define CHANGES_MAX 5u
/*
 * the headline can be a move only if at least this fraction of the weight that functions lost has
 * moved to other functions; see diff_is_moved()
 */
#define DIFF_MOVED_MIN 0.9

struct str diff_amount(const struct diff_page *p, double delta)
{
	if (p->c->norm == COMPARE_TOTAL)
		return show_format(p->s, "%.*f points", fabs(delta) < 0.95 ? 2 : 1, fabs(delta));
	return show_format(p->s, STR_FMT " " STR_FMT, STR_ARG(diff_value(p, fabs(delta))),
			   STR_ARG(p->c->unit));
}

struct str diff_move(const struct diff_page *p, const struct compare_move *m)
{
	static const char *const how[] = { " (a similar name)", ", which called it in A",
					   ", which it calls in B", ", both called from " };

	return show_format(p->s, STR_FMT " moved from " STR_FMT " to " STR_FMT "%s" STR_FMT,
			   STR_ARG(diff_amount(p, m->lost)), STR_ARG(m->from), STR_ARG(m->to),
			   how[m->how], STR_ARG(m->caller));
}

bool diff_is_moved(const struct compare *c)
{
	const struct compare_table *t = &c->tables[COMPARE_SYMBOL];

	return c->moves.len > 0 && c->moved_part >= DIFF_MOVED_MIN &&
	       c->moves.len == t->counts[COMPARE_MORE];
}

static void changes_moves(const struct diff_page *p)
{
	struct view *v = p->s->v;

	view_list(v, "moves");
	VEC_FOREACH (m, &p->c->moves) {
		static const char *const how[] = { "names", "to-caller", "to-callee",
						   "same-caller" };

		view_object(v, NULL, NULL);
		view_field(v, "from", NULL, cell_text(m->from));
		view_field(v, "to", NULL, cell_text(m->to));
		view_field(v, "lost", NULL, diff_real(m->lost));
		view_field(v, "gained", NULL, diff_real(m->gained));
		view_field(v, "how", NULL, cell_word(how[m->how]));
		view_field(v, "caller", NULL, m->caller.len ? cell_text(m->caller) : cell_none());
		view_object_end(v);
	}
	view_list_end(v);
	/* if the only difference is one move of work, the headline already shows this move */
	for (size_t i = diff_is_moved(p->c) && p->c->moves.len == 1;
	     i < p->c->moves.len && i < CHANGES_MAX; i++)
		view_line(v, i ? NULL : "Moved", STR_FMT,
			  STR_ARG(diff_move(p, &p->c->moves.data[i])));
}

struct str diff_burst(const struct diff_page *p, const struct compare_burst *b)
{
	const char *side = b->is_in_b ? "B" : "A";
	int decimals = b->seconds >= 100 ? 0 : b->seconds >= 10 ? 1 : b->seconds >= 1 ? 2 : 3;

	return show_format(p->s,
			   STR_FMT " in " STR_FMT " went away: %s spends them from %.*f to %.*f s "
				   "of %.*f s only",
			   STR_ARG(diff_amount(p, b->points)), STR_ARG(b->name), side, decimals,
			   b->from, decimals, b->to, decimals, b->seconds);
}

static void changes_bursts(const struct diff_page *p, const struct compare_burst *headline)
{
	struct view *v = p->s->v;
	size_t shown = 0;

	view_list(v, "bursts");
	VEC_FOREACH (b, &p->c->bursts) {
		view_object(v, NULL, NULL);
		view_field(v, "symbol", NULL, cell_text(b->name));
		view_field(v, "dso", NULL, b->dso.len ? cell_text(b->dso) : cell_none());
		view_field(v, "side", NULL, cell_word(b->is_in_b ? "b" : "a"));
		view_field(v, "points", NULL, diff_real(b->points));
		view_field(v, "from", NULL, diff_real(b->from));
		view_field(v, "to", NULL, diff_real(b->to));
		view_field(v, "seconds", NULL, diff_real(b->seconds));
		view_object_end(v);
	}
	view_list_end(v);
	VEC_FOREACH (b, &p->c->bursts) {
		if (b == headline || shown == CHANGES_MAX)
			continue;
		view_line(v, shown++ ? NULL : "Burst", STR_FMT, STR_ARG(diff_burst(p, b)));
	}
}

void diff_changes(const struct diff_page *p, const struct compare_burst *headline)
{
	changes_moves(p);
	changes_bursts(p, headline);
}
