/* SPDX-License-Identifier: MIT */
#include "analyses/waits/wait_holders.h"

#include "analyses/roles.h"
#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdlib.h>

/* kinds of waits that end by an action of another thread, such as the release of a lock */
#define HOLDERS_KINDS                                                                   \
	(1u << WAIT_LOCK | 1u << WAIT_FUTEX | 1u << WAIT_CONDITION | 1u << WAIT_CHILD | \
	 1u << WAIT_PEER)
#define HOLDERS_LOCKS (1u << WAIT_LOCK | 1u << WAIT_FUTEX)

/* A wait or CPU sample, in arrays that are sorted by thread and time. */
struct holder_sample {
	uint32_t tid;
	uint32_t sample;
	uint64_t time_ns;
};

/* A hand-over of a lock: the thread `by` releases it and wakes a thread that waits for it. */
struct holder_handover {
	uint32_t lock; /* address of the lock as a text, str_id.v */
	uint32_t by;
	str_id comm;
	uint64_t time_ns;
};

struct holders_build {
	struct wait_holders *ret;
	const struct capture *c;
	const struct profile *p;
	const struct profile *cpu; /* CPU samples; NULL: none */
	const struct symbols *symbols;
	const struct sample_field *wait, *waker, *waker_tid, *reason, *lock;
	str_id runnable, interrupt, none;
	/* all waits (samples of the off-CPU capture), sorted by thread and time */
	struct holder_sample *parts;
	struct holder_sample *cpu_parts; /* all CPU samples, sorted by thread and time */
	size_t n_parts, n_cpu_parts;
	VEC(struct holder_handover) handovers;
	/* time of the first and last event of each thread, sorted by thread */
	VEC(struct profile_ran) lives;
	struct idmap rows_map;
	struct role_cache roles;
};

static const struct sample_field *holders_field(const struct capture *c, const char *name)
{
	VEC_FOREACH (f, &c->profile->samples.fields) {
		if (str_eq(strings_get(capture_strings(c), f->name), str_of(name)) &&
		    f->values.len == c->profile->samples.n)
			return f;
	}
	return NULL;
}

/* The samples of @p, sorted by thread, then by time, then by index. Owner: caller, free(). */
static struct holder_sample *holders_order(const struct profile *p)
{
	const struct samples *s = &p->samples;
	struct sort_item *items = xcalloc(s->n, sizeof(*items));
	struct holder_sample *rows;

	for (size_t i = 0; i < s->n; i++)
		items[i] = (struct sort_item){ s->time_ns.data[i], (uint32_t)i };
	/*
	 * sort by time first. The sort by thread is stable, so it keeps this order within a thread
	 */
	sort_items(items, s->n);
	for (size_t i = 0; i < s->n; i++)
		items[i].key = p->threads.data[s->thread.data[items[i].value]].tid;
	sort_items(items, s->n);
	rows = xcalloc(s->n, sizeof(*rows));
	for (size_t i = 0; i < s->n; i++)
		rows[i] = (struct holder_sample){ (uint32_t)items[i].key, items[i].value,
						  s->time_ns.data[items[i].value] };
	free(items);
	return rows;
}

static int holders_handover_cmp(const void *va, const void *vb)
{
	const struct holder_handover *a = va;
	const struct holder_handover *b = vb;

	return SORT_ORDER(a->lock, b->lock) ?: SORT_ORDER(a->time_ns, b->time_ns);
}

static int holders_life_cmp(const void *va, const void *vb)
{
	const struct profile_ran *a = va;
	const struct profile_ran *b = vb;

	return SORT_ORDER(a->tid, b->tid);
}

/*
 * Index of the first sample of thread @tid at or after @time_ns. If there is none, the index of the
 * next thread's first sample, or @n.
 */
static size_t holders_find(const struct holder_sample *rows, size_t n, uint32_t tid,
			   uint64_t time_ns)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (rows[at].tid < tid || (rows[at].tid == tid && rows[at].time_ns < time_ns))
			from = at + 1;
		else
			to = at;
	}
	return from;
}

static uint32_t holders_waker(const struct holders_build *b, size_t i)
{
	struct str word;
	uint64_t tid = 0;

	if (!b->waker_tid)
		return 0;
	word = strings_get(capture_strings(b->c), (str_id){ b->waker_tid->values.data[i] });
	return str_u64(&word, &tid) && tid <= UINT32_MAX ? (uint32_t)tid : 0;
}

