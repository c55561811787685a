/* SPDX-License-Identifier: MIT */
/* Compute differences, intervals, tests and verdicts from the values of two sides. */
#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_build.h"
#include "analyses/compare/compare_names.h"
#include "analyses/compare/stats_compare.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/* maximum number of rows on each side that are tested as possible renames */
#define JUDGE_RENAMES 64u
/* a name that is contained in another name counts only if it has at least this length in bytes */
#define JUDGE_RENAME_MIN 4u
/*
 * sample size of the anchor function's own row. It stands for infinitely many samples: the row's
 * share is 100 % by definition, so it has no error
 */
#define JUDGE_SIZE_EXACT 1e15
/* maximum number of frames in the name of a stack; the innermost frames are used */
#define JUDGE_FRAMES 48u

struct judge {
	struct compare_build *b;
	enum compare_level level;
	struct compare_cells cells[2];
	double *ratio;
	double *df;
	double factor; /* factor from values to compare.unit: 100 for shares */
	double last_df, last_alpha, last_t;
};

/*
 * Critical value of Student's t. The last result is cached, because successive rows often have the
 * same degrees of freedom.
 */
static double judge_t(struct judge *j, double alpha, double df)
{
	if (df != j->last_df || alpha != j->last_alpha) {
		j->last_t = stats_t_critical(alpha, df);
		j->last_df = df;
		j->last_alpha = alpha;
	}
	return j->last_t;
}

/*
 * Effective sample size of the row: this number of independent samples would have the same
 * variance. Overdispersion is not yet included.
 */
static double judge_size(const struct judge *j, int side, uint32_t row)
{
	const struct compare_cells *c = &j->cells[side];
	double v = c->value[row];
	double spread = v * (j->b->is_rate ? 1 : 1 - v);

	if (v > 0 && spread > 0 && c->variance[row] > 0)
		return spread / c->variance[row];
	if (v > 0 && j->b->spec->norm == COMPARE_ANCHOR && c->variance[row] <= 0)
		return JUDGE_SIZE_EXACT;
	return c->size;
}

static double judge_clamp(const struct judge *j, double value)
{
	value = fmax(0, value);
	return j->b->is_rate ? value : fmin(1, value);
}

/*
 * Standard error of the difference, under the assumption that both sides have the true value
 * @value.
 */
static double judge_error(const struct judge *j, double value, double size_a, double size_b,
			  double ratio)
{
	double spread = value * (j->b->is_rate ? 1 : fmax(0, 1 - value));

	return sqrt(ratio * spread * (1 / size_a + 1 / size_b) +
		    2 * j->b->run_variance * value * value);
}

/*
 * Reduce @size, the effective sample size of a side, by the variation of totals from run to run
 * (compare_build.run_variance).
 */
static double judge_run_size(const struct judge *j, double value, double size)
{
	return size > 0 ? 1 / (1 / size + j->b->run_variance * value) : size;
}

struct judge_sides {
	struct stats_side a, b;
	/* the ranges of the true values before rounding */
	double a_low, a_high, b_low, b_high;
};

static double judge_print_of(const double *column, uint32_t row)
{
	return column ? column[row] : 0;
}

static struct judge_sides judge_sides(const struct judge *j, uint32_t row)
{
	const struct compare_cells *a = &j->cells[0];
	const struct compare_cells *b = &j->cells[1];
	double ratio = j->ratio[row];
	double size_a = judge_size(j, 0, row);
	double size_b = judge_size(j, 1, row);
	struct judge_sides s = {
		.a = { a->value[row], judge_run_size(j, a->value[row], size_a / ratio) },
		.b = { b->value[row], judge_run_size(j, b->value[row], size_b / ratio) },
		.a_low = judge_clamp(j, a->value[row] - judge_print_of(a->low, row)),
		.a_high = judge_clamp(j, a->value[row] + judge_print_of(a->high, row)),
		.b_low = judge_clamp(j, b->value[row] - judge_print_of(b->low, row)),
		.b_high = judge_clamp(j, b->value[row] + judge_print_of(b->high, row)),
	};

	return s;
}

static struct stats_side judge_at(struct stats_side s, double value)
{
	s.value = value;
	return s;
}

