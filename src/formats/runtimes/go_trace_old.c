/* SPDX-License-Identifier: MIT */
/*
 * go_trace_old.c - execution traces of Go 1.11 to 1.21
 *
 * The file is one stream of events in batches. A batch has events of one scheduler context (P). The
 * trace does not state the length of a batch, nor that of most events. So a first pass finds the
 * batches. It also finds the strings, the stacks and the clock frequency, which Go writes last. The
 * second pass takes the events in order.
 *
 * Source: internal/trace/parser.go and order.go, runtime/trace.go of Go 1.19.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "formats/format.h"
#include "formats/runtimes/go_trace.h"
#include "formats/runtimes/go_trace_lanes.h"

#define OLD_HEADER_BYTES 16u
#define OLD_FRAMES_MAX   1000u
#define OLD_NO_NUMBER    UINT64_MAX

enum old_event {
	OLD_BATCH = 1,
	OLD_FREQUENCY = 2,
	OLD_STACK = 3,
	OLD_GC_START = 7,
	OLD_GC_DONE = 8,
	OLD_PAUSE_START = 9,
	OLD_PAUSE_DONE = 10,
	OLD_CREATE = 13,
	OLD_START = 14,
	OLD_END = 15,
	OLD_STOP = 16,
	OLD_YIELD = 17,
	OLD_PREEMPT = 18,
	OLD_SLEEP = 19,
	OLD_BLOCK = 20,
	OLD_UNBLOCK = 21,
	OLD_BLOCK_SEND = 22,
	OLD_BLOCK_RECEIVE = 23,
	OLD_BLOCK_SELECT = 24,
	OLD_BLOCK_SYNC = 25,
	OLD_BLOCK_COND = 26,
	OLD_BLOCK_NET = 27,
	OLD_SYSCALL = 28,
	OLD_SYS_EXIT = 29,
	OLD_SYS_BLOCK = 30,
	OLD_WAITING = 31,
	OLD_IN_SYSCALL = 32,
	OLD_STRING = 37,
	OLD_START_LOCAL = 38,
	OLD_UNBLOCK_LOCAL = 39,
	OLD_SYS_EXIT_LOCAL = 40,
	OLD_START_LABEL = 41,
	OLD_BLOCK_GC = 42,
	OLD_USER_LOG = 48,
	OLD_CPU_SAMPLE = 49,
	OLD_EVENTS = 50,
};

/*
 * Properties of each type of event. @n: number of arguments, including the time. @blocks: enum
 * go_reason if the running goroutine starts to wait with this event; otherwise 0. @other: 0 if the
 * event is read; otherwise the event is only counted, as enum go_other, plus 1.
 */
