/* SPDX-License-Identifier: MIT */
/* Sum the weights of a capture by row: by function, object, category and stack. */
#include "analyses/compare/compare_build.h"

#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/*
 * The largest common divisor of all weights counts as the sampling period if it is at least
 * COLLECT_GRAIN_MIN. In a profile with fewer than COLLECT_GRAIN_OF entries, it must be at least
 * COLLECT_GRAIN_SURE.
 */
#define COLLECT_GRAIN_MIN  1000u
#define COLLECT_GRAIN_SURE 100000u
#define COLLECT_GRAIN_OF   10u
/*
 * Weights count as amounts, not as numbers of samples, under two conditions: the profile has at
 * least this number of stacks, and fewer than 1/50 of the stacks have three samples or fewer.
 */
#define COLLECT_ENTRIES_MIN 50u

static uint64_t collect_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Find the weight of one sample in a profile whose weights have no unit. The weights may be:
 * - sampling periods: they have a large common divisor, which is the weight of one sample
 * - numbers of samples: one sample has weight 1
 * - amounts, such as microseconds or bytes: in a profile with many stacks, fewer than 1/50 of the
 *   stacks have three samples or fewer. The result is 0. Each entry then counts as one sample,
 *   which is a lower bound.
 */
static double collect_grain(const struct profile *p)
{
	uint64_t grain = 0;
	uint64_t small = 0;

	VEC_FOREACH (w, &p->samples.weight)
		grain = collect_gcd(*w, grain);
	if (grain == 0)
		return 1;
	if (grain < COLLECT_GRAIN_MIN ||
	    (grain < COLLECT_GRAIN_SURE && p->samples.n < COLLECT_GRAIN_OF))
		grain = 1;
	VEC_FOREACH (w, &p->samples.weight)
		small += *w <= 3 * grain;
	if (p->samples.n >= COLLECT_ENTRIES_MIN && small * 50 < p->samples.n)
		return 0;
	return (double)grain;
}

static void collect_samples(struct compare_run *r)
{
	const struct profile *p = r->profile;
	enum weight_unit unit = profile_sample_unit(p);
	double squares = 0;

	r->from_samples = true;
	VEC_FOREACH (w, &p->samples.weight) {
		r->total += (double)*w;
		squares += (double)*w * (double)*w;
	}
	if (p->recovery == RECOVERY_EXACT)
		r->grain = 1;
	else if (p->has_n_samples && p->n_samples > p->samples.n && p->samples.time_ns.len == 0 &&
		 p->left_out == 0)
		r->grain = r->total / (double)p->n_samples;
	else if (unit == WEIGHT_SAMPLES)
		r->grain = pow(10, profile_sample_decimals(p));
	else if (unit == WEIGHT_UNKNOWN)
		r->grain = collect_grain(p);
	/*
	 * a selection removed samples, and only the sum of their weights is known: assume that
	 * their mean weight is that of the selected samples
	 */
	if (p->left_out) {
		squares *= 1 + (double)p->left_out / fmax(1, r->total);
		r->total += (double)p->left_out;
	}
	r->total_squares = r->grain > 0 ? r->total * r->grain : squares;
	r->samples = r->grain > 0 ? r->total / r->grain : (double)p->samples.n;
	if (p->samples.time_ns.len == p->samples.n && p->samples.n > 1) {
		uint64_t first = UINT64_MAX;
		uint64_t last = 0;

		VEC_FOREACH (t, &p->samples.time_ns) {
			first = *t < first ? *t : first;
			last = *t > last ? *t : last;
		}
		if (last > first)
			r->seconds = (double)(last - first) / 1e9;
	}
}

/*
 * Upper bound for the weight of a row that the report leaves out. If rows are sorted by weight, it
 * is the weight of the last printed row. INFINITY: rows are not sorted, so there is no bound.
 */
static double collect_last(const struct profile *p, uint16_t column)
{
	uint64_t last = UINT64_MAX;

	VEC_FOREACH (row, &p->table.rows) {
		uint64_t weight = column == ROW_HAS_SELF ? row->self : row->children;

		if (!(row->has & column) || weight > last)
			return INFINITY;
		last = weight;
	}
	return (double)last;
}

