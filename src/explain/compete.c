/* SPDX-License-Identifier: MIT */
#include "explain/compete.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdlib.h>

/*
 * Maximum number of findings to compare. Findings are sorted by importance, so the most important
 * ones are compared. Readers rarely read further.
 */
#define COMPETE_MAX 256u
/*
 * A finding covers another finding if it explains at least this part (0 to 1) of the other
 * finding's cost.
 */
#define COMPETE_PART 0.8
/*
 * If finding b names a caller, a finding a without a caller overrules b only if the share of that
 * caller is less than this part (0 to 1) of the share of b. Otherwise, the report would lose an
 * important caller.
 */
#define COMPETE_CALLER 0.5
/*
 * Limits of certainty, in percent. A finding below COMPETE_SURE overrules no other finding. A
 * finding overrules a more certain one only if the difference is at most COMPETE_LESS, or if the
 * more certain one is general (struct rule).
 */
#define COMPETE_SURE 50u
#define COMPETE_LESS 15u

/* The functions of a profile whose cost a finding explains. */
struct cost {
	/* profile of the finding; NULL: the finding is not about a profile */
	const struct profile_facts *profile;
	VEC(uint32_t) functions; /* indices of the explained functions, ascending */
	double share;            /* sum of the functions' self shares */
	/* the finding is not compared, because it is not about a cost, or is already overruled */
	bool is_out;
};

struct compete {
	const struct facts *facts;
	struct findings *findings;
	struct cost *costs; /* costs[i]: the cost of finding i */
	size_t n;
};

static void cost_mark(const struct profile_facts *p, const struct finding *f,
		      enum finding_role role, uint8_t *marks)
{
	VEC_FOREACH (s, &f->subjects) {
		const struct fact_function *fn = facts_by_name(
			p, symbols_get(capture_symbols(p->capture), s->sym)->canonical);

		if (fn && s->role == role)
			marks[fn->number] = 1;
	}
}

static void cost_collect(struct cost *cost, const uint8_t *marks)
{
	VEC_FOREACH (fn, &cost->profile->functions) {
		if (marks[fn->number] && fn->self > 0)
			cost->share += fn->self;
	}
	for (uint32_t i = 0; cost->share > 0 && i < cost->profile->functions.len; i++) {
		if (marks[i])
			*VEC_PUSH(&cost->functions) = i;
	}
}

/*
 * Set @ret to the functions of @capture that @f explains. If there are none, set it to the
 * functions that @f only lists.
 */
static void cost_of(const struct compete *c, const struct finding *f, uint32_t capture,
		    struct cost *ret)
{
	uint8_t *marks;

	ret->is_out = f->overruled_by != INDEX_NONE || f->rule->is_about_names ||
		      f->rule->is_about_data || f->rule->displaces;
	ret->profile = capture == INDEX_NONE ? NULL : c->facts->profiles[capture];
	if (ret->is_out || !ret->profile)
		return;
	marks = xcalloc(ret->profile->functions.len + 1, sizeof(*marks));
	if (f->sums.pattern)
		facts_mark(ret->profile, &f->sums, marks);
	cost_mark(ret->profile, f, SUBJECT_EXPLAINED, marks);
	cost_collect(ret, marks);
	if (ret->share <= 0) {
		cost_mark(ret->profile, f, SUBJECT_LISTED, marks);
		cost_collect(ret, marks);
	}
	free(marks);
}

/* Sum of the self shares of the functions that are in both @a and @b. */
static double cost_common(const struct cost *a, const struct cost *b)
{
	double sum = 0;
	size_t k = 0;

	VEC_FOREACH (number, &b->functions) {
		while (k < a->functions.len && a->functions.data[k] < *number)
			k++;
		if (k < a->functions.len && a->functions.data[k] == *number)
			sum += a->profile->functions.data[*number].self;
	}
	return sum;
}

