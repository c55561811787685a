/* SPDX-License-Identifier: MIT */
/*
 * go_trace_new.c - execution traces of Go 1.22 and later
 *
 * The file is a sequence of generations. A generation has batches, and its own strings, stacks, CPU
 * samples and clock frequency. A batch has events of one thread (M). In each generation, the status
 * of a goroutine precedes its first event, and the sequence numbers of events start again.
 *
 * Source: internal/trace/tracev2/events.go, batch.go, generation.go and order.go of Go 1.25.
 */
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/runtimes/go_trace.h"
#include "formats/runtimes/go_trace_lanes.h"

#define NEW_HEADER_BYTES 16u
#define NEW_NO_THREAD    UINT64_MAX
/*
 * go_goroutine.order has the event's sequence number in this many low bits, and the generation in
 * the high bits.
 */
#define NEW_ORDER_BITS 40u

enum new_event {
	NEW_BATCH = 1,
	NEW_STACKS = 2,
	NEW_STACK = 3,
	NEW_STRINGS = 4,
	NEW_STRING = 5,
	NEW_CPU_SAMPLES = 6,
	NEW_CPU_SAMPLE = 7,
	NEW_FREQUENCY = 8,
	NEW_CREATE = 14,
	NEW_CREATE_IN_SYSCALL = 15,
	NEW_START = 16,
	NEW_DESTROY = 17,
	NEW_DESTROY_IN_SYSCALL = 18,
	NEW_STOP = 19,
	NEW_BLOCK = 20,
	NEW_UNBLOCK = 21,
	NEW_SYSCALL = 22,
	NEW_SYSCALL_END = 23,
	NEW_SYSCALL_END_BLOCKED = 24,
	NEW_STATUS = 25,
	NEW_PAUSE = 26,
	NEW_PAUSE_END = 27,
	NEW_GC_ACTIVE = 28,
	NEW_GC = 29,
	NEW_GC_END = 30,
	NEW_SWITCH = 45,
	NEW_SWITCH_DESTROY = 46,
	NEW_CREATE_BLOCKED = 47,
	NEW_STATUS_STACK = 48,
	NEW_EXPERIMENT = 49,
	NEW_SYNC = 50,
	NEW_CLOCK = 51,
	NEW_END_OF_GENERATION = 52,
	NEW_EVENTS = 137,
};

/*
 * Properties of each type of event. @n: number of arguments, including the time; 0: unknown type.
 * @other: 0 if the event is read; otherwise the event is only counted, as enum go_other, plus 1.
 */