static void collect_rows(struct compare_run *r)
{
	const struct profile *p = r->profile;
	double half = profile_half_width(p) * (double)profile_scale(p);
	double last_children = collect_last(p, ROW_HAS_CHILDREN);
	double last = fmin(last_children, collect_last(p, ROW_HAS_SELF));
	uint64_t counted = 0;
	double shown = 0;

	VEC_FOREACH (row, &p->table.rows) {
		shown += row->has & ROW_HAS_SELF ? (double)row->self : 0;
		counted += row->has & ROW_HAS_SAMPLES ? row->samples : 0;
	}
	r->shown = shown;
	r->total = p->unit == WEIGHT_PERCENT ? 100 * (double)profile_scale(p) : shown;
	if (p->has_n_samples && p->n_samples > p->n_samples_err)
		r->samples = (double)(p->n_samples - p->n_samples_err);
	else if (counted)
		r->samples = (double)counted;
	r->grain = r->samples > 0 ? r->total / r->samples : NAN;
	r->total_squares = r->total * r->grain;
	r->missing = fmax(0, r->total - shown) + half;
	r->bound = fmin(r->missing, last + half);
	r->bound_children = fmin(r->total, last_children + half);
}

bool compare_run_init(struct compare_run *r, const struct capture *c)
{
	const struct profile *p = c->profile;

	*r = (struct compare_run){
		.capture = c,
		.profile = p,
		.samples = NAN,
		.seconds = NAN,
		.scale = 1,
		.divisor = 1,
	};
	if (!p)
		return false;
	if (p->samples.n && (p->table.rows.len == 0 || p->recovery == RECOVERY_EXACT))
		collect_samples(r);
	else if (p->table.rows.len)
		collect_rows(r);
	return r->total > 0;
}

void compare_run_fini(struct compare_run *r)
{
	free(r->has_anchor);
	free(r->stack_of);
}

const char *compare_run_lacks(const struct compare_run *r, enum compare_level level)
{
	uint16_t columns = 0;

	if (r->from_samples)
		return NULL;
	VEC_FOREACH (row, &r->profile->table.rows)
		columns |= row->has;
	if (level == COMPARE_STACK || level == COMPARE_PATHS)
		return "the stacks behind a printed report could not be rebuilt";
	if (level == COMPARE_CHILDREN)
		return columns & ROW_HAS_CHILDREN && columns & ROW_HAS_SYMBOL
			       ? NULL
			       : "a report has no column for functions with their callees";
	if (!(columns & ROW_HAS_SELF))
		return "a report has no column for functions themselves";
	if (level == COMPARE_DSO)
		return columns & ROW_HAS_DSO ? NULL : "a report has no column for objects";
	return columns & ROW_HAS_SYMBOL ? NULL : "a report has no column for functions";
}

uint32_t compare_row_count(struct compare_build *b, enum compare_level level)
{
	switch (level) {
	case COMPARE_DSO:
		return (uint32_t)b->names.objects.len;
	case COMPARE_CATEGORY:
		return category_count();
	case COMPARE_STACK:
	case COMPARE_PATHS:
		return (uint32_t)b->stacks.parent.len;
	default:
		return (uint32_t)b->names.functions.len;
	}
}

static uint32_t collect_stack(struct compare_stacks *s, uint32_t parent, uint32_t function)
{
	struct idmap_probe p = idmap_first(&s->map, hash_u64(parent, function));

	while (idmap_next(&s->map, &p)) {
		if (s->parent.data[p.id] == parent && s->function.data[p.id] == function)
			return p.id;
	}
	idmap_insert(&s->map, &p, (uint32_t)s->parent.len);
	*VEC_PUSH(&s->parent) = parent;
	*VEC_PUSH(&s->function) = function;
	return (uint32_t)s->parent.len - 1;
}

static uint32_t collect_function(const struct compare_build *b, sym_id sym)
{
	return sym.v < b->names.symbols->rows.len ? b->names.function_of[sym.v] : INDEX_NONE;
}

