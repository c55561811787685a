/* SPDX-License-Identifier: MIT */
#include "transform/off_cpu.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>

const struct str off_cpu_fields[] = {
	{ "prev_state", 10 },   { "prev_pid", 8 }, { "next_pid", 8 }, { "pid", 3 },
	{ "common_flags", 12 }, { "uaddr", 5 },    { "op", 2 },       { "lock_addr", 9 }
};
const size_t off_cpu_n_fields = ARRAY_LEN(off_cpu_fields);

#define OFF_CPU_FUTEX "syscalls:sys_enter_futex"
#define OFF_CPU_LOCK  "lock:contention_begin"

/* FUTEX_*: include/uapi/linux/futex.h */
#define OFF_CPU_FUTEX_PRIVATE 128u
#define OFF_CPU_FUTEX_OP      127u

/* common_flags: include/linux/trace_events.h */
#define OFF_CPU_HARDIRQ 0x08u
#define OFF_CPU_SOFTIRQ 0x10u

#define OFF_CPU_NONE  SIZE_MAX
#define OFF_CPU_NEVER UINT64_MAX
/* Two records of the same switch are closer than this. */
#define OFF_CPU_TWICE_NS UINT64_C(200000)

/* A thread and its current wait. */
struct off_cpu_thread {
	uint32_t tid;
	size_t out; /* sample at which it left the CPU; OFF_CPU_NONE: running, or not seen */
	uint64_t out_ns;
	uint64_t woken_ns; /* 0: not woken yet */
	str_id waker;
	str_id waker_tid;
	uint64_t on_ns; /* start of its current run; OFF_CPU_NEVER: not running, or unknown */
	uint64_t ran_ns;
	uint64_t from_ns; /* OFF_CPU_NEVER: not seen yet */
	uint64_t to_ns;
	uint64_t exit_ns; /* 0: none recorded */
	bool has_waited;
	bool is_on_by_sign; /* on_ns is that of a sample, not of a switch */
	uint64_t sign_ns;   /* its last sample or wake-up of another thread */
	bool is_recorded;   /* its own events record switches, not only those of all CPUs */
	str_id lock;        /* the one that it asked for last */
};

/* A part of a wait, which becomes a sample. */
struct off_cpu_part {
	uint64_t from_ns;
	uint64_t ns;
	uint32_t sample; /* the switch */
	str_id waker, waker_tid, kind, lock;
};

