/* SPDX-License-Identifier: MIT */
#include "analyses/metrics_summary.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"

#include <math.h>

/* minimum number of rows for a correlation: two points always lie on a line */
#define METRICS_PAIR_ROWS 3u

struct metric_cell {
	double value;
	uint32_t row;
};

static int metrics_cmp_cell(const void *pa, const void *pb)
{
	const struct metric_cell *a = pa;
	const struct metric_cell *b = pb;

	return SORT_ORDER(a->value, b->value) ?: SORT_ORDER(a->row, b->row);
}

/*
 * Copy the numbers of column @c to @cells, and sort them in ascending order. Returns their number.
 */
static size_t metrics_sorted(const struct metrics *m, size_t c, struct metric_cell *cells)
{
	size_t n = 0;

	for (size_t row = 0; row < m->n_rows; row++) {
		double v = metrics_value(m, row, c);

		if (isfinite(v))
			cells[n++] = (struct metric_cell){ v, (uint32_t)row };
	}
	if (n)
		qsort(cells, n, sizeof(*cells), metrics_cmp_cell);
	return n;
}

static struct metric_column_summary metrics_column(const struct metric_cell *cells, size_t n,
						   size_t rows)
{
	struct metric_column_summary s = { .min = NAN,
					   .max = NAN,
					   .mean = NAN,
					   .median = NAN,
					   .sum = NAN,
					   .stdev = NAN,
					   .values = n,
					   .missing = rows - n,
					   .max_row = INDEX_NONE,
					   .min_row = INDEX_NONE };
	double squares = 0;

	if (n == 0)
		return s;
	s.sum = 0;
	s.min = cells[0].value;
	s.min_row = cells[0].row;
	s.max = cells[n - 1].value;
	s.median = n % 2 ? cells[n / 2].value : cells[n / 2 - 1].value / 2 + cells[n / 2].value / 2;
	for (size_t i = 0; i < n; i++) {
		bool is_new = i == 0 || cells[i].value > cells[i - 1].value;

		s.sum += cells[i].value;
		s.zeros += fpclassify(cells[i].value) == FP_ZERO;
		s.distinct += is_new;
		if (is_new)
			/*
			 * cells are in ascending order: after the loop, max_row is the first row
			 * with the maximum
			 */
			s.max_row = cells[i].row;
	}
	s.mean = s.sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (cells[i].value - s.mean) * (cells[i].value - s.mean);
	if (n > 1)
		s.stdev = sqrt(squares / (double)(n - 1));
	return s;
}

/*
 * Compute the rank of each row: 1 for the lowest value. Rows with equal values get the mean of
 * their ranks, rows without a number get NaN.
 */
static void metrics_mean_ranks(const struct metric_cell *cells, size_t n, size_t rows,
			       double *ranks)
{
	size_t end;

	for (size_t row = 0; row < rows; row++)
		ranks[row] = NAN;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !(cells[end].value > cells[i].value); end++)
			;
		for (size_t k = i; k < end; k++)
			ranks[cells[k].row] = ((double)i + (double)end + 1) / 2;
	}
}

/*
 * Pearson correlation of the columns @a and @b, over the rows with a number in both; *@ret_n is the
 * number of these rows. The first pass computes the means, the second pass sums products of
 * deviations from the means. A single pass would subtract large, nearly equal sums and lose digits.
 */
static double metrics_correlate(const double *a, const double *b, size_t rows, uint64_t *ret_n)
{
	double sum_a = 0;
	double sum_b = 0;
	double ab = 0;
	double aa = 0;
	double bb = 0;
	double n = 0;

	for (size_t i = 0; i < rows; i++) {
		if (!isfinite(a[i]) || !isfinite(b[i]))
			continue;
		sum_a += a[i];
		sum_b += b[i];
		n++;
	}
	*ret_n = (uint64_t)n;
	if (n < 2)
		return NAN;
	for (size_t i = 0; i < rows; i++) {
		double da = a[i] - sum_a / n;
		double db = b[i] - sum_b / n;

		if (!isfinite(a[i]) || !isfinite(b[i]))
			continue;
		ab += da * db;
		aa += da * da;
		bb += db * db;
	}
	if (!(aa > 0) || !(bb > 0))
		return NAN;
	return ab / (sqrt(aa) * sqrt(bb));
}