static const struct {
	uint8_t n;
	uint8_t other;
} new_events[NEW_EVENTS] = {
	[9] = { 3, GO_OTHER_PROC + 1 },
	[10] = { 3, GO_OTHER_PROC + 1 },
	[11] = { 1, GO_OTHER_PROC + 1 },
	[12] = { 4, GO_OTHER_PROC + 1 },
	[13] = { 3, GO_OTHER_PROC + 1 },
	[NEW_CREATE] = { 4, 0 },
	[NEW_CREATE_IN_SYSCALL] = { 2, 0 },
	[NEW_START] = { 3, 0 },
	[NEW_DESTROY] = { 1, 0 },
	[NEW_DESTROY_IN_SYSCALL] = { 1, 0 },
	[NEW_STOP] = { 3, 0 },
	[NEW_BLOCK] = { 3, 0 },
	[NEW_UNBLOCK] = { 4, 0 },
	[NEW_SYSCALL] = { 3, 0 },
	[NEW_SYSCALL_END] = { 1, 0 },
	[NEW_SYSCALL_END_BLOCKED] = { 1, 0 },
	[NEW_STATUS] = { 4, 0 },
	[NEW_PAUSE] = { 3, 0 },
	[NEW_PAUSE_END] = { 1, 0 },
	[NEW_GC_ACTIVE] = { 2, 0 },
	[NEW_GC] = { 3, 0 },
	[NEW_GC_END] = { 2, 0 },
	[31] = { 2, GO_OTHER_SWEEP + 1 },
	[32] = { 2, GO_OTHER_SWEEP + 1 },
	[33] = { 3, GO_OTHER_SWEEP + 1 },
	[34] = { 2, GO_OTHER_ASSIST + 1 },
	[35] = { 2, GO_OTHER_ASSIST + 1 },
	[36] = { 1, GO_OTHER_ASSIST + 1 },
	[37] = { 2, GO_OTHER_HEAP + 1 },
	[38] = { 2, GO_OTHER_HEAP + 1 },
	[39] = { 2, GO_OTHER_USER + 1 },
	[40] = { 5, GO_OTHER_USER + 1 },
	[41] = { 3, GO_OTHER_USER + 1 },
	[42] = { 4, GO_OTHER_USER + 1 },
	[43] = { 4, GO_OTHER_USER + 1 },
	[44] = { 5, GO_OTHER_USER + 1 },
	[NEW_SWITCH] = { 3, 0 },
	[NEW_SWITCH_DESTROY] = { 3, 0 },
	[NEW_CREATE_BLOCKED] = { 4, 0 },
	[NEW_STATUS_STACK] = { 5, 0 },
	[NEW_CLOCK] = { 4, GO_OTHER_TABLES + 1 },
	/* events of Go's experiment AllocFree: spans, objects and stacks */
	[128] = { 4, GO_OTHER_EXPERIMENT + 1 },
	[129] = { 4, GO_OTHER_EXPERIMENT + 1 },
	[130] = { 2, GO_OTHER_EXPERIMENT + 1 },
	[131] = { 3, GO_OTHER_EXPERIMENT + 1 },
	[132] = { 3, GO_OTHER_EXPERIMENT + 1 },
	[133] = { 2, GO_OTHER_EXPERIMENT + 1 },
	[134] = { 3, GO_OTHER_EXPERIMENT + 1 },
	[135] = { 3, GO_OTHER_EXPERIMENT + 1 },
	[136] = { 2, GO_OTHER_EXPERIMENT + 1 },
};

/* The state of a goroutine (enum go_state) for each number that the trace uses for its status. */
static const enum go_state new_states[] = { GO_DEAD, GO_RUNNABLE, GO_RUNNING, GO_SYSCALL,
					    GO_WAITING };

struct new_trace {
	struct go_lanes lanes;
	uint64_t generation;
	/* true until a generation with a known clock frequency has ended */
	bool is_first;
	bool has_frequency; /* the clock frequency of the current generation is known */
	double ns_per_tick;
	bool has_first; /* the first event was taken, so first_ns of the trace is known */
	/* earliest time, in ticks, that was read before has_first was set */
	uint64_t least_tick;
};

static uint64_t new_ns(const struct new_trace *t, uint64_t tick)
{
	double ns = (double)tick * t->ns_per_tick;

	return ns < 4e18 ? (uint64_t)ns : UINT64_C(4000000000000000000);
}

static uint64_t new_order(const struct new_trace *t, uint64_t number)
{
	uint64_t mask = (UINT64_C(1) << NEW_ORDER_BITS) - 1;

	return t->generation << NEW_ORDER_BITS | (number & mask);
}

static bool new_next(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	struct new_trace *t = (struct new_trace *)l;
	struct go_event *e = &lane->head;

	for (;;) {
		unsigned int n;

		if (lane->at.p >= lane->at.end) {
			if (!go_lane_next_chunk(l, lane))
				return false;
			continue;
		}
		e->type = *lane->at.p++;
		n = e->type < NEW_EVENTS ? new_events[e->type].n : 0;
		e->time = lane->time += go_number(&lane->at);
		if (UNLIKELY(!t->has_first && e->time < t->least_tick))
			t->least_tick = e->time;
		for (unsigned int i = 0; i + 1 < n; i++)
			e->args[i] = go_number(&lane->at);
		if (n == 0 || lane->at.is_bad) {
			diag_count(&r->diag, &go_bad_events, 0);
			lane->at = (struct go_cursor){ NULL, NULL, false };
			continue;
		}
		if (!new_events[e->type].other)
			return true;
		r->other[new_events[e->type].other - 1]++;
	}
}

