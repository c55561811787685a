/* SPDX-License-Identifier: MIT */
#include "analyses/counters/compare_counters.h"

#include "analyses/compare/stats_compare.h"
#include "analyses/counters/counter_metrics.h"
#include "base/idmap.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <math.h>

/*
 * Verdicts for a change without repeated runs:
 * - COUNTER_SAME: the change is less than COMPARE_LEAST_PART
 * - COUNTER_MORE, COUNTER_LESS: the change is at least COMPARE_WORK_PART for work (instructions,
 *   branches, loads), and at least COMPARE_OTHER_PART for other events
 * - COUNTER_UNCERTAIN: the change is between these limits, and may be chance. Events without a
 *   role, such as rows of a tool's table, vary by unknown amounts. They need a factor of
 *   COMPARE_UNKNOWN_FACTOR between two numbers above 0
 * The number of instructions of one program differs by 1 % between runs; times, faults and misses
 * differ by a few percent (perf stat -r of any program).
 */
#define COMPARE_WORK_PART  0.02
#define COMPARE_OTHER_PART 0.10
/* numbers of equal runs of servers, and of two collections of a heap, differ by a factor of 9 */
#define COMPARE_UNKNOWN_FACTOR 10.0
/*
 * perf rounds the standard error of repeated runs to 0.01 %: an error of up to 0.005 % is printed
 * as 0.00 %
 */
#define COMPARE_ROUNDING 0.00005
/* Changes by less than this fraction are not reported, even if repeated runs prove them. */
#define COMPARE_LEAST_PART 0.005

static bool compare_is_work(enum counter_role role)
{
	return role == COUNTS_INSTRUCTIONS || role == COUNTS_BRANCHES || role == COUNTS_L1D_LOADS;
}

/* Number of repeated runs on side A and on side B; 0: unknown. */
struct compare_runs {
	uint32_t a, b;
};

/*
 * Half-width of the 95 % interval of a ratio, divided by the ratio. @rel_a, @rel_b: relative
 * standard errors. Few runs estimate these errors poorly. So Student's t, with Satterthwaite's
 * degrees of freedom, widens the interval.
 */
static double compare_half(double rel_a, double rel_b, struct compare_runs runs)
{
	double va = rel_a * rel_a, vb = rel_b * rel_b;
	double below = 0;

	if (runs.a > 1)
		below += va * va / (runs.a - 1);
	if (runs.b > 1)
		below += vb * vb / (runs.b - 1);
	return sqrt(va + vb) *
	       (below > 0 ? stats_t_critical(0.05, (va + vb) * (va + vb) / below) : STATS_Z95);
}

/* Whether the change of two single values is so small that it may be chance. */
static bool compare_is_chance(const struct counter_change *c)
{
	if (c->role == COUNTS_NONE)
		return !(c->ratio > 0 && isfinite(c->ratio)) ||
		       fabs(log(c->ratio)) < log(COMPARE_UNKNOWN_FACTOR);
	return fabs(c->ratio - 1) <
	       (compare_is_work(c->role) ? COMPARE_WORK_PART : COMPARE_OTHER_PART);
}

static void compare_judge(struct counter_change *c, double rel_a, double rel_b,
			  struct compare_runs runs)
{
	double part;

	c->low = c->high = c->ratio = c->a > 0 ? c->b / c->a : c->b > 0 ? (double)INFINITY : 1;
	c->has_spread = rel_a >= 0 && rel_b >= 0;
	part = fabs(c->ratio - 1);
	c->verdict = COUNTER_SAME;
	if (c->has_spread && isfinite(c->ratio)) {
		double rel = compare_half(fmax(rel_a, COMPARE_ROUNDING),
					  fmax(rel_b, COMPARE_ROUNDING), runs);

		c->low = fmax(0, c->ratio * (1 - rel));
		c->high = c->ratio * (1 + rel);
		if (part < COMPARE_LEAST_PART || (c->low <= 1 && c->high >= 1))
			return;
	} else if (compare_is_chance(c)) {
		c->verdict = part < COMPARE_LEAST_PART ? COUNTER_SAME : COUNTER_UNCERTAIN;
		return;
	}
	c->verdict = c->ratio > 1 ? COUNTER_MORE : COUNTER_LESS;
}

static bool compare_sum(const struct capture *c, enum counter_role role, struct counter_sum *ret)
{
	return role == COUNTS_ELAPSED      ? counter_metrics_elapsed(c, ret)
	       : role == COUNTS_TASK_CLOCK ? counter_metrics_cpu_seconds(c, ret)
					   : counter_sum_of(c, role, ret);
}

static unsigned int compare_levels(const struct capture *c, str_id name)
{
	return counter_levels(strings_get(capture_strings(c), name));
}