/*
 * Compute the interval and the p-value. Each side's true value lies in a range, because printed
 * figures are rounded. The p-value is computed from the two values in these ranges that differ
 * least.
 */
static void judge_test(struct judge *j, const struct judge_sides *s, uint32_t row,
		       struct compare_row *r)
{
	bool is_rate = j->b->is_rate;
	double t = judge_t(j, COMPARE_ALPHA, j->df[row]);
	struct stats_side a_low = judge_at(s->a, s->a_low), a_high = judge_at(s->a, s->a_high);
	struct stats_side b_low = judge_at(s->b, s->b_low), b_high = judge_at(s->b, s->b_high);

	r->low = stats_difference(a_high, b_low, is_rate, t).low;
	r->high = stats_difference(a_low, b_high, is_rate, t).high;
	r->p = NAN;
	if (s->a.value * s->a.size + s->b.value * s->b.size < COMPARE_COUNT_MIN)
		return;
	if (s->b_low > s->a_high)
		r->p = stats_difference_p(a_high, b_low, is_rate, j->df[row]);
	else if (s->b_high < s->a_low)
		r->p = stats_difference_p(a_low, b_high, is_rate, j->df[row]);
	else
		r->p = 1;
}

/*
 * For a report without a number of samples, the interval is the rounding range. Also compute the
 * number of samples with which the difference would be significant.
 */
static void judge_print(struct judge *j, const struct judge_sides *s, struct compare_row *r)
{
	double d = fmax(fmax(s->b_low - s->a_high, s->a_low - s->b_high), 0);
	double t = judge_t(j, COMPARE_ALPHA, STATS_DF_NORMAL);
	double spread =
		s->a.value * (1 - fmin(1, s->a.value)) + s->b.value * (1 - fmin(1, s->b.value));

	r->low = s->b_low - s->a_high;
	r->high = s->b_high - s->a_low;
	r->p = NAN;
	r->needed = d > 0 && !j->b->is_rate ? t * t * spread / (d * d) * COMPARE_DISPERSION : NAN;
}

static void judge_names(const struct judge *j, uint32_t row, struct compare_row *r)
{
	const struct compare_names *names = &j->b->names;
	const struct compare_group *g;
	category_id category = { (uint16_t)row };
	uint32_t at = row;

	if (j->level == COMPARE_CATEGORY) {
		r->name = str_of(category_name(category));
		return;
	}
	if (j->level == COMPARE_STACK)
		at = j->b->stacks.function.data[row];
	if (at == INDEX_NONE)
		return;
	g = j->level == COMPARE_DSO ? &names->objects.data[at] : &names->functions.data[at];
	r->name = strings_get(&names->strings, g->name[g->name[0].v ? 0 : 1]);
	if (g->name[0].v && g->name[1].v && g->name[0].v != g->name[1].v &&
	    j->level != COMPARE_STACK)
		r->name_b = strings_get(&names->strings, g->name[1]);
	if (j->level != COMPARE_DSO) {
		r->dso = strings_get(&names->strings, g->dso[g->dso[0].v ? 0 : 1]);
		r->space = str_of(symbol_space_name((enum symbol_space)g->space));
	}
}

static bool judge_row(struct judge *j, uint32_t row, struct compare_row *r)
{
	const struct compare_cells *a = &j->cells[0];
	const struct compare_cells *b = &j->cells[1];
	struct judge_sides s = judge_sides(j, row);
	double f = j->factor;

	if (!a->is_there[row] && !b->is_there[row])
		return false;
	*r = (struct compare_row){
		.a = f * s.a.value,
		.b = f * s.b.value,
		.a_low = f * s.a_low,
		.a_high = f * s.a_high,
		.b_low = f * s.b_low,
		.b_high = f * s.b_high,
		.q = NAN,
		.p = NAN,
		.needed = NAN,
		.visible = NAN,
		.longer = NAN,
		.dispersion = j->ratio[row],
		.verdict = COMPARE_CANNOT_TELL,
		.is_new = !a->is_there[row],
		.is_vanished = !b->is_there[row],
	};
	r->delta = r->b - r->a;
	r->samples_a = r->samples_b = NAN;
	if (j->b->ret->spread == COMPARE_UNKNOWN) {
		judge_print(j, &s, r);
	} else {
		judge_test(j, &s, row, r);
		r->samples_a = s.a.value * s.a.size * j->ratio[row];
		r->samples_b = s.b.value * s.b.size * j->ratio[row];
	}
	r->low *= f;
	r->high *= f;
	r->space = STR_NONE;
	if (j->level != COMPARE_PATHS)
		judge_names(j, row, r);
	return true;
}