static bool new_is_in(const struct go_reader *r, const struct new_trace *t, uint32_t row,
		      enum go_state state, uint64_t number)
{
	const struct go_goroutine *g = row == INDEX_NONE ? NULL : &r->goroutines.data[row];

	return g && g->state == state && g->order + 1 == new_order(t, number);
}

static bool new_is_ready(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	const struct new_trace *t = (const struct new_trace *)l;
	struct go_event *e = &lane->head;

	e->row = lane->goroutine;
	switch (e->type) {
	case NEW_START:
		e->row = go_find(r, e->args[0]);
		return new_is_in(r, t, e->row, GO_RUNNABLE, e->args[1]);
	case NEW_UNBLOCK:
	case NEW_SWITCH:
	case NEW_SWITCH_DESTROY:
		e->row = go_find(r, e->args[0]);
		return new_is_in(r, t, e->row, GO_WAITING, e->args[1]);
	case NEW_CREATE:
	case NEW_CREATE_BLOCKED:
	case NEW_CREATE_IN_SYSCALL:
	case NEW_STATUS:
	case NEW_STATUS_STACK:
		e->row = go_add(r, e->args[0]);
		return true;
	default:
		return true;
	}
}

static void new_set_order(struct go_reader *r, const struct new_trace *t, uint32_t row,
			  uint64_t number)
{
	if (row != INDEX_NONE)
		r->goroutines.data[row].order = new_order(t, number);
}

/*
 * The reason whose text is the string with the id @string; GO_OTHER: no reason has this text. The
 * text is also stored as go_goroutine.other of goroutine @row.
 */
static enum go_reason new_reason(struct go_reader *r, uint32_t row, uint64_t string)
{
	struct go_item *s = go_item_find(&r->strings, string);

	if (!s || row == INDEX_NONE)
		return GO_OTHER;
	if (s->n == 0) {
		str_id text = strings_add(&r->d->strings, s->bytes);

		s->n = GO_OTHER + 1;
		for (unsigned int i = 0; i < GO_REASONS; i++) {
			if (r->texts[i].v == text.v)
				s->n = i + 1;
		}
		/*
		 * the text "unknown" means GO_OTHER here, because GO_UNKNOWN means that the wait
		 * began before the trace
		 */
		if (s->n == GO_UNKNOWN + 1)
			s->n = GO_OTHER + 1;
		s->text = text;
	}
	r->goroutines.data[row].other = s->text;
	return (enum go_reason)(s->n - 1);
}

static void new_take_status(struct go_reader *r, struct new_trace *t, const struct go_event *e,
			    uint32_t at)
{
	bool has_stack = e->type == NEW_STATUS_STACK;
	enum go_state state = e->args[2] < ARRAY_LEN(new_states) ? new_states[e->args[2]] : GO_DEAD;
	struct go_goroutine *g;
	uint32_t row = e->row;

	if (row == INDEX_NONE || state == GO_DEAD)
		return;
	g = &r->goroutines.data[row];
	if (g->state == GO_DEAD)
		go_begin(r, row, t->is_first ? r->first_ns : new_ns(t, e->time), state,
			 state == GO_SYSCALL ? GO_IN_SYSCALL : GO_UNKNOWN,
			 has_stack ? e->args[3] : 0);
	else if (g->state != state)
		go_change(r, row, new_ns(t, e->time), state, GO_UNKNOWN, 0);
	if (state == GO_RUNNABLE && g->reason == GO_UNKNOWN)
		g->reason = GO_WOKEN;
	new_set_order(r, t, row, 0);
	if (state == GO_SYSCALL && e->args[1] != NEW_NO_THREAD)
		/* this may move the lane that contains @e in memory */
		at = go_lane(&t->lanes, e->args[1]);
	if (at != INDEX_NONE && (state == GO_RUNNING || state == GO_SYSCALL))
		t->lanes.lanes.data[at].goroutine = row;
}

