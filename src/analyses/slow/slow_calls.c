/* SPDX-License-Identifier: MIT */
#include "analyses/slow/slow_calls.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/call_kinds.h"
#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/slow/slow_typical.h"
#include "analyses/tracer/tracer_cost.h"
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

/* the single cause of a slow call has at least this fraction of the call's excess time */
#define SLOW_MOST 0.5
/*
 * a callee of a slow call is rare if at most this fraction of the calls of the same function that
 * are not slow also call it
 */
#define SLOW_RARE      0.02
#define SLOW_MARKS_MAX 1024u

/*
 * A slow call while it is collected. `row`: index of its row in slow_calls.rows, before the rows
 * are sorted.
 */
struct slow_kept {
	uint32_t call, row;
};

struct slow {
	const struct calls *c;
	const struct tracer_cost *cost;
	const struct calls_away *away;
	struct slow_typical typical;
	struct slow_calls *out;
	uint32_t *first; /* indexed by call: first direct callee; INDEX_NONE: none */
	/* indexed by call: next direct callee of the same caller; INDEX_NONE: none */
	uint32_t *next;
	/*
	 * indexed by call: last call in its subtree. Only computed if the trace has marks (events
	 * that are no calls); else NULL
	 */
	uint32_t *last;
	uint64_t *explained;
	struct idmap rows;
	VEC(struct slow_kept) kept;
	/* functions that the examined call calls directly: indices in slow_typical.functions */
	VEC(uint32_t) places;
	bool marks_in_order;
};

/*
 * The call that the search examines. Its excess is its duration minus the typical duration. The
 * excess is split into self time and the time of each directly called function.
 */
struct slow_look {
	uint32_t call;
	double own_ns; /* self time of the call minus the typical self time of its function */
	/*
	 * the directly called function with the largest excess, as index in slow_typical.functions;
	 * INDEX_NONE: none
	 */
	uint32_t place;
	/* excess of `place`: time of all direct calls of it, minus their typical time */
	double place_ns;
	struct slow_edge edge;
	/* a direct callee is an interrupt handler, so the time in interrupts is known */
	bool has_handler;
	bool has_entry; /* a direct callee is the entry or exit of an interrupt */
	bool has_sleep; /* a direct callee gives up the CPU, so the time asleep is known */
	/* a direct callee has no duration, so its time is part of the call's self time */
	bool has_untimed;
};

static void slow_explain(struct slow *s, uint32_t call)
{
	if (!(s->explained[call / 64] >> call % 64 & 1))
		s->out->explained += calls_duration(s->c, call) >
				     s->typical.functions[s->c->sym.data[call].v].limit_ns;
	s->explained[call / 64] |= UINT64_C(1) << call % 64;
}

static void slow_links(struct slow *s)
{
	const struct calls *c = s->c;

	s->first = xreallocarray(NULL, c->n + 1, sizeof(*s->first));
	s->next = xreallocarray(NULL, c->n + 1, sizeof(*s->next));
	s->explained = xcalloc(c->n / 64 + 1, sizeof(*s->explained));
	memset(s->first, 0xff, (c->n + 1) * sizeof(*s->first));
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];

		if (parent == INDEX_NONE)
			continue;
		s->next[i] = s->first[parent];
		s->first[parent] = (uint32_t)i;
	}
}

/* Compute s->last. It shows whether a mark (an event that is no call) is inside a call. */
static void slow_last(struct slow *s)
{
	const struct calls *c = s->c;

	if (c->marks.len == 0)
		return;
	s->last = xreallocarray(NULL, c->n + 1, sizeof(*s->last));
	for (size_t i = 0; i < c->n; i++)
		s->last[i] = (uint32_t)i;
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];

		if (parent != INDEX_NONE && s->last[i] > s->last[parent])
			s->last[parent] = s->last[i];
	}
	s->marks_in_order = true;
	for (size_t i = 1; i < c->marks.len; i++)
		s->marks_in_order &=
			c->marks.data[i].before_call >= c->marks.data[i - 1].before_call;
}

/* Whether @call is the entry or exit code of an interrupt instead of its handler. */
static bool slow_is_entry(const struct slow *s, uint32_t call)
{
	struct str name = symbols_name(s->typical.symbols, s->c->sym.data[call]);

	return str_starts(name, STR("irq_enter")) || str_starts(name, STR("irq_exit")) ||
	       str_starts(name, STR("__irq_exit"));
}

/*
 * For each function that @look->call calls directly, sum the durations of these calls in the
 * members here_* of its slow_function.
 */