struct off_cpu_walk {
	struct dossier *d;
	struct capture *c;
	struct off_cpu *ret;
	struct idmap by_tid;
	VEC(struct off_cpu_thread) threads;
	VEC(struct off_cpu_part) parts;
	VEC(str_id) states; /* by sample */
	VEC(uint8_t) cpus;  /* by CPU: a switch was seen */
	bool has_wakeups;
	bool has_locks;    /* locks that threads ask for were recorded */
	bool has_all;      /* a second capture has the switches of all threads */
	const char *wakes; /* event of wake-ups */
	str_id none, interrupt, blocked, runnable;
	uint64_t first_ns, last_ns;
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

/* Whether the capture has the locks that threads ask for. */
static bool off_cpu_is_lock(const struct capture *c)
{
	return off_cpu_is(c, OFF_CPU_FUTEX) || off_cpu_is(c, OFF_CPU_LOCK);
}

/* Whether its samples are of no use except for waits. */
static bool off_cpu_is_helper(const struct capture *c)
{
	return off_cpu_is(c, "sched:sched_waking") || off_cpu_is(c, "sched:sched_wakeup") ||
	       off_cpu_is(c, "sched:sched_switch") || off_cpu_is_lock(c);
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
	*VEC_PUSH(&w->threads) = (struct off_cpu_thread){
		.tid = tid,
		.out = OFF_CPU_NONE,
		.on_ns = OFF_CPU_NEVER,
		.from_ns = OFF_CPU_NEVER,
		.lock = w->none,
	};
	return &w->threads.data[w->threads.len - 1];
}

/* Whether the thread was runnable, by its state: "S" and "D" are not, "R" and "R+" are. */
static bool off_cpu_can_run(const struct off_cpu_walk *w, size_t sample)
{
	struct str state = strings_get(&w->d->strings, w->states.data[sample]);

	return state.len == 0 || state.p[0] == 'R';
}

static void off_cpu_seen(struct off_cpu_thread *t, uint64_t now)
{
	if (t->from_ns == OFF_CPU_NEVER)
		t->from_ns = now;
	/* times in a text may go back */
	if (now < t->from_ns)
		t->from_ns = now;
	if (now > t->to_ns)
		t->to_ns = now;
}

static void off_cpu_part(struct off_cpu_walk *w, const struct off_cpu_thread *t, uint64_t from,
			 uint64_t to, str_id kind)
{
	*VEC_PUSH(&w->parts) = (struct off_cpu_part){
		.from_ns = from,
		.ns = to - from,
		.sample = (uint32_t)t->out,
		.waker = t->woken_ns ? t->waker : w->none,
		.waker_tid = t->woken_ns ? t->waker_tid : w->none,
		.kind = kind,
		.lock = t->lock,
	};
}

/* The thread runs again at @now, or the recording ends. */
static void off_cpu_end(struct off_cpu_walk *w, struct off_cpu_thread *t, uint64_t now,
			bool is_open)
{
	uint64_t woken = t->woken_ns && t->woken_ns < now ? t->woken_ns : now;

	if (t->out == OFF_CPU_NONE || now < t->out_ns) {
		t->out = OFF_CPU_NONE;
		return;
	}
	if (off_cpu_can_run(w, t->out)) {
		w->ret->preempted++;
		w->ret->runnable_ns += now - t->out_ns;
		t->woken_ns = 0;
		off_cpu_part(w, t, t->out_ns, now, w->runnable);
	} else {
		w->ret->waits++;
		w->ret->threads += !t->has_waited;
		t->has_waited = true;
		w->ret->open += is_open && !t->woken_ns;
		w->ret->unwoken += !is_open && !t->woken_ns;
		w->ret->runnable_ns += now - woken;
		w->ret->blocked_ns += woken - t->out_ns;
		off_cpu_part(w, t, t->out_ns, woken, w->blocked);
		if (now > woken)
			off_cpu_part(w, t, woken, now, w->runnable);
	}
	t->out = OFF_CPU_NONE;
}

static str_id off_cpu_tid(struct off_cpu_walk *w, uint32_t tid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", tid);

	return strings_add(&w->d->strings, (struct str){ text, (size_t)n });
}

/*
 * The thread is seen running at @now, but no switch to it was recorded since it left the CPU:
 * it got the CPU after its wake-up, at the latest now. Kernels lose the switches of an idle
 * task; a recording of a process alone has no switches to it.
 */
static void off_cpu_unseen(struct off_cpu_walk *w, struct off_cpu_thread *t, uint64_t now)
{
	uint64_t ran_from = t->woken_ns && t->woken_ns < now ? t->woken_ns : now;

	w->ret->unseen++;
	off_cpu_end(w, t, ran_from, false);
	t->on_ns = ran_from;
}

/* A record by the thread itself, which therefore runs. */
static void off_cpu_alive(struct off_cpu_walk *w, uint32_t tid, uint64_t now)
{
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;

	if (!t)
		return;
	if (t->out != OFF_CPU_NONE && now > t->out_ns + OFF_CPU_TWICE_NS)
		off_cpu_unseen(w, t, now);
	/* it runs without a switch to it: since its start, or since that of the recording */
	if (t->from_ns == OFF_CPU_NEVER && t->out == OFF_CPU_NONE && t->on_ns == OFF_CPU_NEVER) {
		off_cpu_seen(t, now);
		t->on_ns = now;
		t->is_on_by_sign = true;
	}
	t->sign_ns = now;
}

/* "0x7f00aa10", or a decimal number. */
static uint64_t off_cpu_address(struct str s)
{
	uint64_t v = 0;

	s = str_trim(s);
	if (!str_take(&s, STR("0x")))
		return off_cpu_number(s);
	return str_hex64(&s, &v) ? v : 0;
}

/* Whether the call waits: FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI, _LOCK_PI2 */
static bool off_cpu_futex_waits(uint64_t op)
{
	op &= OFF_CPU_FUTEX_OP;
	return op == 0 || op == 6 || op == 9 || op == 11 || op == 13;
}

/*
 * A thread asks for a lock that it may wait for: name the lock. A private futex is an address
 * of the process; a shared one is mostly mapped before a fork, at one address in all processes.
 */
static void off_cpu_asks(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	const struct profile *p = c->profile;
	const struct profile_thread *by = &p->threads.data[p->samples.thread.data[i]];
	struct off_cpu_thread *t = off_cpu_thread(w, by->tid, false);
	bool is_futex = off_cpu_is(c, OFF_CPU_FUTEX);
	struct str word = off_cpu_word(c, off_cpu_field(c, is_futex ? "uaddr" : "lock_addr"), i);
	uint64_t op = off_cpu_address(off_cpu_word(c, off_cpu_field(c, "op"), i));
	uint64_t address = off_cpu_address(word);
	char text[48];
	int n;

	if (!t || !address || (is_futex && !off_cpu_futex_waits(op)))
		return;
	if (!is_futex)
		n = snprintf(text, sizeof(text), "kernel:%" PRIx64, address);
	else if (op & OFF_CPU_FUTEX_PRIVATE)
		n = snprintf(text, sizeof(text), "%" PRIu32 ":%" PRIx64, by->pid, address);
	else
		n = snprintf(text, sizeof(text), "%" PRIx64, address);
	t->lock = strings_add(&w->d->strings, (struct str){ text, (size_t)n });
}

/* Handle a wake-up by the running thread or by an interrupt on top of it. */
static void off_cpu_wake(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	const struct profile *p = c->profile;
	uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, off_cpu_field(c, "pid"), i));
	struct off_cpu_thread *t = off_cpu_thread(w, tid, false);
	uint64_t flags = off_cpu_number(off_cpu_word(c, off_cpu_field(c, "common_flags"), i));
	const struct profile_thread *by = &p->threads.data[p->samples.thread.data[i]];

	off_cpu_alive(w, by->tid, p->samples.time_ns.data[i]);
	if (!t || t->out == OFF_CPU_NONE || t->woken_ns || p->samples.time_ns.data[i] < t->out_ns)
		return;
	t->woken_ns = p->samples.time_ns.data[i];
	/* the idle task itself wakes nobody */
	if (flags & (OFF_CPU_HARDIRQ | OFF_CPU_SOFTIRQ) || by->tid == 0) {
		t->waker = w->interrupt;
		t->waker_tid = w->none;
	} else {
		t->waker = by->comm;
		t->waker_tid = off_cpu_tid(w, by->tid);
	}
}

