/* SPDX-License-Identifier: MIT */
#include "analyses/calls/hidden_calls.h"

#include "analyses/calls/call_kinds.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/*
 * if the command line states no depth limit: a trace has a limit only if at least
 * 1/HIDDEN_CUT_SHARE of its calls are at the deepest level
 */
#define HIDDEN_CUT_SHARE     6u
#define HIDDEN_CUT_CALLS_MIN 32u

#define HIDDEN_NONE UINT32_MAX

/*
 * A call at the deepest level of the limited trace, or a call of the complete trace at the same
 * depth.
 */
struct hidden_item {
	uint32_t path;
	uint32_t call;
	/* number of calls in the subtree, without the call itself and without interrupts */
	uint32_t n;
	uint32_t dur_ns; /* duration without interrupts; saturates at UINT32_MAX */
	bool is_usable;  /* its duration can be compared: the call ended and did not sleep */
};

/* Sums over the calls of one function in the complete trace. */
struct hidden_function {
	double n;
	double sum;
	double squares;
	/*
	 * ns: sum of the durations, without interrupts, of the calls that did not sleep. n_ns:
	 * number of these calls
	 */
	double ns;
	double n_ns;
	uint8_t kind; /* enum call_kind */
	/*
	 * cut_ns: sum of the durations of the function's calls at the deepest level of the limited
	 * trace. n_cut_ns: number of these calls that ended and have a duration
	 */
	double cut_ns;
	double n_cut_ns;
};

struct hidden_path {
	uint32_t above;
	uint32_t sym;
};

struct hidden {
	const struct capture *capture; /* the capture of the complete trace */
	const struct calls *complete;
	const struct calls *cut;
	uint32_t deepest;
	size_t n_symbols;
	struct hidden_function *functions; /* sums over the complete trace, indexed by symbol */
	VEC(struct hidden_path) paths;
	struct idmap paths_map;
	/* calls of the complete trace whose depth is the deepest level of the limited trace */
	VEC(struct hidden_item) whole;
	VEC(struct hidden_item) items; /* calls of the limited trace, at the deepest level */
	/* indexed by call: id of its path (its callers and itself); HIDDEN_NONE: none */
	uint32_t *path_of;
	bool is_full;
	struct hidden_calls *out;
	struct hidden_points *points;
};

uint64_t hidden_calls_number(struct str command, const char *const *words)
{
	for (; *words; words++) {
		size_t at = str_find(command, str_of(*words));
		uint64_t n = 0;

		if (at >= command.len)
			continue;
		for (at += strlen(*words);
		     at < command.len && (command.p[at] == ' ' || command.p[at] == '='); at++)
			;
		for (; at < command.len && char_is_digit(command.p[at]) && n < 1000000000; at++)
			n = n * 10 + (uint64_t)(command.p[at] - '0');
		if (n)
			return n;
	}
	return 0;
}

uint32_t hidden_calls_levels(const struct capture *capture)
{
	static const char *const words[] = {
		"max_graph_depth", "max-graph-depth", "depth", "--graph-depth", "-D", NULL
	};
	const struct calls *c = capture->calls;
	size_t n_symbols = capture_symbols(capture)->rows.len;
	struct str command = strings_get(capture_strings(capture), capture->command);
	uint64_t stated = hidden_calls_number(command, words);
	uint32_t deepest = 0;
	uint64_t at_deepest = 0;
	uint8_t *seen;
	bool is_cut = false;

	for (size_t i = 0; i < c->n; i++)
		deepest = c->depth.data[i] > deepest ? c->depth.data[i] : deepest;
	if (stated)
		return c->n && deepest + 1 == stated ? deepest + 1 : 0;
	for (size_t i = 0; i < c->n; i++)
		at_deepest += c->depth.data[i] == deepest;
	if (c->n < HIDDEN_CUT_CALLS_MIN || deepest == 0 || at_deepest < c->n / HIDDEN_CUT_SHARE)
		return 0;
	seen = xcalloc(n_symbols + 1, sizeof(*seen));
	for (size_t i = 0; i < c->n; i++) {
		if (c->depth.data[i] < deepest && !(c->state.data[i] & CALL_LEAF))
			seen[c->sym.data[i].v] = 1;
	}
	for (size_t i = 0; i < c->n && !is_cut; i++)
		is_cut = c->depth.data[i] == deepest && seen[c->sym.data[i].v];
	free(seen);
	return is_cut ? deepest + 1 : 0;
}

