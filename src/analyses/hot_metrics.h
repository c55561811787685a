/* SPDX-License-Identifier: MIT */
/*
 * hot_metrics.h - the profiled functions that a table of metrics lists
 *
 * Functions are matched as in analyses/function_index.h. Their files and lines come from the
 * table's columns "file", "head_line" and "last_line", if present.
 *
 * The risk is the first existing column of: rank, score, leopard_v, cognitive, cyclomatic, ccn.
 * Without column titles, the risk is unknown.
 */
#ifndef ANALYSES_HOT_METRICS_H
#define ANALYSES_HOT_METRICS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;

/* LEOPARD's share of functions to inspect: one function in five is risky */
#define HOT_RISKY_SHARE 5u

struct hot_function {
	sym_id sym;      /* the heaviest of the profile's matching symbols */
	uint32_t row;    /* row of the table; if several match, the riskiest */
	uint32_t alike;  /* number of matching rows; 1: unambiguous */
	uint32_t rank;   /* rank among the rows of the table, 1 is the riskiest; 0: unknown */
	uint32_t line;   /* line of the profile's printed row in the input; 0: none */
	double self;     /* percent of the profile */
	double self_err; /* rounding error of self */
	/*
	 * 95 % interval of self, from the number of samples; if that is unknown, the rounding
	 * range
	 */
	double low;
	double high;
	bool is_by_place; /* the profile's file name was used for matching */
};

struct hot_metrics {
	VEC(struct hot_function) functions; /* largest self first */
	/* functions without a match; only sym and self are set; largest self first */
	VEC(struct hot_function) unmatched;
	double matched;          /* sum of self over the matched functions, in percent */
	double matched_by_place; /* part of `matched` that was matched by file */
	double total;            /* sum of self over all functions, in percent */
	uint64_t n_samples;      /* 0: unknown */
	size_t risk_column;      /* column that the ranks come from; SIZE_MAX: none */
	const char *risk_title;  /* title of the risk, such as "score"; NULL: none */
	size_t n_rows;
};

/* Whether the rows of table @c are source functions; other tables list locks, tasks, events. */
bool hot_metrics_is_table(const struct capture *c);
/*
 * The column of @table with the title @title. Case is ignored, and '-' is equal to '_'. SIZE_MAX:
 * none.
 */
size_t hot_metrics_column(const struct capture *table, const char *title);
/*
 * Join profile @c with @table, a capture of metrics of the same dossier. Errors: those of
 * top_compute(). Owner of @ret: caller, hot_metrics_fini().
 */
MUST_CHECK int hot_metrics_join(const struct capture *c, const struct capture *table,
				struct category_cache *cats, struct hot_metrics *ret,
				struct error *err);
void hot_metrics_fini(struct hot_metrics *h);

/* Whether @rank is in the riskiest fifth of @n_rows rows. @rank 0: unknown, not risky. */
static inline bool hot_metrics_rank_is_risky(uint32_t rank, size_t n_rows)
{
	return rank && (rank == 1 || (uint64_t)rank * HOT_RISKY_SHARE <= n_rows);
}
static inline bool hot_metrics_is_risky(const struct hot_metrics *h, const struct hot_function *f)
{
	return hot_metrics_rank_is_risky(f->rank, h->n_rows);
}
/* The risky function with the largest self; of several, the riskiest. NULL: none. */
const struct hot_function *hot_metrics_hottest_risky(const struct hot_metrics *h);

#endif