static const struct {
	uint8_t n;
	uint8_t blocks;
	uint8_t other;
} old_events[OLD_EVENTS] = {
	[4] = { 3, 0, GO_OTHER_PROC + 1 },
	[5] = { 2, 0, GO_OTHER_PROC + 1 },
	[6] = { 1, 0, GO_OTHER_PROC + 1 },
	[OLD_GC_START] = { 3, 0, 0 },
	[OLD_GC_DONE] = { 1, 0, 0 },
	[OLD_PAUSE_START] = { 2, 0, 0 },
	[OLD_PAUSE_DONE] = { 1, 0, 0 },
	[11] = { 2, 0, GO_OTHER_SWEEP + 1 },
	[12] = { 3, 0, GO_OTHER_SWEEP + 1 },
	[OLD_CREATE] = { 4, 0, 0 },
	[OLD_START] = { 3, 0, 0 },
	[OLD_END] = { 1, 0, 0 },
	[OLD_STOP] = { 2, GO_FOREVER, 0 },
	[OLD_YIELD] = { 2, 0, 0 },
	[OLD_PREEMPT] = { 2, 0, 0 },
	[OLD_SLEEP] = { 2, GO_SLEEP, 0 },
	[OLD_BLOCK] = { 2, GO_OTHER, 0 },
	[OLD_UNBLOCK] = { 4, 0, 0 },
	[OLD_BLOCK_SEND] = { 2, GO_SEND, 0 },
	[OLD_BLOCK_RECEIVE] = { 2, GO_RECEIVE, 0 },
	[OLD_BLOCK_SELECT] = { 2, GO_SELECT, 0 },
	[OLD_BLOCK_SYNC] = { 2, GO_SYNC, 0 },
	[OLD_BLOCK_COND] = { 2, GO_COND, 0 },
	[OLD_BLOCK_NET] = { 2, GO_NETWORK, 0 },
	[OLD_SYSCALL] = { 2, 0, 0 },
	[OLD_SYS_EXIT] = { 4, 0, 0 },
	[OLD_SYS_BLOCK] = { 1, 0, 0 },
	[OLD_WAITING] = { 2, 0, 0 },
	[OLD_IN_SYSCALL] = { 2, 0, 0 },
	[33] = { 2, 0, GO_OTHER_HEAP + 1 },
	[34] = { 2, 0, GO_OTHER_HEAP + 1 },
	[35] = { 0, 0, GO_OTHER_TABLES + 1 },
	[36] = { 1, 0, GO_OTHER_USER + 1 },
	[OLD_START_LOCAL] = { 2, 0, 0 },
	[OLD_UNBLOCK_LOCAL] = { 3, 0, 0 },
	[OLD_SYS_EXIT_LOCAL] = { 3, 0, 0 },
	[OLD_START_LABEL] = { 4, 0, 0 },
	[OLD_BLOCK_GC] = { 2, GO_ASSIST, 0 },
	[43] = { 2, 0, GO_OTHER_ASSIST + 1 },
	[44] = { 1, 0, GO_OTHER_ASSIST + 1 },
	[45] = { 5, 0, GO_OTHER_USER + 1 },
	[46] = { 3, 0, GO_OTHER_USER + 1 },
	[47] = { 5, 0, GO_OTHER_USER + 1 },
	[OLD_USER_LOG] = { 4, 0, GO_OTHER_USER + 1 },
	[OLD_CPU_SAMPLE] = { 5, 0, 0 },
};

struct old_trace {
	struct go_lanes lanes;
	uint64_t ticks_per_s;
	double ns_per_tick;
	uint64_t first_tick;
	bool has_first;
	uint64_t gc_order;
	uint64_t pause_tick;
	uint64_t pause_kind;
	bool is_paused;
};

static uint64_t old_ns(const struct old_trace *t, uint64_t tick)
{
	double ns = tick > t->first_tick ? (double)(tick - t->first_tick) * t->ns_per_tick : 0;

	return ns < 9e18 ? (uint64_t)ns : UINT64_MAX / 4;
}

/* Skip @n varints (numbers stored with seven bits in each byte). */
static void old_skip(struct go_cursor *c, unsigned int n)
{
	while (n && c->p < c->end)
		n -= !(*c->p++ & 0x80);
	c->is_bad |= n > 0;
}

/* Take a string of @n bytes from @c. */
static struct str old_bytes(struct go_cursor *c, uint64_t n)
{
	struct str s = { (const char *)c->p, 0 };

	if (n > (uint64_t)(c->end - c->p)) {
		c->is_bad = true;
		return s;
	}
	s.len = (size_t)n;
	c->p += n;
	return s;
}

static void old_take_stack(struct go_reader *r, struct str args)
{
	const unsigned char *p = (const unsigned char *)args.p;
	struct go_cursor c = { p, p + args.len, false };
	uint64_t id = go_number(&c);
	uint64_t n = go_number(&c);
	struct go_item *item;

	if (c.is_bad || n > OLD_FRAMES_MAX) {
		diag_count(&r->diag, &go_bad_events, 0);
		return;
	}
	item = go_item_add(&r->stacks, id,
			   (struct str){ (const char *)c.p, (size_t)(c.end - c.p) });
	if (item)
		item->n = (uint32_t)n;
}

static void old_take_cpu_sample(struct go_reader *r, struct str args)
{
	const unsigned char *p = (const unsigned char *)args.p;
	struct go_cursor c = { p, p + args.len, false };
	struct go_cpu_sample s;

	(void)go_number(&c);  /* skip the time at which it was written */
	s.ns = go_number(&c); /* in ticks; becomes ns when the frequency is known */
	(void)go_number(&c);
	s.goroutine = go_number(&c);
	s.stack = go_number(&c);
	if (c.is_bad)
		diag_count(&r->diag, &go_bad_events, 0);
	else
		*VEC_PUSH(&r->cpu) = s;
}

