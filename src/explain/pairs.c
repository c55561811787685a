/* SPDX-License-Identifier: MIT */
/*
 * Find pairs of profiles in a text, and compare the shares of their functions.
 *
 * Thresholds. A change must exceed 0.1 percentage points, and the rounding of both figures. If the
 * number of samples is known, a change must also exceed three standard errors; by chance, this
 * happens in one of 370 comparisons. If shares are means over runs, a change must exceed two
 * standard deviations of the difference between two runs (PAIR_RUNS). This limit is high for two
 * reasons: the number of runs is unknown, and the largest of many changes is reported. Two tables
 * that the text does not label as a pair must have 30 % of their functions and shares in common
 * (PAIR_COMMON).
 */
#include "explain/pairs.h"

#include "analyses/categories.h"
#include "analyses/roles.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "explain/rule.h"

#include <math.h>

#define PAIR_MIN_POINTS 0.1
#define PAIR_SIGMA      3.0
#define PAIR_RUNS       2.0
/*
 * Standard deviation of a mean over runs, as a part of the mean, if the deviation is not printed:
 * the kernel test robot prints only deviations above 2 %.
 */
#define PAIR_UNPRINTED 0.02
#define PAIR_COMMANDS  16u
/* pair_tables() counts the tables among this many captures before and after a table */
#define PAIR_NEAR 64u
/* maximum distance between the two captures of a pair, counted in captures */
#define PAIR_APART 8u
/*
 * Two tables without labels are a pair only if at least this part (0 to 1) of the functions of the
 * smaller table is also in the larger table, and if the shares of these functions are at least this
 * part of the smaller total.
 */
#define PAIR_COMMON 0.3
/*
 * If no self share changed by PAIR_OWN_POINTS, inclusive shares are compared. If a function grew,
 * the inclusive shares of all its callers grew, too. So only one function is reported: among the
 * functions with at least PAIR_DEEP_PART (0 to 1) of the largest growth, the innermost one, which
 * has the smallest inclusive share.
 */
#define PAIR_OWN_POINTS 3.0
#define PAIR_DEEP_PART  0.8

/*
 * The command with the largest share of a table; STR_ID_NONE: the table prints no commands.
 * *@ret_n: number of commands, at least 1.
 */
static str_id pair_command(const struct capture *c, size_t *ret_n)
{
	struct {
		str_id comm;
		double sum;
	} commands[PAIR_COMMANDS];
	size_t n = 0;
	size_t most = 0;

	*ret_n = 1;
	VEC_FOREACH (row, &c->profile->table.rows) {
		size_t at = 0;

		if (!(row->has & ROW_HAS_COMM))
			return STR_ID_NONE;
		while (at < n && commands[at].comm.v != row->comm.v)
			at++;
		if (at == PAIR_COMMANDS)
			continue;
		if (at == n) {
			commands[n].comm = row->comm;
			commands[n++].sum = 0;
		}
		commands[at].sum += profile_value(c->profile, row->self);
		if (commands[at].sum > commands[most].sum)
			most = at;
	}
	*ret_n = n ? n : 1;
	return n ? commands[most].comm : STR_ID_NONE;
}

/*
 * Whether both tables are measurements of one program: they have PAIR_COMMON of their functions and
 * shares in common, and the same busiest command, if both print commands.
 */
static bool pair_is_alike(const struct profile_facts *a, const struct profile_facts *b)
{
	const struct profile_facts *small = a->functions.len < b->functions.len ? a : b;
	const struct profile_facts *large = small == a ? b : a;
	size_t n;
	str_id first = pair_command(a->capture, &n);
	str_id second = pair_command(b->capture, &n);
	double both = 0;
	size_t common = 0;

	VEC_FOREACH (f, &small->functions) {
		const struct fact_function *other = facts_by_name(large, f->name);

		common += other != NULL;
		both += other ? fmin(f->self, other->self) : 0;
	}
	return common > 0 && (first.v == second.v || first.v == 0 || second.v == 0) &&
	       (double)common >= PAIR_COMMON * (double)small->functions.len &&
	       both >= PAIR_COMMON * fmin(a->total, b->total);
}