static void slow_gather(struct slow *s, struct slow_look *look)
{
	struct slow_typical *t = &s->typical;

	VEC_FOREACH (place, &s->places)
		t->functions[*place].here_n = 0;
	s->places.len = 0;
	for (uint32_t i = s->first[look->call]; i != INDEX_NONE; i = s->next[i]) {
		uint32_t place = slow_typical_place(t, i);
		struct slow_function *f = &t->functions[place];
		uint64_t dur = calls_duration(s->c, i);

		if (!calls_is_timed(s->c, i)) {
			look->has_untimed = true;
			continue;
		}
		if (place == t->n_symbols && slow_is_entry(s, i))
			look->has_entry = true;
		else if (place == t->n_symbols)
			look->has_handler = true;
		else if (f->kind == CALL_KIND_SLEEP)
			look->has_sleep = true;
		if (!f->here_n++) {
			*VEC_PUSH(&s->places) = place;
			f->here_ns = f->here_max_ns = 0;
			f->here_call = i;
		}
		f->here_ns += dur;
		if (dur > f->here_max_ns) {
			f->here_max_ns = dur;
			f->here_call = i;
		}
	}
}

/*
 * Split the excess of @look->call into self time and the time of each directly called function.
 * Store the function with the largest excess in look->place.
 */
static void slow_split(struct slow *s, struct slow_look *look)
{
	struct slow_typical *t = &s->typical;
	uint32_t sym = s->c->sym.data[look->call].v;
	const struct slow_function *f = &t->functions[sym];
	bool has_peers = f->timed >= SLOW_PEERS_MIN && f->n;
	double n = has_peers ? (double)f->n : 1;
	double each = s->cost->why_not ? 0 : s->cost->nested.ns - s->cost->leaf.ns;
	double kids = 0;
	uint64_t self;
	bool is_overfull;

	look->place = INDEX_NONE;
	look->place_ns = 0;
	look->has_untimed = look->has_handler = look->has_entry = look->has_sleep = false;
	slow_gather(s, look);
	VEC_FOREACH (place, &s->places) {
		const struct slow_function *g = &t->functions[*place];
		struct slow_edge e = slow_typical_edge(t, sym, *place);
		double excess = (double)g->here_ns - (has_peers ? (double)e.ns / n : 0);

		kids += g->here_n;
		/* in addition to its own duration, a call adds tracing overhead to its caller */
		excess += each * ((double)g->here_n - (has_peers ? (double)e.n / n : 0));
		if (excess > look->place_ns) {
			look->place_ns = excess;
			look->place = *place;
			look->edge = e;
		}
	}
	(void)calls_self(s->c, t->below, look->call, &self, &is_overfull);
	look->own_ns = (double)self - (has_peers ? f->self_ns / n : 0);
	look->own_ns -= each * (kids - (has_peers ? (double)f->children / n : 0));
}

/*
 * Find a mark (an event that is no call) during the self time of @call, such as a task switch, and
 * return the cause that it shows. SLOW_CAUSES: there is no such mark.
 */
static enum slow_cause slow_marks(const struct slow *s, uint32_t call)
{
	const struct calls *c = s->c;
	size_t low;

	if (!s->marks_in_order)
		return SLOW_CAUSES;
	low = VEC_PARTITION(&c->marks, it, it->before_call <= call);
	for (size_t i = low; i < c->marks.len && i < low + SLOW_MARKS_MAX; i++) {
		const struct call_mark *m = &c->marks.data[i];
		uint64_t start = c->start_ns.len ? c->start_ns.data[call] : UINT64_MAX;
		struct str text;

		if (m->before_call > s->last[call] &&
		    (start == UINT64_MAX || m->time_ns == 0 || m->time_ns < start ||
		     m->time_ns - start > calls_duration(c, call)))
			break;
		if (m->lane >= c->lanes.len ||
		    c->lanes.data[m->lane].cpu != c->lanes.data[c->lane.data[call]].cpu)
			continue;
		/* a mark inside a callee does not explain self time */
		if (m->before_call <= s->last[call] && m->before_call < c->n &&
		    c->lane.data[m->before_call] == c->lane.data[call] &&
		    c->parent.data[m->before_call] != call)
			continue;
		if (m->kind == MARK_LOST)
			return SLOW_LOST_EVENTS;
		if (m->kind == MARK_IRQ_ENTER)
			return SLOW_INTERRUPT;
		if (m->kind == MARK_TASK_SWITCH)
			return SLOW_SLEEP;
		text = strings_get(s->typical.symbols->strings, m->text);
		if (str_starts(text, STR("sched_switch")))
			return SLOW_SLEEP;
		if (str_starts(text, STR("irq_handler_entry")) ||
		    str_starts(text, STR("softirq_entry")) ||
		    str_starts(text, STR("local_timer_entry")))
			return SLOW_INTERRUPT;
	}
	return SLOW_CAUSES;
}

