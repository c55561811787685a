/* SPDX-License-Identifier: MIT */
#include "analyses/waits/waits.h"

#include "analyses/waits/waits_build.h"

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

/* kinds of waits that only one certain thread can end, such as the holder of a lock */
#define WAITS_FOR_ONE                                                                   \
	(1u << WAIT_LOCK | 1u << WAIT_CONDITION | 1u << WAIT_FUTEX | 1u << WAIT_CHILD | \
	 1u << WAIT_PEER)

static struct wait_thread *waits_thread_of(struct waits_build *b, const struct profile_thread *t)
{
	struct idmap_probe p = idmap_first(&b->threads, hash_u64(t->tid, 1));
	struct wait_thread *row;

	while (idmap_next(&b->threads, &p)) {
		if (b->ret->threads.data[p.id].tid == t->tid) {
			row = &b->ret->threads.data[p.id];
			row->comm = t->comm;
			return row;
		}
	}
	idmap_insert(&b->threads, &p, (uint32_t)b->ret->threads.len);
	row = VEC_PUSH(&b->ret->threads);
	*row = (struct wait_thread){ .tid = t->tid, .pid = t->pid, .comm = t->comm };
	return row;
}

static uint32_t waits_stack_of(struct waits_build *b, stack_id stack, enum wait_kind kind)
{
	struct idmap_probe p = idmap_first(&b->stacks, hash_u64(stack.v, kind));

	while (idmap_next(&b->stacks, &p)) {
		const struct wait_stack *row = &b->ret->stacks.data[p.id];

		if (row->stack.v == stack.v && row->kind == kind)
			return p.id;
	}
	idmap_insert(&b->stacks, &p, (uint32_t)b->ret->stacks.len);
	*VEC_PUSH(&b->ret->stacks) = (struct wait_stack){
		.stack = stack,
		.kind = kind,
		.is_kernel = b->kernel[stack.v],
	};
	return (uint32_t)b->ret->stacks.len - 1;
}

static void waits_add_waker(struct waits_build *b, uint32_t stack, str_id who, uint64_t ns)
{
	struct idmap_probe p = idmap_first(&b->wakers, hash_u64(stack, who.v));
	struct wait_stack *row = &b->ret->stacks.data[stack];
	struct wait_waker *w = NULL;

	while (!w && idmap_next(&b->wakers, &p)) {
		if (b->waker_rows.data[p.id].stack == stack &&
		    b->waker_rows.data[p.id].who.v == who.v)
			w = &b->waker_rows.data[p.id];
	}
	if (!w) {
		idmap_insert(&b->wakers, &p, (uint32_t)b->waker_rows.len);
		w = VEC_PUSH(&b->waker_rows);
		*w = (struct wait_waker){ .stack = stack, .who = who };
	}
	w->ns += ns;
	if (w->ns > row->waker_ns || row->waker.v == who.v) {
		row->waker = who;
		row->waker_ns = w->ns;
	}
}

static struct wait_pair *waits_pair_of(struct waits_build *b, uint32_t tid, uint32_t by)
{
	struct idmap_probe p = idmap_first(&b->pairs, hash_u64(tid, by));

	while (idmap_next(&b->pairs, &p)) {
		if (b->ret->pairs.data[p.id].tid == tid && b->ret->pairs.data[p.id].by == by)
			return &b->ret->pairs.data[p.id];
	}
	idmap_insert(&b->pairs, &p, (uint32_t)b->ret->pairs.len);
	*VEC_PUSH(&b->ret->pairs) = (struct wait_pair){ .tid = tid, .by = by };
	return &b->ret->pairs.data[b->ret->pairs.len - 1];
}

static void waits_sum_add(struct wait_sum *s, uint64_t ns)
{
	s->ns += ns;
	s->n++;
	if (ns > s->longest_ns)
		s->longest_ns = ns;
}

static uint32_t waits_by(const struct waits_build *b, size_t i)
{
	struct str word = b->waker_tid ? strings_get(&b->c->dossier->strings,
						     (str_id){ b->waker_tid->values.data[i] })
				       : STR_NONE;
	uint64_t tid = 0;

	return str_u64(&word, &tid) && tid <= UINT32_MAX ? (uint32_t)tid : 0;
}

/*
 * The kind of the wait that begins at sample @i. It comes from the field "reason" if the samples
 * have it, because stacks may lack their innermost frames. Otherwise it comes from the stack.
 */
