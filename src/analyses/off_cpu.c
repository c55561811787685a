/* SPDX-License-Identifier: MIT */
#include "analyses/off_cpu.h"

#include "base/alloc.h"

const struct str off_cpu_fields[] = {
	{ "prev_state", 10 }, { "next_pid", 8 }, { "pid", 3 }, { "common_flags", 12 }
};
const size_t off_cpu_n_fields = ARRAY_LEN(off_cpu_fields);

/* common_flags: include/linux/trace_events.h */
#define OFF_CPU_HARDIRQ 0x08u
#define OFF_CPU_SOFTIRQ 0x10u

#define OFF_CPU_NONE SIZE_MAX

/* A thread, and the wait that it is in. */
struct off_cpu_thread {
	uint32_t tid;
	size_t out; /* sample at which it left; OFF_CPU_NONE: it runs, or was not seen to leave */
	uint64_t out_ns;
	uint64_t woken_ns; /* 0: not yet */
	str_id waker;
};

struct off_cpu_walk {
	struct dossier *d;
	struct capture *c;
	struct off_cpu *ret;
	struct idmap by_tid;
	VEC(struct off_cpu_thread) threads;
	VEC(uint64_t) weights; /* by sample; UINT64_MAX: to be taken away */
	VEC(str_id) wakers, states, kinds;
	bool has_all; /* a second capture of switches tells of all that come */
	str_id none, interrupt, blocked, runnable;
	uint64_t last_ns;
};

static const struct sample_field *off_cpu_field(const struct capture *c, const char *name)
{
	VEC_FOREACH (f, &c->profile->samples.fields) {
		if (str_eq(strings_get(&c->dossier->strings, f->name), str_of(name)))
			return f;
	}
	return NULL;
}

static struct str off_cpu_word(const struct capture *c, const struct sample_field *f, size_t i)
{
	if (!f || i >= f->values.len)
		return STR_NONE;
	return strings_get(&c->dossier->strings, (str_id){ f->values.data[i] });
}

static uint64_t off_cpu_number(struct str s)
{
	uint64_t v = 0;

	s = str_trim(s);
	return str_u64(&s, &v) ? v : 0;
}

static bool off_cpu_is(const struct capture *c, const char *event)
{
	return c->profile && c->profile->table.rows.len == 0 &&
	       str_eq(strings_get(&c->dossier->strings, c->profile->event), str_of(event));
}

static struct off_cpu_thread *off_cpu_thread(struct off_cpu_walk *w, uint32_t tid, bool add)
{
	struct idmap_probe p = idmap_first(&w->by_tid, hash_u64(tid, 5));

	while (idmap_next(&w->by_tid, &p)) {
		if (w->threads.data[p.id].tid == tid)
			return &w->threads.data[p.id];
	}
	if (!add)
		return NULL;
	idmap_insert(&w->by_tid, &p, (uint32_t)w->threads.len);
	*VEC_PUSH(&w->threads) = (struct off_cpu_thread){ .tid = tid, .out = OFF_CPU_NONE };
	return &w->threads.data[w->threads.len - 1];
}

/* The letter of a state: "S", "D", "R+" begins with R. */
static bool off_cpu_can_run(const struct off_cpu_walk *w, size_t sample)
{
	struct str state = strings_get(&w->d->strings, w->states.data[sample]);

	return state.len == 0 || state.p[0] == 'R';
}

/* It runs again at @now, or the recording ends there. */
static void off_cpu_end(struct off_cpu_walk *w, struct off_cpu_thread *t, uint64_t now,
			bool is_open)
{
	size_t i = t->out;
	uint64_t woken = t->woken_ns;

	t->out = OFF_CPU_NONE;
	if (i == OFF_CPU_NONE || now < t->out_ns)
		return;
	if (off_cpu_can_run(w, i)) {
		w->ret->preempted++;
		w->ret->runnable_ns += now - t->out_ns;
		w->weights.data[i] = now - t->out_ns;
		w->kinds.data[i] = w->runnable;
		return;
	}
	w->ret->waits++;
	w->ret->open += is_open && !woken;
	w->ret->unwoken += !is_open && !woken;
	if (!woken)
		woken = now;
	else
		w->wakers.data[i] = t->waker;
	w->ret->runnable_ns += now - woken;
	w->weights.data[i] = woken - t->out_ns;
	w->ret->blocked_ns += woken - t->out_ns;
}

