/* SPDX-License-Identifier: MIT */
/*
 * metrics_summary.h - statistics of the columns of a table of metrics
 *
 * Cells without a number are ignored, and counted as missing. The correlation of two columns uses
 * only the rows with a number in both columns.
 */
#ifndef ANALYSES_METRICS_SUMMARY_H
#define ANALYSES_METRICS_SUMMARY_H

#include "base/vec.h"

struct metrics;

/* maximum number of columns that are compared in pairs; the cost grows quadratically */
#define METRICS_PAIRED_COLUMNS 64u

struct metric_column_summary {
	double min; /* min, max, mean, median and sum are NaN if the column has no number */
	double max;
	double mean;
	double median; /* if the number of values is even, the mean of the two middle values */
	double sum;
	double stdev; /* sample standard deviation (n - 1); NaN: fewer than two values */
	uint64_t values;
	uint64_t missing;
	uint64_t zeros;
	uint64_t distinct;
	uint32_t max_row; /* first row with the maximum; INDEX_NONE: none */
	uint32_t min_row; /* first row with the minimum; INDEX_NONE: none */
};

/* The correlation of two columns. `a` and `b` are their indices; a < b. */
struct metric_pair {
	double pearson; /* correlation of the values; NaN: one of the columns is constant */
	/* correlation of the ranks; rows with equal values share the mean of their ranks */
	double spearman;
	uint64_t rows;
	uint32_t a;
	uint32_t b;
};

struct metrics_summary {
	/* one element for each column, in the order of metrics.columns */
	VEC(struct metric_column_summary) columns;
	VEC(struct metric_pair) pairs; /* sorted by a, then by b */
	/*
	 * indices in `pairs`, sorted by |correlation|, largest first. Pairs with only two rows are
	 * left out: their correlation is always 1 or -1
	 */
	VEC(uint32_t) by_pearson;
	VEC(uint32_t) by_spearman;
	/*
	 * number of columns without pairs: columns of text, and those past METRICS_PAIRED_COLUMNS
	 */
	uint32_t unpaired_columns;
};

/*
 * Compute the summary. Owner: caller, metrics_summary_fini(). Cost: O(columns * rows * log rows +
 * pairs * rows).
 */
void metrics_summary_init(struct metrics_summary *s, const struct metrics *m);
void metrics_summary_fini(struct metrics_summary *s);
/*
 * Rank of a row by its value in @column: 1 for the highest. Rows with equal values have the same
 * rank. 0: the cell has no number. Cost: O(rows).
 */
uint32_t metrics_rank(const struct metrics *m, size_t column, size_t row);

#endif
