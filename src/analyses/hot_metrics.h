/* SPDX-License-Identifier: MIT */
/*
 * hot_metrics.h - join a profile with a table of metrics: functions that are hot and risky
 *
 * Functions are matched by name, and by file if several have the name (function_index.h). Files and
 * lines come from the table's columns "file", "head_line" and "last_line", if present.
 *
 * The risk of a function is its value in the first of these columns that the table has: rank,
 * score, leopard_v, cognitive, cyclomatic, ccn. Without column titles, the risk is unknown.
 */
#ifndef ANALYSES_HOT_METRICS_H
#define ANALYSES_HOT_METRICS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;

/*
 * the riskiest 1/5 of the functions count as risky. LEOPARD, a ranking of functions by metrics,
 * inspects the same share (Du et al., ICSE 2019)
 */
#define HOT_RISKY_SHARE 5u

struct hot_function {
	/*
	 * symbol of the function; if several symbols match the row of the table, the heaviest
	 * symbol
	 */
	sym_id sym;
	/* row of the table of metrics; if several rows match the function, the riskiest row */
	uint32_t row;
	uint32_t alike; /* number of rows that match the function; 1: the match is certain */
	uint32_t rank;  /* the row's rank by risk in the table, 1 is the riskiest; 0: unknown */
	uint32_t line; /* line of the input with the function's row in a printed profile; 0: none */
	double self;   /* weight of the function itself, in percent of the profile */
	double self_err; /* rounding error of `self`, in percent of the profile */
	/*
	 * 95 % interval of `self`, from the number of samples. If this number is unknown: `self`
	 * minus and plus `self_err`
	 */
	double low;
	double high;
	bool is_by_place; /* the function's file in the profile was used to choose the row */
};

struct hot_metrics {
	VEC(struct hot_function) functions; /* matched functions, largest `self` first */
	/*
	 * functions of the profile that match no row; only sym and self are set; largest self first
	 */
	VEC(struct hot_function) unmatched;
	double matched; /* sum of `self` over the matched functions, in percent of the profile */
	/* the part of `matched` for which the file was used to choose the row */
	double matched_by_place;
	double total;           /* sum of `self` over all functions, in percent of the profile */
	uint64_t n_samples;     /* number of samples of the profile; 0: unknown */
	size_t risk_column;     /* column from which the ranks come; SIZE_MAX: none */
	const char *risk_title; /* title of the risk, such as "score"; NULL: none */
	size_t n_rows;
};

/*
 * Whether the rows of table @c are source functions. Rows of other tables are locks, tasks or
 * events.
 */
bool hot_metrics_is_table(const struct capture *c);
/*
 * The column of @table with the title @title. Case is ignored, and '-' is equal to '_'. SIZE_MAX:
 * none.
 */
size_t hot_metrics_column(const struct capture *table, const char *title);
/*
 * Join profile @c with the table of metrics @table, of the same dossier. Errors: those of
 * top_compute(). Owner of @ret: caller, hot_metrics_fini().
 */
MUST_CHECK int hot_metrics_join(const struct capture *c, const struct capture *table,
				struct category_cache *cats, struct hot_metrics *ret,
				struct error *err);
void hot_metrics_fini(struct hot_metrics *h);

/*
 * Whether rank @rank of @n_rows is in the riskiest fifth. Rank 1 always is; rank 0 (unknown) never
 * is.
 */
static inline bool hot_metrics_rank_is_risky(uint32_t rank, size_t n_rows)
{
	return rank && (rank == 1 || (uint64_t)rank * HOT_RISKY_SHARE <= n_rows);
}
static inline bool hot_metrics_is_risky(const struct hot_metrics *h, const struct hot_function *f)
{
	return hot_metrics_rank_is_risky(f->rank, h->n_rows);
}
/*
 * The risky function with the largest self weight. Of equally heavy functions, the riskiest. NULL:
 * no function is risky.
 */
const struct hot_function *hot_metrics_hottest_risky(const struct hot_metrics *h);

#endif