/* A wake-up: by the thread that runs there, or by an interrupt on top of it. */
static void off_cpu_wake(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	const struct profile *p = c->profile;
	uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, off_cpu_field(c, "pid"), i));
	struct off_cpu_thread *t = off_cpu_thread(w, tid, false);
	uint64_t flags = off_cpu_number(off_cpu_word(c, off_cpu_field(c, "common_flags"), i));

	if (!t || t->out == OFF_CPU_NONE || t->woken_ns || p->samples.time_ns.data[i] < t->out_ns)
		return;
	t->woken_ns = p->samples.time_ns.data[i];
	t->waker = flags & (OFF_CPU_HARDIRQ | OFF_CPU_SOFTIRQ)
			   ? w->interrupt
			   : p->threads.data[p->samples.thread.data[i]].comm;
}

static void off_cpu_run(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, off_cpu_field(c, "next_pid"), i));
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;

	if (t)
		off_cpu_end(w, t, c->profile->samples.time_ns.data[i], false);
}

static void off_cpu_leave(struct off_cpu_walk *w, size_t i)
{
	const struct profile *p = w->c->profile;
	uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;
	struct str state = strings_get(&w->d->strings, w->states.data[i]);
	struct off_cpu_thread *t;

	if (tid == 0 || (state.len && (state.p[0] == 'X' || state.p[0] == 'Z')))
		return;
	t = off_cpu_thread(w, tid, true);
	t->out = i;
	t->out_ns = p->samples.time_ns.data[i];
	t->woken_ns = 0;
}

/* Go through all captures in order of time. */
static void off_cpu_walk(struct off_cpu_walk *w, struct capture *const *all, size_t n)
{
	size_t *at = xcalloc(n, sizeof(*at));

	for (;;) {
		size_t next = n;
		uint64_t first = UINT64_MAX;

		for (size_t k = 0; k < n; k++) {
			const struct samples *s = &all[k]->profile->samples;

			if (at[k] < s->n && s->time_ns.data[at[k]] < first) {
				first = s->time_ns.data[at[k]];
				next = k;
			}
		}
		if (next == n)
			break;
		w->last_ns = first;
		if (off_cpu_is(all[next], "sched:sched_waking")) {
			off_cpu_wake(w, all[next], at[next]);
		} else {
			if (!w->has_all || all[next] != w->c)
				off_cpu_run(w, all[next], at[next]);
			if (all[next] == w->c)
				off_cpu_leave(w, at[next]);
		}
		at[next]++;
	}
	free(at);
	VEC_FOREACH (t, &w->threads) {
		if (t->out != OFF_CPU_NONE)
			off_cpu_end(w, t, w->last_ns, true);
	}
}

/* Only samples with a weight stay. */
static void off_cpu_keep(struct off_cpu_walk *w)
{
	struct samples *s = &w->c->profile->samples;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (w->weights.data[i] == UINT64_MAX)
			continue;
		s->stack.data[n] = s->stack.data[i];
		s->weight.data[n] = w->weights.data[i];
		s->time_ns.data[n] = s->time_ns.data[i];
		s->thread.data[n] = s->thread.data[i];
		if (s->cpu.len)
			s->cpu.data[n] = s->cpu.data[i];
		w->wakers.data[n] = w->wakers.data[i];
		w->states.data[n] = w->states.data[i];
		w->kinds.data[n] = w->kinds.data[i];
		n++;
	}
	s->n = s->stack.len = s->weight.len = s->time_ns.len = s->thread.len = n;
	if (s->cpu.len)
		s->cpu.len = n;
	VEC_FOREACH (f, &s->fields)
		VEC_FREE(&f->values);
	VEC_FREE(&s->fields);
}

