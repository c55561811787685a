/* SPDX-License-Identifier: MIT */
#include "cmds/show/show_front.h"

#include "analyses/counters/compare_counters.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "explain/facts.h"
#include "explain/signatures/counter_sides.h"
#include "render/view.h"

#include <math.h>

#define PAIR_TABLES 2u
/*
 * from this ratio on, print "2 times as long" instead of "100 % longer"; 1.995 is rounded to 2.00
 */
#define PAIR_TIMES 1.995

static size_t pair_tables(const struct dossier *d)
{
	size_t n = 0;

	VEC_FOREACH (c, &d->captures)
		n += (*c)->counters && (*c)->excerpt_of == INDEX_NONE &&
		     (*c)->counters->rows.len > 1;
	return n;
}

/* The number of decimals with which a ratio has three digits: "2.11 times", "31.4 times". */
static int pair_decimals(double ratio)
{
	return ratio < 9.995 ? 2 : 1;
}

/* The verb for a sentence about the cost @role, such as "takes". */
static const char *pair_verb(enum counter_role role)
{
	return role == COUNTS_ELAPSED ? "takes" : role == COUNTS_INSTRUCTIONS ? "executes" : "uses";
}

/* The sentence about the cost: "'before' takes 2.10 times as long as 'after'". */
static struct str pair_sentence(struct show *s, const struct counter_sides *sides,
				const struct counter_change *cost)
{
	const char *noun = cost->role == COUNTS_TASK_CLOCK ? "CPU time"
			   : cost->role == COUNTS_CYCLES   ? "cycles"
							   : "instructions";
	bool is_time = cost->role == COUNTS_ELAPSED;
	const char *much = cost->role == COUNTS_TASK_CLOCK ? "much" : "many";
	double more = (cost->ratio - 1) * 100;

	if (cost->verdict == COUNTER_SAME)
		return is_time ? show_format(s, "%s and %s take equally long", sides->bad_name,
					     sides->good_name)
			       : show_format(s, "%s and %s need the same %s", sides->bad_name,
					     sides->good_name, noun);
	if (cost->verdict == COUNTER_UNCERTAIN)
		return show_format(s, "%s and %s differ little, and the spread is unknown",
				   sides->bad_name, sides->good_name);
	if (is_time && cost->ratio >= PAIR_TIMES)
		return show_format(s, "%s takes %.*f times as long as %s", sides->bad_name,
				   pair_decimals(cost->ratio), cost->ratio, sides->good_name);
	if (is_time)
		return show_format(s, "%s takes %.1f %% longer than %s", sides->bad_name, more,
				   sides->good_name);
	if (cost->ratio >= PAIR_TIMES)
		return show_format(s, "%s %s %.*f times as %s %s as %s", sides->bad_name,
				   pair_verb(cost->role), pair_decimals(cost->ratio), cost->ratio,
				   much, noun, sides->good_name);
	return show_format(s, "%s %s %.1f %% more %s than %s", sides->bad_name,
			   pair_verb(cost->role), more, noun, sides->good_name);
}

/* Print a time of both sides, such as the CPU time, and the ratio of the two times. */
static void pair_line(struct show *s, const struct counter_sides *sides, const char *title,
		      const struct counter_change *c)
{
	int decimals = c ? pair_decimals(c->ratio) : 0;
	struct str range = STR("");

	if (!c || !isfinite(c->ratio) || !(c->a > 0))
		return;
	if (c->has_spread)
		range = show_format(s, " (95 %%: %.*f to %.*f)", decimals, c->low, decimals,
				    c->high);
	view_line(s->v, title, STR_FMT " in %s, " STR_FMT " in %s: %.*f times" STR_FMT,
		  STR_ARG(show_amount(s, c->b * 1e9, STR("ns"))), sides->bad_name,
		  STR_ARG(show_amount(s, c->a * 1e9, STR("ns"))), sides->good_name, decimals,
		  c->ratio, STR_ARG(range));
}

void show_front_pair(struct show *s, struct facts *facts, struct findings *f)
{
	const struct rule_input in = { .facts = facts };
	const struct counter_change *cost;
	struct counter_sides sides;
	struct counter_compare cmp;

	if (s->session->to.is_json || s->session->to.is_csv ||
	    pair_tables(s->session->dossier) != PAIR_TABLES || !counter_sides_find(&in, f, &sides))
		return;
	if (counter_compare(sides.good.capture, sides.bad.capture, &cmp)) {
		cost = counter_compare_cost(&cmp);
		if (cost && isfinite(cost->ratio)) {
			view_heading(s->v, STR("Result:"), STR_FMT,
				     STR_ARG(pair_sentence(s, &sides, cost)));
			pair_line(s, &sides, "Elapsed", counter_compare_role(&cmp, COUNTS_ELAPSED));
			pair_line(s, &sides, "CPU time",
				  counter_compare_role(&cmp, COUNTS_TASK_CLOCK));
		}
	}
	counter_compare_fini(&cmp);
}
