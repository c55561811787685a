/* SPDX-License-Identifier: MIT */
/* off_cpu_walk.c - follow each thread through time: it leaves a CPU, is woken, and runs again */
#include "transform/off_cpu_walk.h"

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
#include "transform/off_cpu.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>

/* bits of the futex operation, the argument `op`: include/uapi/linux/futex.h */
#define OFF_CPU_FUTEX_PRIVATE 128u
#define OFF_CPU_FUTEX_OP      127u
/* bits of the field common_flags: include/linux/trace_events.h */
#define OFF_CPU_HARDIRQ 0x08u
#define OFF_CPU_SOFTIRQ 0x10u
/* smaller priorities are those of real-time and deadline threads */
#define OFF_CPU_REAL_TIME 100u
/* maximum length of a thread name in the output, in bytes; the kernel's names are shorter */
#define OFF_CPU_COMM 32u

const struct sample_field *off_cpu_field(const struct capture *c, const char *name)
{
	VEC_FOREACH (f, &c->profile->samples.fields) {
		if (str_eq(strings_get(&c->dossier->strings, f->name), str_of(name)))
			return f;
	}
	return NULL;
}

struct str off_cpu_word(const struct capture *c, const struct sample_field *f, size_t i)
{
	if (!f || i >= f->values.len)
		return STR_NONE;
	return strings_get(&c->dossier->strings, (str_id){ f->values.data[i] });
}

uint64_t off_cpu_number(struct str s)
{
	uint64_t v = 0;

	s = str_trim(s);
	return str_u64(&s, &v) ? v : 0;
}

bool off_cpu_is(const struct capture *c, const char *event)
{
	return c->profile && c->profile->table.rows.len == 0 &&
	       str_eq(strings_get(&c->dossier->strings, c->profile->event), str_of(event));
}

bool off_cpu_is_lock(const struct capture *c)
{
	return off_cpu_is(c, OFF_CPU_FUTEX) || off_cpu_is(c, OFF_CPU_LOCK);
}

struct off_cpu_thread *off_cpu_thread(struct off_cpu_walk *w, uint32_t tid, bool add)
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
		.runner = w->none,
	};
	return &w->threads.data[w->threads.len - 1];
}

/* Whether the thread was still runnable when it left the CPU: state "R" or "R+", not "S" or "D". */
static bool off_cpu_can_run(const struct off_cpu_walk *w, size_t sample)
{
	struct str state = strings_get(&w->d->strings, w->states.data[sample]);

	return state.len == 0 || state.p[0] == 'R';
}

static void off_cpu_seen(struct off_cpu_thread *t, uint64_t now)
{
	if (t->from_ns == OFF_CPU_NEVER)
		t->from_ns = now;
	/* timestamps in a text trace may go back */
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
		.runner = kind.v == w->runnable.v ? t->runner : w->none,
	};
}

/*
 * Whether the current wait of @t cannot be measured, because a switch of the thread during the wait
 * may be missing. @is_open: the wait still lasts at the end of the recording.
 */
static bool off_cpu_is_unmeasured(const struct off_cpu_walk *w, const struct off_cpu_thread *t,
				  bool is_open)
{
	if (is_open && w->switches.misses_cpus && off_cpu_can_run(w, t->out))
		return true; /* the thread may run on a CPU that is not in the trace */
	return w->is_excerpt && w->gap_ns >= t->out_ns && !off_cpu_is_whole(t);
}

/*
 * End the wait of a thread at @now, and count the wait. @is_open: the thread still waits at @now,
 * which is the end of the recording. Otherwise the thread runs from @now on.
 */