static uint32_t hidden_path(struct hidden *h, uint32_t above, uint32_t sym)
{
	struct idmap_probe p = idmap_first(&h->paths_map, hash_u64(above, sym));

	while (idmap_next(&h->paths_map, &p)) {
		if (h->paths.data[p.id].above == above && h->paths.data[p.id].sym == sym)
			return p.id;
	}
	if (h->paths.len >= HIDDEN_PATHS_MAX) {
		h->is_full = true;
		return HIDDEN_NONE;
	}
	idmap_insert(&h->paths_map, &p, (uint32_t)h->paths.len);
	*VEC_PUSH(&h->paths) = (struct hidden_path){ above, sym };
	return (uint32_t)h->paths.len - 1;
}

static bool hidden_is_interrupt(const struct hidden *h, const struct calls *c, size_t call)
{
	return h->functions[c->sym.data[call].v].kind == CALL_KIND_INTERRUPT ||
	       (c->state.data[call] & CALL_IN_IRQ);
}

/*
 * The path of @call: its callers and its own function. HIDDEN_NONE for interrupts and for calls
 * below the deepest level of the limited trace.
 */
static uint32_t hidden_path_of(struct hidden *h, const struct calls *c, size_t call)
{
	uint32_t parent = c->parent.data[call];
	uint32_t above = parent == INDEX_NONE ? HIDDEN_NONE - 1 : h->path_of[parent];

	if (c->depth.data[call] > h->deepest || above == HIDDEN_NONE ||
	    hidden_is_interrupt(h, c, call))
		return HIDDEN_NONE;
	return hidden_path(h, above, c->sym.data[call].v);
}

static uint32_t hidden_add(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

void calls_quiet_init(struct calls_quiet *q, const struct capture *capture)
{
	const struct calls *c = capture->calls;
	const struct symbols *symbols = capture_symbols(capture);
	uint8_t *kinds = xcalloc(symbols->rows.len + 1, sizeof(*kinds));

	q->n = xcalloc(c->n + 1, sizeof(*q->n));
	q->irq_ns = xcalloc(c->n + 1, sizeof(*q->irq_ns));
	q->sleeps = xcalloc(c->n + 1, sizeof(*q->sleeps));
	for (size_t i = 0; i < symbols->rows.len; i++)
		kinds[i] = (uint8_t)call_kind_of(symbols, (sym_id){ (uint32_t)i });
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];
		uint8_t kind = kinds[c->sym.data[i].v];

		q->sleeps[i] |= kind == CALL_KIND_SLEEP;
		if (parent == INDEX_NONE)
			continue;
		q->sleeps[parent] |= q->sleeps[i];
		if (kind == CALL_KIND_INTERRUPT || (c->state.data[i] & CALL_IN_IRQ)) {
			q->irq_ns[parent] =
				hidden_add(q->irq_ns[parent], calls_duration(c, (uint32_t)i));
			continue;
		}
		q->n[parent] = hidden_add(q->n[parent], (uint64_t)q->n[i] + 1);
		q->irq_ns[parent] = hidden_add(q->irq_ns[parent], q->irq_ns[i]);
	}
	free(kinds);
}

void calls_quiet_fini(struct calls_quiet *q)
{
	free(q->n);
	free(q->irq_ns);
	free(q->sleeps);
}

static bool hidden_is_whole(const struct calls *c, size_t call)
{
	return (c->state.data[call] & (CALL_STATE_MASK | CALL_NO_DURATION)) == CALL_CLOSED;
}

/*
 * Scan the complete trace: sum its calls by function, and collect those at the deepest level of the
 * limited trace.
 */
