/* SPDX-License-Identifier: MIT */
/*
 * hot_metrics.h - profiled functions that a table of metrics contains
 *
 * Joined as in analyses/function_index.h; files and lines come from the table's columns "file",
 * "head_line" and "last_line", if present.
 *
 * Risk is taken from the first existing column of rank, score, leopard_v, cognitive, cyclomatic
 * (or ccn). Without column titles no risk is assumed.
 */
#ifndef ANALYSES_HOT_METRICS_H
#define ANALYSES_HOT_METRICS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;

/* LEOPARD's share to inspect: the first fifth is risky. */
#define HOT_RISKY_SHARE 5u

struct hot_function {
	sym_id sym;      /* of the profile: the heaviest */
	uint32_t row;    /* row of the table; the riskiest of several candidates */
	uint32_t alike;  /* number of candidate rows; 1: unambiguous */
	uint32_t rank;   /* among the table's rows, 1 is the riskiest; 0: unknown */
	uint32_t line;   /* line of the profile's printed row; 0: none */
	double self;     /* percent of the profile */
	double self_err; /* half-width from rounding alone */
	double low;      /* 95 % interval from the number of samples, else from rounding */
	double high;
	bool is_by_place; /* matched by the profile's file name */
};

struct hot_metrics {
	VEC(struct hot_function) functions; /* largest self first */
	VEC(struct hot_function) unmatched; /* sym and self only; largest first */
	double matched;                     /* percent of self */
	double matched_by_place;            /* part of it matched by file */
	double total;                       /* percent in total */
	uint64_t n_samples;                 /* 0: unknown */
	size_t risk_column;                 /* column of the rank; SIZE_MAX: none */
	const char *risk_title;             /* title of the rank's column: "score"; NULL: none */
	size_t n_rows;
};

/* Whether its rows are source functions; other tables count locks, tasks, events. */
bool hot_metrics_is_table(const struct capture *c);
/* The column of @table with that title, with '-' equal to '_', ignoring case; SIZE_MAX: none. */
size_t hot_metrics_column(const struct capture *table, const char *title);
/*
 * Join profile @c with @table, a capture of metrics of the same dossier.
 * Owner of @ret: caller, hot_metrics_fini(). Errors: as top_compute().
 */
MUST_CHECK int hot_metrics_join(const struct capture *c, const struct capture *table,
				struct category_cache *cats, struct hot_metrics *ret,
				struct error *err);
void hot_metrics_fini(struct hot_metrics *h);

/* Whether @rank is in the riskiest fifth of @n_rows. 0: no rank. */
static inline bool hot_metrics_rank_is_risky(uint32_t rank, size_t n_rows)
{
	return rank && (rank == 1 || (uint64_t)rank * HOT_RISKY_SHARE <= n_rows);
}
static inline bool hot_metrics_is_risky(const struct hot_metrics *h, const struct hot_function *f)
{
	return hot_metrics_rank_is_risky(f->rank, h->n_rows);
}
/* The hottest risky function (of two equally hot the riskier), or NULL. */
const struct hot_function *hot_metrics_hottest_risky(const struct hot_metrics *h);

#endif