/* Add the stacks of a run to b->stacks, the tree of both sides' stacks, and set r->stack_of. */
static void collect_stacks(struct compare_build *b, struct compare_run *r)
{
	const struct stacks *stacks = &r->profile->stacks;
	uint32_t n = stacks_count(stacks);

	if (r->stack_of)
		return;
	if (b->stacks.parent.len == 0) {
		*VEC_PUSH(&b->stacks.parent) = 0;
		*VEC_PUSH(&b->stacks.function) = INDEX_NONE;
	}
	r->stack_of = xcalloc(n, sizeof(*r->stack_of));
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = r->stack_of[stacks->parent.data[i]];
		uint32_t f = collect_function(b, stacks->sym.data[i]);

		r->stack_of[i] = f == INDEX_NONE ? parent : collect_stack(&b->stacks, parent, f);
	}
}

/*
 * The category of a function. It comes from the symbol with most details on either side, so that
 * both sides have the same category.
 */
static uint32_t collect_category(struct compare_build *b, uint32_t function)
{
	return category_of(b->cats, b->names.symbols, b->names.functions.data[function].best).v;
}

/* For each stack node, set w->row to the row of its function, object, category or stack. */
static void collect_nodes(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
			  enum compare_level level)
{
	const struct stacks *stacks = &r->profile->stacks;
	uint32_t n = stacks_count(stacks);

	for (uint32_t i = 0; i < n; i++) {
		sym_id sym = stacks->sym.data[i];
		uint32_t f = i ? collect_function(b, sym) : INDEX_NONE;

		if (level == COMPARE_STACK || level == COMPARE_PATHS)
			w->row[i] = r->stack_of[i] ? r->stack_of[i] : INDEX_NONE;
		else if (level == COMPARE_DSO)
			w->row[i] = f == INDEX_NONE ? f : b->names.object_of[sym.v];
		else if (level == COMPARE_CATEGORY)
			w->row[i] = f == INDEX_NONE ? f : collect_category(b, f);
		else
			w->row[i] = f;
	}
}

/*
 * Set w->is_topmost for each node that has no caller of the same row, so that recursion counts
 * once.
 */
static void collect_topmost(struct compare_walk *w, uint32_t n_rows)
{
	const struct stacks *stacks = &w->run->profile->stacks;
	uint32_t n = stacks_count(stacks);
	CLEANUP(freep) uint32_t *child = xcalloc(n, sizeof(*child));
	CLEANUP(freep) uint32_t *sibling = xcalloc(n, sizeof(*sibling));
	CLEANUP(freep) uint32_t *on_path = xcalloc((size_t)n_rows + 1, sizeof(*on_path));
	uint32_t at;

	w->is_topmost = xcalloc(n, 1);
	for (uint32_t i = n; i-- > 1;) {
		sibling[i] = child[stacks->parent.data[i]];
		child[stacks->parent.data[i]] = i;
	}
	at = child[0];
	while (at) {
		uint32_t row = w->row[at];

		if (row != INDEX_NONE)
			w->is_topmost[at] = on_path[row]++ == 0;
		if (child[at]) {
			at = child[at];
			continue;
		}
		for (;;) {
			row = w->row[at];
			if (row != INDEX_NONE)
				on_path[row]--;
			if (sibling[at]) {
				at = sibling[at];
				break;
			}
			at = stacks->parent.data[at];
			if (at == 0)
				break;
		}
	}
}

void compare_walk_init(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
		       enum compare_level level)
{
	uint32_t n = stacks_count(&r->profile->stacks);

	*w = (struct compare_walk){ .run = r,
				    .is_children =
					    level == COMPARE_CHILDREN || level == COMPARE_PATHS };
	w->row = xcalloc(n, sizeof(*w->row));
	collect_nodes(w, b, r, level);
	if (w->is_children) {
		collect_topmost(w, compare_row_count(b, level));
		w->weight = xcalloc(n, sizeof(*w->weight));
		w->is_touched = xcalloc(n, 1);
	}
}

void compare_walk_fini(struct compare_walk *w)
{
	free(w->row);
	free(w->is_topmost);
	free(w->weight);
	free(w->is_touched);
	VEC_FREE(&w->touched);
}

