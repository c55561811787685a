/* SPDX-License-Identifier: MIT */
/*
 * Find work that moved: one function lost weight, and another one gained about as much. Equal
 * amounts alone may be a coincidence. So something else must connect the two functions: their
 * names, a call between them, or a common caller.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_build.h"
#include "base/str.h"
#include "base/vec.h"

#include <math.h>

/* maximum number of functions considered, for losses and for gains */
#define MOVES_MAX 32u
/*
 * minimum fraction of a function's weight that must come from calls by the other function, if a
 * call connects the two
 */
#define MOVES_CALLER_MIN 0.5
/*
 * minimum fraction of each function's weight that must come from the common caller, if a common
 * caller connects the two
 */
#define MOVES_SAME_MIN 0.8
/* the lost and the gained amount may differ by at most this factor */
#define MOVES_RATIO 1.5

/* Whether @to gained as much as @from lost, within the intervals of the two changes. */
static bool moves_are_equal(const struct compare_row *from, const struct compare_row *to)
{
	double lost = -from->delta, gained = to->delta;
	double room = hypot((from->high - from->low) / 2, (to->high - to->low) / 2);

	return fabs(gained - lost) <= room && gained <= MOVES_RATIO * lost &&
	       lost <= MOVES_RATIO * gained;
}

/* A function that lost or gained weight. */
struct moves_row {
	/* the function's row; NULL: it is already part of another move */
	const struct compare_row *row;
	struct str caller;
	/* fraction (0 to 1) of the function's weight that comes from calls by `caller` */
	double part;
};

static size_t moves_rows(const struct compare *c, enum compare_verdict verdict, bool has_callers,
			 struct moves_row *ret)
{
	bool is_lost = verdict == COMPARE_LESS;
	size_t n = 0;

	/* rows are sorted by size of the difference, largest first */
	VEC_FOREACH (r, &c->tables[COMPARE_SYMBOL].rows) {
		struct compare_callee f = {
			r->name, r->dso, { is_lost, !is_lost }, is_lost ? r->a : r->b
		};

		if (r->verdict != verdict || n == MOVES_MAX)
			continue;
		ret[n] = (struct moves_row){ .row = r };
		if (has_callers && f.total > 0)
			ret[n].caller = compare_main_caller(c, &f, &ret[n].part);
		n++;
	}
	return n;
}

static bool moves_is_caller(const struct moves_row *of, const struct compare_row *caller)
{
	return of->caller.len && of->part >= MOVES_CALLER_MIN && str_eq(of->caller, caller->name);
}

/* Whether names, a call, or a common caller connect the two functions; sets m->how, m->caller. */
static bool moves_connect(const struct moves_row *from, const struct moves_row *to,
			  struct compare_move *m)
{
	bool is_replaced = from->row->is_vanished && to->row->is_new;

	if (is_replaced && compare_is_renamed(from->row->name, to->row->name))
		m->how = MOVED_NAMES;
	else if (moves_is_caller(from, to->row))
		m->how = MOVED_TO_CALLER;
	else if (moves_is_caller(to, from->row))
		m->how = MOVED_TO_CALLEE;
	else if (is_replaced && from->caller.len && from->part >= MOVES_SAME_MIN &&
		 to->part >= MOVES_SAME_MIN && str_eq(from->caller, to->caller))
		m->how = MOVED_SIBLING;
	else
		return false;
	if (m->how == MOVED_SIBLING)
		m->caller = from->caller;
	return true;
}

void compare_moves(struct compare_build *b)
{
	struct compare *c = b->ret;
	const struct compare_table *t = &c->tables[COMPARE_SYMBOL];
	bool has_both = t->counts[COMPARE_LESS] && t->counts[COMPARE_MORE];
	bool has_callers =
		has_both && c->tables[COMPARE_STACK].missing.len == 0 && compare_has_callers(b);
	struct moves_row lost[MOVES_MAX], gained[MOVES_MAX];
	size_t n_lost = has_both ? moves_rows(c, COMPARE_LESS, has_callers, lost) : 0;
	size_t n_gained = has_both ? moves_rows(c, COMPARE_MORE, has_callers, gained) : 0;
	double all = 0, moved = 0;

	VEC_FOREACH (r, &t->rows)
		all -= r->verdict == COMPARE_LESS ? r->delta : 0;
	for (size_t i = 0; i < n_lost; i++) {
		for (size_t k = 0; k < n_gained; k++) {
			struct compare_move m = { .from = lost[i].row->name };

			if (!gained[k].row || !moves_are_equal(lost[i].row, gained[k].row) ||
			    !moves_connect(&lost[i], &gained[k], &m))
				continue;
			m.to = gained[k].row->name;
			m.lost = -lost[i].row->delta;
			m.gained = gained[k].row->delta;
			moved += m.lost;
			*VEC_PUSH(&c->moves) = m;
			gained[k].row = NULL;
			break;
		}
	}
	c->moved_part = all > 0 ? moved / all : 0;
}