/* Largest share among the callers that @f names; 0: @f names no caller. */
static double compete_caller(const struct finding *f)
{
	double most = 0;

	VEC_FOREACH (s, &f->subjects) {
		if (s->role == SUBJECT_CALLER && s->share > most)
			most = s->share;
	}
	return most;
}

/* Whether @f, or a finding that was merged into it, cites @line. */
static bool compete_cites_line(const struct finding *f, const struct finding_evidence *line)
{
	if (line->line == 0)
		return false;
	VEC_FOREACH (e, &f->evidence) {
		if (e->line == line->line && e->path.v == line->path.v)
			return true;
	}
	VEC_FOREACH (also, &f->also) {
		if (also->place.line == line->line && also->place.path.v == line->path.v)
			return true;
	}
	return false;
}

/* Whether @a cites a line that @b cites in its evidence from index @from on. */
static bool compete_cites_stack(const struct finding *a, const struct finding *b, size_t from)
{
	for (size_t i = from; i < b->evidence.len; i++) {
		if (compete_cites_line(a, &b->evidence.data[i]))
			return true;
	}
	return false;
}

/*
 * Whether @a and @b cite the same place:
 *  - If both are about counters, @a must cite the first line that @b cites.
 *  - If @a is about a log and @b about stacks in it, @a must cite the first line that @b cites.
 *  - If @a is about stacks in a log and @b about this log, @a must cite a line that @b cites, other
 *    than its first line: this is the report above the stack.
 *  - In all other cases, the result is false.
 */
static bool compete_cites(const struct compete *c, const struct finding *a, const struct finding *b)
{
	const struct facts *f = c->facts;

	if (a->capture == INDEX_NONE || b->capture == INDEX_NONE || b->evidence.len == 0)
		return false;
	/* a general finding (is_general) about counters is about the measurement, not a cost */
	if (f->counters[a->capture] && (a->is_general || b->is_general))
		return false;
	if (f->threads[a->capture] && f->logs[b->capture])
		return compete_cites_stack(a, b, 1);
	/*
	 * compare only with the first line that @b cites: it shows the problem of @b, but further
	 * lines may be about something else
	 */
	if (!(f->logs[a->capture] && f->threads[b->capture]) &&
	    (!f->counters[a->capture] || !f->counters[b->capture]))
		return false;
	return compete_cites_line(a, &b->evidence.data[0]);
}

/*
 * Whether both findings are about the same traced function (the first subject of each), and the
 * share of @a is at least COMPETE_PART of the share of @b.
 */
static bool compete_calls(const struct compete *c, const struct finding *a, const struct finding *b)
{
	if (a->capture == INDEX_NONE || a->capture != b->capture || !c->facts->calls[a->capture] ||
	    a->subjects.len == 0 || b->subjects.len == 0 || a->impact < b->impact * COMPETE_PART)
		return false;
	return a->subjects.data[0].role == SUBJECT_EXPLAINED &&
	       b->subjects.data[0].role != SUBJECT_CALLER &&
	       a->subjects.data[0].sym.v == b->subjects.data[0].sym.v;
}

/*
 * For a log of system calls: whether @a overrules @b. It must cite the call that @b is about, and
 * have at least COMPETE_PART of the share of @b. The rule of @a must also list the rule of @b as
 * one that it explains.
 */
static bool compete_logs(const struct compete *c, const struct finding *a, const struct finding *b)
{
	if (a->capture == INDEX_NONE || a->capture != b->capture ||
	    !c->facts->syscalls[a->capture] || b->evidence.len == 0 ||
	    a->impact < b->impact * COMPETE_PART || !compete_cites_line(a, &b->evidence.data[0]))
		return false;
	for (const char *const *id = a->rule->explains; id && *id; id++) {
		if (str_eq(str_of(*id), str_of(b->rule->id)))
			return true;
	}
	return false;
}

static bool compete_has_capture(const struct finding *f, uint32_t capture)
{
	VEC_FOREACH (a, &f->also) {
		if (a->capture == capture)
			return true;
	}
	return f->capture == capture;
}