static void new_take_pause(struct go_reader *r, struct new_trace *t, struct go_lane *lane)
{
	uint64_t ns = new_ns(t, lane->head.time);
	struct go_item *kind;

	if (lane->head.type == NEW_PAUSE) {
		kind = go_item_find(&r->strings, lane->head.args[0]);
		lane->pause = kind ? kind->bytes : STR("unknown");
		lane->pause_ns = ns;
		return;
	}
	if (lane->pause_ns && ns >= lane->pause_ns)
		go_pause(r, lane->pause, ns - lane->pause_ns);
	lane->pause_ns = 0;
}

/* A coroutine switch: the running goroutine hands its thread directly to another goroutine. */
static void new_take_switch(struct go_reader *r, struct new_trace *t, struct go_lane *lane)
{
	struct go_event *e = &lane->head;
	uint64_t ns = new_ns(t, e->time);

	if (e->row == INDEX_NONE)
		e->row = go_add(r, e->args[0]);
	go_woken(r, e->row, lane->goroutine);
	if (e->type == NEW_SWITCH)
		go_change(r, lane->goroutine, ns, GO_WAITING, GO_COROUTINE, 0);
	else
		go_end(r, lane->goroutine, ns);
	go_change(r, e->row, ns, GO_RUNNING, GO_OTHER, 0);
	new_set_order(r, t, e->row, e->args[1]);
	lane->goroutine = e->row;
}

static void new_take(struct go_reader *r, struct go_lanes *l, struct go_lane *lane)
{
	struct new_trace *t = (struct new_trace *)l;
	struct go_event *e = &lane->head;
	uint32_t row = lane->goroutine;
	uint64_t ns = new_ns(t, e->time);

	if (!t->has_first)
		r->first_ns = new_ns(t, t->least_tick);
	t->has_first = true;
	r->last_ns = ns > r->last_ns ? ns : r->last_ns;
	if ((e->type == NEW_START || e->type == NEW_UNBLOCK) && e->row == INDEX_NONE)
		e->row = go_add(r, e->args[0]);
	switch (e->type) {
	case NEW_CREATE:
	case NEW_CREATE_BLOCKED:
		go_begin(r, e->row, ns, e->type == NEW_CREATE ? GO_RUNNABLE : GO_WAITING,
			 e->type == NEW_CREATE ? GO_CREATED : GO_COROUTINE, e->args[1]);
		new_set_order(r, t, e->row, 0);
		break;
	case NEW_CREATE_IN_SYSCALL:
		go_begin(r, e->row, ns, GO_SYSCALL, GO_IN_SYSCALL, 0);
		new_set_order(r, t, e->row, 0);
		lane->goroutine = e->row;
		break;
	case NEW_START:
		go_change(r, e->row, ns, GO_RUNNING, GO_OTHER, 0);
		new_set_order(r, t, e->row, e->args[1]);
		lane->goroutine = e->row;
		break;
	case NEW_DESTROY:
	case NEW_DESTROY_IN_SYSCALL:
		go_end(r, row, ns);
		lane->goroutine = INDEX_NONE;
		break;
	case NEW_STOP:
	case NEW_BLOCK:
		go_change(r, row, ns, e->type == NEW_STOP ? GO_RUNNABLE : GO_WAITING,
			  new_reason(r, row, e->args[0]), e->args[1]);
		lane->goroutine = INDEX_NONE;
		break;
	case NEW_UNBLOCK:
		go_woken(r, e->row, row);
		go_change(r, e->row, ns, GO_RUNNABLE, GO_WOKEN, 0);
		new_set_order(r, t, e->row, e->args[1]);
		break;
	case NEW_SYSCALL:
		go_change(r, row, ns, GO_SYSCALL, GO_IN_SYSCALL, e->args[1]);
		break;
	case NEW_SYSCALL_END:
		go_change(r, row, ns, GO_RUNNING, GO_OTHER, 0);
		break;
	case NEW_SYSCALL_END_BLOCKED:
		go_change(r, row, ns, GO_RUNNABLE, GO_RETURNED, 0);
		lane->goroutine = INDEX_NONE;
		break;
	case NEW_STATUS:
	case NEW_STATUS_STACK:
		new_take_status(r, t, e, (uint32_t)(lane - l->lanes.data));
		break;
	case NEW_PAUSE:
	case NEW_PAUSE_END:
		new_take_pause(r, t, lane);
		break;
	case NEW_GC:
	case NEW_GC_ACTIVE:
		go_gc_begin(r, ns);
		break;
	case NEW_GC_END:
		go_gc_end(r, ns);
		break;
	default:
		new_take_switch(r, t, lane);
		break;
	}
}