static void off_cpu_run(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, off_cpu_field(c, "next_pid"), i));
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;
	uint64_t now = c->profile->samples.time_ns.data[i];

	if (!t)
		return;
	off_cpu_end(w, t, now, false);
	/* it left the CPU in between, some time after its last sign */
	if (t->is_on_by_sign)
		t->ran_ns += t->sign_ns - t->on_ns;
	off_cpu_seen(t, now);
	t->on_ns = now;
	t->is_on_by_sign = false;
}

/* Whether this is the first switch on its CPU: the thread that leaves has run since the start. */
static bool off_cpu_is_first(const struct off_cpu_walk *w, const struct samples *s, size_t i)
{
	return s->cpu.len && s->cpu.data[i] != UINT16_MAX &&
	       (s->cpu.data[i] >= w->cpus.len || !w->cpus.data[s->cpu.data[i]]);
}

static void off_cpu_on_cpu(struct off_cpu_walk *w, const struct samples *s, size_t i)
{
	if (!off_cpu_is_first(w, s, i))
		return;
	while (w->cpus.len <= s->cpu.data[i])
		*VEC_PUSH(&w->cpus) = 0;
	w->cpus.data[s->cpu.data[i]] = 1;
}

/* Exiting: its last switch, after which it does not wait but is gone. */
static bool off_cpu_is_dead(struct str state)
{
	return state.len && (state.p[0] == 'X' || state.p[0] == 'Z' || state.p[0] == 'x');
}

