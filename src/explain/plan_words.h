/* SPDX-License-Identifier: MIT */
/* plan_words.h - nodes of a database's query plan with their figures, for several rules */
#ifndef EXPLAIN_PLAN_WORDS_H
#define EXPLAIN_PLAN_WORDS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct finding;
struct findings;
struct rule_input;

enum plan_figure {
	PLAN_ESTIMATE, /* rows that the planner expected per loop */
	PLAN_ROWS,     /* mean number of rows per loop */
	PLAN_LOOPS,
	PLAN_PROCESSES, /* number of processes that share the loops of a parallel node */
	PLAN_SELF,      /* milliseconds of this node in all loops, without its child nodes */
	PLAN_REMOVED,   /* rows that a filter removed, per loop */
	/* rows per loop that an index found, but that did not match the condition */
	PLAN_RECHECKED,
	/*
	 * pages of the table for which a bitmap stores only the page number, and not the rows to
	 * read: "Heap Blocks: lossy=12"
	 */
	PLAN_LOSSY,
	PLAN_SORT_DISK, /* disk space of a sort, kB */
	PLAN_HASH_DISK, /* disk space of a hash table, kB */
	PLAN_BATCHES,
	PLAN_READ, /* blocks that were read, because they were not in the cache */
	/* time of the reads of this node and its child nodes, ms; < 0: not printed, or 0 */
	PLAN_READ_MS,
	PLAN_HIT,      /* blocks found in the cache */
	PLAN_HEAP,     /* rows of an index-only scan that still had to be read from the table */
	PLAN_PLANNED,  /* parallel workers that the planner wanted */
	PLAN_LAUNCHED, /* parallel workers that ran */
	PLAN_COMPUTED, /* 1: the sort key is an expression */
	/* 1: a condition has a parameter, "$1": the plan was made without knowing its value */
	PLAN_PARAMETERS,
	PLAN_SORT_KEYS, /* number of columns or expressions that a sort compares */
	PLAN_FIGURES,
};

struct plan_row {
	str_id name;
	uint32_t line;
	uint32_t parent; /* index of the parent node; INDEX_NONE: none, or not printed */
	double figures[PLAN_FIGURES]; /* < 0: not printed */
	/*
	 * time of the child nodes, ms, if the text lacks them; of a Sort and other nodes that work
	 * before their first row, also a part of its own time. 0: the text has them
	 */
	double cut_ms;
	/* the condition that removed PLAN_REMOVED rows, "(a.x = b.y)"; STR_ID_NONE: unknown */
	str_id condition;
	/*
	 * the condition for which the node uses its index, hash or merge, "(x = 1)"; STR_ID_NONE:
	 * none
	 */
	str_id index_condition;
	/* "SubPlan 2", if the node is the first of a subplan; otherwise STR_ID_NONE */
	str_id subplan;
};

struct plan_rows {
	VEC(struct plan_row) rows; /* rows in printed order: each node is before its children */
	double self_ms;            /* sum of PLAN_SELF over all nodes */
	double execution_ms;       /* elapsed time, ms; < 0: not printed */
	/* time of JIT compilation, a part of PLAN_SELF, ms; < 0: not printed */
	double jit_ms;
	/* time of the planner, before the execution, ms; < 0: not printed */
	double planning_ms;
	uint32_t jit_line, planning_line;
};

/*
 * Read the plan of in->capture. False: the capture is no plan. Owner: caller, plan_rows_fini().
 * Cost: O(counters).
 */
bool plan_rows_init(struct plan_rows *p, const struct rule_input *in);
void plan_rows_fini(struct plan_rows *p);
struct str plan_row_name(const struct rule_input *in, const struct plan_row *row);
/*
 * The table that @row reads by a scan: "ev" for "Seq Scan on ev e". *@alias: the name of the table
 * in conditions, "e". Empty: the node scans no table.
 */
struct str plan_row_table(const struct rule_input *in, const struct plan_row *row,
			  struct str *alias);
/*
 * The column of table @alias that is alone on one side of an equality in @condition: "id" for the
 * table "u" in "((e.ts % 3000) = u.id)". An index on this column can serve the condition. Empty:
 * none.
 */
struct str plan_words_column(struct str condition, struct str alias);
/* A column that a condition converts, so that no index on the column serves the condition. */
struct plan_cast {
	struct str column; /* the converted column: "s.id" */
	struct str type;   /* type or character set: "numeric", "utf8mb4" */
	bool is_call;      /* written as a call, as MySQL does: cast(), convert() */
	bool is_charset;   /* the conversion changes the character set */
};

/*
 * Find the first column in @condition that is converted. Conversions of PostgreSQL to text types do
 * not count, because they do not change the stored value. False: none.
 */
bool plan_words_cast(struct str condition, struct plan_cast *ret);
/* Add the line of @row as evidence, with the name of its node. */
void plan_row_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		   const struct plan_row *row);

#endif
