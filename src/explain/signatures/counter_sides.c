/* SPDX-License-Identifier: MIT */
#include "explain/signatures/counter_sides.h"

#include "analyses/counters/compare_counters.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/names/same_job.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "explain/findings.h"

#include <math.h>

#define SIDES_TABLES 32u
/* two tables are compared if they have at least this number of counters in common */
#define SIDES_COMMON 2u
#define SIDES_NAME   60u /* maximum number of bytes of a printed label */
/*
 * Maximum number of words of a label that is a name, such as "variant A". Two different names stand
 * for two runs. A longer label may be prose.
 */
#define SIDES_WORDS 3u
/*
 * Points for properties by which two tables probably form a pair: labels of opposite sides (before,
 * after); the same command; the same job with another program file; adjacent in the text.
 */
#define SIDES_OPPOSITE 8
#define SIDES_COMMAND  4
#define SIDES_PROGRAM  2
#define SIDES_NEXT     1

static struct str sides_string(const struct capture *c, str_id id)
{
	return strings_get(capture_strings(c), id);
}

static enum side sides_of(const struct capture *c)
{
	enum side side = side_of_words(sides_string(c, c->counters->label));

	return side == SIDE_UNKNOWN ? side_of_words(sides_string(c, c->command)) : side;
}

static unsigned int sides_common(const struct counter_compare *cmp)
{
	unsigned int n = 0;

	VEC_FOREACH (row, &cmp->rows)
		n += row->role != COUNTS_NONE;
	return n;
}

/*
 * How well tables @a and @b fit as a pair: the sum of their points (SIDES_...). Negative: they
 * measure different things. @is_next: the tables are adjacent; @is_two: there are no other tables.
 */
static int sides_fit(const struct capture *a, const struct capture *b, bool is_next, bool is_two)
{
	enum side x = sides_of(a);
	enum side y = sides_of(b);
	int fit = is_next ? SIDES_NEXT : 0;

	/* the captures are two columns of one table */
	if (a->path.v == b->path.v && a->first_line == b->first_line)
		return SIDES_OPPOSITE + SIDES_COMMAND;

	if (x != SIDE_UNKNOWN && y != SIDE_UNKNOWN && x == y &&
	    a->counters->label.v != b->counters->label.v)
		return -1;
	if (x != SIDE_UNKNOWN && y != SIDE_UNKNOWN && x != y)
		fit += SIDES_OPPOSITE;
	/* the commands are different jobs: another program, or other arguments */
	if (a->command.v && b->command.v &&
	    !same_job(sides_string(a, a->command), sides_string(b, b->command)))
		return -1;
	if (a->command.v && a->command.v == b->command.v)
		fit += SIDES_COMMAND;
	else if (a->command.v && b->command.v)
		fit += SIDES_PROGRAM;
	else if (fit < SIDES_OPPOSITE && !is_two)
		return -1;
	return fit;
}

static size_t sides_words(struct str label)
{
	struct str word;
	size_t n = 0;

	while (str_word(&label, &word))
		n++;
	return n;
}

/*
 * Do both tables have a short label, and do the labels differ? Then the labels are names of the
 * runs.
 */
static bool sides_are_named(const struct capture *a, const struct capture *b)
{
	struct str x = sides_string(a, a->counters->label);
	struct str y = sides_string(b, b->counters->label);

	return x.len && y.len && !str_eq(x, y) && sides_words(x) <= SIDES_WORDS &&
	       sides_words(y) <= SIDES_WORDS;
}

/* A name for @c, which is compared with @other: the label of @c, its file or its line. */
static const char *sides_name(const struct capture *c, const struct capture *other,
			      struct findings *out)
{
	struct str label = sides_string(c, c->counters->label);

	if (label.len && (c->counters->is_titled || side_of_words(label) != SIDE_UNKNOWN ||
			  sides_are_named(c, other)))
		return finding_name(out, "'" STR_FMT "'", STR_ARG(str_sub(label, 0, SIDES_NAME)));
	if (c->path.v != other->path.v)
		return finding_name(out, "'" STR_FMT "'", STR_ARG(sides_string(c, c->path)));
	return finding_name(out, "the run of line %u", c->first_line);
}

struct sides_best {
	uint32_t a, b;
	int fit;
	double change; /* log(cost of b / cost of a) */
};

static bool sides_is_table(const struct capture *c)
{
	return c->counters && c->excerpt_of == INDEX_NONE && c->counters->rows.len > 1;
}

/*
 * Store captures @i and @k in @best if they are a better pair. A pair is better if it has more
 * points, or equal points and a larger difference in cost.
 */
static void sides_consider(const struct dossier *d, uint32_t i, uint32_t k, bool is_next,
			   bool is_two, struct sides_best *best)
{
	const struct capture *a = d->captures.data[i];
	const struct capture *b = d->captures.data[k];
	const struct counter_change *cost;
	struct counter_compare cmp;
	double change = 0;
	int fit = sides_fit(a, b, is_next, is_two);

	if (fit < best->fit || fit < 0 || a->counters->tool.v != b->counters->tool.v)
		return;
	if (counter_compare(a, b, &cmp) && sides_common(&cmp) >= SIDES_COMMON) {
		cost = counter_compare_cost(&cmp);
		if (cost && isfinite(cost->ratio) && cost->ratio > 0)
			change = log(cost->ratio);
		if (best->a == INDEX_NONE || fit > best->fit || fabs(change) > fabs(best->change))
			*best = (struct sides_best){ i, k, fit, change };
	}
	counter_compare_fini(&cmp);
}

/*
 * Which table has more events, such as cache misses? Positive: @b has more. If both tables cost the
 * same, the table with more events is the worse one.
 */
static double sides_events(const struct capture *a, const struct capture *b)
{
	struct counter_compare cmp;
	double sum = 0;

	if (counter_compare(a, b, &cmp)) {
		VEC_FOREACH (row, &cmp.rows) {
			if (row->role >= COUNTS_SWITCHES && row->role < COUNTS_TOPDOWN_RETIRING &&
			    isfinite(row->ratio) && row->ratio > 0)
				sum += log(row->ratio);
		}
	}
	counter_compare_fini(&cmp);
	return sum;
}

bool counter_sides_find(const struct rule_input *in, struct findings *out,
			struct counter_sides *ret)
{
	const struct dossier *d = in->facts->dossier;
	uint32_t tables[SIDES_TABLES];
	size_t n = 0;
	struct sides_best best = { INDEX_NONE, INDEX_NONE, 0, 0 };

	for (uint32_t i = 0; i < d->captures.len && n < SIDES_TABLES; i++) {
		if (sides_is_table(d->captures.data[i]))
			tables[n++] = i;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++)
			sides_consider(d, tables[i], tables[k], k == i + 1, n == 2, &best);
	}
	if (best.a == INDEX_NONE)
		return false;
	if (fabs(best.change) < 1e-9)
		best.change = sides_events(d->captures.data[best.a], d->captures.data[best.b]);
	*ret = (struct counter_sides){ .good = *in, .bad = *in, .is_sure = best.fit > SIDES_NEXT };
	ret->bad.number = best.change > 0 ? best.b : best.a;
	ret->good.number = best.change > 0 ? best.a : best.b;
	ret->bad.capture = d->captures.data[ret->bad.number];
	ret->good.capture = d->captures.data[ret->good.number];
	ret->bad_name = sides_name(ret->bad.capture, ret->good.capture, out);
	ret->good_name = sides_name(ret->good.capture, ret->bad.capture, out);
	return true;
}