/*
 * The thread of the switch stops running. Both its own events and those of all threads report
 * this. Only the latter cover the last switch, when its own events are closed.
 */
static void off_cpu_stop(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	const struct profile *p = c->profile;
	struct str prev = off_cpu_word(c, off_cpu_field(c, "prev_pid"), i);
	uint32_t tid = prev.len ? (uint32_t)off_cpu_number(prev)
				: p->threads.data[p->samples.thread.data[i]].tid;
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;
	uint64_t now = p->samples.time_ns.data[i];
	bool is_dead = off_cpu_is_dead(off_cpu_word(c, off_cpu_field(c, "prev_state"), i));

	if (!t)
		return;
	t->is_recorded |= c == w->c;
	if (!t->is_recorded && !is_dead) {
		/* the recorder's child before it executes the command: its waits are unknown */
		t->on_ns = t->from_ns = OFF_CPU_NEVER;
		t->ran_ns = t->to_ns = 0;
		return;
	}
	if (off_cpu_is_first(w, &p->samples, i)) {
		off_cpu_seen(t, w->first_ns);
		t->on_ns = w->first_ns;
	}
	/* both records of one switch are close; in between it cannot have run */
	if (t->out != OFF_CPU_NONE && now > t->out_ns &&
	    (now - t->out_ns >= OFF_CPU_TWICE_NS || (c == w->c && t->woken_ns)))
		off_cpu_unseen(w, t, now);
	off_cpu_seen(t, now);
	if (t->on_ns < now)
		t->ran_ns += now - t->on_ns;
	t->on_ns = OFF_CPU_NEVER;
	t->is_on_by_sign = false;
	if (is_dead)
		t->out = OFF_CPU_NONE;
}

static void off_cpu_leave(struct off_cpu_walk *w, size_t i)
{
	const struct profile *p = w->c->profile;
	uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;
	struct str state = strings_get(&w->d->strings, w->states.data[i]);
	uint64_t now = p->samples.time_ns.data[i];
	struct off_cpu_thread *t;

	if (tid == 0)
		return;
	t = off_cpu_thread(w, tid, false);
	if (!t)
		return;
	/* a text may contain a switch twice: with its stack, and among those of all threads */
	if (t->out != OFF_CPU_NONE && !t->woken_ns && now - t->out_ns < OFF_CPU_TWICE_NS) {
		if (stacks_depth(&p->stacks, p->samples.stack.data[i]) >
		    stacks_depth(&p->stacks, p->samples.stack.data[t->out]))
			t->out = i;
		return;
	}
	if (off_cpu_is_dead(state))
		return;
	t->out = i;
	t->out_ns = now;
	t->woken_ns = 0;
}

/* Take the times at which threads exited: their last switch may be missing. */
static void off_cpu_take_exits(struct off_cpu_walk *w)
{
	VEC_FOREACH (e, &w->c->profile->exits) {
		struct off_cpu_thread *t = off_cpu_thread(w, e->tid, false);

		if (t && t->from_ns != OFF_CPU_NEVER && e->time_ns >= t->from_ns)
			t->exit_ns = e->time_ns;
	}
}