/* Whether two direct callees of @call prove a hidden interrupt (call_gaps.h). */
static bool slow_hidden_interrupt(const struct slow *s, uint32_t call)
{
	for (uint32_t i = s->first[call]; i != INDEX_NONE && s->next[i] != INDEX_NONE;
	     i = s->next[i]) {
		if (call_gaps_is_interrupt(s->typical.symbols, s->c, i, s->next[i]))
			return true;
	}
	return false;
}

/* Limit in ns: a part of the excess that is at least this long is the single cause. */
static double slow_most(const struct slow_call *row)
{
	return SLOW_MOST * (double)(row->total_ns - row->typical_ns);
}

/* Set the cause in @row, after the search has ended at the self time of @look->call. */
static void slow_own_time(struct slow *s, const struct slow_look *look, struct slow_call *row)
{
	const struct slow_function *f = &s->typical.functions[s->c->sym.data[look->call].v];
	enum slow_cause by_marks = slow_marks(s, look->call);
	struct call_away away = calls_away_of(s->away, look->call);
	double most = slow_most(row);

	row->cause = row->steps ? SLOW_CHILD : SLOW_OWN_TIME;
	row->is_certain = !look->has_untimed;
	if ((double)away.asleep_ns >= most || (double)away.irq_ns >= most) {
		row->cause = away.asleep_ns > away.irq_ns ? SLOW_SLEEP : SLOW_INTERRUPT;
		row->is_certain = true;
	} else if (by_marks == SLOW_LOST_EVENTS ||
		   (by_marks == SLOW_SLEEP && !away.asleep_ns && !look->has_sleep) ||
		   (by_marks == SLOW_INTERRUPT && !away.irq_ns && !look->has_handler)) {
		row->cause = (uint8_t)by_marks;
		row->is_certain = false;
	} else if (slow_hidden_interrupt(s, look->call) ||
		   (look->has_entry && !look->has_handler)) {
		row->cause = SLOW_INTERRUPT;
		row->is_certain = false;
	}
	row->because = s->c->sym.data[look->call];
	row->because_call = look->call;
	row->because_ns = calls_duration(s->c, look->call);
	row->because_typical_ns = f->timed >= SLOW_PEERS_MIN ? (double)f->p50_ns : -1;
}

/*
 * Mark calls as explained, so that they are not reported as slow calls of their own: @call, its
 * longest direct callee, that callee's longest direct callee, and so on.
 */
static void slow_explain_below(struct slow *s, uint32_t call)
{
	while (call != INDEX_NONE) {
		uint32_t heavy = INDEX_NONE;
		uint64_t most = 0;

		slow_explain(s, call);
		for (uint32_t i = s->first[call]; i != INDEX_NONE; i = s->next[i]) {
			if (calls_duration(s->c, i) > most) {
				most = calls_duration(s->c, i);
				heavy = i;
			}
		}
		call = heavy;
	}
}

static void slow_blame(struct slow *s, const struct slow_look *look, struct slow_call *row,
		       enum slow_cause cause)
{
	const struct slow_function *f = &s->typical.functions[s->c->sym.data[look->call].v];
	const struct slow_function *g = &s->typical.functions[look->place];
	bool has_peers = f->timed >= SLOW_PEERS_MIN && f->n;

	row->cause = (uint8_t)cause;
	row->is_certain = true;
	row->because = s->c->sym.data[g->here_call];
	row->because_call = g->here_call;
	row->because_ns = g->here_ns;
	row->because_calls = g->here_n;
	row->because_typical_ns = has_peers ? (double)look->edge.ns / (double)f->n : -1;
	row->because_typical_calls = has_peers ? (double)look->edge.n / (double)f->n : 0;
	row->steps++;
	for (uint32_t i = s->first[look->call]; i != INDEX_NONE; i = s->next[i]) {
		if (slow_typical_place(&s->typical, i) != look->place)
			continue;
		if (cause == SLOW_INTERRUPT || cause == SLOW_SLEEP)
			slow_explain_below(s, i);
		else
			slow_explain(s, i);
	}
}

/*
 * Find the cause of a slow call by its rare callee @call. Follow the callee that has more than half
 * of its caller's duration, from @call inwards. SLOW_SLEEP: a call on this path gives up the CPU.
 * SLOW_ALLOCATION: an allocator refills its cache on this path. Otherwise SLOW_RARE_PATH.
 */