static void new_take_strings(struct go_reader *r, struct go_cursor c)
{
	while (c.p < c.end) {
		bool is_string = *c.p++ == NEW_STRING;
		uint64_t id = go_number(&c);
		uint64_t len = go_number(&c);

		if (!is_string || c.is_bad || len > (uint64_t)(c.end - c.p)) {
			diag_count(&r->diag, &go_bad_events, 0);
			return;
		}
		(void)go_item_add(&r->strings, id, (struct str){ (const char *)c.p, (size_t)len });
		c.p += len;
	}
}

static void new_take_stacks(struct go_reader *r, struct go_cursor c)
{
	while (c.p < c.end) {
		bool is_stack = *c.p++ == NEW_STACK;
		uint64_t id = go_number(&c);
		uint64_t n = go_number(&c);
		const unsigned char *from = c.p;
		struct go_item *item;

		for (uint64_t i = 0; i < n && !c.is_bad && is_stack; i++) {
			for (unsigned int k = 0; k < 4; k++)
				(void)go_number(&c);
		}
		if (!is_stack || c.is_bad) {
			diag_count(&r->diag, &go_bad_events, 0);
			return;
		}
		item = go_item_add(&r->stacks, id,
				   (struct str){ (const char *)from, (size_t)(c.p - from) });
		if (item)
			item->n = (uint32_t)n;
	}
}

static void new_take_cpu_samples(struct go_reader *r, struct go_cursor c)
{
	while (c.p < c.end) {
		bool is_sample = *c.p++ == NEW_CPU_SAMPLE;
		struct go_cpu_sample s;

		s.ns = go_number(&c); /* in ticks; becomes ns when the frequency is known */
		(void)go_number(&c);
		(void)go_number(&c);
		s.goroutine = go_number(&c);
		s.stack = go_number(&c);
		if (!is_sample || c.is_bad) {
			diag_count(&r->diag, &go_bad_events, 0);
			return;
		}
		*VEC_PUSH(&r->cpu) = s;
	}
}

static void new_take_frequency(struct go_reader *r, struct new_trace *t, struct go_cursor c)
{
	uint64_t hz = go_number(&c);

	if (c.is_bad || hz == 0) {
		diag_count(&r->diag, &go_bad_events, 0);
		return;
	}
	t->ns_per_tick = 1.0 / ((double)hz / 1e9);
	t->has_frequency = true;
}

/*
 * Take a batch of @thread. Its strings, stacks or CPU samples are added to the tables. A batch of
 * events is only stored: its events are taken when all batches of the generation are known. @c:
 * bytes of the batch. @tick: time of the batch.
 */
static void new_take_batch(struct go_reader *r, struct new_trace *t, uint64_t thread, uint64_t tick,
			   struct go_cursor c)
{
	struct go_cursor rest = { c.p + 1, c.end, false };
	uint32_t lane;