static void hidden_scan_complete(struct hidden *h)
{
	const struct calls *c = h->complete;
	bool is_same = c == h->cut;
	struct calls_quiet below;
	uint8_t *reaches = is_same ? xcalloc(c->n + 1, 1) : NULL;

	calls_quiet_init(&below, h->capture);
	/*
	 * is_same: the limited trace is also used as the complete trace. Then leave out each call
	 * whose subtree reaches the deepest level, because some of its callees may be hidden
	 */
	for (size_t i = is_same ? c->n : 0; i-- > 0;) {
		reaches[i] |= c->depth.data[i] >= h->deepest;
		if (c->parent.data[i] != INDEX_NONE)
			reaches[c->parent.data[i]] |= reaches[i];
	}
	for (size_t i = 0; i < c->n; i++) {
		struct hidden_function *f = &h->functions[c->sym.data[i].v];
		uint64_t dur = calls_duration(c, (uint32_t)i);

		h->path_of[i] = is_same ? HIDDEN_NONE : hidden_path_of(h, c, i);
		if (!hidden_is_whole(c, i) || (is_same && reaches[i]))
			continue;
		f->n++;
		f->sum += below.n[i];
		f->squares += (double)below.n[i] * below.n[i];
		if (!below.sleeps[i]) {
			f->n_ns++;
			f->ns += (double)(dur > below.irq_ns[i] ? dur - below.irq_ns[i] : 0);
		}
		if (h->path_of[i] == HIDDEN_NONE || c->depth.data[i] != h->deepest)
			continue;
		dur -= dur > below.irq_ns[i] ? below.irq_ns[i] : dur;
		*VEC_PUSH(&h->whole) = (struct hidden_item){
			.path = h->path_of[i],
			.call = (uint32_t)i,
			.n = below.n[i],
			.dur_ns = hidden_add(0, dur),
			.is_usable = !below.sleeps[i],
		};
	}
	calls_quiet_fini(&below);
	free(reaches);
}

static void hidden_scan_cut(struct hidden *h)
{
	const struct calls *c = h->cut;

	for (size_t i = 0; i < c->n; i++) {
		struct hidden_function *f = &h->functions[c->sym.data[i].v];

		h->path_of[i] = hidden_path_of(h, c, i);
		if (c->depth.data[i] != h->deepest)
			continue;
		*VEC_PUSH(&h->items) = (struct hidden_item){
			.path = h->path_of[i],
			.call = (uint32_t)i,
			.dur_ns = hidden_add(0, calls_duration(c, (uint32_t)i)),
			.is_usable = hidden_is_whole(c, i) && f->kind != CALL_KIND_SLEEP,
		};
		f->n_cut_ns += hidden_is_whole(c, i);
		f->cut_ns += (double)calls_duration(c, (uint32_t)i);
	}
}

static int hidden_compare_items(const void *a, const void *b)
{
	const struct hidden_item *x = a;
	const struct hidden_item *y = b;

	return SORT_ORDER(x->path, y->path) ?: SORT_ORDER(x->call, y->call);
}

static int hidden_compare_durations(const void *a, const void *b)
{
	const struct hidden_item *x = a;
	const struct hidden_item *y = b;

	return SORT_ORDER(x->dur_ns, y->dur_ns);
}

static void hidden_point(struct hidden *h, double more_ns, double n, double weight)
{
	if (n > 0)
		*VEC_PUSH(&h->points->points) = (struct hidden_point){ more_ns / n, weight };
}

static void hidden_set(struct hidden *h, uint32_t call, double n, double var)
{
	h->out->n[call] = n;
	h->out->var[call] = (float)var;
}

/*
 * The traces have the same number @n of calls on a path: compare the first calls of both, the
 * second ones, and so on.
 */
static void hidden_pairs(struct hidden *h, const struct hidden_item *cut,
			 const struct hidden_item *whole, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hidden_set(h, cut[i].call, whole[i].n, 0);
		if (cut[i].is_usable && whole[i].is_usable && cut[i].dur_ns != UINT32_MAX &&
		    whole[i].dur_ns != UINT32_MAX)
			hidden_point(h, (double)whole[i].dur_ns - cut[i].dur_ns, whole[i].n,
				     whole[i].n);
	}
}

/* Mean and variance of @n values from their sum and the sum of their squares. */
static struct hidden_sum hidden_mean(double n, double sum, double squares)
{
	double mean = sum / n;

	return (struct hidden_sum){ mean, n > 1 ? fmax((squares - sum * mean) / (n - 1), 0) : 0 };
}