static enum slow_cause slow_rare(struct slow *s, uint32_t call, struct slow_call *row)
{
	enum slow_cause cause = SLOW_RARE_PATH;

	while (call != INDEX_NONE) {
		uint32_t heavy = INDEX_NONE;
		uint64_t most = calls_duration(s->c, call) / 2;
		enum call_kind kind = s->typical.functions[s->c->sym.data[call].v].kind;

		slow_explain(s, call);
		if (kind == CALL_KIND_SLEEP) {
			row->because = s->c->sym.data[call];
			row->because_call = call;
			row->because_ns = calls_duration(s->c, call);
			return SLOW_SLEEP;
		}
		if (kind == CALL_KIND_REFILL)
			cause = SLOW_ALLOCATION;
		for (uint32_t i = s->first[call]; i != INDEX_NONE; i = s->next[i]) {
			if (calls_duration(s->c, i) > most) {
				most = calls_duration(s->c, i);
				heavy = i;
			}
		}
		call = heavy;
	}
	return cause;
}

/* Do one step of the search. True: the search continues in a callee, which is now @look->call. */
static bool slow_step(struct slow *s, struct slow_look *look, struct slow_call *row)
{
	struct slow_typical *t = &s->typical;
	const struct slow_function *f = &t->functions[s->c->sym.data[look->call].v];
	const struct slow_function *g;
	bool has_peers = f->timed >= SLOW_PEERS_MIN && f->n;
	uint8_t state = s->c->state.data[look->call] & CALL_STATE_MASK;
	double each;

	if (state == CALL_AFTER_LOSS || state == CALL_SHORTENED) {
		slow_own_time(s, look, row);
		row->cause = SLOW_LOST_EVENTS;
		row->is_certain = false;
		return false;
	}
	slow_split(s, look);
	if (fmax(look->own_ns, look->place_ns) < slow_most(row)) {
		slow_own_time(s, look, row);
		row->cause = row->steps ? SLOW_CHILD : SLOW_SPREAD;
		row->is_certain = row->steps != 0;
		return false;
	}
	if (look->own_ns >= look->place_ns) {
		slow_own_time(s, look, row);
		return false;
	}
	g = &t->functions[look->place];
	each = look->edge.n ? (double)look->edge.ns / (double)look->edge.n : 0;
	if (g->kind == CALL_KIND_INTERRUPT || g->kind == CALL_KIND_SLEEP) {
		slow_blame(s, look, row, g->kind == CALL_KIND_SLEEP ? SLOW_SLEEP : SLOW_INTERRUPT);
		return false;
	}
	if (has_peers && look->edge.callers <= SLOW_RARE * (double)f->n) {
		slow_blame(s, look, row, SLOW_RARE_PATH);
		row->cause = (uint8_t)slow_rare(s, g->here_call, row);
		return false;
	}
	if ((double)g->here_max_ns - each >= fmax(SLOW_MOST * look->place_ns, slow_most(row))) {
		look->call = g->here_call;
		row->steps++;
		slow_explain(s, look->call);
		return true;
	}
	slow_blame(s, look, row,
		   has_peers && g->here_n > 1.5 * (double)look->edge.n / (double)f->n
			   ? SLOW_MORE_CALLS
			   : SLOW_CHILD);
	if (row->cause == SLOW_CHILD)
		row->because_call = INDEX_NONE; /* several calls together are the cause */
	return false;
}

static void slow_fold(struct slow_call *have, const struct slow_call *row)
{
	uint64_t calls = have->calls + 1;
	uint64_t sum = have->sum_excess_ns + row->sum_excess_ns;
	uint32_t number = have->first;

	if (row->total_ns > have->total_ns)
		*have = *row;
	have->calls = calls;
	have->sum_excess_ns = sum;
	have->first = number;
}

/*
 * Add a slow call to the row with the same function, cause and responsible function, or to a new
 * row. Until slow_each() runs, slow_call.first is the index of the row before sorting.
 */
static void slow_keep(struct slow *s, const struct slow_call *row)
{
	struct idmap_probe p = idmap_first(
		&s->rows, hash_u64(row->sym.v, (uint64_t)row->because.v << 8 | row->cause));
	struct slow_call *have = NULL;

	s->out->calls++;
	while (!have && idmap_next(&s->rows, &p)) {
		have = &s->out->rows.data[p.id];
		if (have->sym.v != row->sym.v || have->because.v != row->because.v ||
		    have->cause != row->cause)
			have = NULL;
	}
	if (have) {
		slow_fold(have, row);
	} else if (s->out->rows.len >= SLOW_CALLS_ROWS_MAX) {
		s->out->not_kept++;
		return;
	} else {
		idmap_insert(&s->rows, &p, (uint32_t)s->out->rows.len);
		have = VEC_PUSH(&s->out->rows);
		*have = *row;
		have->first = (uint32_t)s->out->rows.len - 1;
	}
	if (s->kept.len < SLOW_CALLS_EACH_MAX)
		*VEC_PUSH(&s->kept) = (struct slow_kept){ .call = row->call, .row = have->first };
}