static void off_cpu_end(struct off_cpu_walk *w, struct off_cpu_thread *t, uint64_t now,
			bool is_open)
{
	uint64_t woken = t->woken_ns && t->woken_ns < now ? t->woken_ns : now;

	if (t->out == OFF_CPU_NONE || now < t->out_ns) {
		t->out = OFF_CPU_NONE;
		return;
	}
	if (off_cpu_is_unmeasured(w, t, is_open)) {
		w->switches.uncounted++;
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
 * Handle a thread that runs at @now, although the trace has no switch to the thread since it left
 * its CPU. Kernels lose switches of the idle task, and a recording of one process has no switches
 * to its threads. Assume that the thread has run since its wake-up, or since @now if no wake-up was
 * recorded.
 */
static void off_cpu_unseen(struct off_cpu_walk *w, struct off_cpu_thread *t, uint64_t now)
{
	uint64_t ran_from = t->woken_ns && t->woken_ns < now ? t->woken_ns : now;

	w->ret->unseen++;
	off_cpu_end(w, t, ran_from, false);
	t->on_ns = w->is_excerpt ? OFF_CPU_NEVER : ran_from;
}

/* Handle a record that thread @tid made itself: it proves that the thread runs at @now. */
static void off_cpu_alive(struct off_cpu_walk *w, uint32_t tid, uint64_t now)
{
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;

	if (!t)
		return;
	if (t->out != OFF_CPU_NONE && now > t->out_ns + OFF_CPU_TWICE_NS)
		off_cpu_unseen(w, t, now);
	/* no switch to this thread was recorded: it is new, or has run since the recording began */
	if (t->from_ns == OFF_CPU_NEVER && t->out == OFF_CPU_NONE && t->on_ns == OFF_CPU_NEVER) {
		off_cpu_seen(t, now);
		t->on_ns = now;
		t->is_on_by_sign = true;
	}
	t->sign_ns = now;
}

/*
 * Parse an address in hexadecimal with "0x", such as "0x7f00aa10", or a decimal number. Returns 0
 * if there is none.
 */
static uint64_t off_cpu_address(struct str s)
{
	uint64_t v = 0;

	s = str_trim(s);
	if (!str_take(&s, STR("0x")))
		return off_cpu_number(s);
	return str_hex64(&s, &v) ? v : 0;
}

/*
 * Whether the futex operation @op waits: FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET,
 * FUTEX_WAIT_REQUEUE_PI or FUTEX_LOCK_PI2.
 */
static bool off_cpu_futex_waits(uint64_t op)
{
	op &= OFF_CPU_FUTEX_OP;
	return op == 0 || op == 6 || op == 9 || op == 11 || op == 13;
}

/*
 * Handle a lock request in sample @i: store a name for the lock in the thread. The address of a
 * private futex is unique only within its process, so the name contains the process id. A shared
 * futex is usually mapped before a fork, and then has the same address in all processes: its name
 * is only the address.
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

/*
 * Handle the wake-up in sample @i. The waker is the thread that runs at that time, or an interrupt
 * that came while this thread ran.
 */
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
	/* thread 0 is the idle task, which wakes no thread itself: an interrupt did */
	if (flags & (OFF_CPU_HARDIRQ | OFF_CPU_SOFTIRQ) || by->tid == 0) {
		t->waker = w->interrupt;
		t->waker_tid = w->none;
	} else {
		t->waker = by->comm;
		t->waker_tid = off_cpu_tid(w, by->tid);
	}
}

/*
 * The name of the thread that leaves the CPU in switch @i. A real-time thread (priority below 100:
 * include/linux/sched/prio.h) also gets its priority: "audio (priority 59)".
 */
static str_id off_cpu_runner(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	const struct profile *p = c->profile;
	struct str prev = off_cpu_word(c, off_cpu_field(c, "prev_pid"), i);
	struct str comm =
		strings_get(&w->d->strings, p->threads.data[p->samples.thread.data[i]].comm);
	struct str word = off_cpu_word(c, off_cpu_field(c, "prev_prio"), i);
	uint64_t prio = off_cpu_number(word);
	char text[64];
	int n;

	if (!off_cpu_number(prev))
		return w->none; /* the idle task, or a record that does not name the thread */
	w->has_runners = true;
	if (!word.len || prio >= OFF_CPU_REAL_TIME)
		return strings_add(&w->d->strings, comm);
	n = snprintf(text, sizeof(text), STR_FMT " (priority %" PRIu64 ")",
		     STR_ARG(str_sub(comm, 0, OFF_CPU_COMM)), prio);
	return strings_add(&w->d->strings, (struct str){ text, (size_t)n });
}

static void off_cpu_run(struct off_cpu_walk *w, const struct capture *c, size_t i)
{
	uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, off_cpu_field(c, "next_pid"), i));
	struct off_cpu_thread *t = tid ? off_cpu_thread(w, tid, false) : NULL;
	uint64_t now = c->profile->samples.time_ns.data[i];

	if (!t)
		return;
	if (t->out != OFF_CPU_NONE)
		t->runner = off_cpu_runner(w, c, i);
	off_cpu_end(w, t, now, false);
	t->runner = w->none;
	/*
	 * the switch at which the thread stopped running is missing: count its running time up to
	 * its last record
	 */
	if (t->is_on_by_sign)
		t->ran_ns += t->sign_ns - t->on_ns;
	off_cpu_seen(t, now);
	t->on_ns = t->switched_ns = now;
	t->is_on_by_sign = false;
}

/*
 * Whether sample @i is the first switch on its CPU. If so, the thread that leaves the CPU has run
 * since the recording began.
 */
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

/*
 * Whether @state is that of an exiting thread, which leaves its CPU for the last time and does not
 * wait.
 */
