/* SPDX-License-Identifier: MIT */
/*
 * Find work that moved: one function lost a share, another one gained as much, and something
 * else than the amount connects them, since two equal amounts alone are a coincidence.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_build.h"
#include "base/str.h"
#include "base/vec.h"

#include <math.h>

#define MOVES_MAX        64u /* functions a direction */
#define MOVES_CALLER_MIN 0.5 /* part of a function that the other one must have called */
#define MOVES_SAME_MIN   0.8 /* part of either function that the same caller must have called */
#define MOVES_RATIO      1.5 /* largest ratio of the amounts */

/* Whether @to gained what @from lost: within the intervals of both. */
static bool moves_are_equal(const struct compare_row *from, const struct compare_row *to)
{
	double lost = -from->delta, gained = to->delta;
	double room = hypot((from->high - from->low) / 2, (to->high - to->low) / 2);

	return fabs(gained - lost) <= room && gained <= MOVES_RATIO * lost &&
	       lost <= MOVES_RATIO * gained;
}

/* The main caller of a row on one side. */
static struct str moves_caller(const struct compare *c, const struct compare_row *r, int side,
			       double least)
{
	struct compare_callee f = {
		r->name, r->dso, { side == 0, side == 1 }, side ? r->b : r->a, least
	};

	return f.total > 0 ? compare_main_caller(c, &f) : STR_NONE;
}

/* Whether something connects the two. */
static bool moves_connect(const struct compare *c, const struct compare_row *from,
			  const struct compare_row *to, bool has_callers, struct compare_move *m)
{
	if (from->is_vanished && to->is_new && compare_is_renamed(from->name, to->name)) {
		m->how = MOVED_NAMES;
		return true;
	}
	if (!has_callers)
		return false;
	if (str_eq(moves_caller(c, from, 0, MOVES_CALLER_MIN), to->name)) {
		m->how = MOVED_TO_CALLER;
		return true;
	}
	if (str_eq(moves_caller(c, to, 1, MOVES_CALLER_MIN), from->name)) {
		m->how = MOVED_TO_CALLEE;
		return true;
	}
	if (!from->is_vanished || !to->is_new)
		return false;
	m->how = MOVED_SIBLING;
	m->caller = moves_caller(c, from, 0, MOVES_SAME_MIN);
	return m->caller.len && str_eq(m->caller, moves_caller(c, to, 1, MOVES_SAME_MIN));
}

static size_t moves_rows(const struct compare_table *t, enum compare_verdict verdict,
			 const struct compare_row **ret)
{
	size_t n = 0;

	VEC_FOREACH (r, &t->rows) { /* largest first */
		if (r->verdict == verdict && n < MOVES_MAX)
			ret[n++] = r;
	}
	return n;
}

void compare_moves(struct compare_build *b)
{
	struct compare *c = b->ret;
	const struct compare_table *t = &c->tables[COMPARE_SYMBOL];
	const struct compare_row *lost[MOVES_MAX], *gained[MOVES_MAX];
	size_t n_lost = moves_rows(t, COMPARE_LESS, lost);
	size_t n_gained = moves_rows(t, COMPARE_MORE, gained);
	bool has_callers = c->tables[COMPARE_STACK].missing.len == 0 && n_lost && n_gained &&
			   compare_has_callers(b);
	double all = 0, moved = 0;

	for (size_t i = 0; i < n_lost; i++) {
		all -= lost[i]->delta;
		for (size_t k = 0; k < n_gained; k++) {
			struct compare_move m = { .how = MOVED_NAMES };

			if (!gained[k] || !moves_are_equal(lost[i], gained[k]) ||
			    !moves_connect(c, lost[i], gained[k], has_callers, &m))
				continue;
			m.from = lost[i]->name;
			m.to = gained[k]->name;
			m.lost = -lost[i]->delta;
			m.gained = gained[k]->delta;
			moved += m.lost;
			*VEC_PUSH(&c->moves) = m;
			gained[k] = NULL;
			break;
		}
	}
	c->moved_part = all > 0 ? moved / all : 0;
}