static bool pair_has_command(const struct capture *c, str_id comm)
{
	VEC_FOREACH (row, &c->profile->table.rows) {
		if (row->comm.v == comm.v)
			return true;
	}
	return false;
}

/*
 * Whether the busiest command of one table also occurs in the other one. True if a table prints no
 * commands.
 */
static bool pair_is_related(const struct capture *a, const struct capture *b)
{
	size_t n;
	str_id first = pair_command(a, &n);
	str_id second = pair_command(b, &n);

	return first.v == 0 || second.v == 0 || pair_has_command(b, first) ||
	       pair_has_command(a, second);
}

/*
 * Whether the captures @number and @other may be a pair. Both must be profiles of one text and
 * format, with shares in percent, and of the same event if both name an event.
 */
bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other)
{
	const struct dossier *d = in->facts->dossier;
	const struct profile_facts *a = in->facts->profiles[number];
	const struct profile_facts *b = in->facts->profiles[other];
	const struct capture *ca = d->captures.data[number];
	const struct capture *cb = d->captures.data[other];

	return a && b && ca->path.v == cb->path.v && ca->format == cb->format &&
	       (ca->profile->event.v == cb->profile->event.v || !ca->profile->event.v ||
		!cb->profile->event.v) &&
	       ca->profile->unit == WEIGHT_PERCENT && cb->profile->unit == WEIGHT_PERCENT &&
	       a->functions.len && b->functions.len;
}

size_t pair_tables(const struct rule_input *in, uint32_t number)
{
	uint32_t from = number > PAIR_NEAR ? number - PAIR_NEAR : 0;
	size_t n = 0;

	for (uint32_t i = from; i < in->facts->dossier->captures.len && i <= number + PAIR_NEAR;
	     i++)
		n += pair_is_kin(in, number, i);
	return n;
}

/* Whether the text labels the captures as opposites: before and after, or good and bad. */
static bool pair_is_opposite(const struct capture *a, const struct capture *b)
{
	if (a->side != SIDE_NONE && b->side != SIDE_NONE)
		return a->side != b->side;
	return a->state != STATE_UNKNOWN && b->state != STATE_UNKNOWN && a->state != b->state;
}

/*
 * Index of the second capture of the pair whose first capture is @number: the next one with the
 * opposite label. INDEX_NONE: none.
 */
static uint32_t pair_other(const struct rule_input *in, uint32_t number)
{
	const struct dossier *d = in->facts->dossier;
	const struct capture *c = d->captures.data[number];

	for (uint32_t i = number + 1; i < d->captures.len && i <= number + PAIR_APART; i++) {
		const struct capture *other = d->captures.data[i];

		if (!pair_is_kin(in, number, i) ||
		    capture_note_of(other, STR("side")).len != capture_note_of(c, STR("side")).len)
			continue;
		if (pair_is_opposite(c, other) && pair_is_related(c, other))
			return i;
		/* after a second "before", the next "after" belongs to the second one */
		if (c->side != SIDE_NONE && other->side == c->side)
			return INDEX_NONE;
	}
	return INDEX_NONE;
}

bool pair_of(const struct rule_input *in, uint32_t number, struct pair *ret)
{
	const struct dossier *d = in->facts->dossier;
	uint32_t other;
	const struct capture *a, *b;

	if (number + 1 >= d->captures.len || !in->facts->profiles[number])
		return false;
	other = pair_other(in, number);
	*ret = (struct pair){ .first = *in, .second = *in, .is_labelled = other != INDEX_NONE };
	if (!ret->is_labelled)
		other = number + 1;
	if (!pair_is_kin(in, number, other))
		return false;
	a = d->captures.data[number];
	b = d->captures.data[other];
	ret->first.capture = a;
	ret->first.number = number;
	ret->first.profile = in->facts->profiles[number];
	ret->second.capture = b;
	ret->second.number = other;
	ret->second.profile = in->facts->profiles[other];
	ret->has_sides = str_eq(capture_note_of(a, STR("side")), STR("before")) &&
			 str_eq(capture_note_of(b, STR("side")), STR("after"));
	if (a->state == STATE_BAD || b->state == STATE_GOOD)
		ret->bad = a;
	else if (b->state == STATE_BAD || a->state == STATE_GOOD)
		ret->bad = b;
	if (ret->has_sides || ret->is_labelled)
		return true;
	ret->bad = NULL;
	return capture_note_of(a, STR("side")).len == 0 &&
	       capture_note_of(b, STR("side")).len == 0 &&
	       pair_is_alike(ret->first.profile, ret->second.profile);
}