static bool holders_is_ready(const struct holders_build *b, size_t i)
{
	return b->wait && b->wait->values.data[i] == b->runnable.v;
}

static unsigned int holders_kind(const struct holders_build *b, size_t i)
{
	enum wait_kind kind;

	if (!b->reason || holders_is_ready(b, i) ||
	    !wait_kind_of_reason(
		    strings_get(capture_strings(b->c), (str_id){ b->reason->values.data[i] }),
		    &kind))
		return WAIT_KINDS;
	return kind;
}

/* The lock for which wait number @i waits, as str_id.v of its address; 0: unknown. */
static uint32_t holders_lock(const struct holders_build *b, size_t i)
{
	if (!b->lock || b->lock->values.data[i] == b->none.v ||
	    !(HOLDERS_LOCKS >> holders_kind(b, i) & 1))
		return 0;
	return b->lock->values.data[i];
}

static struct wait_place holders_place(struct holders_build *b, const struct profile *p,
				       stack_id stack)
{
	const struct stacks *s = &p->stacks;
	struct wait_place ret = { .leaf = { 0 } };

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		sym_id sym = s->sym.data[at];
		enum symbol_space space = symbols_get(b->symbols, sym)->space;

		if (space == SPACE_COMM)
			break;
		if (!ret.leaf.v)
			ret.leaf = sym;
		if (space != SPACE_KERNEL &&
		    !symbol_name_is_address(symbols_name(b->symbols, sym)) &&
		    role_of(&b->roles, b->symbols, sym) == ROLE_NONE) {
			ret.place = sym;
			break;
		}
	}
	return ret;
}

static bool holders_is_same(const struct wait_holder *a, const struct wait_holder *b)
{
	return a->pid == b->pid && a->comm.v == b->comm.v && a->reason.v == b->reason.v &&
	       a->at.leaf.v == b->at.leaf.v && a->at.place.v == b->at.place.v &&
	       a->holder_tid == b->holder_tid && a->state == b->state &&
	       a->holder_reason.v == b->holder_reason.v &&
	       a->holder_at.leaf.v == b->holder_at.leaf.v &&
	       a->holder_at.place.v == b->holder_at.place.v;
}

static void holders_add(struct holders_build *b, const struct wait_holder *row, uint64_t ns)
{
	uint64_t hash = hash_u64(hash_u64(row->pid, row->at.leaf.v),
				 hash_u64(row->holder_tid, row->holder_at.leaf.v));
	struct idmap_probe p = idmap_first(&b->rows_map, hash);

	if (!ns)
		return;
	while (idmap_next(&b->rows_map, &p)) {
		if (holders_is_same(&b->ret->rows.data[p.id], row)) {
			b->ret->rows.data[p.id].ns += ns;
			return;
		}
	}
	idmap_insert(&b->rows_map, &p, (uint32_t)b->ret->rows.len);
	*VEC_PUSH(&b->ret->rows) = *row;
	b->ret->rows.data[b->ret->rows.len - 1].ns = ns;
}

/*
 * The holder of @row was on a CPU from @from to @to. Divide this time equally among its CPU samples
 * in this time.
 */
static void holders_ran(struct holders_build *b, struct wait_holder row, uint64_t from, uint64_t to)
{
	size_t first = holders_find(b->cpu_parts, b->n_cpu_parts, row.holder_tid, from);
	size_t end = holders_find(b->cpu_parts, b->n_cpu_parts, row.holder_tid, to);
	uint64_t done = 0;

	row.state = HOLDER_RUNNING;
	for (size_t i = first; i < end; i++) {
		uint32_t at = b->cpu_parts[i].sample;
		uint64_t sum = (uint64_t)((double)(to - from) * (double)(i - first + 1) /
					  (double)(end - first));

		row.holder_stack = b->cpu->samples.stack.data[at];
		row.holder_at = holders_place(b, b->cpu, row.holder_stack);
		if (i + 1 == end)
			sum = to - from;
		holders_add(b, &row, sum > done ? sum - done : 0);
		done = sum > done ? sum : done;
	}
	row.holder_at = (struct wait_place){ .leaf = { 0 } };
	holders_add(b, &row, to - from - done);
}

