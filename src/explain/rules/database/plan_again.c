/* SPDX-License-Identifier: MIT */
/*
 * One query plan was executed twice, with the same nodes, loops and rows, but very different times.
 * The work is the same, so the plan is not the cause.
 *
 * Thresholds: the slow execution takes 10 ms or more, and three times as long as the fast one,
 * because caches and timing alone double the time of short queries. A plan with a single node is
 * ignored, because two such plans may be alike by chance. More blocks read from disk are the cause
 * only if they explain half of the difference, at 10 ms or less per block. If the plan prints I/O
 * Timings, and these are half of the difference, a factor of 1.5 is enough for a note.
 */
#include "explain/plan_words.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_again);

#define AGAIN_PLANS 32u
#define AGAIN_TIMES 3.0
#define AGAIN_LEAST 10.0 /* minimum time of the slow execution, ms */
#define AGAIN_NODES 2u
#define AGAIN_SURE  75u
#define AGAIN_BLOCK 10.0 /* assumed maximum time to read a block from disk, ms */
#define AGAIN_PART  0.5
/* minimum ratio of the times if the printed times of reads explain most of the difference */
#define AGAIN_TIMES_READ 1.5

struct again_plan {
	struct rule_input in;
	struct plan_rows rows;
	double ms;
	double read_ms; /* time that this execution spent reading blocks, ms; < 0: not printed */
	double read;    /* number of blocks that were not in the cache; < 0: not printed */
};

struct again_plans {
	struct again_plan of[AGAIN_PLANS];
	size_t n;
};

static void again_collect(const struct rule_input *in, struct again_plans *ret)
{
	const struct dossier *d = in->facts->dossier;

	ret->n = 0;
	for (uint32_t i = 0; i < d->captures.len && ret->n < AGAIN_PLANS; i++) {
		struct again_plan *p = &ret->of[ret->n];

		*p = (struct again_plan){ .in = *in, .read_ms = -1, .read = -1 };
		p->in.capture = d->captures.data[i];
		p->in.number = i;
		if (!plan_rows_init(&p->rows, &p->in))
			continue;
		p->ms = p->rows.execution_ms > 0 ? p->rows.execution_ms : p->rows.self_ms;
		VEC_FOREACH (row, &p->rows.rows) {
			double read = row->figures[PLAN_READ];

			p->read = read > p->read ? read : p->read;
			p->read_ms = fmax(p->read_ms, row->figures[PLAN_READ_MS]);
		}
		ret->n++;
	}
}

/*
 * Whether both executions have the same plan: the same nodes, with the same loops, rows, and rows
 * removed by filters.
 */
static bool again_is_same(const struct again_plan *a, const struct again_plan *b)
{
	static const enum plan_figure same[] = { PLAN_ROWS, PLAN_LOOPS, PLAN_REMOVED };

	if (a->rows.rows.len != b->rows.rows.len || a->rows.rows.len < AGAIN_NODES)
		return false;
	for (size_t i = 0; i < a->rows.rows.len; i++) {
		const struct plan_row *x = &a->rows.rows.data[i];
		const struct plan_row *y = &b->rows.rows.data[i];

		if (x->name.v != y->name.v)
			return false;
		for (size_t k = 0; k < ARRAY_LEN(same); k++) {
			if (x->figures[same[k]] < y->figures[same[k]] ||
			    x->figures[same[k]] > y->figures[same[k]])
				return false;
		}
	}
	return true;
}

/* Are the printed times of reads at least AGAIN_PART of the difference of both plans? */
static bool again_is_reading(const struct again_plan *slow, const struct again_plan *fast)
{
	return slow->read_ms >= 0 &&
	       slow->read_ms - fmax(0, fast->read_ms) >= AGAIN_PART * (slow->ms - fast->ms);
}

