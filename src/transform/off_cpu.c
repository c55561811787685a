/* SPDX-License-Identifier: MIT */
#include "transform/off_cpu.h"
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
#include "transform/transform.h"

const struct str off_cpu_fields[] = {
	{ "prev_state", 10 }, { "prev_pid", 8 },      { "next_pid", 8 },
	{ "pid", 3 },         { "common_flags", 12 }, { "uaddr", 5 },
	{ "op", 2 },          { "lock_addr", 9 },     { "prev_prio", 9 }
};

const size_t off_cpu_n_fields = ARRAY_LEN(off_cpu_fields);

bool off_cpu_is_switches(const struct capture *c)
{
	return off_cpu_is(c, "sched:sched_switch");
}

bool off_cpu_is_helper(const struct capture *c)
{
	return off_cpu_is(c, "sched:sched_waking") || off_cpu_is(c, "sched:sched_wakeup") ||
	       off_cpu_is(c, "sched:sched_switch") || off_cpu_is_lock(c);
}

static int off_cpu_part_cmp(const void *va, const void *vb)
{
	const struct off_cpu_part *a = va;
	const struct off_cpu_part *b = vb;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/*
 * Replace the samples of the profile, which are context switches, by samples of waits. Each blocked
 * time and each runnable time becomes one sample. The samples are sorted by the start of the wait.
 */
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
	str_id runner = strings_add(strings, STR("runner"));
	str_id lock = strings_add(strings, STR("lock"));

	*s = (struct samples){ 0 };
	VEC_SORT(&w->parts, off_cpu_part_cmp);
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
		if (w->has_runners)
			profile_set_field(p, s->n - 1, runner, part->runner);
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
	VEC_FREE(&old.code_row);
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

/*
 * Check that the samples of @c have times, threads and the field @field, and that each element of
 * `samples` is one sample and not a sum of several. Errors: ERR_UNSUPPORTED.
 */
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

/*
 * Report more threads: if one thread of a process is reported, all threads of this process are,
 * even those that never left a CPU.
 */
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
 * Choose the threads to report: all that leave a CPU. If some switches have call stacks, choose
 * only the threads of these switches.
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
	/* skip thread id -1, which the kernel writes for exiting threads */
	for (size_t i = 0; i < p->threads.len; i++) {
		uint32_t tid = p->threads.data[i].tid;

		if (tid && tid <= INT32_MAX && (!any || has_stack[i]))
			(void)off_cpu_thread(w, tid, true);
	}
	free(has_stack);
}

/*
 * Whether each sample of @c proves that the sampled thread was running at the time of the sample.
 */
static bool off_cpu_shows_life(const struct capture *c)
{
	const struct profile *p = c->profile;

	return p && p->table.rows.len == 0 && p->samples.n && p->samples.count.len == 0 &&
	       p->samples.time_ns.len == p->samples.n && p->samples.thread.len == p->samples.n &&
	       !p->is_complete && !off_cpu_is(c, "sched:sched_wakeup") &&
	       !off_cpu_is(c, "sched:sched_waking");
}

/*
 * Collect in @ret the captures from index @from on that the computation of waits needs: switches,
 * wake-ups, and samples that prove that a thread ran. Sets w->c to the first capture of switches,
 * and w->wakes to the name of the wake-up event.
 */
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

/* Whether a capture at or after index @from has switches that off_cpu_make() converts. */
static bool off_cpu_can_make(const struct dossier *d, size_t from)
{
	for (size_t i = from; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (off_cpu_is(c, "sched:sched_switch") && c->profile->samples.n)
			return off_cpu_check(c, "next_pid", NULL) == OK &&
			       off_cpu_check(c, "prev_state", NULL) == OK;
	}
	return false;
}

/*
 * Drop the last captures of the dossier as long as the last one is a helper (off_cpu_is_helper()).
 * Captures before index @from stay.
 */
static void off_cpu_drop_all(struct dossier *d, size_t from)
{
	while (d->captures.len > from && off_cpu_is_helper(d->captures.data[d->captures.len - 1]))
		dossier_drop_last(d);
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
	/* choose the threads first: the later steps ignore switches of other threads */
	off_cpu_threads(&w);
	off_cpu_siblings(&w, from);
	off_cpu_chain(&w, all, n);
	off_cpu_walk(&w, all, n);
	off_cpu_place(&w);
	off_cpu_rename(&w);
	w.c->profile->has_wakeups = w.has_wakeups;
	w.c->profile->switches = w.switches;
	ret->is_done = true;
	/* drop captures of switches and wake-ups: readers put them at the end of the dossier */
	off_cpu_drop_all(d, from);
	/*
	 * Captures of switches and wake-ups that were not at the end are still there. Set
	 * is_complete of their profiles: commands then do not take them for samples of CPU time.
	 */
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
	VEC_FREE(&w.chain.cpus);
	VEC_FREE(&w.threads);
	idmap_fini(&w.by_tid);
	return OK;
}

/*
 * Drop helper captures at or after index @from that `assay record --off-cpu` recorded only to
 * compute waits: switches and wake-ups of all threads on the machine, and lock requests. Such a
 * recording has two captures of switches, first those of the program, then those of the machine.
 * Other recordings stay unchanged.
 */
static void off_cpu_drop_helpers(struct dossier *d, size_t from)
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

/* Whether @reason means that the thread waits for the lock or futex that it requested last. */
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
		/* profile_set_field() may have moved the array of fields */
		wait = off_cpu_field(c, "wait");
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

/*
 * Return the totals of a capture of waits that a reader has made (for traces of goroutines): the
 * first such capture at or after index @from. If there is none, is_done of the result is false.
 */
static struct off_cpu off_cpu_adopt(const struct dossier *d, size_t from)
{
	struct off_cpu ret = { .is_done = false };
	const struct capture *c = NULL;
	const struct sample_field *wait;

	for (size_t i = from; i < d->captures.len && !c; i++)
		c = off_cpu_has_waits(d->captures.data[i]) ? d->captures.data[i] : NULL;
	if (!c)
		return ret;
	ret.is_done = true;
	wait = off_cpu_field(c, "wait");
	for (size_t i = 0; i < c->profile->samples.n; i++) {
		bool is_ready = str_eq(off_cpu_word(c, wait, i), STR("runnable"));

		ret.waits += !is_ready;
		ret.blocked_ns += is_ready ? 0 : c->profile->samples.weight.data[i];
		ret.runnable_ns += is_ready ? c->profile->samples.weight.data[i] : 0;
	}
	VEC_FOREACH (t, &c->profile->ran)
		ret.ran_ns += t->ran_ns;
	ret.threads = c->profile->ran.len;
	return ret;
}

int off_cpu_step(struct dossier *d, struct transform *t, struct error *err)
{
	struct off_cpu found = off_cpu_adopt(d, t->first);
	int r;

	if (found.is_done) {
		t->off_cpu.data[t->off_cpu.len - 1] = found;
		return OK;
	}
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
		if (t->name_waits && off_cpu_has_waits(d->captures.data[i]) &&
		    !off_cpu_is_named(d->captures.data[i]))
			t->name_waits(d->captures.data[i]);
	}
	return OK;
}