static double judge_print_width(const struct compare_row *r)
{
	return (r->a_high - r->a_low + r->b_high - r->b_low) / 2;
}

/* Smallest change that is found with a probability of 80 %, in a row with the value @value. */
static double judge_visible(struct judge *j, double value, double size_a, double size_b,
			    double ratio, double df, double alpha)
{
	double t = judge_t(j, alpha, df);

	if (!(size_a > 0) || !(size_b > 0))
		return NAN;
	if (!j->b->is_rate) {
		/*
		 * for a share of 0 or 100 %, the formula gives an error of 0, which is wrong: use
		 * the centre of Wilson's interval as the share
		 */
		double n = 2 / (1 / size_a + 1 / size_b) / ratio;
		double edge = t * t / 2 / (n + t * t);

		value = fmax(edge, fmin(1 - edge, value));
	}
	return (t + COMPARE_POWER_Z) * judge_error(j, value, size_a, size_b, ratio);
}

static double judge_longer(const struct compare *c, double visible, double print)
{
	double factor;

	if (!(c->want > 0) || isnan(visible))
		return NAN;
	if (c->want <= print)
		/* the rounding of printed figures alone hides a change of this size */
		return INFINITY;
	factor = visible / (c->want - print);
	return fmax(1, factor * factor);
}

static int judge_compare(const void *x, const void *y)
{
	const struct compare_row *a = x;
	const struct compare_row *b = y;
	bool ta = a->verdict == COMPARE_MORE || a->verdict == COMPARE_LESS;
	bool tb = b->verdict == COMPARE_MORE || b->verdict == COMPARE_LESS;

	return SORT_ORDER(tb, ta) ?: SORT_ORDER(fabs(b->delta), fabs(a->delta)) ?: SORT_ORDER(b->a, a->a) ?: str_cmp(a->name, b->name) ?: str_cmp(a->dso, b->dso);
}

static int judge_compare_double(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return SORT_ORDER(a, b);
}

static enum compare_verdict judge_verdict(const struct compare *c, double low, double high,
					  double q, double margin)
{
	if (q <= c->alpha && (low > 0 || high < 0))
		return low > 0 ? COMPARE_MORE : COMPARE_LESS;
	if (c->spread != COMPARE_UNKNOWN && low >= -margin && high <= margin)
		return COMPARE_SAME;
	return COMPARE_CANNOT_TELL;
}

/*
 * Weight of a row's test; the mean of all weights is 1. Each test gets the weight COMPARE_EVEN. The
 * remaining weight is split in proportion to the rows' shares, because heavy functions matter most.
 * @a, @b: the row's shares on both sides; @mean: mean share over all tests. The weight depends only
 * on a + b, which is independent of the difference. So rows with large differences get no
 * advantage.
 */
static double judge_weight(double a, double b, double mean)
{
	return mean > 0 ? COMPARE_EVEN + (1 - COMPARE_EVEN) * (a + b) / 2 / mean : 1;
}

void compare_verdicts(struct compare *c, struct compare_table *t, double margin_pct)
{
	CLEANUP(freep) double *p = xcalloc(t->rows.len + 1, sizeof(double));
	CLEANUP(freep) double *q = xcalloc(t->rows.len + 1, sizeof(double));
	CLEANUP(freep) double *weight = xcalloc(t->rows.len + 1, sizeof(double));
	double sum = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		p[i] = t->rows.data[i].p;
		if (isnan(p[i]))
			continue;
		t->n_tested++;
		sum += (t->rows.data[i].a + t->rows.data[i].b) / 2;
	}
	t->mean = margin_pct > 0 || !t->n_tested ? 0 : sum / (double)t->n_tested;
	for (size_t i = 0; i < t->rows.len; i++)
		weight[i] = judge_weight(t->rows.data[i].a, t->rows.data[i].b, t->mean);
	stats_benjamini_hochberg(p, weight, q, t->rows.len);
	t->cut = t->n_tested ? c->alpha / (double)t->n_tested : NAN;
	for (size_t i = 0; i < t->rows.len; i++) {
		struct compare_row *r = &t->rows.data[i];
		double margin = margin_pct > 0 ? margin_pct / 100 * r->a : c->margin;

		r->q = q[i];
		r->weight = weight[i];
		r->verdict = judge_verdict(c, r->low, r->high, q[i], margin);
		if (r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS)
			t->cut = fmax(t->cut, p[i] / weight[i]);
		t->counts[r->verdict]++;
		if (r->verdict == COMPARE_MORE)
			t->n_new += r->is_new;
		if (r->verdict == COMPARE_LESS)
			t->n_vanished += r->is_vanished;
	}
}