static enum wait_kind waits_kind_of(struct waits_build *b, size_t i)
{
	stack_id stack = b->c->profile->samples.stack.data[i];
	enum wait_kind kind;

	if (b->by_stack[stack.v] == WAITS_NOT_COMPUTED)
		b->by_stack[stack.v] = (uint8_t)waits_classify(b, stack);
	kind = (enum wait_kind)b->by_stack[stack.v];
	if (b->reason)
		(void)wait_kind_of_reason(
			strings_get(&b->c->dossier->strings, (str_id){ b->reason->values.data[i] }),
			&kind);
	return kind;
}

static void waits_add(struct waits_build *b, size_t i)
{
	const struct profile *p = b->c->profile;
	stack_id stack = p->samples.stack.data[i];
	uint64_t ns = p->samples.weight.data[i];
	struct wait_thread *t = waits_thread_of(b, &p->threads.data[p->samples.thread.data[i]]);
	bool is_ready = b->wait && b->wait->values.data[i] == b->runnable.v;
	enum wait_kind kind;
	uint32_t at, by;

	kind = waits_kind_of(b, i);
	kind = is_ready ? WAIT_CPU : kind;
	t->is_kernel |= b->kernel[stack.v];
	waits_sum_add(&t->kinds[kind], ns);
	at = waits_stack_of(b, stack, kind);
	waits_sum_add(&b->ret->stacks.data[at].sum, ns);
	if (is_ready) {
		if (b->runner)
			waits_add_waker(b, at, (str_id){ b->runner->values.data[i] }, ns);
		return;
	}
	if (p->samples.time_ns.len)
		*VEC_PUSH(&b->rests) = (struct wait_rest){
			.from_ns = p->samples.time_ns.data[i],
			.to_ns = p->samples.time_ns.data[i] + ns,
			.stack = stack,
			.tid = t->tid,
			.kind = (uint8_t)kind,
		};
	if (kind == WAIT_SLEEP && p->samples.time_ns.len)
		*VEC_PUSH(&b->naps) = (struct wait_nap){
			.tid = t->tid,
			.from_ns = p->samples.time_ns.data[i],
			.to_ns = p->samples.time_ns.data[i] + ns,
		};
	if (b->waker)
		waits_add_waker(b, at, (str_id){ b->waker->values.data[i] }, ns);
	by = waits_by(b, i);
	if (by) {
		struct wait_pair *pair = waits_pair_of(b, t->tid, by);

		pair->n++;
		pair->ns += ns;
		pair->kinds |= 1u << kind;
	}
}

static int waits_stack_cmp(const void *va, const void *vb)
{
	const struct wait_stack *a = va;
	const struct wait_stack *b = vb;

	return SORT_ORDER(b->sum.ns, a->sum.ns) ?: SORT_ORDER(a->stack.v, b->stack.v);
}

static int waits_pair_cmp(const void *va, const void *vb)
{
	const struct wait_pair *a = va;
	const struct wait_pair *b = vb;

	return SORT_ORDER(b->ns, a->ns) ?: SORT_ORDER(a->tid, b->tid) ?: SORT_ORDER(a->by, b->by);
}

static int waits_thread_cmp(const void *va, const void *vb)
{
	const struct wait_thread *a = va;
	const struct wait_thread *b = vb;

	return SORT_ORDER(a->tid, b->tid);
}

const struct wait_thread *waits_thread(const struct waits *w, uint32_t tid)
{
	struct wait_thread key = { .tid = tid };

	return w->threads.len ? bsearch(&key, w->threads.data, w->threads.len,
					sizeof(*w->threads.data), waits_thread_cmp)
			      : NULL;
}

uint64_t waits_busy_ns(const struct wait_thread *t)
{
	uint64_t ns = t->ran_ns;

	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		ns += WAIT_BUSY_KINDS >> k & 1 ? t->kinds[k].ns : 0;
	return ns;
}

/*
 * Set the running time and lifetime of each thread. Sum the running times and waits of all user
 * threads.
 */