/*
 * Whether the functions that @a explains have at least COMPETE_PART of the share of @b. False if
 * only @b names a caller, and this caller has at least COMPETE_CALLER of the share of @b. @x: cost
 * of @a; @y: cost of @b.
 */
static bool compete_covers_share(const struct compete *c, const struct finding *a,
				 const struct cost *x, const struct finding *b,
				 const struct cost *y)
{
	struct cost other = { .share = 0 };
	double common;

	if (y->share <= 0 || !compete_has_capture(a, b->capture) ||
	    (compete_caller(b) >= y->share * COMPETE_CALLER && compete_caller(a) <= 0))
		return false;
	if (x->profile != y->profile)
		cost_of(c, a, b->capture, &other);
	common = cost_common(x->profile == y->profile ? x : &other, y);
	VEC_FREE(&other.functions);
	return common >= y->share * COMPETE_PART;
}

/*
 * Whether the finding at index @first may overrule the finding at index @second. It must explain
 * the cost of that finding, and be certain and severe enough.
 */
static bool compete_wins(const struct compete *c, size_t first, size_t second)
{
	const struct finding *a = &c->findings->rows.data[first];
	const struct finding *b = &c->findings->rows.data[second];
	const struct cost *x = &c->costs[first];
	const struct cost *y = &c->costs[second];

	/* a finding that compares traces overrules no finding, and no finding overrules it */
	if (a->compares || b->compares)
		return false;
	if (a->sure < COMPETE_SURE || a->severity < b->severity || a->rule == b->rule ||
	    (a->is_general && !b->is_general) ||
	    (a->sure + COMPETE_LESS < b->sure && !b->is_general))
		return false;
	if (x->profile && y->profile)
		return compete_covers_share(c, a, x, b, y);
	return !x->profile && !y->profile &&
	       (compete_cites(c, a, b) || compete_calls(c, a, b) || compete_logs(c, a, b));
}

/*
 * Let one of two findings overrule the other, if it covers the other's cost. The finding at @first
 * is more important, so it is tried first. The finding at @second is tried next, only if the first
 * one is general and the second one is not.
 */
static void compete_pair(struct compete *c, size_t first, size_t second)
{
	struct finding *rows = c->findings->rows.data;
	size_t loser = second;

	if (!compete_wins(c, first, second)) {
		loser = first;
		if (!rows[first].is_general || rows[second].is_general ||
		    !compete_wins(c, second, first))
			return;
	}
	rows[loser].overruled_by = (uint32_t)(loser == first ? second : first);
	rows[loser].is_evidence = true;
	c->costs[loser].is_out = true;
}

/*
 * If finding b overrules a, and c overrules b, set overruled_by of a to c, because the report shows
 * only c.
 */
static void compete_follow(struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		for (unsigned int n = 0; row->is_evidence && n < COMPETE_MAX; n++) {
			const struct finding *by = &f->rows.data[row->overruled_by];

			if (by->overruled_by == INDEX_NONE)
				break;
			row->overruled_by = by->overruled_by;
		}
	}
}

void compete_findings(const struct facts *facts, struct findings *f)
{
	struct compete c = { .facts = facts, .findings = f };

	c.n = f->rows.len < COMPETE_MAX ? f->rows.len : COMPETE_MAX;
	c.costs = xcalloc(c.n + 1, sizeof(*c.costs));
	for (size_t i = 0; i < c.n; i++)
		cost_of(&c, &f->rows.data[i], f->rows.data[i].capture, &c.costs[i]);
	for (size_t i = 1; i < c.n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!c.costs[i].is_out && !c.costs[k].is_out)
				compete_pair(&c, k, i);
		}
	}
	compete_follow(f);
	for (size_t i = 0; i < c.n; i++)
		VEC_FREE(&c.costs[i].functions);
	free(c.costs);
}