/*
 * Significance level for a test of weight @weight. It never exceeds c->alpha: otherwise a
 * difference could be significant although its 95 % interval contains zero.
 */
static double judge_alpha(const struct compare *c, const struct compare_table *t, double weight)
{
	return fmin(c->alpha, t->cut * weight);
}

/*
 * Compute the smallest change that would be detected: in each row, in a row with 1 % of the total,
 * and in the heaviest row.
 */
static void judge_power(struct judge *j, struct compare_table *t, const uint32_t *row_of)
{
	struct compare *c = j->b->ret;
	CLEANUP(freep) double *ratios = xcalloc(t->rows.len + 1, sizeof(double));
	double heaviest = -1;

	t->dispersion = t->visible_one = t->visible_top = t->longer = NAN;
	if (c->spread == COMPARE_UNKNOWN || t->rows.len == 0)
		return;
	for (size_t i = 0; i < t->rows.len; i++) {
		struct compare_row *r = &t->rows.data[i];
		uint32_t row = row_of[i];
		double size_a = judge_size(j, 0, row), size_b = judge_size(j, 1, row);
		double value = (r->a + r->b) / 2 / j->factor;
		double print = judge_print_width(r);

		ratios[i] = r->dispersion;
		r->visible = j->factor * judge_visible(j, value, size_a, size_b, j->ratio[row],
						       j->df[row], judge_alpha(c, t, r->weight));
		r->longer = judge_longer(c, r->visible, print);
		r->visible += print;
		if (r->a > heaviest) {
			heaviest = r->a;
			t->visible_top = r->visible;
			t->longer = r->longer;
		}
	}
	qsort(ratios, t->rows.len, sizeof(double), judge_compare_double);
	t->dispersion = ratios[t->rows.len / 2];
	t->visible_one =
		j->factor *
		judge_visible(
			j, c->scale / j->factor / 100, j->cells[0].size, j->cells[1].size,
			t->dispersion, j->df[0],
			judge_alpha(c, t, judge_weight(c->scale / 100, c->scale / 100, t->mean)));
}

bool compare_is_renamed(struct str from, struct str to)
{
	struct str a = compare_base_name(from);
	struct str b = compare_base_name(to);
	struct str small, large;

	while (a.len && a.p[0] == '_')
		a = str_skip(a, 1);
	while (b.len && b.p[0] == '_')
		b = str_skip(b, 1);
	small = a.len < b.len ? a : b;
	large = a.len < b.len ? b : a;
	return small.len >= JUDGE_RENAME_MIN && small.len * 2 >= large.len &&
	       str_contains(large, small);
}

/*
 * Whether @from, only in A, and @to, only in B, may be one function under two names: the names are
 * related, and the weights similar.
 */
static bool judge_is_renamed(const struct compare_row *from, const struct compare_row *to)
{
	return compare_is_renamed(from->name, to->name) && from->a <= 2 * to->b &&
	       to->b <= 2 * from->a;
}