/*
 * Three standard errors of the difference between the shares @before and @after; 0: the number of
 * samples is unknown.
 */
static double pair_noise(const struct pair *p, double before, double after)
{
	const struct profile *a = p->first.capture->profile;
	const struct profile *b = p->second.capture->profile;

	if (!a->has_n_samples || !b->has_n_samples || !a->n_samples || !b->n_samples)
		return 0;
	return PAIR_SIGMA * sqrt(before * (100 - before) / (double)a->n_samples +
				 after * (100 - after) / (double)b->n_samples);
}

/*
 * Size of a change, for sorting: how much larger the share is in the bad profile. If the bad
 * profile is unknown: the absolute change.
 */
static double pair_points(const struct pair *p, const struct pair_change *c)
{
	if (p->bad == p->first.capture)
		return c->before - c->after;
	return p->bad ? c->after - c->before : fabs(c->after - c->before);
}

/* Whether the change is larger than rounding, sampling error and the variation of runs. */
static bool pair_is_real(const struct pair *p, const struct pair_change *c)
{
	double points = pair_points(p, c);

	return c->before <= 100 && c->after <= 100 && points >= PAIR_MIN_POINTS &&
	       points > c->err + (PAIR_RUNS - 1) * c->spread + pair_noise(p, c->before, c->after);
}

/* Standard deviation of a share between runs. @spread: as printed; NAN: not printed. */
static double pair_deviation(double share, double spread)
{
	return isnan(spread) ? PAIR_UNPRINTED * share : spread;
}

/* Add the variation of runs to c->err and c->spread, if the shares are means over runs. */
static void pair_scatter(const struct pair *p, struct pair_change *c)
{
	double a = NAN;
	double b = NAN;

	if (!p->first.capture->is_averaged || !p->second.capture->is_averaged)
		return;
	if (c->a)
		a = c->has_callees ? c->a->children_spread : c->a->self_spread;
	if (c->b)
		b = c->has_callees ? c->b->children_spread : c->b->self_spread;
	c->spread = hypot(pair_deviation(c->before, a), pair_deviation(c->after, b));
	c->err += c->spread;
}

static void pair_add(struct pair *p, struct pair_change c)
{
	double points = pair_points(p, &c);
	size_t at;

	p->compared++;
	pair_scatter(p, &c);
	if (!pair_is_real(p, &c))
		return;
	p->changed++;
	for (at = p->n; at > 0; at--) {
		if (pair_points(p, &p->changes[at - 1]) >= points)
			break;
		if (at < PAIR_SHOWN)
			p->changes[at] = p->changes[at - 1];
	}
	if (at < PAIR_SHOWN)
		p->changes[at] = c;
	if (p->n < PAIR_SHOWN)
		p->n++;
}

/*
 * Return @f, or NULL if its self share cannot be compared. A function that is only in printed trees
 * has no known self share. The idle CPU and unresolved addresses are not functions with a cost.
 */
static const struct fact_function *pair_row(const struct fact_function *f)
{
	return f && f->rows && !category_is_in(f->category, STR("idle")) &&
			       !category_is_in(f->category, STR("unsymbolised"))
		       ? f
		       : NULL;
}

/*
 * Upper bound of the self share, in percent, of a function without a row: the share of the last
 * row, times the number of commands in the table. (The function may have one missing row for each
 * command.) Negative: unknown. The bound is known only if rows have self shares, in descending
 * order.
 */
static double pair_least(const struct profile_facts *p)
{
	const struct profile *profile = p->capture->profile;
	uint64_t least = UINT64_MAX;
	size_t commands;

	(void)pair_command(p->capture, &commands);
	VEC_FOREACH (row, &profile->table.rows) {
		if (!(row->has & ROW_HAS_SELF) || row->has & ROW_HAS_CHILDREN || row->self > least)
			return -1;
		least = row->self;
	}
	return least == UINT64_MAX ? -1 : profile_value(profile, least) * (double)commands;
}