static int metrics_cmp_strength(double a, double b)
{
	double x = isfinite(a) ? fabs(a) : -1;
	double y = isfinite(b) ? fabs(b) : -1;

	return SORT_ORDER(y, x);
}

static int metrics_cmp_pearson(const void *pa, const void *pb, void *pairs)
{
	const struct metric_pair *p = pairs;
	uint32_t a = *(const uint32_t *)pa;
	uint32_t b = *(const uint32_t *)pb;
	int r = metrics_cmp_strength(p[a].pearson, p[b].pearson);

	return r ?: SORT_ORDER(a, b);
}

static int metrics_cmp_spearman(const void *pa, const void *pb, void *pairs)
{
	const struct metric_pair *p = pairs;
	uint32_t a = *(const uint32_t *)pa;
	uint32_t b = *(const uint32_t *)pb;
	int r = metrics_cmp_strength(p[a].spearman, p[b].spearman);

	return r ?: SORT_ORDER(a, b);
}

static void metrics_pair_columns(struct metrics_summary *s, const uint32_t *columns, size_t n,
				 const double *values, const double *ranks, size_t rows)
{
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			struct metric_pair p = { .a = columns[a], .b = columns[b] };

			p.pearson = metrics_correlate(values + a * rows, values + b * rows, rows,
						      &p.rows);
			p.spearman = metrics_correlate(ranks + a * rows, ranks + b * rows, rows,
						       &p.rows);
			if (p.rows >= METRICS_PAIR_ROWS && !isnan(p.pearson))
				*VEC_PUSH(&s->by_pearson) = (uint32_t)s->pairs.len;
			if (p.rows >= METRICS_PAIR_ROWS && !isnan(p.spearman))
				*VEC_PUSH(&s->by_spearman) = (uint32_t)s->pairs.len;
			*VEC_PUSH(&s->pairs) = p;
		}
	}
	if (s->by_pearson.len)
		qsort_r(s->by_pearson.data, s->by_pearson.len, sizeof(uint32_t),
			metrics_cmp_pearson, s->pairs.data);
	if (s->by_spearman.len)
		qsort_r(s->by_spearman.data, s->by_spearman.len, sizeof(uint32_t),
			metrics_cmp_spearman, s->pairs.data);
}

void metrics_summary_init(struct metrics_summary *s, const struct metrics *m)
{
	CLEANUP(freep) struct metric_cell *cells = NULL;
	CLEANUP(freep) double *values = NULL;
	CLEANUP(freep) double *ranks = NULL;
	uint32_t columns[METRICS_PAIRED_COLUMNS];
	size_t rows = m->n_rows;
	size_t n = 0;

	memset(s, 0, sizeof(*s));
	for (size_t c = 0; c < m->columns.len && n < METRICS_PAIRED_COLUMNS; c++) {
		if (!m->columns.data[c].is_text)
			columns[n++] = (uint32_t)c;
	}
	s->unpaired_columns = (uint32_t)(m->columns.len - n);
	cells = xreallocarray(NULL, rows + 1, sizeof(*cells));
	values = xreallocarray(NULL, rows * n + 1, sizeof(*values));
	ranks = xreallocarray(NULL, rows * n + 1, sizeof(*ranks));
	n = 0;
	for (size_t c = 0; c < m->columns.len; c++) {
		size_t filled = metrics_sorted(m, c, cells);

		*VEC_PUSH(&s->columns) = metrics_column(cells, filled, rows);
		if (n == METRICS_PAIRED_COLUMNS || m->columns.data[c].is_text)
			continue;
		for (size_t row = 0; row < rows; row++)
			values[n * rows + row] = metrics_value(m, row, c);
		metrics_mean_ranks(cells, filled, rows, ranks + n * rows);
		n++;
	}
	metrics_pair_columns(s, columns, n, values, ranks, rows);
}

void metrics_summary_fini(struct metrics_summary *s)
{
	VEC_FREE(&s->columns);
	VEC_FREE(&s->pairs);
	VEC_FREE(&s->by_pearson);
	VEC_FREE(&s->by_spearman);
}

uint32_t metrics_rank(const struct metrics *m, size_t column, size_t row)
{
	double v = metrics_value(m, row, column);
	uint32_t rank = 1;

	if (!isfinite(v))
		return 0;
	for (size_t i = 0; i < m->n_rows; i++)
		rank += metrics_value(m, i, column) > v;
	return rank;
}