static bool off_cpu_is_dead(struct str state)
{
	return state.len && (state.p[0] == 'X' || state.p[0] == 'Z' || state.p[0] == 'x');
}

/*
 * Handle the thread that leaves its CPU in switch @i of the capture @c. Two captures can contain
 * the same switch: w->c has the switches of the recorded program, and a second capture can have the
 * switches of all CPUs. The last switch of an exiting thread is only in the second capture, because
 * the kernel closes the events of the thread before this switch.
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
		/*
		 * w->c, the capture of the program's switches, has no switch of this thread so far.
		 * So the thread still is a copy of the recorder that has not executed the program
		 * yet. Forget its times.
		 */
		t->on_ns = t->from_ns = OFF_CPU_NEVER;
		t->ran_ns = t->to_ns = 0;
		return;
	}
	if (off_cpu_is_first(w, &p->samples, i) && !w->is_excerpt) {
		off_cpu_seen(t, w->first_ns);
		t->on_ns = w->first_ns;
	}
	/*
	 * the thread left a CPU before and leaves one again, so it ran in between, unless both
	 * records are of the same switch
	 */
	if (t->out != OFF_CPU_NONE && now > t->out_ns &&
	    (now - t->out_ns >= OFF_CPU_TWICE_NS || (c == w->c && t->woken_ns)))
		off_cpu_unseen(w, t, now);
	off_cpu_seen(t, now);
	if (t->on_ns < w->since_ns)
		/* the thread got the CPU at the previous switch on this CPU, not earlier */
		t->on_ns = w->since_ns;
	if (t->on_ns < now)
		t->ran_ns += now - t->on_ns;
	t->on_ns = OFF_CPU_NEVER;
	t->is_on_by_sign = false;
	if (is_dead)
		t->out = OFF_CPU_NONE;
}

/*
 * Compare switch @i with the previous switch on the same CPU. If the thread that got the CPU in the
 * previous switch is not the thread that leaves the CPU now, a switch in between is missing. The
 * run of the first thread then ended at an unknown time: do not count this run.
 */
static void off_cpu_before(struct off_cpu_walk *w, size_t i)
{
	struct off_cpu_link link = off_cpu_follow(w, i);

	w->since_ns = link.since_ns;
	if (link.kind != OFF_CPU_GAP)
		return;
	w->gap_ns = w->c->profile->samples.time_ns.data[i];
	if (link.left->switched_ns > link.since_ns)
		return; /* the thread has already got another CPU */
	link.left->on_ns = OFF_CPU_NEVER;
	link.left->is_on_by_sign = false;
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
	/*
	 * a text trace may contain a switch twice, with and without its call stack: keep the record
	 * with the deeper stack
	 */
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

/*
 * Copy recorded exit times to the threads, because the last switch of an exiting thread may be
 * missing.
 */
static void off_cpu_take_exits(struct off_cpu_walk *w)
{
	VEC_FOREACH (e, &w->c->profile->exits) {
		struct off_cpu_thread *t = off_cpu_thread(w, e->tid, false);

		if (t && t->from_ns != OFF_CPU_NEVER && e->time_ns >= t->from_ns)
			t->exit_ns = e->time_ns;
	}
}

/*
 * End the current wait or run of a thread at the end of the recording, or at the thread's exit if
 * that was earlier.
 */
static void off_cpu_close(struct off_cpu_walk *w, struct off_cpu_thread *t)
{
	bool has_exit = t->exit_ns && t->exit_ns < w->last_ns;
	uint64_t end = has_exit ? t->exit_ns : w->last_ns;

	if (t->out != OFF_CPU_NONE && has_exit && t->out_ns >= end) {
		/* the thread left its CPU to exit: that is no wait */
		t->out = OFF_CPU_NONE;
	} else if (t->out != OFF_CPU_NONE && has_exit) {
		off_cpu_unseen(w, t, end);
	} else if (t->out != OFF_CPU_NONE) {
		off_cpu_end(w, t, end, true);
		off_cpu_seen(t, end);
	}
	/* no switch to the thread was seen: it surely ran only up to its last record */
	if (t->is_on_by_sign && !has_exit)
		end = t->sign_ns;
	if (t->on_ns < end && (!w->is_excerpt || t->is_on_by_sign)) {
		t->ran_ns += end - t->on_ns;
		off_cpu_seen(t, end);
	}
}

void off_cpu_walk(struct off_cpu_walk *w, struct capture *const *all, size_t n)
{
	size_t *at = xcalloc(n, sizeof(*at));

	off_cpu_chain_begin(w);
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
			if (!w->has_all)
				off_cpu_before(w, at[next]);
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