static void again_finding(struct findings *out, const struct again_plan *slow,
			  const struct again_plan *fast)
{
	bool is_timed = again_is_reading(slow, fast);
	bool is_read = is_timed ||
		       (slow->read_ms < 0 && (slow->read - fmax(0, fast->read)) * AGAIN_BLOCK >=
						     AGAIN_PART * (slow->ms - fast->ms));
	struct finding *f = finding_add(
		out, &slow->in, &rule_plan_again,
		slow->ms >= AGAIN_TIMES * fast->ms ? FINDING_WARNING : FINDING_NOTE, AGAIN_SURE);

	f->impact = 100 - 100 * fast->ms / slow->ms;
	if (is_timed)
		finding_claim(out, f,
			      "The same plan with the same rows took %.1f ms and %.1f ms, of which "
			      "reads took %.1f ms and %.1f ms: the plan is not the cause",
			      slow->ms, fast->ms, slow->read_ms, fmax(0, fast->read_ms));
	else
		finding_claim(out, f,
			      "The same plan with the same rows took %.1f ms and %.1f ms, %s times "
			      "as long: the plan is not the cause",
			      slow->ms, fast->ms, finding_amount(out, 3, slow->ms / fast->ms));
	finding_figure(f, "times as long", slow->ms / fast->ms, 0, "");
	if (is_timed) {
		finding_figure(f, "time of reads in the slow one", slow->read_ms, 0, "ms");
		finding_figure(f, "time of reads in the fast one", fmax(0, fast->read_ms), 0, "ms");
	}
	plan_row_cite(out, f, &slow->in, &slow->rows.rows.data[0]);
	plan_row_cite(out, f, &fast->in, &fast->rows.rows.data[0]);
	finding_usual_cause(
		out, f, "%s",
		is_timed  ? "The reads took longer once: blocks came from a disk instead of a "
			    "cache, of the database or of the system"
		: is_read ? "Blocks that were in the cache once had to be read the other time"
			  : "The database did the same work more slowly: it waited for locks or "
			    "for a CPU, or memory was slow (page faults, TLB misses, swapping)");
	finding_because(out, f,
			"nodes, loops and rows are equal\n"
			"the times of other parts");
	finding_next(
		out, f,
		is_timed  ? "run the statement several times before comparing plans, indexes or "
			    "settings: caches are warm from the second time on"
		: is_read ? "EXPLAIN (ANALYZE, BUFFERS) with track_io_timing: how long the reads "
			    "take"
			  : "perf record -a -g during the slow phase, and pg_stat_activity: "
			    "wait_event");
}

/* The fastest execution of the same plan as @slow. NULL: no execution is faster by AGAIN_TIMES. */
static const struct again_plan *again_fastest(const struct again_plans *p,
					      const struct again_plan *slow)
{
	const struct again_plan *best = NULL;

	for (size_t k = 0; k < p->n; k++) {
		const struct again_plan *fast = &p->of[k];

		if (fast->ms > 0 && slow->ms >= AGAIN_LEAST &&
		    (slow->ms >= AGAIN_TIMES * fast->ms ||
		     (slow->ms >= AGAIN_TIMES_READ * fast->ms && again_is_reading(slow, fast))) &&
		    (!best || fast->ms < best->ms) && again_is_same(slow, fast))
			best = fast;
	}
	return best;
}

static void plan_again_check(const struct rule_input *in, struct findings *out)
{
	struct again_plans p;
	bool is_found = false;

	again_collect(in, &p);
	for (size_t i = 0; i < p.n; i++) {
		const struct again_plan *fast = again_fastest(&p, &p.of[i]);

		if (fast)
			again_finding(out, &p.of[i], fast);
		is_found |= fast != NULL;
	}
	if (p.n == 1)
		finding_not_assessed(out, in, &rule_plan_again,
				     "EXPLAIN ANALYZE of both executions",
				     "there is one execution of a plan");
	else if (p.n && !is_found)
		finding_clean(out, in, &rule_plan_again,
			      "no plan ran three times as long as the same plan with the same "
			      "rows");
	for (size_t i = 0; i < p.n; i++)
		plan_rows_fini(&p.of[i].rows);
}

static const char *const plan_again_overrules[] = { "plan-node", NULL };

const struct rule rule_plan_again = {
	.id = "plan-again",
	.title = "The same plan takes longer",
	.needs = RULE_DOSSIER,
	.check = plan_again_check,
	.overrules = plan_again_overrules,
};