static void old_take_batch(struct old_trace *t, struct str args, const unsigned char *event,
			   uint32_t *lane)
{
	const unsigned char *p = (const unsigned char *)args.p;
	struct go_cursor c = { p, p + args.len, false };
	uint64_t id = go_number(&c);

	if (*lane != INDEX_NONE)
		t->lanes.chunks.data[t->lanes.lanes.data[*lane].last].to = event;
	*lane = go_lane(&t->lanes, id);
	if (*lane != INDEX_NONE)
		go_lane_add_chunk(&t->lanes, *lane,
				  (struct go_chunk){ .from = p + args.len, .time = go_number(&c) });
}

/* First pass over the trace: find the batches, strings, stacks and the clock frequency. */
static void old_find(struct go_reader *r, struct old_trace *t, struct go_cursor c)
{
	uint32_t lane = INDEX_NONE;
	const unsigned char *event = c.p;

	for (; c.p < c.end; event = c.p) {
		unsigned int type = *c.p & 0x3f, n = (*c.p >> 6) + 1u;
		struct str args;

		c.p++;
		if (type == OLD_STRING) {
			uint64_t id = go_number(&c);

			(void)go_item_add(&r->strings, id, old_bytes(&c, go_number(&c)));
			if (c.is_bad)
				break;
			continue;
		}
		if (n == 4) {
			args = old_bytes(&c, go_number(&c));
		} else {
			args.p = (const char *)c.p;
			old_skip(&c, n);
			args.len = (size_t)((const char *)c.p - args.p);
		}
		if (type == OLD_USER_LOG)
			(void)old_bytes(&c, go_number(&c));
		if (c.is_bad || type == 0 || type >= OLD_EVENTS)
			break;
		if (type == OLD_BATCH)
			old_take_batch(t, args, event, &lane);
		else if (type == OLD_STACK)
			old_take_stack(r, args);
		else if (type == OLD_CPU_SAMPLE)
			old_take_cpu_sample(r, args);
		else if (type == OLD_FREQUENCY)
			t->ticks_per_s = go_number(
				&(struct go_cursor){ (const unsigned char *)args.p, c.end, false });
	}
	if (event < c.end)
		diag_count(&r->diag, &go_bad_events, 0);
	if (lane != INDEX_NONE)
		t->lanes.chunks.data[t->lanes.lanes.data[lane].last].to = event;
}

/*
 * Read one event, whose length old_find() has checked. False: old_events does not describe the
 * event.
 */
static bool old_read(struct go_cursor *c, struct go_event *e)
{
	unsigned int n = (*c->p >> 6) + 1u;
	const unsigned char *end = NULL;
	unsigned int want;
	bool is_event;

	e->type = *c->p++ & 0x3f;
	if (e->type == OLD_STRING) {
		(void)go_number(c);
		(void)old_bytes(c, go_number(c));
		return false;
	}
	if (n == 4) {
		struct str args = old_bytes(c, go_number(c));

		end = c->p;
		c->p -= args.len;
	}
	if (e->type >= OLD_EVENTS) {
		c->is_bad = true;
		return false;
	}
	want = old_events[e->type].n;
	is_event = want && (n == 4 || n == want);
	if (is_event) {
		e->time = go_number(c);
		for (unsigned int i = 0; i + 1 < want; i++)
			e->args[i] = go_number(c);
	} else if (!end) {
		old_skip(c, n);
	}
	if (end)
		c->p = end;
	if (e->type == OLD_USER_LOG)
		(void)old_bytes(c, go_number(c));
	return is_event;
}

static bool old_next(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	for (;;) {
		struct go_event *e = &lane->head;
		bool is_event;

		if (lane->at.p >= lane->at.end && !go_lane_next_chunk(l, lane))
			return false;
		if (lane->at.p >= lane->at.end)
			continue;
		is_event = old_read(&lane->at, e);
		if (lane->at.is_bad) {
			diag_count(&r->diag, &go_bad_events, 0);
			lane->at.p = lane->at.end;
			continue;
		}
		if (!is_event)
			continue;
		lane->time += e->time;
		e->time = lane->time;
		if (!old_events[e->type].other && e->type != OLD_CPU_SAMPLE)
			return true;
		if (e->type != OLD_CPU_SAMPLE)
			r->other[old_events[e->type].other - 1]++;
	}
}