/* The recording ends: so does what a thread does, if it has not exited before. */
static void off_cpu_close(struct off_cpu_walk *w, struct off_cpu_thread *t)
{
	bool has_exit = t->exit_ns && t->exit_ns < w->last_ns;
	uint64_t end = has_exit ? t->exit_ns : w->last_ns;

	if (t->out != OFF_CPU_NONE && has_exit && t->out_ns >= end) {
		t->out = OFF_CPU_NONE; /* a part of its exit */
	} else if (t->out != OFF_CPU_NONE && has_exit) {
		off_cpu_unseen(w, t, end);
	} else if (t->out != OFF_CPU_NONE) {
		off_cpu_end(w, t, end, true);
		off_cpu_seen(t, end);
	}
	/* without any switch nothing says that it still runs after its last sign */
	if (t->is_on_by_sign && !has_exit)
		end = t->sign_ns;
	if (t->on_ns < end) {
		t->ran_ns += end - t->on_ns;
		off_cpu_seen(t, end);
	}
}

/* Process all captures in time order. */
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
		if (!w->last_ns || first < w->first_ns)
			w->first_ns = first;
		if (first > w->last_ns)
			w->last_ns = first;
		if (off_cpu_is(all[next], w->wakes)) {
			off_cpu_wake(w, all[next], at[next]);
		} else if (!off_cpu_is(all[next], "sched:sched_switch")) {
			const struct profile *p = all[next]->profile;
			uint32_t thread = p->samples.thread.data[at[next]];

			off_cpu_alive(w, p->threads.data[thread].tid, first);
			if (off_cpu_is_lock(all[next]))
				off_cpu_asks(w, all[next], at[next]);
		} else {
			off_cpu_stop(w, all[next], at[next]);
			if (all[next] == w->c)
				off_cpu_leave(w, at[next]);
			if (!w->has_all || all[next] != w->c)
				off_cpu_run(w, all[next], at[next]);
			off_cpu_on_cpu(w, &all[next]->profile->samples, at[next]);
		}
		at[next]++;
	}
	free(at);
	off_cpu_take_exits(w);
	VEC_FOREACH (t, &w->threads)
		off_cpu_close(w, t);
}

