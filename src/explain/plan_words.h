/* SPDX-License-Identifier: MIT */
/* plan_words.h - shared by rules about query plans: the nodes with their figures */
#ifndef EXPLAIN_PLAN_WORDS_H
#define EXPLAIN_PLAN_WORDS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct finding;
struct findings;
struct rule_input;

enum plan_figure {
	PLAN_ESTIMATE, /* rows that the planner expected of a loop */
	PLAN_ROWS,     /* mean of a loop */
	PLAN_LOOPS,
	PLAN_SELF, /* milliseconds, of all loops, without the nodes below */
	PLAN_REMOVED,
	PLAN_SORT_DISK, /* kB */
	PLAN_HASH_DISK, /* kB */
	PLAN_BATCHES,
	PLAN_READ, /* blocks */
	PLAN_FIGURES,
};

struct plan_row {
	str_id name;
	uint32_t line;
	double figures[PLAN_FIGURES]; /* below 0: not printed */
};

struct plan_rows {
	VEC(struct plan_row) rows; /* in order of print: a node before those below it */
	double self_ms;            /* of all nodes */
	double execution_ms;       /* below 0: not printed */
};

/* False: the capture is no plan. Owner: caller, plan_rows_fini(). Cost: O(counters). */
bool plan_rows_init(struct plan_rows *p, const struct rule_input *in);
void plan_rows_fini(struct plan_rows *p);
struct str plan_row_name(const struct rule_input *in, const struct plan_row *row);
/* Add the line of @row as evidence; its node becomes a subject. */
void plan_row_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		   const struct plan_row *row);

#endif