static void waits_threads(struct waits_build *b)
{
	const struct profile *p = b->c->profile;
	struct waits *w = b->ret;

	VEC_SORT(&w->threads, waits_thread_cmp);
	VEC_FOREACH (r, &p->ran) {
		struct wait_thread *t = (struct wait_thread *)(uintptr_t)waits_thread(w, r->tid);

		if (!t && !b->is_chosen) {
			w->ran_ns += r->ran_ns; /* the thread never waited */
			w->never_waited += r->ran_ns > 0;
			w->never_waited_ns += r->ran_ns;
		}
		if (!t)
			continue;
		t->ran_ns = r->ran_ns;
		t->life_ns = r->to_ns - r->from_ns;
	}
	VEC_FOREACH (t, &w->threads) {
		if (t->is_kernel)
			continue;
		w->ran_ns += t->ran_ns;
		for (unsigned int k = 0; k < WAIT_KINDS; k++) {
			w->kinds[k].ns += t->kinds[k].ns;
			w->kinds[k].n += t->kinds[k].n;
			if (t->kinds[k].longest_ns > w->kinds[k].longest_ns)
				w->kinds[k].longest_ns = t->kinds[k].longest_ns;
		}
	}
}

static int waits_nap_cmp(const void *va, const void *vb)
{
	const struct wait_nap *a = va;
	const struct wait_nap *b = vb;

	return SORT_ORDER(a->tid, b->tid) ?: SORT_ORDER(a->from_ns, b->from_ns);
}

/*
 * How long thread @tid slept voluntarily before @now, in ns. b->naps must be sorted, and must not
 * overlap within a thread.
 */
static uint64_t waits_slept(const struct waits_build *b, uint32_t tid, uint64_t now)
{
	size_t from = 0, to = b->naps.len;
	const struct wait_nap *nap;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		nap = &b->naps.data[at];
		if (nap->tid < tid || (nap->tid == tid && nap->from_ns <= now))
			from = at + 1;
		else
			to = at;
	}
	if (from == 0 || b->naps.data[from - 1].tid != tid)
		return 0;
	nap = &b->naps.data[from - 1];
	return nap->before_ns + (now < nap->to_ns ? now : nap->to_ns) - nap->from_ns;
}

/* For each thread that slept voluntarily, find the thread that waited longest for it meanwhile. */
static void waits_sleepers(struct waits_build *b)
{
	const struct profile *p = b->c->profile;

	if (b->naps.len == 0)
		return;
	VEC_SORT(&b->naps, waits_nap_cmp);
	for (size_t i = 1; i < b->naps.len; i++) {
		struct wait_nap *nap = &b->naps.data[i];

		if (nap[-1].tid == nap->tid)
			nap->before_ns = nap[-1].before_ns + nap[-1].to_ns - nap[-1].from_ns;
	}
	for (size_t i = 0; i < b->ret->pairs.len; i++)
		*VEC_PUSH(&b->pair_slept) = *VEC_PUSH(&b->pair_locked) = 0;
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;
		uint32_t by = waits_by(b, i);
		uint64_t from = p->samples.time_ns.data[i];
		unsigned int kind = waits_kind_of(b, i);
		uint64_t slept;
		size_t at;

		if (!by || by == tid || (b->wait && b->wait->values.data[i] == b->runnable.v) ||
		    !(WAITS_FOR_ONE >> kind & 1))
			continue;
		slept = waits_slept(b, by, from + p->samples.weight.data[i]) -
			waits_slept(b, by, from);
		if (!slept)
			continue;
		at = (size_t)(waits_pair_of(b, tid, by) - b->ret->pairs.data);
		b->pair_slept.data[at] += slept;
		b->pair_locked.data[at] += kind == WAIT_LOCK ? slept : 0;
	}
	for (size_t i = 0; i < b->ret->pairs.len; i++) {
		struct wait_thread *t = (struct wait_thread *)(uintptr_t)waits_thread(
			b->ret, b->ret->pairs.data[i].by);

		if (t && b->pair_slept.data[i] > t->slept_for_ns) {
			t->slept_for_ns = b->pair_slept.data[i];
			t->slept_for_tid = b->ret->pairs.data[i].tid;
		}
		if (t && b->pair_locked.data[i] > t->slept_with_lock_ns) {
			t->slept_with_lock_ns = b->pair_locked.data[i];
			t->slept_with_lock_tid = b->ret->pairs.data[i].tid;
		}
	}
}

static const struct sample_field *waits_field(const struct capture *c, const char *name)
{
	VEC_FOREACH (f, &c->profile->samples.fields) {
		if (str_eq(strings_get(&c->dossier->strings, f->name), str_of(name)) &&
		    f->values.len == c->profile->samples.n)
			return f;
	}
	return NULL;
}