static int off_cpu_part_cmp(const void *va, const void *vb)
{
	const struct off_cpu_part *a = va;
	const struct off_cpu_part *b = vb;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/* Replace the switches by the parts of waits, in time order. */
static void off_cpu_place(struct off_cpu_walk *w)
{
	struct profile *p = w->c->profile;
	struct strings *strings = &w->d->strings;
	struct samples old = p->samples;
	struct samples *s = &p->samples;
	bool has_cpu = old.cpu.len == old.n;
	str_id waker = strings_add(strings, STR("waker"));
	str_id waker_tid = strings_add(strings, STR("waker_tid"));
	str_id state = strings_add(strings, STR("state"));
	str_id kind = strings_add(strings, STR("wait"));
	str_id lock = strings_add(strings, STR("lock"));

	*s = (struct samples){ 0 };
	if (w->parts.len)
		qsort(w->parts.data, w->parts.len, sizeof(*w->parts.data), off_cpu_part_cmp);
	p->event_count = 0;
	VEC_FOREACH (part, &w->parts) {
		uint32_t i = part->sample;

		if (profile_add_sample(p, old.stack.data[i], part->ns) < 0)
			break;
		*VEC_PUSH(&s->time_ns) = part->from_ns;
		*VEC_PUSH(&s->thread) = old.thread.data[i];
		if (has_cpu)
			*VEC_PUSH(&s->cpu) = old.cpu.data[i];
		profile_set_no_frame(p, old.no_frame.len && old.no_frame.data[i]);
		profile_set_field(p, s->n - 1, waker, part->waker);
		profile_set_field(p, s->n - 1, waker_tid, part->waker_tid);
		profile_set_field(p, s->n - 1, state, w->states.data[i]);
		profile_set_field(p, s->n - 1, kind, part->kind);
		if (w->has_locks)
			profile_set_field(p, s->n - 1, lock, part->lock);
		p->event_count += part->ns;
	}
	profile_finish_fields(p);
	VEC_FREE(&old.stack);
	VEC_FREE(&old.weight);
	VEC_FREE(&old.count);
	VEC_FREE(&old.time_ns);
	VEC_FREE(&old.thread);
	VEC_FREE(&old.cpu);
	VEC_FREE(&old.no_frame);
	VEC_FOREACH (f, &old.fields)
		VEC_FREE(&f->values);
	VEC_FREE(&old.fields);
}

static void off_cpu_rename(struct off_cpu_walk *w)
{
	struct profile *p = w->c->profile;

	p->event = strings_add(&w->d->strings, STR("off-cpu"));
	p->unit = WEIGHT_NS;
	p->is_complete = true;
	p->has_event_count = true;
	p->n_samples = p->samples.n;
	p->recording.frequency = p->recording.period = 0;
	p->span_ns = w->last_ns - w->first_ns;
	VEC_FOREACH (t, &w->threads) {
		w->ret->ran_ns += t->ran_ns;
		*VEC_PUSH(&p->ran) = (struct profile_ran){
			.tid = t->tid,
			.ran_ns = t->ran_ns,
			.from_ns = t->from_ns == OFF_CPU_NEVER ? 0 : t->from_ns,
			.to_ns = t->to_ns,
		};
	}
}

/* Check that the capture has the required data. */
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

static bool off_cpu_is_pid(struct idmap *pids, const struct profile *p, uint32_t pid)
{
	struct idmap_probe probe = idmap_first(pids, hash_u64(pid, 7));

	while (idmap_next(pids, &probe)) {
		if (p->threads.data[probe.id].pid == pid)
			return true;
	}
	return false;
}

/* Add threads of the same processes that ran but never waited. */
static void off_cpu_siblings(struct off_cpu_walk *w, size_t from)
{
	const struct profile *own = w->c->profile;
	struct idmap pids = { 0 };

	for (size_t i = 0; i < own->threads.len; i++) {
		const struct profile_thread *t = &own->threads.data[i];
		struct idmap_probe probe = idmap_first(&pids, hash_u64(t->pid, 7));

		if (t->pid && off_cpu_thread(w, t->tid, false) &&
		    !off_cpu_is_pid(&pids, own, t->pid)) {
			idmap_insert(&pids, &probe, (uint32_t)i);
		}
	}
	for (size_t k = from; k < w->d->captures.len; k++) {
		const struct profile *p = w->d->captures.data[k]->profile;

		for (size_t i = 0; p && i < p->threads.len; i++) {
			const struct profile_thread *t = &p->threads.data[i];

			if (t->tid && t->tid < INT32_MAX && t->pid &&
			    off_cpu_is_pid(&pids, own, t->pid))
				(void)off_cpu_thread(w, t->tid, true);
		}
	}
	idmap_fini(&pids);
}

/*
 * Collect the threads to report: all that leave a CPU. If switches have stacks, only threads
 * with a stack; others matter only for the CPU they free.
 */
static void off_cpu_threads(struct off_cpu_walk *w)
{
	const struct profile *p = w->c->profile;
	uint8_t *has_stack = xcalloc(p->threads.len + 1, 1);
	bool any = false;

	for (size_t i = 0; i < p->samples.n; i++) {
		if (stacks_depth(&p->stacks, p->samples.stack.data[i]) > 1)
			has_stack[p->samples.thread.data[i]] = 1;
	}
	for (size_t i = 0; i < p->threads.len; i++)
		any |= has_stack[i];
	for (size_t i = 0; i < p->threads.len; i++) {
		if (p->threads.data[i].tid && (!any || has_stack[i]))
			(void)off_cpu_thread(w, p->threads.data[i].tid, true);
	}
	free(has_stack);
}

/* Whether samples of the capture show that their threads ran. */
static bool off_cpu_shows_life(const struct capture *c)
{
	const struct profile *p = c->profile;

	return p && p->table.rows.len == 0 && p->samples.n && p->samples.count.len == 0 &&
	       p->samples.time_ns.len == p->samples.n && p->samples.thread.len == p->samples.n &&
	       !p->is_complete && !off_cpu_is(c, "sched:sched_wakeup") &&
	       !off_cpu_is(c, "sched:sched_waking");
}

/* Collect captures of switches and wake-ups, and samples of threads; w->wakes is the event of
 * wake-ups. */
static int off_cpu_gather(struct off_cpu_walk *w, size_t from, struct capture ***ret, size_t *ret_n,
			  struct error *err)
{
	struct dossier *d = w->d;
	VEC(struct capture *) all = VEC_INIT;
	int status = OK;

	w->wakes = "sched:sched_wakeup";
	for (size_t i = from; i < d->captures.len; i++) {
		if (off_cpu_is(d->captures.data[i], "sched:sched_waking"))
			w->wakes = "sched:sched_waking";
	}
	for (size_t i = from; i < d->captures.len && status == OK; i++) {
		struct capture *c = d->captures.data[i];
		bool is_waking = off_cpu_is(c, w->wakes);

		if (!is_waking && !off_cpu_is(c, "sched:sched_switch")) {
			if (off_cpu_shows_life(c)) {
				w->has_locks |= off_cpu_is_lock(c);
				*VEC_PUSH(&all) = c;
			}
			continue;
		}
		status = off_cpu_check(c, is_waking ? "pid" : "next_pid", err);
		w->has_all |= w->c && !is_waking;
		if (!w->c && !is_waking)
			w->c = c;
		if (is_waking)
			w->has_wakeups |= c->profile->samples.n > 0;
		*VEC_PUSH(&all) = c;
	}
	*ret = all.data;
	*ret_n = all.len;
	return status;
}

bool off_cpu_can_make(const struct dossier *d, size_t from)
{
	for (size_t i = from; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (off_cpu_is(c, "sched:sched_switch") && c->profile->samples.n)
			return off_cpu_check(c, "next_pid", NULL) == OK &&
			       off_cpu_check(c, "prev_state", NULL) == OK;
	}
	return false;
}

int off_cpu_make(struct dossier *d, size_t from, struct off_cpu *ret, struct error *err)
{
	struct off_cpu_walk w = { .d = d, .ret = ret };
	struct capture **all = NULL;
	size_t n = 0;
	int status;

	memset(ret, 0, sizeof(*ret));
	status = off_cpu_gather(&w, from, &all, &n, err);
	if (status < 0 || !w.c) {
		free(all);
		return status;
	}
	w.none = strings_add(&d->strings, STR("-"));
	w.interrupt = strings_add(&d->strings, STR("interrupt"));
	w.blocked = strings_add(&d->strings, STR("blocked"));
	w.runnable = strings_add(&d->strings, STR("runnable"));
	for (size_t i = 0; i < w.c->profile->samples.n; i++)
		*VEC_PUSH(&w.states) = strings_add(
			&d->strings, off_cpu_word(w.c, off_cpu_field(w.c, "prev_state"), i));
	/* other threads do not matter when they are switched in */
	off_cpu_threads(&w);
	off_cpu_siblings(&w, from);
	off_cpu_walk(&w, all, n);
	off_cpu_place(&w);
	off_cpu_rename(&w);
	w.c->profile->has_wakeups = w.has_wakeups;
	ret->is_done = true;
	/* remove used captures: they are last and in event order */
	while (d->captures.len > from && off_cpu_is_helper(d->captures.data[d->captures.len - 1]))
		dossier_drop_last(d);
	/* captures that cannot be removed are not profiles */
	for (size_t i = 0; i < n && from < d->captures.len; i++) {
		for (size_t k = from; k < d->captures.len; k++) {
			if (d->captures.data[k] == all[i] && off_cpu_is_helper(all[i]))
				all[i]->profile->is_complete = true;
		}
	}
	free(all);
	VEC_FREE(&w.states);
	VEC_FREE(&w.parts);
	VEC_FREE(&w.cpus);
	VEC_FREE(&w.threads);
	idmap_fini(&w.by_tid);
	return OK;
}

void off_cpu_drop_helpers(struct dossier *d, size_t from)
{
	size_t everywhere = SIZE_MAX;
	unsigned int switches = 0;

	for (size_t i = from; i < d->captures.len; i++) {
		if (off_cpu_is(d->captures.data[i], "sched:sched_switch") && ++switches == 2)
			everywhere = i;
	}
	while (switches == 2 && d->captures.len > everywhere &&
	       off_cpu_is_helper(d->captures.data[d->captures.len - 1]))
		dossier_drop_last(d);
}

/* Whether the thread waits for the lock or the futex that it asked for last. */
static bool off_cpu_is_of_lock(const char *reason)
{
	static const char *const reasons[] = { "lock", "futex", "condition", "join" };

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (strcmp(reason, reasons[i]) == 0)
			return true;
	}
	return false;
}

