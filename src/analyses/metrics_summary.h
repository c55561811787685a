/* SPDX-License-Identifier: MIT */
/*
 * metrics_summary.h - statistics of a table of metrics by column
 *
 * Cells without a number are excluded and counted as missing. Pairs use the rows in which both
 * columns have a number.
 */
#ifndef ANALYSES_METRICS_SUMMARY_H
#define ANALYSES_METRICS_SUMMARY_H

#include "base/vec.h"

struct metrics;

/* Only this many columns are compared in pairs, because the cost grows quadratically. */
#define METRICS_PAIRED_COLUMNS 64u

struct metric_column_summary {
	double min; /* NaN if the column has no number, as all fields here */
	double max;
	double mean;
	double median; /* mean of the two middle values if the count is even */
	double sum;
	double stdev; /* sample standard deviation, n - 1; NaN with fewer than two */
	uint64_t values;
	uint64_t missing;
	uint64_t zeros;
	uint64_t distinct;
	uint32_t max_row; /* first row with max; INDEX_NONE: none */
	uint32_t min_row;
};

/* Two columns, a < b. */
struct metric_pair {
	double pearson;  /* NaN: a column is constant */
	double spearman; /* Pearson correlation of mean ranks */
	uint64_t rows;
	uint32_t a;
	uint32_t b;
};

struct metrics_summary {
	VEC(struct metric_column_summary) columns; /* as metrics.columns */
	VEC(struct metric_pair) pairs;             /* by a, then b */
	/* indices of pairs with this correlation, largest |r| first; a pair with
	 * only two rows has none */
	VEC(uint32_t) by_pearson;
	VEC(uint32_t) by_spearman;
	uint32_t unpaired_columns; /* not paired: text, or beyond the limit */
};

/*
 * Owner: caller, metrics_summary_fini().
 * Cost: O(columns * rows * log rows + pairs * rows).
 */
void metrics_summary_init(struct metrics_summary *s, const struct metrics *m);
void metrics_summary_fini(struct metrics_summary *s);
/*
 * Rank of a row, 1 for the highest value of @column; equal values share the best rank. 0 if the
 * cell has no number. Cost: O(rows).
 */
uint32_t metrics_rank(const struct metrics *m, size_t column, size_t row);

#endif