static void off_cpu_rename(struct off_cpu_walk *w)
{
	struct profile *p = w->c->profile;
	struct strings *strings = &w->d->strings;
	str_id waker = strings_add(strings, STR("waker"));
	str_id state = strings_add(strings, STR("state"));
	str_id kind = strings_add(strings, STR("wait"));
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		profile_set_field(p, i, waker, w->wakers.data[i]);
		profile_set_field(p, i, state, w->states.data[i]);
		profile_set_field(p, i, kind, w->kinds.data[i]);
		sum += p->samples.weight.data[i];
	}
	profile_finish_fields(p);
	p->event = strings_add(strings, STR("off-cpu"));
	p->unit = WEIGHT_NS;
	p->is_complete = true;
	p->event_count = sum;
	p->n_samples = p->samples.n;
	p->recording.frequency = p->recording.period = 0;
}

/* Has all that it takes. */
static int off_cpu_check(const struct capture *c, const char *field, struct error *err)
{
	const struct samples *s = &c->profile->samples;

	if (s->n && (s->time_ns.len != s->n || s->thread.len != s->n || s->count.len))
		return fail(err, ERR_UNSUPPORTED,
			    "switches of threads have no time or no thread in this recording");
	if (s->n && !off_cpu_field(c, field))
		return fail(err, ERR_UNSUPPORTED,
			    "the recording has no field %s of its scheduler events, or it cannot "
			    "be read (libtraceevent)",
			    field);
	return OK;
}

int off_cpu_make(struct dossier *d, size_t from, struct off_cpu *ret, struct error *err)
{
	struct off_cpu_walk w = { .d = d, .ret = ret };
	VEC(struct capture *) all = VEC_INIT;
	int status = OK;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = from; i < d->captures.len && status == OK; i++) {
		struct capture *c = d->captures.data[i];
		bool is_waking = off_cpu_is(c, "sched:sched_waking");

		if (!is_waking && !off_cpu_is(c, "sched:sched_switch"))
			continue;
		status = off_cpu_check(c, is_waking ? "pid" : "next_pid", err);
		w.has_all |= w.c && !is_waking;
		if (!w.c && !is_waking)
			w.c = c;
		*VEC_PUSH(&all) = c;
	}
	if (status < 0 || !w.c) {
		VEC_FREE(&all);
		return status;
	}
	w.none = strings_add(&d->strings, STR("-"));
	w.interrupt = strings_add(&d->strings, STR("interrupt"));
	w.blocked = strings_add(&d->strings, STR("blocked"));
	w.runnable = strings_add(&d->strings, STR("runnable"));
	for (size_t i = 0; i < w.c->profile->samples.n; i++) {
		struct str state = off_cpu_word(w.c, off_cpu_field(w.c, "prev_state"), i);

		*VEC_PUSH(&w.weights) = UINT64_MAX;
		*VEC_PUSH(&w.wakers) = w.none;
		*VEC_PUSH(&w.kinds) = w.blocked;
		*VEC_PUSH(&w.states) = strings_add(&d->strings, state);
	}
	off_cpu_walk(&w, all.data, all.len);
	off_cpu_keep(&w);
	off_cpu_rename(&w);
	/* what has been used up: captures are in the order of the events */
	while (d->captures.len &&
	       (off_cpu_is(d->captures.data[d->captures.len - 1], "sched:sched_waking") ||
		off_cpu_is(d->captures.data[d->captures.len - 1], "sched:sched_switch")))
		dossier_drop_last(d);
	ret->threads = w.threads.len;
	ret->is_done = true;
	VEC_FREE(&all);
	VEC_FREE(&w.weights);
	VEC_FREE(&w.wakers);
	VEC_FREE(&w.states);
	VEC_FREE(&w.kinds);
	VEC_FREE(&w.threads);
	idmap_fini(&w.by_tid);
	return OK;
}
