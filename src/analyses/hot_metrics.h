/* SPDX-License-Identifier: MIT */
/*
 * hot_metrics.h - the functions of a profile that a table of metrics knows
 *
 * Joined as analyses/function_index.h says; files and lines are those of the
 * table's columns "file", "head_line" and "last_line" where it has them.
 *
 * Which functions of a table are risky is asked of the first of the columns rank,
 * score, leopard_v, cognitive, cyclomatic (also as ccn) that it has. Of a table
 * whose columns have no titles nothing of the kind is guessed.
 */
#ifndef ANALYSES_HOT_METRICS_H
#define ANALYSES_HOT_METRICS_H

#include "analyses/top/top.h"

/* LEOPARD's share to look at: what is risky is in the first fifth. */
#define HOT_RISKY_SHARE 5u

struct hot_function {
	sym_id sym;      /* of the profile: its heaviest */
	uint32_t row;    /* of the table; of several that are meant the riskiest */
	uint32_t alike;  /* rows that are meant: 1, it is this one */
	uint32_t rank;   /* among the rows of the table, 1 is the riskiest; 0: not known */
	uint32_t line;   /* of the profile's printed row; 0: none */
	double self;     /* percent of the profile */
	double self_err; /* half-width, from rounding alone */
	double low;      /* 95 % from the number of samples, else from rounding */
	double high;
	bool is_by_place; /* the profile says the file, and it agrees */
};

struct hot_metrics {
	VEC(struct hot_function) functions; /* most self first */
	VEC(struct hot_function) unmatched; /* sym, self; most first */
	double matched;                     /* percent of self */
	double matched_by_place;            /* of it */
	double total;                       /* percent that was looked at */
	uint64_t n_samples;                 /* 0: not known */
	size_t risk_column;                 /* of the table, by which rank is; SIZE_MAX: none */
	const char *risk_title;             /* "score": what the rank is by; NULL: none */
	size_t n_rows;
};

/* Are its rows functions of sources? Other tables count locks, tasks, events. */
bool hot_metrics_is_table(const struct capture *c);
/* The column of @table with that title, '-' as good as '_' and case ignored; SIZE_MAX: none. */
size_t hot_metrics_column(const struct capture *table, const char *title);
/*
 * Join profile @c with @table, a capture of metrics of the same dossier.
 * Owner of @ret: caller, hot_metrics_fini(). Errors: as top_compute().
 */
MUST_CHECK int hot_metrics_join(const struct capture *c, const struct capture *table,
				struct category_cache *cats, struct hot_metrics *ret,
				struct error *err);
void hot_metrics_fini(struct hot_metrics *h);

/* Is @rank one of the riskiest fifth of @n_rows? 0: it has none. */
static inline bool hot_metrics_rank_is_risky(uint32_t rank, size_t n_rows)
{
	return rank && (rank == 1 || (uint64_t)rank * HOT_RISKY_SHARE <= n_rows);
}
static inline bool hot_metrics_is_risky(const struct hot_metrics *h, const struct hot_function *f)
{
	return hot_metrics_rank_is_risky(f->rank, h->n_rows);
}
/* The hottest that is risky (of two as hot the riskier), or NULL. */
const struct hot_function *hot_metrics_hottest_risky(const struct hot_metrics *h);

#endif