void off_cpu_name(struct capture *c, const char *const *reasons, const stack_id *shown)
{
	struct profile *p = c->profile;
	struct strings *strings = &c->dossier->strings;
	str_id name = strings_add(strings, STR("reason"));
	str_id cpu = strings_add(strings, STR("cpu"));
	str_id runnable = strings_add(strings, STR("runnable"));
	str_id lock = strings_add(strings, STR("lock"));
	str_id none = strings_add(strings, STR("-"));
	bool has_locks = off_cpu_field(c, "lock") != NULL;
	const struct sample_field *wait = off_cpu_field(c, "wait");

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id stack = p->samples.stack.data[i];
		bool is_ready = wait && wait->values.data[i] == runnable.v;

		profile_set_field(p, i, name,
				  is_ready ? cpu : strings_add(strings, str_of(reasons[stack.v])));
		if (has_locks && !off_cpu_is_of_lock(reasons[stack.v]))
			profile_set_field(p, i, lock, none);
		wait = off_cpu_field(c, "wait"); /* the fields may have moved */
		p->samples.stack.data[i] = shown[stack.v];
	}
	profile_finish_fields(p);
}

bool off_cpu_is_named(const struct capture *c)
{
	return off_cpu_has_waits(c) && c->profile->samples.n && off_cpu_field(c, "reason");
}

bool off_cpu_has_waits(const struct capture *c)
{
	return c->profile && c->profile->is_complete &&
	       str_eq(strings_get(&c->dossier->strings, c->profile->event), STR("off-cpu"));
}

int off_cpu_step(struct dossier *d, struct transform *t, struct error *err)
{
	struct off_cpu found;
	int r;

	if (!t->is_off_cpu && !(t->finds_off_cpu && off_cpu_can_make(d, t->first))) {
		if (t->drops_helpers)
			off_cpu_drop_helpers(d, t->first);
		return OK;
	}
	r = off_cpu_make(d, t->first, &found, err);
	if (r == OK && !found.is_done)
		r = fail(err, ERR_NOTFOUND,
			 "no context switches recorded; 'assay record --off-cpu' records them");
	if (r == OK)
		t->off_cpu.data[t->off_cpu.len - 1] = found;
	return r;
}

int off_cpu_name_step(struct dossier *d, struct transform *t, struct error *err)
{
	(void)err;
	for (size_t i = t->first; i < d->captures.len; i++) {
		if (t->name_waits && off_cpu_has_waits(d->captures.data[i]))
			t->name_waits(d->captures.data[i]);
	}
	return OK;
}