/*
 * The traces have different numbers of calls on a path: compare their means. Reorders @cut and
 * @whole.
 */
static void hidden_means(struct hidden *h, struct hidden_item *cut, size_t n_cut,
			 struct hidden_item *whole, size_t n_whole)
{
	double sum = 0;
	double squares = 0;
	bool is_usable = true;
	struct hidden_sum mean;

	for (size_t i = 0; i < n_whole; i++) {
		sum += whole[i].n;
		squares += (double)whole[i].n * whole[i].n;
		is_usable &= whole[i].is_usable;
	}
	mean = hidden_mean((double)n_whole, sum, squares);
	for (size_t i = 0; i < n_cut; i++) {
		hidden_set(h, cut[i].call, mean.n, mean.var);
		is_usable &= cut[i].is_usable;
	}
	if (!is_usable)
		return;
	qsort(cut, n_cut, sizeof(*cut), hidden_compare_durations);
	qsort(whole, n_whole, sizeof(*whole), hidden_compare_durations);
	hidden_point(h, (double)whole[n_whole / 2].dur_ns - cut[n_cut / 2].dur_ns, mean.n,
		     mean.n * (double)(n_cut < n_whole ? n_cut : n_whole));
}

/*
 * The complete trace has no calls on the path of @cut: use the mean of all calls of the same
 * function.
 */
static void hidden_by_name(struct hidden *h, const struct hidden_item *cut, size_t n_cut)
{
	const struct hidden_function *f;

	for (size_t i = 0; i < n_cut; i++) {
		struct hidden_sum mean = { NAN, NAN };

		f = &h->functions[h->cut->sym.data[cut[i].call].v];
		if (f->n > 0) {
			mean = hidden_mean(f->n, f->sum, f->squares);
			h->out->by_name++;
		} else {
			h->out->unknown++;
		}
		hidden_set(h, cut[i].call, mean.n, mean.var);
	}
}

/*
 * For each call at the deepest level of the limited trace, find the calls on the same path in the
 * complete trace.
 */
static void hidden_match(struct hidden *h)
{
	size_t w = 0;
	size_t end;

	VEC_SORT(&h->whole, hidden_compare_items);
	VEC_SORT(&h->items, hidden_compare_items);
	h->out->cut = h->items.len;
	for (size_t i = 0; i < h->items.len; i = end) {
		uint32_t path = h->items.data[i].path;
		size_t from;

		for (end = i; end < h->items.len && h->items.data[end].path == path; end++)
			;
		while (w < h->whole.len && h->whole.data[w].path < path)
			w++;
		for (from = w; w < h->whole.len && h->whole.data[w].path == path; w++)
			;
		if (w == from || path == HIDDEN_NONE) {
			hidden_by_name(h, &h->items.data[i], end - i);
			continue;
		}
		h->out->on_path += end - i;
		if (w - from == end - i)
			hidden_pairs(h, &h->items.data[i], &h->whole.data[from], end - i);
		else
			hidden_means(h, &h->items.data[i], end - i, &h->whole.data[from], w - from);
	}
}

/*
 * For a single trace: compare a function's calls at the deepest level with its calls above that
 * level.
 */
static void hidden_points_by_name(struct hidden *h)
{
	for (size_t i = 0; i < h->n_symbols; i++) {
		const struct hidden_function *f = &h->functions[i];

		if (f->n_ns > 0 && f->n_ns >= f->n && f->n_cut_ns > 0 && f->n > 0 &&
		    f->kind == CALL_KIND_PLAIN)
			hidden_point(h, f->ns / f->n_ns - f->cut_ns / f->n_cut_ns, f->sum / f->n,
				     f->sum / f->n * fmin(f->n, f->n_cut_ns));
	}
}

static void hidden_sum_add(struct hidden_sum *s, double n, float var)
{
	s->n += n;
	s->var += (double)var;
}

/*
 * *@ret_any: whether @call has a timed caller, direct or indirect. *@ret_same: whether such a
 * caller is a call of the same function.
 */