static void walk_put(double *sum, compare_list *touched, uint32_t row, double weight)
{
	if (touched && sum[row] == 0 && weight > 0)
		touched->data[touched->len++] = row;
	sum[row] += weight;
}

static void walk_touch(struct compare_walk *w, uint32_t node)
{
	for (; node && !w->is_touched[node]; node = w->run->profile->stacks.parent.data[node]) {
		w->is_touched[node] = 1;
		*VEC_PUSH(&w->touched) = node;
	}
}

static int walk_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return SORT_ORDER(y, x);
}

/*
 * Add the weights of nodes to their callers, so that each node has its weight with callees. Then
 * add the weights of topmost nodes to their rows. Clears the nodes' weights.
 */
static void walk_climb(struct compare_walk *w, double *sum, compare_list *touched)
{
	const struct stacks *stacks = &w->run->profile->stacks;

	VEC_SORT(&w->touched, walk_compare);
	VEC_FOREACH (node, &w->touched) {
		w->weight[stacks->parent.data[*node]] += w->weight[*node];
		if (w->is_topmost[*node])
			walk_put(sum, touched, w->row[*node], w->weight[*node]);
		w->weight[*node] = 0;
		w->is_touched[*node] = 0;
	}
	w->touched.len = 0;
}

/*
 * The amount that one entry of the profile adds to a sum. An entry is one sample, or several
 * samples with the same stack. @what 0: the entry's weight. 1: the sum of the squares of its
 * samples' weights. 2: the same sum, but 0 if the anchor function is not on the stack.
 */
static double walk_weight(const struct compare_run *r, uint64_t weight, uint32_t node, int what)
{
	double w = (double)weight;

	if (what == 0)
		return w;
	if (what == 2 && !r->has_anchor[node])
		return 0;
	return r->grain > 0 ? w * r->grain : w * w;
}

static void walk_pass(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, int what, compare_list *touched)
{
	const struct samples *s = &w->run->profile->samples;

	for (size_t i = from; i < to; i++) {
		size_t at = order ? order[i] : i;
		uint32_t node = s->stack.data[at].v;
		double weight = walk_weight(w->run, s->weight.data[at], node, what);

		if (w->is_children) {
			w->weight[node] += weight;
			walk_touch(w, node);
		} else if (w->row[node] != INDEX_NONE) {
			walk_put(sum, touched, w->row[node], weight);
		}
	}
	if (w->is_children)
		walk_climb(w, sum, touched);
}

void compare_walk_add(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, double *squares, double *anchored, compare_list *touched)
{
	walk_pass(w, order, from, to, sum, 0, touched);
	if (squares)
		walk_pass(w, order, from, to, squares, 1, NULL);
	if (anchored)
		walk_pass(w, order, from, to, anchored, 2, NULL);
}

double compare_without_object(const struct compare_build *b, const struct compare_run *r)
{
	const struct profile *p = r->profile;
	double sum = 0;

	for (size_t i = 0; r->from_samples && i < p->samples.n; i++) {
		sym_id sym = p->stacks.sym.data[p->samples.stack.data[i].v];

		if (collect_function(b, sym) != INDEX_NONE &&
		    b->names.object_of[sym.v] == INDEX_NONE)
			sum += (double)p->samples.weight.data[i];
	}
	return sum / r->total;
}

/*
 * Sum the weights, and their squares, of the samples with the anchor function on their stack. In a
 * printed report, these are the rows of the anchor function.
 */
void compare_anchor(struct compare_build *b, struct compare_run *r)
{
	const struct profile *p = r->profile;

	r->anchor = r->anchor_squares = 0;
	if (!r->from_samples) {
		VEC_FOREACH (row, &p->table.rows) {
			if (row->sym.v && collect_function(b, row->sym) == b->anchor)
				r->anchor += (double)(row->has & ROW_HAS_CHILDREN ? row->children
										  : row->self);
		}
		r->anchor_squares = r->anchor * r->grain;
		return;
	}
	r->has_anchor = xcalloc(stacks_count(&p->stacks), 1);
	for (uint32_t i = 1; i < stacks_count(&p->stacks); i++)
		r->has_anchor[i] = r->has_anchor[p->stacks.parent.data[i]] ||
				   collect_function(b, p->stacks.sym.data[i]) == b->anchor;
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t node = p->samples.stack.data[i].v;

		if (!r->has_anchor[node])
			continue;
		r->anchor += (double)p->samples.weight.data[i];
		r->anchor_squares += walk_weight(r, p->samples.weight.data[i], node, 1);
	}
}