	if (c.p == c.end)
		return;
	switch (*c.p) {
	case NEW_STRINGS:
		new_take_strings(r, rest);
		return;
	case NEW_STACKS:
		new_take_stacks(r, rest);
		return;
	case NEW_CPU_SAMPLES:
		new_take_cpu_samples(r, rest);
		return;
	case NEW_FREQUENCY:
		new_take_frequency(r, t, rest);
		return;
	case NEW_SYNC:
		if (rest.p < rest.end && *rest.p++ == NEW_FREQUENCY)
			new_take_frequency(r, t, rest);
		return;
	default:
		break;
	}
	lane = go_lane(&t->lanes, thread);
	if (lane == INDEX_NONE)
		diag_count(&r->diag, &go_bad_events, 0);
	else
		go_lane_add_chunk(&t->lanes, lane,
				  (struct go_chunk){ .from = c.p, .to = c.end, .time = tick });
}

static const struct go_lanes_ops new_ops = { new_next, new_is_ready, new_take };

/* Take the events of the current generation in order, now that all its batches were read. */
static void new_finish_generation(struct go_reader *r, struct new_trace *t)
{
	if (!t->has_frequency)
		diag_count(&r->diag, &go_no_time, 0);
	if (t->ns_per_tick > 0) {
		go_lanes_take(r, &t->lanes, &new_ops);
		VEC_FOREACH (s, &r->cpu)
			s->ns = new_ns(t, s->ns);
		go_take_cpu_samples(r);
		t->is_first = false;
	}
	t->has_frequency = false;
	t->lanes.chunks.len = 0;
	VEC_FOREACH (lane, &t->lanes.lanes)
		lane->first = lane->last = INDEX_NONE;
	go_table_clear(&r->strings);
	go_table_clear(&r->stacks);
	slots_clear(&r->nodes);
	r->cpu.len = 0;
}

/*
 * Take the next batch of the file into @c. False: the file has ended, or it is damaged so that the
 * start of the next batch is unknown.
 */
static bool new_next_batch(struct go_reader *r, struct new_trace *t, struct go_cursor *c)
{
	unsigned char type;
	uint64_t generation, thread, tick, size;

	if (c->p >= c->end)
		return false;
	type = *c->p++;
	if (type == NEW_END_OF_GENERATION)
		return true;
	if (type == NEW_EXPERIMENT && c->p < c->end)
		c->p++;
	generation = go_number(c);
	thread = go_number(c);
	tick = go_number(c);
	size = go_number(c);
	if ((type != NEW_BATCH && type != NEW_EXPERIMENT) || c->is_bad) {
		diag_count(&r->diag, &go_bad_events, 0);
		return false;
	}
	if (generation != t->generation && t->generation) {
		new_finish_generation(r, t);
		document_release(r->in->doc, (const char *)c->p);
	}
	t->generation = generation;
	if (size > (uint64_t)(c->end - c->p)) {
		diag_count(&r->diag, &go_no_time, 0);
		size = (uint64_t)(c->end - c->p);
	}
	if (type == NEW_BATCH)
		new_take_batch(r, t, thread, tick, (struct go_cursor){ c->p, c->p + size, false });
	else
		r->other[GO_OTHER_EXPERIMENT]++;
	c->p += size;
	return true;
}

int go_read_new(struct go_reader *r, struct error *err)
{
	const unsigned char *p = (const unsigned char *)r->in->text.p;
	struct new_trace t = { .is_first = true, .least_tick = UINT64_MAX };
	struct go_cursor c = { p + NEW_HEADER_BYTES, p + r->in->text.len, false };

	while (new_next_batch(r, &t, &c))
		;
	new_finish_generation(r, &t);
	go_lanes_fini(&t.lanes);
	if (t.is_first)
		return fail(err, ERR_FORMAT,
			    "a Go execution trace without the frequency of its clock");
	return OK;
}
