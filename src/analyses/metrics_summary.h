/* SPDX-License-Identifier: MIT */
/*
 * metrics_summary.h - statistics of the columns of a table of metrics
 *
 * Cells without a number are left out and counted as missing. Pairs of columns use the rows in
 * which both have a number.
 */
#ifndef ANALYSES_METRICS_SUMMARY_H
#define ANALYSES_METRICS_SUMMARY_H

#include "base/vec.h"

struct metrics;

/* maximum number of columns compared in pairs: the cost grows quadratically */
#define METRICS_PAIRED_COLUMNS 64u

struct metric_column_summary {
	double min; /* if the column has no number, this and the following figures are NaN */
	double max;
	double mean;
	double median; /* mean of the two middle values if the count is even */
	double sum;
	double stdev; /* sample standard deviation (n - 1); NaN: fewer than two values */
	uint64_t values;
	uint64_t missing;
	uint64_t zeros;
	uint64_t distinct;
	uint32_t max_row; /* first row with this value; INDEX_NONE: none */
	uint32_t min_row;
};

/* The correlation of two columns, a < b. */
struct metric_pair {
	double pearson; /* NaN: one of the columns is constant */
	/* Pearson correlation of the ranks; equal values have the mean of their ranks */
	double spearman;
	uint64_t rows;
	uint32_t a;
	uint32_t b;
};

struct metrics_summary {
	VEC(struct metric_column_summary) columns; /* same order as metrics.columns */
	VEC(struct metric_pair) pairs;             /* sorted by a, then by b */
	/*
	 * indices of pairs with this correlation, largest |r| first; pairs with only two rows are
	 * left out
	 */
	VEC(uint32_t) by_pearson;
	VEC(uint32_t) by_spearman;
	uint32_t unpaired_columns; /* number of columns not paired: text, or beyond the maximum */
};

/*
 * Compute the summary. Owner: caller, metrics_summary_fini(). Cost: O(columns * rows * log rows +
 * pairs * rows).
 */
void metrics_summary_init(struct metrics_summary *s, const struct metrics *m);
void metrics_summary_fini(struct metrics_summary *s);
/*
 * Rank of a row: 1 for the highest value of @column. Equal values share the best of their ranks.
 * 0: the cell has no number. Cost: O(rows).
 */
uint32_t metrics_rank(const struct metrics *m, size_t column, size_t row);

#endif