/*
 * Limit the interval from *@from to *@to to the time in which thread @tid has records. The interval
 * becomes empty if the thread has no records in it.
 */
static void holders_clip(const struct holders_build *b, uint32_t tid, uint64_t *from, uint64_t *to)
{
	struct profile_ran key = { .tid = tid };
	const struct profile_ran *r = b->lives.len
					      ? bsearch(&key, b->lives.data, b->lives.len,
							sizeof(*b->lives.data), holders_life_cmp)
					      : NULL;

	if (!r || r->to_ns <= *from || r->from_ns >= *to) {
		*from = *to; /* no records in this interval: make it empty */
		return;
	}
	if (*from < r->from_ns)
		*from = r->from_ns;
	if (*to > r->to_ns)
		*to = r->to_ns;
}

/* The holder of @row is known: add rows for its activities from @from to @to. */
static void holders_add_parts(struct holders_build *b, struct wait_holder row, uint64_t from,
			      uint64_t to)
{
	uint64_t first = from, end = to;
	size_t at;

	holders_clip(b, row.holder_tid, &first, &end);
	row.state = HOLDER_UNSEEN;
	holders_add(b, &row, (first - from) + (to - end));
	at = holders_find(b->parts, b->n_parts, row.holder_tid, first);
	if (at && b->parts[at - 1].tid == row.holder_tid)
		at--; /* the wait before this one may still last at the time `first` */
	for (; at < b->n_parts && b->parts[at].tid == row.holder_tid && first < end; at++) {
		uint32_t i = b->parts[at].sample;
		uint64_t part_from = b->parts[at].time_ns;
		uint64_t part_to = part_from + b->p->samples.weight.data[i];
		struct wait_holder part = row;

		if (part_to <= first)
			continue;
		if (part_from >= end)
			break;
		if (part_from > first) {
			holders_ran(b, row, first, part_from);
			first = part_from;
		}
		if (part_to > end)
			part_to = end;
		part.state = holders_is_ready(b, i) ? HOLDER_READY : HOLDER_WAITING;
		part.holder_reason = (str_id){ b->reason->values.data[i] };
		part.holder_stack = b->p->samples.stack.data[i];
		part.holder_at = holders_place(b, b->p, part.holder_stack);
		holders_add(b, &part, part_to - first);
		first = part_to;
	}
	if (first < end)
		holders_ran(b, row, first, end);
}

/* The first hand-over of @lock after @time_ns; NULL: none. */
static const struct holder_handover *holders_next(const struct holders_build *b, uint32_t lock,
						  uint64_t time_ns)
{
	size_t from = 0, to = b->handovers.len;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		const struct holder_handover *h = &b->handovers.data[at];

		if (h->lock < lock || (h->lock == lock && h->time_ns <= time_ns))
			from = at + 1;
		else
			to = at;
	}
	return from < b->handovers.len && b->handovers.data[from].lock == lock
		       ? &b->handovers.data[from]
		       : NULL;
}

/*
 * Thread @tid waits for the lock @lock from @from to @to. Divide this time among the holders of the
 * lock.
 */
static void holders_of_lock(struct holders_build *b, struct wait_holder row, uint32_t tid,
			    uint32_t lock, uint64_t from, uint64_t to)
{
	while (from < to) {
		const struct holder_handover *h = holders_next(b, lock, from);
		uint64_t end = h && h->time_ns < to ? h->time_ns : to;

		if (!h || h->by == tid) {
			row.state = HOLDER_UNKNOWN;
			row.holder_tid = 0;
			row.holder_comm = b->none;
			holders_add(b, &row, end - from);
		} else {
			row.holder_tid = h->by;
			row.holder_comm = h->comm;
			holders_add_parts(b, row, from, end);
		}
		from = end;
	}
}