/*
 * Add a change of @f, which has a row in only one table: in the first one if @is_first. If both
 * profiles are columns of one table, the missing share is 0. Otherwise the missing share is at most
 * @least, and only a share of @f above @least is a change.
 */
static void pair_add_missing(struct pair *p, const struct fact_function *f, bool is_first,
			     double least)
{
	struct pair_change c = { .a = is_first ? f : NULL, .b = is_first ? NULL : f };

	if (!p->has_sides && (least < 0 || f->self <= least))
		return;
	c.sym = f->sym;
	c.is_bound = !p->has_sides;
	c.before = is_first ? f->self : p->has_sides ? 0 : least;
	c.after = !is_first ? f->self : p->has_sides ? 0 : least;
	c.err = f->self_err;
	pair_add(p, c);
}

static void pair_compare_self(struct pair *p)
{
	double least_a = pair_least(p->first.profile);
	double least_b = pair_least(p->second.profile);

	VEC_FOREACH (a, &p->first.profile->functions) {
		const struct fact_function *b = pair_row(facts_by_name(p->second.profile, a->name));

		if (pair_row(a) && b)
			pair_add(p, (struct pair_change){ .a = a,
							  .b = b,
							  .sym = a->sym,
							  .before = a->self,
							  .after = b->self,
							  .err = a->self_err + b->self_err });
		else if (pair_row(a) && (p->has_sides || p->is_labelled))
			pair_add_missing(p, a, true, least_b);
	}
	VEC_FOREACH (b, &p->second.profile->functions) {
		if (pair_row(b) && (p->has_sides || p->is_labelled) &&
		    !facts_by_name(p->first.profile, b->name))
			pair_add_missing(p, b, false, least_a);
	}
}

/*
 * Whether @sym only passes on calls, or enters a system call, according to its role. The growth
 * then belongs to a callee.
 */
static bool pair_is_passing(const struct pair *p, sym_id sym)
{
	struct role_cache roles = { .by_sym = VEC_INIT };
	enum role role = role_of(&roles, &p->first.facts->dossier->symbols, sym);

	role_cache_fini(&roles);
	return role == ROLE_TRANSPARENT || role == ROLE_SYSCALL;
}

/*
 * Compare inclusive shares. Among the functions with nearly the largest change, add the innermost
 * one, which has the smallest inclusive share.
 */
static void pair_compare_children(struct pair *p)
{
	struct pair_change found = { .before = 0 };
	double most = 0;

	for (unsigned int pass = 0; pass < 2; pass++) {
		VEC_FOREACH (a, &p->first.profile->functions) {
			const struct fact_function *b = facts_by_name(p->second.profile, a->name);
			struct pair_change c = { .a = a, .b = b, .sym = a->sym };
			struct pair_change scattered;
			double points;

			if (!pair_row(a) || !pair_row(b) || a->children < 0 || b->children < 0 ||
			    a->children > 100 || b->children > 100 || pair_is_passing(p, a->sym))
				continue;
			c.before = a->children;
			c.after = b->children;
			c.err = a->self_err + b->self_err;
			c.has_callees = true;
			scattered = c;
			pair_scatter(p, &scattered);
			if (!pair_is_real(p, &scattered))
				continue;
			points = pair_points(p, &c);
			if (pass == 0)
				most = fmax(most, points);
			else if (points >= most * PAIR_DEEP_PART &&
				 (!found.has_callees ||
				  fmax(c.before, c.after) < fmax(found.before, found.after)))
				found = c;
		}
	}
	if (found.has_callees && most >= PAIR_OWN_POINTS)
		pair_add(p, found);
}

void pair_compare(struct pair *p)
{
	p->knows_noise = pair_noise(p, 50, 50) > 0;
	pair_compare_self(p);
	if (p->n == 0 || pair_points(p, &p->changes[0]) < PAIR_OWN_POINTS)
		pair_compare_children(p);
}