/* Fill slow_calls.each. The rows must be sorted already. */
static void slow_each(struct slow *s)
{
	size_t n = s->out->rows.len;
	/* indexed by a row's index before sorting: its index after sorting */
	uint32_t *place = xcalloc(n, sizeof(*place));
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		place[s->out->rows.data[i].first] = i;
	VEC_FOREACH (k, &s->kept)
		s->out->rows.data[place[k->row]].kept++;
	VEC_FOREACH (r, &s->out->rows) {
		r->first = at;
		at += r->kept;
		r->kept = 0;
	}
	for (size_t i = 0; i < s->kept.len; i++)
		(void)VEC_PUSH(&s->out->each);
	VEC_FOREACH (k, &s->kept) {
		struct slow_call *r = &s->out->rows.data[place[k->row]];

		s->out->each.data[r->first + r->kept++] = k->call;
	}
	free(place);
}

static void slow_call(struct slow *s, uint32_t call)
{
	const struct slow_function *f = &s->typical.functions[s->c->sym.data[call].v];
	uint64_t dur = calls_duration(s->c, call);
	struct slow_look look = { .call = call };
	struct slow_call row = {
		.sym = s->c->sym.data[call],
		.calls = 1,
		.sum_excess_ns = dur - f->p50_ns,
		.call = call,
		.line = s->c->line.data[call],
		.total_ns = dur,
		.typical_ns = f->p50_ns,
		.peers = f->timed,
		.because_call = INDEX_NONE,
		.because_typical_ns = -1,
	};

	while (slow_step(s, &look, &row))
		;
	row.because_line = row.because_call != INDEX_NONE ? s->c->line.data[row.because_call] : 0;
	slow_keep(s, &row);
}

static int slow_compare(const void *a, const void *b)
{
	const struct slow_call *x = a;
	const struct slow_call *y = b;

	return SORT_ORDER(y->sum_excess_ns, x->sum_excess_ns) ?: SORT_ORDER(x->call, y->call);
}

void slow_calls_find(const struct capture *capture, const struct calls_summary *sum,
		     const struct tracer_cost *cost, struct slow_calls *ret)
{
	struct slow s = { .c = capture->calls, .cost = cost, .away = &sum->away, .out = ret };

	memset(ret, 0, sizeof(*ret));
	if (!s.c || !s.c->has_durations)
		return;
	slow_typical_init(&s.typical, capture, sum, cost);
	slow_links(&s);
	slow_last(&s);
	for (size_t i = 0; i < s.c->n; i++) {
		const struct slow_function *f;

		if (s.typical.slow[i / 64] == 0) {
			i |= 63; /* none of these 64 calls is slow: skip them */
			continue;
		}
		f = &s.typical.functions[s.c->sym.data[i].v];
		if (!slow_typical_has(&s.typical, (uint32_t)i) &&
		    calls_has_self(s.c, (uint32_t)i) && f->kind != CALL_KIND_SLEEP &&
		    f->kind != CALL_KIND_INTERRUPT && !(s.explained[i / 64] >> i % 64 & 1))
			slow_call(&s, (uint32_t)i);
	}
	VEC_SORT(&ret->rows, slow_compare);
	slow_each(&s);
	slow_typical_fini(&s.typical);
	free(s.first);
	free(s.next);
	free(s.last);
	free(s.explained);
	VEC_FREE(&s.places);
	VEC_FREE(&s.kept);
	idmap_fini(&s.rows);
}

void slow_calls_fini(struct slow_calls *s)
{
	VEC_FREE(&s->rows);
	VEC_FREE(&s->each);
}

const char *slow_cause_name(enum slow_cause cause)
{
	static const char *const names[SLOW_CAUSES] = {
		[SLOW_OWN_TIME] = "own-time",     [SLOW_CHILD] = "slow-child",
		[SLOW_RARE_PATH] = "rare-path",   [SLOW_MORE_CALLS] = "more-calls",
		[SLOW_SLEEP] = "sleep",           [SLOW_INTERRUPT] = "interrupt",
		[SLOW_ALLOCATION] = "allocation", [SLOW_LOST_EVENTS] = "lost-events",
		[SLOW_SPREAD] = "spread",
	};

	return cause < SLOW_CAUSES ? names[cause] : "";
}