/* Sums over the samples or rows of one run. The arrays are indexed by row of the table. */
struct collect_sums {
	double *sum;
	double *squares;
	/*
	 * squares of the weights of samples with the anchor function on their stack; NULL: no
	 * anchor
	 */
	double *anchored;
	/*
	 * only for a printed report, whose figures are rounded: the exact sum is between sum - half
	 * and sum + half
	 */
	double *half;
	bool *is_there;
};

static uint32_t collect_printed_row(struct compare_build *b, const struct profile_row *row,
				    enum compare_level level, int side)
{
	uint32_t f = row->sym.v ? collect_function(b, row->sym) : INDEX_NONE;

	if (level == COMPARE_DSO)
		return compare_object(&b->names, strings_get(b->names.symbols->strings, row->dso),
				      side);
	if (level == COMPARE_CATEGORY)
		return f == INDEX_NONE ? f : collect_category(b, f);
	return f;
}

static void collect_printed(struct compare_build *b, const struct compare_run *r, int side,
			    enum compare_level level, struct collect_sums *sums, uint32_t n)
{
	const struct profile *p = r->profile;
	double half = profile_half_width(p) * (double)profile_scale(p);

	VEC_FOREACH (row, &p->table.rows) {
		uint32_t at = collect_printed_row(b, row, level, side);
		bool is_children = level == COMPARE_CHILDREN;
		double weight = (double)(is_children ? row->children : row->self);

		if (at >= n || !(row->has & (is_children ? ROW_HAS_CHILDREN : ROW_HAS_SELF)))
			continue;
		sums->sum[at] += weight;
		sums->squares[at] += weight * r->grain;
		sums->half[at] += half;
		sums->is_there[at] = true;
	}
}

/* Variance that @value would have if samples were independent. */
static double collect_variance(const struct compare_build *b, const struct compare_run *r,
			       double value, double squares, double anchored)
{
	double k = r->scale / r->divisor;

	if (b->spec->norm == COMPARE_TOTAL)
		return fmax(0, ((1 - 2 * value) * squares + value * value * r->total_squares)) * k *
		       k;
	if (b->spec->norm == COMPARE_ANCHOR)
		return fmax(0, squares - 2 * value * anchored + value * value * r->anchor_squares) *
		       k * k;
	return squares * k * k;
}

/*
 * Largest weight that a row may have in addition to its printed weight, because the report leaves
 * out rows. @is_there: the row is printed.
 */
static double collect_bound(const struct compare_run *r, enum compare_level level, bool is_there)
{
	if (r->from_samples || (is_there && level <= COMPARE_CHILDREN))
		return 0;
	if (level == COMPARE_CHILDREN && !is_there)
		return r->bound_children;
	return level == COMPARE_SYMBOL ? r->bound : r->missing;
}

/*
 * Widen the rounding range of @row in @cells by the rounding of the printed report @r. @runs:
 * number of runs of the side.
 */
static void collect_print(const struct compare_build *b, const struct compare_run *r,
			  enum compare_level level, struct compare_cells *cells, uint32_t row,
			  const struct collect_sums *sums, double runs)
{
	double k = r->scale / r->divisor / runs;
	double bound = collect_bound(r, level, sums->is_there[row]);

	if (level <= COMPARE_CHILDREN && b->names.functions.data[row].is_many)
		/*
		 * the row combines all raw addresses of an object; the report may leave out some of
		 * them
		 */
		bound = r->missing;
	cells->low[row] += fmin(sums->sum[row], sums->half[row]) * k;
	cells->high[row] += (sums->half[row] + bound) * k;
}