static void compare_roles(const struct capture *a, const struct capture *b,
			  struct counter_compare *ret)
{
	for (unsigned int r = COUNTS_NONE + 1; r < COUNTS_COUNT; r++) {
		struct counter_change c = { .role = (enum counter_role)r };
		struct counter_sum x, y;

		if (!compare_sum(a, c.role, &x) || !compare_sum(b, c.role, &y))
			continue;
		/*
		 * counts at different privilege levels cannot be compared. Elapsed time and
		 * task-clock do not depend on the level
		 */
		if (c.role != COUNTS_TASK_CLOCK && c.role != COUNTS_ELAPSED &&
		    compare_levels(a, x.name) != compare_levels(b, y.name))
			continue;
		c.name = x.name;
		c.a = x.value;
		c.b = y.value;
		c.line_a = x.name.v ? a->counters->rows.data[x.row].line : a->first_line;
		c.line_b = y.name.v ? b->counters->rows.data[y.row].line : b->first_line;
		compare_judge(&c, x.rel, y.rel,
			      (struct compare_runs){ a->counters->runs, b->counters->runs });
		c.levels = compare_levels(a, x.name);
		/* a count of 0 is no measurement if perf could not see the event */
		c.is_unseen = x.is_unseen || y.is_unseen;
		if (c.is_unseen) {
			c.verdict = COUNTER_UNCERTAIN;
			c.has_spread = false;
			c.low = c.high = c.ratio = (double)NAN;
		}
		*VEC_PUSH(&ret->rows) = c;
	}
}

static uint64_t compare_hash(const struct counter *row)
{
	return hash_u64((uint64_t)row->name.v << 32 | row->key.v, 29);
}

static bool compare_is_same(const struct counter *a, const struct counter *b)
{
	return a->name.v == b->name.v && a->key.v == b->key.v;
}

/*
 * Compare events without a role, by name and key (such as a CPU). Of a series of intervals (perf
 * stat -I), compare only the first.
 */
static void compare_others(const struct capture *a, const struct capture *b,
			   struct counter_compare *ret)
{
	struct idmap map = { 0 };
	uint32_t paired = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < b->counters->rows.len; i++) {
		const struct counter *row = &b->counters->rows.data[i];
		struct idmap_probe p = idmap_first(&map, compare_hash(row));

		bool is_there = false;

		if (row->state != COUNTER_COUNTED || row->interval || row->role != COUNTS_NONE)
			continue;
		while (!is_there && idmap_next(&map, &p))
			is_there = compare_is_same(row, &b->counters->rows.data[p.id]);
		if (!is_there)
			idmap_insert(&map, &p, i);
		last++;
	}
	VEC_FOREACH (row, &a->counters->rows) {
		struct idmap_probe p = idmap_first(&map, compare_hash(row));
		const struct counter *other = NULL;

		if (row->state != COUNTER_COUNTED || row->interval || row->role != COUNTS_NONE)
			continue;
		while (!other && idmap_next(&map, &p)) {
			const struct counter *o = &b->counters->rows.data[p.id];

			if (compare_is_same(row, o))
				other = o;
		}
		ret->only_a += !other;
		if (!other)
			continue;
		paired++;
		*VEC_PUSH(&ret->rows) = (struct counter_change){ .name = row->name,
								 .key = row->key,
								 .line_a = row->line,
								 .line_b = other->line,
								 .a = counter_value(row),
								 .b = counter_value(other) };
		compare_judge(&ret->rows.data[ret->rows.len - 1],
			      row->spread >= 0 ? row->spread / 100 : -1,
			      other->spread >= 0 ? other->spread / 100 : -1,
			      (struct compare_runs){ a->counters->runs, b->counters->runs });
	}
	ret->only_b = last > paired ? last - paired : 0;
	idmap_fini(&map);
}

bool counter_compare(const struct capture *a, const struct capture *b, struct counter_compare *ret)
{
	memset(ret, 0, sizeof(*ret));
	compare_roles(a, b, ret);
	compare_others(a, b, ret);
	return ret->rows.len > 0;
}

void counter_compare_fini(struct counter_compare *c)
{
	VEC_FREE(&c->rows);
}

const struct counter_change *counter_compare_role(const struct counter_compare *c,
						  enum counter_role role)
{
	VEC_FOREACH (row, &c->rows) {
		if (row->role == role)
			return row;
	}
	return NULL;
}

const struct counter_change *counter_compare_cost(const struct counter_compare *c)
{
	static const enum counter_role costs[] = { COUNTS_ELAPSED, COUNTS_TASK_CLOCK, COUNTS_CYCLES,
						   COUNTS_INSTRUCTIONS };
	const struct counter_change *best = NULL;

	/* elapsed time alone is not enough: runs of a fixed duration have equal elapsed times */
	for (size_t i = 0; i < ARRAY_LEN(costs); i++) {
		const struct counter_change *row = counter_compare_role(c, costs[i]);

		if (row && (row->verdict == COUNTER_MORE || row->verdict == COUNTER_LESS))
			return row;
		best = best ? best : row;
	}
	return best;
}