static void holders_wait(struct holders_build *b, size_t i)
{
	const struct samples *s = &b->p->samples;
	const struct profile_thread *t = &b->p->threads.data[s->thread.data[i]];
	uint64_t from = s->time_ns.data[i];
	uint64_t to = from + s->weight.data[i];
	uint32_t lock = holders_lock(b, i);
	struct wait_holder row = {
		.pid = t->pid,
		.comm = t->comm,
		.reason = { b->reason->values.data[i] },
		.at = holders_place(b, b->p, s->stack.data[i]),
		.holder_tid = holders_waker(b, i),
		.holder_comm = b->waker ? (str_id){ b->waker->values.data[i] } : b->none,
		.holder_reason = b->none,
	};

	b->ret->waits++;
	b->ret->total_ns += to - from;
	if (lock) {
		holders_of_lock(b, row, t->tid, lock, from, to);
	} else if (row.holder_tid && row.holder_tid != t->tid) {
		holders_add_parts(b, row, from, to);
	} else {
		row.state = b->waker && b->waker->values.data[i] == b->interrupt.v
				    ? HOLDER_INTERRUPT
				    : HOLDER_UNKNOWN;
		row.holder_tid = 0;
		holders_add(b, &row, to - from);
	}
}

/* Sort waits and CPU samples by thread and time, and hand-overs by lock and time. */
static void holders_sort(struct holders_build *b)
{
	const struct samples *s = &b->p->samples;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t lock = holders_lock(b, i);
		uint32_t by = holders_waker(b, i);

		b->ret->has_locks |= lock != 0;
		if (lock && by)
			*VEC_PUSH(&b->handovers) =
				(struct holder_handover){ lock,
							  by,
							  { b->waker->values.data[i] },
							  s->time_ns.data[i] + s->weight.data[i] };
	}
	VEC_APPEND(&b->lives, b->p->ran.data, b->p->ran.len);
	VEC_SORT(&b->lives, holders_life_cmp);
	b->parts = holders_order(b->p);
	b->n_parts = s->n;
	if (b->cpu) {
		b->cpu_parts = holders_order(b->cpu);
		b->n_cpu_parts = b->cpu->samples.n;
	}
	VEC_SORT(&b->handovers, holders_handover_cmp);
}

static int holders_row_cmp(const void *va, const void *vb)
{
	const struct wait_holder *a = va;
	const struct wait_holder *b = vb;

	return SORT_ORDER(b->ns, a->ns) ?: SORT_ORDER(a->holder_tid, b->holder_tid) ?: SORT_ORDER(a->at.leaf.v, b->at.leaf.v);
}

void wait_holders_compute(const struct capture *waits, const struct capture *cpu,
			  struct wait_holders *ret)
{
	struct strings *strings = &waits->dossier->strings;
	struct holders_build b = {
		.ret = ret,
		.c = waits,
		.p = waits->profile,
		.cpu = cpu ? cpu->profile : NULL,
		.symbols = capture_symbols(waits),
		.wait = holders_field(waits, "wait"),
		.waker = holders_field(waits, "waker"),
		.waker_tid = holders_field(waits, "waker_tid"),
		.reason = holders_field(waits, "reason"),
		.lock = holders_field(waits, "lock"),
		.runnable = strings_add(strings, STR("runnable")),
		.interrupt = strings_add(strings, STR("interrupt")),
		.none = strings_add(strings, STR("-")),
	};
	const struct samples *s = &b.p->samples;

	memset(ret, 0, sizeof(*ret));
	ret->cpu = cpu;
	if (!b.reason || s->thread.len != s->n || s->time_ns.len != s->n)
		return;
	holders_sort(&b);
	for (size_t i = 0; i < s->n; i++) {
		if (HOLDERS_KINDS >> holders_kind(&b, i) & 1)
			holders_wait(&b, i);
	}
	VEC_SORT(&ret->rows, holders_row_cmp);
	free(b.parts);
	free(b.cpu_parts);
	VEC_FREE(&b.handovers);
	VEC_FREE(&b.lives);
	idmap_fini(&b.rows_map);
	role_cache_fini(&b.roles);
}

void wait_holders_fini(struct wait_holders *h)
{
	VEC_FREE(&h->rows);
}

const char *holder_state_name(enum holder_state state)
{
	static const char *const names[HOLDER_STATES] = {
		[HOLDER_RUNNING] = "running",     [HOLDER_READY] = "waiting for a CPU",
		[HOLDER_WAITING] = "waiting",     [HOLDER_UNSEEN] = "not recorded",
		[HOLDER_INTERRUPT] = "interrupt", [HOLDER_UNKNOWN] = "unknown",
	};

	return state < HOLDER_STATES ? names[state] : "";
}