static void judge_renames(struct compare *c, const struct compare_table *t)
{
	const struct compare_row *gone[JUDGE_RENAMES], *come[JUDGE_RENAMES];
	size_t n_gone = 0, n_come = 0;

	VEC_FOREACH (r, &t->rows) {
		if (r->verdict == COMPARE_LESS && r->is_vanished && n_gone < JUDGE_RENAMES)
			gone[n_gone++] = r;
		if (r->verdict == COMPARE_MORE && r->is_new && n_come < JUDGE_RENAMES)
			come[n_come++] = r;
	}
	for (size_t i = 0; i < n_gone; i++) {
		for (size_t k = 0; k < n_come; k++) {
			if (come[k] && judge_is_renamed(gone[i], come[k])) {
				*VEC_PUSH(&c->renames) =
					(struct compare_rename){ gone[i]->name, come[k]->name,
								 gone[i]->a, come[k]->b };
				come[k] = NULL;
				break;
			}
		}
	}
}

/* Write the name of stack @id, such as "main;run;memcpy", into the arena. */
static struct str judge_stack(struct compare_build *b, uint32_t id)
{
	struct out text = { .fd = -1 };
	CLEANUP(freep) uint32_t *path = NULL;
	struct str ret;
	uint32_t outermost = id;
	size_t n = 0;

	for (; outermost && n < JUDGE_FRAMES; outermost = b->stacks.parent.data[outermost])
		n++;
	path = xcalloc(n + 1, sizeof(*path));
	for (uint32_t at = id, i = (uint32_t)n; i > 0; at = b->stacks.parent.data[at])
		path[--i] = b->stacks.function.data[at];
	if (outermost)
		out_z(&text, "...;");
	for (size_t i = 0; i < n; i++) {
		const struct compare_group *g = &b->names.functions.data[path[i]];

		if (i)
			out_char(&text, ';');
		out_str(&text, strings_get(&b->names.strings, g->name[g->name[0].v ? 0 : 1]));
	}
	ret = arena_str(&b->ret->arena, out_view(&text));
	out_fini(&text);
	return ret;
}

static void judge_overlap(struct judge *j, uint32_t n)
{
	double sum[2] = { 0, 0 };
	double both = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum[0] += j->cells[0].value[i];
		sum[1] += j->cells[1].value[i];
	}
	for (uint32_t i = 0; i < n && sum[0] > 0 && sum[1] > 0; i++)
		both += fmin(j->cells[0].value[i] / sum[0], j->cells[1].value[i] / sum[1]);
	j->b->ret->overlap = 100 * both;
}

/* Whether all of the caller's weight comes from this callee. Then the caller is not tested. */
static bool judge_is_echo(const struct compare_path *caller, const struct compare_path *callee)
{
	return caller->a == callee->a && caller->b == callee->b;
}

/*
 * Compute the verdicts of all paths. A caller that judge_is_echo() excludes from the tests gets its
 * callee's verdict.
 */
static void judge_path_verdicts(struct compare *c)
{
	struct compare_paths *t = &c->paths;
	struct compare_path *rows = t->rows.data;
	CLEANUP(freep) double *p = xcalloc(t->rows.len + 1, sizeof(double));
	CLEANUP(freep) double *q = xcalloc(t->rows.len + 1, sizeof(double));
	CLEANUP(freep) double *weight = xcalloc(t->rows.len + 1, sizeof(double));
	double mean = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		if (rows[i].parent != INDEX_NONE && judge_is_echo(&rows[rows[i].parent], &rows[i]))
			rows[rows[i].parent].p = NAN;
	}
	for (size_t i = 0; i < t->rows.len; i++) {
		p[i] = rows[i].p;
		if (isnan(p[i]))
			continue;
		t->n_tested++;
		mean += ((rows[i].a + rows[i].b) / 2 - mean) / (double)t->n_tested;
	}
	for (size_t i = 0; i < t->rows.len; i++)
		weight[i] = judge_weight(rows[i].a, rows[i].b, mean);
	stats_benjamini_hochberg(p, weight, q, t->rows.len);
	for (size_t i = t->rows.len; i-- > 0;) {
		struct compare_path *r = &rows[i];
		struct compare_path *caller = NULL;

		/*
		 * an untested caller already has the verdict of its callee, because the loop visits
		 * callees first
		 */
		if (!isnan(q[i]) || isnan(r->q)) {
			r->q = q[i];
			r->verdict = (uint8_t)judge_verdict(c, r->low, r->high, q[i], c->margin);
		}
		t->counts[r->verdict]++;
		if (r->parent != INDEX_NONE)
			caller = &rows[r->parent];
		if (!caller || !judge_is_echo(caller, r))
			continue;
		caller->verdict = r->verdict;
		caller->p = r->p;
		caller->q = r->q;
	}
}