void waits_compute(const struct capture *c, struct waits *ret)
{
	const struct profile *p = c->profile;
	struct strings *strings = &c->dossier->strings;
	uint32_t n_nodes = stacks_count(&p->stacks);
	struct waits_build b = {
		.c = c,
		.symbols = capture_symbols(c),
		.ret = ret,
		.is_chosen = p->is_selected,
		.wait = waits_field(c, "wait"),
		.waker = waits_field(c, "waker"),
		.waker_tid = waits_field(c, "waker_tid"),
		.runner = waits_field(c, "runner"),
		.reason = waits_field(c, "reason"),
		.runnable = strings_add(strings, STR("runnable")),
		.interrupt = strings_add(strings, STR("interrupt")),
	};

	memset(ret, 0, sizeof(*ret));
	ret->span_ns = p->span_ns;
	ret->has_wakers = p->has_wakeups;
	b.class_of = xcalloc(b.symbols->rows.len + 1, 1);
	b.by_stack = xcalloc((size_t)n_nodes + 1, 1);
	b.kernel = xcalloc((size_t)n_nodes + 1, 1);
	memset(b.class_of, WAITS_NOT_COMPUTED, b.symbols->rows.len + 1);
	memset(b.by_stack, WAITS_NOT_COMPUTED, (size_t)n_nodes + 1);
	for (size_t i = 0; i < p->samples.n; i++)
		waits_add(&b, i);
	waits_threads(&b);
	waits_sleepers(&b);
	waits_find_quiet(&b);
	VEC_SORT(&ret->stacks, waits_stack_cmp);
	VEC_SORT(&ret->pairs, waits_pair_cmp);
	free(b.class_of);
	free(b.by_stack);
	free(b.kernel);
	idmap_fini(&b.threads);
	idmap_fini(&b.stacks);
	idmap_fini(&b.pairs);
	idmap_fini(&b.wakers);
	VEC_FREE(&b.waker_rows);
	VEC_FREE(&b.naps);
	VEC_FREE(&b.rests);
	VEC_FREE(&b.pair_slept);
	VEC_FREE(&b.pair_locked);
}

void waits_fini(struct waits *w)
{
	VEC_FREE(&w->threads);
	VEC_FREE(&w->stacks);
	VEC_FREE(&w->pairs);
}

/*
 * Whether the thread was preempted, instead of leaving the CPU voluntarily. The functions are from
 * kernel/entry and kernel/sched.
 */
static bool waits_is_preempted(const struct waits_build *b, stack_id stack)
{
	const struct stacks *s = &b->c->profile->stacks;

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		if (str_glob(STR("preempt_schedule*|irqentry_exit*|exit_to_user_mode*|"
				 "prepare_exit_to_usermode|raw_irqentry_exit*|retint_*|"
				 "*cond_resched|el*_interrupt"),
			     symbols_canonical(b->symbols, s->sym.data[at])))
			return true;
	}
	return false;
}

static void waits_switch(struct waits_build *b, struct wait_switches *ret, uint32_t node,
			 double pct)
{
	stack_id stack = { node };
	enum wait_kind kind = waits_classify(b, stack);

	if (kind == WAIT_OTHER && waits_is_preempted(b, stack))
		kind = WAIT_CPU;
	if (b->kernel[node]) {
		ret->kernel_pct += pct;
		return;
	}
	ret->pct[kind] += pct;
	if (pct > ret->stack_pct[kind]) {
		ret->stack_pct[kind] = pct;
		ret->stack[kind] = waits_shown(b, stack);
	}
}

bool waits_of_switches(const struct capture *c, struct wait_switches *ret)
{
	const struct profile *p = c->profile;
	struct waits_build b = { .c = c, .symbols = capture_symbols(c) };
	uint32_t n = p ? stacks_count(&p->stacks) : 0;
	uint64_t *weight;
	double all = 0;

	memset(ret, 0, sizeof(*ret));
	if (!p || p->samples.n == 0)
		return false;
	weight = xcalloc(n, sizeof(*weight));
	b.class_of = xreallocarray(NULL, b.symbols->rows.len, 1);
	memset(b.class_of, WAITS_NOT_COMPUTED, b.symbols->rows.len);
	b.kernel = xcalloc(n, 1);
	for (size_t i = 0; i < p->samples.n; i++) {
		weight[p->samples.stack.data[i].v] += p->samples.weight.data[i];
		all += (double)p->samples.weight.data[i];
	}
	for (uint32_t i = 0; i < n && all > 0; i++) {
		if (weight[i])
			waits_switch(&b, ret, i, (double)weight[i] / all * 100);
	}
	free(weight);
	free(b.class_of);
	free(b.kernel);
	return all > 0;
}