static void hidden_above(const struct calls *c, uint32_t call, bool *ret_same, bool *ret_any)
{
	unsigned int steps = 0;

	*ret_same = *ret_any = false;
	for (uint32_t at = c->parent.data[call]; at != INDEX_NONE && steps < HIDDEN_LEVELS_MAX;
	     at = c->parent.data[at], steps++) {
		if (!calls_is_timed(c, at))
			continue;
		*ret_any = true;
		*ret_same |= c->sym.data[at].v == c->sym.data[call].v;
	}
}

static void hidden_sums(struct hidden *h)
{
	const struct calls *c = h->cut;
	struct hidden_calls *out = h->out;

	for (size_t i = c->n; i-- > 0;) {
		if (c->parent.data[i] == INDEX_NONE)
			continue;
		out->n[c->parent.data[i]] += out->n[i];
		out->var[c->parent.data[i]] += out->var[i];
	}
	for (size_t i = 0; i < c->n; i++) {
		uint32_t sym = c->sym.data[i].v;
		bool has_same;
		bool has_any;

		if (!calls_is_timed(c, i) || out->n[i] == 0)
			continue;
		hidden_above(c, (uint32_t)i, &has_same, &has_any);
		if (!has_same)
			hidden_sum_add(&out->totals[sym], out->n[i], out->var[i]);
		if (!has_any)
			hidden_sum_add(&out->topmost, out->n[i], out->var[i]);
		if (c->depth.data[i] == h->deepest)
			hidden_sum_add(&out->selfs[sym], out->n[i], out->var[i]);
	}
}

bool hidden_calls_count(const struct capture *complete, const struct capture *cut, uint32_t levels,
			struct hidden_calls *ret, struct hidden_points *points)
{
	const struct symbols *symbols = capture_symbols(cut);
	struct hidden h = {
		.capture = complete,
		.complete = complete->calls,
		.cut = cut->calls,
		.deepest = levels - 1,
		.n_symbols = symbols->rows.len + 1,
		.out = ret,
		.points = points,
	};
	size_t n = h.complete->n > h.cut->n ? h.complete->n : h.cut->n;

	memset(ret, 0, sizeof(*ret));
	if (levels == 0 || levels > HIDDEN_LEVELS_MAX)
		return false;
	ret->levels = levels;
	ret->n = xcalloc(h.cut->n + 1, sizeof(*ret->n));
	ret->var = xcalloc(h.cut->n + 1, sizeof(*ret->var));
	ret->totals = xcalloc(h.n_symbols, sizeof(*ret->totals));
	ret->selfs = xcalloc(h.n_symbols, sizeof(*ret->selfs));
	h.functions = xcalloc(h.n_symbols, sizeof(*h.functions));
	h.path_of = xreallocarray(NULL, n + 1, sizeof(*h.path_of));
	for (size_t i = 0; i + 1 < h.n_symbols; i++)
		h.functions[i].kind = (uint8_t)call_kind_of(symbols, (sym_id){ (uint32_t)i });
	hidden_scan_complete(&h);
	hidden_scan_cut(&h);
	hidden_match(&h);
	if (h.complete == h.cut)
		hidden_points_by_name(&h);
	hidden_sums(&h);
	free(h.functions);
	free(h.path_of);
	VEC_FREE(&h.paths);
	VEC_FREE(&h.whole);
	VEC_FREE(&h.items);
	idmap_fini(&h.paths_map);
	if (h.is_full)
		hidden_calls_fini(ret);
	return !h.is_full;
}

void hidden_calls_fini(struct hidden_calls *h)
{
	free(h->n);
	free(h->var);
	free(h->totals);
	free(h->selfs);
	memset(h, 0, sizeof(*h));
}

static int hidden_compare_points(const void *a, const void *b)
{
	const struct hidden_point *x = a;
	const struct hidden_point *y = b;

	return SORT_ORDER(x->each_ns, y->each_ns);
}

double hidden_points_quantile(struct hidden_points *points, double q)
{
	double all = 0;
	double at = 0;

	VEC_SORT(&points->points, hidden_compare_points);
	VEC_FOREACH (p, &points->points)
		all += p->weight;
	VEC_FOREACH (p, &points->points) {
		at += p->weight;
		if (at >= q * all)
			return p->each_ns;
	}
	return 0;
}