static void judge_path(struct judge *j, uint32_t row, const struct compare_row *r, uint32_t *at)
{
	const struct compare_build *b = j->b;
	const struct compare_group *g = &b->names.functions.data[b->stacks.function.data[row]];
	struct compare_paths *t = &b->ret->paths;

	at[row] = (uint32_t)t->rows.len;
	*VEC_PUSH(&t->rows) = (struct compare_path){
		.a = r->a,
		.b = r->b,
		.low = r->low,
		.high = r->high,
		.p = r->p,
		.q = NAN,
		.sym = g->best,
		.parent = at[b->stacks.parent.data[row]],
		.verdict = COMPARE_CANNOT_TELL,
		.is_new = r->is_new,
		.is_vanished = r->is_vanished,
		.is_many = g->is_many,
	};
}

static uint32_t judge_begin(struct judge *j)
{
	struct compare_build *b = j->b;
	uint32_t n;

	for (int s = 0; s < 2; s++)
		compare_cells_init(&j->cells[s], b, s, j->level);
	n = compare_row_count(b, j->level);
	j->factor = b->spec->norm == COMPARE_TOTAL || b->spec->norm == COMPARE_ANCHOR ? 100 : 1;
	j->ratio = xcalloc((size_t)n + 1, sizeof(double));
	j->df = xcalloc((size_t)n + 1, sizeof(double));
	compare_spread(b, j->level, &j->cells[0], &j->cells[1], n, j->ratio, j->df);
	return n;
}

static void judge_end(struct judge *j)
{
	for (int s = 0; s < 2; s++)
		compare_cells_fini(&j->cells[s]);
	free(j->ratio);
	free(j->df);
}

void compare_judge_paths(struct compare_build *b)
{
	struct judge j = { .b = b, .level = COMPARE_PATHS };
	uint32_t n = judge_begin(&j);
	CLEANUP(freep) uint32_t *at = xmalloc(((size_t)n + 1) * sizeof(*at));

	at[0] = INDEX_NONE;
	VEC_RESERVE(&b->ret->paths.rows, n);
	/*
	 * callers precede their callees: a caller has a smaller id and at least the same weight, so
	 * its row exists already
	 */
	for (uint32_t i = 1; i < n; i++) {
		struct compare_row r;

		if (judge_row(&j, i, &r))
			judge_path(&j, i, &r, at);
	}
	judge_end(&j);
	judge_path_verdicts(b->ret);
}

/* Copy the names of rows into the arena of the result, which lives longer than @j. */
static void judge_keep_names(struct judge *j, struct compare_table *t, const uint32_t *row_of)
{
	struct arena *arena = &j->b->ret->arena;

	for (size_t i = 0; i < t->rows.len; i++) {
		struct compare_row *r = &t->rows.data[i];

		r->dso = arena_str(arena, r->dso);
		if (j->level == COMPARE_STACK)
			r->name = judge_stack(j->b, row_of[i]);
		if (j->level == COMPARE_CATEGORY || j->level == COMPARE_STACK)
			continue;
		r->name = arena_str(arena, r->name);
		if (r->name_b.len)
			r->name_b = arena_str(arena, r->name_b);
	}
}

void compare_judge(struct compare_build *b, enum compare_level level)
{
	struct compare_table *t = &b->ret->tables[level];
	struct judge j = { .b = b, .level = level };
	uint32_t n = judge_begin(&j);
	CLEANUP(freep) uint32_t *row_of = xcalloc((size_t)n + 1, sizeof(*row_of));

	for (uint32_t i = 0; i < n; i++) {
		struct compare_row r;

		if (!judge_row(&j, i, &r))
			continue;
		row_of[t->rows.len] = i;
		*VEC_PUSH(&t->rows) = r;
	}
	compare_verdicts(b->ret, t, 0);
	judge_power(&j, t, row_of);
	if (level == COMPARE_SYMBOL)
		judge_overlap(&j, n);
	judge_keep_names(&j, t, row_of);
	VEC_SORT(&t->rows, judge_compare);
	if (level == COMPARE_SYMBOL)
		judge_renames(b->ret, t);
	judge_end(&j);
}