/*
 * Whether goroutine @row is in @state, and expects its next event to have the sequence number
 * @number (OLD_NO_NUMBER: any number). In this check, GO_SYSCALL counts as GO_WAITING.
 */
static bool old_is_in(const struct go_reader *r, uint32_t row, enum go_state state, uint64_t number)
{
	const struct go_goroutine *g;
	enum go_state is;

	if (row == INDEX_NONE)
		return false;
	g = &r->goroutines.data[row];
	is = g->state == GO_SYSCALL ? GO_WAITING : (enum go_state)g->state;
	return is == state && (number == OLD_NO_NUMBER || number == g->order);
}

static bool old_is_ready(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	const struct old_trace *t = (const struct old_trace *)l;
	struct go_event *e = &lane->head;

	e->row = lane->goroutine;
	switch (e->type) {
	case OLD_CREATE:
		e->row = go_find(r, e->args[0]);
		return e->row == INDEX_NONE;
	case OLD_WAITING:
	case OLD_IN_SYSCALL:
		e->row = go_find(r, e->args[0]);
		return old_is_in(r, e->row, GO_RUNNABLE, 1);
	case OLD_START:
	case OLD_START_LABEL:
		e->row = go_find(r, e->args[0]);
		return old_is_in(r, e->row, GO_RUNNABLE, e->args[1]);
	case OLD_START_LOCAL:
		e->row = go_find(r, e->args[0]);
		return old_is_in(r, e->row, GO_RUNNABLE, OLD_NO_NUMBER);
	case OLD_UNBLOCK:
	case OLD_SYS_EXIT:
		e->row = go_find(r, e->args[0]);
		return old_is_in(r, e->row, GO_WAITING, e->args[1]);
	case OLD_UNBLOCK_LOCAL:
	case OLD_SYS_EXIT_LOCAL:
		e->row = go_find(r, e->args[0]);
		return old_is_in(r, e->row, GO_WAITING, OLD_NO_NUMBER);
	case OLD_GC_START:
		return e->args[0] == t->gc_order;
	default:
		return true;
	}
}

/*
 * Index of the event's goroutine. If a damaged trace lacks the event with which the goroutine
 * starts, the goroutine is added.
 */
static uint32_t old_row(struct go_reader *r, struct go_event *e)
{
	if (e->row == INDEX_NONE)
		e->row = go_add(r, e->args[0]);
	return e->row;
}

static void old_take_order(struct go_reader *r, const struct go_event *e)
{
	struct go_goroutine *g;

	if (e->row == INDEX_NONE)
		return;
	g = &r->goroutines.data[e->row];
	switch (e->type) {
	case OLD_START:
	case OLD_START_LABEL:
	case OLD_UNBLOCK:
	case OLD_SYS_EXIT:
		g->order = e->args[1] + 1;
		break;
	default:
		g->order++;
		break;
	}
}

/*
 * The time in ns at which a goroutine returned from a system call. If an argument of the event
 * states this time, it may be earlier than the event. Otherwise, it is the time of the event.
 */
static uint64_t old_return_ns(const struct go_reader *r, const struct old_trace *t,
			      const struct go_event *e)
{
	uint64_t tick = e->args[e->type == OLD_SYS_EXIT ? 2 : 1];
	uint64_t ns = old_ns(t, tick);

	if (!tick || tick > e->time || e->row == INDEX_NONE)
		return old_ns(t, e->time);
	return ns < r->goroutines.data[e->row].since_ns ? old_ns(t, e->time) : ns;
}

static void old_take_pause(struct go_reader *r, struct old_trace *t, const struct go_event *e)
{
	/* source: runtime/trace.go, traceEvGCSTWStart */
	static const char *const kinds[] = { "GC mark termination", "GC sweep termination" };

	if (e->type == OLD_PAUSE_START) {
		t->pause_tick = e->time;
		t->pause_kind = e->args[0];
		t->is_paused = true;
		return;
	}
	if (t->is_paused && e->time >= t->pause_tick)
		go_pause(r,
			 str_of(t->pause_kind < ARRAY_LEN(kinds) ? kinds[t->pause_kind]
								 : "other pause"),
			 old_ns(t, e->time) - old_ns(t, t->pause_tick));
	t->is_paused = false;
}