static void collect_run(struct compare_build *b, int side, size_t run, enum compare_level level,
			struct compare_cells *cells, uint32_t n)
{
	struct compare_run *r = &b->runs[side][run];
	double k = r->scale / r->divisor;
	double runs = (double)b->n_runs[side];
	struct collect_sums sums = {
		.sum = xcalloc(n, sizeof(double)),
		.squares = xcalloc(n, sizeof(double)),
		.half = r->from_samples ? NULL : xcalloc(n, sizeof(double)),
		.is_there = xcalloc(n, sizeof(bool)),
		.anchored = r->has_anchor ? xcalloc(n, sizeof(double)) : NULL,
	};

	if (r->from_samples) {
		struct compare_walk w;

		compare_walk_init(&w, b, r, level);
		compare_walk_add(&w, NULL, 0, r->profile->samples.n, sums.sum, sums.squares,
				 sums.anchored, NULL);
		compare_walk_fini(&w);
	} else {
		collect_printed(b, r, side, level, &sums, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		double value = sums.sum[i] * k;
		double anchored = sums.anchored ? sums.anchored[i] : 0;
		bool is_there = r->from_samples ? sums.sum[i] > 0 : sums.is_there[i];

		if (!r->from_samples && level <= COMPARE_CHILDREN && i == b->anchor)
			anchored = sums.squares[i];
		cells->value[i] += value / runs;
		cells->variance[i] +=
			collect_variance(b, r, value, sums.squares[i], anchored) / (runs * runs);
		cells->is_there[i] |= is_there;
		if (!r->from_samples)
			collect_print(b, r, level, cells, i, &sums, runs);
		if (cells->runs)
			cells->runs[i * b->n_runs[side] + run] = value;
	}
	free(sums.sum);
	free(sums.squares);
	free(sums.half);
	free(sums.is_there);
	free(sums.anchored);
}

/*
 * The sample size (stats_side.size) for a row that the side lacks, combined over its runs. For
 * shares, it is the number of samples. For rates, it is mean / variance for a row with one sample:
 * a sample of value v has mean v and variance v², so the size is 1 / v.
 */
static double collect_size(const struct compare_build *b, int side)
{
	double sum = 0;
	double n = (double)b->n_runs[side];

	for (size_t i = 0; i < b->n_runs[side]; i++) {
		const struct compare_run *r = &b->runs[side][i];

		if (b->spec->norm == COMPARE_TOTAL)
			sum += r->total_squares / (r->total * r->total);
		else
			sum += r->total_squares / r->total * r->scale / r->divisor;
	}
	return b->spec->norm == COMPARE_TOTAL ? n * n / sum : n / (sum / n);
}

void compare_cells_init(struct compare_cells *cells, struct compare_build *b, int side,
			enum compare_level level)
{
	uint32_t n;
	bool is_tree = level == COMPARE_STACK || level == COMPARE_PATHS;
	bool is_printed = false;

	/* in tables of stacks, rows are the nodes of b->stacks: add the stacks of all runs first */
	for (int i = 0; is_tree && i < 2; i++) {
		for (size_t run = 0; run < b->n_runs[i]; run++)
			collect_stacks(b, &b->runs[i][run]);
	}
	n = compare_row_count(b, level);
	for (size_t i = 0; i < b->n_runs[side]; i++)
		is_printed |= !b->runs[side][i].from_samples;
	*cells = (struct compare_cells){
		.value = xcalloc((size_t)n + 1, sizeof(double)),
		.variance = xcalloc((size_t)n + 1, sizeof(double)),
		.low = is_printed ? xcalloc((size_t)n + 1, sizeof(double)) : NULL,
		.high = is_printed ? xcalloc((size_t)n + 1, sizeof(double)) : NULL,
		.is_there = xcalloc((size_t)n + 1, sizeof(bool)),
		.runs = b->n_runs[side] > 1
				? xcalloc((size_t)n * b->n_runs[side] + 1, sizeof(double))
				: NULL,
		.size = collect_size(b, side),
	};
	if (isnan(cells->size))
		cells->size = 0;
	for (size_t i = 0; i < b->n_runs[side]; i++)
		collect_run(b, side, i, level, cells, n);
}

void compare_cells_fini(struct compare_cells *cells)
{
	free(cells->value);
	free(cells->variance);
	free(cells->low);
	free(cells->high);
	free(cells->runs);
	free(cells->is_there);
}