static void old_take(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	struct old_trace *t = (struct old_trace *)l;
	struct go_event *e = &lane->head;
	uint32_t row = e->row;
	uint64_t ns;

	if (!t->has_first)
		t->first_tick = e->time;
	t->has_first = true;
	ns = old_ns(t, e->time);
	r->last_ns = ns > r->last_ns ? ns : r->last_ns;
	switch (e->type) {
	case OLD_CREATE:
		row = old_row(r, e);
		go_begin(r, row, ns, GO_RUNNABLE, GO_CREATED, e->args[1]);
		old_take_order(r, e);
		break;
	case OLD_WAITING:
		row = old_row(r, e);
		go_correct(r, row, GO_WAITING, GO_UNKNOWN);
		old_take_order(r, e);
		break;
	case OLD_IN_SYSCALL:
		row = old_row(r, e);
		go_correct(r, row, GO_SYSCALL, GO_IN_SYSCALL);
		old_take_order(r, e);
		break;
	case OLD_START:
	case OLD_START_LABEL:
	case OLD_START_LOCAL:
		row = old_row(r, e);
		go_change(r, row, ns, GO_RUNNING, GO_OTHER, 0);
		old_take_order(r, e);
		lane->goroutine = row;
		break;
	case OLD_UNBLOCK:
	case OLD_UNBLOCK_LOCAL:
		row = old_row(r, e);
		go_woken(r, row, lane->goroutine);
		go_change(r, row, ns, GO_RUNNABLE, GO_WOKEN, 0);
		old_take_order(r, e);
		break;
	case OLD_SYS_EXIT:
	case OLD_SYS_EXIT_LOCAL:
		row = old_row(r, e);
		go_change(r, row, old_return_ns(r, t, e), GO_RUNNABLE, GO_RETURNED, 0);
		old_take_order(r, e);
		break;
	case OLD_END:
		go_end(r, row, ns);
		lane->goroutine = INDEX_NONE;
		break;
	case OLD_YIELD:
	case OLD_PREEMPT:
		go_change(r, row, ns, GO_RUNNABLE, e->type == OLD_YIELD ? GO_YIELDED : GO_PREEMPTED,
			  e->args[0]);
		lane->goroutine = INDEX_NONE;
		break;
	case OLD_SYSCALL:
		go_called(r, row, ns, e->args[0]);
		break;
	case OLD_SYS_BLOCK:
		go_block_in_call(r, row, ns);
		lane->goroutine = INDEX_NONE;
		break;
	case OLD_GC_START:
		t->gc_order = e->args[0] + 1;
		go_gc_begin(r, ns);
		break;
	case OLD_GC_DONE:
		go_gc_end(r, ns);
		break;
	case OLD_PAUSE_START:
	case OLD_PAUSE_DONE:
		old_take_pause(r, t, e);
		break;
	default:
		go_change(r, row, ns, GO_WAITING, (enum go_reason)old_events[e->type].blocks,
			  e->args[0]);
		lane->goroutine = INDEX_NONE;
		break;
	}
}

static const struct go_lanes_ops old_ops = { old_next, old_is_ready, old_take };

int go_read_old(struct go_reader *r, struct error *err)
{
	const unsigned char *p = (const unsigned char *)r->in->text.p;
	struct old_trace t = { .ticks_per_s = 0 };

	old_find(r, &t, (struct go_cursor){ p + OLD_HEADER_BYTES, p + r->in->text.len, false });
	if (t.ticks_per_s == 0 || t.ticks_per_s > INT64_MAX) {
		go_lanes_fini(&t.lanes);
		return fail(err, ERR_FORMAT,
			    "a Go execution trace without its end, where the frequency of its "
			    "clock is");
	}
	t.ns_per_tick = 1e9 / (double)t.ticks_per_s;
	go_lanes_take(r, &t.lanes, &old_ops);
	VEC_FOREACH (s, &r->cpu)
		s->ns = old_ns(&t, s->ns);
	go_take_cpu_samples(r);
	go_lanes_fini(&t.lanes);
	return OK;
}
